/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/feel_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "probes/feel_schedule.h"
#include "src/file.h"

/* The kernel's own for a process: a stack of 16 KiB, task_struct, mm_struct, areas, files. */
enum { KERNEL_KIB = 40, UNKNOWN_KIB = 128, TEXT_BYTES = 16384 };

static int64_t between(int64_t value, int64_t least, int64_t most)
{
	return value > most ? most : value < least ? least : value;
}

void feel_plan_make(struct feel_plan *p, int64_t ram_kib, int64_t fixed_kib, int64_t most_kib,
	size_t page_size)
{
	int64_t page_least = (int64_t)(page_size * (FEEL_APART + 1) / 1024);
	int64_t left;

	p->ram_kib = ram_kib;
	p->limit_kib = ram_kib / 100;
	left = p->limit_kib - fixed_kib;
	p->alloc_kib = between(left / 4, FEEL_ALLOC_LEAST_KIB, FEEL_ALLOC_KIB);
	p->page_kib = between(left - p->alloc_kib, page_least,
		between(most_kib, page_least, FEEL_PAGE_KIB));
	p->footprint_kib = fixed_kib + p->page_kib + p->alloc_kib;
}

int64_t feel_plan_kib(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = text; s; s = strchr(s, '\n')) {
		s += *s == '\n';
		if (strncmp(s, name, n) == 0 && s[n] == ':')
			return strtoll(s + n + 1, NULL, 10);
	}
	return -1;
}

static int64_t read_kib(const char *path, const char *name)
{
	char text[TEXT_BYTES];

	return file_read_at(AT_FDCWD, path, text, sizeof(text)) < 0 ? -1 : feel_plan_kib(text, name);
}

int feel_plan_measure(size_t bytes, int64_t *ram_kib, int64_t *fixed_kib)
{
	int64_t dirty = read_kib("/proc/self/smaps_rollup", "Private_Dirty");
	int64_t tables = read_kib("/proc/self/status", "VmPTE");

	*ram_kib = read_kib("/proc/meminfo", "MemTotal");
	if (*ram_kib <= 0)
		return -ENODATA;
	if (dirty < 0 || tables < 0)
		dirty = UNKNOWN_KIB, tables = 0;
	*fixed_kib = FEEL_PROCESSES * (dirty + tables + KERNEL_KIB) + FEEL_KEY_KIB +
		(int64_t)bytes / 1024;
	return 0;
}
