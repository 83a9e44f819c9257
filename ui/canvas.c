/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/canvas.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/text.h"
#include "src/xalloc.h"

void canvas_init(struct canvas *c, int cols, int rows)
{
	*c = (struct canvas){ 0 };
	canvas_resize(c, cols, rows);
}

void canvas_done(struct canvas *c)
{
	free(c->cell);
	*c = (struct canvas){ 0 };
}

void canvas_resize(struct canvas *c, int cols, int rows)
{
	c->cols = cols > 0 ? cols : 0;
	c->rows = rows > 0 ? rows : 0;
	c->cell = xrealloc(c->cell, (size_t)c->cols * (size_t)c->rows + 1, sizeof(*c->cell));
	canvas_clear(c);
}

void canvas_clear(struct canvas *c)
{
	size_t n = (size_t)c->cols * (size_t)c->rows;

	for (size_t i = 0; i < n; i++)
		c->cell[i] = (struct cell){ .ch = ' ', .role = ROLE_TEXT };
}

static struct cell *cell_at(const struct canvas *c, int x, int y)
{
	if (x < 0 || y < 0 || x >= c->cols || y >= c->rows)
		return NULL;
	return &c->cell[(size_t)y * (size_t)c->cols + (size_t)x];
}

const struct cell *canvas_at(const struct canvas *c, int x, int y)
{
	return cell_at(c, x, y);
}

/* Sets a cell. The other half of a wide character that stood there becomes blank. */
static void cell_set(struct canvas *c, int x, int y, uint32_t ch, enum role role)
{
	struct cell *cell = cell_at(c, x, y);

	if (!cell)
		return;
	if (cell->ch == 0 && x > 0)
		cell[-1].ch = ' ';
	if (cell->ch != 0 && x + 1 < c->cols && cell[1].ch == 0)
		cell[1].ch = ' ';
	*cell = (struct cell){ .ch = ch, .role = (uint8_t)role };
}

void canvas_put(struct canvas *c, int x, int y, uint32_t ch, enum role role)
{
	cell_set(c, x, y, text_width(ch) == 1 ? ch : TEXT_REPLACEMENT, role);
}

/* A character of two columns; where one of them lies outside, the other is left blank. */
static void put_wide(struct canvas *c, int x, int y, uint32_t ch, enum role role)
{
	if (!cell_at(c, x, y) || !cell_at(c, x + 1, y)) {
		cell_set(c, x, y, ' ', role);
		cell_set(c, x + 1, y, ' ', role);
		return;
	}
	cell_set(c, x + 1, y, ' ', role);
	cell_set(c, x, y, ch, role);
	cell_at(c, x + 1, y)->ch = 0;
}

int canvas_text(struct canvas *c, int x, int y, int columns, enum role role, const char *text)
{
	const char *end = text + strlen(text);
	int used = 0;

	while (text < end) {
		uint32_t ch = text_decode(&text, end);
		int width = text_width(ch);

		if (width < 0) {
			ch = TEXT_REPLACEMENT;
			width = 1;
		}
		if (width == 0)
			continue;
		if (width > columns - used)
			break;
		if (width == 2)
			put_wide(c, x + used, y, ch, role);
		else
			cell_set(c, x + used, y, ch, role);
		used += width;
	}
	return used;
}

int canvas_printf(struct canvas *c, int x, int y, int columns, enum role role, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0)
		return 0;
	return canvas_text(c, x, y, columns, role, text);
}

/* Bytes of the words at the start of text that fit into so many columns; at least one word's. */
static size_t words_fit(const char *text, int columns)
{
	size_t fit = 0, at = 0;
	char line[256];

	while (text[at]) {
		at += strcspn(text + at, " ");
		if (at >= sizeof(line))
			break;
		memcpy(line, text, at);
		line[at] = '\0';
		if (fit && text_columns(line) > columns)
			break;
		fit = at;
		at += strspn(text + at, " ");
	}
	return fit;
}

int canvas_wrap(struct canvas *c, struct rect r, enum role role, const char *text)
{
	char line[256];
	int y = 0;

	while (y < r.h && *text) {
		size_t n = y < r.h - 1 ? words_fit(text, r.w) : strlen(text);
		char words[256];

		snprintf(words, sizeof(words), "%.*s", (int)(n < 255 ? n : 255), text);
		canvas_text(c, r.x, r.y + y, r.w, role, text_shorten(words, r.w, line, sizeof(line)));
		text += n;
		text += strspn(text, " ");
		y++;
	}
	return y;
}

/* The part of r that lies on the canvas. */
static struct rect clip(const struct canvas *c, struct rect r)
{
	int right = r.w < c->cols - r.x ? r.x + r.w : c->cols;
	int bottom = r.h < c->rows - r.y ? r.y + r.h : c->rows;

	if (r.x < 0)
		r.x = 0;
	if (r.y < 0)
		r.y = 0;
	r.w = right - r.x;
	r.h = bottom - r.y;
	return r;
}

void canvas_fill(struct canvas *c, struct rect r, uint32_t ch, enum role role)
{
	if (text_width(ch) != 1)
		ch = TEXT_REPLACEMENT;
	r = clip(c, r);
	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++)
			cell_set(c, x, y, ch, role);
}

void canvas_tint(struct canvas *c, struct rect r, enum role role)
{
	r = clip(c, r);
	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++)
			cell_at(c, x, y)->role = (uint8_t)role;
}

void canvas_box(struct canvas *c, struct rect r, enum role role, bool ascii)
{
	/* Top left, top right, bottom left, bottom right, horizontal, vertical. */
	static const uint32_t lines[2][6] = {
		{ 0x256D, 0x256E, 0x2570, 0x256F, 0x2500, 0x2502 },
		{ '+', '+', '+', '+', '-', '|' },
	};
	const uint32_t *line = lines[ascii];
	int right = r.x + r.w - 1, bottom = r.y + r.h - 1;

	if (r.w < 2 || r.h < 2)
		return;
	canvas_fill(c, (struct rect){ r.x + 1, r.y, r.w - 2, 1 }, line[4], role);
	canvas_fill(c, (struct rect){ r.x + 1, bottom, r.w - 2, 1 }, line[4], role);
	canvas_fill(c, (struct rect){ r.x, r.y + 1, 1, r.h - 2 }, line[5], role);
	canvas_fill(c, (struct rect){ right, r.y + 1, 1, r.h - 2 }, line[5], role);
	canvas_put(c, r.x, r.y, line[0], role);
	canvas_put(c, right, r.y, line[1], role);
	canvas_put(c, r.x, bottom, line[2], role);
	canvas_put(c, right, bottom, line[3], role);
}
