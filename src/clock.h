/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clocks as numbers. Intervals are of CLOCK_MONOTONIC; wall time is for showing only. */
#ifndef VMTOP_CLOCK_H
#define VMTOP_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_read_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* CLOCK_MONOTONIC. */
static inline int64_t clock_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

static inline int64_t clock_ms(void)
{
	return clock_ns() / 1000000;
}

#endif
