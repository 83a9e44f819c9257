/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What may be changed while the probe runs: a line on stdin each.
 *
 *	nice N | lock on|off | buffer MS | pause on|off | file PATH | file | tone on|off |
 *	drop-cache on|off | quit
 */
#ifndef VMTOP_PROBES_PLAYBACK_CONTROL_H
#define VMTOP_PROBES_PLAYBACK_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONTROL_LINE_MAX = 4200, BUFFER_MS_MIN = 15, BUFFER_MS_MAX = 10000 };

enum control_kind {
	CONTROL_NICE, CONTROL_LOCK, CONTROL_BUFFER, CONTROL_PAUSE, CONTROL_FILE, CONTROL_TONE,
	CONTROL_DROP_CACHE, CONTROL_QUIT, CONTROL_KINDS
};

struct control {
	enum control_kind kind;
	int number;		/* of NICE and BUFFER */
	bool on;		/* of LOCK, PAUSE, TONE, DROP_CACHE */
	const char *path;	/* of FILE, into the line; "": none */
};

const char *control_name(enum control_kind kind);

/* "-20" to "19"; "15" to "10000". False when it is none. */
bool control_parse_nice(const char *text, int *nice);
bool control_parse_buffer(const char *text, int *ms);

/* Takes a line without its newline apart in place. 0, or -EINVAL and one line in err. */
int control_parse(char *line, struct control *c, char *err, size_t errsize);

/* Bytes from stdin become lines. */
struct control_input {
	size_t length;
	bool skipping;		/* the rest of a line that was too long */
	char text[CONTROL_LINE_MAX];
};

/*
 * Appends bytes and calls take for each whole line; too_long for one that is. Lines end in \n.
 */
void control_feed(struct control_input *in, const char *bytes, size_t n,
		  void (*take)(void *to, char *line), void (*too_long)(void *to), void *to);

#endif
