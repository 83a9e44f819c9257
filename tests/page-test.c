/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole pages as text, from a made-up session: the same view gives the same picture. Golden files
 * are in tests/data/screens; after a wanted change write them anew with VMTOP_UPDATE=1, and look at
 * them.
 */
#include "tests/tap.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "ui/command.h"
#include "ui/key.h"
#include "ui/output.h"
#include "ui/page.h"

#define S 1000000000LL

static struct session session;
static struct ui ui;

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
	if (t == 41 || t == 42)
		return;		/* not taken: the next one says so */
	s.missed = t == 43 ? 2 : 0;
	session_add_slow(&session, &s);
	session_add(&session, &s);
}

static int setup(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	session_init(&session, "");
	strcpy(session.machine.host, "host");
	strcpy(session.machine.release, "6.1.0");
	session.machine.cpus = 2;
	session.memlock.locked = true;
	session.machine.env = (struct derive_env){ .page_size = 4096, .clock_ticks = 100,
						   .long_bits = 64 };
	for (int t = 1; t <= 80; t++)
		add_second(t);
	session_mark(&session, 35 * S, "page-cluster 2");
	session_mark(&session, 62 * S, "page-cluster 3");
	memset(&ui, 0, sizeof(ui));
	ui.session = &session;
	view_init(&ui.view, &session, GLYPHS_BRAILLE);
	ui.view.now_ns = 80 * S + 2000000;
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
	static const char *const names[] = { " swap ", " memory ", " reclaim ", " stalls ", " cpu ",
					     " workload " };

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
	keys("Tab Tab Tab Tab");
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
	keys("3");
	picture(120, 40);
	assert_non_null(strstr(text, "n/a: no /proc/pressure/io: boot with psi=1"));
	keys("2");
	picture(120, 40);
	assert_non_null(strstr(text, "no zram device is set up"));
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
		TEST(without_a_cgroup_its_panel_says_how_to_get_one),
		TEST(what_a_running_workload_used_is_not_known_before_a_look),
		TEST(help_lists_the_commands_from_the_table),
		TEST(text_from_outside_reaches_no_terminal_raw),
		TEST(a_machine_that_gives_no_sample_shows_since_when),
	};

	return TAP_RUN(tests, NULL, NULL);
}
