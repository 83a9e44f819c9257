/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the demo runs, made from what this machine has: a small memory cgroup, swap if there is none,
 * and the bundled load in it. What cannot be had is left out, and said.
 */
#ifndef VMTOP_DEMO_H
#define VMTOP_DEMO_H

#include <stddef.h>

#include "src/cgroup.h"
#include "src/demoswap.h"

#define DEMO_ARGS 12

struct demo {
	struct cgroup *cgroup;		/* NULL: not permitted; given to the caller */
	struct demoswap *swap;		/* NULL: there was swap, or none can be had; given to the caller */
	char *argv[DEMO_ARGS + 2];	/* the load: points to what follows */
	char program[16];
	char words[DEMO_ARGS][16];
	char notice[480];		/* what was left out and why, or "" */
};

/* Makes it ready, with a swap of its own unless enough is free. Never fails: see notice. */
void demo_prepare(struct demo *d);

/* The directory of the running program. 0 or -errno. */
int demo_program_dir(char *dir, size_t size);

/* The path of a program of vmtop's own: beside the running one, else where they are installed. */
void demo_program_path(const char *name, char *path, size_t size);

#endif
