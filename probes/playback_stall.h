/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does a sound server play on? Its position held against CLOCK_MONOTONIC. Pure.
 *
 * A server that stands still raises no event while its buffer lasts, and where it raises one, that
 * comes afterwards and lasts for nothing. But its position has then slipped by as long as it stood.
 * The position is that of its own timing updates: pa_stream_get_time() is interpolated from these
 * and takes seconds to follow a slip.
 */
#ifndef VMTOP_PROBES_PLAYBACK_STALL_H
#define VMTOP_PROBES_PLAYBACK_STALL_H

#include <stdbool.h>
#include <stdint.h>

/* What is slower than that is noise of its timing, and of where in a period a gap began. */
#define STALL_MIN_NS INT64_C(50000000)

struct stall {
	bool known;
	int64_t behind_ns;	/* how far its position is behind the clock, at some origin */
	int64_t gap_ns;		/* of that, silence known to be an underrun, since then */
	int64_t update_ns;	/* when the last update came */
};

/* What comes next is another origin: the stream began, was corked, flushed or suspended. */
void stall_forget(struct stall *s);

/* An underrun moved the position by so much. */
void stall_gap(struct stall *s, int64_t gap_ns);

/* An update while it plays. How long it stood still since the last one; 0 when it did not. */
int64_t stall_update(struct stall *s, int64_t now_ns, int64_t position_ns);

#endif
