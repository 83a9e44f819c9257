/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/vt_exec.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static bool passes_through(const char *variable)
{
	size_t name = strcspn(variable, "=");

	return strncmp(variable, "VMTOP", 5) == 0 || strncmp(variable, "GCOV_", 5) == 0 ||
	       (name > 11 && strncmp(variable + name - 11, "SAN_OPTIONS=", 12) == 0) ||
	       strncmp(variable, "PATH=", 5) == 0;
}

static void set_environment(const struct vt_options *o, const char *home)
{
	static char *empty[] = { NULL };
	char **outer = environ;

	environ = empty;
	for (char **e = outer; *e; e++)
		if (passes_through(*e))
			putenv(*e);
	setenv("HOME", home, 1);
	setenv("LANG", o->lang ? o->lang : "C.UTF-8", 1);
	if (!o->term || *o->term)
		setenv("TERM", o->term ? o->term : "xterm-256color", 1);
	for (const char *const *e = o->environment; e && *e; e++)
		putenv((char *)(uintptr_t)*e);
}

void vt_exec(const struct vt_options *options, const char *home, const char *const argv[])
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	set_environment(options, home);
	execvp(argv[0], (char **)(uintptr_t)argv);
	dprintf(STDOUT_FILENO, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}
