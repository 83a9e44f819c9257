/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The child of tests/vt.c: between fork and the program under test. */
#ifndef VMTOP_TESTS_VT_EXEC_H
#define VMTOP_TESTS_VT_EXEC_H

#include "tests/vt.h"

/* Becomes argv[0], with the environment that vt.h tells of and default signals. */
void vt_exec(const struct vt_options *options, const char *home, const char *const argv[])
	__attribute__((noreturn));

#endif
