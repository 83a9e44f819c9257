/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads in reclaim by their flags, in a tree of stat files and on this machine. */
#include "tests/tap.h"

#include <errno.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/probe.h"

enum { MEMALLOC = 0x800, KTHREAD = 0x200000, ORDINARY = 0x400000 };

/* Behind the flags, as Linux 6.1 has them. */
#define REST "100 0 0 0 1 2 0 0 20 0 1 0 4711 6250496 200 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0"

static char root[64];

/* Makes proc/BELOW, each folder on the way to it too. */
static void make_dirs(const char *below)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/proc/%s/", root, below);
	for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			fail_msg("%s: %s", path, strerror(errno));
	}
}

static void add_thread(int pid, int tid, const char *command, unsigned int flags)
{
	char below[64], path[160];
	FILE *f;

	snprintf(below, sizeof(below), "%d/task/%d", pid, tid);
	make_dirs(below);
	snprintf(path, sizeof(path), "%s/proc/%s/stat", root, below);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%d (%s) R 1 2 3 0 -1 %u " REST "\n", tid, command, flags);
	fclose(f);
}

static int setup(void **state)
{
	(void)state;
	strcpy(root, "/tmp/vmtop-memalloc-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	(void)state;
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The count, or a negative errno. */
static int read_in(const char *where, const atomic_bool *exact)
{
	const struct probe_env env = { .root = where, .exact = exact };
	struct source *src = memalloc_open(SOURCE_MEMALLOC, &env);
	struct sample s = { .seq = 0 };
	int error = src->read(src, &s);

	src->close(src);
	assert_int_equal(sample_has(&s, M_memalloc_tasks), error == 0);
	return error ? error : (int)s.value[M_memalloc_tasks];
}

static void threads_of_users_in_reclaim_are_counted(void **state)
{
	(void)state;
	add_thread(1, 1, "init", ORDINARY);
	assert_int_equal(read_in(root, NULL), 0);
	add_thread(10, 10, "hog", ORDINARY | MEMALLOC);
	add_thread(10, 11, "hog", ORDINARY | MEMALLOC);
	add_thread(10, 12, "hog", ORDINARY);
	add_thread(20, 20, "idle", ORDINARY);
	add_thread(20, 21, "idle", MEMALLOC);
	assert_int_equal(read_in(root, NULL), 3);
}

static void kernel_threads_do_not_count(void **state)
{
	(void)state;
	add_thread(40, 40, "kswapd0", 0x220840);	/* as Linux 6.1 shows it */
	add_thread(41, 41, "kworker/0:1", KTHREAD | MEMALLOC);
	assert_int_equal(read_in(root, NULL), 0);
	add_thread(42, 42, "kswapd0", MEMALLOC);	/* a user's, of that name */
	assert_int_equal(read_in(root, NULL), 1);
}

static void a_command_may_look_like_fields(void **state)
{
	static const char *const inside[] = {
		"a) R 1 2 3 0 -1", ") R 0 0 0 0 0 0", "a b\nc", "(sd-pam)", "))))", "", " ", "\n",
	};
	static const char *const outside[] = {
		") R 1 2 3 4 5 2", "x) R 1 1 1 1 1 ", "2048 2048",
	};
	int tid = 100;

	(void)state;
	for (size_t i = 0; i < sizeof(inside) / sizeof(*inside); i++, tid++)
		add_thread(tid, tid, inside[i], MEMALLOC);
	for (size_t i = 0; i < sizeof(outside) / sizeof(*outside); i++, tid++)
		add_thread(tid, tid, outside[i], ORDINARY);
	assert_int_equal(read_in(root, NULL), sizeof(inside) / sizeof(*inside));
}

static void one_that_vanishes_meanwhile_is_passed_over(void **state)
{
	char path[160];

	(void)state;
	add_thread(10, 10, "stays", MEMALLOC);
	make_dirs("11");		/* no task */
	make_dirs("12/task");		/* no threads */
	make_dirs("10/task/13");	/* no stat */
	add_thread(14, 14, "cut", MEMALLOC);
	snprintf(path, sizeof(path), "%s/proc/14/task/14/stat", root);
	assert_int_equal(truncate(path, 8), 0);
	add_thread(15, 15, "empty", MEMALLOC);
	snprintf(path, sizeof(path), "%s/proc/15/task/15/stat", root);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(read_in(root, NULL), 1);
}

static void a_tree_without_tasks_has_no_number(void **state)
{
	(void)state;
	assert_int_equal(read_in(root, NULL), -ENOENT);
	make_dirs("sys");
	assert_int_equal(read_in(root, NULL), -ENOENT);
}

static void it_is_not_read_while_the_tracepoints_tell(void **state)
{
	atomic_bool exact = true;

	(void)state;
	add_thread(10, 10, "hog", MEMALLOC);
	assert_int_equal(read_in(root, &exact), -EOPNOTSUPP);
	atomic_store(&exact, false);
	assert_int_equal(read_in(root, &exact), 1);
}

static void this_machine_has_a_number(void **state)
{
	(void)state;
	assert_true(read_in("", NULL) >= 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(threads_of_users_in_reclaim_are_counted),
		TEST(kernel_threads_do_not_count),
		TEST(a_command_may_look_like_fields),
		TEST(one_that_vanishes_meanwhile_is_passed_over),
		TEST(a_tree_without_tasks_has_no_number),
		TEST(it_is_not_read_while_the_tracepoints_tell),
		TEST(this_machine_has_a_number),
	};

	return TAP_RUN(tests, NULL, NULL);
}
