/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tap.h"

#include <string.h>

#include "ui/key.h"

static void names_are_read_as_their_keys(void **state)
{
	static const struct {
		const char *name;
		uint32_t key;
	} keys[] = {
		{ "q", 'q' }, { "Q", 'Q' }, { "space", ' ' }, { " ", ' ' }, { "^", '^' },
		{ "<", '<' },
		{ "Tab", '\t' }, { "S-Tab", KEYCODE_BACKTAB }, { "Esc", 0x1b }, { "Enter", '\r' },
		{ "Backspace", 0x7f }, { "^?", 0x7f }, { "^L", 12 }, { "^l", 12 }, { "^[", 0x1b },
		{ "^_", 0x1f }, { "PgUp", KEYCODE_PGUP }, { "pgdn", KEYCODE_PGDN },
		{ "F1", KEYCODE_F1 }, { "f12", KEYCODE_F12 }, { "S-Left", KEYCODE_S_LEFT },
		{ "\u00E9", 0xE9 }, { "\u65E5", 0x65E5 }, { "U+0085", 0x85 },
		{ "\uFFFD", 0xFFFD },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		assert_int_equal(key_parse(keys[i].name), keys[i].key);
}

static void what_is_no_name_is_no_key(void **state)
{
	static const char *const names[] = {
		"", "qq", "F0", "F13", "^@", "^1", "^LL", "S-", "S-q", "PgUp ", "U+", "U+110000",
		"U+D800", "U+12x", "U+-1", "\xff", "\xc3", "\033",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(key_parse(names[i]), KEYCODE_NONE);
}

static void every_key_is_read_back_from_its_label(void **state)
{
	char label[16], other[16];

	(void)state;
	for (uint32_t key = 1; key < KEYCODE_BASE; key++) {
		if (key >= 0xd800 && key <= 0xdfff)
			continue;
		assert_true(strlen(key_label(key, label, sizeof(label))) > 0);
		assert_int_equal(key_parse(label), key);
	}
	for (uint32_t key = KEYCODE_BASE + 1; key <= KEYCODE_F12; key++) {
		assert_int_equal(key_parse(key_label(key, label, sizeof(label))), key);
		assert_string_not_equal(label, key_label(key + 1, other, sizeof(other)));
	}
}

static void labels_are_those_of_the_help(void **state)
{
	char label[16];

	(void)state;
	assert_string_equal(key_label('?', label, sizeof(label)), "?");
	assert_string_equal(key_label(' ', label, sizeof(label)), "space");
	assert_string_equal(key_label(12, label, sizeof(label)), "^L");
	assert_string_equal(key_label(KEYCODE_BACKTAB, label, sizeof(label)), "S-Tab");
	assert_string_equal(key_label(0x301, label, sizeof(label)), "U+0301");	/* combining */
	assert_string_equal(key_label(KEYCODE_NONE, label, sizeof(label)), "");
	assert_string_equal(key_label(0xd800, label, sizeof(label)), "");
	assert_string_equal(key_label(UINT32_MAX, label, sizeof(label)), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_read_as_their_keys),
		cmocka_unit_test(what_is_no_name_is_no_key),
		cmocka_unit_test(every_key_is_read_back_from_its_label),
		cmocka_unit_test(labels_are_those_of_the_help),
	};

	return TAP_RUN(tests, NULL, NULL);
}
