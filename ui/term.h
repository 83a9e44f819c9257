/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal, and the only file that knows curses. Puts a canvas on the screen with one doupdate
 * a frame and gives keys back. The terminal is put back at exit, on ^Z and when vmtop crashes.
 * Nothing here waits for a terminal that does not read.
 *
 * Signals belong to the main loop, curses has no handlers: ^C comes as SIGINT, ^Z as SIGTSTP, ^\ as
 * SIGQUIT. Call term_resized() on SIGWINCH, term_suspend() on SIGTSTP, term_resume() on SIGCONT.
 */
#ifndef VMTOP_TERM_H
#define VMTOP_TERM_H

#include <stdbool.h>
#include <stddef.h>

#include "ui/canvas.h"
#include "ui/theme.h"

struct term;

/*
 * Takes the terminal on stdout, for keys too, so stdin may be a file. NULL and one line in err
 * (what is wrong with TERM, and what to do) when it cannot. Esc is told from a function key within
 * 25 ms. setlocale() comes before.
 */
struct term *term_open(char *err, size_t errsize);

/* Puts the terminal back as it was and frees. exit() puts it back too. */
void term_close(struct term *t);

/*
 * Only puts the terminal back: async-signal-safe, from any thread, once. For who must leave at once
 * while the main thread cannot; nothing may be drawn afterwards.
 */
void term_abandon(void);

void term_size(const struct term *t, int *cols, int *rows);

/* Asks the terminal for its size; true when that has changed. The next frame is drawn anew. */
bool term_resized(struct term *t);

/* Can it show UTF-8; is it the Linux console (no braille). */
bool term_utf8(const struct term *t);
bool term_linux_console(const struct term *t);

/*
 * 0 (none, or NO_COLOR), 8, 16, 256, or 1 << 24. What terminfo says: curses can use the true
 * colours of COLORTERM only with a terminal type that has them (xterm-direct), otherwise they
 * become the nearest of 256.
 */
int term_colours(const struct term *t);

/* With no colours a background is shown as reverse. */
void term_set_theme(struct term *t, const struct theme *theme);

/*
 * Shows the canvas; only what changed goes out. Returns false and sends nothing when the terminal
 * does not drink (its other end sleeps) or another job is in front: the caller draws again later.
 * A terminal that stops reading amid a frame gets the rest with term_flush() or the next frame.
 */
bool term_draw(struct term *t, const struct canvas *c);

/* Everything anew with the next frame (^L, after another program wrote on the screen). */
void term_repaint(struct term *t);

/*
 * What to poll for: POLLIN, with POLLOUT while the terminal owes us reading. On POLLOUT call
 * term_flush(): true when frames are taken again. POLLHUP or POLLERR: the terminal is gone.
 */
int term_fd(const struct term *t);
short term_events(const struct term *t);
bool term_flush(struct term *t);

/*
 * The next key waiting, KEYCODE_NONE when there is none. Never blocks for more than 25 ms. Curses
 * reads ahead, so after POLLIN call it until there is none.
 */
uint32_t term_key(struct term *t);

/*
 * Puts the terminal back, stops the process as ^Z does, takes the terminal again on fg. Its size
 * may have changed: ask term_size() again. A SIGCONT that is left pending is taken.
 */
void term_suspend(struct term *t);

/* Takes the terminal again and repaints, after a stop that did not come from term_suspend(). */
void term_resume(struct term *t);

#endif
