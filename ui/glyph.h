/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Glyph sets as data: which character stands for how much. A chart asks the set and never names a
 * character itself. Braille is composed of dots (glyph_braille), so its table holds only what is
 * not.
 */
#ifndef VMTOP_GLYPH_H
#define VMTOP_GLYPH_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/chart.h"

enum { GLYPH_LEVELS_MAX = 8, GLYPH_SHADES = 4 };

/* How a part of a chart is filled: the layers of a stack, or what a maximum stands above a mean. */
enum texture {
	TEXTURE_LAYER,		/* + the number of the layer */
	TEXTURE_STEM = TEXTURE_LAYER + CHART_SERIES_MAX,
	TEXTURE_STEM_DOWN	/* its end is the lower one */
};

struct glyph_set {
	int columns, levels;		/* of numbers in a cell */
	int zero;			/* levels that a sampled 0 takes: 1, or 0: `base` */
	uint32_t base;			/* a sampled 0 where it takes no level */
	uint32_t rule;			/* the middle line where it has a row to itself */
	uint32_t up[GLYPH_LEVELS_MAX + 1];	/* by levels filled from below */
	uint32_t down[GLYPH_LEVELS_MAX + 1];	/* by levels filled from above */
	uint32_t stem[GLYPH_LEVELS_MAX + 1], stem_down[GLYPH_LEVELS_MAX + 1];
	uint32_t layer[CHART_SERIES_MAX];	/* full cells of a stack */
	uint32_t both[4];		/* a mirror of one row: nothing, up, down, both */
	bool coarse;			/* a cell of two parts shows the larger one */
	/* Lines, one level a row: flat, flat on the baseline of a single row, the four corners as
	 * left-up, left-down, up-right, down-right, vertical, and a maximum above the line. */
	uint32_t flat, flat_zero, left_up, left_down, up_right, down_right, vertical, above;
	uint32_t shade[GLYPH_SHADES + 1];	/* of a strip; the first is a sampled 0 */
	int bar_steps;			/* in a cell of a horizontal bar */
	uint32_t bar[GLYPH_LEVELS_MAX + 1];
};

const struct glyph_set *glyph_set(enum glyphs g);

/* The dot of a column (0, 1) and level (0 lowest, to 3) of a cell, as a bit for glyph_braille. */
unsigned int glyph_dot(int column, int level);
uint32_t glyph_braille(unsigned int dots);

/*
 * Whether a dot is set in a part that reaches from level low to below high. Layers differ in
 * density, and the top level of each is set, so that its edge is exact. x counts dot columns.
 */
bool glyph_texture(enum texture texture, int x, int level, int low, int high);

#endif
