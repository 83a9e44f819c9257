/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "src/text.h"

enum { EVENTS_MAX = 1024, NS_PER_S = 1000000000, SUSPEND_NS = NS_PER_S / 10 };

static void machine_init(struct machine *m)
{
	struct utsname u;

	if (uname(&u) == 0) {
		text_safe(m->host, sizeof(m->host), u.nodename, strlen(u.nodename));
		text_safe(m->release, sizeof(m->release), u.release, strlen(u.release));
	}
	m->cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	m->env.page_size = sysconf(_SC_PAGESIZE);
	m->env.clock_ticks = sysconf(_SC_CLK_TCK);
	m->env.long_bits = (int)sizeof(long) * 8;
}

void session_init(struct session *s, const char *root)
{
	memset(s, 0, sizeof(*s));
	machine_init(&s->machine);
	text_copy(s->root, sizeof(s->root), root ? root : "");
	if (*s->root)
		s->machine.cpus = 0;	/* another machine's, not known */
	s->ask_root_for_names = !*s->root && geteuid() != 0;
	s->history = history_new();
	events_init(&s->events, EVENTS_MAX);
	s->realtime_error = -1;
}

void session_done(struct session *s)
{
	history_free(s->history);
	events_done(&s->events);
}

static void copy_source(struct sample *to, const struct sample *from, enum source_id src)
{
	to->source_ns[src] = from->source_ns[src];
	to->source_why[src] = from->source_why[src];
	for (size_t i = 0; i < METRIC_COUNT; i++) {
		enum metric m = (enum metric)i;

		if (metric_info(m)->source != src)
			continue;
		if (sample_has(from, m))
			sample_set(to, m, from->value[m]);
		else
			sample_clear(to, m);
	}
}

/*
 * prev keeps of each source the reading before its latest one, which for a slow source is older
 * than the latest sample: so a rate is always taken between two readings, however often the
 * sampler ticks in between.
 */
static void advance_prev(struct session *s, const struct sample *now)
{
	if (!s->have_last)
		return;
	for (size_t src = 0; src < SOURCE_COUNT; src++)
		if (now->source_ns[src] != s->last.source_ns[src] &&
		    s->last.source_why[src] != WHY_STALE)	/* then it was no reading */
			copy_source(&s->prev, &s->last, (enum source_id)src);
	s->prev.seq = s->last.seq;
	s->prev.mono_ns = s->last.mono_ns;
	s->prev.boot_ns = s->last.boot_ns;
	s->prev.real_ns = s->last.real_ns;
	s->prev.due_ns = s->last.due_ns;
}

static void merge_slow(struct session *s, struct sample *now)
{
	for (size_t src = 0; src < SOURCE_COUNT; src++) {
		if (source_info((enum source_id)src)->cadence != CADENCE_SLOW)
			continue;
		if (s->have_slow) {
			copy_source(now, &s->slow, (enum source_id)src);
		} else {
			now->source_why[src] = WHY_OK;
			now->source_ns[src] = 0;
		}
	}
}

/* How much a raw counter of both samples rose; 0 when it is not known. */
static uint64_t rise(const struct session *s, const struct sample *now, enum metric m)
{
	if (!sample_has(&s->last, m) || !sample_has(now, m) || now->value[m] < s->last.value[m])
		return 0;
	return now->value[m] - s->last.value[m];
}

static void find_gaps(struct session *s, const struct sample *now)
{
	const struct sample *last = &s->last;
	int64_t slept = (now->boot_ns - now->mono_ns) - (last->boot_ns - last->mono_ns);
	int64_t stepped = (now->real_ns - now->boot_ns) - (last->real_ns - last->boot_ns);
	char buf[32];

	if (slept > SUSPEND_NS)
		events_add(&s->events, now->mono_ns, EVENT_GAP, "suspended for %s",
			   text_duration(slept, buf, sizeof(buf)));
	if (stepped > NS_PER_S || stepped < -NS_PER_S)
		events_add(&s->events, now->mono_ns, EVENT_GAP, "the wall clock stepped by %s%s",
			   stepped < 0 ? "-" : "+",
			   text_duration(stepped < 0 ? -stepped : stepped, buf, sizeof(buf)));
	if (now->missed)
		events_add(&s->events, now->mono_ns, EVENT_GAP, "%llu %s missed in %s",
			   (unsigned long long)now->missed, now->missed == 1 ? "sample" : "samples",
			   text_duration(now->mono_ns - last->mono_ns, buf, sizeof(buf)));
	if (now->source_why[SOURCE_RECLAIM] == WHY_LOST)
		events_add(&s->events, now->mono_ns, EVENT_GAP,
			   "%llu reclaim events lost: the kernel's buffer ran over",
			   (unsigned long long)rise(s, now, M_reclaim_lost));
	if (now->dropped)
		events_add(&s->events, now->mono_ns, EVENT_GAP, "%llu samples found the queue full",
			   (unsigned long long)now->dropped);
}

static void find_size_change(struct session *s, const struct sample *now, enum metric m,
			     const char *what, uint64_t least_kib)
{
	uint64_t a = s->last.value[m], b = now->value[m];
	char from[16], to[16];

	if (!sample_has(&s->last, m) || !sample_has(now, m) || (a > b ? a - b : b - a) <= least_kib)
		return;
	events_add(&s->events, now->mono_ns, EVENT_MACHINE, "%s %s, was %s", what,
		   text_bytes((double)b * 1024, to, sizeof(to)),
		   text_bytes((double)a * 1024, from, sizeof(from)));
}

/* Kills that the kernel counts and that no victim told of. */
static void find_kills(struct session *s, uint64_t by, int64_t now_ns, bool patience)
{
	int64_t t_ns = 0;
	uint64_t kills = oom_tally_count(&s->oom, by, now_ns, patience, &t_ns);

	if (kills)
		events_add(&s->events, t_ns, EVENT_OOM, "OOM killer: %llu %s killed%s",
			   (unsigned long long)kills, kills == 1 ? "task" : "tasks",
			   s->ask_root_for_names ? "; run as root for names" : "");
}

static void find_machine_events(struct session *s, const struct sample *now)
{
	find_kills(s, rise(s, now, M_vm_oom_kill), now->mono_ns, true);
	if (rise(s, now, M_vm_drop_pagecache))
		events_add(&s->events, now->mono_ns, EVENT_MACHINE, "page cache dropped by request");
	if (rise(s, now, M_vm_drop_slab))
		events_add(&s->events, now->mono_ns, EVENT_MACHINE, "slab dropped by request");
	find_size_change(s, now, M_mem_SwapTotal, "swap", 0);
	/* MemTotal creeps while a kernel still brings pages in: only a jump is news. */
	find_size_change(s, now, M_mem_MemTotal, "memory", s->last.value[M_mem_MemTotal] / 100);
}

/* A sample without, but the source is there. */
static bool is_passing(uint8_t why)
{
	return why == WHY_STALE || why == WHY_LOST;
}

static void find_source_events(struct session *s, const struct sample *now)
{
	for (size_t src = 0; src < SOURCE_COUNT; src++) {
		const struct source_info *info = source_info((enum source_id)src);
		uint8_t was = s->last.source_why[src], is = now->source_why[src];

		if (src == SOURCE_PLAYBACK || src == SOURCE_FEEL)
			continue;	/* tells of itself, with the reason */
		if (was == is || !s->last.source_ns[src] || is_passing(was) || is_passing(is))
			continue;
		if (is == WHY_OK)
			events_add(&s->events, now->mono_ns, EVENT_SOURCE, "%s is there", info->name);
		else if (was == WHY_OK)
			events_add(&s->events, now->mono_ns, EVENT_SOURCE, "%s is gone%s%s", info->name,
				   is == WHY_NO_SOURCE ? "" : ": ",
				   is == WHY_NO_SOURCE ? "" : why_short((enum why)is));
	}
}

void session_add(struct session *s, const struct sample *fast)
{
	struct sample now = *fast;
	int64_t late = now.mono_ns - now.due_ns;

	merge_slow(s, &now);
	if (s->playback.on)
		playback_fill(&s->playback, &now);
	if (s->feel.on)
		feel_fill(&s->feel, &now);
	if (s->have_last) {
		find_gaps(s, &now);
		find_machine_events(s, &now);
		find_source_events(s, &now);
		advance_prev(s, &now);
	} else {
		s->start_ns = now.mono_ns;
	}
	derive(&s->machine.env, s->have_last ? &s->prev : NULL, &now, &s->now);
	history_add(s->history, &s->now);
	s->last = now;
	s->have_last = true;
	s->interval_ns = now.interval_ns;
	s->samples++;
	s->missed += now.missed;
	s->dropped += now.dropped;
	if (late > s->max_late_ns)
		s->max_late_ns = late;
}

void session_add_slow(struct session *s, const struct sample *slow)
{
	s->slow = *slow;
	s->have_slow = true;
}

static void raise_to(uint64_t *to, uint64_t value)
{
	if (value > *to)
		*to = value;
}

static void raise_time(int64_t *to, int64_t value)
{
	if (value > *to)
		*to = value;
}

/*
 * Neither sum is ever above the truth, which only grows: so the larger one is nearer. A look passes
 * over processes that end meanwhile, and may so be below the one before.
 */
static void raise_usage(struct workload_usage *to, const struct workload_usage *by)
{
	to->start_ns = by->start_ns;
	to->end_ns = by->end_ns;
	raise_time(&to->user_us, by->user_us);
	raise_time(&to->system_us, by->system_us);
	raise_to(&to->major_faults, by->major_faults);
	raise_to(&to->minor_faults, by->minor_faults);
	raise_to(&to->max_rss_kib, by->max_rss_kib);
	raise_to(&to->voluntary_switches, by->voluntary_switches);
	raise_to(&to->involuntary_switches, by->involuntary_switches);
	raise_to(&to->processes, by->processes);
	raise_time(&to->counted_ns, by->counted_ns);
}

/*
 * Who ended after the look began may be among its living: then the ended are those of the look
 * before, and whoever ended in between is missing for a second. Nobody counts twice.
 */
static void count_living(struct session *s)
{
	const struct task_family *f = &s->tasks.family;
	struct workload_usage sum = s->load.usage;

	if (sum.counted_ns > s->tasks.t_ns)
		sum = s->ended;
	s->ended = s->load.usage;
	if (!f->known || !s->load.supervisor || sum.counted_ns > s->tasks.t_ns)
		return;
	sum.start_ns = s->load.usage.start_ns;
	sum.end_ns = s->load.usage.end_ns;
	sum.user_us += (int64_t)f->user_us;
	sum.system_us += (int64_t)f->system_us;
	sum.major_faults += f->majflt;
	sum.minor_faults += f->minflt;
	raise_to(&sum.max_rss_kib, f->max_rss_kib);
	raise_usage(&s->live.usage, &sum);
	s->live.running = f->processes;
	s->live.known = true;
}

void session_take_tasks(struct session *s, struct task_slot *slot)
{
	int64_t before = s->tasks.t_ns;

	task_slot_get(slot, &s->tasks);
	if (s->tasks.t_ns != before)
		count_living(s);
}

void session_set_cpus(struct session *s, int cpus)
{
	if (cpus == s->machine.cpus || cpus < 1)
		return;
	events_add(&s->events, s->now.t_ns, EVENT_MACHINE, "%d cpus online, were %d", cpus,
		   s->machine.cpus);
	s->machine.cpus = cpus;
}

void session_oom_victim(struct session *s, const struct oom_victim *v)
{
	char text[160];

	events_add(&s->events, v->t_ns, EVENT_OOM, "%s", oom_victim_text(v, text, sizeof(text)));
	oom_tally_told(&s->oom, v->t_ns);
	if (*v->command)
		s->ask_root_for_names = false;
}

void session_settle(struct session *s)
{
	find_kills(s, 0, s->last.mono_ns, false);
}

void session_mark(struct session *s, int64_t t_ns, const char *text)
{
	events_add(&s->events, t_ns ? t_ns : s->now.t_ns, EVENT_MARK, "%s", text);
}

/* CPU time of the kernel's reclaim threads by the latest slow sample. */
static bool reclaim_cpu(const struct session *s, uint64_t *ns)
{
	static const enum metric threads[] = {
		M_task_kswapd_cpu, M_task_kcompactd_cpu, M_task_khugepaged_cpu,
	};
	bool any = false;

	*ns = 0;
	if (!s->have_slow || s->slow.source_why[SOURCE_TASKS] != WHY_OK)
		return false;
	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++)
		if (sample_has(&s->slow, threads[i])) {
			*ns += s->slow.value[threads[i]];
			any = true;
		}
	return any;
}

void session_update_workload(struct session *s)
{
	enum workload_state before = s->load.state;
	char how[128];

	if (!s->workload)
		return;
	workload_get_status(s->workload, &s->load);
	raise_usage(&s->live.usage, &s->load.usage);
	if (s->load.state != WORKLOAD_NONE && !s->load.supervisor) {
		s->live.known = true;
		s->live.running = 0;
	}
	if (before == WORKLOAD_NONE && s->load.state != WORKLOAD_NONE) {
		s->have_reclaim_start = reclaim_cpu(s, &s->reclaim_cpu_start_ns);
		events_add(&s->events, s->load.usage.start_ns, EVENT_WORKLOAD, "start %s",
			   s->load.command);
	}
	if (before != WORKLOAD_ENDED && s->load.state == WORKLOAD_ENDED)
		events_add(&s->events, s->load.usage.end_ns, EVENT_WORKLOAD, "end: %s",
			   workload_end_text(&s->load, how, sizeof(how)));
}

bool session_reclaim_cpu(const struct session *s, int64_t *ns, const char **why)
{
	uint64_t now;

	*ns = -1;
	*why = "kswapd and its like are not visible in /proc (a container, or hidepid)";
	if (!s->have_reclaim_start || !reclaim_cpu(s, &now) || now < s->reclaim_cpu_start_ns)
		return false;
	*ns = (int64_t)(now - s->reclaim_cpu_start_ns);
	*why = NULL;
	return true;
}
