/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From two looks at all processes to one task list: the largest ones, with their rates since the
 * look before. A pid alone is no identity, as it may be used again: the start time goes with it.
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
};

struct tasklook;

struct tasklook *tasklook_new(long clock_ticks);	/* dies when out of memory */
void tasklook_free(struct tasklook *t);

/* A look: begin, add each process, end. add returns 0, or -ENOMEM: then give the look up. */
void tasklook_begin(struct tasklook *t, int64_t now_ns);
int tasklook_add(struct tasklook *t, const struct task_seen *seen);

/* Largest rss + swap first. The list is good until the next begin. */
const struct task_list *tasklook_end(struct tasklook *t);

#endif
