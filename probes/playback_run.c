/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/playback_run.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probes/playback_control.h"
#include "probes/playback_sinks.h"
#include "probes/playback_wait.h"
#include "src/clock.h"

#define SECOND_NS INT64_C(1000000000)
#define TICK_NS INT64_C(10000000)

/* How long the end may take: the server's buffer, and a reader that is slow. */
enum { DRAIN_MS = 500, FLUSH_MS = 300 };

enum { FD_STDIN, FD_SIGNAL, FD_PARENT, FDS };

struct player {
	const struct run_options *options;
	struct wait_watch wait;
	struct report report;
	struct sinks sinks;
	struct sound sound;
	struct song_watch watch;
	struct control_input input;
	struct pollfd fds[FDS];
	bool drop, locked;
	bool stdin_ended;
	const char *ending;	/* why it ends; NULL: it does not */
	/* Since the last report of a second: */
	struct shares waits;
	struct wait_memory memory;
	int64_t queue_ns;
	int64_t second_ns;	/* when the next report is due */
};

/* --- Time --- */

static void charge(struct player *p, enum segment segment, int64_t until_ns)
{
	struct shares s = wait_mark(&p->wait, segment, until_ns);

	shares_add(&p->waits, &s);
	sinks_waited(&p->sinks, &s);
}

static int64_t mark_work(void *to)
{
	struct player *p = to;

	charge(p, SEGMENT_WORK, 0);
	return p->wait.last.t_ns;
}

static void before_read(void *to)
{
	mark_work(to);
}

static void after_read(void *to)
{
	charge(to, SEGMENT_READ, 0);
}

/* --- The song --- */

static void tell_file(struct player *p, const char *state, const char *path, const char *why)
{
	report_begin(&p->report, PLAYBACK_FILE, clock_ns());
	probe_write_text(&p->report.line, "state", state);
	if (path)
		probe_write_text(&p->report.line, "path", path);
	if (why)
		probe_write_text(&p->report.line, "why", why);
	report_put(&p->report);
}

static void on_hold(void *to)
{
	struct player *p = to;

	sinks_hold(&p->sinks, mark_work(p));
}

static void on_release(void *to)
{
	struct player *p = to;

	sinks_release(&p->sinks, mark_work(p));
}

static void on_again(void *to)
{
	tell_file(to, "again", NULL, NULL);
}

static void on_lost(void *to, int error)
{
	tell_file(to, "lost", NULL, error == -ENODATA ? "no sound left in it" : strerror(-error));
}

/* 0, or -EINVAL and a line in err: then it plays on what it did. "": no song. */
static int set_file(struct player *p, const char *path, char *err, size_t errsize)
{
	struct song *song = NULL;

	/* Opening reads, and nothing could be played meanwhile. */
	on_hold(p);
	if (*path)
		song = song_open(path, p->drop, &p->watch, err, errsize);
	on_release(p);
	if (*path && !song)
		return -EINVAL;
	sound_set_song(&p->sound, song);
	if (p->sinks.pulse)
		pulse_set_rate(p->sinks.pulse, p->sound.rate);
	if (song)
		tell_file(p, "playing", path, NULL);
	else
		tell_file(p, "none", NULL, NULL);
	return 0;
}

/* --- Controls --- */

static int set_nice(int nice)
{
	return setpriority(PRIO_PROCESS, 0, nice) ? -errno : 0;
}

static int set_lock(struct player *p, bool on)
{
	if (on ? mlockall(MCL_CURRENT | MCL_FUTURE) : munlockall())
		return -errno;
	p->locked = on;
	return 0;
}

static void set_drop(struct player *p, bool on)
{
	p->drop = on;
	if (p->sound.song)
		song_set_drop(p->sound.song, on);
}

static void tell_control(struct player *p, const char *what, const char *why)
{
	report_begin(&p->report, PLAYBACK_CONTROL, clock_ns());
	probe_write_text(&p->report.line, "what", what);
	probe_write_integer(&p->report.line, "done", !why);
	if (why)
		probe_write_text(&p->report.line, "why", why);
	report_put(&p->report);
}

static const char *why_refused(const struct control *c, int error)
{
	if (c->kind == CONTROL_NICE && (error == -EACCES || error == -EPERM))
		return "not permitted: below the present value it needs CAP_SYS_NICE or RLIMIT_NICE";
	if (c->kind == CONTROL_LOCK && (error == -EPERM || error == -ENOMEM || error == -EAGAIN))
		return "not permitted: needs CAP_IPC_LOCK or a larger RLIMIT_MEMLOCK (ulimit -l)";
	return strerror(-error);
}

/* 0 or a negative errno; what is to be said in err. */
static int obey(struct player *p, const struct control *c, char *err, size_t errsize)
{
	int error = 0;

	switch (c->kind) {
	case CONTROL_NICE: error = set_nice(c->number); break;
	case CONTROL_LOCK: error = set_lock(p, c->on); break;
	case CONTROL_BUFFER:
		sinks_set_buffer(&p->sinks, c->number, clock_ns());
		sinks_tell(&p->sinks, clock_ns());
		break;
	case CONTROL_PAUSE: sinks_pause(&p->sinks, c->on, mark_work(p)); break;
	case CONTROL_FILE: return set_file(p, c->path, err, errsize);
	case CONTROL_TONE: p->sound.tone = c->on; break;
	case CONTROL_DROP_CACHE: set_drop(p, c->on); break;
	case CONTROL_QUIT: p->ending = "quit"; break;
	case CONTROL_KINDS: break;
	}
	if (error)
		snprintf(err, errsize, "%s", why_refused(c, error));
	return error;
}

static void take_line(void *to, char *line)
{
	struct player *p = to;
	struct control c;
	char text[CONTROL_LINE_MAX], err[200] = "";
	int error;

	memcpy(text, line, strlen(line) + 1);
	error = control_parse(line, &c, err, sizeof(err));
	if (!error)
		error = obey(p, &c, err, sizeof(err));
	tell_control(p, text, error ? err : NULL);
}

static void refuse_line(void *to)
{
	tell_control(to, "", "the line is too long");
}

static void read_stdin(struct player *p)
{
	char bytes[1024];
	ssize_t n = read(STDIN_FILENO, bytes, sizeof(bytes));

	if (n > 0) {
		control_feed(&p->input, bytes, (size_t)n, take_line, refuse_line, p);
	} else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
		p->stdin_ended = true;
		/* By hand it may well be /dev/null. */
		if (p->options->parent)
			p->ending = "parent";
	}
}

/* --- Reports --- */

static void tell_start(struct player *p, int64_t now)
{
	struct probe_writer *w = &p->report.line;
	char text[24] = "";
	FILE *file = fopen("/proc/self/oom_score_adj", "re");

	report_begin(&p->report, PLAYBACK_HELLO, now);
	probe_write_integer(w, "protocol", PLAYBACK_PROTOCOL);
	probe_write_text(w, "program", PACKAGE_VERSION);
	probe_write_integer(w, "pid", getpid());
	probe_write_text(w, "headline", sinks_headline(&p->sinks)->name);
	probe_write_integer(w, "rate", p->sound.rate);
	probe_write_integer(w, "nice", getpriority(PRIO_PROCESS, 0));
	if (file && fgets(text, sizeof(text), file))
		probe_write_integer(w, "oom_score_adj", strtol(text, NULL, 10));
	if (file)
		fclose(file);
	probe_write_text(w, "delays", p->wait.delays.status);
	probe_write_text(w, "run_queue", p->wait.last.queue_ns < 0 ? "absent" : "on");
	report_put(&p->report);
}

static void write_reads(struct player *p)
{
	struct probe_writer *w = &p->report.line;
	struct song_reads reads;

	if (!p->sound.song)
		return;
	reads = song_take_reads(p->sound.song);
	probe_write_integer(w, "reads", (int64_t)reads.count);
	probe_write_integer(w, "read_bytes", (int64_t)reads.bytes);
	if (!reads.count)
		return;
	probe_write_ms(w, "read_ms", reads.total_ns / (int64_t)reads.count);
	probe_write_ms(w, "read_max_ms", reads.longest_ns);
}

static void tell_second(struct player *p, int64_t now)
{
	struct probe_writer *w = &p->report.line;
	struct wait_memory m;

	wait_read_memory(&p->wait, &m);
	report_begin(&p->report, PLAYBACK_SECOND, now);
	if (m.swap_kib >= 0)
		probe_write_integer(w, "vmswap_kib", m.swap_kib);
	if (m.rss_kib >= 0)
		probe_write_integer(w, "vmrss_kib", m.rss_kib);
	if (m.locked_kib >= 0)
		probe_write_integer(w, "vmlck_kib", m.locked_kib);
	probe_write_integer(w, "majflt", (int64_t)(m.major_faults - p->memory.major_faults));
	probe_write_integer(w, "minflt", (int64_t)(m.minor_faults - p->memory.minor_faults));
	write_reads(p);
	if (p->wait.last.queue_ns >= 0 && p->queue_ns >= 0)
		probe_write_ms(w, "run_queue_ms", p->wait.last.queue_ns - p->queue_ns);
	probe_write_ms(w, "late_max_ms", p->wait.worst_late_ns);
	for (int i = 0; i < PLAYBACK_SHARES; i++)
		probe_write_ms(w, playback_share_key((enum playback_cause)i), p->waits.ns[i]);
	probe_write_integer(w, "nice", getpriority(PRIO_PROCESS, 0));
	probe_write_integer(w, "locked", p->locked);
	probe_write_integer(w, "lost", (int64_t)p->report.lost);
	p->report.lost = 0;
	report_put(&p->report);
	p->memory = m;
	p->queue_ns = p->wait.last.queue_ns;
	p->wait.worst_late_ns = 0;
	p->waits = (struct shares){ { 0 } };
	sinks_tell_levels(&p->sinks, now);
}

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
		read_stdin(p);
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

	sinks_feed(&p->sinks, &p->sound, next_ns, mark_work, p);
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
		charge(p, SEGMENT_SLEEP, next);
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
	int64_t now = mark_work(p);

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
	/* Not those ignored from the start (nohup, a shell's background): blocked they would come. */
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
	const struct sound_events events = { on_hold, on_release, on_again, on_lost, p };
	int error;

	p->drop = o->drop;
	p->watch = (struct song_watch){ before_read, after_read, p };
	for (int i = 0; i < FDS; i++)
		p->fds[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	p->fds[FD_SIGNAL].fd = open_signals();
	wait_open(&p->wait);
	sinks_init(&p->sinks, &p->report, clock_ns());
	error = sound_init(&p->sound, &events);
	if (error) {
		snprintf(err, errsize, "%s", strerror(-error));
		return error;
	}
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
	int error = 0;

	if (o->file) {
		song = song_open(o->file, p->drop, &p->watch, why, sizeof(why));
		if (!song) {
			snprintf(err, errsize, "cannot play %s: %s", o->file, why);
			return -EINVAL;
		}
		sound_set_song(&p->sound, song);
	}
	if (o->lock)
		error = set_lock(p, true);
	if (error)
		snprintf(err, errsize, "--lock: %s", why_refused(
			&(struct control){ .kind = CONTROL_LOCK }, error));
	return error;
}

static void play(struct player *p)
{
	const struct run_options *o = p->options;

	report_init(&p->report, STDOUT_FILENO, mark_work(p));
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
