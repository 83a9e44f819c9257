/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/tasklook.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/text.h"
#include "src/xalloc.h"

enum { ROOM_FIRST = 1024 };

/* What must be known of a process at the next look. */
struct mark {
	int pid;
	uint64_t start_ticks, cpu_ticks, majflt, minflt;
};

struct marks {
	struct mark *mark;	/* by pid, ascending */
	size_t n, room;
	int64_t t_ns;
};

struct tasklook {
	long clock_ticks;
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

/* The process at the look before, or NULL when it was not there or was another one. */
static const struct mark *mark_before(const struct tasklook *t, const struct task_seen *seen)
{
	const struct mark key = { .pid = seen->pid };
	const struct mark *m =
		bsearch(&key, t->before.mark, t->before.n, sizeof(key), compare_pids);

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
		.pid = seen->pid, .start_ticks = seen->start_ticks, .cpu_ticks = seen->cpu_ticks,
		.majflt = seen->majflt, .minflt = seen->minflt,
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

const struct task_list *tasklook_end(struct tasklook *t)
{
	struct marks swap = t->before;

	sort_by_pid(&t->now);	/* /proc is in that order mostly, and then nothing is to do */
	t->before = t->now;
	t->now = swap;
	t->list.t_ns = t->before.t_ns;
	return &t->list;
}
