/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In place of playback_pulse.c and playback_song.c where libpulse or libsndfile was not there. */
#include "probes/playback_pulse.h"
#include "probes/playback_song.h"

#include <errno.h>
#include <stdio.h>

#include "probes/playback_wait.h"

#ifndef HAVE_PULSE

struct pulse *pulse_new(const struct pulse_options *options, const struct pulse_events *events)
{
	(void)options, (void)events;
	return NULL;
}

/* There is no struct pulse, so nothing below is ever called. */

void pulse_free(struct pulse *p)
{
	(void)p;
}

int pulse_wait(struct pulse *p, struct pollfd *fds, size_t n, int64_t until_ns)
{
	(void)p;
	return wait_poll(fds, n, until_ns);
}

void pulse_dispatch(struct pulse *p)
{
	(void)p;
}

void pulse_tick(struct pulse *p, int64_t now_ns)
{
	(void)p, (void)now_ns;
}

enum pulse_state pulse_state(const struct pulse *p)
{
	(void)p;
	return PULSE_ABSENT;
}

bool pulse_is_starved(const struct pulse *p)
{
	(void)p;
	return false;
}

bool pulse_is_due(const struct pulse *p)
{
	(void)p;
	return false;
}

int pulse_room(struct pulse *p)
{
	(void)p;
	return 0;
}

void pulse_write(struct pulse *p, const int16_t *stereo, int frames)
{
	(void)p, (void)stereo, (void)frames;
}

int64_t pulse_level(struct pulse *p)
{
	(void)p;
	return -1;
}

void pulse_pause(struct pulse *p, bool on)
{
	(void)p, (void)on;
}

void pulse_set_buffer(struct pulse *p, int64_t buffer_ns)
{
	(void)p, (void)buffer_ns;
}

void pulse_set_rate(struct pulse *p, int rate)
{
	(void)p, (void)rate;
}

void pulse_drain(struct pulse *p)
{
	(void)p;
}

bool pulse_drained(const struct pulse *p)
{
	(void)p;
	return true;
}

#endif

#ifndef HAVE_SNDFILE

static void say_absent(char *err, size_t errsize)
{
	snprintf(err, errsize,
		"built without libsndfile (Debian: libsndfile1-dev, then ./bootstrap)");
}

struct song *song_open(const char *path, bool drop, const struct song_watch *watch, char *err,
	size_t errsize)
{
	(void)path, (void)drop, (void)watch;
	say_absent(err, errsize);
	return NULL;
}

void song_close(struct song *song)
{
	(void)song;
}

int song_rate(const struct song *song)
{
	(void)song;
	return 0;
}

int song_read(struct song *song, int16_t *stereo, int frames)
{
	(void)song, (void)stereo, (void)frames;
	return -ENOSYS;
}

int song_rewind(struct song *song)
{
	(void)song;
	return -ENOSYS;
}

void song_set_drop(struct song *song, bool drop)
{
	(void)song, (void)drop;
}

struct song_reads song_take_reads(struct song *song)
{
	(void)song;
	return (struct song_reads){ 0 };
}

int song_make(const char *path, double seconds, char *err, size_t errsize)
{
	(void)path, (void)seconds;
	say_absent(err, errsize);
	return -ENOSYS;
}

#endif
