/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lanes: the charts of a panel, below each other on one time axis, each with a scale of its own.
 * A lane is data. Drawing allocates nothing and keeps nothing.
 */
#ifndef VMTOP_LANE_H
#define VMTOP_LANE_H

#include "ui/view.h"

enum { LANES_MAX = 4, LANE_SERIES_MAX = 6 };

struct lane_series {
	enum metric metric;
	enum role role, peak;
	/* The maximum is that of another metric, as most tasks at once are of tasks now. */
	bool peaked;
	enum metric most;
};

/* How the series of a lane share the axis. */
enum stacking {
	STACKING_NONE,
	STACKING_PARTS,		/* series add up */
	STACKING_NESTED		/* each series contains the one before it, as PSI some does full */
};

struct lane {
	const char *label;		/* up to 6 columns, at the axis; NULL: none */
	int least;			/* rows below which it is shed; 0: one */
	int share;			/* of the rows that are left then, in parts of all shares */
	enum chart_kind kind;
	enum stacking stacking;
	double log_floor;		/* logarithmic whatever the view, from this in base units; 0: no */
	bool of_total;			/* the ceiling is the value of `total` now */
	enum metric total;
	double pinned;			/* fixed ceiling in base units, 0 for none */
	struct lane_series series[LANE_SERIES_MAX];
	size_t nseries;
};

#define SERIES(metric_, role_, peak_) \
	{ .metric = M_##metric_, .role = ROLE_##role_, .peak = ROLE_##peak_ }
#define SERIES_MOST(metric_, most_, role_, peak_) \
	{ .metric = M_##metric_, .role = ROLE_##role_, .peak = ROLE_##peak_, .peaked = true, \
	  .most = M_##most_ }

/* Columns that the value axis takes left of a chart w cells wide: 0 where there is no room for one. */
int lane_axis_width(int w);

/*
 * The value axis of rows lane_axis_width(w) wide: the ceiling at its top, 0 at its bottom; where
 * there is a label it goes before the 0, and in one row before the ceiling.
 */
void lane_axis(struct canvas *c, struct rect axis, const char *ceiling, const char *label,
	       bool mirror);

/*
 * Draws n lanes, the most important on top, those for which there is no room left out from the end,
 * and over all of them marks and cursor. A lane in which there is nothing to draw says why, but the
 * same reason is given once; a note is said in place of all reasons, NULL for none.
 */
void lanes_draw(const struct view *v, const struct lane *lanes, size_t n, struct canvas *c,
		struct rect inner, const char *note);

#endif
