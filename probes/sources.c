/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/sources.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "probes/probe.h"
#include "src/xalloc.h"

/* How each source is opened, here and below another root. A new file of keyed text is one row. */
static const struct probe {
	struct source *(*here)(enum source_id id, const struct probe_env *env);
	struct source *(*elsewhere)(enum source_id id, const struct probe_env *env);
} probes[SOURCE_COUNT] = {
	[SOURCE_VMSTAT] = { textfile_open, textfile_open },
	[SOURCE_VMSTAT_SLOW] = { textfile_open, textfile_open },
	[SOURCE_MEMINFO] = { textfile_open, textfile_open },
	[SOURCE_STAT] = { procps_stat_open, textfile_open },
	[SOURCE_PSI_MEMORY] = { textfile_open, textfile_open },
	[SOURCE_PSI_IO] = { textfile_open, textfile_open },
	[SOURCE_PSI_CPU] = { textfile_open, textfile_open },
	[SOURCE_ZRAM] = { zram_open, zram_open },
	[SOURCE_ZSWAP] = { numberdir_open, numberdir_open },
	[SOURCE_DISK] = { procps_disk_open, diskstats_open },
	[SOURCE_TASKS] = { procps_tasks_open, absent_open },
	[SOURCE_RECLAIM] = { NULL, absent_open },	/* here it is the listener's */
	[SOURCE_PLAYBACK] = { absent_open, absent_open },	/* a program's, see src/playback.h */
	[SOURCE_FEEL] = { absent_open, absent_open },		/* src/feel.h */
	[SOURCE_CGROUP] = { absent_open, absent_open },	/* see sources_set_cgroup */
	[SOURCE_MEMALLOC] = { memalloc_open, absent_open },
};

static int check_root(const char *root, char *err, size_t errsize)
{
	struct stat st;
	int error = 0;

	if (!*root)
		return 0;
	if (stat(root, &st) < 0)
		error = -errno;
	else if (!S_ISDIR(st.st_mode))
		error = -ENOTDIR;
	if (error)
		snprintf(err, errsize, "root %s: %s; give a directory with proc and sys in it",
			 root, strerror(-error));
	return error;
}

int sources_open(struct sources *set, const char *root, struct task_slot *slot, char *err,
		 size_t errsize)
{
	const struct probe_env env = { .root = root, .slot = slot, .exact = &set->exact };
	int error = check_root(root, err, errsize);

	memset(set, 0, sizeof(*set));
	if (error)
		return error;
	for (size_t i = 0; i < SOURCE_COUNT; i++) {
		enum source_id id = (enum source_id)i;
		const struct probe *p = &probes[id];
		struct source *(*open)(enum source_id, const struct probe_env *) =
			*root ? p->elsewhere : p->here;
		struct source *src;

		if (!open)
			continue;
		src = open(id, &env);
		if (source_info(id)->cadence == CADENCE_FAST)
			set->fast[set->nfast++] = src;
		else
			set->slow[set->nslow++] = src;
	}
	return 0;
}

void sources_set_cgroup(struct sources *set, const struct cgroup *cgroup)
{
	for (size_t i = 0; i < set->nslow; i++)
		if (set->slow[i]->id == SOURCE_CGROUP) {
			set->slow[i]->close(set->slow[i]);
			set->slow[i] = cgroupfile_open(SOURCE_CGROUP, cgroup);
		}
}

void sources_close(struct sources *set)
{
	for (size_t i = 0; i < set->nfast; i++)
		set->fast[i]->close(set->fast[i]);
	for (size_t i = 0; i < set->nslow; i++)
		set->slow[i]->close(set->slow[i]);
	memset(set, 0, sizeof(*set));
}
