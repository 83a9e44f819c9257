/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/xalloc.h"

#define RETRY_NS (3 * INT64_C(1000000000))

void file_init(struct file *f, const char *root, const char *path)
{
	*f = (struct file){ .path = xasprintf("%s/%s", root, path), .keep = !*root, .fd = -1 };
}

static void file_close(struct file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

void file_done(struct file *f)
{
	file_close(f);
	free(f->path);
}

/* O_NONBLOCK: a tree of somebody's making may have a FIFO there. */
static int open_at(int dirfd, const char *path)
{
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

/*
 * A read of a file made of records, like /proc/vmstat, gives no more than a page however large the
 * buffer is (fs/seq_file.c, seq_read_iter): the end is where read returns 0, not before.
 */
static ssize_t read_all(int fd, char *buf, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = pread(fd, buf + len, size - len, (off_t)len);

		if (n == 0)
			return (ssize_t)len;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			len += (size_t)n;
	}
	return -EOVERFLOW;
}

ssize_t file_read(struct file *f, char *buf, size_t size, int64_t now_ns)
{
	ssize_t n;

	if (f->fd < 0) {
		if (f->error && now_ns < f->retry_ns)
			return f->error;
		f->fd = open_at(AT_FDCWD, f->path);
		f->error = f->fd < 0 ? f->fd : 0;
		f->retry_ns = now_ns + RETRY_NS;
		if (f->error)
			return f->error;
	}
	n = read_all(f->fd, buf, size);
	if (n < 0 || !f->keep)
		file_close(f);
	return n;
}

ssize_t file_read_at(int dirfd, const char *path, char *buf, size_t size)
{
	int fd = open_at(dirfd, path);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read_all(fd, buf, size);
	close(fd);
	return n;
}

int file_write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), error = 0;
	ssize_t n, len = (ssize_t)strlen(text);

	if (fd < 0)
		return -errno;
	n = write(fd, text, (size_t)len);
	if (n != len)
		error = n < 0 ? -errno : -EIO;
	close(fd);
	return error;
}
