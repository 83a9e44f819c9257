/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/procstat.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH_MAX = 4096 };	/* of a family tree: a guard against a loop while it changes */

/* The name in parentheses may hold anything, so the fields are counted from the last one. */
int procstat_parse(const char *text, struct procstat *st)
{
	const char *p = strrchr(text, ')');
	unsigned long long start;

	if (!p || sscanf(p + 1, " %c %d %d %d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d"
			 " %*d %*d %llu", &st->state, &st->ppid, &st->pgrp, &st->session,
			 &st->flags, &start) != 6)
		return -EINVAL;
	st->pid = atoi(text);
	st->start_ticks = start;
	return 0;
}

int procstat_read(int pid, struct procstat *st)
{
	char path[64], text[1024];
	ssize_t n;
	int fd, error;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	error = errno;
	close(fd);
	if (n <= 0)
		return n < 0 && error != ESRCH ? -error : -ENOENT;
	text[n] = '\0';
	return procstat_parse(text, st);
}

bool procstat_descends(const struct procstat *st, int ancestor)
{
	struct procstat up = *st;

	for (int depth = 0; depth < DEPTH_MAX && up.ppid > 0; depth++) {
		if (up.ppid == ancestor)
			return true;
		if (procstat_read(up.ppid, &up))
			return false;
	}
	return false;
}

int procstat_each(bool (*visit)(void *arg, const struct procstat *st), void *arg)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	struct procstat st;
	int n = 0;

	if (!proc)
		return -errno;
	while ((entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    procstat_read(atoi(entry->d_name), &st) == 0)
			n += visit(arg, &st);
	closedir(proc);
	return n;
}
