/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/tasklook.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/text.h"
#include "src/xalloc.h"

enum { ROOM_FIRST = 1024 };

enum kin { KIN_UNKNOWN, KIN_ASKED, KIN_NO, KIN_YES };

/* What must be known of a process at the end of the look, and at the next one. */
struct mark {
	int pid, ppid;
	char state;
	enum kin kin;		/* is it of the family? */
	uint64_t start_ticks, cpu_ticks, majflt, minflt;
	uint64_t rss_kib;
	uint64_t family_user_ticks, family_system_ticks, family_majflt, family_minflt;
};

struct marks {
	struct mark *mark;	/* by pid, ascending */
	size_t n, room;
	int64_t t_ns;
};

struct tasklook {
	long clock_ticks;
	int family_root;
	struct marks before, now;
	struct task_list list;	/* sorted at every moment */
};

struct tasklook *tasklook_new(long clock_ticks)
{
	struct tasklook *t = xcalloc(1, sizeof(*t));

	t->clock_ticks = clock_ticks;
	t->before.mark = xcalloc(ROOM_FIRST, sizeof(*t->before.mark));
	t->now.mark = xcalloc(ROOM_FIRST, sizeof(*t->now.mark));
	t->before.room = t->now.room = ROOM_FIRST;
	return t;
}

void tasklook_free(struct tasklook *t)
{
	if (!t)
		return;
	free(t->before.mark);
	free(t->now.mark);
	free(t);
}

void tasklook_follow(struct tasklook *t, int family_root)
{
	t->family_root = family_root;
}

void tasklook_begin(struct tasklook *t, int64_t now_ns)
{
	t->now.n = 0;
	t->now.t_ns = now_ns;
	t->list.n = t->list.total = 0;
}

static int compare_pids(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static struct mark *mark_find(const struct marks *marks, int pid)
{
	const struct mark key = { .pid = pid };

	return bsearch(&key, marks->mark, marks->n, sizeof(key), compare_pids);
}

/* The process at the look before, or NULL when it was not there or was another one. */
static const struct mark *mark_before(const struct tasklook *t, const struct task_seen *seen)
{
	const struct mark *m = mark_find(&t->before, seen->pid);

	return m && m->start_ticks == seen->start_ticks ? m : NULL;
}

static int mark_add(struct marks *marks, const struct task_seen *seen)
{
	if (marks->n == marks->room) {
		struct mark *bigger = realloc(marks->mark, 2 * marks->room * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		marks->mark = bigger;
		marks->room *= 2;
	}
	marks->mark[marks->n++] = (struct mark){
		.pid = seen->pid, .ppid = seen->ppid, .state = seen->state,
		.start_ticks = seen->start_ticks, .cpu_ticks = seen->cpu_ticks,
		.majflt = seen->majflt, .minflt = seen->minflt, .rss_kib = seen->rss_kib,
		.family_user_ticks = seen->family_user_ticks,
		.family_system_ticks = seen->family_system_ticks,
		.family_majflt = seen->family_majflt, .family_minflt = seen->family_minflt,
	};
	return 0;
}

/* NAN where nothing is known to count from. */
static double rate(uint64_t before, uint64_t now, double seconds)
{
	return seconds > 0 && now >= before ? (double)(now - before) / seconds : NAN;
}

static uint64_t size_of(const struct task *task)
{
	return task->rss_kib + task->swap_kib;
}

/* The place of a new task in the list; the last one falls out when it is full. NULL: too small. */
static struct task *list_insert(struct task_list *list, uint64_t size)
{
	size_t i = list->n;

	if (list->n == TASKS_MAX && size <= size_of(&list->task[TASKS_MAX - 1]))
		return NULL;
	if (list->n < TASKS_MAX)
		list->n++;
	else
		i--;
	for (; i > 0 && size_of(&list->task[i - 1]) < size; i--)
		list->task[i] = list->task[i - 1];
	return &list->task[i];
}

int tasklook_add(struct tasklook *t, const struct task_seen *seen)
{
	const struct mark *before = mark_before(t, seen);
	double seconds = (double)(t->now.t_ns - t->before.t_ns) / 1e9;
	struct task *task;

	t->list.total++;
	if (mark_add(&t->now, seen) < 0)
		return -ENOMEM;
	task = list_insert(&t->list, seen->rss_kib + seen->swap_kib);
	if (!task)
		return 0;
	*task = (struct task){
		.pid = seen->pid, .ppid = seen->ppid, .state = seen->state,
		.rss_kib = seen->rss_kib, .swap_kib = seen->swap_kib,
		.cpu_pct = NAN, .majflt_s = NAN, .minflt_s = NAN,
	};
	text_safe(task->command, sizeof(task->command), seen->command, strlen(seen->command));
	if (!before)
		return 0;
	task->cpu_pct = 100 * rate(before->cpu_ticks, seen->cpu_ticks, seconds) /
			(double)t->clock_ticks;
	task->majflt_s = rate(before->majflt, seen->majflt, seconds);
	task->minflt_s = rate(before->minflt, seen->minflt, seconds);
	return 0;
}

static void sort_by_pid(struct marks *marks)
{
	for (size_t i = 1; i < marks->n; i++)
		if (marks->mark[i - 1].pid > marks->mark[i].pid) {
			qsort(marks->mark, marks->n, sizeof(*marks->mark), compare_pids);
			return;
		}
}

/*
 * Up the parents until the answer is known, then down the same way with it, so that each process is
 * asked once. A look is not of one instant: parents may be missing, or even stand in a ring.
 */
static void ask_kin(const struct marks *marks, struct mark *first)
{
	enum kin kin = KIN_NO;
	struct mark *m;

	for (m = first; m && m->kin == KIN_UNKNOWN; m = mark_find(marks, m->ppid))
		m->kin = KIN_ASKED;
	if (m && m->kin != KIN_ASKED)
		kin = m->kin;
	for (m = first; m && m->kin == KIN_ASKED; m = mark_find(marks, m->ppid))
		m->kin = kin;
}

static void family_add(struct tasklook *t, const struct mark *m)
{
	struct task_family *f = &t->list.family;
	uint64_t tick_us = 1000000 / (uint64_t)t->clock_ticks;

	f->user_us += m->family_user_ticks * tick_us;
	f->system_us += m->family_system_ticks * tick_us;
	f->majflt += m->family_majflt;
	f->minflt += m->family_minflt;
	f->processes += m->state != 'Z' && m->state != 'X';
	if (m->rss_kib > f->max_rss_kib)
		f->max_rss_kib = m->rss_kib;
}

static void family_sum(struct tasklook *t, struct marks *marks)
{
	struct mark *root = t->family_root ? mark_find(marks, t->family_root) : NULL;

	t->list.family = (struct task_family){ .known = root != NULL };
	if (!root)
		return;
	root->kin = KIN_YES;
	for (size_t i = 0; i < marks->n; i++) {
		struct mark *m = &marks->mark[i];

		if (m->kin == KIN_UNKNOWN)
			ask_kin(marks, m);
		if (m->kin == KIN_YES && m != root)
			family_add(t, m);
	}
}

const struct task_list *tasklook_end(struct tasklook *t)
{
	struct marks swap = t->before;

	sort_by_pid(&t->now);	/* /proc is in that order mostly, and then nothing is to do */
	family_sum(t, &t->now);
	t->before = t->now;
	t->now = swap;
	t->list.t_ns = t->before.t_ns;
	return &t->list;
}
