/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the probe says on stdout, in the lines of src/playback_line.h. It never waits for the
 * reader: what the pipe does not take stays here, and when that is full lines are lost and counted.
 */
#ifndef VMTOP_PROBES_PLAYBACK_REPORT_H
#define VMTOP_PROBES_PLAYBACK_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/playback_clock.h"
#include "src/playback_line.h"

enum { REPORT_BUFFER = 1 << 16 };

struct report {
	int fd;
	int64_t start_ns;
	int error;		/* negative errno: nothing can be written any more */
	uint64_t lost;		/* lines, since the last one that said so */
	struct probe_writer line;
	size_t length;
	char text[REPORT_BUFFER];
};

void report_init(struct report *r, int fd, int64_t start_ns);

/* A line is begun, given its pairs with probe_write_...(&r->line, ...), and put. */
void report_begin(struct report *r, enum playback_word word, int64_t now_ns);
void report_put(struct report *r);

/* A line for people. */
void report_remark(struct report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void report_underrun(struct report *r, const char *sink, const struct underrun *u);

/* The figures of one sink. level_ns and lowest_ns: -1 when not known. */
void report_level(struct report *r, int64_t now_ns, const char *sink, const char *state,
		  const struct tally *t, int64_t level_ns, int64_t lowest_ns);
void report_total(struct report *r, int64_t now_ns, const char *sink, const struct tally *t);

/* Writes what can be written without waiting, or waits at most so long. */
void report_flush(struct report *r, int wait_ms);

#endif
