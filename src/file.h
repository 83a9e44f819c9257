/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of /proc and /sys, read whole, again and again, or written. Nothing here allocates but file_init. */
#ifndef VMTOP_FILE_H
#define VMTOP_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct file {
	char *path;
	bool keep;		/* open between reads */
	int fd;			/* -1: not open */
	int error;		/* of the last try to open, 0 or negative errno */
	int64_t retry_ns;	/* when to try again */
};

/*
 * root and the path below it. The files of this machine stay open; those of another tree are opened
 * at each read, as they may be replaced. Undo with file_done.
 */
void file_init(struct file *f, const char *root, const char *path);
void file_done(struct file *f);

/*
 * Reads all of it. Returns its length or a negative errno, -EOVERFLOW when it does not fit: a text
 * that is cut would give wrong numbers. What could not be opened is tried again after some seconds
 * of now_ns.
 */
ssize_t file_read(struct file *f, char *buf, size_t size, int64_t now_ns);

/* The same for a file that is opened for this one reading. */
ssize_t file_read_at(int dirfd, const char *path, char *buf, size_t size);

/* Writes the whole text with one write(), as the kernel's files want it. 0 or a negative errno. */
int file_write_text(const char *path, const char *text);

#endif
