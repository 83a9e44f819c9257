/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much memory vmtop-feel may take: one hundredth of the machine's, or the probe would be part of
 * what it measures. Pure, but for feel_plan_measure.
 *
 * The processes and their bookkeeping come first; of what is left a quarter, at most 4 MiB, is what
 * alloc maps at a time, and the rest, at most 64 MiB, what page keeps. On a machine too small for
 * the least of these the footprint is above the limit, and is said to be.
 */
#ifndef VMTOP_PROBES_FEEL_PLAN_H
#define VMTOP_PROBES_FEEL_PLAN_H

#include <stddef.h>
#include <stdint.h>

enum {
	FEEL_PAGE_KIB = 64 * 1024,	/* the most that page keeps */
	FEEL_ALLOC_KIB = 4 * 1024,	/* the most that alloc maps */
	FEEL_ALLOC_LEAST_KIB = 64,
	FEEL_KEY_KIB = 64,		/* what the one who echoes touches */
	FEEL_PROCESSES = 7		/* the reporter, a process a probe, and the one who echoes */
};

struct feel_plan {
	int64_t ram_kib, limit_kib;
	int64_t page_kib, alloc_kib;
	int64_t footprint_kib;		/* all of it; above limit_kib on a small machine */
};

/*
 * fixed_kib: all but page's and alloc's. most_kib: what page may keep at most. page_size in bytes:
 * page needs FEEL_APART pages and one.
 */
void feel_plan_make(struct feel_plan *p, int64_t ram_kib, int64_t fixed_kib, int64_t most_kib,
	size_t page_size);

/*
 * What the machine has, and what the caller and its children to be need: of their own what the caller has
 * now, and bytes besides. 0 or a negative errno.
 */
int feel_plan_measure(size_t bytes, int64_t *ram_kib, int64_t *fixed_kib);

/* The number behind a "Name:" in a text of /proc, such as 1234 of "VmSwap:  1234 kB"; -1: none. */
int64_t feel_plan_kib(const char *text, const char *name);

#endif
