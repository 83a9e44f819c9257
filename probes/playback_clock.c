/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/playback_clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Less room than that is none: frames and nanoseconds do not divide evenly. */
enum { FULL_NS = 1000000 };

static const double ns_per_minute = 60e9;

void tally_add(struct tally *t, const struct underrun *u)
{
	int64_t gap = u->end_ns - u->start_ns;

	t->underruns++;
	t->cause[u->cause]++;
	if (gap > t->longest_ns)
		t->longest_ns = gap;
}

double tally_per_minute(const struct tally *t)
{
	return t->due_ns > 0 ? (double)t->underruns * ns_per_minute / (double)t->due_ns : 0;
}

/* The rule of three: with 3 expected, none at all would be seen in 5 of 100 cases. */
double tally_bound_per_minute(const struct tally *t)
{
	return t->due_ns > 0 ? 3 * ns_per_minute / (double)t->due_ns : 0;
}

const char *tally_text(const struct tally *t, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%" PRIu64 " in %.0f s", t->underruns, (double)t->due_ns / 1e9);

	if (t->due_ns <= 0 || n < 0 || (size_t)n >= size)
		return buf;
	if (t->underruns)
		snprintf(buf + n, size - (size_t)n, " (%.2f/min)", tally_per_minute(t));
	else
		snprintf(buf + n, size - (size_t)n, " (< %.2f/min)", tally_bound_per_minute(t));
	return buf;
}

void clock_sink_init(struct clock_sink *s, int64_t buffer_ns, int64_t now_ns)
{
	*s = (struct clock_sink){ .buffer_ns = buffer_ns, .at_ns = now_ns };
	snprintf(s->name, sizeof(s->name), "clock-%" PRId64, buffer_ns / 1000000);
}

void clock_sink_advance(struct clock_sink *s, int64_t now_ns)
{
	int64_t dt = now_ns - s->at_ns;

	if (dt <= 0)
		return;
	s->at_ns = now_ns;
	if (s->held || s->state == CLOCK_STARTING)
		return;
	s->tally.due_ns += dt;
	if (s->state == CLOCK_PLAYING && dt > s->level_ns) {
		dt -= s->level_ns;
		s->level_ns = 0;
		s->state = CLOCK_STARVED;
		s->gap_ns = now_ns - dt;
	}
	if (s->state == CLOCK_STARVED)
		s->tally.silent_ns += dt;
	else
		s->level_ns -= dt;
	if (s->level_ns < s->lowest_ns)
		s->lowest_ns = s->level_ns;
}

int64_t clock_sink_room(const struct clock_sink *s)
{
	return s->held ? 0 : s->buffer_ns - s->level_ns;
}

void clock_sink_waited(struct clock_sink *s, const struct shares *waits)
{
	if (!s->held)
		shares_add(&s->waits, waits);
}

static void end_gap(struct clock_sink *s, struct underrun *u, bool open)
{
	*u = (struct underrun){ .start_ns = s->gap_ns, .end_ns = s->at_ns, .waits = s->waits,
		.cause = shares_cause(&s->waits, false), .open = open };
	tally_add(&s->tally, u);
	s->waits = (struct shares){ { 0 } };
}

bool clock_sink_offer(struct clock_sink *s, int64_t ns, int64_t now_ns, struct underrun *u)
{
	enum clock_state before;
	int64_t room;

	clock_sink_advance(s, now_ns);
	room = clock_sink_room(s);
	before = s->state;
	s->level_ns += ns < room ? ns : room;
	if (s->state != CLOCK_PLAYING && s->level_ns >= s->buffer_ns - s->buffer_ns / 4) {
		s->state = CLOCK_PLAYING;
		s->lowest_ns = before == CLOCK_STARTING ? s->level_ns : s->lowest_ns;
	}
	if (before == CLOCK_STARVED && s->state == CLOCK_PLAYING) {
		end_gap(s, u, false);
		return true;
	}
	if (clock_sink_room(s) < FULL_NS)
		s->waits = (struct shares){ { 0 } };
	return false;
}

void clock_sink_hold(struct clock_sink *s, int64_t now_ns)
{
	clock_sink_advance(s, now_ns);
	s->held = true;
}

void clock_sink_release(struct clock_sink *s, int64_t now_ns)
{
	clock_sink_advance(s, now_ns);
	s->held = false;
}

bool clock_sink_finish(struct clock_sink *s, int64_t now_ns, struct underrun *u)
{
	clock_sink_advance(s, now_ns);
	if (s->state != CLOCK_STARVED)
		return false;
	end_gap(s, u, true);
	s->state = CLOCK_STARTING;
	return true;
}

int64_t clock_sink_take_lowest(struct clock_sink *s)
{
	int64_t lowest = s->lowest_ns;

	s->lowest_ns = s->level_ns;
	return lowest;
}
