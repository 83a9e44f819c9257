/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much memory vmtop-feel may take. */
#include "tests/tap.h"

#include "probes/feel_plan.h"

enum { PAGE = 4096, GIB = 1 << 20, FIXED = 1200 };

static void a_large_machine_gets_all_of_it(void **state)
{
	struct feel_plan p;

	(void)state;
	feel_plan_make(&p, 16 * (int64_t)GIB, FIXED, FEEL_PAGE_KIB, PAGE);
	assert_int_equal(64 * 1024, p.page_kib);
	assert_int_equal(4 * 1024, p.alloc_kib);
	assert_int_equal(FIXED + 68 * 1024, p.footprint_kib);
	assert_true(p.footprint_kib <= p.limit_kib);
}

static void a_smaller_one_gets_one_percent(void **state)
{
	struct feel_plan p;

	(void)state;
	for (int64_t ram = 192 * 1024; ram < 8 * (int64_t)GIB; ram += 9973) {
		feel_plan_make(&p, ram, FIXED, FEEL_PAGE_KIB, PAGE);
		assert_int_equal(ram / 100, p.limit_kib);
		assert_true(p.footprint_kib <= p.limit_kib);
		if (p.page_kib < FEEL_PAGE_KIB)
			assert_int_equal(p.limit_kib, p.footprint_kib);
	}
}

static void the_smallest_gets_more_and_it_is_to_be_seen(void **state)
{
	struct feel_plan p;

	(void)state;
	feel_plan_make(&p, 64 * 1024, FIXED, FEEL_PAGE_KIB, PAGE);
	assert_int_equal(244, p.page_kib);	/* 61 pages: none twice in a minute */
	assert_int_equal(FEEL_ALLOC_LEAST_KIB, p.alloc_kib);
	assert_true(p.footprint_kib > p.limit_kib);
	feel_plan_make(&p, 64 * 1024, FIXED, FEEL_PAGE_KIB, 65536);
	assert_int_equal(61 * 64, p.page_kib);
}

static void one_may_ask_for_less(void **state)
{
	struct feel_plan p;

	(void)state;
	feel_plan_make(&p, 16 * (int64_t)GIB, FIXED, 8 * 1024, PAGE);
	assert_int_equal(8 * 1024, p.page_kib);
	feel_plan_make(&p, 16 * (int64_t)GIB, FIXED, 1, PAGE);
	assert_int_equal(244, p.page_kib);
	feel_plan_make(&p, 16 * (int64_t)GIB, FIXED, INT64_MAX, PAGE);
	assert_int_equal(FEEL_PAGE_KIB, p.page_kib);
}

static void a_number_is_found_by_its_whole_name(void **state)
{
	static const char text[] = "VmSwapX:  1 kB\nXVmSwap: 2 kB\nVmSwap:\t     34 kB\nVm: 5\n";

	(void)state;
	assert_int_equal(34, feel_plan_kib(text, "VmSwap"));
	assert_int_equal(1, feel_plan_kib(text, "VmSwapX"));
	assert_int_equal(-1, feel_plan_kib(text, "VmLck"));
	assert_int_equal(-1, feel_plan_kib("", "VmLck"));
}

static void this_machine_can_be_measured(void **state)
{
	int64_t ram, fixed;

	(void)state;
	assert_int_equal(0, feel_plan_measure(1 << 20, &ram, &fixed));
	assert_true(ram > 16 * 1024);
	assert_true(fixed > 1024 + FEEL_KEY_KIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_large_machine_gets_all_of_it),
		cmocka_unit_test(a_smaller_one_gets_one_percent),
		cmocka_unit_test(the_smallest_gets_more_and_it_is_to_be_seen),
		cmocka_unit_test(one_may_ask_for_less),
		cmocka_unit_test(a_number_is_found_by_its_whole_name),
		cmocka_unit_test(this_machine_can_be_measured),
	};

	return TAP_RUN(tests, NULL, NULL);
}
