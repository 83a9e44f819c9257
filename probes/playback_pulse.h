/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stream to a PulseAudio server, or to PipeWire's that answers for one. The only file that knows
 * libpulse; without it pulse_new gives NULL. One thread: everything happens in the calls below, and
 * none of them waits but pulse_wait.
 *
 * Never starts a server, never touches a volume. An underrun is from UNDERFLOW to STARTED. Nothing
 * counts before the first STARTED, nor from the moment a cork or drain is asked for or the sink is
 * suspended, as servers report false ones then. A server that goes away is tried again after 1, 2,
 * 4, ... 30 s.
 */
#ifndef VMTOP_PROBES_PLAYBACK_PULSE_H
#define VMTOP_PROBES_PLAYBACK_PULSE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pulse_state {
	PULSE_CONNECTING,
	PULSE_STARTING,		/* has a stream, and nothing was heard yet */
	PULSE_PLAYING,
	PULSE_PAUSED,		/* by pulse_pause */
	PULSE_SUSPENDED,	/* the sink, by somebody */
	PULSE_SILENT,		/* the server has not answered for seconds */
	PULSE_ABSENT,		/* no server has ever answered, and none will be asked again */
	PULSE_LOST		/* there is none now; it will be asked again */
};

const char *pulse_state_name(enum pulse_state state);

struct pulse_options {
	const char *server;	/* NULL: the user's default */
	bool retry;		/* also when no server answered the first time */
	int rate;		/* frames a second, two channels */
	int64_t buffer_ns;
};

/* Called in pulse_dispatch and pulse_tick. */
struct pulse_events {
	void (*state)(void *to, enum pulse_state state, const char *why);
	/*
	 * Silent from start to end as it was told, and for so much longer by the server's position:
	 * either it stood still itself, or the underflow was there and we were late to hear of it.
	 */
	void (*underrun)(void *to, int64_t start_ns, int64_t end_ns, int64_t more_ns);
	void (*stall)(void *to, int64_t now_ns, int64_t stood_ns);
	void *to;
};

struct pulse;

/* NULL when it is not built in, or there is no memory. Connects at the first pulse_tick. */
struct pulse *pulse_new(const struct pulse_options *options, const struct pulse_events *events);
void pulse_free(struct pulse *p);

/*
 * Until one of fds or the server has something, or until then. 0 or a negative errno. What the
 * server has is dealt with in pulse_dispatch.
 */
int pulse_wait(struct pulse *p, struct pollfd *fds, size_t n, int64_t until_ns);
void pulse_dispatch(struct pulse *p);

/* Each few ms: connects, tries again, finds a server that is silent. */
void pulse_tick(struct pulse *p, int64_t now_ns);

enum pulse_state pulse_state(const struct pulse *p);

/* Should what it plays be due just now? */
bool pulse_is_due(const struct pulse *p);

/* Has it run dry, or did so and has not been told to `underrun` yet? */
bool pulse_is_starved(const struct pulse *p);

/* How many frames the server asks for; 0 while there is no stream. */
int pulse_room(struct pulse *p);
void pulse_write(struct pulse *p, const int16_t *stereo, int frames);

/* What was written and not yet heard, in nanoseconds; -1 when not known. */
int64_t pulse_level(struct pulse *p);

void pulse_pause(struct pulse *p, bool on);
void pulse_set_buffer(struct pulse *p, int64_t buffer_ns);

/* Makes a new stream, of another rate. */
void pulse_set_rate(struct pulse *p, int rate);

/* Lets it play what it has; true from pulse_drained when it did, or cannot. */
void pulse_drain(struct pulse *p);
bool pulse_drained(const struct pulse *p);

#endif
