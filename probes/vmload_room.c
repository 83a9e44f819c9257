/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/vmload.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "src/file.h"
#include "src/text.h"

enum { TEXT_MAX = 64 << 10 };		/* mountinfo of a machine full of containers is long */

static ssize_t read_text(const char *path, char *text, size_t size)
{
	ssize_t n = file_read_at(AT_FDCWD, path, text, size - 1);

	if (n >= 0)
		text[n] = '\0';
	return n;
}

/* --- The machine --- */

/*
 * The value of a line "KEY:   N kB", in bytes; 0 without. lxcfs has shown totals below zero as
 * numbers near 2^64 (lxc/lxcfs#389).
 */
static uint64_t meminfo_bytes(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		uint64_t kib;

		line += *line == '\n';
		if (strncmp(line, key, len) != 0 || line[len] != ':')
			continue;
		kib = strtoull(line + len + 1, NULL, 10);
		return kib > INT64_MAX / 1024 ? 0 : kib * 1024;
	}
	return 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int machine_read(const char *root, struct room *room, char *text, size_t size)
{
	char path[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/proc/meminfo", root);
	n = read_text(path, text, size);
	if (n < 0)
		return (int)n;
	room->ram = meminfo_bytes(text, "MemTotal");
	room->ram_free = least(meminfo_bytes(text, "MemFree"), room->ram);
	room->swap = meminfo_bytes(text, "SwapTotal");
	room->swap_free = least(meminfo_bytes(text, "SwapFree"), room->swap);
	return room->ram ? 0 : -ENODATA;
}

/* --- The cgroup --- */

struct group {
	bool v2;
	char self[PATH_MAX];	/* as /proc/self/cgroup gives it */
	char dir[PATH_MAX];	/* its directory, then those above it */
	size_t top;		/* length of the mount point within dir */
};

/* Whether a comma separated list has the word. */
static bool has_word(const char *list, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (const char *end = list + len; list < end;) {
		const char *comma = memchr(list, ',', (size_t)(end - list));
		size_t w = (size_t)((comma ? comma : end) - list);

		if (w == n && memcmp(list, word, n) == 0)
			return true;
		list += w + 1;
	}
	return false;
}

/* Lines are "ID:CONTROLLERS:PATH"; v2 has ID 0 and no controllers. Memory in v1 rules out v2's. */
static bool group_find(struct group *g, char *text)
{
	bool found = false;
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
		bool v1 = path && has_word(list + 1, (size_t)(path - list - 1), "memory");

		if (!path || (!v1 && (found || strncmp(line, "0::", 3) != 0)))
			continue;
		if (!text_copy(g->self, sizeof(g->self), path + 1))
			return false;
		g->v2 = !v1;
		found = true;
		if (v1)
			break;
	}
	return found;
}

/*
 * Whether the mountinfo line is of the hierarchy; gives its root, which is part of the group's path
 * in a container without a cgroup namespace, and its mount point.
 * "ID PARENT MAJ:MIN ROOT POINT OPTIONS [TAGS] - TYPE SOURCE SUPER"
 */
static bool mount_is(const struct group *g, char *line, char **root, char **point)
{
	char *tail = strstr(line, " - "), *save = NULL, *type, *super, *word;

	if (!tail)
		return false;
	*tail = '\0';
	type = strtok_r(tail + 3, " ", &save);
	strtok_r(NULL, " ", &save);
	super = strtok_r(NULL, " ", &save);
	if (!type || !super || strcmp(type, g->v2 ? "cgroup2" : "cgroup") != 0)
		return false;
	if (!g->v2 && !has_word(super, strlen(super), "memory"))
		return false;
	word = strtok_r(line, " ", &save);
	for (int i = 0; i < 3 && word; i++)
		word = strtok_r(NULL, " ", &save);
	*root = word;
	*point = strtok_r(NULL, " ", &save);
	return *root && *point;
}

/* A mount that does not show the group (another part of the tree, or /../x) is passed over. */
static bool group_locate(struct group *g, const char *tree, char *text)
{
	char *save = NULL, *root, *point;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		const char *below = g->self;
		size_t len;

		if (!mount_is(g, line, &root, &point))
			continue;
		len = strcmp(root, "/") == 0 ? 0 : strlen(root);
		if (strncmp(below, root, len) != 0)
			continue;
		below += len;
		if ((*below && *below != '/') || strncmp(below, "/..", 3) == 0)
			continue;
		if (strcmp(below, "/") == 0)
			below = "";
		g->top = strlen(tree) + strlen(point);
		return (size_t)snprintf(g->dir, sizeof(g->dir), "%s%s%s", tree, point, below) <
			sizeof(g->dir);
	}
	return false;
}

/* A number of the group; "max" is UINT64_MAX. */
static bool group_number(const struct group *g, const char *file, uint64_t *value)
{
	char path[PATH_MAX + 64], text[64];

	snprintf(path, sizeof(path), "%s/%s", g->dir, file);
	if (read_text(path, text, sizeof(text)) <= 0)
		return false;
	*value = strncmp(text, "max", 3) == 0 ? UINT64_MAX : strtoull(text, NULL, 10);
	return true;
}

/* v1 limits and counts memory and swap together; below the sum of both there is no swap for it. */
static void group_swap(const struct group *g, struct room *room)
{
	uint64_t limit, usage;

	room->swap_limit = UINT64_MAX;
	room->swap_usage = 0;
	if (g->v2) {
		if (group_number(g, "memory.swap.max", &limit))
			room->swap_limit = limit;
		if (group_number(g, "memory.swap.current", &usage))
			room->swap_usage = usage;
		return;
	}
	if (group_number(g, "memory.memsw.limit_in_bytes", &limit))
		room->swap_limit = limit > room->limit ? limit - room->limit : 0;
	if (group_number(g, "memory.memsw.usage_in_bytes", &usage))
		room->swap_usage = usage > room->usage ? usage - room->usage : 0;
}

/* A group is held to the limits of those above it too: the tightest counts. */
static void group_read(struct group *g, struct room *room)
{
	for (;;) {
		uint64_t limit, usage;
		char *slash;

		if (group_number(g, g->v2 ? "memory.max" : "memory.limit_in_bytes", &limit) &&
		    group_number(g, g->v2 ? "memory.current" : "memory.usage_in_bytes", &usage) &&
		    limit < (room->limited ? room->limit : room->ram)) {
			room->limited = true;
			room->limit = limit;
			room->usage = usage;
			group_swap(g, room);
		}
		slash = strrchr(g->dir, '/');
		if (!slash || strlen(g->dir) <= g->top)
			return;
		*slash = '\0';
	}
}

int room_read(const char *root, struct room *room)
{
	char path[PATH_MAX], *text = malloc(TEXT_MAX);
	struct group g = { 0 };
	int error;

	*room = (struct room){ 0 };
	if (!text)
		return -ENOMEM;
	error = machine_read(root, room, text, TEXT_MAX);
	if (error)
		goto out;
	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	if (read_text(path, text, TEXT_MAX) < 0 || !group_find(&g, text))
		goto out;
	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
	if (read_text(path, text, TEXT_MAX) >= 0 && group_locate(&g, root, text))
		group_read(&g, room);
out:
	free(text);
	return error;
}

/* --- The arithmetic --- */

enum room_of room_default(const struct room *room)
{
	return room->limited ? ROOM_CGROUP : ROOM_RAM_SWAP;
}

const char *room_words(enum room_of of)
{
	switch (of) {
	case ROOM_FREE: return "free RAM";
	case ROOM_RAM: return "RAM less what is in use";
	case ROOM_RAM_SWAP: return "RAM + swap less what is in use";
	case ROOM_CGROUP: return "the cgroup's limit + swap less what is in use";
	}
	return "";
}

/* What the group may swap out is its own allowance, as far as the machine has that much left. */
static void group_room(const struct room *room, uint64_t *total, uint64_t *used)
{
	uint64_t swap = least(room->swap_limit, room->swap);
	uint64_t left = swap > room->swap_usage ? swap - room->swap_usage : 0;

	*total = room->limit + swap;
	*used = least(room->usage, room->limit) + swap - least(left, room->swap_free);
}

int room_target(const struct room *room, enum room_of of, unsigned percent, uint64_t *bytes,
		uint64_t *total, uint64_t *used)
{
	uint64_t part;

	*used = 0;
	switch (of) {
	case ROOM_FREE:
		*total = room->ram_free;
		break;
	case ROOM_RAM:
		*total = room->ram;
		*used = room->ram - room->ram_free;
		break;
	case ROOM_RAM_SWAP:
		*total = room->ram + room->swap;
		*used = *total - room->ram_free - room->swap_free;
		break;
	case ROOM_CGROUP:
		if (!room->limited)
			return -ENODATA;
		group_room(room, total, used);
		break;
	}
	part = *total / 100 * percent + *total % 100 * percent / 100;
	if (part <= *used)
		return -ENOSPC;
	*bytes = part - *used;
	return 0;
}
