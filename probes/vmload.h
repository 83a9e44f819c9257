/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vmload, the bundled loads: a filler of memory and a writer of a mapped file. Nothing here prints
 * but fill_run and map_run, on the stream they are given; what went wrong comes back as a negative
 * errno with one line in err.
 */
#ifndef VMTOP_PROBES_VMLOAD_H
#define VMTOP_PROBES_VMLOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* --- Content: what is written --- */

/*
 * A stream of bytes that anybody can continue anywhere: the same seed gives the same byte at the
 * same offset. Content is made in blocks; offsets and sizes are multiples of it.
 */
#define CONTENT_BLOCK 4096

enum content {
	CONTENT_ZERO,		/* every page of it is alike: compresses to nothing */
	CONTENT_TEXT,		/* compresses like prose */
	CONTENT_RANDOM,		/* does not compress */
};

/* Writes the bytes at offset `at` of the stream into buf. */
void content_fill(enum content content, uint64_t seed, uint64_t at, void *buf, size_t size);

/* The same, byte by byte, each by a store of its own. */
void content_fill_bytes(enum content content, uint64_t seed, uint64_t at, void *buf, size_t size);

/* One store into the page at buf, which compresses as it did before; `turn` varies the value. */
void content_touch(enum content content, uint64_t seed, uint64_t at, uint64_t turn, void *buf);

/* The place of the first byte in buf that is not the stream's, or size. */
size_t content_differs(enum content content, uint64_t seed, uint64_t at, const void *buf,
		       size_t size);

/* --- Room: what a percentage is of --- */

enum room_of { ROOM_FREE, ROOM_RAM, ROOM_RAM_SWAP, ROOM_CGROUP };

struct room {			/* all in bytes; free is never above total */
	uint64_t ram, ram_free;
	uint64_t swap, swap_free;
	bool limited;		/* a memory cgroup allows less than the RAM; of the tightest: */
	uint64_t limit, usage;
	uint64_t swap_limit, swap_usage;	/* UINT64_MAX, 0: not limited, or not known */
};

/* Of the machine (root "") and the caller's memory cgroup, v1 or v2. 0 or a negative errno. */
int room_read(const char *root, struct room *room);

/* What a percentage is of when nobody says: ROOM_CGROUP where one limits, else ROOM_RAM_SWAP. */
enum room_of room_default(const struct room *room);

/* "RAM + swap less what is in use": to stand after "80% of ". */
const char *room_words(enum room_of of);

/*
 * percent of the total, less what is in use of it. -ENODATA: no cgroup limits; -ENOSPC: that much
 * is in use already. total and used are what it was reckoned from, also then.
 */
int room_target(const struct room *room, enum room_of of, unsigned percent, uint64_t *bytes,
		uint64_t *total, uint64_t *used);

/* --- fill --- */

struct fill_options {
	uint64_t bytes;		/* how much, of all tasks together */
	uint64_t chunk;		/* bytes allocated at a time, rounded up to whole pages */
	bool write;		/* else it is allocated only */
	bool every_byte;	/* write with one store a byte */
	enum content content;
	uint64_t seed;
	unsigned times, tasks, passes, hold_s;
};

/* Memory of one task, in chunks in the order they were allocated. */
struct memory {
	char **chunk;
	size_t count;
	size_t chunk_size;
	uint64_t bytes;		/* allocated so far; the last chunk may end within a page */
};

/*
 * Allocates and writes `bytes` as the options say; the content is that from offset `at` on. Keeps
 * *progress at what is allocated. -ENOMEM with what there is in m: memory_free in any case.
 */
int memory_fill(struct memory *m, const struct fill_options *o, uint64_t at, uint64_t bytes,
		_Atomic uint64_t *progress);
void memory_free(struct memory *m);

/* The part of task i: whole pages, as even as can be; the parts make the total exactly. */
void fill_share(uint64_t total, unsigned tasks, unsigned i, uint64_t *at, uint64_t *bytes);

/* Runs the load and prints a line for each time. 0, or a negative errno and one line in err. */
int fill_run(const struct fill_options *o, FILE *out, char *err, size_t errsize);

/*
 * One time with several tasks, each a process: returns when all have filled theirs and the holding
 * is over. They end with the caller, however it ends; a signal that ends it is raised again.
 */
int crew_fill(const struct fill_options *o, FILE *out, char *err, size_t errsize);

/* --- map --- */

struct map_options {
	uint64_t pages;
	const char *dir;
	uint64_t seed;
	unsigned times;
	bool verify;
};

/* Runs the load and prints a line for each time. 0, or a negative errno and one line in err. */
int map_run(const struct map_options *o, FILE *out, char *err, size_t errsize);

#endif
