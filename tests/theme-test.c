/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Theme files, good and bad, and the themes that come with vmtop. */
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ui/theme.h"

/* A directory of its own, that stands for the user's configuration. */
static char config[64], themes[128];

/* All complaints, one a line. */
struct complaints {
	char text[8192];
	int count;
};

static void keep(void *arg, const char *message)
{
	struct complaints *c = arg;
	size_t len = strlen(c->text);

	snprintf(c->text + len, sizeof(c->text) - len, "%s\n", message);
	c->count++;
}

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", themes, name);
	return path;
}

static void write_file(const char *name, const char *text, size_t len)
{
	FILE *f = fopen(path_of(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	fclose(f);
}

/* Loads a theme of this text; what was complained of stands in *c, without the path. */
static struct theme load(const char *text, size_t len, struct complaints *c)
{
	struct complaints raw = { .count = 0 };
	struct theme t;
	char *line, *save = NULL;
	size_t prefix = strlen(path_of("t.theme"));

	write_file("t.theme", text, len);
	assert_int_equal(theme_load_file(&t, path_of("t.theme"), keep, &raw), 0);
	*c = (struct complaints){ .count = 0 };
	for (line = strtok_r(raw.text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		assert_memory_equal(line, path_of("t.theme"), prefix);
		keep(c, line + prefix);
	}
	return t;
}

#define LOAD(text, c) load(text, sizeof(text) - 1, c)

static bool same(struct colour a, enum colour_kind kind, uint32_t value)
{
	return a.kind == kind && a.value == value;
}

static int set_up(void **state)
{
	(void)state;
	snprintf(config, sizeof(config), "/tmp/vmtop-theme-test.XXXXXX");
	if (!mkdtemp(config))
		return -1;
	snprintf(themes, sizeof(themes), "%s/vmtop", config);
	mkdir(themes, 0700);
	snprintf(themes, sizeof(themes), "%s/vmtop/themes", config);
	mkdir(themes, 0700);
	return setenv("XDG_CONFIG_HOME", config, 1);
}

static int tear_down(void **state)
{
	char names[64][32];
	size_t n = theme_list(names, 64);
	char name[64];

	(void)state;
	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s.theme", names[i]);
		unlink(path_of(name));
	}
	rmdir(themes);
	*strrchr(themes, '/') = '\0';
	rmdir(themes);
	return rmdir(config);
}

/* ---- Lines ---- */

static void lines_set_colours_and_attributes(void **state)
{
	struct complaints c;
	struct theme t = LOAD("# a comment\n"
			      "\n"
			      "swap.in = #5fafff bold\n"
			      "frame   = 240\n"
			      "  title=brightwhite on blue underline   # and a comment\n"
			      "\tcursor\t=\treverse dim\n"
			      "SWAP.OUT = Red ON default BOLD", &c);

	(void)state;
	assert_string_equal(c.text, "");
	assert_string_equal(t.name, "t");
	assert_string_equal(t.path, path_of("t.theme"));
	assert_true(same(t.style[ROLE_SWAP_IN].fg, COLOUR_RGB, 0x5FAFFF));
	assert_int_equal(t.style[ROLE_SWAP_IN].attributes, STYLE_BOLD);
	assert_true(same(t.style[ROLE_FRAME].fg, COLOUR_INDEX, 240));
	assert_true(same(t.style[ROLE_TITLE].fg, COLOUR_INDEX, 15));
	assert_true(same(t.style[ROLE_TITLE].bg, COLOUR_INDEX, 4));
	assert_int_equal(t.style[ROLE_TITLE].attributes, STYLE_UNDERLINE);
	assert_int_equal(t.style[ROLE_CURSOR].attributes, STYLE_REVERSE | STYLE_DIM);
	assert_true(same(t.style[ROLE_SWAP_OUT].fg, COLOUR_INDEX, 1));
	assert_int_equal(t.style[ROLE_SWAP_OUT].attributes, STYLE_BOLD);
}

static void what_is_left_out_looks_like_text(void **state)
{
	struct complaints c;
	struct theme t = LOAD("key = bold\nmark = default\ntext = #101112 on #f0f1f2 dim\n", &c);

	(void)state;
	assert_true(same(t.style[ROLE_OK].fg, COLOUR_RGB, 0x101112));
	assert_true(same(t.style[ROLE_OK].bg, COLOUR_RGB, 0xF0F1F2));
	assert_int_equal(t.style[ROLE_OK].attributes, STYLE_DIM);
	assert_true(same(t.style[ROLE_KEY].fg, COLOUR_RGB, 0x101112));
	assert_int_equal(t.style[ROLE_KEY].attributes, STYLE_BOLD);
	assert_true(same(t.style[ROLE_MARK].fg, COLOUR_DEFAULT, 0));
	assert_true(same(t.style[ROLE_MARK].bg, COLOUR_RGB, 0xF0F1F2));
}

#define NO_COLOUR \
	" is no colour and no attribute (a name, 0-255 or #rrggbb; bold, dim, underline, reverse)\n"

static void bad_line_is_named_and_the_rest_loads(void **state)
{
	static const struct { const char *text, *complaint; } bad[] = {
		{ "\n\nswap.inn = red\nok = 2",
		  ":3: no role \"swap.inn\" (did you mean swap.in?)\n" },
		{ "whatever = red\nok = 2",
		  ":1: no role \"whatever\" (dark.theme names them all)\n" },
		{ "swap.in red\nok = 2",
		  ":1: \"swap.in red\" (write: role = colour attributes)\n" },
		{ "= red\nok = 2", ":1: \"= red\" (write: role = colour attributes)\n" },
		{ "swap.in = pink\nok = 2", ":1: \"pink\"" NO_COLOUR },
		{ "swap.in = 256\nok = 2", ":1: \"256\"" NO_COLOUR },
		{ "swap.in = red blue\nok = 2",
		  ":1: one colour too many: \"blue\" (write: colour on background)\n" },
		{ "swap.in = red on blue on green\nok = 2",
		  ":1: one colour too many: \"green\" (write: colour on background)\n" },
		{ "swap.in = red on\nok = 2",
		  ":1: no colour behind \"on\" (write: colour on background)\n" },
		{ "swap.in = red on bold\nok = 2", ":1: \"bold\"" NO_COLOUR },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct complaints c;
		struct theme t = load(bad[i].text, strlen(bad[i].text), &c);

		assert_string_equal(c.text, bad[i].complaint);
		assert_true(same(t.style[ROLE_SWAP_IN].fg, COLOUR_DEFAULT, 0));
		assert_true(same(t.style[ROLE_OK].fg, COLOUR_INDEX, 2));
	}
}

static void role_named_twice_is_complained_of_and_the_last_counts(void **state)
{
	struct complaints c;
	struct theme t = LOAD("ok = 2\nok = 3 bold\n", &c);

	(void)state;
	assert_string_equal(c.text,
			    ":2: ok a second time (take one of the lines out; this one counts)\n");
	assert_true(same(t.style[ROLE_OK].fg, COLOUR_INDEX, 3));
}

static void dos_lines_and_a_byte_order_mark_are_taken(void **state)
{
	struct complaints c;
	struct theme t = LOAD("\xEF\xBB\xBFok = 2\r\n\r\n# x\r\nwarn = 3 bold\r\n", &c);

	(void)state;
	assert_string_equal(c.text, "");
	assert_true(same(t.style[ROLE_OK].fg, COLOUR_INDEX, 2));
	assert_int_equal(t.style[ROLE_WARN].attributes, STYLE_BOLD);
}

static void zero_bytes_and_long_lines_are_passed_over(void **state)
{
	struct complaints c;
	struct theme t;
	char text[400];

	(void)state;
	t = LOAD("ok = 2\nwarn = \0003\nmark = 5\0\nkey = 4", &c);
	assert_string_equal(c.text, ":2: a zero byte (is this a text file?)\n"
			    ":3: a zero byte (is this a text file?)\n");
	assert_true(same(t.style[ROLE_MARK].fg, COLOUR_DEFAULT, 0));
	assert_true(same(t.style[ROLE_KEY].fg, COLOUR_INDEX, 4));
	memset(text, 'x', sizeof(text));
	memcpy(text + 300, "\nok = 2\n", 9);
	t = load(text, 308, &c);
	assert_string_equal(c.text,
			    ":1: a line of 300 bytes (200 at most; start a comment line with #)\n");
	assert_true(same(t.style[ROLE_OK].fg, COLOUR_INDEX, 2));
}

static void complaint_repeats_nothing_unsafe_and_little(void **state)
{
	struct complaints c;

	(void)state;
	LOAD("a\x1b[2Jb = red\nok = \xff\x9b\n"
	     "0123456789012345678901234567890123456789012345678901234567890123456789 = red\n", &c);
	assert_int_equal(c.count, 3);
	for (const char *p = c.text; *p; p++)
		assert_true((unsigned char)*p >= ' ' || *p == '\n');
	assert_null(strstr(c.text, "\x1b"));
	assert_null(strstr(c.text, "901234567890123456789 ="));
}

static void file_that_is_no_theme_is_not_complained_of_for_ever(void **state)
{
	struct complaints c;
	char text[600];

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % 2 ? '\n' : 'x';
	load(text, sizeof(text), &c);
	assert_int_equal(c.count, 11);
	assert_non_null(strstr(c.text,
			       ":11: and more lines that are wrong (is this a theme file?)\n"));
}

static void nobody_need_listen_to_complaints(void **state)
{
	struct theme t;

	(void)state;
	write_file("t.theme", "x\nok = 2\n", 9);
	assert_int_equal(theme_load_file(&t, path_of("t.theme"), NULL, NULL), 0);
	assert_true(same(t.style[ROLE_OK].fg, COLOUR_INDEX, 2));
	assert_int_equal(theme_load_file(&t, "/nonexistent", NULL, NULL), -ENOENT);
	assert_int_equal(theme_load(&t, "no-such-theme", NULL, NULL), -ENOENT);
	assert_int_equal(theme_load(&t, "../t", NULL, NULL), -EINVAL);
}

/* ---- Files ---- */

static bool is_builtin(const struct theme *t)
{
	struct theme builtin;

	theme_builtin(&builtin);
	return memcmp(t->style, builtin.style, sizeof(t->style)) == 0;
}

static void builtin_theme_has_no_colours(void **state)
{
	struct theme t;

	(void)state;
	theme_builtin(&t);
	for (int i = 0; i < ROLE_COUNT; i++) {
		assert_int_equal(t.style[i].fg.kind, COLOUR_DEFAULT);
		assert_int_equal(t.style[i].bg.kind, COLOUR_DEFAULT);
	}
	assert_int_equal(t.style[ROLE_CURSOR].attributes, STYLE_REVERSE);
	assert_string_equal(t.path, "");
}

static void file_that_cannot_be_read_gives_the_builtin_theme(void **state)
{
	struct complaints c = { .count = 0 };
	char big[70000];
	struct theme t;

	(void)state;
	assert_int_equal(theme_load_file(&t, "/nonexistent/x.theme", keep, &c), -ENOENT);
	assert_string_equal(c.text,
			    "/nonexistent/x.theme: No such file or directory (check the path)\n");
	assert_true(is_builtin(&t));
	c = (struct complaints){ .count = 0 };
	assert_int_equal(theme_load_file(&t, themes, keep, &c), -EISDIR);
	assert_int_equal(c.count, 1);
	memset(big, '\n', sizeof(big));
	write_file("t.theme", big, sizeof(big));
	assert_int_equal(theme_load_file(&t, path_of("t.theme"), keep, &c), -EFBIG);
	assert_true(is_builtin(&t));
	assert_int_equal(theme_load_file(&t, "/dev/zero", keep, &c), -EINVAL);
}

/* Opening a pipe that nobody writes would wait for ever; the alarm would end the test. */
static void pipe_of_that_name_does_not_hold_up(void **state)
{
	struct theme t;
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s", path_of("pipe.theme"));
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(10);
	assert_int_equal(theme_load_file(&t, path, NULL, NULL), -EINVAL);
	alarm(0);
	unlink(path);
}

static void file_of_exactly_the_largest_size_loads(void **state)
{
	static char big[64 * 1024];
	struct theme t;

	(void)state;
	memset(big, '\n', sizeof(big));
	for (size_t i = 0; i < 6; i++)
		big[sizeof(big) - 6 + i] = "ok = 2"[i];
	write_file("t.theme", big, sizeof(big));
	assert_int_equal(theme_load_file(&t, path_of("t.theme"), NULL, NULL), 0);
	assert_true(same(t.style[ROLE_OK].fg, COLOUR_INDEX, 2));
}

/* ---- Names ---- */

static void users_file_comes_first_and_is_listed_once(void **state)
{
	struct complaints c = { .count = 0 };
	char names[16][32];
	struct theme t;
	size_t n, found = 0;

	(void)state;
	write_file("mono.theme", "ok = 77\n", 8);
	write_file("aardvark.theme", "ok = 78\n", 8);
	write_file(".hidden.theme", "", 0);
	write_file("notes.txt", "", 0);
	write_file("a name with blanks.theme", "", 0);
	write_file("a-name-that-is-longer-than-31-characters.theme", "", 0);
	assert_int_equal(theme_load(&t, "mono", keep, &c), 0);
	assert_string_equal(t.path, path_of("mono.theme"));
	assert_true(same(t.style[ROLE_OK].fg, COLOUR_INDEX, 77));
	n = theme_list(names, 16);
	for (size_t i = 0; i < n; i++) {
		found += strcmp(names[i], "mono") == 0;
		assert_null(strpbrk(names[i], " "));
		assert_true(i == 0 || strcmp(names[i - 1], names[i]) < 0);
	}
	assert_int_equal(found, 1);
	assert_string_equal(names[0], "aardvark");
	assert_int_equal(theme_list(names, 1), 1);
	assert_int_equal(theme_list(names, 0), 0);
	unlink(path_of(".hidden.theme"));
	unlink(path_of("notes.txt"));
	unlink(path_of("a name with blanks.theme"));
	unlink(path_of("a-name-that-is-longer-than-31-characters.theme"));
	unlink(path_of("mono.theme"));
	unlink(path_of("aardvark.theme"));
}

static void home_is_looked_at_when_there_is_no_absolute_config_home(void **state)
{
	char dir[160], home[80];
	struct theme t;

	(void)state;
	/* The same directory under the name it has below a home. */
	snprintf(home, sizeof(home), "%s/home", config);
	assert_int_equal(mkdir(home, 0700), 0);
	snprintf(dir, sizeof(dir), "%s/.config", home);
	assert_int_equal(symlink("..", dir), 0);
	write_file("athome.theme", "ok = 79\n", 8);
	assert_int_equal(setenv("HOME", home, 1), 0);
	assert_int_equal(setenv("XDG_CONFIG_HOME", "relative", 1), 0);
	assert_int_equal(theme_load(&t, "athome", NULL, NULL), 0);
	assert_true(same(t.style[ROLE_OK].fg, COLOUR_INDEX, 79));
	assert_int_equal(setenv("XDG_CONFIG_HOME", config, 1), 0);
	unlink(path_of("athome.theme"));
	unlink(dir);
	rmdir(home);
}

static void unknown_name_is_answered_with_those_there_are(void **state)
{
	struct complaints c = { .count = 0 };
	struct theme t;

	(void)state;
	write_file("aardvark.theme", "ok = 78\n", 8);
	assert_int_equal(theme_load(&t, "zebra", keep, &c), -ENOENT);
	assert_int_equal(c.count, 1);
	assert_non_null(strstr(c.text, "no theme \"zebra\" (there are: aardvark"));
	assert_true(is_builtin(&t));
	unlink(path_of("aardvark.theme"));
}

static void name_that_leads_elsewhere_is_refused(void **state)
{
	static const char *const bad[] = {
		"", ".", "..", "../dark", "a/b", "/etc/passwd", "a b", "-x", "x\n", "x\x1b[2J",
		"01234567890123456789012345678901",
	};
	struct theme t;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct complaints c = { .count = 0 };

		assert_int_equal(theme_load(&t, bad[i], keep, &c), -EINVAL);
		assert_non_null(strstr(c.text,
				       "no theme name (letters, digits, . _ and -, at most 31)"));
		assert_null(strstr(c.text, "\x1b"));
		assert_true(is_builtin(&t));
	}
}

/* ---- The themes that come with vmtop ---- */

static struct theme shipped(const char *name)
{
	struct complaints c = { .count = 0 };
	const char *top = getenv("VMTOP_SRC");
	struct theme t;
	char path[4096];

	snprintf(path, sizeof(path), "%s/themes/%s.theme", top ? top : ".", name);
	assert_int_equal(theme_load_file(&t, path, keep, &c), 0);
	assert_string_equal(c.text, "");
	return t;
}

static const char *const role_names[] = {
#define ROLE(symbol, name, meaning) name,
#include "ui/roles.def"
#undef ROLE
};

static void dark_theme_names_every_role(void **state)
{
	const char *top = getenv("VMTOP_SRC");
	char path[4096], line[256];
	bool named[ROLE_COUNT] = { false };
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/themes/dark.theme", top ? top : ".");
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		for (int i = 0; i < ROLE_COUNT; i++) {
			size_t len = strlen(role_names[i]);

			if (strncmp(line, role_names[i], len) == 0 && strchr(" \t=", line[len]))
				named[i] = true;
		}
	fclose(f);
	for (int i = 0; i < ROLE_COUNT; i++) {
		if (!named[i])
			print_message("%s is missing\n", role_names[i]);
		assert_true(named[i]);
	}
}

static void mono_theme_is_the_builtin_one(void **state)
{
	struct theme t = shipped("mono");

	(void)state;
	assert_true(is_builtin(&t));
}

static double linear(uint32_t byte)
{
	double v = (byte & 0xFF) / 255.0;

	return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* WCAG 2.1, "relative luminance" and "contrast ratio". */
static double luminance(uint32_t rgb)
{
	return 0.2126 * linear(rgb >> 16) + 0.7152 * linear(rgb >> 8) + 0.0722 * linear(rgb);
}

static double contrast(uint32_t a, uint32_t b)
{
	double x = luminance(a), y = luminance(b);

	return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static void assert_legible(const struct theme *t, uint32_t background)
{
	for (int i = 0; i < ROLE_COUNT; i++) {
		const struct style *s = &t->style[i];
		struct colour few = { COLOUR_INDEX, (uint32_t)colour_nearest(s->fg, 256) };
		uint32_t bg = colour_rgb(s->bg, background);
		/* A border is no text: 3 to 1 is asked of it. */
		double least = i == ROLE_FRAME ? 3 : 4.5;

		assert_int_not_equal(s->fg.kind, COLOUR_DEFAULT);
		if (contrast(colour_rgb(s->fg, 0), bg) < least)
			print_message("%s: %s is hard to read\n", t->name, role_names[i]);
		assert_true(contrast(colour_rgb(s->fg, 0), bg) >= least);
		/* The nearest of 256 may be a little off. */
		assert_true(contrast(colour_rgb(few, 0), bg) >= least - 0.6);
	}
}

static void dark_theme_is_legible_on_dark_backgrounds(void **state)
{
	struct theme t = shipped("dark");

	(void)state;
	assert_legible(&t, 0x000000);
	assert_legible(&t, 0x101010);
	assert_legible(&t, 0x1E1E1E);
}

static void light_theme_is_legible_on_light_backgrounds(void **state)
{
	struct theme t = shipped("light");

	(void)state;
	assert_legible(&t, 0xFFFFFF);
	assert_legible(&t, 0xF5F5F5);
}

/*
 * What is seen of a colour: all of it, without red, without green (Machado, Oliveira, Fernandes
 * 2009, severity 1).
 */
static const double sights[3][3][3] = {
	{ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
	{ { 0.152286, 1.052583, -0.204868 }, { 0.114503, 0.786281, 0.099216 },
	  { -0.003882, -0.048116, 1.051998 } },
	{ { 0.367322, 0.860646, -0.227968 }, { 0.280085, 0.672501, 0.047413 },
	  { -0.011820, 0.042940, 0.968881 } },
};

/* CIE L*a*b* of a colour as one of the sights has it. */
static void seen(uint32_t rgb, int sight, double lab[3])
{
	static const double white[3] = { 0.95047, 1, 1.08883 };
	static const double xyz_of[3][3] = { { 0.4124564, 0.3575761, 0.1804375 },
		{ 0.2126729, 0.7151522, 0.0721750 }, { 0.0193339, 0.1191920, 0.9503041 } };
	double in[3] = { linear(rgb >> 16), linear(rgb >> 8), linear(rgb) }, left[3], f[3];

	for (int i = 0; i < 3; i++) {
		left[i] = 0;
		for (int k = 0; k < 3; k++)
			left[i] += sights[sight][i][k] * in[k];
		left[i] = fmin(fmax(left[i], 0), 1);
	}
	for (int i = 0; i < 3; i++) {
		double v = 0;

		for (int k = 0; k < 3; k++)
			v += xyz_of[i][k] * left[k];
		v /= white[i];
		f[i] = v > 0.008856 ? cbrt(v) : 7.787 * v + 16.0 / 116;
	}
	lab[0] = 116 * f[1] - 16;
	lab[1] = 500 * (f[0] - f[1]);
	lab[2] = 200 * (f[1] - f[2]);
}

static void assert_apart(const struct theme *t, enum role a, enum role b)
{
	for (int sight = 0; sight < 3; sight++) {
		double x[3], y[3], d;

		seen(colour_rgb(t->style[a].fg, 0), sight, x);
		seen(colour_rgb(t->style[b].fg, 0), sight, y);
		d = sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
			 (x[2] - y[2]) * (x[2] - y[2]));
		if (d < 20)
			print_message("%s: %s and %s, sight %d: %.1f\n", t->name, role_names[a],
				      role_names[b], sight, d);
		assert_true(d >= 20);
	}
}

/* What shares a chart can be told apart, also without seeing red or green. */
static void series_of_a_chart_are_apart_for_all_eyes(void **state)
{
	static const enum role charts[][5] = {
		{ ROLE_SWAP_IN, ROLE_SWAP_OUT, ROLE_COUNT },
		{ ROLE_IO_IN, ROLE_IO_OUT, ROLE_COUNT },
		{ ROLE_MEM_FREE, ROLE_MEM_CACHE, ROLE_MEM_ANON, ROLE_MEM_OTHER, ROLE_COUNT },
		{ ROLE_KSWAPD, ROLE_DIRECT, ROLE_STEAL, ROLE_COUNT },
		{ ROLE_KSWAPD, ROLE_DIRECT, ROLE_SCAN, ROLE_COUNT },
		{ ROLE_SOME, ROLE_FULL, ROLE_COUNT },
		{ ROLE_CPU_US, ROLE_CPU_SY, ROLE_CPU_WA, ROLE_CPU_ST, ROLE_COUNT },
		{ ROLE_MEM_ANON, ROLE_REFAULT, ROLE_COUNT },
		{ ROLE_MEM_OTHER, ROLE_SWAP_OUT, ROLE_COUNT },
	};
	static const char *const names[] = { "dark", "light" };

	(void)state;
	for (size_t n = 0; n < 2; n++) {
		struct theme t = shipped(names[n]);

		for (size_t i = 0; i < sizeof(charts) / sizeof(*charts); i++)
			for (size_t a = 0; charts[i][a] != ROLE_COUNT; a++)
				for (size_t b = 0; b < a; b++)
					assert_apart(&t, charts[i][a], charts[i][b]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_set_colours_and_attributes),
		cmocka_unit_test(what_is_left_out_looks_like_text),
		cmocka_unit_test(bad_line_is_named_and_the_rest_loads),
		cmocka_unit_test(role_named_twice_is_complained_of_and_the_last_counts),
		cmocka_unit_test(dos_lines_and_a_byte_order_mark_are_taken),
		cmocka_unit_test(zero_bytes_and_long_lines_are_passed_over),
		cmocka_unit_test(complaint_repeats_nothing_unsafe_and_little),
		cmocka_unit_test(file_that_is_no_theme_is_not_complained_of_for_ever),
		cmocka_unit_test(nobody_need_listen_to_complaints),
		cmocka_unit_test(builtin_theme_has_no_colours),
		cmocka_unit_test(file_that_cannot_be_read_gives_the_builtin_theme),
		cmocka_unit_test(pipe_of_that_name_does_not_hold_up),
		cmocka_unit_test(file_of_exactly_the_largest_size_loads),
		cmocka_unit_test(users_file_comes_first_and_is_listed_once),
		cmocka_unit_test(home_is_looked_at_when_there_is_no_absolute_config_home),
		cmocka_unit_test(unknown_name_is_answered_with_those_there_are),
		cmocka_unit_test(name_that_leads_elsewhere_is_refused),
		cmocka_unit_test(dark_theme_names_every_role),
		cmocka_unit_test(mono_theme_is_the_builtin_one),
		cmocka_unit_test(dark_theme_is_legible_on_dark_backgrounds),
		cmocka_unit_test(light_theme_is_legible_on_light_backgrounds),
		cmocka_unit_test(series_of_a_chart_are_apart_for_all_eyes),
	};

	return TAP_RUN(tests, set_up, tear_down);
}
