/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line: options.def read into a struct. Nothing is opened or started here. */
#ifndef VMTOP_OPTIONS_H
#define VMTOP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum playback_where { PLAYBACK_AUTO, PLAYBACK_PULSE, PLAYBACK_CLOCK, PLAYBACK_OFF };

enum mode { MODE_DASHBOARD, MODE_DEMO, MODE_HELP, MODE_VERSION };

struct options {
	enum mode mode;
	int64_t interval_ns;
	int64_t duration_ns;		/* 0: until the user ends it */
	uint64_t memory;		/* bytes, 0: no cgroup */
	bool reclaim_family;		/* count only the workload's reclaim */
	enum playback_where playback;
	const char *playback_file;	/* NULL: none */
	bool feel;
	bool playback_given, feel_given;	/* else with a terminal and in the demo only */
	const char *theme;		/* NULL: not named */
	bool ascii;
	const char *root;		/* "" for this machine */
	const char *script, *dump;	/* NULL: none */
	int cols, rows;			/* 0: not named */
	char *const *command;		/* NULL-terminated, NULL: none; points into argv */
};

/*
 * Reads argv. Returns 0, or -EINVAL with one line in err: what was wrong and what is right. Strings
 * point into argv.
 */
int options_parse(struct options *o, int argc, char *const *argv, char *err, size_t errsize);

/* Usage, commands and options, made from the table. */
void options_help(FILE *out);

/* "80x24" within 40x10 to 1000x400; 0 or -EINVAL. */
int options_parse_size(const char *s, int *cols, int *rows);

/* "0.5" seconds, locale-independent: 0, -EINVAL, or -ERANGE outside min..max. */
int options_parse_seconds(const char *s, int64_t min_ns, int64_t max_ns, int64_t *ns);

/* Intervals that vmtop samples at. */
#define INTERVAL_MIN_NS 20000000LL
#define INTERVAL_MAX_NS 3600000000000LL

#endif
