/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view.h"

#include <stdio.h>
#include <string.h>

#include "src/text.h"

enum { NS_PER_S = 1000000000 };

void view_init(struct view *v, const struct session *s, enum glyphs glyphs)
{
	memset(v, 0, sizeof(*v));
	v->session = s;
	v->glyphs = glyphs;
	v->window_ns = 60LL * NS_PER_S;
	v->message_role = ROLE_MESSAGE;
}

int64_t view_end_ns(const struct view *v)
{
	int64_t last = history_last_ns(v->session->history);

	if (v->frozen)
		return v->end_ns;
	if (v->now_ns - last > 2 * v->session->interval_ns && last)
		return v->now_ns;
	return last;
}

int64_t view_read_ns(const struct view *v)
{
	return v->frozen ? v->cursor_ns : history_last_ns(v->session->history);
}

void view_columns(const struct view *v, size_t ncols, int64_t *t0_ns, int64_t *width_ns)
{
	int64_t width = v->window_ns / (int64_t)(ncols ? ncols : 1);
	int64_t end = view_end_ns(v), middle = end - v->session->interval_ns / 2;
	int64_t last;

	if (width < 1)
		width = 1;
	/*
	 * The last column is the one whose own middle is past, so that it is not half in the future;
	 * or, where columns are wider than samples, the one that holds the newest sample.
	 */
	last = (end - width / 2) / width;
	if (middle / width > last)
		last = middle / width;
	*width_ns = width;
	*t0_ns = (last - (int64_t)ncols + 1) * width;
}

int view_cell(const struct view *v, int w, int64_t t_ns)
{
	int per_cell = chart_columns_per_cell(v->glyphs);
	int64_t t0, width, x;

	view_columns(v, (size_t)(w * per_cell), &t0, &width);
	if (t_ns < t0 || t_ns > view_end_ns(v))
		return -1;
	x = (t_ns - t0) / width / per_cell;
	return x < w ? (int)x : w - 1;
}

bool view_value(const struct view *v, enum metric m, double *value, enum why *why)
{
	const struct session *s = v->session;
	struct history_column col;

	*why = WHY_ABSENT;
	if (!s->have_last) {
		*why = WHY_FIRST;
		return false;
	}
	if (!v->frozen) {
		*why = (enum why)s->now.why[m];
		*value = s->now.value[m];
		return *why == WHY_OK;
	}
	history_at(s->history, m, v->cursor_ns, &col);
	if (!col.n) {
		/* The past keeps no reasons: what is never there has today's, else there was no number. */
		*why = (enum why)s->now.why[m];
		if (*why != WHY_ABSENT && *why != WHY_NO_SOURCE && *why != WHY_DENIED)
			*why = WHY_IDLE;
		return false;
	}
	*value = col.mean;
	*why = WHY_OK;
	return true;
}

static const char *format_percent(double value, char *buf, size_t size)
{
	snprintf(buf, size, value > 0 && value < 9.95 ? "%.1f%%" : "%.0f%%", value);
	return buf;
}

const char *view_format(enum metric m, double value, char *buf, size_t size)
{
	double base = value * metric_base_factor(m);
	char number[24];

	switch (metric_class(m)) {
	case CLASS_BYTES:
		text_bytes(base, number, sizeof(number));
		break;
	case CLASS_COUNT:
		text_count(base, number, sizeof(number));
		break;
	case CLASS_PERCENT:
		return format_percent(value, buf, size);
	case CLASS_TIME:
		return text_duration((int64_t)(base * NS_PER_S), buf, size);
	case CLASS_RATIO:
		snprintf(buf, size, "%.1fx", value);
		return buf;
	}
	snprintf(buf, size, "%s%s", number, metric_is_rate(m) ? "/s" : "");
	return buf;
}
