/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What vmtop-feel says on stdout (src/feel_line.h). It never waits for a reader: what does not fit
 * into the pipe now is left out and counted, since every figure that matters is of the whole run and
 * comes again a second later.
 */
#ifndef VMTOP_PROBES_FEEL_REPORT_H
#define VMTOP_PROBES_FEEL_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/feel_crew.h"
#include "probes/feel_plan.h"
#include "probes/feel_stat.h"

struct feel_reporter {
	int fd;
	int64_t start_ns;
	bool table;			/* seconds as a table for people instead of lines */
	unsigned rows;			/* of it so far */
	uint64_t dropped;		/* reports that the reader did not take */
	bool broken;			/* there is no reader any more */
	struct feel_stat stat[FEEL_PROBES];
	int64_t answered_ns[FEEL_PROBES];	/* the last moment that has its answer */
};

/* 0 or a negative errno. Undo with feel_reporter_done. */
int feel_reporter_init(struct feel_reporter *r, int fd, bool table);
void feel_reporter_done(struct feel_reporter *r);

/* What it keeps, which it comes to use as time goes on. */
size_t feel_reporter_bytes(const struct feel_reporter *r);

void feel_report_hello(struct feel_reporter *r, const struct feel_plan *plan,
	const struct feel_setup *setup);
void feel_report_event(struct feel_reporter *r, const struct feel_crew *crew,
	const struct feel_event *event, int64_t now_ns);
void feel_report_second(struct feel_reporter *r, const struct feel_crew *crew);

/* The totals and the last line. A wait that has not ended counts as if it ended now. */
void feel_report_end(struct feel_reporter *r, const struct feel_crew *crew, const char *reason);

#endif
