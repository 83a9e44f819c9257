/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program that the tests of ui/term.h run in a terminal: draws what its keys say. */
#ifndef VMTOP_TESTS_TERM_DRIVE_H
#define VMTOP_TESTS_TERM_DRIVE_H

#include <stdbool.h>

#include "tests/vt.h"
#include "ui/canvas.h"

/*
 * "draw" shows a page with its size, text of many kinds, one letter in each of drive_roles, and a
 * counter. Keys: c counts, n draws ten times the same, p the next random frame, r repaints, t takes
 * the theme without colours; f draws 60 random frames at once, g one, b 60 and then fills the
 * pty, i says how that went; q quits, e is exit(3), x a bad address, o endless recursion, a
 * abort(), k term_abandon() and _exit(). "keys" shows the names of the keys that came, until ^D.
 */
int drive(const char *mode);

/* A test program started with this and a mode is the driver. */
#define DRIVE_OPTION "--drive"

#define DRIVE_TEXT \
	"text \u28FF\u2847\u2581\u2588 \u65E5\u672C \u00E9 \u256D\u2500\u256E end"

extern const enum role drive_roles[];
extern const int drive_nroles;

/* Random frame n: any character that term.c has to deal with, and "end n." in the last corner. */
void drive_frame(struct canvas *c, unsigned int n);

/* ---- For the tests ---- */

#define DRIVE_SOON 10000

/* The path of the running test program. */
const char *drive_program(void);

/* Starts it as the driver; the second waits for its page. */
struct vt *drive_start(const char *mode, const struct vt_options *options);
struct vt *drive_start_page(const struct vt_options *options);

/* Runs a shell with job control, in whose script the driver is "$0" --drive; waits for the page. */
struct vt *drive_start_shell(const char *script, const struct vt_options *options);

void drive_press(struct vt *vt, const char *key, const char *expected);
void drive_quit(struct vt *vt);

/* Does the terminal show the canvas, as it can be shown on that kind of terminal? */
void drive_assert_shows(struct vt *vt, const struct canvas *c, bool utf8, const char *term);

#endif
