/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/playback_sound.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SINE_BITS = 15, SINE_SIZE = 1 << SINE_BITS, TONE_HZ = 440, TONE_LEVEL = 8000 };

int sound_init(struct sound *s, const struct sound_events *events)
{
	*s = (struct sound){ .events = *events, .rate = SOUND_RATE };
	s->ring = calloc(SOUND_RING_FRAMES, 2 * sizeof(*s->ring));
	s->sine = malloc(SINE_SIZE * sizeof(*s->sine));
	if (!s->ring || !s->sine)
		return -ENOMEM;
	for (int i = 0; i < SINE_SIZE; i++)
		s->sine[i] = (int16_t)(TONE_LEVEL * sin(2 * M_PI * i / SINE_SIZE));
	return 0;
}

void sound_done(struct sound *s)
{
	song_close(s->song);
	free(s->ring);
	free(s->sine);
}

void sound_set_song(struct sound *s, struct song *song)
{
	song_close(s->song);
	s->song = song;
	s->rate = song ? song_rate(song) : SOUND_RATE;
}

static void lose_song(struct sound *s, int error)
{
	song_close(s->song);
	s->song = NULL;		/* the rate stays: what plays goes on */
	s->events.lost(s->events.to, error);
}

/* Fills what the song gives; where it ends it begins again, and that is not due. */
static void fill_from_song(struct sound *s, int16_t *to, int frames)
{
	int n = song_read(s->song, to, frames), more, error;

	if (n >= 0 && n < frames) {
		s->events.hold(s->events.to);
		error = song_rewind(s->song);
		more = error ? error : song_read(s->song, to + 2 * n, frames - n);
		s->events.release(s->events.to);
		if (more > 0)
			s->events.again(s->events.to);
		n = more > 0 ? n + more : more < 0 ? more : -ENODATA;
	}
	if (n < 0)
		lose_song(s, n);
	/* A song shorter than this much goes on at the next call. */
	n = n < 0 ? 0 : n;
	memset(to + 2 * n, 0, (size_t)(frames - n) * 2 * sizeof(*to));
}

int sound_make(struct sound *s, int frames)
{
	uint32_t step = (uint32_t)((uint64_t)TONE_HZ * (UINT64_C(1) << 32) / (unsigned)s->rate);
	int at = (int)(s->head % SOUND_RING_FRAMES), left = SOUND_RING_FRAMES - at;
	int16_t *to = s->ring + 2 * (size_t)at;
	int32_t gain = s->tone;

	if (frames > left)
		frames = left;
	if (frames > SONG_FRAMES_MAX)
		frames = SONG_FRAMES_MAX;
	if (s->song)
		fill_from_song(s, to, frames);
	else
		memset(to, 0, (size_t)frames * 2 * sizeof(*to));
	/* The table is walked whether it is heard or not: a decoder's tables always are. */
	for (int i = 0; i < 2 * frames; i++) {
		int32_t sample = to[i] + gain * s->sine[s->phase >> (32 - SINE_BITS)];

		to[i] = (int16_t)(sample > INT16_MAX ? INT16_MAX : sample < INT16_MIN ? INT16_MIN :
			sample);
		s->phase += i % 2 ? step : 0;
	}
	s->head += (uint64_t)frames;
	return frames;
}

const int16_t *sound_frames(const struct sound *s, uint64_t from, int *count)
{
	int at = (int)(from % SOUND_RING_FRAMES);

	if (*count > SOUND_RING_FRAMES - at)
		*count = SOUND_RING_FRAMES - at;
	return s->ring + 2 * (size_t)at;
}

void sound_play(struct sound *s, int64_t behind)
{
	uint64_t to = s->head - (uint64_t)behind;
	uint64_t kept = s->head > SOUND_RING_FRAMES ? s->head - SOUND_RING_FRAMES : 0;

	if (behind < 0 || (uint64_t)behind >= s->head)
		return;
	if (s->played < kept)
		s->played = kept;
	for (; s->played < to; s->played++)
		s->heard += s->ring[2 * (s->played % SOUND_RING_FRAMES)];
}
