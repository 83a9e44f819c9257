/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The programs that measure beside vmtop: started, listened to, told what keys and scripts want. */
#include "src/app.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/clock.h"
#include "src/text.h"
#include "src/xalloc.h"

enum { END_MS = 1000 };

#define NS_PER_MS 1000000LL

/* ---- What each of them is told, and who takes its lines ---- */

/* Takes the argument over. */
static void add_argument(struct beside *b, char *argument)
{
	size_t i = 0;

	while (i < BESIDE_ARGS - 1 && b->argv[i])
		i++;
	b->argv[i] = argument;
}

static void add_program(struct beside *b, const char *name)
{
	char path[4200];

	demo_program_path(name, path, sizeof(path));
	add_argument(b, xstrdup(path));
}

/* What became of a key or a command. */
static void answer(struct app *app)
{
	const struct playback *p = &app->session.playback;
	struct view *v = &app->ui.view;

	snprintf(v->message, sizeof(v->message), "playback %.140s", p->answer);
	v->message_role = p->refused ? ROLE_ALARM : ROLE_MESSAGE;
	app->message_ns = clock_ns();
}

static void playback_line(struct app *app, const char *text, size_t length)
{
	if (session_playback_line(&app->session, text, length) == PLAYBACK_ANSWERED)
		answer(app);
}

static void playback_gone(struct app *app, const char *how)
{
	session_playback_down(&app->session, how);
}

static void feel_line(struct app *app, const char *text, size_t length)
{
	session_feel_line(&app->session, text, length);
}

static void feel_gone(struct app *app, const char *how)
{
	session_feel_down(&app->session, how);
}

static bool prepare_playback(struct app *app, struct beside *b)
{
	static const char *const sinks[] = {
		[PLAYBACK_AUTO] = "auto", [PLAYBACK_PULSE] = "pulse", [PLAYBACK_CLOCK] = "clock",
	};
	const struct options *o = &app->options;

	if (o->playback == PLAYBACK_OFF)
		return false;
	add_program(b, "vmtop-playback");
	add_argument(b, xasprintf("--parent=%d", (int)getpid()));
	add_argument(b, xasprintf("--sink=%s", sinks[o->playback]));
	if (o->playback_file)
		add_argument(b, xasprintf("--file=%s", o->playback_file));
	app->session.playback.on = true;
	text_copy(app->session.playback.why, sizeof(app->session.playback.why), "it is being started");
	return true;
}

static bool prepare_feel(struct app *app, struct beside *b)
{
	if (!app->options.feel)
		return false;
	add_program(b, "vmtop-feel");
	add_argument(b, xstrdup("--lines"));
	app->session.feel.on = true;
	text_copy(app->session.feel.why, sizeof(app->session.feel.why), "it is being started");
	return true;
}

/* ---- All of them ---- */

/* What each of them is: who prepares it, and who takes what it says. */
static const struct {
	bool (*prepare)(struct app *app, struct beside *b);	/* false: off */
	void (*line)(struct app *app, const char *text, size_t length);
	void (*down)(struct app *app, const char *how);
} kinds[BESIDE_COUNT] = {
	[BESIDE_PLAYBACK] = { prepare_playback, playback_line, playback_gone },
	[BESIDE_FEEL] = { prepare_feel, feel_line, feel_gone },
};

void app_start_beside(struct app *app)
{
	for (size_t i = 0; i < BESIDE_COUNT; i++) {
		struct beside *b = &app->beside[i];

		if (kinds[i].prepare(app, b))
			b->program = instrument_new(b->argv, app->session.memlock.oom_score_adj);
	}
	app_take_beside(app);
}

void app_take_beside(struct app *app)
{
	const char *text;
	size_t length;

	for (size_t i = 0; i < BESIDE_COUNT; i++) {
		struct beside *b = &app->beside[i];
		enum instrument_news news;

		while (b->program && (news = instrument_next(b->program, clock_ns(), &text, &length)) !=
		       INSTRUMENT_NOTHING) {
			if (news == INSTRUMENT_LINE_READ)
				kinds[i].line(app, text, length);
			else if (news == INSTRUMENT_DIED || news == INSTRUMENT_FAILED)
				kinds[i].down(app, text);
			app->dirty = true;
		}
	}
}

void app_tell_playback(struct app *app, const char *line)
{
	const struct beside *b = &app->beside[BESIDE_PLAYBACK];
	struct view *v = &app->ui.view;
	int error = b->program ? instrument_say(b->program, line) : -ENOTCONN;

	if (!error)
		return;
	snprintf(v->message, sizeof(v->message), "no playback probe to tell: %.100s",
		 !b->program ? "vmtop --playback auto starts one" :
		 *app->session.playback.why ? app->session.playback.why : strerror(-error));
	v->message_role = ROLE_ALARM;
	app->message_ns = clock_ns();
	app->dirty = true;
}

struct last_lines {
	struct app *app;
	size_t kind;
};

static void take_last(void *arg, const char *text, size_t length)
{
	const struct last_lines *last = arg;

	kinds[last->kind].line(last->app, text, length);
}

/* All are told to end before the first is waited for. */
void app_end_beside(struct app *app)
{
	for (size_t i = 0; i < BESIDE_COUNT; i++)
		if (app->beside[i].program)
			instrument_close_input(app->beside[i].program);
	for (size_t i = 0; i < BESIDE_COUNT; i++) {
		struct last_lines last = { app, i };

		if (app->beside[i].program)
			instrument_end(app->beside[i].program, END_MS * NS_PER_MS, take_last, &last);
	}
}

void app_free_beside(struct app *app)
{
	for (size_t i = 0; i < BESIDE_COUNT; i++) {
		instrument_free(app->beside[i].program);
		for (size_t k = 0; k < BESIDE_ARGS; k++)
			free(app->beside[i].argv[k]);
	}
}
