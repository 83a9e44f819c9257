/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listens to reclaim: a thread that takes the tracepoints' events as they come, and at each tick of
 * the sampler cuts the interval off at the very moment of the sample.
 *
 * The sampler cannot wait for that: its source for SOURCE_RECLAIM only notes the moment, and the
 * figures come a little later. listener_complete puts the two together.
 */
#ifndef VMTOP_PROBES_LISTENER_H
#define VMTOP_PROBES_LISTENER_H

#include "src/oom.h"
#include "src/reclaim.h"
#include "src/source.h"

struct listener;

struct listener_config {
	bool family;		/* only the descendants of the calling task */
	size_t buffer_kib;	/* a CPU; 0 for the default. For tests */
};

/*
 * Starts to listen. Where that is not possible (no privilege, no tracefs, built without libtracefs)
 * the listener is there all the same, and its source says why. Dies when out of memory.
 */
struct listener *listener_start(const struct listener_config *config);

/* True when the exact figures are to be had. */
bool listener_works(const struct listener *l);

/* For the sampler; stays the listener's, its close does nothing. */
struct source *listener_source(struct listener *l);

/* Readable when figures or victims have come since listener_hear, which is to be called before they
 * are asked for. */
int listener_fd(const struct listener *l);
void listener_hear(struct listener *l);

/*
 * Puts the figures of the interval that ends with this sample into it. False while they are still
 * to come: ask again when listener_fd is readable, or later. After a quarter of a second the sample
 * goes without (WHY_STALE), and the next one covers both intervals. Samples in their order.
 */
bool listener_complete(struct listener *l, struct sample *s);

/* The report as of the last interval. */
void listener_report(struct listener *l, struct reclaim_report *report);

/* Who was killed, oldest first; false when there is none. */
bool listener_victim(struct listener *l, struct oom_victim *victim);

/* Ends the thread, removes what was made in tracefs, frees. After the sampler has stopped. */
void listener_stop(struct listener *l);

#endif
