/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tap.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "src/text.h"

#define LENGTH(s) (sizeof(s) - 1)

/* Decodes one code point; *moved is by how many bytes. */
static uint32_t decode(const char *bytes, size_t len, size_t *moved)
{
	const char *p = bytes;
	uint32_t cp = text_decode(&p, bytes + len);

	*moved = (size_t)(p - bytes);
	return cp;
}

static void valid_utf8_is_decoded_and_encoded_back(void **state)
{
	static const struct { const char *bytes; uint32_t cp; } good[] = {
		{ "a", 'a' }, { "\x7f", 0x7F }, { "\xc2\x80", 0x80 }, { "\xdf\xbf", 0x7FF },
		{ "\xe0\xa0\x80", 0x800 }, { "\xed\x9f\xbf", 0xD7FF }, { "\xee\x80\x80", 0xE000 },
		{ "\xef\xbf\xbf", 0xFFFF }, { "\xf0\x90\x80\x80", 0x10000 },
		{ "\xf4\x8f\xbf\xbf", 0x10FFFF },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		size_t len = strlen(good[i].bytes), moved;
		char bytes[4];

		assert_int_equal(decode(good[i].bytes, len, &moved), good[i].cp);
		assert_int_equal(moved, len);
		assert_int_equal(text_encode(good[i].cp, bytes), len);
		assert_memory_equal(bytes, good[i].bytes, len);
	}
	assert_int_equal(text_encode(0xD800, (char[4]){ 0 }), 3);
	assert_int_equal(text_encode(0x110000, (char[4]){ 0 }), 3);
}

static void invalid_utf8_is_one_replacement_a_byte(void **state)
{
	static const struct { const char *bytes; size_t len; } bad[] = {
		{ "\x80", 1 },			/* a continuation alone */
		{ "\xc0\xaf", 2 },		/* overlong / */
		{ "\xc1\xbf", 2 },
		{ "\xe0\x9f\xbf", 3 },		/* overlong in three */
		{ "\xf0\x8f\xbf\xbf", 4 },	/* overlong in four */
		{ "\xed\xa0\x80", 3 },		/* surrogates */
		{ "\xed\xbf\xbf", 3 },
		{ "\xf4\x90\x80\x80", 4 },	/* beyond U+10FFFF */
		{ "\xf5\x80\x80\x80", 4 },
		{ "\xff", 1 },
		{ "\xe2\x94", 2 },		/* cut at the end */
		{ "\xf0\x9f\x92", 3 },
		{ "\xc3", 1 },
		{ "\xe2\x94z", 3 },		/* cut by another character */
		{ "\xc3\xc3\xa9", 3 },
	};
	size_t moved;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(decode(bad[i].bytes, bad[i].len, &moved), TEXT_REPLACEMENT);
		assert_int_equal(moved, 1);
	}
}

static void decoder_never_reads_past_the_end(void **state)
{
	/* Exactly allocated, so that the sanitizer sees a byte too far. */
	char *lead = calloc(1, 1);
	const char *p = lead;

	(void)state;
	*lead = (char)0xF0;
	assert_int_equal(text_decode(&p, lead + 1), TEXT_REPLACEMENT);
	assert_ptr_equal(p, lead + 1);
	free(lead);
}

static void widths_are_those_of_a_terminal(void **state)
{
	(void)state;
	assert_int_equal(text_width('a'), 1);
	assert_int_equal(text_width(' '), 1);
	assert_int_equal(text_width(0xE9), 1);		/* é */
	assert_int_equal(text_width(0x2502), 1);	/* │ */
	assert_int_equal(text_width(0x28FF), 1);	/* ⣿ */
	assert_int_equal(text_width(TEXT_REPLACEMENT), 1);
	assert_int_equal(text_width(0x0301), 0);	/* combining acute */
	assert_int_equal(text_width(0x4E2D), 2);	/* 中 */
	assert_int_equal(text_width(0x1F600), 2);	/* a face */
}

static void what_moves_hides_or_reorders_text_has_no_width(void **state)
{
	static const uint32_t unsafe[] = {
		0, 7, '\t', '\n', '\r', 0x1B, 0x1F, 0x7F, 0x80, 0x85, 0x9B, 0x9F, 0xAD, 0x061C,
		0x115F, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A,
		0x202E, 0x2060, 0x2066, 0x2069, 0x206F, 0x3164, 0xD800, 0xDFFF, 0xE000, 0xF8FF,
		0xFEFF, 0xFFA0, 0xFFF9, 0xFFFB, 0xFFFE, 0xFFFF, 0xE0001, 0xE0041, 0xF0000,
		0x10FFFD, 0x110000, 0xFFFFFFFF,
		0x0378,		/* not assigned */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(unsafe) / sizeof(*unsafe); i++)
		assert_int_equal(text_width(unsafe[i]), -1);
}

static void widths_do_not_depend_on_the_locale_nor_change_it(void **state)
{
	char before[64];

	(void)state;
	assert_non_null(setlocale(LC_ALL, "C"));
	assert_true(text_copy(before, sizeof(before), setlocale(LC_ALL, NULL)));
	assert_int_equal(text_width(0x4E2D), 2);
	assert_int_equal(text_width(0xE9), 1);
	assert_string_equal(setlocale(LC_ALL, NULL), before);
	assert_int_equal(MB_CUR_MAX, 1);
}

static void columns_count_what_is_drawn(void **state)
{
	(void)state;
	assert_int_equal(text_columns(""), 0);
	assert_int_equal(text_columns("abc"), 3);
	assert_int_equal(text_columns("e\xcc\x81"), 1);			/* combining */
	assert_int_equal(text_columns("\xe4\xb8\xad!"), 3);
	assert_int_equal(text_columns("\x1b[31m"), 5);			/* replaced, one each */
	assert_int_equal(text_columns("\xe2\x94"), 2);
}

#define R "\xef\xbf\xbd"

static void safe_copy_replaces_what_must_not_reach_a_terminal(void **state)
{
	static const char right_to_left[] = { 'a', '\xe2', '\x80', '\xae', 'g', 'n', 'p' };
	char out[64];

	(void)state;
	assert_true(text_safe(out, sizeof(out), "a\tb\x1b[2J", 7));
	assert_string_equal(out, "a b" R "[2J");
	assert_true(text_safe(out, sizeof(out), "x\0y\n", 4));
	assert_string_equal(out, "x" R "y" R);
	assert_true(text_safe(out, sizeof(out), "\xc2\x9b" "1m", 4));	/* CSI in one character */
	assert_string_equal(out, R "1m");
	assert_true(text_safe(out, sizeof(out), right_to_left, sizeof(right_to_left)));
	assert_string_equal(out, "a" R "gnp");
	assert_true(text_safe(out, sizeof(out), "\xc3", 1));
	assert_string_equal(out, R);
	assert_true(text_safe(out, sizeof(out), "", 0));
	assert_string_equal(out, "");
}

static void safe_copy_is_cut_at_a_character_and_says_so(void **state)
{
	char out[6];

	(void)state;
	assert_false(text_safe(out, 6, "ab\xe2\x94\x82\xe2\x94\x82", 8));
	assert_string_equal(out, "ab\xe2\x94\x82");
	assert_false(text_safe(out, 5, "ab\xe2\x94\x82", 5));
	assert_string_equal(out, "ab");
	assert_false(text_safe(out, 3, "a\x1b", 2));	/* the replacement needs three */
	assert_string_equal(out, "a");
	assert_true(text_safe(out, 3, "ab", 2));
	assert_false(text_safe(out, 1, "a", 1));
	assert_string_equal(out, "");
	assert_false(text_safe(NULL, 0, "a", 1));
}

static void copy_is_bounded_and_never_cuts_a_character(void **state)
{
	char out[5];

	(void)state;
	assert_true(text_copy(out, 5, "abcd"));
	assert_string_equal(out, "abcd");
	assert_false(text_copy(out, 5, "abcde"));
	assert_string_equal(out, "abcd");
	assert_true(text_copy(out, 5, "a\xe2\x94\x82"));
	assert_false(text_copy(out, 5, "ab\xe2\x94\x82"));
	assert_string_equal(out, "ab");
	assert_false(text_copy(out, 4, "ab\xe2\x94\x82"));
	assert_string_equal(out, "ab");
	assert_false(text_copy(out, 4, "a\xf0\x9f\x98\x80"));
	assert_string_equal(out, "a");
	assert_false(text_copy(out, 4, "\xe2\x94\x82\xe2\x94\x82"));
	assert_string_equal(out, "\xe2\x94\x82");
	/* No character to keep whole. */
	assert_false(text_copy(out, 4, "\x80\x80\x80\x80\x80"));
	assert_string_equal(out, "\x80\x80\x80");
	assert_false(text_copy(out, 1, "a"));
	assert_string_equal(out, "");
}

static const char *bytes(double v)
{
	static char buf[32];

	return text_bytes(v, buf, sizeof(buf));
}

static const char *count(double v)
{
	static char buf[32];

	return text_count(v, buf, sizeof(buf));
}

static const char *duration(int64_t ns)
{
	static char buf[32];

	return text_duration(ns, buf, sizeof(buf));
}

static void bytes_are_short(void **state)
{
	(void)state;
	assert_string_equal(bytes(0), "0");
	assert_string_equal(bytes(0.3), "<1");
	assert_string_equal(bytes(812), "812");
	assert_string_equal(bytes(1023), "1023");
	assert_string_equal(bytes(1023.7), "1.0K");
	assert_string_equal(bytes(1024), "1K");
	assert_string_equal(bytes(1638), "1.6K");
	assert_string_equal(bytes(64 * 1024.0), "64K");
	assert_string_equal(bytes(99.97 * 1024), "100K");
	assert_string_equal(bytes(812.3 * 1024), "812K");
	assert_string_equal(bytes(1023.6 * 1024), "1.0M");
	assert_string_equal(bytes(23.5 * (1 << 30)), "23.5G");
	assert_string_equal(bytes(1.5 * 1125899906842624.0), "1.5P");
	assert_string_equal(bytes(-2048), "-2K");
	assert_string_equal(bytes(NAN), "n/a");
	assert_true(strlen(bytes(1e300)) < 8);
}

static void counts_are_short(void **state)
{
	(void)state;
	assert_string_equal(count(0), "0");
	assert_string_equal(count(0.01), "<0.1");
	assert_string_equal(count(0.3), "0.3");
	assert_string_equal(count(9.96), "10.0");
	assert_string_equal(count(12.4), "12");
	assert_string_equal(count(812), "812");
	assert_string_equal(count(999.7), "1.0k");
	assert_string_equal(count(5900), "5.9k");
	assert_string_equal(count(500000), "500k");
	assert_string_equal(count(999960), "1.0M");
	assert_string_equal(count(1.2e6), "1.2M");
	assert_string_equal(count(INFINITY), "n/a");
}

static void nothing_is_longer_than_five_columns(void **state)
{
	double v = 1e-3;

	(void)state;
	for (int i = 0; i < 4800; i++, v *= 1.01) {	/* to 5e17 */
		assert_true(strlen(bytes(v)) <= 5);
		assert_true(strlen(count(v)) <= 5);
	}
}

static void durations_carry_their_unit(void **state)
{
	const int64_t ms = 1000000, s = 1000 * ms;

	(void)state;
	assert_string_equal(duration(0), "0ms");
	assert_string_equal(duration(20000), "<0.1ms");
	assert_string_equal(duration(400000), "0.4ms");
	assert_string_equal(duration(960000), "1ms");
	assert_string_equal(duration(2 * ms), "2ms");
	assert_string_equal(duration(999 * ms + 600000), "1.0s");
	assert_string_equal(duration(s), "1.0s");
	assert_string_equal(duration(1300 * ms), "1.3s");
	assert_string_equal(duration(59960 * ms), "1m00s");
	assert_string_equal(duration(250 * s), "4m10s");
	assert_string_equal(duration(3599 * s + 600 * ms), "1h00m");
	assert_string_equal(duration(2 * 3600 * s + 5 * 60 * s), "2h05m");
	assert_string_equal(duration(100 * 3600 * s), "4d04h");
	assert_string_equal(duration(-1300 * ms), "-1.3s");
	assert_true(strlen(duration(INT64_MIN)) < 16);
}

static void numbers_have_a_point_in_every_locale(void **state)
{
	/* Debian's minimal systems have only C; then this says little but holds. */
	(void)state;
	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
		setlocale(LC_NUMERIC, "");
	assert_string_equal(bytes(1638), "1.6K");
	assert_string_equal(count(5900), "5.9k");
	assert_string_equal(duration(1300000000), "1.3s");
	setlocale(LC_NUMERIC, "C");
}

static uint64_t parsed(const char *s)
{
	uint64_t v = 0;

	assert_int_equal(text_parse_bytes(s, &v), 0);
	return v;
}

static void sizes_are_parsed_in_powers_of_1024(void **state)
{
	(void)state;
	assert_int_equal(parsed("0"), 0);
	assert_int_equal(parsed("4096"), 4096);
	assert_int_equal(parsed("64k"), 65536);
	assert_int_equal(parsed("64K"), 65536);
	assert_int_equal(parsed("128M"), 128ull << 20);
	assert_int_equal(parsed("128MiB"), 128ull << 20);
	assert_int_equal(parsed("1.5G"), 3ull << 29);
	assert_int_equal(parsed("0.25k"), 256);
	assert_int_equal(parsed("18446744073709551615"), UINT64_MAX);
	assert_int_equal(parsed("15E"), 15ull << 60);
	/* Does not round over. */
	assert_int_equal(parsed("15.9999999999999999999E"), UINT64_MAX);
}

static void nonsense_is_no_size(void **state)
{
	static const char *const bad[] = {
		"", "M", "-1", "+1", " 1", "1 ", "1.", ".5M", "1.5", "1x", "1MB", "1Mi", "1M1",
		"0x10", "1,5G", "1e3", "nan", "inf", "1.2.3M",
	};
	uint64_t v = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(text_parse_bytes(bad[i], &v), -EINVAL);
	assert_int_equal(text_parse_bytes("18446744073709551616", &v), -ERANGE);
	assert_int_equal(text_parse_bytes("16E", &v), -ERANGE);
	assert_int_equal(text_parse_bytes("17179869184G", &v), -ERANGE);
	assert_int_equal(text_parse_bytes("0.99999999999999999999999M", &v), -ERANGE);
	assert_int_equal(v, 7);
}

static void what_is_shortened_says_so_and_fits(void **state)
{
	char buf[32];

	(void)state;
	assert_string_equal(text_shorten("just fits", 9, buf, sizeof(buf)), "just fits");
	assert_string_equal(text_shorten("too long", 7, buf, sizeof(buf)), "too lo\xe2\x80\xa6");
	assert_string_equal(text_shorten("\xe6\xbc\xa2\xe5\xad\x97", 3, buf, sizeof(buf)),
			    "\xe6\xbc\xa2\xe2\x80\xa6");	/* wide characters whole or not at all */
	assert_string_equal(text_shorten("abc", 0, buf, sizeof(buf)), "");
	assert_string_equal(text_shorten("abcdefgh", 8, buf, 8), "abcd\xe2\x80\xa6");
	assert_string_equal(text_shorten("abc", 3, buf, 2), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(valid_utf8_is_decoded_and_encoded_back),
		cmocka_unit_test(invalid_utf8_is_one_replacement_a_byte),
		cmocka_unit_test(decoder_never_reads_past_the_end),
		cmocka_unit_test(widths_are_those_of_a_terminal),
		cmocka_unit_test(what_moves_hides_or_reorders_text_has_no_width),
		cmocka_unit_test(widths_do_not_depend_on_the_locale_nor_change_it),
		cmocka_unit_test(columns_count_what_is_drawn),
		cmocka_unit_test(safe_copy_replaces_what_must_not_reach_a_terminal),
		cmocka_unit_test(safe_copy_is_cut_at_a_character_and_says_so),
		cmocka_unit_test(copy_is_bounded_and_never_cuts_a_character),
		cmocka_unit_test(bytes_are_short),
		cmocka_unit_test(counts_are_short),
		cmocka_unit_test(nothing_is_longer_than_five_columns),
		cmocka_unit_test(durations_carry_their_unit),
		cmocka_unit_test(numbers_have_a_point_in_every_locale),
		cmocka_unit_test(sizes_are_parsed_in_powers_of_1024),
		cmocka_unit_test(nonsense_is_no_size),
		cmocka_unit_test(what_is_shortened_says_so_and_fits),
	};

	return TAP_RUN(tests, NULL, NULL);
}
