/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/feel_stat.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "probes/feel_schedule.h"

#define LIMIT_100MS_NS INT64_C(100000000)
#define LIMIT_1S_NS INT64_C(1000000000)

enum { STEPS = 16, STEP_BITS = 4 };

int feel_stat_init(struct feel_stat *s, int64_t period_ns, int64_t least_ns)
{
	memset(s, 0, sizeof(*s));
	s->period_ns = period_ns;
	s->capacity = (size_t)(FEEL_WINDOW_NS / least_ns) + 2;
	s->kept = calloc(s->capacity, sizeof(*s->kept));
	return s->kept ? 0 : -ENOMEM;
}

void feel_stat_done(struct feel_stat *s)
{
	free(s->kept);
}

static uint32_t to_us(int64_t ns)
{
	int64_t us = ns / 1000;

	return us < 0 ? 0 : us > UINT32_MAX ? UINT32_MAX : (uint32_t)us;
}

/* --- The whole run --- */

static size_t bucket_of(uint32_t us)
{
	int octave = STEP_BITS;

	if (us < STEPS)
		return us;
	while (us >> octave >> 1)
		octave++;
	return (size_t)(octave - STEP_BITS + 1) * STEPS + (us >> (octave - STEP_BITS)) % STEPS;
}

/* The middle of a bucket. */
static int64_t bucket_ns(size_t bucket)
{
	size_t octave = bucket / STEPS;
	uint64_t low = bucket, width = 1;

	if (octave) {
		width = UINT64_C(1) << (octave - 1);
		low = (STEPS + bucket % STEPS) * width;
	}
	return (int64_t)(low * 1000 + width * 500);
}

static int64_t run_quantile(const struct feel_stat *s, unsigned percent)
{
	uint64_t seen = 0, wanted = (s->count * percent + 99) / 100;
	size_t i = 0;

	for (; i < FEEL_BUCKETS - 1; i++) {
		seen += s->histogram[i];
		if (seen >= wanted)
			break;
	}
	return bucket_ns(i) < s->worst_ns ? bucket_ns(i) : s->worst_ns;
}

/* --- Waits --- */

static int64_t longer(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t if_above(int64_t wait, int64_t limit)
{
	return wait > limit ? wait : 0;
}

void feel_stat_add(struct feel_stat *s, int64_t due_ns, int64_t done_ns)
{
	int64_t wait = longer(done_ns - due_ns, 0);
	int64_t moments = feel_schedule_moments(due_ns, done_ns, s->period_ns);

	s->count += (uint64_t)moments;
	s->skipped += (uint64_t)moments - 1;
	s->last_ns = wait;
	s->worst_ns = longer(s->worst_ns, wait);
	s->above_100ms_ns += if_above(wait, LIMIT_100MS_NS);
	s->above_1s_ns += if_above(wait, LIMIT_1S_NS);
	for (int64_t i = 0; i < moments; i++)
		s->histogram[bucket_of(to_us(wait - i * s->period_ns))]++;
	s->newest = s->length ? (s->newest + 1) % s->capacity : 0;
	s->kept[s->newest] = (struct feel_kept){ done_ns, to_us(wait) };
	s->length += s->length < s->capacity;
}

/* --- The window --- */

struct window {
	const struct feel_stat *stat;
	size_t length;			/* of the newest waits */
	bool running;			/* and one that has not ended */
	uint32_t running_us;
};

/* How many values of a wait are above limit; all of them when that is negative. */
static uint64_t values_above(uint32_t wait_us, int64_t period_us, int64_t limit_us)
{
	int64_t above = wait_us - limit_us;

	if (above <= 0)
		return 0;
	if (!period_us)
		return 1;
	return (uint64_t)(limit_us < 0 ? 1 + wait_us / period_us : 1 + (above - 1) / period_us);
}

/* The i-th wait, the newest first. */
static const struct feel_kept *kept_at(const struct feel_stat *s, size_t i)
{
	return &s->kept[i <= s->newest ? s->newest - i : s->newest + s->capacity - i];
}

static uint64_t window_above(const struct window *w, int64_t limit_us)
{
	int64_t period_us = w->stat->period_ns / 1000;
	uint64_t sum = w->running ? values_above(w->running_us, period_us, limit_us) : 0;

	for (size_t i = 0; i < w->length; i++)
		sum += values_above(kept_at(w->stat, i)->wait_us, period_us, limit_us);
	return sum;
}

static uint32_t window_longest_us(const struct window *w)
{
	uint32_t longest = w->running ? w->running_us : 0;

	for (size_t i = 0; i < w->length; i++)
		if (kept_at(w->stat, i)->wait_us > longest)
			longest = kept_at(w->stat, i)->wait_us;
	return longest;
}

/* By halving: there may be far more values than waits, and none of them needs to be written down. */
static int64_t window_p99_ns(const struct window *w)
{
	uint64_t total = window_above(w, -1), allowed = total / 100;
	int64_t low = 0, high = window_longest_us(w);

	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (window_above(w, middle) <= allowed)
			high = middle;
		else
			low = middle + 1;
	}
	return low * 1000;
}

static size_t window_length(const struct feel_stat *s, int64_t now_ns)
{
	size_t n = 0;

	while (n < s->length && kept_at(s, n)->done_ns > now_ns - FEEL_WINDOW_NS)
		n++;
	return n;
}

void feel_stat_report(const struct feel_stat *s, int64_t now_ns, int64_t due_ns,
	struct feel_report *r)
{
	int64_t age = due_ns && now_ns > due_ns ? now_ns - due_ns : 0;
	struct window w = { s, window_length(s, now_ns), age > FEEL_NOTICED_NS, to_us(age) };

	if (!w.running)
		age = 0;
	if (s->count || w.running) {
		feel_report_set(r, FEEL_LAST, longer(s->last_ns, age));
		feel_report_set(r, FEEL_WORST, longer(s->worst_ns, age));
	}
	if (w.length || w.running)
		feel_report_set(r, FEEL_P99, window_p99_ns(&w));
	if (w.running)
		feel_report_set(r, FEEL_WAITING, age);
	feel_report_set(r, FEEL_ABOVE_100MS, s->above_100ms_ns + if_above(age, LIMIT_100MS_NS));
	feel_report_set(r, FEEL_ABOVE_1S, s->above_1s_ns + if_above(age, LIMIT_1S_NS));
	feel_report_set(r, FEEL_COUNT, (int64_t)s->count);
	feel_report_set(r, FEEL_SKIPPED, (int64_t)s->skipped);
}

void feel_stat_total(const struct feel_stat *s, struct feel_report *r)
{
	if (s->count) {
		feel_report_set(r, FEEL_P50, run_quantile(s, 50));
		feel_report_set(r, FEEL_P99, run_quantile(s, 99));
		feel_report_set(r, FEEL_WORST, s->worst_ns);
	}
	feel_report_set(r, FEEL_ABOVE_100MS, s->above_100ms_ns);
	feel_report_set(r, FEEL_ABOVE_1S, s->above_1s_ns);
	feel_report_set(r, FEEL_COUNT, (int64_t)s->count);
	feel_report_set(r, FEEL_SKIPPED, (int64_t)s->skipped);
}
