/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/page.h"

#include <stdio.h>
#include <string.h>

#include "src/text.h"
#include "ui/chrome.h"

#define PANELS(...) .panels = (const struct panel *const[]){ __VA_ARGS__ }, \
	.npanels = sizeof((const struct panel *const[]){ __VA_ARGS__ }) / sizeof(const struct panel *)

static const struct page pages[] = {
	{ .number = 1, .name = "overview",
	  PANELS(&panel_swap, &panel_memory, &panel_reclaim_tasks, &panel_stalls, &panel_playback,
		 &panel_cpu, &panel_workload) },
	{ .number = 2, .name = "swap and memory",
	  PANELS(&panel_swap, &panel_memory, &panel_swap_use, &panel_zram, &panel_faults,
		 &panel_refault, &panel_io, &panel_writeback) },
	{ .number = 3, .name = "reclaim",
	  PANELS(&panel_reclaim_tasks, &panel_latency, &panel_reclaimers, &panel_reclaim,
		 &panel_efficiency, &panel_throttled, &panel_compaction, &panel_scan, &panel_kswapd,
		 &panel_stalls) },
	{ .number = 4, .name = "playback",
	  PANELS(&panel_playback, &panel_why, &panel_sinks, &panel_feel_table,
		 &panel_player_memory, &panel_player_waits, &panel_feel, &panel_swap) },
	{ .number = 6, .name = "workload",
	  PANELS(&panel_workload, &panel_usage, &panel_cgroup, &panel_swap, &panel_cpu,
		 &panel_stalls) },
	{ .number = 7, .name = "tasks", PANELS(&panel_tasks, &panel_events), .wide = true },
};

enum { PANEL_LEAST_ROWS = 5, PANEL_LEAST_COLUMNS = 38, HEADER_ROWS = 1, FOOTER_ROWS = 1 };

size_t page_count(void)
{
	return sizeof(pages) / sizeof(*pages);
}

const struct page *page_get(int index)
{
	return &pages[index];
}

int page_find(int number)
{
	for (size_t i = 0; i < page_count(); i++)
		if (pages[i].number == number)
			return (int)i;
	return -1;
}

/* Which panels are shown, and on what grid. */
struct layout {
	struct rect area;
	size_t first, n;	/* panels shown */
	int columns, rows;
	bool axis;		/* one row below for the time axis */
};

static bool any_chart(const struct page *p, size_t first, size_t n)
{
	for (size_t i = first; i < first + n; i++)
		if (panel_is_chart(p->panels[i]))
			return true;
	return false;
}

/*
 * As many columns as are wide enough, then as many rows as are high enough. Panels that do not fit
 * are shed from the end; focusing one of those brings it in.
 */
static struct layout layout_make(const struct view *v, int cols, int rows)
{
	const struct page *p = &pages[v->page];
	size_t n = p->npanels;
	struct layout l = { .area = { 0, HEADER_ROWS, cols, rows - HEADER_ROWS - FOOTER_ROWS } };
	int fit;

	l.axis = l.area.h > PANEL_LEAST_ROWS;
	l.area.h -= l.axis;
	if (v->maximised) {
		l.first = (size_t)v->focus;
		l.n = 1;
		l.columns = l.rows = 1;
	} else {
		l.columns = cols >= 2 * PANEL_LEAST_COLUMNS && n > 1 && !p->wide ? 2 : 1;
		fit = l.area.h / PANEL_LEAST_ROWS;
		l.rows = (int)((n + (size_t)l.columns - 1) / (size_t)l.columns);
		if (l.rows > fit)
			l.rows = fit;
		if (l.rows < 1)
			l.rows = 1;
		l.n = (size_t)(l.rows * l.columns);
		if (l.n > n)
			l.n = n;
		if ((size_t)v->focus >= l.n)
			l.first = (size_t)v->focus - l.n + 1;
	}
	if (l.axis && !any_chart(p, l.first, l.n)) {
		l.axis = false;
		l.area.h++;
	}
	return l;
}

/* Cell of the i-th panel shown; the last one takes what is left of its row. */
static struct rect layout_rect(const struct layout *l, size_t i)
{
	int row = (int)i / l->columns, column = (int)i % l->columns;
	int x0 = l->area.w * column / l->columns, x1 = l->area.w * (column + 1) / l->columns;
	int y0 = l->area.h * row / l->rows, y1 = l->area.h * (row + 1) / l->rows;

	if (i + 1 == l->n)
		x1 = l->area.w;
	return (struct rect){ l->area.x + x0, l->area.y + y0, x1 - x0, y1 - y0 };
}

static struct rect chart_area(struct rect panel)
{
	int axis = lane_axis_width(panel.w - 2);

	return (struct rect){ panel.x + 1 + axis, panel.y + 1, panel.w - 2 - axis, panel.h - 2 };
}

int page_chart_width(const struct view *v, int cols, int rows)
{
	struct layout l = layout_make(v, cols, rows);

	for (size_t i = 0; i < l.n; i++)
		if (panel_is_chart(pages[v->page].panels[l.first + i]))
			return chart_area(layout_rect(&l, i)).w;
	return cols;
}

/* Under each column of panels the times of its charts. */
static void draw_axes(const struct view *v, struct canvas *c, const struct layout *l)
{
	int y = l->area.y + l->area.h;

	for (int column = 0; column < l->columns && (size_t)column < l->n; column++) {
		struct rect area = chart_area(layout_rect(l, (size_t)column));

		chrome_time_axis(v, c, area.x, y, area.w);
	}
}

static void draw_too_small(struct canvas *c)
{
	char text[64];

	canvas_clear(c);
	snprintf(text, sizeof(text), "vmtop needs %dx%d, this is %dx%d", PAGE_MIN_COLUMNS,
		 PAGE_MIN_ROWS, c->cols, c->rows);
	canvas_wrap(c, (struct rect){ 0, 0, c->cols, c->rows }, ROLE_WARN, text);
}

void page_draw(const struct view *v, struct canvas *c)
{
	const struct page *p = &pages[v->page];
	struct layout l;

	canvas_clear(c);
	if (c->cols < PAGE_MIN_COLUMNS || c->rows < PAGE_MIN_ROWS) {
		draw_too_small(c);
		return;
	}
	l = layout_make(v, c->cols, c->rows);
	for (size_t i = 0; i < l.n; i++)
		panel_draw(v, p->panels[l.first + i], c, layout_rect(&l, i),
			   l.first + i == (size_t)v->focus);
	if (l.axis)
		draw_axes(v, c, &l);
	chrome_header(v, p, c);
	chrome_footer(v, c, v->maximised ? 0 : p->npanels - l.n);
	if (v->help)
		chrome_help(v, c);
}
