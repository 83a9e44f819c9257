/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a probe's process hands to the reporter: one slot each in memory that all of them share. One
 * producer, one consumer, neither ever waits for the other, and nothing is lost when the producer is
 * killed at any moment and another takes its place.
 *
 * A slot tells what was answered (a queue of waits) and the moment that is meant next: once that has
 * passed, the probe is waiting, whatever it hangs in, and the reporter knows since when.
 */
#ifndef VMTOP_PROBES_FEEL_SLOT_H
#define VMTOP_PROBES_FEEL_SLOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/feel_line.h"

#define FEEL_NOTICED_NS INT64_C(10000000)	/* a wait without an answer counts above this */

enum feel_state {
	FEEL_STARTING,
	FEEL_READY,		/* times from here on */
	FEEL_ABSENT,		/* cannot be here: reason says why */
	FEEL_GONE		/* its process has died; another will come */
};

struct feel_wait {
	int64_t due_ns, done_ns;
};

struct feel_slot {
	_Atomic int state;		/* enum feel_state */
	_Atomic int64_t due_ns;		/* 0: none is meant */
	_Atomic int64_t locked_kib;	/* -1: not known */
	_Atomic int helper;		/* pid of the process that belongs to the probe's, or 0 */
	char reason[128];		/* written before state */
	_Atomic uint64_t lost;		/* waits that found no room, without held */
	struct feel_wait held;		/* the producer's: the longest of those that found no room */
	_Atomic uint32_t head, tail;	/* waits ever put in, ever taken out */
	uint32_t capacity;		/* a power of two */
	struct feel_wait queue[];
};

struct feel_board {
	size_t bytes;
	void *memory;
	struct feel_slot *slot[FEEL_PROBES];
};

/* Before fork. 0 or a negative errno. Undo with feel_board_done. */
int feel_board_init(struct feel_board *b);
void feel_board_done(struct feel_board *b);

/* Before a process takes the slot: it has not answered anything, and nothing is due. */
void feel_slot_reset(struct feel_slot *s);

/* The producer's: why it cannot be; and the answer to due_ns. */
void feel_slot_reason(struct feel_slot *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void feel_slot_push(struct feel_slot *s, int64_t due_ns, int64_t done_ns);

/* The reporter's: false when the queue is empty. */
bool feel_slot_pop(struct feel_slot *s, struct feel_wait *w);

/*
 * The reporter's, once the producer has died: nothing is due any more, and a moment that had passed
 * without an answer had none until now_ns.
 */
void feel_slot_abandon(struct feel_slot *s, int64_t now_ns);

#endif
