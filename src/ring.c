/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/ring.h"

#include <errno.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/xalloc.h"

/*
 * head counts the samples ever put in, tail those ever taken out; both only grow, each is written
 * by one side alone. They live on cache lines of their own.
 */
struct ring {
	struct sample *slot;
	size_t slots;
	int fd;
	uint64_t lost;			/* the producer's: since the last sample that got in */
	alignas(64) _Atomic size_t head;
	alignas(64) _Atomic size_t tail;
};

struct ring *ring_new(size_t slots)
{
	struct ring *r;

	if (!slots || (slots & (slots - 1)))
		die("ring of %zu slots: not a power of two", slots);
	r = aligned_alloc(64, sizeof(*r));
	if (!r)
		die("out of memory for a queue of samples");
	memset(r, 0, sizeof(*r));
	r->slots = slots;
	r->slot = xcalloc(slots, sizeof(*r->slot));
	r->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (r->fd < 0)
		die("eventfd: %s; raise ulimit -n", strerror(errno));
	return r;
}

void ring_free(struct ring *r)
{
	if (!r)
		return;
	close(r->fd);
	free(r->slot);
	free(r);
}

/* Cannot fail but when the count is at its top, and then the descriptor is readable anyway. */
static void ring_signal(struct ring *r)
{
	uint64_t one = 1;

	if (write(r->fd, &one, sizeof(one)) < 0)
		return;
}

bool ring_push(struct ring *r, struct sample *s)
{
	size_t head = atomic_load_explicit(&r->head, memory_order_relaxed);

	if (head - atomic_load_explicit(&r->tail, memory_order_acquire) == r->slots) {
		r->lost++;
		return false;
	}
	s->dropped = r->lost;
	r->lost = 0;
	r->slot[head & (r->slots - 1)] = *s;
	atomic_store_explicit(&r->head, head + 1, memory_order_release);
	ring_signal(r);
	return true;
}

static bool ring_take(struct ring *r, struct sample *s)
{
	size_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

	if (atomic_load_explicit(&r->head, memory_order_acquire) == tail)
		return false;
	*s = r->slot[tail & (r->slots - 1)];
	atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
	return true;
}

bool ring_pop(struct ring *r, struct sample *s)
{
	uint64_t count;

	if (ring_take(r, s))
		return true;
	if (read(r->fd, &count, sizeof(count)) < 0)
		return false;
	/* One that came between the two lines above must not wait unannounced behind this one. */
	if (!ring_take(r, s))
		return false;
	ring_signal(r);
	return true;
}

int ring_fd(const struct ring *r)
{
	return r->fd;
}
