/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cgroup.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/cgroup_place.h"
#include "src/clock.h"
#include "src/file.h"
#include "src/xalloc.h"

#define NAME_PREFIX "vmtop-"

enum {
	FILE_PATH = CGROUP_PATH + 64,
	DEPTH_MAX = 16,			/* of groups that the workload made itself */
	REMOVE_MS = 5000, RETRY_MS = 10,
	MIB = 1 << 20,
};

struct cgroup {
	struct cgroup_place place;
	char dir[CGROUP_PATH];
	uint64_t limit;
	bool enabled;		/* we gave the place's children their memory controller */
	int procs;
};

static const char limit_file[][24] = {
	[CGROUP_V1] = "memory.limit_in_bytes", [CGROUP_V2] = "memory.max",
};

/* ---- Files ---- */

static int group_write(const char *dir, const char *file, const char *text)
{
	char path[FILE_PATH];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return file_write_text(path, text);
}

static bool group_read(const char *dir, const char *file, char *text, size_t size)
{
	char path[FILE_PATH];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* False for "max" too. */
static bool read_number(const char *dir, const char *file, uint64_t *value)
{
	char text[64];

	if (!group_read(dir, file, text, sizeof(text)) || !isdigit((unsigned char)text[0]))
		return false;
	*value = strtoull(text, NULL, 10);
	return true;
}

/* Of lines "key number". */
static bool read_key(const char *dir, const char *file, const char *key, uint64_t *value)
{
	char text[8192];
	size_t n = strlen(key);

	if (!group_read(dir, file, text, sizeof(text)))
		return false;
	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (strncmp(p, key, n) == 0 && p[n] == ' ') {
			*value = strtoull(p + n, NULL, 10);
			return true;
		}
	}
	return false;
}

/* ---- Removal ---- */

/* Calls each for the groups in dir. */
static void each_group(const char *dir, int depth, void (*each)(const char *dir, int depth))
{
	DIR *d = depth < DEPTH_MAX ? opendir(dir) : NULL;
	char path[CGROUP_PATH];
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
		    snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) < (int)sizeof(path))
			each(path, depth + 1);
	if (d)
		closedir(d);
}

static void kill_members(const char *dir, int depth)
{
	char path[FILE_PATH];
	FILE *f;
	int pid;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &pid) == 1)
		if (pid > 0 && pid != getpid())
			kill(pid, SIGKILL);
	if (f)
		fclose(f);
	each_group(dir, depth, kill_members);
}

static void remove_below(const char *dir, int depth)
{
	each_group(dir, depth, remove_below);
	if (depth)
		rmdir(dir);
}

/* A group is busy until the last of its dead is gone from it. */
static int remove_group(const char *dir)
{
	const struct timespec pause = { .tv_nsec = RETRY_MS * 1000000L };
	int64_t deadline = clock_ms() + REMOVE_MS;

	for (;;) {
		if (rmdir(dir) == 0 || errno == ENOENT)
			return 0;
		if ((errno != EBUSY && errno != ENOTEMPTY) || clock_ms() > deadline)
			return -errno;
		group_write(dir, "cgroup.kill", "1");	/* v2 from 5.14: all at once */
		kill_members(dir, 0);
		remove_below(dir, 0);
		nanosleep(&pause, NULL);
	}
}

/* The pid in a name of ours, or 0. */
static int name_pid(const char *name)
{
	const char *digits = name + strlen(NAME_PREFIX);
	char *end;
	long pid;

	if (strncmp(name, NAME_PREFIX, strlen(NAME_PREFIX)) != 0 ||
	    !isdigit((unsigned char)*digits))
		return 0;
	errno = 0;
	pid = strtol(digits, &end, 10);
	return *end || errno || pid > INT32_MAX ? 0 : (int)pid;
}

/* Processes of another pid namespace, which show as 0: then the name's pid is of that one too. */
static bool is_foreign(const char *dir)
{
	char text[4096];

	return group_read(dir, "cgroup.procs", text, sizeof(text)) &&
	       (strncmp(text, "0\n", 2) == 0 || strstr(text, "\n0\n"));
}

static int remove_stale_in(const char *place)
{
	DIR *d = opendir(place);
	char path[CGROUP_PATH];
	struct dirent *entry;
	int n = 0;

	while (d && (entry = readdir(d))) {
		int pid = name_pid(entry->d_name);

		if (!pid || kill(pid, 0) == 0 || errno != ESRCH)
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", place, entry->d_name) >=
		    (int)sizeof(path))
			continue;
		if (!is_foreign(path) && remove_group(path) == 0)
			n++;
	}
	if (d)
		closedir(d);
	return n;
}

int cgroup_remove_stale(const char *root)
{
	struct cgroup_place places[CGROUP_PLACES];
	size_t n = cgroup_places(root, places);
	int removed = 0;

	for (size_t i = 0; i < n; i++)
		removed += remove_stale_in(places[i].dir);
	return removed;
}

/* ---- Making ---- */

/* Another vmtop's group may have come to need what we switched on. */
static bool place_is_used(const char *place)
{
	DIR *d = opendir(place);
	struct dirent *entry;
	bool used = false;

	while (d && !used && (entry = readdir(d)))
		used = name_pid(entry->d_name) > 0;
	if (d)
		closedir(d);
	return used;
}

static void give_back(struct cgroup *cg)
{
	if (cg->enabled && !place_is_used(cg->place.dir))
		group_write(cg->place.dir, "cgroup.subtree_control", "-memory");
	cg->enabled = false;
}

/*
 * v2: the place must hand memory down, and a process moves only where both ends' parent is
 * writable.
 */
static int prepare_place(struct cgroup *cg)
{
	const char *dir = cg->place.dir;
	char path[FILE_PATH];
	int error;

	if (cg->place.version == CGROUP_V1)
		return 0;
	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	if (access(path, W_OK) < 0)
		return -errno;
	if (cgroup_has_word(dir, "cgroup.subtree_control", "memory"))
		return 0;
	error = group_write(dir, "cgroup.subtree_control", "+memory");
	cg->enabled = error == 0;
	return error;
}

static int make_dir(struct cgroup *cg)
{
	if (snprintf(cg->dir, sizeof(cg->dir), "%s/" NAME_PREFIX "%d", cg->place.dir,
		     (int)getpid()) >= (int)sizeof(cg->dir))
		return -ENAMETOOLONG;
	if (mkdir(cg->dir, 0755) == 0)
		return 0;
	if (errno != EEXIST)
		return -errno;
	/* Of an earlier process with our number. */
	remove_group(cg->dir);
	return mkdir(cg->dir, 0755) == 0 ? 0 : -errno;
}

/*
 * Swap is left unlimited. In v1 the group's swappiness is a copy of its parent's, made now; later
 * changes of vm.swappiness do not reach it (mm/memcontrol-v1.c, mem_cgroup_css_alloc).
 */
static int make_in(struct cgroup *cg, const struct cgroup_place *place)
{
	char path[FILE_PATH], text[32];
	int error;

	cg->place = *place;
	error = prepare_place(cg);
	if (error)
		return error;
	error = make_dir(cg);
	if (error) {
		give_back(cg);
		return error;
	}
	snprintf(text, sizeof(text), "%llu", (unsigned long long)cg->limit);
	error = group_write(cg->dir, limit_file[place->version], text);
	snprintf(path, sizeof(path), "%s/cgroup.procs", cg->dir);
	if (!error)
		cg->procs = open(path, O_WRONLY | O_CLOEXEC);
	if (!error && cg->procs < 0)
		error = -errno;
	if (!error)
		return 0;
	remove_group(cg->dir);
	give_back(cg);
	return error;
}

/* What to do about it stands at the end of each. */
static void explain(char *err, size_t size, const char *dir, int error)
{
	switch (-error) {
	case EACCES:
	case EPERM:
		snprintf(err, size, "no permission to make a cgroup in %s: run as root, or under "
			 "systemd-run --user --scope -p Delegate=yes", dir);
		break;
	case EROFS:
		snprintf(err, size, "%s is read-only, as in most containers: run vmtop outside, or "
			 "give the container a writable cgroup tree", dir);
		break;
	case EBUSY:
		snprintf(err, size, "%s holds processes, so it cannot have groups with memory "
			 "limits: run vmtop outside of the container", dir);
		break;
	default:
		snprintf(err, size, "no cgroup with a memory limit can be made in %s: %s", dir,
			 strerror(-error));
	}
}

struct cgroup *cgroup_new(const char *root, uint64_t limit, char *err, size_t errsize)
{
	struct cgroup_place places[CGROUP_PLACES];
	size_t n = cgroup_places(root, places);
	struct cgroup *cg;
	int error = 0;

	if (limit < MIB) {
		snprintf(err, errsize, "%llu bytes are too few for a process: at least 1M",
			 (unsigned long long)limit);
		return NULL;
	}
	if (!n) {
		snprintf(err, errsize, "this kernel shows no memory controller: boot with "
			 "cgroup_enable=memory, or mount -t cgroup2 none /sys/fs/cgroup");
		return NULL;
	}
	cg = xcalloc(1, sizeof(*cg));
	cg->limit = limit;
	cg->procs = -1;
	for (size_t i = 0; i < n; i++) {
		error = make_in(cg, &places[i]);
		if (!error)
			return cg;
	}
	explain(err, errsize, cg->place.dir, error);
	free(cg);
	return NULL;
}

int cgroup_remove(struct cgroup *cg)
{
	int error = remove_group(cg->dir);

	give_back(cg);
	close(cg->procs);
	free(cg);
	return error;
}

/* ---- Use ---- */

int cgroup_enter(const struct cgroup *cg)
{
	return write(cg->procs, "0\n", 2) < 0 ? -errno : 0;
}

int cgroup_procs_fd(const struct cgroup *cg)
{
	return cg->procs;
}

const char *cgroup_path(const struct cgroup *cg)
{
	return cg->dir;
}

uint64_t cgroup_limit(const struct cgroup *cg)
{
	return cg->limit;
}

void cgroup_read(const struct cgroup *cg, struct cgroup_stat *stat)
{
	const char *dir = cg->dir;

	memset(stat, 0, sizeof(*stat));
	if (cg->place.version == CGROUP_V1) {
		stat->have_usage = read_number(dir, "memory.usage_in_bytes", &stat->usage);
		stat->have_max = read_number(dir, "memory.max_usage_in_bytes", &stat->max_usage);
		stat->have_failcnt = read_number(dir, "memory.failcnt", &stat->failcnt);
		/* The line is there from 4.13. */
		stat->have_oom = read_key(dir, "memory.oom_control", "oom_kill", &stat->oom_kills);
		stat->have_swap = read_key(dir, "memory.stat", "total_swap", &stat->swap);
	} else {
		stat->have_usage = read_number(dir, "memory.current", &stat->usage);
		/* From 5.19. */
		stat->have_max = read_number(dir, "memory.peak", &stat->max_usage);
		stat->have_failcnt = read_key(dir, "memory.events", "max", &stat->failcnt);
		stat->have_oom = read_key(dir, "memory.events", "oom_kill", &stat->oom_kills);
		stat->have_swap = read_number(dir, "memory.swap.current", &stat->swap);
	}
}
