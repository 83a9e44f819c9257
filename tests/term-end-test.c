/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How ui/term.c leaves a terminal, and what it does with one that does not read. */
#include "tests/tap.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "tests/term-drive.h"
#include "tests/vt.h"

/* ---- How it ends ---- */

static void end_by(const char *term, const char *key, int expected)
{
	struct vt *vt = drive_start_page(&(struct vt_options){ .term = term });
	int status;

	assert_int_equal(vt_termios(vt).c_lflag & (ICANON | ECHO), 0);
	assert_int_equal(vt_cursor_visible(vt), strcmp(term, "vt100") == 0);
	vt_press(vt, key);
	status = vt_exit_status(vt, DRIVE_SOON);
#ifdef __SANITIZE_ADDRESS__
	if (expected == 128 + SIGSEGV)	/* its report, after the terminal was put back */
		expected = 1;
#endif
	assert_int_equal(status, expected);
	vt_assert_put_back(vt);
	assert_false(vt_was_sent(vt, "\033]104"));	/* the palette is the user's */
	vt_stop(vt);
}

static void the_terminal_is_put_back(void **state)
{
	/* With an alternate screen, which saves the cursor; without; without a hidden cursor. */
	static const char *const terms[] = { "xterm-256color", "linux", "vt100" };
	static const struct {
		const char *key;
		int status;
	} ends[] = {
		{ "q", 0 }, { "e", 3 }, { "k", 4 }, { "x", 128 + SIGSEGV }, { "a", 128 + SIGABRT },
		{ "o", 128 + SIGSEGV }, { "^C", 0 }, { "^\\", 128 + SIGQUIT },
	};

	(void)state;
	for (size_t t = 0; t < sizeof(terms) / sizeof(terms[0]); t++)
		for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
			end_by(terms[t], ends[i].key, ends[i].status);
}

static void without_an_alternate_screen_the_shell_goes_on_in_a_clean_last_row(void **state)
{
	struct vt *vt = drive_start_shell("\"$0\" --drive draw; echo prompt",
		&(struct vt_options){ .term = "vt100", .cols = 40, .rows = 8 });

	(void)state;
	vt_resize(vt, 50, 12);
	vt_expect(vt, "size 50x12", DRIVE_SOON);
	vt_press(vt, "q");
	assert_int_equal(vt_exit_status(vt, DRIVE_SOON), 0);
	assert_string_equal(vt_row(vt, 10), "prompt");
	assert_string_equal(vt_row(vt, 11), "");
	assert_true(vt_find(vt, "count 0", NULL, NULL));
	vt_stop(vt);
}

static void dumb_and_unknown_terminals_are_refused_with_words(void **state)
{
	static const struct {
		const char *term, *words;
	} refused[] = {
		{ "dumb", "refused: terminal type dumb cannot place text" },
		{ "no-such-terminal", "refused: terminal type no-such-terminal is unknown" },
		{ "", "refused: TERM is not set" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		/* newterm() loses some memory when it fails. */
		static const char *const leaky[] = { "ASAN_OPTIONS=detect_leaks=0", NULL };
		const struct vt_options options = { .term = refused[i].term, .environment = leaky };
		struct vt *vt = drive_start("draw", &options);
		int x, y;

		assert_int_equal(vt_exit_status(vt, DRIVE_SOON), 2);
		assert_true(vt_find(vt, refused[i].words, &x, &y));
		assert_int_equal(x + y, 0);
		assert_int_equal(vt_bytes(vt), strlen(vt_row(vt, 0)) + strlen(vt_row(vt, 1)) + 2);
		vt_assert_put_back(vt);
		vt_stop(vt);
	}
}

/* ---- Stopping and going on ---- */

static void control_z_gives_the_shell_its_terminal_and_fg_takes_it_back(void **state)
{
	static const char script[] = "\"$0\" --drive draw; echo stopped; read x; fg; echo ended $?";
	struct vt *vt = drive_start_shell(script, &(struct vt_options){ 0 });

	(void)state;
	drive_press(vt, "c", "count 1");
	vt_press(vt, "^Z");
	vt_expect(vt, "stopped", DRIVE_SOON);
	vt_assert_put_back(vt);
	vt_resize(vt, 70, 20);
	vt_mark(vt);
	vt_send(vt, "\r");
	vt_expect(vt, "size 70x20", DRIVE_SOON);
	assert_true(vt_on_alternate_screen(vt));
	assert_false(vt_cursor_visible(vt));
	assert_true(vt_keypad_mode(vt));
	assert_int_equal(vt_termios(vt).c_lflag & (ICANON | ECHO), 0);
	assert_int_equal(vt_clears(vt), 1);
	drive_press(vt, "c", "count 2");
	vt_press(vt, "q");
	vt_expect(vt, "ended 0", DRIVE_SOON);
	vt_assert_put_back(vt);
	assert_false(vt_was_sent(vt, "\033]104"));
	vt_stop(vt);
}

static bool is_stopped(struct vt *vt, void *arg)
{
	char path[40], line[200] = "";
	FILE *f;

	(void)arg;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)vt_pid(vt));
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	fclose(f);
	return strstr(line, ") T ") != NULL;
}

static void after_a_stop_from_outside_it_repaints(void **state)
{
	struct vt *vt = drive_start_page(&(struct vt_options){ 0 });

	(void)state;
	kill(vt_pid(vt), SIGSTOP);
	assert_true(vt_wait(vt, is_stopped, NULL, DRIVE_SOON));
	vt_mark(vt);
	kill(vt_pid(vt), SIGCONT);
	vt_expect(vt, "count 0", DRIVE_SOON);
	drive_press(vt, "c", "count 1");
	assert_int_equal(vt_clears(vt), 1);
	drive_quit(vt);
}

static void control_z_without_a_shell_to_come_back_to_only_repaints(void **state)
{
	struct vt *vt = drive_start_page(&(struct vt_options){ 0 });

	(void)state;
	vt_press(vt, "^Z");
	drive_press(vt, "c", "count 1");
	assert_true(vt_on_alternate_screen(vt));
	drive_quit(vt);
}

/* ---- A terminal that does not read ---- */

static bool has_flooded(struct vt *vt, void *arg)
{
	char path[200];

	(void)arg;
	snprintf(path, sizeof(path), "%s/flooded", vt_home(vt));
	return access(path, F_OK) == 0;
}

static struct vt *start_flooded(const char *key)
{
	struct vt *vt = drive_start_page(&(struct vt_options){ .cols = 200, .rows = 50 });

	vt_pause(vt);
	vt_press(vt, key);
	if (!vt_wait(vt, has_flooded, NULL, DRIVE_SOON)) {
		vt_dump(vt, stdout);
		fail_msg("it waits for a terminal that does not read");
	}
	return vt;
}

static void a_terminal_that_does_not_read_holds_up_nothing(void **state)
{
	struct vt *vt = start_flooded("f");

	(void)state;
	vt_resume(vt);
	vt_expect(vt, "end ", DRIVE_SOON);	/* drawn as soon as the terminal reads again */
	drive_press(vt, "i", "refused some longest short");
	assert_string_equal(vt_row(vt, 1), DRIVE_TEXT);
	assert_int_equal(vt_cell(vt, 199, 49).ch, 'Z');
	assert_string_equal(vt_row(vt, 30), "");
	drive_quit(vt);
}

/* The rest of one frame by itself, and the frames that were refused after it. */
static void what_waited_comes_when_the_terminal_reads_again(void **state)
{
	static const char *const keys[] = { "g", "f" }, *const last[] = { "end 2.", "end 120." };
	static const unsigned int frames[] = { 2, 120 };
	struct canvas c;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct vt *vt = start_flooded(keys[i]);

		vt_resume(vt);
		vt_expect(vt, last[i], DRIVE_SOON);
		canvas_init(&c, 200, 50);
		drive_frame(&c, frames[i]);
		drive_assert_shows(vt, &c, true, "xterm-256color");
		canvas_done(&c);
		drive_quit(vt);
	}
}

static void it_can_be_ended_while_the_terminal_does_not_read(void **state)
{
	struct vt *vt = start_flooded("b");

	(void)state;
	kill(vt_pid(vt), SIGTERM);
	assert_int_equal(vt_exit_status(vt, DRIVE_SOON), 0);
	vt_resume(vt);
	vt_read(vt, 5000, 100);
	vt_assert_put_back(vt);
	vt_stop(vt);
}

static void control_s_stops_the_picture_but_not_the_program(void **state)
{
	struct vt *vt = drive_start_page(&(struct vt_options){ 0 });

	(void)state;
	vt_press(vt, "^S");
	vt_press(vt, "f");
	assert_true(vt_wait(vt, has_flooded, NULL, DRIVE_SOON));
	vt_press(vt, "^Q");
	drive_press(vt, "i", "refused some");
	vt_press(vt, "^S");
	kill(vt_pid(vt), SIGTERM);
	assert_int_equal(vt_exit_status(vt, DRIVE_SOON), 0);
	vt_assert_put_back(vt);
	vt_stop(vt);
}

#define SETPRIV "setpriv --reuid=65534 --regid=65534 --clear-groups"

static bool has_setpriv(void)
{
	return geteuid() == 0 && system(SETPRIV " true 2>/dev/null") == 0;
}

/* As after su: the terminal is another's, and with setsid not even the controlling one. */
static void a_terminal_of_another_user_is_not_waited_for_either(void **state)
{
	static const char *const scripts[] = {
		"chmod 777 $HOME; exec " SETPRIV " \"$0\" --drive draw",
		"chmod 777 $HOME; exec setsid -w " SETPRIV " \"$0\" --drive draw",
	};

	(void)state;
	for (size_t i = 0; i < 2 && has_setpriv(); i++) {
		struct vt *vt = drive_start_shell(scripts[i],
			&(struct vt_options){ .cols = 200, .rows = 50 });

		vt_pause(vt);
		vt_press(vt, "f");
		assert_true(vt_wait(vt, has_flooded, NULL, DRIVE_SOON));
		vt_resume(vt);
		vt_expect(vt, "end 120.", DRIVE_SOON);
		vt_press(vt, "q");
		assert_int_equal(vt_exit_status(vt, DRIVE_SOON), 0);
		vt_assert_put_back(vt);
		vt_stop(vt);
	}
}

static void keys_come_from_the_terminal_when_stdin_is_a_file(void **state)
{
	struct vt *vt = drive_start_shell("\"$0\" --drive draw </dev/null",
		&(struct vt_options){ 0 });

	(void)state;
	drive_press(vt, "c", "count 1");
	drive_quit(vt);
}

static void the_shells_own_descriptor_stays_blocking(void **state)
{
	static const char script[] = "\"$0\" --drive draw; echo; grep flags: /proc/self/fdinfo/1";
	struct vt *vt = drive_start_shell(script, &(struct vt_options){ 0 });
	unsigned int flags = O_NONBLOCK;
	int y;

	(void)state;
	vt_press(vt, "x");	/* not even after a crash */
	vt_expect(vt, "flags:", DRIVE_SOON);
	assert_true(vt_find(vt, "flags:", NULL, &y));
	assert_int_equal(sscanf(vt_row(vt, y), "flags: %o", &flags), 1);
	assert_int_equal(flags & O_NONBLOCK, 0);
	vt_stop(vt);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_teardown(name, vt_stop_all)
		TEST(the_terminal_is_put_back),
		TEST(without_an_alternate_screen_the_shell_goes_on_in_a_clean_last_row),
		TEST(dumb_and_unknown_terminals_are_refused_with_words),
		TEST(control_z_gives_the_shell_its_terminal_and_fg_takes_it_back),
		TEST(after_a_stop_from_outside_it_repaints),
		TEST(control_z_without_a_shell_to_come_back_to_only_repaints),
		TEST(a_terminal_that_does_not_read_holds_up_nothing),
		TEST(what_waited_comes_when_the_terminal_reads_again),
		TEST(it_can_be_ended_while_the_terminal_does_not_read),
		TEST(control_s_stops_the_picture_but_not_the_program),
		TEST(a_terminal_of_another_user_is_not_waited_for_either),
		TEST(keys_come_from_the_terminal_when_stdin_is_a_file),
		TEST(the_shells_own_descriptor_stays_blocking),
#undef TEST
	};

	if (argc == 3 && strcmp(argv[1], DRIVE_OPTION) == 0)
		return drive(argv[2]);
	return TAP_RUN(tests, NULL, NULL);
}
