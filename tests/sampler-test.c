/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tap.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/sampler.h"

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)

enum { DEADLINE_MS = 30000 };

/* A source of the test's own, and what it saw of the thread that read it. */
struct fake {
	struct source source;
	int result;
	int64_t delay_ns;	/* how long a reading takes */
	atomic_int reads;
	int policy, priority;
	bool signals_blocked;
	size_t stack;
};

static void look_at_thread(struct fake *f)
{
	struct sched_param param;
	pthread_attr_t attr;
	sigset_t set;

	f->policy = sched_getscheduler(0);
	sched_getparam(0, &param);
	f->priority = param.sched_priority;
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	f->signals_blocked = sigismember(&set, SIGTERM) && sigismember(&set, SIGINT) &&
			     sigismember(&set, SIGWINCH) && sigismember(&set, SIGALRM);
	if (pthread_getattr_np(pthread_self(), &attr) == 0) {
		pthread_attr_getstacksize(&attr, &f->stack);
		pthread_attr_destroy(&attr);
	}
}

static int fake_read(struct source *src, struct sample *s)
{
	struct fake *f = (struct fake *)src;
	const struct timespec delay = { .tv_nsec = f->delay_ns };

	if (atomic_load(&f->reads) == 0)
		look_at_thread(f);
	if (f->delay_ns)
		nanosleep(&delay, NULL);
	if (f->result == 0)
		sample_set(s, M_vm_pswpin, (uint64_t)atomic_load(&f->reads));
	atomic_fetch_add(&f->reads, 1);
	return f->result;
}

struct bench {
	struct fake fake;
	struct source *sources[1];
	struct ring *ring;
	struct sampler *sampler;
};

static void bench_start(struct bench *b, int64_t interval_ns, size_t slots, bool realtime)
{
	struct sampler_config config = {
		.sources = b->sources, .nsources = 1, .interval_ns = interval_ns,
		.realtime = realtime,
	};
	char err[128];

	b->fake.source = (struct source){ .id = SOURCE_VMSTAT, .read = fake_read };
	b->sources[0] = &b->fake.source;
	config.ring = b->ring = ring_new(slots);
	b->sampler = sampler_start(&config, err, sizeof(err));
	assert_non_null(b->sampler);
}

static void bench_stop(struct bench *b)
{
	sampler_stop(b->sampler);
	ring_free(b->ring);
}

static void next_sample(const struct bench *b, struct sample *s)
{
	struct pollfd fd = { .fd = ring_fd(b->ring), .events = POLLIN };

	while (!ring_pop(b->ring, s))
		assert_int_equal(poll(&fd, 1, DEADLINE_MS), 1);
}

/*
 * However busy the machine is: a sample's tick is one of the lattice, it is never early, and the
 * ticks between two samples are all counted.
 */
static void check_ticks(const struct sample *s, size_t n, int64_t interval_ns)
{
	int64_t origin = s[0].due_ns;

	for (size_t i = 0; i < n; i++) {
		assert_int_equal((s[i].due_ns - origin) % interval_ns, 0);
		assert_true(s[i].mono_ns >= s[i].due_ns);
		assert_int_equal(s[i].interval_ns, interval_ns);
		assert_int_equal(s[i].seq, i + 1);
		assert_true(s[i].cost_ns > 0);
		assert_true(s[i].source_ns[SOURCE_VMSTAT] >= s[i].mono_ns);
		if (i > 0)
			assert_int_equal((s[i].mono_ns - origin) / interval_ns -
					 (s[i - 1].mono_ns - origin) / interval_ns,
					 1 + (int64_t)s[i].missed);
	}
}

static void ticks_are_exact_multiples_of_the_interval(void **state)
{
	enum { SAMPLES = 40 };
	static struct sample s[SAMPLES];
	struct bench b = { 0 };

	(void)state;
	bench_start(&b, 5 * NS_PER_MS, 64, false);
	for (size_t i = 0; i < SAMPLES; i++)
		next_sample(&b, &s[i]);
	bench_stop(&b);
	check_ticks(s, SAMPLES, 5 * NS_PER_MS);
}

static void the_first_tick_comes_at_once(void **state)
{
	struct bench b = { 0 };
	struct sample s;

	(void)state;
	bench_start(&b, 3600 * NS_PER_S, 4, false);
	next_sample(&b, &s);
	bench_stop(&b);
	assert_int_equal(s.seq, 1);
	assert_int_equal(s.missed, 0);
	assert_int_equal(s.interval_ns, 3600 * NS_PER_S);
	assert_true(s.boot_ns >= s.mono_ns);
	assert_true(s.real_ns > 1000000000 * NS_PER_S);
	assert_int_equal(s.source_why[SOURCE_VMSTAT], WHY_OK);
	assert_int_equal(s.source_ns[SOURCE_MEMINFO], 0);
}

static void ticks_that_pass_while_a_source_is_slow_are_counted_as_missed(void **state)
{
	enum { SAMPLES = 6 };
	static struct sample s[SAMPLES];
	struct bench b = { .fake.delay_ns = 22 * NS_PER_MS };

	(void)state;
	bench_start(&b, 5 * NS_PER_MS, 64, false);
	for (size_t i = 0; i < SAMPLES; i++)
		next_sample(&b, &s[i]);
	bench_stop(&b);
	check_ticks(s, SAMPLES, 5 * NS_PER_MS);
	assert_int_equal(s[0].missed, 0);
	for (size_t i = 1; i < SAMPLES; i++) {
		assert_true(s[i].missed >= 4);
		assert_true(s[i].cost_ns >= 22 * NS_PER_MS);
	}
}

/* Samples until one is late by four ticks, then checks all: the exit status of the child. */
static int sample_until_late(int ready)
{
	enum { SAMPLES = 2000 };
	const int64_t interval_ns = 5 * NS_PER_MS;
	static struct sample s[SAMPLES];
	struct bench b = { 0 };
	int64_t late = 0;
	size_t n;

	bench_start(&b, interval_ns, 64, false);
	for (n = 0; n < SAMPLES && late < 4; n++) {
		next_sample(&b, &s[n]);
		late = (s[n].mono_ns - s[n].due_ns) / interval_ns;
		if (n == 0 && write(ready, "", 1) != 1)
			return 1;
	}
	bench_stop(&b);
	if (late < 4)
		return 2;
	check_ticks(s, n, interval_ns);
	return s[n - 1].missed >= (uint64_t)late ? 0 : 3;
}

static void ticks_that_pass_while_the_thread_may_not_run_are_counted_too(void **state)
{
	const struct timespec pause = { .tv_nsec = 60 * NS_PER_MS };
	int fds[2], status;
	pid_t pid, ended;
	char byte;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(sample_until_late(fds[1]));
	assert_int_equal(read(fds[0], &byte, 1), 1);
	/* More than once: stopped in the middle of a sample it is not late for the next. */
	while ((ended = waitpid(pid, &status, WNOHANG)) == 0) {
		kill(pid, SIGSTOP);
		nanosleep(&pause, NULL);
		kill(pid, SIGCONT);
		nanosleep(&pause, NULL);
	}
	assert_int_equal(ended, pid);
	assert_int_equal(status, 0);
	close(fds[0]);
	close(fds[1]);
}

static void a_changed_interval_takes_effect_at_its_next_multiple(void **state)
{
	struct bench b = { 0 };
	struct sample first, s;
	int64_t last_due;

	(void)state;
	bench_start(&b, 3600 * NS_PER_S, 64, false);
	next_sample(&b, &first);
	sampler_set_interval(b.sampler, 10 * NS_PER_MS);
	last_due = first.due_ns;
	for (int i = 0; i < 5; i++) {
		next_sample(&b, &s);
		assert_int_equal(s.interval_ns, 10 * NS_PER_MS);
		assert_int_equal((s.due_ns - first.due_ns) % (10 * NS_PER_MS), 0);
		assert_true(s.due_ns > last_due);
		last_due = s.due_ns;
	}
	bench_stop(&b);
}

static void an_interval_of_nothing_is_one_millisecond(void **state)
{
	struct bench b = { 0 };
	struct sample s;

	(void)state;
	bench_start(&b, 0, 64, false);
	next_sample(&b, &s);
	assert_int_equal(s.interval_ns, NS_PER_MS);
	bench_stop(&b);
}

static void samples_that_find_the_ring_full_are_counted(void **state)
{
	struct timespec pause = { .tv_nsec = NS_PER_MS };
	struct bench b = { 0 };
	struct sample s;
	uint64_t last = 0;

	(void)state;
	bench_start(&b, 2 * NS_PER_MS, 2, false);
	for (int i = 0; atomic_load(&b.fake.reads) < 6 && i < DEADLINE_MS; i++)
		nanosleep(&pause, NULL);
	assert_true(atomic_load(&b.fake.reads) >= 6);
	for (int i = 0; i < 4; i++) {
		next_sample(&b, &s);
		assert_int_equal(s.seq, last + 1 + s.dropped);
		if (i == 2)
			assert_true(s.dropped >= 3);
		last = s.seq;
	}
	bench_stop(&b);
}

static void a_source_that_fails_leaves_its_reason_and_no_numbers(void **state)
{
	struct bench b = { .fake.result = -EACCES };
	struct sample s;

	(void)state;
	bench_start(&b, 3600 * NS_PER_S, 4, false);
	next_sample(&b, &s);
	bench_stop(&b);
	assert_int_equal(s.source_why[SOURCE_VMSTAT], WHY_DENIED);
	assert_true(s.source_ns[SOURCE_VMSTAT] > 0);
	for (size_t i = 0; i < sizeof(s.valid); i++)
		assert_int_equal(s.valid[i], 0);
}

static void the_thread_is_small_deaf_to_signals_and_ordinary_unless_asked(void **state)
{
	struct bench b = { 0 };
	struct sample s;

	(void)state;
	bench_start(&b, 3600 * NS_PER_S, 4, false);
	next_sample(&b, &s);
	assert_int_equal(sampler_realtime_error(b.sampler), -1);
	assert_int_equal(b.fake.policy, SCHED_OTHER);
	assert_true(b.fake.signals_blocked);
	assert_true(b.fake.stack <= 1024 * 1024);	/* the default is 8 MiB */
	bench_stop(&b);
}

static void a_realtime_thread_is_round_robin_at_1_or_says_why_not(void **state)
{
	struct bench b = { 0 };
	struct sample s;
	int error;

	(void)state;
	bench_start(&b, 3600 * NS_PER_S, 4, true);
	next_sample(&b, &s);
	error = sampler_realtime_error(b.sampler);
	if (error == 0) {
		assert_int_equal(b.fake.policy, SCHED_RR | SCHED_RESET_ON_FORK);
		assert_int_equal(b.fake.priority, 1);
	} else {
		assert_int_equal(error, EPERM);
		assert_int_equal(b.fake.policy, SCHED_OTHER);
	}
	bench_stop(&b);
}

static void a_reading_outside_the_thread_is_the_same_sample(void **state)
{
	struct fake f = { .source = { .id = SOURCE_VMSTAT, .read = fake_read } };
	struct source *sources[] = { &f.source };
	struct sample s;

	(void)state;
	memset(&s, 0xff, sizeof(s));
	sampler_read(sources, 1, &s);
	assert_int_equal(s.due_ns, s.mono_ns);
	assert_int_equal(s.missed, 0);
	assert_int_equal(s.dropped, 0);
	assert_true(sample_has(&s, M_vm_pswpin));
	assert_false(sample_has(&s, M_vm_pswpout));
	assert_int_equal(s.value[M_vm_pswpin], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_are_exact_multiples_of_the_interval),
		cmocka_unit_test(the_first_tick_comes_at_once),
		cmocka_unit_test(ticks_that_pass_while_a_source_is_slow_are_counted_as_missed),
		cmocka_unit_test(ticks_that_pass_while_the_thread_may_not_run_are_counted_too),
		cmocka_unit_test(a_changed_interval_takes_effect_at_its_next_multiple),
		cmocka_unit_test(an_interval_of_nothing_is_one_millisecond),
		cmocka_unit_test(samples_that_find_the_ring_full_are_counted),
		cmocka_unit_test(a_source_that_fails_leaves_its_reason_and_no_numbers),
		cmocka_unit_test(the_thread_is_small_deaf_to_signals_and_ordinary_unless_asked),
		cmocka_unit_test(a_realtime_thread_is_round_robin_at_1_or_says_why_not),
		cmocka_unit_test(a_reading_outside_the_thread_is_the_same_sample),
	};

	return TAP_RUN(tests, NULL, NULL);
}
