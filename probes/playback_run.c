/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/playback_run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probes/playback_player.h"
#include "src/clock.h"

#define SECOND_NS INT64_C(1000000000)
#define TICK_NS INT64_C(10000000)

/* How long the end may take: the server's buffer, and a reader that is slow. */
enum { DRAIN_MS = 500, FLUSH_MS = 300 };

/* --- The loop --- */

static void read_signal(struct player *p)
{
	struct signalfd_siginfo info;

	if (read(p->fds[FD_SIGNAL].fd, &info, sizeof(info)) == sizeof(info))
		p->ending = "signal";
}

/* Reading a terminal in the background would stop us, and what is typed there is not ours. */
static bool stdin_is_ours(void)
{
	return !isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static int wait_until(struct player *p, int64_t until_ns)
{
	p->fds[FD_STDIN].fd = p->stdin_ended || !stdin_is_ours() ? -1 : STDIN_FILENO;
	if (p->sinks.pulse)
		return pulse_wait(p->sinks.pulse, p->fds, FDS, until_ns);
	return wait_poll(p->fds, FDS, until_ns);
}

static void handle(struct player *p)
{
	if (p->sinks.pulse)
		pulse_dispatch(p->sinks.pulse);
	if (p->fds[FD_SIGNAL].revents)
		read_signal(p);
	if (p->fds[FD_PARENT].revents)
		p->ending = "parent";
	if (p->fds[FD_STDIN].revents)
		player_read_controls(p);
}

static void flush(struct player *p)
{
	report_flush(&p->report, 0);
	if (p->report.error)
		p->ending = "reader";
}

static void tick(struct player *p, int64_t next_ns)
{
	int64_t now;

	sinks_feed(&p->sinks, &p->sound, next_ns, player_mark, p);
	now = p->wait.last.t_ns;
	if (p->sinks.pulse)
		pulse_tick(p->sinks.pulse, now);
	if (now >= p->second_ns) {
		tell_second(p, now);
		p->second_ns += (now - p->second_ns) / SECOND_NS * SECOND_NS + SECOND_NS;
	}
	if (p->options->seconds > 0 &&
			(double)(now - p->report.start_ns) >= p->options->seconds * 1e9)
		p->ending = "seconds";
	flush(p);
}

static void loop(struct player *p)
{
	int64_t next = p->wait.last.t_ns;

	while (!p->ending) {
		if (wait_until(p, next) < 0)
			p->ending = "poll";
		player_charge(p, SEGMENT_SLEEP, next);
		handle(p);
		if (p->wait.last.t_ns < next)
			continue;
		next += (p->wait.last.t_ns - next) / TICK_NS * TICK_NS + TICK_NS;
		tick(p, next);
	}
}

static bool parent_lives(const struct player *p)
{
	return p->fds[FD_PARENT].revents == 0;
}

/* What the server still has is heard, unless nobody is there to hear it. */
static void drain(struct player *p)
{
	int64_t end = clock_ns() + DRAIN_MS * (SECOND_NS / 1000);

	if (!p->sinks.pulse || strcmp(p->ending, "parent") == 0)
		return;
	pulse_drain(p->sinks.pulse);
	p->fds[FD_STDIN].fd = -1;
	while (!pulse_drained(p->sinks.pulse) && clock_ns() < end && parent_lives(p)) {
		if (pulse_wait(p->sinks.pulse, p->fds, FDS, end) < 0 ||
				p->fds[FD_SIGNAL].revents)
			break;
		pulse_dispatch(p->sinks.pulse);
	}
}

static void finish(struct player *p)
{
	int64_t now = player_mark(p);

	sinks_finish(&p->sinks, now);
	report_begin(&p->report, PLAYBACK_END, now);
	probe_write_text(&p->report.line, "why", p->ending);
	report_put(&p->report);
	if (strcmp(p->ending, "parent") != 0)
		drain(p);
	report_flush(&p->report, FLUSH_MS);
}

/* --- Start and end --- */

static int open_signals(void)
{
	static const int ending[] = { SIGHUP, SIGINT, SIGTERM };
	struct sigaction action;
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	/* Not those ignored from the start (nohup, background of a shell): they would come. */
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&set, ending[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/*
 * Killed with its parent even while it is stopped or cannot get the CPU. The descriptor, for a
 * parent that is not the real one; -1 where there is none (before Linux 5.3), which stdin's end
 * makes up for.
 */
static int watch_parent(pid_t parent)
{
	if (parent == getppid()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* It may have died before. */
		if (parent != getppid())
			raise(SIGKILL);
	}
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, parent, 0);
#else
	return -1;
#endif
}

static int start(struct player *p, char *err, size_t errsize)
{
	const struct run_options *o = p->options;
	int error;

	p->drop = o->drop;
	for (int i = 0; i < FDS; i++)
		p->fds[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	p->fds[FD_SIGNAL].fd = open_signals();
	wait_open(&p->wait);
	sinks_init(&p->sinks, &p->report, clock_ns());
	error = player_init(p, err, errsize);
	if (error)
		return error;
	if (o->parent) {
		p->fds[FD_PARENT].fd = watch_parent(o->parent);
		if (p->fds[FD_PARENT].fd < 0 && errno == ESRCH)
			p->ending = "parent";
	}
	p->sound.tone = o->tone;
	sinks_set_buffer(&p->sinks, o->buffer_ms, clock_ns());
	return 0;
}

static int open_all(struct player *p, char *err, size_t errsize)
{
	const struct run_options *o = p->options;
	struct song *song = NULL;
	char why[200] = "";

	if (o->file) {
		song = player_open_song(p, o->file, why, sizeof(why));
		if (!song) {
			snprintf(err, errsize, "cannot play %s: %s", o->file, why);
			return -EINVAL;
		}
		sound_set_song(&p->sound, song);
	}
	return o->lock ? player_lock(p, err, errsize) : 0;
}

static void play(struct player *p)
{
	const struct run_options *o = p->options;

	report_init(&p->report, STDOUT_FILENO, player_mark(p));
	tell_start(p, p->report.start_ns);
	if (o->file)
		tell_file(p, "playing", o->file, NULL);
	sinks_tell(&p->sinks, p->report.start_ns);
	if (o->pulse)
		sinks_open_pulse(&p->sinks, &(struct pulse_options){ .server = o->server,
			.retry = o->pulse_retry, .rate = p->sound.rate,
			.buffer_ns = sinks_headline(&p->sinks)->buffer_ns });
	wait_read_memory(&p->wait, &p->memory);
	p->queue_ns = p->wait.last.queue_ns;
	p->second_ns = p->report.start_ns + SECOND_NS;
	loop(p);
	finish(p);
}

int run(const struct run_options *options, char *err, size_t errsize)
{
	struct player *p = calloc(1, sizeof(*p));
	int error;

	if (!p) {
		snprintf(err, errsize, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	p->options = options;
	error = start(p, err, errsize);
	if (!error)
		error = open_all(p, err, errsize);
	if (!error) {
		play(p);
		/* One who closed its end of the pipe has had enough: no failure. */
		error = p->report.error == -EPIPE ? 0 : p->report.error;
		if (error)
			snprintf(err, errsize, "cannot write the output: %s", strerror(-error));
	}
	sinks_done(&p->sinks);
	sound_done(&p->sound);
	wait_close(&p->wait);
	for (int i = FD_SIGNAL; i < FDS; i++)
		if (p->fds[i].fd >= 0)
			close(p->fds[i].fd);
	free(p);
	return error;
}
