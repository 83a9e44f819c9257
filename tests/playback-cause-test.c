/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose fault a player's lateness is. */
#include "tests/tap.h"

#include "probes/playback_cause.h"

#define MS INT64_C(1000000)

static const struct reading start = { .t_ns = 1000 * MS, .cpu_ns = 7 * MS, .queue_ns = 3 * MS,
	.delay_ns = 5 * MS, .thrash_ns = 2 * MS, .faults = 100 };

/* start, ms later. */
static struct reading later(int64_t ms)
{
	struct reading r = start;

	r.t_ns += ms * MS;
	return r;
}

static void expect(const struct shares *s, int64_t memory, int64_t file, int64_t cpu,
	int64_t stopped, int64_t rest)
{
	assert_int_equal(memory * MS, s->ns[PLAYBACK_MEMORY]);
	assert_int_equal(file * MS, s->ns[PLAYBACK_READ]);
	assert_int_equal(cpu * MS, s->ns[PLAYBACK_CPU]);
	assert_int_equal(stopped * MS, s->ns[PLAYBACK_STOPPED]);
	assert_int_equal(rest * MS, s->ns[PLAYBACK_SERVER]);
}

static void sleep_as_long_as_meant_is_no_wait(void **state)
{
	struct reading to = later(10);
	struct shares s;

	(void)state;
	to.queue_ns += 5 * MS;	/* woken early by something else, and had to queue then */
	s = cause_segment(&start, &to, SEGMENT_SLEEP, to.t_ns, true);
	expect(&s, 0, 0, 0, 0, 0);
	s = cause_segment(&start, &to, SEGMENT_SLEEP, to.t_ns + MS, false);
	expect(&s, 0, 0, 0, 0, 0);
}

static void only_the_lateness_of_a_sleep_counts(void **state)
{
	struct reading to = later(510);
	struct shares s = cause_segment(&start, &to, SEGMENT_SLEEP, start.t_ns + 10 * MS, true);

	(void)state;
	expect(&s, 0, 0, 0, 500, 0);
	s = cause_segment(&start, &to, SEGMENT_SLEEP, start.t_ns - 10 * MS, true);
	expect(&s, 0, 0, 0, 510, 0);
}

static void queueing_is_the_cpus(void **state)
{
	struct reading to = later(110);
	struct shares s;

	(void)state;
	to.queue_ns += 90 * MS;
	to.cpu_ns += MS;
	s = cause_segment(&start, &to, SEGMENT_SLEEP, start.t_ns + 10 * MS, false);
	expect(&s, 0, 0, 90, 0, 9);
	to.queue_ns += 1000 * MS;	/* more than there was time: of the sleep before */
	s = cause_segment(&start, &to, SEGMENT_SLEEP, start.t_ns + 10 * MS, false);
	expect(&s, 0, 0, 100, 0, 0);
}

static void stopped_and_queued_afterwards_are_told_apart(void **state)
{
	struct reading to = later(610);
	struct shares s;

	(void)state;
	to.queue_ns += 100 * MS;
	to.faults++;	/* its own stack, at the handler's time: less than a stop */
	s = cause_segment(&start, &to, SEGMENT_SLEEP, start.t_ns + 10 * MS, true);
	expect(&s, 0, 0, 100, 500, 0);
	to.delay_ns += 50 * MS;
	s = cause_segment(&start, &to, SEGMENT_SLEEP, start.t_ns + 10 * MS, true);
	expect(&s, 50, 0, 100, 450, 0);
}

static void a_slow_read_is_the_files(void **state)
{
	struct reading to = later(200);
	struct shares s;

	(void)state;
	to.cpu_ns += 2 * MS;
	to.queue_ns += 20 * MS;
	to.thrash_ns += 150 * MS;	/* the file's own page read again */
	s = cause_segment(&start, &to, SEGMENT_READ, 0, false);
	expect(&s, 0, 180, 20, 0, 0);
	to.delay_ns += 80 * MS;		/* reclaim to find room for its page */
	s = cause_segment(&start, &to, SEGMENT_READ, 0, false);
	expect(&s, 80, 100, 20, 0, 0);
}

static void page_faults_are_its_memory_with_or_without_delay_accounting(void **state)
{
	struct reading from = start, to = later(100);
	struct shares s;

	(void)state;
	to.faults += 3;
	to.cpu_ns += 30 * MS;	/* zram decompresses on the CPU */
	to.queue_ns += 10 * MS;
	s = cause_segment(&from, &to, SEGMENT_WORK, 0, false);
	expect(&s, 90, 0, 10, 0, 0);
	to.delay_ns += 40 * MS;
	to.thrash_ns += 20 * MS;
	s = cause_segment(&from, &to, SEGMENT_WORK, 0, false);
	expect(&s, 90, 0, 10, 0, 0);
	from.delay_ns = from.thrash_ns = to.delay_ns = to.thrash_ns = -1;
	s = cause_segment(&from, &to, SEGMENT_WORK, 0, false);
	expect(&s, 90, 0, 10, 0, 0);
}

static void delays_without_faults_are_memory_too(void **state)
{
	struct reading to = later(100);
	struct shares s;

	(void)state;
	to.delay_ns += 60 * MS;
	to.cpu_ns += 60 * MS;
	s = cause_segment(&start, &to, SEGMENT_WORK, 0, false);
	expect(&s, 60, 0, 0, 0, 40);
}

static void work_is_nobodys_fault(void **state)
{
	struct reading to = later(100);
	struct shares s;

	(void)state;
	to.cpu_ns += 98 * MS;
	s = cause_segment(&start, &to, SEGMENT_WORK, 0, false);
	expect(&s, 0, 0, 0, 0, 2);
	assert_int_equal(2 * MS, shares_total(&s));
}

static void a_counter_that_is_not_known_takes_nothing(void **state)
{
	struct reading from = start, to = later(50);
	struct shares s;

	(void)state;
	from.queue_ns = -1;	/* readable only now */
	to.queue_ns = 40 * MS;
	to.delay_ns = 0;	/* went back */
	s = cause_segment(&from, &to, SEGMENT_WORK, 0, false);
	expect(&s, 0, 0, 0, 0, 50);
}

static void the_largest_share_names_the_cause(void **state)
{
	struct shares s = { { 0 } }, sum = { { 0 } };

	(void)state;
	assert_int_equal(PLAYBACK_UNKNOWN, shares_cause(&s, true));
	s.ns[PLAYBACK_READ] = 60;
	s.ns[PLAYBACK_CPU] = 40;
	assert_int_equal(PLAYBACK_READ, shares_cause(&s, false));
	s.ns[PLAYBACK_CPU] = 55;
	assert_int_equal(PLAYBACK_TIE, shares_cause(&s, false));
	shares_add(&sum, &s);
	shares_add(&sum, &s);
	assert_int_equal(230, shares_total(&sum));
	s.ns[PLAYBACK_SERVER] = 200;
	assert_int_equal(PLAYBACK_SERVER, shares_cause(&s, true));
	assert_int_equal(PLAYBACK_UNKNOWN, shares_cause(&s, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sleep_as_long_as_meant_is_no_wait),
		cmocka_unit_test(only_the_lateness_of_a_sleep_counts),
		cmocka_unit_test(queueing_is_the_cpus),
		cmocka_unit_test(stopped_and_queued_afterwards_are_told_apart),
		cmocka_unit_test(a_slow_read_is_the_files),
		cmocka_unit_test(page_faults_are_its_memory_with_or_without_delay_accounting),
		cmocka_unit_test(delays_without_faults_are_memory_too),
		cmocka_unit_test(work_is_nobodys_fault),
		cmocka_unit_test(a_counter_that_is_not_known_takes_nothing),
		cmocka_unit_test(the_largest_share_names_the_cause),
	};

	return TAP_RUN(tests, NULL, NULL);
}
