/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every unit test needs around cmocka: TAP on stdout, which make check reads.
 *
 *	#include "tests/tap.h"
 *	static void counter_that_went_back_is_a_reset(void **state) { ... }
 *	int main(void)
 *	{
 *		const struct CMUnitTest tests[] = {
 *			cmocka_unit_test(counter_that_went_back_is_a_reset),
 *		};
 *		return TAP_RUN(tests, NULL, NULL);
 *	}
 */
#ifndef VMTOP_TESTS_TAP_H
#define VMTOP_TESTS_TAP_H

/* cmocka.h wants these four first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

/* Runs an array of struct CMUnitTest; the value is main's exit status: 0, or 1 when one failed. */
#define TAP_RUN(tests, group_setup, group_teardown) \
	(cmocka_set_message_output(CM_OUTPUT_TAP), \
	 cmocka_run_group_tests_name(#tests, tests, group_setup, group_teardown) != 0)

/*
 * Ends a program that lacks what all its tests need, before any test ran. (cmocka 1.1.5 prints a test
 * that calls skip() as "not ok N # SKIP", which counts as failed.)
 */
static inline void tap_skip_all(const char *reason)
{
	printf("1..0 # SKIP %s\n", reason);
	exit(0);
}

/* The path of a file below tests/data, in a static buffer that the next call overwrites. */
static inline const char *tap_data(const char *name)
{
	static char path[4096];
	const char *dir = getenv("VMTOP_TEST_DATA");

	snprintf(path, sizeof path, "%s/%s", dir ? dir : "tests/data", name);
	return path;
}

#endif
