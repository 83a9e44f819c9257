/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tap.h"

#include <string.h>

#include "src/outlines.h"
#include "src/text.h"

static struct outlines *o;
static char lines[OUTLINES_KEEP + 1][OUTLINES_LINE];

static int setup(void **state)
{
	(void)state;
	o = outlines_new();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	outlines_free(o);
	return 0;
}

static void feed(const char *s)
{
	outlines_feed(o, s, strlen(s));
}

/* The text of all lines, joined by '|'. */
static const char *all(void)
{
	static char text[4096];
	size_t n = outlines_get(o, 0, lines, 64), used = 0;

	*text = '\0';
	for (size_t i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? "|" : "",
					 lines[i]);
	return text;
}

/* Gives input whole, then cut at each place, then byte by byte: the lines must be the same. */
static void check(const char *input, size_t len, const char *expected)
{
	for (size_t cut = 0; cut <= len; cut++) {
		outlines_free(o);
		o = outlines_new();
		outlines_feed(o, input, cut);
		outlines_feed(o, input + cut, len - cut);
		assert_string_equal(all(), expected);
	}
	outlines_free(o);
	o = outlines_new();
	for (size_t i = 0; i < len; i++)
		outlines_feed(o, input + i, 1);
	assert_string_equal(all(), expected);
}

#define CHECK(input, expected) check(input, sizeof(input) - 1, expected)

static void a_terminal_line_end_ends_a_line(void **state)
{
	(void)state;
	CHECK("one\r\ntwo\n\r\nfour", "one|two||four");
	assert_int_equal(outlines_total(o), 4);
	feed("\r\n");
	assert_int_equal(outlines_total(o), 4);
}

static void carriage_return_overwrites(void **state)
{
	(void)state;
	CHECK("50%\r100%\r\n", "100%");
	CHECK("progress 100\rprogress 7\n", "progress 700");
	CHECK("progress 100\r\033[Kdone\n", "done");
	CHECK("progress 100\rdone\033[K\n", "done");
	CHECK("abcdef\r\033[2Kx\n", "x");
	CHECK("abcdef\rabc\033[1Kx\n", "   xef");
}

static void backspace_steps_back_and_not_beyond_the_start(void **state)
{
	(void)state;
	CHECK("ab\b\bcd\n", "cd");
	CHECK("a\b\b\b\bxy\n", "xy");
	CHECK("12|\b/\b-\n", "12-");
}

static void tabs_go_to_columns_of_eight(void **state)
{
	(void)state;
	CHECK("a\tb\n", "a       b");
	CHECK("12345678\tb\n", "12345678        b");
	CHECK("longer text\r\tX\n", "longer tXxt");
}

static void control_sequences_vanish(void **state)
{
	(void)state;
	CHECK("\033[1;31mred\033[0m plain\n", "red plain");
	CHECK("\033[?25l\033[2J\033[Hhome\033[?25h\n", "home");
	CHECK("\033[38:2::255:0:0mx\033[>4;1my\033[ qz\n", "xyz");
	CHECK("\033[31", "");
	CHECK("\033[31\nnext\n", "|next");
	CHECK("a\033[3\0302mb\n", "a2mb");
}

static void character_sets_and_short_escapes_vanish(void **state)
{
	(void)state;
	CHECK("\033(B\033)0\033*A\033#8a\033=\033>\0337\0338b\033c\n", "ab");
	CHECK("\033\033[1mx\n", "x");
	CHECK("\033%Gx\n", "x");
}

static void titles_and_device_strings_vanish(void **state)
{
	(void)state;
	CHECK("\033]0;title\007text\n", "text");
	CHECK("\033]8;;http://x/\033\\link\033]8;;\033\\\n", "link");
	CHECK("\033Pq#0;2;0;0;0~-\033\\text\n", "text");
	CHECK("\033_apc\033\\\033^pm\033\\\033Xsos\033\\text\n", "text");
	CHECK("\033]0;t\303\244tel\007text\n", "text");
}

/* A title without an end must not take the output that follows. */
static void a_string_without_end_takes_its_line_only(void **state)
{
	(void)state;
	CHECK("\033]0;never ends\r\nnext\r\n", "|next");
	CHECK("a\033Pnever ends\nnext\n", "a|next");
	CHECK("\033]0;t\033[1mx\n", "x");
	CHECK("\033]0;t\030x\n", "x");
}

/* C1 controls as UTF-8 begin the same sequences. */
static void eight_bit_controls_vanish(void **state)
{
	(void)state;
	CHECK("\302\233" "31mred\n", "red");
	CHECK("\302\235" "0;title\302\234text\n", "text");
	CHECK("\302\235" "0;t\303\234tel\007text\n", "text");
	CHECK("\302\235" "0;title\007text\n", "text");
	CHECK("a\302\205b\n", "ab");
}

static void other_controls_vanish(void **state)
{
	(void)state;
	CHECK("a\007b\000c\016\017d\177e\n", "abcde");
	CHECK("a\vb\fc\n", "a|b|c");
}

static void whole_characters_stay(void **state)
{
	(void)state;
	CHECK("gr\303\274n \342\202\254 \360\237\230\200 \344\270\255\n",
	      "gr\303\274n \342\202\254 \360\237\230\200 \344\270\255");
	CHECK("\303\274\bx\n", "x");
}

static void what_is_not_utf8_becomes_a_replacement(void **state)
{
	(void)state;
	CHECK("a\377b\n", "a\357\277\275b");
	CHECK("a\303b\n", "a\357\277\275b");
	CHECK("a\342\202b\n", "a\357\277\275\357\277\275b");
	CHECK("\300\257\n", "\357\277\275\357\277\275");
	CHECK("\355\240\200\n", "\357\277\275\357\277\275\357\277\275");
	CHECK("x\342\n", "x\357\277\275");
	/* An override of the writing direction is valid UTF-8, and no text. */
	CHECK("a\342\200\256b\n", "a\357\277\275b");
}

static void a_long_line_goes_on_in_the_next(void **state)
{
	char text[3 * OUTLINES_LINE];

	(void)state;
	memset(text, 'a', sizeof(text));
	text[OUTLINES_LINE - 1] = 'b';
	text[1000] = '\n';
	outlines_feed(o, text, 1001);
	feed("next\n");
	assert_int_equal(outlines_total(o), 3);
	assert_int_equal(outlines_get(o, 0, lines, 3), 3);
	assert_int_equal(strlen(lines[0]), OUTLINES_LINE - 1);
	assert_int_equal(strlen(lines[1]), 1000 - (OUTLINES_LINE - 1));
	assert_int_equal(lines[1][0], 'b');
	assert_string_equal(lines[2], "next");
}

/* Each character is whole: none is cut in the middle where the line is full. */
static void a_long_line_of_wide_characters_is_cut_between_them(void **state)
{
	const char *p;

	(void)state;
	for (int i = 0; i < 400; i++)
		feed("\360\237\230\200");
	feed("\n");
	assert_int_equal(outlines_get(o, 0, lines, 8), 4);
	for (size_t i = 0; i < 4; i++)
		for (p = lines[i]; *p;)
			assert_int_equal(text_decode(&p, p + strlen(p)), 0x1F600);
	assert_int_equal(strlen(lines[0]), 127 * 4);
	assert_int_equal(strlen(lines[3]), 19 * 4);
}

static void overwriting_with_longer_characters_stays_within_the_line(void **state)
{
	(void)state;
	for (int i = 0; i < 500; i++)
		feed("a");
	feed("\r");
	for (int i = 0; i < 400; i++)
		feed("\342\202\254");
	feed("\nnext\n");
	outlines_get(o, 0, lines, 1);
	assert_string_equal(lines[0], "next");
	assert_int_equal(outlines_total(o), 4);
	outlines_get(o, 3, lines, 1);
	assert_int_equal(strlen(lines[0]), 170 * 3);
}

static void a_tab_at_the_end_of_a_long_line_ends(void **state)
{
	(void)state;
	for (int i = 0; i < 300; i++)
		feed("abc\t");
	feed("\n");
	assert_int_equal(outlines_total(o), 5);
}

static void old_lines_are_dropped_and_counted(void **state)
{
	char text[32];

	(void)state;
	for (int i = 0; i < 10000; i++) {
		snprintf(text, sizeof(text), "line %d\r\n", i);
		feed(text);
	}
	assert_int_equal(outlines_total(o), 10000);
	assert_int_equal(outlines_dropped(o), 10000 - OUTLINES_KEEP);
	assert_int_equal(outlines_get(o, 0, lines, OUTLINES_KEEP + 1), OUTLINES_KEEP);
	assert_string_equal(lines[0], "line 6000");
	assert_string_equal(lines[OUTLINES_KEEP - 1], "line 9999");
}

static void long_lines_are_dropped_by_bytes(void **state)
{
	char text[OUTLINES_LINE];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (int i = 0; i < 10000; i++) {
		snprintf(text, 8, "%06d", i);
		text[6] = 'x';
		feed(text);
		feed("\n");
	}
	assert_int_equal(outlines_total(o), 10000);
	assert_int_equal(outlines_dropped(o), 10000 - OUTLINES_BYTES / (OUTLINES_LINE - 1));
	outlines_get(o, 0, lines, 2);
	assert_memory_equal(lines[0], "009998xxx", 9);
	assert_memory_equal(lines[1], "009999xxx", 9);
	outlines_get(o, SIZE_MAX, lines, 1);
	snprintf(text, 8, "%06d", 10000 - OUTLINES_BYTES / (OUTLINES_LINE - 1));
	assert_memory_equal(lines[0], text, 6);
	assert_int_equal(strlen(lines[0]), OUTLINES_LINE - 1);
}

static void reading_skips_from_the_end_and_stops_at_the_oldest(void **state)
{
	(void)state;
	assert_int_equal(outlines_get(o, 0, lines, 3), 0);
	feed("1\n2\n3\n4\nunfinished");
	assert_int_equal(outlines_get(o, 0, lines, 2), 2);
	assert_string_equal(lines[0], "4");
	assert_string_equal(lines[1], "unfinished");
	assert_int_equal(outlines_get(o, 1, lines, 2), 2);
	assert_string_equal(lines[0], "3");
	assert_int_equal(outlines_get(o, 99, lines, 2), 2);
	assert_string_equal(lines[0], "1");
	assert_string_equal(lines[1], "2");
	assert_int_equal(outlines_get(o, 99, lines, 9), 5);
	assert_string_equal(lines[4], "unfinished");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(a_terminal_line_end_ends_a_line),
		T(carriage_return_overwrites),
		T(backspace_steps_back_and_not_beyond_the_start),
		T(tabs_go_to_columns_of_eight),
		T(control_sequences_vanish),
		T(character_sets_and_short_escapes_vanish),
		T(titles_and_device_strings_vanish),
		T(a_string_without_end_takes_its_line_only),
		T(eight_bit_controls_vanish),
		T(other_controls_vanish),
		T(whole_characters_stay),
		T(what_is_not_utf8_becomes_a_replacement),
		T(a_long_line_goes_on_in_the_next),
		T(a_long_line_of_wide_characters_is_cut_between_them),
		T(overwriting_with_longer_characters_stays_within_the_line),
		T(a_tab_at_the_end_of_a_long_line_ends),
		T(old_lines_are_dropped_and_counted),
		T(long_lines_are_dropped_by_bytes),
		T(reading_skips_from_the_end_and_stops_at_the_oldest),
#undef T
	};

	return TAP_RUN(tests, NULL, NULL);
}
