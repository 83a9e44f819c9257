/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands around the panels: header, time axis, key line, help. Pure, as all drawing. */
#ifndef VMTOP_CHROME_H
#define VMTOP_CHROME_H

#include "ui/page.h"

/* The top line: machine, workload, sampling, what is wrong. Shortened from the least important. */
void chrome_header(const struct view *v, const struct page *p, struct canvas *c);

/* The bottom line: the prompt, the answer to the last command, or the keys; how many panels were shed. */
void chrome_footer(const struct view *v, struct canvas *c, size_t shed);

/* Times under a chart that begins at x and is w cells wide; the cursor's time when frozen. */
void chrome_time_axis(const struct view *v, struct canvas *c, int x, int y, int w);

/* All keys and commands, from the command table, over the page. */
void chrome_help(const struct view *v, struct canvas *c);

/* Lines the help has: what scrolling is bounded by. */
int chrome_help_lines(void);

#endif
