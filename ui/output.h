/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Outputs of a canvas that need no terminal. */
#ifndef VMTOP_OUTPUT_H
#define VMTOP_OUTPUT_H

#include <stdio.h>

#include "ui/canvas.h"

/*
 * The canvas as lines of UTF-8 text, trailing blanks taken off. With ascii every character
 * outside ASCII is written as its nearest one ("|" for a line, "#" for a block), else as '?'.
 * Returns 0 or a negative errno.
 */
int output_text(const struct canvas *c, bool ascii, FILE *out);

/* The nearest ASCII character; used for terminals without UTF-8 as well. */
char output_ascii(uint32_t ch);

#endif
