/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/probe.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "src/file.h"
#include "src/keyscan.h"
#include "src/xalloc.h"

/*
 * The directory is opened anew each time: a descriptor kept open would keep debugfs from being
 * unmounted, and zswap fills it only once it is set up (mm/zswap.c, zswap_debugfs_init).
 */
struct numberdir {
	struct source source;
	char *path;
	struct keyscan *keys;
};

static int numberdir_read(struct source *src, struct sample *s)
{
	struct numberdir *d = (struct numberdir *)src;
	DIR *dir = opendir(d->path);
	struct dirent *entry;
	size_t found = 0;
	char text[64];

	if (!dir)
		return -errno;
	keyscan_begin(d->keys);
	while ((entry = readdir(dir))) {
		ssize_t n;

		if (entry->d_name[0] == '.')
			continue;
		n = file_read_at(dirfd(dir), entry->d_name, text, sizeof(text));
		if (n <= 0 || text[0] < '0' || text[0] > '9')
			continue;
		text[n] = '\0';
		keyscan_value(d->keys, entry->d_name, strtoull(text, NULL, 10));
		found++;
	}
	closedir(dir);
	if (!found)
		return -ENOENT;
	keyscan_end(d->keys, s);
	return 0;
}

static void numberdir_close(struct source *src)
{
	struct numberdir *d = (struct numberdir *)src;

	keyscan_free(d->keys);
	free(d->path);
	free(d);
}

struct source *numberdir_open(enum source_id id, const struct probe_env *env)
{
	struct numberdir *d = xcalloc(1, sizeof(*d));

	d->source = (struct source){
		.id = id, .read = numberdir_read, .close = numberdir_close,
	};
	d->path = xasprintf("%s/%s", env->root, source_info(id)->path);
	d->keys = keyscan_new(id);
	return &d->source;
}
