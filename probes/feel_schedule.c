/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/feel_schedule.h"

#include <stdbool.h>

/* xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016). */
uint64_t feel_random(uint64_t *state, uint64_t n)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return (x * UINT64_C(2685821657736338717) >> 16) % n;
}

/* Seeds that differ little give states that differ much (the finalizer of MurmurHash3). */
static uint64_t random_state(uint64_t seed)
{
	seed ^= seed >> 33;
	seed *= UINT64_C(0xff51afd7ed558ccd);
	seed ^= seed >> 33;
	seed *= UINT64_C(0xc4ceb9fe1a85ec53);
	seed ^= seed >> 33;
	return seed ? seed : 1;
}

static int64_t random_after(struct feel_schedule *s, int64_t ns)
{
	uint64_t range = (uint64_t)(s->most_ns - s->least_ns);

	return ns + s->least_ns + (int64_t)feel_random(&s->random, range + 1);
}

void feel_schedule_init(struct feel_schedule *s, int64_t start_ns, uint64_t seed)
{
	s->random = random_state(seed);
	s->due_ns = s->period_ns ? start_ns + s->period_ns : random_after(s, start_ns);
}

void feel_schedule_next(struct feel_schedule *s, int64_t done_ns)
{
	if (s->period_ns)
		s->due_ns += s->period_ns *
			feel_schedule_moments(s->due_ns, done_ns, s->period_ns);
	else
		s->due_ns = random_after(s, done_ns);
}

int64_t feel_schedule_moments(int64_t due_ns, int64_t done_ns, int64_t period_ns)
{
	if (!period_ns || done_ns <= due_ns)
		return 1;
	return 1 + (done_ns - due_ns) / period_ns;
}

void feel_draw_init(struct feel_draw *d, size_t n, uint64_t seed)
{
	d->n = n;
	d->drawn = 0;
	d->random = random_state(seed);
}

static bool drawn_of_late(const struct feel_draw *d, size_t x)
{
	size_t kept = d->drawn < FEEL_APART ? d->drawn : FEEL_APART;

	for (size_t i = 0; i < kept; i++)
		if (d->last[i] == x)
			return true;
	return false;
}

size_t feel_draw_next(struct feel_draw *d)
{
	size_t x;

	do
		x = (size_t)feel_random(&d->random, d->n);
	while (drawn_of_late(d, x));
	d->last[d->drawn++ % FEEL_APART] = x;
	return x;
}
