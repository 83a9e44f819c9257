/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that is known of a run, whatever feeds it: the machine, the past, the events, the workload.
 * The main thread owns it; pages read it.
 */
#ifndef VMTOP_SESSION_H
#define VMTOP_SESSION_H

#include "src/derive.h"
#include "src/event.h"
#include "src/feel.h"
#include "src/history.h"
#include "src/memlock.h"
#include "src/oom.h"
#include "src/playback.h"
#include "src/reclaim.h"
#include "src/tasks.h"
#include "src/workload.h"

struct machine {
	char host[65];
	char release[65];
	int cpus;			/* online now; 0: not known */
	struct derive_env env;
};

/*
 * What the workload has used so far: those that have ended, by wait4, and those that live, by the
 * collector's latest look. It does not count what happened since, and never goes back.
 */
struct live_usage {
	bool known;			/* there has been a look, or all have ended */
	struct workload_usage usage;
	size_t running;			/* processes, at the look */
};

struct session {
	struct machine machine;
	char root[256];			/* "" for this machine, else the tree given with --root */
	struct history *history;
	struct events events;
	struct oom_tally oom;		/* victims told against the kernel's counter */
	bool ask_root_for_names;	/* none told yet, not root, and this machine */
	struct row now;			/* of the latest sample */
	struct sample last;		/* the latest sample, slow sources merged in */
	struct sample prev;		/* of each source the reading before its latest one */
	struct sample slow;		/* the collector's latest */
	bool have_last, have_slow;
	int64_t start_ns;		/* CLOCK_MONOTONIC of the first sample */
	int64_t interval_ns;		/* asked for now */
	uint64_t samples, missed, dropped;
	int64_t max_late_ns;
	struct memlock_status memlock;
	int realtime_error;		/* of the sampler: see sampler_realtime_error */
	struct task_list tasks;
	struct reclaim_report reclaim;	/* since the start; t_ns 0: none */
	struct playback playback;
	char playback_complaint[160];	/* the last it said that is no line of its protocol */
	int64_t underrun_event_ns;	/* of the last one that became an event */
	unsigned int underruns_untold;	/* since */
	struct feel feel;
	char feel_complaint[160];
	struct workload *workload;	/* NULL: none; not owned */
	struct workload_status load;	/* snapshot of it */
	struct workload_usage ended;	/* its usage at the look before */
	struct live_usage live;
	uint64_t reclaim_cpu_start_ns;	/* of the kernel's reclaim threads when the workload began */
	bool have_reclaim_start;
};

/* machine is filled from uname and sysconf; root as above. Dies when out of memory. */
void session_init(struct session *s, const char *root);
void session_done(struct session *s);

/* A sample of the FAST sources: derives the row, stores it, finds the events in it. */
void session_add(struct session *s, const struct sample *fast);

/* A sample of the SLOW sources: kept, and merged into the next fast one. */
void session_add_slow(struct session *s, const struct sample *slow);

/* Takes the latest look at the tasks; a new one is counted into the workload's live usage. */
void session_take_tasks(struct session *s, struct task_slot *slot);

/* The number of CPUs online; a change becomes an event. */
void session_set_cpus(struct session *s, int cpus);

/*
 * A victim of the OOM killer becomes an event at its time. Kills that the kernel counts and of which
 * no victim tells in 2 s become one without names; session_settle does not wait for them: call it
 * before the events are told for the last time.
 */
void session_oom_victim(struct session *s, const struct oom_victim *v);
void session_settle(struct session *s);

/*
 * A line of the playback probe: into session.playback, and what is news becomes an event. Returns what
 * it was. session_playback_down: it has died, or cannot be started; how in words.
 */
enum playback_news session_playback_line(struct session *s, const char *text, size_t length);
void session_playback_down(struct session *s, const char *how);

/* The same of vmtop-feel. */
void session_feel_line(struct session *s, const char *text, size_t length);
void session_feel_down(struct session *s, const char *how);

/* A mark of the user's at the time of the latest sample, or at t_ns when not 0. */
void session_mark(struct session *s, int64_t t_ns, const char *text);

/*
 * Takes the workload's status anew; start and end become events. The slow sample current at the
 * start is the base of session_reclaim_cpu: add a fresh one just before.
 */
void session_update_workload(struct session *s);

/*
 * CPU time that kswapd, kcompactd and khugepaged spent since the workload began, ns. False and a
 * reason when it is not known.
 */
bool session_reclaim_cpu(const struct session *s, int64_t *ns, const char **why);

#endif
