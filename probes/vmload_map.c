/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/vmload.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

enum { STEP = 1 << 20 };	/* bytes written or compared at a time */

/* --- The directory --- */

struct fs_name {
	unsigned long magic;
	const char *name;
};

static const struct fs_name fs_names[] = {
	{ TMPFS_MAGIC, "tmpfs" },
	{ RAMFS_MAGIC, "ramfs" },
	{ EXT4_SUPER_MAGIC, "ext4" },		/* ext2 and ext3 have the same number */
	{ XFS_SUPER_MAGIC, "xfs" },
	{ BTRFS_SUPER_MAGIC, "btrfs" },
	{ F2FS_SUPER_MAGIC, "f2fs" },
	{ OVERLAYFS_SUPER_MAGIC, "overlay" },
	{ NFS_SUPER_MAGIC, "nfs" },
	{ FUSE_SUPER_MAGIC, "fuse" },
	{ V9FS_MAGIC, "9p" },
};

static const char *fs_name(unsigned long magic, char *buf, size_t size)
{
	for (size_t i = 0; i < sizeof(fs_names) / sizeof(*fs_names); i++)
		if (fs_names[i].magic == magic)
			return fs_names[i].name;
	snprintf(buf, size, "file system 0x%lx", magic);
	return buf;
}

/*
 * A file without a name, so that nothing stays behind however the program ends. File systems that
 * cannot do it give one with a name, which goes at once.
 */
static int file_make(const char *dir)
{
	char path[PATH_MAX];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
		return -errno;
	if ((size_t)snprintf(path, sizeof(path), "%s/vmload-XXXXXX", dir) >= sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

/* --- The mapping --- */

/*
 * A store into a page for which the file system has no room, and a load from one that it cannot
 * read, are SIGBUS. Only what writes and compares the mapping may meet it, and gets back here. A
 * signal handler reaches nothing but globals.
 */
static sigjmp_buf bus_back;
static char *volatile bus_place;

static void bus_error(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	bus_place = info->si_addr;
	siglongjmp(bus_back, 1);
}

/* *done is how far it came. */
typedef int map_work(const struct map_options *o, char *map, uint64_t size, uint64_t *done);

/* Does `work` on the mapping; -EIO when the file did not go along, with *done telling where. */
static int guarded(map_work *work, const struct map_options *o, char *map, uint64_t size,
	uint64_t *done)
{
	struct sigaction on = { .sa_sigaction = bus_error, .sa_flags = SA_SIGINFO }, before;
	int error;

	sigaction(SIGBUS, &on, &before);
	if (sigsetjmp(bus_back, 1) == 0) {
		error = work(o, map, size, done);
	} else {
		*done = (uint64_t)(bus_place - map);
		error = -EIO;
	}
	sigaction(SIGBUS, &before, NULL);
	return error;
}

static size_t step(uint64_t left)
{
	return left < STEP ? (size_t)left : STEP;
}

static int write_all(const struct map_options *o, char *map, uint64_t size, uint64_t *done)
{
	for (*done = 0; *done < size; *done += step(size - *done))
		content_fill(CONTENT_RANDOM, o->seed, *done, map + *done, step(size - *done));
	return 0;
}

static int compare_all(const struct map_options *o, char *map, uint64_t size, uint64_t *done)
{
	for (*done = 0; *done < size;) {
		size_t n = step(size - *done);
		size_t same = content_differs(CONTENT_RANDOM, o->seed, *done, map + *done, n);

		*done += same;
		if (same < n)
			return -EBADMSG;
	}
	return 0;
}

/* --- One time --- */

struct job {
	const struct map_options *o;
	int fd;
	uint64_t size;
	char *err;
	size_t errsize;
};

static int failed(const struct job *j, int error, const char *what)
{
	snprintf(j->err, j->errsize, "%s: %s", what, strerror(-error));
	return error;
}

/* The handler cannot tell why the file did not go along; how much room there is says it. */
static int bus_failed(const struct job *j, const char *what, uint64_t at)
{
	struct statfs fs;
	bool full = fstatfs(j->fd, &fs) == 0 && fs.f_bavail * (uint64_t)fs.f_bsize < STEP;
	const char *why = full ? "no space left" : "the file system refused (quota? I/O error?)";

	snprintf(j->err, j->errsize, "%s %s: %s at byte %" PRIu64 " of %" PRIu64, what, j->o->dir,
		why, at, j->size);
	return full ? -ENOSPC : -EIO;
}

static int map_write(const struct job *j)
{
	uint64_t done;
	char *map = mmap(NULL, j->size, PROT_READ | PROT_WRITE, MAP_SHARED, j->fd, 0);
	int error;

	if (map == MAP_FAILED)
		return failed(j, -errno, "cannot map the file");
	error = guarded(write_all, j->o, map, j->size, &done);
	if (error)
		error = bus_failed(j, "cannot write the file in", done);
	else if (msync(map, j->size, MS_SYNC))
		error = failed(j, -errno, "msync");
	if (munmap(map, j->size) && !error)
		error = failed(j, -errno, "munmap");
	return error;
}

static int map_compare(const struct job *j)
{
	uint64_t done;
	char *map = mmap(NULL, j->size, PROT_READ, MAP_SHARED, j->fd, 0);
	int error;

	if (map == MAP_FAILED)
		return failed(j, -errno, "cannot map the file again");
	error = guarded(compare_all, j->o, map, j->size, &done);
	if (error == -EBADMSG)
		snprintf(j->err, j->errsize, "byte %" PRIu64 " of the file is not what was written",
			done);
	else if (error)
		error = bus_failed(j, "cannot read the file in", done);
	munmap(map, j->size);
	return error;
}

static int map_once(struct job *j, FILE *out)
{
	int error = file_make(j->o->dir);

	if (error < 0) {
		snprintf(j->err, j->errsize, "cannot make a file in %s: %s", j->o->dir,
			strerror(-error));
		return error;
	}
	j->fd = error;
	if (ftruncate(j->fd, (off_t)j->size)) {
		error = -errno;
		snprintf(j->err, j->errsize, "cannot make a file of %" PRIu64 " bytes in %s: %s",
			j->size, j->o->dir, strerror(errno));
		goto out;
	}
	error = map_write(j);
	if (!error && j->o->verify)
		error = map_compare(j);
	if (!error)
		fprintf(out, "PASS ... %" PRIu64 " bytes written%s.\n", j->size,
			j->o->verify ? " and verified" : "");
	fflush(out);
out:
	close(j->fd);
	return error;
}

static void map_introduce(const struct job *j, FILE *out, const struct statfs *fs)
{
	unsigned long magic = (unsigned long)fs->f_type;
	char buf[40];
	const char *name = fs_name(magic, buf, sizeof(buf));

	fprintf(out, "mapping a file of %" PRIu64 " pages, %" PRIu64 " bytes, in %s (%s)\n",
		j->o->pages, j->size, j->o->dir, name);
	if (magic == TMPFS_MAGIC || magic == RAMFS_MAGIC)
		fprintf(out, "%s is %s: this loads shared memory%s, not the writing of files\n",
			j->o->dir, name, magic == TMPFS_MAGIC ? " and swap" : "");
	fflush(out);
}

int map_run(const struct map_options *o, FILE *out, char *err, size_t errsize)
{
	struct job j = { .o = o, .size = o->pages * (uint64_t)sysconf(_SC_PAGESIZE),
		.err = err, .errsize = errsize };
	struct statfs fs;
	int error = 0;

	if (statfs(o->dir, &fs)) {
		error = -errno;
		snprintf(err, errsize, "%s: %s", o->dir, strerror(errno));
		return error;
	}
	map_introduce(&j, out, &fs);
	/* A file larger than ulimit -f is an error to report. */
	signal(SIGXFSZ, SIG_IGN);
	for (unsigned i = 0; i < o->times && !error; i++)
		error = map_once(&j, out);
	return error;
}
