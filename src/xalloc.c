/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/xalloc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void vcomplain(const char *fmt, va_list ap)
{
	fputs("vmtop: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vcomplain(fmt, ap);
	va_end(ap);
}

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vcomplain(fmt, ap);
	va_end(ap);
	exit(1);
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p && n && size)
		die("out of memory for %zu x %zu bytes; free some or raise ulimit -v", n, size);
	return p;
}

void *xrealloc(void *p, size_t n, size_t size)
{
	void *q;

	if (size && n > SIZE_MAX / size)
		die("out of memory for %zu x %zu bytes", n, size);
	q = realloc(p, n * size);
	if (!q && n && size)
		die("out of memory for %zu x %zu bytes; free some or raise ulimit -v", n, size);
	return q;
}

char *xstrdup(const char *s)
{
	char *copy = strdup(s);

	if (!copy)
		die("out of memory");
	return copy;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		die("out of memory");
	return s;
}
