/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/vmload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static uint64_t round_up(uint64_t n, uint64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

/* Bytes mapped for chunk i; *at, the offset of the memory's content, becomes the chunk's. */
static size_t chunk_extent(const struct memory *m, size_t i, uint64_t *at)
{
	uint64_t before = (uint64_t)i * m->chunk_size;
	uint64_t left = round_up(m->bytes - before, page_size());

	*at += before;
	return left < m->chunk_size ? (size_t)left : m->chunk_size;
}

/*
 * The last page is written whole, also where less of it was asked for. After the first pass a store
 * a page will do: what is in swap comes in for it, and has to go out again as it is not the same.
 */
static void chunk_write(const struct memory *m, const struct fill_options *o, size_t i, uint64_t at,
	unsigned pass)
{
	size_t page = page_size(), size = chunk_extent(m, i, &at);
	char *chunk = m->chunk[i];

	if (o->every_byte)
		content_fill_bytes(o->content, o->seed, at, chunk, size);
	else if (pass == 0 && o->content != CONTENT_ZERO)
		content_fill(o->content, o->seed, at, chunk, size);
	else
		for (size_t k = 0; k < size; k += page)
			content_touch(o->content, o->seed, at + k, pass, chunk + k);
}

/*
 * mmap and not malloc: that would put a header into each chunk, and touch a page that nobody asked
 * for.
 */
static int chunk_new(struct memory *m, uint64_t bytes)
{
	uint64_t left = bytes - m->bytes;
	uint64_t size = left < m->chunk_size ? left : m->chunk_size;
	void *p = mmap(NULL, (size_t)round_up(size, page_size()), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return -errno;
	m->chunk[m->count++] = p;
	m->bytes += size;
	return 0;
}

int memory_fill(struct memory *m, const struct fill_options *o, uint64_t at, uint64_t bytes,
	_Atomic uint64_t *progress)
{
	uint64_t chunk = round_up(o->chunk, page_size());

	*m = (struct memory){ .chunk_size = (size_t)chunk };
	m->chunk = calloc((size_t)((bytes - 1) / chunk + 1), sizeof(*m->chunk));
	if (!m->chunk)
		return -ENOMEM;
	while (m->bytes < bytes) {
		int error = chunk_new(m, bytes);

		if (error)
			return error;
		atomic_store(progress, m->bytes);
		if (o->write)
			chunk_write(m, o, m->count - 1, at, 0);
	}
	for (unsigned pass = 1; pass < o->passes; pass++)
		for (size_t i = 0; i < m->count; i++)
			chunk_write(m, o, i, at, pass);
	return 0;
}

void memory_free(struct memory *m)
{
	for (size_t i = 0; i < m->count; i++) {
		uint64_t at = 0;

		munmap(m->chunk[i], chunk_extent(m, i, &at));
	}
	free(m->chunk);
	*m = (struct memory){ 0 };
}

void fill_share(uint64_t total, unsigned tasks, unsigned i, uint64_t *at, uint64_t *bytes)
{
	uint64_t page = page_size(), pages = (total - 1) / page + 1;
	uint64_t each = pages / tasks, more = pages % tasks;
	uint64_t first = i * each + (i < more ? i : more);

	*at = first * page;
	*bytes = (each + (i < more)) * page;
	if (*bytes > total - *at)
		*bytes = total - *at;
}

static void hold(unsigned seconds)
{
	struct timespec t = { .tv_sec = seconds };

	while (seconds && nanosleep(&t, &t) && errno == EINTR)
		;
}

/* In this process, as the only one: it may be killed at any place, and its memory goes with it. */
static int fill_alone(const struct fill_options *o, FILE *out, char *err, size_t errsize)
{
	_Atomic uint64_t progress = 0;
	struct memory m;
	int error = memory_fill(&m, o, 0, o->bytes, &progress);

	if (error) {
		snprintf(err, errsize, "stopped at %" PRIu64 " bytes: %s", m.bytes,
			strerror(-error));
	} else {
		fprintf(out, "PASS ... %" PRIu64 " bytes allocated.\n", m.bytes);
		fflush(out);
		hold(o->hold_s);
	}
	memory_free(&m);
	return error;
}

int fill_run(const struct fill_options *o, FILE *out, char *err, size_t errsize)
{
	int error = 0;

	for (unsigned i = 0; i < o->times && !error; i++)
		error = (o->tasks > 1 ? crew_fill : fill_alone)(o, out, err, errsize);
	return error;
}
