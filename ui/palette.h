/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A theme's style in the colours that a terminal has. */
#ifndef VMTOP_PALETTE_H
#define VMTOP_PALETTE_H

#include "ui/theme.h"

/* How many colours a terminal has that takes RGB values: its first eight numbers are its own. */
#define PALETTE_TRUE (1 << 24)

struct palette_look {
	int fg, bg;			/* a colour's number there, -1: the default one */
	unsigned int attributes;	/* STYLE_... */
};

/*
 * `colours` is 0, 8, 16, 256 or PALETTE_TRUE. Colours that are lost leave a trace: without any, a
 * background is reverse; with eight, the bright ones are bold, and what comes out black is dim
 * instead, for dark grey must not vanish.
 */
struct palette_look palette_look(const struct style *style, int colours);

#endif
