/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happened at one moment: marks, gaps, kills. Bounded: the oldest goes when there is no more
 * room, and is counted. Events in order of time, also one added late; those that charts number have
 * a number of 1 up, in the order they were added.
 */
#ifndef VMTOP_EVENT_H
#define VMTOP_EVENT_H

#include <stddef.h>
#include <stdint.h>

enum event_kind {
	EVENT_MARK,		/* the user's */
	EVENT_GAP,		/* samples missed, suspend, clock step, ring full */
	EVENT_OOM,		/* the kernel killed something */
	EVENT_MACHINE,		/* swap, memory or CPUs came or went; caches dropped */
	EVENT_WORKLOAD,		/* start, end */
	EVENT_SOURCE,		/* a source was lost or came back */
	EVENT_UNDERRUN,		/* a player's buffer ran empty */
	EVENT_KINDS
};

struct event {
	int64_t t_ns;		/* CLOCK_MONOTONIC */
	enum event_kind kind;
	unsigned int number;	/* of marks and workload events: 1, 2, ...; else 0 */
	char text[200];		/* made safe */
};

struct events {
	struct event *ring;	/* size slots */
	size_t size, first, count;
	uint64_t dropped;
	unsigned int last_number;
};

/* Room for size events, 1 or more. Dies when out of memory. */
void events_init(struct events *e, size_t size);
void events_done(struct events *e);

/* Adds one; the text is made safe and cut to fit. Returns it (valid until the next add). */
const struct event *events_add(struct events *e, int64_t t_ns, enum event_kind kind,
			       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The i-th oldest kept, i < count. */
const struct event *events_get(const struct events *e, size_t i);

/* A one-word name: "mark", "gap", "oom" ... */
const char *event_kind_name(enum event_kind kind);

#endif
