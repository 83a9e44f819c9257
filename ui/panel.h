/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Panels: a frame whose title carries current numbers, and in it a chart of metrics over the page's
 * time axis, or text. A chart panel is data: one entry in panels.c.
 */
#ifndef VMTOP_PANEL_H
#define VMTOP_PANEL_H

#include "ui/view.h"

#define PANEL_SERIES_MAX 5
#define PANEL_READOUTS_MAX 11

/* A number of the title. Titles are cut at the last one that fits: the important ones first. */
struct readout {
	const char *label;
	enum metric metric;
	enum role role;		/* of the label: the colour of its series */
};

struct panel_series {
	enum metric metric;
	enum role role, peak;
};

/* How the series of a panel share the axis. */
enum stacking {
	STACKING_NONE,
	STACKING_PARTS,		/* series add up */
	STACKING_NESTED		/* each series contains the one before it, as PSI some does full */
};

struct panel {
	const char *name;
	/* Text panels: draws inside the frame. NULL for charts. */
	void (*draw)(const struct view *v, struct canvas *c, struct rect inner);
	/* Text panels: how many lines there are, to bound scrolling; and whether they end at the bottom. */
	int (*lines)(const struct view *v);
	bool from_end;
	/* Text panels: appends to the title after the name. May be NULL. */
	void (*title)(const struct view *v, char *buf, size_t size);
	enum chart_kind kind;
	enum stacking stacking;
	bool of_total;			/* the ceiling is the value of `total` now */
	enum metric total;
	double pinned;			/* fixed ceiling in base units, 0 for none */
	struct panel_series series[PANEL_SERIES_MAX];
	size_t nseries;
	struct readout readouts[PANEL_READOUTS_MAX];
	size_t nreadouts;
};

/* Columns that the value axis takes left of a chart w cells wide: 0 where there is no room for one. */
int panel_axis_width(int w);

/* Draws a panel with its frame. */
void panel_draw(const struct view *v, const struct panel *p, struct canvas *c, struct rect r,
		bool focused);

/* True when it has a time axis. */
bool panel_is_chart(const struct panel *p);

/* The panels there are: panels.c and text_panels.c. */
extern const struct panel panel_swap, panel_memory, panel_reclaim, panel_stalls, panel_cpu,
	panel_io, panel_faults, panel_refault, panel_swap_use, panel_zram, panel_writeback,
	panel_scan, panel_efficiency, panel_direct, panel_kswapd, panel_compaction, panel_pressure,
	panel_cgroup, panel_workload, panel_usage, panel_events, panel_tasks;

#endif
