/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ui/term.c shows, sends and reads, in a real pty: this program starts itself there. */
#include "tests/tap.h"

#include <string.h>
#include <unistd.h>

#include "tests/term-drive.h"
#include "tests/vt.h"
#include "ui/output.h"

/* ---- What is on the screen ---- */

static void text_of_all_kinds_is_shown(void **state)
{
	static const char *const exported[] = { "LINES=50", "COLUMNS=20", NULL };	/* once */
	struct vt *vt = drive_start_page(&(struct vt_options){
		.cols = 60, .rows = 10, .environment = exported });

	(void)state;
	assert_string_equal(vt_row(vt, 0), "size 60x10 colours 256 utf8 1");
	assert_string_equal(vt_row(vt, 1), DRIVE_TEXT);
	assert_int_equal(vt_cell(vt, 59, 9).ch, 'Z');
	assert_true(vt_on_alternate_screen(vt));
	assert_false(vt_cursor_visible(vt));
	assert_true(vt_keypad_mode(vt));
	drive_quit(vt);
}

static void without_utf8_everything_is_ascii(void **state)
{
	static const char *const broken[] = { "LC_ALL=xx_YY.UTF-8", NULL };
	const struct vt_options options[] = {
		{ .lang = "C" }, { .lang = "POSIX", .term = "vt100" },
		{ .lang = "C", .environment = broken },		/* a locale that is not installed */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		struct vt *vt = drive_start_page(&options[i]);

		assert_non_null(strstr(vt_row(vt, 0), "utf8 0"));
		for (const char *p = vt_text(vt); *p; p++)
			assert_in_range((unsigned char)*p, '\n', '~');
		assert_int_equal(vt_cell(vt, 8, 1).ch, output_ascii(0x2588));
		assert_int_equal(vt_cell(vt, 79, 23).ch, 'Z');
		drive_quit(vt);
	}
}

struct wanted {
	struct vt_colour fg, bg;
	bool bold, reverse, underline;
};

static void assert_looks(const char *term, const char *no_color, int colours,
	const struct wanted *wanted)
{
	const char *const environment[] = { no_color, NULL };
	const struct vt_options options = { .term = term, .environment = environment };
	struct vt *vt = drive_start_page(&options);
	char line[40];

	snprintf(line, sizeof(line), "colours %d utf8", colours);
	vt_expect(vt, line, DRIVE_SOON);
	for (int i = 0; i < drive_nroles; i++) {
		struct vt_cell cell = vt_cell(vt, i, 2);

		assert_int_equal(cell.ch, 'A' + i);
		assert_int_equal(cell.fg.kind, wanted[i].fg.kind);
		assert_int_equal(cell.fg.value, wanted[i].fg.value);
		assert_int_equal(cell.bg.kind, wanted[i].bg.kind);
		assert_int_equal(cell.bg.value, wanted[i].bg.value);
		assert_int_equal(cell.bold, wanted[i].bold);
		assert_int_equal(cell.reverse, wanted[i].reverse);
		assert_int_equal(cell.underline, wanted[i].underline);
	}
	drive_quit(vt);
}

/* In the order of drive_roles: text, #5fafff bold, yellow 11, grey 234, 7 on 4, 1 underlined. */
static void colours_are_what_the_terminal_has(void **state)
{
	const struct wanted indexed[] = {
		{ .bold = false }, { .fg = { VT_INDEX, 75 }, .bold = true },
		{ .fg = { VT_INDEX, 11 } }, { .fg = { VT_INDEX, 234 } },
		{ .fg = { VT_INDEX, 7 }, .bg = { VT_INDEX, 4 } },
		{ .fg = { VT_INDEX, 1 }, .underline = true },
	};

	(void)state;
	assert_looks("xterm-256color", "NO_COLOR=", 256, indexed);
	assert_looks("screen-256color", "COLORTERM=truecolor", 256, indexed);
}

static void with_eight_colours_bright_is_bold_and_dark_grey_is_seen(void **state)
{
	static const char *const terms[] = { "xterm", "screen", "tmux", "linux" };

	(void)state;
	for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
		struct vt *vt = drive_start_page(&(struct vt_options){ .term = terms[i] });

		vt_expect(vt, "colours 8 utf8 1", DRIVE_SOON);
		assert_int_equal(vt_cell(vt, 2, 2).fg.value, 3);	/* 11 */
		assert_true(vt_cell(vt, 2, 2).bold);
		assert_int_equal(vt_cell(vt, 3, 2).fg.kind, VT_DEFAULT);	/* 234, not black */
		assert_int_equal(vt_cell(vt, 4, 2).bg.value, 4);
		assert_int_equal(vt_cell(vt, 5, 2).fg.value, 1);
		drive_quit(vt);
	}
}

static void without_colours_there_are_attributes_and_a_background_is_reverse(void **state)
{
	const struct wanted mono[] = {
		{ .bold = false }, { .bold = true }, { .bold = false }, { .bold = false },
		{ .reverse = true }, { .underline = true },
	};

	(void)state;
	assert_looks("xterm-256color", "NO_COLOR=1", 0, mono);
	assert_looks("vt100", "NO_COLOR=", 0, mono);
}

#define RGB "%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d"

/* Terminal types that not every machine has, made from xterm-256color. */
static void make_types(const char *dir, char *path, size_t size)
{
	static const char source[] =
		"vmtop-16|sixteen colours, colors#16, pairs#256, use=xterm-256color,\n"
		"vmtop-direct|true colours, RGB, colors#0x1000000, pairs#0x7fff,\n"
		"\tsetaf=\\E[%?%p1%{8}%<%t3%p1%d%e38;2;" RGB "%;m,\n"
		"\tsetab=\\E[%?%p1%{8}%<%t4%p1%d%e48;2;" RGB "%;m,\n"
		"\tsetf@, setb@, ccc@, initc@, use=xterm-256color,\n";
	char command[600];
	FILE *f;

	snprintf(path, size, "%s/types", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(source, f);
	fclose(f);
	snprintf(command, sizeof(command), "tic -x -o %s/terminfo %s", dir, path);
	assert_int_equal(system(command), 0);
	snprintf(path, size, "TERMINFO=%s/terminfo", dir);
}

static void sixteen_and_true_colours_come_from_terminfo(void **state)
{
	char dir[] = "/tmp/vmtop-test-XXXXXX", path[300], command[100];
	const char *const environment[] = { path, NULL };
	struct vt_options options = { .environment = environment };
	struct vt_cell yellow, blue, grey, index;
	struct vt *vt;

	(void)state;
	assert_non_null(mkdtemp(dir));
	make_types(dir, path, sizeof(path));
	options.term = "vmtop-16";
	vt = drive_start("draw", &options);
	vt_wait_text(vt, "colours 16 utf8", DRIVE_SOON);
	yellow = vt_cell(vt, 2, 2);
	vt_stop(vt);
	options.term = "vmtop-direct";
	vt = drive_start("draw", &options);
	vt_wait_text(vt, "colours 16777216 utf8", DRIVE_SOON);
	blue = vt_cell(vt, 1, 2);
	grey = vt_cell(vt, 3, 2);
	index = vt_cell(vt, 4, 2);
	vt_stop(vt);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);

	assert_int_equal(yellow.fg.kind, VT_INDEX);
	assert_int_equal(yellow.fg.value, 11);
	assert_false(yellow.bold);
	assert_int_equal(blue.fg.kind, VT_RGB);
	assert_int_equal(blue.fg.value, 0x5fafff);
	assert_int_equal(grey.fg.value, 0x1c1c1c);
	assert_int_equal(index.fg.value, 7);
	assert_int_equal(index.bg.value, 4);
}

static void a_new_theme_is_seen_at_once(void **state)
{
	struct vt *vt = drive_start_page(&(struct vt_options){ .cols = 40, .rows = 5 });

	(void)state;
	vt_press(vt, "t");
	drive_press(vt, "c", "count 1");
	assert_int_equal(vt_cell(vt, 1, 2).fg.kind, VT_DEFAULT);
	assert_true(vt_cell(vt, 1, 2).reverse);
	assert_int_equal(vt_cell(vt, 4, 2).bg.kind, VT_DEFAULT);
	drive_quit(vt);
}

/* Frames that change everything or a little, on every kind of terminal, against the canvas. */
static void any_sequence_of_frames_ends_up_right_on_every_terminal(void **state)
{
	static const char *const terms[] = {
		"xterm-256color", "xterm", "screen", "screen-256color", "tmux", "tmux-256color",
		"linux", "vt100", "vt220",
	};
	struct canvas c;
	char text[20];

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(terms) / sizeof(terms[0]); i++) {
		const char *term = terms[i / 2];
		bool utf8 = i % 2 == 0;
		struct vt *vt = drive_start_page(&(struct vt_options){
			.term = term, .cols = 53, .rows = 17, .lang = utf8 ? "C.UTF-8" : "C" });

		canvas_init(&c, 53, 17);
		drive_press(vt, "p", "end 1.");	/* made of what was there, so not compared */
		for (unsigned int n = 2; n < 9; n++) {
			snprintf(text, sizeof(text), "end %u.", n);
			drive_press(vt, "p", text);
			drive_frame(&c, n);
			drive_assert_shows(vt, &c, utf8, term);
		}
		canvas_done(&c);
		drive_quit(vt);
	}
}

/* ---- What is sent ---- */

static size_t bytes_of_a_count(struct vt *vt, const char *keys, const char *text)
{
	vt_read(vt, 1000, 50);
	vt_mark(vt);
	vt_send(vt, keys);
	vt_expect(vt, text, DRIVE_SOON);
	vt_read(vt, 1000, 50);
	return vt_bytes(vt);
}

static void an_unchanged_frame_sends_nothing_and_a_small_change_little(void **state)
{
	struct vt *vt = drive_start_page(&(struct vt_options){ .cols = 120, .rows = 40 });
	size_t one, with_ten_unchanged;

	(void)state;
	assert_int_equal(vt_clears(vt), 1);
	drive_press(vt, "c", "count 1");
	one = bytes_of_a_count(vt, "c", "count 2");
	with_ten_unchanged = bytes_of_a_count(vt, "nnnc", "count 3");
	assert_in_range(one, 1, 40);
	assert_int_equal(with_ten_unchanged, one);
	assert_int_equal(vt_clears(vt), 0);
	drive_quit(vt);
}

static void repaint_sends_everything_anew(void **state)
{
	struct vt *vt = drive_start_page(&(struct vt_options){ .cols = 60, .rows = 10 });

	(void)state;
	vt_read(vt, 1000, 50);
	vt_mark(vt);
	vt_press(vt, "r");
	drive_press(vt, "c", "count 1");
	assert_int_equal(vt_clears(vt), 1);
	assert_true(vt_was_sent(vt, "size 60x10"));
	drive_quit(vt);
}

static void a_frame_larger_than_the_pty_takes_arrives_whole(void **state)
{
	struct vt *vt = drive_start_page(&(struct vt_options){ .cols = 400, .rows = 120 });
	struct canvas c;

	(void)state;
	canvas_init(&c, 400, 120);
	drive_press(vt, "p", "end 1.");
	vt_mark(vt);
	drive_press(vt, "p", "end 2.");
	assert_true(vt_bytes(vt) > 100000);
	drive_frame(&c, 2);
	drive_assert_shows(vt, &c, true, "xterm-256color");
	canvas_done(&c);
	drive_quit(vt);
}

static void resize_on(const char *term)
{
	static const int sizes[][2] = { { 40, 10 }, { 400, 120 }, { 12, 4 }, { 132, 43 } };
	struct vt *vt = drive_start_page(&(struct vt_options){ .term = term });
	struct canvas c;
	char text[30];

	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		vt_resize(vt, sizes[i][0], sizes[i][1]);
		snprintf(text, sizeof(text), "size %dx%d", sizes[i][0], sizes[i][1]);
		text[sizes[i][0] < 30 ? sizes[i][0] : 29] = '\0';
		drive_press(vt, "c", text);
		drive_press(vt, "p", "end ");
		snprintf(text, sizeof(text), "end %u.", 2 * i + 2);
		drive_press(vt, "p", text);
		canvas_init(&c, sizes[i][0], sizes[i][1]);
		drive_frame(&c, 2 * i + 2);
		drive_assert_shows(vt, &c, true, term);
		canvas_done(&c);
	}
	drive_press(vt, "c", "count 5");
	drive_quit(vt);
}

static void a_resize_gives_the_new_size_and_a_whole_picture(void **state)
{
	(void)state;
	resize_on("xterm-256color");
	resize_on("vt100");
	resize_on("linux");
}

/* ---- Keys ---- */

static void keys_have_the_same_names_on_every_terminal(void **state)
{
	static const char *const terms[] = { "xterm-256color", "screen", "linux", "vt100" };
	static const char *const keys[] = {
		"Up", "Down", "Left", "Right", "Home", "End", "PgUp", "PgDn", "Insert", "Delete",
		"F1", "S-Tab", "Tab", "Enter", "Backspace", "S-Left", "S-Up", "^L", "space", "q",
		"\u00E9", "\u65E5",
	};
	static const char all[] = "keys Up Down Left Right Home End PgUp PgDn Insert Delete F1 "
		"S-Tab Tab Enter Backspace S-Left S-Up ^L space q \u00E9 \u65E5 .";
	char text[40];

	(void)state;
	for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
		const struct vt_options options = { .term = terms[i], .cols = 200 };
		struct vt *vt = drive_start("keys", &options);

		vt_expect(vt, "keys .", DRIVE_SOON);
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
			snprintf(text, sizeof(text), "%s .", keys[k]);
			drive_press(vt, keys[k], text);
		}
		assert_string_equal(vt_row(vt, 4), all);
		vt_press(vt, "^D");
		assert_int_equal(vt_exit_status(vt, DRIVE_SOON), 0);
		vt_stop(vt);
	}
}

static void esc_is_a_key_and_not_the_start_of_what_comes_later(void **state)
{
	struct vt *vt = drive_start("keys", &(struct vt_options){ 0 });

	(void)state;
	vt_expect(vt, "keys .", DRIVE_SOON);
	drive_press(vt, "Esc", "keys Esc .");	/* nothing more is needed for it to act */
	vt_send(vt, "[");
	vt_expect(vt, "keys Esc [ .", DRIVE_SOON);
	vt_send(vt, "\033\033x\033");
	vt_expect(vt, "keys Esc [ Esc Esc x Esc .", DRIVE_SOON);
	vt_stop(vt);
}

static void a_sequence_nobody_knows_is_no_row_of_keys(void **state)
{
	struct vt *vt = drive_start("keys", &(struct vt_options){ 0 });

	(void)state;
	vt_expect(vt, "keys .", DRIVE_SOON);
	/* A key with modifiers, a mouse report, a focus report, a numeric keypad, then a letter. */
	vt_send(vt, "\033[57399;5u\033[<0;10;5M\033[I\033Ozq");
	vt_expect(vt, "q .", DRIVE_SOON);
	assert_string_equal(vt_row(vt, 4), "keys q .");
	vt_send(vt, "\033[A\033OB");	/* an arrow in either mode */
	vt_expect(vt, "keys q Up Down .", DRIVE_SOON);
	vt_send(vt, "\xff");		/* no UTF-8: may swallow what comes with it, not more */
	for (int i = 0; i < 50 && !vt_wait_text(vt, "z .", 200); i++)
		vt_press(vt, "z");
	assert_non_null(strstr(vt_row(vt, 4), "keys q Up Down z "));
	vt_stop(vt);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_teardown(name, vt_stop_all)
		TEST(text_of_all_kinds_is_shown),
		TEST(without_utf8_everything_is_ascii),
		TEST(colours_are_what_the_terminal_has),
		TEST(with_eight_colours_bright_is_bold_and_dark_grey_is_seen),
		TEST(without_colours_there_are_attributes_and_a_background_is_reverse),
		TEST(sixteen_and_true_colours_come_from_terminfo),
		TEST(a_new_theme_is_seen_at_once),
		TEST(any_sequence_of_frames_ends_up_right_on_every_terminal),
		TEST(an_unchanged_frame_sends_nothing_and_a_small_change_little),
		TEST(repaint_sends_everything_anew),
		TEST(a_frame_larger_than_the_pty_takes_arrives_whole),
		TEST(a_resize_gives_the_new_size_and_a_whole_picture),
		TEST(keys_have_the_same_names_on_every_terminal),
		TEST(esc_is_a_key_and_not_the_start_of_what_comes_later),
		TEST(a_sequence_nobody_knows_is_no_row_of_keys),
#undef TEST
	};

	if (argc == 3 && strcmp(argv[1], DRIVE_OPTION) == 0)
		return drive(argv[2]);
	return TAP_RUN(tests, NULL, NULL);
}
