/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tap.h"

#include <math.h>
#include <string.h>

#include "ui/scale.h"

#define KIB 1024.0
#define MIB (1024.0 * KIB)

enum { N = 8 };

/* Columns of one maximum each; a negative one is a gap. */
static void columns(struct history_column *cols, const double *max)
{
	for (int i = 0; i < N; i++)
		cols[i] = (struct history_column){ .n = max[i] >= 0, .mean = max[i] / 2,
						   .max = max[i] };
}

static double ceiling(const double *visible, const double *before, enum unit_class unit,
		      double factor)
{
	struct history_column cols[N], lookback[N];

	columns(cols, visible);
	columns(lookback, before);
	return scale_for(cols, N, lookback, N, unit, factor, false, 0).ceiling;
}

static void counts_are_1_2_5_and_exact_at_powers(void **state)
{
	static const double in[] = { 0, 0.3, 1, 1.0000001, 2, 2.1, 5, 5.1, 10, 10.1, 99, 100, 101,
				     500, 501, 1000, 1e6, 1.0000001e6, 1e15, 1e22 };
	static const double out[] = { 1, 1, 1, 2, 2, 5, 5, 10, 10, 20, 100, 100, 200, 500, 1000,
				      1000, 1e6, 2e6, 1e15, 1e22 };

	(void)state;
	for (size_t i = 0; i < sizeof(in) / sizeof(*in); i++)
		assert_true(scale_nice(in[i], CLASS_COUNT) == out[i]);
}

static void bytes_are_powers_of_two(void **state)
{
	(void)state;
	assert_true(scale_nice(0, CLASS_BYTES) == KIB);
	assert_true(scale_nice(KIB, CLASS_BYTES) == KIB);
	assert_true(scale_nice(KIB + 1, CLASS_BYTES) == 2 * KIB);
	assert_true(scale_nice(100 * MIB, CLASS_BYTES) == 128 * MIB);
	assert_true(scale_nice(128 * MIB, CLASS_BYTES) == 128 * MIB);
	assert_true(scale_nice(128 * MIB + 1, CLASS_BYTES) == 256 * MIB);
}

static void percent_stops_at_100_until_there_is_more(void **state)
{
	static const double in[] = { 0, 0.7, 1.5, 3, 7, 15, 33, 50, 51, 100, 101, 260, 900 };
	static const double out[] = { 1, 1, 2, 5, 10, 20, 50, 50, 100, 100, 200, 500, 1000 };

	(void)state;
	for (size_t i = 0; i < sizeof(in) / sizeof(*in); i++)
		assert_true(scale_nice(in[i], CLASS_PERCENT) == out[i]);
}

static void times_go_down_to_a_millisecond(void **state)
{
	(void)state;
	assert_true(scale_nice(0, CLASS_TIME) == 0.001);
	assert_true(scale_nice(0.001, CLASS_TIME) == 0.001);
	assert_true(scale_nice(0.0011, CLASS_TIME) == 0.002);
	assert_true(scale_nice(0.05, CLASS_TIME) == 0.05);
	assert_true(scale_nice(0.3, CLASS_TIME) == 0.5);
	assert_true(scale_nice(7, CLASS_TIME) == 10);
}

static void ceiling_is_never_below_the_maximum(void **state)
{
	(void)state;
	for (int unit = CLASS_BYTES; unit <= CLASS_RATIO; unit++) {
		double max = 1e-9;

		for (int i = 0; i < 9500; i++, max *= 1.007)	/* to 6e19 */
			assert_true(scale_nice(max, (enum unit_class)unit) >= max);
		assert_true(scale_nice(NAN, (enum unit_class)unit) > 0);
		assert_true(scale_nice(-5, (enum unit_class)unit) > 0);
		assert_true(isfinite(scale_nice(INFINITY, (enum unit_class)unit)));
	}
}

static void ceiling_grows_at_once_with_a_peak(void **state)
{
	static const double calm[N] = { 3, 3, 3, 3, 3, 3, 3, 3 };
	static const double peak[N] = { 3, 3, 3, 3, 3, 3, 3, 88 };

	(void)state;
	assert_true(ceiling(calm, calm, CLASS_COUNT, 1) == 5);
	assert_true(ceiling(peak, calm, CLASS_COUNT, 1) == 100);
}

/* A peak moves through what is seen, then through as much again before the ceiling comes down. */
static void ceiling_shrinks_only_after_a_window_that_did_not_need_it(void **state)
{
	double all[5 * N];

	(void)state;
	for (int i = 0; i < 5 * N; i++)
		all[i] = i == 2 * N ? 88 : 3;
	for (int end = 2 * N; end <= 5 * N; end++) {
		double now = ceiling(all + end - N, all + end - 2 * N, CLASS_COUNT, 1);

		assert_true(now == (end > 2 * N && end <= 4 * N ? 100 : 5));
	}
}

static void gaps_and_other_nonsense_do_not_count(void **state)
{
	static const double gaps[N] = { -1, 4, -1, -1, -1, -1, -1, -1 };
	struct history_column none[N] = { { .n = 0, .max = 1e9 }, { .n = 1, .max = NAN } };

	(void)state;
	assert_true(ceiling(gaps, gaps, CLASS_COUNT, 1) == 5);
	assert_true(scale_for(none, N, NULL, 0, CLASS_COUNT, 1, false, 0).ceiling == 1);
	assert_true(scale_for(NULL, 0, NULL, 0, CLASS_BYTES, 1, false, 0).ceiling == KIB);
}

static void maximum_is_taken_in_base_units(void **state)
{
	static const double kib[N] = { 0, 0, 100 };

	(void)state;
	assert_true(ceiling(kib, kib, CLASS_BYTES, 1024) == 128 * KIB);
}

static void pinned_ceiling_is_taken_as_it_is(void **state)
{
	static const struct history_column col = { .n = 1, .max = 500 };
	struct scale s = scale_for(&col, 1, NULL, 0, CLASS_BYTES, 1, false, 12345);

	(void)state;
	assert_true(s.ceiling == 12345);
	assert_int_equal(s.unit, CLASS_BYTES);
	assert_true(scale_for(&col, 1, NULL, 0, CLASS_COUNT, 1, false, NAN).ceiling == 500);
	assert_true(scale_for(&col, 1, NULL, 0, CLASS_COUNT, 1, false, -1).ceiling == 500);
}

static void shared_axis_takes_the_larger_ceiling(void **state)
{
	struct scale a = { .ceiling = 10, .floor = 1, .log = true };
	struct scale b = { .ceiling = 20, .floor = 2 };

	(void)state;
	assert_true(scale_join(a, b).ceiling == 20);
	assert_true(scale_join(b, a).floor == 2);
	assert_true(scale_join(a, a).log);
}

static void linear_position_is_a_share_of_the_ceiling(void **state)
{
	struct scale s = { .ceiling = 200, .unit = CLASS_COUNT };

	(void)state;
	assert_true(scale_position(&s, 0) == 0);
	assert_true(scale_position(&s, 50) == 0.25);
	assert_true(scale_position(&s, 200) == 1);
	assert_true(scale_position(&s, 999) == 1);
	assert_true(scale_position(&s, -3) == 0);
	assert_true(scale_position(&s, NAN) == 0);
	assert_true(scale_position(&s, INFINITY) == 1);
}

static void logarithmic_position_gives_decades_equal_room(void **state)
{
	static const struct history_column col = { .n = 1, .max = 1000 };
	struct scale s = scale_for(&col, 1, NULL, 0, CLASS_COUNT, 1, true, 0);

	(void)state;
	assert_true(s.log && s.ceiling == 1000 && s.floor == 0.1);
	assert_true(scale_position(&s, 0) == 0);
	assert_true(scale_position(&s, 0.01) == 0);
	assert_float_equal(scale_position(&s, 0.1), 0, 1e-6);
	assert_float_equal(scale_position(&s, 1), 0.25, 1e-6);
	assert_float_equal(scale_position(&s, 10), 0.5, 1e-6);
	assert_true(scale_position(&s, 1000) == 1);
	assert_true(scale_for(&col, 1, NULL, 0, CLASS_PERCENT, 0.1, true, 0).floor == 0.1);
}

static void broken_scale_still_has_positions(void **state)
{
	static const double values[] = { 0, -1, NAN, INFINITY };

	(void)state;
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 8; k++) {
			struct scale s = { .ceiling = values[i], .floor = values[k % 4],
					   .log = k / 4 };
			double position = scale_position(&s, 5);

			assert_true(position >= 0 && position <= 1);
			assert_true(scale_position(&s, 0) == 0);
		}
}

static const char *words(double value, enum unit_class unit, bool per_second)
{
	static char buf[32];
	struct scale s = { .ceiling = value, .unit = unit };

	return scale_text(&s, per_second, buf, sizeof(buf));
}

static void axis_says_ceiling_and_unit(void **state)
{
	(void)state;
	assert_string_equal(words(128 * MIB, CLASS_BYTES, true), "128M/s");
	assert_string_equal(words(KIB, CLASS_BYTES, false), "1K");
	assert_string_equal(words(23.5 * KIB * MIB, CLASS_BYTES, false), "23.5G");
	assert_string_equal(words(23.5 * KIB * MIB, CLASS_BYTES, true), "23G/s");
	assert_string_equal(words(500, CLASS_COUNT, false), "500");
	assert_string_equal(words(500e3, CLASS_COUNT, true), "500k/s");
	assert_string_equal(words(20, CLASS_PERCENT, false), "20%");
	assert_string_equal(words(100, CLASS_PERCENT, true), "100%");	/* is a rate already */
	assert_string_equal(words(0.005, CLASS_TIME, false), "5ms");
	assert_string_equal(words(2, CLASS_TIME, false), "2s");
	assert_string_equal(words(5, CLASS_RATIO, false), "5x");
}

static void axis_words_fit_six_columns(void **state)
{
	(void)state;
	for (int unit = CLASS_BYTES; unit <= CLASS_RATIO; unit++) {
		double max = 1e-3;

		for (int i = 0; i < 68; i++, max *= 1.9) {	/* to 9e15 */
			double nice = scale_nice(max, (enum unit_class)unit);

			if (unit == CLASS_TIME && nice > 1e5)
				continue;
			assert_true(strlen(words(nice, (enum unit_class)unit, true)) <= 6);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_1_2_5_and_exact_at_powers),
		cmocka_unit_test(bytes_are_powers_of_two),
		cmocka_unit_test(percent_stops_at_100_until_there_is_more),
		cmocka_unit_test(times_go_down_to_a_millisecond),
		cmocka_unit_test(ceiling_is_never_below_the_maximum),
		cmocka_unit_test(ceiling_grows_at_once_with_a_peak),
		cmocka_unit_test(ceiling_shrinks_only_after_a_window_that_did_not_need_it),
		cmocka_unit_test(gaps_and_other_nonsense_do_not_count),
		cmocka_unit_test(maximum_is_taken_in_base_units),
		cmocka_unit_test(pinned_ceiling_is_taken_as_it_is),
		cmocka_unit_test(shared_axis_takes_the_larger_ceiling),
		cmocka_unit_test(linear_position_is_a_share_of_the_ceiling),
		cmocka_unit_test(logarithmic_position_gives_decades_equal_room),
		cmocka_unit_test(broken_scale_still_has_positions),
		cmocka_unit_test(axis_says_ceiling_and_unit),
		cmocka_unit_test(axis_words_fit_six_columns),
	};

	return TAP_RUN(tests, NULL, NULL);
}
