/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the feel probe's lines to figures, metrics and events. */
#include "tests/tap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/session.h"

#define S 1000000000LL
#define MS 1000000LL

static struct session session;
static struct feel *f;

static int setup(void **state)
{
	(void)state;
	session_init(&session, "");
	f = &session.feel;
	f->on = true;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	session_done(&session);
	return 0;
}

static void say(const char *line)
{
	session_feel_line(&session, line, strlen(line));
}

static void hello(void)
{
	say("feel t=0 ns=1000000000 protocol=1 version=1 footprint_kib=70000 limit_kib=240000");
	for (int i = 0; i < FEEL_PROBES; i++) {
		char line[100];

		snprintf(line, sizeof(line), "probe t=0 ns=1000000000 probe=%s state=ready pid=%d",
			 feel_probe_name((enum feel_probe)i), 100 + i);
		say(line);
	}
}

static void sample(int64_t t_ns)
{
	struct sample s = { .mono_ns = t_ns, .due_ns = t_ns, .interval_ns = S };

	session_add(&session, &s);
}

static bool was_told(const char *text)
{
	for (size_t i = 0; i < session.events.count; i++)
		if (strcmp(events_get(&session.events, i)->text, text) == 0)
			return true;
	return false;
}

static void figures_become_metrics(void **state)
{
	int64_t value;

	(void)state;
	hello();
	assert_int_equal(f->footprint_kib, 70000);
	assert_int_equal(session.events.count, 0);	/* that all is well is no news */
	say("second t=1 ns=2000000000 probe=key last_ms=312.500 p99_ms=800.000 worst_ms=2100.000 count=4");
	sample(10 * S);
	assert_int_equal(session.now.why[M_feel_key_ms], WHY_OK);
	assert_true(session.now.value[M_feel_key_ms] == 312.5);
	assert_true(session.now.value[M_feel_key_p99] == 800e6);
	assert_int_equal(session.now.why[M_feel_page_ms], WHY_ABSENT);	/* and not 0 */
	assert_true(feel_figure(f, FEEL_KEY, FEEL_WORST, &value));
	assert_int_equal(value, 2100 * MS);
	assert_false(feel_figure(f, FEEL_KEY, FEEL_WAITING, &value));
}

static void while_it_is_down_there_is_no_number(void **state)
{
	(void)state;
	sample(10 * S);
	assert_int_equal(session.now.why[M_feel_key], WHY_NO_SOURCE);
	hello();
	say("second t=1 ns=2000000000 probe=key last_ms=1.000");
	session_feel_down(&session, "killed by signal 9 (Killed)");
	assert_true(was_told("the feel probe is gone: killed by signal 9 (Killed)"));
	sample(11 * S);
	assert_int_equal(session.now.why[M_feel_key], WHY_NO_SOURCE);
	session_feel_down(&session, "killed by signal 9 (Killed)");
	assert_int_equal(session.events.count, 1);
	hello();
	assert_true(was_told("the feel probe runs again"));
}

static void a_probe_that_cannot_be_is_told(void **state)
{
	(void)state;
	hello();
	say("probe t=1 ns=2000000000 probe=file state=absent reason=\"/tmp is in memory\"");
	assert_true(was_told("feel file is absent: /tmp is in memory"));
	assert_string_equal(f->probe[FEEL_FILE].reason, "/tmp is in memory");
}

static void another_protocol_is_not_guessed_at(void **state)
{
	(void)state;
	say("feel t=0 ns=1 protocol=7");
	assert_false(f->up);
	say("second t=1 ns=2000000000 probe=key last_ms=1.000");
	sample(10 * S);
	assert_int_equal(session.now.why[M_feel_key], WHY_NO_SOURCE);
}

static void lines_of_no_sense_do_no_harm_and_text_is_made_safe(void **state)
{
	static const char *const lines[] = {
		"", "#", "second", "second probe=elbow last_ms=1", "second probe=key last_ms=x",
		"probe", "probe probe=key", "end", "total probe=key", "what=1",
	};

	(void)state;
	hello();
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		say(lines[i]);
	assert_true(f->not_understood >= 3);
	say("probe t=1 ns=1 probe=page state=gone reason=\"\\x1b[2J\"");
	assert_null(strchr(f->probe[FEEL_PAGE].reason, '\x1b'));
	sample(10 * S);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(figures_become_metrics),
		TEST(while_it_is_down_there_is_no_number),
		TEST(a_probe_that_cannot_be_is_told),
		TEST(another_protocol_is_not_guessed_at),
		TEST(lines_of_no_sense_do_no_harm_and_text_is_made_safe),
	};

	return TAP_RUN(tests, NULL, NULL);
}
