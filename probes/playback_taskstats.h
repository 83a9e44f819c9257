/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's delay accounting of this process, over generic netlink (taskstats). Needs the sysctl
 * kernel.task_delayacct to have been on when the process started, and CAP_NET_ADMIN.
 */
#ifndef VMTOP_PROBES_PLAYBACK_TASKSTATS_H
#define VMTOP_PROBES_PLAYBACK_TASKSTATS_H

#include <stdint.h>

struct taskstats_link {
	int fd;			/* -1: cannot be had */
	uint16_t family;
	uint32_t pid;
	const char *status;	/* "on", "off", "denied", "absent" */
};

void taskstats_open(struct taskstats_link *l);
void taskstats_close(struct taskstats_link *l);

/*
 * Nanoseconds since the start: of swap-in, direct reclaim, compaction and copying, and of refaults.
 * Includes what of it was on the CPU or in the run queue. Both -1 when it cannot be had.
 */
void taskstats_read(const struct taskstats_link *l, int64_t *delay_ns, int64_t *thrash_ns);

#endif
