/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the playback probe has told so far (src/playback_line.h), for the screen, the summary and the
 * samples. Counts go on when the probe dies and is started again: what an earlier life counted is
 * kept. Nothing here allocates, fails or reads a clock.
 */
#ifndef VMTOP_PLAYBACK_H
#define VMTOP_PLAYBACK_H

#include "src/playback_line.h"
#include "src/sample.h"

enum { PLAYBACK_SINKS_MAX = 8 };

/* What became of a sink; times in ns. */
struct playback_tally {
	uint64_t underruns;
	int64_t silent_ns;	/* also of a gap that has not ended */
	int64_t longest_ns;
	int64_t due_ns;		/* should have been played */
	uint64_t cause[PLAYBACK_CAUSES];
};

struct playback_sink {
	char name[24], state[24];
	char why[120];			/* why it is in that state, or "" */
	int64_t buffer_ns;		/* 0: not known */
	int64_t lowest_ns;		/* of the fill in the last second; -1: not known */
	bool told;			/* in this life of the probe */
	struct playback_tally past;	/* of earlier lives */
	struct playback_tally life;	/* of this one, by its own sums */
	struct playback_tally heard;	/* of this one, by its underrun lines: they come first */
};

/* The last second of the probe itself; -1: not known. */
struct playback_self {
	int64_t t_ns;			/* CLOCK_MONOTONIC; 0: nothing yet */
	int64_t vmswap_kib, vmrss_kib, vmlck_kib, majflt;
	int64_t read_max_ns, run_queue_ns, late_max_ns;
	int64_t share_ns[PLAYBACK_SHARES];	/* what it waited for */
	int nice;
	bool locked;
};

/* One gap, as it is told. */
struct playback_underrun {
	int64_t t_ns, gap_ns;		/* its end, its length */
	enum playback_cause cause;
	int64_t share_ns[PLAYBACK_SHARES];
	char sink[24];
};

struct playback {
	bool on;			/* asked for */
	bool up;			/* has said its first line, and lives */
	char why[160];			/* while it is not up: why */
	int pid;
	char headline[24];		/* the sink that the figures without a name are of */
	char file[256];			/* the song; "" for none */
	bool paused;
	char answer[208];		/* what became of the last line it was told, or "" */
	bool refused;			/* it was refused */
	size_t nsinks;
	struct playback_sink sink[PLAYBACK_SINKS_MAX];
	struct playback_self self;
	uint64_t stalls;		/* of the sound server itself */
	int64_t stalled_ns;
	uint64_t deaths;
	uint64_t not_understood;	/* lines */
	int64_t gap_ns[PLAYBACK_CAUSES];	/* longest that ended since the last sample, by cause */
};

enum playback_news {
	PLAYBACK_NO_NEWS,
	PLAYBACK_IS_UP,
	PLAYBACK_SINK_CHANGED,	/* a sink is in another state */
	PLAYBACK_UNDERRAN,	/* of the headline sink, or of the sound server: in u */
	PLAYBACK_STALLED,	/* the sound server stood still: u has its t_ns and gap_ns */
	PLAYBACK_FILE_NEWS,	/* another song, or none */
	PLAYBACK_ANSWERED	/* see answer */
};

/* Takes a line. sink is where a sink changed, else NULL. */
enum playback_news playback_take(struct playback *p, const struct probe_line *line,
				 struct playback_underrun *u, const struct playback_sink **sink);

/* The probe has died, or could not be started: why, in words. */
void playback_down(struct playback *p, const char *why);

/* All lives of a sink together. */
struct playback_tally playback_sink_tally(const struct playback_sink *s);

/* NULL: not told of yet. */
const struct playback_sink *playback_find(const struct playback *p, const char *name);
const struct playback_sink *playback_headline(const struct playback *p);

/*
 * Sets the metrics of SOURCE_PLAYBACK in s, of the headline sink and the probe itself, at s->mono_ns;
 * the gaps are those that ended since the last call.
 */
void playback_fill(struct playback *p, struct sample *s);

/*
 * How often, in words: "3 in 60 s (3.00/min)". None in T seconds is no proof: the rate is then below
 * 3 / T with 95 % confidence, for exp(-3) is 5 %: "0 in 376 s (< 0.48/min)".
 */
const char *playback_rate_text(const struct playback_tally *t, char *buf, size_t size);

/* "9 memory, 2 file, 1 cpu", most first; "" for none. */
const char *playback_causes_text(const struct playback_tally *t, char *buf, size_t size);

/*
 * A sentence or two on the headline sink: how many underruns, what they waited for, and which
 * control would rule out the first cause.
 */
const char *playback_verdict(const struct playback *p, char *buf, size_t size);

/* Lines for the summary at exit, nothing when it was off. */
void playback_print_summary(const struct playback *p, int fd);

#endif
