/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a workload writes to its terminal. */
#include "tests/tap.h"

#include <signal.h>
#include <string.h>

#include "src/procstat.h"
#include "src/workload.h"
#include "tests/subject.h"

/* ---- Output ---- */

static void all_output_is_there_when_the_end_is_told(void **state)
{
	struct workload_status st;

	(void)state;
	for (int i = 0; i < 20; i++) {
		START("seq", "3000");
		st = subject_wait_end();
		assert_int_equal(st.output_lines, 3000);
		assert_int_equal(workload_output(subject, 0, subject_output, 1), 1);
		assert_string_equal(subject_output[0], "3000");
		subject_teardown(NULL);
	}
}

static void all_output_is_there_while_others_keep_the_terminal(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		SHELL("sleep 100 & seq 3000");
		assert_int_equal(subject_wait_end().output_lines, 3000);
		workload_output(subject, 0, subject_output, 1);
		assert_string_equal(subject_output[0], "3000");
		subject_teardown(NULL);
	}
}

static bool has_late_line(const struct workload_status *st)
{
	return st->output_lines == 2;
}

static void what_is_left_in_the_background_goes_on_writing(void **state)
{
	(void)state;
	SHELL("(sleep 0.2; echo late) & echo early");
	assert_int_equal(subject_wait_end().output_lines, 1);
	subject_wait_until(has_late_line);
	subject_read_output();
	assert_string_equal(subject_output[0], "early");
	assert_string_equal(subject_output[1], "late");
}

static bool has_dropped(const struct workload_status *st)
{
	return st->output_dropped > 0;
}

static void a_flood_neither_hides_the_end_nor_runs_without_bound(void **state)
{
	struct workload_status st;
	int64_t start_ms = subject_now_ms(), killed_ms;

	(void)state;
	START("yes");
	subject_wait_until(has_dropped);
	while (subject_now_ms() < start_ms + 300)
		subject_nap();
	killed_ms = subject_now_ms();
	workload_signal(subject, SIGKILL);
	st = subject_wait_end();
	assert_int_equal(st.signal, SIGKILL);
	assert_true(subject_now_ms() - killed_ms < 5000);
	/* "y\r\n": 25 MiB/s are 26 KiB a millisecond. */
	assert_true(st.output_lines * 3 <=
		    (uint64_t)(subject_now_ms() - start_ms) * 26 * 1024 + 1024 * 1024);
	assert_true(st.output_lines - st.output_dropped <= 4000 + 1);	/* and one not ended */
}

static void the_end_is_told_while_a_child_floods(void **state)
{
	struct workload_status st;
	int64_t start_ms = subject_now_ms();

	(void)state;
	SHELL("yes & sleep 0.1; exit 3");
	st = subject_wait_end();
	assert_int_equal(st.exit_status, 3);
	assert_true(subject_now_ms() - start_ms < 10000);
}

static void much_output_is_never_a_wait_without_end(void **state)
{
	struct workload_status st;

	(void)state;
	START(subject_self, "output", "8000000");
	st = subject_wait_end();
	assert_int_equal(st.exit_status, 0);
	assert_int_equal(st.output_lines, 8000000 / 64);
}

/* Nobody has the terminal open: reading it fails at once, and must not be done without pause. */
static void a_command_that_closes_its_terminal_runs_on(void **state)
{
	(void)state;
	SHELL("exec <&- >&- 2>&-; sleep 0.3; exit 4");
	assert_int_equal(subject_wait_end().exit_status, 4);
}

static int run(void)
{
	const struct CMUnitTest tests[] = {
		SUBJECT_TEST(all_output_is_there_when_the_end_is_told),
		SUBJECT_TEST(all_output_is_there_while_others_keep_the_terminal),
		SUBJECT_TEST(what_is_left_in_the_background_goes_on_writing),
		SUBJECT_TEST(a_flood_neither_hides_the_end_nor_runs_without_bound),
		SUBJECT_TEST(the_end_is_told_while_a_child_floods),
		SUBJECT_TEST(much_output_is_never_a_wait_without_end),
		SUBJECT_TEST(a_command_that_closes_its_terminal_runs_on),
	};

	return TAP_RUN(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
	return subject_main(argc, argv, run);
}
