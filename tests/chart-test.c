/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Charts as text, small enough to be read: what each glyph set makes of the same few numbers. */
#include "tests/tap.h"

#include <math.h>
#include <string.h>

#include "src/xalloc.h"
#include "ui/chart.h"
#include "ui/output.h"

enum { COLUMNS_MAX = 128, TEXT_MAX = 8192 };

#define GAP NAN

struct picture {
	enum chart_kind kind;
	int w, h;
	size_t nseries;
	struct scale scale;
	double mean[CHART_SERIES_MAX][COLUMNS_MAX];
	double max[CHART_SERIES_MAX][COLUMNS_MAX];	/* 0: as the mean */
};

static const struct scale percent = { .ceiling = 100, .unit = CLASS_PERCENT };

/* The picture on a canvas that is one cell larger on each side than the chart. */
static struct canvas paint(const struct picture *p, enum glyphs g)
{
	static struct history_column cols[CHART_SERIES_MAX][COLUMNS_MAX];
	struct chart_series series[CHART_SERIES_MAX];
	struct chart chart = {
		.kind = p->kind, .glyphs = g, .scale = p->scale, .series = series,
		.nseries = p->nseries, .ncols = (size_t)(p->w * chart_columns_per_cell(g)),
	};
	struct canvas c;

	for (size_t s = 0; s < p->nseries; s++) {
		for (size_t i = 0; i < chart.ncols; i++) {
			double mean = p->mean[s][i], max = p->max[s][i] > 0 ? p->max[s][i] : mean;

			cols[s][i] = (struct history_column){ .n = 1, .mean = mean, .max = max };
			/* Some gaps have numbers that nobody may look at. */
			if (isnan(mean) && i % 2 == 0)
				cols[s][i] = (struct history_column){ .mean = 70, .max = 90 };
		}
		series[s] = (struct chart_series){
			.cols = cols[s], .factor = 1, .role = (enum role)(ROLE_SWAP_IN + 2 * s),
			.peak = (enum role)(ROLE_SWAP_IN + 2 * s + 1),
		};
	}
	canvas_init(&c, p->w + 2, p->h + 2);
	chart_draw(&c, (struct rect){ 1, 1, p->w, p->h }, &chart);
	return c;
}

/* The chart's rows as text. */
static const char *draw(const struct picture *p, enum glyphs g)
{
	static char text[TEXT_MAX];
	struct canvas c = paint(p, g), inner;
	FILE *f = fmemopen(text, sizeof(text), "w");

	assert_non_null(f);
	canvas_init(&inner, p->w, p->h);
	for (int y = 0; y < p->h; y++)
		for (int x = 0; x < p->w; x++)
			*(struct cell *)canvas_at(&inner, x, y) = *canvas_at(&c, x + 1, y + 1);
	assert_int_equal(output_text(&inner, false, f), 0);
	fclose(f);
	canvas_done(&inner);
	canvas_done(&c);
	return text;
}

/* Compares with one text a glyph set; rows are told apart by \n. */
static void check(const struct picture *p, const char *braille, const char *block, const char *half,
		  const char *ascii)
{
	assert_string_equal(draw(p, GLYPHS_BRAILLE), braille);
	assert_string_equal(draw(p, GLYPHS_BLOCK), block);
	assert_string_equal(draw(p, GLYPHS_HALF), half);
	assert_string_equal(draw(p, GLYPHS_ASCII), ascii);
}

/* The role of a cell of the chart. */
static enum role role_at(const struct picture *p, enum glyphs g, int x, int y)
{
	struct canvas c = paint(p, g);
	enum role role = (enum role)canvas_at(&c, x + 1, y + 1)->role;

	canvas_done(&c);
	return role;
}

/* ---- What every chart says of a number ---- */

/* Missing, 0, just above 0, a quarter, half, three quarters, all. */
#define STEPS GAP, 0, 1, 25, 50, 75, 100

static void gap_is_blank_zero_has_a_dot_and_more_is_higher(void **state)
{
	struct picture p = {
		.kind = CHART_AREA, .w = 8, .h = 2, .nseries = 1, .scale = percent,
		.mean = { { STEPS, GAP, 0, 1, 25, 50, 75, 100, GAP, GAP } },
	};

	(void)state;
	check(&p, "  ⣠⡇ ⢀⣼\n⢀⣴⣿⡇⣠⣾⣿\n", "    ▁▄█\n ▁▂▅███\n", "     ▄█\n _▄▄███\n",
	      "     :#\n _.:###\n");
}

static void one_cell_tells_gap_zero_and_more_apart(void **state)
{
	struct picture p = {
		.kind = CHART_AREA, .w = 1, .h = 1, .nseries = 1, .scale = percent,
	};

	(void)state;
	p.mean[0][0] = p.mean[0][1] = GAP;
	check(&p, "\n", "\n", "\n", "\n");
	p.mean[0][0] = p.mean[0][1] = 0;
	check(&p, "⣀\n", "▁\n", "_\n", "_\n");
	p.mean[0][0] = p.mean[0][1] = 0.001;
	check(&p, "⣤\n", "▂\n", "▄\n", ".\n");
	p.mean[0][0] = p.mean[0][1] = 100;
	check(&p, "⣿\n", "█\n", "█\n", "#\n");
}

/* Columns of 1 cell: peak above a mean, in the same cell as it, above 0 alone, and none. */
static void maximum_stands_above_the_mean_and_ends_where_it_is(void **state)
{
	struct picture p = {
		.kind = CHART_AREA, .w = 4, .h = 3, .nseries = 1, .scale = percent,
		.mean = { { 20, 20, 0.5, 100, 20, 20, 20, 20 } },
		.max = { { 20, 100, 60, 0, 22, 40, 20, 20 } },
	};

	(void)state;
	check(&p, "⠨⢸\n⠨⢽⢀\n⣾⣽⣶⣶\n", " │ █\n ││█\n▆▆▂█\n", " │ █\n ││█\n▄▄▄█\n",
	      " | #\n ||#\n:#|#\n");
}

static void peak_has_its_own_role_where_it_is_the_larger_part(void **state)
{
	struct picture p = {
		.kind = CHART_AREA, .w = 1, .h = 3, .nseries = 1, .scale = percent,
		.mean = { { 20, 20 } }, .max = { { 90, 90 } },
	};

	(void)state;
	for (int g = GLYPHS_BRAILLE; g <= GLYPHS_ASCII; g++) {
		assert_int_equal(role_at(&p, (enum glyphs)g, 0, 0), ROLE_SWAP_OUT);
		assert_int_equal(role_at(&p, (enum glyphs)g, 0, 1), ROLE_SWAP_OUT);
		assert_int_equal(role_at(&p, (enum glyphs)g, 0, 2), ROLE_SWAP_IN);
	}
}

/* 100 ms of stall in a column that stands for 10 minutes. */
static void peak_of_a_column_with_hardly_any_mean_does_not_disappear(void **state)
{
	struct picture p = {
		.kind = CHART_AREA, .w = 3, .h = 4, .nseries = 1, .scale = percent,
		.mean = { { 0, 0, 0.02, 0, 0, 0 } }, .max = { { 0, 0, 100 } },
	};

	(void)state;
	check(&p, " ⠅\n ⠅\n ⠅\n⣀⣅⣀\n", "  │\n  │\n  │\n▁▁▂\n", "  │\n  │\n  │\n__▄\n",
	      "  |\n  |\n  |\n__|\n");
}

static void logarithmic_scale_gives_each_decade_the_same_room(void **state)
{
	struct picture p = {
		.kind = CHART_AREA, .w = 8, .h = 2, .nseries = 1,
		.scale = { .ceiling = 1000, .floor = 0.1, .log = true, .unit = CLASS_COUNT },
		.mean = { { 0, 0.01, 0.1, 1, 10, 100, 1000, GAP,
			    0, 0.1, 1, 10, 100, 1000, 1e6, GAP } },
	};

	(void)state;
	check(&p, "  ⣠⡇ ⢀⣼⡇\n⣠⣴⣿⡇⣠⣾⣿⡇\n", "    ▁▄█\n▁▂▂▅███\n", "     ▄█\n_▄▄▄███\n",
	      "     .#\n_..:###\n");
}

static void ceiling_of_nothing_neither_divides_nor_hides(void **state)
{
	static const double ceilings[] = { 0, -1, NAN, INFINITY };
	static const double values[] = { 7, INFINITY, -5, 7 };
	struct picture p = { .w = 2, .h = 2, .nseries = 2 };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (int kind = CHART_AREA; kind <= CHART_STRIP; kind++)
			for (int g = GLYPHS_BRAILLE; g <= GLYPHS_ASCII; g++) {
				p.kind = (enum chart_kind)kind;
				p.scale.ceiling = p.scale.floor = ceilings[i];
				p.scale.log = i % 2;
				for (size_t k = 0; k < 4; k++)
					p.mean[0][k] = p.mean[1][k] = values[k];
				assert_true(strlen(draw(&p, (enum glyphs)g)) > 2);
			}
}

/* ---- Mirror ---- */

/* Columns: only up, only down, gap above and half below, both half, both a quarter, 0, 1, a gap. */
#define BOTH_UP 100, 100, 0, 0, GAP, GAP, 50, 25, 0, 0, 1, 1, GAP, GAP
#define BOTH_DOWN 0, 0, 100, 100, GAP, 50, 50, 25, 0, 0, 1, 1, 50, 50

static void mirror_has_one_scale_up_and_down_from_the_middle(void **state)
{
	struct picture p = {
		.kind = CHART_MIRROR, .w = 7, .h = 4, .nseries = 2, .scale = percent,
		.mean = { { BOTH_UP }, { BOTH_DOWN } },
	};

	(void)state;
	check(&p, "⣶\n⣿  ⣧ ⣀\n⠉⣿⢸⡶⠉⠒⣿\n ⣿⠈⠁  ⠉\n", "██    ▁\n██▁▁ ▁█\n  ██ ██\n  ██\n",
	      "██\n██__ _█\n  ██ ██\n  ██\n", "##\n##__ _#\n  ## ##\n  ##\n");
}

static void mirror_of_odd_rows_gives_the_line_a_row(void **state)
{
	struct picture p = {
		.kind = CHART_MIRROR, .w = 7, .h = 3, .nseries = 2, .scale = percent,
		.mean = { { BOTH_UP }, { BOTH_DOWN } },
	};

	(void)state;
	check(&p, "⣶  ⡀\n⠿⣤⢠⣓⠤⣒⣤\n ⣿⠘⠃  ⠛\n", "██    ▄\n──── ──\n  ██ ▀▀\n",
	      "██    ▄\n──── ──\n  ██ ▀▀\n", "##    :\n---- --\n  ## \"\"\n");
}

static void mirror_of_one_row_says_which_sides_there_are(void **state)
{
	struct picture p = {
		.kind = CHART_MIRROR, .w = 4, .h = 1, .nseries = 2, .scale = percent,
		.mean = { { 0, 9, 0, 9, GAP, GAP, GAP, GAP }, { 0, 0, 9, 9, GAP, GAP, GAP, GAP } },
	};

	(void)state;
	check(&p, "⠴⣔\n", "─▀▄█\n", "─▀▄█\n", "-',:\n");
}

static void equal_numbers_up_and_down_are_equally_high(void **state)
{
	struct picture p = { .kind = CHART_MIRROR, .w = 1, .nseries = 2, .scale = percent };

	(void)state;
	for (p.h = 1; p.h < 9; p.h++)
		for (int percents = 0; percents <= 100; percents++) {
			struct canvas c;
			int up = 0, down = 0;

			p.mean[0][0] = p.mean[1][1] = percents;
			p.mean[0][1] = p.mean[1][0] = 0;
			c = paint(&p, GLYPHS_BRAILLE);
			for (int y = 1; y <= p.h; y++) {
				uint32_t ch = canvas_at(&c, 1, y)->ch;
				uint32_t dots = ch == ' ' ? 0 : ch - 0x2800;

				up += __builtin_popcount(dots & 0x47);
				down += __builtin_popcount(dots & 0xB8);
			}
			canvas_done(&c);
			assert_int_equal(up, down);
			assert_true(percents ? up > 1 : up == 1);
		}
}

/* ---- Stack ---- */

static void stack_puts_parts_on_one_another(void **state)
{
	/* Nothing; parts, twice; one that is all; two above nothing; a gap; maxima; small ones. */
	struct picture p = {
		.kind = CHART_STACK, .w = 6, .h = 3, .nseries = 3, .scale = percent,
		.mean = { { 0, 50, 50, 100, 0, GAP, 10, 10, 10, 10, 0, 0 },
			  { 0, 25, 25, 0, 50, GAP, 20, 20, 20, 20, 0.1, 0 },
			  { 0, 25, 0, 0, 50, GAP, 10, 10, 10, 10, 0, 0.1 } },
		.max = { { 0, 0, 0, 0, 0, 0, 10, 60, 10, 10 } },
	};

	(void)state;
	check(&p, "⢈⣸⡃⢐\n⢨⣾⡆⣐⣀\n⣸⣿⡂⣯⣯⡤\n", " ▂▂█▒\n ▄▄█▄\n▁███▓\n", " ▒ █▒\n ▄▄█▄\n_███▓\n",
	      " - #-\n ==#-\n_###=\n");
}

static void layers_differ_without_colour(void **state)
{
	struct picture p = {
		.kind = CHART_STACK, .w = 2, .h = CHART_SERIES_MAX, .nseries = CHART_SERIES_MAX,
		.scale = percent,
	};

	(void)state;
	for (int g = GLYPHS_BRAILLE; g <= GLYPHS_ASCII; g++) {
		struct canvas c;
		for (size_t s = 0; s < CHART_SERIES_MAX; s++)
			for (size_t i = 0; i < 4; i++)
				p.mean[s][i] = 100.0 / CHART_SERIES_MAX;
		c = paint(&p, (enum glyphs)g);
		for (int a = 1; a <= p.h; a++)
			for (int b = 1; b < a; b++)
				assert_true(canvas_at(&c, 1, a)->ch != canvas_at(&c, 1, b)->ch ||
					    canvas_at(&c, 2, a)->ch != canvas_at(&c, 2, b)->ch);
		canvas_done(&c);
	}
}

/* The levels of blocks in the first series' role against where its edge would be exactly. */
static void edges_are_right_to_one_level(void **state)
{
	struct picture p = { .kind = CHART_STACK, .w = 1, .h = 5, .nseries = 2, .scale = percent };

	(void)state;
	for (int first = 0; first <= 100; first++) {
		struct canvas c;
		int rows = 0;
		double exact = 1 + first / 100.0 * (p.h * 8 - 1);	/* above the baseline */

		p.mean[0][0] = first;
		p.mean[1][0] = 100 - first;
		c = paint(&p, GLYPHS_BLOCK);
		for (int y = p.h; y >= 1; y--) {
			const struct cell *cell = canvas_at(&c, 1, y);

			if (cell->role != ROLE_SWAP_IN)
				break;
			rows += cell->ch == 0x2588 ? 8 : (int)(cell->ch - 0x2580);
		}
		canvas_done(&c);
		if (first == 0)
			assert_int_equal(rows, 0);
		else
			assert_true(fabs(rows - exact) <= 1);
	}
}

static void small_part_between_large_ones_keeps_a_level(void **state)
{
	struct picture p = {
		.kind = CHART_STACK, .w = 1, .h = 2, .nseries = 3, .scale = percent,
		.mean = { { 0.1, 0.1 }, { 60, 60 } },
	};

	(void)state;
	assert_string_equal(draw(&p, GLYPHS_BLOCK), "▂\n▂\n");
	assert_int_equal(role_at(&p, GLYPHS_BLOCK, 0, 1), ROLE_SWAP_IN);
	assert_int_equal(role_at(&p, GLYPHS_BLOCK, 0, 0), ROLE_SWAP_IN + 2);
}

static void missing_part_is_left_out_of_the_sum(void **state)
{
	struct picture p = {
		.kind = CHART_STACK, .w = 1, .h = 2, .nseries = 2, .scale = percent,
		.mean = { { GAP, GAP }, { 100, 100 } },
	};

	(void)state;
	assert_string_equal(draw(&p, GLYPHS_BLOCK), "▓\n▓\n");
	assert_int_equal(role_at(&p, GLYPHS_BLOCK, 0, 1), ROLE_SWAP_IN + 2);
}

/* ---- Line and strip ---- */

static void line_steps_and_does_not_cross_a_gap(void **state)
{
	struct picture p = {
		.kind = CHART_LINE, .w = 8, .h = 3, .nseries = 1, .scale = percent,
		.mean = { { 0, 0, 100, 100, GAP, 100, 0, 50, 50, 50, 100, 100, 0, 0, 0, 0 } },
	};

	(void)state;
	check(&p, " ⡏⠈⡆ ⡏⡆\n ⡇ ⣷⠒⠁⡇\n⣀⠇ ⡿  ⣇⣀\n", "  ╭─ ─╮\n  │   │╭\n──╯   ╰╯\n",
	      "  ┌─ ─┐\n  │   │┌\n──┘   └┘\n", "  .- -.\n  |   |.\n--'   ''\n");
}

static void later_line_is_drawn_over_an_earlier_one(void **state)
{
	struct picture p = {
		.kind = CHART_LINE, .w = 2, .h = 1, .nseries = 2, .scale = percent,
		.mean = { { 1, 1, 1, 1 }, { 1, 1, GAP, GAP } },
	};

	(void)state;
	for (int g = GLYPHS_BRAILLE; g <= GLYPHS_ASCII; g++)
		assert_int_equal(role_at(&p, (enum glyphs)g, 0, 0), ROLE_SWAP_IN + 2);
	assert_int_equal(role_at(&p, GLYPHS_BRAILLE, 1, 0), ROLE_SWAP_IN);
	p.mean[0][0] = 100;	/* even where the earlier one has more dots */
	assert_int_equal(role_at(&p, GLYPHS_BRAILLE, 0, 0), ROLE_SWAP_IN + 2);
	/* and where the earlier one has a stem, and is missing beside it. */
	p.mean[0][0] = 50;
	p.max[0][0] = 100;
	p.mean[0][1] = p.mean[1][0] = GAP;
	p.mean[1][1] = 0;
	assert_int_equal(role_at(&p, GLYPHS_BRAILLE, 0, 0), ROLE_SWAP_IN + 2);
}

static void line_keeps_the_maximum_above_it(void **state)
{
	struct picture p = {
		.kind = CHART_LINE, .w = 2, .h = 3, .nseries = 1, .scale = percent,
		.mean = { { 1, 1, 1, 1 } }, .max = { { 1, 100, 1, 1 } },
	};

	(void)state;
	check(&p, "⠨\n⠨\n⠬⠤\n", " ·\n──\n\n", " ·\n──\n\n", " *\n--\n\n");
}

static void strip_has_a_row_a_series_shaded_by_its_maximum(void **state)
{
	struct picture p = {
		.kind = CHART_STRIP, .w = 8, .h = 3, .nseries = 2, .scale = percent,
		.mean = { { STEPS, GAP, GAP, 0, 1, 30, 60, 90, 100, 100 },
			  { 0, 0, 0, 0, 0, 0, GAP, 1, 1, 1, 1, 1, 1, 1, 1, 1 } },
		.max = { { 0 }, { 0, 0, 0, 100 } },
	};

	(void)state;
	check(&p, "·░▓█·░██\n·█·░░░░░\n\n", " ·░░▒▓█\n···█·· ░\n\n", " ·░░▒▓█\n···█·· ░\n\n",
	      " .--=*#\n...#.. -\n\n");
}

static void strip_draws_no_more_series_than_rows(void **state)
{
	struct picture p = {
		.kind = CHART_STRIP, .w = 1, .h = 1, .nseries = 3, .scale = percent,
		.mean = { { 100, 100 }, { 100, 100 }, { 100, 100 } },
	};
	struct canvas c = paint(&p, GLYPHS_ASCII);

	(void)state;
	assert_int_equal(canvas_at(&c, 1, 1)->ch, '#');
	assert_int_equal(canvas_at(&c, 1, 2)->ch, ' ');
	canvas_done(&c);
}

/* ---- Bars ---- */

static const char *bar(double fraction, enum glyphs g)
{
	static char text[64];
	struct canvas c;
	FILE *f = fmemopen(text, sizeof(text), "w");

	canvas_init(&c, 6, 1);
	chart_bar(&c, 1, 0, 4, fraction, ROLE_TEXT, g);
	output_text(&c, false, f);
	fclose(f);
	canvas_done(&c);
	return text;
}

static void bar_is_as_long_as_its_fraction(void **state)
{
	(void)state;
	assert_string_equal(bar(0, GLYPHS_BRAILLE), "\n");
	assert_string_equal(bar(NAN, GLYPHS_BRAILLE), "\n");
	assert_string_equal(bar(1e-6, GLYPHS_BRAILLE), " ▏\n");
	assert_string_equal(bar(0.5, GLYPHS_BRAILLE), " ██\n");
	assert_string_equal(bar(0.6, GLYPHS_BLOCK), " ██▍\n");
	assert_string_equal(bar(0.6, GLYPHS_HALF), " ██▌\n");
	assert_string_equal(bar(0.6, GLYPHS_ASCII), " ##\n");
	assert_string_equal(bar(7, GLYPHS_ASCII), " ####\n");
}

/* ---- What holds for any numbers ---- */

static double random_value(unsigned int *seed)
{
	switch (rand_r(seed) % 8) {
	case 0: return GAP;
	case 1: return 0;
	case 2: return 1e-9;
	case 3: return 100;
	case 4: return 1e12;
	case 5: return -3;
	}
	return rand_r(seed) % 1000 / 10.0;
}

static void randomise(struct picture *p, unsigned int *seed)
{
	p->kind = (enum chart_kind)(rand_r(seed) % (CHART_STRIP + 1));
	p->w = 1 + rand_r(seed) % 12;
	p->h = 1 + rand_r(seed) % 7;
	p->nseries = 1 + (size_t)rand_r(seed) % CHART_SERIES_MAX;
	p->scale = (struct scale){ .ceiling = rand_r(seed) % 3 ? 100 : 0, .floor = 0.01,
				   .log = rand_r(seed) % 2 };
	for (size_t s = 0; s < p->nseries; s++)
		for (size_t i = 0; i < COLUMNS_MAX; i++) {
			p->mean[s][i] = random_value(seed);
			p->max[s][i] = random_value(seed);
		}
}

/* Whether a cell stands for any number: which series a kind draws, and where. */
static bool cell_has_numbers(const struct picture *p, enum glyphs g, int x)
{
	int per = chart_columns_per_cell(g);
	size_t series = p->kind == CHART_AREA ? 1 : p->kind == CHART_MIRROR ? 2 : p->nseries;
	size_t rows = p->kind == CHART_STRIP ? (size_t)p->h : series;

	for (size_t s = 0; s < series && s < p->nseries && s < rows; s++)
		for (int k = 0; k < per; k++)
			if (!isnan(p->mean[s][x * per + k]))
				return true;
	return false;
}

static void nothing_outside_the_area_and_something_for_every_number(void **state)
{
	unsigned int seed = 20011;
	struct picture p;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		enum glyphs g = (enum glyphs)(round % (GLYPHS_ASCII + 1));
		struct canvas c;

		randomise(&p, &seed);
		c = paint(&p, g);
		for (int x = 0; x < c.cols; x++) {
			bool drawn = false;

			for (int y = 0; y < c.rows; y++) {
				bool inside = x > 0 && x <= p.w && y > 0 && y <= p.h;
				uint32_t ch = canvas_at(&c, x, y)->ch;

				assert_true(inside || ch == ' ');
				drawn |= ch != ' ';
			}
			if (x > 0 && x <= p.w)
				assert_int_equal(drawn, cell_has_numbers(&p, g, x - 1));
		}
		canvas_done(&c);
	}
}

static void area_without_cells_draws_nothing(void **state)
{
	struct history_column col = { .n = 1, .mean = 1, .max = 1 };
	struct chart_series series = { .cols = &col, .factor = 1 };
	struct chart chart = { .series = &series, .nseries = 1, .ncols = 1, .scale = percent };
	struct canvas c;

	(void)state;
	canvas_init(&c, 1, 1);
	chart_draw(&c, (struct rect){ 0, 0, 0, 1 }, &chart);
	chart_draw(&c, (struct rect){ 0, 0, 1, -1 }, &chart);
	chart.nseries = 0;
	chart_draw(&c, (struct rect){ 0, 0, 1, 1 }, &chart);
	assert_int_equal(canvas_at(&c, 0, 0)->ch, ' ');
	canvas_done(&c);
}

/* A canvas smaller than the area, and fewer numbers than the area has room for. */
static void chart_is_clipped_to_canvas_and_numbers(void **state)
{
	struct history_column cols[3] = { { .n = 1, .mean = 100, .max = 100 },
		{ .n = 1, .mean = 100, .max = 100 }, { .n = 1, .mean = 100, .max = 100 } };
	struct chart_series series = { .cols = cols, .factor = 1, .role = ROLE_OK };
	struct chart chart = {
		.glyphs = GLYPHS_BRAILLE, .series = &series, .nseries = 1, .ncols = 3,
		.scale = percent,
	};
	struct canvas c;

	(void)state;
	canvas_init(&c, 3, 1);
	chart_draw(&c, (struct rect){ 0, -1, 9, 2 }, &chart);
	assert_int_equal(canvas_at(&c, 0, 0)->ch, 0x28FF);
	assert_int_equal(canvas_at(&c, 1, 0)->ch, 0x2847);
	assert_int_equal(canvas_at(&c, 2, 0)->ch, ' ');
	canvas_done(&c);
}

static void factor_brings_numbers_to_base_units(void **state)
{
	struct history_column col = { .n = 1, .mean = 4, .max = 4 };	/* KiB */
	struct chart_series series = { .cols = &col, .factor = 1024, .role = ROLE_OK };
	struct chart chart = {
		.glyphs = GLYPHS_BLOCK, .series = &series, .nseries = 1, .ncols = 1,
		.scale = { .ceiling = 4096, .unit = CLASS_BYTES },
	};
	struct canvas c;

	(void)state;
	canvas_init(&c, 1, 1);
	chart_draw(&c, (struct rect){ 0, 0, 1, 1 }, &chart);
	assert_int_equal(canvas_at(&c, 0, 0)->ch, 0x2588);
	canvas_done(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gap_is_blank_zero_has_a_dot_and_more_is_higher),
		cmocka_unit_test(one_cell_tells_gap_zero_and_more_apart),
		cmocka_unit_test(maximum_stands_above_the_mean_and_ends_where_it_is),
		cmocka_unit_test(peak_has_its_own_role_where_it_is_the_larger_part),
		cmocka_unit_test(peak_of_a_column_with_hardly_any_mean_does_not_disappear),
		cmocka_unit_test(logarithmic_scale_gives_each_decade_the_same_room),
		cmocka_unit_test(ceiling_of_nothing_neither_divides_nor_hides),
		cmocka_unit_test(mirror_has_one_scale_up_and_down_from_the_middle),
		cmocka_unit_test(mirror_of_odd_rows_gives_the_line_a_row),
		cmocka_unit_test(mirror_of_one_row_says_which_sides_there_are),
		cmocka_unit_test(equal_numbers_up_and_down_are_equally_high),
		cmocka_unit_test(stack_puts_parts_on_one_another),
		cmocka_unit_test(layers_differ_without_colour),
		cmocka_unit_test(edges_are_right_to_one_level),
		cmocka_unit_test(small_part_between_large_ones_keeps_a_level),
		cmocka_unit_test(missing_part_is_left_out_of_the_sum),
		cmocka_unit_test(line_steps_and_does_not_cross_a_gap),
		cmocka_unit_test(later_line_is_drawn_over_an_earlier_one),
		cmocka_unit_test(line_keeps_the_maximum_above_it),
		cmocka_unit_test(strip_has_a_row_a_series_shaded_by_its_maximum),
		cmocka_unit_test(strip_draws_no_more_series_than_rows),
		cmocka_unit_test(bar_is_as_long_as_its_fraction),
		cmocka_unit_test(nothing_outside_the_area_and_something_for_every_number),
		cmocka_unit_test(area_without_cells_draws_nothing),
		cmocka_unit_test(chart_is_clipped_to_canvas_and_numbers),
		cmocka_unit_test(factor_brings_numbers_to_base_units),
	};

	return TAP_RUN(tests, NULL, NULL);
}
