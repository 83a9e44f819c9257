/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that stands between vmtop and COMMAND: leader of the session and the terminal, parent
 * and subreaper of all of COMMAND's family, and nothing else. It is this program executed anew, not
 * a fork of vmtop's memory: a copy would make each later write of vmtop's a page fault, and
 * COMMAND's maximum resident set would begin at vmtop's size (fs/exec.c exec_mmap keeps the old
 * mm's mark).
 *
 * It speaks with vmtop through a SOCK_SEQPACKET socket: reports one way, requests the other. It
 * ends when the family has; when the socket closes, vmtop is gone, and it ends the family first.
 */
#ifndef VMTOP_SUPERVISOR_H
#define VMTOP_SUPERVISOR_H

#include <stdbool.h>
#include <stdint.h>

#include "src/workload.h"

#define SUPERVISOR_NAME "vmtop-workload"

/* Its descriptors: 0 to 2 are the terminal. */
enum { SUPERVISOR_SOCKET = 3, SUPERVISOR_CGROUP = 4 };

/*
 * Its arguments. COMMAND's follow. The first is no option of vmtop's, so that a main() that does
 * not call supervisor_main refuses it.
 */
enum supervisor_arg {
	SUPERVISOR_ARG_NAME, SUPERVISOR_ARG_MARK, SUPERVISOR_ARG_OOM_SCORE_ADJ,
	SUPERVISOR_ARG_CGROUP,		/* "1": SUPERVISOR_CGROUP is a cgroup's list of processes */
	SUPERVISOR_ARG_PATH,		/* appended to PATH, or "" */
	SUPERVISOR_ARG_COMMAND,
};

#define SUPERVISOR_MARK "--supervise"

/* The state of things; each replaces the one before. */
struct supervisor_report {
	int error;			/* errno: it could not even fork */
	int pid;			/* of COMMAND */
	bool ended;			/* COMMAND has; its family maybe not */
	int wait_status;
	int exec_error;
	uint64_t killed;		/* processes that died by SIGKILL */
	struct workload_usage usage;
};

struct supervisor_request {
	enum { SUPERVISOR_SIGNAL, SUPERVISOR_END } what;
	int value;			/* the signal; the grace in milliseconds */
};

/* vmtop's hold of it. */
struct supervisor_link {
	int pid;			/* -1 when there is none, or it has been waited for */
	int socket;
	int master;			/* of COMMAND's terminal, not blocking */
};

/*
 * Makes it, and waits for its first report: COMMAND has been forked. 0 or a negative errno;
 * -ENOEXEC when this program does not call supervisor_main. supervisor_close is due in either case.
 */
int supervisor_spawn(struct supervisor_link *link, const struct workload_config *config,
		     struct supervisor_report *first);

/* Waits for its end. */
void supervisor_wait(struct supervisor_link *link);

/*
 * Closes the socket, by which one that still runs ends the family; waits for it; closes the rest.
 */
void supervisor_close(struct supervisor_link *link);

/*
 * The first thing in main() of every program that uses workload_start: returns at once, except in
 * the process that is to be the supervisor, where it never does.
 */
void supervisor_main(int argc, char **argv);

/* Has it been called? If not, executing this program would only run all of it once more. */
bool supervisor_ready(void);

#endif
