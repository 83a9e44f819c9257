/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/playback_song.h"

#include <errno.h>
#include <stdio.h>

#ifdef HAVE_SNDFILE

#include <fcntl.h>
#include <math.h>
#include <sndfile.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/clock.h"

enum { MADE_RATE = 44100 };

struct song {
	int fd;
	bool drop;
	SNDFILE *file;
	SF_INFO info;
	struct song_watch watch;
	struct song_reads reads;
	int error;		/* of a read, negative errno; libsndfile sees the end of the file */
	off_t size, at;
	off_t block_at;		/* of the file, a multiple of SONG_READ_SIZE; -1: none */
	ssize_t block_length;
	char block[SONG_READ_SIZE];
	short *frames;		/* SONG_FRAMES_MAX, of all channels */
};

/* --- The file as libsndfile reads it --- */

static void read_block(struct song *s, off_t at)
{
	int64_t start, took;

	/* So that a buffer that was swapped out is not charged to the file. */
	*(volatile char *)s->block = 0;
	if (s->watch.before)
		s->watch.before(s->watch.moment);
	start = clock_ns();
	do
		s->block_length = pread(s->fd, s->block, sizeof(s->block), at);
	while (s->block_length < 0 && errno == EINTR);
	if (s->block_length < 0)
		s->error = -errno;
	took = clock_ns() - start;
	if (s->watch.after)
		s->watch.after(s->watch.moment);
	s->block_at = s->block_length < 0 ? -1 : at;
	s->reads.count++;
	s->reads.bytes += s->block_length > 0 ? (uint64_t)s->block_length : 0;
	s->reads.total_ns += took;
	if (took > s->reads.longest_ns)
		s->reads.longest_ns = took;
	if (s->drop)
		posix_fadvise(s->fd, 0, at + SONG_READ_SIZE, POSIX_FADV_DONTNEED);
}

static sf_count_t take_bytes(void *to, sf_count_t count, void *user)
{
	struct song *s = user;
	sf_count_t done = 0;

	while (done < count && s->at < s->size) {
		off_t base = s->at - s->at % SONG_READ_SIZE, in = s->at - base, n;

		if (s->block_at != base)
			read_block(s, base);
		n = s->block_at == base ? s->block_length - in : 0;
		if (n <= 0)
			break;
		if (n > count - done)
			n = count - done;
		memcpy((char *)to + done, s->block + in, (size_t)n);
		s->at += n;
		done += n;
	}
	return done;
}

static sf_count_t seek_to(sf_count_t offset, int whence, void *user)
{
	struct song *s = user;
	off_t base = whence == SEEK_CUR ? s->at : whence == SEEK_END ? s->size : 0;

	if (base + offset < 0)
		return -1;
	s->at = base + offset;
	return s->at;
}

static sf_count_t tell_length(void *user)
{
	return ((struct song *)user)->size;
}

static sf_count_t tell_place(void *user)
{
	return ((struct song *)user)->at;
}

static SF_VIRTUAL_IO io = {
	.get_filelen = tell_length, .seek = seek_to, .read = take_bytes, .tell = tell_place,
};

/* --- Opening --- */

void song_set_drop(struct song *song, bool drop)
{
	song->drop = drop;
	posix_fadvise(song->fd, 0, 0, drop ? POSIX_FADV_RANDOM : POSIX_FADV_NORMAL);
}

/* Dirty pages cannot be dropped. */
static void evict(int fd)
{
	fdatasync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* The descriptor, or -1 and a line in err. */
static int open_file(const char *path, off_t *size, char *err, size_t errsize)
{
	/* Not to wait for whoever opens the other end of a FIFO. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat stat;

	if (fd < 0 || fstat(fd, &stat) < 0) {
		snprintf(err, errsize, "%s", strerror(errno));
	} else if (!S_ISREG(stat.st_mode)) {
		snprintf(err, errsize, "not a file");
	} else {
		*size = stat.st_size;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

struct song *song_open(const char *path, bool drop, const struct song_watch *watch, char *err,
	size_t errsize)
{
	SF_INFO info = { .format = 0 };
	struct song *s;
	off_t size;
	int fd = open_file(path, &size, err, errsize);

	if (fd < 0)
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s) {
		snprintf(err, errsize, "%s", strerror(ENOMEM));
		close(fd);
		return NULL;
	}
	s->fd = fd;
	s->size = size;
	s->block_at = -1;
	s->watch = *watch;
	evict(fd);
	song_set_drop(s, drop);
	s->file = sf_open_virtual(&io, SFM_READ, &info, s);
	if (!s->file || s->error || info.frames <= 0 || info.samplerate <= 0) {
		const char *why = s->error ? strerror(-s->error) : "no sound in it";

		snprintf(err, errsize, "%s", s->file || s->error ? why : sf_strerror(NULL));
		song_close(s);
		return NULL;
	}
	s->info = info;
	s->frames = calloc((size_t)info.channels * SONG_FRAMES_MAX, sizeof(*s->frames));
	if (!s->frames) {
		snprintf(err, errsize, "%s", strerror(ENOMEM));
		song_close(s);
		return NULL;
	}
	return s;
}

void song_close(struct song *song)
{
	if (!song)
		return;
	if (song->file)
		sf_close(song->file);
	free(song->frames);
	close(song->fd);
	free(song);
}

int song_rate(const struct song *song)
{
	return song->info.samplerate;
}

/* --- Playing --- */

int song_read(struct song *song, int16_t *stereo, int frames)
{
	int channels = song->info.channels, right = channels > 1;
	sf_count_t n = sf_readf_short(song->file, song->frames, frames);

	if (song->error)
		return song->error;
	/* Of more channels the first two: left and right in every format. */
	for (sf_count_t i = 0; i < n; i++) {
		stereo[2 * i] = song->frames[i * channels];
		stereo[2 * i + 1] = song->frames[i * channels + right];
	}
	return n > 0 ? (int)n : 0;
}

int song_rewind(struct song *song)
{
	song->error = 0;
	if (sf_seek(song->file, 0, SEEK_SET) == 0)
		return 0;
	return song->error ? song->error : -ESPIPE;
}

struct song_reads song_take_reads(struct song *song)
{
	struct song_reads reads = song->reads;

	song->reads = (struct song_reads){ 0 };
	return reads;
}

/* --- Making one --- */

static int format_of(const char *path)
{
	static const struct {
		const char *ending;
		int format;
	} formats[] = {
		{ ".wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16 },
		{ ".flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16 },
		{ ".ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS },
#ifdef SF_FORMAT_MPEG
		{ ".mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III },
#endif
	};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(formats) / sizeof(*formats); i++)
		if (strcasecmp(dot, formats[i].ending) == 0)
			return formats[i].format;
	return 0;
}

/* Two tones that beat, and noise, so that it does not compress away. */
static void compose(short *frames, int n, sf_count_t at, uint32_t *noise)
{
	for (int i = 0; i < n; i++) {
		double t = (double)(at + i) / MADE_RATE;
		int hiss;

		*noise = *noise * 1664525 + 1013904223;
		hiss = (int)(*noise >> 22) - 512;
		frames[2 * i] = (short)(6000 * sin(2 * M_PI * 220 * t) + hiss);
		frames[2 * i + 1] = (short)(6000 * sin(2 * M_PI * 221 * t) + hiss);
	}
}

static int write_frames(SNDFILE *file, sf_count_t total)
{
	short frames[2 * SONG_FRAMES_MAX];
	uint32_t noise = 1;

	for (sf_count_t at = 0; at < total;) {
		int n = total - at < SONG_FRAMES_MAX ? (int)(total - at) : SONG_FRAMES_MAX;

		compose(frames, n, at, &noise);
		errno = 0;
		if (sf_writef_short(file, frames, n) != n)
			return errno ? -errno : -EIO;
		at += n;
	}
	return 0;
}

int song_make(const char *path, double seconds, char *err, size_t errsize)
{
	SF_INFO info = { .samplerate = MADE_RATE, .channels = 2, .format = format_of(path) };
	int fd, error;
	SNDFILE *file;

	if (!info.format || !sf_format_check(&info)) {
		snprintf(err, errsize, "the name must end in .wav, .flac, .ogg or .mp3");
		return -EINVAL;
	}
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	if (fd < 0) {
		error = -errno;
		snprintf(err, errsize, "%s", strerror(errno));
		return error;
	}
	file = sf_open_fd(fd, SFM_WRITE, &info, 0);
	if (!file) {
		error = -EINVAL;
		snprintf(err, errsize, "%s", sf_strerror(NULL));
	} else {
		error = write_frames(file, (sf_count_t)(seconds * MADE_RATE));
		if (sf_close(file) && !error)
			error = -EIO;
		if (error)
			snprintf(err, errsize, "%s", strerror(-error));
	}
	evict(fd);
	if (close(fd) && !error) {
		error = -errno;
		snprintf(err, errsize, "%s", strerror(errno));
	}
	return error;
}

#endif
