/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children are subjects or instruments of their own: whatever vmtop gave itself (priority,
 * scheduler, OOM protection, signal mask and dispositions, open files) they do not get.
 */
#ifndef VMTOP_CHILD_H
#define VMTOP_CHILD_H

/*
 * Between fork and exec: nice 0 when it was better than that (a worse one is the user's wish and
 * stays), SCHED_OTHER when it was a realtime class, oom_score_adj as given, all signals unblocked
 * and at their default, descriptors from 3 up closed. Async-signal-safe.
 */
void child_reset(long oom_score_adj);

/* Closes all descriptors from this one up. Async-signal-safe. */
void child_close_from(int first);

/*
 * Runs a program and waits for it: argv[0] is its path, its stdin, stdout and stderr are /dev/null.
 * Returns its exit status as a shell gives it (127: could not be executed), or a negative errno.
 */
int child_run(char *const *argv);

#endif
