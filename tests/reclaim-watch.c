/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listens to reclaim as vmtop does, without a screen, and prints one line an interval:
 *
 *   t_ns why tasks_max calls time_ns longest_ns lost unmatched
 *
 * of all kinds together; calls, time, lost and unmatched as counters. "ready" when it listens. Ends
 * when its standard input does. Usage: reclaim-watch INTERVAL_MS [BUFFER_KIB]
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/listener.h"
#include "src/clock.h"
#include "src/derive.h"

static void print_interval(struct listener *l, struct source *src)
{
	struct sample s;

	memset(&s, 0, sizeof(s));
	s.mono_ns = s.source_ns[SOURCE_RECLAIM] = clock_ns();
	s.source_why[SOURCE_RECLAIM] = (uint8_t)source_why(src->read(src, &s));
	while (!listener_complete(l, &s)) {
		struct pollfd fd = { .fd = listener_fd(l), .events = POLLIN };

		poll(&fd, 1, 10);
		listener_hear(l);
	}
	printf("%" PRId64 " %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
	       "\n", s.source_ns[SOURCE_RECLAIM], s.source_why[SOURCE_RECLAIM],
	       s.value[M_reclaim_tasks_max], s.value[M_reclaim_calls], s.value[M_reclaim_time],
	       s.value[M_reclaim_longest], s.value[M_reclaim_lost], s.value[M_reclaim_unmatched]);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int interval_ms = argc > 1 ? atoi(argv[1]) : 1000;
	const struct listener_config config = {
		.buffer_kib = argc > 2 ? (size_t)atoi(argv[2]) : 0,
	};
	struct listener *l = listener_start(&config);
	struct pollfd end = { .fd = STDIN_FILENO, .events = POLLIN };

	if (!listener_works(l)) {
		struct sample s = { 0 };
		char why[160];
		int error = listener_source(l)->read(listener_source(l), &s);

		fprintf(stderr, "reclaim-watch: %s\n",
			why_text(source_why(error), M_reclaim_tasks, why, sizeof(why)));
		listener_stop(l);
		return 1;
	}
	puts("ready");
	do
		print_interval(l, listener_source(l));
	while (poll(&end, 1, interval_ms) == 0);
	print_interval(l, listener_source(l));
	listener_stop(l);
	return 0;
}
