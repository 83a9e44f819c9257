/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's tracepoints of reclaim, compaction and OOM kills, in a trace instance of our own
 * (vmtop-<pid>): nobody else's tracing is touched. Times are CLOCK_MONOTONIC. Which events a kernel
 * has and where their fields lie is read from its format files.
 *
 * The events of all CPUs come out as one stream in order of time. Each CPU's buffer is read a page
 * at a time, when the page before is used up, so memory is bounded and nothing is sorted.
 */
#ifndef VMTOP_PROBES_TRACING_H
#define VMTOP_PROBES_TRACING_H

#include <poll.h>

#include "src/oom.h"
#include "src/reclaim.h"

struct tracing;

struct trace_event {
	bool is_victim;
	struct reclaim_event reclaim;	/* when not */
	struct oom_victim victim;	/* when it is: name and sizes where the kernel tells them (6.8) */
};

struct tracing_config {
	size_t buffer_kib;	/* a CPU; 0 for the default: 256, and 32 MiB in all */
	bool family;		/* only the calling task's descendants, and kswapd */
};

/*
 * Makes the instance, enables what the kernel has. Instances of vmtops that no longer live are removed.
 * NULL and a negative errno in *error: -EACCES or -EPERM (not permitted), -ENODEV (no tracefs, or no
 * reclaim events), or another.
 */
struct tracing *tracing_open(const struct tracing_config *config, int *error);

/* Removes the instance. */
void tracing_close(struct tracing *t);

/*
 * The next event at or before until_ns. False when there is none: then all that the kernel had
 * written before the call is out. *lost is the number of events lost just before this one; where
 * the kernel does not say how many, 1. Events come before until_ns only if it is past.
 */
bool tracing_next(struct tracing *t, int64_t until_ns, struct trace_event *event, uint64_t *lost);

/* Fills fds with what becomes readable when there are events; returns how many, at most n. */
size_t tracing_poll_fds(const struct tracing *t, struct pollfd *fds, size_t n);

/*
 * Tells the commands, made safe, of tasks that have had an event lately, also of those that are gone
 * meanwhile: the kernel keeps some hundreds.
 */
void tracing_commands(const struct tracing *t, void (*tell)(void *arg, int tid, const char *command),
		      void *arg);

/* Of the instance, for tests. */
const char *tracing_name(const struct tracing *t);

#endif
