/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vmtop's numbers against other readers' of the same machine. What moves must lie between two
 * readings of ours around theirs; that is tried until it holds for each number once, which a wrong
 * key or unit never does.
 */
#ifndef VMTOP_TESTS_AGREE_H
#define VMTOP_TESTS_AGREE_H

#include "tests/tap.h"

#include <stdbool.h>
#include <time.h>

#include "probes/sources.h"
#include "src/sampler.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

static inline double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The sources with these ids out of a set; n of them must be there. */
static inline void choose(const struct sources *set, const enum source_id *ids, size_t n,
		   struct source **chosen)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < set->nfast; j++)
			if (set->fast[j]->id == ids[i])
				chosen[found++] = set->fast[j];
		for (size_t j = 0; j < set->nslow; j++)
			if (set->slow[j]->id == ids[i])
				chosen[found++] = set->slow[j];
	}
	assert_int_equal(found, n);
}

struct reader {
	struct sources set;
	struct source *sources[4];
	size_t n;
};

static inline void reader_open(struct reader *r, const char *root, const enum source_id *ids,
			       size_t n)
{
	char err[128];

	assert_int_equal(sources_open(&r->set, root, NULL, err, sizeof(err)), 0);
	choose(&r->set, ids, n, r->sources);
	r->n = n;
}

static inline void reader_read(const struct reader *r, struct sample *s)
{
	sampler_read(r->sources, r->n, s);
}

struct pair {
	enum metric metric;
	uint64_t theirs;
	bool agreed, compared;
};

static inline void compare(struct pair *p, const struct sample *before, const struct sample *after)
{
	uint64_t a = before->value[p->metric], b = after->value[p->metric];

	p->compared = sample_has(before, p->metric) && sample_has(after, p->metric);
	if (p->compared && p->theirs >= (a < b ? a : b) && p->theirs <= (a < b ? b : a))
		p->agreed = true;
}

/* read fills in theirs of all pairs. What our kernel does not have is passed over. */
static inline void agree(const struct reader *r, struct pair *pairs, size_t n,
		  void (*read)(struct pair *pairs, size_t n, void *arg), void *arg, size_t least)
{
	double deadline = seconds() + 20;
	size_t left = n, compared = 0;
	static struct sample before, after;

	while (left && seconds() < deadline) {
		reader_read(r, &before);
		read(pairs, n, arg);
		reader_read(r, &after);
		left = compared = 0;
		for (size_t i = 0; i < n; i++) {
			compare(&pairs[i], &before, &after);
			compared += pairs[i].compared;
			left += pairs[i].compared && !pairs[i].agreed;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (pairs[i].compared && !pairs[i].agreed)
			fail_msg("%s: %llu, theirs %llu", metric_info(pairs[i].metric)->id,
				 (unsigned long long)after.value[pairs[i].metric],
				 (unsigned long long)pairs[i].theirs);
	assert_true(compared >= least);
}

#endif
