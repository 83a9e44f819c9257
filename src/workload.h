/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * COMMAND under a pseudo terminal in a session of its own, with its whole family's accounting.
 *
 * Between vmtop and COMMAND stands a small process, the supervisor (src/supervisor.h): this
 * program, executed again. It is the family's subreaper and waits with wait4 for every process of
 * it, also those that their own parent left; it ends them when it is told to and when vmtop is
 * gone, however vmtop ended. So vmtop's other children are nobody's but their maker's. A thread of
 * vmtop's drains the terminal, so that a screen that does not drink never stops the workload;
 * output beyond some 25 MiB/s waits, so that reading it does not take a CPU from what is measured.
 *
 * Each wait4 gives a process with the descendants that it waited for itself; their sum counts each
 * process once. What no wait can give is missing, here as with time(1): children that were reaped
 * by nobody because their parent ignores SIGCHLD, and what still runs (until workload_end).
 */
#ifndef VMTOP_WORKLOAD_H
#define VMTOP_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct workload;
struct cgroup;

enum workload_state { WORKLOAD_NONE, WORKLOAD_RUNNING, WORKLOAD_ENDED };

/* What wait4 and the clocks say of the whole family; as /usr/bin/time -v counts. */
struct workload_usage {
	int64_t start_ns, end_ns;	/* CLOCK_MONOTONIC; end 0 while it runs */
	int64_t user_us, system_us;
	uint64_t major_faults, minor_faults;
	uint64_t max_rss_kib;		/* largest of any one process */
	uint64_t voluntary_switches, involuntary_switches;
	uint64_t processes;		/* waited for */
	int64_t counted_ns;		/* CLOCK_MONOTONIC when the last of them was; 0: none yet */
};

struct workload_status {
	enum workload_state state;
	int pid;			/* of COMMAND, and of its process group */
	int supervisor;			/* pid, whose descendants are the family; 0 when it has gone */
	char command[256];		/* made safe */
	int exit_status;		/* as a shell gives it: status, or 128 + signal */
	int signal;			/* that ended it, or 0 */
	bool core;
	bool oom;			/* the OOM killer struck in its cgroup; without one: in the
					   system, and one of it died by SIGKILL */
	bool lost;			/* its supervisor was killed: how it ended is not known */
	int exec_error;			/* errno when it could not be started, else 0 */
	struct workload_usage usage;
	uint64_t output_lines;		/* ever */
	uint64_t output_dropped;	/* lines no longer kept */
	char cgroup[160];		/* path of its memory cgroup, or "" */
	uint64_t memory_limit;		/* bytes, 0 for none */
};

struct workload_config {
	char *const *argv;		/* NULL-terminated */
	struct cgroup *cgroup;		/* it is put there first; may be NULL; the caller's */
	unsigned short columns, rows;	/* of its terminal */
	const char *path_extra;		/* appended to its PATH, for bundled loads; may be NULL */
	long oom_score_adj;		/* the value children get back */
};

/*
 * Starts it, with TERM=dumb: that is what its terminal is. Returns NULL with one line in err when
 * no process can be made, or when this program's main() does not begin with supervisor_main(). A
 * COMMAND that cannot be executed ends with 127 (not found) or 126 (anything else) and exec_error
 * set.
 */
struct workload *workload_start(const struct workload_config *config, char *err, size_t errsize);

/* A snapshot. Any thread. */
void workload_get_status(struct workload *w, struct workload_status *status);

/* How it ended, in words: "exit 0", "killed by signal 9 (Killed) by the OOM killer". */
const char *workload_end_text(const struct workload_status *status, char *buf, size_t size);

/*
 * WORKLOAD_ENDED comes with COMMAND's own end, and everything that COMMAND wrote is then to be read
 * here. What it left in the background may go on, and write, and be counted, until workload_end.
 *
 * The last output lines, made safe (escape sequences taken out, carriage returns overwrite), newest
 * last: fills lines[0..n) from `skip` lines above the end, returns how many. Each is of
 * WORKLOAD_LINE bytes. Skipping more than there is gives the oldest.
 */
#define WORKLOAD_LINE 512
size_t workload_output(struct workload *w, size_t skip, char (*lines)[WORKLOAD_LINE], size_t n);

/* Readable when output or status changed; workload_get_status clears it. */
int workload_fd(const struct workload *w);

/* Sends a signal to its whole process group, when there is still one of it. Any thread. */
void workload_signal(struct workload *w, int sig);

/* New size of its terminal. */
void workload_resize(struct workload *w, unsigned short columns, unsigned short rows);

/*
 * Ends whatever of it still runs, also what left its process group or its session, and what is
 * stopped: TERM, after grace_ms KILL; reaps all. Gives up when nobody has died for five seconds (a
 * process that hangs in the kernel cannot be killed), after thirty in any case. Afterwards the
 * status is final.
 */
void workload_end(struct workload *w, int grace_ms);

void workload_free(struct workload *w);	/* ends it first when it still runs */

/*
 * What /usr/bin/time -v would print of it, one label a line: command, user, system, elapsed, %CPU,
 * major and minor faults, maximum resident set; and what it does not know: the CPU time the reclaim
 * threads spent meanwhile (reclaim_ns, negative: unknown, prints n/a with why).
 */
void workload_print_summary(const struct workload_status *status, int64_t reclaim_ns,
			    const char *reclaim_why, int fd);

#endif
