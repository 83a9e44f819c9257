/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is counted of a workload. */
#include "tests/tap.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/procstat.h"
#include "src/workload.h"
#include "tests/subject.h"

/* ---- Accounting ---- */

/* The kernel's own figures of a process shortly before its end are those that are reported. */
static void accounting_is_what_the_kernel_counts(void **state)
{
	long long user, sys;
	long major, minor, rss;
	struct workload_status st;

	(void)state;
	START(subject_self, "measure", "40");
	st = subject_wait_end();
	assert_int_equal(subject_read_output(), 1);
	assert_int_equal(sscanf(subject_output[0], "%lld %lld %ld %ld %ld", &user, &sys, &major,
				&minor, &rss), 5);
	assert_true(user + sys >= 150000);
	assert_in_range(st.usage.user_us + st.usage.system_us, user + sys, user + sys + 50000);
	assert_in_range(st.usage.minor_faults, minor, minor + 500);
	assert_in_range(st.usage.major_faults, major, major + 50);
	assert_in_range(st.usage.max_rss_kib, rss, rss + 4096);
	assert_true(st.usage.max_rss_kib >= 40 * 1024);
	assert_int_equal(st.usage.processes, 1);
}

/* The same program under fork and wait4 of the test's own. */
static void accounting_equals_wait4_of_the_same_child(void **state)
{
	struct workload_status st;
	struct rusage r;
	int wait_status;
	pid_t pid;

	(void)state;
	START(subject_self, "measure", "64");
	st = subject_wait_end();
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		execl(subject_self, subject_self, "measure", "64", (char *)NULL);
		_exit(1);
	}
	assert_int_equal(wait4(pid, &wait_status, 0, &r), pid);
	assert_int_equal(wait_status, 0);
	/*
	 * Pages are exact but for what the linker and the copy before exec touch; times have 150 ms
	 * in common.
	 */
	assert_in_range(st.usage.minor_faults, r.ru_minflt - 500, r.ru_minflt + 500);
	assert_true(st.usage.user_us + st.usage.system_us >= 150000);
	assert_in_range(st.usage.max_rss_kib, r.ru_maxrss - 8192, r.ru_maxrss + 1024);
}

static bool has_150_ms(const struct workload_status *st)
{
	return st->usage.user_us + st->usage.system_us >= 150000;
}

static void a_child_that_was_waited_for_counts_once(void **state)
{
	struct workload_status st;

	(void)state;
	START(subject_self, "wait", "150");
	st = subject_wait_end();
	assert_true(has_150_ms(&st));
	assert_true(st.usage.user_us + st.usage.system_us < 290000);
	assert_int_equal(st.usage.processes, 1);
}

/* The elapsed time is that of the command, the times are of all. */
static void an_orphan_counts_and_does_not_lengthen_the_run(void **state)
{
	struct workload_status st;
	int64_t end_ns;

	(void)state;
	START(subject_self, "orphan", "150");
	end_ns = subject_wait_end().usage.end_ns;
	st = subject_wait_until(has_150_ms);
	assert_int_equal(st.usage.end_ns, end_ns);
	assert_int_equal(st.usage.processes, 2);
	assert_int_equal(st.exit_status, 0);
}

static void an_orphan_of_a_shell_counts(void **state)
{
	char command[4 * SUBJECT_PATH];
	struct workload_status st;

	(void)state;
	snprintf(command, sizeof(command), "(%s burn 150 &) ; exit 3", subject_self);
	SHELL(command);
	st = subject_wait_until(has_150_ms);
	assert_int_equal(st.exit_status, 3);
}

static void a_daemon_counts(void **state)
{
	struct workload_status st;

	(void)state;
	START(subject_self, "daemon", "150");
	st = subject_wait_until(has_150_ms);
	assert_int_equal(st.usage.processes, 3);
}

static void elapsed_time_is_of_the_command(void **state)
{
	struct workload_status st;
	int64_t before = subject_now_ms(), after, ms;

	(void)state;
	SHELL("sleep 0.3");
	st = subject_wait_end();
	after = subject_now_ms();
	ms = (st.usage.end_ns - st.usage.start_ns) / 1000000;
	assert_in_range(ms, 300, after - before + 1);
	assert_true(st.usage.start_ns / 1000000 >= before);
}

/* A fork of this program would count its size as the command's, even if the command is true(1). */
static void the_largest_resident_set_is_the_commands_not_its_makers(void **state)
{
	size_t bytes = 200 << 20;
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct workload_status st;

	(void)state;
	memset(p, 1, bytes);
	START("true");
	st = subject_wait_end();
	munmap(p, bytes);
	assert_in_range(st.usage.max_rss_kib, 100, 60 * 1024);
}

static int run(void)
{
	const struct CMUnitTest tests[] = {
		SUBJECT_TEST(accounting_is_what_the_kernel_counts),
		SUBJECT_TEST(accounting_equals_wait4_of_the_same_child),
		SUBJECT_TEST(a_child_that_was_waited_for_counts_once),
		SUBJECT_TEST(an_orphan_counts_and_does_not_lengthen_the_run),
		SUBJECT_TEST(an_orphan_of_a_shell_counts),
		SUBJECT_TEST(a_daemon_counts),
		SUBJECT_TEST(elapsed_time_is_of_the_command),
		SUBJECT_TEST(the_largest_resident_set_is_the_commands_not_its_makers),
	};

	return TAP_RUN(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
	return subject_main(argc, argv, run);
}
