/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of a session is looked at, and how: everything a page needs to draw itself. Pages are pure
 * functions from a view onto a canvas; only commands (command.h) change a view.
 */
#ifndef VMTOP_VIEW_H
#define VMTOP_VIEW_H

#include "src/session.h"
#include "ui/canvas.h"
#include "ui/chart.h"

struct view {
	const struct session *session;
	enum glyphs glyphs;
	int64_t now_ns;		/* CLOCK_MONOTONIC of this frame: how old the latest sample is */
	int page;		/* index into the page table */
	int focus;		/* panel of the page */
	bool maximised;		/* the focused panel alone */
	bool frozen;		/* the picture stands still while sampling goes on */
	int64_t end_ns;		/* right edge when frozen */
	int64_t cursor_ns;	/* the moment being read when frozen */
	int64_t window_ns;	/* width of the time axis */
	bool log;		/* logarithmic value axes */
	bool help;
	int scroll;		/* of help, tables and output: lines from their start (output: end) */
	bool prompting;
	char prompt_label[24], prompt_text[120];
	char message[160];	/* answer to the last command, or "" */
	enum role message_role;
	char theme[32];
};

/* A view of a session: page 1, live, a minute wide. */
void view_init(struct view *v, const struct session *s, enum glyphs glyphs);

/* The time the right edge shows: the latest sample, or later when none came for two intervals. */
int64_t view_end_ns(const struct view *v);

/* The moment whose numbers the titles show: the cursor when frozen, else the latest sample. */
int64_t view_read_ns(const struct view *v);

/*
 * The time axis for a chart of ncols columns. Columns stand on a fixed grid of time, so that a chart
 * moves on by whole columns. Every chart of one width on a page has the same.
 */
void view_columns(const struct view *v, size_t ncols, int64_t *t0_ns, int64_t *width_ns);

/* The chart cell that shows time t_ns in a chart w cells wide; -1 when it is outside. */
int view_cell(const struct view *v, int w, int64_t t_ns);

/* Value of a metric at the moment being read; false and a reason when there is none. */
bool view_value(const struct view *v, enum metric m, double *value, enum why *why);

/* A row value with its unit in few columns: "12.3M/s", "812/s", "41%", "2.4x". */
const char *view_format(enum metric m, double value, char *buf, size_t size);

#endif
