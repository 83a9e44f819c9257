/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text from outside made safe, and measured: UTF-8 decoding, column widths that do not depend on
 * the user's locale, bounded copies.
 */
#ifndef VMTOP_TEXT_H
#define VMTOP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_REPLACEMENT 0xFFFDu

/*
 * Decodes one code point at *p (ends before end), moves *p behind it. Anything that is not valid
 * UTF-8 (overlong, surrogate, cut) gives TEXT_REPLACEMENT and moves one byte.
 */
uint32_t text_decode(const char **p, const char *end);

/* Encodes cp as UTF-8; returns the number of bytes (1 to 4). buf has room for 4. */
size_t text_encode(uint32_t cp, char *buf);

/*
 * Columns of a code point: 0 combining, 1, 2 wide; -1 for what must not reach a terminal: controls,
 * what reorders, joins or hides other characters, private use, unassigned. No locale changes it.
 */
int text_width(uint32_t cp);

/* Columns of a UTF-8 string, as canvas_text would use. */
int text_columns(const char *s);

/* s in at most `columns` columns, ended by an ellipsis where it was longer. */
const char *text_shorten(const char *s, int columns, char *buf, size_t size);

/*
 * Copies s safely: what must not reach a terminal becomes TEXT_REPLACEMENT, tabs become spaces.
 * Always terminates; false when cut.
 */
bool text_safe(char *dst, size_t size, const char *s, size_t len);

/* Bounded copy; always terminates; false when cut. Never cuts inside a UTF-8 sequence. */
bool text_copy(char *dst, size_t size, const char *s);

/* A number of bytes in at most 5 columns: "0", "812", "1.6K", "23.5G". Powers of 1024. */
const char *text_bytes(double bytes, char *buf, size_t size);

/* A count in at most 5 columns, powers of 1000: "812", "5.9k", "1.2M". */
const char *text_count(double count, char *buf, size_t size);

/* Nanoseconds as "2ms", "1.3s", "4m10s", "2h05m"; below 1 ms "0.4ms". */
const char *text_duration(int64_t ns, char *buf, size_t size);

/* "128M", "1.5G", "4096", "64k" to bytes, powers of 1024. Returns 0 or -EINVAL / -ERANGE. */
int text_parse_bytes(const char *s, uint64_t *bytes);

#endif
