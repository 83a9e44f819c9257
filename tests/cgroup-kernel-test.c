/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory cgroups of the running kernel, with workloads in them. Needs root and a memory controller.
 */
#include "tests/tap.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/cgroup.h"
#include "src/procstat.h"
#include "src/workload.h"
#include "tests/subject.h"

enum { MIB = 1 << 20, LIMIT = 24 * MIB };

static struct cgroup *cg;
static char dir[512];

static void group_write(const char *file, const char *text)
{
	char path[600];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* With hardly any room in swap, so that what does not fit must die. */
static int setup(void **state)
{
	char err[200] = "", limit[32];

	(void)state;
	cg = cgroup_new("", LIMIT, err, sizeof(err));
	assert_string_equal(err, "");
	snprintf(dir, sizeof(dir), "%s", cgroup_path(cg));
	snprintf(limit, sizeof(limit), "%d", LIMIT + MIB);
	group_write("memory.memsw.limit_in_bytes", limit);
	group_write("memory.swap.max", "0");
	return 0;
}

static int teardown(void **state)
{
	subject_teardown(state);
	if (cg)
		cgroup_remove(cg);
	cg = NULL;
	return 0;
}

static bool group_exists(void)
{
	return access(dir, F_OK) == 0;
}

#define START_IN(...) \
	subject_start((const char *const[]){ __VA_ARGS__, NULL }, \
		      (struct workload_config){ .cgroup = cg })

static void a_workload_is_in_its_group(void **state)
{
	struct workload_status st;

	(void)state;
	START_IN("cat", "/proc/self/cgroup");
	st = subject_wait_end();
	assert_int_equal(st.exit_status, 0);
	assert_string_equal(st.cgroup, dir);
	assert_int_equal(st.memory_limit, LIMIT);
	for (size_t i = 0, n = subject_read_output(); i < n; i++)
		if (strstr(subject_output[i], strrchr(dir, '/')))
			return;
	fail();
}

static void a_hog_beyond_the_limit_is_killed_and_it_is_said_by_whom(void **state)
{
	struct workload_status st;
	struct cgroup_stat stat;
	char text[128];

	(void)state;
	START_IN(subject_self, "hog", "64");
	st = subject_wait_end();
	assert_int_equal(st.signal, SIGKILL);
	assert_int_equal(st.exit_status, 137);
	assert_true(st.oom);
	assert_string_equal(workload_end_text(&st, text, sizeof(text)),
			    "killed by signal 9 (Killed) by the OOM killer");
	cgroup_read(cg, &stat);
	assert_true(stat.have_usage && stat.have_oom && stat.have_failcnt);
	assert_int_equal(stat.oom_kills, 1);
	assert_true(stat.failcnt > 0);
	if (stat.have_max)
		assert_in_range(stat.max_usage, LIMIT / 2, LIMIT);
}

static void a_hog_within_the_limit_lives(void **state)
{
	struct workload_status st;

	(void)state;
	START_IN(subject_self, "hog", "8");
	st = subject_wait_end();
	assert_int_equal(st.exit_status, 0);
	assert_false(st.oom);
}

static bool has_oom(const struct workload_status *st)
{
	return st->oom;
}

static void a_child_killed_for_memory_is_said_while_the_command_lives(void **state)
{
	struct workload_status st;
	char script[SUBJECT_PATH + 64], text[128];

	(void)state;
	snprintf(script, sizeof(script), "%s hog 64; read x; exit 0", subject_self);
	START_IN("sh", "-c", script);
	st = subject_wait_until(has_oom);
	assert_int_equal(st.state, WORKLOAD_RUNNING);
	workload_end(subject, 1000);
	st = subject_status();
	assert_string_equal(workload_end_text(&st, text, sizeof(text)),
			    "killed by signal 15 (Terminated), the OOM killer struck");
}

/* The count is the group's own: who is killed by hand was not killed for memory. */
static void killed_by_hand_in_a_group_is_not_killed_for_memory(void **state)
{
	struct workload_status st;

	(void)state;
	START_IN("sh", "-c", "kill -KILL $$");
	st = subject_wait_end();
	assert_int_equal(st.signal, SIGKILL);
	assert_false(st.oom);
}

/* Without a group of its own the system's count tells, which counts kills in any group. */
static void without_a_group_the_systems_count_tells(void **state)
{
	struct workload_status st;
	char script[2 * SUBJECT_PATH];

	(void)state;
	snprintf(script, sizeof(script), "echo $$ >%s/cgroup.procs; exec %s hog 64", dir,
		 subject_self);
	SHELL(script);
	st = subject_wait_end();
	assert_int_equal(st.signal, SIGKILL);
	assert_true(st.oom);
	assert_string_equal(st.cgroup, "");
}

static void removal_kills_what_is_in_it(void **state)
{
	int pids[SUBJECT_PIDS];

	(void)state;
	START_IN(subject_self, "clan", "stay");
	subject_wait_lines(5);
	assert_int_equal(subject_read_pids(pids), 5);
	assert_int_equal(cgroup_remove(cg), 0);
	cg = NULL;
	assert_false(group_exists());
	subject_wait_gone(pids, 5);
	subject_wait_end();
}

static void removal_takes_groups_made_inside_too(void **state)
{
	char script[2 * SUBJECT_PATH];
	int pids[SUBJECT_PIDS];

	(void)state;
	snprintf(script, sizeof(script), "mkdir -p %.400s/a/b && cd %.400s/a/b && "
		 "echo $$ >cgroup.procs; exec %s stay", dir, dir, subject_self);
	START_IN("sh", "-c", script);
	subject_wait_lines(1);
	assert_int_equal(subject_read_pids(pids), 1);
	assert_int_equal(cgroup_remove(cg), 0);
	cg = NULL;
	assert_false(group_exists());
	subject_wait_gone(pids, 1);
}

/* kill -9 of the process that made it, with something in it that nobody told to end. */
static void a_group_left_behind_is_removed_later(void **state)
{
	char path[512] = "", err[200];
	int fds[2], deaf[2], wait_status;
	pid_t pid, inside = 0;

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(pipe2(deaf, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct cgroup *left = cgroup_new("", LIMIT, err, sizeof(err));

		inside = fork();
		if (inside == 0) {
			if (!left || cgroup_enter(left) || write(fds[1], "", 1) != 1)
				_exit(1);
			for (;;)
				pause();
		}
		if (write(deaf[1], &inside, sizeof(inside)) < 0 || !left)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(deaf[0], &inside, sizeof(inside)), sizeof(inside));
	assert_int_equal(read(fds[0], path, 1), 1);
	snprintf(path, sizeof(path), "%.*s/vmtop-%d", (int)(strrchr(dir, '/') - dir), dir,
		 (int)pid);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(cgroup_remove_stale(""), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &wait_status, 0), pid);
	assert_true(subject_lives(inside));
	assert_int_equal(cgroup_remove_stale(""), 1);
	assert_int_equal(access(path, F_OK), -1);
	subject_wait_gone(&inside, 1);
	assert_true(group_exists());
	for (int i = 0; i < 2; i++) {
		close(fds[i]);
		close(deaf[i]);
	}
}

static int run(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(a_workload_is_in_its_group),
		T(a_hog_beyond_the_limit_is_killed_and_it_is_said_by_whom),
		T(a_hog_within_the_limit_lives),
		T(a_child_killed_for_memory_is_said_while_the_command_lives),
		T(killed_by_hand_in_a_group_is_not_killed_for_memory),
		T(without_a_group_the_systems_count_tells),
		T(removal_kills_what_is_in_it),
		T(removal_takes_groups_made_inside_too),
		T(a_group_left_behind_is_removed_later),
#undef T
	};
	char err[200];

	if (geteuid() != 0)
		tap_skip_all("making cgroups needs root");
	/* What killed runs left would be counted by the tests. */
	cgroup_remove_stale("");
	cg = cgroup_new("", LIMIT, err, sizeof(err));
	if (!cg)
		tap_skip_all(err);
	cgroup_remove(cg);
	cg = NULL;
	return TAP_RUN(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
	return subject_main(argc, argv, run);
}
