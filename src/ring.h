/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples on their way from one thread to one other: single producer, single consumer, fixed
 * slots, an eventfd to poll on. Neither side ever waits for the other; a sample that finds the
 * ring full is dropped and counted in the next one that gets in.
 */
#ifndef VMTOP_RING_H
#define VMTOP_RING_H

#include <stddef.h>

#include "src/sample.h"

struct ring;

struct ring *ring_new(size_t slots);	/* slots: a power of two; dies when out of memory */
void ring_free(struct ring *r);

/* Producer. Returns false when full: then s is lost and counted. Sets s->dropped. */
bool ring_push(struct ring *r, struct sample *s);

/* Consumer. Returns false when empty. */
bool ring_pop(struct ring *r, struct sample *s);

/* Readable while samples wait. ring_pop on an empty ring clears it. */
int ring_fd(const struct ring *r);

#endif
