/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ceilings and axes, purely. Ceilings are 1-2-5 x 10^n, for bytes 2^n; linear or logarithmic.
 */
#ifndef VMTOP_SCALE_H
#define VMTOP_SCALE_H

#include <stdbool.h>
#include <stddef.h>

#include "src/history.h"

struct scale {
	double ceiling;		/* value of the top edge, in base units (bytes, counts, percent) */
	bool log;		/* logarithmic: from floor to ceiling, 0 on the baseline */
	double floor;		/* when log: the smallest value that rises above the baseline */
	enum unit_class unit;
};

/*
 * The smallest nice ceiling that is not below max; a smallest sensible one (1, 1 KiB, 1 ms, 1 %)
 * for max 0. Exact: 100 gives 100. Percentages may go beyond 100.
 */
double scale_nice(double max, enum unit_class unit);

/*
 * The ceiling for a chart: nice over the visible columns and as many before them (lookback), so
 * that it grows at once with a peak, and shrinks only when a whole window long nothing needed it.
 * Pure: the same columns give the same ceiling. pinned > 0 overrides.
 */
struct scale scale_for(const struct history_column *cols, size_t n,
		       const struct history_column *lookback, size_t nlookback,
		       enum unit_class unit, double factor, bool log, double pinned);

/* Takes the larger ceiling of both: for series that share an axis. */
struct scale scale_join(struct scale a, struct scale b);

/* Position of a value (base units) between baseline 0.0 and top edge 1.0; clamped. */
double scale_position(const struct scale *s, double value);

/* The ceiling in words for the axis: "100M/s", "500", "20%". per_second adds "/s". */
const char *scale_text(const struct scale *s, bool per_second, char *buf, size_t size);

#endif
