/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/feel_crew.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probes/feel_plan.h"
#include "src/clock.h"
#include "src/file.h"

#define SECOND_NS INT64_C(1000000000)
#define END_NS (SECOND_NS / 2)

enum { PAUSE_MOST_S = 32 };

static struct feel_slot *slot_of(const struct feel_crew *crew, int probe)
{
	return crew->setup->board->slot[probe];
}

/* --- Starting --- */

/* The reader of the report must see its end when the reporter has died, whatever hangs here. */
static void leave_terminal(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd < 2; fd++)
		dup2(null, fd);
}

static void start(struct feel_crew *crew, int probe, int64_t now_ns)
{
	struct feel_member *m = &crew->member[probe];
	int self = getpid();
	char name[16];

	feel_slot_reset(slot_of(crew, probe));
	m->state = FEEL_STARTING;
	m->pid = fork();
	if (m->pid == 0) {
		snprintf(name, sizeof(name), "feel-%s", feel_probe_name((enum feel_probe)probe));
		feel_process_begin(self, name);
		leave_terminal();
		_exit(feel_probe_run((enum feel_probe)probe, crew->setup));
	}
	if (m->pid < 0) {
		feel_slot_reason(slot_of(crew, probe), "fork: %s", strerror(errno));
		m->pid = 0;
		m->restart_ns = now_ns;
	}
}

void feel_crew_start(struct feel_crew *crew, const struct feel_setup *setup, int64_t now_ns)
{
	memset(crew, 0, sizeof(*crew));
	crew->setup = setup;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (int i = 0; i < FEEL_PROBES; i++)
		start(crew, i, now_ns);
}

/* --- Watching --- */

static void tell_end(const struct feel_slot *slot, int status, struct feel_event *event)
{
	event->state = FEEL_GONE;
	if (WIFSIGNALED(status)) {
		snprintf(event->reason, sizeof(event->reason), "killed by signal %d%s",
			WTERMSIG(status), WTERMSIG(status) == SIGKILL ? " (OOM killer?)" : "");
		return;
	}
	if (WEXITSTATUS(status) == FEEL_EXIT_ABSENT)
		event->state = FEEL_ABSENT;
	snprintf(event->reason, sizeof(event->reason), "%.*s", (int)sizeof(slot->reason) - 1,
		slot->reason);
}

static void lose(struct feel_crew *crew, int probe, int64_t now_ns, enum feel_state state)
{
	struct feel_member *m = &crew->member[probe];

	feel_slot_abandon(slot_of(crew, probe), now_ns);
	m->pid = 0;
	m->state = state;
	m->pause_s = m->pause_s ? 2 * m->pause_s : 1;
	if (m->pause_s > PAUSE_MOST_S)
		m->pause_s = PAUSE_MOST_S;
	m->restart_ns = now_ns + m->pause_s * SECOND_NS;
}

/* The end of a probe; of others (the one who echoes) nothing is to be told. */
static bool reap(struct feel_crew *crew, int64_t now_ns, struct feel_event *event)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (int i = 0; i < FEEL_PROBES; i++)
			if (crew->member[i].pid == pid) {
				event->probe = (enum feel_probe)i;
				event->pid = pid;
				tell_end(slot_of(crew, i), status, event);
				lose(crew, i, now_ns, event->state);
				return true;
			}
	return false;
}

/* What is ready and was not told; not locked is a reason too. */
static bool ready(struct feel_crew *crew, int probe, struct feel_event *event)
{
	struct feel_member *m = &crew->member[probe];
	const struct feel_slot *slot = slot_of(crew, probe);

	if (m->state != FEEL_STARTING || atomic_load(&slot->state) != FEEL_READY)
		return false;
	m->state = FEEL_READY;
	*event = (struct feel_event){ .probe = (enum feel_probe)probe, .state = FEEL_READY,
		.pid = m->pid };
	snprintf(event->reason, sizeof(event->reason), "%.*s", (int)sizeof(slot->reason) - 1,
		slot->reason);
	return true;
}

bool feel_crew_event(struct feel_crew *crew, int64_t now_ns, struct feel_event *event)
{
	for (int i = 0; i < FEEL_PROBES; i++)
		if (ready(crew, i, event))
			return true;
	if (reap(crew, now_ns, event))
		return true;
	for (int i = 0; i < FEEL_PROBES; i++) {
		struct feel_member *m = &crew->member[i];

		if (!m->pid && m->state != FEEL_ABSENT && now_ns >= m->restart_ns) {
			start(crew, i, now_ns);
			if (!m->pid)
				lose(crew, i, now_ns, FEEL_GONE);
		}
	}
	return false;
}

bool feel_crew_starting(const struct feel_crew *crew)
{
	for (int i = 0; i < FEEL_PROBES; i++)
		if (crew->member[i].pid && crew->member[i].state == FEEL_STARTING)
			return true;
	return false;
}

/* The kernel reads both files from counters, without the lock of the address space (fs/proc/array.c,
 * fs/proc/task_mmu.c task_mem): a process that hangs in a fault does not hold up the reader. */
static bool add_memory(pid_t pid, int64_t *majflt, int64_t *swap_kib)
{
	char path[32], text[4096];
	long long faults = -1, swap;
	const char *fields;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (file_read_at(AT_FDCWD, path, text, sizeof(text)) < 0)
		return false;
	fields = strrchr(text, ')');
	if (!fields || sscanf(fields, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %lld", &faults) != 1)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (file_read_at(AT_FDCWD, path, text, sizeof(text)) < 0)
		return false;
	swap = feel_plan_kib(text, "VmSwap");
	if (swap < 0)
		return false;
	*majflt += faults;
	*swap_kib += swap;
	return true;
}

bool feel_crew_memory(const struct feel_crew *crew, enum feel_probe probe, int64_t *majflt,
	int64_t *swap_kib)
{
	int helper = atomic_load(&slot_of(crew, probe)->helper);

	*majflt = *swap_kib = 0;
	return crew->member[probe].pid &&
		add_memory(crew->member[probe].pid, majflt, swap_kib) &&
		(!helper || add_memory(helper, majflt, swap_kib));
}

/* --- Ending --- */

void feel_crew_end(struct feel_crew *crew)
{
	int64_t end = clock_ns() + END_NS;
	const struct timespec moment = { .tv_nsec = 20000000 };
	sigset_t child;
	pid_t pid;

	for (int i = 0; i < FEEL_PROBES; i++)
		if (crew->member[i].pid)
			kill(crew->member[i].pid, SIGKILL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	/* The one who echoes dies of its parent's end and then is this process's child. */
	while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0 && clock_ns() < end)
		if (pid == 0)
			sigtimedwait(&child, NULL, &moment);
}
