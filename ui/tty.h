/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal line below curses. Nothing here waits for a terminal that does not read: a pty takes
 * 20 KB and then blocks its writer, and the program at its other end may be swapped out. And
 * whatever end vmtop comes to (exit, a crash), the terminal gets its settings back.
 *
 * The line is opened a second time, so that O_NONBLOCK is not left behind for the shell, which
 * shares vmtop's own descriptors. Where that is not permitted (after su), O_NONBLOCK is set for the
 * length of each write.
 */
#ifndef VMTOP_TTY_H
#define VMTOP_TTY_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

struct tty {
	int fd;
	bool shared;		/* fd is the caller's own open file */
	bool refused;		/* was not writable when asked for */
	struct termios saved;	/* as it was found */
	struct termios ours;
	char *out;		/* what waits to be sent: [sent, len) of it */
	size_t sent, len, room;
};

/* Opens the terminal that fd is. 0 or a negative errno; -ENOTTY when it is none. */
int tty_open(struct tty *t, int fd);
void tty_close(struct tty *t);

/* Columns and rows; false when the line does not know. */
bool tty_size(const struct tty *t, int *cols, int *rows);

/*
 * Keys one by one and unechoed, output as it is written; ^C, ^Z and ^\ remain signals (and do not
 * throw away output). In the background this stops the process until fg, as for any program.
 */
void tty_take(struct tty *t);

/*
 * Sends bytes that undo what was done to the screen, then gives the line its settings back. What
 * waited to be sent is dropped. When the terminal has not read for a quarter of a second, what it
 * has not read is thrown away first.
 */
void tty_release(struct tty *t);

/*
 * From now to tty_release(), exit() and the signals of a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL,
 * SIGABRT, and SIGQUIT) send these bytes and restore the line before they go on as before.
 */
void tty_guard(struct tty *t, const char *bytes, size_t len);

/* What those do: async-signal-safe, does something only the first time after tty_guard(). */
void tty_restore(void);

/* Would a frame be taken: nothing waits, the line is writable, and vmtop in the foreground. */
bool tty_ready(struct tty *t);

/* Room for n more bytes to be sent; tty_flush() sends them. */
char *tty_append(struct tty *t, size_t n);

/*
 * Sends what waits, as long as the terminal keeps reading: gives up when nothing went out for
 * stall_ms. True when nothing waits any more.
 */
bool tty_flush(struct tty *t, int stall_ms);

#endif
