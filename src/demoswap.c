/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/demoswap.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/child.h"
#include "src/procstat.h"
#include "src/xalloc.h"
#include "src/zramdev.h"

#define NOTE_DIR "/run/vmtop"
#define NOTE_PREFIX "demo-"

enum { NOTE_PATH = 64, NOTE_BYTES = 256 };

/* What the note says, too. */
struct demoswap {
	int pid;			/* whose it is: with its start one process for ever */
	uint64_t start_ticks;
	int id;				/* of the device; -1: none yet */
	bool added;			/* by us; else it was there, unused */
	bool taken;			/* its size is ours: somebody may have been quicker */
	bool loaded;			/* the module, by us */
	uint8_t uuid[ZRAMDEV_UUID];	/* in the swap signature: device numbers return */
	char device[24];
};

/* ---- Module ---- */

static int run_modprobe(const char *flag)
{
	static const char *const places[] = { "/sbin/modprobe", "/usr/sbin/modprobe" };
	char path[32], option[16], name[] = "zram";
	char *argv[] = { path, option, name, NULL };

	snprintf(option, sizeof(option), "%s", flag);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (access(places[i], X_OK) < 0)
			continue;
		snprintf(path, sizeof(path), "%s", places[i]);
		return child_run(argv);
	}
	return -ENOENT;
}

static int module_load(struct demoswap *d)
{
	if (zramdev_present())
		return 0;
	run_modprobe("-q");
	d->loaded = zramdev_present();
	return d->loaded ? 0 : -ENOENT;
}

/* ---- Note ---- */

static const char *note_path(const struct demoswap *d, char path[NOTE_PATH])
{
	snprintf(path, NOTE_PATH, NOTE_DIR "/" NOTE_PREFIX "%d", d->pid);
	return path;
}

static int note_write(const struct demoswap *d)
{
	char path[NOTE_PATH], text[NOTE_BYTES];
	int fd, n, error = 0;

	if (mkdir(NOTE_DIR, 0755) < 0 && errno != EEXIST)
		return -errno;
	n = snprintf(text, sizeof(text), "start %llu\nzram %d\nadded %d\nloaded %d\nuuid ",
		     (unsigned long long)d->start_ticks, d->id, d->added, d->loaded);
	for (size_t i = 0; i < ZRAMDEV_UUID; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%02x", d->uuid[i]);
	n += snprintf(text + n, sizeof(text) - (size_t)n, "\n");
	fd = open(note_path(d, path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return -errno;
	if (write(fd, text, (size_t)n) != n)
		error = errno ? -errno : -EIO;
	close(fd);
	return error;
}

static bool note_parse(const char *text, struct demoswap *d)
{
	unsigned long long start;
	int added, loaded, n = 0;

	if (sscanf(text, "start %llu zram %d added %d loaded %d uuid %n", &start, &d->id, &added,
		   &loaded, &n) != 4 || !n || d->id < 0)
		return false;
	for (size_t i = 0; i < ZRAMDEV_UUID; i++)
		if (sscanf(text + n + 2 * i, "%2hhx", &d->uuid[i]) != 1)
			return false;
	d->start_ticks = start;
	d->added = added;
	d->taken = true;		/* is_ours asks before it is touched */
	d->loaded = loaded;
	return true;
}

static bool note_read(const char *name, struct demoswap *d)
{
	char path[NOTE_PATH], text[NOTE_BYTES];
	ssize_t n;
	int fd;

	d->pid = atoi(name + strlen(NOTE_PREFIX));
	fd = open(note_path(d, path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return note_parse(text, d);
}

static void note_remove(const struct demoswap *d)
{
	char path[NOTE_PATH];

	unlink(note_path(d, path));
	rmdir(NOTE_DIR);	/* when it was the last */
}

/* ---- Taking away ---- */

/* What cannot be swapped off stays as it is, with its note, for another try. */
static int take_away(struct demoswap *d)
{
	int error = 0;

	if (d->added || d->taken) {
		error = zramdev_swap_off(d->id);
		if (!error)
			error = d->added ? zramdev_remove(d->id) : zramdev_reset(d->id);
	}
	if (error)
		return error;
	if (d->loaded)
		run_modprobe("-rq");
	note_remove(d);
	return 0;
}

static bool owner_lives(const struct demoswap *d)
{
	struct procstat st;

	return procstat_read(d->pid, &st) == 0 && st.start_ticks == d->start_ticks;
}

/* Numbers are given again: a device that someone else made since must not suffer for our note. */
static bool is_ours(const struct demoswap *d)
{
	return zramdev_exists(d->id) &&
	       (zramdev_unused(d->id) ? d->added : zramdev_is_marked(d->id, d->uuid));
}

static bool remove_stale(const char *name)
{
	struct demoswap d = { .id = -1 };

	if (!note_read(name, &d)) {
		note_remove(&d);
		return false;
	}
	if (owner_lives(&d))
		return false;
	if (is_ours(&d))
		return take_away(&d) == 0;
	note_remove(&d);
	return false;
}

static bool is_note(const char *name)
{
	return strncmp(name, NOTE_PREFIX, strlen(NOTE_PREFIX)) == 0 &&
	       isdigit((unsigned char)name[strlen(NOTE_PREFIX)]);
}

int demoswap_remove_stale(void)
{
	DIR *d = opendir(NOTE_DIR);
	struct dirent *entry;
	int n = 0;

	while (d && (entry = readdir(d)))
		n += is_note(entry->d_name) && remove_stale(entry->d_name);
	if (d)
		closedir(d);
	return n;
}

/* ---- Making ---- */

/* The note is there before anything that must be taken away can be in use. */
static int device_take(struct demoswap *d)
{
	int id = zramdev_add();

	if (id >= 0)
		d->added = true;
	else if (zramdev_unused(0))
		id = 0;
	else
		return -ENODEV;
	d->id = id;
	snprintf(d->device, sizeof(d->device), "/dev/zram%d", id);
	return note_write(d);
}

static int make(struct demoswap *d, uint64_t bytes, const char **what)
{
	int error;

	*what = "zram in this kernel (try modprobe zram, or swapon a swap file)";
	error = module_load(d);
	if (error)
		return error;
	*what = "free zram device";
	error = device_take(d);
	if (error)
		return error;
	*what = "the size of the zram device";
	error = zramdev_set_size(d->id, bytes);
	if (error)
		return error;
	d->taken = true;
	*what = "swap on the zram device";
	return zramdev_swap_on(d->id, bytes, d->uuid);
}

struct demoswap *demoswap_new(uint64_t bytes, char *err, size_t errsize)
{
	struct demoswap *d;
	struct procstat self;
	const char *what;
	int error;

	if (geteuid() != 0) {
		snprintf(err, errsize, "swap can only be made by root");
		return NULL;
	}
	demoswap_remove_stale();
	d = xcalloc(1, sizeof(*d));
	d->id = -1;
	d->pid = getpid();
	error = procstat_read(d->pid, &self);
	d->start_ticks = error ? 0 : self.start_ticks;
	if (getrandom(d->uuid, sizeof(d->uuid), 0) != sizeof(d->uuid))
		d->uuid[0] = 1;
	error = make(d, bytes, &what);
	if (!error)
		return d;
	snprintf(err, errsize, "no %s: %s", what, strerror(-error));
	take_away(d);
	free(d);
	return NULL;
}

const char *demoswap_device(const struct demoswap *d)
{
	return d->device;
}

int demoswap_remove(struct demoswap *d)
{
	int error = take_away(d);

	free(d);
	return error;
}
