/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Colours as themes name them, and what becomes of them where there are fewer. Purely. */
#ifndef VMTOP_COLOUR_H
#define VMTOP_COLOUR_H

#include <stdbool.h>
#include <stdint.h>

enum colour_kind { COLOUR_DEFAULT, COLOUR_INDEX, COLOUR_RGB };

struct colour {
	enum colour_kind kind;
	uint32_t value;		/* 0-255, or 0xrrggbb */
};

/* A colour's name: default, the 16 names, a number 0-255, #rrggbb; case does not matter. */
bool colour_parse(const char *word, struct colour *c);

/*
 * The nearest of the first `count` colours (8, 16 or 256) to c, as the eye sees it; -1 for the
 * default colour. Of 256 the first 16 are not offered for RGB, since users redefine them; of 8 a
 * bright colour becomes its base.
 */
int colour_nearest(struct colour c, int count);

/* The red, green and blue of a colour, 0xrrggbb, as xterm has it; `fallback` for the default. */
uint32_t colour_rgb(struct colour c, uint32_t fallback);

#endif
