/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tap.h"

#include "ui/colour.h"

static struct colour parsed(const char *word)
{
	struct colour c;

	assert_true(colour_parse(word, &c));
	return c;
}

static int nearest(const char *word, int count)
{
	return colour_nearest(parsed(word), count);
}

static void names_numbers_and_rgb_are_colours(void **state)
{
	(void)state;
	assert_int_equal(parsed("default").kind, COLOUR_DEFAULT);
	assert_int_equal(parsed("black").value, 0);
	assert_int_equal(parsed("White").value, 7);
	assert_int_equal(parsed("brightblack").value, 8);
	assert_int_equal(parsed("brightwhite").value, 15);
	assert_int_equal(parsed("blue").kind, COLOUR_INDEX);
	assert_int_equal(parsed("255").value, 255);
	assert_int_equal(parsed("#5FafFF").value, 0x5FAFFF);
	assert_int_equal(parsed("#5fafff").kind, COLOUR_RGB);
}

static void other_words_are_no_colours(void **state)
{
	static const char *const bad[] = {
		"", "pink", "256", "999", "1000", "-1", "+5", "0x5", "1.5", "#", "#fff",
		"#12345", "#1234567", "#gggggg", "# 12345", "bright", "brightpink",
		"brightbrightred", "bold", "redd",
	};
	struct colour c;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(colour_parse(bad[i], &c));
}

static void numbers_have_the_rgb_of_xterm(void **state)
{
	(void)state;
	assert_int_equal(colour_rgb(parsed("0"), 1), 0x000000);
	assert_int_equal(colour_rgb(parsed("9"), 1), 0xFF0000);
	assert_int_equal(colour_rgb(parsed("16"), 1), 0x000000);
	assert_int_equal(colour_rgb(parsed("75"), 1), 0x5FAFFF);
	assert_int_equal(colour_rgb(parsed("231"), 1), 0xFFFFFF);
	assert_int_equal(colour_rgb(parsed("232"), 1), 0x080808);
	assert_int_equal(colour_rgb(parsed("255"), 1), 0xEEEEEE);
	assert_int_equal(colour_rgb(parsed("#123456"), 1), 0x123456);
	assert_int_equal(colour_rgb(parsed("default"), 0xABCDEF), 0xABCDEF);
	assert_int_equal(colour_rgb((struct colour){ COLOUR_INDEX, 9999 }, 1), 0xEEEEEE);
}

static void colours_a_terminal_has_stay_what_they_are(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 256; i++)
		assert_int_equal(colour_nearest((struct colour){ COLOUR_INDEX, i }, 256), i);
	for (uint32_t i = 0; i < 16; i++)
		assert_int_equal(colour_nearest((struct colour){ COLOUR_INDEX, i }, 16), i);
	assert_int_equal(nearest("default", 8), -1);
	assert_int_equal(nearest("default", 256), -1);
}

static void of_256_the_cube_and_the_greys_are_taken(void **state)
{
	(void)state;
	assert_int_equal(nearest("#5fafff", 256), 75);
	assert_int_equal(nearest("#60b0fe", 256), 75);
	assert_int_equal(nearest("#ff0000", 256), 196);		/* not 9, which users redefine */
	assert_int_equal(nearest("#ffffff", 256), 231);
	assert_int_equal(nearest("#000000", 256), 16);
	assert_int_equal(nearest("#303030", 256), 236);
	for (uint32_t i = 0; i < 256; i++) {
		int n = colour_nearest((struct colour){ COLOUR_RGB, i * 0x010203 }, 256);

		assert_true(n >= 16 && n < 256);
	}
}

static void of_16_and_8_the_one_that_looks_alike_is_taken(void **state)
{
	(void)state;
	assert_int_equal(nearest("#ff6060", 16), 9);
	assert_int_equal(nearest("#808080", 16), 8);
	assert_int_equal(nearest("#fcfcfc", 16), 15);
	assert_int_equal(nearest("196", 16), 9);
	assert_int_equal(nearest("#d0d4da", 8), 7);
	assert_int_equal(nearest("#c0c4ca", 8), 7);	/* grey is not cyan */
	assert_int_equal(nearest("#667185", 8), 0);	/* nor red, but bright black */
	assert_int_equal(nearest("#202020", 8), 0);
	assert_int_equal(nearest("#d02020", 8), 1);
	assert_int_equal(nearest("#1560d0", 8), 4);
	assert_int_equal(nearest("#ffd75f", 8), 3);
	assert_int_equal(nearest("#a8126e", 8), 5);	/* not the red that is as dark */
}

static void of_8_a_bright_colour_becomes_its_base(void **state)
{
	(void)state;
	for (uint32_t i = 8; i < 16; i++)
		assert_int_equal(colour_nearest((struct colour){ COLOUR_INDEX, i }, 8), i - 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_numbers_and_rgb_are_colours),
		cmocka_unit_test(other_words_are_no_colours),
		cmocka_unit_test(numbers_have_the_rgb_of_xterm),
		cmocka_unit_test(colours_a_terminal_has_stay_what_they_are),
		cmocka_unit_test(of_256_the_cube_and_the_greys_are_taken),
		cmocka_unit_test(of_16_and_8_the_one_that_looks_alike_is_taken),
		cmocka_unit_test(of_8_a_bright_colour_becomes_its_base),
	};

	return TAP_RUN(tests, NULL, NULL);
}
