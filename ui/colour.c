/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/colour.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

enum { NAMED = 16, CUBE = 16, CUBE_SIDE = 6, GREYS = 232, INDEXED = 256 };

/* As xterm has them. */
static const uint32_t named_rgb[NAMED] = {
	0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
	0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
};

static uint32_t index_rgb(uint32_t index)
{
	static const uint32_t steps[CUBE_SIDE] = { 0x00, 0x5F, 0x87, 0xAF, 0xD7, 0xFF };
	uint32_t cube, grey;

	if (index < NAMED)
		return named_rgb[index];
	if (index >= GREYS) {
		grey = 8 + 10 * (index - GREYS);
		return grey << 16 | grey << 8 | grey;
	}
	cube = index - CUBE;
	return steps[cube / 36] << 16 | steps[cube / 6 % 6] << 8 | steps[cube % 6];
}

uint32_t colour_rgb(struct colour c, uint32_t fallback)
{
	switch (c.kind) {
	case COLOUR_DEFAULT: return fallback;
	case COLOUR_INDEX: return index_rgb(c.value < INDEXED ? c.value : INDEXED - 1);
	case COLOUR_RGB: return c.value & 0xFFFFFF;
	}
	return fallback;
}

/* ---- Distance ---- */

struct lab {
	double l, a, b;
};

static double linear(uint32_t byte)
{
	double v = (byte & 0xFF) / 255.0;

	return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/*
 * Oklab (Ottosson 2020), where distance is what the eye sees. Distance in RGB takes greys for cyan
 * when there are only eight colours.
 */
static struct lab to_lab(uint32_t rgb)
{
	double r = linear(rgb >> 16), g = linear(rgb >> 8), b = linear(rgb);
	double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
	double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
	double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);

	return (struct lab){
		.l = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
		.a = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
		.b = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
	};
}

static double distance(struct lab x, struct lab y, double hue_weight)
{
	double l = x.l - y.l, a = x.a - y.a, b = x.b - y.b;

	return l * l + hue_weight * (a * a + b * b);
}

/*
 * With few colours lightness has to give way to hue, or a grey becomes red. Of eight, what is
 * nearest to the grey among the bright ones becomes that one's base, black.
 */
static int nearest_to(uint32_t rgb, int count)
{
	struct lab wanted = to_lab(rgb);
	int first = count > NAMED ? CUBE : 0, last = count == 8 ? 8 : count - 1, best = first;
	double weight = count > NAMED ? 1 : 4, least = DBL_MAX;

	for (int i = first; i <= last; i++) {
		double d = distance(wanted, to_lab(index_rgb((uint32_t)i)), weight);

		if (d < least) {
			least = d;
			best = i;
		}
	}
	return best < count ? best : best % 8;
}

int colour_nearest(struct colour c, int count)
{
	switch (c.kind) {
	case COLOUR_DEFAULT:
		return -1;
	case COLOUR_INDEX:
		if (c.value < (uint32_t)count)
			return (int)c.value;
		if (c.value < NAMED)
			return (int)c.value % 8;
		break;
	case COLOUR_RGB:
		break;
	}
	return nearest_to(colour_rgb(c, 0), count);
}

/* ---- Names ---- */

static bool parse_name(const char *word, struct colour *c)
{
	static const char *const names[8] = {
		"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
	};
	bool bright = strncasecmp(word, "bright", 6) == 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcasecmp(word + (bright ? 6 : 0), names[i]) == 0) {
			*c = (struct colour){ COLOUR_INDEX, (uint32_t)i + (bright ? 8 : 0) };
			return true;
		}
	return false;
}

bool colour_parse(const char *word, struct colour *c)
{
	size_t len = strlen(word);

	if (strcasecmp(word, "default") == 0) {
		*c = (struct colour){ COLOUR_DEFAULT, 0 };
		return true;
	}
	if (word[0] == '#') {
		if (len != 7 || strspn(word + 1, "0123456789abcdefABCDEF") != 6)
			return false;
		*c = (struct colour){ COLOUR_RGB, (uint32_t)strtoul(word + 1, NULL, 16) };
		return true;
	}
	if (len > 0 && len <= 3 && strspn(word, "0123456789") == len) {
		*c = (struct colour){ COLOUR_INDEX, (uint32_t)strtoul(word, NULL, 10) };
		return c->value < INDEXED;
	}
	return parse_name(word, c);
}
