/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Curses composes, ui/tty.c sends: the file that curses writes to is not the terminal but a memory
 * file, for curses waits on a terminal that does not read (and with O_NONBLOCK spins). Curses finds
 * that its output is no terminal and leaves the line's settings and size alone; both are ours.
 *
 * For the same reason leaving and taking the screen (^Z, exit, crash) are two prepared strings that
 * curses is not told of. Its own way would also reset the user's palette.
 */
#include "ui/term.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "src/xalloc.h"
#include "ui/key.h"
#include "ui/output.h"
#include "ui/palette.h"
#include "ui/tty.h"

#define ESC_DELAY_MS	25
#define DRAW_STALL_MS	20	/* how long a frame waits for a terminal that was reading */
#define REPLACEMENT	0xFFFDu

struct look {
	attr_t attributes;
	short pair;
};

/* The sequences of a terminal type that are sent without curses. */
struct bytes {
	char text[256];
	size_t len;
};

struct term {
	struct tty tty;
	FILE *frame, *input;	/* what curses writes to, a memory file; what it reads from */
	SCREEN *screen;
	WINDOW *keys;		/* a pad: reading keys from a window would refresh it */
	struct bytes enter, leave;
	int cols, rows;
	bool utf8, console;
	bool entered;		/* `enter` was sent, by curses the first time */
	int colours;
	bool default_colours;	/* can -1 be a colour */
	struct look look[ROLE_COUNT];
	struct cell *shown;	/* what curses was given, row by row */
	uint32_t ahead;		/* a key read too far */
};

/* ---- Sequences sent without curses ---- */

/* Adds a capability without its padding: no terminal at the end of a pty needs it. */
static void add_bytes(struct bytes *b, const char *sequence)
{
	while (sequence && *sequence && b->len < sizeof(b->text)) {
		const char *end = strncmp(sequence, "$<", 2) == 0 ? strchr(sequence, '>') : NULL;

		if (end)
			sequence = end + 1;
		else
			b->text[b->len++] = *sequence++;
	}
}

/* The sequence of a capability of this terminal type, NULL when it has none. */
static const char *sequence_of(const char *capability)
{
	const char *sequence = tigetstr(capability);

	return sequence == (const char *)-1 ? NULL : sequence;
}

static void prepare_bytes(struct term *t)
{
	static const char *const enter[] = { "smcup", "sgr0", "enacs", "smkx", "civis" };
	static const char *const leave[] = { "sgr0", "op", "smam", "cnorm", "rmkx", "rmcup" };
	const char *csr = sequence_of("csr");

	t->enter.len = t->leave.len = 0;
	for (size_t i = 0; i < sizeof(enter) / sizeof(enter[0]); i++)
		add_bytes(&t->enter, sequence_of(enter[i]));
	/* Curses set scrolling margins, which are wrong once the window grew. */
	add_bytes(&t->leave, csr ? tiparm(csr, 0, t->rows - 1) : NULL);
	for (size_t i = 0; i < sizeof(leave) / sizeof(leave[0]); i++)
		add_bytes(&t->leave, sequence_of(leave[i]));
	if (!sequence_of("rmcup")) {	/* the last picture stays, the shell goes on below it */
		add_bytes(&t->leave, tiparm(sequence_of("cup"), t->rows - 1, 0));
		add_bytes(&t->leave, sequence_of("el"));
	}
}

/* ---- Size and state of the screen ---- */

static void forget_shown(struct term *t)
{
	memset(t->shown, 0xff, sizeof(*t->shown) * (size_t)t->cols * (size_t)t->rows);
}

static void set_size(struct term *t, int cols, int rows)
{
	t->cols = cols;
	t->rows = rows;
	t->shown = xrealloc(t->shown, (size_t)cols * (size_t)rows, sizeof(*t->shown));
	resize_term(rows, cols);
	term_repaint(t);
	prepare_bytes(t);
}

bool term_resized(struct term *t)
{
	int cols = t->cols, rows = t->rows;

	if (!tty_size(&t->tty, &cols, &rows) || (cols == t->cols && rows == t->rows))
		return false;
	set_size(t, cols, rows);
	tty_guard(&t->tty, t->leave.text, t->leave.len);
	return true;
}

void term_size(const struct term *t, int *cols, int *rows)
{
	*cols = t->cols;
	*rows = t->rows;
}

void term_repaint(struct term *t)
{
	forget_shown(t);
	clearok(curscr, TRUE);
}

bool term_utf8(const struct term *t)
{
	return t->utf8;
}

bool term_linux_console(const struct term *t)
{
	return t->console;
}

int term_colours(const struct term *t)
{
	return t->colours;
}

/* ---- Colours ---- */

static int count_colours(void)
{
	const char *no_color = getenv("NO_COLOR");

	if ((no_color && *no_color) || !has_colors() || start_color() == ERR)
		return 0;
	if (COLORS >= PALETTE_TRUE)
		return PALETTE_TRUE;
	return COLORS >= 256 ? 256 : COLORS >= 16 ? 16 : COLORS >= 8 ? 8 : 0;
}

/* The pair of two colours among the first *used, or a new one; 0 when there is none left. */
static short pair_of(struct term *t, int fg, int bg, int *used)
{
	int f, b;

	if (!t->default_colours) {
		fg = fg < 0 ? COLOR_WHITE : fg;
		bg = bg < 0 ? COLOR_BLACK : bg;
	}
	if (fg < 0 && bg < 0)
		return 0;
	for (int pair = 1; pair <= *used; pair++)
		if (extended_pair_content(pair, &f, &b) == OK && f == fg && b == bg)
			return (short)pair;
	if (*used + 1 >= COLOR_PAIRS || init_extended_pair(*used + 1, fg, bg) == ERR)
		return 0;
	return (short)++*used;
}

void term_set_theme(struct term *t, const struct theme *theme)
{
	int used = 0;

	for (int role = 0; role < ROLE_COUNT; role++) {
		struct palette_look look = palette_look(&theme->style[role], t->colours);

		t->look[role] = (struct look){
			.attributes = (look.attributes & STYLE_BOLD ? A_BOLD : 0) |
				(look.attributes & STYLE_DIM ? A_DIM : 0) |
				(look.attributes & STYLE_UNDERLINE ? A_UNDERLINE : 0) |
				(look.attributes & STYLE_REVERSE ? A_REVERSE : 0),
			.pair = t->colours ? pair_of(t, look.fg, look.bg, &used) : 0,
		};
	}
	forget_shown(t);
}

/* ---- Drawing ---- */

/* The Linux console's fonts have no rounded corners. */
static uint32_t console_char(uint32_t ch)
{
	static const uint32_t square[] = { 0x250C, 0x2510, 0x2518, 0x2514 };

	return ch >= 0x256D && ch <= 0x2570 ? square[ch - 0x256D] : ch;
}

static void put_char(const struct term *t, int x, int y, uint32_t ch, unsigned int role)
{
	const struct look *look = &t->look[role < ROLE_COUNT ? role : ROLE_TEXT];
	wchar_t text[2] = { (wchar_t)ch, 0 };
	cchar_t cell;

	setcchar(&cell, text, look->attributes, look->pair, NULL);
	mvadd_wch(y, x, &cell);	/* ERR in the last corner, for the cursor; but it is drawn */
}

/* The cell at x, and its right half when it is wide. */
static void put_cell(const struct term *t, int x, int y, const struct cell *cell, bool wide)
{
	uint32_t ch = cell->ch ? cell->ch : ' ';
	int width;

	if (!t->utf8 && (ch < ' ' || ch > '~'))
		ch = (unsigned char)output_ascii(ch);
	else if (t->console)
		ch = console_char(ch);
	width = wcwidth((wchar_t)ch);
	/* What the locale sees otherwise than the canvas must not shift the rest of the line. */
	if (width != 1 && !(width == 2 && wide)) {
		ch = t->utf8 ? REPLACEMENT : '?';
		width = 1;
	}
	put_char(t, x, y, ch, cell->role);
	if (wide && width == 1)
		put_char(t, x + 1, y, ' ', cell->role);
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && (a->role == b->role || a->ch == 0);
}

static void draw_row(struct term *t, const struct canvas *c, int y, int cols)
{
	const struct cell *row = c->cell + (size_t)y * (size_t)c->cols;
	struct cell *shown = t->shown + (size_t)y * (size_t)t->cols;

	for (int x = 0; x < cols; x++) {
		bool wide = row[x].ch != 0 && x + 1 < cols && row[x + 1].ch == 0;

		if (!same_cell(&row[x], &shown[x]))
			put_cell(t, x, y, &row[x], wide);
		shown[x] = row[x];
		if (wide) {
			x++;
			shown[x] = row[x];
		}
	}
}

/* Gives what curses wrote to the tty. The memory file is rewound, so it keeps its pages. */
static void collect(struct term *t)
{
	int fd = fileno(t->frame);
	off_t len = lseek(fd, 0, SEEK_CUR);

	if (len <= 0)
		return;
	if (pread(fd, tty_append(&t->tty, (size_t)len), (size_t)len, 0) != len)
		die("cannot read back a frame: %s", strerror(errno));
	lseek(fd, 0, SEEK_SET);
}

bool term_draw(struct term *t, const struct canvas *c)
{
	int cols = c->cols < t->cols ? c->cols : t->cols;
	int rows = c->rows < t->rows ? c->rows : t->rows;

	if (!tty_ready(&t->tty))
		return false;
	if (!t->entered)
		memcpy(tty_append(&t->tty, t->enter.len), t->enter.text, t->enter.len);
	t->entered = true;
	for (int y = 0; y < rows; y++)
		draw_row(t, c, y, cols);
	move(t->rows - 1, t->cols - 1);	/* for terminals that cannot hide the cursor */
	wnoutrefresh(stdscr);
	doupdate();
	collect(t);
	tty_flush(&t->tty, DRAW_STALL_MS);
	return true;
}

int term_fd(const struct term *t)
{
	return t->tty.fd;
}

short term_events(const struct term *t)
{
	return t->tty.refused || t->tty.len > 0 ? POLLIN | POLLOUT : POLLIN;
}

bool term_flush(struct term *t)
{
	return tty_ready(&t->tty);
}

/* ---- Keys ---- */

static const struct {
	int curses;
	uint32_t key;
} curses_keys[] = {
	{ KEY_UP, KEYCODE_UP }, { KEY_DOWN, KEYCODE_DOWN }, { KEY_LEFT, KEYCODE_LEFT },
	{ KEY_RIGHT, KEYCODE_RIGHT }, { KEY_HOME, KEYCODE_HOME }, { KEY_END, KEYCODE_END },
	{ KEY_FIND, KEYCODE_HOME }, { KEY_SELECT, KEYCODE_END }, { KEY_A1, KEYCODE_HOME },
	{ KEY_C1, KEYCODE_END }, { KEY_PPAGE, KEYCODE_PGUP }, { KEY_NPAGE, KEYCODE_PGDN },
	{ KEY_A3, KEYCODE_PGUP }, { KEY_C3, KEYCODE_PGDN }, { KEY_IC, KEYCODE_INSERT },
	{ KEY_DC, KEYCODE_DELETE }, { KEY_BTAB, KEYCODE_BACKTAB }, { KEY_ENTER, KEYCODE_ENTER },
	{ KEY_BACKSPACE, KEYCODE_BACKSPACE }, { KEY_SLEFT, KEYCODE_S_LEFT },
	{ KEY_SRIGHT, KEYCODE_S_RIGHT }, { KEY_SR, KEYCODE_S_UP }, { KEY_SF, KEYCODE_S_DOWN },
};

/* What terminals send that are not quite what TERM says. */
static const struct {
	const char *sequence;
	int curses;
} common_sequences[] = {
	{ "\033[A", KEY_UP }, { "\033[B", KEY_DOWN }, { "\033[C", KEY_RIGHT },
	{ "\033[D", KEY_LEFT }, { "\033OA", KEY_UP }, { "\033OB", KEY_DOWN },
	{ "\033OC", KEY_RIGHT }, { "\033OD", KEY_LEFT }, { "\033[H", KEY_HOME },
	{ "\033[F", KEY_END }, { "\033OH", KEY_HOME }, { "\033OF", KEY_END },
	{ "\033[1~", KEY_HOME }, { "\033[4~", KEY_END }, { "\033[2~", KEY_IC },
	{ "\033[3~", KEY_DC }, { "\033[5~", KEY_PPAGE }, { "\033[6~", KEY_NPAGE },
	{ "\033[Z", KEY_BTAB },
	{ "\033[1;2A", KEY_SR }, { "\033[1;2B", KEY_SF },
	{ "\033[1;2C", KEY_SRIGHT }, { "\033[1;2D", KEY_SLEFT },
	{ "\033OP", KEY_F(1) }, { "\033[11~", KEY_F(1) }, { "\033[[A", KEY_F(1) },
};

static void define_keys(void)
{
	for (size_t i = 0; i < sizeof(common_sequences) / sizeof(common_sequences[0]); i++) {
		int code = key_defined(common_sequences[i].sequence);

		if (code == 0 || code > KEY_MAX)	/* above: keys of this type alone */
			define_key(common_sequences[i].sequence, common_sequences[i].curses);
	}
	define_key(NULL, KEY_MOUSE);	/* so that a stray report is skipped as a whole */
}

static uint32_t from_curses(int code)
{
	if (code >= KEY_F(1) && code <= KEY_F(12))
		return KEYCODE_F1 + (uint32_t)(code - KEY_F(1));
	for (size_t i = 0; i < sizeof(curses_keys) / sizeof(curses_keys[0]); i++)
		if (curses_keys[i].curses == code)
			return curses_keys[i].key;
	return KEYCODE_NONE;
}

/* False when none waits; *key is KEYCODE_NONE for one that has no name here. */
static bool read_key(struct term *t, uint32_t *key)
{
	wint_t wide;
	int what;

	if (t->ahead != KEYCODE_NONE) {
		*key = t->ahead;
		t->ahead = KEYCODE_NONE;
		return true;
	}
	what = wget_wch(t->keys, &wide);
	if (what == ERR)
		return false;
	if (what == KEY_CODE_YES)
		*key = from_curses((int)wide);
	else if (wide == '\n')
		*key = KEYCODE_ENTER;
	else if (wide == t->tty.saved.c_cc[VERASE] && wide != _POSIX_VDISABLE)
		*key = KEYCODE_BACKSPACE;
	else
		*key = (uint32_t)wide;
	return true;
}

/*
 * After an Esc that curses could not make a key of: takes the rest of the sequence of a key or
 * report unknown here, for its letters are no commands. False when it was the Esc key.
 */
static bool skip_sequence(struct term *t)
{
	uint32_t key;

	if (!read_key(t, &key))
		return false;
	if (key == 'O')
		return read_key(t, &key);
	if (key != '[') {
		t->ahead = key;
		return false;
	}
	do {
		if (!read_key(t, &key))
			return true;
	} while (key < '@' || key > '~');
	return true;
}

uint32_t term_key(struct term *t)
{
	uint32_t key;

	while (read_key(t, &key)) {
		if (key == KEYCODE_ESC && skip_sequence(t))
			continue;
		if (key != KEYCODE_NONE)
			return key;
	}
	return KEYCODE_NONE;
}

/* ---- Leaving the screen and coming back ---- */

void term_resume(struct term *t)
{
	tty_take(&t->tty);
	tty_guard(&t->tty, t->leave.text, t->leave.len);
	t->entered = false;
	term_resized(t);
	term_repaint(t);
}

void term_suspend(struct term *t)
{
	sigset_t tstp, cont, before;
	const struct timespec now = { 0 };

	tty_release(&t->tty);
	sigemptyset(&tstp);
	sigaddset(&tstp, SIGTSTP);
	sigemptyset(&cont);
	sigaddset(&cont, SIGCONT);
	/* By default nothing stops where no shell could continue it (kernel/signal.c). */
	pthread_sigmask(SIG_UNBLOCK, &tstp, &before);
	kill(getpid(), SIGTSTP);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	while (sigtimedwait(&cont, NULL, &now) > 0)
		;
	term_resume(t);
}

void term_abandon(void)
{
	tty_restore();
}

/* ---- Opening and closing ---- */

/* newterm(), without the handlers that it installs. */
static SCREEN *start_curses(struct term *t)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGTSTP, SIGWINCH };
	struct sigaction before[sizeof(signals) / sizeof(signals[0])];
	SCREEN *screen;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], NULL, &before[i]);
	screen = newterm(NULL, t->frame, t->input);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &before[i], NULL);
	return screen;
}

static void set_up_curses(struct term *t)
{
	set_escdelay(ESC_DELAY_MS);
	nonl();
	noecho();
	typeahead(-1);		/* a frame is drawn whole, whatever keys wait */
	idcok(stdscr, FALSE);
	t->colours = count_colours();
	t->default_colours = t->colours && use_default_colors() == OK;
	curs_set(0);
	t->keys = newpad(1, 1);
	nodelay(t->keys, TRUE);
	keypad(t->keys, TRUE);
	define_keys();
}

static bool open_streams(struct term *t, char *err, size_t errsize)
{
	int error = tty_open(&t->tty, STDOUT_FILENO), frame, input;

	if (error == -ENOTTY) {
		snprintf(err, errsize, "standard output is not a terminal: use --dump FILE");
		return false;
	}
	if (error < 0) {
		snprintf(err, errsize, "cannot open the terminal: %s", strerror(-error));
		return false;
	}
	frame = memfd_create("vmtop frame", MFD_CLOEXEC);
	input = frame < 0 ? -1 : fcntl(t->tty.fd, F_DUPFD_CLOEXEC, 0);
	t->frame = frame < 0 ? NULL : fdopen(frame, "w");
	t->input = input < 0 ? NULL : fdopen(input, "r");
	if (t->frame && t->input)
		return true;
	snprintf(err, errsize, "cannot open the terminal: %s", strerror(errno));
	return false;
}

/* newterm() with its errors in words: a type it does not know makes initscr() exit. */
static bool open_screen(struct term *t, char *err, size_t errsize)
{
	const char *type = getenv("TERM");

	if (!type || !*type) {
		snprintf(err, errsize, "TERM is not set: set it to what this terminal is, "
			"as in TERM=xterm-256color");
		return false;
	}
	t->screen = start_curses(t);
	if (!t->screen) {
		snprintf(err, errsize, "terminal type %s is unknown or too general: "
			"try TERM=xterm-256color, or install its terminfo entry "
			"(Debian: ncurses-term)", type);
		return false;
	}
	if (!sequence_of("cup") || !sequence_of("clear")) {
		snprintf(err, errsize, "terminal type %s cannot place text: "
			"set TERM to what this terminal is, or use --dump FILE", type);
		return false;
	}
	t->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	t->console = strncmp(type, "linux", 5) == 0;
	return true;
}

static void free_term(struct term *t)
{
	if (t->screen) {
		endwin();	/* into the memory file */
		if (t->keys)
			delwin(t->keys);
		delscreen(t->screen);
	}
	if (t->frame)
		fclose(t->frame);
	if (t->input)
		fclose(t->input);
	tty_close(&t->tty);
	free(t->shown);
	free(t);
}

struct term *term_open(char *err, size_t errsize)
{
	struct term *t = xcalloc(1, sizeof(*t));
	int cols, rows;

	t->tty.fd = -1;
	if (!open_streams(t, err, errsize) || !open_screen(t, err, errsize)) {
		free_term(t);
		return NULL;
	}
	getmaxyx(stdscr, rows, cols);
	tty_size(&t->tty, &cols, &rows);
	set_size(t, cols, rows);	/* before curses sends margins for a size */
	set_up_curses(t);
	t->entered = true;
	tty_take(&t->tty);
	tty_guard(&t->tty, t->leave.text, t->leave.len);
	collect(t);
	tty_flush(&t->tty, 0);
	return t;
}

void term_close(struct term *t)
{
	if (!t)
		return;
	tty_release(&t->tty);
	free_term(t);
}
