/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/glyph.h"

/* Full cells in both: what a terminal font of 1981 has, and what Unicode adds to it. */
#define SHADED_LAYERS { 0x2588, 0x2593, 0x2592, 0x2591, 0x2261, 0x2219 }	/* █ ▓ ▒ ░ ≡ ∙ */
#define SHADES { 0x00B7, 0x2591, 0x2592, 0x2593, 0x2588 }			/* · ░ ▒ ▓ █ */
#define EIGHTHS_ACROSS { ' ', 0x258F, 0x258E, 0x258D, 0x258C, 0x258B, 0x258A, 0x2589, 0x2588 }

static const struct glyph_set sets[] = {
	[GLYPHS_BRAILLE] = {
		.columns = 2, .levels = 4, .zero = 1,
		.shade = SHADES,
		.bar_steps = 8, .bar = EIGHTHS_ACROSS,
	},
	/* There are no blocks of an eighth that hang from the top: down goes by about a half. */
	[GLYPHS_BLOCK] = {
		.columns = 1, .levels = 8, .zero = 1, .base = 0x2581, .rule = 0x2500,
		.up = { ' ', 0x2581, 0x2582, 0x2583, 0x2584, 0x2585, 0x2586, 0x2587, 0x2588 },
		.down = { ' ', 0x2594, 0x2594, 0x2580, 0x2580, 0x2580, 0x2580, 0x2588, 0x2588 },
		.stem = { ' ', 0x2577, 0x2577, 0x2577, 0x2577, 0x2502, 0x2502, 0x2502, 0x2502 },
		.stem_down = { ' ', 0x2575, 0x2575, 0x2575, 0x2575,
			       0x2502, 0x2502, 0x2502, 0x2502 },
		.layer = SHADED_LAYERS, .both = { 0x2500, 0x2580, 0x2584, 0x2588 },
		.flat = 0x2500, .flat_zero = 0x2581, .left_up = 0x256F, .left_down = 0x256E,
		.up_right = 0x2570, .down_right = 0x256D, .vertical = 0x2502, .above = 0x00B7,
		.shade = SHADES,
		.bar_steps = 8, .bar = EIGHTHS_ACROSS,
	},
	[GLYPHS_HALF] = {
		.columns = 1, .levels = 2, .zero = 0, .base = '_', .rule = 0x2500,
		.up = { ' ', 0x2584, 0x2588 },
		.down = { ' ', 0x2580, 0x2588 },
		.stem = { ' ', 0x2502, 0x2502 },
		.stem_down = { ' ', 0x2502, 0x2502 },
		.layer = SHADED_LAYERS, .both = { 0x2500, 0x2580, 0x2584, 0x2588 },
		.flat = 0x2500, .flat_zero = '_', .left_up = 0x2518, .left_down = 0x2510,
		.up_right = 0x2514, .down_right = 0x250C, .vertical = 0x2502, .above = 0x00B7,
		.shade = SHADES,
		.bar_steps = 2, .bar = { ' ', 0x258C, 0x2588 },
	},
	[GLYPHS_ASCII] = {
		.columns = 1, .levels = 3, .zero = 0, .base = '_', .rule = '-',
		.up = { ' ', '.', ':', '#' },
		.down = { ' ', '\'', '"', '#' },
		.stem = { ' ', '.', '|', '|' },
		.stem_down = { ' ', '\'', '|', '|' },
		.layer = { '#', '=', '-', '+', 'o', '~' }, .both = { '-', '\'', ',', ':' },
		.coarse = true,
		.flat = '-', .flat_zero = '_', .left_up = '\'', .left_down = '.',
		.up_right = '\'', .down_right = '.', .vertical = '|', .above = '*',
		.shade = { '.', '-', '=', '*', '#' },
		.bar_steps = 1, .bar = { ' ', '#' },
	},
};

const struct glyph_set *glyph_set(enum glyphs g)
{
	return &sets[g];
}

unsigned int glyph_dot(int column, int level)
{
	/* Unicode numbers six dots by columns, and added the bottom row later. */
	static const unsigned char dots[2][4] = {
		{ 0x40, 0x04, 0x02, 0x01 },
		{ 0x80, 0x20, 0x10, 0x08 },
	};

	return dots[column][level];
}

uint32_t glyph_braille(unsigned int dots)
{
	return 0x2800 + dots;
}

bool glyph_texture(enum texture texture, int x, int level, int low, int high)
{
	if (texture == TEXTURE_STEM)
		return (high - 1 - level) % 2 == 0;
	if (texture == TEXTURE_STEM_DOWN)
		return (level - low) % 2 == 0;
	if (level == high - 1)
		return true;
	switch (texture - TEXTURE_LAYER) {
	case 0:
		return true;
	case 1:
		return (x + level) % 2 == 0;
	case 2:
		return x % 2 == 0 && level % 2 == 0;
	case 3:
		return x % 4 == level % 4 && x % 2 == 0;
	case 4:
		return level % 3 == 0;
	}
	return x % 2 == 0;
}
