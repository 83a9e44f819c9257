/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/theme.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/text.h"

#ifndef THEMEDIR
#define THEMEDIR "/usr/local/share/vmtop/themes"
#endif

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define SUFFIX ".theme"

enum {
	NAME_MAX_LEN = 31,
	FILE_MAX = 64 * 1024,
	LINE_MAX_LEN = 200,
	COMPLAINTS_MAX = 10,
	NAMES_MAX = 64,
};

/* Parts of a style that a line sets; the others are the text's. */
enum { SET_FG = 1, SET_BG = 2 };

struct parser {
	struct theme *theme;
	unsigned char set[ROLE_COUNT];	/* SET_ bits */
	bool named[ROLE_COUNT];
	const char *path;
	unsigned int line, complaints;
	theme_complain *complain;
	void *arg;
};

static const char *const role_names[ROLE_COUNT] = {
#define ROLE(symbol, name, meaning) [ROLE_##symbol] = name,
#include "ui/roles.def"
#undef ROLE
};

void theme_builtin(struct theme *t)
{
	static const unsigned char attributes[ROLE_COUNT] = {
		[ROLE_DIM] = STYLE_DIM, [ROLE_BOLD] = STYLE_BOLD, [ROLE_KEY] = STYLE_BOLD,
		[ROLE_FRAME] = STYLE_DIM, [ROLE_FRAME_FOCUS] = STYLE_BOLD,
		[ROLE_TITLE] = STYLE_BOLD, [ROLE_AXIS] = STYLE_DIM,
		[ROLE_CURSOR] = STYLE_REVERSE, [ROLE_MARK] = STYLE_BOLD,
		[ROLE_WARN] = STYLE_BOLD, [ROLE_ALARM] = STYLE_BOLD | STYLE_REVERSE,
		[ROLE_NA] = STYLE_DIM, [ROLE_MESSAGE] = STYLE_BOLD, [ROLE_PROMPT] = STYLE_BOLD,
		[ROLE_SELECTED] = STYLE_REVERSE, [ROLE_SWAP_OUT] = STYLE_BOLD,
		[ROLE_MEM_FREE] = STYLE_DIM, [ROLE_MEM_ANON] = STYLE_BOLD,
		[ROLE_DIRECT] = STYLE_BOLD, [ROLE_FULL] = STYLE_BOLD, [ROLE_FAULT] = STYLE_BOLD,
		[ROLE_CPU_SY] = STYLE_BOLD, [ROLE_CPU_WA] = STYLE_DIM, [ROLE_IO_OUT] = STYLE_BOLD,
		[ROLE_GAP_MEMORY] = STYLE_BOLD, [ROLE_GAP_CPU] = STYLE_DIM,
	};

	memset(t, 0, sizeof(*t));
	text_copy(t->name, sizeof(t->name), "mono");
	for (size_t i = 0; i < ROLE_COUNT; i++)
		t->style[i].attributes = attributes[i];
}

/* ---- One line ---- */

static void complain(struct parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "file:line: what (what to do)". A file that is no theme would give one for each line. */
static void complain(struct parser *p, const char *fmt, ...)
{
	char text[512], message[PATH_MAX + 600];
	va_list ap;

	if (!p->complain || ++p->complaints > COMPLAINTS_MAX + 1)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (p->complaints > COMPLAINTS_MAX)
		text_copy(text, sizeof(text),
			  "and more lines that are wrong (is this a theme file?)");
	if (p->line)
		snprintf(message, sizeof(message), "%s:%u: %s", p->path, p->line, text);
	else
		snprintf(message, sizeof(message), "%s: %s", p->path, text);
	p->complain(p->arg, message);
}

/* What a file says, safe and short enough to be repeated in a complaint. */
static const char *quote(const char *word, char (*buf)[64])
{
	text_safe(*buf, sizeof(*buf), word, strlen(word));
	return *buf;
}

/* Letters to insert, drop or replace to make a of b; names are short. */
static int edits(const char *a, const char *b)
{
	int row[NAME_MAX_LEN + 1], la = (int)strlen(a), lb = (int)strlen(b);

	if (la > NAME_MAX_LEN || lb > NAME_MAX_LEN)
		return INT_MAX;
	for (int j = 0; j <= lb; j++)
		row[j] = j;
	for (int i = 1; i <= la; i++) {
		int diagonal = row[0];

		row[0] = i;
		for (int j = 1; j <= lb; j++) {
			int above = row[j], best = diagonal + (a[i - 1] != b[j - 1]);

			if (above + 1 < best)
				best = above + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diagonal = above;
			row[j] = best;
		}
	}
	return row[lb];
}

static void complain_role(struct parser *p, const char *word)
{
	int best = INT_MAX;
	const char *like = NULL;
	char safe[64];

	for (size_t i = 0; i < ROLE_COUNT; i++) {
		int n = edits(word, role_names[i]);

		if (n < best) {
			best = n;
			like = role_names[i];
		}
	}
	if (best <= 2)
		complain(p, "no role \"%s\" (did you mean %s?)", quote(word, &safe), like);
	else
		complain(p, "no role \"%s\" (dark.theme names them all)", quote(word, &safe));
}

static unsigned int parse_attribute(const char *word)
{
	static const struct { const char *name; unsigned int bit; } attributes[] = {
		{ "bold", STYLE_BOLD }, { "dim", STYLE_DIM },
		{ "underline", STYLE_UNDERLINE }, { "reverse", STYLE_REVERSE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		if (strcasecmp(word, attributes[i].name) == 0)
			return attributes[i].bit;
	return 0;
}

/* The words behind "=": colour, "on" and a colour, attributes, a comment. False: complained of. */
static bool parse_style(struct parser *p, char *words, struct style *style, unsigned char *set)
{
	char *word, *save = NULL, safe[64];
	bool on = false;

	for (word = strtok_r(words, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		unsigned int bit = parse_attribute(word);
		struct colour colour;

		if (strcmp(word, "#") == 0)
			break;
		if (!on && bit) {
			style->attributes |= bit;
		} else if (!on && strcasecmp(word, "on") == 0) {
			on = true;
		} else if (!colour_parse(word, &colour)) {
			complain(p, "\"%s\" is no colour and no attribute (a name, 0-255 or "
				 "#rrggbb; bold, dim, underline, reverse)", quote(word, &safe));
			return false;
		} else if (*set & (on ? SET_BG : SET_FG)) {
			complain(p, "one colour too many: \"%s\" (write: colour on background)",
				 quote(word, &safe));
			return false;
		} else {
			*(on ? &style->bg : &style->fg) = colour;
			*set |= on ? SET_BG : SET_FG;
			on = false;
		}
	}
	if (on)
		complain(p, "no colour behind \"on\" (write: colour on background)");
	return !on;
}

static size_t find_role(const char *name)
{
	size_t role = 0;

	while (role < ROLE_COUNT && strcasecmp(name, role_names[role]) != 0)
		role++;
	return role;
}

static char *trim(char *s)
{
	char *end;

	s += strspn(s, " \t");
	end = s + strlen(s);
	while (end > s && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		*--end = '\0';
	return s;
}

static void parse_line(struct parser *p, char *line)
{
	struct style style = { .attributes = 0 };
	unsigned char set = 0;
	char *name = trim(line), *equals, safe[64];
	size_t role;

	if (!*name || *name == '#')
		return;
	equals = strchr(name, '=');
	if (!equals || equals == name) {
		complain(p, "\"%s\" (write: role = colour attributes)", quote(name, &safe));
		return;
	}
	*equals = '\0';
	name = trim(name);
	role = find_role(name);
	if (role == ROLE_COUNT) {
		complain_role(p, name);
		return;
	}
	if (!parse_style(p, trim(equals + 1), &style, &set))
		return;
	if (p->named[role])
		complain(p, "%s a second time (take one of the lines out; this one counts)",
			 role_names[role]);
	p->named[role] = true;
	p->set[role] = set;
	p->theme->style[role] = style;
}

/* ---- One file ---- */

/* What no line named, and colours left out, look like text. */
static void complete(struct parser *p)
{
	struct style *style = p->theme->style;

	for (size_t i = 0; i < ROLE_COUNT; i++) {
		if (!p->named[i])
			style[i].attributes = style[ROLE_TEXT].attributes;
		if (!(p->set[i] & SET_FG))
			style[i].fg = style[ROLE_TEXT].fg;
		if (!(p->set[i] & SET_BG))
			style[i].bg = style[ROLE_TEXT].bg;
	}
}

static void parse_text(struct parser *p, char *text, size_t len)
{
	char *end = text + len;

	if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)	/* byte order mark */
		text += 3;
	while (text < end) {
		char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((newline ? newline : end) - text);

		p->line++;
		if (memchr(text, '\0', n)) {
			complain(p, "a zero byte (is this a text file?)");
		} else if (n > LINE_MAX_LEN) {
			complain(p, "a line of %zu bytes (%d at most; start a comment line with #)",
				 n, LINE_MAX_LEN);
		} else {
			text[n] = '\0';		/* the newline, or the byte behind the file */
			parse_line(p, text);
		}
		text += n + 1;
	}
}

/* Reads a whole file into buf, which has room for one byte more. Length or negative errno. */
static ssize_t read_file(const char *path, char *buf, size_t room)
{
	/* A pipe of that name must not hold vmtop up. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	size_t len = 0;
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		n = -errno;
	else if (S_ISDIR(st.st_mode))
		n = -EISDIR;
	else if (!S_ISREG(st.st_mode))
		n = -EINVAL;
	while (n >= 0 && len <= room) {
		n = read(fd, buf + len, room + 1 - len);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n < 0)
			n = -errno;
		else if (n == 0)
			break;
		len += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	if (n < 0)
		return n;
	return len > room ? -EFBIG : (ssize_t)len;
}

static const char *remedy(int error)
{
	switch (error) {
	case ENOENT: return "check the path";
	case EACCES: return "chmod a+r it";
	case EISDIR: case EINVAL: return "a theme is a text file";
	case EFBIG: return "a theme is a text file of at most 64 KiB";
	}
	return "try another theme";
}

/* The file's name without directory and suffix. */
static void name_of(const char *path, char *name, size_t size)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t len = strlen(base), suffix = strlen(SUFFIX);

	if (len > suffix && strcmp(base + len - suffix, SUFFIX) == 0)
		len -= suffix;
	text_safe(name, size, base, len);
}

int theme_load_file(struct theme *t, const char *path, theme_complain *complaint, void *arg)
{
	struct parser p = { .theme = t, .path = path, .complain = complaint, .arg = arg };
	char *text = malloc(FILE_MAX + 2);
	ssize_t len = text ? read_file(path, text, FILE_MAX) : -ENOMEM;

	theme_builtin(t);
	if (len < 0) {
		complain(&p, "%s (%s)", strerror((int)-len), remedy((int)-len));
		free(text);
		return (int)len;
	}
	memset(t->style, 0, sizeof(t->style));
	parse_text(&p, text, (size_t)len);
	complete(&p);
	name_of(path, t->name, sizeof(t->name));
	text_copy(t->path, sizeof(t->path), path);
	free(text);
	return 0;
}

/* ---- Finding files ---- */

/* The user's directory of themes. */
static bool user_dir(char *buf, size_t size)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n;

	if (config && *config == '/')
		n = snprintf(buf, size, "%s/vmtop/themes", config);
	else if (home && *home == '/')
		n = snprintf(buf, size, "%s/.config/vmtop/themes", home);
	else
		return false;
	return n > 0 && (size_t)n < size;
}

/* A directory beside the program file, so that a build runs where it was made. */
static bool program_dir(const char *relative, char *buf, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", buf, size);
	size_t left;
	char *slash;

	if (n <= 0 || (size_t)n >= size)
		return false;
	buf[n] = '\0';
	slash = strrchr(buf, '/');
	if (!slash)
		return false;
	left = size - (size_t)(slash + 1 - buf);
	return (size_t)snprintf(slash + 1, left, "%s", relative) < left;
}

/* The directories in the order they are searched; false when there is none of that number. */
enum { DIRS = 4 };

static bool theme_dir(int i, char *buf, size_t size)
{
	switch (i) {
	case 0: return user_dir(buf, size);
	case 1: return (size_t)snprintf(buf, size, "%s", THEMEDIR) < size;
	case 2: return program_dir("themes", buf, size);
	}
	return program_dir("../themes", buf, size);
}

/* Names go into paths and onto the screen. */
static bool name_is_safe(const char *name, size_t len)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";

	return len > 0 && len <= NAME_MAX_LEN && name[0] != '.' && name[0] != '-' &&
	       strspn(name, letters) >= len;
}

static int name_order(const void *a, const void *b)
{
	return strcmp(a, b);
}

static size_t list_dir(const char *dir, char (*names)[32], size_t n, size_t max)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	if (!d)
		return n;
	while (n < max && (entry = readdir(d))) {
		size_t len = strlen(entry->d_name), suffix = strlen(SUFFIX), i = 0;

		if (len <= suffix || strcmp(entry->d_name + len - suffix, SUFFIX) != 0)
			continue;
		len -= suffix;
		if (!name_is_safe(entry->d_name, len))
			continue;
		memcpy(names[n], entry->d_name, len);
		names[n][len] = '\0';
		while (i < n && strcmp(names[i], names[n]) != 0)
			i++;
		if (i == n)
			n++;
	}
	closedir(d);
	return n;
}

size_t theme_list(char (*names)[32], size_t max)
{
	char dir[PATH_MAX];
	size_t n = 0;

	for (int i = 0; i < DIRS; i++)
		if (theme_dir(i, dir, sizeof(dir)))
			n = list_dir(dir, names, n, max);
	qsort(names, n, sizeof(*names), name_order);
	return n;
}

static void complain_missing(const char *name, theme_complain *complaint, void *arg)
{
	char names[NAMES_MAX][32], message[512];
	size_t n = theme_list(names, NAMES_MAX);
	int len;

	if (!complaint)
		return;
	len = snprintf(message, sizeof(message), "no theme \"%s\" (", name);
	if (n == 0)
		len += snprintf(message + len, sizeof(message) - (size_t)len,
				"there are none in %s; mono needs no file", THEMEDIR);
	else
		len += snprintf(message + len, sizeof(message) - (size_t)len, "there are:");
	for (size_t i = 0; i < n && len < (int)sizeof(message) - 40; i++)
		len += snprintf(message + len, sizeof(message) - (size_t)len, " %s", names[i]);
	if (len < (int)sizeof(message))
		snprintf(message + len, sizeof(message) - (size_t)len, ")");
	complaint(arg, message);
}

int theme_load(struct theme *t, const char *name, theme_complain *complaint, void *arg)
{
	char dir[PATH_MAX], path[PATH_MAX + 64], safe[64], message[128];

	theme_builtin(t);
	if (!name_is_safe(name, strlen(name))) {
		snprintf(message, sizeof(message),
			 "\"%s\" is no theme name (letters, digits, . _ and -, at most %d)",
			 quote(name, &safe), NAME_MAX_LEN);
		if (complaint)
			complaint(arg, message);
		return -EINVAL;
	}
	for (int i = 0; i < DIRS; i++) {
		/* After su, the user's directory may be somebody else's: no news. */
		if (!theme_dir(i, dir, sizeof(dir)) || access(dir, X_OK) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s" SUFFIX, dir, name);
		if (access(path, F_OK) == 0 && theme_load_file(t, path, complaint, arg) == 0)
			return 0;
	}
	theme_builtin(t);
	if (strcmp(name, t->name) == 0)
		return 0;
	complain_missing(name, complaint, arg);
	return -ENOENT;
}
