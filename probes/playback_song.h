/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sound file, read as a player does: 4 KiB at a time through the page cache, each read told to
 * whoever measures. The only file that knows libsndfile. Without it everything is -ENOSYS.
 *
 * What was in the page cache of the file is dropped when it is opened, or the disk would never be
 * met. With `drop` there is no readahead either, and what was read is dropped at once.
 */
#ifndef VMTOP_PROBES_PLAYBACK_SONG_H
#define VMTOP_PROBES_PLAYBACK_SONG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SONG_READ_SIZE = 4096, SONG_FRAMES_MAX = 2048 };

/* Called around each read(2); `moment` is what was passed. NULL functions are not called. */
struct song_watch {
	void (*before)(void *moment);
	void (*after)(void *moment);
	void *moment;
};

/* Of reads since song_take_reads. */
struct song_reads {
	uint64_t count, bytes;
	int64_t total_ns, longest_ns;
};

struct song;

/* NULL and one line in err, without the path, when it is no sound file that can be played. */
struct song *song_open(const char *path, bool drop, const struct song_watch *watch, char *err,
		       size_t errsize);
void song_close(struct song *song);

int song_rate(const struct song *song);		/* frames a second */

/*
 * Up to `frames` (at most SONG_FRAMES_MAX) of two channels. Fewer than asked, and 0, at the end; a
 * negative errno when the file could not be read.
 */
int song_read(struct song *song, int16_t *stereo, int frames);

/* 0 or a negative errno. */
int song_rewind(struct song *song);
void song_set_drop(struct song *song, bool drop);
struct song_reads song_take_reads(struct song *song);

/*
 * Writes a song of so many seconds, 44.1 kHz stereo, in the format its name ends in: .wav, .flac,
 * .ogg, .mp3. It reaches the disk, and leaves the page cache. 0, or a negative errno and one line.
 */
int song_make(const char *path, double seconds, char *err, size_t errsize);

#endif
