/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole pages as text, from a made-up session: the same view gives the same picture. Golden files
 * are in tests/data/screens; after a wanted change write them anew with VMTOP_UPDATE=1, and look at
 * them.
 */
#include "tests/tap.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "ui/command.h"
#include "ui/key.h"
#include "ui/output.h"
#include "ui/page.h"

#define S 1000000000LL

static struct session session;
static struct ui ui;
static enum why reclaim_why;	/* of the source, in the samples of the session */

/* What the tracepoints tell: in the storm up to 56 tasks, and a call that goes on to its end. */
static void add_reclaim(struct sample *s, int t)
{
	bool storm = t > 30 && t < 70;
	uint64_t busy = storm ? (uint64_t)(t - 30) : t >= 70 ? 40 : 0;	/* seconds of it so far */

	sample_set(s, M_memalloc_tasks, storm ? (uint64_t)t % 5 : 0);
	sample_set(s, M_vm_compact_migrate_scanned, busy * 700);
	if (reclaim_why != WHY_OK)
		return;
	sample_set(s, M_reclaim_tasks, storm ? 3 + (uint64_t)t % 9 : t >= 70);
	sample_set(s, M_reclaim_tasks_max, storm ? t == 60 ? 56 : 20 + (uint64_t)t % 13 : t >= 70);
	sample_set(s, M_reclaim_calls, busy * 400);
	sample_set(s, M_reclaim_time, busy * 5 * S);
	sample_set(s, M_reclaim_longest,
		   storm ? (uint64_t)(t - 30) * S * 27 / 100 : t >= 70 ? 123456789 : 0);
	sample_set(s, M_reclaim_reclaimed_pages, busy * 400 * 33);
	sample_set(s, M_reclaim_kswapd_busy_pct, busy * S * 3 / 4);
	sample_set(s, M_reclaim_throttled_writeback, busy * 12);
	sample_set(s, M_reclaim_throttled_isolated, busy * 3);
	sample_set(s, M_reclaim_throttled_noprogress, busy * 5);
	sample_set(s, M_reclaim_throttled_congested, 0);
	sample_set(s, M_reclaim_throttled_time, busy * S * 2);
	sample_set(s, M_reclaim_compactions, busy * 7);
	sample_set(s, M_reclaim_compact_time, busy * S / 5);
}

static void probe_says(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void probe_says(const char *fmt, ...)
{
	char line[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	session_playback_line(&session, line, strlen(line));
}

/* What the playback probe tells: in the storm a gap every fourth second, two of them of the file. */
static void add_playback(int t)
{
	bool storm = t > 30 && t < 70;
	int gaps = t <= 30 ? 0 : t < 70 ? (t - 30) / 4 : 9, gap_ms = 40 + t % 7 * 90;

	if (t == 1) {
		probe_says("playback ns=%lld protocol=1 pid=99 headline=clock-200", t * S);
		probe_says("sink ns=%lld sink=clock-20 state=playing buffer_ms=20.0", t * S);
		probe_says("sink ns=%lld sink=clock-200 state=playing buffer_ms=200.0 headline=1", t * S);
		probe_says("sink ns=%lld sink=clock-2000 state=playing buffer_ms=2000.0", t * S);
		probe_says("sink ns=%lld sink=pulse state=absent why=\"no sound server\"", t * S);
	}
	if (storm && (t - 30) % 4 == 0)
		probe_says("underrun ns=%lld sink=clock-200 gap_ms=%d cause=%s memory_ms=%d file_ms=9 cpu_ms=1",
			   t * S - S / 2, gap_ms, t % 16 == 2 ? "file" : t == 60 ? "cpu" : "memory",
			   gap_ms - 10);
	probe_says("second ns=%lld vmswap_kib=%d vmrss_kib=%d vmlck_kib=0 majflt=%d minflt=3 run_queue_ms=%d "
		   "late_max_ms=%d nice=0 locked=0", t * S, storm ? 700 : 0, storm ? 8500 : 9200,
		   storm ? 12 : 0, storm ? 7 : 0, storm ? gap_ms : 0);
	probe_says("level ns=%lld sink=clock-20 state=playing lowest_ms=%d underruns=%d silent_ms=%d "
		   "longest_ms=%d due_ms=%d", t * S, storm ? 0 : 10, gaps * 3, gaps * 400, gaps ? 400 : 0,
		   t * 1000);
	probe_says("level ns=%lld sink=clock-200 state=playing lowest_ms=%d underruns=%d silent_ms=%d "
		   "longest_ms=%d due_ms=%d", t * S, storm ? t % 4 * 45 : 190, gaps, gaps * 250,
		   gaps ? 580 : 0, t * 1000);
	probe_says("level ns=%lld sink=clock-2000 state=playing lowest_ms=%d underruns=0 silent_ms=0 "
		   "longest_ms=0 due_ms=%d", t * S, storm ? 1300 : 1990, t * 1000);
}

static void feel_says(const char *probe, int t, int last_ms, int worst_ms)
{
	char line[300];

	snprintf(line, sizeof(line), "second ns=%lld probe=%s last_ms=%d p99_ms=%d worst_ms=%d "
		 "above_100ms_s=%d above_1s_s=0", t * S, probe, last_ms, worst_ms, worst_ms, worst_ms / 100);
	session_feel_line(&session, line, strlen(line));
}

/* What the feel probe tells: a key that waits up to 900 ms in the storm; no file to read. */
static void add_feel(int t)
{
	static const char hello[] = "feel ns=1 protocol=1 footprint_kib=9000";
	static const char absent[] = "probe ns=1000000000 probe=file state=absent reason=\"/tmp is in memory\"";
	bool storm = t > 30 && t < 70;
	int key = storm ? 20 + t % 9 * 110 : 1;

	if (t == 1) {
		session_feel_line(&session, hello, strlen(hello));
		session_feel_line(&session, absent, strlen(absent));
	}
	feel_says("wake", t, 0, t > 30 ? 4 : 1);
	feel_says("key", t, key, t > 30 ? 900 : 1);
	feel_says("page", t, storm ? 12 : 0, t > 30 ? 44 : 0);
	feel_says("alloc", t, storm ? 90 : 3, t > 30 ? 2100 : 3);
}

/* A machine of 1 GiB that begins to swap at second 30: the same numbers each time. */
static void add_second(int t)
{
	struct sample s = { .interval_ns = S, .seq = (uint64_t)t };
	bool storm = t > 30 && t < 70;
	uint64_t pages = storm ? (uint64_t)(t - 30) * 900 : t >= 70 ? 36000 : 0;

	s.due_ns = t * S;
	s.mono_ns = t * S + 2000000;
	s.boot_ns = s.mono_ns;
	s.real_ns = 1000000000 * S + t * S;	/* 2001-09-09 */
	for (size_t i = 0; i < SOURCE_COUNT; i++)
		s.source_ns[i] = s.mono_ns;
	s.source_why[SOURCE_PSI_IO] = WHY_NO_SOURCE;
	s.source_why[SOURCE_ZRAM] = WHY_NO_SOURCE;
	s.source_why[SOURCE_CGROUP] = WHY_NO_SOURCE;
	s.source_why[SOURCE_RECLAIM] = (uint8_t)reclaim_why;
	sample_set(&s, M_mem_MemTotal, 1048576);
	sample_set(&s, M_mem_MemFree, storm ? 20480 : 524288);
	sample_set(&s, M_mem_MemAvailable, storm ? 30720 : 700000);
	sample_set(&s, M_mem_AnonPages, storm ? 800000 : 200000);
	sample_set(&s, M_mem_Cached, storm ? 60000 : 200000);
	sample_set(&s, M_mem_SReclaimable, 10000);
	sample_set(&s, M_mem_Buffers, 5000);
	sample_set(&s, M_mem_SwapTotal, 524288);
	sample_set(&s, M_mem_SwapFree, storm ? 524288 - (uint64_t)(t - 30) * 8192 : 524288);
	sample_set(&s, M_vm_pswpin, pages / 4);
	sample_set(&s, M_vm_pswpout, pages);
	sample_set(&s, M_vm_pgsteal_kswapd, pages);
	sample_set(&s, M_vm_pgsteal_direct, pages / 2);
	sample_set(&s, M_vm_pgsteal_anon, pages);
	sample_set(&s, M_vm_pgsteal_file, pages * 3 / 4);
	sample_set(&s, M_vm_pgscan_kswapd, pages * 2);
	sample_set(&s, M_vm_pgscan_direct, pages);
	sample_set(&s, M_vm_pgscan_anon, pages * 2);
	sample_set(&s, M_vm_pgscan_file, pages * 3 / 2);
	sample_set(&s, M_vm_allocstall, pages / 50);
	sample_set(&s, M_vm_pgmajfault, pages / 4);
	sample_set(&s, M_vm_pgfault, (uint64_t)t * 1000 + pages);
	sample_set(&s, M_vm_workingset_refault_anon, pages / 5);
	sample_set(&s, M_vm_workingset_refault_file, pages / 9);
	sample_set(&s, M_psi_memory_some, pages * 15);
	sample_set(&s, M_psi_memory_full, pages * 8);
	add_reclaim(&s, t);
	sample_set(&s, M_procs_r, storm ? 5 : 1);
	sample_set(&s, M_procs_b, storm ? 3 : 0);
	sample_set(&s, M_cpu_total, (uint64_t)t * 200);
	sample_set(&s, M_stat_user, (uint64_t)t * 20);
	sample_set(&s, M_stat_nice, 0);
	sample_set(&s, M_stat_system, (uint64_t)t * 10 + pages / 20);
	sample_set(&s, M_stat_irq, 0);
	sample_set(&s, M_stat_softirq, 0);
	sample_set(&s, M_stat_idle, (uint64_t)t * 150 - pages / 20);
	sample_set(&s, M_stat_iowait, (uint64_t)t * 20);
	sample_set(&s, M_stat_steal, 0);
	add_playback(t);
	add_feel(t);
	if (t == 41 || t == 42)
		return;		/* not taken: the next one says so */
	s.missed = t == 43 ? 2 : 0;
	session_add_slow(&session, &s);
	session_add(&session, &s);
}

static void add_task(struct reclaim_report *r, struct reclaim_task task)
{
	r->task[r->ntasks++] = task;
}

/* The report of the same storm. */
static void make_report(struct reclaim_report *r)
{
	struct reclaim_figures *all = &r->figures[RECLAIM_ALL];

	r->start_ns = S;
	r->t_ns = 80 * S;
	for (int b = 3; b < 25; b++)
		all->latency[b] = b < 12 ? 1u << b : 4096u >> (b - 11);
	for (int b = 0; b < RECLAIM_BUCKETS; b++)
		all->calls += all->latency[b];
	all->tasks_max = 56;
	all->tasks_max_ns = 60 * S;
	all->longest_ns = 10800 * S / 1000;
	all->longest_tid = 4242;
	strcpy(all->longest_command, "cc1plus");
	r->figures[RECLAIM_DIRECT] = *all;
	r->figures[RECLAIM_DIRECT].calls -= 1200;
	r->figures[RECLAIM_MEMCG].calls = 1200;
	r->figures[RECLAIM_MEMCG].longest_ns = 700 * S / 1000;
	r->throttled[THROTTLE_WRITEBACK] = 480;
	r->throttled[THROTTLE_ISOLATED] = 120;
	r->throttled[THROTTLE_NOPROGRESS] = 200;
	add_task(r, (struct reclaim_task){ 4242, 4242, "cc1plus", 812, 16 * S, 10800 * S / 1000,
					   30 * S, 69 * S, false });
	add_task(r, (struct reclaim_task){ 4250, 4250, "a program with a long name", 90000, 9 * S,
					   123456789, S / 2, 80 * S, true });
	add_task(r, (struct reclaim_task){ 4299, 0, "", 3, 40000, 20000, 0, 50 * S, false });
	for (int i = 0; i < 20; i++)
		add_task(r, (struct reclaim_task){ 5000 + i, 5000 + i, "ld", 1, 20000 - i, 20000 - i,
						   40 * S, 41 * S, false });
}

static void make_session(enum why why)
{
	setenv("TZ", "UTC", 1);
	tzset();
	session_init(&session, "");
	strcpy(session.machine.host, "host");
	strcpy(session.machine.release, "6.1.0");
	session.machine.cpus = 2;
	session.memlock.locked = true;
	session.machine.env = (struct derive_env){ .page_size = 4096, .clock_ticks = 100,
						   .long_bits = 64 };
	session.playback.on = session.feel.on = true;
	reclaim_why = why;
	if (why == WHY_OK)
		make_report(&session.reclaim);
	for (int t = 1; t <= 80; t++)
		add_second(t);
	session_mark(&session, 35 * S, "page-cluster 2");
	session_mark(&session, 62 * S, "page-cluster 3");
	memset(&ui, 0, sizeof(ui));
	ui.session = &session;
	view_init(&ui.view, &session, GLYPHS_BRAILLE);
	ui.view.now_ns = 80 * S + 2000000;
}

static int setup(void **state)
{
	(void)state;
	make_session(WHY_OK);
	return 0;
}

/* The same without the tracepoints. */
static int setup_denied(void **state)
{
	(void)state;
	make_session(WHY_DENIED);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	session_done(&session);
	return 0;
}

static char text[1 << 20];

static void picture(int cols, int rows)
{
	struct canvas canvas;
	FILE *f = fmemopen(text, sizeof(text), "w");

	canvas_init(&canvas, cols, rows);
	ui.cols = cols;
	ui.rows = rows;
	page_draw(&ui.view, &canvas);
	assert_int_equal(output_text(&canvas, ui.view.glyphs == GLYPHS_ASCII, f), 0);
	fclose(f);
	canvas_done(&canvas);
}

static void keys(const char *names)
{
	char name[16];
	int n;

	while (sscanf(names, "%15s%n", name, &n) == 1) {
		command_key(&ui, key_parse(name));
		names += n;
	}
}

/* Compares the picture with its golden file, or writes that. */
static void golden(const char *name)
{
	char path[4200];
	static char want[1 << 20];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s", tap_data("screens/"));
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "%s.txt", name);
	if (getenv("VMTOP_UPDATE")) {
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(text, f);
		fclose(f);
		return;
	}
	f = fopen(path, "r");
	assert_non_null(f);
	n = fread(want, 1, sizeof(want) - 1, f);
	fclose(f);
	want[n] = '\0';
	assert_string_equal(text, want);
}

static void the_whole_overview_stands_on_80x24(void **state)
{
	static const char *const names[] = { " swap ", " memory ", " reclaim tasks ", " stalls ",
					     " playback ", " cpu ", " workload " };

	(void)state;
	picture(80, 24);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_non_null(strstr(text, names[i]));
	golden("overview-80x24");
}

static void every_page_and_glyph_set_has_its_picture(void **state)
{
	static const char *const glyphs[] = {
		[GLYPHS_BRAILLE] = "braille", [GLYPHS_BLOCK] = "block",
		[GLYPHS_HALF] = "half", [GLYPHS_ASCII] = "ascii",
	};
	char name[64];

	(void)state;
	for (size_t g = 0; g < sizeof(glyphs) / sizeof(*glyphs); g++)
		for (size_t i = 0; i < page_count(); i++) {
			ui.view.glyphs = (enum glyphs)g;
			ui.view.page = (int)i;
			picture(120, 36);
			snprintf(name, sizeof(name), "page%d-120x36-%s", page_get((int)i)->number,
				 glyphs[g]);
			golden(name);
		}
}

static void the_same_view_gives_the_same_picture(void **state)
{
	char *first;

	(void)state;
	picture(100, 30);
	first = strdup(text);
	picture(33, 7);
	picture(200, 60);
	picture(100, 30);
	assert_string_equal(text, first);
	free(first);
}

static void a_small_screen_sheds_panels_and_says_so(void **state)
{
	(void)state;
	picture(40, 10);
	golden("overview-40x10");
	assert_non_null(strstr(text, "more panels: tab"));
	assert_non_null(strstr(text, " swap "));
	keys("Tab Tab Tab Tab Tab");
	picture(40, 10);
	assert_non_null(strstr(text, " cpu "));
}

static void below_40x10_it_says_what_it_needs(void **state)
{
	(void)state;
	picture(39, 10);
	assert_non_null(strstr(text, "vmtop needs 40x10, this is 39x10"));
	picture(1, 1);
	picture(400, 120);
	assert_non_null(strstr(text, " workload "));
}

static void the_frozen_cursor_reads_every_title_at_one_moment(void **state)
{
	(void)state;
	keys("space");
	ui.view.cursor_ns = 60 * S + 2000000;
	picture(120, 36);
	golden("frozen-120x36");
	assert_non_null(strstr(text, "FROZEN at 01:47:40, 20.0s ago"));
	assert_non_null(strstr(text, "out 3.5M/s"));	/* 900 pages a second */
}

static void a_missing_number_stands_with_its_reason(void **state)
{
	(void)state;
	keys("2");
	picture(120, 40);
	assert_non_null(strstr(text, "n/a: no /proc/pressure/io: boot with psi=1"));
	assert_non_null(strstr(text, "no zram device is set up"));
}

static void most_and_longest_are_of_the_session(void **state)
{
	(void)state;
	picture(120, 36);
	assert_non_null(strstr(text, " reclaim tasks now 1 most 56 longest 10.8s "));
	assert_null(strstr(text, " lost "));
	session.reclaim.lost = 12;
	picture(120, 36);
	assert_non_null(strstr(text, " longest 10.8s lost 12 "));
	keys("space");
	ui.view.cursor_ns = 60 * S;
	picture(120, 36);
	assert_non_null(strstr(text, " reclaim tasks now 9 most 56 longest 10.8s "));
}

static void lanes_are_shed_from_the_end_where_rows_are_few(void **state)
{
	(void)state;
	picture(80, 32);
	assert_non_null(strstr(text, "kswapd┤"));
	assert_non_null(strstr(text, "  call┤"));
	picture(80, 24);	/* three rows inside */
	assert_null(strstr(text, "kswapd┤"));
	assert_non_null(strstr(text, "  call┤"));
	assert_non_null(strstr(text, " tasks┤"));
}

static void the_reclaimers_scroll_and_mark_who_is_inside(void **state)
{
	(void)state;
	picture(200, 60);
	keys("3");
	picture(200, 60);
	assert_non_null(strstr(text, "│> a program with a long name "));
	assert_non_null(strstr(text, "│  cc1plus "));
	assert_non_null(strstr(text, "│  ? "));
	keys("Tab Tab Enter");
	ui.view.scroll = 3;
	picture(80, 24);
	assert_null(strstr(text, "cc1plus"));
	assert_non_null(strstr(text, "5000"));
	golden("reclaimers-80x24");
	session.reclaim.ntasks = 0;	/* as when all was lost: the head alone */
	picture(80, 24);
	assert_non_null(strstr(text, "  command "));
	assert_null(strstr(text, "5000"));
}

static void the_reclaim_page_has_its_picture_small_and_large(void **state)
{
	(void)state;
	keys("3");
	picture(80, 24);
	golden("reclaim-80x24");
	picture(200, 60);
	golden("reclaim-200x60");
}

static void before_the_first_call_it_says_what_it_listens_to(void **state)
{
	(void)state;
	memset(&session.reclaim, 0, sizeof(session.reclaim));
	session.reclaim.start_ns = S;
	session.reclaim.t_ns = 80 * S;
	keys("3");
	picture(160, 60);
	assert_non_null(strstr(text, "no reclaim yet: listens for direct, memory-cgroup and node"));
	assert_non_null(strstr(text, " most 0 "));
	session.reclaim.t_ns = 0;
	picture(160, 60);
	assert_non_null(strstr(text, "n/a: the first interval is under way"));
	assert_null(strstr(text, " most "));
}

static void without_tracepoints_signs_stand_under_their_own_names(void **state)
{
	(void)state;
	picture(120, 36);
	golden("denied-overview-120x36");
	assert_non_null(strstr(text, " signs of reclaim tasks seen "));
	assert_non_null(strstr(text, "reclaim tasks not permitted: /sys/kernel/tracing may not"));
	assert_null(strstr(text, " most "));
	picture(80, 24);
	golden("denied-overview-80x24");
	keys("3");
	picture(120, 36);
	golden("denied-reclaim-120x36");
}

static void without_a_cgroup_its_panel_says_how_to_get_one(void **state)
{
	(void)state;
	keys("6");
	picture(120, 36);
	assert_non_null(strstr(text, "no memory cgroup of the workload's"));
}

static void what_a_running_workload_used_is_not_known_before_a_look(void **state)
{
	(void)state;
	session.load.state = WORKLOAD_RUNNING;
	session.live.usage.start_ns = 76 * S;
	keys("6");
	picture(160, 50);
	assert_non_null(strstr(text, "user                   n/a "));
	assert_non_null(strstr(text, "minor faults           n/a "));
	assert_non_null(strstr(text, "processes              n/a "));
	session.tasks.t_ns = 80 * S;
	session.live.usage.user_us = 1500000;
	session.live.usage.system_us = 500000;
	session.live.usage.minor_faults = 77;
	session.live.usage.max_rss_kib = 2048;
	session.live.usage.processes = 5;
	session.live.running = 3;
	session.live.known = true;
	picture(160, 50);
	assert_non_null(strstr(text, "user                   1.50 s "));
	assert_non_null(strstr(text, "system                 0.50 s "));
	assert_non_null(strstr(text, "cpu                    50% "));
	assert_non_null(strstr(text, "minor faults           77 "));
	assert_non_null(strstr(text, "largest resident set   2M "));
	assert_non_null(strstr(text, "processes              3 running, 5 ended "));
}

static void help_lists_the_commands_from_the_table(void **state)
{
	(void)state;
	keys("?");
	picture(120, 36);
	golden("help-120x36");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		assert_non_null(strstr(text, command_info((enum command_id)i)->help));
	picture(80, 24);
	assert_non_null(strstr(text, "q ^C"));
}

static void text_from_outside_reaches_no_terminal_raw(void **state)
{
	(void)state;
	command_run(&ui, "mark \x1b]0;evil\x07\x1b[2J", text, sizeof(text));
	session.load.state = WORKLOAD_ENDED;
	keys("7");
	picture(120, 30);
	assert_null(strchr(text, 0x1b));
	assert_null(strchr(text, 0x07));
}

static void a_machine_that_gives_no_sample_shows_since_when(void **state)
{
	(void)state;
	ui.view.now_ns = 95 * S;
	picture(120, 30);
	assert_non_null(strstr(text, "no sample for 15.0s"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
#define TEST_DENIED(f) cmocka_unit_test_setup_teardown(f, setup_denied, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_whole_overview_stands_on_80x24),
		TEST(every_page_and_glyph_set_has_its_picture),
		TEST(the_same_view_gives_the_same_picture),
		TEST(a_small_screen_sheds_panels_and_says_so),
		TEST(below_40x10_it_says_what_it_needs),
		TEST(the_frozen_cursor_reads_every_title_at_one_moment),
		TEST(a_missing_number_stands_with_its_reason),
		TEST(most_and_longest_are_of_the_session),
		TEST(lanes_are_shed_from_the_end_where_rows_are_few),
		TEST(the_reclaimers_scroll_and_mark_who_is_inside),
		TEST(the_reclaim_page_has_its_picture_small_and_large),
		TEST(before_the_first_call_it_says_what_it_listens_to),
		TEST_DENIED(without_tracepoints_signs_stand_under_their_own_names),
		TEST(without_a_cgroup_its_panel_says_how_to_get_one),
		TEST(what_a_running_workload_used_is_not_known_before_a_look),
		TEST(help_lists_the_commands_from_the_table),
		TEST(text_from_outside_reaches_no_terminal_raw),
		TEST(a_machine_that_gives_no_sample_shows_since_when),
	};

	return TAP_RUN(tests, NULL, NULL);
}
