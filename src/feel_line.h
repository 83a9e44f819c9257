/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vocabulary of vmtop-feel's lines (their form: src/probe_line.h), in both directions.
 *
 * The first line is `feel` and carries protocol=FEEL_PROTOCOL. Every line has ns, its moment in
 * nanoseconds of CLOCK_MONOTONIC, and t, seconds since the first line; then
 *
 *	feel	protocol, version, footprint_kib, limit_kib, ram_kib, page_kib, alloc_kib, file_kib
 *	probe	probe, state (ready, absent, gone), pid, reason, locked_kib
 *	second	probe, and those fields of a struct feel_report that are known
 *	total	the same for the whole time, at the end
 *	end	reason (duration, signal, parent, stdin, output), dropped
 *
 * A change that breaks readers raises the protocol's number. man/vmtop-feel.1 says what each key is.
 */
#ifndef VMTOP_FEEL_LINE_H
#define VMTOP_FEEL_LINE_H

#include <stdbool.h>

#include "src/probe_line.h"

enum { FEEL_PROTOCOL = 1 };

enum feel_word {
	FEEL_HELLO,		/* the first line */
	FEEL_PROBE,		/* a probe came, cannot be, died */
	FEEL_SECOND,		/* each second: one probe */
	FEEL_TOTAL,		/* at the end: one probe */
	FEEL_END,		/* the last line: why */
	FEEL_WORDS,
	FEEL_UNKNOWN_WORD = FEEL_WORDS	/* also an empty line and a comment */
};

/* What is timed. */
enum feel_probe {
	FEEL_WAKE,		/* a timer, with locked memory: the scheduler alone */
	FEEL_KEY,		/* a byte through a pty to one who has been idle, and its echo */
	FEEL_PAGE,		/* a page of memory that was not used for long */
	FEEL_FILE,		/* a page of a file that is not in memory */
	FEEL_ALLOC,		/* fresh memory */
	FEEL_PROBES
};

/* Times in a struct feel_report are nanoseconds, whatever unit the key has. */
enum feel_field {
	FEEL_LAST,		/* the last wait that ended, or the running one if longer */
	FEEL_P50,		/* of the whole run, in totals only; to 4 % */
	FEEL_P99,		/* of the values of the last 60 s; in totals of the whole run, to 4 % */
	FEEL_WORST,		/* since the start */
	FEEL_WAITING,		/* how long the running wait lasts; only above 10 ms */
	FEEL_ABOVE_100MS,	/* the length of all waits above 100 ms together */
	FEEL_ABOVE_1S,
	FEEL_COUNT,		/* moments that were answered, those within a longer wait included */
	FEEL_SKIPPED,		/* of these: within a longer wait */
	FEEL_LOST,		/* answered moments that are in none of the other figures */
	FEEL_MAJFLT,		/* major faults of the probe's process since that started */
	FEEL_SWAP,		/* KiB of the probe that are swapped out */
	FEEL_FIELDS
};

struct feel_report {
	enum feel_probe probe;
	bool have[FEEL_FIELDS];		/* absent is never 0 */
	int64_t value[FEEL_FIELDS];
};

/* "second", ...; FEEL_UNKNOWN_WORD for a word that is none. */
const char *feel_word_name(enum feel_word word);
enum feel_word feel_word_of(const char *name);

/* "wake", ...; FEEL_PROBES for a name that is none, NULL included. */
const char *feel_probe_name(enum feel_probe probe);
enum feel_probe feel_probe_of(const char *name);

/* "last_ms", "above_1s_s", ... */
const char *feel_field_key(enum feel_field field);

/* The word and the moment of a line. */
void feel_line_begin(struct probe_writer *w, enum feel_word word, int64_t ns, int64_t start_ns);

void feel_report_set(struct feel_report *r, enum feel_field field, int64_t value);

/* Adds the probe and all that the report has. */
void feel_report_write(struct probe_writer *w, const struct feel_report *r);

/* Of a `second` or `total` line. 0, or -EINVAL: no known probe, or a value that is no number. */
int feel_report_parse(struct feel_report *r, const struct probe_line *line);

#endif
