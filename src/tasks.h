/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes of the machine as the collector saw them last: filled by probes/, shown by ui/.
 * A slot with a lock that the sampler never takes.
 */
#ifndef VMTOP_TASKS_H
#define VMTOP_TASKS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define TASKS_MAX 256

struct task {
	int pid, ppid;
	char state;
	char command[32];	/* made safe */
	uint64_t rss_kib, swap_kib;
	double cpu_pct;		/* of one CPU, since the look before; NAN on the first */
	double majflt_s, minflt_s;	/* per second since the look before; NAN on the first */
};

struct task_list {
	int64_t t_ns;		/* CLOCK_MONOTONIC of the look; 0: none yet */
	size_t total;		/* processes seen */
	size_t n;		/* of them kept: those with most rss + swap */
	struct task task[TASKS_MAX];
};

struct task_slot {
	pthread_mutex_t lock;
	struct task_list list;
};

void task_slot_init(struct task_slot *slot);
void task_slot_done(struct task_slot *slot);
void task_slot_put(struct task_slot *slot, const struct task_list *list);
void task_slot_get(struct task_slot *slot, struct task_list *list);

#endif
