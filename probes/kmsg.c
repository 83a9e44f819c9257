/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/clock.h"
#include "src/xalloc.h"

/*
 * A read gives one record; one that does not fit is EINVAL and would be met again for ever
 * (kernel/printk/printk.c, devkmsg_read: at most CONSOLE_EXT_LOG_MAX, later PRINTK_MESSAGE_MAX).
 */
enum { RECORD_MAX = 8192 };

struct kmsg {
	int fd;
	bool have_choice, cgroup;	/* of the latest oom_parse_choice */
	char record[RECORD_MAX + 1];
};

struct kmsg *kmsg_open(const char *root)
{
	char *path = xasprintf("%s/dev/kmsg", root);
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct kmsg *k;

	free(path);
	if (fd < 0)
		return NULL;
	/* What cannot seek (containers put all sorts of things there) has no past to pass over. */
	if (lseek(fd, 0, SEEK_END) < 0 && errno != ESPIPE) {
		int error = errno;

		close(fd);
		errno = error;
		return NULL;
	}
	k = xcalloc(1, sizeof(*k));
	k->fd = fd;
	return k;
}

void kmsg_close(struct kmsg *k)
{
	if (!k)
		return;
	if (k->fd >= 0)
		close(k->fd);
	free(k);
}

int kmsg_fd(const struct kmsg *k)
{
	return k->fd;
}

/* One record; false when there is none now. What failed is closed, or poll would return at once for ever. */
static bool read_record(struct kmsg *k)
{
	ssize_t n;

	if (k->fd < 0)
		return false;
	do
		n = read(k->fd, k->record, RECORD_MAX);
	while (n < 0 && (errno == EINTR || errno == EPIPE));	/* EPIPE: overwritten; the next is there */
	if (n > 0) {
		k->record[n] = '\0';
		return true;
	}
	if (n == 0 || errno != EAGAIN) {
		close(k->fd);
		k->fd = -1;
	}
	return false;
}

bool kmsg_next(struct kmsg *k, struct oom_victim *v)
{
	while (read_record(k)) {
		if (oom_parse_choice(k->record, &k->cgroup)) {
			k->have_choice = true;
		} else if (oom_parse_kmsg(k->record, v)) {
			if (!v->have_scope && k->have_choice) {
				v->have_scope = true;
				v->cgroup = k->cgroup;
			}
			v->t_ns = clock_ns();
			return true;
		}
	}
	return false;
}
