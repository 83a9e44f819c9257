/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chart panels, as data. A new chart is one entry here, its name in panel.h and its page in
 * page.c. Those of reclaim that need more than data are in reclaim_panels.c.
 */
#include "ui/panel.h"

const struct panel panel_swap = {
	.name = "swap",
	LANES({ .kind = CHART_MIRROR,
		.nseries = 2,
		.series = { SERIES(swap_si, SWAP_IN, SWAP_IN),
			    SERIES(swap_so, SWAP_OUT, SWAP_OUT) } }),
	.nreadouts = 3,
	.readouts = { READOUT("in", swap_si, SWAP_IN), READOUT("out", swap_so, SWAP_OUT),
		      READOUT("used", mem_swpd, DIM) },
};

const struct panel panel_memory = {
	.name = "memory",
	LANES({ .kind = CHART_STACK, .stacking = STACKING_PARTS,
		.of_total = true, .total = M_mem_MemTotal,
		.nseries = 4,
		.series = { SERIES(mem_AnonPages, MEM_ANON, MEM_ANON),
			    SERIES(der_mem_other, MEM_OTHER, MEM_OTHER),
			    SERIES(mem_cache, MEM_CACHE, MEM_CACHE),
			    SERIES(mem_MemFree, MEM_FREE, MEM_FREE) } }),
	.nreadouts = 5,
	.readouts = { READOUT("free", mem_MemFree, MEM_FREE), READOUT("cache", mem_cache, MEM_CACHE),
		      READOUT("anon", mem_AnonPages, MEM_ANON),
		      READOUT("avail", mem_MemAvailable, DIM), READOUT("of", mem_MemTotal, DIM) },
};

const struct panel panel_reclaim = {
	.name = "reclaim",
	LANES({ .kind = CHART_STACK, .stacking = STACKING_PARTS,
		.nseries = 3,
		.series = { SERIES(vm_pgsteal_kswapd, KSWAPD, KSWAPD),
			    SERIES(vm_pgsteal_direct, DIRECT, DIRECT),
			    SERIES(der_memcg_steal, STEAL, STEAL) } }),
	.nreadouts = 8,
	.readouts = { READOUT("kswapd", vm_pgsteal_kswapd, KSWAPD),
		      READOUT("direct", vm_pgsteal_direct, DIRECT),
		      READOUT("cgroup", der_memcg_steal, STEAL),
		      READOUT("allocstall", vm_allocstall, ALARM),
		      READOUT("scan", der_scan, SCAN), READOUT("steal", der_steal, STEAL),
		      READOUT("eff", der_reclaim_eff, DIM), READOUT("anon", der_anon_share, DIM) },
};

const struct panel panel_stalls = {
	.name = "stalls",
	LANES({ .kind = CHART_STACK, .stacking = STACKING_NESTED,
		.nseries = 2,
		.series = { SERIES(psi_memory_full, FULL, FULL),
			    SERIES(psi_memory_some, SOME, SOME) } }),
	.nreadouts = 5,
	.readouts = { READOUT("some", psi_memory_some, SOME), READOUT("full", psi_memory_full, FULL),
		      READOUT("majflt", vm_pgmajfault, FAULT),
		      READOUT("refault", der_refault_rate, REFAULT),
		      READOUT("io", psi_io_some, DIM) },
};

const struct panel panel_cpu = {
	.name = "cpu",
	LANES({ .kind = CHART_STACK, .stacking = STACKING_PARTS, .pinned = 100,
		.nseries = 4,
		.series = { SERIES(cpu_sy, CPU_SY, CPU_SY), SERIES(cpu_us, CPU_US, CPU_US),
			    SERIES(cpu_st, CPU_ST, CPU_ST), SERIES(cpu_wa, CPU_WA, CPU_WA) } }),
	.nreadouts = 9,
	.readouts = { READOUT("r", procs_r, DIM), READOUT("b", procs_b, DIM),
		      READOUT("us", cpu_us, CPU_US), READOUT("sy", cpu_sy, CPU_SY),
		      READOUT("id", cpu_id, DIM), READOUT("wa", cpu_wa, CPU_WA),
		      READOUT("st", cpu_st, CPU_ST), READOUT("in", sys_in, DIM),
		      READOUT("cs", sys_cs, DIM) },
};

const struct panel panel_io = {
	.name = "block io",
	LANES({ .kind = CHART_MIRROR,
		.nseries = 2,
		.series = { SERIES(io_bi, IO_IN, IO_IN), SERIES(io_bo, IO_OUT, IO_OUT) },
		.least = 3, .share = 3 },
	      { .label = "psi", .share = 1, .kind = CHART_STACK, .stacking = STACKING_NESTED,
		.nseries = 2,
		.series = { SERIES(psi_io_full, FULL, FULL), SERIES(psi_io_some, SOME, SOME) } }),
	.nreadouts = 8,
	.readouts = { READOUT("bi", io_bi, IO_IN), READOUT("bo", io_bo, IO_OUT),
		      READOUT("disks busy", disk_util, DIM), READOUT("read", disk_read_await, DIM),
		      READOUT("write", disk_write_await, DIM),
		      READOUT("queue", disk_in_flight, DIM),
		      READOUT("some", psi_io_some, SOME), READOUT("full", psi_io_full, FULL) },
};

const struct panel panel_faults = {
	.name = "faults",
	LANES({ .kind = CHART_STACK, .stacking = STACKING_PARTS,
		.nseries = 2,
		.series = { SERIES(vm_pgmajfault, FAULT, FAULT),
			    SERIES(der_minor_faults, DIM, DIM) } }),
	.nreadouts = 2,
	.readouts = { READOUT("major", vm_pgmajfault, FAULT), READOUT("minor", der_minor_faults, DIM) },
};

const struct panel panel_refault = {
	.name = "refaults",
	LANES({ .kind = CHART_STACK, .stacking = STACKING_PARTS,
		.nseries = 2,
		.series = { SERIES(vm_workingset_refault_anon, MEM_ANON, MEM_ANON),
			    SERIES(vm_workingset_refault_file, REFAULT, REFAULT) } }),
	.nreadouts = 3,
	.readouts = { READOUT("anon", vm_workingset_refault_anon, MEM_ANON),
		      READOUT("file", vm_workingset_refault_file, REFAULT),
		      READOUT("activated", vm_workingset_activate_file, DIM) },
};

const struct panel panel_swap_use = {
	.name = "swap space",
	LANES({ .kind = CHART_AREA, .of_total = true, .total = M_mem_SwapTotal,
		.nseries = 1,
		.series = { SERIES(mem_swpd, SWAP_OUT, SWAP_OUT) } }),
	.nreadouts = 4,
	.readouts = { READOUT("used", mem_swpd, SWAP_OUT), READOUT("of", mem_SwapTotal, DIM),
		      READOUT("cached", mem_SwapCached, DIM),
		      READOUT("readahead hits", der_swap_ra_hit_pct, DIM) },
};

const struct panel panel_zram = {
	.name = "zram",
	LANES({ .kind = CHART_STACK, .stacking = STACKING_NESTED,
		.nseries = 2,
		.series = { SERIES(zram_mem_used_total, MEM_OTHER, MEM_OTHER),
			    SERIES(zram_orig_data_size, SWAP_OUT, SWAP_OUT) } }),
	.nreadouts = 4,
	.readouts = { READOUT("data", zram_orig_data_size, SWAP_OUT),
		      READOUT("takes", zram_mem_used_total, MEM_OTHER),
		      READOUT("ratio", zram_ratio, DIM), READOUT("huge", zram_huge_pages, DIM) },
};

const struct panel panel_writeback = {
	.name = "dirty",
	LANES({ .kind = CHART_STACK, .stacking = STACKING_PARTS,
		.nseries = 2,
		.series = { SERIES(mem_Writeback, IO_OUT, IO_OUT),
			    SERIES(mem_Dirty, MEM_CACHE, MEM_CACHE) } }),
	.nreadouts = 3,
	.readouts = { READOUT("dirty", mem_Dirty, MEM_CACHE), READOUT("writeback", mem_Writeback, IO_OUT),
		      READOUT("of limit", der_dirty_pct, DIM) },
};

const struct panel panel_scan = {
	.name = "scan",
	LANES({ .kind = CHART_STACK, .stacking = STACKING_PARTS,
		.nseries = 3,
		.series = { SERIES(vm_pgscan_kswapd, KSWAPD, KSWAPD), SERIES(vm_pgscan_direct, DIRECT, DIRECT),
			    SERIES(der_memcg_scan, SCAN, SCAN) } }),
	.nreadouts = 4,
	.readouts = { READOUT("kswapd", vm_pgscan_kswapd, KSWAPD),
		      READOUT("direct", vm_pgscan_direct, DIRECT),
		      READOUT("cgroup", der_memcg_scan, SCAN), READOUT("anon", der_anon_share, DIM) },
};

const struct panel panel_kswapd = {
	.name = "reclaim threads",
	LANES({ .kind = CHART_STACK, .stacking = STACKING_PARTS,
		.nseries = 3,
		.series = { SERIES(task_kswapd_cpu, KSWAPD, KSWAPD), SERIES(task_kcompactd_cpu, SCAN, SCAN),
			    SERIES(task_khugepaged_cpu, MEM_OTHER, MEM_OTHER) } }),
	.nreadouts = 4,
	.readouts = { READOUT("kswapd", task_kswapd_cpu, KSWAPD),
		      READOUT("kcompactd", task_kcompactd_cpu, SCAN),
		      READOUT("khugepaged", task_khugepaged_cpu, MEM_OTHER),
		      READOUT("runs", vm_pageoutrun, DIM) },
};

const struct panel panel_cgroup = {
	.name = "cgroup",
	LANES({ .kind = CHART_STACK, .stacking = STACKING_PARTS,
		.nseries = 2,
		.series = { SERIES(cg_memory_current, MEM_ANON, MEM_ANON),
			    SERIES(cg_swap_current, SWAP_OUT, SWAP_OUT) } }),
	.nreadouts = 4,
	.readouts = { READOUT("memory", cg_memory_current, MEM_ANON),
		      READOUT("swap", cg_swap_current, SWAP_OUT),
		      READOUT("limit met", cg_events_max, DIM),
		      READOUT("OOM kills", cg_events_oom_kill, ALARM) },
};
