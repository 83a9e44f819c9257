/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of /proc/PID/stat that tell who a process is and whose child. */
#ifndef VMTOP_PROCSTAT_H
#define VMTOP_PROCSTAT_H

#include <stdbool.h>
#include <stdint.h>

enum { PROCSTAT_PF_MEMALLOC = 0x800, PROCSTAT_PF_KTHREAD = 0x200000 };

struct procstat {
	int pid;
	char state;
	int ppid, pgrp, session;
	unsigned int flags;		/* PF_*, include/linux/sched.h */
	uint64_t start_ticks;		/* since boot: with the pid it names one process for ever */
};

/* The text of a stat file, a thread's too. 0 or -EINVAL. */
int procstat_parse(const char *text, struct procstat *st);

/* 0, or a negative errno: -ENOENT when there is no such process. A thread's id does too. */
int procstat_read(int pid, struct procstat *st);

/*
 * Is ancestor its parent, or its parent's parent, and so on? A process that vanishes meanwhile: no.
 */
bool procstat_descends(const struct procstat *st, int ancestor);

/*
 * Calls visit for every process of the machine. Returns the number of calls that returned true, or
 * a negative errno.
 */
int procstat_each(bool (*visit)(void *arg, const struct procstat *st), void *arg);

#endif
