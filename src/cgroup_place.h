/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where this process may have memory cgroups made: the part of src/cgroup.h that knows mounts and
 * layouts.
 */
#ifndef VMTOP_CGROUP_PLACE_H
#define VMTOP_CGROUP_PLACE_H

#include <stdbool.h>
#include <stddef.h>

enum { CGROUP_PATH = 512, CGROUP_PLACES = 2 };

enum cgroup_version { CGROUP_V1 = 1, CGROUP_V2 = 2 };

/* An existing group under which a new one can be tried. */
struct cgroup_place {
	enum cgroup_version version;
	char dir[CGROUP_PATH];
};

/*
 * Fills in the places to try, best first, from root's /proc/self/mountinfo and /proc/self/cgroup.
 * Returns how many; 0 when there is no memory controller.
 */
size_t cgroup_places(const char *root, struct cgroup_place places[CGROUP_PLACES]);

/* Is the word in that file of words? */
bool cgroup_has_word(const char *dir, const char *file, const char *word);

#endif
