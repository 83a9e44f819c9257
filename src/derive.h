/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From two raw samples to one row of numbers, purely: the same samples give the same row, live,
 * replayed or imported.
 */
#ifndef VMTOP_DERIVE_H
#define VMTOP_DERIVE_H

#include "src/sample.h"

/* What must be known of the sampled machine to derive. */
struct derive_env {
	long page_size;		/* bytes */
	long clock_ticks;	/* USER_HZ */
	int long_bits;		/* 32 or 64: where the kernel's counters wrap */
};

struct row {
	int64_t t_ns;		/* CLOCK_MONOTONIC of the sample */
	int64_t span_ns;	/* how much of the time before t_ns it may be drawn over */
	int64_t late_ns;
	uint64_t missed;	/* ticks missed just before */
	bool gap;		/* a suspend or a restart of the sampler lies before it */
	double value[METRIC_COUNT];	/* in metric_unit_name()'s unit; 0 where why is not WHY_OK */
	uint8_t why[METRIC_COUNT];	/* enum why */
};

/*
 * Rates are progress over the time really passed between the two readings of the metric's own
 * source, never over the nominal interval. prev may be NULL (WHY_FIRST). A boot - mono difference
 * that grew by over 100 ms is a suspend: no rate over it. A counter that went back is a reset, or
 * on a 32-bit machine a wrap when that is the smaller step. A source that was not read anew for
 * over three of its intervals is stale.
 */
void derive(const struct derive_env *env, const struct sample *prev, const struct sample *now,
	    struct row *row);

/* The reason in words for the screen, remedy included where there is one. Constant strings or buf. */
const char *why_text(enum why why, enum metric m, char *buf, size_t size);

/* Short form for a chart's middle: "n/a", "first sample", "not permitted". */
const char *why_short(enum why why);

#endif
