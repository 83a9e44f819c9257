/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/probe.h"

#include <errno.h>
#include <stdlib.h>

#include "src/xalloc.h"

static int absent_read(struct source *src, struct sample *s)
{
	(void)src;
	(void)s;
	return -EOPNOTSUPP;
}

static void absent_close(struct source *src)
{
	free(src);
}

struct source *absent_open(enum source_id id, const struct probe_env *env)
{
	struct source *src = xcalloc(1, sizeof(*src));

	(void)env;
	*src = (struct source){ .id = id, .read = absent_read, .close = absent_close };
	return src;
}
