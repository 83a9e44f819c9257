/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/panel.h"

#include <stdio.h>
#include <string.h>

#include "src/text.h"

bool panel_is_chart(const struct panel *p)
{
	return !p->draw;
}

/* ---- The title ---- */

/* The number of a readout in words and its role; false when there is nothing to say. */
static bool readout_value(const struct view *v, const struct readout *ro, char *buf, size_t size,
			  enum role *role)
{
	double number;
	enum why why;

	*role = ro->role == ROLE_ALARM && ro->text ? ROLE_ALARM : ROLE_BOLD;
	if (ro->text)
		return ro->text(v, ro->which, buf, size);
	if (view_value(v, ro->metric, &number, &why)) {
		view_format(ro->metric, number, buf, size);
	} else {
		text_copy(buf, size, why == WHY_IDLE ? "-" : "n/a");
		*role = ROLE_NA;
	}
	return true;
}

/* One number with its label, if all of it fits before `end`. Returns the columns used, 0 if not. */
static int draw_readout(const struct readout *ro, const char *value, enum role role,
			struct canvas *c, int x, int y, int end)
{
	int w = text_columns(ro->label) + (*ro->label ? 1 : 0) + text_columns(value) + 1;

	if (w > end - x)
		return 0;
	if (*ro->label)
		x += canvas_printf(c, x, y, end - x, ro->role, "%s ", ro->label);
	x += canvas_printf(c, x, y, end - x, role, "%s", value);
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
		const struct readout *ro = &p->readouts[i];
		char value[48];
		enum role role;
		int w;

		if (!readout_value(v, ro, value, sizeof(value), &role))
			continue;
		w = draw_readout(ro, value, role, c, x, y, end);
		if (!w && y != bottom) {
			y = bottom;
			x = r.x + 2;
			canvas_put(c, x++, y, ' ', ROLE_FRAME);
			w = draw_readout(ro, value, role, c, x, y, end);
		}
		if (!w)
			break;
		x += w;
	}
}

/* ---- The body ---- */

/*
 * The panel itself, or where its source cannot be had the one that stands in for it, and why the
 * panel itself cannot be shown.
 */
static const struct panel *panel_shown(const struct view *v, const struct panel *p, char *why,
				       size_t size)
{
	const struct session *s = v->session;
	enum metric m = p->lanes ? p->lanes[0].series[0].metric : 0;
	char reason[200];
	enum why state;

	*why = '\0';
	if (!p->without || !s->have_last)
		return p;
	state = (enum why)s->last.source_why[metric_info(m)->source];
	if (state != WHY_NO_SOURCE && state != WHY_DENIED && state != WHY_FAILED)
		return p;
	snprintf(why, size, "%s %s: %s", p->name, why_short(state),
		 why_text(state, m, reason, sizeof(reason)));
	return p->without;
}

static void draw_charts(const struct view *v, const struct panel *p, struct canvas *c,
			struct rect inner, const char *why)
{
	struct rect top = { inner.x + 1, inner.y, inner.w - 2, inner.h > 3 ? inner.h - 2 : 1 };
	int lines = *why ? canvas_wrap(c, top, ROLE_NA, why) : 0;

	inner.y += lines;
	inner.h -= lines;
	if (inner.h > 0)
		lanes_draw(v, p->lanes, p->nlanes, c, inner, p->note ? p->note(v) : NULL);
}

void panel_draw(const struct view *v, const struct panel *p, struct canvas *c, struct rect r,
		bool focused)
{
	struct rect inner = { r.x + 1, r.y + 1, r.w - 2, r.h - 2 };
	struct view unscrolled = *v;
	char why[280];

	if (r.w < 4 || r.h < 3)
		return;
	p = panel_shown(v, p, why, sizeof(why));
	unscrolled.scroll = 0;	/* scrolling is the focused panel's */
	canvas_box(c, r, focused ? ROLE_FRAME_FOCUS : ROLE_FRAME, v->glyphs == GLYPHS_ASCII);
	draw_title(v, p, c, r, focused);
	if (p->draw)
		p->draw(focused && !v->help ? v : &unscrolled, c, inner);
	else
		draw_charts(v, p, c, inner, why);
}
