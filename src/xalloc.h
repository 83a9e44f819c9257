/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocation at start-up: these end the program with one line when there is no memory. Never used in steady state. */
#ifndef VMTOP_XALLOC_H
#define VMTOP_XALLOC_H

#include <stddef.h>

void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints "vmtop: " and the message as one line on stderr. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints "vmtop: " and the message on stderr and exits with status 1. For faults at start-up only. */
void die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
