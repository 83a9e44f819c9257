/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/playback_wait.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "src/clock.h"

void wait_open(struct wait_watch *w)
{
	sigset_t set;

	memset(w, 0, sizeof(*w));
	file_init(&w->schedstat, "", "proc/self/schedstat");
	file_init(&w->status, "", "proc/self/status");
	taskstats_open(&w->delays);
	/* Blocked it stays pending, though its default is to be ignored. */
	sigemptyset(&set);
	sigaddset(&set, SIGCONT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	w->continued_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	wait_mark(w, SEGMENT_WORK, 0);
}

void wait_close(struct wait_watch *w)
{
	file_done(&w->schedstat);
	file_done(&w->status);
	taskstats_close(&w->delays);
	if (w->continued_fd >= 0)
		close(w->continued_fd);
}

/* "on-cpu-ns run-queue-ns slices"; -1 without CONFIG_SCHED_INFO. */
static int64_t read_queue(struct wait_watch *w)
{
	char text[80], *end;
	int64_t queue;

	if (file_read(&w->schedstat, text, sizeof(text), clock_ns()) <= 0)
		return -1;
	strtoull(text, &end, 10);
	if (*end != ' ')
		return -1;
	queue = (int64_t)strtoull(end, &end, 10);
	return *end == ' ' ? queue : -1;
}

static bool was_continued(struct wait_watch *w)
{
	struct signalfd_siginfo info;
	bool continued = false;

	while (w->continued_fd >= 0 && read(w->continued_fd, &info, sizeof(info)) == sizeof(info))
		continued = true;
	return continued;
}

static void take_reading(struct wait_watch *w, struct reading *r)
{
	struct rusage usage;

	/* The clock last: of a stop in between the caller sees the SIGCONT. */
	getrusage(RUSAGE_SELF, &usage);
	r->faults = (uint64_t)usage.ru_majflt + (uint64_t)usage.ru_minflt;
	r->queue_ns = read_queue(w);
	taskstats_read(&w->delays, &r->delay_ns, &r->thrash_ns);
	r->cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	r->t_ns = clock_ns();
}

struct shares wait_mark(struct wait_watch *w, enum segment segment, int64_t until_ns)
{
	struct reading now;
	struct shares s;

	take_reading(w, &now);
	if (segment == SEGMENT_SLEEP && now.t_ns - until_ns > w->worst_late_ns)
		w->worst_late_ns = now.t_ns - until_ns;
	s = cause_segment(&w->last, &now, segment, until_ns, was_continued(w));
	w->last = now;
	return s;
}

static int64_t status_kib(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? (int64_t)strtoull(at + strlen(key), NULL, 10) : -1;
}

void wait_read_memory(struct wait_watch *w, struct wait_memory *m)
{
	struct rusage usage;
	char text[4096];

	*m = (struct wait_memory){ -1, -1, -1, 0, 0 };
	if (file_read(&w->status, text, sizeof(text), clock_ns()) > 0) {
		m->swap_kib = status_kib(text, "\nVmSwap:");
		m->rss_kib = status_kib(text, "\nVmRSS:");
		m->locked_kib = status_kib(text, "\nVmLck:");
	}
	getrusage(RUSAGE_SELF, &usage);
	m->major_faults = (uint64_t)usage.ru_majflt;
	m->minor_faults = (uint64_t)usage.ru_minflt;
}

int wait_poll(struct pollfd *fds, size_t n, int64_t until_ns)
{
	int64_t left = until_ns - clock_ns();
	struct timespec time = { .tv_sec = 0 };
	int ready;

	if (left > 0)
		time = (struct timespec){ left / 1000000000, left % 1000000000 };
	ready = ppoll(fds, (nfds_t)n, &time, NULL);
	if (ready < 0 && errno != EINTR)
		return -errno;
	return ready < 0 ? 0 : ready;
}
