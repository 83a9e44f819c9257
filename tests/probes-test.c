/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The probes against trees of several kernels, see tests/data/roots/README. */
#include "tests/tap.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "src/keyscan.h"
#include "tests/roots.h"

static void linux_2_6_32_zones_are_summed_and_old_names_folded(void **state)
{
	struct sample s;

	(void)state;
	read_tree("2.6.32", &s);
	CHECK(&s,
	      { "vm.pgscan_kswapd", 11 + 2200 + 330000 + 4 },
	      { "vm.pgscan_direct", 5 + 60 + 700 },
	      { "vm.pgrefill", 7 + 80 + 900 + 1000 },
	      { "vm.pgsteal_kswapd", 251000 },
	      { "vm.pgalloc", 432100 },
	      { "vm.pgalloc_normal", 30000 },
	      { "vm.allocstall", 4032 },
	      { "vm.pswpin", 12185 }, { "vm.pswpout", 334384 },
	      { "vm.nr_unstable", 17 }, { "vm.nr_free_pages", 2562 },
	      { "mem.MemFree", 10248 }, { "mem.SReclaimable", 30308 },
	      { "mem.Active(anon)", 340012 }, { "mem.HugePages_Total", 0 });
}

static void what_linux_2_6_32_lacks_is_absent_and_not_zero(void **state)
{
	struct sample s;

	(void)state;
	read_tree("2.6.32", &s);
	CHECK(&s,
	      { "mem.MemAvailable", ABSENT }, { "mem.KReclaimable", ABSENT },
	      { "mem.Percpu", ABSENT }, { "mem.AnonHugePages", ABSENT },
	      { "vm.pgsteal_direct", ABSENT }, { "vm.pgscan_anon", ABSENT },
	      { "vm.workingset_refault_file", ABSENT }, { "vm.oom_kill", ABSENT },
	      { "vm.thp_split_page", ABSENT }, { "vm.compact_stall", ABSENT },
	      { "vm.nr_dirty_threshold", ABSENT }, { "vm.pgskip", ABSENT },
	      { "vm.drop_slab", ABSENT }, { "stat.guest_nice", ABSENT },
	      { "psi.memory.some", ABSENT }, { "zram.orig_data_size", ABSENT });
	assert_int_equal(s.source_why[SOURCE_PSI_MEMORY], WHY_NO_SOURCE);
	assert_int_equal(s.source_why[SOURCE_ZRAM], WHY_NO_SOURCE);
	assert_int_equal(s.source_why[SOURCE_ZSWAP], WHY_NO_SOURCE);
	assert_int_equal(s.source_why[SOURCE_TASKS], WHY_NO_SOURCE);
	assert_int_equal(s.source_why[SOURCE_VMSTAT], WHY_OK);
	assert_true(s.source_ns[SOURCE_PSI_MEMORY] > 0);
}

static void stat_gives_times_and_their_total_without_the_guests(void **state)
{
	struct sample s;

	(void)state;
	read_tree("2.6.32", &s);
	CHECK(&s,
	      { "stat.user", 74608 }, { "stat.nice", 2520 }, { "stat.system", 24433 },
	      { "stat.idle", 1117073 }, { "stat.iowait", 6176 }, { "stat.irq", 4054 },
	      { "stat.softirq", 1301 }, { "stat.steal", 52 }, { "stat.guest", 31 },
	      { "cpu.total", 74608 + 2520 + 24433 + 1117073 + 6176 + 4054 + 1301 + 52 },
	      { "sys.in", 1462898 }, { "sys.cs", 2115001 }, { "sys.forks", 26442 },
	      { "sys.btime", 1262304000 }, { "procs.r", 3 }, { "procs.b", 2 });
}

static void disks_are_summed_without_partitions_and_stacked_devices(void **state)
{
	struct sample s;

	(void)state;
	read_tree("2.6.32", &s);
	CHECK(&s,
	      { "disk.reads", 40000 + 100 }, { "disk.read_ms", 160000 + 400 },
	      { "disk.writes", 70000 + 200 }, { "disk.write_ms", 900000 + 800 },
	      { "disk.in_flight", 3 + 1 }, { "disk.util", 120000 + 700 });
	read_tree("6.1", &s);
	CHECK(&s,
	      { "disk.reads", 600007 }, { "disk.writes", 500008 }, { "disk.in_flight", 10 });
	read_tree("5.10", &s);
	CHECK(&s, { "disk.reads", 5000 }, { "disk.util", 100000 });
}

static void linux_4_19_one_refault_key_is_that_of_files(void **state)
{
	struct sample s;

	(void)state;
	read_tree("4.19", &s);
	CHECK(&s,
	      { "vm.workingset_refault_file", 91452 }, { "vm.workingset_refault_anon", ABSENT },
	      { "vm.workingset_activate_file", 33910 }, { "vm.workingset_activate_anon", ABSENT },
	      { "vm.workingset_restore_file", ABSENT }, { "vm.workingset_nodes", ABSENT },
	      { "vm.allocstall", 4321 }, { "vm.pgskip", 8765 }, { "vm.pgskip_normal", 700 },
	      { "vm.pgscan_kswapd", 1230045 }, { "vm.pgsteal_direct", 70210 },
	      { "vm.pgscan_anon", ABSENT }, { "vm.pgscan_khugepaged", ABSENT },
	      { "vm.nr_dirty_threshold", 31200 }, { "vm.nr_dirty_background_threshold", 15600 },
	      { "vm.oom_kill", 2 }, { "vm.nr_swapcached", ABSENT },
	      { "mem.MemAvailable", 803404 }, { "mem.KReclaimable", ABSENT },
	      { "mem.HugePages_Total", 4 }, { "mem.HugePages_Surp", 2 }, { "mem.Hugetlb", 8192 },
	      { "psi.io.some", ABSENT });
}

static void numbers_that_an_older_mm_stat_lacks_are_absent(void **state)
{
	struct sample s;

	(void)state;
	read_tree("4.19", &s);
	CHECK(&s,
	      { "zram.orig_data_size", 20971520 }, { "zram.compr_data_size", 5242880 },
	      { "zram.mem_used_total", 6291456 }, { "zram.mem_limit", 0 },
	      { "zram.mem_used_max", 7340032 }, { "zram.same_pages", 40 },
	      { "zram.pages_compacted", 1024 }, { "zram.huge_pages", 500 },
	      { "zram.huge_pages_since", ABSENT });
}

static void linux_5_10_zones_of_32_bit_are_summed(void **state)
{
	struct sample s;

	(void)state;
	read_tree("5.10", &s);
	CHECK(&s,
	      { "vm.pgalloc", 32100 }, { "vm.allocstall", 567 }, { "vm.pgpgin", 4294960000 },
	      { "vm.workingset_refault_anon", 4100 }, { "vm.workingset_refault_file", 5200 },
	      { "vm.pgscan_anon", 9000 }, { "vm.pgsteal_file", 6000 },
	      { "vm.nr_kernel_stack", 1184 }, { "vm.numa_hit", ABSENT },
	      { "vm.thp_fault_alloc", ABSENT }, { "vm.zswpin", ABSENT }, { "vm.cow_ksm", ABSENT },
	      { "vm.nr_swapcached", ABSENT }, { "mem.KReclaimable", 40100 },
	      { "mem.SecPageTables", ABSENT }, { "mem.HugePages_Total", ABSENT },
	      { "mem.CmaFree", 50104 }, { "sys.in", 4294967295 });
}

static void pressure_is_the_total_and_a_missing_line_is_absent(void **state)
{
	struct sample s;

	(void)state;
	read_tree("5.10", &s);
	CHECK(&s,
	      { "psi.memory.some", 1234567 }, { "psi.memory.full", 234567 },
	      { "psi.io.some", 7654321 }, { "psi.io.full", 654321 },
	      { "psi.cpu.some", 99887766 }, { "psi.cpu.full", ABSENT });
	read_tree("6.1", &s);
	CHECK(&s, { "psi.cpu.some", 63000000 }, { "psi.cpu.full", 0 });
}

static void zswap_files_are_read_each_and_rejects_summed(void **state)
{
	struct sample s;

	(void)state;
	read_tree("5.10", &s);
	CHECK(&s,
	      { "zswap.pool_limit_hit", 3 }, { "zswap.reject_compress_poor", 41 },
	      { "zswap.written_back_pages", 52 }, { "zswap.pool_total_size", 1314816 },
	      { "zswap.stored_pages", 963 }, { "zswap.same_filled_pages", 74 },
	      { "zswap.rejects", 3210 }, { "zswap.stored_incompressible", ABSENT });
}

static void linux_6_1_counters_beyond_the_first_page_are_read(void **state)
{
	struct stat st;
	struct sample s;

	(void)state;
	assert_int_equal(stat(tap_data("roots/6.1/proc/vmstat"), &st), 0);
	assert_true(st.st_size > 4096);
	read_tree("6.1", &s);
	CHECK(&s,
	      { "vm.allocstall", 479 }, { "vm.pgscan_anon", 5000000 },
	      { "vm.pgdemote_kswapd", 12 }, { "vm.pgdemote_direct", 13 }, { "vm.zswpin", 700 },
	      { "vm.zswpout", 900 }, { "vm.cow_ksm", 55 }, { "vm.nr_throttled_written", 66 },
	      { "vm.cma_alloc_success", 31 }, { "vm.cma_alloc_fail", 1 },
	      { "vm.pgscan_khugepaged", ABSENT }, { "vm.swpin_zero", ABSENT },
	      { "vm.zone_reclaim_success", ABSENT }, { "vm.nr_unstable", 0 },
	      { "mem.Zswap", 524288 }, { "mem.Zswapped", 1572864 },
	      { "mem.SecPageTables", 128 }, { "mem.FileHugePages", 6144 });
}

static void zram_devices_in_use_are_summed(void **state)
{
	struct sample s;

	(void)state;
	read_tree("6.1", &s);
	CHECK(&s,
	      { "zram.orig_data_size", 21000000 }, { "zram.compr_data_size", 3200000 },
	      { "zram.mem_used_total", 4300000 }, { "zram.mem_limit", 1073741824 },
	      { "zram.mem_used_max", 5400000 }, { "zram.same_pages", 605 },
	      { "zram.pages_compacted", 130 }, { "zram.huge_pages", 15 },
	      { "zram.huge_pages_since", 98 });
}

static void linux_6_18_memcg_reclaim_is_not_in_the_global_keys(void **state)
{
	struct sample s;

	(void)state;
	read_tree("6.18", &s);
	CHECK(&s,
	      { "vm.pgscan_anon", 89771 }, { "vm.pgsteal_anon", 41100 }, { "vm.pswpout", 41100 },
	      { "vm.pswpin", 24599 }, { "vm.pgscan_direct", 0 }, { "vm.pgscan_kswapd", 0 },
	      { "vm.allocstall", 0 }, { "vm.pgscan_proactive", 0 }, { "vm.pgmajfault", 27634 },
	      { "vm.nr_dirty_threshold", 1217228 }, { "mem.SwapTotal", 262140 },
	      { "mem.SwapFree", 196136 }, { "psi.memory.some", 301161 },
	      { "psi.memory.full", 301088 }, { "zram.orig_data_size", 67592192 },
	      { "zram.huge_pages_since", 0 }, { "disk.reads", 97482 }, { "disk.util", 18588 },
	      { "stat.user", 12209 }, { "stat.guest_nice", 0 });
}

static void numbers_above_2_to_63_are_0_and_the_largest_below_stays(void **state)
{
	struct sample s;

	(void)state;
	read_tree("odd", &s);
	CHECK(&s,
	      { "mem.SwapFree", 0 }, { "vm.nr_dirty", 0 }, { "vm.nr_writeback", 0 },
	      { "vm.nr_free_pages", INT64_MAX }, { "vm.workingset_nodes", 0 });
}

static void odd_lines_do_not_hide_those_around_them(void **state)
{
	struct sample s;

	(void)state;
	read_tree("odd", &s);
	CHECK(&s,
	      { "vm.nr_mapped", ABSENT }, { "vm.nr_unstable", 321 }, { "mem.MemTotal", 0 },
	      { "mem.Cached", 65536 },
	      { "mem.Slab", ABSENT }, { "procs.r", 1 }, { "procs.b", ABSENT },
	      { "sys.forks", ABSENT }, { "psi.memory.full", 6 });
	assert_true(sample_has(&s, M_vm_nr_shmem));
	assert_int_equal(s.source_why[SOURCE_PSI_IO], WHY_NO_SOURCE);
	assert_int_equal(s.source_why[SOURCE_DISK], WHY_NO_SOURCE);
}

static void zram_of_old_kernels_has_a_file_per_number(void **state)
{
	struct sample s;

	(void)state;
	read_tree("odd", &s);
	CHECK(&s,
	      { "zram.orig_data_size", 5000000 }, { "zram.compr_data_size", 1100000 },
	      { "zram.mem_used_total", 2100000 }, { "zram.same_pages", 7 });
	assert_int_equal(s.source_why[SOURCE_ZRAM], WHY_OK);
}

/* --- Coverage of the table --- */

struct uncovered {
	const char *key;
	const char *why;
};

/* Every key of the captured file must reach some metric, but for those listed. */
static void check_coverage(const char *file, const enum source_id *sources, size_t nsources,
			   const struct uncovered *except, size_t nexcept)
{
	char line[256], key[128];
	FILE *f = fopen(tap_data(file), "r");
	size_t keys = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		bool found = false, listed = false;

		assert_int_equal(sscanf(line, "%127[^: ]", key), 1);
		for (size_t i = 0; i < nsources; i++) {
			struct keyscan *k = keyscan_new(sources[i]);
			struct sample s = { 0 };

			keyscan_begin(k);
			keyscan_text(k, line, strlen(line));
			keyscan_end(k, &s);
			keyscan_free(k);
			for (size_t b = 0; b < sizeof(s.valid); b++)
				found |= s.valid[b] != 0;
		}
		for (size_t i = 0; i < nexcept; i++)
			listed |= strcmp(key, except[i].key) == 0;
		if (found == listed)
			fail_msg("%s: %s is %s", file, key,
				 listed ? "listed as left out, but is read" : "not read");
		keys++;
	}
	fclose(f);
	assert_true(keys > 40);
}

static void every_vmstat_key_of_6_18_is_read_or_left_out_for_a_reason(void **state)
{
	static const enum source_id sources[] = { SOURCE_VMSTAT, SOURCE_VMSTAT_SLOW };
	static const struct uncovered except[] = {
		{ "nr_zone_inactive_anon", "the same pages as nr_inactive_anon, per zone" },
		{ "nr_zone_active_anon", "the same" },
		{ "nr_zone_inactive_file", "the same" },
		{ "nr_zone_active_file", "the same" },
		{ "nr_zone_unevictable", "the same" },
		{ "nr_foll_pin_acquired", "of get_user_pages, not of reclaim" },
		{ "nr_foll_pin_released", "the same" },
	};

	(void)state;
	check_coverage("roots/6.18/proc/vmstat", sources, 2, except,
		       sizeof(except) / sizeof(*except));
}

static void every_meminfo_key_of_6_18_is_read_or_left_out_for_a_reason(void **state)
{
	static const enum source_id sources[] = { SOURCE_MEMINFO };
	static const struct uncovered except[] = {
		{ "NFS_Unstable", "always 0" },
		{ "Bounce", "always 0" },
		{ "VmallocTotal", "constant" },
		{ "VmallocChunk", "always 0" },
		{ "Hugepagesize", "constant" },
		{ "DirectMap2M", "the rest of DirectMap4k" },
		{ "DirectMap1G", "the same" },
	};

	(void)state;
	check_coverage("roots/6.18/proc/meminfo", sources, 1, except,
		       sizeof(except) / sizeof(*except));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linux_2_6_32_zones_are_summed_and_old_names_folded),
		cmocka_unit_test(what_linux_2_6_32_lacks_is_absent_and_not_zero),
		cmocka_unit_test(stat_gives_times_and_their_total_without_the_guests),
		cmocka_unit_test(disks_are_summed_without_partitions_and_stacked_devices),
		cmocka_unit_test(linux_4_19_one_refault_key_is_that_of_files),
		cmocka_unit_test(numbers_that_an_older_mm_stat_lacks_are_absent),
		cmocka_unit_test(linux_5_10_zones_of_32_bit_are_summed),
		cmocka_unit_test(pressure_is_the_total_and_a_missing_line_is_absent),
		cmocka_unit_test(zswap_files_are_read_each_and_rejects_summed),
		cmocka_unit_test(linux_6_1_counters_beyond_the_first_page_are_read),
		cmocka_unit_test(zram_devices_in_use_are_summed),
		cmocka_unit_test(linux_6_18_memcg_reclaim_is_not_in_the_global_keys),
		cmocka_unit_test(numbers_above_2_to_63_are_0_and_the_largest_below_stays),
		cmocka_unit_test(odd_lines_do_not_hide_those_around_them),
		cmocka_unit_test(zram_of_old_kernels_has_a_file_per_number),
		cmocka_unit_test(every_vmstat_key_of_6_18_is_read_or_left_out_for_a_reason),
		cmocka_unit_test(every_meminfo_key_of_6_18_is_read_or_left_out_for_a_reason),
	};

	return TAP_RUN(tests, NULL, NULL);
}
