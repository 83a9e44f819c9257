/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tap.h"

#include <errno.h>
#include <string.h>

#include "ui/command.h"
#include "ui/key.h"
#include "ui/page.h"

#define S 1000000000LL

static struct session session;
static struct ui ui;
static char err[200];

static void add_sample(int second)
{
	struct sample s = { .interval_ns = S, .seq = (uint64_t)second };

	s.mono_ns = s.due_ns = s.boot_ns = second * S;
	s.real_ns = s.mono_ns;
	for (size_t i = 0; i < SOURCE_COUNT; i++)
		s.source_ns[i] = s.mono_ns;
	sample_set(&s, M_mem_MemFree, (uint64_t)second);
	session_add(&session, &s);
}

static int setup(void **state)
{
	(void)state;
	session_init(&session, "");
	memset(&ui, 0, sizeof(ui));
	ui.session = &session;
	ui.cols = 80;
	ui.rows = 24;
	view_init(&ui.view, &session, GLYPHS_BRAILLE);
	theme_builtin(&ui.theme);
	for (int i = 1; i <= 300; i++)
		add_sample(i);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	session_done(&session);
	return 0;
}

static int run(const char *line)
{
	return command_run(&ui, line, err, sizeof(err));
}

static void type(const char *text)
{
	for (; *text; text++)
		command_key(&ui, (unsigned char)*text);
}

static void every_command_is_found_and_every_key_has_a_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		const struct command_info *info = command_info((enum command_id)i);
		const char *p = info->keys;

		assert_true(*info->help);
		while (*p) {
			size_t len = strcspn(p, " ");
			const char *is = len > 1 ? memchr(p + 1, '=', len - 1) : NULL;
			char name[16];

			snprintf(name, sizeof(name), "%.*s", (int)(is ? (size_t)(is - p) : len), p);
			assert_int_not_equal(key_parse(name), KEYCODE_NONE);
			p += len + strspn(p + len, " ");
		}
	}
}

static void no_key_is_bound_twice(void **state)
{
	char seen[128][16];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		const char *p = command_info((enum command_id)i)->keys;

		while (*p) {
			size_t len = strcspn(p, " ");
			const char *is = len > 1 ? memchr(p + 1, '=', len - 1) : NULL;

			snprintf(seen[n], sizeof(seen[n]), "%.*s", (int)(is ? (size_t)(is - p) : len), p);
			for (size_t k = 0; k < n; k++)
				assert_string_not_equal(seen[k], seen[n]);
			n++;
			p += len + strspn(p + len, " ");
		}
	}
}

static void h_is_left_and_not_help(void **state)
{
	(void)state;
	command_key(&ui, 'h');
	assert_false(ui.view.help);
	assert_true(ui.view.frozen);
	assert_true(ui.view.cursor_ns < 300 * S);
	command_key(&ui, '?');
	assert_true(ui.view.help);
	command_key(&ui, KEYCODE_ESC);
	assert_false(ui.view.help);
	assert_true(ui.view.frozen);
	command_key(&ui, KEYCODE_ESC);
	assert_false(ui.view.frozen);
}

static void freezing_keeps_the_picture_while_samples_come(void **state)
{
	double value;
	enum why why;

	(void)state;
	command_key(&ui, ' ');
	add_sample(301);
	add_sample(302);
	assert_int_equal(view_end_ns(&ui.view), 300 * S);
	assert_true(view_value(&ui.view, M_mem_MemFree, &value, &why));
	assert_float_equal(value, 300, 0);
	assert_int_equal(session.samples, 302);
	command_key(&ui, ' ');
	assert_int_equal(view_end_ns(&ui.view), 302 * S);
	assert_true(view_value(&ui.view, M_mem_MemFree, &value, &why));
	assert_float_equal(value, 302, 0);
}

static void the_cursor_reads_another_moment_and_stays_in_what_is_known(void **state)
{
	double value;
	enum why why;

	(void)state;
	assert_int_equal(run("cursor first"), 0);
	assert_int_equal(ui.view.cursor_ns, history_first_ns(session.history));
	assert_int_equal(run("cursor -50"), 0);
	assert_int_equal(ui.view.cursor_ns, history_first_ns(session.history));
	assert_int_equal(run("cursor last"), 0);
	assert_int_equal(run("cursor 100"), 0);
	assert_int_equal(ui.view.cursor_ns, 300 * S);
	assert_int_equal(run("zoom 60"), 0);
	ui.view.cursor_ns = 250 * S;
	assert_true(view_value(&ui.view, M_mem_MemFree, &value, &why));
	assert_float_equal(value, 250, 0);
	assert_int_equal(run("cursor sideways"), -EINVAL);
}

static void the_cursor_takes_the_picture_along(void **state)
{
	(void)state;
	assert_int_equal(run("freeze on"), 0);
	assert_int_equal(run("cursor first"), 0);
	assert_true(ui.view.cursor_ns >= ui.view.end_ns - ui.view.window_ns);
	assert_true(view_cell(&ui.view, 30, ui.view.cursor_ns) >= 0);
	assert_int_equal(run("cursor last"), 0);
	assert_true(view_cell(&ui.view, 30, ui.view.cursor_ns) >= 0);
}

static void zoom_steps_and_bounds(void **state)
{
	(void)state;
	assert_int_equal(ui.view.window_ns, 60 * S);
	command_key(&ui, 'z');
	assert_int_equal(ui.view.window_ns, 30 * S);
	command_key(&ui, 'Z');
	command_key(&ui, 'Z');
	assert_int_equal(ui.view.window_ns, 120 * S);
	for (int i = 0; i < 30; i++)
		command_key(&ui, 'Z');
	assert_int_equal(ui.view.window_ns, 604800 * S);
	for (int i = 0; i < 30; i++)
		command_key(&ui, 'z');
	assert_int_equal(ui.view.window_ns, 5 * S);
	assert_int_equal(run("zoom 0"), -EINVAL);
	assert_int_equal(run("zoom 45"), 0);
	assert_int_equal(ui.view.window_ns, 45 * S);
}

static void a_mark_is_asked_for_its_text(void **state)
{
	const struct event *e;

	(void)state;
	command_key(&ui, 'm');
	assert_true(ui.view.prompting);
	type("quit q");
	command_key(&ui, KEYCODE_BACKSPACE);
	command_key(&ui, KEYCODE_ENTER);
	assert_false(ui.view.prompting);
	assert_false(ui.quit);
	assert_int_equal(session.events.count, 1);
	e = events_get(&session.events, 0);
	assert_string_equal(e->text, "quit");
	assert_int_equal(e->number, 1);
	command_key(&ui, 'm');
	type("nothing");
	command_key(&ui, KEYCODE_ESC);
	assert_int_equal(session.events.count, 1);
}

static void a_mark_stands_where_it_was_asked_for_and_needs_no_text(void **state)
{
	(void)state;
	command_key(&ui, 'm');
	add_sample(301);
	add_sample(302);
	type("late");
	command_key(&ui, KEYCODE_ENTER);
	assert_int_equal(events_get(&session.events, 0)->t_ns, 300 * S);
	command_key(&ui, 'm');
	command_key(&ui, KEYCODE_ENTER);
	assert_int_equal(session.events.count, 2);
	assert_int_equal(events_get(&session.events, 1)->t_ns, 302 * S);
	assert_int_equal(run("mark"), 0);
	assert_int_equal(session.events.count, 3);
	assert_false(ui.view.prompting);
}

static void q_closes_the_help_before_it_quits(void **state)
{
	(void)state;
	type("?q");
	assert_false(ui.view.help);
	assert_false(ui.quit);
	type("q");
	assert_true(ui.quit);
}

static void intervals_step_and_are_bounded(void **state)
{
	(void)state;
	command_key(&ui, '<');
	assert_int_equal(ui.interval_request_ns, 500000000);
	command_key(&ui, '>');
	assert_int_equal(ui.interval_request_ns, 2 * S);
	assert_int_equal(run("interval 0.02"), 0);
	assert_int_equal(ui.interval_request_ns, 20000000);
	assert_int_equal(run("interval 0.01"), -EINVAL);
	assert_non_null(strstr(err, "0.02"));
	command_key(&ui, 'i');
	type("0.25");
	command_key(&ui, KEYCODE_ENTER);
	assert_int_equal(ui.interval_request_ns, 250000000);
}

static void pages_that_are_not_there_are_named(void **state)
{
	(void)state;
	command_key(&ui, '3');
	assert_int_equal(page_get(ui.view.page)->number, 3);
	assert_int_equal(run("page 9"), -EINVAL);
	assert_non_null(strstr(err, "1 overview"));
	assert_int_equal(page_get(ui.view.page)->number, 3);
	assert_int_equal(run("page x"), -EINVAL);
}

static void the_focus_goes_round_and_can_be_maximised(void **state)
{
	int n = (int)page_get(0)->npanels;

	(void)state;
	for (int i = 0; i < n; i++)
		command_key(&ui, KEYCODE_TAB);
	assert_int_equal(ui.view.focus, 0);
	command_key(&ui, KEYCODE_BACKTAB);
	assert_int_equal(ui.view.focus, n - 1);
	command_key(&ui, KEYCODE_ENTER);
	assert_true(ui.view.maximised);
	command_key(&ui, '2');
	assert_false(ui.view.maximised);
	assert_int_equal(ui.view.focus, 0);
	assert_int_equal(run("panel 99"), -EINVAL);
	assert_int_equal(run("maximise perhaps"), -EINVAL);
}

static void up_shows_what_was_before(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		session_mark(&session, 0, "mark");
	type("7");
	command_key(&ui, KEYCODE_TAB);	/* events, the newest first */
	command_key(&ui, KEYCODE_DOWN);
	assert_int_equal(ui.view.scroll, 1);
	command_key(&ui, KEYCODE_PGDN);
	assert_int_equal(ui.view.scroll, 4);
	command_key(&ui, KEYCODE_PGUP);
	assert_int_equal(ui.view.scroll, 0);
	type("6");			/* output, the newest last */
	session.load.state = WORKLOAD_RUNNING;
	session.load.output_lines = 30;
	session.load.output_dropped = 20;
	command_key(&ui, KEYCODE_UP);
	assert_int_equal(ui.view.scroll, 1);
	command_key(&ui, KEYCODE_PGUP);
	assert_int_equal(ui.view.scroll, 9);
	command_key(&ui, KEYCODE_DOWN);
	assert_int_equal(ui.view.scroll, 8);
	type("1");
	command_key(&ui, KEYCODE_DOWN);	/* a chart */
	assert_int_equal(ui.view.scroll, 0);
}

static void an_unknown_command_says_so_and_changes_nothing(void **state)
{
	struct view before = ui.view;

	(void)state;
	assert_int_equal(run("frobnicate now"), -EINVAL);
	assert_non_null(strstr(err, "frobnicate"));
	assert_memory_equal(&before, &ui.view, sizeof(before));
	assert_int_equal(run(""), -EINVAL);
	assert_int_equal(run("wait forever"), -EINVAL);
	assert_int_equal(run("wait samples 0"), -EINVAL);
}

static void the_prompt_runs_any_command_and_cannot_overflow(void **state)
{
	(void)state;
	command_key(&ui, ':');
	for (int i = 0; i < 1000; i++)
		command_key(&ui, 'x');
	command_key(&ui, KEYCODE_ENTER);
	assert_int_equal(ui.view.message_role, ROLE_WARN);
	type(":page 7");
	command_key(&ui, KEYCODE_ENTER);
	assert_int_equal(page_get(ui.view.page)->number, 7);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_command_is_found_and_every_key_has_a_name),
		TEST(no_key_is_bound_twice),
		TEST(h_is_left_and_not_help),
		TEST(freezing_keeps_the_picture_while_samples_come),
		TEST(the_cursor_reads_another_moment_and_stays_in_what_is_known),
		TEST(the_cursor_takes_the_picture_along),
		TEST(zoom_steps_and_bounds),
		TEST(a_mark_is_asked_for_its_text),
		TEST(a_mark_stands_where_it_was_asked_for_and_needs_no_text),
		TEST(q_closes_the_help_before_it_quits),
		TEST(intervals_step_and_are_bounded),
		TEST(pages_that_are_not_there_are_named),
		TEST(the_focus_goes_round_and_can_be_maximised),
		TEST(up_shows_what_was_before),
		TEST(an_unknown_command_says_so_and_changes_nothing),
		TEST(the_prompt_runs_any_command_and_cannot_overflow),
	};

	return TAP_RUN(tests, NULL, NULL);
}
