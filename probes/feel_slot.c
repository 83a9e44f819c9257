/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/feel_slot.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* So many waits may wait for a reporter that is late: 20 s of wake, 25 s of alloc, a minute. */
static const uint32_t capacities[FEEL_PROBES] = {
	[FEEL_WAKE] = 2048, [FEEL_KEY] = 64, [FEEL_PAGE] = 64, [FEEL_FILE] = 64, [FEEL_ALLOC] = 256,
};

/* On a cache line of its own. */
static size_t slot_bytes(enum feel_probe probe)
{
	size_t bytes = sizeof(struct feel_slot) + capacities[probe] * sizeof(struct feel_wait);

	return (bytes + 63) / 64 * 64;
}

int feel_board_init(struct feel_board *b)
{
	char *at;

	b->bytes = 0;
	for (int i = 0; i < FEEL_PROBES; i++)
		b->bytes += slot_bytes((enum feel_probe)i);
	b->memory = mmap(NULL, b->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (b->memory == MAP_FAILED)
		return -errno;
	at = b->memory;
	for (int i = 0; i < FEEL_PROBES; i++) {
		b->slot[i] = (struct feel_slot *)at;
		b->slot[i]->capacity = capacities[i];
		feel_slot_reset(b->slot[i]);
		at += slot_bytes((enum feel_probe)i);
	}
	return 0;
}

void feel_board_done(struct feel_board *b)
{
	munmap(b->memory, b->bytes);
}

void feel_slot_reset(struct feel_slot *s)
{
	atomic_store(&s->due_ns, 0);
	atomic_store(&s->locked_kib, -1);
	atomic_store(&s->helper, 0);
	s->reason[0] = '\0';
	atomic_store(&s->state, FEEL_STARTING);
}

void feel_slot_reason(struct feel_slot *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->reason, sizeof(s->reason), fmt, ap);
	va_end(ap);
}

static bool put(struct feel_slot *s, struct feel_wait w)
{
	uint32_t head = atomic_load_explicit(&s->head, memory_order_relaxed);

	if (head - atomic_load_explicit(&s->tail, memory_order_acquire) == s->capacity)
		return false;
	s->queue[head & (s->capacity - 1)] = w;
	atomic_store_explicit(&s->head, head + 1, memory_order_release);
	return true;
}

static int64_t length(struct feel_wait w)
{
	return w.done_ns - w.due_ns;
}

/* Of those that find no room the longest is held back until there is some: no worst is lost. */
void feel_slot_push(struct feel_slot *s, int64_t due_ns, int64_t done_ns)
{
	struct feel_wait w = { due_ns, done_ns };
	bool held = s->held.done_ns;

	if (held && put(s, s->held)) {
		s->held = (struct feel_wait){ 0 };
		held = false;
	}
	if (!held && put(s, w))
		return;
	if (held)
		atomic_fetch_add(&s->lost, 1);
	if (!held || length(w) > length(s->held))
		s->held = w;
}

bool feel_slot_pop(struct feel_slot *s, struct feel_wait *w)
{
	uint32_t tail = atomic_load_explicit(&s->tail, memory_order_relaxed);

	if (atomic_load_explicit(&s->head, memory_order_acquire) == tail)
		return false;
	*w = s->queue[tail & (s->capacity - 1)];
	atomic_store_explicit(&s->tail, tail + 1, memory_order_release);
	return true;
}

/* It may have died between the answer and the next moment. */
static bool is_answered(const struct feel_slot *s, int64_t due_ns)
{
	uint32_t head = atomic_load(&s->head);

	return s->held.due_ns == due_ns ||
		(head && s->queue[(head - 1) & (s->capacity - 1)].due_ns == due_ns);
}

void feel_slot_abandon(struct feel_slot *s, int64_t now_ns)
{
	int64_t due = atomic_exchange(&s->due_ns, 0);

	if (due && now_ns > due + FEEL_NOTICED_NS && !is_answered(s, due))
		feel_slot_push(s, due, now_ns);
}
