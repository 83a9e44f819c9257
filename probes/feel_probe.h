/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One probe of vmtop-feel: what it does at each moment of its schedule, in a process of its own.
 *
 * Processes and not threads: threads share the lock of their address space, so that one which maps
 * memory would wait for another's fault that is stuck in reclaim. And only wake's memory is to be
 * locked: it tells what the scheduler does, the others what becomes of the memory of an ordinary
 * program on top of that.
 */
#ifndef VMTOP_PROBES_FEEL_PROBE_H
#define VMTOP_PROBES_FEEL_PROBE_H

#include <stddef.h>

#include "probes/feel_schedule.h"
#include "probes/feel_slot.h"

/* The same for all of them. */
struct feel_setup {
	size_t page_bytes, alloc_bytes, file_bytes;
	int file_fd;			/* -1: none, file_reason says why */
	bool file_made;			/* by us: nameless and empty, to be written first */
	const char *file_reason;
	const struct feel_board *board;
};

/* What a probe has while it runs. */
struct feel_room {
	const struct feel_setup *setup;
	struct feel_slot *slot;
	uint64_t seed;
	void *own;			/* the probe's, made by prepare */
};

struct feel_kind {
	int64_t period_ns;		/* or 0, and the least and the most after an answer */
	int64_t least_ns, most_ns;
	int (*prepare)(struct feel_room *room);	/* 0, or -errno and why in the slot: cannot be */
	int (*act)(struct feel_room *room);	/* what is timed. 0 or -errno: the probe ends */
	void (*after)(struct feel_room *room);	/* what is not, or NULL */
};

extern const struct feel_kind feel_wake, feel_key, feel_page, feel_file, feel_alloc;

const struct feel_kind *feel_kind_of(enum feel_probe probe);

enum { FEEL_EXIT_ABSENT = 3, FEEL_EXIT_FAILED = 4 };

/* Runs a probe for ever, or until it cannot go on: an exit status, and the reason in the slot. */
int feel_probe_run(enum feel_probe probe, const struct feel_setup *setup);

/*
 * In a new process: it dies with its parent, whose id is given, and has a name in ps. The parent's
 * thread that forked must be one that lives as long as the process: PR_SET_PDEATHSIG is its thread's.
 */
void feel_process_begin(int parent, const char *name);

/*
 * Opens what file reads: the regular file at path, or when that is NULL a new one without a name in
 * dir, which leaves nothing behind however its last process ends. 0, or -errno and why in err.
 */
int feel_file_open(struct feel_setup *setup, const char *dir, const char *path, char *err,
	size_t errsize);

/* Fills memory with what does not compress. */
void feel_fill(void *memory, size_t bytes, uint64_t *random);

#endif
