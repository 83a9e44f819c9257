/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file: each second 4 KiB at random of a file that is not in memory: what a program waits that needs
 * a page of its text, or a font, from a busy disk. No readahead, and each page is dropped again once
 * it was read, so the file takes no memory and every read meets the disk.
 *
 * A file of its own has no name (O_TMPFILE; where a file system cannot do that it is unlinked as soon
 * as it is there), so nothing is left behind however the program ends. It is written in pieces that
 * go to the disk and out of memory one by one.
 */
#include "probes/feel_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PERIOD_NS INT64_C(1000000000)

enum { READ_BYTES = 4096, PIECE_BYTES = 1 << 20, BLOCK_BYTES = 1 << 16 };

struct file_own {
	off_t next;
	struct feel_draw draw;
	char page[READ_BYTES];
};

/* --- Which file --- */

static int open_nameless(const char *dir)
{
	char path[4096];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	if (snprintf(path, sizeof(path), "%s/vmtop-feel-XXXXXX", dir) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static int open_given(struct feel_setup *setup, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size >= (off_t)READ_BYTES * (FEEL_APART + 1)) {
		setup->file_bytes = (size_t)st.st_size;
		return fd;
	}
	close(fd);
	errno = 0;
	return -1;
}

int feel_file_open(struct feel_setup *setup, const char *dir, const char *path, char *err,
	size_t errsize)
{
	int error;

	setup->file_made = !path;
	setup->file_fd = path ? open_given(setup, path) : open_nameless(dir);
	if (setup->file_fd >= 0)
		return 0;
	error = errno;
	snprintf(err, errsize, "%s: %s", path ? path : dir, error ? strerror(error) :
		"not a regular file of 244 KiB or more");
	return error ? -error : -EINVAL;
}

/* --- Making it --- */

static int write_piece(int fd, off_t at, size_t bytes, uint64_t *random)
{
	static uint64_t block[BLOCK_BYTES / sizeof(uint64_t)];
	size_t done = 0;

	while (done < bytes) {
		size_t n = bytes - done < sizeof(block) ? bytes - done : sizeof(block);
		ssize_t written;

		feel_fill(block, n, random);
		written = pwrite(fd, block, n, at + (off_t)done);
		if (written <= 0)
			return written < 0 ? -errno : -ENOSPC;
		done += (size_t)written;
	}
	if (fdatasync(fd) < 0)
		return -errno;
	posix_fadvise(fd, at, (off_t)bytes, POSIX_FADV_DONTNEED);
	return 0;
}

/* Whether a piece is in memory still, for the most part: a tmpfs, or something on top of one. */
static bool stays(int fd, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (bytes + page - 1) / page, in = 0;
	unsigned char *resident = malloc(pages);
	void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

	if (resident && map != MAP_FAILED && mincore(map, bytes, resident) == 0)
		for (size_t i = 0; i < pages; i++)
			in += resident[i] & 1;
	if (map != MAP_FAILED)
		munmap(map, bytes);
	free(resident);
	return in > pages / 2;
}

/* Half of what the file system has free is left to others. */
static size_t affordable(int fd, size_t bytes)
{
	struct statvfs fs;
	uint64_t free_bytes;

	if (fstatvfs(fd, &fs) < 0)
		return bytes;
	free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize / 2;
	return free_bytes < bytes ? (size_t)free_bytes / READ_BYTES * READ_BYTES : bytes;
}

static int make(struct feel_room *room, size_t bytes)
{
	int fd = room->setup->file_fd;
	uint64_t random = room->seed | 1;

	for (size_t at = 0; at < bytes; at += PIECE_BYTES) {
		size_t n = bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;
		int error = write_piece(fd, (off_t)at, n, &random);

		if (error) {
			feel_slot_reason(room->slot, "the file could not be written: %s",
				strerror(-error));
			return error;
		}
		if (at == 0 && stays(fd, n)) {
			feel_slot_reason(room->slot,
				"a file there stays in memory (tmpfs?): give another --dir");
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

/* --- The probe --- */

static void file_after(struct feel_room *room)
{
	struct file_own *own = room->own;

	posix_fadvise(room->setup->file_fd, own->next, READ_BYTES, POSIX_FADV_DONTNEED);
	own->next = (off_t)feel_draw_next(&own->draw) * READ_BYTES;
}

static int file_prepare(struct feel_room *room)
{
	const struct feel_setup *setup = room->setup;
	struct file_own *own = calloc(1, sizeof(*own));
	size_t bytes = setup->file_bytes;
	int error = own ? 0 : -ENOMEM;

	if (setup->file_fd < 0) {
		feel_slot_reason(room->slot, "%s", setup->file_reason);
		error = -ENOENT;
	} else if (!error && setup->file_made) {
		bytes = affordable(setup->file_fd, bytes);
		error = bytes < (size_t)READ_BYTES * (FEEL_APART + 1) ? -ENOSPC : 0;
		if (error)
			feel_slot_reason(room->slot, "the file system is full: give another --dir");
		else
			error = make(room, bytes);
	}
	if (error) {
		free(own);
		return error;
	}
	posix_fadvise(setup->file_fd, 0, 0, POSIX_FADV_DONTNEED);
	posix_fadvise(setup->file_fd, 0, 0, POSIX_FADV_RANDOM);
	feel_draw_init(&own->draw, bytes / READ_BYTES, room->seed);
	room->own = own;
	file_after(room);
	return 0;
}

static int file_act(struct feel_room *room)
{
	struct file_own *own = room->own;
	ssize_t n = pread(room->setup->file_fd, own->page, sizeof(own->page), own->next);

	if (n < 0)
		return -errno;
	return n == sizeof(own->page) ? 0 : -EIO;	/* somebody has cut it */
}

const struct feel_kind feel_file = {
	.period_ns = PERIOD_NS, .prepare = file_prepare, .act = file_act, .after = file_after,
};
