/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/playback_pulse.h"

#include <stdio.h>
#include <stdlib.h>

#include "probes/playback_stall.h"
#include "probes/playback_wait.h"
#include "src/clock.h"

static const char *const state_names[] = {
	[PULSE_CONNECTING] = "connecting", [PULSE_STARTING] = "starting",
	[PULSE_PLAYING] = "playing", [PULSE_PAUSED] = "paused",
	[PULSE_SUSPENDED] = "suspended", [PULSE_SILENT] = "silent",
	[PULSE_ABSENT] = "absent", [PULSE_LOST] = "lost",
};

const char *pulse_state_name(enum pulse_state state)
{
	return state_names[state];
}

#ifdef HAVE_PULSE

#include <pulse/pulseaudio.h>
#include <string.h>

#define SECOND_NS INT64_C(1000000000)

enum { FDS_MAX = 64, PACKETS_MAX = 100 };
enum { CHANNELS = 2, FRAME = CHANNELS * sizeof(int16_t), PAUSE_MAX_S = 30 };

/* libpulse asks for the timing each 1.5 s at least; an update on its way for long tells nothing. */
static const int64_t silence_ns = 3 * SECOND_NS, transport_max_us = 20000;

struct pulse {
	struct pulse_options options;
	struct pulse_events events;
	pa_mainloop *loop;
	pa_context *context;
	pa_stream *stream;
	enum pulse_state state;
	bool ever;		/* a server has answered */
	bool paused, draining, drained;
	bool counting;		/* an underflow is an underrun */
	int64_t gap_ns;		/* when the open one began; 0: none */
	int64_t gap_end_ns;	/* it has ended, and waits for a timing update; 0: not */
	int64_t deadline_ns;	/* to connect */
	int64_t retry_ns;	/* 0: not waiting to try again */
	unsigned pause_s;
	struct stall stall;
	int64_t answer_ns;	/* when it last sent its timing */
	int64_t position_ns;	/* at the last update of stall */
	/* Of the pulse_wait that runs: */
	struct pollfd *own;
	size_t own_count;
	int64_t until_ns;
	int wait_error;
};

static void set_state(struct pulse *p, enum pulse_state state, const char *why)
{
	if (p->state == state && !why)
		return;
	p->state = state;
	p->events.state(p->events.to, state, why);
}

static void end_gap(struct pulse *p, int64_t end_ns, int64_t more_ns)
{
	p->events.underrun(p->events.to, p->gap_ns, end_ns, more_ns);
	p->gap_ns = p->gap_end_ns = 0;
}

/* From now on no underflow is an underrun, until it plays again. */
static void stop_counting(struct pulse *p)
{
	if (p->counting && p->gap_ns)
		end_gap(p, p->gap_end_ns ? p->gap_end_ns : clock_ns(), 0);
	p->counting = false;
	p->gap_ns = 0;
	stall_forget(&p->stall);
}

static void drop_stream(struct pulse *p)
{
	if (!p->stream)
		return;
	pa_stream_set_state_callback(p->stream, NULL, NULL);
	pa_stream_set_underflow_callback(p->stream, NULL, NULL);
	pa_stream_set_started_callback(p->stream, NULL, NULL);
	pa_stream_set_suspended_callback(p->stream, NULL, NULL);
	pa_stream_set_latency_update_callback(p->stream, NULL, NULL);
	pa_stream_disconnect(p->stream);
	pa_stream_unref(p->stream);
	p->stream = NULL;
}

static void drop_context(struct pulse *p)
{
	drop_stream(p);
	if (!p->context)
		return;
	pa_context_set_state_callback(p->context, NULL, NULL);
	pa_context_disconnect(p->context);
	pa_context_unref(p->context);
	p->context = NULL;
}

/* There is no server, or no longer. The counts stay. */
static void give_up(struct pulse *p, const char *why)
{
	stop_counting(p);
	drop_context(p);
	p->drained = true;
	if (!p->ever && !p->options.retry) {
		set_state(p, PULSE_ABSENT, why);
		return;
	}
	p->pause_s = p->pause_s == 0 ? 1 : p->pause_s * 2;
	if (p->pause_s > PAUSE_MAX_S)
		p->pause_s = PAUSE_MAX_S;
	p->retry_ns = clock_ns() + p->pause_s * SECOND_NS;
	set_state(p, PULSE_LOST, why);
}

static const char *last_error(struct pulse *p)
{
	return pa_strerror(p->context ? pa_context_errno(p->context) : PA_ERR_UNKNOWN);
}

static void forget_operation(pa_operation *o)
{
	if (o)
		pa_operation_unref(o);
}

/* --- The stream --- */

static void on_underflow(pa_stream *stream, void *user)
{
	struct pulse *p = user;

	(void)stream;
	if (p->counting && !p->gap_ns)
		p->gap_ns = clock_ns();
}

static void on_started(pa_stream *stream, void *user)
{
	struct pulse *p = user;

	(void)stream;
	if (p->draining || p->paused || p->state == PULSE_SUSPENDED)
		return;
	if (p->counting && p->gap_ns && !p->gap_end_ns) {
		p->gap_end_ns = clock_ns();
		stall_gap(&p->stall, p->gap_end_ns - p->gap_ns);
	}
	p->counting = true;
	set_state(p, PULSE_PLAYING, NULL);
}

static void on_suspended(pa_stream *stream, void *user)
{
	struct pulse *p = user;

	if (pa_stream_is_suspended(stream) > 0) {
		stop_counting(p);
		set_state(p, PULSE_SUSPENDED, NULL);
	} else if (p->state == PULSE_SUSPENDED) {
		set_state(p, p->paused ? PULSE_PAUSED : PULSE_STARTING, NULL);
	}
}

/* Where it plays, by its own word; false when this update is too old to tell. */
static bool position(pa_stream *stream, int64_t *ns)
{
	const pa_sample_spec *spec = pa_stream_get_sample_spec(stream);
	const pa_timing_info *i = pa_stream_get_timing_info(stream);

	if (!i || !i->playing || i->read_index_corrupt || i->read_index < 0 ||
			(int64_t)i->transport_usec > transport_max_us)
		return false;
	*ns = ((int64_t)pa_bytes_to_usec((uint64_t)i->read_index, spec) -
		(int64_t)i->sink_usec + (int64_t)i->transport_usec) * 1000;
	return true;
}

static void on_timing(pa_stream *stream, void *user)
{
	struct pulse *p = user;
	int64_t at, stood;

	p->answer_ns = clock_ns();
	if (p->draining || p->paused || p->state == PULSE_SUSPENDED || !position(stream, &at))
		return;
	/* After a suspend it just plays on; a first start has at least one period behind it. */
	if (!p->counting && at <= 0)
		return;
	p->counting = true;
	p->position_ns = at;
	stood = stall_update(&p->stall, clock_ns(), at);
	if (p->gap_end_ns)
		end_gap(p, p->gap_end_ns, stood);
	else if (stood)
		p->events.stall(p->events.to, clock_ns(), stood);
	set_state(p, PULSE_PLAYING, NULL);
}

static void on_stream_state(pa_stream *stream, void *user)
{
	struct pulse *p = user;

	switch (pa_stream_get_state(stream)) {
	case PA_STREAM_READY:
		p->pause_s = 0;
		p->ever = true;
		set_state(p, PULSE_STARTING, NULL);
		on_suspended(stream, p);
		break;
	case PA_STREAM_FAILED:
	case PA_STREAM_TERMINATED:
		p->deadline_ns = -1;	/* given up at the next tick: not within its own callback */
		break;
	case PA_STREAM_UNCONNECTED:
	case PA_STREAM_CREATING:
		break;
	}
}

static pa_buffer_attr buffer_attr(const struct pulse *p, const pa_sample_spec *spec)
{
	pa_usec_t us = (pa_usec_t)p->options.buffer_ns / 1000;

	return (pa_buffer_attr){ .maxlength = (uint32_t)-1, .prebuf = (uint32_t)-1,
		.minreq = (uint32_t)-1, .fragsize = (uint32_t)-1,
		.tlength = (uint32_t)pa_usec_to_bytes(us, spec) };
}

static void make_stream(struct pulse *p)
{
	const pa_sample_spec spec = { .format = PA_SAMPLE_S16NE, .channels = CHANNELS,
		.rate = (uint32_t)p->options.rate };
	const pa_buffer_attr attr = buffer_attr(p, &spec);
	pa_stream_flags_t flags = PA_STREAM_ADJUST_LATENCY | PA_STREAM_AUTO_TIMING_UPDATE |
		PA_STREAM_INTERPOLATE_TIMING | PA_STREAM_DONT_MOVE;

	if (p->paused)
		flags |= PA_STREAM_START_CORKED;
	p->stream = pa_stream_new(p->context, "vmtop playback probe", &spec, NULL);
	if (!p->stream) {
		p->deadline_ns = -1;
		return;
	}
	pa_stream_set_state_callback(p->stream, on_stream_state, p);
	pa_stream_set_underflow_callback(p->stream, on_underflow, p);
	pa_stream_set_started_callback(p->stream, on_started, p);
	pa_stream_set_suspended_callback(p->stream, on_suspended, p);
	pa_stream_set_latency_update_callback(p->stream, on_timing, p);
	if (pa_stream_connect_playback(p->stream, NULL, &attr, flags, NULL, NULL) < 0)
		p->deadline_ns = -1;
}

/* --- The connection --- */

static void on_context_state(pa_context *context, void *user)
{
	struct pulse *p = user;

	switch (pa_context_get_state(context)) {
	case PA_CONTEXT_READY:
		make_stream(p);
		break;
	case PA_CONTEXT_FAILED:
	case PA_CONTEXT_TERMINATED:
		p->deadline_ns = -1;
		break;
	case PA_CONTEXT_UNCONNECTED:
	case PA_CONTEXT_CONNECTING:
	case PA_CONTEXT_AUTHORIZING:
	case PA_CONTEXT_SETTING_NAME:
		break;
	}
}

static void make_context(struct pulse *p)
{
	p->retry_ns = 0;
	p->deadline_ns = clock_ns() + SECOND_NS;
	set_state(p, PULSE_CONNECTING, NULL);
	p->context = pa_context_new(pa_mainloop_get_api(p->loop), "vmtop-playback");
	if (!p->context) {
		give_up(p, "no memory");
		return;
	}
	pa_context_set_state_callback(p->context, on_context_state, p);
	if (pa_context_connect(p->context, p->options.server, PA_CONTEXT_NOAUTOSPAWN, NULL) < 0)
		give_up(p, last_error(p));
}

void pulse_tick(struct pulse *p, int64_t now_ns)
{
	bool begun = p->context || p->retry_ns || p->state == PULSE_ABSENT;

	if (!begun || (p->retry_ns && now_ns >= p->retry_ns))
		make_context(p);
	else if (p->context && p->deadline_ns < 0)
		give_up(p, last_error(p));
	else if (p->state == PULSE_CONNECTING && p->context && now_ns >= p->deadline_ns)
		give_up(p, "the server did not answer within a second");
	else if (p->state == PULSE_PLAYING && now_ns - p->answer_ns > silence_ns)
		set_state(p, PULSE_SILENT, "the server has not answered for 3 s");
}

/* --- The loop --- */

/* In place of libpulse's poll: it and we wait for each other's descriptors. */
static int wait_for_all(struct pollfd *theirs, unsigned long count, int timeout_ms, void *user)
{
	struct pulse *p = user;
	struct pollfd all[FDS_MAX];
	size_t room = FDS_MAX - p->own_count, n = count < room ? count : room;
	int64_t until = p->until_ns;
	int ready;

	if (timeout_ms >= 0 && clock_ns() + timeout_ms * INT64_C(1000000) < until)
		until = clock_ns() + timeout_ms * INT64_C(1000000);
	memcpy(all, theirs, n * sizeof(*all));
	memcpy(all + n, p->own, p->own_count * sizeof(*all));
	ready = wait_poll(all, n + p->own_count, until);
	p->wait_error = ready < 0 ? ready : 0;
	memcpy(theirs, all, n * sizeof(*all));
	memcpy(p->own, all + n, p->own_count * sizeof(*all));
	return ready < 0 ? -1 : ready;
}

int pulse_wait(struct pulse *p, struct pollfd *fds, size_t n, int64_t until_ns)
{
	p->own = fds;
	p->own_count = n;
	p->until_ns = until_ns;
	p->wait_error = 0;
	for (size_t i = 0; i < n; i++)
		fds[i].revents = 0;
	if (pa_mainloop_prepare(p->loop, -1) >= 0)
		pa_mainloop_poll(p->loop);
	return p->wait_error;
}

/*
 * All that has come, and not just its first packet: an underflow must be known before what the
 * server asked for in the packet before it is given.
 */
void pulse_dispatch(struct pulse *p)
{
	pa_mainloop_dispatch(p->loop);
	p->own_count = 0;
	p->until_ns = 0;
	for (int i = 0; i < PACKETS_MAX && pa_mainloop_iterate(p->loop, 0, NULL) > 0; i++)
		;
}

struct pulse *pulse_new(const struct pulse_options *options, const struct pulse_events *events)
{
	struct pulse *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->loop = pa_mainloop_new();
	if (!p->loop) {
		free(p);
		return NULL;
	}
	p->options = *options;
	p->events = *events;
	pa_mainloop_set_poll_func(p->loop, wait_for_all, p);
	return p;
}

void pulse_free(struct pulse *p)
{
	if (!p)
		return;
	drop_context(p);
	pa_mainloop_free(p->loop);
	free(p);
}

/* --- What is played --- */

static bool stream_ready(const struct pulse *p)
{
	return p->stream && p->deadline_ns >= 0 &&
		pa_stream_get_state(p->stream) == PA_STREAM_READY;
}

enum pulse_state pulse_state(const struct pulse *p)
{
	return p->state;
}

bool pulse_is_starved(const struct pulse *p)
{
	return p->gap_ns != 0;
}

bool pulse_is_due(const struct pulse *p)
{
	return p->counting;
}

int pulse_room(struct pulse *p)
{
	size_t bytes = stream_ready(p) && !p->draining ? pa_stream_writable_size(p->stream) : 0;

	return bytes == (size_t)-1 ? 0 : (int)(bytes / FRAME);
}

void pulse_write(struct pulse *p, const int16_t *stereo, int frames)
{
	if (stream_ready(p) && pa_stream_write(p->stream, stereo, (size_t)frames * FRAME, NULL, 0,
			PA_SEEK_RELATIVE) < 0)
		p->deadline_ns = -1;
}

int64_t pulse_level(struct pulse *p)
{
	const pa_timing_info *i = stream_ready(p) ? pa_stream_get_timing_info(p->stream) : NULL;
	int64_t level;

	if (!i || !p->counting || !p->stall.known || i->write_index < 0)
		return -1;
	/* Not pa_stream_get_latency(), for the same reason as in playback_stall.h. */
	level = (int64_t)pa_bytes_to_usec((uint64_t)i->write_index,
		pa_stream_get_sample_spec(p->stream)) * 1000 -
		(p->position_ns + clock_ns() - p->stall.update_ns);
	return level > 0 ? level : 0;
}

void pulse_pause(struct pulse *p, bool on)
{
	stop_counting(p);
	p->paused = on;
	if (!stream_ready(p))
		return;
	forget_operation(pa_stream_cork(p->stream, on, NULL, NULL));
	set_state(p, on ? PULSE_PAUSED : PULSE_STARTING, NULL);
}

void pulse_set_buffer(struct pulse *p, int64_t buffer_ns)
{
	pa_buffer_attr attr;

	p->options.buffer_ns = buffer_ns;
	if (!stream_ready(p))
		return;
	/* A longer one may wait for its prebuf first. */
	stop_counting(p);
	attr = buffer_attr(p, pa_stream_get_sample_spec(p->stream));
	forget_operation(pa_stream_set_buffer_attr(p->stream, &attr, NULL, NULL));
}

void pulse_set_rate(struct pulse *p, int rate)
{
	if (rate == p->options.rate)
		return;
	p->options.rate = rate;
	stop_counting(p);
	if (!stream_ready(p))
		return;
	drop_stream(p);
	make_stream(p);
}

static void on_drained(pa_stream *stream, int success, void *user)
{
	(void)stream, (void)success;
	((struct pulse *)user)->drained = true;
}

void pulse_drain(struct pulse *p)
{
	pa_operation *o;

	stop_counting(p);
	p->draining = true;
	o = stream_ready(p) && !p->paused && p->state == PULSE_PLAYING ?
		pa_stream_drain(p->stream, on_drained, p) : NULL;
	if (!o)
		p->drained = true;
	forget_operation(o);
}

bool pulse_drained(const struct pulse *p)
{
	return p->drained;
}

#endif
