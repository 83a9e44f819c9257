/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page: each second one random page of memory that is otherwise left alone, so that the kernel may
 * have swapped it out. It is read only: its place in swap stays valid, and to evict it again costs
 * the machine nothing. alloc: each 100 ms fresh memory is mapped, touched and unmapped, as programs
 * do all the time; where there is none it is this process that has to reclaim some.
 */
#include "probes/feel_probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE_PERIOD_NS INT64_C(1000000000)
#define ALLOC_PERIOD_NS INT64_C(100000000)

static void *map(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* --- page --- */

struct page_own {
	const volatile char *memory;
	size_t page_size, next;
	struct feel_draw draw;
};

static void page_after(struct feel_room *room)
{
	struct page_own *own = room->own;

	own->next = feel_draw_next(&own->draw) * own->page_size;
}

static int page_prepare(struct feel_room *room)
{
	size_t bytes = room->setup->page_bytes;
	struct page_own *own = calloc(1, sizeof(*own));
	void *memory = map(bytes);
	uint64_t random = room->seed | 1;

	if (!own || memory == MAP_FAILED) {
		feel_slot_reason(room->slot, "%zu KiB of memory: %s", bytes / 1024, strerror(ENOMEM));
		free(own);
		return -ENOMEM;
	}
	/* One fault brings one page. */
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	feel_fill(memory, bytes, &random);
	own->memory = memory;
	own->page_size = (size_t)sysconf(_SC_PAGESIZE);
	feel_draw_init(&own->draw, bytes / own->page_size, room->seed);
	room->own = own;
	page_after(room);
	return 0;
}

static int page_act(struct feel_room *room)
{
	const struct page_own *own = room->own;

	(void)own->memory[own->next];
	return 0;
}

const struct feel_kind feel_page = {
	.period_ns = PAGE_PERIOD_NS, .prepare = page_prepare, .act = page_act, .after = page_after,
};

/* --- alloc --- */

static int alloc_act(struct feel_room *room)
{
	size_t bytes = room->setup->alloc_bytes, page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory = map(bytes);

	if (memory == MAP_FAILED)
		return -errno;
	for (size_t i = 0; i < bytes; i += page)
		memory[i] = 1;
	munmap((void *)memory, bytes);
	return 0;
}

static int alloc_prepare(struct feel_room *room)
{
	int error = alloc_act(room);

	if (error)
		feel_slot_reason(room->slot, "%zu KiB of memory: %s",
			room->setup->alloc_bytes / 1024, strerror(-error));
	return error;
}

const struct feel_kind feel_alloc = {
	.period_ns = ALLOC_PERIOD_NS, .prepare = alloc_prepare, .act = alloc_act,
};
