/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/lane.h"

#include <stdio.h>
#include <string.h>

#include "src/text.h"

enum { AXIS_WIDTH = 7, AXIS_LEAST = 30, COLUMNS_MAX = 1024, REASON_SIZE = 240 };

int lane_axis_width(int w)
{
	return w >= AXIS_LEAST ? AXIS_WIDTH : 0;
}

/* ---- Numbers ---- */

/* Values of nested series become the parts that each adds to the one before it. */
static void unnest(struct history_column *inner, struct history_column *outer, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct history_column *o = &outer[i], *in = &inner[i];

		if (!o->n || !in->n)
			continue;
		o->mean = o->mean > in->mean ? o->mean - in->mean : 0;
		o->max = o->max > in->max ? o->max - in->max : 0;
		o->min = o->min > in->min ? o->min - in->min : 0;
	}
}

/*
 * The columns of a lane's series, and for the scale as many before them, and their sum. On the
 * stack: drawing allocates nothing.
 */
struct lane_data {
	/* As many columns of lookback, then what is shown. */
	struct history_column cols[LANE_SERIES_MAX][2 * COLUMNS_MAX];
	struct history_column sum[2 * COLUMNS_MAX];
	size_t n;
};

/* Puts the maxima of another metric above the means of a series; `most` is room for its columns. */
static void load_most(const struct view *v, enum metric m, int64_t t0, int64_t width,
		      struct history_column *cols, struct history_column *most, size_t n)
{
	history_window(v->session->history, m, t0, width, most, n);
	for (size_t i = 0; i < n; i++)
		if (most[i].n && most[i].max > cols[i].max)
			cols[i].max = most[i].max;
}

static void data_load(const struct view *v, const struct lane *l, size_t n, struct lane_data *d)
{
	int64_t t0, width, first;

	d->n = n;
	view_columns(v, n, &t0, &width);
	first = t0 - (int64_t)n * width;
	for (size_t i = 0; i < l->nseries; i++) {
		const struct lane_series *s = &l->series[i];

		history_window(v->session->history, s->metric, first, width, d->cols[i], 2 * n);
		if (s->peaked)
			load_most(v, s->most, first, width, d->cols[i], d->sum, 2 * n);
	}
	if (l->stacking == STACKING_NESTED)
		for (size_t i = l->nseries - 1; i > 0; i--)
			unnest(d->cols[i - 1], d->cols[i], 2 * n);
}

/* Sums of stacked series by column, so that the ceiling holds all of them. */
static void data_sum(const struct lane *l, struct lane_data *d)
{
	memset(d->sum, 0, 2 * d->n * sizeof(*d->sum));
	for (size_t s = 0; s < l->nseries; s++)
		for (size_t i = 0; i < 2 * d->n; i++) {
			const struct history_column *col = &d->cols[s][i];

			if (!col->n)
				continue;
			d->sum[i].n = 1;
			d->sum[i].mean += col->mean;
			d->sum[i].max += col->max;
			d->sum[i].min += col->min;
		}
}

static struct scale series_scale(const struct view *v, const struct lane *l,
				 const struct lane_data *d)
{
	enum metric first = l->series[0].metric;
	double factor = metric_base_factor(first), pinned = l->pinned, total;
	enum unit_class unit = metric_class(first);
	bool log = v->log || l->log_floor > 0;
	struct scale scale;
	enum why why;

	if (l->of_total && view_value(v, l->total, &total, &why) && total > 0)
		pinned = total * metric_base_factor(l->total);
	if (l->stacking != STACKING_NONE)
		return scale_for(d->sum + d->n, d->n, d->sum, d->n, unit, factor, log, pinned);
	scale = scale_for(d->cols[0] + d->n, d->n, d->cols[0], d->n, unit, factor, log, pinned);
	for (size_t i = 1; i < l->nseries; i++)
		scale = scale_join(scale, scale_for(d->cols[i] + d->n, d->n, d->cols[i], d->n, unit,
						    factor, log, pinned));
	return scale;
}

static struct scale lane_scale(const struct view *v, const struct lane *l, struct lane_data *d)
{
	struct scale scale;

	if (l->stacking != STACKING_NONE)
		data_sum(l, d);
	scale = series_scale(v, l, d);
	if (l->log_floor <= 0)
		return scale;
	scale.floor = l->log_floor;
	if (scale.ceiling < 10 * scale.floor)
		scale.ceiling = 10 * scale.floor;
	return scale;
}

static bool is_blank(const struct lane *l, const struct lane_data *d)
{
	for (size_t s = 0; s < l->nseries; s++)
		for (size_t i = d->n; i < 2 * d->n; i++)
			if (d->cols[s][i].n)
				return false;
	return true;
}

/* ---- The axis, and what stands over all lanes ---- */

static void axis_text(struct canvas *c, struct rect axis, int y, const char *text)
{
	canvas_printf(c, axis.x, axis.y + y, axis.w - 1, ROLE_AXIS, "%*s", axis.w - 1, text);
	canvas_put(c, axis.x + axis.w - 1, axis.y + y, 0x2524, ROLE_FRAME);	/* ┤ */
}

void lane_axis(struct canvas *c, struct rect axis, const char *ceiling, const char *label,
	       bool mirror)
{
	int bottom = axis.h - 1;

	for (int y = 0; y <= bottom; y++)
		canvas_put(c, axis.x + axis.w - 1, axis.y + y, 0x2502, ROLE_FRAME);	/* │ */
	axis_text(c, axis, 0, label && !bottom ? label : ceiling);
	if (mirror && axis.h > 2) {
		axis_text(c, axis, axis.h / 2, "0");
		axis_text(c, axis, bottom, ceiling);
	} else if (bottom) {
		axis_text(c, axis, bottom, label && bottom == 1 ? label : "0");
		if (label && bottom > 1)
			canvas_printf(c, axis.x, axis.y + (bottom + 1) / 2, axis.w - 1, ROLE_DIM,
				      "%*s", axis.w - 1, label);
	}
}

static uint32_t event_glyph(const struct view *v, const struct event *e, enum role *role)
{
	switch (e->kind) {
	case EVENT_MARK: case EVENT_WORKLOAD:
		*role = ROLE_MARK;
		if (v->glyphs == GLYPHS_BRAILLE && e->number <= 20)
			return 0x2460 + e->number - 1;	/* ① */
		return '0' + e->number % 10;
	case EVENT_OOM:
		*role = ROLE_ALARM;
		return '!';
	case EVENT_GAP:
		*role = ROLE_WARN;
		return '~';
	case EVENT_UNDERRUN:
		*role = ROLE_WARN;
		return v->glyphs == GLYPHS_ASCII ? '\'' : 0x2575;	/* ╵ */
	case EVENT_MACHINE: case EVENT_SOURCE: case EVENT_KINDS:
		break;
	}
	return 0;
}

/* Marks and kills stand in the chart's top row, with a thin line through what is blank below. */
static void draw_events(const struct view *v, struct canvas *c, struct rect area)
{
	const struct events *events = &v->session->events;

	for (size_t i = 0; i < events->count; i++) {
		const struct event *e = events_get(events, i);
		int x = view_cell(v, area.w, e->t_ns);
		enum role role;
		uint32_t glyph = x < 0 ? 0 : event_glyph(v, e, &role);

		if (!glyph)
			continue;
		/* Of the many underruns only the tick on top. */
		for (int y = 1; y < area.h && e->kind != EVENT_UNDERRUN; y++) {
			const struct cell *cell = canvas_at(c, area.x + x, area.y + y);

			if (cell && cell->ch == ' ')
				canvas_put(c, area.x + x, area.y + y,
					   v->glyphs >= GLYPHS_HALF ? ':' : 0x250a, role);	/* ┊ */
		}
		canvas_put(c, area.x + x, area.y, glyph, role);
	}
}

static void draw_cursor(const struct view *v, struct canvas *c, struct rect area)
{
	int x = v->frozen ? view_cell(v, area.w, v->cursor_ns) : -1;

	if (x < 0)
		return;
	for (int y = 0; y < area.h; y++) {
		const struct cell *cell = canvas_at(c, area.x + x, area.y + y);

		if (cell && cell->ch == ' ')
			canvas_put(c, area.x + x, area.y + y,
				   v->glyphs == GLYPHS_ASCII ? '|' : 0x2502, ROLE_CURSOR);
	}
	canvas_tint(c, (struct rect){ area.x + x, area.y, 1, area.h }, ROLE_CURSOR);
}

/* ---- Lanes ---- */

/* Where nothing can be drawn, why: the reason of the first series at the moment being read. */
static void draw_reason(const struct view *v, const struct lane *l, struct canvas *c,
			struct rect area, char *said)
{
	enum metric m = l->series[0].metric;
	char text[REASON_SIZE], reason[200];
	double value;
	enum why why;

	if (view_value(v, m, &value, &why) || (v->frozen && why == WHY_IDLE))
		return;
	snprintf(text, sizeof(text), "%s: %s", why_short(why), why_text(why, m, reason, sizeof(reason)));
	if (!strcmp(text, said))
		return;
	text_copy(said, REASON_SIZE, text);
	canvas_wrap(c, (struct rect){ area.x + 1, area.y + area.h / 3, area.w - 2,
				      area.h - area.h / 3 }, ROLE_NA, text);
}

/* Returns whether there was anything to draw. */
static bool draw_lane(const struct view *v, const struct lane *l, struct canvas *c, struct rect area,
		      int axis)
{
	size_t n = (size_t)(area.w * chart_columns_per_cell(v->glyphs));
	struct chart_series series[LANE_SERIES_MAX];
	struct lane_data data;
	struct chart chart;
	char ceiling[16];

	data_load(v, l, n, &data);
	for (size_t i = 0; i < l->nseries; i++)
		series[i] = (struct chart_series){
			.cols = data.cols[i] + n, .role = l->series[i].role, .peak = l->series[i].peak,
			.factor = metric_base_factor(l->series[i].metric),
		};
	chart = (struct chart){
		.kind = l->kind, .glyphs = v->glyphs, .scale = lane_scale(v, l, &data),
		.series = series, .nseries = l->nseries, .ncols = n,
	};
	scale_text(&chart.scale, metric_is_rate(l->series[0].metric), ceiling, sizeof(ceiling));
	if (axis)
		lane_axis(c, (struct rect){ area.x - axis, area.y, axis, area.h }, ceiling, l->label,
			  l->kind == CHART_MIRROR);
	chart_draw(c, area, &chart);
	return !is_blank(l, &data);
}

static int least_rows(const struct lane *l)
{
	return l->least ? l->least : 1;
}

/* How many lanes fit into h rows, and the rows of each; what does not divide goes to the first. */
static size_t lanes_fit(const struct lane *lanes, size_t n, int h, int *rows)
{
	int used = 0, shares = 0, left;
	size_t fit = 0;

	while (fit < n && used + least_rows(&lanes[fit]) <= h) {
		used += least_rows(&lanes[fit]);
		shares += lanes[fit++].share;
	}
	if (!fit) {
		rows[0] = h;
		return 1;
	}
	left = h - used;
	for (size_t i = 0; i < fit; i++) {
		rows[i] = least_rows(&lanes[i]) + (shares ? (h - used) * lanes[i].share / shares : 0);
		left -= rows[i] - least_rows(&lanes[i]);
	}
	rows[0] += left;
	return fit;
}

void lanes_draw(const struct view *v, const struct lane *lanes, size_t n, struct canvas *c,
		struct rect inner, const char *note)
{
	int axis = lane_axis_width(inner.w), most = COLUMNS_MAX / chart_columns_per_cell(v->glyphs);
	struct rect all = { inner.x + axis, inner.y, inner.w - axis, inner.h }, area;
	int rows[LANES_MAX];
	bool blank[LANES_MAX];
	char said[REASON_SIZE] = "";

	if (all.w > most)
		all.w = most;
	n = lanes_fit(lanes, n, inner.h, rows);
	area = all;
	for (size_t i = 0; i < n; i++, area.y += area.h) {
		area.h = rows[i];
		blank[i] = !draw_lane(v, &lanes[i], c, area, axis);
	}
	draw_events(v, c, all);
	draw_cursor(v, c, all);
	if (note)
		canvas_wrap(c, (struct rect){ all.x + 1, all.y + all.h / 3, all.w - 2,
					      all.h > 1 ? 2 : 1 }, ROLE_DIM, note);
	area = all;
	for (size_t i = 0; i < n && !note; i++, area.y += area.h) {
		area.h = rows[i];
		if (blank[i])
			draw_reason(v, &lanes[i], c, area, said);
	}
}
