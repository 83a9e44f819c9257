/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of a workload in words. */
#include "src/workload.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { US_PER_S = 1000000, NS_PER_US = 1000, LABEL_COLUMNS = 35 };

const char *workload_end_text(const struct workload_status *status, char *buf, size_t size)
{
	if (status->state == WORKLOAD_NONE)
		snprintf(buf, size, "not started");
	else if (status->state == WORKLOAD_RUNNING)
		snprintf(buf, size, "running");
	else if (status->lost)
		snprintf(buf, size, "unknown: its supervisor was killed");
	else if (status->exec_error)
		snprintf(buf, size, "exit %d, cannot be executed: %s", status->exit_status,
			 strerror(status->exec_error));
	else if (status->signal)
		snprintf(buf, size, "killed by signal %d (%s)%s%s", status->signal,
			 strsignal(status->signal), status->core ? ", core dumped" : "",
			 !status->oom ? "" : status->signal == SIGKILL ? " by the OOM killer" :
			 ", the OOM killer struck");
	else
		snprintf(buf, size, "exit %d%s", status->exit_status,
			 status->oom ? ", the OOM killer struck" : "");
	return buf;
}

static void line(int fd, const char *label, const char *value)
{
	dprintf(fd, "%-*s %s\n", LABEL_COLUMNS, label, value);
}

static void line_seconds(int fd, const char *label, int64_t us)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3f", (double)us / US_PER_S);
	line(fd, label, text);
}

static void line_count(int fd, const char *label, uint64_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	line(fd, label, text);
}

/* As time(1) has it: no percentage of no time. */
static void line_cpu(int fd, const struct workload_usage *u, int64_t elapsed_us)
{
	char text[32] = "?%";

	if (elapsed_us > 0)
		snprintf(text, sizeof(text), "%lld%%",
			 (long long)((u->user_us + u->system_us) * 100 / elapsed_us));
	line(fd, "Percent of CPU this job got:", text);
}

static void line_exit(int fd, const struct workload_status *status)
{
	char text[256], how[160];

	workload_end_text(status, how, sizeof(how));
	if (status->state == WORKLOAD_ENDED && !status->signal && !status->oom &&
	    !status->exec_error)
		snprintf(text, sizeof(text), "%d", status->exit_status);
	else
		snprintf(text, sizeof(text), "%d (%s)", status->exit_status, how);
	line(fd, "Exit status:", text);
}

static void line_reclaim(int fd, int64_t reclaim_ns, const char *why)
{
	static const char label[] = "Reclaim threads' CPU time (seconds):";
	char text[200];

	if (reclaim_ns >= 0) {
		line_seconds(fd, label, reclaim_ns / NS_PER_US);
		return;
	}
	snprintf(text, sizeof(text), "n/a (%s)", why ? why : "not known");
	line(fd, label, text);
}

void workload_print_summary(const struct workload_status *status, int64_t reclaim_ns,
			    const char *reclaim_why, int fd)
{
	const struct workload_usage *u = &status->usage;
	int64_t elapsed_us = u->end_ns ? (u->end_ns - u->start_ns) / NS_PER_US : 0;

	line(fd, "Command being timed:", status->command);
	line_seconds(fd, "User time (seconds):", u->user_us);
	line_seconds(fd, "System time (seconds):", u->system_us);
	line_seconds(fd, "Elapsed (wall clock) time:", elapsed_us);
	line_cpu(fd, u, elapsed_us);
	line_count(fd, "Major (requiring I/O) page faults:", u->major_faults);
	line_count(fd, "Minor (reclaiming a frame) faults:", u->minor_faults);
	line_count(fd, "Maximum resident set size (kbytes):", u->max_rss_kib);
	line_reclaim(fd, reclaim_ns, reclaim_why);
	line_exit(fd, status);
}
