/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tap.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#include "src/ring.h"

enum { SLOTS = 8, STRESS = 100000 };

static int ring_setup(void **state)
{
	*state = ring_new(SLOTS);
	return 0;
}

static int ring_teardown(void **state)
{
	ring_free(*state);
	return 0;
}

static bool readable(const struct ring *r)
{
	struct pollfd fd = { .fd = ring_fd(r), .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

static struct sample numbered(uint64_t n)
{
	struct sample s = { .seq = n };

	sample_set(&s, METRIC_COUNT - 1, n * 3);
	return s;
}

static void samples_come_out_whole_and_in_order(void **state)
{
	struct ring *r = *state;
	struct sample s;

	for (uint64_t round = 0; round < 5; round++) {
		for (uint64_t i = 0; i < 5; i++) {
			s = numbered(round * 5 + i);
			assert_true(ring_push(r, &s));
		}
		for (uint64_t i = 0; i < 5; i++) {
			assert_true(ring_pop(r, &s));
			assert_int_equal(s.seq, round * 5 + i);
			assert_int_equal(s.value[METRIC_COUNT - 1], 3 * s.seq);
			assert_true(sample_has(&s, METRIC_COUNT - 1));
		}
		assert_false(ring_pop(r, &s));
	}
}

static void a_full_ring_loses_the_new_samples_and_counts_them_in_the_next(void **state)
{
	struct ring *r = *state;
	struct sample s;

	for (uint64_t i = 0; i < SLOTS; i++) {
		s = numbered(i);
		assert_true(ring_push(r, &s));
		assert_int_equal(s.dropped, 0);
	}
	for (uint64_t i = 0; i < 3; i++) {
		s = numbered(100 + i);
		assert_false(ring_push(r, &s));
	}
	for (uint64_t i = 0; i < SLOTS; i++) {
		assert_true(ring_pop(r, &s));
		assert_int_equal(s.seq, i);
		assert_int_equal(s.dropped, 0);
	}
	s = numbered(200);
	assert_true(ring_push(r, &s));
	s = numbered(201);
	assert_true(ring_push(r, &s));
	assert_true(ring_pop(r, &s));
	assert_int_equal(s.seq, 200);
	assert_int_equal(s.dropped, 3);
	assert_true(ring_pop(r, &s));
	assert_int_equal(s.dropped, 0);
}

static void it_is_readable_while_samples_wait_and_not_when_found_empty(void **state)
{
	struct ring *r = *state;
	struct sample s = numbered(1);

	assert_false(readable(r));
	assert_true(ring_push(r, &s));
	assert_true(ring_push(r, &s));
	assert_true(readable(r));
	assert_true(ring_pop(r, &s));
	assert_true(readable(r));
	assert_true(ring_pop(r, &s));
	assert_false(ring_pop(r, &s));
	assert_false(readable(r));
	assert_true(ring_push(r, &s));
	assert_true(readable(r));
}

/* Pushes until STRESS samples got in; seq counts all tries. */
static void *producer(void *arg)
{
	struct ring *r = arg;
	uint64_t seq = 0;

	for (int in = 0; in < STRESS;) {
		struct sample s = numbered(++seq);

		if (ring_push(r, &s))
			in++;
		else
			sched_yield();
	}
	return NULL;
}

/* Takes STRESS samples, at most burst of them each time that the descriptor is readable. */
static void consume(struct ring *r, int burst)
{
	struct pollfd fd = { .fd = ring_fd(r), .events = POLLIN };
	uint64_t last = 0, dropped = 0;
	struct sample s;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, producer, r), 0);
	for (int got = 0; got < STRESS;) {
		/* If a sample waited unannounced, the producer might be done and nobody come. */
		assert_int_equal(poll(&fd, 1, 30000), 1);
		for (int i = 0; i < burst && ring_pop(r, &s); i++) {
			assert_int_equal(s.seq, last + 1 + s.dropped);
			assert_int_equal(s.value[METRIC_COUNT - 1], 3 * s.seq);
			last = s.seq;
			dropped += s.dropped;
			got++;
		}
	}
	pthread_join(thread, NULL);
	assert_false(ring_pop(r, &s));
	assert_int_equal(last, STRESS + dropped);
}

static void two_threads_lose_nothing_uncounted(void **state)
{
	consume(*state, INT_MAX);
}

static void two_threads_lose_no_wakeup(void **state)
{
	consume(*state, 1);
}

int main(void)
{
#define WITH_RING(test) cmocka_unit_test_setup_teardown(test, ring_setup, ring_teardown)
	const struct CMUnitTest tests[] = {
		WITH_RING(samples_come_out_whole_and_in_order),
		WITH_RING(a_full_ring_loses_the_new_samples_and_counts_them_in_the_next),
		WITH_RING(it_is_readable_while_samples_wait_and_not_when_found_empty),
		WITH_RING(two_threads_lose_nothing_uncounted),
		WITH_RING(two_threads_lose_no_wakeup),
	};

	return TAP_RUN(tests, NULL, NULL);
}
