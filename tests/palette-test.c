/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tap.h"

#include "ui/palette.h"

static const int counts[] = { 8, 16, 256, PALETTE_TRUE };

static void assert_look(struct palette_look look, int fg, int bg, unsigned int attributes)
{
	assert_int_equal(look.fg, fg);
	assert_int_equal(look.bg, bg);
	assert_int_equal(look.attributes, attributes);
}

static void default_colours_stay_the_terminals_own(void **state)
{
	const struct style plain = { .attributes = STYLE_UNDERLINE };

	(void)state;
	assert_look(palette_look(&plain, 0), -1, -1, STYLE_UNDERLINE);
	for (size_t i = 0; i < 4; i++)
		assert_look(palette_look(&plain, counts[i]), -1, -1, STYLE_UNDERLINE);
}

static void the_first_eight_are_the_users_on_every_terminal(void **state)
{
	const struct style style = { .fg = { COLOUR_INDEX, 7 }, .bg = { COLOUR_INDEX, 0 } };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_look(palette_look(&style, counts[i]), 7, 0, 0);
}

static void without_colours_a_background_is_reverse(void **state)
{
	const struct style style = { .fg = { COLOUR_INDEX, 1 }, .bg = { COLOUR_RGB, 0x202020 } };

	(void)state;
	assert_look(palette_look(&style, 0), -1, -1, STYLE_REVERSE);
}

static void of_eight_a_bright_colour_is_bold_and_black_text_is_dim(void **state)
{
	const struct style bright = { .fg = { COLOUR_INDEX, 9 } };
	const struct style dark = { .fg = { COLOUR_RGB, 0x1c1c1c } };
	const struct style dark_on_red = {
		.fg = { COLOUR_RGB, 0x1c1c1c }, .bg = { COLOUR_INDEX, 1 },
	};
	const struct style black = { .fg = { COLOUR_INDEX, 0 } };
	const struct style bright_background = { .bg = { COLOUR_INDEX, 9 } };

	(void)state;
	assert_look(palette_look(&bright, 8), 1, -1, STYLE_BOLD);
	assert_look(palette_look(&bright, 16), 9, -1, 0);
	assert_look(palette_look(&dark, 8), -1, -1, STYLE_DIM);
	assert_look(palette_look(&dark_on_red, 8), 0, 1, 0);
	assert_look(palette_look(&black, 8), 0, -1, 0);		/* who says black means it */
	assert_look(palette_look(&bright_background, 8), -1, 1, 0);
}

static void true_colours_are_kept_but_for_the_palettes_numbers(void **state)
{
	const struct style rgb = { .fg = { COLOUR_RGB, 0x5fafff }, .bg = { COLOUR_RGB, 3 } };
	const struct style index = { .fg = { COLOUR_INDEX, 75 } };

	(void)state;
	assert_look(palette_look(&rgb, PALETTE_TRUE), 0x5fafff, 8, 0);
	assert_look(palette_look(&rgb, 256), 75, 16, 0);
	assert_look(palette_look(&index, PALETTE_TRUE), 0x5fafff, -1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(default_colours_stay_the_terminals_own),
		cmocka_unit_test(the_first_eight_are_the_users_on_every_terminal),
		cmocka_unit_test(without_colours_a_background_is_reverse),
		cmocka_unit_test(of_eight_a_bright_colour_is_bold_and_black_text_is_dim),
		cmocka_unit_test(true_colours_are_kept_but_for_the_palettes_numbers),
	};

	return TAP_RUN(tests, NULL, NULL);
}
