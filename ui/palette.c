/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/palette.h"

static int number_of(struct colour c, int colours)
{
	int rgb;

	if (c.kind == COLOUR_DEFAULT)
		return -1;
	if (c.kind == COLOUR_INDEX && c.value < (colours == PALETTE_TRUE ? 8 : (uint32_t)colours))
		return (int)c.value;
	if (colours < PALETTE_TRUE)
		return colour_nearest(c, colours);
	rgb = (int)(colour_rgb(c, 0) & 0xffffff);
	return rgb < 8 ? 8 : rgb;
}

struct palette_look palette_look(const struct style *style, int colours)
{
	struct palette_look look = { .fg = -1, .bg = -1, .attributes = style->attributes };
	struct colour fg = style->fg;

	if (colours == 0) {
		if (style->bg.kind != COLOUR_DEFAULT)
			look.attributes |= STYLE_REVERSE;
		return look;
	}
	look.fg = number_of(fg, colours);
	look.bg = number_of(style->bg, colours);
	if (colours > 8 || fg.kind == COLOUR_DEFAULT || (fg.kind == COLOUR_INDEX && fg.value < 8))
		return look;
	if (fg.kind == COLOUR_INDEX && fg.value > 8 && fg.value < 16)
		look.attributes |= STYLE_BOLD;
	if (look.fg == 0 && look.bg < 0) {
		look.fg = -1;
		look.attributes |= STYLE_DIM;
	}
	return look;
}
