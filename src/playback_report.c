/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of playback in words. */
#include "src/playback.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/text.h"

#define NS_PER_S 1e9

enum { LABEL_COLUMNS = 35, NS_PER_MS = 1000000, SECONDS_PER_MIN = 60 };

const char *playback_rate_text(const struct playback_tally *t, char *buf, size_t size)
{
	double seconds = (double)t->due_ns / NS_PER_S;
	double count = t->underruns ? (double)t->underruns : 3;

	if (seconds < 1)
		snprintf(buf, size, "%llu", (unsigned long long)t->underruns);
	else
		snprintf(buf, size, "%llu in %.0f s (%s%.2f/min)", (unsigned long long)t->underruns,
			 seconds, t->underruns ? "" : "< ", count * SECONDS_PER_MIN / seconds);
	return buf;
}

struct cause_count {
	enum playback_cause cause;
	uint64_t n;
};

static int by_count(const void *a, const void *b)
{
	const struct cause_count *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return (int)x->cause - (int)y->cause;
}

/* Most first. */
static void sort_causes(const struct playback_tally *t, struct cause_count *causes)
{
	for (int i = 0; i < PLAYBACK_CAUSES; i++)
		causes[i] = (struct cause_count){ (enum playback_cause)i, t->cause[i] };
	qsort(causes, PLAYBACK_CAUSES, sizeof(*causes), by_count);
}

const char *playback_causes_text(const struct playback_tally *t, char *buf, size_t size)
{
	struct cause_count causes[PLAYBACK_CAUSES];
	size_t n = 0;

	sort_causes(t, causes);
	*buf = '\0';
	for (size_t i = 0; i < PLAYBACK_CAUSES && causes[i].n && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%llu %s", i ? ", " : "",
				      (unsigned long long)causes[i].n,
				      playback_cause_name(causes[i].cause));
	return buf;
}

/* ---- The verdict ---- */

/* What waiting for it means, and what would rule it out. */
static const struct {
	const char *waited, *test;
} phrases[PLAYBACK_CAUSES] = {
	[PLAYBACK_MEMORY] = { "waited for its own memory",
			      "locking the probe's memory would rule out the first" },
	[PLAYBACK_READ] = { "for the sound file",
			    "a song on another disk, or none, would rule out the first" },
	[PLAYBACK_CPU] = { "for the CPU", "a better nice value would rule out the first" },
	[PLAYBACK_STOPPED] = { "while it was stopped", "nobody but a signal does that" },
	[PLAYBACK_SERVER] = { "by the sound server", "a larger buffer may cover the first" },
	[PLAYBACK_TIE] = { "for two things alike", "locking its memory would tell them apart" },
	[PLAYBACK_UNKNOWN] = { "for nothing that is counted",
			       "delay accounting (sysctl kernel.task_delayacct=1) would tell more" },
};

/* Already done, it says nothing. */
static bool is_ruled_out(const struct playback *p, enum playback_cause cause)
{
	return (cause == PLAYBACK_MEMORY && p->self.locked) ||
	       (cause == PLAYBACK_CPU && p->self.nice < 0) || (cause == PLAYBACK_READ && !*p->file);
}

static size_t say_causes(const struct playback_tally *t, char *buf, size_t size)
{
	struct cause_count causes[PLAYBACK_CAUSES];
	size_t n = 0;

	sort_causes(t, causes);
	for (size_t i = 0; i < PLAYBACK_CAUSES && causes[i].n && n < size; i++) {
		const char *waited = phrases[causes[i].cause].waited;

		n += (size_t)snprintf(buf + n, size - n, "%s%llu %s%s", i ? ", " : ": ",
				      (unsigned long long)causes[i].n,
				      !i && strncmp(waited, "for", 3) == 0 ? "waited " : "", waited);
	}
	return n < size ? n : size - 1;
}

const char *playback_verdict(const struct playback *p, char *buf, size_t size)
{
	const struct playback_sink *sink = playback_headline(p);
	struct cause_count causes[PLAYBACK_CAUSES];
	struct playback_tally t;
	char rate[80];
	size_t n;

	if (!sink) {
		snprintf(buf, size, "%s", p->up ? "the first second is under way" : p->why);
		return buf;
	}
	t = playback_sink_tally(sink);
	playback_rate_text(&t, rate, sizeof(rate));
	if (!t.underruns) {
		snprintf(buf, size, "underruns: %s", rate);
		return buf;
	}
	n = (size_t)snprintf(buf, size, "%llu %s in %.0f s", (unsigned long long)t.underruns,
			     t.underruns == 1 ? "underrun" : "underruns", (double)t.due_ns / NS_PER_S);
	n += say_causes(&t, buf + n, size - n);
	sort_causes(&t, causes);
	if (causes[0].n && !is_ruled_out(p, causes[0].cause) && n < size)
		snprintf(buf + n, size - n, "; %s", phrases[causes[0].cause].test);
	return buf;
}

/* ---- The summary ---- */

static void line(int fd, const char *label, const char *value)
{
	dprintf(fd, "%-*s %s\n", LABEL_COLUMNS, label, value);
}

void playback_print_summary(const struct playback *p, int fd)
{
	const struct playback_sink *sink = playback_headline(p);
	struct playback_tally t;
	char text[200], rate[80], causes[100], label[64];

	if (!p->on)
		return;
	if (!sink) {
		snprintf(text, sizeof(text), "n/a (%s)", *p->why ? p->why : "the probe said nothing");
		line(fd, "Audio underruns:", text);
		return;
	}
	t = playback_sink_tally(sink);
	snprintf(text, sizeof(text), "%.1f of %.1f s (%.2f%%)",
		 (double)(t.due_ns - t.silent_ns) / NS_PER_S, (double)t.due_ns / NS_PER_S,
		 t.due_ns > 0 ? 100 * (double)(t.due_ns - t.silent_ns) / (double)t.due_ns : 100.0);
	snprintf(label, sizeof(label), "Audio played (%.0f ms buffer):",
		 (double)sink->buffer_ns / NS_PER_MS);
	line(fd, label, text);
	playback_rate_text(&t, rate, sizeof(rate));
	playback_causes_text(&t, causes, sizeof(causes));
	snprintf(text, sizeof(text), "%s%s%s", rate, *causes ? ": " : "", causes);
	line(fd, "Audio underruns:", text);
	snprintf(text, sizeof(text), "%.1f", (double)t.longest_ns / NS_PER_MS);
	line(fd, "Longest silence (ms):", text);
}
