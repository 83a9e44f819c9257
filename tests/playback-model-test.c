/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the playback probe's lines to figures, metrics, events and words. */
#include "tests/tap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/session.h"

#define S 1000000000LL
#define MS 1000000LL

static struct session session;
static struct playback *p;

static int setup(void **state)
{
	(void)state;
	session_init(&session, "");
	p = &session.playback;
	p->on = true;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	session_done(&session);
	return 0;
}

static enum playback_news say(const char *line)
{
	return session_playback_line(&session, line, strlen(line));
}

static void hello(void)
{
	assert_int_equal(say("playback t=0 ns=1000000000 protocol=1 program=1 pid=77 "
			     "headline=clock-200 nice=0"), PLAYBACK_IS_UP);
	say("sink t=0 ns=1000000000 sink=clock-20 state=playing buffer_ms=20.000");
	say("sink t=0 ns=1000000000 sink=clock-200 state=playing buffer_ms=200.000 headline=1");
}

static void underrun(const char *sink, int64_t t_ns, int gap_ms, const char *cause)
{
	char line[300];

	snprintf(line, sizeof(line), "underrun t=1 ns=%lld sink=%s gap_ms=%d.000 cause=%s memory_ms=50.000 "
		 "file_ms=0.000 cpu_ms=3.000 stopped_ms=0.000 rest_ms=0.000", (long long)t_ns, sink,
		 gap_ms, cause);
	say(line);
}

static void level(const char *sink, int underruns, int silent_ms, int due_ms)
{
	char line[300];

	snprintf(line, sizeof(line), "level t=1 ns=2000000000 sink=%s state=playing fill_ms=190.000 "
		 "lowest_ms=150.000 underruns=%d silent_ms=%d longest_ms=%d due_ms=%d played_ms=1", sink,
		 underruns, silent_ms, silent_ms, due_ms);
	say(line);
}

static struct playback_tally tally(const char *sink)
{
	const struct playback_sink *s = playback_find(p, sink);

	assert_non_null(s);
	return playback_sink_tally(s);
}

static size_t events_of(enum event_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < session.events.count; i++)
		n += events_get(&session.events, i)->kind == kind;
	return n;
}

static bool was_told(const char *text)
{
	for (size_t i = 0; i < session.events.count; i++)
		if (strcmp(events_get(&session.events, i)->text, text) == 0)
			return true;
	return false;
}

static const char *last_event(void)
{
	assert_true(session.events.count > 0);
	return events_get(&session.events, session.events.count - 1)->text;
}

static void sample(int64_t t_ns)
{
	struct sample s = { .mono_ns = t_ns, .due_ns = t_ns, .interval_ns = S };

	session_add(&session, &s);
}

static double value(enum metric m)
{
	assert_int_equal(session.now.why[m], WHY_OK);
	return session.now.value[m];
}

static void the_first_line_brings_it_up(void **state)
{
	(void)state;
	assert_int_equal(say("level sink=clock-200 underruns=3"), PLAYBACK_NO_NEWS);
	assert_int_equal(p->nsinks, 0);		/* nothing counts before it */
	hello();
	assert_true(p->up);
	assert_int_equal(p->pid, 77);
	assert_string_equal(playback_headline(p)->name, "clock-200");
	assert_int_equal(playback_headline(p)->buffer_ns, 200 * MS);
}

static void another_protocol_is_not_guessed_at(void **state)
{
	(void)state;
	say("playback t=0 ns=1 protocol=99 headline=clock-200");
	assert_false(p->up);
	assert_non_null(strstr(p->why, "protocol 99"));
	level("clock-200", 5, 10, 1000);
	assert_int_equal(p->nsinks, 0);
}

static void an_underrun_counts_once_although_told_twice(void **state)
{
	(void)state;
	hello();
	underrun("clock-200", 2 * S, 312, "memory");
	assert_int_equal(tally("clock-200").underruns, 1);
	assert_int_equal(tally("clock-200").silent_ns, 312 * MS);
	level("clock-200", 1, 312, 1000);
	assert_int_equal(tally("clock-200").underruns, 1);
	assert_int_equal(tally("clock-200").silent_ns, 312 * MS);
	assert_int_equal(tally("clock-200").due_ns, 1000 * MS);
	assert_int_equal(tally("clock-200").cause[PLAYBACK_MEMORY], 1);
}

static void a_silence_that_lasts_is_in_the_sum_before_it_ends(void **state)
{
	(void)state;
	hello();
	level("clock-200", 0, 700, 5000);
	assert_int_equal(tally("clock-200").underruns, 0);
	assert_int_equal(tally("clock-200").silent_ns, 700 * MS);
}

static void counts_survive_a_death(void **state)
{
	(void)state;
	hello();
	underrun("clock-200", 2 * S, 100, "cpu");
	level("clock-200", 1, 100, 5000);
	session_playback_down(&session, "killed by signal 9 (Killed)");
	assert_false(p->up);
	assert_string_equal(p->why, "killed by signal 9 (Killed)");
	assert_true(was_told("the playback probe is gone: killed by signal 9 (Killed)"));
	assert_int_equal(tally("clock-200").underruns, 1);
	hello();
	assert_true(was_told("the playback probe runs again"));
	level("clock-200", 0, 0, 3000);
	underrun("clock-200", 9 * S, 40, "file");
	assert_int_equal(tally("clock-200").underruns, 2);
	assert_int_equal(tally("clock-200").due_ns, 8 * S);
	assert_int_equal(tally("clock-200").longest_ns, 100 * MS);
	assert_int_equal(tally("clock-200").cause[PLAYBACK_CPU], 1);
	assert_int_equal(tally("clock-200").cause[PLAYBACK_READ], 1);
}

static void one_that_cannot_live_does_not_fill_the_events(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++) {
		say("vmtop-playback: cannot play /x: No such file or directory");
		session_playback_down(&session, "ended with exit status 1");
	}
	assert_int_equal(session.events.count, 1);
	assert_string_equal(p->why, "vmtop-playback: cannot play /x: No such file or directory");
}

static void gaps_become_metrics_of_their_cause_once(void **state)
{
	(void)state;
	hello();
	level("clock-200", 0, 0, 1000);
	sample(10 * S);
	underrun("clock-200", 10 * S + S / 2, 312, "memory");
	underrun("clock-200", 10 * S + S / 3, 30, "memory");
	underrun("clock-20", 10 * S + S / 2, 900, "cpu");
	sample(11 * S);
	assert_true(value(M_playback_underruns) == 2);
	assert_true(value(M_playback_gap_ms) == 312);
	assert_true(value(M_playback_gap_memory) == 312e6);
	assert_true(value(M_playback_gap_cpu) == 0);	/* not the headline's */
	assert_true(value(M_playback_silent_ms) == 342);
	assert_true(value(M_playback_buffer_ms) == 150);
	sample(12 * S);
	assert_true(value(M_playback_underruns) == 0);
	assert_true(value(M_playback_gap_ms) == 0);
}

static void what_the_probe_says_of_itself_is_a_metric_each(void **state)
{
	(void)state;
	hello();
	say("second t=1 ns=2000000000 vmswap_kib=420 vmrss_kib=9000 majflt=7 minflt=1 read_max_ms=12.500 "
	    "run_queue_ms=3.000 late_max_ms=0.250 nice=5 locked=1");
	sample(10 * S);
	assert_true(value(M_playback_vmswap) == 420);
	assert_true(value(M_playback_majflt) == 7);
	assert_true(value(M_playback_read_ms) == 12.5);
	assert_true(value(M_playback_late_ms) == 0.25);
	assert_true(p->self.locked);
	assert_int_equal(p->self.nice, 5);
	say("second t=2 ns=3000000000 vmswap_kib=0 majflt=0 nice=5 locked=0");
	sample(11 * S);
	assert_int_equal(session.now.why[M_playback_read_ms], WHY_ABSENT);	/* and not 0 */
}

static void while_it_is_down_there_is_no_number(void **state)
{
	(void)state;
	sample(10 * S);
	assert_int_equal(session.now.why[M_playback_underruns], WHY_NO_SOURCE);
	hello();
	level("clock-200", 4, 100, 1000);
	sample(11 * S);
	session_playback_down(&session, "killed by signal 9 (Killed)");
	sample(12 * S);
	assert_int_equal(session.now.why[M_playback_underruns], WHY_NO_SOURCE);
	assert_int_equal(session.now.why[M_playback_gap_memory], WHY_NO_SOURCE);
}

static void underruns_of_the_headline_and_the_server_are_events(void **state)
{
	(void)state;
	hello();
	say("sink t=0 ns=1 sink=pulse state=playing buffer_ms=200.000");
	underrun("clock-20", 2 * S, 30, "cpu");
	assert_int_equal(events_of(EVENT_UNDERRUN), 0);
	underrun("clock-200", 3 * S, 312, "memory");
	assert_int_equal(events_of(EVENT_UNDERRUN), 1);
	assert_string_equal(last_event(),
			    "clock-200 silent for 312ms, cause memory (50ms memory, 3ms cpu)");
	assert_int_equal(events_get(&session.events, session.events.count - 1)->t_ns, 3 * S);
	underrun("pulse", 5 * S, 10, "server");
	assert_int_equal(events_of(EVENT_UNDERRUN), 2);
}

static void a_storm_of_gaps_leaves_room_for_other_events(void **state)
{
	(void)state;
	hello();
	for (int i = 0; i < 100; i++)
		underrun("clock-200", 3 * S + i * 50 * MS, 20, "memory");
	assert_int_equal(events_of(EVENT_UNDERRUN), 5);
	assert_int_equal(tally("clock-200").underruns, 100);
	assert_non_null(strstr(last_event(), "; 19 more before"));
}

static void a_sink_in_another_state_is_an_event(void **state)
{
	size_t before;

	(void)state;
	hello();
	say("sink t=0 ns=1 sink=pulse state=connecting");
	before = session.events.count;
	say("sink t=0 ns=1 sink=pulse state=absent why=\"no server\"");
	assert_int_equal(session.events.count, before + 1);
	assert_string_equal(last_event(), "playback pulse is absent: no server");
	say("sink t=0 ns=1 sink=pulse state=absent why=\"no server\"");
	assert_int_equal(session.events.count, before + 1);
}

static void no_underrun_is_said_with_its_bound(void **state)
{
	struct playback_tally t = { .due_ns = 376 * S };
	char text[80];

	(void)state;
	assert_string_equal(playback_rate_text(&t, text, sizeof(text)), "0 in 376 s (< 0.48/min)");
	t.underruns = 3;
	t.due_ns = 60 * S;
	assert_string_equal(playback_rate_text(&t, text, sizeof(text)), "3 in 60 s (3.00/min)");
	t = (struct playback_tally){ 0 };
	assert_string_equal(playback_rate_text(&t, text, sizeof(text)), "0");
}

static void the_verdict_names_the_causes_and_the_next_step(void **state)
{
	char text[400];

	(void)state;
	hello();
	level("clock-200", 0, 0, 60000);
	assert_string_equal(playback_verdict(p, text, sizeof(text)), "underruns: 0 in 60 s (< 3.00/min)");
	for (int i = 0; i < 9; i++)
		underrun("clock-200", 2 * S, 100, "memory");
	underrun("clock-200", 2 * S, 100, "file");
	underrun("clock-200", 2 * S, 100, "file");
	underrun("clock-200", 2 * S, 100, "cpu");
	assert_string_equal(playback_verdict(p, text, sizeof(text)),
			    "12 underruns in 60 s: 9 waited for its own memory, 2 for the sound file, "
			    "1 for the CPU; locking the probe's memory would rule out the first");
	say("second t=2 ns=3000000000 locked=1");
	playback_verdict(p, text, sizeof(text));
	assert_null(strstr(text, "rule out"));
}

static void text_of_the_probe_is_made_safe(void **state)
{
	(void)state;
	hello();
	say("file t=1 ns=1 state=playing path=\"/tmp/\\x1b[2Jx\"");
	assert_null(strchr(p->file, '\x1b'));
	say("control t=1 ns=1 what=\"nice \\x07\" done=0 why=\"not permitted\"");
	assert_null(strchr(p->answer, '\x07'));
	assert_true(p->refused);
	say("vmtop-playback: \x1b[2J");
	session_playback_down(&session, "ended");
	assert_null(strchr(p->why, '\x1b'));
}

static void lines_of_no_sense_do_no_harm(void **state)
{
	static const char *const lines[] = {
		"", "#", "underrun", "underrun sink=", "level sink=clock-200 underruns=-1 due_ms=nan",
		"level sink=clock-200 underruns=99999999999999999999999", "sink sink=clock-200 buffer_ms=-5",
		"underrun sink=clock-200 gap_ms=1e300 cause=gremlins", "second", "total", "file", "control",
		"stall gap_ms=x", "what is this=7",
	};

	(void)state;
	hello();
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		say(lines[i]);
	for (int i = 0; i < 50; i++) {
		char line[64];

		snprintf(line, sizeof(line), "sink sink=s%d state=playing", i);
		say(line);
	}
	assert_int_equal(p->nsinks, PLAYBACK_SINKS_MAX);
	assert_true(tally("clock-200").silent_ns >= 0);
	assert_int_equal(tally("clock-200").underruns, 1);	/* the one of a cause unheard of */
	sample(10 * S);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_line_brings_it_up),
		TEST(another_protocol_is_not_guessed_at),
		TEST(an_underrun_counts_once_although_told_twice),
		TEST(a_silence_that_lasts_is_in_the_sum_before_it_ends),
		TEST(counts_survive_a_death),
		TEST(one_that_cannot_live_does_not_fill_the_events),
		TEST(gaps_become_metrics_of_their_cause_once),
		TEST(what_the_probe_says_of_itself_is_a_metric_each),
		TEST(while_it_is_down_there_is_no_number),
		TEST(underruns_of_the_headline_and_the_server_are_events),
		TEST(a_storm_of_gaps_leaves_room_for_other_events),
		TEST(a_sink_in_another_state_is_an_event),
		TEST(no_underrun_is_said_with_its_bound),
		TEST(the_verdict_names_the_causes_and_the_next_step),
		TEST(text_of_the_probe_is_made_safe),
		TEST(lines_of_no_sense_do_no_harm),
	};

	return TAP_RUN(tests, NULL, NULL);
}
