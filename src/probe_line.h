/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines in which a probe that is a program of its own says what it measured, in both
 * directions. Which words and keys there are is the business of each probe's own header.
 *
 *	word key=value key="value with spaces" ...
 *
 * One line an event or a report. Words and keys are of a-z, 0-9 and _. Values with anything but
 * printable ASCII without space, quote, backslash or = in them are quoted; inside, \" \\ and \xHH
 * stand for a quote, a backslash and a byte that must not reach a terminal. Lines that begin with #
 * are for people. A key that is not there means that nothing is known: absent is never 0. Words and
 * keys that a reader does not know it skips.
 */
#ifndef VMTOP_PROBE_LINE_H
#define VMTOP_PROBE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROBE_LINE_MAX = 2048, PROBE_PAIRS_MAX = 32 };

/* --- Reading --- */

struct probe_pair {
	const char *key, *value;
};

struct probe_line {
	const char *word;	/* into text; "": an empty line or a comment */
	size_t pairs;
	struct probe_pair pair[PROBE_PAIRS_MAX];	/* into text */
	char text[PROBE_LINE_MAX];
};

/*
 * Takes one line without its newline. 0, or -EINVAL: no line of this form; -E2BIG: longer, or more
 * pairs, than any line is; then word is "". Values may hold any bytes that were written as \xHH:
 * make them safe before they are shown. The line points into itself: it cannot be copied.
 */
int probe_line_parse(struct probe_line *line, const char *s, size_t len);

/* NULL when there is no such key. */
const char *probe_line_text(const struct probe_line *line, const char *key);

/* 0, -ENOENT when there is no such key, -EINVAL when it is no finite number in range. */
int probe_line_number(const struct probe_line *line, const char *key, double *value);
int probe_line_integer(const struct probe_line *line, const char *key, int64_t *value);

/* --- Writing --- */

struct probe_writer {
	size_t length;
	bool cut;		/* a pair found no room and was left out */
	char text[PROBE_LINE_MAX];	/* always terminated, without newline */
};

/* Begins a line. The word must be one. */
void probe_write(struct probe_writer *w, const char *word);
void probe_write_integer(struct probe_writer *w, const char *key, int64_t value);

/* With so many digits behind the point. */
void probe_write_number(struct probe_writer *w, const char *key, double value, int digits);

/* Nanoseconds as milliseconds, to the microsecond. */
void probe_write_ms(struct probe_writer *w, const char *key, int64_t ns);
void probe_write_text(struct probe_writer *w, const char *key, const char *value);

#endif
