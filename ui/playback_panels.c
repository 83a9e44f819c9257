/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The panels of playback (src/playback.h): the gaps as ticks on the time axis, and in words what they
 * waited for and what can be turned.
 */
#include <stdio.h>
#include <string.h>

#include "src/text.h"
#include "ui/command.h"
#include "ui/panel.h"

enum { NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

static const struct playback_sink *headline(const struct view *v)
{
	return playback_headline(&v->session->playback);
}

static const char *ms_text(int64_t ns, char *buf, size_t size)
{
	if (ns < 0)
		return "n/a";
	if (ns >= NS_PER_S)
		return text_duration(ns, buf, size);
	snprintf(buf, size, "%.*fms", ns < 10 * NS_PER_MS ? 1 : 0, (double)ns / NS_PER_MS);
	return buf;
}

/* ---- Numbers of the titles, of the whole session ---- */

static bool title_buffer(const struct view *v, int unused, char *buf, size_t size)
{
	const struct playback_sink *s = headline(v);

	(void)unused;
	if (s)
		ms_text(s->buffer_ns, buf, size);
	return s && s->buffer_ns;
}

static bool title_underruns(const struct view *v, int unused, char *buf, size_t size)
{
	const struct playback_sink *s = headline(v);

	(void)unused;
	if (s)
		text_count((double)playback_sink_tally(s).underruns, buf, size);
	return s;
}

static bool title_rate(const struct view *v, int unused, char *buf, size_t size)
{
	const struct playback_sink *s = headline(v);
	struct playback_tally t;

	(void)unused;
	if (!s)
		return false;
	t = playback_sink_tally(s);
	if (t.due_ns < NS_PER_S)
		return false;
	snprintf(buf, size, "%s%.2f/min", t.underruns ? "" : "<",
		 60 * (t.underruns ? (double)t.underruns : 3) / ((double)t.due_ns / NS_PER_S));
	return true;
}

static bool title_silent(const struct view *v, int unused, char *buf, size_t size)
{
	const struct playback_sink *s = headline(v);

	(void)unused;
	if (s)
		text_copy(buf, size, ms_text(playback_sink_tally(s).silent_ns, buf, size));
	return s;
}

static bool title_longest(const struct view *v, int unused, char *buf, size_t size)
{
	const struct playback_sink *s = headline(v);

	(void)unused;
	if (!s || !playback_sink_tally(s).longest_ns)
		return false;
	ms_text(playback_sink_tally(s).longest_ns, buf, size);
	return true;
}

static bool title_cause(const struct view *v, int cause, char *buf, size_t size)
{
	const struct playback_sink *s = headline(v);
	uint64_t n = s ? playback_sink_tally(s).cause[cause] : 0;

	text_count((double)n, buf, size);
	return n;
}

static const char *playback_note(const struct view *v)
{
	const struct playback *p = &v->session->playback;

	return p->on && !p->up ? p->why : p->paused ? "paused: p plays on" : NULL;
}

const struct panel panel_playback = {
	.name = "playback",
	LANES({ .label = "gaps", .share = 1, .kind = CHART_TICKS, .log_floor = 0.005,
		.nseries = 6,
		.series = { SERIES(playback_gap_memory, GAP_MEMORY, GAP_MEMORY),
			    SERIES(playback_gap_file, GAP_FILE, GAP_FILE),
			    SERIES(playback_gap_cpu, GAP_CPU, GAP_CPU),
			    SERIES(playback_gap_stopped, GAP_STOPPED, GAP_STOPPED),
			    SERIES(playback_gap_server, GAP_SERVER, GAP_SERVER),
			    SERIES(playback_gap_other, WARN, WARN) } },
	      { .label = "buffer", .share = 1, .kind = CHART_AREA,
		.of_total = true, .total = M_playback_buffer_size,
		.nseries = 1, .series = { SERIES(playback_buffer, BUFFER, BUFFER) } },
	      { .label = "key", .kind = CHART_STRIP, .log_floor = 0.001, .pinned = 1,
		.nseries = 1, .series = { SERIES(feel_key, MARK, MARK) } }),
	.note = playback_note,
	.nreadouts = 13,
	.readouts = { READOUT_TEXT("", title_buffer, 0, DIM),
		      READOUT_TEXT("underruns", title_underruns, 0, BOLD),
		      READOUT_TEXT("", title_rate, 0, DIM),
		      READOUT_TEXT("key", feel_title, FEEL_TITLE(FEEL_KEY, FEEL_LAST), MARK),
		      READOUT_TEXT("silent", title_silent, 0, DIM),
		      READOUT_TEXT("longest", title_longest, 0, DIM),
		      READOUT_TEXT("memory", title_cause, PLAYBACK_MEMORY, GAP_MEMORY),
		      READOUT_TEXT("file", title_cause, PLAYBACK_READ, GAP_FILE),
		      READOUT_TEXT("cpu", title_cause, PLAYBACK_CPU, GAP_CPU),
		      READOUT_TEXT("stopped", title_cause, PLAYBACK_STOPPED, GAP_STOPPED),
		      READOUT_TEXT("server", title_cause, PLAYBACK_SERVER, GAP_SERVER),
		      READOUT_TEXT("tie", title_cause, PLAYBACK_TIE, WARN),
		      READOUT_TEXT("unknown", title_cause, PLAYBACK_UNKNOWN, WARN) },
};

/* ---- All buffers ---- */

static const char *due_text(const struct playback_tally *t, char *buf, size_t size)
{
	if (t->due_ns <= 0)
		return "-";
	snprintf(buf, size, "%.2f%%", 100 * (double)(t->due_ns - t->silent_ns) / (double)t->due_ns);
	return buf;
}

static void draw_sink(const struct playback_sink *s, bool is_headline, struct canvas *c, int x,
		      int y, int w)
{
	struct playback_tally t = playback_sink_tally(s);
	enum role role = t.underruns ? ROLE_WARN : s->told ? ROLE_TEXT : ROLE_DIM;
	char underruns[16], silent[24], longest[24], lowest[24], played[24];

	canvas_printf(c, x, y, w, role, "%c %-11s %5s %7s %7s %7s  %s%s%s", is_headline ? '>' : ' ',
		      s->name, text_count((double)t.underruns, underruns, sizeof(underruns)),
		      ms_text(t.silent_ns, silent, sizeof(silent)),
		      ms_text(t.longest_ns, longest, sizeof(longest)),
		      ms_text(s->lowest_ns, lowest, sizeof(lowest)),
		      !s->told ? "not told of" : strcmp(s->state, "playing") != 0 ? s->state :
		      due_text(&t, played, sizeof(played)), *s->why ? ": " : "", s->why);
}

/* Says why there is nothing to show; false when there is. */
static bool draw_nothing(const struct view *v, struct canvas *c, struct rect r)
{
	const struct playback *p = &v->session->playback;
	struct rect inside = { r.x + 1, r.y, r.w - 2, r.h };

	if (!p->on)
		canvas_wrap(c, inside, ROLE_NA, *v->session->root ? "no playback in another root" :
			    "off: vmtop --playback auto starts the playback probe");
	else if (!p->up && !p->nsinks)
		canvas_wrap(c, inside, ROLE_NA, p->why);
	else
		return false;
	return true;
}

static void draw_sinks(const struct view *v, struct canvas *c, struct rect r)
{
	const struct playback *p = &v->session->playback;

	if (draw_nothing(v, c, r))
		return;
	canvas_printf(c, r.x, r.y, r.w, ROLE_DIM, "  %-11s %5s %7s %7s %7s  %s", "buffer", "gaps",
		      "silent", "longest", "lowest", "played");
	for (int i = 0; i < (int)p->nsinks && i + 1 < r.h; i++)
		draw_sink(&p->sink[i], strcmp(p->sink[i].name, p->headline) == 0, c, r.x, r.y + 1 + i,
			  r.w);
}

static bool title_stalls(const struct view *v, int unused, char *buf, size_t size)
{
	const struct playback *p = &v->session->playback;

	(void)unused;
	text_count((double)p->stalls, buf, size);
	return p->stalls;
}

static bool title_restarts(const struct view *v, int unused, char *buf, size_t size)
{
	const struct playback *p = &v->session->playback;

	(void)unused;
	text_count((double)p->deaths, buf, size);
	return p->deaths;
}

const struct panel panel_sinks = {
	.name = "buffers", .draw = draw_sinks,
	.nreadouts = 2,
	.readouts = { READOUT_TEXT("server stalls", title_stalls, 0, GAP_SERVER),
		      READOUT_TEXT("probe died", title_restarts, 0, ALARM) },
};

/* ---- Why, and what can be turned ---- */

struct lines {
	struct canvas *c;
	struct rect r;
	int y;
};

/* The keys that give the command this argument, "n N" for "nice". */
static void keys_of(const char *argument, char *buf, size_t size)
{
	const char *p = command_info(COMMAND_PLAYBACK)->keys;
	size_t n = 0;

	*buf = '\0';
	while (*p) {
		size_t len = strcspn(p, " "), key = strcspn(p, "=");

		if (key < len && strncmp(p + key + 1, argument, strlen(argument)) == 0 && n < size)
			n += (size_t)snprintf(buf + n, size - n, "%s%.*s", n ? "/" : "", (int)key, p);
		p += len;
		p += strspn(p, " ");
	}
}

static void control_line(struct lines *l, const char *argument, const char *label, const char *value)
{
	struct rect r = l->r;
	char keys[16];

	if (l->y >= r.h)
		return;
	keys_of(argument, keys, sizeof(keys));
	if (!*keys)
		snprintf(keys, sizeof(keys), ":");
	canvas_text(l->c, r.x + 1, r.y + l->y, 5, ROLE_KEY, keys);
	canvas_text(l->c, r.x + 6, r.y + l->y, 15, ROLE_DIM, label);
	canvas_text(l->c, r.x + 21, r.y + l->y, r.w - 22, ROLE_BOLD, value);
	l->y++;
}

static void draw_controls(const struct playback *p, struct lines *l)
{
	const struct playback_sink *s = playback_headline(p);
	char text[64];

	control_line(l, "lock", "memory", p->self.locked ? "locked" : "not locked");
	snprintf(text, sizeof(text), "%d", p->self.nice);
	control_line(l, "nice", "nice value", text);
	control_line(l, "buffer", "buffer", s ? ms_text(s->buffer_ns, text, sizeof(text)) : "n/a");
	control_line(l, "pause", "playing", p->paused ? "paused" : "yes");
	control_line(l, "file", "playback file", *p->file ? p->file : "none: silence");
}

static void draw_why(const struct view *v, struct canvas *c, struct rect r)
{
	const struct playback *p = &v->session->playback;
	struct lines l = { .c = c, .r = r };
	char text[400];

	if (draw_nothing(v, c, r))
		return;
	playback_verdict(p, text, sizeof(text));
	l.y = canvas_wrap(c, (struct rect){ r.x + 1, r.y, r.w - 2, r.h }, ROLE_TEXT, text);
	if (!p->up && l.y < r.h)
		l.y += canvas_wrap(c, (struct rect){ r.x + 1, r.y + l.y, r.w - 2, r.h - l.y }, ROLE_NA,
				   p->why);
	if (p->self.t_ns)
		draw_controls(p, &l);
}

const struct panel panel_why = { .name = "why", .draw = draw_why };

/* ---- The probe itself ---- */

const struct panel panel_player_memory = {
	.name = "the player's memory",
	LANES({ .label = "memory", .share = 2, .kind = CHART_STACK, .stacking = STACKING_PARTS,
		.nseries = 2,
		.series = { SERIES(playback_vmrss, MEM_ANON, MEM_ANON),
			    SERIES(playback_vmswap, SWAP_OUT, SWAP_OUT) } },
	      { .label = "majflt", .share = 1, .kind = CHART_AREA,
		.nseries = 1, .series = { SERIES(playback_majflt, FAULT, FAULT) } }),
	.nreadouts = 3,
	.readouts = { READOUT("swapped out", playback_vmswap, SWAP_OUT),
		      READOUT("resident", playback_vmrss, MEM_ANON),
		      READOUT("majflt", playback_majflt, FAULT) },
};

const struct panel panel_player_waits = {
	.name = "the player's waits",
	LANES({ .label = "file", .share = 1, .kind = CHART_AREA,
		.nseries = 1, .series = { SERIES(playback_read_ms, GAP_FILE, GAP_FILE) } },
	      { .label = "cpu", .share = 1, .kind = CHART_AREA,
		.nseries = 1, .series = { SERIES(playback_run_queue_ms, GAP_CPU, GAP_CPU) } },
	      { .label = "late", .share = 1, .kind = CHART_AREA,
		.nseries = 1, .series = { SERIES(playback_late_ms, SOME, SOME) } }),
	.nreadouts = 3,
	.readouts = { READOUT("read at most", playback_read_ms, GAP_FILE),
		      READOUT("run queue", playback_run_queue_ms, GAP_CPU),
		      READOUT("late at most", playback_late_ms, SOME) },
};
