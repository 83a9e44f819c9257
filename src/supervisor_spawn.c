/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vmtop's side of the supervisor: makes the terminal, the socket and the process. */
#include "src/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/cgroup.h"
#include "src/xalloc.h"

enum {
	FD_SAFE = 10,			/* above the numbers the supervisor wants */
	START_MS = 20000,
};

static int fd_move(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, FD_SAFE);
	int error = errno;

	close(fd);
	errno = error;
	return moved;
}

/* The master's end stays, the other is the supervisor's. */
static int pty_open(struct supervisor_link *link, unsigned short columns, unsigned short rows)
{
	struct winsize size = { .ws_col = columns, .ws_row = rows };
	char name[64];
	int slave;

	link->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (link->master < 0 || grantpt(link->master) || unlockpt(link->master))
		return -1;
	if (ptsname_r(link->master, name, sizeof(name)))
		return -1;
	slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0)
		return -1;
	ioctl(slave, TIOCSWINSZ, &size);
	return fd_move(slave);
}

static char **argv_new(const struct workload_config *config)
{
	static char name[] = SUPERVISOR_NAME, mark[] = SUPERVISOR_MARK, one[] = "1", none[] = "";
	size_t n = 0;
	char **argv;

	while (config->argv[n])
		n++;
	argv = xcalloc(SUPERVISOR_ARG_COMMAND + n + 1, sizeof(*argv));
	argv[SUPERVISOR_ARG_NAME] = name;
	argv[SUPERVISOR_ARG_MARK] = mark;
	argv[SUPERVISOR_ARG_OOM_SCORE_ADJ] = xasprintf("%ld", config->oom_score_adj);
	argv[SUPERVISOR_ARG_CGROUP] = config->cgroup ? one : none;
	argv[SUPERVISOR_ARG_PATH] = xasprintf("%s", config->path_extra ? config->path_extra : "");
	memcpy(argv + SUPERVISOR_ARG_COMMAND, config->argv, n * sizeof(*argv));
	return argv;
}

static void argv_free(char **argv)
{
	free(argv[SUPERVISOR_ARG_OOM_SCORE_ADJ]);
	free(argv[SUPERVISOR_ARG_PATH]);
	free(argv);
}

/* In the child: only what is async-signal-safe, vmtop has threads. */
static void child_exec(char **argv, int slave, int sock, int cgroup)
{
	for (int fd = 0; fd < SUPERVISOR_SOCKET; fd++)
		dup2(slave, fd);
	dup2(sock, SUPERVISOR_SOCKET);
	if (cgroup >= 0)
		dup2(cgroup, SUPERVISOR_CGROUP);
	execv("/proc/self/exe", argv);
	_exit(127);
}

static int start(struct supervisor_link *link, const struct workload_config *config, int slave)
{
	int pair[2], theirs, error, cgroup = -1;
	char **argv;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	link->socket = pair[0];
	theirs = fd_move(pair[1]);
	if (config->cgroup)
		cgroup = fcntl(cgroup_procs_fd(config->cgroup), F_DUPFD_CLOEXEC, FD_SAFE);
	argv = argv_new(config);
	link->pid = theirs < 0 || (config->cgroup && cgroup < 0) ? -1 : fork();
	if (link->pid == 0)
		child_exec(argv, slave, theirs, cgroup);
	error = errno;
	argv_free(argv);
	if (cgroup >= 0)
		close(cgroup);
	if (theirs >= 0)
		close(theirs);
	return link->pid < 0 ? -error : 0;
}

/* Waits for the first report: COMMAND has been forked. */
static int hello(struct supervisor_link *link, struct supervisor_report *report)
{
	struct pollfd fd = { .fd = link->socket, .events = POLLIN };
	ssize_t n;

	while (poll(&fd, 1, START_MS) < 0)
		if (errno != EINTR)
			return -errno;
	n = recv(link->socket, report, sizeof(*report), MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	if (n != (ssize_t)sizeof(*report))
		return -ENOEXEC;
	return -report->error;
}

int supervisor_spawn(struct supervisor_link *link, const struct workload_config *config,
		     struct supervisor_report *first)
{
	int slave, error;

	*link = (struct supervisor_link){ .pid = -1, .socket = -1, .master = -1 };
	if (!supervisor_ready())
		return -ENOEXEC;
	slave = pty_open(link, config->columns, config->rows);
	if (slave < 0)
		return -errno;
	error = start(link, config, slave);
	close(slave);
	return error ? error : hello(link, first);
}

void supervisor_wait(struct supervisor_link *link)
{
	if (link->pid > 0)
		while (waitpid(link->pid, NULL, 0) < 0 && errno == EINTR)
			;
	link->pid = -1;
}

void supervisor_close(struct supervisor_link *link)
{
	if (link->socket >= 0)
		close(link->socket);
	supervisor_wait(link);
	if (link->master >= 0)
		close(link->master);
	*link = (struct supervisor_link){ .pid = -1, .socket = -1, .master = -1 };
}
