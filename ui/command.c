/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/options.h"
#include "src/text.h"
#include "ui/chrome.h"
#include "ui/key.h"
#include "ui/page.h"

enum { NS_PER_S = 1000000000, THEMES_MAX = 64 };

static const struct command_info commands[COMMAND_COUNT] = {
#define COMMAND(symbol, name_, args_, keys_, line_, help_) \
	[COMMAND_##symbol] = { .name = name_, .args = args_, .keys = keys_, .line = line_, \
			       .help = help_ },
#include "ui/commands.def"
#undef COMMAND
};

/* Widths of the time axis, seconds. */
static const int64_t windows[] = { 5, 15, 30, 60, 120, 300, 900, 3600, 21600, 86400, 604800 };

/* Intervals that faster and slower step through, ms. */
static const int64_t intervals[] = { 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000 };

struct call {
	struct ui *ui;
	const char *arg;	/* without blanks around it */
	char *err;
	size_t errsize;
};

const struct command_info *command_info(enum command_id id)
{
	return &commands[id];
}

static int usage(struct call *call, enum command_id id)
{
	snprintf(call->err, call->errsize, "%s: '%s' is not what it takes: %s %s", commands[id].name,
		 call->arg, commands[id].name, commands[id].args);
	return -EINVAL;
}

static void answer(struct ui *ui, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void answer(struct ui *ui, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ui->view.message, sizeof(ui->view.message), fmt, ap);
	va_end(ap);
	ui->view.message_role = ROLE_MESSAGE;
}

/* "", "on" and "off" to the other, true and false. */
static int run_switch(struct call *call, enum command_id id, bool *value)
{
	if (!*call->arg)
		*value = !*value;
	else if (strcmp(call->arg, "on") == 0)
		*value = true;
	else if (strcmp(call->arg, "off") == 0)
		*value = false;
	else
		return usage(call, id);
	return 0;
}

static bool parse_long(const char *s, long *value)
{
	char *end;

	errno = 0;
	*value = strtol(s, &end, 10);
	return end != s && !*end && !errno;
}

static int run_panel(struct call *call)
{
	struct view *v = &call->ui->view;
	int n = (int)page_get(v->page)->npanels;
	long number;

	if (strcmp(call->arg, "next") == 0)
		v->focus = (v->focus + 1) % n;
	else if (strcmp(call->arg, "prev") == 0)
		v->focus = (v->focus + n - 1) % n;
	else if (parse_long(call->arg, &number) && number >= 1 && number <= n)
		v->focus = (int)number - 1;
	else
		return usage(call, COMMAND_PANEL);
	v->scroll = 0;
	return 0;
}

static int run_page(struct call *call)
{
	struct view *v = &call->ui->view;
	long number;
	int index;
	size_t n = 0;

	if (!parse_long(call->arg, &number))
		return usage(call, COMMAND_PAGE);
	index = page_find((int)number);
	if (index < 0) {
		n = (size_t)snprintf(call->err, call->errsize, "no page %ld; there are", number);
		for (size_t i = 0; i < page_count() && n < call->errsize; i++)
			n += (size_t)snprintf(call->err + n, call->errsize - n, "%s %d %s",
					      i ? "," : "", page_get((int)i)->number,
					      page_get((int)i)->name);
		return -EINVAL;
	}
	if (index != v->page) {
		v->page = index;
		v->focus = v->scroll = 0;
		v->maximised = false;
	}
	return 0;
}

static void freeze(struct view *v)
{
	if (v->frozen)
		return;
	v->end_ns = v->cursor_ns = history_last_ns(v->session->history);
	v->frozen = true;
}

static int run_freeze(struct call *call)
{
	struct view *v = &call->ui->view;
	bool on = v->frozen;
	int error = run_switch(call, COMMAND_FREEZE, &on);

	if (error)
		return error;
	if (on)
		freeze(v);
	else
		v->frozen = false;
	return 0;
}

/* Moves the cursor; the picture follows so that the cursor stays on it. */
static int run_cursor(struct call *call)
{
	struct view *v = &call->ui->view;
	const struct history *h = v->session->history;
	int64_t step = v->window_ns / page_chart_width(v, call->ui->cols, call->ui->rows);
	long steps;

	freeze(v);
	if (strcmp(call->arg, "first") == 0)
		v->cursor_ns = history_first_ns(h);
	else if (strcmp(call->arg, "last") == 0)
		v->cursor_ns = history_last_ns(h);
	else if (parse_long(call->arg, &steps) && labs(steps) <= 100000)
		v->cursor_ns += steps * step;
	else
		return usage(call, COMMAND_CURSOR);
	if (v->cursor_ns < history_first_ns(h))
		v->cursor_ns = history_first_ns(h);
	if (v->cursor_ns > history_last_ns(h))
		v->cursor_ns = history_last_ns(h);
	if (v->cursor_ns > v->end_ns)
		v->end_ns = v->cursor_ns;
	if (v->cursor_ns < v->end_ns - v->window_ns + step)
		v->end_ns = v->cursor_ns + v->window_ns - step;
	return 0;
}

static int run_zoom(struct call *call)
{
	struct view *v = &call->ui->view;
	size_t n = sizeof(windows) / sizeof(*windows), i;
	int64_t ns;
	char text[24];

	if (strcmp(call->arg, "in") == 0) {
		for (i = n; i > 1 && windows[i - 1] * NS_PER_S >= v->window_ns; i--)
			;
		ns = windows[i - 1] * NS_PER_S;
	} else if (strcmp(call->arg, "out") == 0) {
		for (i = 0; i < n - 1 && windows[i] * NS_PER_S <= v->window_ns; i++)
			;
		ns = windows[i] * NS_PER_S;
	} else if (options_parse_seconds(call->arg, NS_PER_S, windows[n - 1] * NS_PER_S, &ns)) {
		snprintf(call->err, call->errsize, "zoom: '%s' is not 'in', 'out' or 1 to %lld seconds",
			 call->arg, (long long)windows[n - 1]);
		return -EINVAL;
	}
	/* The moment being read stays where it is on the picture as far as it can. */
	if (v->frozen) {
		int64_t behind = v->end_ns - v->cursor_ns;

		v->end_ns = v->cursor_ns + (int64_t)((double)behind * (double)ns / (double)v->window_ns);
	}
	v->window_ns = ns;
	answer(call->ui, "showing %s", text_duration(ns, text, sizeof(text)));
	return 0;
}

static void set_prompt(struct ui *ui, enum command_id id, const char *label)
{
	ui->view.prompting = true;
	ui->view.prompt_text[0] = '\0';
	text_copy(ui->view.prompt_label, sizeof(ui->view.prompt_label), label);
	ui->prompt_for = id;
	ui->prompt_ns = view_read_ns(&ui->view);
}

/* Typing its text takes a while: the mark stands where it was asked for. */
static void mark(struct ui *ui, int64_t t_ns, const char *text)
{
	session_mark(ui->session, t_ns, *text ? text : "mark");
	answer(ui, "mark %u%s%s", ui->session->events.last_number, *text ? ": " : "", text);
}

static int run_mark(struct call *call)
{
	if (strcmp(call->arg, "?") == 0)
		set_prompt(call->ui, COMMAND_MARK, "mark:");
	else
		mark(call->ui, view_read_ns(&call->ui->view), call->arg);
	return 0;
}

static int run_interval(struct call *call)
{
	struct ui *ui = call->ui;
	int64_t now = ui->session->interval_ns, ns = now;
	size_t n = sizeof(intervals) / sizeof(*intervals), i;
	char text[24];

	if (strcmp(call->arg, "?") == 0) {
		set_prompt(ui, COMMAND_INTERVAL, "interval, seconds:");
		return 0;
	}
	if (strcmp(call->arg, "faster") == 0) {
		for (i = n; i > 1 && intervals[i - 1] * 1000000 >= now; i--)
			;
		ns = intervals[i - 1] * 1000000;
	} else if (strcmp(call->arg, "slower") == 0) {
		for (i = 0; i < n - 1 && intervals[i] * 1000000 <= now; i++)
			;
		ns = intervals[i] * 1000000;
	} else if (options_parse_seconds(call->arg, INTERVAL_MIN_NS, INTERVAL_MAX_NS, &ns)) {
		snprintf(call->err, call->errsize,
			 "interval: '%s' is not a number of seconds from 0.02 to 3600", call->arg);
		return -EINVAL;
	}
	ui->interval_request_ns = ns;
	answer(ui, "sampling every %s", text_duration(ns, text, sizeof(text)));
	return 0;
}

static void keep_complaint(void *arg, const char *message)
{
	struct call *call = arg;

	if (!*call->err)
		text_copy(call->err, call->errsize, message);
}

/* Buffers that the key steps through, ms. */
static const int buffers[] = { 20, 100, 200, 500, 1000, 2000 };

/* What turns something over or on depends on how it is now. The rest the probe judges itself. */
static bool playback_line(const struct playback *p, const char *arg, char *line, size_t size)
{
	const struct playback_sink *s = playback_headline(p);
	size_t i = 0;
	long by;

	if (strcmp(arg, "lock") == 0)
		snprintf(line, size, "lock %s", p->self.locked ? "off" : "on");
	else if (strcmp(arg, "pause") == 0)
		snprintf(line, size, "pause %s", p->paused ? "off" : "on");
	else if (strncmp(arg, "nice", 4) == 0 && (arg[4] == '+' || arg[4] == '-') &&
		 parse_long(arg + 4, &by)) {
		by += p->self.nice;
		snprintf(line, size, "nice %ld", by < -20 ? -20 : by > 19 ? 19 : by);
	} else if (strcmp(arg, "buffer") == 0) {
		while (s && i < sizeof(buffers) / sizeof(*buffers) &&
		       buffers[i] * 1000000LL <= s->buffer_ns)
			i++;
		snprintf(line, size, "buffer %d", buffers[i % (sizeof(buffers) / sizeof(*buffers))]);
	} else {
		snprintf(line, size, "%s", arg);
	}
	return *line;
}

static int run_playback(struct call *call)
{
	struct ui *ui = call->ui;

	if (!playback_line(&ui->session->playback, call->arg, ui->playback_line,
			   sizeof(ui->playback_line)))
		return usage(call, COMMAND_PLAYBACK);
	return 0;
}

static int run_theme(struct call *call)
{
	struct ui *ui = call->ui;
	char names[THEMES_MAX][32];
	const char *name = call->arg;
	struct theme theme;
	int error;

	if (!*name) {
		size_t n = theme_list(names, THEMES_MAX), i;

		if (!n) {
			snprintf(call->err, call->errsize, "theme: no theme files found");
			return -EINVAL;
		}
		for (i = 0; i < n && strcmp(names[i], ui->view.theme); i++)
			;
		name = names[i < n ? (i + 1) % n : 0];
	}
	error = theme_load(&theme, name, keep_complaint, call);
	if (error)
		return -EINVAL;
	ui->theme = theme;
	text_copy(ui->view.theme, sizeof(ui->view.theme), theme.name);
	ui->theme_changed = true;
	answer(ui, "theme %s%s%s", theme.name, *call->err ? ": " : "", call->err);
	call->err[0] = '\0';
	return 0;
}

/* What is scrolled: the help, or the focused panel, which may end at its bottom. */
static int run_scroll(struct call *call)
{
	struct view *v = &call->ui->view;
	const struct panel *p = page_get(v->page)->panels[v->focus];
	int most = v->help ? chrome_help_lines() : p->lines ? p->lines(v) : 0;
	long lines, scroll;

	if (!parse_long(call->arg, &lines) || labs(lines) > 100000)
		return usage(call, COMMAND_SCROLL);
	scroll = v->scroll + (!v->help && p->from_end ? -lines : lines);
	if (scroll > most - 1)
		scroll = most - 1;
	v->scroll = scroll < 0 ? 0 : (int)scroll;
	return 0;
}

static int run_close(struct call *call)
{
	struct view *v = &call->ui->view;

	if (v->help) {
		v->help = false;
		v->scroll = 0;
	} else if (v->maximised) {
		v->maximised = false;
	} else {
		v->frozen = false;
	}
	return 0;
}

static int run_dump(struct call *call)
{
	if (!*call->arg)
		return usage(call, COMMAND_DUMP);
	if (!text_copy(call->ui->dump_path, sizeof(call->ui->dump_path), call->arg)) {
		snprintf(call->err, call->errsize, "dump: the file name is too long");
		return -EINVAL;
	}
	return 0;
}

static int run_wait(struct call *call)
{
	struct ui *ui = call->ui;
	long n;

	if (strcmp(call->arg, "end") == 0) {
		ui->wait_end = true;
	} else if (strncmp(call->arg, "samples ", 8) == 0 && parse_long(call->arg + 8, &n) && n > 0 &&
		   n <= 1000000) {
		ui->wait_samples = (uint64_t)n;
	} else if (options_parse_seconds(call->arg, 0, 86400LL * NS_PER_S, &ui->wait_ns)) {
		ui->wait_ns = 0;
		return usage(call, COMMAND_WAIT);
	}
	return 0;
}

static int run_command_prompt(struct call *call)
{
	set_prompt(call->ui, COMMAND_COMMAND, ":");
	return 0;
}

static int run_id(struct call *call, enum command_id id)
{
	struct view *v = &call->ui->view;

	switch (id) {
	case COMMAND_HELP:
		v->help = !v->help;
		v->scroll = 0;
		return 0;
	case COMMAND_PANEL: return run_panel(call);
	case COMMAND_PAGE: return run_page(call);
	case COMMAND_FREEZE: return run_freeze(call);
	case COMMAND_CURSOR: return run_cursor(call);
	case COMMAND_ZOOM: return run_zoom(call);
	case COMMAND_MARK: return run_mark(call);
	case COMMAND_MAXIMISE: return run_switch(call, id, &v->maximised);
	case COMMAND_LOG: return run_switch(call, id, &v->log);
	case COMMAND_INTERVAL: return run_interval(call);
	case COMMAND_THEME: return run_theme(call);
	case COMMAND_PLAYBACK: return run_playback(call);
	case COMMAND_SCROLL: return run_scroll(call);
	case COMMAND_CLOSE: return run_close(call);
	case COMMAND_REPAINT:
		call->ui->repaint = true;
		return 0;
	case COMMAND_SUSPEND:
		call->ui->suspend = true;
		return 0;
	case COMMAND_COMMAND: return run_command_prompt(call);
	case COMMAND_DUMP: return run_dump(call);
	case COMMAND_WAIT: return run_wait(call);
	case COMMAND_QUIT:
		if (v->help)
			return run_close(call);
		call->ui->quit = true;
		return 0;
	case COMMAND_COUNT:
		break;
	}
	return -EINVAL;
}

static void trim(char *text)
{
	for (size_t end = strlen(text); end && text[end - 1] == ' '; end--)
		text[end - 1] = '\0';
}

int command_run(struct ui *ui, const char *line, char *err, size_t errsize)
{
	char word[32], arg[256];
	size_t len;
	struct call call = { .ui = ui, .arg = arg, .err = err, .errsize = errsize };

	*err = '\0';
	line += strspn(line, " \t");
	len = strcspn(line, " \t");
	text_safe(word, sizeof(word), line, len);
	line += len;
	line += strspn(line, " \t");
	text_safe(arg, sizeof(arg), line, strlen(line));
	trim(arg);
	ui->view.message[0] = '\0';
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (len < sizeof(word) && strcmp(commands[i].name, word) == 0)
			return run_id(&call, (enum command_id)i);
	snprintf(err, errsize, "no command '%s'; ? lists them", word);
	return -EINVAL;
}

static void run_and_answer(struct ui *ui, const char *line)
{
	char err[160];

	if (command_run(ui, line, err, sizeof(err)) && *err) {
		text_copy(ui->view.message, sizeof(ui->view.message), err);
		ui->view.message_role = ROLE_WARN;
	}
}

static void prompt_done(struct ui *ui)
{
	char line[160];
	enum command_id id = ui->prompt_for;

	ui->view.prompting = false;
	trim(ui->view.prompt_text);
	if (id == COMMAND_MARK) {
		mark(ui, ui->prompt_ns, ui->view.prompt_text);
	} else if (*ui->view.prompt_text) {
		snprintf(line, sizeof(line), "%s %s", id == COMMAND_COMMAND ? "" : commands[id].name,
			 ui->view.prompt_text);
		run_and_answer(ui, line);
	}
}

static void prompt_key(struct ui *ui, uint32_t key)
{
	char *text = ui->view.prompt_text;
	size_t n = strlen(text);

	if (key == KEYCODE_ENTER) {
		prompt_done(ui);
	} else if (key == KEYCODE_ESC) {
		ui->view.prompting = false;
	} else if (key == KEYCODE_BACKSPACE || key == 8) {
		while (n && ((unsigned char)text[n - 1] & 0xc0) == 0x80)
			n--;
		text[n ? n - 1 : 0] = '\0';
	} else if (key < KEYCODE_BASE && text_width(key) >= 0 && n + 5 < sizeof(ui->view.prompt_text)) {
		n += text_encode(key, text + n);
		text[n] = '\0';
	}
}

/* The command line bound to a key; false when there is none. */
static bool bound(uint32_t key, char *line, size_t size)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		const char *p = commands[i].keys;

		while (*p) {
			size_t len = strcspn(p, " ");
			const char *is = len > 1 ? memchr(p + 1, '=', len - 1) : NULL;
			char name[16];

			snprintf(name, sizeof(name), "%.*s", (int)(is ? (size_t)(is - p) : len), p);
			if (key_parse(name) == key) {
				snprintf(line, size, "%s %.*s", commands[i].name,
					 is ? (int)(p + len - is - 1) : 0, is ? is + 1 : "");
				return true;
			}
			p += len;
			p += strspn(p, " ");
		}
	}
	return false;
}

void command_key(struct ui *ui, uint32_t key)
{
	char line[64];

	if (key == KEYCODE_NONE)
		return;
	if (ui->view.prompting) {
		prompt_key(ui, key);
		return;
	}
	ui->view.message[0] = '\0';
	if (bound(key, line, sizeof(line)))
		run_and_answer(ui, line);
}
