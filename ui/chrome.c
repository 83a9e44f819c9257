/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/chrome.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "src/text.h"
#include "ui/command.h"
#include "ui/key.h"

enum { NS_PER_S = 1000000000, HELP_WIDE = 100, HELP_KEYS = 27, HELP_NAMES = 34 };

/* A piece of the header; those of the highest rank go first when there is no room. */
struct piece {
	char text[160];
	enum role role;
	int rank;
	bool right;
};

static int pieces_width(const struct piece *p, size_t n)
{
	int w = 0;

	for (size_t i = 0; i < n; i++)
		if (*p[i].text)
			w += text_columns(p[i].text) + 2;
	return w;
}

/* Empties the least important pieces until the rest fits. */
static void pieces_shed(struct piece *p, size_t n, int columns)
{
	for (int rank = 9; rank > 0 && pieces_width(p, n) > columns; rank--)
		for (size_t i = 0; i < n; i++)
			if (p[i].rank == rank)
				p[i].text[0] = '\0';
}

static void piece_machine(const struct view *v, char *buf, size_t size)
{
	const struct machine *m = &v->session->machine;

	if (*v->session->root)
		snprintf(buf, size, "root %.120s", v->session->root);
	else
		snprintf(buf, size, "%s · %s", m->host, m->release);
}

static void piece_sizes(const struct view *v, char *buf, size_t size)
{
	const struct session *s = v->session;
	char memory[16] = "n/a", swap[16] = "n/a", cpus[24] = "";

	if (sample_has(&s->last, M_mem_MemTotal))
		text_bytes((double)s->last.value[M_mem_MemTotal] * 1024, memory, sizeof(memory));
	if (sample_has(&s->last, M_mem_SwapTotal))
		text_bytes((double)s->last.value[M_mem_SwapTotal] * 1024, swap, sizeof(swap));
	if (s->machine.cpus)
		snprintf(cpus, sizeof(cpus), "%d cpu · ", s->machine.cpus);
	snprintf(buf, size, "%s%s · swap %s", cpus, memory, strcmp(swap, "0") == 0 ? "none" : swap);
}

static enum role piece_workload(const struct view *v, char *buf, size_t size)
{
	const struct workload_status *w = &v->session->load;
	char how[128], time[24];
	int64_t end = w->usage.end_ns ? w->usage.end_ns : v->now_ns;

	*buf = '\0';
	if (w->state == WORKLOAD_NONE)
		return ROLE_HEADER;
	text_duration(end - w->usage.start_ns, time, sizeof(time));
	if (w->state == WORKLOAD_RUNNING) {
		snprintf(buf, size, "► %s %s", text_shorten(w->command, 40, how, sizeof(how)), time);
		return ROLE_OK;
	}
	snprintf(buf, size, "■ %.*s: %s", (int)strcspn(w->command, " "), w->command,
		 workload_end_text(w, how, sizeof(how)));
	return w->exit_status ? ROLE_ALARM : ROLE_OK;
}

/* How the sampling goes: interval, lateness, what was missed, and whether vmtop itself is safe. */
static enum role piece_sampling(const struct view *v, char *buf, size_t size)
{
	const struct session *s = v->session;
	int64_t age = v->now_ns - s->now.t_ns;
	char interval[24], late[24];
	size_t n;

	text_duration(s->interval_ns, interval, sizeof(interval));
	if (!s->have_last) {
		snprintf(buf, size, "no sample yet");
		return ROLE_NA;
	}
	if (v->now_ns && age > 2 * s->interval_ns + NS_PER_S / 10) {
		snprintf(buf, size, "no sample for %s", text_duration(age, late, sizeof(late)));
		return ROLE_ALARM;
	}
	n = (size_t)snprintf(buf, size, "%s late %s", interval,
			     text_duration(s->now.late_ns, late, sizeof(late)));
	if (s->missed + s->dropped && n < size) {
		snprintf(buf + n, size - n, " missed %llu",
			 (unsigned long long)(s->missed + s->dropped));
		return ROLE_WARN;
	}
	return ROLE_HEADER;
}

static void piece_frozen(const struct view *v, char *buf, size_t size)
{
	const struct session *s = v->session;
	int64_t real_ns = s->last.real_ns - (s->last.mono_ns - v->cursor_ns);
	time_t seconds = real_ns / NS_PER_S;
	char clock[16], ago[24];
	struct tm tm;

	if (!v->frozen)
		return;
	localtime_r(&seconds, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	snprintf(buf, size, "FROZEN at %s, %s ago", clock,
		 text_duration(history_last_ns(s->history) - v->cursor_ns, ago, sizeof(ago)));
}

void chrome_header(const struct view *v, const struct page *p, struct canvas *c)
{
	struct piece pieces[] = {
		{ .text = "vmtop", .role = ROLE_TITLE },
		{ .role = ROLE_HEADER, .rank = 7 },
		{ .role = ROLE_HEADER, .rank = 6 },
		{ .rank = 2 },
		{ .role = ROLE_WARN, .rank = 3 },
		{ .role = ROLE_CURSOR, .rank = 1, .right = true },
		{ .role = ROLE_HEADER, .rank = 5, .right = true },
		{ .rank = 4, .right = true },
	};
	enum { MACHINE = 1, SIZES, WORKLOAD, UNLOCKED, FROZEN, PAGE, SAMPLING, COUNT };
	int x = 0, right;

	canvas_fill(c, (struct rect){ 0, 0, c->cols, 1 }, ' ', ROLE_HEADER);
	piece_machine(v, pieces[MACHINE].text, sizeof(pieces[0].text));
	piece_sizes(v, pieces[SIZES].text, sizeof(pieces[0].text));
	pieces[WORKLOAD].role = piece_workload(v, pieces[WORKLOAD].text, sizeof(pieces[0].text));
	if (v->session->have_last && !v->session->memlock.locked)
		text_copy(pieces[UNLOCKED].text, sizeof(pieces[0].text), "unlocked");
	piece_frozen(v, pieces[FROZEN].text, sizeof(pieces[0].text));
	snprintf(pieces[PAGE].text, sizeof(pieces[0].text), "%d %s", p->number, p->name);
	pieces[SAMPLING].role = piece_sampling(v, pieces[SAMPLING].text, sizeof(pieces[0].text));
	pieces_shed(pieces, COUNT, c->cols);
	right = c->cols;
	for (size_t i = COUNT; i-- > 0;)
		if (pieces[i].right && *pieces[i].text) {
			right -= text_columns(pieces[i].text) + 1;
			canvas_text(c, right, 0, c->cols - right, pieces[i].role, pieces[i].text);
			right--;
		}
	for (size_t i = 0; i < COUNT; i++)
		if (!pieces[i].right && *pieces[i].text)
			x += canvas_text(c, x, 0, right - x, pieces[i].role, pieces[i].text) + 2;
}

/* The key line: commands in the order of the table, as many as fit. */
static void footer_keys(struct canvas *c, int y, int columns)
{
	int x = 0;

	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		const char *line = command_info((enum command_id)i)->line;
		int w = text_columns(line), key = (int)strcspn(line, " ");

		if (!w)
			continue;
		if (x + w > columns)
			break;
		canvas_text(c, x, y, key, ROLE_KEY, line);
		canvas_text(c, x + key, y, w - key, ROLE_FOOTER, line + key);
		x += w + 2;
	}
}

void chrome_footer(const struct view *v, struct canvas *c, size_t shed)
{
	int y = c->rows - 1, columns = c->cols, x;
	char text[48], message[sizeof(v->message) + 8];

	canvas_fill(c, (struct rect){ 0, y, c->cols, 1 }, ' ', ROLE_FOOTER);
	if (v->prompting) {
		x = canvas_printf(c, 0, y, columns, ROLE_KEY, "%s ", v->prompt_label);
		x += canvas_text(c, x, y, columns - x - 1, ROLE_PROMPT, v->prompt_text);
		canvas_put(c, x, y, '_', ROLE_PROMPT);
		return;
	}
	if (*v->message) {
		canvas_text(c, 0, y, columns, v->message_role,
			    text_shorten(v->message, columns, message, sizeof(message)));
		return;
	}
	if (shed) {
		snprintf(text, sizeof(text), "%zu more %s: tab", shed, shed == 1 ? "panel" : "panels");
		columns -= text_columns(text) + 1;
		canvas_text(c, columns + 1, y, c->cols - columns - 1, ROLE_WARN, text);
	}
	footer_keys(c, y, columns - (shed ? 1 : 0));
}

/* "60s", "5m": times of an axis are whole seconds, and seconds as long as they are few. */
static const char *axis_text(int64_t ns, char *buf, size_t size)
{
	int64_t seconds = (ns + NS_PER_S / 2) / NS_PER_S;

	if (ns < 10LL * NS_PER_S && ns % NS_PER_S)
		snprintf(buf, size, "-%.1fs", (double)ns / NS_PER_S);
	else if (seconds < 120)
		snprintf(buf, size, "-%llds", (long long)seconds);
	else if (seconds % 60 == 0 && seconds < 7200)
		snprintf(buf, size, "-%lldm", (long long)seconds / 60);
	else if (seconds % 86400 == 0)
		snprintf(buf, size, "-%lldd", (long long)seconds / 86400);
	else if (seconds % 3600 == 0)
		snprintf(buf, size, "-%lldh", (long long)seconds / 3600);
	else if (seconds < 7200)
		snprintf(buf, size, "-%lldm%02llds", (long long)seconds / 60,
			 (long long)seconds % 60);
	else
		snprintf(buf, size, "-%lldh%02lldm", (long long)seconds / 3600,
			 (long long)seconds / 60 % 60);
	return buf;
}

void chrome_time_axis(const struct view *v, struct canvas *c, int x, int y, int w)
{
	int parts = w >= 56 ? 4 : w >= 24 ? 2 : 1;
	int64_t now = history_last_ns(v->session->history);
	int64_t end = view_end_ns(v), behind = now - end;
	char text[32];

	for (int i = 0; i < parts; i++) {
		int64_t ago = v->window_ns * (parts - i) / parts + behind;
		int at = x + w * i / parts;

		canvas_text(c, at, y, x + w - at, ROLE_AXIS, axis_text(ago, text, sizeof(text)));
	}
	if (behind > 0)
		axis_text(behind, text, sizeof(text));
	else
		text_copy(text, sizeof(text), "now");
	canvas_text(c, x + w - text_columns(text), y, text_columns(text), ROLE_AXIS, text);
}

/* "q ^C" and "z=in Z=out" to the keys alone, "q ^C" and "z Z", as many as fit whole. */
static void help_keys(const char *keys, char *buf, int columns)
{
	size_t n = 0;

	*buf = '\0';
	while (*keys) {
		size_t len = strcspn(keys, " ");
		const char *is = len > 1 ? memchr(keys + 1, '=', len - 1) : NULL;
		char word[16], name[16];

		snprintf(word, sizeof(word), "%.*s", (int)(is ? (size_t)(is - keys) : len), keys);
		key_label(key_parse(word), name, sizeof(name));
		if (n + strlen(name) + 1 > (size_t)columns)
			break;
		n += (size_t)sprintf(buf + n, "%s%s", n ? " " : "", name);
		keys += len;
		keys += strspn(keys, " ");
	}
}

int chrome_help_lines(void)
{
	return COMMAND_COUNT;
}

/* A command without a key shows how to type it. */
static void help_line(struct canvas *c, struct rect r, const struct command_info *info)
{
	int keys_width = HELP_KEYS, names_width = r.w >= HELP_WIDE ? HELP_NAMES : 0;
	char keys[64], name[80];

	help_keys(info->keys, keys, keys_width - 1);
	if (!*keys)
		snprintf(keys, sizeof(keys), ":%s", info->name);
	canvas_text(c, r.x, r.y, keys_width - 1, ROLE_KEY, keys);
	snprintf(name, sizeof(name), "%s %s", info->name, info->args);
	canvas_text(c, r.x + keys_width, r.y, names_width - 1, ROLE_DIM, name);
	canvas_text(c, r.x + keys_width + names_width, r.y, r.w - keys_width - names_width, ROLE_TEXT,
		    info->help);
}

void chrome_help(const struct view *v, struct canvas *c)
{
	struct rect r = { 0, 1, c->cols, c->rows - 2 };
	int rows;

	if (r.w > 124)
		r = (struct rect){ (c->cols - 124) / 2, 1, 124, c->rows - 2 };
	if (r.h > COMMAND_COUNT + 3)
		r.h = COMMAND_COUNT + 3;
	rows = r.h - 3;
	canvas_fill(c, r, ' ', ROLE_TEXT);
	canvas_box(c, r, ROLE_FRAME_FOCUS, v->glyphs == GLYPHS_ASCII);
	canvas_text(c, r.x + 2, r.y, r.w - 4, ROLE_TITLE, " keys and commands ");
	canvas_text(c, r.x + 2, r.y + r.h - 2, r.w - 4, ROLE_DIM,
		    v->scroll + rows < COMMAND_COUNT ? "Down: more, Esc: close" : "Esc: close");
	for (int i = 0; i < rows && v->scroll + i < COMMAND_COUNT; i++)
		help_line(c, (struct rect){ r.x + 2, r.y + 1 + i, r.w - 4, 1 },
			  command_info((enum command_id)(v->scroll + i)));
}
