/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/output.h"

#include <errno.h>

#include "src/text.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Ranges in order, each of characters that one stands for. */
static const struct { uint32_t first, last; char ascii; } nearest[] = {
	{ 0x00A0, 0x00A0, ' ' }, { 0x00A6, 0x00A6, '|' }, { 0x00AB, 0x00AB, '<' },
	{ 0x00AF, 0x00AF, '-' }, { 0x00B0, 0x00B0, 'o' }, { 0x00B1, 0x00B1, '+' },
	{ 0x00B4, 0x00B4, '\'' }, { 0x00B5, 0x00B5, 'u' }, { 0x00B7, 0x00B7, '.' },
	{ 0x00BB, 0x00BB, '>' },
	{ 0x2000, 0x200A, ' ' }, { 0x2010, 0x2015, '-' }, { 0x2018, 0x201B, '\'' },
	{ 0x201C, 0x201F, '"' }, { 0x2022, 0x2022, '*' }, { 0x2026, 0x2026, '.' },
	{ 0x202F, 0x202F, ' ' }, { 0x2039, 0x2039, '<' }, { 0x203A, 0x203A, '>' },
	{ 0x2190, 0x2190, '<' }, { 0x2191, 0x2191, '^' }, { 0x2192, 0x2192, '>' },
	{ 0x2193, 0x2193, 'v' }, { 0x2194, 0x2194, '-' }, { 0x2195, 0x2195, '|' },
	{ 0x2212, 0x2212, '-' }, { 0x2219, 0x2219, '.' }, { 0x2248, 0x2248, '~' },
	{ 0x2264, 0x2264, '<' }, { 0x2265, 0x2265, '>' }, { 0x22C5, 0x22C5, '.' },
	{ 0x2500, 0x2501, '-' }, { 0x2502, 0x2503, '|' }, { 0x2504, 0x2505, '-' },
	{ 0x2506, 0x2507, '|' }, { 0x2508, 0x2509, '-' }, { 0x250A, 0x250B, '|' },
	{ 0x250C, 0x254B, '+' }, { 0x254C, 0x254D, '-' }, { 0x254E, 0x254F, '|' },
	{ 0x2550, 0x2550, '=' }, { 0x2551, 0x2551, '|' }, { 0x2552, 0x2570, '+' },
	{ 0x2571, 0x2571, '/' }, { 0x2572, 0x2572, '\\' }, { 0x2573, 0x2573, 'X' },
	{ 0x2574, 0x2574, '-' }, { 0x2575, 0x2575, '\'' }, { 0x2576, 0x2576, '-' },
	{ 0x2577, 0x2577, ',' }, { 0x2578, 0x2578, '-' }, { 0x2579, 0x2579, '\'' },
	{ 0x257A, 0x257A, '-' }, { 0x257B, 0x257B, ',' }, { 0x257C, 0x257C, '-' },
	{ 0x257D, 0x257D, '|' }, { 0x257E, 0x257E, '-' }, { 0x257F, 0x257F, '|' },
	{ 0x2580, 0x2580, '"' }, { 0x2581, 0x2581, '_' }, { 0x2582, 0x2583, '.' },
	{ 0x2584, 0x2585, ':' }, { 0x2586, 0x258B, '#' }, { 0x258C, 0x258F, '|' },
	{ 0x2590, 0x2590, '|' }, { 0x2591, 0x2591, '.' }, { 0x2592, 0x2592, ':' },
	{ 0x2593, 0x2593, '%' }, { 0x2594, 0x2594, '"' }, { 0x2595, 0x2595, '|' },
	{ 0x2596, 0x259F, '#' }, { 0x25A0, 0x25AB, '#' }, { 0x25B2, 0x25B5, '^' },
	{ 0x25B6, 0x25BB, '>' }, { 0x25BC, 0x25BF, 'v' }, { 0x25C0, 0x25C5, '<' },
	{ 0x25C6, 0x25CB, 'o' }, { 0x25CF, 0x25CF, '*' }, { 0x2713, 0x2714, 'v' },
	{ 0x2715, 0x2718, 'x' },
};

/* The letters from U+00C0 to U+00FF without what stands on them. */
static const char letters[] = "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYPs"
			      "aaaaaaaceeeeiiiidnooooo/ouuuuypy";

/* By how many dots, and whether they stand in the upper or the lower half. */
static char braille_ascii(uint32_t dots)
{
	static const uint32_t upper = 0x1B;	/* dots 1, 2, 4 and 5: the first two rows */
	int n = __builtin_popcount(dots);

	if (n == 0)
		return ' ';
	if (n > 4)
		return '#';
	if (!(dots & ~upper))
		return n > 2 ? '"' : '\'';
	if (!(dots & upper))
		return n > 2 ? ':' : '.';
	return ':';
}

char output_ascii(uint32_t ch)
{
	size_t low = 0, high = ARRAY_SIZE(nearest);

	if (ch >= ' ' && ch <= '~')
		return (char)ch;
	if (ch >= 0xC0 && ch <= 0xFF)
		return letters[ch - 0xC0];
	if (ch >= 0x2460 && ch <= 0x2468)	/* numbers in circles */
		return (char)('1' + (ch - 0x2460));
	if (ch >= 0x2469 && ch <= 0x2473)	/* 10 to 20: their last digit */
		return (char)('0' + (ch - 0x2469) % 10);
	if (ch >= 0x2800 && ch <= 0x28FF)
		return braille_ascii(ch - 0x2800);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ch > nearest[middle].last)
			low = middle + 1;
		else
			high = middle;
	}
	return low < ARRAY_SIZE(nearest) && ch >= nearest[low].first ? nearest[low].ascii : '?';
}

static void write_cell(uint32_t ch, bool ascii, FILE *out)
{
	char bytes[4];
	size_t n;

	if (ascii) {
		fputc(output_ascii(ch), out);
	} else {
		n = text_encode(ch, bytes);
		fwrite(bytes, 1, n, out);
	}
}

int output_text(const struct canvas *c, bool ascii, FILE *out)
{
	errno = 0;
	for (int y = 0; y < c->rows; y++) {
		const struct cell *row = &c->cell[(size_t)y * (size_t)c->cols];
		int end = c->cols;

		while (end > 0 && row[end - 1].ch == ' ')
			end--;
		for (int x = 0; x < end; x++) {
			if (row[x].ch)
				write_cell(row[x].ch, ascii, out);
			else if (ascii)
				fputc('?', out);	/* keeps the columns that follow in place */
		}
		fputc('\n', out);
	}
	if (fflush(out) || ferror(out))
		return errno ? -errno : -EIO;
	return 0;
}
