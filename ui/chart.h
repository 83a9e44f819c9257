/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Charts: columns of numbers into cells of a canvas, purely. A chart knows no metric and no time.
 *
 * Four glyph sets behind one interface: braille (2 columns x 4 levels a cell), blocks (1 x 8),
 * half blocks for fonts without eighths, as the Linux console's (1 x 2), and ASCII (1 x 3). A
 * column without a number (n == 0, or NaN) stays blank; a number of 0 draws its dot on the
 * baseline; a number above 0 is at least one level higher, so that it differs from 0. What a
 * column's max stands above its mean is a dotted or thin stem that ends at the max.
 *
 * A cell has one role. Where several meet in one, it is the role of the most levels, for lines that
 * of the last series.
 */
#ifndef VMTOP_CHART_H
#define VMTOP_CHART_H

#include "ui/canvas.h"
#include "ui/scale.h"

enum glyphs { GLYPHS_BRAILLE, GLYPHS_BLOCK, GLYPHS_HALF, GLYPHS_ASCII };

/* Columns of numbers that one cell can show: 2 for braille, else 1. */
int chart_columns_per_cell(enum glyphs g);

/* Levels a cell can show. */
int chart_levels_per_cell(enum glyphs g);

enum chart_kind {
	/* One series filled from the baseline: its mean in `role`, a stem to its max in `peak`. */
	CHART_AREA,
	/*
	 * Series 0 up from a middle line, series 1 down from it, one scale. Where both are above 0
	 * braille leaves the line blank between them; block sets give it a row when rows are odd.
	 */
	CHART_MIRROR,
	/*
	 * Series as parts of a whole, the first at the bottom, each with a texture of its own.
	 * Every edge is right to one level. The stem ends where the maxima would add up to at most.
	 * Blocks show the lower part's edge in a cell of two, ASCII the larger part.
	 */
	CHART_STACK,
	/* Each series a stepped line, later ones over earlier; one level a row but for braille. */
	CHART_LINE,
	/* One row a series, the first on top: the max by shade. */
	CHART_STRIP,
	/* Of each column the largest max among the series, in that one's role. */
	CHART_TICKS
};

struct chart_series {
	const struct history_column *cols;	/* ncols of them */
	double factor;		/* to base units: metric_base_factor */
	enum role role;
	enum role peak;		/* for max above mean; may equal role */
};

struct chart {
	enum chart_kind kind;
	enum glyphs glyphs;
	struct scale scale;
	const struct chart_series *series;
	size_t nseries;
	size_t ncols;		/* = area.w * chart_columns_per_cell(glyphs) */
};

#define CHART_SERIES_MAX 6

/* Draws into area. Cells where nothing is drawn are left as they are. */
void chart_draw(struct canvas *c, struct rect area, const struct chart *chart);

/*
 * A horizontal bar of `fraction` (0 to 1) in w cells of one row, in eighths where the set allows.
 * Above 0 it is at least one step long.
 */
void chart_bar(struct canvas *c, int x, int y, int w, double fraction, enum role role,
	       enum glyphs g);

#endif
