/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tap.h"

#include "tests/subject.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/procstat.h"
#include "src/supervisor.h"

enum { PATIENCE_MS = 20000 };

char subject_self[SUBJECT_PATH];
struct workload *subject;
char subject_output[SUBJECT_LINES][WORKLOAD_LINE];

int64_t subject_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void subject_nap(void)
{
	poll(NULL, 0, 5);
}

/* ---- Parts: what a workload does ---- */

static int64_t cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void burn(int ms)
{
	while (cpu_us() < ms * INT64_C(1000))
		;
}

static int part_burn(char **argv)
{
	burn(atoi(argv[0]));
	return 0;
}

static void *allocate(size_t bytes, int flags)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		_exit(1);
	return p;
}

static long long timeval_us(const struct timeval *t)
{
	return (long long)t->tv_sec * 1000000 + t->tv_usec;
}

/* Faults and burns, then says what the kernel has counted of it so far. */
static int part_measure(char **argv)
{
	size_t bytes = (size_t)atoi(argv[0]) << 20, page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *p = allocate(bytes, MAP_PRIVATE);
	struct rusage r;

	madvise((void *)p, bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < bytes; i += page)
		p[i] = 1;
	burn(150);
	getrusage(RUSAGE_SELF, &r);
	printf("%lld %lld %ld %ld %ld\n", timeval_us(&r.ru_utime), timeval_us(&r.ru_stime),
	       r.ru_majflt, r.ru_minflt, r.ru_maxrss);
	return 0;
}

/* Fills so many MiB, and holds them for a moment. */
static int part_hog(char **argv)
{
	size_t bytes = (size_t)atoi(argv[0]) << 20;
	volatile char *p = allocate(bytes, MAP_PRIVATE);

	for (size_t i = 0; i < bytes; i += 1024)
		p[i] = (char)i;
	puts("full");
	return 0;
}

/* A child that burns and is waited for. */
static int part_wait(char **argv)
{
	if (fork() == 0)
		burn(atoi(argv[0]));
	else
		wait(NULL);
	return 0;
}

/* A child that burns and is left alone. */
static int part_orphan(char **argv)
{
	if (fork() == 0)
		burn(atoi(argv[0]));
	return 0;
}

/* As daemons do it: a session of its own, no terminal, no parent. */
static int part_daemon(char **argv)
{
	if (fork())
		return 0;
	setsid();
	if (fork())
		return 0;
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	burn(atoi(argv[0]));
	return 0;
}

/* Says its number, then sleeps until it is killed; "ignore": TERM and HUP do not do it. */
static void stay(bool ignore)
{
	if (ignore) {
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
	}
	printf("pid %d\n", (int)getpid());
	fflush(stdout);
	for (;;)
		pause();
}

static int part_stay(char **argv)
{
	(void)argv;
	stay(false);
	return 0;
}

/*
 * All kinds of relatives: in the group, in another session, stopped, deaf. The first stays, or not.
 */
static int part_clan(char **argv)
{
	if (fork() == 0)
		stay(false);
	if (fork() == 0) {
		setsid();
		stay(true);
	}
	if (fork() == 0) {
		setsid();
		if (fork() == 0)
			stay(true);
		return 0;
	}
	if (fork() == 0) {
		setpgid(0, 0);
		printf("pid %d\n", (int)getpid());
		fflush(stdout);
		raise(SIGSTOP);
		stay(true);
	}
	printf("pid %d\n", (int)getpid());
	fflush(stdout);
	while (strcmp(argv[0], "stay") == 0)
		pause();
	return 0;
}

static int *bomb_count;

/*
 * Each makes others as long as there are fewer than 150; they are born as fast as they are killed.
 */
static int part_bomb(char **argv)
{
	(void)argv;
	bomb_count = allocate(sizeof(int), MAP_SHARED);
	signal(SIGTERM, SIG_IGN);
	for (;;) {
		if (__atomic_load_n(bomb_count, __ATOMIC_SEQ_CST) < 150 && fork() == 0)
			__atomic_add_fetch(bomb_count, 1, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(bomb_count, __ATOMIC_SEQ_CST) >= 150)
			puts("full");
		fflush(stdout);
		subject_nap();
	}
	return 0;
}

static int part_open_files(char **argv)
{
	(void)argv;
	for (int fd = 0; fd < 256; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("open %d\n", fd);
	return 0;
}

/* The terminal's size now, and after each change. */
static int part_size(char **argv)
{
	sigset_t set;
	int sig;

	(void)argv;
	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (;;) {
		if (system("stty size"))
			return 1;
		sigwait(&set, &sig);
	}
}

static int part_output(char **argv)
{
	char text[64];
	long bytes = atol(argv[0]);

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\n';
	for (; bytes > 0; bytes -= (long)sizeof(text))
		if (write(STDOUT_FILENO, text, sizeof(text)) != sizeof(text))
			return 1;
	return 0;
}

/* vmtop in miniature, for the test that kills it: starts a clan and hands out its output. */
static int part_parent(char **argv)
{
	struct workload_status st;
	size_t n;

	START(subject_self, argv[0], argv[1]);
	for (;;) {
		workload_get_status(subject, &st);
		n = workload_output(subject, 0, subject_output, SUBJECT_LINES);
		for (size_t i = 0; st.output_lines >= 5 && i < n; i++)
			puts(subject_output[i]);
		if (st.output_lines >= 5)
			puts("end");
		fflush(stdout);
		subject_nap();
	}
	return 0;
}

static const struct {
	const char *name;
	int (*run)(char **argv);
} parts[] = {
	{ "burn", part_burn },
	{ "measure", part_measure },
	{ "hog", part_hog },
	{ "wait", part_wait },
	{ "orphan", part_orphan },
	{ "daemon", part_daemon },
	{ "stay", part_stay },
	{ "clan", part_clan },
	{ "bomb", part_bomb },
	{ "open-files", part_open_files },
	{ "size", part_size },
	{ "output", part_output },
	{ "parent", part_parent },
};

/* ---- Around each test ---- */

void subject_start(const char *const *argv, struct workload_config config)
{
	char err[200] = "";

	config.argv = (char *const *)argv;
	config.columns = SUBJECT_COLUMNS;
	config.rows = SUBJECT_ROWS;
	subject = workload_start(&config, err, sizeof(err));
	assert_string_equal(err, "");
	assert_non_null(subject);
}

int subject_teardown(void **state)
{
	(void)state;
	if (subject)
		workload_free(subject);
	subject = NULL;
	return 0;
}

struct workload_status subject_status(void)
{
	struct workload_status st;

	workload_get_status(subject, &st);
	return st;
}

static bool is_ended(const struct workload_status *st)
{
	return st->state == WORKLOAD_ENDED;
}

struct workload_status subject_wait_until(bool (*is)(const struct workload_status *st))
{
	struct pollfd fd = { .fd = workload_fd(subject), .events = POLLIN };
	int64_t deadline = subject_now_ms() + PATIENCE_MS;
	struct workload_status st = subject_status();

	while (!is(&st)) {
		assert_true(subject_now_ms() < deadline);
		assert_true(poll(&fd, 1, PATIENCE_MS) == 1);
		st = subject_status();
	}
	return st;
}

struct workload_status subject_wait_end(void)
{
	return subject_wait_until(is_ended);
}

size_t subject_read_output(void)
{
	return workload_output(subject, 0, subject_output, SUBJECT_LINES);
}

size_t subject_wait_lines(size_t n)
{
	int64_t deadline = subject_now_ms() + PATIENCE_MS;

	while (subject_status().output_lines < n) {
		assert_true(subject_now_ms() < deadline);
		subject_nap();
	}
	return subject_read_output();
}

size_t subject_read_pids(int pids[SUBJECT_PIDS])
{
	size_t n = subject_read_output(), found = 0;

	for (size_t i = 0; i < n && found < SUBJECT_PIDS; i++)
		found += sscanf(subject_output[i], "pid %d", &pids[found]) == 1;
	return found;
}

bool subject_lives(int pid)
{
	struct procstat st;

	return procstat_read(pid, &st) == 0 && st.state != 'Z';
}

void subject_wait_gone(const int *pids, size_t n)
{
	int64_t deadline = subject_now_ms() + PATIENCE_MS;

	for (size_t i = 0; i < n; i++)
		while (subject_lives(pids[i])) {
			assert_true(subject_now_ms() < deadline);
			subject_nap();
		}
}

/* A process that is a child of this one, and no zombie. */
static bool is_child(void *arg, const struct procstat *st)
{
	(void)arg;
	return procstat_descends(st, getpid());
}

int subject_children(void)
{
	return procstat_each(is_child, NULL);
}

int subject_main(int argc, char **argv, int (*run)(void))
{
	ssize_t n = readlink("/proc/self/exe", subject_self, sizeof(subject_self) - 1);

	supervisor_main(argc, argv);
	if (n < 0)
		return 1;
	for (size_t i = 0; argc > 1 && i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(argv[1], parts[i].name) == 0) {
			int status = parts[i].run(argv + 2);

			/*
			 * Without what a sanitizer does at exit: it makes a process that would
			 * count.
			 */
			fflush(stdout);
			_exit(status);
		}
	return run();
}
