/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sampler.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "src/clock.h"
#include "src/thread.h"
#include "src/xalloc.h"

enum { NS_PER_S = 1000000000, INTERVAL_MIN_NS = 1000000 };

struct sampler {
	struct sampler_config config;
	pthread_t thread;
	int timer_fd, wake_fd;
	_Atomic int64_t interval_ns;	/* asked for */
	atomic_bool stop;
	int realtime_error;
	sem_t started;
	struct sample sample;		/* here, so that the thread needs little stack */
};

/* Where the thread is on its lattice of ticks: origin_ns + index * interval_ns. */
struct ticks {
	int64_t origin_ns, interval_ns;
	int64_t index;			/* of the tick waited for */
	uint64_t missed;		/* ticks skipped before it */
};

void sampler_read(struct source *const *sources, size_t nsources, struct sample *s)
{
	memset(s, 0, sizeof(*s));
	s->mono_ns = clock_ns();
	s->boot_ns = clock_read_ns(CLOCK_BOOTTIME);
	s->real_ns = clock_read_ns(CLOCK_REALTIME);
	s->due_ns = s->mono_ns;
	for (size_t i = 0; i < nsources; i++) {
		struct source *src = sources[i];

		s->source_ns[src->id] = clock_ns();
		s->source_why[src->id] = (uint8_t)source_why(src->read(src, s));
	}
	s->cost_ns = clock_ns() - s->mono_ns;
}

static int64_t ticks_due(const struct ticks *t)
{
	return t->origin_ns + t->index * t->interval_ns;
}

/* The last tick at or before now. */
static int64_t ticks_at(const struct ticks *t, int64_t now_ns)
{
	return (now_ns - t->origin_ns) / t->interval_ns;
}

static void take_sample(struct sampler *s, struct ticks *t, uint64_t seq)
{
	struct sample *sample = &s->sample;
	int64_t last;

	sampler_read(s->config.sources, s->config.nsources, sample);
	last = ticks_at(t, sample->mono_ns);
	if (last < t->index)
		last = t->index;
	sample->seq = seq;
	sample->due_ns = ticks_due(t);
	sample->interval_ns = t->interval_ns;
	sample->missed = t->missed + (uint64_t)(last - t->index);
	ring_push(s->config.ring, sample);
	/* Ticks that went by while it was read were missed before the next sample. */
	t->missed = 0;
	t->index = last + 1;
	last = ticks_at(t, clock_ns());
	if (last >= t->index) {
		t->missed = (uint64_t)(last + 1 - t->index);
		t->index = last + 1;
	}
}

static void change_interval(struct ticks *t, int64_t interval_ns)
{
	t->interval_ns = interval_ns;
	t->index = ticks_at(t, clock_ns()) + 1;
}

/* Sleeps until the tick; true when it came, false when the thread was woken for something else. */
static bool wait_tick(struct sampler *s, int64_t due_ns)
{
	struct itimerspec due = {
		.it_value = { .tv_sec = due_ns / NS_PER_S, .tv_nsec = due_ns % NS_PER_S },
	};
	struct pollfd fds[] = {
		{ .fd = s->timer_fd, .events = POLLIN },
		{ .fd = s->wake_fd, .events = POLLIN },
	};
	uint64_t count;

	timerfd_settime(s->timer_fd, TFD_TIMER_ABSTIME, &due, NULL);
	if (poll(fds, 2, -1) < 0)
		return false;
	if ((fds[1].revents & POLLIN) && read(s->wake_fd, &count, sizeof(count)) < 0)
		return false;
	return fds[0].revents & POLLIN;
}

static int become_realtime(void)
{
	struct sched_param param = { .sched_priority = 1 };

	/* On Linux pid 0 is the calling thread, not the process: sched_setscheduler(2). */
	return sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &param) < 0 ? errno : 0;
}

static void *sampler_main(void *arg)
{
	struct sampler *s = arg;
	struct ticks t = { .interval_ns = atomic_load(&s->interval_ns) };
	uint64_t seq = 0;

	if (s->config.realtime)
		s->realtime_error = become_realtime();
	t.origin_ns = clock_ns();
	sem_post(&s->started);
	while (!atomic_load(&s->stop)) {
		int64_t interval_ns;

		if (wait_tick(s, ticks_due(&t)) && !atomic_load(&s->stop))
			take_sample(s, &t, ++seq);
		interval_ns = atomic_load(&s->interval_ns);
		if (interval_ns != t.interval_ns)
			change_interval(&t, interval_ns);
	}
	return NULL;
}

static void sampler_free(struct sampler *s)
{
	if (s->timer_fd >= 0)
		close(s->timer_fd);
	if (s->wake_fd >= 0)
		close(s->wake_fd);
	sem_destroy(&s->started);
	free(s);
}

static int64_t interval_valid(int64_t interval_ns)
{
	return interval_ns < INTERVAL_MIN_NS ? INTERVAL_MIN_NS : interval_ns;
}

struct sampler *sampler_start(const struct sampler_config *config, char *err, size_t errsize)
{
	struct sampler *s = xcalloc(1, sizeof(*s));
	int error;

	s->config = *config;
	s->realtime_error = -1;
	atomic_init(&s->interval_ns, interval_valid(config->interval_ns));
	atomic_init(&s->stop, false);
	sem_init(&s->started, 0, 0);
	s->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	s->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (s->timer_fd < 0 || s->wake_fd < 0) {
		snprintf(err, errsize, "cannot make the sampler's timer: %s; raise ulimit -n",
			 strerror(errno));
		goto out;
	}
	error = -thread_start(&s->thread, sampler_main, s);
	if (error) {
		snprintf(err, errsize, "cannot start the sampler thread: %s; raise ulimit -u or -v",
			 strerror(error));
		goto out;
	}
	while (sem_wait(&s->started) < 0)
		;
	return s;
out:
	sampler_free(s);
	return NULL;
}

static void sampler_wake(struct sampler *s)
{
	uint64_t one = 1;

	/* Fails only when the count is at its top, and then the thread is being woken already. */
	if (write(s->wake_fd, &one, sizeof(one)) < 0)
		return;
}

void sampler_set_interval(struct sampler *s, int64_t interval_ns)
{
	atomic_store(&s->interval_ns, interval_valid(interval_ns));
	sampler_wake(s);
}

int sampler_realtime_error(const struct sampler *s)
{
	return s->realtime_error;
}

void sampler_stop(struct sampler *s)
{
	if (!s)
		return;
	atomic_store(&s->stop, true);
	sampler_wake(s);
	pthread_join(s->thread, NULL);
	sampler_free(s);
}
