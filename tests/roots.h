/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the trees of tests/data/roots, and comparing samples with what must be in them. */
#ifndef VMTOP_TESTS_ROOTS_H
#define VMTOP_TESTS_ROOTS_H

#include "tests/tap.h"

#include "probes/sources.h"
#include "src/sampler.h"

/* One sample of all sources of a tree, slow ones too. */
static inline void read_root(const char *root, struct sample *s)
{
	struct source *all[SOURCE_COUNT];
	struct sources set;
	char err[256];
	size_t n = 0;

	assert_int_equal(sources_open(&set, root, NULL, err, sizeof(err)), 0);
	for (size_t i = 0; i < set.nfast; i++)
		all[n++] = set.fast[i];
	for (size_t i = 0; i < set.nslow; i++)
		all[n++] = set.slow[i];
	sampler_read(all, n, s);
	sources_close(&set);
}

static inline void read_tree(const char *name, struct sample *s)
{
	char path[64];

	snprintf(path, sizeof(path), "roots/%s", name);
	read_root(tap_data(path), s);
}

struct expected {
	const char *id;
	uint64_t value;
};

#define ABSENT UINT64_MAX

static inline void check(const struct sample *s, const struct expected *e, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		enum metric m = metric_find(e[i].id);

		if (m == METRIC_COUNT)
			fail_msg("no metric %s", e[i].id);
		if (sample_has(s, m) != (e[i].value != ABSENT))
			fail_msg("%s is %s", e[i].id, sample_has(s, m) ? "there" : "absent");
		if (sample_has(s, m) && s->value[m] != e[i].value)
			fail_msg("%s is %llu, not %llu", e[i].id,
				 (unsigned long long)s->value[m], (unsigned long long)e[i].value);
	}
}

#define CHECK(sample, ...) do { \
	static const struct expected expected[] = { __VA_ARGS__ }; \
	check(sample, expected, sizeof(expected) / sizeof(*expected)); \
} while (0)

#endif
