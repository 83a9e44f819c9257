/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sampler thread allocates nothing in steady state, libproc2 included. */
#include "tests/tap.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "probes/sources.h"
#include "src/sampler.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

static _Thread_local unsigned long allocations;

#ifdef SANITIZED
/* As in <sanitizer/allocator_interface.h>, which gcc does not bring along. */
extern int __sanitizer_install_malloc_and_free_hooks(
	void (*malloc_hook)(const volatile void *p, size_t size),
	void (*free_hook)(const volatile void *p));

static void count_malloc(const volatile void *p, size_t size)
{
	(void)p;
	(void)size;
	allocations++;
}

static void ignore_free(const volatile void *p)
{
	(void)p;
}

/* The runtime allocates for a new thread. */
static const bool first_is_exact = false;

static void count_allocations(void)
{
	assert_true(__sanitizer_install_malloc_and_free_hooks(count_malloc, ignore_free) > 0);
}
#else
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);

void *malloc(size_t size)
{
	allocations++;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	allocations++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	allocations++;
	return __libc_realloc(p, size);
}

static const bool first_is_exact = true;

static void count_allocations(void)
{
}
#endif

enum { TICKS = 100, DEADLINE_MS = 30000 };

/* The last source of the sampler: notes how often its thread has allocated so far. */
struct counter {
	struct source source;
	bool waste;		/* allocates once itself */
	unsigned long seen[TICKS];
	size_t n;
};

static int counter_read(struct source *src, struct sample *s)
{
	struct counter *c = (struct counter *)src;

	(void)s;
	if (c->waste) {
		void *volatile p = malloc(10);

		free(p);
	}
	if (c->n < TICKS)
		c->seen[c->n++] = allocations;
	return 0;
}

static void run(struct source *const *sources, size_t n)
{
	struct sampler_config config = {
		.sources = sources, .nsources = n, .interval_ns = 2000000, .ring = ring_new(256),
	};
	struct pollfd fd = { .fd = ring_fd(config.ring), .events = POLLIN };
	struct sampler *sampler;
	struct sample s;
	char err[128];

	sampler = sampler_start(&config, err, sizeof(err));
	assert_non_null(sampler);
	for (int i = 0; i < TICKS; i++)
		while (!ring_pop(config.ring, &s))
			assert_int_equal(poll(&fd, 1, DEADLINE_MS), 1);
	sampler_stop(sampler);
	ring_free(config.ring);
}

static void run_with_all_sources(struct counter *c)
{
	struct source *sources[SOURCE_COUNT + 1];
	struct sources set;
	char err[128];

	*c = (struct counter){ .source = { .id = SOURCE_DERIVED, .read = counter_read },
			       .waste = c->waste };
	assert_int_equal(sources_open(&set, "", NULL, err, sizeof(err)), 0);
	assert_true(set.nfast >= 6);
	for (size_t i = 0; i < set.nfast; i++)
		sources[i] = set.fast[i];
	sources[set.nfast] = &c->source;
	run(sources, set.nfast + 1);
	sources_close(&set);
	assert_int_equal(c->n, TICKS);
}

static void not_even_the_first_tick_of_the_sampler_allocates(void **state)
{
	static struct counter c;

	(void)state;
	run_with_all_sources(&c);
	if (first_is_exact)
		assert_int_equal(c.seen[0], 0);
	assert_int_equal(c.seen[TICKS - 1], c.seen[0]);
}

static void an_allocation_would_be_seen(void **state)
{
	static struct counter c = { .waste = true };

	(void)state;
	run_with_all_sources(&c);
	if (first_is_exact)
		assert_int_equal(c.seen[0], 1);
	assert_int_equal(c.seen[TICKS - 1] - c.seen[0], TICKS - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_even_the_first_tick_of_the_sampler_allocates),
		cmocka_unit_test(an_allocation_would_be_seen),
	};

	count_allocations();
	return TAP_RUN(tests, NULL, NULL);
}
