/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the command line, starts the threads and the workload, and takes away all that was made. */
#include "src/app.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "src/clock.h"
#include "src/supervisor.h"
#include "src/text.h"
#include "src/xalloc.h"
#include "ui/page.h"

enum {
	NS_PER_S = 1000000000,
	RING_SLOTS = 512,		/* of the sampler: over 8 minutes at 1 s */
	RING_SLOTS_SLOW = 16,
	GRACE_MS = 2000,		/* between TERM and KILL for the workload */
	DEMO_SECONDS = 10, DEMO_COLS = 100, DEMO_ROWS = 30,
	DEMO_WINDOW_SECONDS = 15,	/* of the picture it leaves */
};

/* ---- Start ---- */

static void signals_block(struct app *app)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGCONT);
	sigaddset(&set, SIGWINCH);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	app->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* What a killed vmtop left behind is taken away before anything new is made. */
static void clean_up_stale(void)
{
	if (geteuid() != 0)
		return;
	demoswap_remove_stale();
	cgroup_remove_stale("");
}

/* What the demo had to leave out stands in the key line at first, in the events, and at the end. */
static void tell_notice(struct app *app)
{
	struct view *v = &app->ui.view;

	if (!*app->demo.notice)
		return;
	text_copy(v->message, sizeof(v->message), app->demo.notice);
	v->message_role = ROLE_WARN;
	app->message_ns = clock_ns();
	events_add(&app->session.events, clock_ns(), EVENT_SOURCE, "%s", app->demo.notice);
}

/* The cgroup and the load; false with a message when --memory cannot be had. */
static bool start_subject(struct app *app)
{
	char err[200];

	if (app->options.mode == MODE_DEMO) {
		demo_prepare(&app->demo);
		app->cgroup = app->demo.cgroup;
		app->options.command = app->demo.argv;
		tell_notice(app);
	} else if (app->options.memory) {
		app->cgroup = cgroup_new("", app->options.memory, err, sizeof(err));
		if (!app->cgroup) {
			complain("--memory: %s", err);
			return false;
		}
	}
	return true;
}

/* Before the screen comes; there the first of them stands again. */
static void complain_theme(void *arg, const char *message)
{
	struct app *app = arg;
	struct view *v = &app->ui.view;

	complain("%s", message);
	if (*v->message)
		return;
	text_copy(v->message, sizeof(v->message), message);
	v->message_role = ROLE_WARN;
	app->message_ns = clock_ns();
}

static void start_theme(struct app *app)
{
	const char *name = app->options.theme ? app->options.theme : "dark";

	if (theme_load(&app->ui.theme, name, complain_theme, app))
		theme_builtin(&app->ui.theme);
	text_copy(app->ui.view.theme, sizeof(app->ui.view.theme), app->ui.theme.name);
}

static bool start_screen(struct app *app)
{
	enum glyphs glyphs = GLYPHS_BRAILLE;
	char err[200];

	if (!app->options.dump) {
		if (!isatty(STDOUT_FILENO)) {
			complain("standard output is no terminal; without one: vmtop --dump FILE");
			return false;
		}
		app->term = term_open(err, sizeof(err));
		if (!app->term) {
			complain("%s", err);
			return false;
		}
		if (!term_utf8(app->term))
			glyphs = GLYPHS_ASCII;
		else if (term_linux_console(app->term))
			glyphs = GLYPHS_HALF;
		term_set_theme(app->term, &app->ui.theme);
	}
	app->ui.view.glyphs = app->options.ascii ? GLYPHS_ASCII : glyphs;
	app_size_canvas(app);
	return true;
}

/* Before the sampler, which notes its ticks there, and before the workload, to see all of it. */
static void start_listening(struct app *app)
{
	const struct listener_config config = { .family = app->options.reclaim_family };
	struct sources *set = &app->sources;

	app->listener = listener_start(&config);
	set->exact = listener_works(app->listener);
	set->fast[set->nfast++] = listener_source(app->listener);
	app->kmsg = kmsg_open("");
}

static bool start_sampling(struct app *app)
{
	struct sample first;
	char err[160];

	if (!*app->options.root)
		start_listening(app);
	if (app->cgroup)
		sources_set_cgroup(&app->sources, app->cgroup);
	/* One slow reading before anything runs: the base of what the reclaim threads will spend. */
	sampler_read(app->sources.slow, app->sources.nslow, &first);
	app_take_slow(app, &first);
	app->ring = ring_new(RING_SLOTS);
	app->ring_slow = ring_new(RING_SLOTS_SLOW);
	app->collector = sampler_start(&(struct sampler_config){
		.sources = app->sources.slow, .nsources = app->sources.nslow,
		.interval_ns = app->options.interval_ns > NS_PER_S ? app->options.interval_ns : NS_PER_S,
		.ring = app->ring_slow }, err, sizeof(err));
	if (app->collector)
		app->sampler = sampler_start(&(struct sampler_config){
			.sources = app->sources.fast, .nsources = app->sources.nfast,
			.interval_ns = app->options.interval_ns, .realtime = true,
			.ring = app->ring }, err, sizeof(err));
	if (!app->sampler) {
		app_leave_screen(app);
		complain("%s", err);
		return false;
	}
	app->session.realtime_error = sampler_realtime_error(app->sampler);
	return true;
}

static bool start_workload(struct app *app)
{
	char dir[4096], err[200];
	struct workload_config config = {
		.argv = app->options.command, .cgroup = app->cgroup,
		.columns = (unsigned short)app->ui.cols, .rows = (unsigned short)app->ui.rows,
		.oom_score_adj = app->session.memlock.oom_score_adj,
	};

	if (!app->options.command)
		return true;
	if (demo_program_dir(dir, sizeof(dir)) == 0)
		config.path_extra = dir;
	app->workload = workload_start(&config, err, sizeof(err));
	if (!app->workload) {
		app_leave_screen(app);
		complain("%s", err);
		return false;
	}
	app->session.workload = app->workload;
	session_update_workload(&app->session);
	task_slot_follow(&app->tasks, app->session.load.supervisor);
	return true;
}

static void start_memlock(struct app *app)
{
	struct session *s = &app->session;
	char text[160];

	memlock_all(&s->memlock);
	if (!s->memlock.locked)
		events_add(&s->events, clock_ns(), EVENT_SOURCE, "vmtop's memory is %s",
			   memlock_text(&s->memlock, text, sizeof(text)));
	if (s->realtime_error > 0)
		events_add(&s->events, clock_ns(), EVENT_SOURCE,
			   "sampler not realtime (%s): run as root for exact ticks",
			   strerror(s->realtime_error));
}

static bool start(struct app *app)
{
	char err[200];

	app->start_ns = clock_ns();
	session_init(&app->session, app->options.root);
	app->ui.session = &app->session;
	view_init(&app->ui.view, &app->session, GLYPHS_BRAILLE);
	app->session.interval_ns = app->options.interval_ns;
	if (app->options.mode == MODE_DEMO && app->options.dump)
		app->ui.view.window_ns = DEMO_WINDOW_SECONDS * (int64_t)NS_PER_S;
	task_slot_init(&app->tasks);
	if (sources_open(&app->sources, app->options.root, &app->tasks, err, sizeof(err))) {
		complain("%s", err);
		return false;
	}
	clean_up_stale();
	if (!start_subject(app))
		return false;
	start_theme(app);
	if (!start_screen(app) || !start_sampling(app))
		return false;
	start_memlock(app);
	app_start_beside(app);
	return start_workload(app);
}

/* ---- End ---- */

/* Ends the workload, and takes a last reading so that its accounting is whole. */
static void finish_workload(struct app *app)
{
	struct sample last;

	if (app->collector)
		sampler_stop(app->collector);
	app->collector = NULL;
	if (!app->workload)
		return;
	workload_end(app->workload, GRACE_MS);
	sampler_read(app->sources.slow, app->sources.nslow, &last);
	app_take_slow(app, &last);
	session_update_workload(&app->session);
}

/* What the tests of old judged a kernel by. */
static void print_reclaim(struct app *app)
{
	const struct sample *last = &app->session.last;
	char why[160];

	if (!app->session.have_last)
		return;
	why_text((enum why)last->source_why[SOURCE_RECLAIM], M_reclaim_tasks, why, sizeof(why));
	reclaim_print_summary(&app->session.reclaim, why, STDOUT_FILENO);
}

static void print_summary(struct app *app)
{
	int64_t reclaim_ns;
	const char *why;

	if (!app->workload)
		return;
	session_reclaim_cpu(&app->session, &reclaim_ns, &why);
	if (*app->demo.notice)
		printf("demo: %s\n", app->demo.notice);
	fflush(stdout);
	workload_print_summary(&app->session.load, reclaim_ns, why, STDOUT_FILENO);
	print_reclaim(app);
	playback_print_summary(&app->session.playback, STDOUT_FILENO);
	feel_print_summary(&app->session.feel, STDOUT_FILENO);
}

static int exit_status(const struct app *app, bool started)
{
	if (!started || app->failed)
		return 1;
	if (app->workload && app->options.mode != MODE_DEMO)
		return app->session.load.exit_status;
	return app->end_signal && app->end_signal != SIGHUP ? 128 + app->end_signal : 0;
}

/* Everything made is taken away again, in reverse order, whatever start() got to. */
static void finish(struct app *app, bool started)
{
	if (started && app->options.dump) {
		app_take_samples(app);
		app_dump(app, app->options.dump);
	}
	finish_workload(app);
	app_end_beside(app);
	if (app->sampler)
		sampler_stop(app->sampler);
	if (app->listener)
		listener_report(app->listener, &app->session.reclaim);
	app_leave_screen(app);
	print_summary(app);
}

static void take_away(struct app *app)
{
	if (app->workload)
		workload_free(app->workload);
	if (app->cgroup && cgroup_remove(app->cgroup))
		complain("the memory cgroup could not be removed; the next start tries again");
	if (app->demo.swap && demoswap_remove(app->demo.swap))
		complain("the demo's swap could not be taken away; the next start tries again");
	script_close(&app->script);
	sources_close(&app->sources);
	app_free_beside(app);
	listener_stop(app->listener);
	kmsg_close(app->kmsg);
	ring_free(app->ring);
	ring_free(app->ring_slow);
	if (app->session.history)
		session_done(&app->session);
	task_slot_done(&app->tasks);
	canvas_done(&app->canvas);
}

static void demo_without_terminal(struct options *o)
{
	if (o->mode != MODE_DEMO || o->dump || isatty(STDOUT_FILENO))
		return;
	o->dump = "-";
	o->cols = DEMO_COLS;
	o->rows = DEMO_ROWS;
	if (!o->duration_ns)
		o->duration_ns = DEMO_SECONDS * (int64_t)NS_PER_S;
}

/* Numbers always with a point; a UTF-8 locale that is not installed is one of UTF-8 all the same. */
static void set_locale(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *name = NULL;

	if (!setlocale(LC_ALL, "")) {
		for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !(name && *name); i++)
			name = getenv(names[i]);
		if (name && (strcasestr(name, "utf-8") || strcasestr(name, "utf8")))
			setlocale(LC_CTYPE, "C.UTF-8");
	}
	setlocale(LC_NUMERIC, "C");
}

static int print_help(const struct options *o)
{
	if (o->mode == MODE_HELP)
		options_help(stdout);
	else
		puts(PACKAGE_STRING);
	if (!fflush(stdout))
		return 0;
	complain("standard output: %s", strerror(errno));
	return 1;
}

static bool open_script(struct app *app)
{
	char err[300];

	if (!app->options.script)
		return true;
	if (script_open(&app->script, app->options.script, err, sizeof(err))) {
		complain("%s", err);
		return false;
	}
	app->have_script = true;
	return true;
}

/*
 * A standard descriptor that is closed would become one of our own files, and what is printed go
 * there. It becomes one that can be neither read nor written.
 */
static void fill_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_PATH);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	static struct app app;	/* too large for a stack; the only one */
	char err[200];
	bool started;
	int status;

	supervisor_main(argc, argv);
	fill_standard_files();
	set_locale();
	tzset();	/* reads /etc/localtime now and not in the middle of a swap storm */
	if (options_parse(&app.options, argc, argv, err, sizeof(err))) {
		complain("%s", err);
		return 2;
	}
	if (app.options.mode == MODE_HELP || app.options.mode == MODE_VERSION)
		return print_help(&app.options);
	memlock_prepare();
	demo_without_terminal(&app.options);
	/* Before the signals are blocked: a script may be a pipe that nobody writes to. */
	if (!open_script(&app))
		return 1;
	signals_block(&app);
	started = start(&app);
	if (started)
		app_loop(&app);
	finish(&app, started);
	status = exit_status(&app, started);
	take_away(&app);
	return status;
}
