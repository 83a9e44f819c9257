/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of the probes that are programs of their own, in both directions. */
#include "tests/tap.h"

#include <errno.h>
#include <string.h>

#include "src/probe_line.h"

static int parse(struct probe_line *line, const char *s)
{
	return probe_line_parse(line, s, strlen(s));
}

static void a_line_has_a_word_and_pairs(void **state)
{
	struct probe_line line;
	double gap;
	int64_t ns;

	(void)state;
	assert_int_equal(0, parse(&line, "underrun t=1.5 ns=9007199254740993 sink=clock-100 "
		"gap_ms=412.250 cause=memory"));
	assert_string_equal("underrun", line.word);
	assert_int_equal(5, line.pairs);
	assert_string_equal("clock-100", probe_line_text(&line, "sink"));
	assert_int_equal(0, probe_line_number(&line, "gap_ms", &gap));
	assert_true(gap == 412.25);
	assert_int_equal(0, probe_line_integer(&line, "ns", &ns));
	assert_true(ns == INT64_C(9007199254740993));
	assert_string_equal("memory", probe_line_text(&line, "cause"));
}

static void what_is_not_there_is_not_zero(void **state)
{
	struct probe_line line;
	double value = 7;
	int64_t integer = 7;

	(void)state;
	assert_int_equal(0, parse(&line, "second t=1 empty= odd=1x inf=inf big=1e999 "
		"wide=9223372036854775808 sign=+1 frac=1.5"));
	assert_null(probe_line_text(&line, "vmswap_kib"));
	assert_int_equal(-ENOENT, probe_line_number(&line, "vmswap_kib", &value));
	assert_int_equal(-ENOENT, probe_line_integer(&line, "vmswap_kib", &integer));
	assert_string_equal("", probe_line_text(&line, "empty"));
	for (const char *const *key = (const char *const[]){ "empty", "odd", "inf", "big", "sign",
			NULL }; *key; key++)
		assert_int_equal(-EINVAL, probe_line_number(&line, *key, &value));
	for (const char *const *key = (const char *const[]){ "empty", "odd", "wide", "sign", "frac",
			NULL }; *key; key++)
		assert_int_equal(-EINVAL, probe_line_integer(&line, *key, &integer));
	assert_true(value == 7 && integer == 7);
}

static void what_is_for_people_has_no_word(void **state)
{
	struct probe_line line;

	(void)state;
	assert_int_equal(0, parse(&line, "end"));
	assert_string_equal("end", line.word);
	assert_int_equal(0, line.pairs);
	assert_int_equal(0, parse(&line, "# for people: x=\"1"));
	assert_string_equal("", line.word);
	assert_int_equal(0, parse(&line, ""));
	assert_string_equal("", line.word);
	assert_int_equal(-EINVAL, parse(&line, "level t"));
	assert_string_equal("", line.word);
}

static void what_is_no_line_is_refused(void **state)
{
	static const char *const bad[] = {
		" level", "Level t=1", "level  t=1", "level t", "level =1", "level t=1=2",
		"level t=\"1", "level t=\"1\"2", "level t=\"\\q\"", "level t=\"\\x0\"",
		"level t=\"\\x00\"", "level t=a\"b", "level t=a\\b", "level\tt=1", "level,t=1",
	};
	struct probe_line line;
	char *longest = calloc(1, PROBE_LINE_MAX + 1);

	(void)state;
	/* A blank at the end is no pair, and not worth a quarrel. */
	assert_int_equal(0, parse(&line, "level t=1 "));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (parse(&line, bad[i]) != -EINVAL)
			fail_msg("taken for a line: '%s'", bad[i]);
	assert_int_equal(-EINVAL, probe_line_parse(&line, "end\0", 4));
	memset(longest, 'a', PROBE_LINE_MAX);
	assert_int_equal(-E2BIG, parse(&line, longest));
	longest[PROBE_LINE_MAX - 1] = '\0';
	assert_int_equal(0, parse(&line, longest));
	free(longest);
}

static void too_many_pairs_are_refused(void **state)
{
	struct probe_line line;
	char text[8 + 8 * (PROBE_PAIRS_MAX + 1)];
	size_t n = (size_t)sprintf(text, "level");

	(void)state;
	for (int i = 0; i < PROBE_PAIRS_MAX; i++)
		n += (size_t)sprintf(text + n, " k%d=%d", i, i);
	assert_int_equal(0, parse(&line, text));
	assert_string_equal("31", probe_line_text(&line, "k31"));
	sprintf(text + n, " x=1");
	assert_int_equal(-E2BIG, parse(&line, text));
}

static void what_is_written_can_be_read(void **state)
{
	static const char *const texts[] = {
		"plain", "", " ", "two words", "a=b", "\"quoted\"", "back\\slash", "\\x41",
		"new\nline\tand\x1b[31m", "\x7f", "\xc3\x9cx", "\xff\xfe",
	};
	struct probe_writer w;
	struct probe_line line;
	double number;
	int64_t integer;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		probe_write(&w, "file");
		probe_write_text(&w, "path", texts[i]);
		probe_write_integer(&w, "ns", INT64_MIN);
		probe_write_ms(&w, "gap_ms", 1234567);
		assert_false(w.cut);
		assert_null(strpbrk(w.text, "\n\t\x1b\x7f"));
		assert_int_equal(0, probe_line_parse(&line, w.text, w.length));
		assert_string_equal("file", line.word);
		assert_string_equal(texts[i], probe_line_text(&line, "path"));
		assert_int_equal(0, probe_line_integer(&line, "ns", &integer));
		assert_true(integer == INT64_MIN);
		assert_int_equal(0, probe_line_number(&line, "gap_ms", &number));
		assert_true(number == 1.235);
	}
}

static void a_pair_without_room_is_left_out_whole(void **state)
{
	struct probe_writer w;
	struct probe_line line;
	char text[3000];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	probe_write(&w, "file");
	probe_write_text(&w, "path", text);
	probe_write_integer(&w, "ns", 5);
	assert_true(w.cut);
	assert_string_equal("file ns=5", w.text);
	memset(text, '\n', sizeof(text) - 1);
	probe_write(&w, "file");
	probe_write_text(&w, "path", text);
	assert_int_equal(0, probe_line_parse(&line, w.text, w.length));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_a_word_and_pairs),
		cmocka_unit_test(what_is_not_there_is_not_zero),
		cmocka_unit_test(what_is_for_people_has_no_word),
		cmocka_unit_test(what_is_no_line_is_refused),
		cmocka_unit_test(too_many_pairs_are_refused),
		cmocka_unit_test(what_is_written_can_be_read),
		cmocka_unit_test(a_pair_without_room_is_left_out_whole),
	};

	return TAP_RUN(tests, NULL, NULL);
}
