/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of the playback probe, in both directions. */
#include "tests/tap.h"

#include <errno.h>
#include <string.h>

#include "src/playback_line.h"

static int parse(struct playback_line *line, const char *s)
{
	return playback_line_parse(line, s, strlen(s));
}

static void a_line_has_a_word_and_pairs(void **state)
{
	struct playback_line line = { .pairs = 0 };
	double gap;
	int64_t ns;

	(void)state;
	assert_int_equal(0, parse(&line, "underrun t=1.5 ns=9007199254740993 sink=clock-100 "
		"gap_ms=412.250 cause=memory"));
	assert_int_equal(PLAYBACK_UNDERRUN, line.word);
	assert_int_equal(5, line.pairs);
	assert_string_equal("clock-100", playback_line_text(&line, "sink"));
	assert_int_equal(0, playback_line_number(&line, "gap_ms", &gap));
	assert_true(gap == 412.25);
	assert_int_equal(0, playback_line_integer(&line, "ns", &ns));
	assert_true(ns == INT64_C(9007199254740993));
	assert_int_equal(PLAYBACK_MEMORY,
		playback_cause_of(playback_line_text(&line, "cause")));
}

static void what_is_not_there_is_not_zero(void **state)
{
	struct playback_line line = { .pairs = 0 };
	double value = 7;
	int64_t integer = 7;

	(void)state;
	assert_int_equal(0, parse(&line, "second t=1 empty= odd=1x inf=inf big=1e999 "
		"wide=9223372036854775808 sign=+1 frac=1.5"));
	assert_null(playback_line_text(&line, "vmswap_kib"));
	assert_int_equal(-ENOENT, playback_line_number(&line, "vmswap_kib", &value));
	assert_int_equal(-ENOENT, playback_line_integer(&line, "vmswap_kib", &integer));
	assert_string_equal("", playback_line_text(&line, "empty"));
	for (const char *const *key = (const char *const[]){ "empty", "odd", "inf", "big", "sign",
			NULL }; *key; key++)
		assert_int_equal(-EINVAL, playback_line_number(&line, *key, &value));
	for (const char *const *key = (const char *const[]){ "empty", "odd", "wide", "sign", "frac",
			NULL }; *key; key++)
		assert_int_equal(-EINVAL, playback_line_integer(&line, *key, &integer));
	assert_true(value == 7 && integer == 7);
}

static void words_of_later_versions_are_skipped(void **state)
{
	struct playback_line line = { .pairs = 0 };

	(void)state;
	assert_int_equal(0, parse(&line, "novelty t=1 much=more"));
	assert_int_equal(PLAYBACK_UNKNOWN_WORD, line.word);
	assert_int_equal(0, parse(&line, "end"));
	assert_int_equal(PLAYBACK_END, line.word);
	assert_int_equal(0, parse(&line, "# for people: x=\"1"));
	assert_int_equal(PLAYBACK_NOTHING, line.word);
	assert_int_equal(0, parse(&line, ""));
	assert_int_equal(PLAYBACK_NOTHING, line.word);
	assert_int_equal(PLAYBACK_UNKNOWN, playback_cause_of("weather"));
	assert_int_equal(PLAYBACK_UNKNOWN, playback_cause_of(NULL));
}

static void what_is_no_line_is_refused(void **state)
{
	static const char *const bad[] = {
		" level", "Level t=1", "level  t=1", "level t", "level =1", "level t=1=2",
		"level t=\"1", "level t=\"1\"2", "level t=\"\\q\"", "level t=\"\\x0\"",
		"level t=\"\\x00\"", "level t=a\"b", "level t=a\\b", "level\tt=1", "level,t=1",
	};
	struct playback_line line = { .pairs = 0 };
	char *longest = calloc(1, PLAYBACK_LINE_MAX + 1);

	(void)state;
	/* A blank at the end is no pair, and not worth a quarrel. */
	assert_int_equal(0, parse(&line, "level t=1 "));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (parse(&line, bad[i]) != -EINVAL)
			fail_msg("taken for a line: '%s'", bad[i]);
	assert_int_equal(-EINVAL, playback_line_parse(&line, "end\0", 4));
	memset(longest, 'a', PLAYBACK_LINE_MAX);
	assert_int_equal(-E2BIG, parse(&line, longest));
	longest[PLAYBACK_LINE_MAX - 1] = '\0';
	assert_int_equal(0, parse(&line, longest));
	free(longest);
}

static void too_many_pairs_are_refused(void **state)
{
	struct playback_line line = { .pairs = 0 };
	char text[8 + 8 * (PLAYBACK_PAIRS_MAX + 1)];
	size_t n = (size_t)sprintf(text, "level");

	(void)state;
	for (int i = 0; i < PLAYBACK_PAIRS_MAX; i++)
		n += (size_t)sprintf(text + n, " k%d=%d", i, i);
	assert_int_equal(0, parse(&line, text));
	assert_string_equal("31", playback_line_text(&line, "k31"));
	snprintf(text + n, sizeof(text) - n, " x=1");
	assert_int_equal(-E2BIG, parse(&line, text));
}

static void what_is_written_can_be_read(void **state)
{
	static const char *const texts[] = {
		"plain", "", " ", "two words", "a=b", "\"quoted\"", "back\\slash", "\\x41",
		"new\nline\tand\x1b[31m", "\x7f", "H\xc3\xbcte", "\xff\xfe",
	};
	struct playback_writer w;
	struct playback_line line = { .pairs = 0 };
	double number;
	int64_t integer;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		playback_write(&w, PLAYBACK_FILE);
		playback_write_text(&w, "path", texts[i]);
		playback_write_integer(&w, "ns", INT64_MIN);
		playback_write_ms(&w, "gap_ms", 1234567);
		assert_false(w.cut);
		assert_null(strpbrk(w.text, "\n\t\x1b\x7f"));
		assert_int_equal(0, playback_line_parse(&line, w.text, w.length));
		assert_int_equal(PLAYBACK_FILE, line.word);
		assert_string_equal(texts[i], playback_line_text(&line, "path"));
		assert_int_equal(0, playback_line_integer(&line, "ns", &integer));
		assert_true(integer == INT64_MIN);
		assert_int_equal(0, playback_line_number(&line, "gap_ms", &number));
		assert_true(number == 1.235);
	}
}

static void a_pair_without_room_is_left_out_whole(void **state)
{
	struct playback_writer w;
	struct playback_line line = { .pairs = 0 };
	char text[3000];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	playback_write(&w, PLAYBACK_FILE);
	playback_write_text(&w, "path", text);
	playback_write_integer(&w, "ns", 5);
	assert_true(w.cut);
	assert_string_equal("file ns=5", w.text);
	memset(text, '\n', sizeof(text) - 1);
	playback_write(&w, PLAYBACK_FILE);
	playback_write_text(&w, "path", text);
	assert_int_equal(0, playback_line_parse(&line, w.text, w.length));
}

static void every_cause_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int i = 0; i < PLAYBACK_CAUSES; i++)
		assert_int_equal(i, playback_cause_of(playback_cause_name((enum playback_cause)i)));
	for (int i = 0; i < PLAYBACK_SHARES; i++)
		assert_non_null(playback_share_key((enum playback_cause)i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_a_word_and_pairs),
		cmocka_unit_test(what_is_not_there_is_not_zero),
		cmocka_unit_test(words_of_later_versions_are_skipped),
		cmocka_unit_test(what_is_no_line_is_refused),
		cmocka_unit_test(too_many_pairs_are_refused),
		cmocka_unit_test(what_is_written_can_be_read),
		cmocka_unit_test(a_pair_without_room_is_left_out_whole),
		cmocka_unit_test(every_cause_has_a_name_of_its_own),
	};

	return TAP_RUN(tests, NULL, NULL);
}
