/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/playback_line.h"

#include <string.h>

static const char *const words[PLAYBACK_WORDS] = {
	[PLAYBACK_HELLO] = "playback", [PLAYBACK_SINK] = "sink", [PLAYBACK_UNDERRUN] = "underrun",
	[PLAYBACK_STALL] = "stall", [PLAYBACK_SECOND] = "second", [PLAYBACK_LEVEL] = "level",
	[PLAYBACK_FILE] = "file", [PLAYBACK_CONTROL] = "control", [PLAYBACK_TOTAL] = "total",
	[PLAYBACK_END] = "end",
};

static const struct {
	const char *name, *share_key;
} causes[PLAYBACK_CAUSES] = {
	[PLAYBACK_MEMORY] = { "memory", "memory_ms" },
	[PLAYBACK_READ] = { "file", "file_ms" },
	[PLAYBACK_CPU] = { "cpu", "cpu_ms" },
	[PLAYBACK_STOPPED] = { "stopped", "stopped_ms" },
	[PLAYBACK_SERVER] = { "server", "rest_ms" },
	[PLAYBACK_TIE] = { "tie", NULL },
	[PLAYBACK_UNKNOWN] = { "unknown", NULL },
};

const char *playback_word_name(enum playback_word word)
{
	return words[word];
}

enum playback_word playback_word_of(const char *name)
{
	for (int i = 0; i < PLAYBACK_WORDS; i++)
		if (strcmp(words[i], name) == 0)
			return (enum playback_word)i;
	return PLAYBACK_UNKNOWN_WORD;
}

const char *playback_cause_name(enum playback_cause cause)
{
	return causes[cause].name;
}

enum playback_cause playback_cause_of(const char *name)
{
	for (int i = 0; name && i < PLAYBACK_CAUSES; i++)
		if (strcmp(causes[i].name, name) == 0)
			return (enum playback_cause)i;
	return PLAYBACK_UNKNOWN;
}

const char *playback_share_key(enum playback_cause cause)
{
	return causes[cause].share_key;
}
