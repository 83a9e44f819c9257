/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/term-drive.h"

#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "tests/tap.h"
#include "ui/key.h"
#include "ui/output.h"
#include "ui/term.h"
#include "ui/theme.h"

#define WIDE 0x65E5

struct drive {
	struct term *term;
	struct canvas canvas;
	struct theme theme;
	char keys[200];
	unsigned int count, frame;
	int refused;
	int64_t longest_ms;
	bool show_keys, random, info, dirty, done;
};

const enum role drive_roles[] = {
	ROLE_TEXT, ROLE_SWAP_IN, ROLE_WARN, ROLE_DIM, ROLE_SELECTED, ROLE_ALARM,
};
const int drive_nroles = sizeof(drive_roles) / sizeof(drive_roles[0]);

static void set_theme(struct theme *t)
{
	static const struct style styles[] = {
		{ .attributes = 0 },
		{ .fg = { COLOUR_RGB, 0x5fafff }, .attributes = STYLE_BOLD },
		{ .fg = { COLOUR_INDEX, 11 } },
		{ .fg = { COLOUR_INDEX, 234 } },
		{ .fg = { COLOUR_INDEX, 7 }, .bg = { COLOUR_INDEX, 4 } },
		{ .fg = { COLOUR_INDEX, 1 }, .attributes = STYLE_UNDERLINE },
	};

	theme_builtin(t);
	for (int i = 0; i < drive_nroles; i++)
		t->style[drive_roles[i]] = styles[i];
}

static unsigned int next_random(unsigned int *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

void drive_frame(struct canvas *c, unsigned int n)
{
	static const uint32_t chars[] = {
		' ', ' ', 'a', 'Z', '~', 0x28FF, 0x2801, 0x2588, 0x2581, 0x256D, 0x2500, 0xE9, WIDE,
	};
	unsigned int state = n, roll, role;
	bool few = n % 2 == 1;
	char mark[20];

	for (int y = 0; y < c->rows; y++) {
		struct cell *row = c->cell + (size_t)y * (size_t)c->cols;

		for (int x = 0; x < c->cols; x++) {
			roll = next_random(&state) % (sizeof(chars) / sizeof(chars[0]));
			role = drive_roles[next_random(&state) % (unsigned int)drive_nroles];
			/* In turn everything changes, and a few cells of the frame before. */
			if (few && next_random(&state) % 16 != 0)
				continue;
			if (few && (row[x].ch == 0 || row[x].ch == WIDE))
				continue;
			row[x] = (struct cell){ chars[roll], (uint8_t)role };
			if (chars[roll] == WIDE && (few || x + 1 == c->cols))
				row[x].ch = 'w';
			else if (chars[roll] == WIDE)
				row[++x] = (struct cell){ 0, (uint8_t)role };
		}
	}
	/* Curses works from top to bottom: what stands in the last corner came last. */
	snprintf(mark, sizeof(mark), " end %u.", n);
	canvas_fill(c, (struct rect){ 0, c->rows - 1, c->cols, 1 }, ' ', ROLE_TEXT);
	canvas_text(c, c->cols - (int)strlen(mark), c->rows - 1, c->cols, ROLE_TEXT, mark);
}

static void page(struct drive *d)
{
	struct canvas *c = &d->canvas;

	canvas_clear(c);
	canvas_printf(c, 0, 0, c->cols, ROLE_TEXT, "size %dx%d colours %d utf8 %d",
		c->cols, c->rows, term_colours(d->term), term_utf8(d->term));
	canvas_text(c, 0, 1, c->cols, ROLE_TEXT, DRIVE_TEXT);
	for (int i = 0; i < drive_nroles; i++)
		canvas_put(c, i, 2, (uint32_t)('A' + i), drive_roles[i]);
	canvas_printf(c, 0, 3, c->cols, ROLE_TEXT, "count %u", d->count);
	if (d->show_keys)
		canvas_printf(c, 0, 4, c->cols, ROLE_TEXT, "keys %s.", d->keys);
	if (d->info)
		canvas_printf(c, 0, 5, c->cols, ROLE_TEXT, "refused %s longest %s",
			d->refused ? "some" : "none", d->longest_ms < 1000 ? "short" : "long");
	canvas_put(c, c->cols - 1, c->rows - 1, 'Z', ROLE_TEXT);
}

static void draw(struct drive *d)
{
	if (d->random)
		drive_frame(&d->canvas, d->frame);
	else
		page(d);
	d->dirty = !term_draw(d->term, &d->canvas);
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

/* Frames one after the other, whatever the terminal does; tells the test by a file. */
static void flood(struct drive *d, int frames, bool to_the_brim)
{
	char path[256];

	d->random = true;
	for (int i = 0; i < frames; i++) {
		int64_t before = now_ms(), took;

		d->frame += 2;
		draw(d);
		took = now_ms() - before;
		if (took > d->longest_ms)
			d->longest_ms = took;
		d->refused += d->dirty;
		/* The kernel moves on what a pty took, which then takes more: until it is full. */
		if (d->dirty)
			poll(NULL, 0, 5);
	}
	/* The last bytes that a pty takes are fewer than a frame. */
	while (to_the_brim && write(term_fd(d->term), "", 1) == 1)
		continue;
	snprintf(path, sizeof(path), "%s/flooded", getenv("HOME"));
	close(open(path, O_CREAT | O_WRONLY, 0600));
}

static int recurse(int depth)
{
	volatile int here[1024] = { depth };

	return depth < 0 ? 0 : recurse(here[0] + 1) + here[0];
}

/* The ends a program can come to. */
static void end(struct drive *d, uint32_t key)
{
	static volatile uintptr_t nowhere = 16;

	if (key == 'q')
		d->done = true;
	if (key == 'e')
		exit(3);
	if (key == 'x')
		*(volatile char *)nowhere = 1;
	if (key == 'o')
		d->count = (unsigned int)recurse(0);
	if (key == 'a')
		abort();
	if (key == 'k') {
		term_abandon();
		_exit(4);
	}
}

static void command(struct drive *d, uint32_t key)
{
	struct theme plain;

	d->random &= key != 'c' && key != 'i';
	d->info |= key == 'i';
	d->count += key == 'c';
	for (int i = 0; key == 'n' && i < 10; i++)
		draw(d);
	if (key == 'p') {
		d->random = true;
		d->frame++;
	}
	if (key == 'r')
		term_repaint(d->term);
	if (key == 't') {
		theme_builtin(&plain);
		plain.style[ROLE_SWAP_IN] = (struct style){ .attributes = STYLE_REVERSE };
		term_set_theme(d->term, &plain);
	}
	end(d, key);
	if (key == 'f' || key == 'g' || key == 'b')
		flood(d, key == 'g' ? 1 : 60, key == 'b');
	else
		d->dirty = key != 'n';
}

static void add_key(struct drive *d, const char *label)
{
	size_t n = strlen(d->keys);

	snprintf(d->keys + n, sizeof(d->keys) - n, "%s ", label);
}

static void take_keys(struct drive *d)
{
	int64_t before = now_ms();
	char label[16];
	uint32_t key;

	while ((key = term_key(d->term)) != KEYCODE_NONE) {
		if (!d->show_keys) {
			command(d, key);
			continue;
		}
		d->done |= key == 4;
		add_key(d, key_label(key, label, sizeof(label)));
		d->dirty = true;
	}
	if (d->show_keys && now_ms() - before > 500)	/* curses would wait a second after Esc */
		add_key(d, "LATE");
}

static void fit_canvas(struct drive *d)
{
	int cols, rows;

	term_size(d->term, &cols, &rows);
	if (cols != d->canvas.cols || rows != d->canvas.rows)
		canvas_resize(&d->canvas, cols, rows);
	d->dirty = true;
}

static void take_signal(struct drive *d, int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return;
	switch (info.ssi_signo) {
	case SIGWINCH:
		term_resized(d->term);
		break;
	case SIGTSTP:
		term_suspend(d->term);
		break;
	case SIGCONT:
		term_resume(d->term);
		break;
	default:
		d->done = true;
	}
	fit_canvas(d);
}

static int watch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

int drive(const char *mode)
{
	struct drive d = { .show_keys = strcmp(mode, "keys") == 0 };
	struct pollfd fds[2] = { { .fd = watch_signals(), .events = POLLIN } };
	char err[200];

	setlocale(LC_ALL, "");
	d.term = term_open(err, sizeof(err));
	if (!d.term) {
		printf("refused: %s\n", err);
		return 2;
	}
	set_theme(&d.theme);
	term_set_theme(d.term, &d.theme);
	canvas_init(&d.canvas, 1, 1);
	fit_canvas(&d);
	while (!d.done) {
		if (d.dirty)
			draw(&d);
		fds[1] = (struct pollfd){ .fd = term_fd(d.term), .events = term_events(d.term) };
		poll(fds, 2, -1);
		if (fds[0].revents)
			take_signal(&d, fds[0].fd);
		if (fds[1].revents & POLLOUT)
			term_flush(d.term);
		if (fds[1].revents & POLLIN)
			take_keys(&d);
	}
	term_close(d.term);
	canvas_done(&d.canvas);
	close(fds[0].fd);
	return 0;
}

/* ---- For the tests ---- */

const char *drive_program(void)
{
	static char path[PATH_MAX];

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	return path;
}

struct vt *drive_start(const char *mode, const struct vt_options *options)
{
	const char *argv[] = { drive_program(), DRIVE_OPTION, mode, NULL };

	return vt_start(options, argv);
}

struct vt *drive_start_shell(const char *script, const struct vt_options *options)
{
	const char *argv[] = { "sh", "-m", "-c", script, drive_program(), NULL };
	struct vt *vt = vt_start(options, argv);

	vt_expect(vt, "count 0", DRIVE_SOON);
	return vt;
}

struct vt *drive_start_page(const struct vt_options *options)
{
	struct vt *vt = drive_start("draw", options);

	vt_expect(vt, "count 0", DRIVE_SOON);
	return vt;
}

void drive_press(struct vt *vt, const char *key, const char *expected)
{
	vt_press(vt, key);
	vt_expect(vt, expected, DRIVE_SOON);
}

void drive_quit(struct vt *vt)
{
	vt_press(vt, "q");
	assert_int_equal(vt_exit_status(vt, DRIVE_SOON), 0);
	vt_stop(vt);
}

static uint32_t expected_char(uint32_t ch, bool utf8, const char *term)
{
	if (!utf8 && ch > '~')
		return (unsigned char)output_ascii(ch);
	return ch == 0x256D && strcmp(term, "linux") == 0 ? 0x250C : ch;
}

void drive_assert_shows(struct vt *vt, const struct canvas *c, bool utf8, const char *term)
{
	for (int y = 0; y < c->rows; y++) {
		for (int x = 0; x < c->cols; x++) {
			const struct cell *cell = &c->cell[y * c->cols + x];
			struct vt_cell seen = vt_cell(vt, x, y);
			uint32_t ch = expected_char(cell->ch, utf8, term);

			if (cell->ch == 0 && !utf8)
				ch = ' ';
			if (seen.ch != ch)
				fail_msg("%s: cell %d,%d is U+%04X, not U+%04X", term, x, y,
					seen.ch, ch);
			if (ch && ((cell->role == ROLE_SWAP_IN && !seen.bold) ||
				   (cell->role == ROLE_TEXT && seen.bold)))
				fail_msg("%s: cell %d,%d is in another style", term, x, y);
		}
	}
}

