/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop that brings samples into the session and pages onto the screen, and carries out what
 * keys and scripts ask for.
 */
#include "src/app.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "src/clock.h"
#include "src/text.h"
#include "src/xalloc.h"
#include "ui/key.h"
#include "ui/output.h"
#include "ui/page.h"

enum {
	NS_PER_S = 1000000000, NS_PER_MS = 1000000,
	FRAME_MS = 100,			/* at most 10 frames a second */
	HEARTBEAT_MS = 1000,		/* a frame at least, so that a missing sample shows */
	HOLD_MS = 20,			/* how often to look whether a late figure has come */
	MESSAGE_MS = 6000,
};

void app_leave_screen(struct app *app)
{
	if (app->term)
		term_close(app->term);
	app->term = NULL;
}

void app_size_canvas(struct app *app)
{
	int cols = app->options.cols, rows = app->options.rows;

	if (app->term)
		term_size(app->term, &cols, &rows);
	if (!cols) {
		cols = 80;
		rows = 24;
	}
	if (app->canvas.cell)
		canvas_resize(&app->canvas, cols, rows);
	else
		canvas_init(&app->canvas, cols, rows);
	app->ui.cols = cols;
	app->ui.rows = rows;
	app->dirty = true;
}

void app_take_slow(struct app *app, const struct sample *sample)
{
	session_add_slow(&app->session, sample);
	session_take_tasks(&app->session, &app->tasks);
}

void app_take_samples(struct app *app)
{
	struct sample sample;
	bool any = false;

	while (ring_pop(app->ring_slow, &sample))
		app_take_slow(app, &sample);
	while (app->holding || ring_pop(app->ring, &app->held)) {
		app->holding = app->listener && !listener_complete(app->listener, &app->held);
		if (app->holding)
			break;
		if (app->listener)
			listener_report(app->listener, &app->session.reclaim);
		session_add(&app->session, &app->held);
		any = true;
	}
	if (!any)
		return;
	if (!*app->options.root)
		session_set_cpus(&app->session, (int)sysconf(_SC_NPROCESSORS_ONLN));
	app->dirty = true;
}

static void take_victims(struct app *app)
{
	struct oom_victim victim;

	while (app->listener && listener_victim(app->listener, &victim))
		oom_log_add(&app->ooms, &victim);
	while (app->kmsg && kmsg_next(app->kmsg, &victim))
		oom_log_add(&app->ooms, &victim);
	while (oom_log_take(&app->ooms, clock_ns(), &victim)) {
		session_oom_victim(&app->session, &victim);
		app->dirty = true;
	}
}

static void take_signals(struct app *app)
{
	struct signalfd_siginfo info;

	while (read(app->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGWINCH:
			if (app->term) {
				term_resized(app->term);
				app_size_canvas(app);
				if (app->workload)
					workload_resize(app->workload, (unsigned short)app->ui.cols,
							(unsigned short)app->ui.rows);
			}
			break;
		case SIGTSTP:
			app->ui.suspend = true;
			break;
		case SIGCONT:
			if (app->term) {
				term_resume(app->term);
				app_size_canvas(app);
			}
			break;
		default:
			app->end_signal = (int)info.ssi_signo;
			if (app->workload)
				workload_signal(app->workload, app->end_signal);
			app->done = true;
		}
	}
}

static void take_keys(struct app *app, bool hung_up)
{
	uint32_t key;

	while ((key = term_key(app->term)) != KEYCODE_NONE) {
		command_key(&app->ui, key);
		app->message_ns = clock_ns();
		app->dirty = true;
		hung_up = false;
	}
	if (hung_up)
		app->done = true;	/* the terminal went away */
}

void app_dump(struct app *app, const char *path)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *f = standard ? stdout : fopen(path, "we");
	const char *name = standard ? "standard output" : path;
	bool bad;

	app->ui.view.now_ns = clock_ns();
	page_draw(&app->ui.view, &app->canvas);
	bad = !f || output_text(&app->canvas, app->options.ascii, f);
	if (f)
		bad |= f == stdout ? fflush(f) : fclose(f);
	if (!bad)
		return;
	if (app->term) {
		snprintf(app->ui.view.message, sizeof(app->ui.view.message), "%.100s: %s", name,
			 strerror(errno));
		app->ui.view.message_role = ROLE_ALARM;
	} else {
		complain("%s: %s", name, strerror(errno));
		app->failed = true;
	}
}

/* What the last command asked for. */
static void take_requests(struct app *app)
{
	struct ui *ui = &app->ui;

	if (ui->interval_request_ns) {
		sampler_set_interval(app->sampler, ui->interval_request_ns);
		sampler_set_interval(app->collector, ui->interval_request_ns > NS_PER_S ?
				     ui->interval_request_ns : NS_PER_S);
		app->session.interval_ns = ui->interval_request_ns;
		ui->interval_request_ns = 0;
	}
	if (*ui->playback_line) {
		app_tell_playback(app, ui->playback_line);
		ui->playback_line[0] = '\0';
	}
	if (*ui->dump_path) {
		app_dump(app, ui->dump_path);
		ui->dump_path[0] = '\0';
	}
	if (app->term && ui->theme_changed)
		term_set_theme(app->term, &ui->theme);
	if (app->term && ui->suspend) {
		term_suspend(app->term);
		app_size_canvas(app);
		ui->repaint = true;
	}
	if (app->term && ui->repaint)
		term_repaint(app->term);
	app->dirty |= ui->repaint || ui->theme_changed;
	app->done |= ui->quit;
	ui->theme_changed = ui->suspend = ui->repaint = false;
}

static bool script_waits(struct app *app)
{
	struct ui *ui = &app->ui;

	if (ui->wait_ns) {
		app->wait_until_ns = clock_ns() + ui->wait_ns;
		ui->wait_ns = 0;
	}
	if (ui->wait_samples) {
		app->wait_until_samples = app->session.samples + ui->wait_samples;
		ui->wait_samples = 0;
	}
	if (ui->wait_end && (!app->workload || app->session.load.state == WORKLOAD_ENDED))
		ui->wait_end = false;
	return clock_ns() < app->wait_until_ns || app->session.samples < app->wait_until_samples ||
	       ui->wait_end;
}

static void run_script(struct app *app)
{
	char err[200];

	while (app->have_script && !app->done && !script_waits(app)) {
		const char *line = script_next(&app->script);

		if (!line) {
			app->have_script = false;
			app->done |= !app->term;
			break;
		}
		if (command_run(&app->ui, line, err, sizeof(err))) {
			app_leave_screen(app);
			complain("%s:%u: %s", app->script.name, app->script.line, err);
			app->failed = app->done = true;
		}
		app->dirty = true;
		app->message_ns = clock_ns();
		take_requests(app);
	}
}

/* Without a terminal, when is the last picture due? */
static void check_end(struct app *app, int64_t now)
{
	const struct options *o = &app->options;

	if (o->duration_ns && now - app->start_ns >= o->duration_ns)
		app->done = true;
	if (app->term || app->have_script || o->duration_ns)
		return;
	if (app->session.samples < 2)
		return;
	/* A sample after its end: what it did last belongs to the picture. */
	if (!app->workload || (app->session.load.state == WORKLOAD_ENDED &&
			       app->session.now.t_ns >= app->session.load.usage.end_ns))
		app->done = true;
}

static void draw(struct app *app, int64_t now)
{
	struct view *v = &app->ui.view;

	if (*v->message && now - app->message_ns > MESSAGE_MS * (int64_t)NS_PER_MS) {
		v->message[0] = '\0';
		app->dirty = true;
	}
	if (!app->term || (!app->dirty && now - app->frame_ns < HEARTBEAT_MS * (int64_t)NS_PER_MS) ||
	    now - app->frame_ns < FRAME_MS * (int64_t)NS_PER_MS)
		return;
	v->now_ns = now;
	page_draw(v, &app->canvas);
	app->dirty = !term_draw(app->term, &app->canvas);
	app->frame_ns = now;
}

static int poll_timeout(const struct app *app, int64_t now)
{
	int64_t until = now + HEARTBEAT_MS * (int64_t)NS_PER_MS;

	if (app->holding && now + HOLD_MS * (int64_t)NS_PER_MS < until)
		until = now + HOLD_MS * (int64_t)NS_PER_MS;
	for (size_t i = 0; i < BESIDE_COUNT; i++)
		if (app->beside[i].program && instrument_due_ns(app->beside[i].program) < until)
			until = instrument_due_ns(app->beside[i].program);
	if (app->dirty && app->term && app->frame_ns + FRAME_MS * (int64_t)NS_PER_MS < until)
		until = app->frame_ns + FRAME_MS * (int64_t)NS_PER_MS;
	if (app->wait_until_ns > now && app->wait_until_ns < until)
		until = app->wait_until_ns;
	if (app->options.duration_ns && app->start_ns + app->options.duration_ns < until)
		until = app->start_ns + app->options.duration_ns;
	return until <= now ? 0 : (int)((until - now) / NS_PER_MS) + 1;
}

void app_loop(struct app *app)
{
	struct pollfd fds[] = {
		{ .fd = app->signal_fd, .events = POLLIN },
		{ .events = POLLIN },
		{ .fd = ring_fd(app->ring_slow), .events = POLLIN },
		{ .fd = app->workload ? workload_fd(app->workload) : -1, .events = POLLIN },
		{ .fd = app->term ? term_fd(app->term) : -1 },
		{ .fd = app->listener ? listener_fd(app->listener) : -1, .events = POLLIN },
		{ .fd = app->kmsg ? kmsg_fd(app->kmsg) : -1, .events = POLLIN },
		{ .events = POLLIN },
		{ .events = POLLIN },
	};

	while (!app->done) {
		int64_t now = clock_ns();

		draw(app, now);
		/* What comes after a sample that waits has to wait too. */
		fds[1].fd = app->holding ? -1 : ring_fd(app->ring);
		for (size_t i = 0; i < BESIDE_COUNT; i++)
			fds[7 + i].fd = app->beside[i].program ?
					instrument_fd(app->beside[i].program) : -1;
		if (app->term)
			fds[4].events = term_events(app->term);
		poll(fds, sizeof(fds) / sizeof(*fds), poll_timeout(app, now));
		take_signals(app);
		if (app->listener)
			listener_hear(app->listener);
		app_take_beside(app);
		app_take_samples(app);
		take_victims(app);
		if (fds[3].revents) {
			session_update_workload(&app->session);
			app->dirty = true;
		}
		if (app->term && fds[4].revents & POLLOUT)
			term_flush(app->term);
		if (app->term && fds[4].revents & (POLLIN | POLLHUP | POLLERR))
			take_keys(app, fds[4].revents & (POLLHUP | POLLERR));
		take_requests(app);
		run_script(app);
		check_end(app, clock_ns());
	}
}
