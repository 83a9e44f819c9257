/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of the programs beside vmtop become what a session knows, and events. */
#include "src/session.h"

#include <stdio.h>
#include <string.h>

#include "src/clock.h"
#include "src/text.h"

enum { NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

/* "clock-200 silent for 312ms: 280ms memory, 20ms cpu" */
static void underrun_text(const struct playback_underrun *u, char *buf, size_t size)
{
	char gap[24], share[24];
	size_t n = (size_t)snprintf(buf, size, "%s silent for %s, cause %s", u->sink,
				    text_duration(u->gap_ns, gap, sizeof(gap)),
				    playback_cause_name(u->cause));
	bool any = false;

	for (int i = 0; i < PLAYBACK_SHARES && n < size; i++) {
		if (u->share_ns[i] < NS_PER_MS)
			continue;
		n += (size_t)snprintf(buf + n, size - n, "%s%s %s", any ? ", " : " (",
				      text_duration(u->share_ns[i], share, sizeof(share)),
				      playback_cause_name((enum playback_cause)i));
		any = true;
	}
	if (any && n < size)
		snprintf(buf + n, size - n, ")");
}

/*
 * At most one event a second: in a storm of short gaps they would push out all others. The metrics
 * count each.
 */
static void add_underrun(struct session *s, const struct playback_underrun *u)
{
	char text[180], more[32] = "";

	if (u->t_ns - s->underrun_event_ns < NS_PER_S) {
		s->underruns_untold++;
		return;
	}
	underrun_text(u, text, sizeof(text));
	if (s->underruns_untold)
		snprintf(more, sizeof(more), "; %u more before", s->underruns_untold);
	events_add(&s->events, u->t_ns, EVENT_UNDERRUN, "%s%s", text, more);
	s->underrun_event_ns = u->t_ns;
	s->underruns_untold = 0;
}

static void add_sink(struct session *s, const struct playback_sink *sink, int64_t t_ns)
{
	events_add(&s->events, t_ns, EVENT_SOURCE, "playback %s is %s%s%s", sink->name, sink->state,
		   *sink->why ? ": " : "", sink->why);
}

/* What is news becomes an event at the line's own time. */
static void take_news(struct session *s, enum playback_news news, int64_t t_ns,
		      const struct playback_underrun *u, const struct playback_sink *sink)
{
	const struct playback *p = &s->playback;
	char gap[24];

	switch (news) {
	case PLAYBACK_IS_UP:
		if (p->deaths)
			events_add(&s->events, t_ns, EVENT_SOURCE, "the playback probe runs again");
		break;
	case PLAYBACK_SINK_CHANGED:
		add_sink(s, sink, t_ns);
		break;
	case PLAYBACK_UNDERRAN:
		add_underrun(s, u);
		break;
	case PLAYBACK_STALLED:
		events_add(&s->events, u->t_ns, EVENT_SOURCE, "the sound server stood still for %s",
			   text_duration(u->gap_ns, gap, sizeof(gap)));
		break;
	case PLAYBACK_FILE_NEWS:
		events_add(&s->events, t_ns, EVENT_SOURCE, "playback of %s",
			   *p->file ? p->file : "no file: silence");
		break;
	case PLAYBACK_ANSWERED:
		events_add(&s->events, t_ns, EVENT_SOURCE, "playback %s%s", p->answer,
			   p->refused ? " (refused)" : "");
		break;
	case PLAYBACK_NO_NEWS:
		break;
	}
}

enum playback_news session_playback_line(struct session *s, const char *text, size_t length)
{
	const struct playback_sink *sink;
	struct playback_underrun u = { 0 };
	struct probe_line line;
	enum playback_news news;
	int64_t t_ns;

	if (probe_line_parse(&line, text, length)) {
		/* What it says before it gives up is meant for people. */
		s->playback.not_understood++;
		text_safe(s->playback_complaint, sizeof(s->playback_complaint), text, length);
		return PLAYBACK_NO_NEWS;
	}
	if (probe_line_integer(&line, "ns", &t_ns))
		t_ns = clock_ns();
	news = playback_take(&s->playback, &line, &u, &sink);
	take_news(s, news, t_ns, &u, sink);
	return news;
}

/* What it said last, if that was meant for people, else how it ended. */
static void reason(char *complaint, const char *how, char *buf, size_t size)
{
	text_copy(buf, size, *complaint ? complaint : how);
	*complaint = '\0';
}

void session_playback_down(struct session *s, const char *how)
{
	struct playback *p = &s->playback;
	char why[sizeof(p->why)];
	bool news;

	reason(s->playback_complaint, how, why, sizeof(why));
	news = p->up || strcmp(p->why, why) != 0;	/* one that cannot live says so once */
	playback_down(p, why);
	if (news)
		events_add(&s->events, clock_ns(), EVENT_SOURCE, "the playback probe is gone: %s", why);
}

void session_feel_line(struct session *s, const char *text, size_t length)
{
	struct feel *f = &s->feel;
	struct probe_line line;
	enum feel_probe probe;
	enum feel_news news;
	int64_t t_ns;

	if (probe_line_parse(&line, text, length)) {
		f->not_understood++;
		text_safe(s->feel_complaint, sizeof(s->feel_complaint), text, length);
		return;
	}
	if (probe_line_integer(&line, "ns", &t_ns))
		t_ns = clock_ns();
	news = feel_take(f, &line, &probe);
	if (news == FEEL_IS_UP && f->deaths)
		events_add(&s->events, t_ns, EVENT_SOURCE, "the feel probe runs again");
	if (news == FEEL_PROBE_CHANGED)
		events_add(&s->events, t_ns, EVENT_SOURCE, "feel %s is %s%s%s",
			   feel_probe_name(probe), f->probe[probe].state,
			   *f->probe[probe].reason ? ": " : "", f->probe[probe].reason);
}

void session_feel_down(struct session *s, const char *how)
{
	struct feel *f = &s->feel;
	char why[sizeof(f->why)];
	bool news;

	reason(s->feel_complaint, how, why, sizeof(why));
	news = f->up || strcmp(f->why, why) != 0;
	feel_down(f, why);
	if (news)
		events_add(&s->events, clock_ns(), EVENT_SOURCE, "the feel probe is gone: %s", why);
}
