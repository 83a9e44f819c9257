/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "probes/tracing.h"
#include "src/clock.h"
#include "src/file.h"
#include "src/procstat.h"
#include "src/ring.h"
#include "src/text.h"
#include "src/thread.h"
#include "src/xalloc.h"

enum {
	NS_PER_MS = 1000000, NS_PER_S = 1000000000,
	/* An event has its time before it can be read: what is younger than this may not be all yet. */
	SETTLE_NS = NS_PER_MS,
	NAP_MS = 50,		/* between two readings while there are events */
	PATIENCE_NS = 250 * NS_PER_MS,
	CHECK_AGE_NS = NS_PER_S,	/* of a silent span before the kernel is asked about its task */
	RING_SLOTS = 64, VICTIMS = 64, TICKS = 256,
	NICE = -20		/* so that a busy machine does not make the kernel's buffers run over */
};

struct listener {
	struct source source;
	int error;		/* why it does not work, or 0 */
	struct tracing *tracing;
	struct reclaim *reclaim;
	struct pollfd *fds;	/* ticks, stop, then the CPUs' buffers */
	size_t nfds;
	int tick_fd[2], stop_fd, news_fd;
	bool running;
	pthread_t thread;
	atomic_bool stop;
	struct ring *cuts;
	/* The thread's: */
	int64_t tick[TICKS];	/* moments at which intervals end, not cut yet */
	size_t nticks;
	struct sample cut;
	/* Shared: */
	pthread_mutex_t lock;
	struct reclaim_report report, fresh;	/* fresh is the thread's own */
	struct oom_victim victim[VICTIMS];
	size_t nvictims;
	/* The main thread's: */
	struct sample next, earlier, last;	/* cuts */
	bool have_next, have_earlier, have_last;
};

/* ---- What the kernel knows of a task ---- */

static void look_up(void *arg, struct reclaim_task *task)
{
	char path[48], text[2048];
	const char *tgid;
	struct procstat st;
	ssize_t n;

	(void)arg;
	snprintf(path, sizeof(path), "/proc/%d/comm", task->tid);
	n = file_read_at(AT_FDCWD, path, text, sizeof(text));
	if (n > 0)
		text_safe(task->command, sizeof(task->command), text, (size_t)n - (text[n - 1] == '\n'));
	snprintf(path, sizeof(path), "/proc/%d/status", task->tid);
	n = file_read_at(AT_FDCWD, path, text, sizeof(text) - 1);
	if (n > 0) {
		text[n] = '\0';
		tgid = strstr(text, "\nTgid:");
		task->pid = tgid ? atoi(tgid + strlen("\nTgid:")) : 0;
	}
	if (procstat_read(task->tid, &st) == 0)
		task->start_ns = (int64_t)(st.start_ticks * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK))) -
				 (clock_read_ns(CLOCK_BOOTTIME) - clock_ns());
}

/* One that was gone before its first event could be read. */
static void name_task(void *arg, int tid, const char *command)
{
	reclaim_name(arg, tid, command);
}

/* PF_MEMALLOC is set all through reclaim: mm/page_alloc.c and mm/vmscan.c, memalloc_noreclaim_save. */
static bool is_inside(void *arg, int tid)
{
	struct procstat st;
	int error = procstat_read(tid, &st);

	(void)arg;
	return error ? error != -ENOENT : (st.flags & PROCSTAT_PF_MEMALLOC) != 0;
}

/* ---- The thread ---- */

/* Cannot fail but when the count is at its top, and then the descriptor is readable anyway. */
static void tell(int fd)
{
	uint64_t one = 1;

	if (write(fd, &one, sizeof(one)) < 0)
		return;
}

static void add_victim(struct listener *l, const struct oom_victim *v)
{
	pthread_mutex_lock(&l->lock);
	if (l->nvictims < VICTIMS)
		l->victim[l->nvictims++] = *v;
	pthread_mutex_unlock(&l->lock);
	tell(l->news_fd);
}

static void take_events(struct listener *l, int64_t until_ns)
{
	struct trace_event event;
	uint64_t lost;

	while (tracing_next(l->tracing, until_ns, &event, &lost)) {
		int64_t t_ns = event.is_victim ? event.victim.t_ns : event.reclaim.t_ns;

		if (lost)
			reclaim_lost(l->reclaim, t_ns, lost);
		if (event.is_victim)
			add_victim(l, &event.victim);
		else
			reclaim_add(l->reclaim, &event.reclaim);
	}
	if (lost)
		reclaim_lost(l->reclaim, until_ns, lost);
}

static void cut(struct listener *l, int64_t t_ns)
{
	take_events(l, t_ns);
	reclaim_check(l->reclaim, t_ns, CHECK_AGE_NS, is_inside, NULL);
	if (reclaim_wants_names(l->reclaim))
		tracing_commands(l->tracing, name_task, l->reclaim);
	memset(&l->cut, 0, sizeof(l->cut));
	reclaim_cut(l->reclaim, t_ns, &l->cut);
	reclaim_report(l->reclaim, &l->fresh);
	pthread_mutex_lock(&l->lock);
	l->report = l->fresh;
	pthread_mutex_unlock(&l->lock);
	ring_push(l->cuts, &l->cut);
	tell(l->news_fd);
}

static void take_ticks(struct listener *l)
{
	while (l->nticks < TICKS &&
	       read(l->tick_fd[0], &l->tick[l->nticks], sizeof(*l->tick)) == sizeof(*l->tick))
		l->nticks++;
}

/* Cuts at all ticks that have settled, and takes what else there is. */
static void work(struct listener *l)
{
	int64_t settled_ns = clock_ns() - SETTLE_NS;
	size_t n = 0;

	while (n < l->nticks && l->tick[n] <= settled_ns)
		cut(l, l->tick[n++]);
	l->nticks -= n;
	memmove(l->tick, l->tick + n, l->nticks * sizeof(*l->tick));
	take_events(l, settled_ns);
}

static void *listener_main(void *arg)
{
	struct listener *l = arg;

	setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);	/* if we may */
	while (!atomic_load(&l->stop)) {
		/* All that is there has been read: wait for more. Then let it gather for a while, but
		 * no longer than until an interval that has ended may be cut. */
		if (l->nticks)
			poll(l->fds, 2, SETTLE_NS / NS_PER_MS + 1);
		else if (poll(l->fds, l->nfds, -1) > 0 && !l->fds[0].revents)
			poll(l->fds, 2, NAP_MS);
		take_ticks(l);
		work(l);
	}
	return NULL;
}

/* ---- The sampler's side ---- */

static int note_tick(struct source *src, struct sample *s)
{
	struct listener *l = (struct listener *)src;
	int64_t t_ns = s->source_ns[SOURCE_RECLAIM];

	if (l->error)
		return l->error;
	/* Does not block; full is a pipe of thousands of ticks that nobody took. */
	if (write(l->tick_fd[1], &t_ns, sizeof(t_ns)) != sizeof(t_ns))
		return -EAGAIN;
	return 0;
}

static void close_nothing(struct source *src)
{
	(void)src;
}

/* ---- The main thread's side ---- */

struct source *listener_source(struct listener *l)
{
	return &l->source;
}

bool listener_works(const struct listener *l)
{
	return !l->error;
}

int listener_fd(const struct listener *l)
{
	return l->news_fd;
}

void listener_hear(struct listener *l)
{
	uint64_t count;

	if (read(l->news_fd, &count, sizeof(count)) < 0)
		return;		/* no news */
}

static void put_figures(struct sample *s, const struct sample *from)
{
	s->source_ns[SOURCE_RECLAIM] = from->source_ns[SOURCE_RECLAIM];
	s->source_why[SOURCE_RECLAIM] = from->source_why[SOURCE_RECLAIM];
	for (size_t i = 0; i < METRIC_COUNT; i++)
		if (metric_info((enum metric)i)->source == SOURCE_RECLAIM &&
		    sample_has(from, (enum metric)i))
			sample_set(s, (enum metric)i, from->value[i]);
}

/* A cut whose sample has gone without it belongs to the next sample. */
static void keep_earlier(struct listener *l)
{
	if (l->have_earlier)
		reclaim_join(&l->next, &l->earlier);
	l->earlier = l->next;
	l->have_earlier = true;
	l->have_next = false;
}

bool listener_complete(struct listener *l, struct sample *s)
{
	int64_t t_ns = s->source_ns[SOURCE_RECLAIM];

	if (l->error || s->source_why[SOURCE_RECLAIM] != WHY_OK)
		return true;
	for (;;) {
		l->have_next = l->have_next || ring_pop(l->cuts, &l->next);
		if (!l->have_next || l->next.source_ns[SOURCE_RECLAIM] >= t_ns)
			break;
		keep_earlier(l);
	}
	if (l->have_next && l->next.source_ns[SOURCE_RECLAIM] == t_ns) {
		if (l->have_earlier)
			reclaim_join(&l->next, &l->earlier);
		put_figures(s, &l->next);
		l->have_next = l->have_earlier = false;
		return true;
	}
	if (!l->have_next && clock_ns() - s->mono_ns < PATIENCE_NS)
		return false;
	s->source_why[SOURCE_RECLAIM] = WHY_STALE;
	return true;
}

void listener_report(struct listener *l, struct reclaim_report *report)
{
	pthread_mutex_lock(&l->lock);
	*report = l->report;
	pthread_mutex_unlock(&l->lock);
}

bool listener_victim(struct listener *l, struct oom_victim *victim)
{
	bool any;

	pthread_mutex_lock(&l->lock);
	any = l->nvictims > 0;
	if (any) {
		*victim = l->victim[0];
		l->nvictims--;
		memmove(l->victim, l->victim + 1, l->nvictims * sizeof(*l->victim));
	}
	pthread_mutex_unlock(&l->lock);
	return any;
}

/* ---- Start and end ---- */

static int open_all(struct listener *l, const struct listener_config *config)
{
	const struct tracing_config tracing = { .family = config->family,
						.buffer_kib = config->buffer_kib };
	size_t most = 2 + (size_t)sysconf(_SC_NPROCESSORS_CONF);
	int error;

	if (pipe2(l->tick_fd, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	l->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	l->news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (l->stop_fd < 0 || l->news_fd < 0)
		return -errno;
	l->tracing = tracing_open(&tracing, &error);
	if (!l->tracing)
		return error;
	l->reclaim = reclaim_new(clock_ns(), look_up, NULL);
	l->fds = xcalloc(most, sizeof(*l->fds));
	l->fds[0] = (struct pollfd){ .fd = l->tick_fd[0], .events = POLLIN };
	l->fds[1] = (struct pollfd){ .fd = l->stop_fd, .events = POLLIN };
	l->nfds = 2 + tracing_poll_fds(l->tracing, l->fds + 2, most - 2);
	error = thread_start(&l->thread, listener_main, l);
	l->running = !error;
	return error;
}

struct listener *listener_start(const struct listener_config *config)
{
	struct listener *l = xcalloc(1, sizeof(*l));

	*l = (struct listener){
		.source = { .id = SOURCE_RECLAIM, .read = note_tick, .close = close_nothing },
		.tick_fd = { -1, -1 }, .stop_fd = -1, .news_fd = -1,
	};
	pthread_mutex_init(&l->lock, NULL);
	l->cuts = ring_new(RING_SLOTS);
	l->error = open_all(l, config);
	return l;
}

void listener_stop(struct listener *l)
{
	if (!l)
		return;
	atomic_store(&l->stop, true);
	if (l->running) {
		tell(l->stop_fd);
		pthread_join(l->thread, NULL);
	}
	tracing_close(l->tracing);
	if (l->reclaim)
		reclaim_free(l->reclaim);
	for (size_t i = 0; i < 2; i++)
		if (l->tick_fd[i] >= 0)
			close(l->tick_fd[i]);
	if (l->stop_fd >= 0)
		close(l->stop_fd);
	if (l->news_fd >= 0)
		close(l->news_fd);
	free(l->fds);
	ring_free(l->cuts);
	pthread_mutex_destroy(&l->lock);
	free(l);
}
