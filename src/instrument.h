/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that measures beside vmtop: ordinary and unlocked, so that the kernel treats it as any
 * other. It says what it measured in lines on its standard output, and why it gives up on standard
 * error, which comes as lines too; it takes lines on its standard input, and ends when that is closed: so it never outlives vmtop. One that dies is started again,
 * after pauses that double from 1 s to a minute and begin anew when it has lived for a minute.
 *
 * The main thread drives it and never waits here, but in instrument_end.
 */
#ifndef VMTOP_INSTRUMENT_H
#define VMTOP_INSTRUMENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes of a line and its end; what is longer is cut. */
enum { INSTRUMENT_LINE = 2048 };

struct instrument;

enum instrument_news {
	INSTRUMENT_NOTHING,
	INSTRUMENT_STARTED,
	INSTRUMENT_LINE_READ,	/* text is a line without its newline, length its bytes */
	INSTRUMENT_DIED,	/* text says how */
	INSTRUMENT_FAILED	/* it cannot be started, text says why; not tried again */
};

/*
 * argv[0] is the program's path; argv stays the caller's and must live as long. oom_score_adj is what
 * the program gets. Nothing is started yet. Dies when out of memory.
 */
struct instrument *instrument_new(char *const *argv, long oom_score_adj);

/* Readable when there is news; -1 while it does not run. */
int instrument_fd(const struct instrument *p);

/* The moment (CLOCK_MONOTONIC) at which instrument_next has something to do anyway; INT64_MAX: none. */
int64_t instrument_due_ns(const struct instrument *p);

/* The next news at now_ns, until NOTHING. Text is valid until the next call. */
enum instrument_news instrument_next(struct instrument *p, int64_t now_ns, const char **text,
				     size_t *length);

/*
 * Sends a line, newline not included. 0; -ENOTCONN while it does not run, -EAGAIN when it does not
 * read, -EMSGSIZE when the line is longer than it would take at once.
 */
int instrument_say(struct instrument *p, const char *line);

/* 0 while it does not run. */
pid_t instrument_pid(const struct instrument *p);

/* Closes its standard input, so that it begins to end. */
void instrument_close_input(struct instrument *p);

/*
 * Closes its standard input, so that it ends; waits for its last lines up to wait_ns, and calls take
 * for each. What does not end by then is killed. NULL take: nobody cares. The program is gone then.
 */
void instrument_end(struct instrument *p, int64_t wait_ns,
		    void (*take)(void *arg, const char *line, size_t length), void *arg);

/* Ends it at once if it runs, and frees. NULL is fine. */
void instrument_free(struct instrument *p);

#endif
