/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole program in a real terminal, over a captured kernel or this machine's own. */
#include "tests/tap.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/vt.h"

enum { DEADLINE = 10000 };

static char tree[4096];

static struct vt *start(const struct vt_options *options, const char *const *args)
{
	const char *argv[16] = { getenv("VMTOP") ? getenv("VMTOP") : "./vmtop" };

	for (size_t i = 0; args[i]; i++)
		argv[i + 1] = args[i];
	return vt_start(options, argv);
}

#define ARGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static struct vt *start_tree(int cols, int rows)
{
	struct vt *vt = start(&(struct vt_options){ .cols = cols, .rows = rows },
			      ARGS("--root", tree));

	vt_expect(vt, "? help", DEADLINE);	/* the last line that is drawn */
	return vt;
}

static void quit(struct vt *vt, int status)
{
	vt_press(vt, "q");
	assert_int_equal(vt_exit_status(vt, DEADLINE), status);
	vt_stop(vt);
}

static void the_overview_stands_on_every_size(void **state)
{
	static const int sizes[][2] = { { 40, 10 }, { 80, 24 }, { 120, 36 }, { 200, 60 }, { 400, 120 } };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct vt *vt = start_tree(sizes[i][0], sizes[i][1]);

		assert_non_null(strstr(vt_row(vt, 0), "vmtop"));
		assert_non_null(strstr(vt_row(vt, sizes[i][1] - 1), "help"));
		quit(vt, 0);
	}
}

static void the_terminal_is_left_as_it_was(void **state)
{
	struct vt *vt = start_tree(80, 24);
	struct termios line;

	(void)state;
	assert_true(vt_on_alternate_screen(vt));
	assert_false(vt_cursor_visible(vt));
	vt_press(vt, "q");
	assert_int_equal(vt_exit_status(vt, DEADLINE), 0);
	line = vt_termios(vt);
	assert_true(line.c_lflag & ECHO);
	assert_true(line.c_lflag & ICANON);
	assert_false(vt_on_alternate_screen(vt));
	assert_true(vt_cursor_visible(vt));
	assert_false(vt_keypad_mode(vt));
	vt_stop(vt);
}

static void a_resize_at_any_moment_is_followed(void **state)
{
	struct vt *vt = start_tree(120, 36);

	(void)state;
	for (int i = 0; i < 6; i++) {
		vt_resize(vt, 60 + i * 30, 14 + i * 5);
		vt_read(vt, 40, 10);
	}
	vt_resize(vt, 80, 24);
	vt_expect(vt, " workload ", DEADLINE);
	vt_press(vt, "?");
	vt_expect(vt, "keys and commands", DEADLINE);
	vt_resize(vt, 30, 8);
	vt_expect(vt, "vmtop needs 40x10", DEADLINE);
	vt_resize(vt, 80, 24);
	vt_expect(vt, "keys and commands", DEADLINE);
	vt_press(vt, "Esc");
	vt_expect_gone(vt, "keys and commands", DEADLINE);
	quit(vt, 0);
}

static void keys_reach_their_commands(void **state)
{
	struct vt *vt = start_tree(100, 30);

	(void)state;
	vt_press(vt, "F1");
	vt_expect(vt, "keys and commands", DEADLINE);
	vt_press(vt, "?");
	vt_expect_gone(vt, "keys and commands", DEADLINE);
	vt_press(vt, "2");
	vt_expect(vt, "2 swap and memory", DEADLINE);
	vt_press(vt, "4");
	vt_expect(vt, "4 playback", DEADLINE);
	vt_press(vt, "L");
	vt_expect(vt, "no playback probe to tell", DEADLINE);
	vt_press(vt, "5");
	vt_expect(vt, "no page 5", DEADLINE);
	vt_press(vt, "1");
	vt_expect(vt, "1 overview", DEADLINE);
	vt_press(vt, "space");
	vt_expect(vt, "FROZEN", DEADLINE);
	vt_press(vt, "space");
	vt_expect_gone(vt, "FROZEN", DEADLINE);
	vt_press(vt, "Z");
	vt_expect(vt, "showing 2m", DEADLINE);
	vt_press(vt, "m");
	vt_expect(vt, "mark:", DEADLINE);
	vt_send(vt, "swap now");
	vt_press(vt, "Enter");
	vt_expect(vt, "mark 1: swap now", DEADLINE);
	vt_press(vt, "<");
	vt_expect(vt, "sampling every 500ms", DEADLINE);
	quit(vt, 0);
}

static void without_utf_8_every_byte_is_ascii(void **state)
{
	struct vt *vt = start(&(struct vt_options){ .cols = 80, .rows = 24, .lang = "C" },
			      ARGS("--root", tree));

	(void)state;
	vt_expect(vt, " workload ", DEADLINE);
	for (int y = 0; y < 24; y++)
		for (const char *p = vt_row(vt, y); *p; p++)
			assert_true((unsigned char)*p < 0x80);
	quit(vt, 0);
}

/* Looks whether any cell has a colour. */
static bool coloured(struct vt *vt)
{
	for (int y = 0; y < vt_rows(vt); y++)
		for (int x = 0; x < vt_cols(vt); x++) {
			struct vt_cell cell = vt_cell(vt, x, y);

			if (cell.fg.kind != VT_DEFAULT || cell.bg.kind != VT_DEFAULT)
				return true;
		}
	return false;
}

static void colours_follow_the_terminal_and_no_color(void **state)
{
	static const char *const no_color[] = { "NO_COLOR=1", NULL };
	static const char *const terms[] = { "xterm-256color", "tmux-256color", "screen", "linux",
					     "vt100" };

	(void)state;
	for (size_t i = 0; i < sizeof(terms) / sizeof(*terms); i++) {
		struct vt *vt = start(&(struct vt_options){ .term = terms[i] },
				      ARGS("--root", tree));

		vt_expect(vt, " workload ", DEADLINE);
		assert_int_equal(coloured(vt), strcmp(terms[i], "vt100") != 0);
		quit(vt, 0);
	}
	for (int i = 0; i < 1; i++) {
		struct vt *vt = start(&(struct vt_options){ .environment = no_color },
				      ARGS("--root", tree));

		vt_expect(vt, " workload ", DEADLINE);
		assert_false(coloured(vt));
		quit(vt, 0);
	}
}

static void a_terminal_that_cannot_is_refused_in_one_line(void **state)
{
	struct vt *vt = start(&(struct vt_options){ .term = "dumb" }, ARGS("--root", tree));

	(void)state;
	assert_int_equal(vt_exit_status(vt, DEADLINE), 1);
	assert_true(vt_find(vt, "TERM", NULL, NULL));
	vt_stop(vt);
}

static void the_workload_shows_how_it_ended_and_its_status_passes_through(void **state)
{
	struct vt *vt = start(&(struct vt_options){ .cols = 100, .rows = 30 },
			      ARGS("--", "sh", "-c", "echo out; printf '\\033[31mred\\033[0m\\n'; exit $((3 + 4))"));

	(void)state;
	vt_expect(vt, "exit 7", DEADLINE);	/* which its command line does not say */
	vt_expect(vt, "out", DEADLINE);
	vt_expect(vt, "red", DEADLINE);
	vt_press(vt, "q");
	assert_int_equal(vt_exit_status(vt, DEADLINE), 7);
	assert_true(vt_find(vt, "Elapsed (wall clock) time", NULL, NULL));
	vt_stop(vt);
}

static void a_running_workload_ends_with_vmtop(void **state)
{
	char path[4200], line[64] = "";
	struct timespec pause = { .tv_nsec = 10000000 };
	struct vt *vt;
	FILE *f = NULL;
	int pid;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/vmtop-screen-test-%d", (int)getpid());
	vt = start(&(struct vt_options){ 0 },
		   ARGS("--", "sh", "-c", "echo $$ > \"$0\"; sleep 1000 & sleep 1000", path));
	for (int i = 0; i < 1000 && !*line; i++) {
		f = fopen(path, "r");
		if (f) {
			if (!fgets(line, sizeof(line), f))
				*line = '\0';
			fclose(f);
		}
		vt_read(vt, 10, 10);
	}
	unlink(path);
	pid = atoi(line);
	assert_true(pid > 1);
	assert_int_equal(kill(pid, 0), 0);
	kill(vt_pid(vt), SIGTERM);
	assert_int_equal(vt_exit_status(vt, DEADLINE), 128 + SIGTERM);
	for (int i = 0; i < 500 && kill(-pid, 0) == 0; i++)
		nanosleep(&pause, NULL);
	assert_int_not_equal(kill(-pid, 0), 0);
	vt_stop(vt);
}

static void an_unchanged_screen_sends_little_and_never_clears(void **state)
{
	struct vt *vt = start_tree(120, 36);
	size_t bytes;

	(void)state;
	vt_read(vt, 2500, 2500);
	vt_mark(vt);
	vt_read(vt, 3000, 3000);
	bytes = vt_bytes(vt);
	assert_true(bytes > 0);
	assert_true(bytes < 3 * 12000);
	assert_int_equal(vt_clears(vt), 0);
	quit(vt, 0);
}

static void suspend_gives_the_terminal_back_and_fg_takes_it_again(void **state)
{
	static const char script[] = "\"$0\" --root \"$1\"; echo stopped; read x; fg; echo ended $?";
	const char *vmtop = getenv("VMTOP") ? getenv("VMTOP") : "./vmtop";
	struct vt *vt = vt_start(&(struct vt_options){ 0 },
				 (const char *const[]){ "sh", "-m", "-c", script, vmtop, tree, NULL });

	(void)state;
	vt_expect(vt, " workload ", DEADLINE);
	vt_press(vt, "^Z");
	vt_expect(vt, "stopped", DEADLINE);
	assert_false(vt_on_alternate_screen(vt));
	assert_true(vt_termios(vt).c_lflag & ECHO);
	vt_resize(vt, 100, 30);
	vt_send(vt, "\r");
	vt_expect(vt, " workload ", DEADLINE);
	assert_true(vt_on_alternate_screen(vt));
	vt_expect(vt, "? help", DEADLINE);	/* the key line comes last */
	assert_non_null(strstr(vt_row(vt, 29), "help"));
	vt_press(vt, "q");
	vt_expect(vt, "ended 0", DEADLINE);
	vt_stop(vt);
}

static void a_terminal_that_does_not_drink_costs_no_sample(void **state)
{
	struct vt *vt = start(&(struct vt_options){ .cols = 200, .rows = 60 },
			      ARGS("-i", "0.05"));

	(void)state;
	vt_expect(vt, " swap ", DEADLINE);
	vt_pause(vt);
	for (int i = 0; i < 60; i++) {
		vt_press(vt, i % 2 ? "2" : "1");	/* whole new pages: far more than a pty takes */
		usleep(50000);
	}
	vt_resume(vt);
	vt_press(vt, "1");
	vt_expect(vt, "1 overview", DEADLINE);
	assert_false(vt_find(vt, "missed", NULL, NULL));
	quit(vt, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_overview_stands_on_every_size),
		cmocka_unit_test(the_terminal_is_left_as_it_was),
		cmocka_unit_test(a_resize_at_any_moment_is_followed),
		cmocka_unit_test(keys_reach_their_commands),
		cmocka_unit_test(without_utf_8_every_byte_is_ascii),
		cmocka_unit_test(colours_follow_the_terminal_and_no_color),
		cmocka_unit_test(a_terminal_that_cannot_is_refused_in_one_line),
		cmocka_unit_test(the_workload_shows_how_it_ended_and_its_status_passes_through),
		cmocka_unit_test(a_running_workload_ends_with_vmtop),
		cmocka_unit_test(an_unchanged_screen_sends_little_and_never_clears),
		cmocka_unit_test(suspend_gives_the_terminal_back_and_fg_takes_it_again),
		cmocka_unit_test(a_terminal_that_does_not_drink_costs_no_sample),
	};

	snprintf(tree, sizeof(tree), "%s", tap_data("roots/6.1"));
	return TAP_RUN(tests, NULL, vt_stop_all);
}
