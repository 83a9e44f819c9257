/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/reclaim.h"

#include <stdlib.h>
#include <string.h>

#include "src/text.h"
#include "src/xalloc.h"

enum {
	TASKS = 4096,		/* known at once: those inside, and those that were */
	SLOTS = 2 * TASKS,	/* of the hash; a power of two */
	DEPTH = 4,		/* spans inside one another */
	NODES = 64
};

struct span {
	enum reclaim_kind kind;
	int64_t begin_ns;
};

struct known {
	struct reclaim_task task;
	struct span span[DEPTH];
	size_t depth;
	int64_t compact_ns;	/* began; 0: not compacting */
	bool used;
};

/* Of one kind: the tasks inside, and the area under their number. */
struct level {
	uint64_t inside, most, calls, pages;
	int64_t changed_ns, area_ns, longest_ns;	/* most and longest of this interval */
};

struct reclaim {
	reclaim_lookup *lookup;
	void *arg;
	int64_t start_ns, now_ns;
	struct level level[RECLAIM_KINDS];
	struct reclaim_figures figures[RECLAIM_KINDS];
	uint64_t throttled[THROTTLE_REASONS];
	int64_t throttled_ns[THROTTLE_REASONS];
	uint64_t compactions, lost, lost_cut, unmatched, forgotten;
	int64_t compact_ns, compact_changed_ns, compacting;
	int64_t kswapd_ns, kswapd_changed_ns;
	uint64_t awake;		/* a bit a node */
	bool unnamed;		/* tasks were met that could not be looked up */
	size_t nknown;
	struct known known[TASKS];
	uint16_t slot[SLOTS];	/* index + 1 into known */
};

static const char *const kind_names[RECLAIM_KINDS] = {
	"all", "direct", "memcg", "node", "softlimit",
};

static const char *const throttle_names[THROTTLE_REASONS] = {
	"writeback", "isolated", "no progress", "congested", "other",
};

const char *reclaim_kind_name(enum reclaim_kind kind)
{
	return kind_names[kind];
}

const char *reclaim_throttle_name(enum reclaim_throttle reason)
{
	return throttle_names[reason];
}

int64_t reclaim_bucket_ns(size_t bucket)
{
	return bucket ? 1000LL << (bucket - 1) : 0;
}

static size_t bucket_of(int64_t ns)
{
	size_t b = 0;

	while (b < RECLAIM_BUCKETS - 1 && ns >= reclaim_bucket_ns(b + 1))
		b++;
	return b;
}

struct reclaim *reclaim_new(int64_t start_ns, reclaim_lookup *lookup, void *arg)
{
	struct reclaim *r = xcalloc(1, sizeof(*r));

	r->lookup = lookup;
	r->arg = arg;
	r->start_ns = r->now_ns = start_ns;
	r->compact_changed_ns = r->kswapd_changed_ns = start_ns;
	for (size_t k = 0; k < RECLAIM_KINDS; k++)
		r->level[k].changed_ns = start_ns;
	return r;
}

void reclaim_free(struct reclaim *r)
{
	free(r);
}

/* ---- The tasks known ---- */

static size_t slot_of(int tid)
{
	return (uint32_t)tid * 2654435761u % SLOTS;	/* Knuth's multiplicative hash */
}

static struct known *find(struct reclaim *r, int tid)
{
	for (size_t i = slot_of(tid); r->slot[i]; i = (i + 1) % SLOTS)
		if (r->known[r->slot[i] - 1].task.tid == tid)
			return &r->known[r->slot[i] - 1];
	return NULL;
}

static void enter_slots(struct reclaim *r)
{
	memset(r->slot, 0, sizeof(r->slot));
	for (size_t k = 0; k < r->nknown; k++) {
		size_t i = slot_of(r->known[k].task.tid);

		while (r->slot[i])
			i = (i + 1) % SLOTS;
		r->slot[i] = (uint16_t)(k + 1);
	}
}

static bool is_busy(const struct known *k)
{
	return k->depth || k->compact_ns;
}

/* Longest in reclaim first; those that are inside come before all others. */
static int by_time(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	if (is_busy(x) != is_busy(y))
		return is_busy(x) ? -1 : 1;
	if (x->task.total_ns != y->task.total_ns)
		return x->task.total_ns < y->task.total_ns ? 1 : -1;
	return x->task.tid - y->task.tid;
}

/* When the table is full the half that spent least is forgotten, but nobody who is inside. */
static void make_room(struct reclaim *r)
{
	size_t keep = TASKS / 2;

	qsort(r->known, r->nknown, sizeof(*r->known), by_time);
	while (keep < r->nknown && is_busy(&r->known[keep]))
		keep++;
	r->forgotten += r->nknown - keep;
	r->nknown = keep;
	enter_slots(r);
}

static struct known *find_or_add(struct reclaim *r, int tid)
{
	struct known *k = find(r, tid);
	size_t i;

	if (k)
		return k;
	if (r->nknown == TASKS)
		make_room(r);
	if (r->nknown == TASKS)
		return NULL;
	k = &r->known[r->nknown++];
	memset(k, 0, sizeof(*k));
	k->task.tid = tid;
	if (r->lookup)
		r->lookup(r->arg, &k->task);
	r->unnamed |= !*k->task.command;
	for (i = slot_of(tid); r->slot[i]; i = (i + 1) % SLOTS)
		;
	r->slot[i] = (uint16_t)r->nknown;
	return k;
}

bool reclaim_wants_names(struct reclaim *r)
{
	bool unnamed = r->unnamed;

	r->unnamed = false;
	return unnamed;
}

void reclaim_name(struct reclaim *r, int tid, const char *command)
{
	struct known *k = find(r, tid);

	if (!k || *k->task.command)
		return;
	text_copy(k->task.command, sizeof(k->task.command), command);
	for (size_t i = 0; i < RECLAIM_KINDS; i++)
		if (r->figures[i].longest_tid == tid && !*r->figures[i].longest_command)
			text_copy(r->figures[i].longest_command, sizeof(r->figures[i].longest_command),
				  command);
}

/* ---- Numbers inside, and the areas under them ---- */

static void level_advance(struct level *l, int64_t t_ns)
{
	if (t_ns <= l->changed_ns)
		return;		/* an event that came late */
	l->area_ns += (int64_t)l->inside * (t_ns - l->changed_ns);
	l->changed_ns = t_ns;
}

static void level_enter(struct reclaim *r, enum reclaim_kind kind, int64_t t_ns)
{
	struct level *l = &r->level[kind];
	struct reclaim_figures *f = &r->figures[kind];

	level_advance(l, t_ns);
	l->inside++;
	if (l->inside > l->most)
		l->most = l->inside;
	if (l->inside > f->tasks_max) {
		f->tasks_max = l->inside;
		f->tasks_max_ns = t_ns;
	}
}

static void level_leave(struct reclaim *r, enum reclaim_kind kind, int64_t t_ns)
{
	struct level *l = &r->level[kind];

	level_advance(l, t_ns);
	if (l->inside)
		l->inside--;
}

static void note_longest(struct reclaim *r, enum reclaim_kind kind, const struct known *k,
			 int64_t ns)
{
	struct level *l = &r->level[kind];
	struct reclaim_figures *f = &r->figures[kind];

	if (ns > l->longest_ns)
		l->longest_ns = ns;
	if (ns <= f->longest_ns)
		return;
	f->longest_ns = ns;
	f->longest_tid = k->task.tid;
	memcpy(f->longest_command, k->task.command, sizeof(f->longest_command));
}

static void count_call(struct reclaim *r, enum reclaim_kind kind, const struct known *k, int64_t ns,
		       uint64_t pages)
{
	struct level *l = &r->level[kind];

	l->calls++;
	l->pages += pages;
	r->figures[kind].latency[bucket_of(ns)]++;
	note_longest(r, kind, k, ns);
}

static bool counts_as_task(enum reclaim_kind kind)
{
	return kind != RECLAIM_SOFTLIMIT;
}

/* Is a span of the same kind open below the one at this depth? Then the task is inside once. */
static bool is_open_below(const struct known *k, size_t depth, enum reclaim_kind kind)
{
	for (size_t i = 0; i < depth; i++)
		if (k->span[i].kind == kind)
			return true;
	return false;
}

/* The span at which the task came into "all": the outermost one that counts. DEPTH: none. */
static size_t outermost(const struct known *k)
{
	for (size_t i = 0; i < k->depth; i++)
		if (counts_as_task(k->span[i].kind))
			return i;
	return DEPTH;
}

/* Leaves the innermost span. known_end: its end was seen, and so it is a call. */
static void pop(struct reclaim *r, struct known *k, int64_t t_ns, bool known_end, uint64_t pages)
{
	size_t top = k->depth - 1;
	struct span span = k->span[top];
	bool whole = top == outermost(k);
	int64_t ns = t_ns > span.begin_ns ? t_ns - span.begin_ns : 0;

	level_leave(r, span.kind, t_ns);
	if (whole)
		level_leave(r, RECLAIM_ALL, t_ns);
	if (!known_end) {
		r->unmatched++;
	} else {
		count_call(r, span.kind, k, ns, pages);
		if (whole) {
			count_call(r, RECLAIM_ALL, k, ns, pages);
			k->task.calls++;
			k->task.total_ns += ns;
			if (ns > k->task.longest_ns)
				k->task.longest_ns = ns;
		}
	}
	k->depth = top;
}

static void begin(struct reclaim *r, const struct reclaim_event *e)
{
	struct known *k = find_or_add(r, e->tid);

	if (!k) {
		r->unmatched++;
		return;
	}
	k->task.seen_ns = e->t_ns;
	/* No kind of reclaim enters itself: its end is missing, and those of what was within it. */
	while (is_open_below(k, k->depth, e->kind) || k->depth == DEPTH)
		pop(r, k, e->t_ns, false, 0);
	k->span[k->depth++] = (struct span){ .kind = e->kind, .begin_ns = e->t_ns };
	level_enter(r, e->kind, e->t_ns);
	if (outermost(k) == k->depth - 1)
		level_enter(r, RECLAIM_ALL, e->t_ns);
}

static void end(struct reclaim *r, const struct reclaim_event *e)
{
	struct known *k = find(r, e->tid);

	if (!k || !is_open_below(k, k->depth, e->kind)) {
		r->unmatched++;
		return;
	}
	k->task.seen_ns = e->t_ns;
	while (k->span[k->depth - 1].kind != e->kind)
		pop(r, k, e->t_ns, false, 0);
	pop(r, k, e->t_ns, true, e->value);
}

/* ---- What else is listened to ---- */

static void throttled(struct reclaim *r, const struct reclaim_event *e)
{
	r->throttled[e->reason]++;
	r->throttled_ns[e->reason] += (int64_t)e->value * 1000;
}

static void kswapd_advance(struct reclaim *r, int64_t t_ns)
{
	if (t_ns <= r->kswapd_changed_ns)
		return;
	if (r->awake)
		r->kswapd_ns += t_ns - r->kswapd_changed_ns;
	r->kswapd_changed_ns = t_ns;
}

/* kswapd may tell of a wake again without having slept (mm/vmscan.c, kswapd()). */
static void kswapd(struct reclaim *r, const struct reclaim_event *e)
{
	uint64_t bit = 1ull << (e->value % NODES);

	kswapd_advance(r, e->t_ns);
	if (e->type == RECLAIM_KSWAPD_WAKE)
		r->awake |= bit;
	else
		r->awake &= ~bit;
}

static void compact_advance(struct reclaim *r, int64_t t_ns)
{
	if (t_ns <= r->compact_changed_ns)
		return;
	r->compact_ns += r->compacting * (t_ns - r->compact_changed_ns);
	r->compact_changed_ns = t_ns;
}

static void compact_drop(struct reclaim *r, struct known *k, int64_t t_ns)
{
	if (!k->compact_ns)
		return;
	compact_advance(r, t_ns);
	r->compacting--;
	k->compact_ns = 0;
}

static void compact(struct reclaim *r, const struct reclaim_event *e)
{
	struct known *k = e->type == RECLAIM_COMPACT_BEGIN ? find_or_add(r, e->tid) :
							     find(r, e->tid);

	if (!k || (e->type == RECLAIM_COMPACT_END && !k->compact_ns)) {
		r->unmatched++;
		return;
	}
	if (e->type == RECLAIM_COMPACT_END) {
		r->compactions++;
		compact_drop(r, k, e->t_ns);
		return;
	}
	if (k->compact_ns)
		r->unmatched++;
	compact_drop(r, k, e->t_ns);
	compact_advance(r, e->t_ns);
	r->compacting++;
	k->compact_ns = e->t_ns;
}

void reclaim_add(struct reclaim *r, const struct reclaim_event *e)
{
	switch (e->type) {
	case RECLAIM_BEGIN:
		begin(r, e);
		break;
	case RECLAIM_END:
		end(r, e);
		break;
	case RECLAIM_THROTTLED:
		throttled(r, e);
		break;
	case RECLAIM_KSWAPD_WAKE: case RECLAIM_KSWAPD_SLEEP:
		kswapd(r, e);
		break;
	case RECLAIM_COMPACT_BEGIN: case RECLAIM_COMPACT_END:
		compact(r, e);
		break;
	}
}

static void give_up(struct reclaim *r, struct known *k, int64_t t_ns)
{
	while (k->depth)
		pop(r, k, t_ns, false, 0);
	compact_drop(r, k, t_ns);
}

void reclaim_lost(struct reclaim *r, int64_t t_ns, uint64_t n)
{
	r->lost += n;
	for (size_t i = 0; i < r->nknown; i++)
		give_up(r, &r->known[i], t_ns);
	kswapd_advance(r, t_ns);
	r->awake = 0;
}

void reclaim_check(struct reclaim *r, int64_t t_ns, int64_t age_ns, reclaim_is_inside *inside,
		   void *arg)
{
	for (size_t i = 0; i < r->nknown; i++) {
		struct known *k = &r->known[i];

		if (k->depth && t_ns - k->task.seen_ns > age_ns && !inside(arg, k->task.tid))
			give_up(r, k, t_ns);
	}
}

/* ---- Cutting an interval ---- */

static const struct kind_metrics {
	enum metric tasks, tasks_max, calls, time, longest, pages;
} kind_metrics[] = {
#define KIND(name) { M_reclaim_##name##tasks, M_reclaim_##name##tasks_max, M_reclaim_##name##calls, \
	M_reclaim_##name##time, M_reclaim_##name##longest, M_reclaim_##name##reclaimed_pages }
	[RECLAIM_ALL] = KIND(), [RECLAIM_DIRECT] = KIND(direct_), [RECLAIM_MEMCG] = KIND(memcg_),
	[RECLAIM_NODE] = KIND(node_),
#undef KIND
};

enum { KINDS_WITH_METRICS = sizeof(kind_metrics) / sizeof(*kind_metrics) };

/* Calls that still run count with their age. */
static void note_running(struct reclaim *r, int64_t t_ns)
{
	for (size_t i = 0; i < r->nknown; i++) {
		const struct known *k = &r->known[i];
		size_t whole = outermost(k);

		for (size_t d = 0; d < k->depth; d++)
			note_longest(r, k->span[d].kind, k, t_ns - k->span[d].begin_ns);
		if (whole < DEPTH)
			note_longest(r, RECLAIM_ALL, k, t_ns - k->span[whole].begin_ns);
	}
}

static void put_kind(struct sample *s, const struct kind_metrics *m, const struct level *l)
{
	sample_set(s, m->tasks, l->inside);
	sample_set(s, m->tasks_max, l->most);
	sample_set(s, m->calls, l->calls);
	sample_set(s, m->time, (uint64_t)l->area_ns);
	sample_set(s, m->longest, (uint64_t)l->longest_ns);
	sample_set(s, m->pages, l->pages);
}

static void put_throttled(const struct reclaim *r, struct sample *s)
{
	uint64_t n = 0;
	int64_t ns = 0;

	for (size_t i = 0; i < THROTTLE_REASONS; i++) {
		n += r->throttled[i];
		ns += r->throttled_ns[i];
	}
	sample_set(s, M_reclaim_throttled, n);
	sample_set(s, M_reclaim_throttled_time, (uint64_t)ns);
	sample_set(s, M_reclaim_throttled_writeback, r->throttled[THROTTLE_WRITEBACK]);
	sample_set(s, M_reclaim_throttled_isolated, r->throttled[THROTTLE_ISOLATED]);
	sample_set(s, M_reclaim_throttled_noprogress, r->throttled[THROTTLE_NOPROGRESS]);
	sample_set(s, M_reclaim_throttled_congested, r->throttled[THROTTLE_CONGESTED]);
}

void reclaim_cut(struct reclaim *r, int64_t t_ns, struct sample *s)
{
	note_running(r, t_ns);
	kswapd_advance(r, t_ns);
	compact_advance(r, t_ns);
	for (size_t k = 0; k < RECLAIM_KINDS; k++)
		level_advance(&r->level[k], t_ns);
	for (size_t k = 0; k < KINDS_WITH_METRICS; k++)
		put_kind(s, &kind_metrics[k], &r->level[k]);
	put_throttled(r, s);
	sample_set(s, M_reclaim_kswapd_busy_pct, (uint64_t)r->kswapd_ns);
	sample_set(s, M_reclaim_compactions, r->compactions);
	sample_set(s, M_reclaim_compact_time, (uint64_t)r->compact_ns);
	sample_set(s, M_reclaim_lost, r->lost);
	sample_set(s, M_reclaim_unmatched, r->unmatched);
	s->source_ns[SOURCE_RECLAIM] = t_ns;
	s->source_why[SOURCE_RECLAIM] = r->lost != r->lost_cut ? WHY_LOST : WHY_OK;
	r->lost_cut = r->lost;
	r->now_ns = t_ns;
	for (size_t k = 0; k < RECLAIM_KINDS; k++) {
		r->level[k].most = r->level[k].inside;
		r->level[k].longest_ns = 0;
	}
}

void reclaim_join(struct sample *s, const struct sample *earlier)
{
	for (size_t k = 0; k < KINDS_WITH_METRICS; k++) {
		const enum metric m[] = { kind_metrics[k].tasks_max, kind_metrics[k].longest };

		for (size_t i = 0; i < sizeof(m) / sizeof(*m); i++)
			if (sample_has(s, m[i]) && sample_has(earlier, m[i]) &&
			    earlier->value[m[i]] > s->value[m[i]])
				sample_set(s, m[i], earlier->value[m[i]]);
	}
	if (earlier->source_why[SOURCE_RECLAIM] == WHY_LOST)
		s->source_why[SOURCE_RECLAIM] = WHY_LOST;
}

/* ---- Report ---- */

/* Keeps the list in order, longest first; the list is short and most tasks fall out at its end. */
static void insert(struct reclaim_report *report, const struct reclaim_task *task)
{
	size_t i = report->ntasks;

	if (i == RECLAIM_TASKS_MAX && report->task[i - 1].total_ns >= task->total_ns)
		return;
	if (i == RECLAIM_TASKS_MAX)
		i--;
	else
		report->ntasks++;
	for (; i && report->task[i - 1].total_ns < task->total_ns; i--)
		report->task[i] = report->task[i - 1];
	report->task[i] = *task;
}

static void report_tasks(const struct reclaim *r, struct reclaim_report *report)
{
	for (size_t i = 0; i < r->nknown; i++) {
		const struct known *k = &r->known[i];
		struct reclaim_task task = k->task;
		size_t whole = outermost(k);

		task.inside = whole < DEPTH;
		if (task.inside && r->now_ns > k->span[whole].begin_ns) {
			int64_t age = r->now_ns - k->span[whole].begin_ns;

			task.total_ns += age;
			if (age > task.longest_ns)
				task.longest_ns = age;
		}
		if (task.calls || task.inside)
			insert(report, &task);
	}
}

void reclaim_report(const struct reclaim *r, struct reclaim_report *report)
{
	memset(report, 0, sizeof(*report));
	report->start_ns = r->start_ns;
	report->t_ns = r->now_ns;
	for (size_t k = 0; k < RECLAIM_KINDS; k++) {
		report->figures[k] = r->figures[k];
		report->figures[k].calls = r->level[k].calls;
		report->figures[k].time_ns = r->level[k].area_ns;
		report->figures[k].pages = r->level[k].pages;
	}
	memcpy(report->throttled, r->throttled, sizeof(report->throttled));
	memcpy(report->throttled_ns, r->throttled_ns, sizeof(report->throttled_ns));
	report->compactions = r->compactions;
	report->compact_ns = r->compact_ns;
	report->kswapd_busy_ns = r->kswapd_ns;
	report->lost = r->lost;
	report->unmatched = r->unmatched;
	report->tasks_forgotten = r->forgotten;
	report_tasks(r, report);
}
