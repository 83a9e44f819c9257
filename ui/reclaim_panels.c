/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The panels of exact reclaim (src/reclaim.h): what the charts show comes from the history like any
 * metric, what is "most", "longest" or counted by reason is of the whole session, from the report.
 * Without tracepoints other panels stand in, whose names promise less.
 */
#include <stdio.h>
#include <string.h>

#include "src/text.h"
#include "ui/panel.h"

enum { NS_PER_MS = 1000000 };

/* ---- What the report says ---- */

static const char *latency_text(int64_t ns, char *buf, size_t size)
{
	if (ns >= NS_PER_MS)
		return text_duration(ns, buf, size);
	snprintf(buf, size, "%uus", (unsigned int)(ns / 1000));
	return buf;
}

static const char *quiet_note(const struct view *v)
{
	const struct reclaim_report *r = &v->session->reclaim;

	if (!r->t_ns || r->lost || r->unmatched || r->ntasks || r->figures[RECLAIM_ALL].tasks_max)
		return NULL;
	return "no reclaim yet: listens for direct, memory-cgroup and node reclaim";
}

/* Says why there is no report, or that it is still empty. False: there is something to show. */
static bool draw_nothing(const struct view *v, struct canvas *c, struct rect r)
{
	const struct session *s = v->session;
	enum why why = s->have_last ? (enum why)s->last.source_why[SOURCE_RECLAIM] : WHY_OK;
	struct rect inside = { r.x + 1, r.y, r.w - 2, r.h };
	char text[240], reason[200];
	const char *note;

	if (!s->reclaim.t_ns && why == WHY_OK)
		canvas_wrap(c, inside, ROLE_NA, "n/a: the first interval is under way");
	else if (!s->reclaim.t_ns) {
		snprintf(text, sizeof(text), "%s: %s", why_short(why),
			 why_text(why, M_reclaim_tasks, reason, sizeof(reason)));
		canvas_wrap(c, inside, ROLE_NA, text);
	} else if ((note = quiet_note(v))) {
		canvas_wrap(c, inside, ROLE_DIM, note);
	} else {
		return false;
	}
	return true;
}

static bool session_most(const struct view *v, int kind, char *buf, size_t size)
{
	const struct reclaim_report *r = &v->session->reclaim;

	text_count((double)r->figures[kind].tasks_max, buf, size);
	return r->t_ns;
}

static bool session_longest(const struct view *v, int kind, char *buf, size_t size)
{
	const struct reclaim_report *r = &v->session->reclaim;

	latency_text(r->figures[kind].longest_ns, buf, size);
	return r->t_ns;
}

static bool session_calls(const struct view *v, int kind, char *buf, size_t size)
{
	const struct reclaim_report *r = &v->session->reclaim;

	text_count((double)r->figures[kind].calls, buf, size);
	return r->t_ns;
}

static bool session_lost(const struct view *v, int unused, char *buf, size_t size)
{
	(void)unused;
	text_count((double)v->session->reclaim.lost, buf, size);
	return v->session->reclaim.lost;
}

static bool session_throttled(const struct view *v, int reason, char *buf, size_t size)
{
	const struct reclaim_report *r = &v->session->reclaim;

	text_count((double)r->throttled[reason], buf, size);
	return r->t_ns && (reason != THROTTLE_OTHER || r->throttled[reason]);
}

static bool session_tasks(const struct view *v, int unused, char *buf, size_t size)
{
	const struct reclaim_report *r = &v->session->reclaim;

	(void)unused;
	text_count((double)r->ntasks + (double)r->tasks_forgotten, buf, size);
	return r->t_ns;
}

static bool session_forgotten(const struct view *v, int unused, char *buf, size_t size)
{
	(void)unused;
	text_count((double)v->session->reclaim.tasks_forgotten, buf, size);
	return v->session->reclaim.tasks_forgotten;
}

/* ---- Latency ---- */

/* The upper bound of the bucket in which the median call is. */
static bool session_median(const struct view *v, int kind, char *buf, size_t size)
{
	const struct reclaim_figures *f = &v->session->reclaim.figures[kind];
	uint64_t seen = 0;
	char bound[16];
	size_t b = 0;

	if (!f->calls)
		return false;
	while (b < RECLAIM_BUCKETS - 1 && (seen += f->latency[b]) < (f->calls + 1) / 2)
		b++;
	if (b == RECLAIM_BUCKETS - 1)
		snprintf(buf, size, ">%s", latency_text(reclaim_bucket_ns(b), bound, sizeof(bound)));
	else
		snprintf(buf, size, "<%s",
			 latency_text(reclaim_bucket_ns(b + 1), bound, sizeof(bound)));
	return true;
}

/* The longest call of all with its kind and command. */
static bool session_longest_who(const struct view *v, int unused, char *buf, size_t size)
{
	const struct reclaim_figures *f = v->session->reclaim.figures, *all = &f[RECLAIM_ALL];
	enum reclaim_kind kind = RECLAIM_DIRECT;
	char duration[16];

	(void)unused;
	if (!all->longest_ns)
		return false;
	while (kind < RECLAIM_NODE && (f[kind].longest_ns != all->longest_ns ||
				       f[kind].longest_tid != all->longest_tid))
		kind++;
	snprintf(buf, size, "%s %s %s", latency_text(all->longest_ns, duration, sizeof(duration)),
		 reclaim_kind_name(kind), *all->longest_command ? all->longest_command : "?");
	return true;
}

enum { BUCKET_CELLS_MAX = 16, KINDS_WIDTH = 22 };

/* Calls by duration, a bucket `cells` wide each, on a logarithmic axis of counts. */
static void draw_histogram(const struct view *v, const struct reclaim_figures *f, struct canvas *c,
			   struct rect area, int axis, int cells)
{
	struct history_column cols[RECLAIM_BUCKETS * BUCKET_CELLS_MAX * 2];
	struct chart_series series = { .cols = cols, .factor = 1, .role = ROLE_DIRECT,
				       .peak = ROLE_DIRECT };
	int each = cells * chart_columns_per_cell(v->glyphs);
	struct chart chart = { .kind = CHART_AREA, .glyphs = v->glyphs, .series = &series,
			       .nseries = 1, .ncols = (size_t)(RECLAIM_BUCKETS * each) };
	double most = 10;
	char ceiling[16];

	for (int b = 0; b < RECLAIM_BUCKETS; b++) {
		double count = (double)f->latency[b];

		most = count > most ? count : most;
		for (int i = 0; i < each; i++)
			cols[b * each + i] = (struct history_column){ count, count, count, 1 };
	}
	/* From half a call on, so that one call is seen above none. */
	chart.scale = (struct scale){ .ceiling = scale_nice(most, CLASS_COUNT), .log = true,
				      .floor = 0.5, .unit = CLASS_COUNT };
	scale_text(&chart.scale, false, ceiling, sizeof(ceiling));
	if (axis)
		lane_axis(c, (struct rect){ area.x - axis, area.y, axis, area.h }, ceiling, NULL,
			  false);
	chart_draw(c, area, &chart);
}

/* Under the lower bound of a bucket; bounds are powers of two of a microsecond. */
static void draw_durations(struct canvas *c, int x, int y, int w, int cells)
{
	static const struct { int bucket; const char *text; } labels[] = {
		{ 1, "1us" }, { 6, "32us" }, { 11, "1ms" }, { 16, "33ms" }, { 21, "1s" },
		{ 26, "34s" },
	};

	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		int at = labels[i].bucket * cells;

		if (at + (int)strlen(labels[i].text) <= w)
			canvas_text(c, x + at, y, w - at, ROLE_AXIS, labels[i].text);
	}
}

/* Beside the histogram, where there is room: calls and the longest of each kind. */
static void draw_kinds(const struct reclaim_report *r, struct canvas *c, struct rect area)
{
	int y = 0;

	canvas_printf(c, area.x, area.y, area.w, ROLE_DIM, "%-9s %5s %6s", "kind", "calls",
		      "worst");
	for (int k = RECLAIM_DIRECT; k < RECLAIM_KINDS && ++y < area.h; k++) {
		const struct reclaim_figures *f = &r->figures[k];
		char calls[16], longest[16] = "-";

		if (f->longest_ns)
			latency_text(f->longest_ns, longest, sizeof(longest));
		canvas_printf(c, area.x, area.y + y, area.w, f->calls ? ROLE_TEXT : ROLE_DIM,
			      "%-9s %5s %6s", reclaim_kind_name((enum reclaim_kind)k),
			      text_count((double)f->calls, calls, sizeof(calls)), longest);
	}
}

static void draw_latency(const struct view *v, struct canvas *c, struct rect r)
{
	const struct reclaim_report *report = &v->session->reclaim;
	int axis = lane_axis_width(r.w), room = r.w - axis, cells, w;
	bool kinds;

	if (draw_nothing(v, c, r))
		return;
	cells = (room - KINDS_WIDTH - 1) / RECLAIM_BUCKETS;
	if (cells < 1)
		cells = room / RECLAIM_BUCKETS;
	cells = cells < 1 ? 1 : cells > BUCKET_CELLS_MAX ? BUCKET_CELLS_MAX : cells;
	w = RECLAIM_BUCKETS * cells < room ? RECLAIM_BUCKETS * cells : room;
	kinds = room - w > KINDS_WIDTH;
	draw_histogram(v, &report->figures[RECLAIM_ALL], c,
		       (struct rect){ r.x + axis, r.y, w, r.h > 1 ? r.h - 1 : r.h }, axis, cells);
	if (r.h > 1)
		draw_durations(c, r.x + axis, r.y + r.h - 1, kinds ? w : room, cells);
	if (kinds)
		draw_kinds(report, c, (struct rect){ r.x + axis + w + 1, r.y, room - w - 1, r.h });
}

/* ---- Reclaimers ---- */

static const char *task_pid(const struct reclaim_report *r, const struct reclaim_task *t,
			    char *buf, size_t size)
{
	(void)r;
	if (!t->pid)
		return "?";
	snprintf(buf, size, "%d", t->pid);
	return buf;
}

static const char *task_calls(const struct reclaim_report *r, const struct reclaim_task *t,
			      char *buf, size_t size)
{
	(void)r;
	return text_count((double)t->calls, buf, size);
}

static const char *task_total(const struct reclaim_report *r, const struct reclaim_task *t,
			      char *buf, size_t size)
{
	(void)r;
	return latency_text(t->total_ns, buf, size);
}

static const char *task_longest(const struct reclaim_report *r, const struct reclaim_task *t,
				char *buf, size_t size)
{
	(void)r;
	return latency_text(t->longest_ns, buf, size);
}

/*
 * The share of its life that it spent in reclaim: of the part of it that was listened to, up to its
 * last event, for nothing tells when a task ended.
 */
static const char *task_life(const struct reclaim_report *r, const struct reclaim_task *t,
			     char *buf, size_t size)
{
	int64_t start = t->start_ns > r->start_ns ? t->start_ns : r->start_ns;
	int64_t end = t->inside ? r->t_ns : t->seen_ns;
	double share = end > start ? 100.0 * (double)t->total_ns / (double)(end - start) : 100;

	if (!t->start_ns)
		return "n/a";
	if (share > 0 && share < 0.05)
		return "<0.1%";
	snprintf(buf, size, share < 9.95 ? "%.1f%%" : "%.0f%%", share < 100 ? share : 100);
	return buf;
}

/* Columns to the right of the command, from left to right. */
static const struct table_column {
	const char *head;
	int width;
	int needs;		/* columns the table must have for it to be shown */
	const char *(*text)(const struct reclaim_report *r, const struct reclaim_task *t, char *buf,
			    size_t size);
} table[] = {
	{ "pid", 8, 50, task_pid },
	{ "calls", 6, 42, task_calls },
	{ "total", 8, 0, task_total },
	{ "longest", 8, 0, task_longest },
	{ "life", 6, 0, task_life },
};

enum { TABLE_COLUMNS = sizeof(table) / sizeof(*table), COMMAND_MOST = 32 };

/* A line of the table, or with no task its head. */
static void draw_task(const struct reclaim_report *r, const struct reclaim_task *t, struct canvas *c,
		      int x, int y, int w)
{
	enum role role = !t ? ROLE_DIM : t->inside ? ROLE_WARN : ROLE_TEXT;
	int command = w - 2;

	for (size_t i = 0; i < TABLE_COLUMNS; i++)
		command -= w >= table[i].needs ? table[i].width : 0;
	command = command < COMMAND_MOST ? command : COMMAND_MOST;
	if (t && t->inside)
		canvas_text(c, x, y, 1, ROLE_WARN, ">");
	canvas_text(c, x + 2, y, command, role, !t ? "command" : *t->command ? t->command : "?");
	x += 2 + command;
	for (size_t i = 0; i < TABLE_COLUMNS; i++) {
		char value[24];

		if (w < table[i].needs)
			continue;
		canvas_printf(c, x, y, table[i].width, role, "%*s", table[i].width,
			      t ? table[i].text(r, t, value, sizeof(value)) : table[i].head);
		x += table[i].width;
	}
}

static void draw_reclaimers(const struct view *v, struct canvas *c, struct rect r)
{
	const struct reclaim_report *report = &v->session->reclaim;
	int n = (int)report->ntasks, skip = v->scroll < n ? v->scroll : n ? n - 1 : 0;

	if (draw_nothing(v, c, r))
		return;
	draw_task(report, NULL, c, r.x, r.y, r.w - 1);
	for (int y = 1; y < r.h && skip + y - 1 < n; y++)
		draw_task(report, &report->task[skip + y - 1], c, r.x, r.y + y, r.w - 1);
}

static int reclaimers_lines(const struct view *v)
{
	return (int)v->session->reclaim.ntasks;
}

/* ---- Efficiency ---- */

/* Pages that a call brought, at the moment being read. */
static bool pages_per_call(const struct view *v, int unused, char *buf, size_t size)
{
	double pages, calls;
	enum why why;

	(void)unused;
	if (!view_value(v, M_reclaim_reclaimed_pages, &pages, &why) ||
	    !view_value(v, M_reclaim_calls, &calls, &why))
		return false;
	if (calls > 0)
		text_count(pages / calls, buf, size);
	else
		text_copy(buf, size, "-");
	return true;
}

/* ---- The panels ---- */

/* What can be seen of reclaim from /proc alone. */
static const struct panel panel_signs = {
	.name = "signs of reclaim",
	LANES({ .label = "seen", .share = 2, .kind = CHART_AREA,
		.nseries = 1, .series = { SERIES(memalloc_tasks, DIRECT, DIRECT) } },
	      { .label = "stalls", .share = 1, .kind = CHART_AREA,
		.nseries = 1, .series = { SERIES(vm_allocstall, ALARM, ALARM) } },
	      { .label = "cgroup", .share = 1, .kind = CHART_AREA,
		.nseries = 1, .series = { SERIES(der_memcg_steal, STEAL, STEAL) } },
	      { .label = "psi", .share = 1, .kind = CHART_AREA,
		.nseries = 1, .series = { SERIES(psi_memory_some, SOME, SOME) } }),
	.nreadouts = 4,
	.readouts = { READOUT("tasks seen", memalloc_tasks, DIRECT),
		      READOUT("allocstall", vm_allocstall, ALARM),
		      READOUT("cgroup", der_memcg_steal, STEAL),
		      READOUT("psi some", psi_memory_some, SOME) },
};

const struct panel panel_reclaim_tasks = {
	.name = "reclaim tasks",
	LANES({ .label = "tasks", .least = 2, .share = 3, .kind = CHART_AREA,
		.nseries = 1,
		.series = { SERIES_MOST(reclaim_tasks, reclaim_tasks_max, DIRECT, FULL) } },
	      { .label = "call", .share = 1, .kind = CHART_AREA,
		.nseries = 1, .series = { SERIES(reclaim_longest_ms, SOME, SOME) } },
	      { .label = "kswapd", .kind = CHART_STRIP, .pinned = 100,
		.nseries = 1, .series = { SERIES(reclaim_kswapd_busy_pct, KSWAPD, KSWAPD) } }),
	.note = quiet_note,
	.without = &panel_signs,
	.nreadouts = 6,
	.readouts = { READOUT("now", reclaim_tasks, DIRECT),
		      READOUT_TEXT("most", session_most, RECLAIM_ALL, FULL),
		      READOUT_TEXT("longest", session_longest, RECLAIM_ALL, SOME),
		      READOUT_TEXT("lost", session_lost, 0, ALARM),
		      READOUT_TEXT("calls", session_calls, RECLAIM_ALL, DIM),
		      READOUT("kswapd", reclaim_kswapd_busy_pct, KSWAPD) },
};

const struct panel panel_latency = {
	.name = "latency", .draw = draw_latency,
	.nreadouts = 4,
	.readouts = { READOUT_TEXT("calls", session_calls, RECLAIM_ALL, DIRECT),
		      READOUT_TEXT("median", session_median, RECLAIM_ALL, DIM),
		      READOUT_TEXT("longest", session_longest_who, 0, SOME),
		      READOUT_TEXT("lost", session_lost, 0, ALARM) },
};

const struct panel panel_reclaimers = {
	.name = "reclaimers", .draw = draw_reclaimers, .lines = reclaimers_lines,
	.nreadouts = 4,
	.readouts = { READOUT("inside", reclaim_tasks, WARN),
		      READOUT_TEXT("in all", session_tasks, 0, DIM),
		      READOUT("time", reclaim_time, DIRECT),
		      READOUT_TEXT("not listed", session_forgotten, 0, ALARM) },
};

const struct panel panel_efficiency = {
	.name = "efficiency",
	LANES({ .kind = CHART_AREA, .pinned = 100,
		.nseries = 1, .series = { SERIES(der_reclaim_eff, STEAL, STEAL) } }),
	.nreadouts = 4,
	.readouts = { READOUT("reclaimed of scanned", der_reclaim_eff, STEAL),
		      READOUT_TEXT("pages a call", pages_per_call, 0, DIRECT),
		      READOUT("direct share", der_direct_share, DIRECT),
		      READOUT("slab", vm_slabs_scanned, DIM) },
};

static const struct panel panel_direct = {
	.name = "direct stalls",
	LANES({ .kind = CHART_AREA,
		.nseries = 1, .series = { SERIES(der_direct_stalls, DIRECT, DIRECT) } }),
	.nreadouts = 3,
	.readouts = { READOUT("allocstall", vm_allocstall, DIRECT),
		      READOUT("compact", vm_compact_stall, DIM),
		      READOUT("throttled", vm_pgscan_direct_throttle, DIM) },
};

const struct panel panel_throttled = {
	.name = "throttled",
	LANES({ .kind = CHART_STACK, .stacking = STACKING_PARTS,
		.nseries = 4,
		.series = { SERIES(reclaim_throttled_writeback, IO_OUT, IO_OUT),
			    SERIES(reclaim_throttled_isolated, SCAN, SCAN),
			    SERIES(reclaim_throttled_noprogress, FULL, FULL),
			    SERIES(reclaim_throttled_congested, IO_IN, IO_IN) } }),
	.without = &panel_direct,
	.nreadouts = 6,
	.readouts = { READOUT_TEXT("writeback", session_throttled, THROTTLE_WRITEBACK, IO_OUT),
		      READOUT_TEXT("isolated", session_throttled, THROTTLE_ISOLATED, SCAN),
		      READOUT_TEXT("no progress", session_throttled, THROTTLE_NOPROGRESS, FULL),
		      READOUT_TEXT("congested", session_throttled, THROTTLE_CONGESTED, IO_IN),
		      READOUT_TEXT("other", session_throttled, THROTTLE_OTHER, DIM),
		      READOUT("asleep", reclaim_throttled_time, DIM) },
};

const struct panel panel_compaction = {
	.name = "compaction",
	LANES({ .label = "time", .share = 1, .kind = CHART_AREA,
		.nseries = 1, .series = { SERIES(reclaim_compact_time, DIRECT, DIRECT) } },
	      { .label = "scan", .share = 1, .kind = CHART_AREA,
		.nseries = 1, .series = { SERIES(vm_compact_migrate_scanned, SCAN, SCAN) } }),
	.nreadouts = 6,
	.readouts = { READOUT("time", reclaim_compact_time, DIRECT),
		      READOUT("runs", reclaim_compactions, DIM),
		      READOUT("stalls", vm_compact_stall, DIM),
		      READOUT("scanned", vm_compact_migrate_scanned, SCAN),
		      READOUT("success", vm_compact_success, DIM),
		      READOUT("fail", vm_compact_fail, DIM) },
};
