/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A script: commands, one a line; blank lines and lines that begin with # are passed over. */
#ifndef VMTOP_SCRIPT_H
#define VMTOP_SCRIPT_H

#include <stddef.h>

struct script {
	char *text;		/* the whole file, lines ended by '\0' */
	size_t size, at;	/* of the text; where the next line begins */
	char name[256];		/* for messages */
	unsigned int line;	/* number of the line given last */
};

/* Reads the whole file; "-" is standard input. 0, or a negative errno with one line in err. */
int script_open(struct script *s, const char *path, char *err, size_t errsize);
void script_close(struct script *s);

/* The next command, or NULL at the end. */
const char *script_next(struct script *s);

#endif
