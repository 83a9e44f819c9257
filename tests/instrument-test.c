/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs beside vmtop: lines, deaths, pauses, the end. The program is a shell's script. */
#include "tests/tap.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/clock.h"
#include "src/instrument.h"
#include "src/xalloc.h"

#define S 1000000000LL

static struct instrument *p;
static char *argv[4];
static const char *text;
static size_t length;
static int64_t skipped_ns;	/* by which the test's clock is ahead */

static void begin(const char *script)
{
	static char sh[] = "/bin/sh", c[] = "-c";

	argv[0] = sh;
	argv[1] = c;
	argv[2] = xasprintf("%s", script);
	skipped_ns = 0;
	p = instrument_new(argv, 0);
}

static int teardown(void **state)
{
	(void)state;
	instrument_free(p);
	free(argv[2]);
	p = NULL;
	argv[2] = NULL;
	return 0;
}

/* The next news; pauses between starts are passed over, not waited for. Ends after 10 s. */
static enum instrument_news next(void)
{
	int64_t until_ns = clock_ns() + 10 * S;

	while (clock_ns() < until_ns) {
		enum instrument_news news = instrument_next(p, clock_ns() + skipped_ns, &text, &length);
		struct pollfd fd = { .fd = instrument_fd(p), .events = POLLIN };

		if (news != INSTRUMENT_NOTHING)
			return news;
		poll(&fd, 1, 10);
	}
	return INSTRUMENT_NOTHING;
}

static int64_t pause_ns(void)
{
	return instrument_due_ns(p) - (clock_ns() + skipped_ns);
}

static void lines_come_one_by_one_whole(void **state)
{
	(void)state;
	begin("printf 'one\\ntwo two\\n\\nth'; sleep 0.05; echo ree; read end");
	assert_int_equal(next(), INSTRUMENT_STARTED);
	assert_true(instrument_pid(p) > 0);
	assert_int_equal(next(), INSTRUMENT_LINE_READ);
	assert_string_equal(text, "one");
	assert_int_equal(next(), INSTRUMENT_LINE_READ);
	assert_string_equal(text, "two two");
	assert_int_equal(length, 7);
	assert_int_equal(next(), INSTRUMENT_LINE_READ);
	assert_int_equal(length, 0);
	assert_int_equal(next(), INSTRUMENT_LINE_READ);
	assert_string_equal(text, "three");
}

static void many_lines_lose_nothing(void **state)
{
	char want[16];

	(void)state;
	begin("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i + 1)); done; read end");
	assert_int_equal(next(), INSTRUMENT_STARTED);
	for (int i = 0; i < 20000; i++) {
		assert_int_equal(next(), INSTRUMENT_LINE_READ);
		snprintf(want, sizeof(want), "line %d", i);
		assert_string_equal(text, want);
	}
}

static void a_line_without_end_is_cut_and_the_next_one_whole(void **state)
{
	(void)state;
	begin("head -c 100000 /dev/zero | tr '\\0' x; echo; echo after; read end");
	assert_int_equal(next(), INSTRUMENT_STARTED);
	assert_int_equal(next(), INSTRUMENT_LINE_READ);
	assert_int_equal(length, INSTRUMENT_LINE - 1);
	assert_int_equal(next(), INSTRUMENT_LINE_READ);
	assert_string_equal(text, "after");
}

static void it_is_told_lines(void **state)
{
	char longest[8192];

	(void)state;
	begin("while read line; do echo \"got $line\"; done");
	assert_int_equal(instrument_say(p, "early"), -ENOTCONN);
	assert_int_equal(next(), INSTRUMENT_STARTED);
	assert_int_equal(instrument_say(p, "nice 5"), 0);
	assert_int_equal(next(), INSTRUMENT_LINE_READ);
	assert_string_equal(text, "got nice 5");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(instrument_say(p, longest), -EMSGSIZE);
}

static void one_that_does_not_read_blocks_nobody(void **state)
{
	int error = 0;

	(void)state;
	begin("echo ready; exec sleep 60");
	assert_int_equal(next(), INSTRUMENT_STARTED);
	assert_int_equal(next(), INSTRUMENT_LINE_READ);
	for (int i = 0; i < 100000 && !error; i++)
		error = instrument_say(p, "pause");
	assert_int_equal(error, -EAGAIN);
}

static void a_death_says_how_and_after_a_pause_it_starts_again(void **state)
{
	(void)state;
	begin("echo here; kill -9 $$");
	for (int64_t want = 1; want <= 60; want = want < 32 ? 2 * want : want + 28) {
		assert_int_equal(next(), INSTRUMENT_STARTED);
		assert_int_equal(next(), INSTRUMENT_LINE_READ);
		assert_int_equal(next(), INSTRUMENT_DIED);
		assert_string_equal(text, "killed by signal 9 (Killed)");
		assert_int_equal(instrument_pid(p), 0);
		assert_int_equal(instrument_fd(p), -1);
		assert_in_range(pause_ns() / (S / 10), want * 10 - 5, want * 10);
		assert_int_equal(instrument_next(p, clock_ns() + skipped_ns, &text, &length),
				 INSTRUMENT_NOTHING);
		skipped_ns += want * S;
	}
}

static void one_that_lived_long_is_started_again_soon(void **state)
{
	(void)state;
	begin("echo; exit 3");
	for (int i = 0; i < 3; i++) {
		assert_int_equal(next(), INSTRUMENT_STARTED);
		assert_int_equal(next(), INSTRUMENT_LINE_READ);
		assert_int_equal(next(), INSTRUMENT_DIED);
		assert_string_equal(text, "ended with exit status 3");
		skipped_ns += 60 * S;
	}
	assert_int_equal(next(), INSTRUMENT_STARTED);
	assert_int_equal(next(), INSTRUMENT_LINE_READ);
	skipped_ns += 61 * S;	/* it lives on meanwhile */
	assert_int_equal(next(), INSTRUMENT_DIED);
	assert_in_range(pause_ns() / (S / 10), 5, 10);
}

static void what_closes_its_output_and_stays_is_killed(void **state)
{
	(void)state;
	begin("exec >/dev/null 2>&1; exec sleep 60");
	assert_int_equal(next(), INSTRUMENT_STARTED);
	assert_int_equal(next(), INSTRUMENT_DIED);
	assert_string_equal(text, "killed by signal 9 (Killed)");
}

static void a_program_that_is_not_there_is_given_up(void **state)
{
	static char none[] = "/nonexistent/program";
	static char *nothing[] = { none, NULL };

	(void)state;
	p = instrument_new(nothing, 0);
	assert_int_equal(next(), INSTRUMENT_FAILED);
	assert_string_equal(text, "/nonexistent/program: No such file or directory");
	assert_int_equal(instrument_next(p, clock_ns() + 3600 * S, &text, &length),
			 INSTRUMENT_NOTHING);
	assert_true(instrument_due_ns(p) == INT64_MAX);
}

static char last[64];

static void take(void *arg, const char *line, size_t n)
{
	(void)n;
	snprintf(arg, sizeof(last), "%s", line);
}

static void at_the_end_its_last_lines_are_taken(void **state)
{
	pid_t pid;

	(void)state;
	begin("echo ready; cat >/dev/null; echo first; echo last; exit 0");
	assert_int_equal(next(), INSTRUMENT_STARTED);
	assert_int_equal(next(), INSTRUMENT_LINE_READ);
	pid = instrument_pid(p);
	instrument_end(p, 10 * S, take, last);
	assert_string_equal(last, "last");
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(instrument_next(p, clock_ns() + 3600 * S, &text, &length),
			 INSTRUMENT_NOTHING);
}

static void one_that_does_not_end_is_killed_at_the_end(void **state)
{
	pid_t pid;

	(void)state;
	begin("trap '' TERM; echo ready; while :; do sleep 1; done");
	assert_int_equal(next(), INSTRUMENT_STARTED);
	assert_int_equal(next(), INSTRUMENT_LINE_READ);
	pid = instrument_pid(p);
	instrument_end(p, S / 10, take, last);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
}

#define TEST(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lines_come_one_by_one_whole),
		TEST(many_lines_lose_nothing),
		TEST(a_line_without_end_is_cut_and_the_next_one_whole),
		TEST(it_is_told_lines),
		TEST(one_that_does_not_read_blocks_nobody),
		TEST(a_death_says_how_and_after_a_pause_it_starts_again),
		TEST(one_that_lived_long_is_started_again_soon),
		TEST(what_closes_its_output_and_stays_is_killed),
		TEST(a_program_that_is_not_there_is_given_up),
		TEST(at_the_end_its_last_lines_are_taken),
		TEST(one_that_does_not_end_is_killed_at_the_end),
	};

	signal(SIGPIPE, SIG_IGN);
	return TAP_RUN(tests, NULL, NULL);
}
