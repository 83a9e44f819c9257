/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program wrote to its terminal, as plain lines: escape sequences taken out, carriage return
 * and backspace overwrite, tabs expand, what is not UTF-8 becomes U+FFFD, a line too long for
 * OUTLINES_LINE goes on in the next. The last OUTLINES_KEEP lines are kept, within OUTLINES_BYTES.
 * Feed it the bytes as they come: sequences may be cut anywhere. Not locked.
 */
#ifndef VMTOP_OUTLINES_H
#define VMTOP_OUTLINES_H

#include <stddef.h>
#include <stdint.h>

enum { OUTLINES_LINE = 512, OUTLINES_KEEP = 4000, OUTLINES_BYTES = 1 << 20 };

struct outlines;

struct outlines *outlines_new(void);
void outlines_free(struct outlines *o);

void outlines_feed(struct outlines *o, const char *bytes, size_t n);

/*
 * Lines ever, and how many of them are no longer kept. One not yet ended counts once it has text.
 */
uint64_t outlines_total(const struct outlines *o);
uint64_t outlines_dropped(const struct outlines *o);

/*
 * Fills lines[0..n) with those that end `skip` lines above the newest, newest last; more than there
 * is gives the oldest. Returns how many.
 */
size_t outlines_get(const struct outlines *o, size_t skip, char (*lines)[OUTLINES_LINE], size_t n);

#endif
