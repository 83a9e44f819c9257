/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a running workload has used, by looks at this machine's processes. */
#include "tests/tap.h"

#include <string.h>

#include "src/session.h"
#include "tests/agree.h"
#include "tests/subject.h"

enum { PATIENCE_MS = 20000 };

static const enum source_id tasks_id = SOURCE_TASKS;
static struct session session;
static struct task_slot slot;
static struct sources set;
static struct source *tasks[1];

static int setup(void **state)
{
	char err[128];

	(void)state;
	session_init(&session, "");
	task_slot_init(&slot);
	if (sources_open(&set, "", &slot, err, sizeof(err)) < 0)
		return -1;
	choose(&set, &tasks_id, 1, tasks);
	return 0;
}

static int teardown(void **state)
{
	subject_teardown(state);
	sources_close(&set);
	task_slot_done(&slot);
	session_done(&session);
	return 0;
}

/* As the program does. */
static void follow(void)
{
	session.workload = subject;
	session_update_workload(&session);
	assert_true(session.load.supervisor > 0);
	task_slot_follow(&slot, session.load.supervisor);
}

static void look(void)
{
	struct sample s;

	session_update_workload(&session);
	sampler_read(tasks, 1, &s);
	session_take_tasks(&session, &slot);
}

static void look_until_user_us(int64_t user_us)
{
	int64_t deadline = subject_now_ms() + PATIENCE_MS, before = 0;

	while (session.live.usage.user_us < user_us) {
		if (subject_now_ms() > deadline)
			fail_msg("user time %lld us", (long long)session.live.usage.user_us);
		look();
		assert_true(session.live.usage.user_us >= before);
		before = session.live.usage.user_us;
		subject_nap();
	}
}

/* Waits until all have ended: then wait4 has the last word. */
static void look_until_gone(void)
{
	int64_t deadline = subject_now_ms() + PATIENCE_MS;

	while (session.load.supervisor) {
		assert_true(subject_now_ms() < deadline);
		look();
		subject_nap();
	}
	assert_true(session.live.known);
	assert_int_equal(session.live.running, 0);
}

static void a_process_that_runs_is_counted(void **state)
{
	(void)state;
	SHELL("while :; do :; done");
	follow();
	assert_false(session.live.known);
	look_until_user_us(100000);
	assert_true(session.live.known);
	assert_int_equal(session.live.running, 1);
	assert_int_equal(session.live.usage.processes, 0);
	assert_true(session.live.usage.minor_faults > 50);
	assert_in_range(session.live.usage.max_rss_kib, 100, 64 * 1024);
	assert_int_equal(session.load.usage.user_us, 0);	/* by wait4 alone */
	look_until_user_us(session.live.usage.user_us + 50000);
}

/* What was waited for is in its parent's, what lives in its own, what ended in the supervisor's. */
static void nobody_counts_twice(void **state)
{
	struct workload_usage *live = &session.live.usage;
	char command[5 * SUBJECT_PATH];

	(void)state;
	snprintf(command, sizeof(command), "%s burn 100; (%s burn 100 &); %s burn 100; exec %s burn 100",
		 subject_self, subject_self, subject_self, subject_self);
	SHELL(command);
	follow();
	look_until_gone();
	assert_int_equal(live->user_us, session.load.usage.user_us);
	assert_int_equal(live->system_us, session.load.usage.system_us);
	assert_int_equal(live->major_faults, session.load.usage.major_faults);
	assert_int_equal(live->minor_faults, session.load.usage.minor_faults);
	assert_int_equal(live->max_rss_kib, session.load.usage.max_rss_kib);
	assert_true(live->user_us + live->system_us >= 400000);
}

static void an_orphan_that_runs_on_is_counted(void **state)
{
	int64_t deadline = subject_now_ms() + PATIENCE_MS;

	(void)state;
	SHELL("(while :; do :; done) & exit 0");
	follow();
	while (session.load.state != WORKLOAD_ENDED) {
		assert_true(subject_now_ms() < deadline);
		look();
		subject_nap();
	}
	look_until_user_us(100000);
	assert_int_equal(session.live.running, 1);
	assert_int_equal(session.live.usage.processes, 1);
}

static int run(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(a_process_that_runs_is_counted),
		T(nobody_counts_twice),
		T(an_orphan_that_runs_on_is_counted),
#undef T
	};

	return TAP_RUN(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
	return subject_main(argc, argv, run);
}
