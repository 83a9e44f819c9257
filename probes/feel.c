/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line and the main loop of vmtop-feel. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/feel_crew.h"
#include "probes/feel_plan.h"
#include "probes/feel_report.h"
#include "src/clock.h"
#include "src/text.h"

#define SECOND_NS INT64_C(1000000000)
#define SOON_NS INT64_C(100000000)

enum { ERR_SIZE = 512, FILE_BYTES = 64 << 20, TEXT_BYTES = 256, DURATION_MOST_S = 1000000000 };

enum option_id {
	OPTION_DIR, OPTION_FILE, OPTION_MAPPING, OPTION_DURATION, OPTION_TABLE, OPTION_LINES,
	OPTION_HELP, OPTION_VERSION, OPTION_COUNT
};

static const struct {
	char letter;
	const char *name, *arg, *help;
} infos[OPTION_COUNT] = {
	[OPTION_DIR] = { 'D', "dir", "DIR", "where the file is that is read (TMPDIR, or /var/tmp)" },
	[OPTION_FILE] = { 'f', "file", "PATH", "read this file instead of one of its own" },
	[OPTION_MAPPING] = { 'm', "mapping", "SIZE", "the memory of page, at most (64M)" },
	[OPTION_DURATION] = { 'd', "duration", "SEC", "end after so many seconds" },
	[OPTION_TABLE] = { 't', "table", NULL, "a table for people: the default on a terminal" },
	[OPTION_LINES] = { 'l', "lines", NULL, "lines for programs: the default elsewhere" },
	[OPTION_HELP] = { 'h', "help", NULL, "print this text" },
	[OPTION_VERSION] = { 'V', "version", NULL, "print the version" },
};

struct options {
	const char *dir, *file;
	int64_t mapping_kib, duration_ns;	/* duration 0: for ever */
	bool table, help, version;
};

static int complain(const char *message, int status)
{
	fprintf(stderr, "vmtop-feel: %s\n", message);
	return status;
}

/* --- Parsing: 0, or -EINVAL and a line in err --- */

static int bad(char *err, enum option_id id, const char *arg, const char *right)
{
	snprintf(err, ERR_SIZE, "--%s: '%.80s' is not %s", infos[id].name, arg, right);
	return -EINVAL;
}

static int take_mapping(struct options *o, const char *arg, char *err)
{
	uint64_t bytes;

	if (text_parse_bytes(arg, &bytes) || bytes < 1024 || bytes > INT64_MAX)
		return bad(err, OPTION_MAPPING, arg, "a size such as 8M (K M G, powers of 1024)");
	o->mapping_kib = (int64_t)(bytes / 1024);
	return 0;
}

static int take_duration(struct options *o, const char *arg, char *err)
{
	char *end;
	double seconds = strtod(arg, &end);

	if (*arg < '0' || *arg > '9' || *end || !(seconds > 0 && seconds <= DURATION_MOST_S))
		return bad(err, OPTION_DURATION, arg, "a number of seconds above 0");
	o->duration_ns = (int64_t)(seconds * 1e9) + 1;
	return 0;
}

static int take(struct options *o, enum option_id id, const char *arg, char *err)
{
	switch (id) {
	case OPTION_DIR: o->dir = arg; return 0;
	case OPTION_FILE: o->file = arg; return 0;
	case OPTION_MAPPING: return take_mapping(o, arg, err);
	case OPTION_DURATION: return take_duration(o, arg, err);
	case OPTION_TABLE: o->table = true; return 0;
	case OPTION_LINES: o->table = false; return 0;
	case OPTION_HELP: o->help = true; return 0;
	case OPTION_VERSION: o->version = true; return 0;
	case OPTION_COUNT: break;
	}
	return 0;
}

static int parse(struct options *o, int argc, char **argv, char *err)
{
	struct option longs[OPTION_COUNT + 1] = { { 0 } };
	char shorts[2 * OPTION_COUNT + 2], *to = shorts;
	int c, i, error;

	*to++ = ':';	/* tell a missing argument from an unknown option */
	for (i = 0; i < OPTION_COUNT; i++) {
		longs[i] = (struct option){ .name = infos[i].name, .val = infos[i].letter,
			.has_arg = infos[i].arg ? required_argument : no_argument };
		*to++ = infos[i].letter;
		if (infos[i].arg)
			*to++ = ':';
	}
	*to = '\0';
	opterr = 0;
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (c == '?' || c == ':') {
			snprintf(err, ERR_SIZE, "%.80s: %s: see vmtop-feel --help", argv[optind - 1],
				c == ':' ? "wants an argument" : "there is no such option");
			return -EINVAL;
		}
		for (i = 0; infos[i].letter != c; i++)
			;
		error = take(o, (enum option_id)i, optarg, err);
		if (error)
			return error;
	}
	if (optind == argc && !(o->dir && o->file))
		return 0;
	if (optind < argc)
		snprintf(err, ERR_SIZE, "what is '%.80s'? See vmtop-feel --help", argv[optind]);
	else
		snprintf(err, ERR_SIZE, "--dir and --file exclude each other");
	return -EINVAL;
}

static void help(void)
{
	puts("Usage: vmtop-feel [OPTIONS]\n"
	     "Times what a person would feel: a timer, a key after a pause, a page of memory and of\n"
	     "a file that were not used for long, fresh memory. In milliseconds, each second.\n");
	for (int i = 0; i < OPTION_COUNT; i++) {
		char name[40];

		snprintf(name, sizeof(name), "--%s%s%s", infos[i].name, infos[i].arg ? " " : "",
			infos[i].arg ? infos[i].arg : "");
		printf("  -%c, %-15s %s\n", infos[i].letter, name, infos[i].help);
	}
}

/* --- When to end --- */

struct watch {
	int parent;
	int signals;		/* a signalfd */
	bool pipe;		/* stdin is one: its end is the end */
	int64_t end_ns;		/* or INT64_MAX */
};

/* One that is ignored from the start (nohup, a job in the background) stays so. */
static void add_unless_ignored(sigset_t *set, int sig)
{
	struct sigaction now;

	if (sigaction(sig, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
		sigaddset(set, sig);
}

/*
 * The parent's death is looked for and not believed: PR_SET_PDEATHSIG is sent when the thread dies
 * that made this process, and that is not always the end of its process (prctl(2)). So the signal
 * only wakes the loop, which asks who the parent is; the processes of the probes, whose parent is
 * this one with its one thread, die by it.
 */
static int watch_init(struct watch *w, int64_t duration_ns)
{
	struct stat st;
	sigset_t set;

	w->parent = getppid();
	prctl(PR_SET_PDEATHSIG, SIGCHLD);
	w->pipe = fstat(STDIN_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
	w->end_ns = duration_ns ? clock_ns() + duration_ns : INT64_MAX;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);	/* ignored, children would vanish unreaped */
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	add_unless_ignored(&set, SIGINT);
	add_unless_ignored(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	w->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return w->signals < 0 ? -errno : 0;
}

static const char *signal_reason(const struct watch *w)
{
	struct signalfd_siginfo info;
	const char *reason = NULL;

	while (read(w->signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			reason = "signal";
	return reason;
}

/* Waits until until_ns or until something happens; why to end, or NULL. */
static const char *watch_wait(struct watch *w, int64_t until_ns)
{
	struct pollfd fds[2] = {
		{ .fd = w->signals, .events = POLLIN },
		{ .fd = w->pipe ? STDIN_FILENO : -1, .events = POLLIN },
	};
	int64_t now = clock_ns(), until = until_ns < w->end_ns ? until_ns : w->end_ns;
	char text[TEXT_BYTES];
	ssize_t n;

	poll(fds, 2, until > now ? (int)((until - now + 999999) / 1000000) : 0);
	/* What is said on stdin means nothing yet; its end does. */
	if (fds[1].revents) {
		n = read(STDIN_FILENO, text, sizeof(text));
		if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
			return "stdin";
	}
	if (getppid() != w->parent)
		return "parent";
	if (clock_ns() >= w->end_ns)
		return "duration";
	return fds[0].revents ? signal_reason(w) : NULL;
}

/* --- Running --- */

static void run(struct watch *watch, struct feel_reporter *reporter, struct feel_crew *crew)
{
	int64_t next = reporter->start_ns + SECOND_NS;
	const char *reason = NULL;

	while (!reason) {
		struct feel_event event;
		int64_t now = clock_ns();

		while (feel_crew_event(crew, now, &event))
			feel_report_event(reporter, crew, &event, now);
		if (now >= next) {
			feel_report_second(reporter, crew);
			next += (1 + (now - next) / SECOND_NS) * SECOND_NS;
		}
		reason = reporter->broken ? "output" : watch_wait(watch,
			feel_crew_starting(crew) && now + SOON_NS < next ? now + SOON_NS : next);
	}
	feel_report_end(reporter, crew, reason);
}

static const char *default_dir(void)
{
	const char *dir = getenv("TMPDIR");

	/* Not /tmp, which is memory on many machines. */
	return dir && *dir ? dir : "/var/tmp";
}

/* 0, or a negative errno and a line in err: a file that was asked for and is not there. */
static int setup_init(struct feel_setup *setup, const struct options *o, size_t bytes,
	struct feel_plan *plan, char *err)
{
	int64_t ram, fixed;
	int error = feel_plan_measure(bytes, &ram, &fixed);

	if (error) {
		snprintf(err, ERR_SIZE, "/proc: %s", strerror(-error));
		return error;
	}
	feel_plan_make(plan, ram, fixed, o->mapping_kib, (size_t)sysconf(_SC_PAGESIZE));
	setup->page_bytes = (size_t)plan->page_kib * 1024;
	setup->alloc_bytes = (size_t)plan->alloc_kib * 1024;
	setup->file_bytes = FILE_BYTES;
	setup->file_reason = err;
	error = feel_file_open(setup, o->dir ? o->dir : default_dir(), o->file, err, ERR_SIZE);
	return o->dir || o->file ? error : 0;
}

/* An exit status; with a line in err unless it is 0. */
static int measure(const struct options *o, struct feel_board *board, char *err)
{
	struct feel_setup setup = { .board = board };
	struct feel_reporter reporter;
	struct feel_crew crew;
	struct feel_plan plan;
	struct watch watch;
	int error = watch_init(&watch, o->duration_ns);

	if (!error)
		error = feel_reporter_init(&reporter, STDOUT_FILENO, o->table);
	if (error) {
		snprintf(err, ERR_SIZE, "%s", strerror(-error));
		return 1;
	}
	error = setup_init(&setup, o, board->bytes + feel_reporter_bytes(&reporter), &plan, err);
	if (!error) {
		feel_report_hello(&reporter, &plan, &setup);
		feel_crew_start(&crew, &setup, reporter.start_ns);
		run(&watch, &reporter, &crew);
		feel_crew_end(&crew);
		error = reporter.broken ? -EPIPE : 0;
		snprintf(err, ERR_SIZE, "cannot write the output");
	}
	feel_reporter_done(&reporter);
	return error ? 1 : 0;
}

static int measure_on_board(const struct options *o, char *err)
{
	struct feel_board board;
	int status, error = feel_board_init(&board);

	if (error) {
		snprintf(err, ERR_SIZE, "%s", strerror(-error));
		return 1;
	}
	status = measure(o, &board, err);
	feel_board_done(&board);
	return status;
}

/* A descriptor that was closed must not become the file's, or the children would lose that. */
static void open_standard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

int main(int argc, char **argv)
{
	struct options o = { .mapping_kib = FEEL_PAGE_KIB, .table = isatty(STDOUT_FILENO) };
	char err[ERR_SIZE] = "";
	int status;

	open_standard();
	if (parse(&o, argc, argv, err))
		return complain(err, 2);
	if (!o.help && !o.version) {
		status = measure_on_board(&o, err);
		return status ? complain(err, status) : 0;
	}
	if (o.help)
		help();
	else
		puts("vmtop-feel (vmtop) " PACKAGE_VERSION);
	return fflush(stdout) || ferror(stdout) ? complain("cannot write the output", 1) : 0;
}
