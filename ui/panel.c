/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/panel.h"

#include <stdio.h>
#include <string.h>

#include "src/text.h"

enum { AXIS_WIDTH = 7, AXIS_LEAST = 30, COLUMNS_MAX = 1024 };

bool panel_is_chart(const struct panel *p)
{
	return !p->draw;
}

int panel_axis_width(int w)
{
	return w >= AXIS_LEAST ? AXIS_WIDTH : 0;
}

/* One number with its label, if all of it fits before `end`. Returns the columns used, 0 if not. */
static int draw_readout(const struct view *v, const struct readout *ro, struct canvas *c, int x, int y,
			int end)
{
	char value[24];
	double number;
	enum why why;
	bool have = view_value(v, ro->metric, &number, &why);
	int w;

	if (have)
		view_format(ro->metric, number, value, sizeof(value));
	else
		text_copy(value, sizeof(value), why == WHY_IDLE ? "-" : "n/a");
	w = text_columns(ro->label) + 1 + text_columns(value) + 1;
	if (w > end - x)
		return 0;
	x += canvas_printf(c, x, y, end - x, ro->role, "%s ", ro->label);
	x += canvas_printf(c, x, y, end - x, have ? ROLE_BOLD : ROLE_NA, "%s", value);
	canvas_put(c, x, y, ' ', ROLE_FRAME);
	return w;
}

/*
 * " name label value label value " in the upper edge; numbers for which there is no room stand in
 * the lower edge, and those that do not fit there either are left out.
 */
static void draw_title(const struct view *v, const struct panel *p, struct canvas *c, struct rect r,
		       bool focused)
{
	int x = r.x + 2, y = r.y, end = r.x + r.w - 2, bottom = r.y + r.h - 1;
	char text[160] = "";

	x += canvas_printf(c, x, y, end - x, focused ? ROLE_FRAME_FOCUS : ROLE_TITLE, " %s ", p->name);
	if (p->title) {
		p->title(v, text, sizeof(text));
		if (*text)
			canvas_printf(c, x, y, end - x, ROLE_BOLD, "%s ", text);
		return;
	}
	for (size_t i = 0; i < p->nreadouts; i++) {
		int w = draw_readout(v, &p->readouts[i], c, x, y, end);

		if (!w && y != bottom) {
			y = bottom;
			x = r.x + 2;
			canvas_put(c, x++, y, ' ', ROLE_FRAME);
			w = draw_readout(v, &p->readouts[i], c, x, y, end);
		}
		if (!w)
			break;
		x += w;
	}
}

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
 * The columns of a panel's series, and for the scale as many before them, and their sum. On the
 * stack: drawing allocates nothing.
 */
struct panel_data {
	struct history_column cols[PANEL_SERIES_MAX][2 * COLUMNS_MAX];	/* lookback, then what is shown */
	struct history_column sum[2 * COLUMNS_MAX];
	size_t n;
};

static void data_load(const struct view *v, const struct panel *p, size_t n, struct panel_data *d)
{
	int64_t t0, width;

	d->n = n;
	view_columns(v, n, &t0, &width);
	for (size_t i = 0; i < p->nseries; i++) {
		history_window(v->session->history, p->series[i].metric,
			       t0 - (int64_t)n * width, width, d->cols[i], 2 * n);
	}
	if (p->stacking == STACKING_NESTED)
		for (size_t i = p->nseries - 1; i > 0; i--)
			unnest(d->cols[i - 1], d->cols[i], 2 * n);
}

/* Sums of stacked series by column, so that the ceiling holds all of them. */
static void data_sum(const struct panel *p, struct panel_data *d)
{
	memset(d->sum, 0, 2 * d->n * sizeof(*d->sum));
	for (size_t s = 0; s < p->nseries; s++)
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

static struct scale panel_scale(const struct view *v, const struct panel *p, struct panel_data *d)
{
	enum metric first = p->series[0].metric;
	double factor = metric_base_factor(first), pinned = p->pinned, total;
	enum unit_class unit = metric_class(first);
	struct scale scale;
	enum why why;

	if (p->of_total && view_value(v, p->total, &total, &why) && total > 0)
		pinned = total * metric_base_factor(p->total);
	if (p->stacking != STACKING_NONE) {
		data_sum(p, d);
		return scale_for(d->sum + d->n, d->n, d->sum, d->n, unit, factor, v->log, pinned);
	}
	scale = scale_for(d->cols[0] + d->n, d->n, d->cols[0], d->n, unit, factor, v->log, pinned);
	for (size_t i = 1; i < p->nseries; i++)
		scale = scale_join(scale, scale_for(d->cols[i] + d->n, d->n, d->cols[i], d->n, unit,
						    factor, v->log, pinned));
	return scale;
}

static void draw_axis(const struct panel *p, struct canvas *c, struct rect axis,
		      const struct scale *scale)
{
	char text[16];
	int middle = axis.y + axis.h / 2, bottom = axis.y + axis.h - 1;

	scale_text(scale, metric_is_rate(p->series[0].metric), text, sizeof(text));
	for (int y = axis.y; y <= bottom; y++)
		canvas_put(c, axis.x + axis.w - 1, y, 0x2502, ROLE_FRAME);	/* │ */
	canvas_printf(c, axis.x, axis.y, axis.w - 1, ROLE_AXIS, "%*s", axis.w - 1, text);
	canvas_put(c, axis.x + axis.w - 1, axis.y, 0x2524, ROLE_FRAME);	/* ┤ */
	if (p->kind == CHART_MIRROR && axis.h > 2) {
		canvas_printf(c, axis.x, middle, axis.w - 1, ROLE_AXIS, "%*s", axis.w - 1, "0");
		canvas_printf(c, axis.x, bottom, axis.w - 1, ROLE_AXIS, "%*s", axis.w - 1, text);
		canvas_put(c, axis.x + axis.w - 1, middle, 0x2524, ROLE_FRAME);
		canvas_put(c, axis.x + axis.w - 1, bottom, 0x2524, ROLE_FRAME);
	} else if (axis.h > 1) {
		canvas_printf(c, axis.x, bottom, axis.w - 1, ROLE_AXIS, "%*s", axis.w - 1, "0");
		canvas_put(c, axis.x + axis.w - 1, bottom, 0x2524, ROLE_FRAME);
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
		for (int y = 1; y < area.h; y++) {
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

/* Where nothing can be drawn, why: the reason of the first series at the moment being read. */
static void draw_reason(const struct view *v, const struct panel *p, struct canvas *c,
			struct rect area, const struct panel_data *d)
{
	enum metric m = p->series[0].metric;
	char text[240], reason[200];
	double value;
	enum why why;

	for (size_t s = 0; s < p->nseries; s++)
		for (size_t i = d->n; i < 2 * d->n; i++)
			if (d->cols[s][i].n)
				return;
	if (view_value(v, m, &value, &why) || (v->frozen && why == WHY_IDLE))
		return;
	snprintf(text, sizeof(text), "%s: %s", why_short(why), why_text(why, m, reason, sizeof(reason)));
	canvas_wrap(c, (struct rect){ area.x + 1, area.y + area.h / 3, area.w - 2,
				      area.h - area.h / 3 }, ROLE_NA, text);
}

static void draw_chart(const struct view *v, const struct panel *p, struct canvas *c,
		       struct rect inner)
{
	int axis = panel_axis_width(inner.w);
	struct rect area = { inner.x + axis, inner.y, inner.w - axis, inner.h };
	size_t n = (size_t)(area.w * chart_columns_per_cell(v->glyphs));
	struct chart_series series[PANEL_SERIES_MAX];
	struct panel_data data;
	struct chart chart;

	if (n > COLUMNS_MAX) {
		area.w = COLUMNS_MAX / chart_columns_per_cell(v->glyphs);
		n = COLUMNS_MAX;
	}
	data_load(v, p, n, &data);
	for (size_t i = 0; i < p->nseries; i++)
		series[i] = (struct chart_series){
			.cols = data.cols[i] + n, .role = p->series[i].role, .peak = p->series[i].peak,
			.factor = metric_base_factor(p->series[i].metric),
		};
	chart = (struct chart){
		.kind = p->kind, .glyphs = v->glyphs, .scale = panel_scale(v, p, &data),
		.series = series, .nseries = p->nseries, .ncols = n,
	};
	if (axis)
		draw_axis(p, c, (struct rect){ inner.x, inner.y, axis, inner.h }, &chart.scale);
	chart_draw(c, area, &chart);
	draw_events(v, c, area);
	draw_cursor(v, c, area);
	draw_reason(v, p, c, area, &data);
}

void panel_draw(const struct view *v, const struct panel *p, struct canvas *c, struct rect r,
		bool focused)
{
	struct rect inner = { r.x + 1, r.y + 1, r.w - 2, r.h - 2 };
	struct view unscrolled = *v;

	if (r.w < 4 || r.h < 3)
		return;
	unscrolled.scroll = 0;	/* scrolling is the focused panel's */
	canvas_box(c, r, focused ? ROLE_FRAME_FOCUS : ROLE_FRAME, v->glyphs == GLYPHS_ASCII);
	draw_title(v, p, c, r, focused);
	if (p->draw)
		p->draw(focused && !v->help ? v : &unscrolled, c, inner);
	else
		draw_chart(v, p, c, inner);
}
