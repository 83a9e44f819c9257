/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of the playback probe's lines. Their form: probe-line-test.c. */
#include "tests/tap.h"

#include "src/playback_line.h"

static void every_word_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int i = 0; i < PLAYBACK_WORDS; i++)
		assert_int_equal(i, playback_word_of(playback_word_name((enum playback_word)i)));
}

static void words_of_later_versions_are_none_of_ours(void **state)
{
	(void)state;
	assert_int_equal(PLAYBACK_UNKNOWN_WORD, playback_word_of("novelty"));
	assert_int_equal(PLAYBACK_UNKNOWN_WORD, playback_word_of(""));
}

static void every_cause_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int i = 0; i < PLAYBACK_CAUSES; i++)
		assert_int_equal(i, playback_cause_of(playback_cause_name((enum playback_cause)i)));
	assert_int_equal(PLAYBACK_UNKNOWN, playback_cause_of("weather"));
	assert_int_equal(PLAYBACK_UNKNOWN, playback_cause_of(NULL));
}

static void every_share_has_a_key(void **state)
{
	(void)state;
	for (int i = 0; i < PLAYBACK_SHARES; i++)
		assert_non_null(playback_share_key((enum playback_cause)i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_has_a_name_of_its_own),
		cmocka_unit_test(words_of_later_versions_are_none_of_ours),
		cmocka_unit_test(every_cause_has_a_name_of_its_own),
		cmocka_unit_test(every_share_has_a_key),
	};

	return TAP_RUN(tests, NULL, NULL);
}
