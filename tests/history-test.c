/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tap.h"

#include <math.h>
#include <string.h>

#include "src/history.h"

#define S 1000000000LL

/* What tests put numbers in; every other metric is absent. */
#define VALUE M_mem_MemFree
#define OTHER M_vm_allocstall

static struct history *h;
static struct row row;		/* the last one added */

static int setup(void **state)
{
	(void)state;
	h = history_new();
	memset(&row, 0, sizeof(row));
	memset(row.why, WHY_ABSENT, sizeof(row.why));
	row.why[VALUE] = WHY_OK;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	history_free(h);
	return 0;
}

/* Numbers that are the same in each run. */
static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

static void add(int64_t t_ns, int64_t span_ns, double value)
{
	row.t_ns = t_ns;
	row.span_ns = span_ns;
	row.value[VALUE] = value;
	history_add(h, &row);
	row.gap = false;
	row.missed = 0;
	row.late_ns = 0;
}

/* Rows first to last, one a second, each with its own number as value. */
static void add_numbered(int first, int last)
{
	for (int i = first; i <= last; i++)
		add(i * S, S, i);
}

static struct history_column at(enum metric m, int64_t t_ns)
{
	struct history_column col;

	history_at(h, m, t_ns, &col);
	return col;
}

#define assert_column(col, wanted_n, wanted_min, wanted_mean, wanted_max) do { \
	const struct history_column c_ = (col); \
	assert_int_equal(c_.n, wanted_n); \
	assert_true(c_.min == (wanted_min)); \
	assert_true(c_.mean == (wanted_mean)); \
	assert_true(c_.max == (wanted_max)); \
} while (0)

static void an_empty_history_knows_nothing(void **state)
{
	struct history_column cols[3];

	(void)state;
	assert_int_equal(history_first_ns(h), 0);
	assert_int_equal(history_last_ns(h), 0);
	assert_true(isnan(history_max_ever(h, VALUE)));
	history_window(h, VALUE, -S, S, cols, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(cols[i].n, 0);
	assert_int_equal(at(VALUE, 0).n, 0);
}

static void recent_rows_are_kept_exactly(void **state)
{
	struct history_column cols[3];

	(void)state;
	add(1 * S, S, 9007199254740991.0);
	add(2 * S, S, 0.1);
	add(3 * S, S, 16777217);
	history_window(h, VALUE, 0, S, cols, 3);
	assert_column(cols[0], 1, 9007199254740991.0, 9007199254740991.0, 9007199254740991.0);
	assert_column(cols[1], 1, 0.1, 0.1, 0.1);
	assert_column(cols[2], 1, 16777217, 16777217, 16777217);
	assert_column(at(VALUE, 3 * S), 1, 16777217, 16777217, 16777217);
	assert_int_equal(history_first_ns(h), 0);
	assert_int_equal(history_last_ns(h), 3 * S);
}

static void ten_minutes_of_rows_are_kept_unfolded(void **state)
{
	(void)state;
	add_numbered(1, 608);
	assert_column(at(VALUE, 9 * S), 1, 9, 9, 9);
	assert_column(at(VALUE, 608 * S), 1, 608, 608, 608);
}

static void each_tier_folds_eight_of_the_tier_below(void **state)
{
	/* So many rows that the first one is left in no finer tier. */
	static const int rows[] = { 601, 2900, 23200, 185000 }, folded[] = { 8, 64, 512, 4096 };

	(void)state;
	for (int i = 0, done = 0; i < 4; done = rows[i++]) {
		add_numbered(done + 1, rows[i]);
		assert_column(at(VALUE, S), folded[i], 1, (1 + folded[i]) / 2.0, folded[i]);
		assert_column(at(VALUE, folded[i] * S), folded[i], 1, (1 + folded[i]) / 2.0,
			      folded[i]);
		assert_true(at(VALUE, folded[i] * S + 1).min == folded[i] + 1);
		assert_column(at(VALUE, rows[i] * S), 1, rows[i], rows[i], rows[i]);
	}
}

static void the_mean_is_weighted_by_time(void **state)
{
	struct history_column col;

	(void)state;
	for (int i = 1; i <= 4; i++)
		add(i * S, S, 10);
	for (int i = 1; i <= 4; i++)
		add(4 * S + i * S / 2, S / 2, 40);
	history_window(h, VALUE, 0, 6 * S, &col, 1);
	assert_column(col, 8, 10, 20, 40);
	for (int i = 7; i < 700; i++)
		add(i * S, S, 0);
	history_window(h, VALUE, 0, 6 * S, &col, 1);
	assert_column(col, 8, 10, 20, 40);
}

static void folding_rounds_outwards(void **state)
{
	struct history_column col;

	(void)state;
	for (int i = 1; i <= 700; i++)
		add(i * S, S, 16777217);	/* 2^24 + 1 is no float */
	assert_column(at(VALUE, S), 8, 16777216, 16777216, 16777218);
	for (int i = 701; i <= 1400; i++)
		add(i * S, S, 0.1);
	col = at(VALUE, 710 * S);
	assert_int_equal(col.n, 8);
	assert_true(col.min < 0.1 && col.max > 0.1);
	assert_true(col.min <= col.mean && col.mean <= col.max);
	assert_true(col.max - col.min < 2e-8);
}

static void absent_is_not_zero(void **state)
{
	struct history_column cols[2];

	(void)state;
	add(1 * S, S, 0);
	row.why[VALUE] = WHY_RESET;
	add(2 * S, S, 0);
	history_window(h, VALUE, 0, S, cols, 2);
	assert_column(cols[0], 1, 0, 0, 0);
	assert_int_equal(cols[1].n, 0);
	history_window(h, OTHER, 0, S, cols, 2);
	assert_int_equal(cols[0].n, 0);
	assert_int_equal(at(VALUE, 2 * S).n, 0);
	assert_int_equal(at(OTHER, 2 * S).n, 0);
}

static void what_is_absent_is_left_out_of_a_fold(void **state)
{
	(void)state;
	for (int i = 1; i <= 16; i++) {
		row.why[VALUE] = i == 3 || i == 5 ? WHY_OK : WHY_ABSENT;
		add(i * S, S, i);
	}
	row.why[VALUE] = WHY_OK;
	add_numbered(17, 700);
	assert_column(at(VALUE, S), 8, 3, 4, 5);
	assert_int_equal(at(VALUE, 9 * S).n, 0);
	assert_column(at(VALUE, 17 * S), 8, 17, 20.5, 24);
}

static void missed_ticks_are_a_gap(void **state)
{
	static const uint32_t wanted[] = { 1, 1, 1, 1, 1, 0, 0, 0, 1, 0 };
	struct history_column cols[10];

	(void)state;
	add_numbered(1, 5);
	row.missed = 3;
	add_numbered(9, 9);
	history_window(h, VALUE, 0, S, cols, 10);
	for (int i = 0; i < 10; i++)
		assert_int_equal(cols[i].n, wanted[i]);
	assert_int_equal(at(VALUE, 6 * S).n, 0);
	assert_int_equal(at(VALUE, 8 * S - 1).n, 0);
	assert_int_equal(at(VALUE, 8 * S + 1).n, 1);
	/* Folded it still is one. */
	add_numbered(10, 700);
	assert_column(at(VALUE, 5 * S), 5, 1, 3, 5);
	assert_int_equal(at(VALUE, 6 * S).n, 0);
	assert_column(at(VALUE, 9 * S), 8, 9, 12.5, 16);
}

static void missed_ticks_end_a_bucket_even_when_the_row_spans_them(void **state)
{
	(void)state;
	add_numbered(1, 4);
	row.missed = 2;
	add(7 * S, 3 * S, 7);
	add_numbered(8, 700);
	assert_column(at(VALUE, 4 * S), 4, 1, 2.5, 4);
	assert_column(at(VALUE, 4 * S + 1), 8, 7, (double)9.8f, 14);
}

static void an_unexplained_hole_in_time_is_a_gap(void **state)
{
	(void)state;
	add_numbered(1, 5);
	add(7 * S, S / 2, 7);
	assert_int_equal(at(VALUE, 6 * S).n, 0);
	/* Less than half a span is the sampler's jitter. */
	add(8 * S, 700000000, 8);
	assert_column(at(VALUE, 7 * S + 1), 1, 8, 8, 8);
}

static void a_suspend_ends_the_bucket_of_every_tier(void **state)
{
	(void)state;
	add_numbered(1, 1000);
	row.gap = true;
	add_numbered(1001, 190000);
	assert_column(at(VALUE, 1000 * S), 1000, 1, 500.5, 1000);
	assert_column(at(VALUE, 1001 * S), 4096, 1001, 3048.5, 5096);
}

/* A tick missed now and then must not cost the week. */
static void a_gap_far_shorter_than_a_bucket_does_not_end_it(void **state)
{
	(void)state;
	add_numbered(1, 20);
	row.missed = 4;
	add_numbered(25, 100);
	row.missed = 5;
	add_numbered(106, 4000);
	/* 64 rows: the gap of 4 is in it, that of 5 is over a 16th. */
	assert_int_equal(at(VALUE, 22 * S).n, 60);
	assert_true(at(VALUE, 100 * S).max == 100);
	assert_int_equal(at(VALUE, 103 * S).n, 0);
	assert_true(at(VALUE, 106 * S).min == 106);
}

static void no_bucket_grows_beyond_its_length(void **state)
{
	(void)state;
	add_numbered(1, 5);
	row.missed = 1;
	add_numbered(7, 4000);
	/* 5 rows, a gap of 1 and 7 x 8 rows; 8 more would make 70. */
	assert_int_equal(at(VALUE, S).n, 61);
}

static void a_gap_each_minute_still_leaves_a_week(void **state)
{
	(void)state;
	for (int i = 1; i <= 700000; i++) {
		row.missed = i % 60 == 1;
		if (i % 60)
			add(i * S, S, i);
	}
	assert_true(history_last_ns(h) - history_first_ns(h) > 7 * 86400 * S);
}

static void jitter_neither_empties_a_column_nor_doubles_a_row(void **state)
{
	static const int late_ms[] = { 0, 7, 90, 3, 11, 2, 120, 8, 1, 5, 12, 0, 124 };
	struct history_column cols[500];

	(void)state;
	for (int i = 1; i <= 550; i++) {
		row.late_ns = late_ms[i % 13] * S / 1000;
		add(i * S + row.late_ns, i * S + row.late_ns - row.t_ns, i);
	}
	/* Columns of one row, at phases where middles fall beside, on and off the borders. */
	for (int phase = -50; phase <= 50; phase++) {
		int64_t t0 = 20 * S + S / 2 + phase * S / 100;

		history_window(h, VALUE, t0, S, cols, 500);
		for (int i = 0; i < 500; i++) {
			assert_int_equal(cols[i].n, 1);
			if (i)
				assert_true(cols[i].max == cols[i - 1].max + 1);
		}
	}
}

static void rows_wider_than_columns_fill_them(void **state)
{
	struct history_column cols[30];

	(void)state;
	add_numbered(1, 3);
	history_window(h, VALUE, 0, S / 10, cols, 30);
	for (int i = 0; i < 30; i++) {
		int wanted = i / 10 + 1;

		assert_column(cols[i], 1, wanted, wanted, wanted);
	}
}

static void a_late_row_is_as_wide_as_it_was_late(void **state)
{
	static const int wanted[] = { 1, 1, 2, 2, 2, 3 };
	struct history_column cols[6];

	(void)state;
	add(1 * S, S, 1);
	row.late_ns = 9 * S / 10;
	add(29 * S / 10, 19 * S / 10, 2);
	assert_int_equal(history_last_ns(h), 29 * S / 10);
	add(3 * S, S / 10, 3);
	history_window(h, VALUE, 0, S / 2, cols, 6);
	for (int i = 0; i < 6; i++)
		assert_column(cols[i], 1, wanted[i], wanted[i], wanted[i]);
}

static void rows_narrower_than_columns_are_all_in_them(void **state)
{
	struct history_column cols[2];

	(void)state;
	add_numbered(1, 20);
	history_window(h, VALUE, 0, 10 * S, cols, 2);
	assert_column(cols[0], 10, 1, 5.5, 10);
	assert_column(cols[1], 10, 11, 15.5, 20);
}

static void before_and_after_what_is_known_is_nothing(void **state)
{
	struct history_column cols[100];

	(void)state;
	for (int i = 101; i <= 1800; i++)
		add(i * S, S, i);
	history_window(h, VALUE, 0, S, cols, 100);
	for (int i = 0; i < 100; i++)
		assert_int_equal(cols[i].n, 0);
	history_window(h, VALUE, 1800 * S, S, cols, 100);
	for (int i = 0; i < 100; i++)
		assert_int_equal(cols[i].n, 0);
	assert_int_equal(at(VALUE, 100 * S - 1).n, 0);
	assert_int_equal(at(VALUE, 100 * S).n, 8);
	assert_int_equal(at(VALUE, 1800 * S).n, 1);
	assert_int_equal(at(VALUE, 1800 * S + 1).n, 0);
}

static void rows_out_of_order_are_ignored(void **state)
{
	(void)state;
	add_numbered(1, 5);
	add(5 * S, S, 100);
	add(4 * S, S, 100);
	assert_int_equal(history_last_ns(h), 5 * S);
	assert_true(history_max_ever(h, VALUE) == 5);
	add_numbered(6, 700);
	assert_column(at(VALUE, S), 8, 1, 4.5, 8);
}

static void the_maximum_ever_outlives_the_tiers(void **state)
{
	(void)state;
	add(1 * S, S, 16777217);
	for (int i = 2; i <= 700000; i++)
		add(i * S, S, 1);
	assert_true(history_first_ns(h) > S);
	assert_true(history_max_ever(h, VALUE) == 16777217);
	assert_true(isnan(history_max_ever(h, OTHER)));
}

static void the_interval_may_change_at_any_row(void **state)
{
	static const int64_t spans[] = { S, S / 10, 5 * S, S / 50, S };
	struct history_column cols[1000];
	int64_t t = 0, width;
	int i = 0;

	(void)state;
	for (int k = 0; k < 5; k++)
		for (int n = 0; n < 1003; n++)
			add(t += spans[k], spans[k], ++i);
	assert_int_equal(history_first_ns(h), 0);
	width = t / 1000;
	for (int zoom = 0; zoom < 6; zoom++, width /= 4) {
		double last = 0;

		for (int64_t t0 = 0; t0 + 1000 * width <= t; t0 += 1000 * width) {
			history_window(h, VALUE, t0, width, cols, 1000);
			for (int c = 0; c < 1000; c++) {
				assert_true(cols[c].n > 0);
				assert_true(cols[c].min <= last + 1);
				last = cols[c].max;
			}
		}
	}
}

static void a_column_does_not_depend_on_how_many_there_are(void **state)
{
	static struct history_column all[2000], some[2000];
	static const int64_t widths[] = { S / 3, S, 3 * S / 2, 8 * S, 45 * S };
	uint64_t seed = 7;
	int64_t t = 0;

	(void)state;
	for (int i = 1; i <= 30000; i++) {
		int64_t span = S + (int64_t)(next_random(&seed) % 40 * 1000000) - 20000000;

		row.missed = next_random(&seed) % 500 == 0;
		t += span + (row.missed ? S : 0);
		add(t, span, i);
	}
	for (size_t w = 0; w < sizeof(widths) / sizeof(*widths); w++) {
		int64_t t0 = t / widths[w] * widths[w] - 1990 * widths[w];

		history_window(h, VALUE, t0, widths[w], all, 2000);
		for (size_t skip = 1; skip < 2000; skip += 37) {
			size_t n = (2000 - skip) / 2 + 1;

			history_window(h, VALUE, t0 + (int64_t)skip * widths[w], widths[w], some,
				       n);
			assert_memory_equal(some, all + skip, n * sizeof(*some));
		}
	}
}

/* When the stall of so many days ago was, in a week that ends at `week` seconds. */
static int stall_second(int week, int days_ago)
{
	return week - days_ago * 86400 + (days_ago == 7 ? 100 : -100);
}

static void add_week_with_stalls(int week, const int *days_ago, size_t nstalls)
{
	for (int i = 1; i <= week; i++) {
		bool stall = false;

		for (size_t d = 0; d < nstalls; d++)
			stall |= i == stall_second(week, days_ago[d]);
		if (stall)
			add(i * S - 9 * S / 10, S / 10, 1000);
		add(i * S, stall ? 9 * S / 10 : S, 1);
	}
}

static void a_stall_of_100_ms_stays_visible_for_a_week_in_every_zoom(void **state)
{
	static const int days_ago[] = { 7, 5, 2, 1, 0 };
	static const int64_t widths[] = { S / 10, S, 7 * S, 60 * S, 600 * S, 5000 * S, 21600 * S };
	struct history_column cols[800];
	int week = 7 * 86400;

	(void)state;
	add_week_with_stalls(week, days_ago, 5);
	for (int d = 0; d < 5; d++)
		for (size_t w = 0; w < sizeof(widths) / sizeof(*widths); w++) {
			int64_t t = stall_second(week, days_ago[d]) * S;
			int64_t t0 = (t / widths[w] - 400) * widths[w];
			int seen = 0;

			history_window(h, VALUE, t0, widths[w], cols, 800);
			for (int i = 0; i < 800; i++) {
				int64_t off = t0 + i * widths[w] + widths[w] / 2 - t;

				if (llabs(off) < 4100 * S + widths[w] / 2 && cols[i].max == 1000)
					seen++;
			}
			assert_true(seen >= 1);
			if (widths[w] >= 4096 * S)
				assert_int_equal(seen, 1);
		}
}

static void a_week_of_seconds_always_fits(void **state)
{
	(void)state;
	for (int i = 1; i <= 8 * 86400 + 5000; i++) {
		add(i * S, S, i);
		if (i >= 8 * 86400 && i % 100 == 0)
			assert_true(history_first_ns(h) <= history_last_ns(h) - 7 * 86400 * S);
	}
}

static void it_takes_a_few_megabytes(void **state)
{
	(void)state;
	assert_in_range(history_size(h), 5 << 20, 10 << 20);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_empty_history_knows_nothing),
		TEST(recent_rows_are_kept_exactly),
		TEST(ten_minutes_of_rows_are_kept_unfolded),
		TEST(each_tier_folds_eight_of_the_tier_below),
		TEST(the_mean_is_weighted_by_time),
		TEST(folding_rounds_outwards),
		TEST(absent_is_not_zero),
		TEST(what_is_absent_is_left_out_of_a_fold),
		TEST(missed_ticks_are_a_gap),
		TEST(missed_ticks_end_a_bucket_even_when_the_row_spans_them),
		TEST(an_unexplained_hole_in_time_is_a_gap),
		TEST(a_suspend_ends_the_bucket_of_every_tier),
		TEST(a_gap_far_shorter_than_a_bucket_does_not_end_it),
		TEST(no_bucket_grows_beyond_its_length),
		TEST(a_gap_each_minute_still_leaves_a_week),
		TEST(jitter_neither_empties_a_column_nor_doubles_a_row),
		TEST(rows_wider_than_columns_fill_them),
		TEST(a_late_row_is_as_wide_as_it_was_late),
		TEST(rows_narrower_than_columns_are_all_in_them),
		TEST(before_and_after_what_is_known_is_nothing),
		TEST(rows_out_of_order_are_ignored),
		TEST(the_maximum_ever_outlives_the_tiers),
		TEST(the_interval_may_change_at_any_row),
		TEST(a_column_does_not_depend_on_how_many_there_are),
		TEST(a_stall_of_100_ms_stays_visible_for_a_week_in_every_zoom),
		TEST(a_week_of_seconds_always_fits),
		TEST(it_takes_a_few_megabytes),
	};

	return TAP_RUN(tests, NULL, NULL);
}
