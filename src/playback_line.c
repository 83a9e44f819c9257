/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/playback_line.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* --- Reading --- */

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes what follows a backslash at *from; false when that is nothing known. */
static bool unescape(const char **from, char *to)
{
	const char *s = *from;

	if (*s == '"' || *s == '\\') {
		*to = *s;
		*from = s + 1;
		return true;
	}
	if (*s != 'x' || hex_digit(s[1]) < 0 || hex_digit(s[2]) < 0)
		return false;
	*to = (char)(hex_digit(s[1]) * 16 + hex_digit(s[2]));
	*from = s + 3;
	return *to != '\0';
}

/* Ends the value at *s in place; *s is moved behind it. NULL when it is malformed. */
static char *take_value(char **s)
{
	const char *from = *s;
	char *start = *s, *to = *s;

	if (*from != '"') {
		for (; *from && *from != ' '; from++)
			if (*from == '"' || *from == '\\' || *from == '=')
				return NULL;
		*s += from - start;
		return start;
	}
	for (from++; *from && *from != '"'; to++)
		if (*from != '\\')
			*to = *from++;
		else if (from++, !unescape(&from, to))
			return NULL;
	if (*from != '"')
		return NULL;
	*s += from + 1 - start;
	*to = '\0';
	return start;
}

/* Ends the name at *s in place and moves *s behind it; the byte that stood there, -1: no name. */
static int take_name(char **s)
{
	char *end = *s;
	int after;

	while (is_name(*end))
		end++;
	after = end == *s ? -1 : (unsigned char)*end;
	*end = '\0';
	*s = end + (after > 0);
	return after;
}

static enum playback_word word_of(const char *name)
{
	for (int i = 0; i < PLAYBACK_WORDS; i++)
		if (strcmp(words[i], name) == 0)
			return (enum playback_word)i;
	return PLAYBACK_UNKNOWN_WORD;
}

static int take_pairs(struct playback_line *line, char *s)
{
	while (*s) {
		struct playback_pair pair = { .key = s };

		if (line->pairs == PLAYBACK_PAIRS_MAX)
			return -E2BIG;
		if (take_name(&s) != '=')
			return -EINVAL;
		pair.value = take_value(&s);
		if (!pair.value || (*s && *s != ' '))
			return -EINVAL;
		if (*s)
			*s++ = '\0';
		line->pair[line->pairs++] = pair;
	}
	return 0;
}

int playback_line_parse(struct playback_line *line, const char *s, size_t len)
{
	char *p = line->text;
	int after;

	line->word = PLAYBACK_NOTHING;
	line->pairs = 0;
	if (len >= sizeof(line->text))
		return -E2BIG;
	if (memchr(s, '\0', len))
		return -EINVAL;
	memcpy(line->text, s, len);
	line->text[len] = '\0';
	if (len == 0 || *s == '#')
		return 0;
	after = take_name(&p);
	if (after != ' ' && after != '\0')
		return -EINVAL;
	line->word = word_of(line->text);
	return take_pairs(line, p);
}

const char *playback_line_text(const struct playback_line *line, const char *key)
{
	for (size_t i = 0; i < line->pairs; i++)
		if (strcmp(line->pair[i].key, key) == 0)
			return line->pair[i].value;
	return NULL;
}

static bool starts_number(const char *s)
{
	s += *s == '-';
	return *s >= '0' && *s <= '9';
}

int playback_line_number(const struct playback_line *line, const char *key, double *value)
{
	const char *text = playback_line_text(line, key);
	double number;
	char *end;

	if (!text)
		return -ENOENT;
	/* vmtop sets no LC_NUMERIC, so a point is a point. */
	number = strtod(text, &end);
	if (!starts_number(text) || *end || !isfinite(number))
		return -EINVAL;
	*value = number;
	return 0;
}

int playback_line_integer(const struct playback_line *line, const char *key, int64_t *value)
{
	const char *text = playback_line_text(line, key);
	intmax_t number;
	char *end;

	if (!text)
		return -ENOENT;
	errno = 0;
	number = strtoimax(text, &end, 10);
	if (!starts_number(text) || *end || errno || number < INT64_MIN || number > INT64_MAX)
		return -EINVAL;
	*value = number;
	return 0;
}

/* --- Writing --- */

/* A pair goes in whole or not at all. */
static void append(struct playback_writer *w, const char *key, const char *value, size_t length)
{
	size_t key_length = strlen(key);

	if (w->length + 1 + key_length + 1 + length >= sizeof(w->text)) {
		w->cut = true;
		return;
	}
	w->text[w->length++] = ' ';
	memcpy(w->text + w->length, key, key_length);
	w->length += key_length;
	w->text[w->length++] = '=';
	memcpy(w->text + w->length, value, length);
	w->length += length;
	w->text[w->length] = '\0';
}

void playback_write(struct playback_writer *w, enum playback_word word)
{
	w->cut = false;
	w->length = strlen(words[word]);
	memcpy(w->text, words[word], w->length + 1);
}

void playback_write_integer(struct playback_writer *w, const char *key, int64_t value)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%" PRId64, value);

	append(w, key, text, (size_t)n);
}

void playback_write_number(struct playback_writer *w, const char *key, double value, int digits)
{
	char text[400];
	int n = snprintf(text, sizeof(text), "%.*f", digits, value);

	append(w, key, text, (size_t)n);
}

void playback_write_ms(struct playback_writer *w, const char *key, int64_t ns)
{
	playback_write_number(w, key, (double)ns / 1e6, 3);
}

static bool is_bare(const char *s)
{
	for (const char *p = s; *p; p++)
		if (*p <= ' ' || *p >= 127 || strchr("\"\\=", *p))
			return false;
	return *s != '\0';
}

void playback_write_text(struct playback_writer *w, const char *key, const char *value)
{
	char text[PLAYBACK_LINE_MAX], *to = text;

	if (is_bare(value)) {
		append(w, key, value, strlen(value));
		return;
	}
	*to++ = '"';
	for (; *value && to < text + sizeof(text) - 8; value++)
		if (*value == '"' || *value == '\\')
			*to++ = '\\', *to++ = *value;
		else if ((unsigned char)*value < ' ' || *value == 127)
			to += sprintf(to, "\\x%02x", (unsigned char)*value);
		else
			*to++ = *value;
	*to++ = '"';
	append(w, key, text, (size_t)(to - text));
}
