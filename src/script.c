/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/text.h"
#include "src/xalloc.h"

enum { SCRIPT_MAX = 1 << 20 };

static int read_all(struct script *s, FILE *f)
{
	size_t room = 4096;

	s->text = xcalloc(room, 1);
	while (!feof(f)) {
		if (s->size + 1 >= room) {
			room *= 2;
			if (room > SCRIPT_MAX)
				return -EFBIG;
			s->text = xrealloc(s->text, room, 1);
		}
		errno = 0;
		s->size += fread(s->text + s->size, 1, room - 1 - s->size, f);
		if (ferror(f))
			return errno ? -errno : -EIO;
	}
	s->text[s->size] = '\0';
	return 0;
}

int script_open(struct script *s, const char *path, char *err, size_t errsize)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *f = standard ? stdin : fopen(path, "re");
	int error;

	memset(s, 0, sizeof(*s));
	text_safe(s->name, sizeof(s->name), standard ? "standard input" : path,
		  standard ? strlen("standard input") : strlen(path));
	error = f ? read_all(s, f) : -errno;
	if (f && !standard)
		fclose(f);
	if (error) {
		snprintf(err, errsize, "script %s cannot be read: %s", s->name, strerror(-error));
		script_close(s);
		return error;
	}
	for (size_t i = 0; i < s->size; i++)
		if (s->text[i] == '\n' || s->text[i] == '\r')
			s->text[i] = s->text[i] == '\n' ? '\0' : ' ';
	return 0;
}

void script_close(struct script *s)
{
	free(s->text);
	s->text = NULL;
	s->size = s->at = 0;
}

const char *script_next(struct script *s)
{
	while (s->at < s->size) {
		const char *line = s->text + s->at;

		s->at += strlen(line) + 1;
		s->line++;
		line += strspn(line, " \t");
		if (*line && *line != '#')
			return line;
	}
	return NULL;
}
