/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/outlines.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "src/text.h"
#include "src/xalloc.h"

enum { TAB = 8, PARAM_MAX = 9999, LINE_BYTES = OUTLINES_LINE - 1 };

enum { BEL = 0x07, CAN = 0x18, SUB = 0x1A, ESC = 0x1B, C1_FIRST = 0x80, C1_LAST = 0x9F,
	C1_LEAD = 0xC2, C1_ST_LAST = 0x9C };	/* ST as a C1 control, in UTF-8 */

/*
 * Where in the input we are (ECMA-48; the names follow the usual description of a VT500's parser).
 */
enum state {
	GROUND,
	ESCAPE,			/* after ESC */
	ESCAPE_MIDDLE,		/* after ESC and a byte that wants a final one: character sets */
	SEQUENCE,		/* after CSI */
	STRING,			/* in an OSC, DCS, SOS, PM or APC, up to ST */
};

struct line {
	uint32_t at;		/* in the ring of bytes */
	uint32_t len;
};

struct outlines {
	/* The lines that are kept. */
	char bytes[OUTLINES_BYTES];
	struct line line[OUTLINES_KEEP];
	size_t first, count;	/* in line[], a ring */
	size_t used;		/* of bytes[] */
	uint32_t head;		/* where the next line goes in bytes[] */
	uint64_t ended, dropped;
	/* The line that is being written: one code point a column. */
	uint32_t cell[LINE_BYTES];
	size_t ncells, column;
	size_t ncell_bytes;	/* of it as UTF-8 */
	/* The input. */
	enum state state;
	int param;		/* first of a sequence, -1: none or not a plain number */
	bool param_over;
	bool after_c1_lead;	/* in a string */
	char utf8[4];		/* a character not yet whole */
	size_t nutf8, want;
};

struct outlines *outlines_new(void)
{
	return xcalloc(1, sizeof(struct outlines));
}

void outlines_free(struct outlines *o)
{
	free(o);
}

/* ---- Store ---- */

static void store_drop_oldest(struct outlines *o)
{
	o->used -= o->line[o->first].len;
	o->first = (o->first + 1) % OUTLINES_KEEP;
	o->count--;
	o->dropped++;
}

static void store_add(struct outlines *o, const char *text, size_t len)
{
	size_t rest = OUTLINES_BYTES - o->head;
	size_t head = len < rest ? len : rest;

	while (o->count == OUTLINES_KEEP || o->used + len > OUTLINES_BYTES)
		store_drop_oldest(o);
	o->line[(o->first + o->count) % OUTLINES_KEEP] = (struct line){ o->head, (uint32_t)len };
	memcpy(o->bytes + o->head, text, head);
	memcpy(o->bytes, text + head, len - head);
	o->head = (uint32_t)((o->head + len) % OUTLINES_BYTES);
	o->used += len;
	o->count++;
	o->ended++;
}

static void store_read(const struct outlines *o, size_t index, char *text)
{
	const struct line *line = &o->line[(o->first + index) % OUTLINES_KEEP];
	size_t rest = OUTLINES_BYTES - line->at;
	size_t head = line->len < rest ? line->len : rest;

	memcpy(text, o->bytes + line->at, head);
	memcpy(text + head, o->bytes, line->len - head);
	text[line->len] = '\0';
}

/* ---- The line that is being written ---- */

static size_t cell_bytes(uint32_t cp)
{
	char buf[4];

	return cp < 0x80 ? 1 : text_encode(cp, buf);
}

static size_t line_encode(const struct outlines *o, char *text)
{
	size_t n = 0;

	for (size_t i = 0; i < o->ncells; i++)
		n += text_encode(o->cell[i], text + n);
	assert(n == o->ncell_bytes && n <= LINE_BYTES);
	text[n] = '\0';
	return n;
}

static void line_end(struct outlines *o)
{
	char text[OUTLINES_LINE];
	size_t len = line_encode(o, text);

	store_add(o, text, len);
	o->ncells = o->column = o->ncell_bytes = 0;
}

static void line_cut(struct outlines *o, size_t ncells)
{
	while (o->ncells > ncells)
		o->ncell_bytes -= cell_bytes(o->cell[--o->ncells]);
}

static void line_put(struct outlines *o, uint32_t cp)
{
	size_t bytes = cell_bytes(cp);

	if (o->column < o->ncells) {
		/* Overwriting by something longer may push the end of the line out. */
		o->ncell_bytes -= cell_bytes(o->cell[o->column]);
		o->cell[o->column] = cp;
		o->ncell_bytes += bytes;
		while (o->ncell_bytes > LINE_BYTES && o->ncells > o->column + 1)
			line_cut(o, o->ncells - 1);
		if (o->ncell_bytes <= LINE_BYTES) {
			o->column++;
			return;
		}
		line_cut(o, o->column);
	}
	if (o->ncell_bytes + bytes > LINE_BYTES)
		line_end(o);
	o->cell[o->ncells++] = cp;
	o->ncell_bytes += bytes;
	o->column = o->ncells;
}

/* A tab moves; over text that is there it does not erase. */
static void line_tab(struct outlines *o)
{
	for (size_t n = TAB - o->column % TAB; n; n--)
		if (o->column < o->ncells)
			o->column++;
		else
			line_put(o, ' ');
}

/* EL: to the end of the line, from its start, all of it. Progress bars use it with CR. */
static void line_erase(struct outlines *o, int what)
{
	size_t n = o->column < o->ncells ? o->column + 1 : o->ncells, column = o->column;

	if (what <= 0)
		line_cut(o, o->column);
	else if (what == 2)
		line_cut(o, 0);
	o->column = what == 1 ? 0 : o->column;
	for (size_t i = 0; what == 1 && i < n; i++)
		line_put(o, ' ');
	o->column = column < o->ncells ? column : o->ncells;
}

/* ---- Input ---- */

static void escape_begin(struct outlines *o, unsigned char final)
{
	switch (final) {
	case '[':
		o->state = SEQUENCE;
		o->param = -1;
		o->param_over = false;
		break;
	case ']':	/* OSC */
	case 'P':	/* DCS */
	case 'X':	/* SOS */
	case '^':	/* PM */
	case '_':	/* APC */
		o->state = STRING;
		o->after_c1_lead = false;
		break;
	default:
		o->state = final >= 0x20 && final <= 0x2F ? ESCAPE_MIDDLE : GROUND;
	}
}

/*
 * C0 controls act wherever they stand, inside a sequence too, as on a terminal. But a sequence that
 * is not finished at the end of its line is given up, so that it takes nothing of the next one.
 */
static void feed_control(struct outlines *o, unsigned char c)
{
	switch (c) {
	case '\n':
	case '\v':
	case '\f':
		line_end(o);
		o->state = GROUND;
		break;
	case '\r':
		o->column = 0;
		break;
	case '\b':
		if (o->column)
			o->column--;
		break;
	case '\t':
		line_tab(o);
		break;
	case ESC:
		o->state = ESCAPE;
		break;
	case CAN:
	case SUB:
		o->state = GROUND;
		break;
	default:
		break;
	}
}

/* A string ends with its line at the latest: one without its end must not swallow what follows. */
static void feed_string(struct outlines *o, unsigned char c)
{
	if (c == BEL || c == '\r' || (c == C1_ST_LAST && o->after_c1_lead))
		o->state = GROUND;
	o->after_c1_lead = c == C1_LEAD;
	if (c == '\n' || c == '\r' || c == CAN || c == SUB || c == ESC)
		feed_control(o, c);	/* of ST its ESC ends the string */
}

static void feed_sequence(struct outlines *o, unsigned char c)
{
	if (c >= '0' && c <= '9' && !o->param_over) {
		o->param = (o->param < 0 ? 0 : o->param) * 10 + (c - '0');
		if (o->param > PARAM_MAX)
			o->param = PARAM_MAX;
	} else if (c >= 0x20 && c <= 0x3F) {
		o->param_over = true;
	} else {
		if (c == 'K' && !o->param_over)
			line_erase(o, o->param);
		o->state = GROUND;
	}
}

static void feed_code_point(struct outlines *o, uint32_t cp)
{
	if (cp >= C1_FIRST && cp <= C1_LAST)
		escape_begin(o, (unsigned char)(cp - C1_FIRST + '@'));
	else
		line_put(o, text_width(cp) < 0 ? TEXT_REPLACEMENT : cp);
}

static void utf8_flush(struct outlines *o)
{
	const char *p = o->utf8, *end = o->utf8 + o->nutf8;

	o->nutf8 = 0;
	while (p < end)
		feed_code_point(o, text_decode(&p, end));
}

/* A character may be cut by a read: its bytes are gathered until it is whole. */
static void feed_high(struct outlines *o, unsigned char c)
{
	if (o->nutf8 && (c & 0xC0) != 0x80)
		utf8_flush(o);
	if (!o->nutf8)
		o->want = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
	o->utf8[o->nutf8++] = (char)c;
	if (o->nutf8 == o->want)
		utf8_flush(o);
}

static void feed_byte(struct outlines *o, unsigned char c)
{
	if (o->state == STRING) {
		feed_string(o, c);
		return;
	}
	if (c >= 0x80) {
		if (!o->nutf8)
			o->state = GROUND;	/* no part of any sequence */
		feed_high(o, c);
		return;
	}
	if (o->nutf8)
		utf8_flush(o);
	if (c < 0x20 || c == 0x7F) {
		feed_control(o, c);
		return;
	}
	switch (o->state) {
	case GROUND:
		line_put(o, c);
		break;
	case ESCAPE:
		escape_begin(o, c);
		break;
	case ESCAPE_MIDDLE:
		if (c >= 0x30)
			o->state = GROUND;
		break;
	case SEQUENCE:
		feed_sequence(o, c);
		break;
	case STRING:
		break;	/* above */
	}
}

void outlines_feed(struct outlines *o, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		feed_byte(o, (unsigned char)bytes[i]);
}

/* ---- Readers ---- */

uint64_t outlines_total(const struct outlines *o)
{
	return o->ended + (o->ncells > 0);
}

uint64_t outlines_dropped(const struct outlines *o)
{
	return o->dropped;
}

size_t outlines_get(const struct outlines *o, size_t skip, char (*lines)[OUTLINES_LINE], size_t n)
{
	size_t kept = o->count + (o->ncells > 0), end, start;

	if (n > kept)
		n = kept;
	end = skip > kept - n ? n : kept - skip;
	start = end - n;
	for (size_t i = 0; i < n; i++)
		if (start + i < o->count)
			store_read(o, start + i, lines[i]);
		else
			line_encode(o, lines[i]);
	return n;
}
