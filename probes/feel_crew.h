/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes of vmtop-feel's probes: started, watched, started again when one has died (1 s later,
 * then 2, 4, ... 32), and ended. All are children of the calling thread, which must be the one that
 * lives as long as the process, or become its children when their own parent dies, so that none is
 * left behind.
 */
#ifndef VMTOP_PROBES_FEEL_CREW_H
#define VMTOP_PROBES_FEEL_CREW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "probes/feel_probe.h"

struct feel_member {
	pid_t pid;			/* 0: none */
	enum feel_state state;		/* the last one told as an event */
	int64_t restart_ns;
	int pause_s;
};

struct feel_crew {
	const struct feel_setup *setup;
	struct feel_member member[FEEL_PROBES];
};

struct feel_event {
	enum feel_probe probe;
	enum feel_state state;		/* READY, ABSENT or GONE */
	pid_t pid;
	char reason[192];		/* "" when there is none */
};

/* SIGCHLD must be blocked: feel_crew_end waits for it. */
void feel_crew_start(struct feel_crew *crew, const struct feel_setup *setup, int64_t now_ns);

/* Reaps, starts again what is due, and tells what has changed, one thing a call; false: nothing. */
bool feel_crew_event(struct feel_crew *crew, int64_t now_ns, struct feel_event *event);

/* Whether one of them is to be ready soon. */
bool feel_crew_starting(const struct feel_crew *crew);

/* Major faults and swapped KiB of a probe's processes. False when they cannot be read. */
bool feel_crew_memory(const struct feel_crew *crew, enum feel_probe probe, int64_t *majflt,
	int64_t *swap_kib);

/* Kills and reaps them all. One that hangs in the kernel for more than half a second is left: it
 * dies as soon as it comes out. */
void feel_crew_end(struct feel_crew *crew);

#endif
