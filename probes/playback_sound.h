/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is played: a song, over and over, a tone, or digital silence; and the memory that making it
 * takes. As in a player of old, sound is decoded into a ring of 460 kB of ordinary memory, the
 * device plays what stands there up to two seconds later, and each frame goes through a table of
 * 64 KiB. All of it may be swapped out.
 */
#ifndef VMTOP_PROBES_PLAYBACK_SOUND_H
#define VMTOP_PROBES_PLAYBACK_SOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/playback_song.h"

enum { SOUND_RATE = 44100, SOUND_RING_FRAMES = 100 * 1152 };

struct sound_events {
	void (*hold)(void *to);		/* the song begins again: what follows is not due */
	void (*release)(void *to);
	void (*again)(void *to);
	void (*lost)(void *to, int error);	/* the song cannot be read; silence from here on */
	void *to;
};

struct sound {
	struct song *song;	/* owned; NULL: none */
	struct sound_events events;
	int rate;		/* frames a second */
	bool tone;
	int16_t *ring;		/* SOUND_RING_FRAMES of two channels */
	int16_t *sine;		/* 64 KiB of one wave */
	uint32_t phase;
	uint64_t head;		/* frames made so far */
	uint64_t played;		/* frames whose memory the device has touched */
	int32_t heard;		/* so that touching is not optimised away */
};

/* 0 or -ENOMEM. */
int sound_init(struct sound *s, const struct sound_events *events);
void sound_done(struct sound *s);

/* Takes a song, or NULL for none, and closes the one before. The rate becomes the song's. */
void sound_set_song(struct sound *s, struct song *song);

/* Makes at most so many frames; how many, at least 1. */
int sound_make(struct sound *s, int frames);

/* The frames from `from` on, which lie together in memory: at most *count of them. */
const int16_t *sound_frames(const struct sound *s, uint64_t from, int *count);

/* The device has `behind` frames left to play: touches those it played since the last call. */
void sound_play(struct sound *s, int64_t behind);

#endif
