/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spans of reclaim out of begins and ends, by the events' own times. */
#include "tests/tap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/derive.h"
#include "src/reclaim.h"

#define MS 1000000LL
#define S (1000 * MS)

static struct reclaim *r;
static struct sample s;
static struct reclaim_report report;

static void look_up(void *arg, struct reclaim_task *task)
{
	(void)arg;
	if (task->tid >= 9000)
		return;		/* gone already */
	snprintf(task->command, sizeof(task->command), "task%d", task->tid);
	task->pid = task->tid;
}

static int setup(void **state)
{
	(void)state;
	r = reclaim_new(0, look_up, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	reclaim_free(r);
	return 0;
}

static void event(int64_t t_ns, int tid, enum reclaim_event_type type, enum reclaim_kind kind,
		  uint64_t value)
{
	reclaim_add(r, &(struct reclaim_event){ .t_ns = t_ns, .tid = tid, .type = type, .kind = kind,
						.value = value });
}

static void begin(int64_t t_ns, int tid, enum reclaim_kind kind)
{
	event(t_ns, tid, RECLAIM_BEGIN, kind, 0);
}

static void end(int64_t t_ns, int tid, enum reclaim_kind kind, uint64_t pages)
{
	event(t_ns, tid, RECLAIM_END, kind, pages);
}

static void cut(int64_t t_ns)
{
	memset(&s, 0, sizeof(s));
	reclaim_cut(r, t_ns, &s);
	reclaim_report(r, &report);
}

static void is(enum metric m, uint64_t value)
{
	if (!sample_has(&s, m) || s.value[m] != value)
		print_error("%s is %llu\n", metric_info(m)->id, (unsigned long long)s.value[m]);
	assert_true(sample_has(&s, m));
	assert_int_equal(s.value[m], value);
}

static void a_call_is_counted_with_its_own_times(void **state)
{
	(void)state;
	begin(100 * MS, 7, RECLAIM_DIRECT);
	end(130 * MS, 7, RECLAIM_DIRECT, 32);
	cut(S);
	is(M_reclaim_tasks, 0);
	is(M_reclaim_tasks_max, 1);
	is(M_reclaim_calls, 1);
	is(M_reclaim_time, 30 * MS);
	is(M_reclaim_longest, 30 * MS);
	is(M_reclaim_reclaimed_pages, 32);
	is(M_reclaim_direct_calls, 1);
	is(M_reclaim_memcg_calls, 0);
	assert_int_equal(s.source_ns[SOURCE_RECLAIM], S);
	assert_int_equal(s.source_why[SOURCE_RECLAIM], WHY_OK);
	cut(2 * S);
	is(M_reclaim_tasks_max, 0);
	is(M_reclaim_longest, 0);
	is(M_reclaim_calls, 1);		/* a counter */
}

static void a_call_over_a_cut_is_shared_between_the_intervals(void **state)
{
	(void)state;
	begin(900 * MS, 7, RECLAIM_MEMCG);
	cut(S);
	is(M_reclaim_tasks, 1);
	is(M_reclaim_calls, 0);
	is(M_reclaim_time, 100 * MS);
	is(M_reclaim_longest, 100 * MS);	/* its age so far */
	assert_int_equal(report.figures[RECLAIM_ALL].longest_ns, 100 * MS);
	cut(2 * S);
	is(M_reclaim_tasks_max, 1);		/* it was inside all the time */
	is(M_reclaim_time, 1100 * MS);
	is(M_reclaim_longest, 1100 * MS);
	end(2500 * MS, 7, RECLAIM_MEMCG, 1);
	cut(3 * S);
	is(M_reclaim_tasks, 0);
	is(M_reclaim_calls, 1);
	is(M_reclaim_time, 1600 * MS);
	is(M_reclaim_memcg_longest, 1600 * MS);
	assert_string_equal(report.figures[RECLAIM_MEMCG].longest_command, "task7");
}

static void most_at_once_is_exact_though_none_is_left_at_the_cut(void **state)
{
	(void)state;
	for (int i = 0; i < 56; i++)
		begin((100 + i) * MS, i + 1, RECLAIM_DIRECT);
	for (int i = 0; i < 56; i++)
		end((200 + i) * MS, i + 1, RECLAIM_DIRECT, 1);
	cut(S);
	is(M_reclaim_tasks, 0);
	is(M_reclaim_tasks_max, 56);
	is(M_reclaim_time, 56 * 100 * MS);
	assert_int_equal(report.figures[RECLAIM_ALL].tasks_max, 56);
	assert_int_equal(report.figures[RECLAIM_ALL].tasks_max_ns, 155 * MS);
}

static void a_span_in_another_is_one_task_and_one_call(void **state)
{
	(void)state;
	begin(100 * MS, 7, RECLAIM_DIRECT);
	begin(110 * MS, 7, RECLAIM_MEMCG);
	end(140 * MS, 7, RECLAIM_MEMCG, 3);
	end(150 * MS, 7, RECLAIM_DIRECT, 8);
	cut(S);
	is(M_reclaim_tasks_max, 1);
	is(M_reclaim_calls, 1);
	is(M_reclaim_time, 50 * MS);
	is(M_reclaim_reclaimed_pages, 8);
	is(M_reclaim_direct_time, 50 * MS);
	is(M_reclaim_memcg_time, 30 * MS);
	is(M_reclaim_memcg_calls, 1);
	is(M_reclaim_unmatched, 0);
}

static void softlimit_reclaim_alone_is_kswapds_and_no_task_in_reclaim(void **state)
{
	(void)state;
	begin(100 * MS, 40, RECLAIM_SOFTLIMIT);
	cut(110 * MS);
	is(M_reclaim_tasks, 0);
	end(120 * MS, 40, RECLAIM_SOFTLIMIT, 3);
	cut(S);
	is(M_reclaim_tasks_max, 0);
	is(M_reclaim_calls, 0);
	assert_int_equal(report.figures[RECLAIM_SOFTLIMIT].calls, 1);
	assert_int_equal(report.figures[RECLAIM_SOFTLIMIT].time_ns, 20 * MS);
	assert_int_equal(report.ntasks, 0);
}

static void an_end_without_a_begin_is_unmatched(void **state)
{
	(void)state;
	end(100 * MS, 7, RECLAIM_DIRECT, 8);
	begin(200 * MS, 8, RECLAIM_MEMCG);
	end(210 * MS, 8, RECLAIM_DIRECT, 8);	/* of another kind */
	cut(S);
	is(M_reclaim_unmatched, 2);
	is(M_reclaim_calls, 0);
	is(M_reclaim_tasks, 1);
}

static void a_begin_after_a_begin_is_one_task_and_the_first_is_unmatched(void **state)
{
	(void)state;
	begin(100 * MS, 7, RECLAIM_DIRECT);
	begin(300 * MS, 7, RECLAIM_DIRECT);
	end(310 * MS, 7, RECLAIM_DIRECT, 1);
	cut(S);
	is(M_reclaim_unmatched, 1);
	is(M_reclaim_tasks, 0);
	is(M_reclaim_tasks_max, 1);
	is(M_reclaim_calls, 1);
	is(M_reclaim_longest, 10 * MS);
}

static void the_end_of_the_outer_closes_the_inner_that_lost_its_end(void **state)
{
	(void)state;
	begin(100 * MS, 7, RECLAIM_DIRECT);
	begin(110 * MS, 7, RECLAIM_SOFTLIMIT);
	end(150 * MS, 7, RECLAIM_DIRECT, 1);
	cut(S);
	is(M_reclaim_calls, 1);
	is(M_reclaim_tasks, 0);
	is(M_reclaim_unmatched, 1);
}

static void lost_events_never_leave_a_phantom_task(void **state)
{
	(void)state;
	begin(100 * MS, 7, RECLAIM_DIRECT);
	begin(100 * MS, 8, RECLAIM_DIRECT);
	event(100 * MS, 9, RECLAIM_COMPACT_BEGIN, RECLAIM_ALL, 0);
	event(100 * MS, 40, RECLAIM_KSWAPD_WAKE, RECLAIM_ALL, 0);
	reclaim_lost(r, 500 * MS, 12);
	end(600 * MS, 8, RECLAIM_DIRECT, 1);	/* of a call that we no longer know */
	cut(S);
	is(M_reclaim_tasks, 0);
	is(M_reclaim_lost, 12);
	assert_int_equal(s.source_why[SOURCE_RECLAIM], WHY_LOST);
	assert_int_equal(report.lost, 12);
	cut(2 * S);
	is(M_reclaim_time, 800 * MS);		/* stands still */
	is(M_reclaim_compact_time, 400 * MS);
	is(M_reclaim_kswapd_busy_pct, 400 * MS);
	assert_int_equal(s.source_why[SOURCE_RECLAIM], WHY_OK);
}

static bool only_seven(void *arg, int tid)
{
	(void)arg;
	return tid == 7;
}

static void a_task_that_died_inside_is_given_up(void **state)
{
	(void)state;
	begin(100 * MS, 7, RECLAIM_DIRECT);
	begin(100 * MS, 8, RECLAIM_DIRECT);
	reclaim_check(r, 200 * MS, S, only_seven, NULL);
	cut(300 * MS);
	is(M_reclaim_tasks, 2);			/* too young to doubt */
	reclaim_check(r, 2 * S, S, only_seven, NULL);
	cut(2 * S);
	is(M_reclaim_tasks, 1);
	is(M_reclaim_unmatched, 1);
	is(M_reclaim_calls, 0);
}

static void kswapd_is_busy_from_wake_to_sleep_on_any_node(void **state)
{
	(void)state;
	event(100 * MS, 40, RECLAIM_KSWAPD_WAKE, RECLAIM_ALL, 0);
	event(200 * MS, 40, RECLAIM_KSWAPD_WAKE, RECLAIM_ALL, 0);	/* again, without sleep */
	event(250 * MS, 41, RECLAIM_KSWAPD_WAKE, RECLAIM_ALL, 1);
	event(300 * MS, 40, RECLAIM_KSWAPD_SLEEP, RECLAIM_ALL, 0);
	event(400 * MS, 41, RECLAIM_KSWAPD_SLEEP, RECLAIM_ALL, 1);
	event(900 * MS, 40, RECLAIM_KSWAPD_WAKE, RECLAIM_ALL, 0);
	cut(S);
	is(M_reclaim_kswapd_busy_pct, 400 * MS);
	is(M_reclaim_tasks_max, 0);
}

static void throttling_is_counted_by_reason(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		reclaim_add(r, &(struct reclaim_event){ .t_ns = i * MS, .tid = 7, .value = 100000,
							.type = RECLAIM_THROTTLED,
							.reason = THROTTLE_WRITEBACK });
	reclaim_add(r, &(struct reclaim_event){ .t_ns = 5 * MS, .tid = 7, .value = 1000,
						.type = RECLAIM_THROTTLED,
						.reason = THROTTLE_OTHER });
	cut(S);
	is(M_reclaim_throttled, 4);
	is(M_reclaim_throttled_writeback, 3);
	is(M_reclaim_throttled_congested, 0);
	is(M_reclaim_throttled_time, 301 * MS);
	assert_int_equal(report.throttled[THROTTLE_OTHER], 1);
}

static void compactions_of_two_tasks_add_up(void **state)
{
	(void)state;
	event(100 * MS, 7, RECLAIM_COMPACT_BEGIN, RECLAIM_ALL, 0);
	event(150 * MS, 8, RECLAIM_COMPACT_BEGIN, RECLAIM_ALL, 0);
	event(200 * MS, 7, RECLAIM_COMPACT_END, RECLAIM_ALL, 0);
	event(250 * MS, 8, RECLAIM_COMPACT_END, RECLAIM_ALL, 0);
	event(300 * MS, 9, RECLAIM_COMPACT_END, RECLAIM_ALL, 0);
	cut(S);
	is(M_reclaim_compactions, 2);
	is(M_reclaim_compact_time, 200 * MS);
	is(M_reclaim_unmatched, 1);
}

static void latencies_fall_into_buckets_of_powers_of_two(void **state)
{
	(void)state;
	assert_int_equal(reclaim_bucket_ns(0), 0);
	assert_int_equal(reclaim_bucket_ns(1), 1000);
	assert_int_equal(reclaim_bucket_ns(11), 1024000);
	begin(0, 7, RECLAIM_DIRECT);
	end(999, 7, RECLAIM_DIRECT, 1);
	begin(2000, 7, RECLAIM_DIRECT);
	end(3000, 7, RECLAIM_DIRECT, 1);
	begin(4000, 7, RECLAIM_DIRECT);
	end(4000 + 1024000, 7, RECLAIM_DIRECT, 1);
	begin(2 * S, 7, RECLAIM_MEMCG);
	end(2000 * S, 7, RECLAIM_MEMCG, 1);
	cut(3000 * S);
	assert_int_equal(report.figures[RECLAIM_DIRECT].latency[0], 1);
	assert_int_equal(report.figures[RECLAIM_DIRECT].latency[1], 1);
	assert_int_equal(report.figures[RECLAIM_DIRECT].latency[11], 1);
	assert_int_equal(report.figures[RECLAIM_ALL].latency[RECLAIM_BUCKETS - 1], 1);
}

static void tasks_are_listed_by_their_time_those_inside_included(void **state)
{
	(void)state;
	begin(100 * MS, 7, RECLAIM_DIRECT);
	end(130 * MS, 7, RECLAIM_DIRECT, 1);
	begin(200 * MS, 8, RECLAIM_MEMCG);
	end(250 * MS, 8, RECLAIM_MEMCG, 1);
	begin(900 * MS, 9, RECLAIM_MEMCG);
	cut(S);
	assert_int_equal(report.ntasks, 3);
	assert_int_equal(report.task[0].tid, 9);
	assert_true(report.task[0].inside);
	assert_int_equal(report.task[0].total_ns, 100 * MS);
	assert_int_equal(report.task[1].tid, 8);
	assert_int_equal(report.task[2].tid, 7);
	assert_int_equal(report.task[2].calls, 1);
	assert_string_equal(report.task[2].command, "task7");
}

static void a_task_that_was_gone_is_named_when_its_name_is_known(void **state)
{
	(void)state;
	begin(10 * MS, 7, RECLAIM_DIRECT);
	end(20 * MS, 7, RECLAIM_DIRECT, 1);
	assert_false(reclaim_wants_names(r));
	begin(30 * MS, 9001, RECLAIM_DIRECT);
	end(130 * MS, 9001, RECLAIM_DIRECT, 1);
	assert_true(reclaim_wants_names(r));
	assert_false(reclaim_wants_names(r));	/* asked once for each */
	reclaim_name(r, 7, "somebody else");
	reclaim_name(r, 9001, "hog");
	reclaim_name(r, 9002, "never met");
	cut(S);
	assert_int_equal(report.ntasks, 2);
	assert_string_equal(report.task[0].command, "hog");
	assert_int_equal(report.task[0].pid, 0);
	assert_string_equal(report.task[1].command, "task7");
	assert_string_equal(report.figures[RECLAIM_DIRECT].longest_command, "hog");
}

static void more_tasks_than_there_is_room_for_keep_all_sums(void **state)
{
	const int n = 20000;

	(void)state;
	begin(0, n + 1, RECLAIM_DIRECT);		/* stays inside */
	for (int i = 1; i <= n; i++) {
		begin(i * MS, i, RECLAIM_DIRECT);
		end(i * MS + (i == 5 ? 500000 : 1000), i, RECLAIM_DIRECT, 1);
	}
	cut(30 * S);
	is(M_reclaim_calls, (uint64_t)n);
	is(M_reclaim_tasks, 1);
	is(M_reclaim_tasks_max, 2);
	is(M_reclaim_unmatched, 0);
	assert_int_equal(report.ntasks, RECLAIM_TASKS_MAX);
	assert_true(report.tasks_forgotten > 0);
	assert_int_equal(report.task[0].tid, n + 1);
	assert_int_equal(report.task[1].tid, 5);	/* who spent most is not forgotten */
}

static void an_event_that_comes_late_changes_no_area_before_it(void **state)
{
	(void)state;
	begin(500 * MS, 7, RECLAIM_DIRECT);
	begin(400 * MS, 8, RECLAIM_DIRECT);
	end(600 * MS, 8, RECLAIM_DIRECT, 1);
	cut(S);
	is(M_reclaim_tasks_max, 2);
	is(M_reclaim_calls, 1);
	is(M_reclaim_direct_time, 600 * MS);
}

static void intervals_join_with_the_larger_maximum(void **state)
{
	struct sample earlier;

	(void)state;
	begin(100 * MS, 7, RECLAIM_DIRECT);
	begin(100 * MS, 8, RECLAIM_DIRECT);
	end(150 * MS, 7, RECLAIM_DIRECT, 1);
	end(150 * MS, 8, RECLAIM_DIRECT, 1);
	cut(S);
	earlier = s;
	begin(1100 * MS, 7, RECLAIM_DIRECT);
	end(1200 * MS, 7, RECLAIM_DIRECT, 1);
	cut(2 * S);
	reclaim_join(&s, &earlier);
	is(M_reclaim_tasks_max, 2);
	is(M_reclaim_direct_tasks_max, 2);
	is(M_reclaim_longest, 100 * MS);
	is(M_reclaim_calls, 3);
}

static void rows_give_progress_since_the_sample_before(void **state)
{
	const struct derive_env env = { .page_size = 4096, .clock_ticks = 100, .long_bits = 64 };
	struct sample prev;
	struct row row;

	(void)state;
	begin(100 * MS, 7, RECLAIM_DIRECT);
	cut(S);
	prev = s;
	prev.mono_ns = prev.boot_ns = S;
	end(1500 * MS, 7, RECLAIM_DIRECT, 40);
	cut(3 * S);
	s.mono_ns = s.boot_ns = 3 * S;
	s.interval_ns = 2 * S;
	s.seq = 1;
	derive(&env, &prev, &s, &row);
	assert_int_equal(row.why[M_reclaim_calls], WHY_OK);
	assert_float_equal(row.value[M_reclaim_calls], 1, 0);
	assert_float_equal(row.value[M_reclaim_reclaimed_pages], 40, 0);
	assert_float_equal(row.value[M_reclaim_time_ms], 500, 1e-9);
	assert_float_equal(row.value[M_reclaim_time], 25, 1e-9);
	assert_float_equal(row.value[M_reclaim_longest_ms], 1400, 1e-9);
	prev.source_why[SOURCE_RECLAIM] = WHY_LOST;	/* its totals are right all the same */
	derive(&env, &prev, &s, &row);
	assert_int_equal(row.why[M_reclaim_calls], WHY_OK);
	s.source_why[SOURCE_RECLAIM] = WHY_LOST;
	derive(&env, &prev, &s, &row);
	assert_int_equal(row.why[M_reclaim_calls], WHY_LOST);
	assert_int_equal(row.why[M_reclaim_longest_ms], WHY_LOST);
}

static void summary(const struct reclaim_report *of, char *buf, size_t size)
{
	FILE *f = tmpfile();
	size_t n;

	reclaim_print_summary(of, "may not be read: run vmtop as root", fileno(f));
	rewind(f);
	n = fread(buf, 1, size - 1, f);
	buf[n] = '\0';
	fclose(f);
}

static void the_summary_names_most_and_longest_or_says_why_not(void **state)
{
	static const struct reclaim_report none;
	char text[512];

	(void)state;
	begin(100 * MS, 7, RECLAIM_DIRECT);
	begin(110 * MS, 8, RECLAIM_MEMCG);
	end(10911 * MS, 7, RECLAIM_DIRECT, 1);
	end(10911 * MS, 8, RECLAIM_MEMCG, 1);
	cut(20 * S);
	summary(&report, text, sizeof(text));
	assert_string_equal(text, "Max parallel reclaim tasks:         2\n"
				  "Max time in try_to_free_pages() (ms): 10811.000 (direct)\n");
	report.lost = 3;
	summary(&report, text, sizeof(text));
	assert_non_null(strstr(text, "2 (or more: 3 events were lost)\n"));
	summary(&none, text, sizeof(text));
	assert_string_equal(text,
		"Max parallel reclaim tasks:         n/a (may not be read: run vmtop as root)\n"
		"Max time in try_to_free_pages() (ms): n/a (may not be read: run vmtop as root)\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_call_is_counted_with_its_own_times),
		TEST(a_call_over_a_cut_is_shared_between_the_intervals),
		TEST(most_at_once_is_exact_though_none_is_left_at_the_cut),
		TEST(a_span_in_another_is_one_task_and_one_call),
		TEST(softlimit_reclaim_alone_is_kswapds_and_no_task_in_reclaim),
		TEST(an_end_without_a_begin_is_unmatched),
		TEST(a_begin_after_a_begin_is_one_task_and_the_first_is_unmatched),
		TEST(the_end_of_the_outer_closes_the_inner_that_lost_its_end),
		TEST(lost_events_never_leave_a_phantom_task),
		TEST(a_task_that_died_inside_is_given_up),
		TEST(kswapd_is_busy_from_wake_to_sleep_on_any_node),
		TEST(throttling_is_counted_by_reason),
		TEST(compactions_of_two_tasks_add_up),
		TEST(latencies_fall_into_buckets_of_powers_of_two),
		TEST(tasks_are_listed_by_their_time_those_inside_included),
		TEST(a_task_that_was_gone_is_named_when_its_name_is_known),
		TEST(more_tasks_than_there_is_room_for_keep_all_sums),
		TEST(an_event_that_comes_late_changes_no_area_before_it),
		TEST(intervals_join_with_the_larger_maximum),
		TEST(rows_give_progress_since_the_sample_before),
		TEST(the_summary_names_most_and_longest_or_says_why_not),
	};

	return TAP_RUN(tests, NULL, NULL);
}
