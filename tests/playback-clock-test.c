/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arithmetic sound device. */
#include "tests/tap.h"

#include <string.h>

#include "probes/playback_clock.h"

#define MS INT64_C(1000000)

static const struct shares none;

/* A sink that began to play, full, at `at` ms. */
static struct clock_sink playing(int64_t buffer, int64_t at)
{
	struct clock_sink s;
	struct underrun u;

	clock_sink_init(&s, buffer * MS, 0);
	assert_false(clock_sink_offer(&s, buffer * MS, at * MS, &u));
	assert_int_equal(CLOCK_PLAYING, s.state);
	return s;
}

static void start_up_is_no_underrun(void **state)
{
	struct clock_sink s;
	struct underrun u;

	(void)state;
	clock_sink_init(&s, 100 * MS, 0);
	assert_string_equal("clock-100", s.name);
	assert_false(clock_sink_offer(&s, 70 * MS, 5000 * MS, &u));
	assert_int_equal(CLOCK_STARTING, s.state);
	assert_false(clock_sink_offer(&s, 5 * MS, 9000 * MS, &u));
	assert_int_equal(CLOCK_PLAYING, s.state);
	assert_int_equal(0, s.tally.due_ns);
	assert_int_equal(0, s.tally.underruns);
	assert_int_equal(0, s.tally.silent_ns);
	assert_int_equal(75 * MS, clock_sink_take_lowest(&s));
}

static void what_the_buffer_covers_is_no_underrun(void **state)
{
	struct clock_sink s = playing(100, 1000);
	struct underrun u;

	(void)state;
	assert_false(clock_sink_offer(&s, 1000 * MS, 1100 * MS, &u));
	assert_int_equal(100 * MS, s.level_ns);
	assert_int_equal(0, clock_sink_take_lowest(&s));
	assert_int_equal(100 * MS, clock_sink_take_lowest(&s));
	assert_int_equal(100 * MS, s.tally.due_ns);
	assert_int_equal(0, s.tally.silent_ns);
}

static void a_gap_is_what_the_buffer_does_not_cover(void **state)
{
	struct clock_sink s = playing(100, 1000);
	struct underrun u;

	(void)state;
	assert_true(clock_sink_offer(&s, 1000 * MS, 1500 * MS, &u));
	assert_int_equal(1100 * MS, u.start_ns);
	assert_int_equal(1500 * MS, u.end_ns);
	assert_false(u.open);
	assert_int_equal(1, s.tally.underruns);
	assert_int_equal(400 * MS, s.tally.silent_ns);
	assert_int_equal(400 * MS, s.tally.longest_ns);
	assert_int_equal(500 * MS, s.tally.due_ns);
	assert_int_equal(100 * MS, s.level_ns);
	assert_int_equal(0, clock_sink_take_lowest(&s));
}

static void a_gap_is_one_however_often_it_is_looked_at(void **state)
{
	struct clock_sink s = playing(100, 0);
	struct underrun u;

	(void)state;
	for (int64_t t = 0; t < 1000; t += 7)
		clock_sink_advance(&s, t * MS);
	/* Fed in bits it stays silent until three quarters are there. */
	for (int i = 0; i < 7; i++)
		assert_false(clock_sink_offer(&s, 10 * MS, (1000 + 10 * i) * MS, &u));
	assert_true(clock_sink_offer(&s, 10 * MS, 1070 * MS, &u));
	assert_int_equal(970 * MS, u.end_ns - u.start_ns);
	assert_int_equal(970 * MS, s.tally.silent_ns);
	assert_int_equal(1, s.tally.underruns);
	assert_int_equal(80 * MS, s.level_ns);
}

static void time_that_went_back_is_none(void **state)
{
	struct clock_sink s = playing(100, 1000);

	(void)state;
	clock_sink_advance(&s, 500 * MS);
	clock_sink_advance(&s, 1010 * MS);
	assert_int_equal(90 * MS, s.level_ns);
}

static void held_time_is_not_due(void **state)
{
	struct clock_sink s = playing(100, 0);
	struct shares waits = none;
	struct underrun u;

	(void)state;
	waits.ns[PLAYBACK_READ] = MS;
	clock_sink_hold(&s, 50 * MS);
	clock_sink_waited(&s, &waits);
	assert_int_equal(0, clock_sink_room(&s));
	assert_false(clock_sink_offer(&s, 10 * MS, 4000 * MS, &u));
	assert_int_equal(50 * MS, s.level_ns);
	clock_sink_release(&s, 5050 * MS);
	clock_sink_waited(&s, &waits);
	assert_int_equal(MS, shares_total(&s.waits));
	assert_true(clock_sink_offer(&s, 100 * MS, 5110 * MS, &u));
	assert_int_equal(10 * MS, u.end_ns - u.start_ns);
	assert_int_equal(110 * MS, s.tally.due_ns);
}

static void waits_count_since_it_was_last_full(void **state)
{
	struct clock_sink s = playing(100, 0);
	struct shares file = none, memory = none;
	struct underrun u;

	(void)state;
	file.ns[PLAYBACK_READ] = 60 * MS;
	memory.ns[PLAYBACK_MEMORY] = 50 * MS;
	clock_sink_waited(&s, &file);
	assert_false(clock_sink_offer(&s, 100 * MS, 60 * MS, &u));	/* full again */
	clock_sink_waited(&s, &memory);
	assert_false(clock_sink_offer(&s, 5 * MS, 110 * MS, &u));	/* not full */
	clock_sink_waited(&s, &memory);
	assert_true(clock_sink_offer(&s, 100 * MS, 170 * MS, &u));
	assert_int_equal(PLAYBACK_MEMORY, u.cause);
	assert_int_equal(100 * MS, u.waits.ns[PLAYBACK_MEMORY]);
	assert_int_equal(0, u.waits.ns[PLAYBACK_READ]);
	assert_int_equal(1, s.tally.cause[PLAYBACK_MEMORY]);
	assert_int_equal(0, shares_total(&s.waits));
}

static void a_gap_that_is_open_at_the_end_counts(void **state)
{
	struct clock_sink s = playing(20, 0), fine = playing(20, 0);
	struct underrun u;

	(void)state;
	assert_false(clock_sink_finish(&fine, 20 * MS, &u));
	assert_true(clock_sink_finish(&s, 120 * MS, &u));
	assert_true(u.open);
	assert_int_equal(100 * MS, u.end_ns - u.start_ns);
	assert_int_equal(1, s.tally.underruns);
	assert_int_equal(100 * MS, s.tally.silent_ns);
	assert_false(clock_sink_finish(&s, 140 * MS, &u));
}

static void slow_feeding_drains_a_large_buffer_late(void **state)
{
	struct clock_sink small = playing(100, 0), large = playing(2000, 0);
	struct underrun u;

	(void)state;
	for (int64_t t = 10; t <= 3000; t += 10) {
		clock_sink_offer(&small, 5 * MS, t * MS, &u);
		clock_sink_offer(&large, 5 * MS, t * MS, &u);
	}
	assert_true(small.tally.underruns > 5);
	assert_int_equal(0, large.tally.underruns);
	assert_int_equal(500 * MS, large.level_ns);
}

static void zero_is_told_with_its_bound(void **state)
{
	struct tally t = { .due_ns = 376000 * MS };
	struct underrun u = { .end_ns = MS, .cause = PLAYBACK_CPU };
	char buf[80];

	(void)state;
	assert_string_equal("0 in 376 s (< 0.48/min)", tally_text(&t, buf, sizeof(buf)));
	t.due_ns = 60000 * MS;
	for (int i = 0; i < 12; i++)
		tally_add(&t, &u);
	assert_string_equal("12 in 60 s (12.00/min)", tally_text(&t, buf, sizeof(buf)));
	assert_int_equal(12, t.cause[PLAYBACK_CPU]);
	memset(&t, 0, sizeof(t));
	assert_string_equal("0 in 0 s", tally_text(&t, buf, sizeof(buf)));
	assert_string_equal("0 in", tally_text(&t, buf, 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(start_up_is_no_underrun),
		cmocka_unit_test(what_the_buffer_covers_is_no_underrun),
		cmocka_unit_test(a_gap_is_what_the_buffer_does_not_cover),
		cmocka_unit_test(a_gap_is_one_however_often_it_is_looked_at),
		cmocka_unit_test(time_that_went_back_is_none),
		cmocka_unit_test(held_time_is_not_due),
		cmocka_unit_test(waits_count_since_it_was_last_full),
		cmocka_unit_test(a_gap_that_is_open_at_the_end_counts),
		cmocka_unit_test(slow_feeding_drains_a_large_buffer_late),
		cmocka_unit_test(zero_is_told_with_its_bound),
	};

	return TAP_RUN(tests, NULL, NULL);
}
