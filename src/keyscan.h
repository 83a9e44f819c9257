/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one parser of kernel text: picks the numbers that the metric table names out of the text of
 * one source. Compiled once from the table; scanning allocates nothing.
 *
 * A line is KEY, an optional colon, then numbers; "name=" before a number is skipped, and so is
 * what follows it (a fraction, " kB"). Text without keys (mm_stat) is scanned with "" as its key.
 * A number above 2^63 is what a kernel prints of a total below zero, and is taken as 0.
 */
#ifndef VMTOP_KEYSCAN_H
#define VMTOP_KEYSCAN_H

#include <stddef.h>

#include "src/sample.h"

struct keyscan;

/* Compiles the expressions of all metrics of a source. Dies on a fault in the table. Free with keyscan_free. */
struct keyscan *keyscan_new(enum source_id source);
void keyscan_free(struct keyscan *k);

/* Forgets what was scanned: call before the first text of a sample. */
void keyscan_begin(struct keyscan *k);

/* Scans lines "KEY numbers". Numbers of a key met again (another device) are added. */
void keyscan_text(struct keyscan *k, const char *text, size_t len);

/* Scans numbers without keys ("#1", "#2" ... of the table); called again (another device), adds. */
void keyscan_numbers(struct keyscan *k, const char *text, size_t len);

/* One key whose first number is known already, for values that come from a library or a file of their own. */
void keyscan_value(struct keyscan *k, const char *key, uint64_t value);

/* Puts what was found into the sample; metrics of which no key was found are cleared. */
void keyscan_end(const struct keyscan *k, struct sample *s);

#endif
