/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/instrument.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/child.h"
#include "src/clock.h"
#include "src/xalloc.h"

#define NS_PER_S 1000000000LL

enum {
	NS_PER_MS = 1000000,
	LINES = 8 * INSTRUMENT_LINE,
	LOOK_MS = 20,			/* how often to look whether one that said its last has ended */
	DEATH_MS = 2000,		/* how long it may take for that before it is killed */
	PAUSE_S = 1, PAUSE_MOST_S = 60,
	FD_SAFE = 10			/* above the numbers a child wants */
};

enum state { WAITING, RUNNING, DYING, GIVEN_UP };

struct instrument {
	char *const *argv;
	long oom_score_adj;
	enum state state;
	pid_t pid;
	int in, out;			/* its standard input and output, our ends */
	int64_t start_ns, due_ns;	/* WAITING: start; DYING: look; else INT64_MAX */
	int64_t dying_ns, pause_ns;
	bool skip;			/* the rest of a line that was too long */
	size_t head, tail;		/* of what was read and not yet given out */
	char buf[LINES];
	char text[128];
};

struct instrument *instrument_new(char *const *argv, long oom_score_adj)
{
	struct instrument *p = xcalloc(1, sizeof(*p));

	p->argv = argv;
	p->oom_score_adj = oom_score_adj;
	p->in = p->out = -1;
	p->pause_ns = PAUSE_S * NS_PER_S;
	return p;
}

int instrument_fd(const struct instrument *p)
{
	return p->out;
}

int64_t instrument_due_ns(const struct instrument *p)
{
	return p->due_ns;
}

pid_t instrument_pid(const struct instrument *p)
{
	return p->pid;
}

/* ---- Start ---- */

/* In the child: only what is async-signal-safe, vmtop has threads. */
static void child_exec(const struct instrument *p, pid_t parent, int in, int out)
{
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(127);
	setsid();	/* keys that send signals are not meant for it */
	child_reset(p->oom_score_adj);
	/* Should vmtop be killed: also one that does not read its input ends. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == parent)
		execv(p->argv[0], p->argv);
	_exit(127);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Read and write end, both above the numbers a child wants. */
static int make_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	for (int i = 0; i < 2; i++) {
		int moved = fcntl(ends[i], F_DUPFD_CLOEXEC, FD_SAFE);

		if (moved < 0)
			return -errno;
		close(ends[i]);
		ends[i] = moved;
	}
	return 0;
}

static int spawn(struct instrument *p)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 };
	int error = access(p->argv[0], X_OK) < 0 ? -errno : 0;
	pid_t parent = getpid();

	if (!error)
		error = make_pipe(in);
	if (!error)
		error = make_pipe(out);
	if (!error) {
		p->pid = fork();
		if (p->pid == 0)
			child_exec(p, parent, in[0], out[1]);
		error = p->pid < 0 ? -errno : 0;
	}
	close_fd(&in[0]);
	close_fd(&out[1]);
	if (error) {
		p->pid = 0;
		close_fd(&in[1]);
		close_fd(&out[0]);
		return error;
	}
	p->in = in[1];
	p->out = out[0];
	fcntl(p->in, F_SETFL, O_NONBLOCK);
	fcntl(p->out, F_SETFL, O_NONBLOCK);
	return 0;
}

static void await_restart(struct instrument *p, int64_t now_ns)
{
	p->state = WAITING;
	p->due_ns = now_ns + p->pause_ns;
	p->pause_ns *= 2;
	if (p->pause_ns > PAUSE_MOST_S * NS_PER_S)
		p->pause_ns = PAUSE_MOST_S * NS_PER_S;
}

static enum instrument_news start(struct instrument *p, int64_t now_ns)
{
	int error = spawn(p);

	p->head = p->tail = 0;
	p->skip = false;
	p->due_ns = INT64_MAX;
	p->state = RUNNING;
	p->start_ns = now_ns;
	if (!error)
		return INSTRUMENT_STARTED;
	snprintf(p->text, sizeof(p->text), "%.90s: %s", p->argv[0], strerror(-error));
	if (error == -EAGAIN || error == -ENOMEM || error == -EMFILE || error == -ENFILE) {
		await_restart(p, now_ns);	/* a shortage may pass */
		return INSTRUMENT_DIED;
	}
	p->state = GIVEN_UP;
	return INSTRUMENT_FAILED;
}

/* ---- Lines ---- */

/* Takes a whole line out of the buffer; false: there is none. */
static bool take_line(struct instrument *p, const char **text, size_t *length)
{
	char *end;

	while ((end = memchr(p->buf + p->head, '\n', p->tail - p->head))) {
		*text = p->buf + p->head;
		*length = (size_t)(end - *text);
		p->head += *length + 1;
		*end = '\0';
		if (!p->skip)
			return true;
		p->skip = false;
	}
	memmove(p->buf, p->buf + p->head, p->tail - p->head);
	p->tail -= p->head;
	p->head = 0;
	if (p->tail < INSTRUMENT_LINE)
		return false;
	/* Too long to be a line of ours: given out cut, the rest of it passed over. */
	*text = p->buf;
	*length = INSTRUMENT_LINE - 1;
	p->buf[*length] = '\0';
	p->head = p->tail;
	if (p->skip)
		return false;
	p->skip = true;
	return true;
}

/* Reads what is there; true when there is nothing more to come. */
static bool fill(struct instrument *p)
{
	ssize_t n = read(p->out, p->buf + p->tail, sizeof(p->buf) - p->tail);

	if (n > 0)
		p->tail += (size_t)n;
	return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

/* ---- Death ---- */

static void begin_dying(struct instrument *p, int64_t now_ns)
{
	close_fd(&p->in);
	close_fd(&p->out);
	p->state = DYING;
	p->dying_ns = p->due_ns = now_ns;
}

static void say_how(struct instrument *p, int status)
{
	if (WIFSIGNALED(status))
		snprintf(p->text, sizeof(p->text), "killed by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(p->text, sizeof(p->text), "ended with exit status %d", WEXITSTATUS(status));
}

static enum instrument_news look(struct instrument *p, int64_t now_ns)
{
	int status;
	pid_t pid = waitpid(p->pid, &status, WNOHANG);

	if (pid == 0 || (pid < 0 && errno == EINTR)) {
		if (now_ns - p->dying_ns > DEATH_MS * (int64_t)NS_PER_MS)
			kill(p->pid, SIGKILL);
		p->due_ns = now_ns + LOOK_MS * (int64_t)NS_PER_MS;
		return INSTRUMENT_NOTHING;
	}
	p->pid = 0;
	if (now_ns - p->start_ns > PAUSE_MOST_S * NS_PER_S)
		p->pause_ns = PAUSE_S * NS_PER_S;
	await_restart(p, now_ns);
	say_how(p, status);
	return INSTRUMENT_DIED;
}

/* ---- All of it ---- */

enum instrument_news instrument_next(struct instrument *p, int64_t now_ns, const char **text,
				     size_t *length)
{
	enum instrument_news news = INSTRUMENT_NOTHING;

	if (p->state == RUNNING) {
		bool end = false;

		if (take_line(p, text, length) || ((end = fill(p)), take_line(p, text, length)))
			return INSTRUMENT_LINE_READ;
		if (!end)
			return INSTRUMENT_NOTHING;
		begin_dying(p, now_ns);
	}
	if (now_ns < p->due_ns || p->state == GIVEN_UP)
		return INSTRUMENT_NOTHING;
	news = p->state == WAITING ? start(p, now_ns) : look(p, now_ns);
	*text = p->text;
	*length = strlen(p->text);
	return news;
}

int instrument_say(struct instrument *p, const char *line)
{
	char text[PIPE_BUF];
	int n = snprintf(text, sizeof(text), "%s\n", line);
	ssize_t written;

	if (p->state != RUNNING)
		return -ENOTCONN;
	if (n >= (int)sizeof(text))
		return -EMSGSIZE;
	written = write(p->in, text, (size_t)n);	/* whole or not at all, up to PIPE_BUF */
	return written == n ? 0 : errno == EPIPE ? -ENOTCONN : -errno;
}

void instrument_close_input(struct instrument *p)
{
	close_fd(&p->in);
}

void instrument_end(struct instrument *p, int64_t wait_ns,
		    void (*take)(void *arg, const char *line, size_t length), void *arg)
{
	int64_t until_ns = clock_ns() + wait_ns, now_ns;
	const char *text;
	size_t length;

	close_fd(&p->in);
	while ((p->state == RUNNING || p->state == DYING) && (now_ns = clock_ns()) < until_ns) {
		struct pollfd fd = { .fd = p->out, .events = POLLIN };
		enum instrument_news news = instrument_next(p, now_ns, &text, &length);

		if (news == INSTRUMENT_LINE_READ && take)
			take(arg, text, length);
		if (news == INSTRUMENT_NOTHING)
			poll(&fd, 1, LOOK_MS);
	}
	if (p->pid > 0) {
		kill(p->pid, SIGKILL);
		while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
			;
		p->pid = 0;
	}
	close_fd(&p->out);
	p->state = GIVEN_UP;
	p->due_ns = INT64_MAX;
}

void instrument_free(struct instrument *p)
{
	if (!p)
		return;
	instrument_end(p, 0, NULL, NULL);
	free(p);
}
