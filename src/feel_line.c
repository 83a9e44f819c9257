/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/feel_line.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const char *const words[FEEL_WORDS] = {
	[FEEL_HELLO] = "feel", [FEEL_PROBE] = "probe", [FEEL_SECOND] = "second",
	[FEEL_TOTAL] = "total", [FEEL_END] = "end",
};

static const char *const probes[FEEL_PROBES] = {
	[FEEL_WAKE] = "wake", [FEEL_KEY] = "key", [FEEL_PAGE] = "page", [FEEL_FILE] = "file",
	[FEEL_ALLOC] = "alloc",
};

/* unit: nanoseconds in the key's unit; 0: a plain integer. */
static const struct {
	const char *key;
	double unit;
} fields[FEEL_FIELDS] = {
	[FEEL_LAST] = { "last_ms", 1e6 },
	[FEEL_P50] = { "p50_ms", 1e6 },
	[FEEL_P99] = { "p99_ms", 1e6 },
	[FEEL_WORST] = { "worst_ms", 1e6 },
	[FEEL_WAITING] = { "waiting_ms", 1e6 },
	[FEEL_ABOVE_100MS] = { "above_100ms_s", 1e9 },
	[FEEL_ABOVE_1S] = { "above_1s_s", 1e9 },
	[FEEL_COUNT] = { "count", 0 },
	[FEEL_SKIPPED] = { "skipped", 0 },
	[FEEL_LOST] = { "lost", 0 },
	[FEEL_MAJFLT] = { "majflt", 0 },
	[FEEL_SWAP] = { "swap_kib", 0 },
};

static int index_of(const char *const *names, int count, const char *name)
{
	int i = 0;

	while (i < count && !(name && strcmp(names[i], name) == 0))
		i++;
	return i;
}

const char *feel_word_name(enum feel_word word)
{
	return words[word];
}

enum feel_word feel_word_of(const char *name)
{
	return (enum feel_word)index_of(words, FEEL_WORDS, name);
}

const char *feel_probe_name(enum feel_probe probe)
{
	return probes[probe];
}

enum feel_probe feel_probe_of(const char *name)
{
	return (enum feel_probe)index_of(probes, FEEL_PROBES, name);
}

const char *feel_field_key(enum feel_field field)
{
	return fields[field].key;
}

void feel_line_begin(struct probe_writer *w, enum feel_word word, int64_t ns, int64_t start_ns)
{
	probe_write(w, words[word]);
	probe_write_integer(w, "ns", ns);
	probe_write_number(w, "t", (double)(ns - start_ns) / 1e9, 3);
}

void feel_report_set(struct feel_report *r, enum feel_field field, int64_t value)
{
	r->have[field] = true;
	r->value[field] = value;
}

void feel_report_write(struct probe_writer *w, const struct feel_report *r)
{
	probe_write_text(w, "probe", probes[r->probe]);
	for (int i = 0; i < FEEL_FIELDS; i++)
		if (r->have[i] && fields[i].unit > 0)
			probe_write_number(w, fields[i].key,
				(double)r->value[i] / fields[i].unit, 3);
		else if (r->have[i])
			probe_write_integer(w, fields[i].key, r->value[i]);
}

static int take_field(struct feel_report *r, const struct probe_line *line, enum feel_field field)
{
	double unit = fields[field].unit, number = 0;
	int64_t integer = 0;
	int error;

	if (unit > 0)
		error = probe_line_number(line, fields[field].key, &number);
	else
		error = probe_line_integer(line, fields[field].key, &integer);
	if (error)
		return error == -ENOENT ? 0 : error;
	if (fabs(number * unit) > 9e18)
		return -EINVAL;
	feel_report_set(r, field, unit > 0 ? llround(number * unit) : integer);
	return 0;
}

int feel_report_parse(struct feel_report *r, const struct probe_line *line)
{
	*r = (struct feel_report){ .probe = feel_probe_of(probe_line_text(line, "probe")) };
	if (r->probe == FEEL_PROBES)
		return -EINVAL;
	for (int i = 0; i < FEEL_FIELDS; i++)
		if (take_field(r, line, (enum feel_field)i) < 0)
			return -EINVAL;
	return 0;
}
