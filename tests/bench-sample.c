/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one sample of all fast sources costs, against bare pread of the files they read. Prints
 * "NAME NUMBER" lines: both in ns, and their ratio. Each round measures both, the smallest counts.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "probes/sources.h"
#include "src/sampler.h"

enum { ROUNDS = 20, SAMPLES = 200, BUFFER = 1024 * 1024 };

struct bare {
	int fd[SOURCE_COUNT];
	size_t n;
};

static char buffer[BUFFER];

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void open_bare(struct bare *b, const struct sources *set)
{
	char path[256];

	b->n = 0;
	for (size_t i = 0; i < set->nfast; i++) {
		const char *below = source_info(set->fast[i]->id)->path;

		if (!strchr(below, '/'))
			continue;	/* a program beside vmtop, no file */
		snprintf(path, sizeof(path), "/%s", below);
		b->fd[b->n] = open(path, O_RDONLY | O_CLOEXEC);
		if (b->fd[b->n] >= 0)
			b->n++;
		else
			fprintf(stderr, "bench-sample: %s: %s\n", path, strerror(errno));
	}
}

static double time_bare(const struct bare *b)
{
	double start = now_ns();

	for (int i = 0; i < SAMPLES; i++)
		for (size_t f = 0; f < b->n; f++)
			if (pread(b->fd[f], buffer, BUFFER, 0) <= 0)
				exit(1);
	return (now_ns() - start) / SAMPLES;
}

static double time_sample(const struct sources *set, struct sample *s)
{
	double start = now_ns();

	for (int i = 0; i < SAMPLES; i++)
		sampler_read(set->fast, set->nfast, s);
	return (now_ns() - start) / SAMPLES;
}

int main(void)
{
	double bare_ns = 0, sample_ns = 0;
	static struct sample s;
	struct sources set;
	struct bare bare;
	char err[256];

	if (sources_open(&set, "", NULL, err, sizeof(err)) < 0) {
		fprintf(stderr, "bench-sample: %s\n", err);
		return 1;
	}
	open_bare(&bare, &set);
	if (!bare.n)
		return 1;
	for (int i = 0; i < ROUNDS; i++) {
		double a = time_bare(&bare), b = time_sample(&set, &s);

		if (i == 0 || a < bare_ns)
			bare_ns = a;
		if (i == 0 || b < sample_ns)
			sample_ns = b;
	}
	printf("sample_files %zu\nsample_pread_ns %.0f\n", bare.n, bare_ns);
	printf("sample_ns %.0f\nsample_ratio %.2f\n", sample_ns, sample_ns / bare_ns);
	sources_close(&set);
	return 0;
}
