/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sample is what was read, as it was read: no rate, no formula. It is of fixed size and holds no
 * pointers, so it can be copied, queued and compared. derive.h makes rows of numbers from two.
 */
#ifndef VMTOP_SAMPLE_H
#define VMTOP_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/metric.h"

/* Why a number is missing. WHY_OK: it is not. */
enum why {
	WHY_OK,
	WHY_ABSENT,	/* this kernel does not have the key */
	WHY_NO_SOURCE,	/* the file is not there */
	WHY_DENIED,	/* the file may not be read */
	WHY_FAILED,	/* reading failed otherwise; the session has the errno */
	WHY_FIRST,	/* a rate needs two samples */
	WHY_GAP,	/* suspend or restart in between: no rate over it */
	WHY_RESET,	/* the counter went back */
	WHY_STALE,	/* the source has not answered in time */
	WHY_IDLE,	/* nothing happened that a share could be taken of */
	WHY_LOST,	/* the kernel had more to tell than its buffer held */
	WHY_COUNT
};

struct sample {
	uint64_t seq;		/* ticks taken since the sampler started */
	int64_t due_ns;		/* CLOCK_MONOTONIC the tick was due */
	int64_t mono_ns;	/* CLOCK_MONOTONIC when reading began; mono - due is the lateness */
	int64_t boot_ns;	/* CLOCK_BOOTTIME then: boot - mono grows across a suspend */
	int64_t real_ns;	/* CLOCK_REALTIME then */
	int64_t interval_ns;	/* asked-for distance of ticks */
	int64_t cost_ns;	/* time all reading took */
	uint64_t missed;	/* ticks that passed since the sample before without being taken */
	uint64_t dropped;	/* samples before this one that found the ring full */
	int64_t source_ns[SOURCE_COUNT];	/* CLOCK_MONOTONIC when that source was read; 0: never */
	uint8_t source_why[SOURCE_COUNT];	/* enum why of the source as a whole */
	uint64_t value[METRIC_COUNT];		/* raw metrics only; derived ones stay 0 */
	uint8_t valid[(METRIC_COUNT + 7) / 8];
};

static inline bool sample_has(const struct sample *s, enum metric m)
{
	return s->valid[m / 8] >> (m % 8) & 1;
}

static inline void sample_set(struct sample *s, enum metric m, uint64_t value)
{
	s->value[m] = value;
	s->valid[m / 8] |= (uint8_t)(1u << (m % 8));
}

static inline void sample_clear(struct sample *s, enum metric m)
{
	s->value[m] = 0;
	s->valid[m / 8] &= (uint8_t)~(1u << (m % 8));
}

#endif
