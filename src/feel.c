/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/feel.h"

#include <stdio.h>
#include <string.h>

#include "src/text.h"

enum { LABEL_COLUMNS = 35, NS_PER_MS = 1000000 };

static void safe_copy(char *to, size_t size, const char *from)
{
	text_safe(to, size, from ? from : "", from ? strlen(from) : 0);
}

static int64_t integer_of(const struct probe_line *line, const char *key, int64_t absent)
{
	int64_t value;

	return probe_line_integer(line, key, &value) ? absent : value;
}

static enum feel_news take_hello(struct feel *f, const struct probe_line *line)
{
	int64_t protocol = integer_of(line, "protocol", 0);

	memset(f->probe, 0, sizeof(f->probe));
	f->up = protocol == FEEL_PROTOCOL;
	f->footprint_kib = integer_of(line, "footprint_kib", -1);
	if (!f->up) {
		snprintf(f->why, sizeof(f->why), "it speaks protocol %lld and vmtop %d: install both "
			 "from one version", (long long)protocol, FEEL_PROTOCOL);
		return FEEL_NO_NEWS;
	}
	f->why[0] = '\0';
	return FEEL_IS_UP;
}

static enum feel_news take_probe(struct feel *f, const struct probe_line *line, enum feel_probe *probe)
{
	char state[sizeof(f->probe->state)];
	struct feel_state *s;
	bool news;

	*probe = feel_probe_of(probe_line_text(line, "probe"));
	if (*probe == FEEL_PROBES) {
		f->not_understood++;
		return FEEL_NO_NEWS;
	}
	s = &f->probe[*probe];
	safe_copy(state, sizeof(state), probe_line_text(line, "state"));
	/* That it is there is no news when nothing else was said before. */
	news = strcmp(state, s->state) != 0 && (*s->state || strcmp(state, "ready") != 0);
	memcpy(s->state, state, sizeof(state));
	safe_copy(s->reason, sizeof(s->reason), probe_line_text(line, "reason"));
	return news ? FEEL_PROBE_CHANGED : FEEL_NO_NEWS;
}

enum feel_news feel_take(struct feel *f, const struct probe_line *line, enum feel_probe *probe)
{
	enum feel_word word = feel_word_of(line->word);
	struct feel_report report;

	*probe = FEEL_PROBES;
	if (word == FEEL_HELLO)
		return take_hello(f, line);
	if (!f->up)
		return FEEL_NO_NEWS;	/* one whose words we may not know */
	if (word == FEEL_PROBE)
		return take_probe(f, line, probe);
	if (word != FEEL_SECOND && word != FEEL_TOTAL)
		return FEEL_NO_NEWS;
	if (feel_report_parse(&report, line))
		f->not_understood++;
	else
		f->probe[report.probe].report = report;
	return FEEL_NO_NEWS;
}

void feel_down(struct feel *f, const char *why)
{
	f->up = false;
	f->deaths++;
	text_copy(f->why, sizeof(f->why), why);
}

bool feel_figure(const struct feel *f, enum feel_probe probe, enum feel_field field, int64_t *value)
{
	const struct feel_report *r = &f->probe[probe].report;

	*value = r->value[field];
	return r->have[field] && *value >= 0;
}

void feel_fill(const struct feel *f, struct sample *s)
{
	static const struct {
		enum metric last, p99;
	} metrics[FEEL_PROBES] = {
		[FEEL_WAKE] = { M_feel_wake, M_feel_wake_p99 },
		[FEEL_KEY] = { M_feel_key, M_feel_key_p99 },
		[FEEL_PAGE] = { M_feel_page, M_feel_page_p99 },
		[FEEL_FILE] = { M_feel_file, M_feel_file_p99 },
		[FEEL_ALLOC] = { M_feel_alloc, M_feel_alloc_p99 },
	};
	int64_t value;

	s->source_ns[SOURCE_FEEL] = s->mono_ns;
	s->source_why[SOURCE_FEEL] = f->up ? WHY_OK : WHY_NO_SOURCE;
	for (int i = 0; i < FEEL_PROBES && f->up; i++) {
		if (feel_figure(f, (enum feel_probe)i, FEEL_LAST, &value))
			sample_set(s, metrics[i].last, (uint64_t)value);
		if (feel_figure(f, (enum feel_probe)i, FEEL_P99, &value))
			sample_set(s, metrics[i].p99, (uint64_t)value);
	}
}

static void line(int fd, const char *label, const char *value)
{
	dprintf(fd, "%-*s %s\n", LABEL_COLUMNS, label, value);
}

void feel_print_summary(const struct feel *f, int fd)
{
	int64_t p99, worst, above;
	char label[48], text[120];

	if (!f->on)
		return;
	for (int i = 0; i < FEEL_PROBES; i++) {
		enum feel_probe probe = (enum feel_probe)i;

		if (!feel_figure(f, probe, FEEL_WORST, &worst))
			continue;
		snprintf(label, sizeof(label), "Feel, %s (ms):", feel_probe_name(probe));
		snprintf(text, sizeof(text), "worst %.1f", (double)worst / NS_PER_MS);
		if (feel_figure(f, probe, FEEL_P99, &p99))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), ", p99 %.1f",
				 (double)p99 / NS_PER_MS);
		if (feel_figure(f, probe, FEEL_ABOVE_100MS, &above))
			snprintf(text + strlen(text), sizeof(text) - strlen(text),
				 ", above 100 ms for %.1f s", (double)above / NS_PER_MS / 1000);
		line(fd, label, text);
	}
}
