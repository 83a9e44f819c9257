/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vmtop's numbers against libproc2's, and against /proc as this test reads it. */
#include "tests/tap.h"

#include <ctype.h>
#include <libproc2/meminfo.h>
#include <libproc2/vmstat.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "src/derive.h"
#include "tests/agree.h"

#define PAIRS_MAX 160

static const struct {
	enum meminfo_item item;
	const char *id;
} meminfo_items[] = {
	{ MEMINFO_MEM_ACTIVE, "mem.Active" },
	{ MEMINFO_MEM_ACTIVE_ANON, "mem.Active(anon)" },
	{ MEMINFO_MEM_ACTIVE_FILE, "mem.Active(file)" },
	{ MEMINFO_MEM_ANON, "mem.AnonPages" },
	{ MEMINFO_MEM_AVAILABLE, "mem.MemAvailable" },
	{ MEMINFO_MEM_BUFFERS, "mem.Buffers" },
	{ MEMINFO_MEM_CACHED, "mem.Cached" },
	{ MEMINFO_MEM_CMA_FREE, "mem.CmaFree" },
	{ MEMINFO_MEM_COMMITTED_AS, "mem.Committed_AS" },
	{ MEMINFO_MEM_COMMIT_LIMIT, "mem.CommitLimit" },
	{ MEMINFO_MEM_DIRECTMAP_4K, "mem.DirectMap4k" },
	{ MEMINFO_MEM_DIRTY, "mem.Dirty" },
	{ MEMINFO_MEM_FILE_HUGEPAGES, "mem.FileHugePages" },
	{ MEMINFO_MEM_FILE_PMDMAPPED, "mem.FilePmdMapped" },
	{ MEMINFO_MEM_FREE, "mem.MemFree" },
	{ MEMINFO_MEM_HARD_CORRUPTED, "mem.HardwareCorrupted" },
	{ MEMINFO_MEM_HUGETBL, "mem.Hugetlb" },
	{ MEMINFO_MEM_HUGE_ANON, "mem.AnonHugePages" },
	{ MEMINFO_MEM_HUGE_FREE, "mem.HugePages_Free" },
	{ MEMINFO_MEM_HUGE_RSVD, "mem.HugePages_Rsvd" },
	{ MEMINFO_MEM_HUGE_SURPLUS, "mem.HugePages_Surp" },
	{ MEMINFO_MEM_HUGE_TOTAL, "mem.HugePages_Total" },
	{ MEMINFO_MEM_INACTIVE, "mem.Inactive" },
	{ MEMINFO_MEM_INACTIVE_ANON, "mem.Inactive(anon)" },
	{ MEMINFO_MEM_INACTIVE_FILE, "mem.Inactive(file)" },
	{ MEMINFO_MEM_KERNEL_RECLAIM, "mem.KReclaimable" },
	{ MEMINFO_MEM_KERNEL_STACK, "mem.KernelStack" },
	{ MEMINFO_MEM_LOCKED, "mem.Mlocked" },
	{ MEMINFO_MEM_MAPPED, "mem.Mapped" },
	{ MEMINFO_MEM_PAGE_TABLES, "mem.PageTables" },
	{ MEMINFO_MEM_PER_CPU, "mem.Percpu" },
	{ MEMINFO_MEM_SHARED, "mem.Shmem" },
	{ MEMINFO_MEM_SHMEM_HUGE, "mem.ShmemHugePages" },
	{ MEMINFO_MEM_SHMEM_HUGE_MAP, "mem.ShmemPmdMapped" },
	{ MEMINFO_MEM_SLAB, "mem.Slab" },
	{ MEMINFO_MEM_SLAB_RECLAIM, "mem.SReclaimable" },
	{ MEMINFO_MEM_SLAB_UNRECLAIM, "mem.SUnreclaim" },
	{ MEMINFO_MEM_TOTAL, "mem.MemTotal" },
	{ MEMINFO_MEM_UNEVICTABLE, "mem.Unevictable" },
	{ MEMINFO_MEM_VM_ALLOC_USED, "mem.VmallocUsed" },
	{ MEMINFO_MEM_WRITEBACK, "mem.Writeback" },
	{ MEMINFO_MEM_WRITEBACK_TMP, "mem.WritebackTmp" },
	{ MEMINFO_SWAP_CACHED, "mem.SwapCached" },
	{ MEMINFO_SWAP_FREE, "mem.SwapFree" },
	{ MEMINFO_SWAP_TOTAL, "mem.SwapTotal" },
};

static void read_meminfo(struct pair *pairs, size_t n, void *arg)
{
	enum meminfo_item items[LENGTH(meminfo_items)];
	struct meminfo_stack *stack;

	for (size_t i = 0; i < n; i++)
		items[i] = meminfo_items[i].item;
	stack = procps_meminfo_select(arg, items, (int)n);
	assert_non_null(stack);
	for (size_t i = 0; i < n; i++)
		pairs[i].theirs = stack->head[i].result.ul_int;
}

static void meminfo_is_that_of_libproc2(void **state)
{
	static const enum source_id ids[] = { SOURCE_MEMINFO };
	struct pair pairs[LENGTH(meminfo_items)] = { { 0 } };
	struct meminfo_info *info = NULL;
	struct reader r;

	(void)state;
	for (size_t i = 0; i < LENGTH(meminfo_items); i++) {
		pairs[i].metric = metric_find(meminfo_items[i].id);
		assert_true(pairs[i].metric != METRIC_COUNT);
	}
	reader_open(&r, "", ids, 1);
	assert_int_equal(procps_meminfo_new(&info), 0);
	agree(&r, pairs, LENGTH(pairs), read_meminfo, info, 35);
	procps_meminfo_unref(&info);
	sources_close(&r.set);
}

/* Items whose name is that of the key. Zone by zone and under old names vmtop has no metric. */
#define VMSTAT_KEYS(V) \
	V(BALLOON_DEFLATE) V(BALLOON_INFLATE) V(BALLOON_MIGRATE) \
	V(COMPACT_DAEMON_FREE_SCANNED) V(COMPACT_DAEMON_MIGRATE_SCANNED) \
	V(COMPACT_DAEMON_WAKE) V(COMPACT_FAIL) V(COMPACT_FREE_SCANNED) V(COMPACT_ISOLATED) \
	V(COMPACT_MIGRATE_SCANNED) V(COMPACT_STALL) V(COMPACT_SUCCESS) V(DROP_PAGECACHE) \
	V(DROP_SLAB) V(HTLB_BUDDY_ALLOC_FAIL) V(HTLB_BUDDY_ALLOC_SUCCESS) \
	V(KSWAPD_HIGH_WMARK_HIT_QUICKLY) V(KSWAPD_INODESTEAL) V(KSWAPD_LOW_WMARK_HIT_QUICKLY) \
	V(NR_ACTIVE_ANON) V(NR_ACTIVE_FILE) V(NR_ANON_PAGES) V(NR_ANON_TRANSPARENT_HUGEPAGES) \
	V(NR_DIRTIED) V(NR_DIRTY) V(NR_DIRTY_BACKGROUND_THRESHOLD) V(NR_DIRTY_THRESHOLD) \
	V(NR_FILE_HUGEPAGES) V(NR_FILE_PAGES) V(NR_FILE_PMDMAPPED) V(NR_FREE_CMA) \
	V(NR_FREE_PAGES) V(NR_INACTIVE_ANON) V(NR_INACTIVE_FILE) V(NR_ISOLATED_ANON) \
	V(NR_ISOLATED_FILE) V(NR_KERNEL_MISC_RECLAIMABLE) V(NR_KERNEL_STACK) V(NR_MAPPED) \
	V(NR_MLOCK) V(NR_PAGE_TABLE_PAGES) V(NR_SHMEM) V(NR_SHMEM_HUGEPAGES) \
	V(NR_SHMEM_PMDMAPPED) V(NR_SLAB_RECLAIMABLE) V(NR_SLAB_UNRECLAIMABLE) \
	V(NR_UNEVICTABLE) V(NR_UNSTABLE) V(NR_VMSCAN_IMMEDIATE_RECLAIM) V(NR_VMSCAN_WRITE) \
	V(NR_WRITEBACK) V(NR_WRITEBACK_TEMP) V(NR_WRITTEN) V(NR_ZONE_WRITE_PENDING) \
	V(NR_ZSPAGES) V(NUMA_FOREIGN) V(NUMA_HINT_FAULTS) V(NUMA_HINT_FAULTS_LOCAL) \
	V(NUMA_HIT) V(NUMA_HUGE_PTE_UPDATES) V(NUMA_INTERLEAVE) V(NUMA_LOCAL) V(NUMA_MISS) \
	V(NUMA_OTHER) V(NUMA_PAGES_MIGRATED) V(NUMA_PTE_UPDATES) V(OOM_KILL) V(PAGEOUTRUN) \
	V(PGACTIVATE) V(PGALLOC_NORMAL) V(PGDEACTIVATE) V(PGFAULT) V(PGFREE) V(PGINODESTEAL) \
	V(PGLAZYFREE) V(PGLAZYFREED) V(PGMAJFAULT) V(PGMIGRATE_FAIL) V(PGMIGRATE_SUCCESS) \
	V(PGPGIN) V(PGPGOUT) V(PGREFILL) V(PGROTATED) V(PGSCAN_ANON) V(PGSCAN_DIRECT) \
	V(PGSCAN_DIRECT_THROTTLE) V(PGSCAN_FILE) V(PGSCAN_KSWAPD) V(PGSKIP_NORMAL) \
	V(PGSTEAL_ANON) V(PGSTEAL_DIRECT) V(PGSTEAL_FILE) V(PGSTEAL_KSWAPD) V(PSWPIN) \
	V(PSWPOUT) V(SLABS_SCANNED) V(SWAP_RA) V(SWAP_RA_HIT) V(THP_COLLAPSE_ALLOC) \
	V(THP_COLLAPSE_ALLOC_FAILED) V(THP_DEFERRED_SPLIT_PAGE) V(THP_FAULT_ALLOC) \
	V(THP_FAULT_FALLBACK) V(THP_FAULT_FALLBACK_CHARGE) V(THP_FILE_ALLOC) \
	V(THP_FILE_FALLBACK) V(THP_FILE_FALLBACK_CHARGE) V(THP_FILE_MAPPED) V(THP_SPLIT_PAGE) \
	V(THP_SPLIT_PAGE_FAILED) V(THP_SPLIT_PMD) V(THP_SPLIT_PUD) V(THP_SWPOUT) \
	V(THP_SWPOUT_FALLBACK) V(THP_ZERO_PAGE_ALLOC) V(THP_ZERO_PAGE_ALLOC_FAILED) \
	V(UNEVICTABLE_PGS_CLEARED) V(UNEVICTABLE_PGS_CULLED) V(UNEVICTABLE_PGS_MLOCKED) \
	V(UNEVICTABLE_PGS_MUNLOCKED) V(UNEVICTABLE_PGS_RESCUED) V(UNEVICTABLE_PGS_SCANNED) \
	V(UNEVICTABLE_PGS_STRANDED) V(WORKINGSET_NODERECLAIM) V(WORKINGSET_NODES) \
	V(ZONE_RECLAIM_FAILED)

static enum vmstat_item vmstat_items[] = {
#define V(name) VMSTAT_##name,
	VMSTAT_KEYS(V)
#undef V
};

static const char *const vmstat_names[] = {
#define V(name) #name,
	VMSTAT_KEYS(V)
#undef V
};

static void read_vmstat(struct pair *pairs, size_t n, void *arg)
{
	struct vmstat_stack *stack = procps_vmstat_select(arg, vmstat_items, (int)n);

	assert_non_null(stack);
	for (size_t i = 0; i < n; i++)
		pairs[i].theirs = stack->head[i].result.ul_int;
}

static enum metric vmstat_metric(const char *name)
{
	char id[64] = "vm.";

	for (size_t i = 0; i < sizeof(id) - 4 && name[i]; i++)
		id[3 + i] = (char)tolower((unsigned char)name[i]);
	return metric_find(id);
}

static void vmstat_is_that_of_libproc2(void **state)
{
	static const enum source_id ids[] = { SOURCE_VMSTAT, SOURCE_VMSTAT_SLOW };
	static struct pair pairs[LENGTH(vmstat_names)];
	struct vmstat_info *info = NULL;
	struct reader r;

	(void)state;
	for (size_t i = 0; i < LENGTH(vmstat_names); i++) {
		pairs[i].metric = vmstat_metric(vmstat_names[i]);
		if (pairs[i].metric == METRIC_COUNT)
			fail_msg("no metric for %s", vmstat_names[i]);
	}
	reader_open(&r, "", ids, 2);
	assert_int_equal(procps_vmstat_new(&info), 0);
	agree(&r, pairs, LENGTH(pairs), read_vmstat, info, 90);
	procps_vmstat_unref(&info);
	sources_close(&r.set);
}

/* --- What vmtop takes from libproc2, against the text of the same file --- */

/* Theirs is here what vmtop gets through the library; before and after come from the text. */
static void read_other(struct pair *pairs, size_t n, void *arg)
{
	static struct sample s;

	reader_read(arg, &s);
	for (size_t i = 0; i < n; i++) {
		pairs[i].theirs = s.value[pairs[i].metric];
		if (!sample_has(&s, pairs[i].metric))
			fail_msg("%s is absent", metric_info(pairs[i].metric)->id);
	}
}

static void check_text_against_library(enum source_id id, size_t least)
{
	struct pair pairs[PAIRS_MAX] = { { 0 } };
	struct reader text, library;
	struct sample s;
	size_t n = 0;

	reader_open(&library, "", &id, 1);
	reader_open(&text, "/", &id, 1);
	reader_read(&text, &s);
	for (size_t m = 0; m < METRIC_COUNT; m++)
		if (sample_has(&s, (enum metric)m))
			pairs[n++].metric = (enum metric)m;
	agree(&text, pairs, n, read_other, &library, least);
	/* And nothing that the text does not have. */
	reader_read(&library, &s);
	for (size_t m = 0; m < METRIC_COUNT; m++)
		n -= sample_has(&s, (enum metric)m);
	assert_int_equal(n, 0);
	sources_close(&library.set);
	sources_close(&text.set);
}

static void stat_through_libproc2_is_that_of_the_text(void **state)
{
	(void)state;
	check_text_against_library(SOURCE_STAT, 17);
}

static void diskstats_through_libproc2_is_that_of_the_text(void **state)
{
	(void)state;
	check_text_against_library(SOURCE_DISK, 0);
}

/* --- Against the kernel's files, read by the test --- */

static uint64_t own_value(const char *path, const char *key)
{
	char line[256];
	uint64_t value = UINT64_MAX;
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (strncmp(line, key, strlen(key)) == 0 && strchr(": ", line[strlen(key)]))
			value = strtoull(line + strlen(key) + 1, NULL, 10);
	fclose(f);
	assert_true(value != UINT64_MAX);
	return value;
}

enum { OWN_FREE, OWN_CACHE, OWN_SWPD, OWN_KEYS };

static void read_own(uint64_t *own)
{
	static const char path[] = "/proc/meminfo";

	own[OWN_FREE] = own_value(path, "MemFree");
	own[OWN_CACHE] = own_value(path, "Cached") + own_value(path, "SReclaimable");
	own[OWN_SWPD] = own_value(path, "SwapTotal") - own_value(path, "SwapFree");
}

/* At a moment in which the files did not move, the row has their very numbers. */
static void free_cache_and_swpd_equal_the_kernels_files(void **state)
{
	static const enum source_id ids[] = { SOURCE_MEMINFO };
	static const enum metric metrics[OWN_KEYS] = { M_mem_MemFree, M_mem_cache, M_mem_swpd };
	const struct derive_env env = { .page_size = sysconf(_SC_PAGESIZE), .clock_ticks = 100,
					.long_bits = 64 };
	double deadline = seconds() + 20;
	bool equal[OWN_KEYS] = { false };
	uint64_t before[OWN_KEYS], after[OWN_KEYS];
	struct reader r;
	struct sample s;
	struct row row;

	(void)state;
	reader_open(&r, "", ids, 1);
	while (seconds() < deadline && !(equal[0] && equal[1] && equal[2])) {
		read_own(before);
		reader_read(&r, &s);
		read_own(after);
		derive(&env, NULL, &s, &row);
		for (size_t i = 0; i < OWN_KEYS; i++) {
			assert_int_equal(row.why[metrics[i]], WHY_OK);
			if (before[i] == after[i] && row.value[metrics[i]] == (double)before[i])
				equal[i] = true;
		}
	}
	for (size_t i = 0; i < OWN_KEYS; i++)
		if (!equal[i])
			fail_msg("%s never equalled the file", metric_info(metrics[i])->id);
	sources_close(&r.set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(meminfo_is_that_of_libproc2),
		cmocka_unit_test(vmstat_is_that_of_libproc2),
		cmocka_unit_test(stat_through_libproc2_is_that_of_the_text),
		cmocka_unit_test(diskstats_through_libproc2_is_that_of_the_text),
		cmocka_unit_test(free_cache_and_swpd_equal_the_kernels_files),
	};

	return TAP_RUN(tests, NULL, NULL);
}
