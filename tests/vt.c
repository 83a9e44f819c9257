/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/vt.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vterm.h>

#include "src/text.h"
#include "tests/tap.h"
#include "tests/vt_exec.h"

#define MAX_TERMINALS	16
#define STEP_MS		10
#define END_MS		2000

struct vt {
	VTerm *vterm;
	VTermScreen *screen;
	int cols, rows;
	int master;
	pid_t pid;
	int status;		/* of waitpid(), once ended */
	bool ended, paused, hung_up;
	bool alternate, cursor, mouse, keypad;
	char home[64];
	char *row, *text;	/* what vt_row() and vt_text() gave last */
	char *sent;		/* what came since the mark */
	size_t nsent, clears;
	char held[4];		/* the start of a character whose end has not come */
	size_t nheld;
};

/* So that a test that fails leaves nothing running. */
static struct vt *running[MAX_TERMINALS];

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

static void give_up(struct vt *vt, const char *what, const char *text)
{
	vt_dump(vt, stdout);
	fail_msg("%s: %s", what, text);
}

/* ---- Reading and answering ---- */

static void answer(const char *bytes, size_t len, void *user)
{
	struct vt *vt = user;
	int64_t deadline = now_ms() + END_MS;

	while (len > 0 && now_ms() < deadline) {
		struct pollfd p = { .fd = vt->master, .events = POLLOUT };
		ssize_t n = write(vt->master, bytes, len);

		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		} else if (errno != EAGAIN && errno != EINTR) {
			return;
		} else {
			poll(&p, 1, STEP_MS);
		}
	}
}

static int set_property(VTermProp prop, VTermValue *value, void *user)
{
	struct vt *vt = user;

	if (prop == VTERM_PROP_ALTSCREEN)
		vt->alternate = value->boolean;
	else if (prop == VTERM_PROP_CURSORVISIBLE)
		vt->cursor = value->boolean;
	else if (prop == VTERM_PROP_MOUSE)
		vt->mouse = value->number != VTERM_PROP_MOUSE_NONE;
	return 1;
}

/* Does the part of what was sent that ends at `end` end with these bytes? */
static bool ends_with(const struct vt *vt, size_t end, const char *bytes)
{
	size_t n = strlen(bytes);

	return end >= n && memcmp(vt->sent + end - n, bytes, n) == 0;
}

static void note(struct vt *vt, const char *bytes, size_t len)
{
	vt->sent = realloc(vt->sent, vt->nsent + len + 1);
	assert_non_null(vt->sent);
	memcpy(vt->sent + vt->nsent, bytes, len);
	for (size_t end = vt->nsent + 1; end <= vt->nsent + len; end++) {
		if (ends_with(vt, end, "\033[2J") || ends_with(vt, end, "\033[H\033[J"))
			vt->clears++;
		else if (ends_with(vt, end, "\033="))
			vt->keypad = true;
		else if (ends_with(vt, end, "\033>"))
			vt->keypad = false;
	}
	vt->nsent += len;
	vt->sent[vt->nsent] = '\0';
}

/* How many bytes at the end are the start of a UTF-8 character. */
static size_t unfinished(const char *bytes, size_t len)
{
	for (size_t n = 1; n <= 3 && n <= len; n++) {
		unsigned char c = (unsigned char)bytes[len - n];

		if (c < 0x80)
			return 0;
		if (c >= 0xc0)
			return (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u) > n ? n : 0;
	}
	return 0;
}

/*
 * libvterm 0.1.4 loses characters that are cut between two writes, when ESC ( B was not sent (as on
 * the Linux console): the halves go to two decoders.
 */
static void feed(struct vt *vt, const char *bytes, size_t len)
{
	vt->nheld = vterm_get_utf8(vt->vterm) ? unfinished(bytes, len) : 0;
	vterm_input_write(vt->vterm, bytes, len - vt->nheld);
	memcpy(vt->held, bytes + len - vt->nheld, vt->nheld);
}

/* Waits up to ms for output and takes what there is; returns how much. */
static size_t step(struct vt *vt, int ms)
{
	struct pollfd p = { .fd = vt->paused || vt->hung_up ? -1 : vt->master, .events = POLLIN };
	char buf[65536];
	size_t total = 0, held;
	ssize_t n;

	if (poll(&p, 1, ms) <= 0)
		return 0;
	for (;;) {
		held = vt->nheld;
		memcpy(buf, vt->held, held);
		n = read(vt->master, buf + held, sizeof(buf) - held);
		if (n <= 0)
			break;
		note(vt, buf + held, (size_t)n);
		feed(vt, buf, held + (size_t)n);
		total += (size_t)n;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))	/* EIO: nobody has it open */
		vt->hung_up = true;
	return total;
}

static void make_screen(struct vt *vt, bool utf8)
{
	static const VTermScreenCallbacks callbacks = { .settermprop = set_property };

	vt->vterm = vterm_new(vt->rows, vt->cols);
	assert_non_null(vt->vterm);
	vterm_set_utf8(vt->vterm, utf8);
	vterm_output_set_callback(vt->vterm, answer, vt);
	vt->screen = vterm_obtain_screen(vt->vterm);
	vterm_screen_set_callbacks(vt->screen, &callbacks, vt);
	vterm_screen_enable_altscreen(vt->screen, 1);
	vterm_screen_reset(vt->screen, 1);
}

struct vt *vt_start(const struct vt_options *options, const char *const argv[])
{
	const char *lang = options->lang ? options->lang : "C.UTF-8";
	struct vt *vt = calloc(1, sizeof(*vt));
	struct winsize size;
	size_t slot = 0;

	while (slot < MAX_TERMINALS && running[slot])
		slot++;
	assert_true(slot < MAX_TERMINALS);
	assert_non_null(vt);
	vt->cols = options->cols ? options->cols : 80;
	vt->rows = options->rows ? options->rows : 24;
	vt->paused = options->paused;
	strcpy(vt->home, "/tmp/vmtop-test-XXXXXX");
	assert_non_null(mkdtemp(vt->home));
	make_screen(vt, strstr(lang, "UTF-8") || strstr(lang, "utf8"));
	size = (struct winsize){ (unsigned short)vt->rows, (unsigned short)vt->cols, 0, 0 };
	fflush(stdout);		/* or the child prints our TAP again */
	vt->pid = forkpty(&vt->master, NULL, NULL, &size);
	assert_true(vt->pid >= 0);
	if (vt->pid == 0)
		vt_exec(options, vt->home, argv);
	fcntl(vt->master, F_SETFL, O_NONBLOCK);
	fcntl(vt->master, F_SETFD, FD_CLOEXEC);
	running[slot] = vt;
	return vt;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	remove(path);
	return 0;
}

void vt_stop(struct vt *vt)
{
	int64_t deadline = now_ms() + END_MS;

	if (!vt)
		return;
	for (size_t i = 0; i < MAX_TERMINALS; i++)
		if (running[i] == vt)
			running[i] = NULL;
	close(vt->master);
	while (!vt->ended && waitpid(vt->pid, &vt->status, WNOHANG) == 0) {
		if (now_ms() > deadline)
			kill(vt->pid, SIGKILL);
		poll(NULL, 0, 1);
	}
	vterm_free(vt->vterm);
	nftw(vt->home, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(vt->row);
	free(vt->text);
	free(vt->sent);
	free(vt);
}

int vt_stop_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < MAX_TERMINALS; i++)
		vt_stop(running[i]);
	return 0;
}

/* ---- Waiting ---- */

bool vt_wait(struct vt *vt, vt_condition *holds, void *arg, int ms)
{
	int64_t deadline = now_ms() + ms;

	while (!holds(vt, arg)) {
		if (now_ms() >= deadline)
			return false;
		step(vt, STEP_MS);
	}
	return true;
}

static bool text_is_there(struct vt *vt, void *arg)
{
	return vt_find(vt, arg, NULL, NULL);
}

static bool text_is_gone(struct vt *vt, void *arg)
{
	return !vt_find(vt, arg, NULL, NULL);
}

bool vt_wait_text(struct vt *vt, const char *text, int ms)
{
	return vt_wait(vt, text_is_there, (void *)(uintptr_t)text, ms);
}

bool vt_wait_gone(struct vt *vt, const char *text, int ms)
{
	return vt_wait(vt, text_is_gone, (void *)(uintptr_t)text, ms);
}

void vt_expect(struct vt *vt, const char *text, int ms)
{
	if (!vt_wait_text(vt, text, ms))
		give_up(vt, "never on the screen", text);
}

void vt_expect_gone(struct vt *vt, const char *text, int ms)
{
	if (!vt_wait_gone(vt, text, ms))
		give_up(vt, "still on the screen", text);
}

size_t vt_read(struct vt *vt, int ms, int quiet)
{
	int64_t deadline = now_ms() + ms;
	size_t total = 0, n;

	do {
		n = step(vt, quiet);
		total += n;
	} while (n > 0 && now_ms() < deadline);
	return total;
}

static bool has_ended(struct vt *vt, void *arg)
{
	(void)arg;
	if (!vt->ended && waitpid(vt->pid, &vt->status, WNOHANG) == vt->pid)
		vt->ended = true;
	return vt->ended;
}

int vt_exit_status(struct vt *vt, int ms)
{
	if (!vt_wait(vt, has_ended, NULL, ms))
		return -1;
	while (!vt->paused && step(vt, 0) > 0)
		;
	return WIFEXITED(vt->status) ? WEXITSTATUS(vt->status) : 128 + WTERMSIG(vt->status);
}

/* ---- Doing ---- */

void vt_send(struct vt *vt, const char *text)
{
	answer(text, strlen(text), vt);
}

static const struct {
	const char *name;
	VTermKey key;
} keys[] = {
	{ "Enter", VTERM_KEY_ENTER }, { "Esc", VTERM_KEY_ESCAPE }, { "Tab", VTERM_KEY_TAB },
	{ "Backspace", VTERM_KEY_BACKSPACE }, { "Up", VTERM_KEY_UP }, { "Down", VTERM_KEY_DOWN },
	{ "Left", VTERM_KEY_LEFT }, { "Right", VTERM_KEY_RIGHT }, { "Home", VTERM_KEY_HOME },
	{ "End", VTERM_KEY_END }, { "PgUp", VTERM_KEY_PAGEUP }, { "PgDn", VTERM_KEY_PAGEDOWN },
	{ "Insert", VTERM_KEY_INS }, { "Delete", VTERM_KEY_DEL },
};

void vt_press(struct vt *vt, const char *key)
{
	VTermModifier modifier = VTERM_MOD_NONE;
	const char *name = key;
	char control[2] = "";

	if (strncmp(name, "S-", 2) == 0) {
		modifier = VTERM_MOD_SHIFT;
		name += 2;
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(name, keys[i].name) == 0) {
			vterm_keyboard_key(vt->vterm, keys[i].key, modifier);
			return;
		}
	}
	if (name[0] == 'F' && name[1] >= '1' && name[1] <= '9') {
		vterm_keyboard_key(vt->vterm, VTERM_KEY_FUNCTION(atoi(name + 1)), modifier);
	} else if (name[0] == '^' && name[1] != '\0') {
		control[0] = (char)(name[1] & 0x1f);
		vt_send(vt, control);
	} else {
		vt_send(vt, strcmp(name, "space") == 0 ? " " : name);
	}
}

void vt_resize(struct vt *vt, int cols, int rows)
{
	struct winsize size = { .ws_col = (unsigned short)cols, .ws_row = (unsigned short)rows };

	vt->cols = cols;
	vt->rows = rows;
	vterm_set_size(vt->vterm, rows, cols);
	ioctl(vt->master, TIOCSWINSZ, &size);
}

void vt_pause(struct vt *vt)
{
	vt->paused = true;
}

void vt_resume(struct vt *vt)
{
	vt->paused = false;
}

/* ---- Looking ---- */

int vt_cols(const struct vt *vt)
{
	return vt->cols;
}

int vt_rows(const struct vt *vt)
{
	return vt->rows;
}

static struct vt_colour colour_of(VTermColor c)
{
	if (c.type & VTERM_COLOR_DEFAULT_MASK)
		return (struct vt_colour){ .kind = VT_DEFAULT };
	if (VTERM_COLOR_IS_INDEXED(&c))
		return (struct vt_colour){ VT_INDEX, c.indexed.idx };
	return (struct vt_colour){ VT_RGB, ((uint32_t)c.rgb.red << 16) +
		((uint32_t)c.rgb.green << 8) + c.rgb.blue };
}

struct vt_cell vt_cell(struct vt *vt, int x, int y)
{
	VTermScreenCell cell = { 0 };
	uint32_t ch;

	assert_true(x >= 0 && x < vt->cols && y >= 0 && y < vt->rows);
	vterm_screen_get_cell(vt->screen, (VTermPos){ .row = y, .col = x }, &cell);
	ch = cell.chars[0];
	return (struct vt_cell){
		.ch = ch == 0 ? ' ' : ch == UINT32_MAX ? 0 : ch, .width = cell.width,
		.fg = colour_of(cell.fg), .bg = colour_of(cell.bg),
		.bold = cell.attrs.bold, .underline = cell.attrs.underline != 0,
		.reverse = cell.attrs.reverse, .blink = cell.attrs.blink,
	};
}

/* Appends row y at p, without its trailing blanks; returns the end. */
static char *add_row(struct vt *vt, int y, char *p)
{
	char *end = p;

	for (int x = 0; x < vt->cols; x++) {
		uint32_t ch = vt_cell(vt, x, y).ch;

		if (ch == 0)
			continue;
		p += text_encode(ch, p);
		if (ch != ' ')
			end = p;
	}
	*end = '\0';
	return end;
}

const char *vt_row(struct vt *vt, int y)
{
	vt->row = realloc(vt->row, (size_t)vt->cols * 4 + 1);
	assert_non_null(vt->row);
	add_row(vt, y, vt->row);
	return vt->row;
}

const char *vt_text(struct vt *vt)
{
	char *p;

	vt->text = realloc(vt->text, ((size_t)vt->cols * 4 + 1) * (size_t)vt->rows + 1);
	assert_non_null(vt->text);
	p = vt->text;
	for (int y = 0; y < vt->rows; y++) {
		p = add_row(vt, y, p);
		*p++ = '\n';
	}
	*p = '\0';
	return vt->text;
}

bool vt_find(struct vt *vt, const char *text, int *x, int *y)
{
	char utf8[4];

	for (int row = 0; row < vt->rows; row++) {
		const char *line = vt_row(vt, row), *hit = strstr(line, text);
		size_t bytes = 0;
		int col = 0;

		if (!hit)
			continue;
		for (; bytes < (size_t)(hit - line); col++) {
			uint32_t ch = vt_cell(vt, col, row).ch;

			bytes += ch ? text_encode(ch, utf8) : 0;
		}
		if (col > 0 && col < vt->cols && vt_cell(vt, col, row).ch == 0)
			col++;
		if (x)
			*x = col;
		if (y)
			*y = row;
		return true;
	}
	return false;
}

bool vt_on_alternate_screen(const struct vt *vt)
{
	return vt->alternate;
}

bool vt_cursor_visible(const struct vt *vt)
{
	return vt->cursor;
}

bool vt_keypad_mode(const struct vt *vt)
{
	return vt->keypad;
}

bool vt_mouse_mode(const struct vt *vt)
{
	return vt->mouse;
}

struct termios vt_termios(const struct vt *vt)
{
	struct termios t = { 0 };

	assert_int_equal(tcgetattr(vt->master, &t), 0);	/* Linux: the master gives the line's */
	return t;
}

void vt_assert_put_back(const struct vt *vt)
{
	struct termios now = vt_termios(vt);

	assert_false(vt->alternate);
	assert_true(vt->cursor);
	assert_false(vt->keypad);
	assert_false(vt->mouse);
	assert_int_equal(now.c_lflag & (ICANON | ECHO | ISIG | NOFLSH), ICANON | ECHO | ISIG);
	assert_int_equal(now.c_iflag & ICRNL, ICRNL);
	assert_int_equal(now.c_oflag & (OPOST | ONLCR), OPOST | ONLCR);
}

pid_t vt_pid(const struct vt *vt)
{
	return vt->pid;
}

const char *vt_home(const struct vt *vt)
{
	return vt->home;
}

void vt_mark(struct vt *vt)
{
	vt->nsent = vt->clears = 0;
}

size_t vt_bytes(const struct vt *vt)
{
	return vt->nsent;
}

size_t vt_clears(const struct vt *vt)
{
	return vt->clears;
}

bool vt_was_sent(const struct vt *vt, const char *bytes)
{
	return vt->nsent > 0 && memmem(vt->sent, vt->nsent, bytes, strlen(bytes));
}

void vt_dump(struct vt *vt, FILE *out)
{
	fprintf(out, "# screen of %dx%d:\n", vt->cols, vt->rows);
	for (int y = 0; y < vt->rows; y++)
		fprintf(out, "# |%s\n", vt_row(vt, y));
	fflush(out);
}
