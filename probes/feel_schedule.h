/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a probe is meant to act. Pure.
 *
 * A time is taken from the moment that was meant, not from the one at which the probe got to run:
 * else one that is stuck for 3 s and then finds all well would report that all is well (coordinated
 * omission). For the same reason the moments that pass meanwhile count as answered late, all at once
 * when the stuck one is; they are not made up one by one.
 *
 * A period is a grid that no delay moves. Without a period each moment is a random time after the
 * answer to the last one, as a person presses the next key after having seen the last: none passes
 * meanwhile.
 */
#ifndef VMTOP_PROBES_FEEL_SCHEDULE_H
#define VMTOP_PROBES_FEEL_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

struct feel_schedule {
	int64_t due_ns;			/* the next moment meant */
	int64_t period_ns;		/* 0: random */
	int64_t least_ns, most_ns;	/* then: so long after the answer */
	uint64_t random;		/* state of feel_random, never 0 */
};

/* The first moment is after start_ns: one period, or a random time. seed may be anything. */
void feel_schedule_init(struct feel_schedule *s, int64_t start_ns, uint64_t seed);

/* The moment due was answered at done_ns, which is not before it. */
void feel_schedule_next(struct feel_schedule *s, int64_t done_ns);

/* How many moments lie in a wait from the first of them to the answer: 1 or more. */
int64_t feel_schedule_moments(int64_t due_ns, int64_t done_ns, int64_t period_ns);

/* A number below n (not 0), evenly enough for n far below 2^64. */
uint64_t feel_random(uint64_t *state, uint64_t n);

/* Some numbers from 0 to n - 1, none twice within FEEL_APART draws. */
enum { FEEL_APART = 60 };

struct feel_draw {
	size_t n;			/* FEEL_APART + 1 or more */
	size_t drawn;			/* how many so far */
	size_t last[FEEL_APART];
	uint64_t random;
};

void feel_draw_init(struct feel_draw *d, size_t n, uint64_t seed);
size_t feel_draw_next(struct feel_draw *d);

#endif
