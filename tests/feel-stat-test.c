/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What vmtop-feel makes of the waits of a probe. */
#include "tests/tap.h"

#include <string.h>

#include "probes/feel_stat.h"

#define MS INT64_C(1000000)
#define S INT64_C(1000000000)

static struct feel_stat stat;
static struct feel_report report;

static int setup(void **state)
{
	(void)state;
	memset(&report, 0, sizeof(report));
	return feel_stat_init(&stat, 10 * MS, 10 * MS);
}

static int teardown(void **state)
{
	(void)state;
	feel_stat_done(&stat);
	return 0;
}

static int64_t field(enum feel_field f)
{
	assert_true(report.have[f]);
	return report.value[f];
}

static void look(int64_t now_ns, int64_t due_ns)
{
	memset(&report, 0, sizeof(report));
	feel_stat_report(&stat, now_ns, due_ns, &report);
}

/* n waits of this length, one each period. */
static int64_t quiet(int64_t from_ns, int n, int64_t wait_ns)
{
	for (int i = 0; i < n; i++, from_ns += 10 * MS)
		feel_stat_add(&stat, from_ns, from_ns + wait_ns);
	return from_ns;
}

static void before_the_first_answer_nothing_is_known(void **state)
{
	(void)state;
	look(5 * S, 6 * S);
	assert_false(report.have[FEEL_LAST] || report.have[FEEL_P99] || report.have[FEEL_WORST]);
	assert_false(report.have[FEEL_WAITING]);
	assert_int_equal(0, field(FEEL_COUNT));
	assert_int_equal(0, field(FEEL_ABOVE_100MS));
	memset(&report, 0, sizeof(report));
	feel_stat_total(&stat, &report);
	assert_false(report.have[FEEL_P50] || report.have[FEEL_WORST]);
}

static void a_stuck_probe_counts_its_whole_absence(void **state)
{
	int64_t at = quiet(S, 100, MS / 10);

	(void)state;
	feel_stat_add(&stat, at, at + 3 * S);
	look(at + 3 * S, 0);
	assert_int_equal(3 * S, field(FEEL_LAST));
	assert_int_equal(3 * S, field(FEEL_WORST));
	assert_int_equal(3 * S, field(FEEL_ABOVE_100MS));
	assert_int_equal(3 * S, field(FEEL_ABOVE_1S));
	assert_int_equal(100 + 301, field(FEEL_COUNT));
	assert_int_equal(300, field(FEEL_SKIPPED));
	/* 401 values: 3000, 2990, ... ms and 100 small; 4 may be above. */
	assert_int_equal(2960 * MS, field(FEEL_P99));
}

static void one_still_running_counts_with_its_age(void **state)
{
	int64_t at = quiet(S, 100, MS / 10);

	(void)state;
	look(at + 500 * MS, at);
	assert_int_equal(500 * MS, field(FEEL_WAITING));
	assert_int_equal(500 * MS, field(FEEL_LAST));
	assert_int_equal(500 * MS, field(FEEL_WORST));
	assert_int_equal(500 * MS, field(FEEL_ABOVE_100MS));
	assert_int_equal(0, field(FEEL_ABOVE_1S));
	assert_int_equal(490 * MS, field(FEEL_P99));
	assert_int_equal(100, field(FEEL_COUNT));	/* that were answered */
	look(at + 2 * S, at);
	assert_int_equal(2 * S, field(FEEL_ABOVE_1S));
	feel_stat_add(&stat, at, at + 2500 * MS);	/* once, when it has ended */
	look(at + 2501 * MS, 0);
	assert_int_equal(2500 * MS, field(FEEL_ABOVE_1S));
	assert_false(report.have[FEEL_WAITING]);
}

static void a_moment_that_has_just_come_is_no_wait(void **state)
{
	int64_t at = quiet(S, 10, MS);

	(void)state;
	look(at + 9 * MS, at);
	assert_false(report.have[FEEL_WAITING]);
	assert_int_equal(MS, field(FEEL_WORST));
	look(at + 9 * MS, at + 10 * MS);
	assert_false(report.have[FEEL_WAITING]);
}

static void p99_is_the_smallest_that_99_in_100_do_not_exceed(void **state)
{
	int64_t at = 0;

	(void)state;
	for (int i = 1; i <= 100; i++, at += 10 * MS)
		feel_stat_add(&stat, at, at + i * 1000);
	look(at, 0);
	assert_int_equal(99 * 1000, field(FEEL_P99));
	feel_stat_done(&stat);
	assert_int_equal(0, feel_stat_init(&stat, 10 * MS, 10 * MS));
	for (int i = 1; i <= 99; i++, at += 10 * MS)
		feel_stat_add(&stat, at, at + i * 1000);
	look(at, 0);
	assert_int_equal(99 * 1000, field(FEEL_P99));	/* of less than 100 the largest */
}

static void p99_forgets_after_a_minute_and_worst_does_not(void **state)
{
	int64_t at;

	(void)state;
	feel_stat_add(&stat, S, S + 700 * MS);
	at = quiet(2 * S, 50, MS);
	look(61 * S + 699 * MS, 0);
	assert_true(field(FEEL_P99) > 600 * MS);
	look(61 * S + 700 * MS, 0);
	assert_int_equal(MS, field(FEEL_P99));
	assert_int_equal(700 * MS, field(FEEL_WORST));
	look(at + 61 * S, 0);
	assert_false(report.have[FEEL_P99]);	/* nothing was answered for a minute */
	assert_int_equal(MS, field(FEEL_LAST));
}

static void the_window_holds_a_whole_minute(void **state)
{
	int64_t at = quiet(0, 60, 9 * MS);

	(void)state;
	at = quiet(at, 5939, MS);
	look(at, 0);
	assert_int_equal(9 * MS, field(FEEL_P99));	/* 60 of 5999 are more than 1 in 100 */
	at = quiet(at, 1, MS);
	look(at, 0);
	assert_int_equal(MS, field(FEEL_P99));		/* and 60 of 6000 are not */
	at = quiet(at, 20000, 2 * MS);
	look(at, 0);
	assert_int_equal(2 * MS, field(FEEL_P99));
	assert_int_equal(26000, field(FEEL_COUNT));
}

static void without_a_period_each_wait_is_one_value(void **state)
{
	(void)state;
	feel_stat_done(&stat);
	assert_int_equal(0, feel_stat_init(&stat, 0, 2 * S));
	for (int i = 0; i < 200; i++)
		feel_stat_add(&stat, i * 12 * S, i * 12 * S + (i == 199 ? 10 * S : MS));
	assert_int_equal(200, stat.count);
	assert_int_equal(0, stat.skipped);
	look(199 * 12 * S + 10 * S, 0);
	assert_int_equal(10 * S, field(FEEL_P99));
	assert_int_equal(10 * S, field(FEEL_ABOVE_1S));
}

static void the_whole_run_is_right_to_one_part_in_32(void **state)
{
	int64_t at = 0;

	(void)state;
	for (int64_t wait = 1000; wait < 3600 * S; wait = wait * 5 / 4 + 1000) {
		struct feel_stat one;

		assert_int_equal(0, feel_stat_init(&one, 0, 2 * S));
		for (int i = 0; i < 99; i++, at += 4000 * S)
			feel_stat_add(&one, at, at + wait);
		feel_stat_add(&one, at, at + 2 * wait);
		memset(&report, 0, sizeof(report));
		feel_stat_total(&one, &report);
		assert_true(llabs(field(FEEL_P50) - wait) <= wait / 32 + 1000);
		assert_true(llabs(field(FEEL_P99) - wait) <= wait / 32 + 1000);
		assert_int_equal(2 * wait, field(FEEL_WORST));
		feel_stat_done(&one);
	}
}

static void an_answer_before_its_moment_is_no_wait(void **state)
{
	(void)state;
	feel_stat_add(&stat, S, S - 1);
	look(S, 0);
	assert_int_equal(0, field(FEEL_LAST));
	assert_int_equal(1, field(FEEL_COUNT));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(before_the_first_answer_nothing_is_known),
		TEST(a_stuck_probe_counts_its_whole_absence),
		TEST(one_still_running_counts_with_its_age),
		TEST(a_moment_that_has_just_come_is_no_wait),
		TEST(p99_is_the_smallest_that_99_in_100_do_not_exceed),
		TEST(p99_forgets_after_a_minute_and_worst_does_not),
		TEST(the_window_holds_a_whole_minute),
		TEST(without_a_period_each_wait_is_one_value),
		TEST(the_whole_run_is_right_to_one_part_in_32),
		TEST(an_answer_before_its_moment_is_no_wait),
	};

	return TAP_RUN(tests, NULL, NULL);
}
