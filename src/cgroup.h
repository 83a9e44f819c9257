/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A memory cgroup of vmtop's own for --memory and the demo: v2, v1, and the hybrid layout in which
 * the memory controller still sits in v1. Named vmtop-<pid>, so that what a killed vmtop left
 * behind is known and removed at the next start.
 */
#ifndef VMTOP_CGROUP_H
#define VMTOP_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cgroup;

/* What a group has counted; valid bits where the kernel does not say. */
struct cgroup_stat {
	bool have_usage, have_max, have_failcnt, have_oom, have_swap;
	uint64_t usage, max_usage;	/* bytes */
	uint64_t swap;			/* bytes */
	uint64_t failcnt;		/* times the limit was met (v1 failcnt, v2 events max) */
	uint64_t oom_kills;
};

/*
 * Makes a group with this limit in bytes. root: "" or another tree for tests. NULL and one line in
 * err when not permitted or when there is no memory controller, with what to do about it.
 */
struct cgroup *cgroup_new(const char *root, uint64_t limit, char *err, size_t errsize);

/* Puts the calling process into the group; safe between fork and exec. 0 or a negative errno. */
int cgroup_enter(const struct cgroup *cg);

/* To hand on: whoever writes "0" to it enters the group. Owned by the group. */
int cgroup_procs_fd(const struct cgroup *cg);

const char *cgroup_path(const struct cgroup *cg);
uint64_t cgroup_limit(const struct cgroup *cg);
void cgroup_read(const struct cgroup *cg, struct cgroup_stat *stat);

/* Kills what is still in it, waits for it to go, removes and frees it. 0 or a negative errno. */
int cgroup_remove(struct cgroup *cg);

/* Removes the groups of vmtops that no longer live. Returns how many. */
int cgroup_remove_stale(const char *root);

#endif
