/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "src/clock.h"
#include "src/xalloc.h"

#define RELEASE_STALL_MS	250
#define FLUSH_LIMIT_MS		100

static const int crash_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT };

#define CRASH_SIGNALS (sizeof(crash_signals) / sizeof(crash_signals[0]))

/* The one mutable global of the screen: a signal handler gets no argument. */
static struct {
	atomic_bool armed;
	bool at_exit;
	pid_t pid;
	int fd;
	bool shared;
	struct termios saved;
	char bytes[256];
	size_t len;
	struct sigaction before[CRASH_SIGNALS];
	char stack[32768];	/* for a crash that is a stack overflow */
} guard;

/* ---- Writing without waiting ---- */

/* What the line takes now of p: a number of bytes, or a negative errno. */
static ssize_t send_some(int fd, bool shared, const char *p, size_t n)
{
	int flags = shared ? fcntl(fd, F_GETFL) : 0;
	ssize_t sent;

	if (shared)
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	do {
		sent = write(fd, p, n);
	} while (sent < 0 && errno == EINTR);
	if (sent < 0)
		sent = errno == EAGAIN ? 0 : -errno;
	if (shared)
		fcntl(fd, F_SETFL, flags);
	return sent;
}

static bool writable(int fd, int wait_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, wait_ms) == 1 && (p.revents & POLLOUT);
}

/* Sends all, at the expense of what the terminal has not read. Async-signal-safe. */
static void send_all(int fd, bool shared, const char *p, size_t n)
{
	bool discarded = false;

	while (n > 0) {
		ssize_t sent = send_some(fd, shared, p, n);

		if (sent < 0 || (sent == 0 && discarded))
			return;
		p += sent;
		n -= (size_t)sent;
		if (sent == 0 && !writable(fd, RELEASE_STALL_MS)) {
			tcflush(fd, TCOFLUSH);
			discarded = true;
		}
	}
}

/* A terminal that is not the process's controlling one has no foreground: taken as in front. */
static bool in_foreground(int fd)
{
	pid_t front = tcgetpgrp(fd);

	return front < 0 || front == getpgrp();
}

bool tty_ready(struct tty *t)
{
	t->refused = false;
	if (!in_foreground(t->fd))
		return false;
	t->refused = !tty_flush(t, 0) || !writable(t->fd, 0);
	return !t->refused;
}

char *tty_append(struct tty *t, size_t n)
{
	char *p;

	if (t->len + n > t->room) {
		t->room = t->len + n + 4096;
		t->out = xrealloc(t->out, t->room, 1);
	}
	p = t->out + t->len;
	t->len += n;
	return p;
}

bool tty_flush(struct tty *t, int stall_ms)
{
	int64_t limit = clock_ms() + FLUSH_LIMIT_MS;

	while (t->sent < t->len) {
		ssize_t sent = send_some(t->fd, t->shared, t->out + t->sent, t->len - t->sent);

		if (sent < 0) {		/* hung up: nobody will read it */
			t->sent = t->len;
			break;
		}
		t->sent += (size_t)sent;
		if (t->sent < t->len && (clock_ms() > limit || !writable(t->fd, stall_ms)))
			return false;
	}
	t->sent = t->len = 0;
	return true;
}

/* ---- The line's settings ---- */

static int reopen(int fd)
{
	const int flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC;
	unsigned int wanted, found;
	char path[32];
	int again;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, flags);
	if (again >= 0)
		return again;
	/* After su the terminal is another's, but the controlling one opens for everyone. */
	again = open("/dev/tty", flags);
	if (again >= 0 && !ioctl(fd, TIOCGDEV, &wanted) && !ioctl(again, TIOCGDEV, &found) &&
	    wanted == found)
		return again;
	if (again >= 0)
		close(again);
	return -1;
}

int tty_open(struct tty *t, int fd)
{
	int err;

	*t = (struct tty){ .fd = -1 };
	if (tcgetattr(fd, &t->saved) < 0)
		return -errno;
	t->fd = reopen(fd);
	if (t->fd < 0) {
		t->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		err = errno;
		t->shared = true;
		if (t->fd < 0)
			return -err;
	}
	t->ours = t->saved;
	t->ours.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | ISTRIP | PARMRK);
	t->ours.c_oflag &= ~(tcflag_t)OPOST;
	t->ours.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL);
	t->ours.c_lflag |= ISIG | NOFLSH;
	t->ours.c_cc[VMIN] = 1;
	t->ours.c_cc[VTIME] = 0;
	return 0;
}

void tty_close(struct tty *t)
{
	if (t->fd >= 0)
		close(t->fd);
	free(t->out);
	*t = (struct tty){ .fd = -1 };
}

bool tty_size(const struct tty *t, int *cols, int *rows)
{
	struct winsize size;

	if (ioctl(t->fd, TIOCGWINSZ, &size) < 0 || size.ws_col == 0 || size.ws_row == 0)
		return false;
	*cols = size.ws_col;
	*rows = size.ws_row;
	return true;
}

void tty_take(struct tty *t)
{
	/* TCSANOW: the others wait until the terminal has read everything. */
	while (tcsetattr(t->fd, TCSANOW, &t->ours) < 0 && errno == EINTR)
		;
}

/* ---- Giving it back ---- */

static void give_back(void)
{
	bool front = in_foreground(guard.fd);
	struct termios running = guard.saved;
	sigset_t ttou, before;

	/* A background process may only change and write to a terminal with SIGTTOU blocked. */
	sigemptyset(&ttou);
	sigaddset(&ttou, SIGTTOU);
	pthread_sigmask(SIG_BLOCK, &ttou, &before);
	if (front) {	/* in the background the settings are already the shell's */
		/* Without IXON, output that ^S stopped goes on (drivers/tty/n_tty.c). */
		running.c_iflag &= ~(tcflag_t)IXON;
		running.c_oflag &= ~(tcflag_t)OPOST;
		tcsetattr(guard.fd, TCSANOW, &running);
	}
	send_all(guard.fd, guard.shared, guard.bytes, guard.len);
	if (front)
		tcsetattr(guard.fd, TCSANOW, &guard.saved);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void tty_restore(void)
{
	/* A child between fork and exec must not touch its parent's screen. */
	if (guard.pid == getpid() && atomic_exchange(&guard.armed, false))
		give_back();
}

static void crashed(int signal_number, siginfo_t *info, void *context)
{
	(void)context;
	tty_restore();
	for (size_t i = 0; i < CRASH_SIGNALS; i++)
		if (crash_signals[i] == signal_number)
			sigaction(signal_number, &guard.before[i], NULL);
	/* A real fault happens again on return, with its address; one that was sent does not. */
	if (info->si_code <= 0 || signal_number == SIGQUIT)
		raise(signal_number);
}

void tty_guard(struct tty *t, const char *bytes, size_t len)
{
	struct sigaction action = { .sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_sp = guard.stack, .ss_size = sizeof(guard.stack) }, present;

	guard.pid = getpid();
	guard.fd = t->fd;
	guard.shared = t->shared;
	guard.saved = t->saved;
	guard.len = len < sizeof(guard.bytes) ? len : sizeof(guard.bytes);
	memcpy(guard.bytes, bytes, guard.len);
	if (!guard.at_exit && atexit(tty_restore) == 0)
		guard.at_exit = true;
	if (atomic_exchange(&guard.armed, true))
		return;
	if (sigaltstack(NULL, &present) == 0 && (present.ss_flags & SS_DISABLE))
		sigaltstack(&stack, NULL);
	for (size_t i = 0; i < CRASH_SIGNALS; i++)
		sigaction(crash_signals[i], &action, &guard.before[i]);
}

void tty_release(struct tty *t)
{
	t->sent = t->len = 0;
	if (!atomic_load(&guard.armed) || guard.pid != getpid())
		return;
	tty_restore();
	for (size_t i = 0; i < CRASH_SIGNALS; i++)
		sigaction(crash_signals[i], &guard.before[i], NULL);
}
