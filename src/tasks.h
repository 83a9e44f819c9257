/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes of the machine as the collector saw them last: filled by probes/, shown by ui/.
 * A slot with a lock that the sampler never takes. In it stands too whose family is to be counted.
 */
#ifndef VMTOP_TASKS_H
#define VMTOP_TASKS_H

#include <pthread.h>
#include <stdbool.h>
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

/*
 * What the living descendants of one process have used, each with the children that it waited for:
 * with what their ancestor waited for itself, it is all that the family has used.
 */
struct task_family {
	bool known;		/* the look was asked for a family, and its ancestor was there */
	uint64_t user_us, system_us;
	uint64_t majflt, minflt;
	uint64_t max_rss_kib;	/* largest of any one, at the look */
	size_t processes;	/* zombies, whose times count until they are waited for, are not in it */
};

struct task_list {
	int64_t t_ns;		/* CLOCK_MONOTONIC of the look; 0: none yet */
	size_t total;		/* processes seen */
	size_t n;		/* of them kept: those with most rss + swap */
	struct task_family family;
	struct task task[TASKS_MAX];
};

struct task_slot {
	pthread_mutex_t lock;
	struct task_list list;
	int family_root;
};

void task_slot_init(struct task_slot *slot);
void task_slot_done(struct task_slot *slot);
void task_slot_put(struct task_slot *slot, const struct task_list *list);
void task_slot_get(struct task_slot *slot, struct task_list *list);

/* Whose descendants each further look sums, itself left out; 0: nobody's, as at first. */
void task_slot_follow(struct task_slot *slot, int pid);
int task_slot_family_root(struct task_slot *slot);

#endif
