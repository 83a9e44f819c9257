/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of reclaim in words. */
#include "src/reclaim.h"

#include <stdio.h>

enum { LABEL_COLUMNS = 35, NS_PER_US = 1000 };

static enum reclaim_kind kind_of_longest(const struct reclaim_report *report)
{
	enum reclaim_kind kind = RECLAIM_DIRECT;

	for (enum reclaim_kind k = RECLAIM_DIRECT; k < RECLAIM_SOFTLIMIT; k++)
		if (report->figures[k].longest_ns > report->figures[kind].longest_ns)
			kind = k;
	return kind;
}

void reclaim_print_summary(const struct reclaim_report *report, const char *why, int fd)
{
	static const char most[] = "Max parallel reclaim tasks:";
	static const char longest[] = "Max time in try_to_free_pages() (ms):";
	const struct reclaim_figures *all = &report->figures[RECLAIM_ALL];
	enum reclaim_kind kind = kind_of_longest(report);
	char lost[64] = "";

	if (!report->t_ns) {
		dprintf(fd, "%-*s n/a (%s)\n", LABEL_COLUMNS, most, why);
		dprintf(fd, "%-*s n/a (%s)\n", LABEL_COLUMNS, longest, why);
		return;
	}
	if (report->lost)
		snprintf(lost, sizeof(lost), " (or more: %llu events were lost)",
			 (unsigned long long)report->lost);
	dprintf(fd, "%-*s %llu%s\n", LABEL_COLUMNS, most, (unsigned long long)all->tasks_max, lost);
	dprintf(fd, "%-*s %.3f%s%s%s%s\n", LABEL_COLUMNS, longest,
		(double)all->longest_ns / NS_PER_US / 1000, all->longest_ns ? " (" : "",
		all->longest_ns ? reclaim_kind_name(kind) : "", all->longest_ns ? ")" : "", lost);
}
