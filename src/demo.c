/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/demo.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "src/text.h"

/* Small enough for any machine, and three times what the group may hold: most of it has to move. */
#define DEMO_MEMORY (128ULL << 20)
#define DEMO_SWAP (512ULL << 20)

static const char *const load_held[] = { "fill", "-b", "384M", "-w", "--passes", "3", "-n", "8", NULL };

/* Nothing holds it, so it leaves the machine alone: faults and memory move, swap does not. */
static const char *const load_free[] = { "fill", "-b", "256M", "-w", "--passes", "8", "-n", "100", NULL };

int demo_program_dir(char *dir, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", dir, size - 1);
	char *slash;

	if (n < 0)
		return -errno;
	dir[n] = '\0';
	slash = strrchr(dir, '/');
	if (!slash)
		return -ENOENT;
	*slash = '\0';
	return 0;
}

void demo_program_path(const char *name, char *path, size_t size)
{
	char dir[4096];

	if (demo_program_dir(dir, sizeof(dir)) == 0 &&
	    snprintf(path, size, "%s/%s", dir, name) < (int)size && access(path, X_OK) == 0)
		return;
	snprintf(path, size, PROGRAMDIR "/%s", name);
}

static void demo_notice(struct demo *d, const char *what, const char *why)
{
	size_t n = strlen(d->notice);

	snprintf(d->notice + n, sizeof(d->notice) - n, "%s%s: %s", n ? "; " : "", what, why);
}

static void demo_load(struct demo *d, const char *const *words)
{
	size_t n = 0;

	d->argv[n++] = d->program;	/* found in PATH, to which the program's own directory is added */
	for (size_t i = 0; words[i] && i < DEMO_ARGS; i++) {
		text_copy(d->words[i], sizeof(d->words[i]), words[i]);
		d->argv[n++] = d->words[i];
	}
	d->argv[n] = NULL;
}

static bool have_swap(uint64_t bytes)
{
	struct sysinfo info;

	return sysinfo(&info) == 0 && (uint64_t)info.freeswap * info.mem_unit >= bytes;
}

void demo_prepare(struct demo *d)
{
	bool swap = have_swap(DEMO_SWAP);
	char err[220];

	memset(d, 0, sizeof(*d));
	text_copy(d->program, sizeof(d->program), "vmload");
	d->cgroup = cgroup_new("", DEMO_MEMORY, err, sizeof(err));
	if (!d->cgroup)
		demo_notice(d, "no memory cgroup, so nothing has to swap", err);
	if (d->cgroup && !swap) {
		d->swap = demoswap_new(DEMO_SWAP, err, sizeof(err));
		if (!d->swap)
			demo_notice(d, "no swap, so nothing can be swapped", err);
	}
	demo_load(d, d->cgroup && (d->swap || swap) ? load_held : load_free);
}
