/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines in which vmtop-playback says what it measured: the vocabulary, and both directions.
 *
 *	word key=value key="value with spaces" ...
 *
 * One line an event or a report. Values with anything but printable ASCII without space, quote,
 * backslash or = in them are quoted; inside, \" \\ and \xHH stand for a quote, a backslash and a
 * byte that must not reach a terminal. Lines that begin with # are for people. The first line is
 * `playback` and carries protocol=PLAYBACK_PROTOCOL. Every line has ns, its moment in nanoseconds of
 * CLOCK_MONOTONIC, and t, seconds since the first line. A key that is not there means that nothing
 * is known: absent is never 0. Words and keys that a reader does not know it skips; a change that
 * breaks readers raises the protocol's number. man/vmtop-playback.1 says what each key is.
 */
#ifndef VMTOP_PLAYBACK_LINE_H
#define VMTOP_PLAYBACK_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLAYBACK_PROTOCOL = 1, PLAYBACK_LINE_MAX = 2048, PLAYBACK_PAIRS_MAX = 32 };

enum playback_word {
	PLAYBACK_HELLO,		/* the first line */
	PLAYBACK_SINK,		/* a sink came, went, was paused, got another buffer */
	PLAYBACK_UNDERRUN,	/* one gap, when it has ended */
	PLAYBACK_STALL,		/* the sound server stood still by itself */
	PLAYBACK_SECOND,	/* each second: the probe itself */
	PLAYBACK_LEVEL,		/* each second: one sink */
	PLAYBACK_FILE,		/* the sound file was opened, lost, begun again */
	PLAYBACK_CONTROL,	/* what became of a line on stdin */
	PLAYBACK_TOTAL,		/* at the end: one sink */
	PLAYBACK_END,		/* the last line: why */
	PLAYBACK_WORDS,
	PLAYBACK_UNKNOWN_WORD = PLAYBACK_WORDS,
	PLAYBACK_NOTHING	/* an empty line or a comment */
};

/* Why there was silence. The first PLAYBACK_SHARES of them have a share of the time each. */
enum playback_cause {
	PLAYBACK_MEMORY,	/* waited for its own memory */
	PLAYBACK_READ,		/* waited for the sound file: "file" */
	PLAYBACK_CPU,		/* was ready to run and did not */
	PLAYBACK_STOPPED,	/* was stopped by a signal */
	PLAYBACK_SERVER,	/* none of these: the server's share; where there is none, "rest" */
	PLAYBACK_SHARES,
	PLAYBACK_TIE = PLAYBACK_SHARES,
	PLAYBACK_UNKNOWN,
	PLAYBACK_CAUSES
};

/* "memory", "file", ...; the words of `cause`, and of counts in a `total` line. */
const char *playback_cause_name(enum playback_cause cause);

/* PLAYBACK_UNKNOWN for a word that is none. */
enum playback_cause playback_cause_of(const char *name);

/* The key of a cause's share: "memory_ms", ..., "rest_ms". cause is below PLAYBACK_SHARES. */
const char *playback_share_key(enum playback_cause cause);

/* --- Reading --- */

struct playback_pair {
	const char *key, *value;
};

struct playback_line {
	enum playback_word word;
	size_t pairs;
	struct playback_pair pair[PLAYBACK_PAIRS_MAX];	/* into text */
	char text[PLAYBACK_LINE_MAX];
};

/*
 * Takes one line without its newline. 0, or -EINVAL: no line of this form; -E2BIG: longer, or more
 * pairs, than any line is. Values may hold any bytes that were written as \xHH: make them safe
 * before they are shown.
 */
int playback_line_parse(struct playback_line *line, const char *s, size_t len);

/* NULL when there is no such key. */
const char *playback_line_text(const struct playback_line *line, const char *key);

/* 0, -ENOENT when there is no such key, -EINVAL when it is no finite number in range. */
int playback_line_number(const struct playback_line *line, const char *key, double *value);
int playback_line_integer(const struct playback_line *line, const char *key, int64_t *value);

/* --- Writing --- */

struct playback_writer {
	size_t length;
	bool cut;		/* a pair found no room and was left out */
	char text[PLAYBACK_LINE_MAX];	/* always terminated, without newline */
};

void playback_write(struct playback_writer *w, enum playback_word word);
void playback_write_integer(struct playback_writer *w, const char *key, int64_t value);

/* With so many digits behind the point. */
void playback_write_number(struct playback_writer *w, const char *key, double value, int digits);

/* Nanoseconds as milliseconds, to the microsecond. */
void playback_write_ms(struct playback_writer *w, const char *key, int64_t ns);
void playback_write_text(struct playback_writer *w, const char *key, const char *value);

#endif
