/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what vmtop-playback says on stdin as vmtop does, and ends with 1 at the first line that is
 * none: malformed, of an unknown word, without its moment, or of a moment before the last one's by
 * more than lines may cross each other.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/playback_line.h"

static int check(const struct probe_line *line, int first, int64_t *last_ns)
{
	int64_t ns, protocol = 0;
	double t;

	if (!*line->word)
		return 0;
	if (playback_word_of(line->word) == PLAYBACK_UNKNOWN_WORD || probe_line_integer(line, "ns", &ns) ||
			probe_line_number(line, "t", &t) || t < 0)
		return 1;
	/* An underrun is told with its own end, after what was read meanwhile. */
	if (ns < *last_ns - 1000000000)
		return 1;
	*last_ns = ns;
	if (!first)
		return playback_word_of(line->word) == PLAYBACK_HELLO;
	return playback_word_of(line->word) != PLAYBACK_HELLO ||
		probe_line_integer(line, "protocol", &protocol) || protocol != PLAYBACK_PROTOCOL;
}

int main(void)
{
	struct probe_line line = { .pairs = 0 };
	char text[PROBE_LINE_MAX + 2];
	int64_t last_ns = 0;
	unsigned n = 0;

	while (fgets(text, sizeof(text), stdin)) {
		int error = probe_line_parse(&line, text, strcspn(text, "\n"));

		if (error || !strchr(text, '\n') || check(&line, n == 0, &last_ns)) {
			printf("# line %u is none (%d): %s", n + 1, error, text);
			return 1;
		}
		n++;
	}
	return n == 0;
}
