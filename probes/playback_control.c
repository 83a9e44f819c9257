/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/playback_control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum argument { ARGUMENT_NONE, ARGUMENT_SWITCH, ARGUMENT_NICE, ARGUMENT_BUFFER, ARGUMENT_PATH };

static const struct {
	const char *name;
	enum argument argument;
} controls[CONTROL_KINDS] = {
	[CONTROL_NICE] = { "nice", ARGUMENT_NICE },
	[CONTROL_LOCK] = { "lock", ARGUMENT_SWITCH },
	[CONTROL_BUFFER] = { "buffer", ARGUMENT_BUFFER },
	[CONTROL_PAUSE] = { "pause", ARGUMENT_SWITCH },
	[CONTROL_FILE] = { "file", ARGUMENT_PATH },
	[CONTROL_TONE] = { "tone", ARGUMENT_SWITCH },
	[CONTROL_DROP_CACHE] = { "drop-cache", ARGUMENT_SWITCH },
	[CONTROL_QUIT] = { "quit", ARGUMENT_NONE },
};

const char *control_name(enum control_kind kind)
{
	return controls[kind].name;
}

static bool parse_number(const char *text, long min, long max, int *value)
{
	const char *digits = *text == '-' ? text + 1 : text;
	long number;
	char *end;

	if (*digits < '0' || *digits > '9')
		return false;
	errno = 0;
	number = strtol(text, &end, 10);
	if (*end || errno || number < min || number > max)
		return false;
	*value = (int)number;
	return true;
}

bool control_parse_nice(const char *text, int *nice)
{
	return parse_number(text, -20, 19, nice);
}

bool control_parse_buffer(const char *text, int *ms)
{
	return parse_number(text, BUFFER_MS_MIN, BUFFER_MS_MAX, ms);
}

static bool parse_switch(const char *text, bool *on)
{
	*on = strcmp(text, "on") == 0;
	return *on || strcmp(text, "off") == 0;
}

/* NULL when the argument is right, else what it should be. */
static const char *parse_argument(struct control *c, const char *text)
{
	switch (controls[c->kind].argument) {
	case ARGUMENT_NONE:
		return *text ? "no argument" : NULL;
	case ARGUMENT_SWITCH:
		return parse_switch(text, &c->on) ? NULL : "on or off";
	case ARGUMENT_NICE:
		return control_parse_nice(text, &c->number) ? NULL : "a number from -20 to 19";
	case ARGUMENT_BUFFER:
		return control_parse_buffer(text, &c->number) ? NULL :
			"a number of ms from 15 to 10000";
	case ARGUMENT_PATH:
		c->path = text;
		break;
	}
	return NULL;
}

int control_parse(char *line, struct control *c, char *err, size_t errsize)
{
	char *space = strchr(line, ' ');
	const char *argument = space ? space + 1 : "", *wanted;

	*c = (struct control){ .path = "" };
	if (space)
		*space = '\0';
	for (int i = 0; i < CONTROL_KINDS; i++) {
		if (strcmp(line, controls[i].name) != 0)
			continue;
		c->kind = (enum control_kind)i;
		wanted = parse_argument(c, argument);
		if (!wanted)
			return 0;
		snprintf(err, errsize, "%s wants %s", line, wanted);
		return -EINVAL;
	}
	snprintf(err, errsize, "no such control");
	return -EINVAL;
}

void control_feed(struct control_input *in, const char *bytes, size_t n,
	void (*take)(void *to, char *line), void (*too_long)(void *to), void *to)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == '\n') {
			in->text[in->length] = '\0';
			if (!in->skipping)
				take(to, in->text);
			in->length = 0;
			in->skipping = false;
		} else if (in->length < sizeof(in->text) - 1) {
			in->text[in->length++] = bytes[i];
		} else if (!in->skipping) {
			in->skipping = true;
			too_long(to);
		}
	}
}
