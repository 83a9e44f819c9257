/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tap.h"

#include <string.h>

#include "src/event.h"

static struct events events;

static int setup(void **state)
{
	(void)state;
	events_init(&events, 4);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	events_done(&events);
	return 0;
}

static void events_are_kept_in_the_order_of_their_time(void **state)
{
	const struct event *e;

	(void)state;
	events_add(&events, 10, EVENT_GAP, "%d samples missed", 3);
	events_add(&events, 30, EVENT_OOM, "kill");
	e = events_add(&events, 20, EVENT_MARK, "known late");
	assert_int_equal(e->t_ns, 20);
	assert_string_equal(e->text, "known late");
	assert_int_equal(events.count, 3);
	assert_int_equal(events_get(&events, 0)->t_ns, 10);
	assert_string_equal(events_get(&events, 0)->text, "3 samples missed");
	assert_int_equal(events_get(&events, 0)->kind, EVENT_GAP);
	assert_ptr_equal(events_get(&events, 1), e);
	assert_int_equal(events_get(&events, 2)->t_ns, 30);
}

static void events_of_one_moment_stay_in_the_order_they_came(void **state)
{
	(void)state;
	events_add(&events, 5, EVENT_GAP, "a");
	events_add(&events, 5, EVENT_GAP, "b");
	assert_string_equal(events_get(&events, 0)->text, "a");
	assert_string_equal(events_get(&events, 1)->text, "b");
}

static void marks_and_workload_events_are_numbered_from_1(void **state)
{
	static const unsigned int wanted[] = { 1, 0, 2, 3 };

	(void)state;
	events_add(&events, 1, EVENT_MARK, "first");
	events_add(&events, 2, EVENT_MACHINE, "swap");
	events_add(&events, 3, EVENT_WORKLOAD, "start");
	events_add(&events, 4, EVENT_MARK, "second");
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(events_get(&events, i)->number, wanted[i]);
}

static void the_oldest_goes_and_is_counted(void **state)
{
	(void)state;
	for (int i = 1; i <= 11; i++)
		events_add(&events, i, EVENT_MARK, "%d", i);
	assert_int_equal(events.count, 4);
	assert_int_equal(events.dropped, 7);
	assert_string_equal(events_get(&events, 0)->text, "8");
	assert_string_equal(events_get(&events, 3)->text, "11");
	assert_int_equal(events_get(&events, 3)->number, 11);
}

static void a_late_event_finds_its_place_across_the_end_of_the_ring(void **state)
{
	static const int64_t wanted[] = { 40, 50, 55, 60 };

	(void)state;
	for (int i = 1; i <= 6; i++)
		events_add(&events, i * 10, EVENT_GAP, "gap");
	events_add(&events, 55, EVENT_GAP, "late");
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(events_get(&events, i)->t_ns, wanted[i]);
}

static void text_is_made_safe(void **state)
{
	(void)state;
	events_add(&events, 1, EVENT_WORKLOAD, "start %s", "a\033[2Jb\tc\n\xff");
	assert_string_equal(events_get(&events, 0)->text,
			    "start a\xef\xbf\xbd[2Jb c\xef\xbf\xbd\xef\xbf\xbd");
}

static void long_text_is_cut_between_characters(void **state)
{
	char text[801] = "";

	(void)state;
	/* 199 bytes are room for 99 of two bytes, and 198 of them are used. */
	for (int i = 0; i < 800; i++)
		text[i] = i % 2 ? '\xa9' : '\xc3';	/* é */
	events_add(&events, 1, EVENT_MARK, "%s", text);
	assert_int_equal(strlen(events_get(&events, 0)->text), 198);
	assert_memory_equal(events_get(&events, 0)->text, text, 198);
	events_add(&events, 2, EVENT_MARK, "x%s", text);
	assert_int_equal(strlen(events_get(&events, 1)->text), 199);
}

static void every_kind_has_a_name_of_one_word(void **state)
{
	(void)state;
	assert_string_equal(event_kind_name(EVENT_MARK), "mark");
	assert_string_equal(event_kind_name(EVENT_OOM), "oom");
	for (int i = 0; i < EVENT_KINDS; i++) {
		const char *name = event_kind_name((enum event_kind)i);

		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz"), strlen(name));
		assert_true(*name);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(events_are_kept_in_the_order_of_their_time),
		TEST(events_of_one_moment_stay_in_the_order_they_came),
		TEST(marks_and_workload_events_are_numbered_from_1),
		TEST(the_oldest_goes_and_is_counted),
		TEST(a_late_event_finds_its_place_across_the_end_of_the_ring),
		TEST(text_is_made_safe),
		TEST(long_text_is_cut_between_characters),
		TEST(every_kind_has_a_name_of_one_word),
	};

	return TAP_RUN(tests, NULL, NULL);
}
