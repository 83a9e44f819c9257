/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A grid of cells, each a character and a role. Pages draw on it; curses and the exporters read
 * it. It knows neither colours nor files nor terminals. Everything is clipped to the canvas.
 */
#ifndef VMTOP_CANVAS_H
#define VMTOP_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum role {
#define ROLE(symbol, name, meaning) ROLE_##symbol,
#include "ui/roles.def"
#undef ROLE
	ROLE_COUNT
};

struct cell {
	uint32_t ch;	/* code point; 0: right half of the wide character to the left */
	uint8_t role;	/* enum role */
};

struct canvas {
	int cols, rows;
	struct cell *cell;	/* row by row */
};

struct rect {
	int x, y, w, h;
};

void canvas_init(struct canvas *c, int cols, int rows);	/* dies when out of memory; blank */
void canvas_done(struct canvas *c);
void canvas_resize(struct canvas *c, int cols, int rows);	/* blank afterwards */
void canvas_clear(struct canvas *c);

/* One character of one column; outside the canvas nothing happens. */
void canvas_put(struct canvas *c, int x, int y, uint32_t ch, enum role role);

/* The cell at x, y, or NULL outside. */
const struct cell *canvas_at(const struct canvas *c, int x, int y);

/*
 * UTF-8 text in at most `columns` columns, cut at a character's edge; unsafe characters become the
 * replacement character, combining ones are left out. Returns the columns used.
 */
int canvas_text(struct canvas *c, int x, int y, int columns, enum role role, const char *text);
int canvas_printf(struct canvas *c, int x, int y, int columns, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

/* Text broken between words into the lines of r; the last line is cut with an ellipsis. Returns the lines used. */
int canvas_wrap(struct canvas *c, struct rect r, enum role role, const char *text);

void canvas_fill(struct canvas *c, struct rect r, uint32_t ch, enum role role);

/* Changes the role of what is there. */
void canvas_tint(struct canvas *c, struct rect r, enum role role);

/* A border along the inside edge of r: rounded lines, or + - | when ascii. */
void canvas_box(struct canvas *c, struct rect r, enum role role, bool ascii);

#endif
