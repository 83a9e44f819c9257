/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that reads its sources at each tick of an absolute timer and pushes one sample a tick.
 * In steady state it does nothing but sleep, read and push: no allocation, stdio, lock, terminal
 * or disk. Ticks are multiples of the interval from the first one on, so being late once does not
 * make the next one late; ticks that passed unseen are counted in sample.missed. A sample's due_ns
 * is the tick that was waited for, so its lateness is the whole of the delay.
 *
 * vmtop runs two: the sampler proper over the FAST sources, realtime if allowed, and the collector
 * over the SLOW ones, at ordinary priority and at most once a second.
 */
#ifndef VMTOP_SAMPLER_H
#define VMTOP_SAMPLER_H

#include <stddef.h>

#include "src/ring.h"
#include "src/source.h"

struct sampler;

struct sampler_config {
	struct source *const *sources;	/* stay the caller's, must outlive the sampler */
	size_t nsources;
	int64_t interval_ns;
	bool realtime;		/* ask for SCHED_RR 1 with RESET_ON_FORK */
	struct ring *ring;
};

/* Starts the thread. Returns NULL and says why in err (one line) when it cannot. */
struct sampler *sampler_start(const struct sampler_config *config, char *err, size_t errsize);

/*
 * Changes the interval; the next tick comes at the next multiple of the new one, counted from the
 * sampler's first tick. Less than 1 ms is taken as 1 ms. Any thread.
 */
void sampler_set_interval(struct sampler *s, int64_t interval_ns);

/* 0 when it runs under SCHED_RR, else the errno of the refusal, or -1 when it was not asked for. */
int sampler_realtime_error(const struct sampler *s);

/* Ends and joins the thread, frees. Sources and ring remain. */
void sampler_stop(struct sampler *s);

/* Reads the sources once, here and now, into s: what the thread does at each tick. */
void sampler_read(struct source *const *sources, size_t nsources, struct sample *s);

#endif
