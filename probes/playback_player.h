/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of the player that playback_run.c runs, what its controls do to it, and its song;
 * and in playback_tell.c what is told of it.
 */
#ifndef VMTOP_PROBES_PLAYBACK_PLAYER_H
#define VMTOP_PROBES_PLAYBACK_PLAYER_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/playback_control.h"
#include "probes/playback_report.h"
#include "probes/playback_run.h"
#include "probes/playback_sinks.h"
#include "probes/playback_sound.h"
#include "probes/playback_wait.h"

enum { FD_STDIN, FD_SIGNAL, FD_PARENT, FDS };

struct player {
	const struct run_options *options;
	struct wait_watch wait;
	struct report report;
	struct sinks sinks;
	struct sound sound;
	struct control_input input;
	struct pollfd fds[FDS];
	bool drop, locked;
	bool stdin_ended;
	const char *ending;	/* why it ends; NULL: it does not */
	/* Since the last report of a second: */
	struct shares waits;
	struct wait_memory memory;
	int64_t queue_ns;
	int64_t second_ns;	/* when the next report is due */
};

/* Makes its sound. 0, or a negative errno and one line in err. */
int player_init(struct player *p, char *err, size_t errsize);

/* Ends a segment and charges what it waited for. player_mark: work; gives the moment. */
void player_charge(struct player *p, enum segment segment, int64_t until_ns);
int64_t player_mark(void *player);

/* NULL and one line in err when it cannot be played. */
struct song *player_open_song(struct player *p, const char *path, char *err, size_t errsize);

/* 0, or a negative errno and one line in err. */
int player_lock(struct player *p, char *err, size_t errsize);

/* Takes what has come on stdin. */
void player_read_controls(struct player *p);

void tell_start(struct player *p, int64_t now_ns);
void tell_second(struct player *p, int64_t now_ns);

/* path and why: NULL when there is nothing to say. */
void tell_file(struct player *p, const char *state, const char *path, const char *why);

/* why: NULL when it was done. */
void tell_control(struct player *p, const char *what, const char *why);

#endif
