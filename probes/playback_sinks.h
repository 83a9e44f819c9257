/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that is fed: the clock sinks of four sizes and one of the user's, and the sound server's
 * stream. What the producer waits for is charged to each of them, and each underrun is told.
 */
#ifndef VMTOP_PROBES_PLAYBACK_SINKS_H
#define VMTOP_PROBES_PLAYBACK_SINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/playback_clock.h"
#include "probes/playback_pulse.h"
#include "probes/playback_report.h"
#include "probes/playback_sound.h"

enum { SINKS_MAX = 5, SINK_BUFFER_MS = 200 };

struct sinks {
	struct report *report;
	struct clock_sink clock[SINKS_MAX];
	size_t count;		/* the last of SINKS_MAX is there when it was asked for */
	size_t headline;
	bool paused;
	int holds;
	struct pulse *pulse;	/* NULL: none */
	struct tally pulse_tally;
	struct shares pulse_waits;	/* since the server last had all it asked for */
	uint64_t pulse_from;	/* the next frame it gets */
	int64_t pulse_at_ns, pulse_lowest_ns, stalled_ns;
	int64_t held_from_ns, held_to_ns;	/* the last time that all was held */
};

void sinks_init(struct sinks *s, struct report *report, int64_t now_ns);

/* The headline becomes one of so many ms, which is made if there is none. */
void sinks_set_buffer(struct sinks *s, int ms, int64_t now_ns);
const struct clock_sink *sinks_headline(const struct sinks *s);

/* options->buffer_ns is that of the headline. Nothing happens when pulse is not built in. */
void sinks_open_pulse(struct sinks *s, const struct pulse_options *options);
void sinks_done(struct sinks *s);

/* The producer waited. */
void sinks_waited(struct sinks *s, const struct shares *waits);

/* Feeds all from the sound until nobody wants more, or until then; charged through `mark`. */
void sinks_feed(struct sinks *s, struct sound *sound, int64_t until_ns, int64_t (*mark)(void *),
		void *moment);

void sinks_pause(struct sinks *s, bool on, int64_t now_ns);

/* Between these nothing is due. Pairs may be nested in a pause. */
void sinks_hold(struct sinks *s, int64_t now_ns);
void sinks_release(struct sinks *s, int64_t now_ns);

/* Tells the state of each sink, as it is when it came. */
void sinks_tell(struct sinks *s, int64_t now_ns);
void sinks_tell_levels(struct sinks *s, int64_t now_ns);

/* Counts the gaps that are open and tells the totals. */
void sinks_finish(struct sinks *s, int64_t now_ns);

#endif
