/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of this machine: a child of the test's own, and the kernel's reclaim threads. */
#include "tests/tap.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/agree.h"

/* A child that burns CPU time or sleeps, as told by bytes through a pipe. */
struct child {
	pid_t pid;
	int to, from;
};

enum { CHILD_MIB = 24 };

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void child_main(int from, int to)
{
	size_t size = (size_t)CHILD_MIB << 20;
	char *memory = malloc(size), order;

	prctl(PR_SET_NAME, "a\033[2Jb");
	if (!memory)
		_exit(1);
	memset(memory, 1, size);
	while (write(to, "", 1) == 1 && read(from, &order, 1) == 1) {
		double end = cpu_seconds() + 0.3;

		while (cpu_seconds() < end)
			((volatile char *)memory)[0]++;
	}
	_exit(0);
}

static void child_wait(const struct child *c)
{
	char done;

	assert_int_equal(read(c->from, &done, 1), 1);
}

static void child_start(struct child *c)
{
	int to[2], from[2];

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	c->pid = fork();
	assert_true(c->pid >= 0);
	if (c->pid == 0) {
		close(to[1]);
		close(from[0]);
		child_main(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	c->to = to[1];
	c->from = from[0];
	child_wait(c);
}

static void child_end(struct child *c)
{
	close(c->to);
	close(c->from);
	waitpid(c->pid, NULL, 0);
}

static const struct task *find_task(const struct task_list *list, pid_t pid)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->task[i].pid == pid)
			return &list->task[i];
	fail_msg("child %d is not in the list", pid);
	return NULL;
}

static void a_process_is_listed_with_its_size_and_the_time_it_took(void **state)
{
	static const enum source_id id = SOURCE_TASKS;
	static struct task_list first, second;
	struct source *src[1];
	struct task_slot slot;
	struct sources set;
	struct child child;
	struct sample s;
	const struct task *t;
	double used;
	char err[128];

	(void)state;
	task_slot_init(&slot);
	assert_int_equal(sources_open(&set, "", &slot, err, sizeof(err)), 0);
	choose(&set, &id, 1, src);
	child_start(&child);
	sampler_read(src, 1, &s);
	assert_int_equal(s.source_why[SOURCE_TASKS], WHY_OK);
	task_slot_get(&slot, &first);
	t = find_task(&first, child.pid);
	assert_int_equal(t->ppid, getpid());
	assert_true(t->rss_kib + t->swap_kib >= CHILD_MIB * 1024);
	assert_true(t->rss_kib < CHILD_MIB * 1024 * 8);
	assert_true(t->state == 'S' || t->state == 'R');
	assert_true(isnan(t->cpu_pct));
	assert_null(strchr(t->command, '\033'));
	assert_non_null(strstr(t->command, "[2Jb"));
	assert_int_equal(write(child.to, "", 1), 1);
	child_wait(&child);
	sampler_read(src, 1, &s);
	task_slot_get(&slot, &second);
	t = find_task(&second, child.pid);
	used = t->cpu_pct / 100 * (double)(second.t_ns - first.t_ns) / 1e9;
	/* In ticks of 10 ms, and a little for the pipes. */
	if (used < 0.27 || used > 0.36)
		fail_msg("CPU time %g s", used);
	child_end(&child);
	sources_close(&set);
	task_slot_done(&slot);
}

/* CPU time of the kernel threads called prefix, read by the test itself. */
static bool threads_cpu_ns(const char *prefix, uint64_t *sum)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	bool any = false;

	assert_non_null(dir);
	*sum = 0;
	while ((entry = readdir(dir))) {
		char path[300], comm[32] = "", line[128] = "";
		FILE *f;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		f = fopen(path, "r");
		if (!f || !fgets(comm, sizeof(comm), f))
			comm[0] = '\0';
		if (f)
			fclose(f);
		if (strncmp(comm, prefix, strlen(prefix)) != 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%s/schedstat", entry->d_name);
		f = fopen(path, "r");
		if (f && fgets(line, sizeof(line), f)) {
			*sum += strtoull(line, NULL, 10);
			any = true;
		}
		if (f)
			fclose(f);
	}
	closedir(dir);
	return any;
}

static void read_threads(struct pair *pairs, size_t n, void *arg)
{
	static const char *const names[] = { "kswapd", "kcompactd", "khugepaged" };

	(void)arg;
	assert_int_equal(n, LENGTH(names));
	for (size_t i = 0; i < LENGTH(names); i++)
		if (!threads_cpu_ns(names[i], &pairs[i].theirs))
			pairs[i].theirs = UINT64_MAX;
}

static void reclaim_threads_have_the_time_of_their_schedstat(void **state)
{
	static const enum source_id ids[] = { SOURCE_TASKS };
	struct pair pairs[] = {
		{ .metric = M_task_kswapd_cpu },
		{ .metric = M_task_kcompactd_cpu },
		{ .metric = M_task_khugepaged_cpu },
	};
	struct reader r;
	struct sample s;
	uint64_t ns;

	(void)state;
	reader_open(&r, "", ids, 1);
	agree(&r, pairs, LENGTH(pairs), read_threads, NULL, 0);
	/* What a container hides is absent. */
	reader_read(&r, &s);
	assert_int_equal(sample_has(&s, M_task_kswapd_cpu), threads_cpu_ns("kswapd", &ns));
	sources_close(&r.set);
}

static void read_count(struct pair *pairs, size_t n, void *arg)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	(void)arg;
	assert_int_equal(n, 1);
	assert_non_null(dir);
	pairs[0].theirs = 0;
	while ((entry = readdir(dir)))
		pairs[0].theirs += isdigit((unsigned char)entry->d_name[0]) != 0;
	closedir(dir);
}

static void all_processes_are_counted(void **state)
{
	static const enum source_id ids[] = { SOURCE_TASKS };
	struct pair pairs[] = { { .metric = M_task_count } };
	struct reader r;

	(void)state;
	reader_open(&r, "", ids, 1);
	agree(&r, pairs, 1, read_count, NULL, 1);
	sources_close(&r.set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_is_listed_with_its_size_and_the_time_it_took),
		cmocka_unit_test(reclaim_threads_have_the_time_of_their_schedstat),
		cmocka_unit_test(all_processes_are_counted),
	};

	return TAP_RUN(tests, NULL, NULL);
}
