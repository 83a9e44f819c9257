/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/playback.h"

#include <stdio.h>
#include <string.h>

#include "src/text.h"

enum { NS_PER_MS = 1000000 };

/* ---- Sinks ---- */

static struct playback_sink *find(struct playback *p, const char *name)
{
	for (size_t i = 0; i < p->nsinks; i++)
		if (strcmp(p->sink[i].name, name) == 0)
			return &p->sink[i];
	return NULL;
}

const struct playback_sink *playback_find(const struct playback *p, const char *name)
{
	for (size_t i = 0; i < p->nsinks; i++)
		if (strcmp(p->sink[i].name, name) == 0)
			return &p->sink[i];
	return NULL;
}

const struct playback_sink *playback_headline(const struct playback *p)
{
	return playback_find(p, p->headline);
}

static void safe_copy(char *to, size_t size, const char *from)
{
	text_safe(to, size, from ? from : "", from ? strlen(from) : 0);
}

/* The sink that a line names; NULL when it names none, or one too many. */
static struct playback_sink *sink_of(struct playback *p, const struct probe_line *line)
{
	char name[sizeof(p->sink->name)];
	struct playback_sink *s;

	safe_copy(name, sizeof(name), probe_line_text(line, "sink"));
	s = *name ? find(p, name) : NULL;
	if (s || !*name || p->nsinks == PLAYBACK_SINKS_MAX)
		return s;
	s = &p->sink[p->nsinks++];
	*s = (struct playback_sink){ .lowest_ns = -1 };
	memcpy(s->name, name, sizeof(name));
	return s;
}

static void tally_sum(struct playback_tally *to, const struct playback_tally *by)
{
	to->underruns += by->underruns;
	to->silent_ns += by->silent_ns;
	to->due_ns += by->due_ns;
	if (by->longest_ns > to->longest_ns)
		to->longest_ns = by->longest_ns;
	for (size_t i = 0; i < PLAYBACK_CAUSES; i++)
		to->cause[i] += by->cause[i];
}

/* The sums come once a second, the underruns when they end: whichever knows of more is right. */
static struct playback_tally life_tally(const struct playback_sink *s)
{
	struct playback_tally t = s->life;

	memcpy(t.cause, s->heard.cause, sizeof(t.cause));
	if (s->heard.underruns > t.underruns)
		t.underruns = s->heard.underruns;
	if (s->heard.silent_ns > t.silent_ns)
		t.silent_ns = s->heard.silent_ns;
	if (s->heard.longest_ns > t.longest_ns)
		t.longest_ns = s->heard.longest_ns;
	return t;
}

struct playback_tally playback_sink_tally(const struct playback_sink *s)
{
	struct playback_tally sum = s->past, life = life_tally(s);

	tally_sum(&sum, &life);
	return sum;
}

/* ---- Numbers of a line ---- */

static int64_t integer_of(const struct probe_line *line, const char *key, int64_t absent)
{
	int64_t value;

	return probe_line_integer(line, key, &value) ? absent : value;
}

static int64_t ms_of(const struct probe_line *line, const char *key, int64_t absent)
{
	double ms;

	if (probe_line_number(line, key, &ms) || ms < 0 || ms > 1e12)
		return absent;
	return (int64_t)(ms * NS_PER_MS);
}

static void shares_of(const struct probe_line *line, int64_t *shares)
{
	for (int i = 0; i < PLAYBACK_SHARES; i++)
		shares[i] = ms_of(line, playback_share_key((enum playback_cause)i), 0);
}

/* ---- Lines ---- */

/* What a life of the probe counted goes into what earlier ones did. */
static void close_life(struct playback *p)
{
	for (size_t i = 0; i < p->nsinks; i++) {
		struct playback_sink *s = &p->sink[i];

		s->past = playback_sink_tally(s);
		memset(&s->life, 0, sizeof(s->life));
		memset(&s->heard, 0, sizeof(s->heard));
		s->lowest_ns = -1;
		s->told = false;
	}
	memset(&p->self, 0, sizeof(p->self));
	memset(p->gap_ns, 0, sizeof(p->gap_ns));
	p->up = false;
	p->pid = 0;
}

static enum playback_news take_hello(struct playback *p, const struct probe_line *line)
{
	int64_t protocol = integer_of(line, "protocol", 0);

	close_life(p);
	if (protocol != PLAYBACK_PROTOCOL) {
		snprintf(p->why, sizeof(p->why), "it speaks protocol %lld and vmtop %d: install both "
			 "from one version", (long long)protocol, PLAYBACK_PROTOCOL);
		return PLAYBACK_NO_NEWS;
	}
	safe_copy(p->headline, sizeof(p->headline), probe_line_text(line, "headline"));
	p->pid = (int)integer_of(line, "pid", 0);
	p->up = true;
	p->paused = false;
	p->why[0] = p->file[0] = '\0';
	return PLAYBACK_IS_UP;
}

static enum playback_news take_sink(struct playback *p, const struct probe_line *line,
				    struct playback_sink *s, const struct playback_sink **sink)
{
	char state[sizeof(s->state)];
	bool was_told = s->told, changed;

	safe_copy(state, sizeof(state), probe_line_text(line, "state"));
	changed = strcmp(state, s->state) != 0;
	memcpy(s->state, state, sizeof(state));
	safe_copy(s->why, sizeof(s->why), probe_line_text(line, "why"));
	s->buffer_ns = ms_of(line, "buffer_ms", s->buffer_ns);
	s->told = true;
	if (integer_of(line, "headline", 0) == 1) {
		memcpy(p->headline, s->name, sizeof(p->headline));
		p->paused = strcmp(state, "paused") == 0;
	}
	*sink = s;
	return was_told && changed ? PLAYBACK_SINK_CHANGED : PLAYBACK_NO_NEWS;
}

static enum playback_news take_underrun(struct playback *p, const struct probe_line *line,
					struct playback_sink *s, struct playback_underrun *u)
{
	u->t_ns = integer_of(line, "ns", 0);
	u->gap_ns = ms_of(line, "gap_ms", 0);
	u->cause = playback_cause_of(probe_line_text(line, "cause"));
	memcpy(u->sink, s->name, sizeof(u->sink));
	shares_of(line, u->share_ns);
	s->heard.underruns++;
	s->heard.cause[u->cause]++;
	s->heard.silent_ns += u->gap_ns;
	if (u->gap_ns > s->heard.longest_ns)
		s->heard.longest_ns = u->gap_ns;
	if (strcmp(s->name, p->headline) == 0) {
		if (u->gap_ns > p->gap_ns[u->cause])
			p->gap_ns[u->cause] = u->gap_ns;
		return PLAYBACK_UNDERRAN;
	}
	return strncmp(s->name, "pulse", 5) == 0 ? PLAYBACK_UNDERRAN : PLAYBACK_NO_NEWS;
}

static void take_level(const struct probe_line *line, struct playback_sink *s)
{
	s->told = true;
	if (probe_line_text(line, "state"))
		safe_copy(s->state, sizeof(s->state), probe_line_text(line, "state"));
	s->lowest_ns = ms_of(line, "lowest_ms", -1);
	if (integer_of(line, "underruns", -1) >= 0)
		s->life.underruns = (uint64_t)integer_of(line, "underruns", 0);
	s->life.silent_ns = ms_of(line, "silent_ms", s->life.silent_ns);
	s->life.longest_ns = ms_of(line, "longest_ms", s->life.longest_ns);
	s->life.due_ns = ms_of(line, "due_ms", s->life.due_ns);
}

static void take_second(struct playback *p, const struct probe_line *line)
{
	struct playback_self *self = &p->self;

	self->t_ns = integer_of(line, "ns", 0);
	self->vmswap_kib = integer_of(line, "vmswap_kib", -1);
	self->vmrss_kib = integer_of(line, "vmrss_kib", -1);
	self->vmlck_kib = integer_of(line, "vmlck_kib", -1);
	self->majflt = integer_of(line, "majflt", -1);
	self->read_max_ns = ms_of(line, "read_max_ms", -1);
	self->run_queue_ns = ms_of(line, "run_queue_ms", -1);
	self->late_max_ns = ms_of(line, "late_max_ms", -1);
	self->nice = (int)integer_of(line, "nice", 0);
	self->locked = integer_of(line, "locked", 0) == 1;
	shares_of(line, self->share_ns);
}

static enum playback_news take_file(struct playback *p, const struct probe_line *line)
{
	const char *state = probe_line_text(line, "state");

	if (state && strcmp(state, "again") == 0)
		return PLAYBACK_NO_NEWS;
	if (state && strcmp(state, "playing") == 0)
		safe_copy(p->file, sizeof(p->file), probe_line_text(line, "path"));
	else
		p->file[0] = '\0';
	return PLAYBACK_FILE_NEWS;
}

static enum playback_news take_answer(struct playback *p, const struct probe_line *line)
{
	char what[80], why[120];

	safe_copy(what, sizeof(what), probe_line_text(line, "what"));
	safe_copy(why, sizeof(why), probe_line_text(line, "why"));
	p->refused = integer_of(line, "done", 0) != 1;
	snprintf(p->answer, sizeof(p->answer), "%s%s%s", what, *why ? ": " : "", why);
	return PLAYBACK_ANSWERED;
}

static enum playback_news take_stall(struct playback *p, const struct probe_line *line,
				     struct playback_underrun *u)
{
	memset(u, 0, sizeof(*u));
	u->t_ns = integer_of(line, "ns", 0);
	u->gap_ns = ms_of(line, "gap_ms", 0);
	p->stalls++;
	p->stalled_ns += u->gap_ns;
	return PLAYBACK_STALLED;
}

enum playback_news playback_take(struct playback *p, const struct probe_line *line,
				 struct playback_underrun *u, const struct playback_sink **sink)
{
	enum playback_word word = playback_word_of(line->word);
	struct playback_sink *s = NULL;

	*sink = NULL;
	if (word == PLAYBACK_HELLO)
		return take_hello(p, line);
	if (!p->up)
		return PLAYBACK_NO_NEWS;	/* one whose words we may not know */
	if (word == PLAYBACK_SINK || word == PLAYBACK_UNDERRUN || word == PLAYBACK_LEVEL ||
	    word == PLAYBACK_TOTAL) {
		s = sink_of(p, line);
		if (!s) {
			p->not_understood++;
			return PLAYBACK_NO_NEWS;
		}
	}
	switch (word) {
	case PLAYBACK_SINK: return take_sink(p, line, s, sink);
	case PLAYBACK_UNDERRUN: return take_underrun(p, line, s, u);
	case PLAYBACK_LEVEL: case PLAYBACK_TOTAL: take_level(line, s); break;
	case PLAYBACK_STALL: return take_stall(p, line, u);
	case PLAYBACK_SECOND: take_second(p, line); break;
	case PLAYBACK_FILE: return take_file(p, line);
	case PLAYBACK_CONTROL: return take_answer(p, line);
	case PLAYBACK_HELLO: case PLAYBACK_END: case PLAYBACK_UNKNOWN_WORD:
		break;
	}
	return PLAYBACK_NO_NEWS;
}

void playback_down(struct playback *p, const char *why)
{
	close_life(p);
	p->deaths++;
	text_copy(p->why, sizeof(p->why), why);
}

/* ---- Into samples ---- */

static void set_known(struct sample *s, enum metric m, int64_t value)
{
	if (value >= 0)
		sample_set(s, m, (uint64_t)value);
}

static void fill_sink(const struct playback_sink *sink, struct sample *s)
{
	struct playback_tally t = playback_sink_tally(sink);

	sample_set(s, M_playback_underruns, t.underruns);
	sample_set(s, M_playback_silent, (uint64_t)t.silent_ns);
	set_known(s, M_playback_buffer, sink->lowest_ns);
	if (sink->buffer_ns > 0)
		sample_set(s, M_playback_buffer_size, (uint64_t)sink->buffer_ns);
}

static void fill_self(const struct playback_self *self, struct sample *s)
{
	if (!self->t_ns)
		return;
	set_known(s, M_playback_vmswap, self->vmswap_kib);
	set_known(s, M_playback_vmrss, self->vmrss_kib);
	set_known(s, M_playback_majflt, self->majflt);
	set_known(s, M_playback_read, self->read_max_ns);
	set_known(s, M_playback_run_queue, self->run_queue_ns);
	set_known(s, M_playback_late, self->late_max_ns);
}

void playback_fill(struct playback *p, struct sample *s)
{
	static const enum metric gaps[PLAYBACK_SHARES] = {
		[PLAYBACK_MEMORY] = M_playback_gap_memory, [PLAYBACK_READ] = M_playback_gap_file,
		[PLAYBACK_CPU] = M_playback_gap_cpu, [PLAYBACK_STOPPED] = M_playback_gap_stopped,
		[PLAYBACK_SERVER] = M_playback_gap_server,
	};
	int64_t other_ns = p->gap_ns[PLAYBACK_TIE];
	const struct playback_sink *sink = playback_headline(p);
	int64_t longest_ns = 0;

	s->source_ns[SOURCE_PLAYBACK] = s->mono_ns;
	s->source_why[SOURCE_PLAYBACK] = p->up ? WHY_OK : WHY_NO_SOURCE;
	if (!p->up)
		return;
	if (p->gap_ns[PLAYBACK_UNKNOWN] > other_ns)
		other_ns = p->gap_ns[PLAYBACK_UNKNOWN];
	sample_set(s, M_playback_gap_other, (uint64_t)other_ns);
	for (size_t i = 0; i < PLAYBACK_SHARES; i++)
		sample_set(s, gaps[i], (uint64_t)p->gap_ns[i]);
	for (size_t i = 0; i < PLAYBACK_CAUSES; i++)
		if (p->gap_ns[i] > longest_ns)
			longest_ns = p->gap_ns[i];
	memset(p->gap_ns, 0, sizeof(p->gap_ns));
	sample_set(s, M_playback_gap, (uint64_t)longest_ns);
	if (sink && sink->told)
		fill_sink(sink, s);
	fill_self(&p->self, s);
}
