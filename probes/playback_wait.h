/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this process waited for, read between the segments of its own work, and what the kernel says
 * of its memory. Nothing here allocates but wait_open.
 */
#ifndef VMTOP_PROBES_PLAYBACK_WAIT_H
#define VMTOP_PROBES_PLAYBACK_WAIT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/playback_cause.h"
#include "probes/playback_taskstats.h"
#include "src/file.h"

struct wait_watch {
	struct file schedstat, status;
	struct taskstats_link delays;
	int continued_fd;	/* SIGCONT, which is blocked for this */
	struct reading last;
	int64_t worst_late_ns;	/* of a sleep, since the caller set it to 0 */
};

/* Of this moment; -1 in what is not known. */
struct wait_memory {
	int64_t swap_kib, rss_kib, locked_kib;
	uint64_t major_faults, minor_faults;
};

/* Blocks SIGCONT (a stopped process goes on all the same). Undo with wait_close. */
void wait_open(struct wait_watch *w);
void wait_close(struct wait_watch *w);

/*
 * Ends a segment, which began with the last mark: what of it was waited for, and by whom. The
 * moment is w->last.t_ns then.
 */
struct shares wait_mark(struct wait_watch *w, enum segment segment, int64_t until_ns);

void wait_read_memory(struct wait_watch *w, struct wait_memory *m);

/* poll(2) until that moment, with its precision. How many are ready, or a negative errno. */
int wait_poll(struct pollfd *fds, size_t n, int64_t until_ns);

#endif
