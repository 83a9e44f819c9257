/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines that control the playback probe. */
#include "tests/tap.h"

#include <errno.h>
#include <string.h>

#include "probes/playback_control.h"

static int parse(const char *text, struct control *c, char *err)
{
	static char line[CONTROL_LINE_MAX];

	snprintf(line, sizeof(line), "%s", text);
	return control_parse(line, c, err, 80);
}

static void every_control_is_understood(void **state)
{
	struct control c;
	char err[80];

	(void)state;
	assert_int_equal(0, parse("nice -20", &c, err));
	assert_int_equal(CONTROL_NICE, c.kind);
	assert_int_equal(-20, c.number);
	assert_int_equal(0, parse("buffer 200", &c, err));
	assert_int_equal(CONTROL_BUFFER, c.kind);
	assert_int_equal(200, c.number);
	assert_int_equal(0, parse("lock on", &c, err));
	assert_true(c.kind == CONTROL_LOCK && c.on);
	assert_int_equal(0, parse("pause off", &c, err));
	assert_true(c.kind == CONTROL_PAUSE && !c.on);
	assert_int_equal(0, parse("file /music/A song = \"x\".flac", &c, err));
	assert_int_equal(CONTROL_FILE, c.kind);
	assert_string_equal("/music/A song = \"x\".flac", c.path);
	assert_int_equal(0, parse("file", &c, err));
	assert_string_equal("", c.path);
	assert_int_equal(0, parse("tone on", &c, err));
	assert_int_equal(0, parse("drop-cache on", &c, err));
	assert_int_equal(0, parse("quit", &c, err));
	assert_int_equal(CONTROL_QUIT, c.kind);
}

static void nonsense_is_refused_with_what_is_right(void **state)
{
	static const char *const bad[][2] = {
		{ "nice", "nice wants a number from -20 to 19" },
		{ "nice 20", "nice wants a number from -20 to 19" },
		{ "nice -21", "nice wants a number from -20 to 19" },
		{ "nice 1x", "nice wants a number from -20 to 19" },
		{ "nice +1", "nice wants a number from -20 to 19" },
		{ "nice 99999999999999999999", "nice wants a number from -20 to 19" },
		{ "buffer 14", "buffer wants a number of ms from 15 to 10000" },
		{ "buffer 10001", "buffer wants a number of ms from 15 to 10000" },
		{ "lock", "lock wants on or off" }, { "lock  on", "lock wants on or off" },
		{ "pause yes", "pause wants on or off" }, { "quit now", "quit wants no argument" },
		{ "", "no such control" }, { "volume 11", "no such control" },
		{ "NICE 1", "no such control" },
	};
	struct control c;
	char err[80];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(-EINVAL, parse(bad[i][0], &c, err));
		assert_string_equal(bad[i][1], err);
	}
}

struct taken {
	int lines, long_ones;
	char last[100];
};

static void take(void *to, char *line)
{
	struct taken *t = to;

	t->lines++;
	snprintf(t->last, sizeof(t->last), "%s", line);
}

static void too_long(void *to)
{
	((struct taken *)to)->long_ones++;
}

static void lines_come_in_any_bits(void **state)
{
	struct control_input in = { .length = 0 };
	struct taken t = { .lines = 0 };

	(void)state;
	control_feed(&in, "ni", 2, take, too_long, &t);
	assert_int_equal(0, t.lines);
	control_feed(&in, "ce 5\npause on\nqu", 16, take, too_long, &t);
	assert_int_equal(2, t.lines);
	assert_string_equal("pause on", t.last);
	control_feed(&in, "it\n", 3, take, too_long, &t);
	assert_string_equal("quit", t.last);
	assert_int_equal(0, t.long_ones);
}

static void a_line_too_long_is_dropped_whole(void **state)
{
	struct control_input in = { .length = 0 };
	struct taken t = { .lines = 0 };
	char bytes[3 * CONTROL_LINE_MAX];

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	control_feed(&in, bytes, sizeof(bytes), take, too_long, &t);
	assert_int_equal(1, t.long_ones);
	control_feed(&in, "\nquit\n", 6, take, too_long, &t);
	assert_int_equal(1, t.lines);
	assert_string_equal("quit", t.last);
	/* The longest that fits. */
	control_feed(&in, bytes, CONTROL_LINE_MAX - 1, take, too_long, &t);
	control_feed(&in, "\n", 1, take, too_long, &t);
	assert_int_equal(2, t.lines);
	assert_int_equal(1, t.long_ones);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_control_is_understood),
		cmocka_unit_test(nonsense_is_refused_with_what_is_right),
		cmocka_unit_test(lines_come_in_any_bits),
		cmocka_unit_test(a_line_too_long_is_dropped_whole),
	};

	return TAP_RUN(tests, NULL, NULL);
}
