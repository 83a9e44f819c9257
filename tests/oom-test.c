/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The OOM killer's victims: what the kernel's log says of them, and that each is told once. */
#include "tests/tap.h"

#include <string.h>

#include "src/oom.h"
#include "src/text.h"

#define S INT64_C(1000000000)

/* ---- Records ---- */

#define SIZES "total-vm:1000kB, anon-rss:900kB, file-rss:8kB, shmem-rss:4kB, UID:0 pgtables:2kB oom_score_adj:0"

static struct oom_victim parse(const char *record)
{
	struct oom_victim v;

	memset(&v, 0x55, sizeof(v));
	if (!oom_parse_kmsg(record, &v))
		fail_msg("not taken for a kill: %s", record);
	return v;
}

static void a_kill_has_pid_name_and_sizes(void **state)
{
	struct oom_victim v = parse("3,1203,99887766,-;Out of memory: Killed process 123 (hog) " SIZES
				    "\n SUBSYSTEM=memory\n");

	(void)state;
	assert_int_equal(v.pid, 123);
	assert_string_equal(v.command, "hog");
	assert_true(v.have_sizes);
	assert_int_equal(v.total_vm_kib, 1000);
	assert_int_equal(v.anon_kib, 900);
	assert_int_equal(v.file_kib, 8);
	assert_int_equal(v.shmem_kib, 4);
	assert_true(v.have_scope);
	assert_false(v.cgroup);
	assert_int_equal(v.t_ns, 0);
}

static void a_kill_for_a_cgroup_and_one_of_the_allocating_task_are_known(void **state)
{
	struct oom_victim v = parse("3,1,2,-,caller=T77;Memory cgroup out of memory: Killed process 7 (a) "
				    SIZES);

	(void)state;
	assert_true(v.have_scope && v.cgroup);
	v = parse("3,1,2,-;Out of memory (oom_kill_allocating_task): Killed process 8 (b) " SIZES);
	assert_int_equal(v.pid, 8);
	assert_true(v.have_scope);
	assert_false(v.cgroup);
}

static void linux_4_says_in_two_records_what_is_one_kill(void **state)
{
	static const char choice[] =
		"3,1,2,-;Memory cgroup out of memory: Kill process 123 (hog) score 900 or sacrifice child";
	static const char kill[] =
		"3,2,3,-;Killed process 124 (child) total-vm:70kB, anon-rss:60kB, file-rss:5kB";
	struct oom_victim v;
	bool cgroup = false;

	(void)state;
	assert_false(oom_parse_kmsg(choice, &v));
	assert_true(oom_parse_choice(choice, &cgroup));
	assert_true(cgroup);
	assert_true(oom_parse_choice("3,1,2,-;Out of memory: Kill process 1 (a) score 9 or sacrifice "
				     "child", &cgroup));
	assert_false(cgroup);
	assert_false(oom_parse_choice(kill, &cgroup));
	assert_false(oom_parse_choice("14,1,2,-;Out of memory: Kill process 1 (a) score 9", &cgroup));
	v = parse(kill);
	assert_int_equal(v.pid, 124);
	assert_string_equal(v.command, "child");
	assert_true(v.have_sizes);
	assert_false(v.have_scope);
	assert_int_equal(v.file_kib, 5);
	assert_int_equal(v.shmem_kib, 0);
}

static void a_command_may_hold_anything(void **state)
{
	static const struct {
		const char *in_log, *command;
	} commands[] = {
		{ "a (b) c", "a (b) c" },
		{ "(sd-pam)", "(sd-pam)" },
		{ ") total-vm:9kB,", ") total-vm:9kB," },
		{ "", "" },
		{ "\\x5c", "\\" },
		{ "\\xc3\\xa9t\\xc3\\xa9", "\xc3\xa9t\xc3\xa9" },
		{ "a\\x0ab\\x1b[2J", "a\xef\xbf\xbd" "b\xef\xbf\xbd[2J" },
		{ "\\xzz\\x4", "\\xzz\\x4" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		char record[512];
		struct oom_victim v;

		snprintf(record, sizeof(record), "3,1,2,-;Out of memory: Killed process 5 (%s) " SIZES,
			 commands[i].in_log);
		v = parse(record);
		assert_string_equal(v.command, commands[i].command);
		assert_int_equal(v.total_vm_kib, 1000);
		assert_int_equal(v.anon_kib, 900);
	}
}

static void what_a_user_writes_is_not_believed(void **state)
{
	static const char *const records[] = {
		/* facility LOG_USER, as the kernel makes of what is written to /dev/kmsg */
		"11,1,2,-;Out of memory: Killed process 5 (hog) " SIZES,
		"12,1,2,-;Memory cgroup out of memory: Killed process 5 (hog) " SIZES,
		"30,1,2,-;Out of memory: Killed process 5 (hog) " SIZES,
		/* not from /dev/kmsg, or in the middle of another text, or in a property */
		"Out of memory: Killed process 5 (hog) " SIZES,
		";Out of memory: Killed process 5 (hog) " SIZES,
		"x,1,2,-;Out of memory: Killed process 5 (hog) " SIZES,
		"3,1,2,-;hello: Out of memory: Killed process 5 (hog) " SIZES,
		"3,1,2,-;Out of memory: Killed process 5 (hog)\n A=x) total-vm:1kB",
	};
	struct oom_victim v;

	(void)state;
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++)
		if (oom_parse_kmsg(records[i], &v))
			fail_msg("believed: %s", records[i]);
}

static void what_is_no_kill_or_was_cut_is_none(void **state)
{
	static const char *const records[] = {
		"", "3", "3,1,2,-", "3,1,2,-;", "3,1,2,-;Out of memory: ",
		"3,1,2,-;Out of memory: OOM victim 5 (hog) is already exiting. Skip killing the task",
		"3,1,2,-;Out of memory: Killed process ",
		"3,1,2,-;Out of memory: Killed process 5",
		"3,1,2,-;Out of memory: Killed process 5 (hog",
		"3,1,2,-;Out of memory: Killed process 0 (hog) " SIZES,
		"3,1,2,-;Out of memory: Killed process -5 (hog) " SIZES,
		"3,1,2,-;Out of memory: Killed process 99999999999 (hog) " SIZES,
		"3,1,2,-;Out of memory and no killable processes...",
		"3,1,2,-;oom_reaper: reaped process 5 (hog), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB",
	};
	struct oom_victim v;

	(void)state;
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++)
		if (oom_parse_kmsg(records[i], &v))
			fail_msg("taken for a kill: %s", records[i]);
	v = parse("3,1,2,-;Out of memory: Killed process 5 (hog) total-vm:1000kB, anon-rss:90");
	assert_false(v.have_sizes);
	v = parse("3,1,2,-;Out of memory: Killed process 5 (hog) total-vm:1000kB\n"
		  " A= anon-rss:90kB, file-rss:1kB");
	assert_false(v.have_sizes);
}

/* ---- Words ---- */

static void a_victim_is_told_as_far_as_it_is_known(void **state)
{
	struct oom_victim v = { .pid = 123 };
	char buf[160], little[16];

	(void)state;
	assert_string_equal(oom_victim_text(&v, buf, sizeof(buf)), "OOM killer: pid 123");
	strcpy(v.command, "hog");
	assert_string_equal(oom_victim_text(&v, buf, sizeof(buf)), "OOM killer: hog (pid 123)");
	v.have_sizes = v.have_scope = v.cgroup = true;
	v.anon_kib = 900 * 1024;
	v.total_vm_kib = 1024 * 1024;
	assert_string_equal(oom_victim_text(&v, buf, sizeof(buf)),
			    "OOM killer: hog (pid 123), 900M anon, 1G virtual, in a memory cgroup");
	assert_string_equal(oom_victim_text(&v, little, sizeof(little)), "OOM killer: hog");
}

/* ---- Pairs ---- */

static struct oom_log oom_log;

static int log_setup(void **state)
{
	(void)state;
	memset(&oom_log, 0, sizeof(oom_log));
	return 0;
}

static void add(int64_t t_ns, int pid, const char *command, uint64_t anon_kib, bool have_scope)
{
	struct oom_victim v = { .t_ns = t_ns, .pid = pid, .anon_kib = anon_kib,
				.have_sizes = anon_kib > 0, .have_scope = have_scope,
				.cgroup = have_scope };

	text_copy(v.command, sizeof(v.command), command);
	oom_log_add(&oom_log, &v);
}

static int take(int64_t now_ns)
{
	struct oom_victim v;

	return oom_log_take(&oom_log, now_ns, &v) ? v.pid : 0;
}

static void two_halves_are_one_victim_at_the_exact_time(void **state)
{
	struct oom_victim v;

	(void)state;
	add(10 * S, 5, "", 0, false);
	assert_int_equal(take(10 * S + 7), 0);
	add(10 * S + 8, 5, "hog", 900, true);
	assert_true(oom_log_take(&oom_log, 10 * S + 9, &v));
	assert_int_equal(v.t_ns, 10 * S);
	assert_string_equal(v.command, "hog");
	assert_true(v.have_sizes && v.have_scope && v.cgroup);
	assert_int_equal(v.anon_kib, 900);
	assert_int_equal(take(20 * S), 0);
}

static void the_log_may_be_read_before_the_trace(void **state)
{
	struct oom_victim v;

	(void)state;
	add(10 * S + 8, 5, "hog", 900, false);	/* of a kernel whose log does not say for what */
	assert_int_equal(take(10 * S + 9), 0);
	add(10 * S, 5, "", 0, false);
	assert_int_equal(take(10 * S + 10), 0);
	assert_true(oom_log_take(&oom_log, 11 * S, &v));
	assert_int_equal(v.t_ns, 10 * S);
	assert_string_equal(v.command, "hog");
	assert_int_equal(v.anon_kib, 900);
	assert_int_equal(take(20 * S), 0);
}

static void the_other_half_of_one_told_is_not_told_again(void **state)
{
	(void)state;
	add(10 * S, 5, "hog", 900, true);
	assert_int_equal(take(10 * S), 5);
	add(10 * S - 3, 5, "", 0, false);
	assert_int_equal(take(10 * S), 0);
	assert_int_equal(take(12 * S), 0);
	assert_int_equal(take(20 * S), 0);
	assert_int_equal(oom_log.n, 0);
}

static void one_without_another_half_is_told_after_a_second(void **state)
{
	struct oom_victim v;

	(void)state;
	add(10 * S, 5, "", 0, false);
	add(10 * S + 1, 6, "big", 900, false);	/* newer tracepoints: but for what, only the log says */
	assert_int_equal(take(11 * S - 1), 0);
	assert_int_equal(take(11 * S), 5);
	assert_int_equal(take(11 * S), 0);
	assert_true(oom_log_take(&oom_log, 11 * S + 1, &v));
	assert_string_equal(v.command, "big");
	assert_int_equal(v.anon_kib, 900);
	add(14 * S, 5, "late", 1, true);	/* its log came late: told already */
	assert_int_equal(take(19 * S), 0);
}

static void a_pid_used_again_is_another_victim(void **state)
{
	(void)state;
	add(10 * S, 5, "a", 1, true);
	assert_int_equal(take(10 * S), 5);
	add(15 * S + 1, 5, "b", 1, true);
	assert_int_equal(take(15 * S + 1), 5);
}

static void many_at_once_are_told_oldest_first_and_none_twice(void **state)
{
	(void)state;
	for (int i = 1; i <= OOM_PENDING; i++)
		add(10 * S, i, "", 0, false);
	assert_int_equal(take(10 * S), 0);
	for (int i = OOM_PENDING + 1; i <= OOM_PENDING + 3; i++)
		add(10 * S, i, "", 0, false);
	for (int i = 1; i <= 3; i++)
		assert_int_equal(take(10 * S), i);
	assert_int_equal(take(10 * S), 0);
	for (int i = 4; i <= OOM_PENDING + 3; i++)
		assert_int_equal(take(11 * S), i);
	assert_int_equal(take(11 * S), 0);
}

static void a_flood_that_nobody_takes_stays_within_bounds(void **state)
{
	int last = 0, n = 0, pid;

	(void)state;
	for (int i = 1; i <= 10 * OOM_ENTRIES; i++)
		add(10 * S, i, "x", 1, true);
	assert_int_equal(oom_log.n, OOM_ENTRIES);
	for (; (pid = take(10 * S)); n++) {
		assert_true(pid > last);
		last = pid;
	}
	assert_int_equal(n, OOM_ENTRIES);
	assert_int_equal(last, 10 * OOM_ENTRIES);
	add(10 * S, 7, "x", 1, true);	/* the told ones make room */
	assert_int_equal(oom_log.n, OOM_ENTRIES);
	assert_int_equal(take(10 * S), 7);
}

/* ---- The counter ---- */

static uint64_t count(struct oom_tally *tally, uint64_t rise, int64_t now_ns)
{
	int64_t t_ns;

	return oom_tally_count(tally, rise, now_ns, true, &t_ns);
}

static void kills_and_victims_meet_in_either_order(void **state)
{
	struct oom_tally tally = { .told = 0 };

	(void)state;
	oom_tally_told(&tally, 1 * S);
	assert_int_equal(count(&tally, 1, 2 * S), 0);
	assert_int_equal(count(&tally, 2, 3 * S), 0);
	oom_tally_told(&tally, 3 * S);
	oom_tally_told(&tally, 3 * S);
	assert_int_equal(count(&tally, 0, 30 * S), 0);
}

static void kills_beyond_the_victims_are_told_at_their_time(void **state)
{
	struct oom_tally tally = { .told = 0 };
	int64_t t_ns = 0;

	(void)state;
	oom_tally_told(&tally, 1 * S);
	assert_int_equal(count(&tally, 4, 2 * S), 0);
	oom_tally_told(&tally, 3 * S);
	assert_int_equal(count(&tally, 1, 3 * S), 0);
	assert_int_equal(oom_tally_count(&tally, 0, 4 * S, true, &t_ns), 3);
	assert_int_equal(t_ns, 2 * S);
	assert_int_equal(count(&tally, 0, 9 * S), 0);
}

static void readings_far_apart_do_not_make_a_victim_old(void **state)
{
	struct oom_tally tally = { .told = 0 };

	(void)state;
	oom_tally_told(&tally, 11 * S);
	assert_int_equal(count(&tally, 1, 60 * S), 0);
	assert_int_equal(count(&tally, 0, 120 * S), 0);
}

static void a_victim_that_is_never_counted_does_not_hide_a_later_kill(void **state)
{
	struct oom_tally tally = { .told = 0 };

	(void)state;
	oom_tally_told(&tally, 1 * S);
	assert_int_equal(count(&tally, 0, 3 * S), 0);
	assert_int_equal(count(&tally, 1, 4 * S), 0);
	assert_int_equal(count(&tally, 0, 6 * S), 1);
}

static void the_end_does_not_wait(void **state)
{
	struct oom_tally tally = { .told = 0 };
	int64_t t_ns = 0;

	(void)state;
	assert_int_equal(count(&tally, 2, 7 * S), 0);
	assert_int_equal(oom_tally_count(&tally, 0, 7 * S, false, &t_ns), 2);
	assert_int_equal(t_ns, 7 * S);
	assert_int_equal(oom_tally_count(&tally, 0, 7 * S, false, &t_ns), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kill_has_pid_name_and_sizes),
		cmocka_unit_test(a_kill_for_a_cgroup_and_one_of_the_allocating_task_are_known),
		cmocka_unit_test(linux_4_says_in_two_records_what_is_one_kill),
		cmocka_unit_test(a_command_may_hold_anything),
		cmocka_unit_test(what_a_user_writes_is_not_believed),
		cmocka_unit_test(what_is_no_kill_or_was_cut_is_none),
		cmocka_unit_test(a_victim_is_told_as_far_as_it_is_known),
		cmocka_unit_test_setup(two_halves_are_one_victim_at_the_exact_time, log_setup),
		cmocka_unit_test_setup(the_log_may_be_read_before_the_trace, log_setup),
		cmocka_unit_test_setup(the_other_half_of_one_told_is_not_told_again, log_setup),
		cmocka_unit_test_setup(one_without_another_half_is_told_after_a_second, log_setup),
		cmocka_unit_test_setup(a_pid_used_again_is_another_victim, log_setup),
		cmocka_unit_test_setup(many_at_once_are_told_oldest_first_and_none_twice, log_setup),
		cmocka_unit_test_setup(a_flood_that_nobody_takes_stays_within_bounds, log_setup),
		cmocka_unit_test(kills_and_victims_meet_in_either_order),
		cmocka_unit_test(kills_beyond_the_victims_are_told_at_their_time),
		cmocka_unit_test(readings_far_apart_do_not_make_a_victim_old),
		cmocka_unit_test(a_victim_that_is_never_counted_does_not_hide_a_later_kill),
		cmocka_unit_test(the_end_does_not_wait),
	};

	return TAP_RUN(tests, NULL, NULL);
}
