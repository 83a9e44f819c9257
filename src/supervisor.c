/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/supervisor.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/child.h"
#include "src/clock.h"
#include "src/procstat.h"

enum {
	NS_PER_S = 1000000000, NS_PER_MS = 1000000, US_PER_S = 1000000,
	ORPHAN_GRACE_MS = 2000,		/* when vmtop is gone and cannot say */
	KILL_EVERY_MS = 20,
	KILL_FOR_MS = 5000,		/* and nobody died: what is left hangs in the kernel */
	LAST_WORD_MS = 1000,
	NOT_FOUND = 127, NOT_EXECUTED = 126,
};

struct supervisor {
	struct supervisor_report report;
	bool dirty;			/* the report has not been sent */
	bool gone;			/* vmtop is */
	bool ending;
	int64_t kill_ns;		/* when the grace ends; then when KILL is due again */
	int64_t died_ns;		/* when the last one was reaped, or KILL began */
	bool killing;
	int signal_fd;
	int own_pid;
	int *exec_error;		/* shared with COMMAND until it executes */
	char **argv;
	bool cgroup;
	long oom_score_adj;
};

/* ---- COMMAND ---- */

static void command_fail(const struct supervisor *s, int error)
{
	*s->exec_error = error;
	_exit(error == ENOENT ? NOT_FOUND : NOT_EXECUTED);
}

/*
 * In the child. All signals are blocked until child_reset, so taking the terminal does not stop it.
 */
static void command_exec(const struct supervisor *s)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != s->own_pid)
		_exit(NOT_EXECUTED);
	setpgid(0, 0);
	tcsetpgrp(STDIN_FILENO, getpid());
	if (s->cgroup && write(SUPERVISOR_CGROUP, "0\n", 2) < 0)
		command_fail(s, errno);
	child_reset(s->oom_score_adj);
	execvp(s->argv[0], s->argv);
	command_fail(s, errno);
}

static int command_start(struct supervisor *s)
{
	pid_t pid;

	s->exec_error = mmap(NULL, sizeof(*s->exec_error), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s->exec_error == MAP_FAILED)
		return -errno;
	s->report.usage.start_ns = clock_ns();
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		command_exec(s);
	s->report.pid = pid;
	setpgid(pid, pid);	/* whoever is first: no signal must come before it */
	return 0;
}

/* ---- Accounting ---- */

static int64_t timeval_us(const struct timeval *t)
{
	return (int64_t)t->tv_sec * US_PER_S + t->tv_usec;
}

static void account(struct supervisor *s, int pid, int status, const struct rusage *r)
{
	struct workload_usage *u = &s->report.usage;

	u->user_us += timeval_us(&r->ru_utime);
	u->system_us += timeval_us(&r->ru_stime);
	u->major_faults += (uint64_t)r->ru_majflt;
	u->minor_faults += (uint64_t)r->ru_minflt;
	u->voluntary_switches += (uint64_t)r->ru_nvcsw;
	u->involuntary_switches += (uint64_t)r->ru_nivcsw;
	if ((uint64_t)r->ru_maxrss > u->max_rss_kib)
		u->max_rss_kib = (uint64_t)r->ru_maxrss;
	u->processes++;
	s->died_ns = u->counted_ns = clock_ns();
	s->report.killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	s->dirty = true;
	if (pid != s->report.pid || s->report.ended)
		return;
	s->report.ended = true;
	s->report.wait_status = status;
	s->report.exec_error = *s->exec_error;
	u->end_ns = s->died_ns;
}

/*
 * False when there is nobody left: what has a living ancestor in the family is not orphaned to us
 * yet.
 */
static bool reap(struct supervisor *s)
{
	struct rusage usage;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0)
		account(s, pid, status, &usage);
	return pid == 0 || errno != ECHILD;
}

/* ---- Signals ---- */

struct signalling {
	const struct supervisor *s;
	int sig;
};

static bool is_family(const struct supervisor *s, const struct procstat *st)
{
	return st->state != 'Z' && procstat_descends(st, s->own_pid);
}

static bool visit_group(void *arg, const struct procstat *st)
{
	const struct supervisor *s = arg;

	return st->pgrp == s->report.pid && is_family(s, st);
}

/*
 * COMMAND's group outlives COMMAND as long as one is in it; after that the number may be given to
 * somebody else. Asked of /proc once COMMAND has been reaped.
 */
static void signal_group(struct supervisor *s, int sig)
{
	if (s->report.ended && procstat_each(visit_group, s) <= 0)
		return;
	kill(-s->report.pid, sig);
}

static bool visit_others(void *arg, const struct procstat *st)
{
	const struct signalling *g = arg;

	if (!is_family(g->s, st))
		return false;
	if (st->pgrp != g->s->report.pid)
		kill(st->pid, g->sig);
	if (st->state == 'T')
		kill(st->pid, SIGCONT);
	return true;
}

/*
 * Everyone once: a second TERM means "at once" to some. What is stopped takes it when it goes on.
 */
static void signal_family(struct supervisor *s, int sig)
{
	struct signalling g = { .s = s, .sig = sig };

	signal_group(s, sig);
	procstat_each(visit_others, &g);
}

/*
 * A signal to a group reaches all of it at once, and no fork slips through (kernel/fork.c
 * copy_process gives up when a signal is pending): what a fork bomb needs.
 */
static bool visit_kill(void *arg, const struct procstat *st)
{
	const struct supervisor *s = arg;

	if (!is_family(s, st))
		return false;
	if (st->pgrp > 1 && st->pgrp != s->own_pid)
		kill(-st->pgrp, SIGKILL);
	kill(st->pid, SIGKILL);
	return true;
}

static void end_begin(struct supervisor *s, int grace_ms)
{
	int64_t kill_ns = clock_ns() + (int64_t)grace_ms * NS_PER_MS;

	if (!s->ending)
		signal_family(s, SIGTERM);
	if (!s->ending || (!s->killing && kill_ns < s->kill_ns))
		s->kill_ns = kill_ns;
	s->ending = true;
}

/* After the grace, again and again: new ones may come while we look. False: it is of no use. */
static bool end_press(struct supervisor *s)
{
	int64_t now = clock_ns();

	if (!s->ending || now < s->kill_ns)
		return true;
	if (!s->killing)
		s->died_ns = now;
	s->killing = true;
	procstat_each(visit_kill, s);
	s->kill_ns = clock_ns() + KILL_EVERY_MS * (int64_t)NS_PER_MS;
	return now - s->died_ns < KILL_FOR_MS * (int64_t)NS_PER_MS;
}

/* ---- Loop ---- */

static void send_report(struct supervisor *s)
{
	if (s->gone)
		s->dirty = false;
	if (s->dirty && send(SUPERVISOR_SOCKET, &s->report, sizeof(s->report),
			     MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
		s->dirty = false;
}

static void take_requests(struct supervisor *s)
{
	struct supervisor_request request;
	ssize_t n;

	while ((n = recv(SUPERVISOR_SOCKET, &request, sizeof(request), MSG_DONTWAIT)) ==
	       (ssize_t)sizeof(request))
		switch (request.what) {
		case SUPERVISOR_SIGNAL:
			signal_group(s, request.value);
			break;
		case SUPERVISOR_END:
			end_begin(s, request.value);
			break;
		}
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
		s->gone = true;
		end_begin(s, ORPHAN_GRACE_MS);
	}
}

static void take_signals(struct supervisor *s)
{
	struct signalfd_siginfo info;

	while (read(s->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			end_begin(s, ORPHAN_GRACE_MS);
}

static int poll_timeout(const struct supervisor *s)
{
	int64_t left = s->kill_ns - clock_ns();

	if (!s->ending)
		return -1;
	return left > 0 ? (int)(left / NS_PER_MS) + 1 : 0;
}

static void loop(struct supervisor *s)
{
	struct pollfd fds[] = {
		{ .fd = SUPERVISOR_SOCKET },
		{ .fd = s->signal_fd, .events = POLLIN },
	};

	while (reap(s) && end_press(s)) {
		send_report(s);
		fds[0].fd = s->gone ? -1 : SUPERVISOR_SOCKET;
		fds[0].events = (short)(s->dirty ? POLLIN | POLLOUT : POLLIN);
		poll(fds, sizeof(fds) / sizeof(*fds), poll_timeout(s));
		take_signals(s);
		if (!s->gone)
			take_requests(s);
	}
}

/* vmtop may be stopped, and its end of the socket full. */
static void last_word(struct supervisor *s)
{
	struct pollfd fd = { .fd = SUPERVISOR_SOCKET, .events = POLLOUT };

	s->dirty = true;
	send_report(s);
	if (s->dirty && poll(&fd, 1, LAST_WORD_MS) > 0)
		send_report(s);
}

/* ---- Start ---- */

static bool ready;	/* about this process as a whole; set once, before there are threads */

bool supervisor_ready(void)
{
	return ready;
}

static void signals_take(struct supervisor *s)
{
	sigset_t set;

	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	/*
	 * Ignored by whoever started vmtop, it would be so here, and children would vanish
	 * uncounted.
	 */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void environment_set(const char *path_extra)
{
	const char *path = getenv("PATH");
	char *longer;

	setenv("TERM", "dumb", 1);
	if (!*path_extra)
		return;
	if (asprintf(&longer, "%s:%s", path && *path ? path : "/usr/bin:/bin", path_extra) < 0)
		return;
	setenv("PATH", longer, 1);
	free(longer);
}

static bool asked_for(int argc, char **argv)
{
	struct stat st;

	return argc > SUPERVISOR_ARG_COMMAND &&
	       strcmp(argv[SUPERVISOR_ARG_NAME], SUPERVISOR_NAME) == 0 &&
	       strcmp(argv[SUPERVISOR_ARG_MARK], SUPERVISOR_MARK) == 0 &&
	       fstat(SUPERVISOR_SOCKET, &st) == 0 && S_ISSOCK(st.st_mode);
}

void supervisor_main(int argc, char **argv)
{
	struct supervisor s = { .own_pid = getpid() };

	ready = true;
	if (!asked_for(argc, argv))
		return;
	s.argv = argv + SUPERVISOR_ARG_COMMAND;
	s.oom_score_adj = strtol(argv[SUPERVISOR_ARG_OOM_SCORE_ADJ], NULL, 10);
	s.cgroup = strcmp(argv[SUPERVISOR_ARG_CGROUP], "1") == 0;
	child_close_from(s.cgroup ? SUPERVISOR_CGROUP + 1 : SUPERVISOR_SOCKET + 1);
	signals_take(&s);
	setsid();
	ioctl(STDIN_FILENO, TIOCSCTTY, 0);
	prctl(PR_SET_NAME, SUPERVISOR_NAME);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	environment_set(argv[SUPERVISOR_ARG_PATH]);
	s.report.error = -command_start(&s);
	s.dirty = true;
	/*
	 * So that the time of COMMAND's end is right in a swap storm, where that is allowed. Not
	 * earlier: what is resident when COMMAND is forked counts as COMMAND's.
	 */
	if (mlockall(MCL_CURRENT) < 0)
		errno = 0;
	if (!s.report.error)
		loop(&s);
	last_word(&s);
	_exit(0);
}
