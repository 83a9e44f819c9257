/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/feel_probe.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "src/clock.h"

static const struct feel_kind *const kinds[FEEL_PROBES] = {
	[FEEL_WAKE] = &feel_wake, [FEEL_KEY] = &feel_key, [FEEL_PAGE] = &feel_page,
	[FEEL_FILE] = &feel_file, [FEEL_ALLOC] = &feel_alloc,
};

const struct feel_kind *feel_kind_of(enum feel_probe probe)
{
	return kinds[probe];
}

void feel_process_begin(int parent, const char *name)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(FEEL_EXIT_FAILED);
	prctl(PR_SET_NAME, name);
}

void feel_fill(void *memory, size_t bytes, uint64_t *random)
{
	uint64_t *word = memory;

	for (size_t i = 0; i < bytes / sizeof(*word); i++)
		word[i] = feel_random(random, UINT64_MAX);
}

static void sleep_until(int64_t ns)
{
	const struct timespec t = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

static int loop(const struct feel_kind *kind, struct feel_room *room, struct feel_schedule *s)
{
	for (;;) {
		int64_t done;
		int error;

		atomic_store(&room->slot->due_ns, s->due_ns);
		sleep_until(s->due_ns);
		error = kind->act(room);
		if (error)
			return error;
		done = clock_ns();
		feel_slot_push(room->slot, s->due_ns, done);
		/* The answer has been given. What hangs here makes the next moment late. */
		if (kind->after)
			kind->after(room);
		feel_schedule_next(s, done);
	}
}

int feel_probe_run(enum feel_probe probe, const struct feel_setup *setup)
{
	const struct feel_kind *kind = kinds[probe];
	struct feel_room room = {
		.setup = setup,
		.slot = setup->board->slot[probe],
		.seed = (uint64_t)clock_ns() ^ (uint64_t)getpid() << 32,
	};
	struct feel_schedule schedule = {
		.period_ns = kind->period_ns, .least_ns = kind->least_ns, .most_ns = kind->most_ns,
	};
	int error = kind->prepare(&room);

	if (error)
		return FEEL_EXIT_ABSENT;
	feel_schedule_init(&schedule, clock_ns(), room.seed);
	/* Before it is ready: a reporter that sees it ready sees when it is due. */
	atomic_store(&room.slot->due_ns, schedule.due_ns);
	atomic_store(&room.slot->state, FEEL_READY);
	error = loop(kind, &room, &schedule);
	feel_slot_reason(room.slot, "%s", strerror(-error));
	return FEEL_EXIT_FAILED;
}
