/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps vmtop itself out of the storm it shows: locks its memory and asks the OOM killer to look
 * elsewhere. Children inherit neither (child_reset puts the rest back).
 */
#ifndef VMTOP_MEMLOCK_H
#define VMTOP_MEMLOCK_H

#include <stdbool.h>
#include <stddef.h>

struct memlock_status {
	bool locked;		/* all memory there is now is locked */
	bool future;		/* and so will be what comes later */
	int error;		/* errno of the refusal when not locked */
	long oom_score_adj;	/* the value vmtop had before; children get it back */
};

/*
 * Call first, before there are threads: one heap for all of them, never given back. Else each
 * thread that allocates reserves 64 MiB of address space, which would have to fit into the limit.
 */
void memlock_prepare(void);

/*
 * Call when everything is allocated and every thread runs: mlockall, and MCL_FUTURE only where no
 * limit can make a later allocation fail. A refusal is no error of the program.
 */
void memlock_all(struct memlock_status *status);

/* In words: "locked", or "not locked: ... (what to do)". */
const char *memlock_text(const struct memlock_status *status, char *buf, size_t size);

#endif
