/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST_FD = 3, OLD_KERNEL_FDS = 65536 };

static void reset_priority(void)
{
	const struct sched_param none = { .sched_priority = 0 };
	int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, nice_now;

	if (policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE)
		sched_setscheduler(0, SCHED_OTHER, &none);
	errno = 0;
	nice_now = getpriority(PRIO_PROCESS, 0);
	if (errno == 0 && nice_now < 0)
		setpriority(PRIO_PROCESS, 0, 0);
}

/* snprintf is not async-signal-safe. */
static size_t format_long(char *end, long value)
{
	unsigned long left = value < 0 ? -(unsigned long)value : (unsigned long)value;
	size_t n = 0;

	do {
		end[-(long)++n] = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (value < 0)
		end[-(long)++n] = '-';
	return n;
}

static void reset_oom_score(long value)
{
	char text[24];
	size_t n = format_long(text + sizeof(text), value);
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	/* Refused: it keeps what it had, as any process may. */
	if (write(fd, text + sizeof(text) - n, n) < 0)
		errno = 0;
	close(fd);
}

/*
 * By the system call: the library keeps its own two signals from signal(), but one who started us
 * may have left them ignored.
 */
static void reset_signals(void)
{
	static const unsigned long by_default[8];	/* the kernel's struct, all SIG_DFL */
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		syscall(SYS_rt_sigaction, sig, by_default, NULL, NSIG / 8);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void child_close_from(int first)
{
	struct rlimit limit;
	int last = OLD_KERNEL_FDS;

#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, ~0U, 0) == 0)
		return;
#endif
	/* Before Linux 5.9. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < OLD_KERNEL_FDS)
		last = (int)limit.rlim_cur;
	for (int fd = first; fd < last; fd++)
		close(fd);
}

void child_reset(long oom_score_adj)
{
	reset_priority();
	reset_oom_score(oom_score_adj);
	reset_signals();
	child_close_from(FIRST_FD);
}

static void child_exec_quietly(char *const *argv)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0)
		_exit(127);
	for (int fd = 0; fd < FIRST_FD; fd++)
		dup2(null, fd);
	child_reset(0);
	execv(argv[0], argv);
	_exit(127);
}

int child_run(char *const *argv)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0)
		child_exec_quietly(argv);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
