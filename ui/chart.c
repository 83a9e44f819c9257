/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each chart is drawn one column of cells at a time, in two steps: the numbers of a column become
 * spans of levels, which do not depend on how a cell looks; then each cell finds what is in it.
 */
#include "ui/chart.h"

#include <math.h>

#include "ui/glyph.h"

enum { SPANS_MAX = 2 * CHART_SERIES_MAX + 1, BRAILLE_COLUMNS = 2, BRAILLE_LEVELS = 4 };

/* Levels from low to below high, counted from the bottom (hanging columns: from the top). */
struct span {
	int low, high;
	enum role role;
	enum texture texture;
	int rank;		/* its role goes before those of lower rank in a cell */
};

/* Of spans that overlap, the later one is seen. */
struct column {
	struct span span[SPANS_MAX];
	int n;
	bool base;		/* a sampled 0 that takes no level */
	enum role base_role;
};

/* One number of a series, in base units. */
struct value {
	bool known;
	double mean, max;
};

int chart_columns_per_cell(enum glyphs g)
{
	return glyph_set(g)->columns;
}

int chart_levels_per_cell(enum glyphs g)
{
	return glyph_set(g)->levels;
}

static struct value value_at(const struct chart *chart, size_t series, size_t i)
{
	const struct chart_series *s = &chart->series[series];
	const struct history_column *col;
	struct value v = { .known = false };

	if (i >= chart->ncols || series >= chart->nseries)
		return v;
	col = &s->cols[i];
	if (!col->n || isnan(col->mean))
		return v;
	v.known = true;
	v.mean = col->mean * s->factor;
	v.max = col->max > col->mean ? col->max * s->factor : v.mean;
	return v;
}

/* The level of a value among n: 0 for 0, else at least 1. */
static int level_of(const struct chart *chart, double value, int n)
{
	int level = (int)lround(scale_position(&chart->scale, value) * n);

	return value > 0 && level == 0 && n > 0 ? 1 : level;
}

static void add_span(struct column *col, int low, int high, enum role role, enum texture texture)
{
	if (low < high && col->n < SPANS_MAX)
		col->span[col->n++] = (struct span){ low, high, role, texture, 0 };
}

/* ---- From numbers to spans ---- */

/* A sampled 0: a level of its own, or the set's baseline character. */
static void add_base(struct column *col, const struct glyph_set *set, enum role role)
{
	add_span(col, 0, set->zero, role, TEXTURE_LAYER);
	col->base = !set->zero;
	col->base_role = role;
}

/*
 * The upper edge of a layer. All edges round down, so an edge that is raised to keep a small layer
 * visible is still right to one level; a single series rounds to the nearest.
 */
static int stack_edge(const struct chart *chart, double sum, bool grows, int below, int n)
{
	double exact = scale_position(&chart->scale, sum) * n;
	int edge = (int)floor(exact + (chart->nseries == 1 ? 0.5 : 1e-9));

	if (edge <= below && grows && below <= exact)
		edge = below + 1;
	edge = edge > below ? edge : below;
	return edge < n ? edge : n;
}

/* Areas are stacks of one. */
static void stack_column(const struct chart *chart, size_t i, int levels, struct column *col)
{
	const struct glyph_set *set = glyph_set(chart->glyphs);
	int n = levels - set->zero, edge = 0, peak;
	double sum = 0, most = 0, excess = 0;
	enum role role = chart->series[0].role, peak_role = chart->series[0].peak;
	bool known = false;

	for (size_t s = 0; s < chart->nseries; s++) {
		struct value v = value_at(chart, s, i);
		int below = edge;

		if (!v.known)
			continue;
		if (!known)
			role = chart->series[s].role;
		known = true;
		sum += fmax(v.mean, 0);
		most += fmax(v.max, 0);
		if (v.max - v.mean > excess) {
			excess = v.max - v.mean;
			peak_role = chart->series[s].peak;
		}
		edge = stack_edge(chart, sum, v.mean > 0, below, n);
		if (edge > below)
			add_span(col, below ? below + set->zero : 0, edge + set->zero,
				 chart->series[s].role, TEXTURE_LAYER + s);
	}
	if (!known)
		return;
	peak = level_of(chart, most, n);
	if (edge == 0 && peak == 0)
		add_base(col, set, role);
	if (peak > edge && excess > 0)
		add_span(col, edge ? edge + set->zero : 0, peak + set->zero, peak_role,
			 TEXTURE_STEM);
}

static void ticks_column(const struct chart *chart, size_t i, int levels, struct column *col)
{
	const struct glyph_set *set = glyph_set(chart->glyphs);
	int n = levels - set->zero, height;
	size_t largest = chart->nseries;
	double max = -1;

	for (size_t s = 0; s < chart->nseries; s++) {
		struct value v = value_at(chart, s, i);

		if (v.known && v.max > max) {
			max = v.max;
			largest = s;
		}
	}
	if (largest == chart->nseries)
		return;
	height = level_of(chart, max, n);
	if (height == 0)
		add_base(col, set, chart->series[0].role);
	else
		add_span(col, 0, height + set->zero, chart->series[largest].role, TEXTURE_LAYER);
}

/* One side of a mirror: what is above its baseline, from level `base` on. */
static void side_column(const struct chart *chart, size_t series, size_t i, int base, int n,
			struct column *col)
{
	struct value v = value_at(chart, series, i);
	int mean = v.known ? level_of(chart, v.mean, n) : 0;
	int max = v.known ? level_of(chart, v.max, n) : 0;

	if (mean)
		add_span(col, base, base + mean, chart->series[series].role, TEXTURE_LAYER);
	if (max > mean)
		add_span(col, base + mean, base + max, chart->series[series].peak, TEXTURE_STEM);
}

/* Braille: both sides and the line between them are levels of one column. */
static void mirror_column(const struct chart *chart, size_t i, int levels, struct column *col)
{
	int n = (levels - 1) / 2, middle = levels - 1 - levels / 2, up;
	struct column down = { .n = 0 };	/* counted from the line */
	bool known = value_at(chart, 0, i).known;

	if (!known && !value_at(chart, 1, i).known)
		return;
	side_column(chart, 0, i, middle + 1, n, col);
	up = col->n;
	side_column(chart, 1, i, 0, n, &down);
	for (int k = 0; k < down.n; k++) {
		const struct span *s = &down.span[k];

		add_span(col, middle - s->high, middle - s->low, s->role,
			 s->texture == TEXTURE_STEM ? TEXTURE_STEM_DOWN : s->texture);
	}
	if (!up || !down.n)
		add_span(col, middle, middle + 1, chart->series[known ? 0 : 1].role, TEXTURE_LAYER);
}

/* Braille: maxima first, so that they hide no line; a line reaches to where it was before. */
static void line_column(const struct chart *chart, size_t i, int levels, struct column *col)
{
	for (size_t s = 0; s < chart->nseries; s++) {
		struct value v = value_at(chart, s, i);

		if (v.known)
			add_span(col, level_of(chart, v.mean, levels - 1) + 1,
				 level_of(chart, v.max, levels - 1) + 1, chart->series[s].peak,
				 TEXTURE_STEM);
	}
	for (size_t s = 0; s < chart->nseries; s++) {
		struct value v = value_at(chart, s, i);
		struct value before = i ? value_at(chart, s, i - 1) : (struct value){ 0 };
		int now, old;

		if (!v.known)
			continue;
		now = level_of(chart, v.mean, levels - 1);
		old = before.known ? level_of(chart, before.mean, levels - 1) : now;
		add_span(col, now > old ? old + 1 : now, now < old ? old : now + 1,
			 chart->series[s].role, TEXTURE_LAYER);
		col->span[col->n - 1].rank = (int)s + 1;
	}
}

/* ---- From spans to cells ---- */

static int span_at(const struct column *col, int level)
{
	for (int k = col->n - 1; k >= 0; k--)
		if (level >= col->span[k].low && level < col->span[k].high)
			return k;
	return -1;
}

/* The roles of highest rank that meet in a cell, by levels. */
struct votes {
	enum role role[BRAILLE_COLUMNS * BRAILLE_LEVELS];
	int count[BRAILLE_COLUMNS * BRAILLE_LEVELS];
	int n, rank;
};

static void vote(struct votes *votes, enum role role, int rank)
{
	int k = 0;

	if (rank < votes->rank)
		return;
	if (rank > votes->rank)
		*votes = (struct votes){ .rank = rank };
	while (k < votes->n && votes->role[k] != role)
		k++;
	if (k == votes->n) {
		votes->role[k] = role;
		votes->count[k] = 0;
		votes->n++;
	}
	votes->count[k]++;
}

static enum role most_votes(const struct votes *votes)
{
	int best = 0;

	for (int k = 1; k < votes->n; k++)
		if (votes->count[k] > votes->count[best])
			best = k;
	return votes->role[best];
}

/* A cell of two braille columns; x counts cells from the left edge of the chart. */
static void braille_cell(struct canvas *c, int left, int y, int x, const struct column *cols,
			 int low)
{
	struct votes votes = { .n = 0 };
	unsigned int dots = 0;

	for (int level = 0; level < BRAILLE_LEVELS; level++) {
		for (int k = 0; k < BRAILLE_COLUMNS; k++) {
			int at = span_at(&cols[k], low + level);
			const struct span *s = &cols[k].span[at < 0 ? 0 : at];

			if (at < 0)
				continue;
			vote(&votes, s->role, s->rank);
			if (glyph_texture(s->texture, BRAILLE_COLUMNS * x + k, low + level, s->low,
					  s->high))
				dots |= glyph_dot(k, level);
		}
	}
	if (dots)
		canvas_put(c, left + x, y, glyph_braille(dots), most_votes(&votes));
}

static uint32_t full_cell(const struct glyph_set *set, enum texture texture, bool hanging)
{
	if (texture >= TEXTURE_STEM)
		return hanging ? set->stem_down[set->levels] : set->stem[set->levels];
	return hanging ? set->down[set->levels] : set->layer[texture - TEXTURE_LAYER];
}

/*
 * A cell of one column, filled from its bottom (hanging: its top) as far as `covered`. What ends in
 * it is drawn to its end; what goes on beyond it gives way to the edge of what ends.
 */
static void block_cell(struct canvas *c, int x, int y, const struct glyph_set *set,
		       const struct column *col, int low, bool hanging)
{
	int count[SPANS_MAX] = { 0 }, first = span_at(col, low), best = first, covered = 0, at;
	const uint32_t *part = hanging ? set->down : set->up;
	const struct span *s;

	if (first < 0)
		return;
	while (covered < set->levels && (at = span_at(col, low + covered)) >= 0) {
		covered++;
		if (++count[at] > count[best])
			best = at;
	}
	s = &col->span[best];
	if (covered < set->levels) {
		if (col->span[first].texture >= TEXTURE_STEM)
			part = hanging ? set->stem_down : set->stem;
		canvas_put(c, x, y, part[covered], s->role);
	} else if (count[best] == covered || set->coarse) {
		canvas_put(c, x, y, full_cell(set, s->texture, hanging), s->role);
	} else {
		canvas_put(c, x, y, part[count[first]], col->span[first].role);
	}
}

/* A column of block cells that stands on the bottom of `area`, or hangs from its top. */
static void block_column(struct canvas *c, struct rect area, const struct glyph_set *set,
			 const struct column *col, bool hanging)
{
	for (int row = 0; row < area.h; row++)
		block_cell(c, area.x, hanging ? area.y + row : area.y + area.h - 1 - row, set, col,
			   row * set->levels, hanging);
	if (col->base)
		canvas_put(c, area.x, area.y + area.h - 1, set->base, col->base_role);
}

/* ---- Kinds of charts ---- */

static void draw_braille(struct canvas *c, struct rect area, const struct chart *chart)
{
	int levels = area.h * BRAILLE_LEVELS;

	for (int x = 0; x < area.w; x++) {
		struct column cols[BRAILLE_COLUMNS];

		for (int k = 0; k < BRAILLE_COLUMNS; k++) {
			size_t i = (size_t)(BRAILLE_COLUMNS * x + k);

			cols[k].n = 0;
			if (chart->kind == CHART_MIRROR)
				mirror_column(chart, i, levels, &cols[k]);
			else if (chart->kind == CHART_LINE)
				line_column(chart, i, levels, &cols[k]);
			else if (chart->kind == CHART_TICKS)
				ticks_column(chart, i, levels, &cols[k]);
			else
				stack_column(chart, i, levels, &cols[k]);
		}
		for (int y = 0; y < area.h; y++)
			braille_cell(c, area.x, area.y + y, x, cols,
				     (area.h - 1 - y) * BRAILLE_LEVELS);
	}
}

static void draw_stack(struct canvas *c, struct rect area, const struct chart *chart)
{
	const struct glyph_set *set = glyph_set(chart->glyphs);

	for (int x = 0; x < area.w; x++) {
		struct column col = { .n = 0 };

		if (chart->kind == CHART_TICKS)
			ticks_column(chart, (size_t)x, area.h * set->levels, &col);
		else
			stack_column(chart, (size_t)x, area.h * set->levels, &col);
		block_column(c, (struct rect){ area.x + x, area.y, 1, area.h }, set, &col, false);
	}
}

/* A mirror in one row can only say which sides there are. */
static void mirror_row(struct canvas *c, int x, int y, const struct chart *chart, size_t i)
{
	struct value up = value_at(chart, 0, i), down = value_at(chart, 1, i);
	bool is_up = up.known && up.max > 0, is_down = down.known && down.max > 0;
	size_t series = !up.known || (is_down && (!is_up || down.max > up.max));

	canvas_put(c, x, y, glyph_set(chart->glyphs)->both[is_up + 2 * is_down],
		   chart->series[series].role);
}

static void draw_mirror(struct canvas *c, struct rect area, const struct chart *chart)
{
	const struct glyph_set *set = glyph_set(chart->glyphs);
	int half = area.h / 2;
	bool odd = area.h % 2;
	int base = odd ? 0 : set->zero;	/* the line has a row, or the lowest level above it */
	int n = half * set->levels - base;

	for (int x = 0; x < area.w; x++) {
		struct rect top = { area.x + x, area.y, 1, half };
		struct rect bottom = { area.x + x, area.y + area.h - half, 1, half };
		struct column up = { .n = 0 }, down = { .n = 0 };
		bool known = value_at(chart, 0, (size_t)x).known;
		enum role role = chart->series[known || chart->nseries < 2 ? 0 : 1].role;

		if (!known && !value_at(chart, 1, (size_t)x).known)
			continue;
		if (half == 0) {
			mirror_row(c, area.x + x, area.y, chart, (size_t)x);
			continue;
		}
		side_column(chart, 0, (size_t)x, base, n, &up);
		side_column(chart, 1, (size_t)x, 0, n, &down);
		if (up.n)
			up.span[0].low = 0;
		else if (!odd)
			add_base(&up, set, role);
		if (odd)
			canvas_put(c, area.x + x, area.y + half, set->rule, role);
		block_column(c, top, set, &up, false);
		block_column(c, bottom, set, &down, true);
	}
}

/* One step of a line: from where it was in the column before to where it is. */
static void line_step(struct canvas *c, int x, int bottom, int old, int now, enum role role,
		      const struct glyph_set *set)
{
	if (now == old) {
		canvas_put(c, x, bottom - now, set->flat, role);
		return;
	}
	canvas_put(c, x, bottom - old, now > old ? set->left_up : set->left_down, role);
	canvas_put(c, x, bottom - now, now > old ? set->down_right : set->up_right, role);
	for (int row = (now < old ? now : old) + 1; row < (now > old ? now : old); row++)
		canvas_put(c, x, bottom - row, set->vertical, role);
}

/* The maxima of a series above its line. */
static void draw_above(struct canvas *c, struct rect area, const struct chart *chart, size_t s)
{
	int n = area.h - 1;

	for (int x = 0; x < area.w; x++) {
		struct value v = value_at(chart, s, (size_t)x);
		int max = v.known ? level_of(chart, v.max, n) : 0;

		if (v.known && max > level_of(chart, v.mean, n))
			canvas_put(c, area.x + x, area.y + n - max, glyph_set(chart->glyphs)->above,
				   chart->series[s].peak);
	}
}

static void draw_line(struct canvas *c, struct rect area, const struct chart *chart, size_t s)
{
	const struct glyph_set *set = glyph_set(chart->glyphs);
	enum role role = chart->series[s].role;
	struct value before = { .known = false };
	int n = area.h - 1, bottom = area.y + n;

	for (int x = 0; x < area.w; x++) {
		struct value v = value_at(chart, s, (size_t)x);
		int now = v.known ? level_of(chart, v.mean, n) : 0;
		int old = before.known ? level_of(chart, before.mean, n) : now;

		before = v;
		if (v.known)
			line_step(c, area.x + x, bottom, old, now, role, set);
		if (v.known && n == 0 && !(v.max > 0))
			canvas_put(c, area.x + x, bottom, set->flat_zero, role);
	}
}

static void draw_lines(struct canvas *c, struct rect area, const struct chart *chart)
{
	for (size_t s = 0; s < chart->nseries; s++)
		draw_above(c, area, chart, s);
	for (size_t s = 0; s < chart->nseries; s++)
		draw_line(c, area, chart, s);
}

/* The darkest shade among the numbers of a cell; -1 when there is none. */
static int shade_of(const struct chart *chart, size_t series, int x)
{
	int columns = glyph_set(chart->glyphs)->columns, shade = -1;

	for (int k = 0; k < columns; k++) {
		struct value v = value_at(chart, series, (size_t)(x * columns + k));
		int level = v.known ? level_of(chart, v.max, GLYPH_SHADES) : -1;

		shade = level > shade ? level : shade;
	}
	return shade;
}

static void draw_strips(struct canvas *c, struct rect area, const struct chart *chart)
{
	for (int s = 0; s < (int)chart->nseries && s < area.h; s++)
		for (int x = 0; x < area.w; x++) {
			int shade = shade_of(chart, (size_t)s, x);

			if (shade >= 0)
				canvas_put(c, area.x + x, area.y + s,
					   glyph_set(chart->glyphs)->shade[shade],
					   chart->series[s].role);
		}
}

void chart_draw(struct canvas *c, struct rect area, const struct chart *chart)
{
	struct chart first;

	if (area.w <= 0 || area.h <= 0 || chart->nseries == 0)
		return;
	first = *chart;
	if (first.nseries > CHART_SERIES_MAX)
		first.nseries = CHART_SERIES_MAX;
	if (first.kind == CHART_AREA)
		first.nseries = 1;
	if (first.kind == CHART_STRIP) {
		draw_strips(c, area, &first);
		return;
	}
	if (first.glyphs == GLYPHS_BRAILLE) {
		draw_braille(c, area, &first);
		return;
	}
	switch (first.kind) {
	case CHART_AREA: case CHART_STACK: case CHART_TICKS:
		draw_stack(c, area, &first);
		break;
	case CHART_MIRROR:
		draw_mirror(c, area, &first);
		break;
	case CHART_LINE:
		draw_lines(c, area, &first);
		break;
	case CHART_STRIP:
		break;
	}
}

void chart_bar(struct canvas *c, int x, int y, int w, double fraction, enum role role,
	       enum glyphs g)
{
	const struct glyph_set *set = glyph_set(g);
	int steps;

	if (w <= 0 || !(fraction > 0))
		return;
	steps = (int)lround(fmin(fraction, 1) * w * set->bar_steps);
	if (steps == 0)
		steps = 1;
	for (int i = 0; i * set->bar_steps < steps; i++) {
		int part = steps - i * set->bar_steps;

		canvas_put(c, x + i, y, set->bar[part < set->bar_steps ? part : set->bar_steps],
			   role);
	}
}
