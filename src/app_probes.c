/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The programs that measure beside vmtop: started, listened to, told what keys and scripts want. */
#include "src/app.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/clock.h"
#include "src/text.h"

enum { END_MS = 1000 };

#define NS_PER_MS 1000000LL

void app_start_playback(struct app *app)
{
	static const char *const sinks[] = {
		[PLAYBACK_AUTO] = "auto", [PLAYBACK_PULSE] = "pulse", [PLAYBACK_CLOCK] = "clock",
	};
	const struct options *o = &app->options;
	struct playback_program *p = &app->playback_program;
	size_t n = 0;

	if (o->playback == PLAYBACK_OFF || *o->root)
		return;
	demo_program_path("vmtop-playback", p->path, sizeof(p->path));
	snprintf(p->parent, sizeof(p->parent), "--parent=%d", (int)getpid());
	snprintf(p->sink, sizeof(p->sink), "--sink=%s", sinks[o->playback]);
	p->argv[n++] = p->path;
	p->argv[n++] = p->parent;
	p->argv[n++] = p->sink;
	if (o->playback_file) {
		snprintf(p->file, sizeof(p->file), "--file=%s", o->playback_file);
		p->argv[n++] = p->file;
	}
	app->session.playback.on = true;
	text_copy(app->session.playback.why, sizeof(app->session.playback.why),
		  "the playback probe is being started");
	app->playback = instrument_new(p->argv, app->session.memlock.oom_score_adj);
}

/* What became of a key or a command. */
static void answer(struct app *app)
{
	const struct playback *p = &app->session.playback;
	struct view *v = &app->ui.view;

	snprintf(v->message, sizeof(v->message), "playback %.150s", p->answer);
	v->message_role = p->refused ? ROLE_ALARM : ROLE_MESSAGE;
	app->message_ns = clock_ns();
}

void app_take_playback(struct app *app)
{
	enum instrument_news news;
	const char *text;
	size_t length;

	if (!app->playback)
		return;
	while ((news = instrument_next(app->playback, clock_ns(), &text, &length)) !=
	       INSTRUMENT_NOTHING) {
		if (news == INSTRUMENT_LINE_READ &&
		    session_playback_line(&app->session, text, length) == PLAYBACK_ANSWERED)
			answer(app);
		if (news == INSTRUMENT_DIED || news == INSTRUMENT_FAILED)
			session_playback_down(&app->session, text);
		app->dirty = true;
	}
}

void app_tell_playback(struct app *app, const char *line)
{
	struct view *v = &app->ui.view;
	int error = app->playback ? instrument_say(app->playback, line) : -ENOTCONN;

	if (!error)
		return;
	snprintf(v->message, sizeof(v->message), "no playback probe to tell: %.100s",
		 !app->playback ? "vmtop --playback auto starts one" :
		 *app->session.playback.why ? app->session.playback.why : strerror(-error));
	v->message_role = ROLE_ALARM;
	app->message_ns = clock_ns();
	app->dirty = true;
}

static void take_last(void *arg, const char *line, size_t length)
{
	session_playback_line(arg, line, length);
}

void app_end_playback(struct app *app)
{
	if (app->playback)
		instrument_end(app->playback, END_MS * NS_PER_MS, take_last, &app->session);
}
