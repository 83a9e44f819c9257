/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/zramdev.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/swap.h>
#include <time.h>
#include <unistd.h>

#include "src/clock.h"
#include "src/file.h"
#include "src/xalloc.h"

enum {
	PATH = 64,
	PATIENCE_MS = 5000, RETRY_MS = 10,
	SWAP_PAGES_LEAST = 10,		/* as mkswap(8) */
	MAGIC_BYTES = 10,
};

static const char control[] = "/sys/class/zram-control";

/*
 * What begins a swap area (include/linux/swap.h, union swap_header); a magic word ends its first
 * page.
 */
struct swap_info {
	char boot[1024];
	uint32_t version, last_page, nbad;
	uint8_t uuid[ZRAMDEV_UUID];
	char label[16];
};

static const char swap_magic[] = "SWAPSPACE2", swap_label[] = "vmtop-demo";

static void nap(void)
{
	const struct timespec t = { .tv_nsec = RETRY_MS * 1000000L };

	nanosleep(&t, NULL);
}

static const char *device_path(int id, char path[PATH])
{
	snprintf(path, PATH, "/dev/zram%d", id);
	return path;
}

static const char *attribute_path(int id, const char *name, char path[PATH])
{
	snprintf(path, PATH, "/sys/block/zram%d/%s", id, name);
	return path;
}

/* Udev looks at each new device and at each that was written: for that moment it is busy. */
static int write_patiently(const char *path, const char *text)
{
	int64_t deadline = clock_ms() + PATIENCE_MS;
	int error;

	while ((error = file_write_text(path, text)) == -EBUSY && clock_ms() < deadline)
		nap();
	return error;
}

static int read_number(const char *path, uint64_t *value)
{
	char text[32];
	int fd = open(path, O_RDONLY | O_CLOEXEC), error = 0;
	ssize_t n;

	*value = 0;
	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		error = n < 0 ? -errno : -ENODATA;
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	*value = strtoull(text, NULL, 10);
	return error;
}

bool zramdev_exists(int id)
{
	char path[PATH];

	return access(attribute_path(id, "disksize", path), F_OK) == 0;
}

bool zramdev_present(void)
{
	return access(control, F_OK) == 0 || zramdev_exists(0);
}

int zramdev_add(void)
{
	uint64_t id;
	char path[PATH];
	int error;

	/* To read it is to add one (Documentation/admin-guide/blockdev/zram.rst). */
	snprintf(path, sizeof(path), "%s/hot_add", control);
	error = read_number(path, &id);
	return error ? error : (int)id;
}

int zramdev_remove(int id)
{
	char path[PATH], text[16];
	int error;

	snprintf(path, sizeof(path), "%s/hot_remove", control);
	snprintf(text, sizeof(text), "%d", id);
	error = write_patiently(path, text);
	return error == -ENODEV ? 0 : error;
}

bool zramdev_unused(int id)
{
	char path[PATH];
	uint64_t bytes;

	return read_number(attribute_path(id, "disksize", path), &bytes) == 0 && bytes == 0;
}

int zramdev_set_size(int id, uint64_t bytes)
{
	char path[PATH], text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)bytes);
	return file_write_text(attribute_path(id, "disksize", path), text);
}

int zramdev_reset(int id)
{
	char path[PATH];

	return write_patiently(attribute_path(id, "reset", path), "1");
}

/* Devtmpfs makes the node at once; without it udev does, soon. */
static int device_open(int id, int flags)
{
	int64_t deadline = clock_ms() + PATIENCE_MS;
	char path[PATH];
	int fd;

	while ((fd = open(device_path(id, path), flags | O_CLOEXEC)) < 0 && errno == ENOENT &&
	       clock_ms() < deadline)
		nap();
	return fd < 0 ? -errno : fd;
}

static int write_signature(int id, uint64_t bytes, const uint8_t uuid[ZRAMDEV_UUID])
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t pages = bytes / page_size;
	struct swap_info info = { .version = 1 };
	int fd, error = 0;
	char *page;

	if (pages < SWAP_PAGES_LEAST || pages - 1 > UINT32_MAX)
		return -EINVAL;
	info.last_page = (uint32_t)(pages - 1);
	memcpy(info.uuid, uuid, ZRAMDEV_UUID);
	memcpy(info.label, swap_label, sizeof(swap_label));
	fd = device_open(id, O_RDWR);
	if (fd < 0)
		return fd;
	page = xcalloc(1, page_size);
	memcpy(page, &info, sizeof(info));
	memcpy(page + page_size - MAGIC_BYTES, swap_magic, MAGIC_BYTES);
	if (pwrite(fd, page, page_size, 0) != (ssize_t)page_size || fsync(fd) < 0)
		error = errno ? -errno : -EIO;
	free(page);
	close(fd);
	return error;
}

int zramdev_swap_on(int id, uint64_t bytes, const uint8_t uuid[ZRAMDEV_UUID])
{
	char path[PATH];
	int error = write_signature(id, bytes, uuid);

	if (error)
		return error;
	/*
	 * Without a priority it gets one below all that there are (mm/swapfile.c, least_priority).
	 */
	return swapon(device_path(id, path), 0) < 0 ? -errno : 0;
}

int zramdev_swap_off(int id)
{
	char path[PATH];

	device_path(id, path);
	while (swapoff(path) < 0) {
		if (errno == EINVAL || errno == ENOENT || errno == ENXIO)
			return 0;
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

static bool is_swapped_on(int id)
{
	char line[256], path[PATH];
	FILE *f = fopen("/proc/swaps", "re");
	size_t n = strlen(device_path(id, path));
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strncmp(line, path, n) == 0 && (line[n] == ' ' || line[n] == '\t');
	if (f)
		fclose(f);
	return found;
}

bool zramdev_is_marked(int id, const uint8_t uuid[ZRAMDEV_UUID])
{
	static const struct swap_info blank;
	struct swap_info info;
	bool marked = false;
	char path[PATH];
	int fd = open(device_path(id, path), O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	/*
	 * The signature's page is never swapped to, so it says the same as long as the area lives.
	 */
	if (pread(fd, &info, sizeof(info), 0) == (ssize_t)sizeof(info))
		marked = memcmp(info.uuid, uuid, ZRAMDEV_UUID) == 0 ||
			 (memcmp(&info, &blank, sizeof(info)) == 0 && !is_swapped_on(id));
	close(fd);
	return marked;
}
