/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wake: a timer each 10 ms, with locked memory. The control: it sees what the scheduler does and
 * nothing of paging.
 *
 * MCL_ONFAULT locks what this small process touches and no more. A whole mlockall would take the C
 * library and this program's text, shared with the other probes and with everybody, out of what the
 * kernel may evict (a locked page of a file is locked for all). The pages around those that it
 * touches, which a fault maps along (mm/memory.c, do_fault_around), are locked too; locked_kib says
 * what it comes to. That it has no major faults is the proof that it is enough.
 */
#include "probes/feel_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probes/feel_plan.h"
#include "src/clock.h"
#include "src/file.h"

#define PERIOD_NS INT64_C(10000000)

/* The board too: no probe's own bookkeeping should fault. */
static void touch_board(const struct feel_board *b)
{
	const volatile char *at = b->memory;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < b->bytes; i += page)
		(void)at[i];
}

static int wake_prepare(struct feel_room *room)
{
	char text[4096];

	if (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) < 0) {
		feel_slot_reason(room->slot, "not locked: %s (run as root or raise ulimit -l)",
			strerror(errno));
		return 0;	/* still of use, and its major faults show what it is worth */
	}
	touch_board(room->setup->board);
	if (file_read_at(AT_FDCWD, "/proc/self/smaps_rollup", text, sizeof(text)) > 0)
		atomic_store(&room->slot->locked_kib, feel_plan_kib(text, "Locked"));
	return 0;
}

static int wake_act(struct feel_room *room)
{
	(void)room;
	return 0;	/* to be awake is all */
}

const struct feel_kind feel_wake = {
	.period_ns = PERIOD_NS, .prepare = wake_prepare, .act = wake_act,
};
