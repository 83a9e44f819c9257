/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The player: one producer that feeds all sinks each 10 ms, and says what became of it. */
#ifndef VMTOP_PROBES_PLAYBACK_RUN_H
#define VMTOP_PROBES_PLAYBACK_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct run_options {
	const char *file;	/* NULL: none */
	bool tone, drop, lock;
	bool pulse;		/* try a sound server */
	bool pulse_retry;	/* and again, when there is none at first */
	const char *server;	/* NULL: the user's */
	int buffer_ms;		/* of the headline */
	double seconds;		/* 0: until told to end */
	pid_t parent;		/* ends with it; 0: none */
};

/*
 * Runs until its time is over, a signal, `quit`, or the parent's end. 0, or a negative errno and
 * one line in err.
 */
int run(const struct run_options *options, char *err, size_t errsize);

#endif
