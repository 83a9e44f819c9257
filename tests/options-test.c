/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tap.h"

#include <errno.h>
#include <string.h>

#include "src/options.h"

static struct options parsed;
static char err[200];

/* Parses a command line of words; the last one is NULL. */
static int parse(const char *first, ...)
{
	static char *argv[16];
	va_list ap;
	int argc = 0;

	argv[argc++] = (char *)"vmtop";
	va_start(ap, first);
	for (const char *word = first; word; word = va_arg(ap, const char *))
		argv[argc++] = (char *)word;
	va_end(ap);
	argv[argc] = NULL;
	return options_parse(&parsed, argc, argv, err, sizeof(err));
}

static void nothing_said_is_a_dashboard_at_one_second(void **state)
{
	(void)state;
	assert_int_equal(parse(NULL), 0);
	assert_int_equal(parsed.mode, MODE_DASHBOARD);
	assert_int_equal(parsed.interval_ns, 1000000000);
	assert_null(parsed.command);
	assert_string_equal(parsed.root, "");
}

static void what_follows_two_dashes_is_the_command(void **state)
{
	(void)state;
	assert_int_equal(parse("-i", "0.5", "--", "ls", "-i", "--memory", NULL), 0);
	assert_int_equal(parsed.interval_ns, 500000000);
	assert_string_equal(parsed.command[0], "ls");
	assert_string_equal(parsed.command[2], "--memory");
	assert_null(parsed.command[3]);
	assert_int_equal(parsed.memory, 0);
}

static void a_command_without_dashes_is_told_how(void **state)
{
	(void)state;
	assert_int_equal(parse("ls", "-l", NULL), -EINVAL);
	assert_string_equal(err, "unknown word 'ls'; to run a command: vmtop -- ls");
}

static void options_stand_before_and_after_the_mode(void **state)
{
	(void)state;
	assert_int_equal(parse("--ascii", "demo", "-d", "3", NULL), 0);
	assert_int_equal(parsed.mode, MODE_DEMO);
	assert_true(parsed.ascii);
	assert_int_equal(parsed.duration_ns, 3000000000);
	assert_int_equal(parse("demo", "--", "ls", NULL), -EINVAL);
	assert_int_equal(parse("demo", "again", NULL), -EINVAL);
	assert_non_null(strstr(err, "'again'"));
}

static void a_bad_number_is_named_with_the_right_ones(void **state)
{
	static const char *const bad[] = { "0", "0.019", "3601", "-1", "1s", "", ".", "1e3", "1,5",
					   "nan", " 1", "99999999999999999999" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(parse("-i", bad[i], NULL), -EINVAL);
		assert_non_null(strstr(err, "--interval: '"));
		assert_non_null(strstr(err, "0.02 to 3600"));
	}
	assert_int_equal(parse("-i", "0.02", NULL), 0);
	assert_int_equal(parsed.interval_ns, 20000000);
	assert_int_equal(parse("-i", ".5", NULL), 0);
	assert_int_equal(parsed.interval_ns, 500000000);
	assert_int_equal(parse("-i", "1.0000000009999", NULL), 0);
	assert_int_equal(parsed.interval_ns, 1000000000);
}

static void a_size_of_memory_has_a_unit_and_a_least(void **state)
{
	(void)state;
	assert_int_equal(parse("--memory", "128M", "--", "ls", NULL), 0);
	assert_int_equal(parsed.memory, 128 << 20);
	assert_int_equal(parse("--memory=1.5G", "--", "ls", NULL), 0);
	assert_int_equal(parsed.memory, 1610612736);
	assert_int_equal(parse("--memory", "100K", "--", "ls", NULL), -EINVAL);
	assert_int_equal(parse("--memory", "lots", "--", "ls", NULL), -EINVAL);
	assert_int_equal(parse("--memory", "-1M", "--", "ls", NULL), -EINVAL);
	assert_int_equal(parse("--memory", "1M", NULL), -EINVAL);
	assert_non_null(strstr(err, "needs a COMMAND"));
}

static void a_picture_has_columns_and_rows(void **state)
{
	int w, h;

	(void)state;
	assert_int_equal(options_parse_size("100x30", &w, &h), 0);
	assert_int_equal(w, 100);
	assert_int_equal(h, 30);
	assert_int_equal(options_parse_size("100", &w, &h), -EINVAL);
	assert_int_equal(options_parse_size("100x", &w, &h), -EINVAL);
	assert_int_equal(options_parse_size("100x-3", &w, &h), -EINVAL);
	assert_int_equal(options_parse_size("100x30x2", &w, &h), -EINVAL);
	assert_int_equal(options_parse_size("39x10", &w, &h), -EINVAL);
	assert_int_equal(options_parse_size("99999999999x10", &w, &h), -EINVAL);
	assert_int_equal(parse("--size", "80x24", NULL), -EINVAL);
	assert_int_equal(parse("--size", "80x24", "--dump", "-", NULL), 0);
}

static void options_that_do_not_go_together_are_refused(void **state)
{
	(void)state;
	assert_int_equal(parse("--root", "/x", "--", "ls", NULL), -EINVAL);
	assert_int_equal(parse("--root", "/x", "demo", NULL), -EINVAL);
	assert_int_equal(parse("--frobnicate", NULL), -EINVAL);
	assert_non_null(strstr(err, "--frobnicate"));
	assert_non_null(strstr(err, "--help"));
	assert_int_equal(parse("--interval", NULL), -EINVAL);
	assert_non_null(strstr(err, "needs an argument"));
}

static void help_lists_every_option_of_the_table(void **state)
{
	static const char *const names[] = {
#define OPTION(symbol, name, letter, arg, help) "--" name,
#include "src/options.def"
#undef OPTION
	};
	char text[8192] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");

	(void)state;
	options_help(f);
	fclose(f);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_non_null(strstr(text, names[i]));
	assert_int_equal(parse("--help", "--size", "80x24", NULL), 0);
	assert_int_equal(parsed.mode, MODE_HELP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_said_is_a_dashboard_at_one_second),
		cmocka_unit_test(what_follows_two_dashes_is_the_command),
		cmocka_unit_test(a_command_without_dashes_is_told_how),
		cmocka_unit_test(options_stand_before_and_after_the_mode),
		cmocka_unit_test(a_bad_number_is_named_with_the_right_ones),
		cmocka_unit_test(a_size_of_memory_has_a_unit_and_a_least),
		cmocka_unit_test(a_picture_has_columns_and_rows),
		cmocka_unit_test(options_that_do_not_go_together_are_refused),
		cmocka_unit_test(help_lists_every_option_of_the_table),
	};

	return TAP_RUN(tests, NULL, NULL);
}
