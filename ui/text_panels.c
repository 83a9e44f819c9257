/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The panels that hold text: workload, its accounting, events, tasks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/text.h"
#include "ui/panel.h"

enum { NS_PER_S = 1000000000, OUTPUT_ROWS_MAX = 256 };

/* Events from the newest down, as many as fit. */
static void draw_events(const struct view *v, struct canvas *c, struct rect r)
{
	const struct session *s = v->session;
	size_t count = s->events.count, skip = (size_t)v->scroll;

	if (!count) {
		canvas_text(c, r.x + 1, r.y, r.w - 2, ROLE_DIM, "no events yet; m marks a moment");
		return;
	}
	if (skip > count - 1)
		skip = count - 1;
	for (int y = 0; y < r.h && skip + (size_t)y < count; y++) {
		const struct event *e = events_get(&s->events, count - 1 - skip - (size_t)y);
		time_t t = (s->last.real_ns - (s->last.mono_ns - e->t_ns)) / NS_PER_S;
		enum role role = e->kind == EVENT_OOM ? ROLE_ALARM :
				 e->kind == EVENT_GAP ? ROLE_WARN :
				 e->number ? ROLE_MARK : ROLE_TEXT;
		char clock[16], number[16] = "";
		struct tm tm;
		int x = r.x + 1;

		localtime_r(&t, &tm);
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
		if (e->number)
			snprintf(number, sizeof(number), "%u ", e->number);
		x += canvas_printf(c, x, r.y + y, r.x + r.w - x, ROLE_DIM, "%s ", clock);
		x += canvas_printf(c, x, r.y + y, r.x + r.w - x, role, "%-8s %s",
				   event_kind_name(e->kind), number);
		canvas_text(c, x, r.y + y, r.x + r.w - x, ROLE_TEXT, e->text);
	}
}

static void workload_title(const struct view *v, char *buf, size_t size)
{
	const struct session *s = v->session;
	const struct workload_status *w = &s->load;
	char used[16], limit[16], how[128];
	size_t n = 0;

	*buf = '\0';
	if (w->state == WORKLOAD_NONE)
		return;
	if (s->cgroup.have_usage)
		n = (size_t)snprintf(buf, size, "%s of %s  ",
				     text_bytes((double)s->cgroup.usage, used, sizeof(used)),
				     text_bytes((double)w->memory_limit, limit, sizeof(limit)));
	if (w->state == WORKLOAD_ENDED)
		snprintf(buf + n, size - n, "%s", workload_end_text(w, how, sizeof(how)));
	else
		snprintf(buf + n, size - n, "%s", w->command);
}

/* The end of its output; without a workload the events, so that the place is of use. */
static void draw_workload(const struct view *v, struct canvas *c, struct rect r)
{
	static char lines[OUTPUT_ROWS_MAX][WORKLOAD_LINE];	/* main thread only; too large for a stack */
	const struct session *s = v->session;
	size_t rows = r.h < OUTPUT_ROWS_MAX ? (size_t)r.h : OUTPUT_ROWS_MAX, n;

	if (s->load.state == WORKLOAD_NONE || !s->workload) {
		canvas_text(c, r.x + 1, r.y, r.w - 2, ROLE_DIM,
			    "none: vmtop -- COMMAND runs one here");
		if (r.h > 1)
			draw_events(v, c, (struct rect){ r.x, r.y + 1, r.w, r.h - 1 });
		return;
	}
	n = workload_output(s->workload, (size_t)v->scroll, lines, rows);
	if (!n)
		canvas_text(c, r.x + 1, r.y, r.w - 2, ROLE_DIM, "no output");
	for (size_t i = 0; i < n; i++)
		canvas_text(c, r.x + 1, r.y + (int)i, r.w - 2, ROLE_OUTPUT, lines[i]);
}

static void usage_line(struct canvas *c, struct rect r, int *y, const char *label,
		       const char *value)
{
	if (*y >= r.h)
		return;
	canvas_text(c, r.x + 1, r.y + *y, r.w - 2, ROLE_DIM, label);
	canvas_text(c, r.x + 24, r.y + *y, r.w - 25, ROLE_BOLD, value);
	++*y;
}

static void usage_times(const struct view *v, struct canvas *c, struct rect r, int *y)
{
	const struct workload_usage *u = &v->session->load.usage;
	int64_t end = u->end_ns ? u->end_ns : v->now_ns, reclaim;
	double elapsed = (double)(end - u->start_ns) / NS_PER_S;
	double cpu = (double)(u->user_us + u->system_us) / 1e6;
	const char *why;
	char text[64];

	snprintf(text, sizeof(text), "%.2f s", elapsed);
	usage_line(c, r, y, "elapsed", text);
	snprintf(text, sizeof(text), "%.2f s", (double)u->user_us / 1e6);
	usage_line(c, r, y, "user", text);
	snprintf(text, sizeof(text), "%.2f s", (double)u->system_us / 1e6);
	usage_line(c, r, y, "system", text);
	snprintf(text, sizeof(text), "%.0f%%", elapsed > 0 ? 100 * cpu / elapsed : 0);
	usage_line(c, r, y, "cpu", text);
	if (session_reclaim_cpu(v->session, &reclaim, &why))
		snprintf(text, sizeof(text), "%.2f s", (double)reclaim / NS_PER_S);
	else
		text_copy(text, sizeof(text), "n/a");
	usage_line(c, r, y, "reclaim threads", text);
}

static void usage_memory(const struct view *v, struct canvas *c, struct rect r, int *y)
{
	const struct session *s = v->session;
	const struct workload_usage *u = &s->load.usage;
	char text[64], a[16], b[16];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)u->major_faults);
	usage_line(c, r, y, "major faults", text);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)u->minor_faults);
	usage_line(c, r, y, "minor faults", text);
	usage_line(c, r, y, "largest resident set",
		   text_bytes((double)u->max_rss_kib * 1024, text, sizeof(text)));
	snprintf(text, sizeof(text), "%llu", (unsigned long long)u->processes);
	usage_line(c, r, y, "processes ended", text);
	if (!s->cgroup.have_usage)
		return;
	snprintf(text, sizeof(text), "%s of %s",
		 text_bytes((double)s->cgroup.usage, a, sizeof(a)),
		 text_bytes((double)s->load.memory_limit, b, sizeof(b)));
	usage_line(c, r, y, "cgroup memory", text);
	if (s->cgroup.have_swap)
		usage_line(c, r, y, "cgroup swap",
			   text_bytes((double)s->cgroup.swap, text, sizeof(text)));
	if (s->cgroup.have_failcnt) {
		snprintf(text, sizeof(text), "%llu times", (unsigned long long)s->cgroup.failcnt);
		usage_line(c, r, y, "limit met", text);
	}
}

/* Counted of processes as they end: what still runs is not in it, and it says so. */
static void draw_usage(const struct view *v, struct canvas *c, struct rect r)
{
	int y = 0;

	if (v->session->load.state == WORKLOAD_NONE) {
		canvas_text(c, r.x + 1, r.y, r.w - 2, ROLE_DIM, "no workload");
		return;
	}
	usage_times(v, c, r, &y);
	usage_memory(v, c, r, &y);
	if (v->session->load.state == WORKLOAD_RUNNING && y < r.h)
		canvas_text(c, r.x + 1, r.y + y, r.w - 2, ROLE_DIM,
			    "times and faults count processes that have ended");
}

/* By major faults, then by memory in swap, then by resident memory: who suffers first. */
static int task_order(const void *a, const void *b)
{
	const struct task *x = a, *y = b;
	double fx = isnan(x->majflt_s) ? 0 : x->majflt_s, fy = isnan(y->majflt_s) ? 0 : y->majflt_s;

	if (fx != fy)
		return fx < fy ? 1 : -1;
	if (x->swap_kib != y->swap_kib)
		return x->swap_kib < y->swap_kib ? 1 : -1;
	if (x->rss_kib != y->rss_kib)
		return x->rss_kib < y->rss_kib ? 1 : -1;
	return x->pid - y->pid;
}

static const char *rate_text(double value, const char *unit, char *buf, size_t size)
{
	char number[16];

	if (isnan(value))
		return "n/a";
	snprintf(buf, size, "%s%s", text_count(value, number, sizeof(number)), unit);
	return buf;
}

static void draw_tasks(const struct view *v, struct canvas *c, struct rect r)
{
	static struct task tasks[TASKS_MAX];	/* main thread only: sorted copy */
	const struct task_list *list = &v->session->tasks;
	int skip = v->scroll < (int)list->n ? v->scroll : (int)list->n - 1;

	if (!list->t_ns) {
		canvas_printf(c, r.x + 1, r.y, r.w - 2, ROLE_NA, "n/a: %s",
			      *v->session->root ? "tasks are read of the running system only" :
						  "the first look is under way");
		return;
	}
	memcpy(tasks, list->task, list->n * sizeof(*tasks));
	qsort(tasks, list->n, sizeof(*tasks), task_order);
	canvas_printf(c, r.x + 1, r.y, r.w - 2, ROLE_DIM, "%7s S %8s %8s %7s %7s %6s  %s", "pid",
		      "swap", "resident", "majflt", "minflt", "cpu", "command");
	for (int y = 1; y < r.h && skip + y - 1 < (int)list->n; y++) {
		const struct task *t = &tasks[skip + y - 1];
		char swap[16], rss[16], major[24], minor[24], cpu[24];

		canvas_printf(c, r.x + 1, r.y + y, r.w - 2,
			      t->state == 'D' ? ROLE_WARN : t->majflt_s > 0 ? ROLE_FAULT : ROLE_TEXT,
			      "%7d %c %8s %8s %7s %7s %6s  %s", t->pid, t->state,
			      text_bytes((double)t->swap_kib * 1024, swap, sizeof(swap)),
			      text_bytes((double)t->rss_kib * 1024, rss, sizeof(rss)),
			      rate_text(t->majflt_s, "/s", major, sizeof(major)),
			      rate_text(t->minflt_s, "/s", minor, sizeof(minor)),
			      rate_text(t->cpu_pct, "%", cpu, sizeof(cpu)), t->command);
	}
}

static void tasks_title(const struct view *v, char *buf, size_t size)
{
	const struct task_list *list = &v->session->tasks;

	*buf = '\0';
	if (list->t_ns)
		snprintf(buf, size, "%zu, by major faults, swap, memory", list->total);
}

static int events_lines(const struct view *v)
{
	return (int)v->session->events.count;
}

static int workload_lines(const struct view *v)
{
	const struct workload_status *w = &v->session->load;

	if (w->state == WORKLOAD_NONE)
		return events_lines(v);
	return (int)(w->output_lines - w->output_dropped);
}

static int tasks_lines(const struct view *v)
{
	return (int)v->session->tasks.n;
}

const struct panel panel_workload = {
	.name = "workload", .draw = draw_workload, .title = workload_title,
	.lines = workload_lines, .from_end = true,
};
const struct panel panel_usage = { .name = "accounting", .draw = draw_usage };
const struct panel panel_events = {
	.name = "events", .draw = draw_events, .lines = events_lines,
};
const struct panel panel_tasks = {
	.name = "tasks", .draw = draw_tasks, .title = tasks_title, .lines = tasks_lines,
};
