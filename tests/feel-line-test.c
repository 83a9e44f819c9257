/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The vocabulary of vmtop-feel, in both directions. */
#include "tests/tap.h"

#include <errno.h>
#include <string.h>

#include "src/feel_line.h"

static int parse(struct feel_report *r, const char *text)
{
	struct probe_line line;

	assert_int_equal(0, probe_line_parse(&line, text, strlen(text)));
	return feel_report_parse(r, &line);
}

static void every_word_probe_and_key_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int i = 0; i < FEEL_WORDS; i++)
		assert_int_equal(i, feel_word_of(feel_word_name((enum feel_word)i)));
	for (int i = 0; i < FEEL_PROBES; i++)
		assert_int_equal(i, feel_probe_of(feel_probe_name((enum feel_probe)i)));
	for (int i = 0; i < FEEL_FIELDS; i++)
		for (int j = 0; j < i; j++)
			assert_string_not_equal(feel_field_key((enum feel_field)i),
				feel_field_key((enum feel_field)j));
	assert_int_equal(FEEL_UNKNOWN_WORD, feel_word_of("novelty"));
	assert_int_equal(FEEL_UNKNOWN_WORD, feel_word_of(""));
	assert_int_equal(FEEL_PROBES, feel_probe_of("smell"));
	assert_int_equal(FEEL_PROBES, feel_probe_of(NULL));
}

static void what_is_written_can_be_read(void **state)
{
	struct feel_report in = { .probe = FEEL_PAGE }, out;
	struct probe_writer w;
	struct probe_line line;

	(void)state;
	for (int i = 0; i < FEEL_FIELDS; i++)
		feel_report_set(&in, (enum feel_field)i, 3600000000000 + i * INT64_C(7000000));
	feel_line_begin(&w, FEEL_SECOND, 9007199254740993, 9007198254740993);
	feel_report_write(&w, &in);
	assert_false(w.cut);
	assert_int_equal(0, probe_line_parse(&line, w.text, w.length));
	assert_int_equal(FEEL_SECOND, feel_word_of(line.word));
	assert_string_equal("9007199254740993", probe_line_text(&line, "ns"));
	assert_string_equal("1.000", probe_line_text(&line, "t"));
	assert_int_equal(0, feel_report_parse(&out, &line));
	assert_int_equal(FEEL_PAGE, out.probe);
	for (int i = 0; i < FEEL_FIELDS; i++) {
		assert_true(out.have[i]);
		if (out.value[i] != in.value[i])
			fail_msg("%s", feel_field_key((enum feel_field)i));
	}
}

static void what_is_not_there_is_not_zero(void **state)
{
	struct feel_report r;

	(void)state;
	assert_int_equal(0, parse(&r, "second probe=key count=0 last_ms=0.000 news=1"));
	for (int i = 0; i < FEEL_FIELDS; i++)
		assert_int_equal(i == FEEL_COUNT || i == FEEL_LAST, r.have[i]);
	assert_true(r.value[FEEL_COUNT] == 0 && r.value[FEEL_LAST] == 0);
}

static void nonsense_is_refused(void **state)
{
	static const char *const bad[] = {
		"second count=1", "second probe=smell count=1", "second probe=key count=1.5",
		"second probe=key count=", "second probe=key last_ms=long",
		"second probe=key last_ms=1e300", "second probe=key above_1s_s=-1e12",
	};
	struct feel_report r;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (parse(&r, bad[i]) != -EINVAL)
			fail_msg("taken: '%s'", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_probe_and_key_has_a_name_of_its_own),
		cmocka_unit_test(what_is_written_can_be_read),
		cmocka_unit_test(what_is_not_there_is_not_zero),
		cmocka_unit_test(nonsense_is_refused),
	};

	return TAP_RUN(tests, NULL, NULL);
}
