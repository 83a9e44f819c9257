/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is in reclaim: spans made of the kernel's begin and end tracepoints, purely, by the events'
 * own timestamps. Events come in order of time; what is known up to a moment is cut out there.
 *
 *   direct      try_to_free_pages(): an allocation that found no free page
 *   memcg       try_to_free_mem_cgroup_pages(): a cgroup at its limit, or memory.reclaim
 *   node        node reclaim (vm.zone_reclaim_mode, or a node's `reclaim` file)
 *   softlimit   a cgroup above its soft limit (v1), inside direct reclaim or kswapd's
 *   all         direct, memcg and node together; a span inside another one is part of that one
 *
 * A softlimit span outside another span is kswapd's, and in "all" it does not count.
 *
 * What is not known is not made up. An end without a begin (it began before we listened) and a begin
 * after a begin (the end is missing) are counted as unmatched, and the task is no longer inside. When
 * events were lost nothing before is sure any more: every open span is given up, and the whole
 * interval has no figures.
 */
#ifndef VMTOP_RECLAIM_H
#define VMTOP_RECLAIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/sample.h"

enum reclaim_kind {
	RECLAIM_ALL, RECLAIM_DIRECT, RECLAIM_MEMCG, RECLAIM_NODE, RECLAIM_SOFTLIMIT, RECLAIM_KINDS
};

/* As enum vmscan_throttle_state in include/linux/mmzone.h numbers them; others are summed in OTHER. */
enum reclaim_throttle {
	THROTTLE_WRITEBACK, THROTTLE_ISOLATED, THROTTLE_NOPROGRESS, THROTTLE_CONGESTED, THROTTLE_OTHER,
	THROTTLE_REASONS
};

enum reclaim_event_type {
	RECLAIM_BEGIN,		/* of kind */
	RECLAIM_END,		/* of kind; value: pages reclaimed */
	RECLAIM_THROTTLED,	/* value: microseconds delayed; reason */
	RECLAIM_KSWAPD_WAKE, RECLAIM_KSWAPD_SLEEP,	/* value: node */
	RECLAIM_COMPACT_BEGIN, RECLAIM_COMPACT_END
};

struct reclaim_event {
	int64_t t_ns;		/* CLOCK_MONOTONIC */
	int tid;
	enum reclaim_event_type type;
	enum reclaim_kind kind;
	enum reclaim_throttle reason;
	uint64_t value;
};

/* Latencies by powers of two: bucket 0 is below 1 us, bucket i below 2^i us, the last one all above. */
enum { RECLAIM_BUCKETS = 28 };

/* Lower bound of a bucket, ns. */
int64_t reclaim_bucket_ns(size_t bucket);

/* Of one kind, since the start. */
struct reclaim_figures {
	uint64_t tasks_max;		/* most tasks inside at once */
	int64_t tasks_max_ns;		/* when: CLOCK_MONOTONIC */
	uint64_t calls;			/* that ended */
	int64_t time_ns;		/* summed over tasks, calls that still run included */
	int64_t longest_ns;		/* longest call, one that still runs with its age so far */
	int longest_tid;
	char longest_command[32];	/* made safe; "" when not known */
	uint64_t pages;			/* reclaimed */
	uint64_t latency[RECLAIM_BUCKETS];	/* calls that ended, by their duration */
};

/* One task (a thread) that was in reclaim. */
struct reclaim_task {
	int tid, pid;			/* pid 0: not known */
	char command[32];		/* made safe; "" when it was gone before it could be read */
	uint64_t calls;
	int64_t total_ns, longest_ns;	/* a call that still runs with its age so far */
	int64_t start_ns;		/* CLOCK_MONOTONIC it was born; 0: not known */
	int64_t seen_ns;		/* it was last seen in an event */
	bool inside;			/* now */
};

enum { RECLAIM_TASKS_MAX = 256 };

/* What the screen and the summary read; a plain copy. */
struct reclaim_report {
	int64_t start_ns, t_ns;		/* CLOCK_MONOTONIC: listening since, known up to; t_ns 0: nothing yet */
	struct reclaim_figures figures[RECLAIM_KINDS];
	uint64_t throttled[THROTTLE_REASONS];
	int64_t throttled_ns[THROTTLE_REASONS];
	uint64_t compactions;
	int64_t compact_ns, kswapd_busy_ns;
	uint64_t lost;			/* events that the kernel's buffer had no room for */
	uint64_t unmatched;		/* begins or ends without their other half */
	size_t ntasks;			/* by total time, longest first */
	struct reclaim_task task[RECLAIM_TASKS_MAX];
	uint64_t tasks_forgotten;	/* tasks for which the table had no room */
};

struct reclaim;

/* Looks a task up the first time it is met: fills pid, command and start_ns as far as known. */
typedef void reclaim_lookup(void *arg, struct reclaim_task *task);

/* Is the task, as the kernel says now, in reclaim? What it cannot tell is yes. */
typedef bool reclaim_is_inside(void *arg, int tid);

/* Listening since start_ns. lookup may be NULL. Dies when out of memory; nothing allocates later. */
struct reclaim *reclaim_new(int64_t start_ns, reclaim_lookup *lookup, void *arg);
void reclaim_free(struct reclaim *r);

/*
 * True when since the last call tasks were met that lookup could not name, as they were gone; who
 * knows their commands from elsewhere says so by reclaim_name, which does nothing for all others.
 */
bool reclaim_wants_names(struct reclaim *r);
void reclaim_name(struct reclaim *r, int tid, const char *command);

/* The next event. One that is older than the last is taken as it comes, at its own time. */
void reclaim_add(struct reclaim *r, const struct reclaim_event *event);

/* n events before t_ns were lost. */
void reclaim_lost(struct reclaim *r, int64_t t_ns, uint64_t n);

/*
 * Ends the interval at t_ns, up to which every event has been added: fills the metrics of
 * SOURCE_RECLAIM, and source_ns and source_why of it: WHY_LOST when events of the interval were
 * lost. Counters go on over all intervals; most and longest are of this interval.
 */
void reclaim_cut(struct reclaim *r, int64_t t_ns, struct sample *s);

/* Spans older than age_ns at t_ns whose task is not inside any more are given up as unmatched. */
void reclaim_check(struct reclaim *r, int64_t t_ns, int64_t age_ns, reclaim_is_inside *inside,
		   void *arg);

/* All there is since the start, up to the last cut. */
void reclaim_report(const struct reclaim *r, struct reclaim_report *report);

/*
 * Puts the metrics of an interval that ended earlier into those of the next one, so that s covers
 * both: the larger maximum of the two.
 */
void reclaim_join(struct sample *s, const struct sample *earlier);

/*
 * Two lines for the summary at exit: the most tasks in reclaim at once, and the longest call, with
 * its kind. Where there is no report: n/a and why. Where events were lost it says that it may be
 * more.
 */
void reclaim_print_summary(const struct reclaim_report *report, const char *why, int fd);

/* "all", "direct", "memcg", "node", "softlimit". */
const char *reclaim_kind_name(enum reclaim_kind kind);

/* "writeback", "isolated", "no progress", "congested", "other". */
const char *reclaim_throttle_name(enum reclaim_throttle reason);

#endif
