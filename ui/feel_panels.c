/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The panels of how the machine feels (src/feel.h): what a key, a page, a file, memory waited for. */
#include <stdio.h>
#include <string.h>

#include "src/text.h"
#include "ui/panel.h"

enum { NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

static const char *wait_text(int64_t ns, char *buf, size_t size)
{
	if (ns >= NS_PER_S)
		return text_duration(ns, buf, size);
	snprintf(buf, size, "%.*fms", ns < 10 * NS_PER_MS ? 1 : 0, (double)ns / NS_PER_MS);
	return buf;
}

/* Below 10 ms nobody notices, below 100 ms hardly; from a second on it is stuck. */
static enum role wait_role(int64_t ns)
{
	if (ns >= NS_PER_S)
		return ROLE_ALARM;
	return ns >= 100 * NS_PER_MS ? ROLE_WARN : ns >= 10 * NS_PER_MS ? ROLE_TEXT : ROLE_OK;
}

bool feel_title(const struct view *v, int which, char *buf, size_t size)
{
	int64_t ns;

	if (!feel_figure(&v->session->feel, (enum feel_probe)(which / FEEL_FIELDS),
			 (enum feel_field)(which % FEEL_FIELDS), &ns))
		return false;
	text_copy(buf, size, wait_text(ns, buf, size));
	return true;
}

static const char *feel_note(const struct view *v)
{
	const struct feel *f = &v->session->feel;

	return f->on && !f->up ? f->why : NULL;
}

const struct panel panel_feel = {
	.name = "waits of a user",
	LANES({ .label = "key", .share = 1, .kind = CHART_AREA, .log_floor = 0.001,
		.nseries = 1, .series = { SERIES(feel_key, MARK, MARK) } },
	      { .label = "page", .share = 1, .kind = CHART_AREA, .log_floor = 0.001,
		.nseries = 1, .series = { SERIES(feel_page, SWAP_IN, SWAP_IN) } },
	      { .label = "file", .share = 1, .kind = CHART_AREA, .log_floor = 0.001,
		.nseries = 1, .series = { SERIES(feel_file, IO_IN, IO_IN) } },
	      { .label = "alloc", .share = 1, .kind = CHART_AREA, .log_floor = 0.001,
		.nseries = 1, .series = { SERIES(feel_alloc, DIRECT, DIRECT) } }),
	.note = feel_note,
	.nreadouts = 5,
	.readouts = { READOUT_TEXT("key", feel_title, FEEL_TITLE(FEEL_KEY, FEEL_LAST), MARK),
		      READOUT_TEXT("page", feel_title, FEEL_TITLE(FEEL_PAGE, FEEL_LAST), SWAP_IN),
		      READOUT_TEXT("file", feel_title, FEEL_TITLE(FEEL_FILE, FEEL_LAST), IO_IN),
		      READOUT_TEXT("alloc", feel_title, FEEL_TITLE(FEEL_ALLOC, FEEL_LAST), DIRECT),
		      READOUT_TEXT("timer", feel_title, FEEL_TITLE(FEEL_WAKE, FEEL_LAST), DIM) },
};

/* ---- The table ---- */

enum { COLUMN_WIDTH = 8, NAME_WIDTH = 7 };

static const struct {
	const char *head;
	enum feel_field field;
	bool seconds;		/* a sum, whose length is no wait */
} columns[] = {
	{ "last", FEEL_LAST, false }, { "p99", FEEL_P99, false }, { "worst", FEEL_WORST, false },
	{ ">100ms", FEEL_ABOVE_100MS, true }, { ">1s", FEEL_ABOVE_1S, true },
};

enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

static void draw_probe(const struct feel *f, enum feel_probe probe, struct canvas *c, int x, int y,
		       int w)
{
	const struct feel_state *s = &f->probe[probe];
	int end = x + w;

	x += canvas_printf(c, x, y, end - x, ROLE_DIM, "%-*s", NAME_WIDTH, feel_probe_name(probe));
	if (*s->state && strcmp(s->state, "ready") != 0) {
		canvas_printf(c, x, y, end - x, ROLE_NA, " %s%s%s", s->state, *s->reason ? ": " : "",
			      s->reason);
		return;
	}
	for (size_t i = 0; i < COLUMNS; i++) {
		char text[24] = "-";
		enum role role = ROLE_NA;
		int64_t ns;

		if (feel_figure(f, probe, columns[i].field, &ns)) {
			role = columns[i].seconds ? ns ? ROLE_WARN : ROLE_TEXT : wait_role(ns);
			text_copy(text, sizeof(text), columns[i].seconds && !ns ? "0" :
				  wait_text(ns, text, sizeof(text)));
		}
		x += canvas_printf(c, x, y, end - x, role, "%*s", COLUMN_WIDTH, text);
	}
}

static void draw_feel(const struct view *v, struct canvas *c, struct rect r)
{
	const struct feel *f = &v->session->feel;
	struct rect inside = { r.x + 1, r.y, r.w - 2, r.h };
	int x = r.x + 1 + NAME_WIDTH;

	if (!f->on || !f->up) {
		canvas_wrap(c, inside, ROLE_NA, !f->on ? "off: vmtop --feel on starts the probe" : f->why);
		return;
	}
	for (size_t i = 0; i < COLUMNS; i++)
		x += canvas_printf(c, x, r.y, r.x + r.w - x, ROLE_DIM, "%*s", COLUMN_WIDTH,
				   columns[i].head);
	for (int i = 0; i < FEEL_PROBES && i + 1 < r.h; i++)
		draw_probe(f, (enum feel_probe)i, c, r.x + 1, r.y + 1 + i, r.w - 2);
}

static void feel_panel_title(const struct view *v, char *buf, size_t size)
{
	const struct feel *f = &v->session->feel;
	char text[24];

	*buf = '\0';
	if (f->up && f->footprint_kib > 0)
		snprintf(buf, size, "takes %s itself",
			 text_bytes((double)f->footprint_kib * 1024, text, sizeof(text)));
}

const struct panel panel_feel_table = {
	.name = "feel", .draw = draw_feel, .title = feel_panel_title,
};
