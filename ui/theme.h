/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How roles look. A theme is a text file, one role a line:
 *
 *   # comment
 *   swap.in = #5fafff bold
 *   frame   = 240
 *   title   = brightwhite on blue underline
 *
 * Colours: default, the 16 names (black red green yellow blue magenta cyan white, bright...), a
 * number 0-255, #rrggbb. Attributes: bold dim underline reverse. Roles not named look like text,
 * and so does the colour a line leaves out.
 */
#ifndef VMTOP_THEME_H
#define VMTOP_THEME_H

#include <stddef.h>

#include "ui/canvas.h"
#include "ui/colour.h"

enum { STYLE_BOLD = 1, STYLE_DIM = 2, STYLE_UNDERLINE = 4, STYLE_REVERSE = 8 };

struct style {
	struct colour fg, bg;
	unsigned int attributes;
};

struct theme {
	char name[32];
	char path[256];			/* of its file, "" for the built-in one */
	struct style style[ROLE_COUNT];
};

/* Takes one line of complaint "file:line: what (what to do)". */
typedef void theme_complain(void *arg, const char *message);

/* The theme that needs no file: no colours, attributes only. */
void theme_builtin(struct theme *t);

/*
 * Loads a file. A bad line is complained of and the rest still loads. Returns 0 or a negative
 * errno when the file cannot be read (complained of as well); then t is the built-in theme.
 */
int theme_load_file(struct theme *t, const char *path, theme_complain *complain, void *arg);

/*
 * Looks for NAME.theme in the user's directory ($XDG_CONFIG_HOME or ~/.config, vmtop/themes), the
 * installed one, then themes/ beside the program or one directory up. A file that cannot be read is
 * complained of and passed over. -ENOENT when there is none (complained of, with the names there
 * are), -EINVAL for what cannot be a name; then t is the built-in theme. "mono" needs no file.
 */
int theme_load(struct theme *t, const char *name, theme_complain *complain, void *arg);

/* The names of all themes found, each once, sorted; returns how many (at most max). */
size_t theme_list(char (*names)[32], size_t max);

#endif
