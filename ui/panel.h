/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Panels: a frame whose title carries current numbers, and in it charts of metrics over the page's
 * time axis (lane.h), or text. A chart panel is data: one entry in panels.c.
 */
#ifndef VMTOP_PANEL_H
#define VMTOP_PANEL_H

#include "ui/lane.h"

#define PANEL_READOUTS_MAX 13

/*
 * A number of the title. Titles are cut at the last one that fits: the important ones first. It is
 * a metric's value at the moment being read, or what `text` makes of the view: false to leave it out.
 */
struct readout {
	const char *label;
	enum metric metric;
	enum role role;		/* of the label: the colour of its series */
	bool (*text)(const struct view *v, int which, char *buf, size_t size);
	int which;		/* handed to text */
};

#define READOUT(label_, metric_, role_) \
	{ .label = label_, .metric = M_##metric_, .role = ROLE_##role_ }
#define READOUT_TEXT(label_, text_, which_, role_) \
	{ .label = label_, .text = text_, .which = which_, .role = ROLE_##role_ }

/* The lanes of a panel, at file scope. */
#define LANES(...) .lanes = (const struct lane[]){ __VA_ARGS__ }, \
	.nlanes = sizeof((const struct lane[]){ __VA_ARGS__ }) / sizeof(struct lane)

struct panel {
	const char *name;
	/* Text panels: draws inside the frame. NULL for charts. */
	void (*draw)(const struct view *v, struct canvas *c, struct rect inner);
	/* Text panels: how many lines there are, to bound scrolling; and whether they end at the bottom. */
	int (*lines)(const struct view *v);
	bool from_end;
	/* Text panels: appends to the title after the name. May be NULL. */
	void (*title)(const struct view *v, char *buf, size_t size);
	/* Chart panels: at most LANES_MAX, and what to say over them while there is nothing to see. */
	const struct lane *lanes;
	size_t nlanes;
	const char *(*note)(const struct view *v);
	/* Drawn instead, below the reason, while the source of the first series cannot be had. */
	const struct panel *without;
	struct readout readouts[PANEL_READOUTS_MAX];
	size_t nreadouts;
};

/* For readouts of other panels: a figure of vmtop-feel's, which = FEEL_TITLE(probe, field). */
#define FEEL_TITLE(probe, field) ((int)(probe) * FEEL_FIELDS + (int)(field))
bool feel_title(const struct view *v, int which, char *buf, size_t size);

/* Draws a panel with its frame. */
void panel_draw(const struct view *v, const struct panel *p, struct canvas *c, struct rect r,
		bool focused);

/* True when it has a time axis. */
bool panel_is_chart(const struct panel *p);

/* The panels there are: panels.c, feel_panels.c, playback_panels.c, reclaim_panels.c and text_panels.c. */
extern const struct panel panel_swap, panel_memory, panel_reclaim, panel_stalls, panel_cpu,
	panel_io, panel_faults, panel_refault, panel_swap_use, panel_zram, panel_writeback,
	panel_scan, panel_kswapd, panel_cgroup, panel_reclaim_tasks, panel_latency,
	panel_reclaimers, panel_efficiency, panel_throttled, panel_compaction, panel_workload,
	panel_usage, panel_events, panel_tasks, panel_playback, panel_sinks, panel_why,
	panel_player_memory, panel_player_waits, panel_feel, panel_feel_table;

#endif
