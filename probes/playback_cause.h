/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a player is late: how the time of a segment between two readings of its own counters is
 * shared out. Pure.
 *
 * Of a segment only what was not meant to pass counts: in a sleep, what came after the moment it
 * was to end. That is, in this order,
 *   cpu      ready to run and not running: the run-queue wait of /proc/PID/schedstat;
 *   memory   swap-in, refaults, direct reclaim, compaction and copying as delay accounting has them
 *            (taskstats); beyond that, or without it, the time of a segment with page faults,
 *            on the CPU (zram decompresses there) or off it;
 *   file     in a read of the sound file, whatever else it took;
 *   stopped  off the CPU and not waiting for it in a segment in which SIGCONT came. Neither being
 *            stopped nor its end is in any counter of the kernel's;
 *   rest     off the CPU for none of these reasons. Where there is a server it is the server's.
 * Time on the CPU without page faults is work, and nobody's fault.
 */
#ifndef VMTOP_PROBES_PLAYBACK_CAUSE_H
#define VMTOP_PROBES_PLAYBACK_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/playback_line.h"

/* Nanoseconds, and counters that only grow. */
struct reading {
	int64_t t_ns;		/* CLOCK_MONOTONIC */
	int64_t cpu_ns;		/* on the CPU */
	int64_t queue_ns;	/* in the run queue; -1: not known */
	int64_t delay_ns;	/* memory delays but refaults of files; -1: not known */
	int64_t thrash_ns;	/* refaults, of a file that is read too; -1: not known */
	uint64_t faults;	/* page faults, major and minor */
};

enum segment {
	SEGMENT_SLEEP,		/* until its end, unless something came before */
	SEGMENT_READ,		/* one read of the sound file */
	SEGMENT_WORK		/* all else */
};

struct shares {
	int64_t ns[PLAYBACK_SHARES];
};

/*
 * Shares out the segment between two readings. until_ns: when a sleep was to end. continued:
 * SIGCONT came in it.
 */
struct shares cause_segment(const struct reading *from, const struct reading *to,
			    enum segment segment, int64_t until_ns, bool continued);

void shares_add(struct shares *sum, const struct shares *s);
int64_t shares_total(const struct shares *s);

/*
 * The largest share names the cause. PLAYBACK_TIE when another comes within a twentieth of the
 * whole, PLAYBACK_UNKNOWN when nothing was lost or most of it in the rest while there is no server.
 */
enum playback_cause shares_cause(const struct shares *s, bool server);

#endif
