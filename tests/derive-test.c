/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tap.h"

#include <string.h>

#include "src/derive.h"

#define S 1000000000LL

static const struct derive_env env = { .page_size = 4096, .clock_ticks = 100, .long_bits = 64 };

/* A sample at a time, all sources read then, with no values yet. */
static struct sample at(double seconds)
{
	struct sample s = { .interval_ns = S };

	s.mono_ns = s.due_ns = (int64_t)(seconds * S);
	s.boot_ns = s.mono_ns + 5 * S;
	s.real_ns = s.mono_ns + 1000000 * S;
	s.seq = (uint64_t)seconds;
	for (size_t i = 0; i < SOURCE_COUNT; i++)
		s.source_ns[i] = s.mono_ns;
	return s;
}

static struct sample with(double seconds, enum metric m, uint64_t value)
{
	struct sample s = at(seconds);

	sample_set(&s, m, value);
	return s;
}

static struct row row_of(const struct sample *a, const struct sample *b)
{
	struct row row;

	derive(&env, a, b, &row);
	return row;
}

static void pages_become_kib_over_the_real_time(void **state)
{
	struct sample a = with(10, M_vm_pswpin, 1000), b = with(12.5, M_vm_pswpin, 2000);
	struct row row = row_of(&a, &b);

	(void)state;
	assert_int_equal(row.why[M_swap_si], WHY_OK);
	assert_float_equal(row.value[M_swap_si], 1600, 1e-9);	/* 1000 pages * 4 KiB / 2.5 s */
	assert_float_equal(row.value[M_vm_pswpin], 400, 1e-9);
}

static void a_larger_page_moves_more(void **state)
{
	struct derive_env big = { .page_size = 65536, .clock_ticks = 100, .long_bits = 64 };
	struct sample a = with(1, M_vm_pswpout, 0), b = with(2, M_vm_pswpout, 10);
	struct row row;

	(void)state;
	derive(&big, &a, &b, &row);
	assert_float_equal(row.value[M_swap_so], 640, 1e-9);
}

static void a_rate_needs_two_samples(void **state)
{
	struct sample a = with(1, M_vm_pswpin, 5);
	struct row row = row_of(NULL, &a);

	(void)state;
	assert_int_equal(row.why[M_swap_si], WHY_FIRST);
	assert_float_equal(row.value[M_swap_si], 0, 0);
}

static void an_absent_key_is_absent_and_a_present_zero_is_a_number(void **state)
{
	struct sample a = with(1, M_vm_pswpin, 5), b = with(2, M_vm_pswpin, 5);
	struct row row = row_of(&a, &b);

	(void)state;
	assert_int_equal(row.why[M_swap_si], WHY_OK);
	assert_float_equal(row.value[M_swap_si], 0, 0);
	assert_int_equal(row.why[M_swap_so], WHY_ABSENT);
	assert_int_equal(row.why[M_mem_MemFree], WHY_ABSENT);
}

static void counter_that_went_back_is_a_reset(void **state)
{
	struct sample a = with(1, M_vm_pswpin, 500), b = with(2, M_vm_pswpin, 3);
	struct row row = row_of(&a, &b);

	(void)state;
	assert_int_equal(row.why[M_vm_pswpin], WHY_RESET);
	assert_int_equal(row.why[M_swap_si], WHY_RESET);
}

static void a_32_bit_counter_wraps(void **state)
{
	struct derive_env narrow = { .page_size = 4096, .clock_ticks = 100, .long_bits = 32 };
	struct sample a = with(1, M_vm_pgpgin, 4294967290u), b = with(2, M_vm_pgpgin, 10);
	struct row row;

	(void)state;
	derive(&narrow, &a, &b, &row);
	assert_int_equal(row.why[M_io_bi], WHY_OK);
	assert_float_equal(row.value[M_io_bi], 16, 1e-9);
	a.value[M_vm_pgpgin] = 1000;	/* a step back by little is a reset also there */
	derive(&narrow, &a, &b, &row);
	assert_int_equal(row.why[M_io_bi], WHY_RESET);
}

static void idle_time_that_steps_back_is_no_reset(void **state)
{
	struct sample a = at(1), b = at(2);
	struct row row;

	(void)state;
	sample_set(&a, M_stat_idle, 100);
	sample_set(&b, M_stat_idle, 99);
	sample_set(&a, M_cpu_total, 200);
	sample_set(&b, M_cpu_total, 400);
	row = row_of(&a, &b);
	assert_int_equal(row.why[M_cpu_id], WHY_OK);
	assert_float_equal(row.value[M_cpu_id], 0, 0);
}

static void cpu_shares_are_of_the_total_without_guests_twice(void **state)
{
	struct sample a = at(1), b = at(2);
	struct row row;

	(void)state;
	for (enum metric m = M_cpu_total; m <= M_stat_guest_nice; m++) {
		sample_set(&a, m, 1000);
		sample_set(&b, m, 1000);
	}
	b.value[M_stat_user] += 60;	/* of which 40 guest */
	b.value[M_stat_guest] += 40;
	b.value[M_stat_system] += 15;
	b.value[M_stat_irq] += 5;
	b.value[M_stat_idle] += 120;
	b.value[M_cpu_total] += 200;
	row = row_of(&a, &b);
	assert_float_equal(row.value[M_cpu_us], 10, 1e-9);
	assert_float_equal(row.value[M_cpu_sy], 10, 1e-9);
	assert_float_equal(row.value[M_cpu_id], 60, 1e-9);
	assert_float_equal(row.value[M_cpu_gu], 20, 1e-9);
	assert_float_equal(row.value[M_stat_idle], 120, 1e-9);	/* percent of one cpu */
}

static void a_suspend_is_a_gap_without_rates(void **state)
{
	struct sample a = with(1, M_vm_pswpin, 0), b = with(2, M_vm_pswpin, 100);
	struct row row;

	(void)state;
	b.boot_ns += 30 * S;
	sample_set(&b, M_mem_MemFree, 77);
	row = row_of(&a, &b);
	assert_true(row.gap);
	assert_int_equal(row.span_ns, S);
	assert_int_equal(row.why[M_swap_si], WHY_GAP);
	assert_int_equal(row.why[M_mem_MemFree], WHY_OK);
}

static void a_late_sample_covers_only_its_own_interval(void **state)
{
	struct sample a = with(1, M_vm_pswpin, 0), b = with(5, M_vm_pswpin, 400);
	struct row row;

	(void)state;
	b.missed = 3;
	row = row_of(&a, &b);
	assert_float_equal(row.value[M_vm_pswpin], 100, 1e-9);	/* true over the 4 s */
	assert_int_equal(row.span_ns, S);
	assert_int_equal(row.missed, 3);
}

static void swap_used_is_never_below_zero(void **state)
{
	struct sample b = at(2);
	struct row row;

	(void)state;
	sample_set(&b, M_mem_SwapTotal, 0);
	sample_set(&b, M_mem_SwapFree, 100);
	row = row_of(NULL, &b);
	assert_int_equal(row.why[M_mem_swpd], WHY_OK);
	assert_float_equal(row.value[M_mem_swpd], 0, 0);
}

static void cache_needs_no_slab_line_but_cached(void **state)
{
	struct sample a = with(1, M_mem_Cached, 100), b = with(1, M_mem_SReclaimable, 50);
	struct row row = row_of(NULL, &a);

	(void)state;
	assert_float_equal(row.value[M_mem_cache], 100, 0);	/* 2.6.18 and before */
	row = row_of(NULL, &b);
	assert_int_equal(row.why[M_mem_cache], WHY_ABSENT);
	sample_set(&a, M_mem_SReclaimable, 50);
	row = row_of(NULL, &a);
	assert_float_equal(row.value[M_mem_cache], 150, 0);
}

static void memcg_reclaim_is_what_the_global_keys_lack(void **state)
{
	struct sample a = at(1), b = at(2);
	struct row row;

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		static const enum metric m[] = { M_vm_pgscan_anon, M_vm_pgscan_file, M_vm_pgscan_kswapd,
						 M_vm_pgscan_direct, M_vm_pgsteal_anon,
						 M_vm_pgsteal_file };
		sample_set(&a, m[i], 1000);
		sample_set(&b, m[i], 1000);
	}
	b.value[M_vm_pgscan_anon] += 500;
	b.value[M_vm_pgscan_file] += 100;
	b.value[M_vm_pgscan_direct] += 200;
	b.value[M_vm_pgsteal_anon] += 300;
	row = row_of(&a, &b);
	assert_float_equal(row.value[M_der_memcg_scan], 400, 1e-9);
	assert_float_equal(row.value[M_der_reclaim_eff], 50, 1e-9);
	b.value[M_vm_pgscan_direct] += 5000;	/* keys are not read at one instant */
	row = row_of(&a, &b);
	assert_float_equal(row.value[M_der_memcg_scan], 0, 0);
}

static void a_share_of_nothing_is_idle_and_not_zero(void **state)
{
	struct sample a = at(1), b = at(2);
	struct row row;

	(void)state;
	sample_set(&a, M_vm_swap_ra, 5);
	sample_set(&b, M_vm_swap_ra, 5);
	sample_set(&a, M_vm_swap_ra_hit, 5);
	sample_set(&b, M_vm_swap_ra_hit, 5);
	row = row_of(&a, &b);
	assert_int_equal(row.why[M_der_swap_ra_hit_pct], WHY_IDLE);
	b.value[M_vm_swap_ra] = 7;
	b.value[M_vm_swap_ra_hit] = 9;
	row = row_of(&a, &b);
	assert_float_equal(row.value[M_der_swap_ra_hit_pct], 100, 0);	/* clamped */
}

static void stall_time_is_a_percentage(void **state)
{
	struct sample a = with(1, M_psi_memory_some, 1000), b = with(3, M_psi_memory_some, 821000);
	struct row row = row_of(&a, &b);

	(void)state;
	assert_float_equal(row.value[M_psi_memory_some], 41, 1e-9);	/* 0.82 s of 2 s */
	assert_string_equal(metric_unit_name(M_psi_memory_some), "%");
	b.value[M_psi_memory_some] = 2009000;	/* a hair more than the time between the readings */
	row = row_of(&a, &b);
	assert_float_equal(row.value[M_psi_memory_some], 100, 0);
}

static void a_source_that_is_missing_says_so_for_all_of_its_metrics(void **state)
{
	struct sample a = at(1), b = at(2);
	struct row row;
	char text[160];

	(void)state;
	b.source_why[SOURCE_PSI_MEMORY] = WHY_NO_SOURCE;
	b.source_why[SOURCE_VMSTAT] = WHY_DENIED;
	row = row_of(&a, &b);
	assert_int_equal(row.why[M_psi_memory_some], WHY_NO_SOURCE);
	assert_int_equal(row.why[M_swap_si], WHY_DENIED);
	why_text(WHY_NO_SOURCE, M_psi_memory_some, text, sizeof(text));
	assert_non_null(strstr(text, "psi=1"));
	why_text(WHY_DENIED, M_swap_si, text, sizeof(text));
	assert_non_null(strstr(text, "/proc/vmstat"));
	assert_non_null(strstr(text, "root"));
}

static void a_slow_source_keeps_its_rate_between_readings_and_goes_stale(void **state)
{
	struct sample a = with(10, M_disk_reads, 100), b = with(11, M_disk_reads, 150);
	struct row row;

	(void)state;
	b.mono_ns = b.due_ns = (int64_t)(11.7 * S);	/* the sampler ticked on meanwhile */
	b.boot_ns = b.mono_ns + 5 * S;
	row = row_of(&a, &b);
	assert_float_equal(row.value[M_disk_reads], 50, 1e-9);
	b.mono_ns = 20 * S;
	b.boot_ns = b.mono_ns + 5 * S;
	row = row_of(&a, &b);
	assert_int_equal(row.why[M_disk_reads], WHY_STALE);
}

static void every_formula_of_the_table_compiles_and_every_id_is_one(void **state)
{
	struct sample a = at(1);
	struct row row = row_of(NULL, &a);	/* compiling dies on a fault */

	(void)state;
	(void)row;
	for (size_t i = 0; i < METRIC_COUNT; i++) {
		const struct metric_info *info = metric_info((enum metric)i);

		assert_int_equal(metric_find(info->id), i);
		assert_true(*info->meaning && *info->group);
		/* What listens reads no file, and needs no expression to find a number in it. */
		assert_true(*info->expr || info->source == SOURCE_RECLAIM ||
			    info->source == SOURCE_PLAYBACK || info->source == SOURCE_FEEL);
	}
	assert_int_equal(metric_find("swap.nonsense"), METRIC_COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_become_kib_over_the_real_time),
		cmocka_unit_test(a_larger_page_moves_more),
		cmocka_unit_test(a_rate_needs_two_samples),
		cmocka_unit_test(an_absent_key_is_absent_and_a_present_zero_is_a_number),
		cmocka_unit_test(counter_that_went_back_is_a_reset),
		cmocka_unit_test(a_32_bit_counter_wraps),
		cmocka_unit_test(idle_time_that_steps_back_is_no_reset),
		cmocka_unit_test(cpu_shares_are_of_the_total_without_guests_twice),
		cmocka_unit_test(a_suspend_is_a_gap_without_rates),
		cmocka_unit_test(a_late_sample_covers_only_its_own_interval),
		cmocka_unit_test(swap_used_is_never_below_zero),
		cmocka_unit_test(cache_needs_no_slab_line_but_cached),
		cmocka_unit_test(memcg_reclaim_is_what_the_global_keys_lack),
		cmocka_unit_test(a_share_of_nothing_is_idle_and_not_zero),
		cmocka_unit_test(stall_time_is_a_percentage),
		cmocka_unit_test(a_source_that_is_missing_says_so_for_all_of_its_metrics),
		cmocka_unit_test(a_slow_source_keeps_its_rate_between_readings_and_goes_stale),
		cmocka_unit_test(every_formula_of_the_table_compiles_and_every_id_is_one),
	};

	return TAP_RUN(tests, NULL, NULL);
}
