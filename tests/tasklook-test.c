/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tap.h"

#include <math.h>
#include <string.h>

#include "probes/tasklook.h"

#define NS_PER_S INT64_C(1000000000)

static int look_setup(void **state)
{
	*state = tasklook_new(100);
	return 0;
}

static int look_teardown(void **state)
{
	tasklook_free(*state);
	return 0;
}

static void add(struct tasklook *t, struct task_seen seen)
{
	if (!seen.command)
		seen.command = "x";
	assert_int_equal(tasklook_add(t, &seen), 0);
}

static void rates_are_taken_over_the_time_between_two_looks(void **state)
{
	struct tasklook *t = *state;
	const struct task_list *list;

	tasklook_begin(t, 10 * NS_PER_S);
	add(t, (struct task_seen){ .pid = 7, .start_ticks = 5, .cpu_ticks = 1000, .majflt = 50,
				   .minflt = 400 });
	list = tasklook_end(t);
	assert_int_equal(list->t_ns, 10 * NS_PER_S);
	assert_true(isnan(list->task[0].cpu_pct));
	assert_true(isnan(list->task[0].majflt_s));
	assert_true(isnan(list->task[0].minflt_s));
	tasklook_begin(t, 14 * NS_PER_S);
	add(t, (struct task_seen){ .pid = 7, .ppid = 1, .state = 'D', .start_ticks = 5,
				   .cpu_ticks = 1100, .majflt = 58, .minflt = 400,
				   .rss_kib = 11, .swap_kib = 12 });
	list = tasklook_end(t);
	assert_int_equal(list->n, 1);
	assert_int_equal(list->total, 1);
	assert_true(list->task[0].cpu_pct == 25);
	assert_true(list->task[0].majflt_s == 2);
	assert_true(list->task[0].minflt_s == 0);
	assert_int_equal(list->task[0].pid, 7);
	assert_int_equal(list->task[0].ppid, 1);
	assert_int_equal(list->task[0].state, 'D');
	assert_int_equal(list->task[0].rss_kib, 11);
	assert_int_equal(list->task[0].swap_kib, 12);
}

static void a_pid_that_is_used_again_is_another_process(void **state)
{
	struct tasklook *t = *state;
	const struct task_list *list;

	tasklook_begin(t, 1 * NS_PER_S);
	add(t, (struct task_seen){ .pid = 7, .start_ticks = 5, .cpu_ticks = 1000 });
	tasklook_end(t);
	tasklook_begin(t, 2 * NS_PER_S);
	add(t, (struct task_seen){ .pid = 7, .start_ticks = 120, .cpu_ticks = 3000 });
	list = tasklook_end(t);
	assert_true(isnan(list->task[0].cpu_pct));
	tasklook_begin(t, 3 * NS_PER_S);
	add(t, (struct task_seen){ .pid = 7, .start_ticks = 120, .cpu_ticks = 3050 });
	list = tasklook_end(t);
	assert_true(list->task[0].cpu_pct == 50);
}

static void a_count_that_went_back_has_no_rate(void **state)
{
	struct tasklook *t = *state;
	const struct task_list *list;

	tasklook_begin(t, 1 * NS_PER_S);
	add(t, (struct task_seen){ .pid = 7, .cpu_ticks = 10, .majflt = 9 });
	tasklook_end(t);
	tasklook_begin(t, 2 * NS_PER_S);
	add(t, (struct task_seen){ .pid = 7, .cpu_ticks = 9, .majflt = 9 });
	list = tasklook_end(t);
	assert_true(isnan(list->task[0].cpu_pct));
	assert_true(list->task[0].majflt_s == 0);
}

static void the_largest_are_kept_in_order_and_all_are_counted(void **state)
{
	enum { TASKS = 3000 };
	struct tasklook *t = *state;
	const struct task_list *list;

	for (int look = 1; look <= 2; look++) {
		tasklook_begin(t, look * NS_PER_S);
		/* 1009 and 3000 have no common divisor: every size comes once, in no order. */
		for (int i = 0; i < TASKS; i++)
			add(t, (struct task_seen){
				.pid = i + 1, .cpu_ticks = (uint64_t)(look * i),
				.rss_kib = (uint64_t)(i * 1009 % TASKS), .swap_kib = 1,
			});
		list = tasklook_end(t);
	}
	assert_int_equal(list->total, TASKS);
	assert_int_equal(list->n, TASKS_MAX);
	for (size_t i = 0; i < TASKS_MAX; i++) {
		int id = list->task[i].pid - 1;

		assert_int_equal(list->task[i].rss_kib, TASKS - 1 - i);
		assert_int_equal(id * 1009 % TASKS, TASKS - 1 - i);
		assert_true(list->task[i].cpu_pct == id);
	}
}

static void swap_counts_as_much_as_memory(void **state)
{
	struct tasklook *t = *state;
	const struct task_list *list;

	tasklook_begin(t, NS_PER_S);
	add(t, (struct task_seen){ .pid = 1, .rss_kib = 100 });
	add(t, (struct task_seen){ .pid = 2, .rss_kib = 10, .swap_kib = 200 });
	list = tasklook_end(t);
	assert_int_equal(list->task[0].pid, 2);
	assert_int_equal(list->task[1].pid, 1);
}

static void pids_may_come_in_any_order(void **state)
{
	static const int pids[] = { 50, 7, 3000, 1, 49 };
	struct tasklook *t = *state;
	const struct task_list *list;

	for (int look = 1; look <= 2; look++) {
		tasklook_begin(t, look * NS_PER_S);
		for (size_t i = 0; i < 5; i++)
			add(t, (struct task_seen){ .pid = pids[i], .rss_kib = (uint64_t)pids[i],
						   .cpu_ticks = (uint64_t)(look * pids[i]) });
		list = tasklook_end(t);
	}
	for (size_t i = 0; i < 5; i++)
		assert_true(list->task[i].cpu_pct == list->task[i].pid);
}

static void names_cannot_reach_the_terminal_unsafe(void **state)
{
	struct tasklook *t = *state;
	const struct task_list *list;

	tasklook_begin(t, NS_PER_S);
	add(t, (struct task_seen){ .pid = 1, .command = "a\033[2J\nb" });
	list = tasklook_end(t);
	assert_null(strchr(list->task[0].command, '\033'));
	assert_null(strchr(list->task[0].command, '\n'));
	assert_int_equal(list->task[0].command[0], 'a');
	assert_non_null(strstr(list->task[0].command, "[2J"));
}

/* Each has used its own power of two of everything. */
static void add_kin(struct tasklook *t, int pid, int ppid, char state, uint64_t used)
{
	add(t, (struct task_seen){
		.pid = pid, .ppid = ppid, .state = state, .rss_kib = used,
		.family_user_ticks = used, .family_system_ticks = 1000 * used,
		.family_majflt = 1000000 * used, .family_minflt = 2000000 * used,
	});
}

static void assert_used(const struct task_list *list, size_t processes, uint64_t used)
{
	const struct task_family *f = &list->family;

	assert_true(f->known);
	assert_int_equal(f->user_us, used * 10000);
	assert_int_equal(f->system_us, used * 1000 * 10000);
	assert_int_equal(f->majflt, used * 1000000);
	assert_int_equal(f->minflt, used * 2000000);
	assert_int_equal(f->processes, processes);
}

static void a_family_is_all_below_its_root_and_nobody_else(void **state)
{
	struct tasklook *t = *state;
	const struct task_list *list;

	tasklook_follow(t, 100);
	tasklook_begin(t, NS_PER_S);
	add_kin(t, 1, 0, 'S', 1);
	add_kin(t, 50, 101, 'S', 2);	/* pids went around: its parent is met later */
	add_kin(t, 60, 1, 'R', 4);	/* foreign */
	add_kin(t, 100, 60, 'S', 8);	/* the root itself */
	add_kin(t, 101, 100, 'S', 16);
	add_kin(t, 102, 50, 'R', 32);
	add_kin(t, 103, 102, 'R', 64);
	add_kin(t, 104, 100, 'S', 128);	/* an orphan that came to the root */
	add_kin(t, 105, 60, 'R', 256);	/* the root's brother */
	list = tasklook_end(t);
	assert_used(list, 5, 2 + 16 + 32 + 64 + 128);
	assert_int_equal(list->family.max_rss_kib, 128);
}

static void a_family_is_counted_beyond_the_tasks_that_are_kept(void **state)
{
	enum { CHAIN = 3000 };
	struct tasklook *t = *state;

	tasklook_follow(t, CHAIN + 1);
	tasklook_begin(t, NS_PER_S);
	for (int pid = 1; pid <= CHAIN + 1; pid++)
		add_kin(t, pid, pid + 1, 'S', 1);
	assert_used(tasklook_end(t), CHAIN, CHAIN);
}

/* Its times are not yet in its parent's. */
static void a_zombie_counts_but_does_not_run(void **state)
{
	struct tasklook *t = *state;

	tasklook_follow(t, 7);
	tasklook_begin(t, NS_PER_S);
	add_kin(t, 7, 1, 'S', 1);
	add_kin(t, 8, 7, 'Z', 2);
	assert_used(tasklook_end(t), 0, 2);
}

static void without_its_root_a_family_is_not_known(void **state)
{
	struct tasklook *t = *state;
	const struct task_list *list;

	tasklook_begin(t, 1 * NS_PER_S);
	add_kin(t, 8, 7, 'S', 2);
	assert_false(tasklook_end(t)->family.known);
	tasklook_follow(t, 7);
	tasklook_begin(t, 2 * NS_PER_S);
	add_kin(t, 7, 1, 'S', 1);
	add_kin(t, 8, 7, 'S', 2);
	assert_used(tasklook_end(t), 1, 2);
	tasklook_begin(t, 3 * NS_PER_S);
	add_kin(t, 8, 7, 'S', 2);
	list = tasklook_end(t);
	assert_false(list->family.known);
	assert_int_equal(list->family.user_us, 0);
}

/* A look takes time, and a pid may be used again in it. */
static void parents_in_a_ring_are_nobodys_family(void **state)
{
	struct tasklook *t = *state;

	tasklook_follow(t, 7);
	tasklook_begin(t, NS_PER_S);
	add_kin(t, 7, 1, 'S', 1);
	add_kin(t, 8, 10, 'S', 2);
	add_kin(t, 9, 8, 'S', 4);
	add_kin(t, 10, 9, 'S', 8);
	add_kin(t, 11, 11, 'S', 16);
	add_kin(t, 12, 10, 'S', 32);
	assert_used(tasklook_end(t), 0, 0);
}

static void a_slot_gives_back_what_was_put(void **state)
{
	static struct task_list in, out;
	struct task_slot slot;

	(void)state;
	task_slot_init(&slot);
	task_slot_get(&slot, &out);
	assert_int_equal(out.t_ns, 0);
	assert_int_equal(out.n, 0);
	in = (struct task_list){ .t_ns = 5, .total = 300, .n = TASKS_MAX };
	in.task[TASKS_MAX - 1].pid = 77;
	in.family = (struct task_family){ .known = true, .minflt = 9 };
	task_slot_put(&slot, &in);
	task_slot_get(&slot, &out);
	assert_int_equal(out.t_ns, 5);
	assert_int_equal(out.total, 300);
	assert_int_equal(out.task[TASKS_MAX - 1].pid, 77);
	assert_true(out.family.known && out.family.minflt == 9);
	assert_int_equal(task_slot_family_root(&slot), 0);
	task_slot_follow(&slot, 42);
	assert_int_equal(task_slot_family_root(&slot), 42);
	task_slot_done(&slot);
}

int main(void)
{
#define WITH_LOOK(test) cmocka_unit_test_setup_teardown(test, look_setup, look_teardown)
	const struct CMUnitTest tests[] = {
		WITH_LOOK(rates_are_taken_over_the_time_between_two_looks),
		WITH_LOOK(a_pid_that_is_used_again_is_another_process),
		WITH_LOOK(a_count_that_went_back_has_no_rate),
		WITH_LOOK(the_largest_are_kept_in_order_and_all_are_counted),
		WITH_LOOK(swap_counts_as_much_as_memory),
		WITH_LOOK(pids_may_come_in_any_order),
		WITH_LOOK(names_cannot_reach_the_terminal_unsafe),
		WITH_LOOK(a_family_is_all_below_its_root_and_nobody_else),
		WITH_LOOK(a_family_is_counted_beyond_the_tasks_that_are_kept),
		WITH_LOOK(a_zombie_counts_but_does_not_run),
		WITH_LOOK(without_its_root_a_family_is_not_known),
		WITH_LOOK(parents_in_a_ring_are_nobodys_family),
		cmocka_unit_test(a_slot_gives_back_what_was_put),
	};

	return TAP_RUN(tests, NULL, NULL);
}
