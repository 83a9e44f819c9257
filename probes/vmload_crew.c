/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/vmload.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/clock.h"

struct task {
	pid_t pid;		/* 0: not started, or waited for */
	_Atomic uint64_t bytes;	/* allocated so far */
};

struct crew {
	const struct fill_options *o;
	struct task *task;	/* memory shared with the tasks */
	pid_t boss;
	unsigned started, filled;
	int done[2];		/* a task writes what became of it: 0 or a negative errno */
	int release[2];		/* closed by the boss when the tasks may end */
	int signal_fd;
	sigset_t before;	/* the signal mask */
	struct sigaction child_before;
	int end_signal;
	char *err;
	size_t errsize;
};

/* --- A task --- */

static void task_main(struct crew *c, unsigned i)
{
	const struct fill_options *o = c->o;
	uint64_t at, bytes;
	struct memory m;
	int result;
	char end;

	/* The boss may be killed too, and then nobody else would end this. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != c->boss)
		_exit(1);
	close(c->done[0]);
	close(c->release[1]);
	close(c->signal_fd);
	fill_share(o->bytes, o->tasks, i, &at, &bytes);
	result = memory_fill(&m, o, at, bytes, &c->task[i].bytes);
	if (write(c->done[1], &result, sizeof(result)) != sizeof(result))
		_exit(1);
	while (read(c->release[0], &end, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

static int task_start(struct crew *c, unsigned i)
{
	pid_t pid = fork();

	if (pid < 0) {
		int error = -errno;

		snprintf(c->err, c->errsize, "cannot start task %u of %u: %s", i + 1, c->o->tasks,
			strerror(-error));
		return error;
	}
	if (pid == 0)
		task_main(c, i);
	c->task[i].pid = pid;
	c->started++;
	return 0;
}

/* --- The boss --- */

/*
 * Signals that would end the boss come through signal_fd, so that it ends the tasks first; not
 * those that were ignored from the start (nohup, a shell's background): blocked, they would come
 * too. The tasks leave them blocked: a ^C goes to all, and the boss would report their deaths.
 */
static void signals_take(struct crew *c)
{
	static const int ending[] = { SIGHUP, SIGINT, SIGTERM };
	struct sigaction action;
	sigset_t set;

	/* Inherited as ignored, it would keep the tasks' ends from us. */
	sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = SIG_DFL }, &c->child_before);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&set, ending[i]);
	sigprocmask(SIG_BLOCK, &set, &c->before);
	c->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Those that came meanwhile take effect here. */
static void signals_give(struct crew *c)
{
	if (c->end_signal)
		raise(c->end_signal);
	sigaction(SIGCHLD, &c->child_before, NULL);
	sigprocmask(SIG_SETMASK, &c->before, NULL);
}

/* Whether task i is over, now (WNOHANG) or after waiting for it (0), and how it ended. */
static bool task_over(struct crew *c, unsigned i, int flags, int *status)
{
	pid_t pid;

	*status = 0;
	if (!c->task[i].pid)
		return false;
	do
		pid = waitpid(c->task[i].pid, status, flags);
	while (pid < 0 && errno == EINTR);
	if (pid)
		c->task[i].pid = 0;
	return pid != 0;
}

static int task_lost(struct crew *c, unsigned i, int status)
{
	if (WIFSIGNALED(status))
		snprintf(c->err, c->errsize, "task %u was killed by signal %d%s", i + 1,
			WTERMSIG(status), WTERMSIG(status) == SIGKILL ? " (OOM killer?)" : "");
	else
		snprintf(c->err, c->errsize, "task %u ended with status %d", i + 1,
			WEXITSTATUS(status));
	return -ECHILD;
}

static int crew_read_signals(struct crew *c)
{
	struct signalfd_siginfo info;
	int status;

	while (read(c->signal_fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			c->end_signal = (int)info.ssi_signo;
	if (c->end_signal) {
		snprintf(c->err, c->errsize, "ended by signal %d", c->end_signal);
		return -EINTR;
	}
	/* They have not been released yet, so none may end. */
	for (unsigned i = 0; i < c->started; i++)
		if (task_over(c, i, WNOHANG, &status))
			return task_lost(c, i, status);
	return 0;
}

static uint64_t crew_bytes(const struct crew *c)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < c->started; i++)
		bytes += atomic_load(&c->task[i].bytes);
	return bytes;
}

static int crew_read_done(struct crew *c)
{
	int result;

	if (read(c->done[0], &result, sizeof(result)) != sizeof(result))
		return 0;	/* they are gone, and SIGCHLD says why */
	c->filled++;
	if (result)
		snprintf(c->err, c->errsize, "stopped at %" PRIu64 " bytes: %s", crew_bytes(c),
			strerror(-result));
	return result;
}

/* Until all have filled theirs (until_ms negative), or until then. */
static int crew_wait(struct crew *c, int64_t until_ms)
{
	struct pollfd fds[] = {
		{ .fd = c->signal_fd, .events = POLLIN },
		{ .fd = c->done[0], .events = POLLIN },
	};
	int error = 0;

	while (!error) {
		int64_t left = until_ms < 0 ? -1 : until_ms - clock_ms();
		int n;

		if (until_ms < 0 ? c->filled == c->o->tasks : left <= 0)
			return 0;
		n = poll(fds, 2, left < INT_MAX ? (int)left : INT_MAX);
		if (n < 0 && errno != EINTR) {
			error = -errno;
			snprintf(c->err, c->errsize, "poll: %s", strerror(errno));
		}
		if (n > 0)
			error = fds[0].revents ? crew_read_signals(c) : crew_read_done(c);
	}
	return error;
}

static void fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int crew_run(struct crew *c, FILE *out)
{
	int error = 0;

	for (unsigned i = 0; i < c->o->tasks && !error; i++)
		error = task_start(c, i);
	fd_close(&c->done[1]);
	fd_close(&c->release[0]);
	if (!error)
		error = crew_wait(c, -1);
	if (error)
		return error;
	fprintf(out, "PASS ... %" PRIu64 " bytes allocated.\n", crew_bytes(c));
	fflush(out);
	return crew_wait(c, clock_ms() + (int64_t)c->o->hold_s * 1000);
}

/* Ends the tasks, and waits until their memory is free again. */
static int crew_end(struct crew *c, int error)
{
	int status;

	fd_close(&c->release[1]);
	for (unsigned i = 0; i < c->started; i++)
		if (error && c->task[i].pid)
			kill(c->task[i].pid, SIGKILL);
	for (unsigned i = 0; i < c->started; i++)
		if (task_over(c, i, 0, &status) && status && !error)
			error = task_lost(c, i, status);
	return error;
}

int crew_fill(const struct fill_options *o, FILE *out, char *err, size_t errsize)
{
	struct crew c = { .o = o, .boss = getpid(), .err = err, .errsize = errsize,
		.done = { -1, -1 }, .release = { -1, -1 }, .signal_fd = -1 };
	int error;

	fflush(out);
	signals_take(&c);
	c.task = mmap(NULL, o->tasks * sizeof(*c.task), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c.task == MAP_FAILED || c.signal_fd < 0 || pipe(c.done) || pipe(c.release)) {
		error = -errno;
		snprintf(err, errsize, "cannot start tasks: %s", strerror(errno));
	} else {
		error = crew_end(&c, crew_run(&c, out));
	}
	for (int i = 0; i < 2; i++) {
		fd_close(&c.done[i]);
		fd_close(&c.release[i]);
	}
	fd_close(&c.signal_fd);
	if (c.task != MAP_FAILED)
		munmap(c.task, o->tasks * sizeof(*c.task));
	signals_give(&c);
	return error;
}
