/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/playback_stall.h"

void stall_forget(struct stall *s)
{
	*s = (struct stall){ .known = false };
}

void stall_gap(struct stall *s, int64_t gap_ns)
{
	s->gap_ns += gap_ns;
}

int64_t stall_update(struct stall *s, int64_t now_ns, int64_t position_ns)
{
	int64_t behind = now_ns - position_ns;
	int64_t stood = s->known ? behind - s->behind_ns - s->gap_ns : 0;

	s->update_ns = now_ns;
	/* A drift of the clocks must not add up to a stall. */
	if (s->known && stood < STALL_MIN_NS && s->gap_ns == 0) {
		s->behind_ns += (behind - s->behind_ns) / 16;
		return 0;
	}
	s->known = true;
	s->behind_ns = behind;
	s->gap_ns = 0;
	return stood < STALL_MIN_NS ? 0 : stood;
}
