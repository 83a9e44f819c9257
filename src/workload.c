/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/workload.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/cgroup.h"
#include "src/clock.h"
#include "src/outlines.h"
#include "src/supervisor.h"
#include "src/text.h"
#include "src/thread.h"
#include "src/xalloc.h"

static_assert((int)WORKLOAD_LINE == (int)OUTLINES_LINE, "lines are handed through");

enum {
	NS_PER_S = 1000000000, NS_PER_MS = 1000000,
	READ_BYTES = 4096,		/* a terminal gives no more at once */
	SLICE_MS = 10, SLICE_BYTES = 256 * 1024,	/* 25 MiB/s */
	REST_BYTES = 256 * 1024,	/* the kernel holds less than 16 KiB of last words */
	TELL_MS = 20,			/* output is told at most 50 times a second */
	IDLE_MS = 1000,			/* a look at the OOM killer's count */
	SILENT_MS = 100,		/* when the terminal was hung up under us */
	END_EXTRA_MS = 30000,
};

struct workload {
	pthread_mutex_t lock;		/* of status and lines */
	struct workload_status status;
	struct outlines *lines;
	int64_t end_ns;			/* then the supervisor is killed; 0: it may run */
	pthread_t thread;
	bool joined;			/* the caller's */
	struct supervisor_link link;
	int changed;
	const struct cgroup *cgroup;
	uint64_t oom_before;
	/* The thread's alone. */
	struct supervisor_report report;
	uint64_t killed_seen;
	bool told_end;			/* COMMAND's */
	bool closed;			/* the supervisor has gone */
	int64_t slice_ns, silent_until_ns, told_ns, looked_ns;
	size_t slice_bytes;
	bool news;
};

/* ---- The OOM killer ---- */

/* Kills in the whole system so far; 0 where the kernel does not count them (before 4.13). */
static uint64_t system_oom_kills(void)
{
	char text[16384];
	int fd = open("/proc/vmstat", O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got;
	const char *p;

	if (fd < 0)
		return 0;
	while (n < sizeof(text) - 1 && (got = read(fd, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	text[n] = '\0';
	p = strstr(text, "\noom_kill ");
	return p ? strtoull(p + strlen("\noom_kill "), NULL, 10) : 0;
}

/*
 * The cgroup's own count knows whom it was about; the system's does not, and is asked without one.
 */
static bool cgroup_oom_kills(const struct workload *w, uint64_t *kills)
{
	struct cgroup_stat stat;

	if (!w->cgroup)
		return false;
	cgroup_read(w->cgroup, &stat);
	*kills = stat.oom_kills;
	return stat.have_oom;
}

static uint64_t oom_kills(const struct workload *w)
{
	uint64_t kills;

	return cgroup_oom_kills(w, &kills) ? kills : system_oom_kills();
}

/* A shell whose child died by KILL ends with 137, and is the only one that knew. */
static bool died_by_kill(const struct supervisor_report *r)
{
	return r->killed || (r->ended && WIFEXITED(r->wait_status) &&
			     WEXITSTATUS(r->wait_status) == 128 + SIGKILL);
}

static void look_for_oom(struct workload *w)
{
	uint64_t kills;
	bool struck;

	w->looked_ns = clock_ns();
	if (cgroup_oom_kills(w, &kills))
		struck = kills > w->oom_before;
	else
		struck = died_by_kill(&w->report) && system_oom_kills() > w->oom_before;
	if (!struck)
		return;
	pthread_mutex_lock(&w->lock);
	w->news |= !w->status.oom;
	w->status.oom = true;
	pthread_mutex_unlock(&w->lock);
}

/* ---- Thread ---- */

/* One reading of the terminal. False: there is nothing now. */
static bool drain_once(struct workload *w)
{
	char bytes[READ_BYTES];
	ssize_t n = read(w->link.master, bytes, sizeof(bytes));

	if (n <= 0) {
		/*
		 * EIO: nobody has it open. It would be "ready" for ever, so it is not asked for a
		 * while.
		 */
		if (n == 0 || (errno != EAGAIN && errno != EINTR))
			w->silent_until_ns = clock_ns() + SILENT_MS * (int64_t)NS_PER_MS;
		return false;
	}
	pthread_mutex_lock(&w->lock);
	outlines_feed(w->lines, bytes, (size_t)n);
	w->status.output_lines = outlines_total(w->lines);
	w->status.output_dropped = outlines_dropped(w->lines);
	pthread_mutex_unlock(&w->lock);
	w->slice_bytes += (size_t)n;
	w->news = true;
	return true;
}

static void drain_slice(struct workload *w)
{
	int64_t now = clock_ns();

	if (now - w->slice_ns >= SLICE_MS * (int64_t)NS_PER_MS) {
		w->slice_ns = now;
		w->slice_bytes = 0;
	}
	while (w->slice_bytes < SLICE_BYTES && drain_once(w))
		;
}

/*
 * What was written before the end is in the kernel already; what others go on writing has no end.
 */
static void drain_rest(struct workload *w)
{
	w->slice_bytes = 0;
	while (w->slice_bytes < REST_BYTES && drain_once(w))
		;
}

static void status_take_end(struct workload_status *st, const struct supervisor_report *r)
{
	st->state = WORKLOAD_ENDED;
	st->exec_error = r->exec_error;
	if (WIFSIGNALED(r->wait_status)) {
		st->signal = WTERMSIG(r->wait_status);
		st->core = WCOREDUMP(r->wait_status);
		st->exit_status = 128 + st->signal;
	} else {
		st->exit_status = WEXITSTATUS(r->wait_status);
	}
}

static void take_report(struct workload *w)
{
	const struct supervisor_report *r = &w->report;
	bool end = r->ended && !w->told_end;

	if (end)
		drain_rest(w);
	if (end || r->killed > w->killed_seen)
		look_for_oom(w);
	w->killed_seen = r->killed;
	pthread_mutex_lock(&w->lock);
	w->status.usage = r->usage;
	if (end)
		status_take_end(&w->status, r);
	pthread_mutex_unlock(&w->lock);
	w->told_end |= end;
	w->news = true;
	if (end)
		w->told_ns = 0;		/* without delay */
}

static void take_reports(struct workload *w)
{
	struct supervisor_report report;
	bool any = false;
	const ssize_t size = (ssize_t)sizeof(report);
	ssize_t n;

	while ((n = recv(w->link.socket, &report, sizeof(report), MSG_DONTWAIT)) == size) {
		w->report = report;
		any = true;
	}
	if (any)
		take_report(w);
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		w->closed = true;
}

/* Someone killed the supervisor. The kernel tells COMMAND (PR_SET_PDEATHSIG), we tell its group. */
static void status_lose(struct workload *w)
{
	kill(-w->report.pid, SIGKILL);
	pthread_mutex_lock(&w->lock);
	w->status.state = WORKLOAD_ENDED;
	w->status.lost = true;
	w->status.signal = SIGKILL;
	w->status.exit_status = 128 + SIGKILL;
	w->status.usage.end_ns = clock_ns();
	pthread_mutex_unlock(&w->lock);
}

static void tell(struct workload *w)
{
	const uint64_t one = 1;
	int64_t now = clock_ns();

	if (!w->news || (now - w->told_ns < TELL_MS * (int64_t)NS_PER_MS && !w->closed))
		return;
	w->told_ns = now;
	w->news = false;
	if (write(w->changed, &one, sizeof(one)) < 0)
		errno = 0;	/* full: it is readable already */
}

static void kill_when_overdue(struct workload *w)
{
	int64_t end_ns;

	pthread_mutex_lock(&w->lock);
	end_ns = w->end_ns;
	pthread_mutex_unlock(&w->lock);
	if (end_ns && clock_ns() > end_ns)
		kill(w->link.pid, SIGKILL);
}

static int ms_until(int64_t then_ns, int64_t now_ns, int most)
{
	int64_t ms = (then_ns - now_ns) / NS_PER_MS + 1;

	return ms < 0 ? 0 : ms > most ? most : (int)ms;
}

static void wait_for_something(struct workload *w)
{
	int64_t now = clock_ns(), slice_end = w->slice_ns + SLICE_MS * (int64_t)NS_PER_MS;
	bool full = w->slice_bytes >= SLICE_BYTES && now < slice_end;
	bool silent = now < w->silent_until_ns;
	struct pollfd fds[] = {
		{ .fd = w->link.socket, .events = POLLIN },
		{ .fd = full || silent ? -1 : w->link.master, .events = POLLIN },
	};
	int timeout = IDLE_MS;

	if (full)
		timeout = ms_until(slice_end, now, timeout);
	if (silent)
		timeout = ms_until(w->silent_until_ns, now, timeout);
	if (w->news)
		timeout = ms_until(w->told_ns + TELL_MS * (int64_t)NS_PER_MS, now, timeout);
	poll(fds, sizeof(fds) / sizeof(*fds), timeout);
	if (fds[0].revents)
		take_reports(w);
	if (fds[1].revents && !w->closed)
		drain_slice(w);
}

static void *workload_thread(void *arg)
{
	struct workload *w = arg;

	pthread_setname_np(pthread_self(), "vmtop-output");
	take_report(w);		/* the first, which may be the last too */
	while (!w->closed) {
		wait_for_something(w);
		if (clock_ns() - w->looked_ns >= IDLE_MS * (int64_t)NS_PER_MS) {
			look_for_oom(w);
			kill_when_overdue(w);
		}
		tell(w);
	}
	drain_rest(w);
	if (!w->told_end)
		status_lose(w);
	supervisor_wait(&w->link);
	pthread_mutex_lock(&w->lock);
	w->status.supervisor = 0;
	pthread_mutex_unlock(&w->lock);
	w->news = true;
	tell(w);
	return NULL;
}

/* ---- Start ---- */

static void command_name(char *dst, size_t size, char *const *argv)
{
	char line[1024] = "";
	size_t n = 0;

	for (size_t i = 0; argv[i] && n < sizeof(line) - 1; i++)
		n += (size_t)snprintf(line + n, sizeof(line) - n, "%s%s", i ? " " : "", argv[i]);
	text_safe(dst, size, line, n < sizeof(line) ? n : sizeof(line) - 1);
}

static void status_begin(struct workload *w, const struct workload_config *config)
{
	struct workload_status *st = &w->status;

	command_name(st->command, sizeof(st->command), config->argv);
	st->state = WORKLOAD_RUNNING;
	st->pid = w->report.pid;
	st->supervisor = w->link.pid;
	st->usage = w->report.usage;
	if (!config->cgroup)
		return;
	text_copy(st->cgroup, sizeof(st->cgroup), cgroup_path(config->cgroup));
	st->memory_limit = cgroup_limit(config->cgroup);
}

static void release(struct workload *w)
{
	supervisor_close(&w->link);
	if (w->changed >= 0)
		close(w->changed);
	pthread_mutex_destroy(&w->lock);
	outlines_free(w->lines);
	free(w);
}

static int start(struct workload *w, const struct workload_config *config)
{
	int error;

	w->changed = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->changed < 0)
		return -errno;
	w->oom_before = oom_kills(w);
	error = supervisor_spawn(&w->link, config, &w->report);
	if (error)
		return error;
	status_begin(w, config);
	return thread_start(&w->thread, workload_thread, w);
}

struct workload *workload_start(const struct workload_config *config, char *err, size_t errsize)
{
	struct workload *w = xcalloc(1, sizeof(*w));
	int error;

	w->link = (struct supervisor_link){ .pid = -1, .socket = -1, .master = -1 };
	w->changed = -1;
	w->cgroup = config->cgroup;
	w->lines = outlines_new();
	w->told_ns = w->looked_ns = clock_ns();
	pthread_mutex_init(&w->lock, NULL);
	error = start(w, config);
	if (!error)
		return w;
	snprintf(err, errsize, "%s cannot be started: %s", config->argv[0],
		 error == -ENOEXEC ? "this program cannot execute itself as its supervisor" :
				     strerror(-error));
	release(w);
	return NULL;
}

/* ---- The caller's side ---- */

void workload_get_status(struct workload *w, struct workload_status *status)
{
	uint64_t count;

	/* First: what changes after this is told again. */
	if (read(w->changed, &count, sizeof(count)) < 0)
		errno = 0;
	pthread_mutex_lock(&w->lock);
	*status = w->status;
	pthread_mutex_unlock(&w->lock);
}

size_t workload_output(struct workload *w, size_t skip, char (*lines)[WORKLOAD_LINE], size_t n)
{
	pthread_mutex_lock(&w->lock);
	n = outlines_get(w->lines, skip, lines, n);
	pthread_mutex_unlock(&w->lock);
	return n;
}

int workload_fd(const struct workload *w)
{
	return w->changed;
}

/* Refused when the supervisor has ended: then there is nobody left. */
static void request(struct workload *w, struct supervisor_request r)
{
	while (send(w->link.socket, &r, sizeof(r), MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

void workload_signal(struct workload *w, int sig)
{
	request(w, (struct supervisor_request){ .what = SUPERVISOR_SIGNAL, .value = sig });
}

void workload_resize(struct workload *w, unsigned short columns, unsigned short rows)
{
	struct winsize size = { .ws_col = columns, .ws_row = rows };

	ioctl(w->link.master, TIOCSWINSZ, &size);
}

void workload_end(struct workload *w, int grace_ms)
{
	if (w->joined)
		return;
	pthread_mutex_lock(&w->lock);
	w->end_ns = clock_ns() + (grace_ms + (int64_t)END_EXTRA_MS) * NS_PER_MS;
	pthread_mutex_unlock(&w->lock);
	request(w, (struct supervisor_request){ .what = SUPERVISOR_END, .value = grace_ms });
	pthread_join(w->thread, NULL);
	w->joined = true;
}

void workload_free(struct workload *w)
{
	workload_end(w, 0);
	release(w);
}
