/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/text.h"

/* Beyond this a number is a fault of its source; the axis has no words for it. */
#define VALUE_MAX 1e24

/* How far below its ceiling a logarithmic axis begins. */
enum { DECADES_WIDE = 4, DECADES_PERCENT = 3 };

enum { TEXT_COLUMNS = 6 };	/* room for words at an axis */

static double smallest_ceiling(enum unit_class unit)
{
	switch (unit) {
	case CLASS_BYTES: return 1024;
	case CLASS_TIME: return 1e-3;
	case CLASS_COUNT: case CLASS_PERCENT: case CLASS_RATIO: break;
	}
	return 1;
}

/* 10^n as exactly as a double can be: repeated division by 10 would drift. */
static double power_of_10(int n)
{
	double p = 1;

	for (int i = n < 0 ? -n : n; i > 0; i--)
		p *= 10;
	return n < 0 ? 1 / p : p;
}

static double nice_binary(double max)
{
	int exponent;
	double mantissa = frexp(max, &exponent);	/* from 0.5 to below 1 */

	return ldexp(1, mantissa > 0.5 ? exponent : exponent - 1);
}

static double nice_decimal(double max)
{
	static const int steps[] = { 1, 2, 5 };
	int n = (int)floor(log10(max)) - 1;	/* log10 may err by one */

	for (;; n++) {
		for (int i = 0; i < 3; i++) {
			double p = power_of_10(n < 0 ? -n : n);
			double ceiling = n < 0 ? steps[i] / p : steps[i] * p;

			if (ceiling >= max)
				return ceiling;
		}
	}
}

double scale_nice(double max, enum unit_class unit)
{
	double least = smallest_ceiling(unit);

	if (!(max > least))	/* NaN as well */
		return least;
	if (max > VALUE_MAX)
		max = VALUE_MAX;
	return unit == CLASS_BYTES ? nice_binary(max) : nice_decimal(max);
}

static double columns_max(const struct history_column *cols, size_t n, double factor)
{
	double max = 0;

	for (size_t i = 0; i < n; i++)
		if (cols[i].n && cols[i].max * factor > max)
			max = cols[i].max * factor;
	return max;
}

static double log_floor(double ceiling, enum unit_class unit)
{
	return ceiling / power_of_10(unit == CLASS_PERCENT ? DECADES_PERCENT : DECADES_WIDE);
}

struct scale scale_for(const struct history_column *cols, size_t n,
		       const struct history_column *lookback, size_t nlookback,
		       enum unit_class unit, double factor, bool log, double pinned)
{
	struct scale s = { .unit = unit, .log = log };

	if (pinned > 0 && isfinite(pinned))
		s.ceiling = pinned;
	else
		s.ceiling = scale_nice(fmax(columns_max(cols, n, factor),
					    columns_max(lookback, nlookback, factor)), unit);
	s.floor = log_floor(s.ceiling, unit);
	return s;
}

struct scale scale_join(struct scale a, struct scale b)
{
	return b.ceiling > a.ceiling ? b : a;
}

double scale_position(const struct scale *s, double value)
{
	double position;

	if (!(value > 0))	/* NaN as well */
		return 0;
	if (!(value < s->ceiling))	/* a ceiling of 0 or NaN as well */
		return 1;
	if (s->log && s->floor > 0 && s->floor < s->ceiling)
		position = log(value / s->floor) / log(s->ceiling / s->floor);
	else
		position = value / s->ceiling;
	return position > 0 ? fmin(position, 1) : 0;
}

/* Seconds as "1ms", "20us", "5s". */
static void time_text(double seconds, char *buf, size_t size)
{
	if (seconds < 1e-6)
		snprintf(buf, size, "%.0fns", seconds * 1e9);
	else if (seconds < 1e-3)
		snprintf(buf, size, "%.0fus", seconds * 1e6);
	else if (seconds < 1)
		snprintf(buf, size, "%.0fms", seconds * 1e3);
	else if (seconds < 1e5)
		snprintf(buf, size, "%.0fs", seconds);
	else
		text_duration((int64_t)(fmin(seconds, 1e9) * 1e9), buf, size);
}

/* Takes the fraction out of "23.5G". */
static void drop_fraction(char *number)
{
	char *point = strchr(number, '.');

	if (point)
		memmove(point, point + 2, strlen(point + 2) + 1);
}

const char *scale_text(const struct scale *s, bool per_second, char *buf, size_t size)
{
	double value = isfinite(s->ceiling) ? s->ceiling : 0;
	const char *unit = "";
	char number[24];

	switch (s->unit) {
	case CLASS_BYTES:
		text_bytes(value, number, sizeof(number));
		unit = per_second ? "/s" : "";
		break;
	case CLASS_COUNT:
		text_count(value, number, sizeof(number));
		unit = per_second ? "/s" : "";
		break;
	case CLASS_PERCENT:
		text_count(value, number, sizeof(number));
		unit = "%";
		break;
	case CLASS_TIME:
		time_text(value, number, sizeof(number));
		break;
	case CLASS_RATIO:
		text_count(value, number, sizeof(number));
		unit = "x";
		break;
	}
	/* Nice ceilings are short; a pinned one need not be. */
	if (strlen(number) + strlen(unit) > TEXT_COLUMNS)
		drop_fraction(number);
	snprintf(buf, size, "%s%s", number, unit);
	return buf;
}
