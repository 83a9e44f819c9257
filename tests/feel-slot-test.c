/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a probe's process hands to the reporter of vmtop-feel. */
#include "tests/tap.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/feel_slot.h"

#define MS INT64_C(1000000)

static struct feel_board board;

static int setup(void **state)
{
	(void)state;
	return feel_board_init(&board);
}

static int teardown(void **state)
{
	(void)state;
	feel_board_done(&board);
	return 0;
}

static void another_process_s_waits_come_in_order(void **state)
{
	struct feel_slot *slot = board.slot[FEEL_WAKE];
	struct feel_wait w;
	pid_t child = fork();
	int64_t next = 1;
	int status;

	(void)state;
	if (child == 0) {
		for (int64_t i = 1; i <= 100000; i++) {
			while (atomic_load(&slot->head) - atomic_load(&slot->tail) ==
					slot->capacity)
				;
			feel_slot_push(slot, i, 2 * i);
		}
		feel_slot_reason(slot, "%d of %s", 100000, "them");
		_exit(0);
	}
	assert_true(child > 0);
	while (next <= 100000)
		if (feel_slot_pop(slot, &w)) {
			assert_true(w.due_ns == next && w.done_ns == 2 * next);
			next++;
		}
	assert_int_equal(child, waitpid(child, &status, 0));
	assert_false(feel_slot_pop(slot, &w));
	assert_int_equal(0, atomic_load(&slot->lost));
	assert_string_equal("100000 of them", slot->reason);
	assert_false(feel_slot_pop(board.slot[FEEL_KEY], &w));
}

static void the_longest_is_never_lost(void **state)
{
	struct feel_slot *slot = board.slot[FEEL_KEY];
	int64_t longest = 0, last = 0;
	struct feel_wait w;
	unsigned got = 0;

	(void)state;
	for (int64_t i = 1; i <= 1000; i++)
		feel_slot_push(slot, i * 1000, i * 1000 + (i == 700 ? 900 : i % 10));
	assert_int_equal(1000 - slot->capacity - 1, atomic_load(&slot->lost));
	for (unsigned i = 0; i < slot->capacity; i++)
		assert_true(feel_slot_pop(slot, &w));
	assert_false(feel_slot_pop(slot, &w));
	feel_slot_push(slot, 2000000, 2000001);
	for (; feel_slot_pop(slot, &w); got++) {
		longest = w.done_ns - w.due_ns > longest ? w.done_ns - w.due_ns : longest;
		assert_true(w.done_ns > last);
		last = w.done_ns;
	}
	assert_int_equal(2, got);
	assert_int_equal(900, longest);
}

static void one_who_dies_waiting_has_waited(void **state)
{
	struct feel_slot *slot = board.slot[FEEL_PAGE];
	struct feel_wait w;

	(void)state;
	atomic_store(&slot->due_ns, 1000 * MS);
	feel_slot_abandon(slot, 4000 * MS);
	assert_true(feel_slot_pop(slot, &w));
	assert_true(w.due_ns == 1000 * MS && w.done_ns == 4000 * MS);
	feel_slot_abandon(slot, 5000 * MS);	/* nothing is due any more */
	assert_false(feel_slot_pop(slot, &w));
}

static void one_who_dies_idle_has_not(void **state)
{
	struct feel_slot *slot = board.slot[FEEL_PAGE];
	struct feel_wait w;

	(void)state;
	atomic_store(&slot->due_ns, 5000 * MS);
	feel_slot_abandon(slot, 4000 * MS);
	assert_false(feel_slot_pop(slot, &w));
	/* Between the answer and the next moment. */
	atomic_store(&slot->due_ns, 5000 * MS);
	feel_slot_push(slot, 5000 * MS, 5001 * MS);
	feel_slot_abandon(slot, 8000 * MS);
	assert_true(feel_slot_pop(slot, &w) && w.done_ns == 5001 * MS);
	assert_false(feel_slot_pop(slot, &w));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(another_process_s_waits_come_in_order),
		TEST(the_longest_is_never_lost),
		TEST(one_who_dies_waiting_has_waited),
		TEST(one_who_dies_idle_has_not),
	};

	return TAP_RUN(tests, NULL, NULL);
}
