/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/probe.h"

#include <errno.h>
#include <stdlib.h>

#include "src/xalloc.h"

struct cgroupfile {
	struct source source;
	const struct cgroup *cgroup;
};

static void set_if(struct sample *s, bool have, enum metric m, uint64_t value)
{
	if (have)
		sample_set(s, m, value);
}

static int cgroupfile_read(struct source *src, struct sample *s)
{
	const struct cgroupfile *f = (struct cgroupfile *)src;
	struct cgroup_stat st;

	cgroup_read(f->cgroup, &st);
	if (!st.have_usage)
		return -ENOENT;		/* somebody removed it */
	sample_set(s, M_cg_memory_current, st.usage);
	set_if(s, st.have_max, M_cg_memory_peak, st.max_usage);
	set_if(s, st.have_swap, M_cg_swap_current, st.swap);
	set_if(s, st.have_failcnt, M_cg_events_max, st.failcnt);
	set_if(s, st.have_oom, M_cg_events_oom_kill, st.oom_kills);
	return 0;
}

static void cgroupfile_close(struct source *src)
{
	free(src);
}

struct source *cgroupfile_open(enum source_id id, const struct cgroup *cgroup)
{
	struct cgroupfile *f = xcalloc(1, sizeof(*f));

	*f = (struct cgroupfile){
		.source = { .id = id, .read = cgroupfile_read, .close = cgroupfile_close },
		.cgroup = cgroup,
	};
	return &f->source;
}
