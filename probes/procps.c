/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that comes through libproc2, procps-ng's library. Of its calls only select and reap are used:
 * get reads its file anew only once a second. Its paths are fixed when it is compiled, so it serves
 * this machine alone.
 */
#include "probes/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <libproc2/diskstats.h>
#include <libproc2/pids.h>
#include <libproc2/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "src/file.h"
#include "probes/tasklook.h"
#include "src/keyscan.h"
#include "src/xalloc.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

/* The errno of a library call that failed, or EIO when it left none. */
static int library_error(void)
{
	return errno > 0 ? -errno : -EIO;
}

/* --- /proc/stat --- */

/* The CPU times stand first, the eight of cpu.total before the guests', which are inside user's. */
static const struct {
	enum stat_item item;
	enum metric metric;
} stat_fields[] = {
	{ STAT_TIC_USER, M_stat_user },
	{ STAT_TIC_NICE, M_stat_nice },
	{ STAT_TIC_SYSTEM, M_stat_system },
	{ STAT_TIC_IDLE, M_stat_idle },
	{ STAT_TIC_IOWAIT, M_stat_iowait },
	{ STAT_TIC_IRQ, M_stat_irq },
	{ STAT_TIC_SOFTIRQ, M_stat_softirq },
	{ STAT_TIC_STOLEN, M_stat_steal },
	{ STAT_TIC_GUEST, M_stat_guest },
	{ STAT_TIC_GUEST_NICE, M_stat_guest_nice },
	{ STAT_SYS_INTERRUPTS, M_sys_in },
	{ STAT_SYS_CTX_SWITCHES, M_sys_cs },
	{ STAT_SYS_PROC_CREATED, M_sys_forks },
	{ STAT_SYS_TIME_OF_BOOT, M_sys_btime },
	{ STAT_SYS_PROC_RUNNING, M_procs_r },
	{ STAT_SYS_PROC_BLOCKED, M_procs_b },
};

enum { STAT_TIMES = 10, STAT_TOTAL_TIMES = 8 };

struct procps_stat {
	struct source source;
	struct stat_info *info;
	enum stat_item items[LENGTH(stat_fields)];
	bool has[LENGTH(stat_fields)];
};

static int procps_stat_read(struct source *src, struct sample *s)
{
	struct procps_stat *p = (struct procps_stat *)src;
	struct stat_stack *stack = procps_stat_select(p->info, p->items, LENGTH(stat_fields));
	uint64_t total = 0;

	if (!stack)
		return library_error();
	for (size_t i = 0; i < LENGTH(stat_fields); i++) {
		const struct stat_result *r = &stack->head[i];
		uint64_t value = i < STAT_TIMES ? r->result.ull_int : r->result.ul_int;

		if (!p->has[i])
			continue;
		sample_set(s, stat_fields[i].metric, value);
		if (i < STAT_TOTAL_TIMES)
			total += value;
	}
	sample_set(s, M_cpu_total, total);
	return 0;
}

static void procps_stat_close(struct source *src)
{
	struct procps_stat *p = (struct procps_stat *)src;

	procps_stat_unref(&p->info);
	free(p);
}

/* The library gives 0 for what an older kernel does not have; the text tells the difference. */
static bool find_fields(struct procps_stat *p, struct source *text)
{
	struct sample s = { 0 };

	if (text->read(text, &s) < 0)
		return false;
	for (size_t i = 0; i < LENGTH(stat_fields); i++) {
		p->items[i] = stat_fields[i].item;
		p->has[i] = sample_has(&s, stat_fields[i].metric);
	}
	/* The first select allocates, those after it do not. */
	return procps_stat_select(p->info, p->items, LENGTH(stat_fields)) != NULL;
}

struct source *procps_stat_open(enum source_id id, const struct probe_env *env)
{
	struct source *text = textfile_open(id, env);
	struct procps_stat *p = xcalloc(1, sizeof(*p));

	p->source = (struct source){
		.id = id, .read = procps_stat_read, .close = procps_stat_close,
	};
	if (procps_stat_new(&p->info) < 0) {
		free(p);
		return text;	/* no /proc yet: the text can wait for it */
	}
	if (!find_fields(p, text)) {
		procps_stat_close(&p->source);
		return text;
	}
	text->close(text);
	return &p->source;
}

/* --- /proc/diskstats --- */

enum { DISK_NAME, DISK_TYPE, DISK_IN_FLIGHT, DISK_READS, DISK_WRITES, DISK_READ_MS, DISK_WRITE_MS,
       DISK_BUSY_MS, DISK_ITEMS };

struct procps_disk {
	struct source source;
	struct diskstats_info *info;	/* NULL: not there yet */
	enum diskstats_item items[DISK_ITEMS];
	struct keyscan *keys;
};

static void add_disk(struct procps_disk *p, const struct diskstats_result *r)
{
	int in_flight = r[DISK_IN_FLIGHT].result.s_int;

	if (r[DISK_TYPE].result.s_int != DISKSTATS_TYPE_DISK ||
	    !diskstats_wanted(r[DISK_NAME].result.str))
		return;
	keyscan_value(p->keys, "in_flight", in_flight > 0 ? (uint64_t)in_flight : 0);
	keyscan_value(p->keys, "reads", r[DISK_READS].result.ul_int);
	keyscan_value(p->keys, "writes", r[DISK_WRITES].result.ul_int);
	keyscan_value(p->keys, "read_ms", r[DISK_READ_MS].result.ul_int);
	keyscan_value(p->keys, "write_ms", r[DISK_WRITE_MS].result.ul_int);
	keyscan_value(p->keys, "busy_ms", r[DISK_BUSY_MS].result.ul_int);
}

static int procps_disk_read(struct source *src, struct sample *s)
{
	struct procps_disk *p = (struct procps_disk *)src;
	struct diskstats_reaped *reaped;
	int error = p->info ? 0 : procps_diskstats_new(&p->info);

	if (error < 0) {
		p->info = NULL;
		return error;
	}
	reaped = procps_diskstats_reap(p->info, p->items, DISK_ITEMS);
	if (!reaped)
		return library_error();
	keyscan_begin(p->keys);
	for (int i = 0; i < reaped->total; i++)
		add_disk(p, reaped->stacks[i]->head);
	keyscan_end(p->keys, s);
	return 0;
}

static void procps_disk_close(struct source *src)
{
	struct procps_disk *p = (struct procps_disk *)src;

	if (p->info)
		procps_diskstats_unref(&p->info);
	keyscan_free(p->keys);
	free(p);
}

struct source *procps_disk_open(enum source_id id, const struct probe_env *env)
{
	struct procps_disk *p = xcalloc(1, sizeof(*p));

	(void)env;
	*p = (struct procps_disk){
		.source = { .id = id, .read = procps_disk_read, .close = procps_disk_close },
		.items = {
			[DISK_NAME] = DISKSTATS_NAME, [DISK_TYPE] = DISKSTATS_TYPE,
			[DISK_IN_FLIGHT] = DISKSTATS_IO_INPROGRESS, [DISK_READS] = DISKSTATS_READS,
			[DISK_WRITES] = DISKSTATS_WRITES, [DISK_READ_MS] = DISKSTATS_READ_TIME,
			[DISK_WRITE_MS] = DISKSTATS_WRITE_TIME, [DISK_BUSY_MS] = DISKSTATS_IO_TIME,
		},
		.keys = keyscan_new(id),
	};
	return &p->source;
}

/* --- Tasks --- */

enum { TASK_PID, TASK_PPID, TASK_STATE, TASK_CMD, TASK_FLAGS, TASK_START, TASK_CPU, TASK_MAJFLT,
       TASK_MINFLT, TASK_RSS, TASK_FAMILY_USER, TASK_FAMILY_SYSTEM, TASK_FAMILY_MAJFLT,
       TASK_FAMILY_MINFLT, TASK_SWAP, TASK_ITEMS };	/* TASK_SWAP last: see choose_items */

enum { PF_KTHREAD = 0x200000 };	/* include/linux/sched.h */

struct procps_tasks {
	struct source source;
	struct pids_info *info;		/* NULL: not there yet */
	enum pids_item items[TASK_ITEMS];
	struct keyscan *keys;
	struct tasklook *look;
	struct task_slot *slot;		/* may be NULL */
	long clock_ticks;
	uint64_t page_kib;
	bool with_swap;			/* swap is asked for */
};

/*
 * Only /proc/PID/status knows a task's swap, and printing it costs as much as all the rest: it is
 * asked for while any swap is in use. While none is, every task's is 0.
 */
static int choose_items(struct procps_tasks *p)
{
	struct sysinfo info;
	bool swap = sysinfo(&info) < 0 || info.freeswap < info.totalswap;
	int error = 0;

	if (!p->info)
		error = procps_pids_new(&p->info, p->items, swap ? TASK_ITEMS : TASK_SWAP);
	else if (swap != p->with_swap)
		error = procps_pids_reset(p->info, p->items, swap ? TASK_ITEMS : TASK_SWAP);
	p->with_swap = swap;
	return error;
}

/*
 * CPU time of a kernel thread, ns. kswapd does much of its work between two ticks, which schedstat
 * sees (fs/proc/base.c, proc_pid_schedstat) and the tick counts of stat do not.
 */
static uint64_t thread_cpu_ns(const struct procps_tasks *p, int pid, uint64_t ticks)
{
	char path[48], text[96];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	n = file_read_at(AT_FDCWD, path, text, sizeof(text));
	if (n <= 0)
		return ticks * (uint64_t)(1000000000 / p->clock_ticks);
	text[n] = '\0';
	return strtoull(text, NULL, 10);
}

static void add_kernel_thread(struct procps_tasks *p, const struct task_seen *seen)
{
	static const char *const threads[] = { "kswapd", "kcompactd", "khugepaged" };

	for (size_t i = 0; i < LENGTH(threads); i++)
		if (strncmp(seen->command, threads[i], strlen(threads[i])) == 0)
			keyscan_value(p->keys, threads[i],
				      thread_cpu_ns(p, seen->pid, seen->cpu_ticks));
}

static int add_task(struct procps_tasks *p, const struct pids_result *r)
{
	const struct task_seen seen = {
		.pid = r[TASK_PID].result.s_int,
		.ppid = r[TASK_PPID].result.s_int,
		.state = r[TASK_STATE].result.s_ch,
		.command = r[TASK_CMD].result.str ? r[TASK_CMD].result.str : "?",
		.start_ticks = r[TASK_START].result.ull_int,
		.cpu_ticks = r[TASK_CPU].result.ull_int,
		.majflt = r[TASK_MAJFLT].result.ul_int,
		.minflt = r[TASK_MINFLT].result.ul_int,
		.rss_kib = r[TASK_RSS].result.ul_int * p->page_kib,
		.swap_kib = p->with_swap ? r[TASK_SWAP].result.ul_int : 0,
		.family_user_ticks = r[TASK_FAMILY_USER].result.ull_int,
		.family_system_ticks = r[TASK_FAMILY_SYSTEM].result.ull_int,
		.family_majflt = r[TASK_FAMILY_MAJFLT].result.ul_int,
		.family_minflt = r[TASK_FAMILY_MINFLT].result.ul_int,
	};

	keyscan_value(p->keys, "state_D", seen.state == 'D');
	if (r[TASK_FLAGS].result.ul_int & PF_KTHREAD)
		add_kernel_thread(p, &seen);
	return tasklook_add(p->look, &seen);
}

static int procps_tasks_read(struct source *src, struct sample *s)
{
	struct procps_tasks *p = (struct procps_tasks *)src;
	const struct task_list *list;
	struct pids_fetch *fetch;
	int error = choose_items(p);

	if (error < 0)
		return error;
	fetch = procps_pids_reap(p->info, PIDS_FETCH_TASKS_ONLY);
	if (!fetch)
		return library_error();
	keyscan_begin(p->keys);
	tasklook_follow(p->look, p->slot ? task_slot_family_root(p->slot) : 0);
	tasklook_begin(p->look, s->source_ns[src->id]);
	for (int i = 0; i < fetch->counts->total && !error; i++)
		error = add_task(p, fetch->stacks[i]->head);
	if (error)
		return error;
	list = tasklook_end(p->look);
	keyscan_value(p->keys, "tasks", list->total);
	keyscan_end(p->keys, s);
	if (p->slot)
		task_slot_put(p->slot, list);
	return 0;
}

static void procps_tasks_close(struct source *src)
{
	struct procps_tasks *p = (struct procps_tasks *)src;

	if (p->info)
		procps_pids_unref(&p->info);
	keyscan_free(p->keys);
	tasklook_free(p->look);
	free(p);
}

struct source *procps_tasks_open(enum source_id id, const struct probe_env *env)
{
	struct procps_tasks *p = xcalloc(1, sizeof(*p));
	long clock_ticks = sysconf(_SC_CLK_TCK);

	*p = (struct procps_tasks){
		.source = { .id = id, .read = procps_tasks_read, .close = procps_tasks_close },
		.items = {
			[TASK_PID] = PIDS_ID_PID, [TASK_PPID] = PIDS_ID_PPID,
			[TASK_STATE] = PIDS_STATE, [TASK_CMD] = PIDS_CMD,
			[TASK_FLAGS] = PIDS_FLAGS, [TASK_START] = PIDS_TICS_BEGAN,
			[TASK_CPU] = PIDS_TICS_ALL, [TASK_MAJFLT] = PIDS_FLT_MAJ,
			[TASK_MINFLT] = PIDS_FLT_MIN, [TASK_RSS] = PIDS_RSS,
			[TASK_FAMILY_USER] = PIDS_TICS_USER_C,
			[TASK_FAMILY_SYSTEM] = PIDS_TICS_SYSTEM_C,
			[TASK_FAMILY_MAJFLT] = PIDS_FLT_MAJ_C, [TASK_FAMILY_MINFLT] = PIDS_FLT_MIN_C,
			[TASK_SWAP] = PIDS_VM_SWAP,
		},
		.keys = keyscan_new(id),
		.look = tasklook_new(clock_ticks),
		.slot = env->slot,
		.clock_ticks = clock_ticks,
		.page_kib = (uint64_t)sysconf(_SC_PAGESIZE) / 1024,
	};
	return &p->source;
}
