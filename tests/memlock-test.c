/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locking is done in children, as it cannot be taken back entirely. */
#include "tests/tap.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/memlock.h"

/* The sanitizers make mlockall do nothing, as it would touch all of their shadow. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

#define NOBODY 65534
#define LIMIT_MAX ((rlim_t)1 << 30)

/* In a child: assertions of the parent's framework do not reach it. */
#define EXPECT(condition) do { \
	if (!(condition)) { \
		fprintf(stderr, "# %s:%d: %s\n", __FILE__, __LINE__, #condition); \
		_exit(1); \
	} \
} while (0)

static void in_child(void (*body)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static long number_of(const char *path, const char *key)
{
	char line[256];
	long value = -1;
	FILE *f = fopen(path, "r");

	EXPECT(f);
	while (fgets(line, sizeof(line), f))
		if (strncmp(line, key, strlen(key)) == 0)
			value = strtol(line + strlen(key), NULL, 10);
	fclose(f);
	return value;
}

static long locked_kib(void)
{
	return number_of("/proc/self/status", "VmLck:");
}

static long oom_score_adj(void)
{
	return number_of("/proc/self/oom_score_adj", "");
}

/* A container's root may lack CAP_SYS_RESOURCE. */
static bool may_lower_oom_score(void)
{
	long before = oom_score_adj();
	FILE *f = fopen("/proc/self/oom_score_adj", "w");
	bool done;

	EXPECT(f);
	done = fputs("-400\n", f) >= 0 && fflush(f) == 0;
	fclose(f);
	f = fopen("/proc/self/oom_score_adj", "w");
	EXPECT(f);
	fprintf(f, "%ld\n", before);
	fclose(f);
	return done;
}

static void become_nobody(void)
{
	if (getuid() == 0)
		EXPECT(setresuid(NOBODY, NOBODY, NOBODY) == 0);
}

static void lock_as_root(void)
{
	struct memlock_status status;
	bool permitted = may_lower_oom_score();
	long before = oom_score_adj();
	size_t later = 1 << 20;
	char text[128], *p;

	memlock_prepare();
	memlock_all(&status);
	EXPECT(status.locked);
	EXPECT(status.future);
	EXPECT(strcmp(memlock_text(&status, text, sizeof(text)), "locked") == 0);
	EXPECT(status.oom_score_adj == before);
	EXPECT(oom_score_adj() == (permitted && before > -500 ? -500 : before));
	if (SANITIZED)
		return;
	EXPECT(locked_kib() > 500);
	before = locked_kib();
	p = mmap(NULL, later, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(p != MAP_FAILED);
	EXPECT(locked_kib() >= before + 1024);
}

static void root_locks_all_and_is_spared_by_the_oom_killer(void **state)
{
	(void)state;
	in_child(lock_as_root);
}

static void lock_beyond_the_limit(void)
{
	const struct rlimit limit = { .rlim_cur = 64 * 1024, .rlim_max = 64 * 1024 };
	struct memlock_status status;
	long before;
	char text[128];

	EXPECT(setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
	become_nobody();
	before = oom_score_adj();
	memlock_all(&status);
	EXPECT(status.oom_score_adj == before);
	EXPECT(oom_score_adj() == before);
	if (SANITIZED)
		return;
	EXPECT(!status.locked);
	EXPECT(!status.future);
	EXPECT(status.error == ENOMEM);
	memlock_text(&status, text, sizeof(text));
	EXPECT(strstr(text, "not locked: Cannot allocate memory"));
	EXPECT(strstr(text, "ulimit -l"));
	EXPECT(locked_kib() == 0);
}

static void a_refusal_is_told_with_what_to_do_about_it(void **state)
{
	(void)state;
	in_child(lock_beyond_the_limit);
}

static void lock_within_the_limit(void)
{
	struct memlock_status status;
	struct rlimit limit;
	char text[128];

	/* The soft limit is too low, but vmtop raises it to the hard one. */
	EXPECT(getrlimit(RLIMIT_MEMLOCK, &limit) == 0);
	limit.rlim_cur = 64 * 1024;
	if (limit.rlim_max > LIMIT_MAX)
		limit.rlim_max = LIMIT_MAX;
	EXPECT(setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
	become_nobody();
	memlock_all(&status);
	EXPECT(status.locked);
	EXPECT(!status.future);
	EXPECT(locked_kib() > 500);
	EXPECT(strstr(memlock_text(&status, text, sizeof(text)), "except"));
}

static void with_a_limit_what_comes_later_is_not_locked_lest_it_fail(void **state)
{
	(void)state;
	in_child(lock_within_the_limit);
}

/* Whether the program as a whole fits into the hard limit, which not even this root may raise. */
static bool fits_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
	       limit.rlim_max / 1024 > (rlim_t)number_of("/proc/self/status", "VmSize:") + 512;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_refusal_is_told_with_what_to_do_about_it),
		cmocka_unit_test(root_locks_all_and_is_spared_by_the_oom_killer),
		cmocka_unit_test(with_a_limit_what_comes_later_is_not_locked_lest_it_fail),
	};
	const struct CMUnitTest user[] = { tests[0] };
	const struct CMUnitTest root[] = { tests[0], tests[1] };

	if (getuid() != 0)
		return TAP_RUN(user, NULL, NULL);
	return SANITIZED || !fits_limit() ? TAP_RUN(root, NULL, NULL) : TAP_RUN(tests, NULL, NULL);
}
