/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A real terminal for tests: a program in a pty whose output goes through libvterm.
 *
 *	struct vt *vt = vt_start(&(struct vt_options){ .cols = 80, .rows = 24 },
 *				 (const char *const[]){ getenv("VMTOP"), "--root", tree, NULL });
 *	vt_expect(vt, "swap MiB/s", 5000);	fails the test, with the screen, when it never comes
 *	vt_press(vt, "space");
 *	vt_expect(vt, "frozen", 5000);
 *	assert_string_equal(vt_row(vt, 0), "vmtop ...");
 *	assert_true(vt_cell(vt, 3, 1).bold);
 *	vt_press(vt, "q");
 *	assert_int_equal(vt_exit_status(vt, 5000), 0);
 *	vt_stop(vt);
 *
 * Time is given in milliseconds and is a deadline: every wait ends as soon as what it waits for is
 * there. The screen moves only inside vt_expect(), vt_wait*(), vt_read() and vt_exit_status().
 *
 * The program's environment is PATH, TERM, LANG, HOME (an empty directory of its own, removed at
 * the end), what options.environment adds, and of the test's own environment VMTOP*, *SAN_OPTIONS
 * and GCOV_*.
 *
 * When the harness itself cannot go on (no pty), or a vt_expect() fails, it prints the screen as
 * TAP comments and fails the running test; what was started is ended by vt_stop_all(), to be given
 * to TAP_RUN as the group's teardown or to a test as its teardown.
 */
#ifndef VMTOP_TESTS_VT_H
#define VMTOP_TESTS_VT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <termios.h>

struct vt;

struct vt_options {
	int cols, rows;				/* 0: 80 and 24 */
	const char *term;			/* NULL: xterm-256color; "" leaves TERM unset */
	const char *lang;			/* NULL: C.UTF-8 */
	const char *const *environment;		/* "NAME=value", ended by NULL; may be NULL */
	bool paused;				/* as after vt_pause() */
};

/* Starts argv[0] (looked up in PATH) with the pty as its controlling terminal. */
struct vt *vt_start(const struct vt_options *options, const char *const argv[]);

/* Hangs up; a program that does not end within two seconds is killed. Takes vt; may be NULL. */
void vt_stop(struct vt *vt);

/* Stops all that were not stopped; the shape of a cmocka teardown. */
int vt_stop_all(void **state);

/* ---- Waiting ---- */

/* Until the text stands somewhere in one row of the screen; the test fails when it never does. */
void vt_expect(struct vt *vt, const char *text, int ms);

/* Until it stands nowhere any more. */
void vt_expect_gone(struct vt *vt, const char *text, int ms);

/* The same as questions. */
bool vt_wait_text(struct vt *vt, const char *text, int ms);
bool vt_wait_gone(struct vt *vt, const char *text, int ms);

/* Until a condition of your own holds; looked at after everything that arrives and every 10 ms. */
typedef bool vt_condition(struct vt *vt, void *arg);
bool vt_wait(struct vt *vt, vt_condition *holds, void *arg, int ms);

/* Reads for so long, or until nothing came for `quiet` ms; returns the number of bytes. */
size_t vt_read(struct vt *vt, int ms, int quiet);

/*
 * How the program ended: its exit status, 128 + the signal's number, or -1 when it still runs after
 * ms. Its last output has been read then.
 */
int vt_exit_status(struct vt *vt, int ms);

/* ---- Doing ---- */

/* Types text as it is. */
void vt_send(struct vt *vt, const char *text);

/*
 * Presses a key as a terminal in its present mode sends it: a character, "space", "Enter", "Esc",
 * "Tab", "S-Tab", "Backspace", "Up", "S-Left", "Home", "PgUp", "Insert", "F1", "^L", ...
 */
void vt_press(struct vt *vt, const char *key);

void vt_resize(struct vt *vt, int cols, int rows);

/* A terminal that does not read: nothing is taken from the pty until vt_resume(). */
void vt_pause(struct vt *vt);
void vt_resume(struct vt *vt);

/* ---- Looking ---- */

int vt_cols(const struct vt *vt);
int vt_rows(const struct vt *vt);

/*
 * One row as UTF-8 without its trailing blanks, or the whole screen with a newline after each row.
 * Both stay until the next call of the same function.
 */
const char *vt_row(struct vt *vt, int y);
const char *vt_text(struct vt *vt);

/* Where a text stands first: true, and x in columns; x and y may be NULL. */
bool vt_find(struct vt *vt, const char *text, int *x, int *y);

enum vt_colour_kind { VT_DEFAULT, VT_INDEX, VT_RGB };

struct vt_colour {
	enum vt_colour_kind kind;
	uint32_t value;			/* 0-255, or 0xrrggbb */
};

struct vt_cell {
	uint32_t ch;			/* ' ' when blank; 0: right half of a wide one */
	int width;
	struct vt_colour fg, bg;
	bool bold, underline, reverse, blink;	/* libvterm knows no dim */
};

struct vt_cell vt_cell(struct vt *vt, int x, int y);

bool vt_on_alternate_screen(const struct vt *vt);
bool vt_cursor_visible(const struct vt *vt);
bool vt_keypad_mode(const struct vt *vt);	/* application keypad on */
bool vt_mouse_mode(const struct vt *vt);

/* Settings of the line, as the program left them. */
struct termios vt_termios(const struct vt *vt);

/* The main screen, the cursor, no modes, a line that echoes: as a shell expects its terminal. */
void vt_assert_put_back(const struct vt *vt);

pid_t vt_pid(const struct vt *vt);
const char *vt_home(const struct vt *vt);

/* What the program has sent since the start or the last vt_mark(). */
void vt_mark(struct vt *vt);
size_t vt_bytes(const struct vt *vt);			/* how much */
size_t vt_clears(const struct vt *vt);			/* how often the screen was cleared */
bool vt_was_sent(const struct vt *vt, const char *bytes);

/* The screen, framed, as TAP comments. */
void vt_dump(struct vt *vt, FILE *out);

#endif
