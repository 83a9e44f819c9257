/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs commands side by side, each in a terminal of 120x40 of its own that is read at once, and
 * says what they cost from after a warm-up to the end:
 *
 *	bench-run WARMUP SECONDS PRELOAD NAME COMMAND [ARG...] [:: NAME COMMAND [ARG...]]...
 *
 * PRELOAD is bench-alloc.so, or "" for no count of allocations. Prints lines of "NAME KEY NUMBER":
 *
 *	cpu_ms		CPU time a second, the command's descendants included
 *	own_kib		resident memory that is no library's: heap, stacks, data, its program file
 *	library_kib	resident memory of libraries and other mapped files
 *	allocs		allocations a minute, less those of the next line
 *	busy_allocs	the same of the thread that allocates most, if that is not the main thread
 *	output		bytes a second written to the terminal
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench-alloc.h"

enum { COLS = 120, ROWS = 40, RUNS_MAX = 4, TREE_MAX = 64, END_MS = 5000 };

struct usage {
	double t_s, cpu_s;
	uint64_t output;
	uint64_t allocs[ALLOC_THREADS];
};

struct run {
	const char *name;
	char **argv;
	pid_t pid;
	int fd;				/* the terminal's other side */
	uint64_t output;
	char alloc_path[64];
	struct alloc_counts *allocs;	/* NULL: not counted */
	struct usage begin, end;
	unsigned long own_kib, library_kib;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(const char *what)
{
	fprintf(stderr, "bench-run: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void map_counter(struct run *r)
{
	int fd;

	snprintf(r->alloc_path, sizeof(r->alloc_path), "/tmp/bench-alloc.XXXXXX");
	fd = mkstemp(r->alloc_path);
	if (fd < 0 || ftruncate(fd, sizeof(*r->allocs)) < 0)
		fail(r->alloc_path);
	r->allocs = mmap(NULL, sizeof(*r->allocs), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (r->allocs == MAP_FAILED)
		fail(r->alloc_path);
	close(fd);
}

static void start(struct run *r, const char *preload)
{
	struct winsize size = { .ws_col = COLS, .ws_row = ROWS };

	if (*preload)
		map_counter(r);
	r->pid = forkpty(&r->fd, NULL, NULL, &size);
	if (r->pid < 0)
		fail("forkpty");
	if (r->pid > 0) {
		fcntl(r->fd, F_SETFD, FD_CLOEXEC);
		return;
	}
	setenv("TERM", "xterm-256color", 1);
	unsetenv("COLUMNS");
	unsetenv("LINES");
	if (*preload) {
		setenv("LD_PRELOAD", preload, 1);
		setenv("BENCH_ALLOC", r->alloc_path, 1);
	}
	execvp(r->argv[0], r->argv);
	fprintf(stderr, "%s: %s\n", r->argv[0], strerror(errno));
	_exit(127);
}

/* Adds pid's descendants to those in tree; returns the number of all. */
static size_t add_children(pid_t pid, pid_t *tree, size_t n)
{
	char path[64];
	FILE *f;
	int child;

	/* Children of the first thread; none of the programs measured forks from another one. */
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	f = fopen(path, "re");
	while (f && n < TREE_MAX && fscanf(f, "%d", &child) == 1) {
		tree[n] = child;
		n = add_children(child, tree, n + 1);
	}
	if (f)
		fclose(f);
	return n;
}

/* To the nanosecond; /proc/PID/stat counts in ticks of 10 ms. */
static double cpu_s(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t) < 0)
		return 0;
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void measure(struct run *r, struct usage *u)
{
	pid_t tree[TREE_MAX] = { r->pid };
	size_t n = add_children(r->pid, tree, 1);

	*u = (struct usage){ .t_s = now_s(), .output = r->output };
	for (size_t i = 0; r->allocs && i < ALLOC_THREADS; i++)
		u->allocs[i] = atomic_load(&r->allocs->thread[i].count);
	for (size_t i = 0; i < n; i++)
		u->cpu_s += cpu_s(tree[i]);
}

/* Whether a line of smaps begins a mapping; if so, whether one of a file other than the program. */
static bool mapping_begins(char *line, const char *exe, bool *library)
{
	size_t hex = strspn(line, "0123456789abcdef");
	const char *path = strchr(line, '/');

	if (!hex || line[hex] != '-')
		return false;
	line[strcspn(line, "\n")] = '\0';
	*library = path && strcmp(path, exe) != 0;
	return true;
}

static void add_memory(struct run *r, pid_t pid)
{
	char path[64], exe[4096] = "", line[8192];
	unsigned long kib;
	bool library = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (readlink(path, exe, sizeof(exe) - 1) < 0)
		return;
	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (mapping_begins(line, exe, &library))
			continue;
		if (sscanf(line, "Rss: %lu kB", &kib) == 1)
			*(library ? &r->library_kib : &r->own_kib) += kib;
	}
	if (f)
		fclose(f);
}

static void measure_memory(struct run *r)
{
	pid_t tree[TREE_MAX] = { r->pid };
	size_t n = add_children(r->pid, tree, 1);

	for (size_t i = 0; i < n; i++)
		add_memory(r, tree[i]);
}

/* Reads what the terminals get until that time; false when a command ended before it. */
static bool drain(struct run *runs, size_t n, double until_s)
{
	static char buf[65536];
	char last[200] = "";
	double left;

	while ((left = until_s - now_s()) > 0) {
		struct pollfd fds[RUNS_MAX];

		for (size_t i = 0; i < n; i++)
			fds[i] = (struct pollfd){ .fd = runs[i].fd, .events = POLLIN };
		poll(fds, n, (int)(left * 1000) + 1);
		for (size_t i = 0; i < n; i++) {
			ssize_t got;

			if (!fds[i].revents)
				continue;
			got = read(runs[i].fd, buf, sizeof(buf));
			if (got > 0) {
				runs[i].output += (uint64_t)got;
				snprintf(last, sizeof(last), "%.*s", (int)got, buf);
				continue;
			}
			fprintf(stderr, "bench-run: %s ended early: %s\n", runs[i].name, last);
			return false;
		}
	}
	return true;
}

static void stop(struct run *runs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double deadline = now_s() + END_MS / 1000.0;
		char buf[4096];

		kill(runs[i].pid, SIGTERM);
		while (waitpid(runs[i].pid, NULL, WNOHANG) == 0) {
			struct pollfd fd = { .fd = runs[i].fd, .events = POLLIN };

			if (poll(&fd, 1, 20) > 0 && read(runs[i].fd, buf, sizeof(buf)) <= 0)
				poll(NULL, 0, 20);	/* hung up; it is about to end */
			if (now_s() > deadline)
				kill(runs[i].pid, SIGKILL);
		}
		close(runs[i].fd);
	}
}

static void remove_counters(struct run *runs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (runs[i].allocs)
			unlink(runs[i].alloc_path);
}

static void print_allocs(const struct run *r, double per_minute)
{
	uint64_t all = 0, busy = 0;

	for (size_t i = 0; i < ALLOC_THREADS; i++) {
		uint64_t n = r->end.allocs[i] - r->begin.allocs[i];

		all += n;
		if (r->allocs->thread[i].tid != r->pid && n > busy)
			busy = n;
	}
	printf("%s allocs %.0f\n", r->name, (double)(all - busy) * per_minute);
	printf("%s busy_allocs %.0f\n", r->name, (double)busy * per_minute);
}

static void print(const struct run *r)
{
	double s = r->end.t_s - r->begin.t_s;

	printf("%s cpu_ms %.3f\n", r->name, (r->end.cpu_s - r->begin.cpu_s) * 1000 / s);
	printf("%s own_kib %lu\n", r->name, r->own_kib);
	printf("%s library_kib %lu\n", r->name, r->library_kib);
	if (r->allocs)
		print_allocs(r, 60 / s);
	printf("%s output %.0f\n", r->name, (double)(r->end.output - r->begin.output) / s);
}

/* Cuts the arguments at each "::". */
static size_t parse(char **argv, struct run *runs)
{
	size_t n = 0;

	while (argv[0] && argv[1] && n < RUNS_MAX) {
		runs[n++] = (struct run){ .name = argv[0], .argv = argv + 1 };
		while (*argv && strcmp(*argv, "::") != 0)
			argv++;
		if (*argv)
			*argv++ = NULL;
	}
	return n;
}

int main(int argc, char **argv)
{
	struct run runs[RUNS_MAX];
	size_t n = argc > 5 ? parse(argv + 4, runs) : 0;
	double warmup_s, seconds;
	bool ok;

	if (!n) {
		fputs("Usage: bench-run WARMUP SECONDS PRELOAD NAME COMMAND... [:: ...]\n", stderr);
		return 2;
	}
	warmup_s = atof(argv[1]);
	seconds = atof(argv[2]);
	for (size_t i = 0; i < n; i++)
		start(&runs[i], argv[3]);
	ok = drain(runs, n, now_s() + warmup_s);
	remove_counters(runs, n);	/* mapped by now */
	for (size_t i = 0; i < n; i++)
		measure(&runs[i], &runs[i].begin);
	ok = ok && drain(runs, n, now_s() + seconds);
	for (size_t i = 0; i < n; i++) {
		measure(&runs[i], &runs[i].end);
		measure_memory(&runs[i]);
	}
	stop(runs, n);
	for (size_t i = 0; ok && i < n; i++)
		print(&runs[i]);
	return !ok;
}
