/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tap.h"

#include <string.h>

#include "src/keyscan.h"

/* Scans one text as the given source. */
static struct sample scan(enum source_id source, const char *text)
{
	struct keyscan *k = keyscan_new(source);
	struct sample s = { 0 };

	keyscan_begin(k);
	keyscan_text(k, text, strlen(text));
	keyscan_end(k, &s);
	keyscan_free(k);
	return s;
}

static void absent_is_not_zero(void **state)
{
	struct sample s = scan(SOURCE_VMSTAT, "pswpin 0\npgfault 12\n");

	(void)state;
	assert_true(sample_has(&s, M_vm_pswpin));
	assert_int_equal(s.value[M_vm_pswpin], 0);
	assert_int_equal(s.value[M_vm_pgfault], 12);
	assert_false(sample_has(&s, M_vm_pswpout));
	assert_false(sample_has(&s, M_mem_MemFree));
}

static void a_key_is_matched_whole(void **state)
{
	struct sample s = scan(SOURCE_VMSTAT, "pswpinx 7\npswpi 8\nxpswpin 9\n");

	(void)state;
	assert_false(sample_has(&s, M_vm_pswpin));
}

static void meminfo_lines_have_colons_and_kb(void **state)
{
	struct sample s = scan(SOURCE_MEMINFO,
			       "MemFree:        23996012 kB\nActive(anon):\t  1234 kB\nHugePages_Total:       3\n");

	(void)state;
	assert_int_equal(s.value[M_mem_MemFree], 23996012);
	assert_int_equal(s.value[metric_find("mem.Active(anon)")], 1234);
	assert_int_equal(s.value[M_mem_HugePages_Total], 3);
}

static void zones_are_summed_and_the_old_key_is_the_fallback(void **state)
{
	struct sample now = scan(SOURCE_VMSTAT, "allocstall_dma 1\nallocstall_dma32 2\n"
				 "allocstall_normal 4\nallocstall_movable 8\nallocstall_device 16\n");
	struct sample old = scan(SOURCE_VMSTAT, "allocstall 32\n");

	(void)state;
	assert_int_equal(now.value[M_vm_allocstall], 31);
	assert_int_equal(old.value[M_vm_allocstall], 32);
}

static void per_zone_scan_keys_do_not_swallow_the_throttle_count(void **state)
{
	struct sample s = scan(SOURCE_VMSTAT, "pgscan_direct_dma 1\npgscan_direct_normal 2\n"
			       "pgscan_direct_throttle 100\nkswapd_steal 50\n");

	(void)state;
	assert_int_equal(s.value[M_vm_pgscan_direct], 3);
	assert_int_equal(s.value[M_vm_pgscan_direct_throttle], 100);
	assert_int_equal(s.value[M_vm_pgsteal_kswapd], 50);
}

static void a_new_key_wins_over_its_older_name(void **state)
{
	struct sample s = scan(SOURCE_VMSTAT, "workingset_refault 9\nworkingset_refault_file 4\n");

	(void)state;
	assert_int_equal(s.value[M_vm_workingset_refault_file], 4);
	assert_false(sample_has(&s, M_vm_workingset_refault_anon));
}

static void a_total_below_zero_counts_as_zero(void **state)
{
	struct sample s = scan(SOURCE_MEMINFO, "SwapFree: 18446744073709551488 kB\nMemFree: -5 kB\n"
			       "Cached: 99999999999999999999999 kB\n");

	(void)state;
	assert_true(sample_has(&s, M_mem_SwapFree));
	assert_int_equal(s.value[M_mem_SwapFree], 0);
	assert_int_equal(s.value[M_mem_MemFree], 0);
	assert_int_equal(s.value[M_mem_Cached], 0);
}

static void fields_of_a_line_are_counted_from_one(void **state)
{
	struct sample s = scan(SOURCE_STAT, "cpu  10 20 30 40 50 60 70 80 90 100\ncpu0 1 1 1 1\n"
			       "intr 555 0 0\nctxt 77\nprocs_running 3\nprocs_blocked 2\n");

	(void)state;
	assert_int_equal(s.value[M_stat_user], 10);
	assert_int_equal(s.value[M_stat_steal], 80);
	assert_int_equal(s.value[M_stat_guest_nice], 100);
	assert_int_equal(s.value[M_cpu_total], 360);
	assert_int_equal(s.value[M_sys_in], 555);
	assert_int_equal(s.value[M_procs_b], 2);
}

static void a_short_line_leaves_its_missing_fields_absent(void **state)
{
	struct sample s = scan(SOURCE_STAT, "cpu  10 20 30 40\n");

	(void)state;
	assert_true(sample_has(&s, M_stat_idle));
	assert_false(sample_has(&s, M_stat_steal));
	assert_int_equal(s.value[M_cpu_total], 100);
}

static void psi_totals_stand_behind_their_names(void **state)
{
	struct sample s = scan(SOURCE_PSI_MEMORY,
			       "some avg10=1.23 avg60=4.56 avg300=7.89 total=123456\n"
			       "full avg10=0.00 avg60=0.00 avg300=0.00 total=65432\n");

	(void)state;
	assert_int_equal(s.value[M_psi_memory_some], 123456);
	assert_int_equal(s.value[M_psi_memory_full], 65432);
}

static void numbers_without_keys_add_up_over_devices(void **state)
{
	struct keyscan *k = keyscan_new(SOURCE_ZRAM);
	struct sample s = { 0 };
	const char *a = "  4096 1000  8192 0 9000 1 2 3 4\n", *b = "10 20 30 40 50\n";

	(void)state;
	keyscan_begin(k);
	keyscan_numbers(k, a, strlen(a));
	keyscan_numbers(k, b, strlen(b));
	keyscan_end(k, &s);
	assert_int_equal(s.value[M_zram_orig_data_size], 4106);
	assert_int_equal(s.value[M_zram_mem_used_total], 8222);
	assert_int_equal(s.value[M_zram_huge_pages], 3);
	keyscan_begin(k);
	keyscan_end(k, &s);
	assert_false(sample_has(&s, M_zram_orig_data_size));
	keyscan_free(k);
}

static void text_without_a_last_newline_and_junk_lines_are_harmless(void **state)
{
	struct sample s = scan(SOURCE_VMSTAT, "\n\n   \nfoo\n: 5\npgfault\npgmajfault x\npswpin 5");

	(void)state;
	assert_int_equal(s.value[M_vm_pswpin], 5);
	assert_false(sample_has(&s, M_vm_pgfault));
	assert_false(sample_has(&s, M_vm_pgmajfault));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absent_is_not_zero),
		cmocka_unit_test(a_key_is_matched_whole),
		cmocka_unit_test(meminfo_lines_have_colons_and_kb),
		cmocka_unit_test(zones_are_summed_and_the_old_key_is_the_fallback),
		cmocka_unit_test(per_zone_scan_keys_do_not_swallow_the_throttle_count),
		cmocka_unit_test(a_new_key_wins_over_its_older_name),
		cmocka_unit_test(a_total_below_zero_counts_as_zero),
		cmocka_unit_test(fields_of_a_line_are_counted_from_one),
		cmocka_unit_test(a_short_line_leaves_its_missing_fields_absent),
		cmocka_unit_test(psi_totals_stand_behind_their_names),
		cmocka_unit_test(numbers_without_keys_add_up_over_devices),
		cmocka_unit_test(text_without_a_last_newline_and_junk_lines_are_harmless),
	};

	return TAP_RUN(tests, NULL, NULL);
}
