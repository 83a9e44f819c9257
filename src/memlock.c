/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/memlock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Half the machine's memory less in the OOM killer's eyes; -1000 would make vmtop immortal. */
enum { OOM_SCORE_ADJ = -500, HEAP_PAD = 256 * 1024 };

static const char oom_path[] = "/proc/self/oom_score_adj";

void memlock_prepare(void)
{
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TOP_PAD, HEAP_PAD);
}

static long oom_score_read(void)
{
	char text[32];
	int fd = open(oom_path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	return strtol(text, NULL, 10);
}

/* Without CAP_SYS_RESOURCE the kernel refuses (fs/proc/base.c, __set_oom_adj), and that is that. */
static void oom_score_write(long value)
{
	char text[32];
	int fd = open(oom_path, O_WRONLY | O_CLOEXEC);
	int n = snprintf(text, sizeof(text), "%ld\n", value);

	if (fd < 0)
		return;
	if (write(fd, text, (size_t)n) != n)
		errno = 0;
	close(fd);
}

static bool has_cap_ipc_lock(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (syscall(SYS_capget, &header, data) < 0)
		return false;
	return data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK);
}

/* As much as may be locked without asking anyone: the soft limit goes up to the hard one. */
static bool limit_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0)
		return false;
	if (limit.rlim_cur != limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_MEMLOCK, &limit);
	}
	return limit.rlim_cur == RLIM_INFINITY;
}

void memlock_all(struct memlock_status *status)
{
	bool unlimited = limit_raise() || has_cap_ipc_lock();

	memset(status, 0, sizeof(*status));
	status->oom_score_adj = oom_score_read();
	if (status->oom_score_adj > OOM_SCORE_ADJ)
		oom_score_write(OOM_SCORE_ADJ);
	if (unlimited && mlockall(MCL_CURRENT | MCL_FUTURE) == 0) {
		status->locked = status->future = true;
	} else if (mlockall(MCL_CURRENT) == 0) {
		status->locked = true;
	} else {
		status->error = errno;
	}
}

const char *memlock_text(const struct memlock_status *status, char *buf, size_t size)
{
	if (status->future)
		snprintf(buf, size, "locked");
	else if (status->locked)
		snprintf(buf, size, "locked, except what is allocated later (raise ulimit -l)");
	else
		snprintf(buf, size, "not locked: %s (run as root or raise ulimit -l)",
			 strerror(status->error));
	return buf;
}
