/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/text.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* ---- UTF-8 ---- */

/* Bytes that follow the lead byte, and the smallest code point a sequence of that length is for. */
static int lead_byte(unsigned char lead, uint32_t *cp, uint32_t *least)
{
	if (lead >= 0xC2 && lead <= 0xDF) {
		*cp = lead & 0x1Fu;
		*least = 0x80;
		return 1;
	}
	if ((lead & 0xF0) == 0xE0) {
		*cp = lead & 0x0Fu;
		*least = 0x800;
		return 2;
	}
	if (lead >= 0xF0 && lead <= 0xF4) {
		*cp = lead & 0x07u;
		*least = 0x10000;
		return 3;
	}
	return 0;
}

uint32_t text_decode(const char **p, const char *end)
{
	const unsigned char *s = (const unsigned char *)*p;
	uint32_t cp, least;
	int follow;

	(*p)++;
	if (s[0] < 0x80)
		return s[0];
	follow = lead_byte(s[0], &cp, &least);
	if (!follow || end - (const char *)s <= follow)
		return TEXT_REPLACEMENT;
	for (int i = 1; i <= follow; i++) {
		if ((s[i] & 0xC0) != 0x80)
			return TEXT_REPLACEMENT;
		cp = cp << 6 | (s[i] & 0x3Fu);
	}
	if (cp < least || cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
		return TEXT_REPLACEMENT;
	*p += follow;
	return cp;
}

size_t text_encode(uint32_t cp, char *buf)
{
	if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
		cp = TEXT_REPLACEMENT;
	if (cp < 0x80) {
		buf[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		buf[0] = (char)(0xC0 | cp >> 6);
		buf[1] = (char)(0x80 | (cp & 0x3F));
		return 2;
	}
	if (cp < 0x10000) {
		buf[0] = (char)(0xE0 | cp >> 12);
		buf[1] = (char)(0x80 | (cp >> 6 & 0x3F));
		buf[2] = (char)(0x80 | (cp & 0x3F));
		return 3;
	}
	buf[0] = (char)(0xF0 | cp >> 18);
	buf[1] = (char)(0x80 | (cp >> 12 & 0x3F));
	buf[2] = (char)(0x80 | (cp >> 6 & 0x3F));
	buf[3] = (char)(0x80 | (cp & 0x3F));
	return 4;
}

/* ---- Widths ---- */

/*
 * What a C library may give a width but a terminal must not get: it moves, hides or joins other
 * characters, or every font draws something else for it.
 */
static const struct { uint32_t first, last; } unsafe[] = {
	{ 0x00AD, 0x00AD },	/* soft hyphen: some terminals draw it, some do not */
	{ 0x061C, 0x061C },	/* Arabic letter mark */
	{ 0x115F, 0x1160 },	/* Hangul fillers: wide and invisible */
	{ 0x180E, 0x180E },	/* Mongolian vowel separator */
	{ 0x200B, 0x200F },	/* zero width space, joiners, direction marks */
	{ 0x2028, 0x202E },	/* line and paragraph separator, bidi embeddings and overrides */
	{ 0x2060, 0x206F },	/* invisible operators, bidi isolates, deprecated formats */
	{ 0x3164, 0x3164 },	/* Hangul filler */
	{ 0xE000, 0xF8FF },	/* private use */
	{ 0xFEFF, 0xFEFF },	/* byte order mark */
	{ 0xFFA0, 0xFFA0 },	/* halfwidth Hangul filler */
	{ 0xFFF0, 0xFFFB },	/* interlinear annotations */
	{ 0xFFFE, 0xFFFF },
	{ 0xE0000, 0xE00FF },	/* tags: text that nobody sees */
	{ 0xF0000, 0x10FFFF },	/* private use */
};

/* The widths of one locale for everybody: the user's may know no UTF-8, or widths of its own. */
static locale_t width_locale;	/* written once, by pthread_once */

static void make_width_locale(void)
{
	static const char *const names[] = { "C.UTF-8", "C.utf8", "en_US.UTF-8" };

	for (size_t i = 0; i < ARRAY_SIZE(names) && !width_locale; i++)
		width_locale = newlocale(LC_CTYPE_MASK, names[i], NULL);
}

static int library_width(uint32_t cp)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	locale_t before;
	int width;

	pthread_once(&once, make_width_locale);
	if (!width_locale)
		return 1;
	before = uselocale(width_locale);
	width = wcwidth((wchar_t)cp);
	uselocale(before);
	return width > 2 ? 2 : width;
}

int text_width(uint32_t cp)
{
	if (cp >= 0x20 && cp < 0x7F)
		return 1;
	if (cp < 0xA0 || cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
		return -1;
	/* Lines, blocks and braille: what most of a screen consists of. */
	if ((cp >= 0x2500 && cp <= 0x259F) || (cp >= 0x2800 && cp <= 0x28FF))
		return 1;
	for (size_t i = 0; i < ARRAY_SIZE(unsafe) && cp >= unsafe[i].first; i++)
		if (cp <= unsafe[i].last)
			return -1;
	return library_width(cp);
}

int text_columns(const char *s)
{
	const char *end = s + strlen(s);
	int columns = 0;

	while (s < end) {
		int width = text_width(text_decode(&s, end));

		columns += width < 0 ? 1 : width;
	}
	return columns;
}

/* ---- Copies ---- */

bool text_safe(char *dst, size_t size, const char *s, size_t len)
{
	const char *end = s + len;
	size_t used = 0;

	if (size == 0)
		return len == 0;
	while (s < end) {
		uint32_t cp = text_decode(&s, end);
		char bytes[4];
		size_t n;

		if (cp == '\t')
			cp = ' ';
		n = text_encode(text_width(cp) < 0 ? TEXT_REPLACEMENT : cp, bytes);
		if (n >= size - used) {
			dst[used] = '\0';
			return false;
		}
		memcpy(dst + used, bytes, n);
		used += n;
	}
	dst[used] = '\0';
	return true;
}

/* Where s can be cut at or before at: not behind a lead byte whose sequence goes on at `at`. */
static size_t cut_at(const char *s, size_t at)
{
	size_t lead = at;

	if (((unsigned char)s[at] & 0xC0) != 0x80)
		return at;
	while (lead > 0 && at - lead < 3 && ((unsigned char)s[lead] & 0xC0) == 0x80)
		lead--;
	return (unsigned char)s[lead] >= 0xC0 ? lead : at;
}

bool text_copy(char *dst, size_t size, const char *s)
{
	size_t len = strlen(s), n = len;

	if (size == 0)
		return false;
	if (n >= size)
		n = cut_at(s, size - 1);
	memmove(dst, s, n);
	dst[n] = '\0';
	return n == len;
}

/* ---- Numbers, with a point whatever the locale ---- */

static const char *const exponents[] = { "", "K", "M", "G", "T", "P", "E", "Z", "Y" };

/* A value below 1000 or 1024 as "1.6K", "64K", "812M"; whole numbers without a fraction. */
static const char *short_number(double v, bool negative, const char *unit, char *buf, size_t size)
{
	const char *sign = negative ? "-" : "";
	long tenths;

	v = fmin(v, 99999);	/* beyond the last unit */
	tenths = lround(v * 10);
	if (v == floor(v) || tenths >= 1000)
		snprintf(buf, size, "%s%ld%s", sign, lround(v), unit);
	else
		snprintf(buf, size, "%s%ld.%ld%s", sign, tenths / 10, tenths % 10, unit);
	return buf;
}

/* Divides by step while the rounded number would be longer than the unit is worth. */
static size_t reduce(double *v, double step)
{
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(exponents) && lround(fmin(*v, 1e15)) >= (long)step) {
		*v /= step;
		i++;
	}
	return i;
}

const char *text_bytes(double bytes, char *buf, size_t size)
{
	double v = fabs(bytes);
	size_t i;

	if (!isfinite(bytes)) {
		snprintf(buf, size, "n/a");
		return buf;
	}
	if (v > 0 && v < 0.5) {
		snprintf(buf, size, "<1");
		return buf;
	}
	i = reduce(&v, 1024);
	return short_number(i ? v : round(v), bytes < 0, exponents[i], buf, size);
}

const char *text_count(double count, char *buf, size_t size)
{
	double v = fabs(count);
	size_t i;

	if (!isfinite(count)) {
		snprintf(buf, size, "n/a");
		return buf;
	}
	if (v > 0 && v < 0.05) {
		snprintf(buf, size, "<0.1");
		return buf;
	}
	i = reduce(&v, 1000);
	if (i == 0 && v >= 10)
		v = round(v);
	return short_number(v, count < 0, i == 1 ? "k" : exponents[i], buf, size);
}

/* A part of a time: whole units and the smaller ones in two digits, "4m10s". */
static void two_units(char *buf, size_t size, const char *sign, int64_t v, int64_t per, char big,
		      char small)
{
	snprintf(buf, size, "%s%lld%c%02lld%c", sign, (long long)(v / per), big,
		 (long long)(v % per), small);
}

const char *text_duration(int64_t ns, char *buf, size_t size)
{
	const char *sign = ns < 0 ? "-" : "";
	uint64_t v = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	long long tenths_ms = (long long)((v + 50000) / 100000);
	long long ms = (long long)((v + 500000) / 1000000);
	long long tenths_s = (long long)((v + 50000000) / 100000000);
	int64_t s = (int64_t)((v + 500000000) / 1000000000);

	if (v == 0)
		snprintf(buf, size, "0ms");
	else if (tenths_ms == 0)
		snprintf(buf, size, "<0.1ms");
	else if (tenths_ms < 10)
		snprintf(buf, size, "%s0.%lldms", sign, tenths_ms);
	else if (ms < 1000)
		snprintf(buf, size, "%s%lldms", sign, ms);
	else if (tenths_s < 600)
		snprintf(buf, size, "%s%lld.%llds", sign, tenths_s / 10, tenths_s % 10);
	else if (s < 3600)
		two_units(buf, size, sign, s, 60, 'm', 's');
	else if (s < 100 * 3600)
		two_units(buf, size, sign, s / 60, 60, 'h', 'm');
	else
		two_units(buf, size, sign, s / 3600, 24, 'd', 'h');
	return buf;
}

/* ---- Numbers from text ---- */

/* Digits from *s on into *v; false when they are too many. */
static bool parse_digits(const char **s, uint64_t *v)
{
	for (*v = 0; **s >= '0' && **s <= '9'; (*s)++)
		if (__builtin_mul_overflow(*v, 10u, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(**s - '0'), v))
			return false;
	return true;
}

/* The power of 2 of a unit: K, KiB, k and so on; -1 for what is none. */
static int parse_unit(const char *s)
{
	static const char letters[] = "KMGTPE";
	const char *at;

	if (!*s)
		return 0;
	at = strchr(letters, *s == 'k' ? 'K' : *s);
	if (!at || (s[1] && strcmp(s + 1, "iB") != 0))
		return -1;
	return 10 * ((int)(at - letters) + 1);
}

int text_parse_bytes(const char *s, uint64_t *bytes)
{
	const char *fraction = NULL, *start = s;
	uint64_t whole, part = 0;
	long double scale = 1;
	int shift;

	if (!parse_digits(&s, &whole))
		return -ERANGE;
	if (s == start)
		return -EINVAL;
	if (*s == '.') {
		fraction = ++s;
		if (!parse_digits(&s, &part))
			return -ERANGE;
		if (s == fraction)
			return -EINVAL;
		for (const char *p = fraction; p < s; p++)
			scale *= 10;
	}
	shift = parse_unit(s);
	if (shift < 0 || (fraction && shift == 0))
		return -EINVAL;
	if (shift && whole >> (64 - shift))
		return -ERANGE;
	*bytes = whole << shift;
	if (fraction) {
		uint64_t unit = (uint64_t)1 << shift;
		uint64_t rest = (uint64_t)((long double)part / scale * (long double)unit);

		*bytes += rest < unit ? rest : unit - 1;	/* 0.9999... may round to 1 */
	}
	return 0;
}

const char *text_shorten(const char *s, int columns, char *buf, size_t size)
{
	static const char ellipsis[] = "\xe2\x80\xa6";
	const char *p = s, *end = s + strlen(s);
	int used = 0;
	size_t keep = 0;

	if (text_columns(s) <= columns && strlen(s) < size) {
		text_copy(buf, size, s);
		return buf;
	}
	while (p < end) {
		int w = text_width(text_decode(&p, end));

		used += w < 0 ? 1 : w;
		if (used >= columns || (size_t)(p - s) + sizeof(ellipsis) > size)
			break;
		keep = (size_t)(p - s);
	}
	if (size < sizeof(ellipsis) || columns < 1) {
		text_copy(buf, size, "");
		return buf;
	}
	memcpy(buf, s, keep);
	memcpy(buf + keep, ellipsis, sizeof(ellipsis));
	return buf;
}
