/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals to a workload, and its end with nothing left. */
#include "tests/tap.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/procstat.h"
#include "src/workload.h"
#include "tests/subject.h"

/* ---- Signals and the end ---- */

static void a_signal_reaches_the_whole_group(void **state)
{
	int pids[SUBJECT_PIDS];
	char command[4 * SUBJECT_PATH];

	(void)state;
	snprintf(command, sizeof(command), "a=%s; $a stay & $a stay & $a stay", subject_self);
	SHELL(command);
	subject_wait_lines(3);
	assert_int_equal(subject_read_pids(pids), 3);
	workload_signal(subject, SIGTERM);
	assert_int_equal(subject_wait_end().signal, SIGTERM);
	subject_wait_gone(pids, 3);
}

static void a_signal_reaches_the_group_after_its_leader_has_gone(void **state)
{
	int pids[SUBJECT_PIDS];
	char command[4 * SUBJECT_PATH];

	(void)state;
	snprintf(command, sizeof(command), "%s stay & exit 0", subject_self);
	SHELL(command);
	subject_wait_lines(1);
	subject_wait_end();
	assert_int_equal(subject_read_pids(pids), 1);
	assert_true(subject_lives(pids[0]));
	workload_signal(subject, SIGTERM);
	subject_wait_gone(pids, 1);
}

static void nothing_is_left_running(void **state)
{
	int pids[SUBJECT_PIDS];

	(void)state;
	START(subject_self, "clan", "stay");
	subject_wait_lines(5);
	assert_int_equal(subject_read_pids(pids), 5);
	for (int i = 0; i < 5; i++)
		assert_true(subject_lives(pids[i]));
	workload_end(subject, 100);
	for (int i = 0; i < 5; i++)
		assert_false(subject_lives(pids[i]));
	assert_int_equal(subject_status().signal, SIGTERM);
	assert_int_equal(subject_status().usage.processes, 6);
	assert_int_equal(subject_children(), 0);
}

static void nothing_is_left_running_of_a_command_that_has_ended(void **state)
{
	int pids[SUBJECT_PIDS];

	(void)state;
	START(subject_self, "clan", "leave");
	subject_wait_lines(5);
	assert_int_equal(subject_wait_end().exit_status, 0);
	assert_int_equal(subject_read_pids(pids), 5);
	workload_end(subject, 100);
	for (int i = 0; i < 5; i++)
		assert_false(subject_lives(pids[i]));
	assert_int_equal(subject_status().exit_status, 0);
	assert_int_equal(subject_children(), 0);
}

/* Those that obey TERM get the time to; nobody waits for longer than that takes. */
static void an_obedient_command_ends_before_the_grace_does(void **state)
{
	int64_t start_ms = subject_now_ms();

	(void)state;
	SHELL("trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.02; done");
	subject_wait_lines(1);
	workload_end(subject, 60000);
	assert_true(subject_now_ms() - start_ms < 20000);
	assert_int_equal(subject_status().exit_status, 5);
	workload_output(subject, 0, subject_output, 1);
	assert_string_equal(subject_output[0], "bye");
}

static void a_fork_bomb_ends(void **state)
{
	(void)state;
	START(subject_self, "bomb");
	subject_wait_lines(1);
	workload_end(subject, 50);
	assert_int_equal(subject_status().signal, SIGKILL);
	assert_true(subject_status().usage.processes >= 150);
	assert_int_equal(subject_children(), 0);
}

static void ending_twice_and_late_is_harmless(void **state)
{
	(void)state;
	START("true");
	subject_wait_end();
	workload_end(subject, 1000);
	workload_end(subject, 1000);
	workload_signal(subject, SIGTERM);
	workload_resize(subject, 10, 10);
	assert_int_equal(subject_status().exit_status, 0);
}

/* Other children of this process are nobody's but their maker's. */
static void other_children_are_left_to_their_maker(void **state)
{
	int wait_status, pid = fork();

	(void)state;
	if (pid == 0)
		_exit(42);
	START("true");
	subject_wait_end();
	workload_end(subject, 0);
	assert_int_equal(waitpid(pid, &wait_status, 0), pid);
	assert_int_equal(WEXITSTATUS(wait_status), 42);
	assert_int_equal(subject_status().usage.processes, 1);
}

/* kill -9 of what started it, as it happens to vmtop. */
static void a_workload_does_not_outlive_its_killed_maker(void **state)
{
	int out[2], pids[SUBJECT_PIDS], wait_status;
	size_t n = 0;
	char line[256] = "";
	pid_t pid;
	FILE *f;

	(void)state;
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		execl(subject_self, subject_self, "parent", "clan", "stay", (char *)NULL);
		_exit(1);
	}
	close(out[1]);
	f = fdopen(out[0], "r");
	while (fgets(line, sizeof(line), f) && strcmp(line, "end\n") != 0)
		n += sscanf(line, "pid %d", &pids[n]) == 1;
	kill(pid, SIGKILL);
	fclose(f);
	assert_int_equal(waitpid(pid, &wait_status, 0), pid);
	assert_int_equal(n, 5);
	subject_wait_gone(pids, n);
}

static int run(void)
{
	const struct CMUnitTest tests[] = {
		SUBJECT_TEST(a_signal_reaches_the_whole_group),
		SUBJECT_TEST(a_signal_reaches_the_group_after_its_leader_has_gone),
		SUBJECT_TEST(nothing_is_left_running),
		SUBJECT_TEST(nothing_is_left_running_of_a_command_that_has_ended),
		SUBJECT_TEST(an_obedient_command_ends_before_the_grace_does),
		SUBJECT_TEST(a_fork_bomb_ends),
		SUBJECT_TEST(ending_twice_and_late_is_harmless),
		SUBJECT_TEST(other_children_are_left_to_their_maker),
		SUBJECT_TEST(a_workload_does_not_outlive_its_killed_maker),
	};

	return TAP_RUN(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
	return subject_main(argc, argv, run);
}
