/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The canvas, and the outputs that need no terminal. */
#include "tests/tap.h"

#include <errno.h>
#include <string.h>

#include "src/xalloc.h"
#include "ui/canvas.h"
#include "ui/output.h"

#define R "\xef\xbf\xbd"

static struct canvas canvas(int cols, int rows)
{
	struct canvas c;

	canvas_init(&c, cols, rows);
	return c;
}

/* What the canvas is as text; ends the canvas. */
static const char *text_of(struct canvas *c, bool ascii)
{
	static char text[4096];
	FILE *f = fmemopen(text, sizeof(text), "w");

	assert_non_null(f);
	*text = '\0';
	assert_int_equal(output_text(c, ascii, f), 0);
	fclose(f);
	canvas_done(c);
	return text;
}

static void new_canvas_is_blank_and_resizing_blanks(void **state)
{
	struct canvas c = canvas(3, 2);

	(void)state;
	assert_int_equal(canvas_at(&c, 2, 1)->ch, ' ');
	assert_int_equal(canvas_at(&c, 2, 1)->role, ROLE_TEXT);
	canvas_put(&c, 0, 0, 'x', ROLE_OK);
	canvas_resize(&c, 5, 4);
	assert_int_equal(canvas_at(&c, 0, 0)->ch, ' ');
	assert_int_equal(canvas_at(&c, 4, 3)->ch, ' ');
	canvas_put(&c, 0, 0, 'x', ROLE_OK);
	canvas_clear(&c);
	assert_string_equal(text_of(&c, false), "\n\n\n\n");
}

static void canvas_may_have_no_cells(void **state)
{
	struct canvas c = canvas(0, 3), d = canvas(-4, -1);

	(void)state;
	canvas_put(&c, 0, 0, 'x', ROLE_OK);
	canvas_box(&c, (struct rect){ 0, 0, 5, 5 }, ROLE_FRAME, false);
	assert_null(canvas_at(&c, 0, 0));
	assert_string_equal(text_of(&c, false), "\n\n\n");
	assert_string_equal(text_of(&d, false), "");
}

static void nothing_is_written_outside(void **state)
{
	struct canvas c = canvas(2, 2);

	(void)state;
	canvas_put(&c, -1, 0, 'x', ROLE_OK);
	canvas_put(&c, 2, 0, 'x', ROLE_OK);
	canvas_put(&c, 0, -1, 'x', ROLE_OK);
	canvas_put(&c, 0, 2, 'x', ROLE_OK);
	assert_int_equal(canvas_text(&c, 0, 7, 5, ROLE_OK, "abc"), 3);
	canvas_fill(&c, (struct rect){ 2, 0, 4, 4 }, 'x', ROLE_OK);
	canvas_fill(&c, (struct rect){ 0, 0, -3, 2 }, 'x', ROLE_OK);
	canvas_tint(&c, (struct rect){ -5, -5, 5, 20 }, ROLE_OK);
	assert_null(canvas_at(&c, 2, 0));
	assert_null(canvas_at(&c, -1, 0));
	assert_int_equal(canvas_at(&c, 0, 0)->role, ROLE_TEXT);
	assert_string_equal(text_of(&c, false), "\n\n");
}

static void fill_and_tint_are_clipped_to_the_canvas(void **state)
{
	struct canvas c = canvas(4, 3);

	(void)state;
	canvas_fill(&c, (struct rect){ -2, -2, 4, 4 }, '#', ROLE_OK);
	canvas_fill(&c, (struct rect){ 3, 2, 100, 100 }, '+', ROLE_OK);
	canvas_tint(&c, (struct rect){ 1, 1, 100, 1 }, ROLE_WARN);
	assert_int_equal(canvas_at(&c, 1, 0)->role, ROLE_OK);
	assert_int_equal(canvas_at(&c, 1, 1)->role, ROLE_WARN);
	assert_int_equal(canvas_at(&c, 1, 1)->ch, '#');
	assert_int_equal(canvas_at(&c, 3, 1)->role, ROLE_WARN);
	assert_string_equal(text_of(&c, false), "##\n##\n   +\n");
}

static void text_is_cut_at_its_columns_and_at_the_edge(void **state)
{
	struct canvas c = canvas(6, 4);

	(void)state;
	assert_int_equal(canvas_text(&c, 0, 0, 3, ROLE_OK, "abcdef"), 3);
	assert_int_equal(canvas_text(&c, 4, 1, 10, ROLE_OK, "abcdef"), 6);
	assert_int_equal(canvas_text(&c, -2, 2, 4, ROLE_OK, "abcdef"), 4);
	assert_int_equal(canvas_text(&c, 0, 3, 0, ROLE_OK, "abc"), 0);
	assert_int_equal(canvas_text(&c, 0, 3, -7, ROLE_OK, "abc"), 0);
	assert_string_equal(text_of(&c, false), "abc\n    ab\ncd\n\n");
}

static void wide_character_takes_two_cells_or_none(void **state)
{
	struct canvas c = canvas(4, 4);

	(void)state;
	assert_int_equal(canvas_text(&c, 0, 0, 4, ROLE_OK, "\xe4\xb8\xad!"), 3);
	assert_int_equal(canvas_at(&c, 0, 0)->ch, 0x4E2D);
	assert_int_equal(canvas_at(&c, 1, 0)->ch, 0);
	assert_int_equal(canvas_at(&c, 1, 0)->role, ROLE_OK);
	assert_int_equal(canvas_at(&c, 2, 0)->ch, '!');
	/* No room for the second half; the second half outside the canvas; the first one. */
	assert_int_equal(canvas_text(&c, 0, 1, 2, ROLE_OK, "a\xe4\xb8\xad"), 1);
	assert_int_equal(canvas_text(&c, 3, 2, 9, ROLE_OK, "\xe4\xb8\xad"), 2);
	assert_int_equal(canvas_at(&c, 3, 2)->ch, ' ');
	assert_int_equal(canvas_text(&c, -1, 3, 9, ROLE_OK, "\xe4\xb8\xad" "b"), 3);
	assert_int_equal(canvas_at(&c, 0, 3)->ch, ' ');
	assert_int_equal(canvas_at(&c, 1, 3)->ch, 'b');
	assert_string_equal(text_of(&c, false), "\xe4\xb8\xad!\na\n\n b\n");
}

static void half_of_an_overwritten_wide_character_is_blanked(void **state)
{
	struct canvas c = canvas(4, 3);

	(void)state;
	for (int y = 0; y < 3; y++)
		canvas_text(&c, 0, y, 4, ROLE_OK, "\xe4\xb8\xad\xe6\x96\x87");
	canvas_put(&c, 0, 0, 'x', ROLE_OK);
	canvas_put(&c, 3, 1, 'x', ROLE_OK);
	canvas_text(&c, 1, 2, 4, ROLE_OK, "\xe4\xb8\xad");
	assert_int_equal(canvas_at(&c, 1, 0)->ch, ' ');
	assert_int_equal(canvas_at(&c, 2, 1)->ch, ' ');
	assert_int_equal(canvas_at(&c, 0, 2)->ch, ' ');
	assert_int_equal(canvas_at(&c, 3, 2)->ch, ' ');
	assert_string_equal(text_of(&c, false),
			    "x \xe6\x96\x87\n\xe4\xb8\xad x\n \xe4\xb8\xad\n");
}

static void unsafe_characters_are_replaced_and_combining_ones_left_out(void **state)
{
	struct canvas c = canvas(12, 3);

	(void)state;
	assert_int_equal(canvas_text(&c, 0, 0, 12, ROLE_OK, "a\x1b[2J\n"), 6);
	assert_int_equal(canvas_text(&c, 0, 1, 12, ROLE_OK, "e\xcc\x81" "x\xe2\x80\x8by"), 4);
	canvas_put(&c, 0, 2, 0x1B, ROLE_OK);
	canvas_put(&c, 1, 2, 0x4E2D, ROLE_OK);		/* would need two cells */
	canvas_put(&c, 2, 2, 0, ROLE_OK);
	canvas_fill(&c, (struct rect){ 3, 2, 1, 1 }, '\n', ROLE_OK);
	assert_string_equal(text_of(&c, false), "a" R "[2J" R "\nex" R "y\n" R R R R "\n");
}

static void printf_formats_and_returns_the_columns(void **state)
{
	struct canvas c = canvas(10, 2);

	(void)state;
	assert_int_equal(canvas_printf(&c, 1, 0, 9, ROLE_OK, "%s %d", "in", 12), 5);
	assert_int_equal(canvas_printf(&c, 0, 1, 4, ROLE_OK, "%2000d", 1), 4);
	assert_string_equal(text_of(&c, false), " in 12\n\n");
}

static void box_runs_along_the_inside_edge(void **state)
{
	struct canvas c = canvas(5, 3), d = canvas(5, 3), e = canvas(4, 2);

	(void)state;
	canvas_box(&c, (struct rect){ 0, 0, 5, 3 }, ROLE_FRAME, false);
	assert_int_equal(canvas_at(&c, 4, 2)->role, ROLE_FRAME);
	assert_int_equal(canvas_at(&c, 2, 1)->role, ROLE_TEXT);
	assert_string_equal(text_of(&c, false), "╭───╮\n│   │\n╰───╯\n");
	canvas_box(&d, (struct rect){ 1, 0, 3, 3 }, ROLE_FRAME, true);
	assert_string_equal(text_of(&d, false), " +-+\n | |\n +-+\n");
	canvas_box(&e, (struct rect){ 0, 0, 1, 2 }, ROLE_FRAME, false);	/* too small for one */
	canvas_box(&e, (struct rect){ 2, 0, 2, 2 }, ROLE_FRAME, false);
	assert_string_equal(text_of(&e, false), "  ╭╮\n  ╰╯\n");
}

static void ascii_output_keeps_shape_and_columns(void **state)
{
	struct canvas c = canvas(24, 3);

	(void)state;
	canvas_text(&c, 0, 0, 24, ROLE_OK, "╭─┤│ ▁▄█▓▒░ ⣿⠤⠉⢸ ·…→≤");
	canvas_text(&c, 0, 1, 24, ROLE_OK, "é中x µs ①⑳ “q” ☃");
	assert_string_equal(text_of(&c, true), "+-+| _:#%:. #.': ..><\ne??x us 10 \"q\" ?\n\n");
}

static void every_character_has_a_printable_ascii_one(void **state)
{
	(void)state;
	for (uint32_t ch = 0; ch < 0x11000; ch++) {
		char a = output_ascii(ch);

		assert_true(a >= ' ' && a <= '~');
		if (ch >= ' ' && ch <= '~')
			assert_int_equal(a, ch);
		/* Nothing of a frame or a filled chart gets lost. */
		if ((ch >= 0x2500 && ch <= 0x259F) || (ch > 0x2800 && ch <= 0x28FF))
			assert_true(a != '?' && a != ' ');
	}
	assert_int_equal(output_ascii(0x2800), ' ');
	assert_int_equal(output_ascii(0x1F600), '?');
}

static void full_disk_is_reported(void **state)
{
	struct canvas c = canvas(2, 2);
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	if (full) {
		assert_int_equal(output_text(&c, false, full), -ENOSPC);
		fclose(full);
	}
	canvas_done(&c);
}

static void wrapped_text_breaks_between_words_and_ends_with_an_ellipsis(void **state)
{
	struct canvas c = canvas(10, 3), d = canvas(6, 2);

	(void)state;
	assert_int_equal(canvas_wrap(&c, (struct rect){ 0, 0, 10, 3 }, ROLE_NA, "no device: set one"), 2);
	assert_string_equal(text_of(&c, false), "no device:\nset one\n\n");
	canvas_wrap(&d, (struct rect){ 0, 0, 6, 2 }, ROLE_NA, "unbreakable words");
	assert_string_equal(text_of(&d, false), "unbre\xe2\x80\xa6\nwords\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_canvas_is_blank_and_resizing_blanks),
		cmocka_unit_test(canvas_may_have_no_cells),
		cmocka_unit_test(nothing_is_written_outside),
		cmocka_unit_test(fill_and_tint_are_clipped_to_the_canvas),
		cmocka_unit_test(text_is_cut_at_its_columns_and_at_the_edge),
		cmocka_unit_test(wide_character_takes_two_cells_or_none),
		cmocka_unit_test(half_of_an_overwritten_wide_character_is_blanked),
		cmocka_unit_test(unsafe_characters_are_replaced_and_combining_ones_left_out),
		cmocka_unit_test(printf_formats_and_returns_the_columns),
		cmocka_unit_test(box_runs_along_the_inside_edge),
		cmocka_unit_test(ascii_output_keeps_shape_and_columns),
		cmocka_unit_test(every_character_has_a_printable_ascii_one),
		cmocka_unit_test(full_disk_is_reported),
		cmocka_unit_test(wrapped_text_breaks_between_words_and_ends_with_an_ellipsis),
	};

	return TAP_RUN(tests, NULL, NULL);
}
