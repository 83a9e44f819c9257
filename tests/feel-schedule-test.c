/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a probe of vmtop-feel is meant to act. */
#include "tests/tap.h"

#include "probes/feel_schedule.h"

static void a_period_is_a_grid_that_no_delay_moves(void **state)
{
	struct feel_schedule s = { .period_ns = 10 };

	(void)state;
	feel_schedule_init(&s, 1003, 1);
	assert_int_equal(1013, s.due_ns);
	feel_schedule_next(&s, 1013);
	assert_int_equal(1023, s.due_ns);
	feel_schedule_next(&s, 1032);
	assert_int_equal(1033, s.due_ns);
	feel_schedule_next(&s, 1043);	/* in time for the moment after that too: it is answered */
	assert_int_equal(1053, s.due_ns);
	feel_schedule_next(&s, 1353);
	assert_int_equal(1363, s.due_ns);
}

static void moments_that_pass_in_a_wait_are_counted(void **state)
{
	(void)state;
	assert_int_equal(1, feel_schedule_moments(100, 100, 10));
	assert_int_equal(1, feel_schedule_moments(100, 109, 10));
	assert_int_equal(2, feel_schedule_moments(100, 110, 10));
	assert_int_equal(301, feel_schedule_moments(100, 3100, 10));
	assert_int_equal(1, feel_schedule_moments(100, 3100, 0));
	assert_int_equal(1, feel_schedule_moments(100, 90, 10));
}

static void without_a_period_the_next_is_a_random_time_after_the_answer(void **state)
{
	struct feel_schedule s = { .least_ns = 2000, .most_ns = 6000 };
	int64_t done = 500, low = INT64_MAX, high = 0;

	(void)state;
	feel_schedule_init(&s, done, 0);
	for (int i = 0; i < 10000; i++) {
		int64_t pause = s.due_ns - done;

		low = pause < low ? pause : low;
		high = pause > high ? pause : high;
		done = s.due_ns + 9000;
		feel_schedule_next(&s, done);
	}
	assert_in_range(low, 2000, 2010);
	assert_in_range(high, 5990, 6000);
}

static void seeds_that_differ_little_give_other_times(void **state)
{
	struct feel_schedule a = { .least_ns = 0, .most_ns = INT64_C(1) << 40 }, b = a;

	(void)state;
	feel_schedule_init(&a, 0, 41);
	feel_schedule_init(&b, 0, 42);
	assert_int_not_equal(a.due_ns, b.due_ns);
}

static void no_page_comes_twice_in_a_minute(void **state)
{
	static size_t when[FEEL_APART + 1], seen;
	struct feel_draw d;

	(void)state;
	/* The fewest there may be: each draw is the only one left. */
	feel_draw_init(&d, FEEL_APART + 1, 7);
	for (size_t i = 1; i <= 1000; i++) {
		size_t x = feel_draw_next(&d);

		assert_true(x <= FEEL_APART);
		assert_true(!when[x] || i - when[x] > FEEL_APART);
		seen += !when[x];
		when[x] = i;
	}
	assert_int_equal(FEEL_APART + 1, seen);
}

static void a_draw_reaches_all_of_a_large_mapping(void **state)
{
	static unsigned quarter[4];
	struct feel_draw d;

	(void)state;
	feel_draw_init(&d, 16384, 1);
	for (int i = 0; i < 4000; i++)
		quarter[feel_draw_next(&d) / 4096]++;
	for (int i = 0; i < 4; i++)
		assert_in_range(quarter[i], 850, 1150);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_period_is_a_grid_that_no_delay_moves),
		cmocka_unit_test(moments_that_pass_in_a_wait_are_counted),
		cmocka_unit_test(without_a_period_the_next_is_a_random_time_after_the_answer),
		cmocka_unit_test(seeds_that_differ_little_give_other_times),
		cmocka_unit_test(no_page_comes_twice_in_a_minute),
		cmocka_unit_test(a_draw_reaches_all_of_a_large_mapping),
	};

	return TAP_RUN(tests, NULL, NULL);
}
