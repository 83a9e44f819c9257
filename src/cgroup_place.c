/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cgroup_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096 };

/* A mounted hierarchy that has the memory controller. */
struct hierarchy {
	enum cgroup_version version;
	char inside[CGROUP_PATH];	/* the group that is seen at the mount point, "/" mostly */
	char mount[CGROUP_PATH];
};

static FILE *root_open(const char *root, const char *path)
{
	char full[CGROUP_PATH];

	if (snprintf(full, sizeof(full), "%s%s", root, path) >= (int)sizeof(full))
		return NULL;
	return fopen(full, "re");
}

static bool list_has(const char *list, const char *word, const char *separators)
{
	size_t len = strlen(word);

	while (*list) {
		size_t n = strcspn(list, separators);

		if (n == len && strncmp(list, word, n) == 0)
			return true;
		list += n;
		list += strspn(list, separators);
	}
	return false;
}

bool cgroup_has_word(const char *dir, const char *file, const char *word)
{
	char path[CGROUP_PATH + 64], line[LINE] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	return list_has(line, word, " \n");
}

/*
 * Blanks and backslashes of a path stand as octal numbers in mountinfo. False when it is too long.
 */
static bool unescape(char *dst, size_t size, const char *s)
{
	size_t n = 0;

	for (; *s && n < size - 1; n++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] && s[3]) {
			dst[n] = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 4;
		} else {
			dst[n] = *s++;
		}
	}
	dst[n] = '\0';
	return !*s;
}

/*
 * "31 23 0:28 ROOT MOUNT OPTIONS [TAGS...] - TYPE SOURCE OPTIONS"
 * (Documentation/filesystems/proc.rst)
 */
static bool parse_mount(char *line, const char *root, struct hierarchy *h)
{
	char *field[6], *save = NULL, *type, *options;
	char *rest = strstr(line, " - ");
	size_t n = strlen(root);

	if (!rest)
		return false;
	*rest = '\0';
	for (size_t i = 0; i < 6; i++)
		if (!(field[i] = strtok_r(i ? NULL : line, " ", &save)))
			return false;
	type = strtok_r(rest + 3, " ", &save);
	if (!type || !strtok_r(NULL, " ", &save))
		return false;
	options = strtok_r(NULL, " \n", &save);
	if (strcmp(type, "cgroup2") == 0)
		h->version = CGROUP_V2;
	else if (strcmp(type, "cgroup") == 0 && options && list_has(options, "memory", ","))
		h->version = CGROUP_V1;
	else
		return false;
	memcpy(h->mount, root, n < sizeof(h->mount) ? n : 0);
	return n < sizeof(h->mount) && unescape(h->inside, sizeof(h->inside), field[3]) &&
	       unescape(h->mount + n, sizeof(h->mount) - n, field[4]);
}

static bool has_memory(const struct hierarchy *h)
{
	return h->version == CGROUP_V1 ||
	       cgroup_has_word(h->mount, "cgroup.controllers", "memory");
}

/* A controller sits in one hierarchy only: mounted with v1, it is missing from v2. */
static bool find_hierarchy(const char *root, struct hierarchy *found)
{
	FILE *f = root_open(root, "/proc/self/mountinfo");
	char line[LINE];
	struct hierarchy h = { .version = CGROUP_V1 };
	bool any = false;

	while (f && !any && fgets(line, sizeof(line), f))
		if (parse_mount(line, root, &h) && has_memory(&h)) {
			*found = h;
			any = true;
		}
	if (f)
		fclose(f);
	return any;
}

/* "4:memory:/a/b" in v1, "0::/a/b" in v2. The path is seen from the hierarchy's own root. */
static bool own_group(const char *root, const struct hierarchy *h, char *path, size_t size)
{
	FILE *f = root_open(root, "/proc/self/cgroup");
	char line[LINE];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		char *controllers = strchr(line, ':'), *group;

		group = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!group)
			continue;
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		if (h->version == CGROUP_V1 ? !list_has(controllers + 1, "memory", ",") :
		    strcmp(line, "0:") != 0)
			continue;
		found = snprintf(path, size, "%s", group) < (int)size;
	}
	if (f)
		fclose(f);
	return found;
}

/* The own group as a path below the mount point; NULL when it is not seen there. */
static const char *below_mount(const struct hierarchy *h, const char *own)
{
	size_t n = strcmp(h->inside, "/") == 0 ? 0 : strlen(h->inside);

	if (strncmp(own, h->inside, n) != 0 || (own[n] != '/' && own[n] != '\0'))
		return NULL;
	own += n;
	/* "/.." : outside of our cgroup namespace */
	if (strncmp(own, "/..", 3) == 0 || strcmp(own, "/") == 0 || !*own)
		return NULL;
	return own;
}

/*
 * The top of the hierarchy first: what a killed vmtop left is then found from every session. Below
 * it v2 wants a group without processes of its own (cgroup-v2.rst, "no internal processes"), so
 * there our group's parent; v1 has no such rule, so there our group.
 */
size_t cgroup_places(const char *root, struct cgroup_place places[CGROUP_PLACES])
{
	char own[CGROUP_PATH], *slash;
	const char *below;
	struct hierarchy h;
	size_t n = 1;

	if (!find_hierarchy(root, &h))
		return 0;
	places[0].version = places[1].version = h.version;
	snprintf(places[0].dir, sizeof(places[0].dir), "%s", h.mount);
	if (!own_group(root, &h, own, sizeof(own)))
		return n;
	below = below_mount(&h, own);
	if (!below || snprintf(places[n].dir, sizeof(places[n].dir), "%s%s", h.mount, below) >=
		      (int)sizeof(places[n].dir))
		return n;
	slash = strrchr(places[n].dir, '/');
	if (h.version == CGROUP_V2 && slash)
		*slash = '\0';
	if (strcmp(places[n].dir, h.mount) != 0)
		n++;
	return n;
}
