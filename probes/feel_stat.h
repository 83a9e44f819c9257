/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What became of the moments of one probe. Pure.
 *
 * A wait goes from the moment that was meant to its answer. It gives one value for its first moment
 * and one for each further moment of the schedule that passed before the answer, each with its own
 * delay. last, worst and the time above a limit are of waits, quantiles are of values. The time
 * above a limit is the length of all waits that were longer than it: how long somebody sat before
 * something that did not answer. Waits of a probe never overlap.
 *
 * p99 of the window is exact (in whole microseconds, rounded down) over what was answered in the
 * last 60 s: the smallest value that 99 in 100 do not exceed. Quantiles of the whole run are of a
 * histogram with 16 steps an octave: right to 1 part in 32.
 */
#ifndef VMTOP_PROBES_FEEL_STAT_H
#define VMTOP_PROBES_FEEL_STAT_H

#include <stddef.h>
#include <stdint.h>

#include "probes/feel_slot.h"
#include "src/feel_line.h"

#define FEEL_WINDOW_NS INT64_C(60000000000)

enum { FEEL_BUCKETS = 29 * 16 };

struct feel_kept {
	int64_t done_ns;
	uint32_t wait_us;
};

struct feel_stat {
	int64_t period_ns;	/* of the schedule; 0: random */
	uint64_t count, skipped;
	int64_t last_ns, worst_ns, above_100ms_ns, above_1s_ns;
	uint64_t histogram[FEEL_BUCKETS];
	struct feel_kept *kept;	/* the last waits, a ring */
	size_t capacity, newest, length;
};

/* Keeps as many waits as the window can hold when the least time from one to the next is least_ns.
 * 0 or -ENOMEM. Undo with feel_stat_done. */
int feel_stat_init(struct feel_stat *s, int64_t period_ns, int64_t least_ns);
void feel_stat_done(struct feel_stat *s);

/* Waits come in the order in which they were answered. */
void feel_stat_add(struct feel_stat *s, int64_t due_ns, int64_t done_ns);

/*
 * What is known at now_ns, into r (its probe stays). due_ns is the moment not yet answered, or 0;
 * when that has passed by FEEL_NOTICED_NS, its wait counts with its age so far. What is not known is not set.
 */
void feel_stat_report(const struct feel_stat *s, int64_t now_ns, int64_t due_ns,
	struct feel_report *r);

/* The same for the whole run. */
void feel_stat_total(const struct feel_stat *s, struct feel_report *r);

#endif
