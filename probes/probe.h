/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The probes, one function each, as the table in sources.c has them. None of them fails: what is
 * not there at the start may come. They die when out of memory.
 */
#ifndef VMTOP_PROBES_PROBE_H
#define VMTOP_PROBES_PROBE_H

#include <stdatomic.h>

#include "src/cgroup.h"
#include "src/source.h"
#include "src/tasks.h"

struct probe_env {
	const char *root;	/* "" for this machine */
	struct task_slot *slot;	/* may be NULL */
	const atomic_bool *exact;	/* the tracepoints tell of reclaim; may be NULL: they do not */
};

/* One file of lines "KEY numbers", its path from the table. Does not allocate in steady state. */
struct source *textfile_open(enum source_id id, const struct probe_env *env);

/* /proc/stat, diskstats and the tasks through libproc2, which knows this machine only. */
struct source *procps_stat_open(enum source_id id, const struct probe_env *env);
struct source *procps_disk_open(enum source_id id, const struct probe_env *env);
struct source *procps_tasks_open(enum source_id id, const struct probe_env *env);

/* diskstats by its text, for other trees. */
struct source *diskstats_open(enum source_id id, const struct probe_env *env);

/* False for what is stacked on other disks or lives in memory: counting it would count twice. */
bool diskstats_wanted(const char *name);

/* mm_stat of all zram devices, summed. */
struct source *zram_open(enum source_id id, const struct probe_env *env);

/* Threads with PF_MEMALLOC, one file each; -EOPNOTSUPP while env->exact. Of any tree's proc. */
struct source *memalloc_open(enum source_id id, const struct probe_env *env);

/* A directory of files with one number each: zswap in debugfs. */
struct source *numberdir_open(enum source_id id, const struct probe_env *env);

/* The workload's memory cgroup, which stays the caller's. */
struct source *cgroupfile_open(enum source_id id, const struct cgroup *cgroup);

/* Answers -EOPNOTSUPP: what another tree cannot have, or what is not there yet. */
struct source *absent_open(enum source_id id, const struct probe_env *env);

#endif
