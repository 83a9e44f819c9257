/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/playback_cause.h"

/* How much a counter grew; 0 when one of the readings lacks it. */
static int64_t grown(int64_t from, int64_t to)
{
	return from < 0 || to < from ? 0 : to - from;
}

/* Moves so much of *left, at most all of it. */
static int64_t take(int64_t *left, int64_t ns)
{
	int64_t taken = ns < *left ? ns : *left;

	*left -= taken;
	return taken;
}

struct shares cause_segment(const struct reading *from, const struct reading *to,
	enum segment segment, int64_t until_ns, bool continued)
{
	struct shares s = { { 0 } };
	int64_t start = from->t_ns, left, work, known;
	bool faulted = to->faults != from->faults;

	if (segment == SEGMENT_SLEEP && until_ns > start)
		start = until_ns;
	left = to->t_ns - start;
	if (left <= 0)
		return s;
	s.ns[PLAYBACK_CPU] = take(&left, grown(from->queue_ns, to->queue_ns));
	known = grown(from->delay_ns, to->delay_ns);
	if (segment != SEGMENT_READ)
		known += grown(from->thrash_ns, to->thrash_ns);
	s.ns[PLAYBACK_MEMORY] = take(&left, known);
	/* Part of what is known was on the CPU already, so that less of that is work. */
	work = grown(from->cpu_ns, to->cpu_ns) - s.ns[PLAYBACK_MEMORY];
	if (segment == SEGMENT_READ && !continued)
		s.ns[PLAYBACK_READ] = take(&left, left);
	else if (faulted && !continued)
		s.ns[PLAYBACK_MEMORY] += take(&left, left);
	if (work > 0)
		take(&left, work);
	s.ns[continued ? PLAYBACK_STOPPED : PLAYBACK_SERVER] += left;
	return s;
}

void shares_add(struct shares *sum, const struct shares *s)
{
	for (int i = 0; i < PLAYBACK_SHARES; i++)
		sum->ns[i] += s->ns[i];
}

int64_t shares_total(const struct shares *s)
{
	int64_t total = 0;

	for (int i = 0; i < PLAYBACK_SHARES; i++)
		total += s->ns[i];
	return total;
}

enum playback_cause shares_cause(const struct shares *s, bool server)
{
	int64_t total = shares_total(s), most = 0, second = 0;
	int cause = PLAYBACK_UNKNOWN;

	if (total <= 0)
		return PLAYBACK_UNKNOWN;
	for (int i = 0; i < PLAYBACK_SHARES; i++)
		if (s->ns[i] > most) {
			second = most;
			most = s->ns[i];
			cause = i;
		} else if (s->ns[i] > second) {
			second = s->ns[i];
		}
	if (most - second <= total / 20)
		return PLAYBACK_TIE;
	return cause == PLAYBACK_SERVER && !server ? PLAYBACK_UNKNOWN : (enum playback_cause)cause;
}
