/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vocabulary of vmtop-playback's lines (their form: src/probe_line.h), in both directions.
 *
 * The first line is `playback` and carries protocol=PLAYBACK_PROTOCOL. Every line has ns, its moment in
 * nanoseconds of CLOCK_MONOTONIC, and t, seconds since the first line. A change that breaks readers
 * raises the protocol's number. man/vmtop-playback.1 says what each key is.
 */
#ifndef VMTOP_PLAYBACK_LINE_H
#define VMTOP_PLAYBACK_LINE_H

#include "src/probe_line.h"

enum { PLAYBACK_PROTOCOL = 1 };

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
	PLAYBACK_UNKNOWN_WORD = PLAYBACK_WORDS	/* also an empty line and a comment */
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

/* "underrun", ...; PLAYBACK_UNKNOWN_WORD for a word that is none. */
const char *playback_word_name(enum playback_word word);
enum playback_word playback_word_of(const char *name);

/* "memory", "file", ...; the words of `cause`, and of counts in a `total` line. */
const char *playback_cause_name(enum playback_cause cause);

/* PLAYBACK_UNKNOWN for a word that is none. */
enum playback_cause playback_cause_of(const char *name);

/* The key of a cause's share: "memory_ms", ..., "rest_ms". cause is below PLAYBACK_SHARES. */
const char *playback_share_key(enum playback_cause cause);

#endif
