/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What bench-alloc.so counts, in a file that bench-run maps too. */
#ifndef VMTOP_TESTS_BENCH_ALLOC_H
#define VMTOP_TESTS_BENCH_ALLOC_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

enum { ALLOC_THREADS = 64 };	/* the last one takes all beyond */

struct alloc_counts {
	atomic_uint used;
	struct alloc_thread {
		pid_t tid;
		_Atomic uint64_t count;
	} thread[ALLOC_THREADS];
};

#endif
