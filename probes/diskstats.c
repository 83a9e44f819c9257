/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/file.h"
#include "src/keyscan.h"
#include "src/xalloc.h"

enum { TEXT_SIZE = 256 * 1024 };

struct diskstats {
	struct source source;
	struct file file;
	char *root;
	struct keyscan *keys;
	char text[TEXT_SIZE];
};

bool diskstats_wanted(const char *name)
{
	static const char *const stacked[] = {
		"bcache", "dm-", "drbd", "loop", "md", "ram", "zd", "zram",
	};
	int ctrl, path, ns;

	for (size_t i = 0; i < sizeof(stacked) / sizeof(*stacked); i++)
		if (strncmp(name, stacked[i], strlen(stacked[i])) == 0)
			return false;
	/* The single paths of a multipath NVMe disk (drivers/nvme/host/multipath.c). */
	return sscanf(name, "nvme%dc%dn%d", &ctrl, &path, &ns) != 3;
}

/* Partitions have no entry of their own in /sys/block. */
static bool is_whole(const char *root, const char *name)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/sys/block/%s", root, name);
	for (char *p = path + strlen(path) - strlen(name); *p; p++)
		if (*p == '/')
			*p = '!';	/* as sysfs spells cciss/c0d0 */
	return access(path, F_OK) == 0;
}

/* Admin guide, iostats: reads, merged, sectors, ms, the same of writes, in flight, ms busy. */
static void add_line(struct diskstats *d, const char *line)
{
	uint64_t reads, read_ms, writes, write_ms, in_flight, busy_ms;
	char name[64];

	if (sscanf(line, "%*u %*u %63s %" SCNu64 " %*u %*u %" SCNu64 " %" SCNu64 " %*u %*u %" SCNu64
		   " %" SCNu64 " %" SCNu64, name, &reads, &read_ms, &writes, &write_ms, &in_flight,
		   &busy_ms) != 7 || !diskstats_wanted(name) || !is_whole(d->root, name))
		return;
	keyscan_value(d->keys, "reads", reads);
	keyscan_value(d->keys, "read_ms", read_ms);
	keyscan_value(d->keys, "writes", writes);
	keyscan_value(d->keys, "write_ms", write_ms);
	keyscan_value(d->keys, "in_flight", in_flight);
	keyscan_value(d->keys, "busy_ms", busy_ms);
}

static int diskstats_read(struct source *src, struct sample *s)
{
	struct diskstats *d = (struct diskstats *)src;
	ssize_t n = file_read(&d->file, d->text, sizeof(d->text) - 1, s->mono_ns);
	char *line = d->text, *eol;

	if (n < 0)
		return (int)n;
	d->text[n] = '\0';
	keyscan_begin(d->keys);
	while ((eol = strchr(line, '\n'))) {
		*eol = '\0';
		add_line(d, line);
		line = eol + 1;
	}
	keyscan_end(d->keys, s);
	return 0;
}

static void diskstats_close(struct source *src)
{
	struct diskstats *d = (struct diskstats *)src;

	file_done(&d->file);
	keyscan_free(d->keys);
	free(d->root);
	free(d);
}

struct source *diskstats_open(enum source_id id, const struct probe_env *env)
{
	struct diskstats *d = xcalloc(1, sizeof(*d));

	d->source = (struct source){
		.id = id, .read = diskstats_read, .close = diskstats_close,
	};
	d->root = xstrdup(env->root);
	d->keys = keyscan_new(id);
	file_init(&d->file, env->root, source_info(id)->path);
	return &d->source;
}
