/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One machine over time, from tests/data/roots/series, and what must come out as rates. */
#include "tests/tap.h"

#include <stdbool.h>

#include "src/derive.h"
#include "tests/roots.h"

#define NS_PER_S INT64_C(1000000000)

enum { STEPS = 5 };

/* Steps are 2 s apart, whenever they are read. */
static void read_series(struct sample *steps)
{
	for (int i = 0; i < STEPS; i++) {
		struct sample *s = &steps[i];
		char name[32];

		snprintf(name, sizeof(name), "series/%d", i + 1);
		read_tree(name, s);
		s->mono_ns = s->boot_ns = s->due_ns = (i + 1) * 2 * NS_PER_S;
		s->interval_ns = 2 * NS_PER_S;
		s->seq = (uint64_t)i + 1;
		for (size_t src = 0; src < SOURCE_COUNT; src++)
			if (s->source_ns[src])
				s->source_ns[src] = s->mono_ns;
	}
}

static void check_row(const struct row *r, const char *id, enum why why, double value)
{
	enum metric m = metric_find(id);

	assert_true(m != METRIC_COUNT);
	if (r->why[m] != why || r->value[m] < value - 1e-6 || r->value[m] > value + 1e-6)
		fail_msg("%s is %g (why %d), not %g (why %d)", id, r->value[m], r->why[m], value,
			 why);
}

static const struct derive_env env64 = { .page_size = 4096, .clock_ticks = 100, .long_bits = 64 };

static void swap_that_is_added_shows_without_a_division_by_zero(void **state)
{
	struct sample s[STEPS];
	struct row r;

	(void)state;
	read_series(s);
	derive(&env64, NULL, &s[0], &r);
	check_row(&r, "mem.swpd", WHY_OK, 0);
	check_row(&r, "swap.so", WHY_FIRST, 0);
	derive(&env64, &s[0], &s[1], &r);
	check_row(&r, "mem.SwapTotal", WHY_OK, 524284);
	check_row(&r, "mem.swpd", WHY_OK, 0);
	check_row(&r, "swap.so", WHY_OK, 0);
	check_row(&r, "mem.cache", WHY_OK, 300500);
	derive(&env64, &s[1], &s[2], &r);
	check_row(&r, "mem.swpd", WHY_OK, 2048);
	check_row(&r, "swap.so", WHY_OK, 512 * 4 / 2.0);
	check_row(&r, "swap.si", WHY_OK, 25 * 4 / 2.0);
	check_row(&r, "psi.memory.some", WHY_OK, 25);
	derive(&env64, &s[3], &s[4], &r);
	check_row(&r, "mem.swpd", WHY_OK, 0);
	check_row(&r, "mem.SwapTotal", WHY_OK, 0);
}

static void pages_of_64_KiB_make_sixteen_times_the_rate(void **state)
{
	const struct derive_env env = { .page_size = 65536, .clock_ticks = 100, .long_bits = 64 };
	struct sample s[STEPS];
	struct row r;

	(void)state;
	read_series(s);
	derive(&env, &s[1], &s[2], &r);
	check_row(&r, "swap.so", WHY_OK, 512 * 64 / 2.0);
	check_row(&r, "io.bi", WHY_OK, 128);
	check_row(&r, "vm.pswpout", WHY_OK, 256);
}

static void a_cpu_that_goes_offline_makes_no_negative_idle_time(void **state)
{
	struct sample s[STEPS];
	struct row r;

	(void)state;
	read_series(s);
	derive(&env64, &s[0], &s[1], &r);
	check_row(&r, "cpu.us", WHY_OK, 100 * 50 / 195.0);
	check_row(&r, "cpu.id", WHY_OK, 100 * 120 / 195.0);
	derive(&env64, &s[1], &s[2], &r);
	check_row(&r, "cpu.id", WHY_OK, 0);
	check_row(&r, "stat.idle", WHY_OK, 0);
	check_row(&r, "cpu.us", WHY_OK, 100 * 50 / 65.0);
	check_row(&r, "vm.numa_hit", WHY_RESET, 0);
}

static void a_counter_that_wrapped_goes_on_where_long_has_32_bits(void **state)
{
	const struct derive_env env32 = { .page_size = 4096, .clock_ticks = 100, .long_bits = 32 };
	struct sample s[STEPS];
	struct row r;

	(void)state;
	read_series(s);
	derive(&env32, &s[2], &s[3], &r);
	check_row(&r, "io.bi", WHY_OK, 512 / 2.0);
	derive(&env64, &s[2], &s[3], &r);
	check_row(&r, "io.bi", WHY_RESET, 0);
	check_row(&r, "zram.pages_compacted", WHY_RESET, 0);
	check_row(&r, "zram.orig_data_size", WHY_OK, 0);
}

static void what_goes_away_has_its_reason(void **state)
{
	struct sample s[STEPS];
	struct row r;

	(void)state;
	read_series(s);
	derive(&env64, &s[3], &s[4], &r);
	check_row(&r, "zram.orig_data_size", WHY_NO_SOURCE, 0);
	check_row(&r, "vm.pgmajfault", WHY_ABSENT, 0);
	check_row(&r, "vm.pgfault", WHY_OK, 250);
}

static void a_container_without_memory_total_has_no_infinite_percentages(void **state)
{
	struct sample s;
	struct row r;

	(void)state;
	read_tree("odd", &s);
	derive(&env64, NULL, &s, &r);
	check_row(&r, "mem.swpd", WHY_OK, 0);
	check_row(&r, "der.mem_other", WHY_OK, 0);
	check_row(&r, "der.zswap_ratio", WHY_ABSENT, 0);
	check_row(&r, "mem.SwapFree", WHY_OK, 0);
	for (size_t m = 0; m < METRIC_COUNT; m++)
		if (!(r.value[m] > -1e20 && r.value[m] < 1e20))
			fail_msg("%s is %g", metric_info((enum metric)m)->id, r.value[m]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(swap_that_is_added_shows_without_a_division_by_zero),
		cmocka_unit_test(pages_of_64_KiB_make_sixteen_times_the_rate),
		cmocka_unit_test(a_cpu_that_goes_offline_makes_no_negative_idle_time),
		cmocka_unit_test(a_counter_that_wrapped_goes_on_where_long_has_32_bits),
		cmocka_unit_test(what_goes_away_has_its_reason),
		cmocka_unit_test(a_container_without_memory_total_has_no_infinite_percentages),
	};

	return TAP_RUN(tests, NULL, NULL);
}
