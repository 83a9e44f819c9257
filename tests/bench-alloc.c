/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into a program (LD_PRELOAD), counts the allocations of each of its threads in the file
 * that $BENCH_ALLOC names, a struct alloc_counts that another program has mapped. Processes that
 * inherit it count in the same file.
 */
#include "tests/bench-alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* glibc's own, under the names that nothing replaces. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

/* A preloaded function gets no argument of ours: what it needs has to be found from anywhere. */
static struct alloc_counts nowhere;
static struct alloc_counts *counts = &nowhere;
static _Thread_local struct alloc_thread *mine __attribute__((tls_model("initial-exec")));

__attribute__((constructor)) static void map_counts(void)
{
	const char *path = getenv("BENCH_ALLOC");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *p;

	if (fd < 0)
		return;
	p = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return;
	counts = p;
	mine = NULL;
}

static void count(void)
{
	if (!mine) {
		unsigned int i = atomic_fetch_add(&counts->used, 1);

		mine = &counts->thread[i < ALLOC_THREADS ? i : ALLOC_THREADS - 1];
		mine->tid = gettid();
	}
	atomic_fetch_add_explicit(&mine->count, 1, memory_order_relaxed);
}

void *malloc(size_t size)
{
	count();
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	count();
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	count();
	return __libc_realloc(p, size);
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size)
{
	count();
	return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
	*p = memalign(alignment, size);
	return *p ? 0 : ENOMEM;
}
