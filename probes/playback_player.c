/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/playback_player.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "src/clock.h"

/* --- Time --- */

void player_charge(struct player *p, enum segment segment, int64_t until_ns)
{
	struct shares s = wait_mark(&p->wait, segment, until_ns);

	shares_add(&p->waits, &s);
	sinks_waited(&p->sinks, &s);
}

int64_t player_mark(void *to)
{
	struct player *p = to;

	player_charge(p, SEGMENT_WORK, 0);
	return p->wait.last.t_ns;
}

static void before_read(void *to)
{
	player_mark(to);
}

static void after_read(void *to)
{
	player_charge(to, SEGMENT_READ, 0);
}

/* --- The song --- */

static void on_hold(void *to)
{
	struct player *p = to;

	sinks_hold(&p->sinks, player_mark(p));
}

static void on_release(void *to)
{
	struct player *p = to;

	sinks_release(&p->sinks, player_mark(p));
}

static void on_again(void *to)
{
	tell_file(to, "again", NULL, NULL);
}

static void on_lost(void *to, int error)
{
	tell_file(to, "lost", NULL, error == -ENODATA ? "no sound left in it" : strerror(-error));
}

struct song *player_open_song(struct player *p, const char *path, char *err, size_t errsize)
{
	const struct song_watch watch = { before_read, after_read, p };

	return song_open(path, p->drop, &watch, err, errsize);
}

/* 0, or -EINVAL and a line in err: then it plays on what it did. "": no song. */
static int set_file(struct player *p, const char *path, char *err, size_t errsize)
{
	struct song *song = NULL;

	/* Opening reads, and nothing could be played meanwhile. */
	on_hold(p);
	if (*path)
		song = player_open_song(p, path, err, errsize);
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

static const char *why_refused(const struct control *c, int error)
{
	if (c->kind == CONTROL_NICE && (error == -EACCES || error == -EPERM))
		return "not permitted: a lower value needs CAP_SYS_NICE or RLIMIT_NICE";
	if (c->kind == CONTROL_LOCK && (error == -EPERM || error == -ENOMEM || error == -EAGAIN))
		return "not permitted: needs CAP_IPC_LOCK or a larger RLIMIT_MEMLOCK (ulimit -l)";
	return strerror(-error);
}

int player_lock(struct player *p, char *err, size_t errsize)
{
	const struct control lock = { .kind = CONTROL_LOCK, .on = true };
	int error = set_lock(p, true);

	if (error)
		snprintf(err, errsize, "--lock: %s", why_refused(&lock, error));
	return error;
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
	case CONTROL_PAUSE: sinks_pause(&p->sinks, c->on, player_mark(p)); break;
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

void player_read_controls(struct player *p)
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

/* --- Start --- */

int player_init(struct player *p, char *err, size_t errsize)
{
	const struct sound_events events = { on_hold, on_release, on_again, on_lost, p };
	int error = sound_init(&p->sound, &events);

	if (error)
		snprintf(err, errsize, "%s", strerror(-error));
	return error;
}
