/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From two looks at all processes to one task list: the largest ones, with their rates since the
 * look before, and what one process's family has used. A pid alone is no identity, as it may be used
 * again: the start time goes with it.
 */
#ifndef VMTOP_PROBES_TASKLOOK_H
#define VMTOP_PROBES_TASKLOOK_H

#include "src/tasks.h"

struct task_seen {
	int pid, ppid;
	char state;
	const char *command;		/* as the kernel gives it; made safe here */
	uint64_t start_ticks;		/* after boot */
	uint64_t cpu_ticks, majflt, minflt;	/* since it started */
	uint64_t rss_kib, swap_kib;
	/* Since it started, with the children that it waited for. */
	uint64_t family_user_ticks, family_system_ticks, family_majflt, family_minflt;
};

struct tasklook;

struct tasklook *tasklook_new(long clock_ticks);	/* dies when out of memory */
void tasklook_free(struct tasklook *t);

/* From now on each look also sums the descendants of this process; 0: of none. */
void tasklook_follow(struct tasklook *t, int family_root);

/* A look: begin, add each process, end. add returns 0, or -ENOMEM: then give the look up. */
void tasklook_begin(struct tasklook *t, int64_t now_ns);
int tasklook_add(struct tasklook *t, const struct task_seen *seen);

/* Largest rss + swap first. The list is good until the next begin. */
const struct task_list *tasklook_end(struct tasklook *t);

#endif
