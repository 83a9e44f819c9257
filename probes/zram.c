/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/probe.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/file.h"
#include "src/keyscan.h"
#include "src/xalloc.h"

/* Devices come and go (hot_add, hot_remove), so they are looked for each time. */
struct zram {
	struct source source;
	char *path;
	struct keyscan *keys;
};

/* Reads NAME/file below the directory; the length, or a negative errno. text is terminated. */
static ssize_t read_attribute(int fd, const char *name, const char *file, char *text, size_t size)
{
	char path[320];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s", name, file);
	n = file_read_at(fd, path, text, size);
	text[n > 0 && (size_t)n < size ? n : 0] = '\0';
	return n;
}

/* Before mm_stat (Linux 4.1, drivers/block/zram) its first three numbers were a file each. */
static ssize_t read_old_files(int fd, const char *name, char *text, size_t size)
{
	static const char *const files[] = {
		"orig_data_size", "compr_data_size", "mem_used_total",
	};
	size_t len = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char number[32];
		ssize_t n = read_attribute(fd, name, files[i], number, sizeof(number));

		if (n < 0)
			return n;
		number[strcspn(number, "\n")] = '\0';
		len += (size_t)snprintf(text + len, size - len, "%s ", number);
	}
	return (ssize_t)len;
}

/* True when the device is set up and its numbers were added. Gone in the middle is no error. */
static bool add_device(struct zram *z, int fd, const char *name)
{
	char text[512];
	ssize_t n;

	if (read_attribute(fd, name, "disksize", text, sizeof(text)) <= 0 ||
	    strtoull(text, NULL, 10) == 0)
		return false;
	n = read_attribute(fd, name, "mm_stat", text, sizeof(text));
	if (n == -ENOENT)
		n = read_old_files(fd, name, text, sizeof(text));
	if (n <= 0)
		return false;
	keyscan_numbers(z->keys, text, (size_t)n);
	return true;
}

static int zram_read(struct source *src, struct sample *s)
{
	struct zram *z = (struct zram *)src;
	DIR *dir = opendir(z->path);
	struct dirent *entry;
	size_t found = 0;

	if (!dir)
		return -errno;
	keyscan_begin(z->keys);
	while ((entry = readdir(dir)))
		if (strncmp(entry->d_name, "zram", 4) == 0)
			found += add_device(z, dirfd(dir), entry->d_name);
	closedir(dir);
	if (!found)
		return -ENOENT;
	keyscan_end(z->keys, s);
	return 0;
}

static void zram_close(struct source *src)
{
	struct zram *z = (struct zram *)src;

	keyscan_free(z->keys);
	free(z->path);
	free(z);
}

struct source *zram_open(enum source_id id, const struct probe_env *env)
{
	struct zram *z = xcalloc(1, sizeof(*z));

	z->source = (struct source){ .id = id, .read = zram_read, .close = zram_close };
	z->path = xasprintf("%s/%s", env->root, source_info(id)->path);
	z->keys = keyscan_new(id);
	return &z->source;
}
