/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tap.h"

#include <string.h>

#include "src/session.h"

#define S 1000000000LL

static struct session session;

static int setup(void **state)
{
	(void)state;
	session_init(&session, "");
	session.machine.env = (struct derive_env){ .page_size = 4096, .clock_ticks = 100,
						   .long_bits = 64 };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	session_done(&session);
	return 0;
}

static struct sample tick(int second)
{
	struct sample s = { .interval_ns = S, .seq = (uint64_t)second };

	s.mono_ns = s.due_ns = second * S;
	s.boot_ns = s.mono_ns;
	s.real_ns = s.mono_ns + 1700000000 * S;
	for (size_t i = 0; i < SOURCE_COUNT; i++)
		if (source_info((enum source_id)i)->cadence == CADENCE_FAST)
			s.source_ns[i] = s.mono_ns;
	return s;
}

/* The text of the last event, or "" when there is none. */
static const char *last_event(void)
{
	if (!session.events.count)
		return "";
	return events_get(&session.events, session.events.count - 1)->text;
}

static void missed_ticks_become_an_event_and_a_count(void **state)
{
	struct sample s = tick(1);

	(void)state;
	session_add(&session, &s);
	assert_string_equal(last_event(), "");
	s = tick(5);
	s.missed = 3;
	session_add(&session, &s);
	assert_non_null(strstr(last_event(), "3 samples missed"));
	assert_int_equal(session.missed, 3);
	assert_int_equal(session.samples, 2);
}

static void a_suspend_and_a_clock_step_are_told_apart(void **state)
{
	struct sample s = tick(1);

	(void)state;
	session_add(&session, &s);
	s = tick(2);
	s.boot_ns += 60 * S;
	s.real_ns += 60 * S;	/* both clocks ran on in the sleep */
	session_add(&session, &s);
	assert_int_equal(session.events.count, 1);
	assert_non_null(strstr(last_event(), "suspended for"));
	s = tick(3);
	s.boot_ns += 60 * S;
	s.real_ns += 60 * S - 3600 * S;
	session_add(&session, &s);
	assert_int_equal(session.events.count, 2);
	assert_non_null(strstr(last_event(), "wall clock stepped by -"));
}

static void kills_swap_and_dropped_caches_are_events(void **state)
{
	struct sample s = tick(1);

	(void)state;
	sample_set(&s, M_vm_oom_kill, 4);
	sample_set(&s, M_mem_SwapTotal, 0);
	sample_set(&s, M_vm_drop_pagecache, 1);
	session_add(&session, &s);
	assert_int_equal(session.events.count, 0);
	s = tick(2);
	sample_set(&s, M_vm_oom_kill, 6);
	sample_set(&s, M_mem_SwapTotal, 524288);
	sample_set(&s, M_vm_drop_pagecache, 2);
	session_add(&session, &s);
	assert_int_equal(session.events.count, 2);
	assert_string_equal(events_get(&session.events, 0)->text, "page cache dropped by request");
	assert_string_equal(last_event(), "swap 512M, was 0");
	session_settle(&session);
	assert_int_equal(session.events.count, 3);
	assert_int_equal(events_get(&session.events, 2)->kind, EVENT_OOM);
	assert_int_equal(events_get(&session.events, 2)->t_ns, 2 * S);
	assert_non_null(strstr(last_event(), "2 tasks"));
}

static void tick_with_kills(int second, uint64_t oom_kill)
{
	struct sample s = tick(second);

	sample_set(&s, M_vm_oom_kill, oom_kill);
	session_add(&session, &s);
}

static const struct oom_victim hog = {
	.t_ns = 3 * S / 2, .pid = 123, .command = "hog", .have_sizes = true,
	.anon_kib = 900 * 1024, .total_vm_kib = 1024 * 1024,
};

static void a_kill_that_a_victim_told_of_is_told_once(void **state)
{
	(void)state;
	tick_with_kills(1, 0);
	session_oom_victim(&session, &hog);	/* before the counter is read */
	assert_int_equal(session.events.count, 1);
	assert_int_equal(events_get(&session.events, 0)->kind, EVENT_OOM);
	assert_int_equal(events_get(&session.events, 0)->t_ns, hog.t_ns);
	assert_string_equal(last_event(), "OOM killer: hog (pid 123), 900M anon, 1G virtual");
	tick_with_kills(2, 1);
	tick_with_kills(3, 2);
	session_oom_victim(&session, &hog);	/* after it */
	for (int second = 4; second < 10; second++)
		tick_with_kills(second, 2);
	session_settle(&session);
	assert_int_equal(session.events.count, 2);
}

static void a_kill_without_a_victim_is_told_when_patience_ends(void **state)
{
	(void)state;
	session.ask_root_for_names = true;
	tick_with_kills(1, 5);
	tick_with_kills(2, 6);
	tick_with_kills(3, 6);
	assert_int_equal(session.events.count, 0);
	tick_with_kills(4, 6);
	assert_int_equal(session.events.count, 1);
	assert_int_equal(events_get(&session.events, 0)->t_ns, 2 * S);
	assert_string_equal(last_event(), "OOM killer: 1 task killed; run as root for names");
	session_oom_victim(&session, &hog);
	tick_with_kills(5, 9);
	tick_with_kills(7, 9);
	assert_int_equal(session.events.count, 3);
	assert_string_equal(last_event(), "OOM killer: 2 tasks killed");
}

static void a_source_that_goes_and_comes_back_is_two_events(void **state)
{
	struct sample s = tick(1);

	(void)state;
	session_add(&session, &s);
	s = tick(2);
	s.source_why[SOURCE_PSI_IO] = WHY_DENIED;
	session_add(&session, &s);
	assert_string_equal(last_event(), "psi.io is gone: not permitted");
	assert_int_equal(session.now.why[M_psi_io_some], WHY_DENIED);
	s = tick(3);
	session_add(&session, &s);
	assert_string_equal(last_event(), "psi.io is there");
}

/* The collector answers once a second while the sampler ticks ten times: the rate stays the same. */
static void a_slow_rate_holds_between_its_readings(void **state)
{
	struct sample slow = { .interval_ns = S };

	(void)state;
	for (int t = 10; t < 40; t++) {
		struct sample s = tick(0);

		if (t % 10 == 0) {
			slow.source_ns[SOURCE_DISK] = t * S / 10;
			sample_set(&slow, M_disk_reads, (uint64_t)t * 7);
			session_add_slow(&session, &slow);
		}
		s.interval_ns = S / 10;
		s.mono_ns = s.due_ns = s.boot_ns = t * S / 10 + S / 100;
		session_add(&session, &s);
		if (t < 20) {
			assert_int_equal(session.now.why[M_disk_reads], WHY_FIRST);
		} else {
			assert_int_equal(session.now.why[M_disk_reads], WHY_OK);
			assert_float_equal(session.now.value[M_disk_reads], 70, 1e-9);
		}
	}
}

static void before_the_collector_answers_there_is_no_number(void **state)
{
	struct sample s = tick(1);

	(void)state;
	session_add(&session, &s);
	assert_int_equal(session.now.why[M_disk_in_flight], WHY_FIRST);
	assert_int_equal(session.now.why[M_zram_ratio], WHY_FIRST);
}

static void marks_are_numbered_and_stand_at_their_time(void **state)
{
	struct sample s = tick(9);

	(void)state;
	session_add(&session, &s);
	session_mark(&session, 0, "now\x1b[31m");
	session_mark(&session, 4 * S, "earlier");
	assert_int_equal(events_get(&session.events, 0)->number + events_get(&session.events, 1)->number,
			 3);
	for (size_t i = 0; i < 2; i++) {
		const struct event *e = events_get(&session.events, i);

		assert_null(strchr(e->text, 0x1b));
		assert_int_equal(e->t_ns, strcmp(e->text, "earlier") == 0 ? 4 * S : 9 * S);
	}
}

static void cpus_that_come_and_go_are_events(void **state)
{
	(void)state;
	session.machine.cpus = 4;
	session_set_cpus(&session, 4);
	session_set_cpus(&session, -1);
	assert_int_equal(session.events.count, 0);
	session_set_cpus(&session, 2);
	assert_string_equal(last_event(), "2 cpus online, were 4");
}

static struct task_slot slot;

/* A look that finds so much user time among the living. */
static void look(int64_t t_ns, uint64_t user_us)
{
	static struct task_list list;

	list.t_ns = t_ns;
	list.family = (struct task_family){ .known = true, .user_us = user_us, .majflt = 3,
					    .max_rss_kib = 500, .processes = 2 };
	task_slot_put(&slot, &list);
	session_take_tasks(&session, &slot);
}

static void start_load(void)
{
	task_slot_init(&slot);
	session.load = (struct workload_status){ .state = WORKLOAD_RUNNING, .supervisor = 9 };
	session.load.usage.start_ns = S;
}

static void end_one(int64_t t_ns, int64_t user_us)
{
	session.load.usage.user_us += user_us;
	session.load.usage.processes++;
	session.load.usage.counted_ns = t_ns;
}

static void a_workload_has_used_what_its_ended_and_its_living_have(void **state)
{
	(void)state;
	start_load();
	end_one(2 * S, 40);
	session.load.usage.major_faults = 4;
	session.load.usage.max_rss_kib = 400;
	assert_false(session.live.known);
	look(3 * S, 100);
	assert_true(session.live.known);
	assert_int_equal(session.live.usage.user_us, 140);
	assert_int_equal(session.live.usage.major_faults, 7);
	assert_int_equal(session.live.usage.max_rss_kib, 500);
	assert_int_equal(session.live.usage.processes, 1);
	assert_int_equal(session.live.usage.start_ns, S);
	assert_int_equal(session.live.running, 2);
	task_slot_done(&slot);
}

static void who_ended_after_the_look_began_is_not_counted_twice(void **state)
{
	(void)state;
	start_load();
	end_one(2 * S, 40);
	look(3 * S, 100);
	end_one(4 * S + 1, 60);		/* which the look, begun before, may have seen alive */
	look(4 * S, 110);
	assert_int_equal(session.live.usage.user_us, 150);
	look(5 * S, 60);
	assert_int_equal(session.live.usage.user_us, 160);
	task_slot_done(&slot);
}

static void what_was_used_never_goes_back(void **state)
{
	(void)state;
	start_load();
	look(3 * S, 100);
	look(4 * S, 70);
	assert_int_equal(session.live.usage.user_us, 100);
	look(4 * S, 500);	/* the same look again */
	assert_int_equal(session.live.usage.user_us, 100);
	session.load.supervisor = 0;
	look(5 * S, 900);	/* somebody else's: the family has gone */
	assert_int_equal(session.live.usage.user_us, 100);
	task_slot_done(&slot);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(missed_ticks_become_an_event_and_a_count),
		TEST(a_suspend_and_a_clock_step_are_told_apart),
		TEST(kills_swap_and_dropped_caches_are_events),
		TEST(a_kill_that_a_victim_told_of_is_told_once),
		TEST(a_kill_without_a_victim_is_told_when_patience_ends),
		TEST(a_source_that_goes_and_comes_back_is_two_events),
		TEST(a_slow_rate_holds_between_its_readings),
		TEST(before_the_collector_answers_there_is_no_number),
		TEST(marks_are_numbered_and_stand_at_their_time),
		TEST(cpus_that_come_and_go_are_events),
		TEST(a_workload_has_used_what_its_ended_and_its_living_have),
		TEST(who_ended_after_the_look_began_is_not_counted_twice),
		TEST(what_was_used_never_goes_back),
	};

	return TAP_RUN(tests, NULL, NULL);
}
