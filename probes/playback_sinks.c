/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/playback_sinks.h"

#include <string.h>

#include "src/clock.h"

#define MS_NS INT64_C(1000000)
#define SECOND_NS INT64_C(1000000000)

/* So little lateness any buffer of a server covers. */
static const int64_t pulse_covered_ns = 5 * MS_NS;

static const char pulse_name[] = "pulse";
static const int sizes_ms[SINKS_MAX - 1] = { 20, 100, SINK_BUFFER_MS, 2000 };

/* --- The clock sinks --- */

static void tell_sink(struct sinks *s, const struct clock_sink *sink, int64_t now_ns)
{
	report_begin(s->report, PLAYBACK_SINK, now_ns);
	probe_write_text(&s->report->line, "sink", sink->name);
	probe_write_text(&s->report->line, "state", s->paused ? "paused" : "playing");
	probe_write_ms(&s->report->line, "buffer_ms", sink->buffer_ns);
	if (sink == sinks_headline(s))
		probe_write_integer(&s->report->line, "headline", 1);
	report_put(s->report);
}

void sinks_init(struct sinks *s, struct report *report, int64_t now_ns)
{
	*s = (struct sinks){ .report = report, .count = SINKS_MAX - 1, .pulse_lowest_ns = -1 };
	for (size_t i = 0; i < s->count; i++)
		clock_sink_init(&s->clock[i], sizes_ms[i] * MS_NS, now_ns);
}

const struct clock_sink *sinks_headline(const struct sinks *s)
{
	return &s->clock[s->headline];
}

static void finish_sink(struct sinks *s, struct clock_sink *sink, int64_t now_ns)
{
	struct underrun u;

	if (clock_sink_finish(sink, now_ns, &u))
		report_underrun(s->report, sink->name, &u);
	report_total(s->report, now_ns, sink->name, &sink->tally);
}

void sinks_set_buffer(struct sinks *s, int ms, int64_t now_ns)
{
	size_t i = 0;

	while (i < s->count && s->clock[i].buffer_ns != ms * MS_NS)
		i++;
	if (i == s->count) {
		i = SINKS_MAX - 1;
		if (s->count == SINKS_MAX)
			finish_sink(s, &s->clock[i], now_ns);
		s->count = SINKS_MAX;
		clock_sink_init(&s->clock[i], ms * MS_NS, now_ns);
		s->clock[i].held = s->holds > 0;
	}
	s->headline = i;
	if (s->pulse)
		pulse_set_buffer(s->pulse, ms * MS_NS);
}

/* --- The server's stream --- */

static void on_state(void *to, enum pulse_state state, const char *why)
{
	struct sinks *s = to;

	report_begin(s->report, PLAYBACK_SINK, clock_ns());
	probe_write_text(&s->report->line, "sink", pulse_name);
	probe_write_text(&s->report->line, "state", pulse_state_name(state));
	probe_write_ms(&s->report->line, "buffer_ms", sinks_headline(s)->buffer_ns);
	if (why)
		probe_write_text(&s->report->line, "why", why);
	report_put(s->report);
}


static void on_stall(void *to, int64_t now_ns, int64_t stood_ns)
{
	struct sinks *s = to;

	s->stalled_ns += stood_ns;
	report_begin(s->report, PLAYBACK_STALL, now_ns);
	probe_write_text(&s->report->line, "sink", pulse_name);
	probe_write_ms(&s->report->line, "stall_ms", stood_ns);
	report_put(s->report);
}

/* Silence that the producer's own waits do not explain is the server's. */
static void on_underrun(void *to, int64_t start_ns, int64_t end_ns, int64_t more_ns)
{
	struct sinks *s = to;
	struct underrun u = { .start_ns = start_ns, .end_ns = end_ns, .waits = s->pulse_waits };
	int64_t own = shares_total(&u.waits), server;
	bool by_server;

	s->pulse_waits = (struct shares){ { 0 } };
	if (start_ns <= s->held_to_ns && end_ns >= s->held_from_ns)
		return;
	/* The underflow waited to be read while we waited for something. */
	if (own > more_ns) {
		u.start_ns -= more_ns;
		more_ns = 0;
	}
	server = u.end_ns - u.start_ns - own > 0 ? u.end_ns - u.start_ns - own : 0;
	by_server = server >= u.waits.ns[PLAYBACK_SERVER];
	u.waits.ns[PLAYBACK_SERVER] += server;
	u.cause = own < pulse_covered_ns ? PLAYBACK_SERVER : shares_cause(&u.waits, by_server);
	s->pulse_tally.silent_ns += u.end_ns - u.start_ns;
	tally_add(&s->pulse_tally, &u);
	report_underrun(s->report, pulse_name, &u);
	if (more_ns)
		on_stall(s, u.end_ns, more_ns);
}

void sinks_open_pulse(struct sinks *s, const struct pulse_options *options)
{
	const struct pulse_events events = { .state = on_state, .underrun = on_underrun,
		.stall = on_stall, .to = s };

	s->pulse = pulse_new(options, &events);
	if (!s->pulse)
		on_state(s, PULSE_ABSENT, "built without libpulse");
	s->pulse_at_ns = clock_ns();
}

void sinks_done(struct sinks *s)
{
	pulse_free(s->pulse);
}

static void advance_pulse(struct sinks *s, int64_t now_ns)
{
	int64_t level = pulse_level(s->pulse);

	if (pulse_is_due(s->pulse))
		s->pulse_tally.due_ns += now_ns - s->pulse_at_ns;
	s->pulse_at_ns = now_ns;
	if (level >= 0 && (s->pulse_lowest_ns < 0 || level < s->pulse_lowest_ns))
		s->pulse_lowest_ns = level;
}

/* How many frames the server asks for beyond what has been made. */
static int64_t pulse_missing(struct sinks *s, const struct sound *sound)
{
	int64_t room = pulse_room(s->pulse);

	/* It is so far behind that its frames were overwritten. */
	if (sound->head - s->pulse_from > SOUND_RING_FRAMES)
		s->pulse_from = sound->head;
	return room - (int64_t)(sound->head - s->pulse_from);
}

static void feed_pulse(struct sinks *s, const struct sound *sound)
{
	int room = pulse_room(s->pulse);

	while (room > 0 && s->pulse_from < sound->head) {
		int64_t have = (int64_t)(sound->head - s->pulse_from);
		int n = have < room ? (int)have : room;
		const int16_t *frames = sound_frames(sound, s->pulse_from, &n);

		pulse_write(s->pulse, frames, n);
		s->pulse_from += (uint64_t)n;
		room -= n;
	}
	if (room == 0 && !pulse_is_starved(s->pulse))
		s->pulse_waits = (struct shares){ { 0 } };
}

/* --- All of them --- */

void sinks_waited(struct sinks *s, const struct shares *waits)
{
	for (size_t i = 0; i < s->count; i++)
		clock_sink_waited(&s->clock[i], waits);
	if (s->holds == 0)
		shares_add(&s->pulse_waits, waits);
}

static int64_t frames_wanted(struct sinks *s, const struct sound *sound, int64_t now_ns)
{
	int64_t room = 0, missing = 0;

	for (size_t i = 0; i < s->count; i++) {
		clock_sink_advance(&s->clock[i], now_ns);
		if (clock_sink_room(&s->clock[i]) > room)
			room = clock_sink_room(&s->clock[i]);
	}
	if (s->pulse) {
		advance_pulse(s, now_ns);
		missing = pulse_missing(s, sound);
	}
	room = room * sound->rate / SECOND_NS;
	return room > missing ? room : missing;
}

static void offer(struct sinks *s, int64_t ns, int64_t now_ns)
{
	struct underrun u;

	for (size_t i = 0; i < s->count; i++)
		if (clock_sink_offer(&s->clock[i], ns, now_ns, &u))
			report_underrun(s->report, s->clock[i].name, &u);
}

static int64_t longest_level(const struct sinks *s)
{
	int64_t level = 0;

	for (size_t i = 0; i < s->count; i++)
		if (s->clock[i].level_ns > level)
			level = s->clock[i].level_ns;
	return level;
}

void sinks_feed(struct sinks *s, struct sound *sound, int64_t until_ns, int64_t (*mark)(void *),
	void *moment)
{
	int block = sound->rate / 100, least = sound->rate / 1000;
	int64_t now = mark(moment);

	do {
		int64_t wanted = frames_wanted(s, sound, now);
		int n;

		if (wanted < least)
			break;
		n = sound_make(sound, wanted < block ? (int)wanted : block);
		now = mark(moment);
		offer(s, n * SECOND_NS / sound->rate, now);
		if (s->pulse)
			feed_pulse(s, sound);
	} while (now < until_ns);
	sound_play(sound, longest_level(s) * sound->rate / SECOND_NS);
	if (s->pulse)
		feed_pulse(s, sound);
}

void sinks_hold(struct sinks *s, int64_t now_ns)
{
	if (s->holds++ > 0)
		return;
	s->held_from_ns = now_ns;
	s->held_to_ns = INT64_MAX;
	for (size_t i = 0; i < s->count; i++)
		clock_sink_hold(&s->clock[i], now_ns);
}

void sinks_release(struct sinks *s, int64_t now_ns)
{
	if (--s->holds > 0)
		return;
	s->held_to_ns = now_ns;
	for (size_t i = 0; i < s->count; i++)
		clock_sink_release(&s->clock[i], now_ns);
}

void sinks_pause(struct sinks *s, bool on, int64_t now_ns)
{
	if (on == s->paused)
		return;
	s->paused = on;
	if (on)
		sinks_hold(s, now_ns);
	else
		sinks_release(s, now_ns);
	if (s->pulse)
		pulse_pause(s->pulse, on);
	sinks_tell(s, now_ns);
}

/* --- What is told --- */

void sinks_tell(struct sinks *s, int64_t now_ns)
{
	for (size_t i = 0; i < s->count; i++)
		tell_sink(s, &s->clock[i], now_ns);
}

static const char *clock_state_name(const struct clock_sink *sink)
{
	if (sink->held)
		return "paused";
	switch (sink->state) {
	case CLOCK_STARTING: return "starting";
	case CLOCK_PLAYING: return "playing";
	case CLOCK_STARVED: return "starved";
	}
	return "";
}

void sinks_tell_levels(struct sinks *s, int64_t now_ns)
{
	for (size_t i = 0; i < s->count; i++) {
		struct clock_sink *sink = &s->clock[i];

		clock_sink_advance(sink, now_ns);
		report_level(s->report, now_ns, sink->name, clock_state_name(sink), &sink->tally,
			sink->level_ns, clock_sink_take_lowest(sink));
	}
	if (!s->pulse)
		return;
	advance_pulse(s, now_ns);
	report_level(s->report, now_ns, pulse_name, pulse_state_name(pulse_state(s->pulse)),
		&s->pulse_tally, pulse_level(s->pulse), s->pulse_lowest_ns);
	s->pulse_lowest_ns = -1;
}

void sinks_finish(struct sinks *s, int64_t now_ns)
{
	for (size_t i = 0; i < s->count; i++)
		finish_sink(s, &s->clock[i], now_ns);
	if (!s->pulse)
		return;
	report_total(s->report, now_ns, pulse_name, &s->pulse_tally);
	if (s->stalled_ns)
		report_remark(s->report, "%s: the server stood still for %.0f ms besides",
			pulse_name, (double)s->stalled_ns / 1e6);
}
