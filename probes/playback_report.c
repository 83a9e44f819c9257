/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/playback_report.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/clock.h"

void report_init(struct report *r, int fd, int64_t start_ns)
{
	*r = (struct report){ .fd = fd, .start_ns = start_ns };
}

void report_begin(struct report *r, enum playback_word word, int64_t now_ns)
{
	probe_write(&r->line, playback_word_name(word));
	probe_write_number(&r->line, "t", (double)(now_ns - r->start_ns) / 1e9, 3);
	probe_write_integer(&r->line, "ns", now_ns);
}

static void put_line(struct report *r, const char *text, size_t length)
{
	if (r->length + length + 1 > sizeof(r->text)) {
		r->lost++;
		return;
	}
	memcpy(r->text + r->length, text, length);
	r->length += length;
	r->text[r->length++] = '\n';
}

void report_put(struct report *r)
{
	put_line(r, r->line.text, r->line.length);
}

void report_remark(struct report *r, const char *fmt, ...)
{
	char text[500] = "# ";
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + 2, sizeof(text) - 2, fmt, ap);
	va_end(ap);
	put_line(r, text, strlen(text));
}

void report_underrun(struct report *r, const char *sink, const struct underrun *u)
{
	report_begin(r, PLAYBACK_UNDERRUN, u->end_ns);
	probe_write_text(&r->line, "sink", sink);
	probe_write_ms(&r->line, "gap_ms", u->end_ns - u->start_ns);
	probe_write_text(&r->line, "cause", playback_cause_name(u->cause));
	for (int i = 0; i < PLAYBACK_SHARES; i++)
		probe_write_ms(&r->line, playback_share_key((enum playback_cause)i),
			u->waits.ns[i]);
	if (u->open)
		probe_write_integer(&r->line, "open", 1);
	report_put(r);
}

static void write_tally(struct report *r, const struct tally *t)
{
	probe_write_integer(&r->line, "underruns", (int64_t)t->underruns);
	probe_write_ms(&r->line, "silent_ms", t->silent_ns);
	probe_write_ms(&r->line, "longest_ms", t->longest_ns);
	probe_write_ms(&r->line, "due_ms", t->due_ns);
	probe_write_ms(&r->line, "played_ms", t->due_ns - t->silent_ns);
}

void report_level(struct report *r, int64_t now_ns, const char *sink, const char *state,
	const struct tally *t, int64_t level_ns, int64_t lowest_ns)
{
	report_begin(r, PLAYBACK_LEVEL, now_ns);
	probe_write_text(&r->line, "sink", sink);
	probe_write_text(&r->line, "state", state);
	if (level_ns >= 0)
		probe_write_ms(&r->line, "fill_ms", level_ns);
	if (lowest_ns >= 0)
		probe_write_ms(&r->line, "lowest_ms", lowest_ns);
	write_tally(r, t);
	report_put(r);
}

static void remark_total(struct report *r, const char *sink, const struct tally *t)
{
	char text[80];

	report_remark(r, "%s: audio played %.1f of %.1f s (%.2f%%), underruns %s, silence %.0f ms, "
		"longest %.0f ms", sink, (double)(t->due_ns - t->silent_ns) / 1e9,
		(double)t->due_ns / 1e9,
		100 * (double)(t->due_ns - t->silent_ns) / (double)t->due_ns,
		tally_text(t, text, sizeof(text)), (double)t->silent_ns / 1e6,
		(double)t->longest_ns / 1e6);
}

void report_total(struct report *r, int64_t now_ns, const char *sink, const struct tally *t)
{
	report_begin(r, PLAYBACK_TOTAL, now_ns);
	probe_write_text(&r->line, "sink", sink);
	write_tally(r, t);
	if (t->due_ns > 0) {
		probe_write_number(&r->line, "played_percent",
			100 * (double)(t->due_ns - t->silent_ns) / (double)t->due_ns, 2);
		if (t->underruns)
			probe_write_number(&r->line, "per_min", tally_per_minute(t), 3);
		else
			probe_write_number(&r->line, "below_per_min",
				tally_bound_per_minute(t), 3);
	}
	for (int i = 0; i < PLAYBACK_CAUSES; i++)
		probe_write_integer(&r->line, playback_cause_name((enum playback_cause)i),
			(int64_t)t->cause[i]);
	report_put(r);
	if (t->due_ns > 0)
		remark_total(r, sink, t);
}

/* At most PIPE_BUF, which a pipe that poll() calls writable takes at once. */
static bool write_some(struct report *r, int wait_ms)
{
	struct pollfd fd = { .fd = r->fd, .events = POLLOUT };
	size_t size = r->length < PIPE_BUF ? r->length : PIPE_BUF;
	ssize_t n;

	if (poll(&fd, 1, wait_ms) <= 0)
		return false;
	n = write(r->fd, r->text, size);
	if (n < 0) {
		if (errno != EINTR && errno != EAGAIN)
			r->error = -errno;
		return false;
	}
	r->length -= (size_t)n;
	memmove(r->text, r->text + n, r->length);
	return true;
}

void report_flush(struct report *r, int wait_ms)
{
	int64_t end = clock_ms() + wait_ms, left = wait_ms;

	while (r->length && !r->error && (write_some(r, (int)left) || wait_ms > 0)) {
		left = end - clock_ms();
		if (wait_ms > 0 && left <= 0)
			break;
		left = left > 0 ? left : 0;
	}
}
