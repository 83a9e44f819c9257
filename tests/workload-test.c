/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a workload is started, what it is given, how its end is told. */
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/procstat.h"
#include "src/workload.h"
#include "tests/subject.h"

/* ---- How it ends ---- */

static void exit_status_passes(void **state)
{
	struct workload_status st;
	char text[128];

	(void)state;
	SHELL("exit 7");
	st = subject_wait_end();
	assert_int_equal(st.exit_status, 7);
	assert_int_equal(st.signal, 0);
	assert_false(st.oom);
	assert_string_equal(st.command, "/bin/sh -c exit 7");
	assert_string_equal(workload_end_text(&st, text, sizeof(text)), "exit 7");
}

static void a_signal_becomes_128_and_its_number(void **state)
{
	struct workload_status st;
	char text[128];

	(void)state;
	SHELL("kill -TERM $$");
	st = subject_wait_end();
	assert_int_equal(st.signal, SIGTERM);
	assert_int_equal(st.exit_status, 128 + SIGTERM);
	assert_string_equal(workload_end_text(&st, text, sizeof(text)),
			    "killed by signal 15 (Terminated)");
}

static void killed_by_hand_is_not_killed_by_the_oom_killer(void **state)
{
	struct workload_status st;
	char text[128];

	(void)state;
	SHELL("kill -KILL $$");
	st = subject_wait_end();
	assert_int_equal(st.exit_status, 137);
	assert_false(st.oom);
	assert_string_equal(workload_end_text(&st, text, sizeof(text)),
			    "killed by signal 9 (Killed)");
}

static void a_command_not_found_ends_with_127(void **state)
{
	struct workload_status st;
	char text[128];

	(void)state;
	START("/no-such-directory/command");
	st = subject_wait_end();
	assert_int_equal(st.exit_status, 127);
	assert_int_equal(st.exec_error, ENOENT);
	assert_string_equal(workload_end_text(&st, text, sizeof(text)),
			    "exit 127, cannot be executed: No such file or directory");
}

/* Ended before the first report of it is read. */
static void the_quickest_end_is_told(void **state)
{
	struct workload_status st;

	(void)state;
	for (int i = 0; i < 100; i++) {
		START("/no-such-directory/command");
		st = subject_wait_end();
		assert_false(st.lost);
		assert_int_equal(st.exit_status, 127);
		subject_teardown(NULL);
	}
}

static void a_command_that_is_no_program_ends_with_126(void **state)
{
	struct workload_status st;

	(void)state;
	START("/etc/passwd");
	st = subject_wait_end();
	assert_int_equal(st.exit_status, 126);
	assert_int_equal(st.exec_error, EACCES);
	subject_teardown(NULL);
	START("/");
	st = subject_wait_end();
	assert_int_equal(st.exit_status, 126);
}

static void its_own_126_is_no_failure_to_execute(void **state)
{
	struct workload_status st;

	(void)state;
	SHELL("exit 126");
	st = subject_wait_end();
	assert_int_equal(st.exit_status, 126);
	assert_int_equal(st.exec_error, 0);
}

static void a_killed_supervisor_is_said_and_its_workload_ends(void **state)
{
	struct workload_status st;
	struct procstat of_command;
	int pids[SUBJECT_PIDS];
	char text[128];

	(void)state;
	START(subject_self, "stay");
	subject_wait_lines(1);
	assert_int_equal(subject_read_pids(pids), 1);
	assert_int_equal(procstat_read(pids[0], &of_command), 0);
	kill(of_command.ppid, SIGKILL);
	st = subject_wait_end();
	assert_true(st.lost);
	assert_int_equal(st.exit_status, 137);
	subject_wait_gone(pids, 1);
	assert_string_equal(workload_end_text(&st, text, sizeof(text)),
			    "unknown: its supervisor was killed");
}

/* ---- What it is given ---- */

static void its_terminal_has_the_size_given_and_later_sizes(void **state)
{
	(void)state;
	START(subject_self, "size");
	subject_wait_lines(1);
	assert_string_equal(subject_output[0], "30 100");
	workload_resize(subject, 55, 44);
	subject_wait_lines(2);
	assert_string_equal(subject_output[1], "44 55");
}

static void it_has_a_dumb_terminal_in_a_session_of_its_own(void **state)
{
	int pid, pgrp, session, foreground;

	(void)state;
	SHELL("test -t 0 && test -t 1 && test -t 2 && echo $TERM; "
				    "cut -d' ' -f1,5,6,8 /proc/$$/stat; : </dev/tty && echo tty");
	subject_wait_end();
	assert_int_equal(subject_read_output(), 3);
	assert_string_equal(subject_output[0], "dumb");
	assert_int_equal(sscanf(subject_output[1], "%d %d %d %d", &pid, &pgrp, &session,
				&foreground), 4);
	assert_int_equal(pid, subject_status().pid);
	assert_int_equal(pgrp, pid);
	assert_int_equal(foreground, pid);
	assert_int_not_equal(session, getsid(0));
	assert_string_equal(subject_output[2], "tty");
}

static void nothing_of_its_makers_state_reaches_it(void **state)
{
	int fd = dup2(STDERR_FILENO, 77);
	sigset_t set, before;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &before);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	START("grep", "-E", "^Sig(Blk|Ign)",
	      "/proc/self/status");
	assert_int_equal(subject_wait_end().exit_status, 0);
	assert_int_equal(subject_read_output(), 2);
	assert_string_equal(subject_output[0], "SigBlk: 0000000000000000");
	assert_string_equal(subject_output[1], "SigIgn: 0000000000000000");
	subject_teardown(NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	START(subject_self, "open-files");
	subject_wait_end();
	close(fd);
	assert_int_equal(subject_read_output(), 3);
	assert_string_equal(subject_output[2], "open 2");
}

static char path_dir[32];

static int path_setup(void **state)
{
	(void)state;
	strcpy(path_dir, "/tmp/vmtop-path-XXXXXX");
	return !mkdtemp(path_dir);
}

static int path_teardown(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", path_dir);
	return system(command) | subject_teardown(state);
}

static void put_script(const char *name)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", path_dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("echo found\n", f);	/* without #!: a shell runs it, as with any execvp */
	fclose(f);
	assert_int_equal(chmod(path, 0755), 0);
}

static void the_extra_path_is_searched_last(void **state)
{
	const struct workload_config config = { .path_extra = path_dir };

	(void)state;
	put_script("vmtop-test-command");
	put_script("true");
	subject_start((const char *const[]){ "vmtop-test-command", NULL }, config);
	subject_wait_end();
	assert_int_equal(subject_read_output(), 1);
	assert_string_equal(subject_output[0], "found");
	subject_teardown(NULL);
	subject_start((const char *const[]){ "true", NULL }, config);
	subject_wait_end();
	assert_int_equal(subject_read_output(), 0);
}

/* ---- Words ---- */

static const char *summary(const struct workload_status *st, int64_t reclaim_ns, const char *why)
{
	static char text[2048];
	int fds[2];
	ssize_t n;

	assert_int_equal(pipe(fds), 0);
	workload_print_summary(st, reclaim_ns, why, fds[1]);
	n = read(fds[0], text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	close(fds[0]);
	close(fds[1]);
	return text;
}

static const struct workload_status example = {
	.state = WORKLOAD_ENDED, .command = "mtest01 -p80 -w",
	.usage = {
		.start_ns = 1000000000, .end_ns = 33650000000, .user_us = 2089000,
		.system_us = 3013000, .major_faults = 106, .minor_faults = 301158,
		.max_rss_kib = 480512,
	},
};

static void the_summary_is_what_time_prints_and_the_reclaim_threads(void **state)
{
	(void)state;
	assert_string_equal(summary(&example, 1500000000, NULL),
			    "Command being timed:                mtest01 -p80 -w\n"
			    "User time (seconds):                2.089\n"
			    "System time (seconds):              3.013\n"
			    "Elapsed (wall clock) time:          32.650\n"
			    "Percent of CPU this job got:        15%\n"
			    "Major (requiring I/O) page faults:  106\n"
			    "Minor (reclaiming a frame) faults:  301158\n"
			    "Maximum resident set size (kbytes): 480512\n"
			    "Reclaim threads' CPU time (seconds): 1.500\n"
			    "Exit status:                        0\n");
}

static void the_summary_says_what_is_not_known_and_why(void **state)
{
	struct workload_status st = example;

	(void)state;
	st.usage.end_ns = st.usage.start_ns;
	st.signal = SIGKILL;
	st.exit_status = 137;
	st.oom = true;
	assert_non_null(strstr(summary(&st, -1, "no kswapd here"),
			       "Reclaim threads' CPU time (seconds): n/a (no kswapd here)\n"
			       "Exit status:                        "
			       "137 (killed by signal 9 (Killed) by the OOM killer)\n"));
	assert_non_null(strstr(summary(&st, -1, NULL), "this job got:        ?%\n"));
}

static void the_end_in_words(void **state)
{
	struct workload_status st = { .state = WORKLOAD_NONE };
	char text[128];

	(void)state;
	assert_string_equal(workload_end_text(&st, text, sizeof(text)), "not started");
	st.state = WORKLOAD_RUNNING;
	assert_string_equal(workload_end_text(&st, text, sizeof(text)), "running");
	st = (struct workload_status){ .state = WORKLOAD_ENDED, .exit_status = 137, .oom = true };
	assert_string_equal(workload_end_text(&st, text, sizeof(text)),
			    "exit 137, the OOM killer struck");
	st = (struct workload_status){ .state = WORKLOAD_ENDED, .exit_status = 139,
				       .signal = SIGSEGV, .core = true };
	assert_string_equal(workload_end_text(&st, text, sizeof(text)),
			    "killed by signal 11 (Segmentation fault), core dumped");
}

static int run(void)
{
	const struct CMUnitTest tests[] = {
		SUBJECT_TEST(exit_status_passes),
		SUBJECT_TEST(a_signal_becomes_128_and_its_number),
		SUBJECT_TEST(killed_by_hand_is_not_killed_by_the_oom_killer),
		SUBJECT_TEST(a_command_not_found_ends_with_127),
		SUBJECT_TEST(the_quickest_end_is_told),
		SUBJECT_TEST(a_command_that_is_no_program_ends_with_126),
		SUBJECT_TEST(its_own_126_is_no_failure_to_execute),
		SUBJECT_TEST(a_killed_supervisor_is_said_and_its_workload_ends),
		SUBJECT_TEST(its_terminal_has_the_size_given_and_later_sizes),
		SUBJECT_TEST(it_has_a_dumb_terminal_in_a_session_of_its_own),
		SUBJECT_TEST(nothing_of_its_makers_state_reaches_it),
		cmocka_unit_test_setup_teardown(the_extra_path_is_searched_last, path_setup,
						path_teardown),
		SUBJECT_TEST(the_summary_is_what_time_prints_and_the_reclaim_threads),
		SUBJECT_TEST(the_summary_says_what_is_not_known_and_why),
		SUBJECT_TEST(the_end_in_words),
	};

	return TAP_RUN(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
	return subject_main(argc, argv, run);
}
