/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sound server that stands still. */
#include "tests/tap.h"

#include "probes/playback_stall.h"

#define MS INT64_C(1000000)

static void a_server_that_plays_on_does_not_stall(void **state)
{
	struct stall s = { .known = false };

	(void)state;
	for (int64_t t = 0; t < 10000; t += 100)
		assert_int_equal(0, stall_update(&s, t * MS, (t - 1845 + t % 300 / 20) * MS));
}

static void a_slip_is_a_stall_once(void **state)
{
	struct stall s = { .known = false };

	(void)state;
	stall_update(&s, 1000 * MS, 0);
	assert_int_equal(0, stall_update(&s, 1500 * MS, 500 * MS));
	assert_int_equal(600 * MS, stall_update(&s, 2500 * MS, 900 * MS));
	assert_int_equal(0, stall_update(&s, 2600 * MS, 1000 * MS));
}

static void an_underrun_is_no_stall_besides(void **state)
{
	struct stall s = { .known = false };

	(void)state;
	stall_update(&s, 1000 * MS, 0);
	stall_gap(&s, 503 * MS);
	assert_int_equal(0, stall_update(&s, 2000 * MS, 536 * MS));
	assert_int_equal(0, stall_update(&s, 2100 * MS, 636 * MS));
	/* Both in one: the server stood still, and the stream ran dry for a moment after it. */
	stall_gap(&s, MS);
	assert_int_equal(532 * MS, stall_update(&s, 3100 * MS, 1103 * MS));
	assert_int_equal(0, stall_update(&s, 3200 * MS, 1203 * MS));
}

static void clocks_that_drift_do_not_stall(void **state)
{
	struct stall s = { .known = false };

	(void)state;
	/* A second in ten thousand: far worse than any sound card. */
	for (int64_t t = 0; t < 1000000; t += 1000)
		assert_int_equal(0, stall_update(&s, t * MS, (t - t / 1000) * MS));
}

static void another_origin_is_no_stall(void **state)
{
	struct stall s = { .known = false };

	(void)state;
	stall_update(&s, 1000 * MS, 900 * MS);
	stall_forget(&s);
	assert_int_equal(0, stall_update(&s, 9000 * MS, 0));
	assert_int_equal(0, stall_update(&s, 9100 * MS, 100 * MS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_server_that_plays_on_does_not_stall),
		cmocka_unit_test(a_slip_is_a_stall_once),
		cmocka_unit_test(an_underrun_is_no_stall_besides),
		cmocka_unit_test(clocks_that_drift_do_not_stall),
		cmocka_unit_test(another_origin_is_no_stall),
	};

	return TAP_RUN(tests, NULL, NULL);
}
