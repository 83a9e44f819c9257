/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the machine feels to who sits at it, as vmtop-feel has told so far (src/feel_line.h). Nothing
 * here allocates, fails or reads a clock.
 */
#ifndef VMTOP_FEEL_H
#define VMTOP_FEEL_H

#include "src/feel_line.h"
#include "src/sample.h"

struct feel_state {
	char state[16];			/* "ready", "absent", "gone"; "" while nothing was told */
	char reason[120];		/* why, or "" */
	struct feel_report report;	/* of the last second; nothing in it: none yet */
};

struct feel {
	bool on, up;
	char why[160];			/* while it is not up: why */
	int64_t footprint_kib;		/* of all its probes; -1: not known */
	struct feel_state probe[FEEL_PROBES];
	uint64_t deaths, not_understood;
};

enum feel_news { FEEL_NO_NEWS, FEEL_IS_UP, FEEL_PROBE_CHANGED };

/* Takes a line. *probe is which one changed. */
enum feel_news feel_take(struct feel *f, const struct probe_line *line, enum feel_probe *probe);

/* It has died, or could not be started: why, in words. */
void feel_down(struct feel *f, const char *why);

/* Sets the metrics of SOURCE_FEEL in s, at s->mono_ns. */
void feel_fill(const struct feel *f, struct sample *s);

/* A figure; false when it is not known. */
bool feel_figure(const struct feel *f, enum feel_probe probe, enum feel_field field, int64_t *value);

/* "a key 12ms, p99 340ms, worst 2.1s" for the summary at exit; nothing when it was off. */
void feel_print_summary(const struct feel *f, int fd);

#endif
