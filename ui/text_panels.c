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
				 e->kind == EVENT_GAP || e->kind == EVENT_UNDERRUN ? ROLE_WARN :
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

/* The latest reading of a raw metric. */
static bool reading(const struct session *s, enum metric m, uint64_t *value)
{
	*value = s->last.value[m];
	return sample_has(&s->last, m);
}

static void workload_title(const struct view *v, char *buf, size_t size)
{
	const struct session *s = v->session;
	const struct workload_status *w = &s->load;
	char used[16], limit[16], how[128];
	uint64_t bytes;
	size_t n = 0;

	*buf = '\0';
	if (w->state == WORKLOAD_NONE)
		return;
	if (reading(s, M_cg_memory_current, &bytes))
		n = (size_t)snprintf(buf, size, "%s of %s  ",
				     text_bytes((double)bytes, used, sizeof(used)),
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

/* A line at a time, from the top down. */
struct lines {
	struct canvas *c;
	struct rect r;
	int y;
};

static void usage_line(struct lines *l, const char *label, const char *value)
{
	struct rect r = l->r;

	if (l->y >= r.h)
		return;
	canvas_text(l->c, r.x + 1, r.y + l->y, r.w - 2, ROLE_DIM, label);
	canvas_text(l->c, r.x + 24, r.y + l->y, r.w - 25, value ? ROLE_BOLD : ROLE_NA,
		    value ? value : "n/a");
	l->y++;
}

/* known: the family has been looked at. */
static void usage_count(struct lines *l, const char *label, bool known, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	usage_line(l, label, known ? text : NULL);
}

static void usage_seconds(struct lines *l, const char *label, bool known, double seconds)
{
	char text[32];

	snprintf(text, sizeof(text), "%.2f s", seconds);
	usage_line(l, label, known ? text : NULL);
}

static void usage_times(const struct view *v, struct lines *l)
{
	const struct live_usage *live = &v->session->live;
	const struct workload_usage *u = &live->usage;
	int64_t end = u->end_ns ? u->end_ns : v->now_ns, reclaim;
	int64_t counted = u->end_ns ? u->end_ns : v->session->tasks.t_ns;
	double elapsed = (double)(end - u->start_ns) / NS_PER_S;
	double cpu = (double)(u->user_us + u->system_us) / 1e6;
	double cpu_elapsed = (double)(counted - u->start_ns) / NS_PER_S;
	const char *why;
	char text[32];
	bool known;

	usage_seconds(l, "elapsed", true, elapsed);
	usage_seconds(l, "user", live->known, (double)u->user_us / 1e6);
	usage_seconds(l, "system", live->known, (double)u->system_us / 1e6);
	snprintf(text, sizeof(text), "%.0f%%", cpu_elapsed > 0 ? 100 * cpu / cpu_elapsed : 0);
	usage_line(l, "cpu", live->known && cpu_elapsed > 0 ? text : NULL);
	known = session_reclaim_cpu(v->session, &reclaim, &why);
	usage_seconds(l, "reclaim threads", known, (double)reclaim / NS_PER_S);
}

static void usage_memory(const struct view *v, struct lines *l)
{
	const struct live_usage *live = &v->session->live;
	const struct workload_usage *u = &live->usage;
	char text[64];

	usage_count(l, "major faults", live->known, u->major_faults);
	usage_count(l, "minor faults", live->known, u->minor_faults);
	text_bytes((double)u->max_rss_kib * 1024, text, sizeof(text));
	usage_line(l, "largest resident set", live->known ? text : NULL);
	snprintf(text, sizeof(text), "%zu running, %llu ended", live->running,
		 (unsigned long long)u->processes);
	usage_line(l, "processes", live->known ? text : NULL);
}

static void usage_cgroup(const struct session *s, struct lines *l)
{
	char text[64], a[16], b[16];
	uint64_t value;

	if (!*s->load.cgroup)
		return;
	if (reading(s, M_cg_memory_current, &value)) {
		snprintf(text, sizeof(text), "%s of %s", text_bytes((double)value, a, sizeof(a)),
			 text_bytes((double)s->load.memory_limit, b, sizeof(b)));
		usage_line(l, "cgroup memory", text);
	}
	if (reading(s, M_cg_memory_peak, &value))
		usage_line(l, "cgroup peak", text_bytes((double)value, text, sizeof(text)));
	if (reading(s, M_cg_swap_current, &value))
		usage_line(l, "cgroup swap", text_bytes((double)value, text, sizeof(text)));
	if (reading(s, M_cg_events_max, &value)) {
		snprintf(text, sizeof(text), "%llu times", (unsigned long long)value);
		usage_line(l, "limit met", text);
	}
}

/* Of all its processes, those that have ended and those that live, as of the collector's last look. */
static void draw_usage(const struct view *v, struct canvas *c, struct rect r)
{
	struct lines l = { .c = c, .r = r };

	if (v->session->load.state == WORKLOAD_NONE) {
		canvas_text(c, r.x + 1, r.y, r.w - 2, ROLE_DIM, "no workload");
		return;
	}
	usage_times(v, &l);
	usage_memory(v, &l);
	usage_cgroup(v->session, &l);
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
