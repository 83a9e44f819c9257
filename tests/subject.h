/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests that run a workload: the subjects that it runs (this program itself, executed with the
 * name of a part as its first argument; see parts[]) and what the tests do with it. Waits fail the
 * test when they last too long.
 */
#ifndef VMTOP_TESTS_SUBJECT_H
#define VMTOP_TESTS_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/workload.h"

enum { SUBJECT_COLUMNS = 100, SUBJECT_ROWS = 30, SUBJECT_LINES = 64, SUBJECT_PIDS = 64,
       SUBJECT_PATH = 1024 };

/* The running test's; teardown ends it. */
extern struct workload *subject;
extern char subject_self[SUBJECT_PATH];	/* path of this program */
extern char subject_output[SUBJECT_LINES][WORKLOAD_LINE];

/* What main() returns; run holds the tests. */
int subject_main(int argc, char **argv, int (*run)(void));
int subject_teardown(void **state);

#define SUBJECT_TEST(name) cmocka_unit_test_teardown(name, subject_teardown)

/* Starts it: of the config only what is not obvious counts. */
void subject_start(const char *const *argv, struct workload_config config);

#define START(...) \
	subject_start((const char *const[]){ __VA_ARGS__, NULL }, \
		      (struct workload_config){ .argv = NULL })
#define SHELL(command) START("/bin/sh", "-c", command)

struct workload_status subject_status(void);

/* Waits for a state as the program does, with poll on workload_fd. */
struct workload_status subject_wait_until(bool (*is)(const struct workload_status *st));
struct workload_status subject_wait_end(void);

/* The last lines into subject_output; how many. */
size_t subject_read_output(void);
size_t subject_wait_lines(size_t n);

/* The numbers of the lines "pid N" among them. */
size_t subject_read_pids(int pids[SUBJECT_PIDS]);

bool subject_lives(int pid);		/* a zombie does not */
void subject_wait_gone(const int *pids, size_t n);
int subject_children(void);		/* of this process, and theirs */

int64_t subject_now_ms(void);
void subject_nap(void);

#endif
