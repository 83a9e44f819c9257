/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tap.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/child.h"

enum { CANNOT_PREPARE = 100 };

/* What a child is in after child_reset, told by its exit status: 0 for all well. */
static int reset_child(int (*prepare)(void), int (*check)(void), long oom_score_adj)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		if (prepare())
			_exit(CANNOT_PREPARE);
		child_reset(oom_score_adj);
		_exit(check());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void caught(int sig)
{
	(void)sig;
}

static int disturb_signals(void)
{
	sigset_t all;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	signal(SIGTERM, caught);
	signal(SIGRTMIN + 1, SIG_IGN);
	/* One of the library's own, ignored. */
	syscall(SYS_rt_sigaction, 32, &(unsigned long[8]){ 1 }, NULL, NSIG / 8);
	sigfillset(&all);
	return sigprocmask(SIG_SETMASK, &all, NULL);
}

/* As the kernel has it: the library hides two signals of its own. */
static int check_signals(void)
{
	char line[128];
	FILE *f = fopen("/proc/self/status", "r");
	int zero = 0;

	while (fgets(line, sizeof(line), f))
		if (strncmp(line, "Sig", 3) == 0 && strncmp(line, "SigQ", 4) != 0 &&
		    strncmp(line, "SigPnd", 6) != 0)
			zero += strtoull(strchr(line, ':') + 1, NULL, 16) == 0;
	fclose(f);
	return zero == 3 ? 0 : 1;	/* SigBlk, SigIgn, SigCgt */
}

static void signals_are_unblocked_and_at_their_default(void **state)
{
	(void)state;
	assert_int_equal(reset_child(disturb_signals, check_signals, 0), 0);
}

static int open_many(void)
{
	for (int fd = 3; fd < 200; fd += 7)
		if (dup2(STDERR_FILENO, fd) < 0)
			return 1;
	return 0;
}

static int check_files(void)
{
	for (int fd = 0; fd < 1024; fd++)
		if ((fcntl(fd, F_GETFD) >= 0) != (fd < 3))
			return 1;
	return 0;
}

static void descriptors_from_3_up_are_closed(void **state)
{
	(void)state;
	assert_int_equal(reset_child(open_many, check_files, 0), 0);
}

static int raise_priority(void)
{
	const struct sched_param param = { .sched_priority = 1 };

	/*
	 * Not permitted without root: then there is nothing to put back, and the check holds too.
	 */
	if (setpriority(PRIO_PROCESS, 0, -5) == 0)
		return sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &param);
	return 0;
}

static int check_priority(void)
{
	if (getpriority(PRIO_PROCESS, 0) != 0)
		return 1;
	return sched_getscheduler(0) != SCHED_OTHER;
}

static void a_raised_priority_is_put_back(void **state)
{
	(void)state;
	if (getpriority(PRIO_PROCESS, 0) > 0)
		return;		/* the tests themselves run with less */
	assert_int_equal(reset_child(raise_priority, check_priority, 0), 0);
}

static int lower_priority(void)
{
	return setpriority(PRIO_PROCESS, 0, 19);
}

static int check_lowered(void)
{
	return getpriority(PRIO_PROCESS, 0) != 19;
}

/* nice -n 19 vmtop -- COMMAND is what the user wants. */
static void a_lowered_priority_stays(void **state)
{
	(void)state;
	assert_int_equal(reset_child(lower_priority, check_lowered, 0), 0);
}

static int nothing(void)
{
	return 0;
}

static int check_oom_score(void)
{
	char text[16];
	int fd = open("/proc/self/oom_score_adj", O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	return strcmp(text, "987\n") != 0;
}

static int check_negative_oom_score(void)
{
	char text[16];
	int fd = open("/proc/self/oom_score_adj", O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	return strcmp(text, "-120\n") != 0;
}

static int lower_oom_score(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY);

	return write(fd, "-500", 4) != 4;
}

static void the_oom_score_is_the_one_given(void **state)
{
	static LargestIntegralType allowed[] = { 0, CANNOT_PREPARE };

	(void)state;
	/* More than any test has: that is always permitted. */
	assert_int_equal(reset_child(nothing, check_oom_score, 987), 0);
	/* Less than it has needs CAP_SYS_RESOURCE, which not even root has everywhere. */
	assert_in_set(reset_child(lower_oom_score, check_negative_oom_score, -120), allowed, 2);
}

static char sh[] = "/bin/sh", dash_c[] = "-c";

static void a_program_is_run_and_its_status_given(void **state)
{
	char exit_3[] = "exit 3", kill_self[] = "kill -9 $$", none[] = "/no/such/program";

	(void)state;
	assert_int_equal(child_run((char *[]){ sh, dash_c, exit_3, NULL }), 3);
	assert_int_equal(child_run((char *[]){ sh, dash_c, kill_self, NULL }), 137);
	assert_int_equal(child_run((char *[]){ none, NULL }), 127);
}

static void a_program_that_is_run_says_nothing_and_is_asked_nothing(void **state)
{
	char script[] = "echo out; echo err >&2; read x && exit 1; "
			"[ \"$(readlink /proc/self/fd/0)\" = /dev/null ]";

	(void)state;
	/* What it wrote would be in the way of these tests' own lines. */
	assert_int_equal(child_run((char *[]){ sh, dash_c, script, NULL }), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_are_unblocked_and_at_their_default),
		cmocka_unit_test(descriptors_from_3_up_are_closed),
		cmocka_unit_test(a_raised_priority_is_put_back),
		cmocka_unit_test(a_lowered_priority_stays),
		cmocka_unit_test(the_oom_score_is_the_one_given),
		cmocka_unit_test(a_program_is_run_and_its_status_given),
		cmocka_unit_test(a_program_that_is_run_says_nothing_and_is_asked_nothing),
	};

	return TAP_RUN(tests, NULL, NULL);
}
