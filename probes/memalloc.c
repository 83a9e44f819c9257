/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/probe.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/file.h"
#include "src/procstat.h"
#include "src/xalloc.h"

/*
 * PF_MEMALLOC is set all through direct and memory-cgroup reclaim and direct compaction
 * (memalloc_noreclaim_save), and field 9 of stat shows it to everybody (fs/proc/array.c). Kernel
 * threads have it for good or for other ends and do not count.
 */
struct memalloc {
	struct source source;
	char *path;
	const atomic_bool *exact;
};

static bool is_number(const char *name)
{
	return isdigit((unsigned char)name[0]) != 0;
}

/* 1 for a thread in reclaim, 0 for another one, negative errno for one that is gone. */
static int look_at_thread(int tasks, const char *tid)
{
	char path[300], text[2048];
	struct procstat st;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/stat", tid);
	n = file_read_at(tasks, path, text, sizeof(text) - 1);
	if (n <= 0)
		return n < 0 ? (int)n : -ESRCH;
	text[n] = '\0';
	if (procstat_parse(text, &st) < 0)
		return -EINVAL;
	return (st.flags & PROCSTAT_PF_MEMALLOC) && !(st.flags & PROCSTAT_PF_KTHREAD);
}

/* Adds the threads of one process; one that vanished meanwhile or may not be seen has none. */
static void look_at_process(int proc, const char *pid, uint64_t *seen, uint64_t *found)
{
	char path[300];
	struct dirent *entry;
	DIR *tasks;
	int fd;

	snprintf(path, sizeof(path), "%s/task", pid);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	tasks = fdopendir(fd);
	if (!tasks) {
		close(fd);
		return;
	}
	while ((entry = readdir(tasks))) {
		int in_reclaim = is_number(entry->d_name) ? look_at_thread(fd, entry->d_name) : -ENOENT;

		*seen += in_reclaim >= 0;
		*found += in_reclaim > 0;
	}
	closedir(tasks);
}

static int memalloc_read(struct source *src, struct sample *s)
{
	struct memalloc *m = (struct memalloc *)src;
	uint64_t seen = 0, found = 0;
	struct dirent *entry;
	DIR *proc;

	if (m->exact && atomic_load(m->exact))
		return -EOPNOTSUPP;
	proc = opendir(m->path);
	if (!proc)
		return -errno;
	while ((entry = readdir(proc)))
		if (is_number(entry->d_name))
			look_at_process(dirfd(proc), entry->d_name, &seen, &found);
	closedir(proc);
	if (!seen)
		return -ENOENT;
	sample_set(s, M_memalloc_tasks, found);
	return 0;
}

static void memalloc_close(struct source *src)
{
	struct memalloc *m = (struct memalloc *)src;

	free(m->path);
	free(m);
}

struct source *memalloc_open(enum source_id id, const struct probe_env *env)
{
	struct memalloc *m = xcalloc(1, sizeof(*m));

	m->source = (struct source){ .id = id, .read = memalloc_read, .close = memalloc_close };
	m->path = xasprintf("%s/%s", env->root, source_info(id)->path);
	m->exact = env->exact;
	return &m->source;
}
