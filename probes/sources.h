/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All sources of sources.def, opened. A source whose file is missing or may not be read is there
 * all the same: its read says so and tries again every few seconds, as files may appear.
 */
#ifndef VMTOP_PROBES_SOURCES_H
#define VMTOP_PROBES_SOURCES_H

#include <stdatomic.h>
#include <stddef.h>

#include "src/cgroup.h"
#include "src/source.h"
#include "src/tasks.h"

struct sources {
	struct source *fast[SOURCE_COUNT];	/* for the sampler; room for the listener's too */
	size_t nfast;
	struct source *slow[SOURCE_COUNT];	/* for the collector */
	size_t nslow;
	atomic_bool exact;	/* set when the tracepoints are listened to: no substitute then */
};

/*
 * Opens them below root: "" is this machine, else a tree with proc and sys in it, which has no
 * tasks. slot takes the task list and may be NULL. Returns 0, or a negative errno and one line in
 * err when root is no directory. Close with sources_close.
 */
int sources_open(struct sources *set, const char *root, struct task_slot *slot, char *err,
		 size_t errsize);
void sources_close(struct sources *set);

/* SOURCE_CGROUP reads this group from now on; before, there is none. Not while a sampler runs. */
void sources_set_cgroup(struct sources *set, const struct cgroup *cgroup);

#endif
