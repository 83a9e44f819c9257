/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program: what main.c starts and ends, and app_loop.c drives meanwhile. These files alone see
 * model, probes and screen.
 */
#ifndef VMTOP_APP_H
#define VMTOP_APP_H

#include "probes/kmsg.h"
#include "probes/listener.h"
#include "probes/sources.h"
#include "src/demo.h"
#include "src/instrument.h"
#include "src/oom.h"
#include "src/options.h"
#include "src/sampler.h"
#include "src/script.h"
#include "src/session.h"
#include "ui/command.h"
#include "ui/term.h"

struct app;

enum { BESIDE_ARGS = 8 };

/* A program that measures beside vmtop. */
struct beside {
	char *argv[BESIDE_ARGS + 1];
	struct instrument *program;	/* NULL: off */
};

enum beside_id { BESIDE_PLAYBACK, BESIDE_FEEL, BESIDE_COUNT };

struct app {
	struct options options;
	struct session session;
	struct ui ui;
	struct canvas canvas;
	struct term *term;		/* NULL: no terminal, the picture goes into a file */
	struct sources sources;
	struct listener *listener;	/* to reclaim */
	struct kmsg *kmsg;		/* NULL: the kernel's log may not be read */
	struct oom_log ooms;
	struct sample held;		/* waits for its figures of reclaim */
	bool holding;
	struct beside beside[BESIDE_COUNT];
	struct task_slot tasks;
	struct ring *ring, *ring_slow;
	struct sampler *sampler, *collector;
	struct demo demo;
	struct cgroup *cgroup;		/* the workload's */
	struct workload *workload;
	struct script script;
	bool have_script;
	int signal_fd;
	int end_signal;			/* that ended vmtop, or 0 */
	bool failed;			/* a script or a file went wrong: exit status 1 */
	bool done, dirty;
	int64_t start_ns, frame_ns, message_ns, wait_until_ns;
	uint64_t wait_until_samples;
};

/* Takes the screen down: what is said while it is up would go with it. */
void app_leave_screen(struct app *app);

/* Fits the canvas to the terminal, or to what was asked for. */
void app_size_canvas(struct app *app);

/* A reading of the slow sources goes into the session, and the latest look at the tasks. */
void app_take_slow(struct app *app, const struct sample *sample);

/* Takes what the sampler and the listener have ready. */
void app_take_samples(struct app *app);

/* Starts those that are on, before the workload, so that they see all of it. After the memory lock. */
void app_start_beside(struct app *app);

/* Takes their lines, and starts those again that have died when it is time. */
void app_take_beside(struct app *app);

/* Sends the playback probe a line; where there is none, says so. */
void app_tell_playback(struct app *app, const char *line);

/* Ends them and takes their last figures; frees. */
void app_end_beside(struct app *app);
void app_free_beside(struct app *app);

/* Draws the view and writes it as text into a file, "-" for standard output. Says what went wrong. */
void app_dump(struct app *app, const char *path);

/* Until the user, a signal, the duration or the script ends it. */
void app_loop(struct app *app);

#endif
