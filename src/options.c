/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "src/text.h"

enum { NS_PER_S = 1000000000, OPTION_FIRST = 256, MEMORY_LEAST = 1 << 20 };

enum option_id {
#define OPTION(symbol, name, letter, arg, help) OPTION_##symbol,
#include "src/options.def"
#undef OPTION
	OPTION_COUNT
};

struct option_info {
	const char *name, *arg, *help;
	char letter;
};

static const struct option_info infos[OPTION_COUNT] = {
#define OPTION(symbol, name_, letter_, arg_, help_) \
	[OPTION_##symbol] = { .name = name_, .letter = letter_, .arg = arg_, .help = help_ },
#include "src/options.def"
#undef OPTION
};

struct mode_info {
	const char *word, *help;
	enum mode mode;
};

static const struct mode_info modes[] = {
	{ "demo", "the dashboard over the bundled load, on whatever this machine has", MODE_DEMO },
};

int options_parse_seconds(const char *s, int64_t min_ns, int64_t max_ns, int64_t *ns)
{
	int64_t whole = 0, part = 0, scale = NS_PER_S;
	bool digits = false;

	for (; *s >= '0' && *s <= '9'; s++) {
		digits = true;
		whole = whole * 10 + (*s - '0');
		if (whole > INT32_MAX)
			return -ERANGE;
	}
	if (*s == '.')
		for (s++; *s >= '0' && *s <= '9'; s++) {
			digits = true;
			scale /= 10;
			part += (*s - '0') * scale;
		}
	if (!digits || *s)
		return -EINVAL;
	*ns = whole * NS_PER_S + part;
	return *ns < min_ns || *ns > max_ns ? -ERANGE : 0;
}

int options_parse_size(const char *s, int *cols, int *rows)
{
	char *end;
	long w, h;

	if (*s < '0' || *s > '9')
		return -EINVAL;
	w = strtol(s, &end, 10);
	if (*end != 'x' || end[1] < '0' || end[1] > '9')
		return -EINVAL;
	h = strtol(end + 1, &end, 10);
	if (*end || w < 40 || w > 1000 || h < 10 || h > 400)
		return -EINVAL;
	*cols = (int)w;
	*rows = (int)h;
	return 0;
}

static int bad(char *err, size_t size, enum option_id id, const char *arg, const char *right)
{
	snprintf(err, size, "--%s: '%s' is not %s", infos[id].name, arg, right);
	return -EINVAL;
}

static int take_playback(struct options *o, const char *arg, char *err, size_t size)
{
	static const char *const words[] = {
		[PLAYBACK_AUTO] = "auto", [PLAYBACK_PULSE] = "pulse", [PLAYBACK_CLOCK] = "clock",
		[PLAYBACK_OFF] = "off",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(arg, words[i]) == 0) {
			o->playback = (enum playback_where)i;
			o->playback_given = true;
			return 0;
		}
	return bad(err, size, OPTION_PLAYBACK, arg, "auto, pulse, clock or off");
}

static int take(struct options *o, enum option_id id, const char *arg, char *err, size_t size)
{
	switch (id) {
	case OPTION_INTERVAL:
		if (options_parse_seconds(arg, INTERVAL_MIN_NS, INTERVAL_MAX_NS, &o->interval_ns))
			return bad(err, size, id, arg, "a number of seconds from 0.02 to 3600");
		break;
	case OPTION_DURATION:
		if (options_parse_seconds(arg, INTERVAL_MIN_NS, INT32_MAX * 1000000000LL,
					  &o->duration_ns))
			return bad(err, size, id, arg, "a number of seconds from 0.02 up");
		break;
	case OPTION_MEMORY:
		if (text_parse_bytes(arg, &o->memory) || o->memory < MEMORY_LEAST)
			return bad(err, size, id, arg, "a size from 1M up, such as 128M or 2G");
		break;
	case OPTION_SIZE:
		if (options_parse_size(arg, &o->cols, &o->rows))
			return bad(err, size, id, arg, "COLSxROWS from 40x10 to 1000x400");
		break;
	case OPTION_RECLAIM_FILTER:
		o->reclaim_family = strcmp(arg, "workload") == 0;
		if (!o->reclaim_family && strcmp(arg, "all") != 0)
			return bad(err, size, id, arg, "all or workload");
		break;
	case OPTION_PLAYBACK: return take_playback(o, arg, err, size);
	case OPTION_PLAYBACK_FILE:
		o->playback_file = arg;
		o->playback_given = true;
		break;
	case OPTION_FEEL:
		o->feel_given = true;
		o->feel = strcmp(arg, "on") == 0;
		if (!o->feel && strcmp(arg, "off") != 0)
			return bad(err, size, id, arg, "on or off");
		break;
	case OPTION_THEME: o->theme = arg; break;
	case OPTION_ASCII: o->ascii = true; break;
	case OPTION_ROOT: o->root = arg; break;
	case OPTION_SCRIPT: o->script = arg; break;
	case OPTION_DUMP: o->dump = arg; break;
	case OPTION_HELP: o->mode = MODE_HELP; break;
	case OPTION_VERSION: o->mode = MODE_VERSION; break;
	case OPTION_COUNT: break;
	}
	return 0;
}

static void getopt_tables(struct option *longs, char *shorts)
{
	*shorts++ = '+';	/* what follows the first word is COMMAND's */
	*shorts++ = ':';
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		longs[i] = (struct option){
			.name = infos[i].name, .val = OPTION_FIRST + (int)i,
			.has_arg = *infos[i].arg ? required_argument : no_argument,
		};
		if (infos[i].letter) {
			*shorts++ = infos[i].letter;
			if (*infos[i].arg)
				*shorts++ = ':';
		}
	}
	longs[OPTION_COUNT] = (struct option){ 0 };
	*shorts = '\0';
}

static int option_index(int c)
{
	if (c >= OPTION_FIRST)
		return c - OPTION_FIRST;
	for (int i = 0; i < OPTION_COUNT; i++)
		if (infos[i].letter == c)
			return i;
	return -1;
}

/* Options up to the next word or "--"; both may stand before and after the mode's word. */
static int parse_options(struct options *o, int argc, char *const *argv, char *err, size_t size)
{
	struct option longs[OPTION_COUNT + 1];
	char shorts[3 + 2 * OPTION_COUNT];
	int c, index, error;

	getopt_tables(longs, shorts);
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (c == '?' || c == ':') {
			snprintf(err, size, c == ':' ? "%s needs an argument; see vmtop --help" :
						       "unknown option %s; see vmtop --help",
				 argv[optind - 1]);
			return -EINVAL;
		}
		index = option_index(c);
		error = index < 0 ? -EINVAL : take(o, (enum option_id)index, optarg, err, size);
		if (error)
			return error;
	}
	return 0;
}

/* What measures beside the workload is for who watches; elsewhere it is there when asked for. */
static void set_defaults(struct options *o)
{
	bool watched = !*o->root && (!o->dump || o->mode == MODE_DEMO);

	if (!o->playback_given)
		o->playback = watched ? PLAYBACK_AUTO : PLAYBACK_OFF;
	if (!o->feel_given)
		o->feel = watched;
}

static int check_together(const struct options *o, char *err, size_t size)
{
	if (o->memory && !o->command) {
		snprintf(err, size, "--memory needs a COMMAND to run: vmtop --memory SIZE -- COMMAND");
		return -EINVAL;
	}
	if (o->reclaim_family && !o->command && o->mode != MODE_DEMO) {
		snprintf(err, size, "--reclaim-filter workload needs a COMMAND: vmtop "
			 "--reclaim-filter workload -- COMMAND");
		return -EINVAL;
	}
	if (o->playback_file && o->playback == PLAYBACK_OFF) {
		snprintf(err, size, "--playback-file needs a player: not --playback off");
		return -EINVAL;
	}
	if (*o->root && ((o->playback_given && o->playback != PLAYBACK_OFF) || o->feel)) {
		snprintf(err, size, "--root shows another tree: nothing can be played or felt in it");
		return -EINVAL;
	}
	if (*o->root && (o->command || o->mode == MODE_DEMO)) {
		snprintf(err, size, "--root shows another tree: no COMMAND can run in it");
		return -EINVAL;
	}
	if (o->cols && !o->dump) {
		snprintf(err, size, "--size needs --dump FILE: a terminal has its own size");
		return -EINVAL;
	}
	return 0;
}

int options_parse(struct options *o, int argc, char *const *argv, char *err, size_t size)
{
	int error;

	*o = (struct options){ .interval_ns = NS_PER_S, .root = "" };
	*err = '\0';
	optind = 0;
	error = parse_options(o, argc, argv, err, size);
	if (!error && optind < argc && strcmp(argv[optind - 1], "--") != 0) {
		const char *word = argv[optind];
		size_t i, n = sizeof(modes) / sizeof(*modes);

		for (i = 0; i < n && strcmp(modes[i].word, word); i++)
			;
		if (i == n) {
			snprintf(err, size, "unknown word '%s'; to run a command: vmtop -- %s", word,
				 word);
			return -EINVAL;
		}
		o->mode = modes[i].mode;
		argc -= optind;
		argv += optind;
		optind = 0;
		error = parse_options(o, argc, argv, err, size);
	}
	if (error)
		return error;
	if (optind < argc && strcmp(argv[optind - 1], "--") != 0) {
		snprintf(err, size, "unknown word '%s'; to run a command: vmtop -- %s", argv[optind],
			 argv[optind]);
		return -EINVAL;
	}
	if (optind < argc)
		o->command = argv + optind;
	if (o->mode == MODE_DEMO && o->command) {
		snprintf(err, size, "demo brings its own load; to run a command: vmtop -- %s",
			 o->command[0]);
		return -EINVAL;
	}
	if (o->mode == MODE_HELP || o->mode == MODE_VERSION)
		return 0;
	if (check_together(o, err, size))
		return -EINVAL;
	set_defaults(o);
	return 0;
}

void options_help(FILE *out)
{
	fputs("Usage: vmtop [OPTIONS] [-- COMMAND [ARG...]]\n", out);
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		fprintf(out, "       vmtop [OPTIONS] %s\n", modes[i].word);
	fputs("\nShows what Linux virtual memory does, live: swap, memory, reclaim, stalls, CPU.\n"
	      "COMMAND runs under it, in a terminal and session of its own; at the end its\n"
	      "accounting is printed, and vmtop exits with its status.\n\n", out);
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		fprintf(out, "  %-26s %s\n", modes[i].word, modes[i].help);
	fputs("\nOptions:\n", out);
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		char left[48];

		snprintf(left, sizeof(left), "%c%c%s--%s%s%s", infos[i].letter ? '-' : ' ',
			 infos[i].letter ? infos[i].letter : ' ', infos[i].letter ? ", " : "  ",
			 infos[i].name, *infos[i].arg ? " " : "", infos[i].arg);
		fprintf(out, "  %-26s %s\n", left, infos[i].help);
	}
	fputs("\nIn the dashboard ? lists the keys. Exit status: COMMAND's, else 0 done, 1 failed,\n"
	      "2 wrong usage.\n", out);
}
