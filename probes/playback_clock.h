/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sound device that is arithmetic on CLOCK_MONOTONIC, evaluated by its producer whenever that
 * runs: no thread of its own, which would be late along with the producer and hide the gap. Pure.
 *
 * It plays what it was offered, in nanoseconds. When it has nothing left it is silent until three
 * quarters of its buffer are filled again, as a sound server waits for its prebuf; that is one
 * underrun, however long, and it is known when it has ended. Silence before the first sound, while
 * held and while paused is none.
 */
#ifndef VMTOP_PROBES_PLAYBACK_CLOCK_H
#define VMTOP_PROBES_PLAYBACK_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/playback_cause.h"

/* What became of a sink so far. */
struct tally {
	uint64_t underruns;
	uint64_t cause[PLAYBACK_CAUSES];	/* their sum is underruns */
	int64_t longest_ns;
	int64_t silent_ns;	/* also of a gap that has not ended */
	int64_t due_ns;		/* should have been played */
};

struct underrun {
	int64_t start_ns, end_ns;	/* of the silence, CLOCK_MONOTONIC */
	struct shares waits;		/* since the buffer was last full */
	enum playback_cause cause;
	bool open;			/* the silence had not ended when the program did */
};

void tally_add(struct tally *t, const struct underrun *u);

/* Of a minute's underruns; and while there were none, the bound that holds in 95 of 100 cases. */
double tally_per_minute(const struct tally *t);
double tally_bound_per_minute(const struct tally *t);

/* "12 in 60 s (12.00/min)", "0 in 376 s (< 0.48/min)", "0 in 0 s" */
const char *tally_text(const struct tally *t, char *buf, size_t size);

enum clock_state { CLOCK_STARTING, CLOCK_PLAYING, CLOCK_STARVED };

struct clock_sink {
	char name[24];		/* "clock-200" */
	int64_t buffer_ns;
	enum clock_state state;
	bool held;		/* time does not pass */
	int64_t at_ns;		/* the rest is true at this moment */
	int64_t level_ns;	/* offered and not yet played */
	int64_t lowest_ns;	/* of the level, since clock_sink_take_lowest */
	int64_t gap_ns;		/* when the silence began, while STARVED */
	struct shares waits;	/* since it was last full */
	struct tally tally;
};

void clock_sink_init(struct clock_sink *s, int64_t buffer_ns, int64_t now_ns);

/* Lets the time up to now pass. */
void clock_sink_advance(struct clock_sink *s, int64_t now_ns);

/* How much it would take, as of the last advance. */
int64_t clock_sink_room(const struct clock_sink *s);

/* The producer waited; charged to the next underrun unless the buffer fills up before. */
void clock_sink_waited(struct clock_sink *s, const struct shares *waits);

/*
 * Advances and takes what it has room for; what is offered beyond that is lost. True when that
 * ended an underrun, which is then in u and in the tally.
 */
bool clock_sink_offer(struct clock_sink *s, int64_t ns, int64_t now_ns, struct underrun *u);

/* Until released no time passes and nothing is due: pause, and the seek at the end of a song. */
void clock_sink_hold(struct clock_sink *s, int64_t now_ns);
void clock_sink_release(struct clock_sink *s, int64_t now_ns);

/* At the end of the program: true when a gap is open, which counts then. */
bool clock_sink_finish(struct clock_sink *s, int64_t now_ns, struct underrun *u);

/* The lowest level since the last call, which warns before the ear can hear. */
int64_t clock_sink_take_lowest(struct clock_sink *s);

#endif
