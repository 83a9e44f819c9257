/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of vmtop-playback. */
#include "probes/playback_run.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "probes/playback_control.h"
#include "probes/playback_sinks.h"
#include "src/text.h"

enum { LONG_FIRST = 256, ERR_SIZE = 512, MAKE_SECONDS = 300, SECONDS_MAX = 1000000 };

enum option_id {
	OPTION_FILE, OPTION_TONE, OPTION_DROP_CACHE, OPTION_SINK, OPTION_SERVER, OPTION_BUFFER,
	OPTION_NICE, OPTION_LOCK, OPTION_SECONDS, OPTION_PARENT, OPTION_MAKE_FILE, OPTION_HELP,
	OPTION_VERSION, OPTION_COUNT
};

static const struct {
	char letter;
	const char *name, *arg, *help;
} infos[OPTION_COUNT] = {
	[OPTION_FILE] = { 'f', "file", "FILE", "play this sound file, over and over" },
	[OPTION_TONE] = { 0, "tone", NULL, "play a tone (without FILE and this: silence)" },
	[OPTION_DROP_CACHE] = { 0, "drop-cache", NULL,
		"drop what was read of FILE, so that every read meets the disk" },
	[OPTION_SINK] = { 's', "sink", "WHAT",
		"auto: clocks, and the sound server if there is one; clock: no server; pulse: keep "
		"trying (auto)" },
	[OPTION_SERVER] = { 0, "server", "NAME", "this PulseAudio server" },
	[OPTION_BUFFER] = { 'b', "buffer", "MS", "the buffer that the headline is about (200)" },
	[OPTION_NICE] = { 'n', "nice", "N", "nice value" },
	[OPTION_LOCK] = { 'l', "lock", NULL, "lock its memory" },
	[OPTION_SECONDS] = { 'd', "seconds", "SEC",
		"end after SEC seconds; length of --make-file (300)" },
	[OPTION_PARENT] = { 0, "parent", "PID", "end with this process, and with stdin" },
	[OPTION_MAKE_FILE] = { 0, "make-file", "FILE",
		"write a song to FILE (.wav .flac .ogg .mp3), and play nothing" },
	[OPTION_HELP] = { 'h', "help", NULL, "show this" },
	[OPTION_VERSION] = { 'V', "version", NULL, "show the version" },
};

struct options {
	struct run_options run;
	const char *make_file;
	bool help, version, nice_given;
	int nice;
};

static int complain(const char *message, int status)
{
	fprintf(stderr, "vmtop-playback: %s\n", message);
	return status;
}

/* --- Parsing: 0, or -EINVAL and a line in err --- */

static int bad(char *err, enum option_id id, const char *arg, const char *right)
{
	char shown[100];

	text_safe(shown, sizeof(shown), arg, strlen(arg));
	snprintf(err, ERR_SIZE, "--%s: '%s' is not %s", infos[id].name, shown, right);
	return -EINVAL;
}

static int take_sink(struct options *o, const char *arg, char *err)
{
	o->run.pulse = strcmp(arg, "clock") != 0;
	o->run.pulse_retry = strcmp(arg, "pulse") == 0;
	if (o->run.pulse && !o->run.pulse_retry && strcmp(arg, "auto") != 0)
		return bad(err, OPTION_SINK, arg, "auto, clock or pulse");
	return 0;
}

static int take_seconds(struct options *o, const char *arg, char *err)
{
	char *end;

	o->run.seconds = strtod(arg, &end);
	if (end == arg || *end || !(o->run.seconds > 0 && o->run.seconds <= SECONDS_MAX))
		return bad(err, OPTION_SECONDS, arg, "a number of seconds above 0, up to 1000000");
	return 0;
}

static int take_parent(struct options *o, const char *arg, char *err)
{
	char *end;
	long pid = strtol(arg, &end, 10);

	if (*arg < '0' || *arg > '9' || *end || pid < 1 || pid > 1 << 22)
		return bad(err, OPTION_PARENT, arg, "the id of a process");
	o->run.parent = (pid_t)pid;
	return 0;
}

static int take(struct options *o, enum option_id id, const char *arg, char *err)
{
	switch (id) {
	case OPTION_FILE: o->run.file = arg; return 0;
	case OPTION_TONE: o->run.tone = true; return 0;
	case OPTION_DROP_CACHE: o->run.drop = true; return 0;
	case OPTION_SINK: return take_sink(o, arg, err);
	case OPTION_SERVER: o->run.server = arg; return 0;
	case OPTION_BUFFER:
		return control_parse_buffer(arg, &o->run.buffer_ms) ? 0 :
			bad(err, id, arg, "a number of ms from 15 to 10000");
	case OPTION_NICE:
		o->nice_given = true;
		return control_parse_nice(arg, &o->nice) ? 0 :
			bad(err, id, arg, "a number from -20 to 19");
	case OPTION_LOCK: o->run.lock = true; return 0;
	case OPTION_SECONDS: return take_seconds(o, arg, err);
	case OPTION_PARENT: return take_parent(o, arg, err);
	case OPTION_MAKE_FILE: o->make_file = arg; return 0;
	case OPTION_HELP: o->help = true; return 0;
	case OPTION_VERSION: o->version = true; return 0;
	case OPTION_COUNT: break;
	}
	return 0;
}

static void getopt_tables(struct option *longs, char *shorts)
{
	*shorts++ = ':';	/* tell a missing argument from an unknown option */
	for (int i = 0; i < OPTION_COUNT; i++) {
		*longs++ = (struct option){ .name = infos[i].name, .val = LONG_FIRST + i,
			.has_arg = infos[i].arg ? required_argument : no_argument };
		if (infos[i].letter)
			*shorts++ = infos[i].letter;
		if (infos[i].letter && infos[i].arg)
			*shorts++ = ':';
	}
	*longs = (struct option){ .name = NULL };
	*shorts = '\0';
}

static enum option_id id_of(int c)
{
	int i = 0;

	if (c >= LONG_FIRST)
		return (enum option_id)(c - LONG_FIRST);
	while (infos[i].letter != c)
		i++;
	return (enum option_id)i;
}

static int parse(struct options *o, int argc, char **argv, char *err)
{
	struct option longs[OPTION_COUNT + 1];
	char shorts[2 * OPTION_COUNT + 2];
	int c, error = 0;

	getopt_tables(longs, shorts);
	opterr = 0;
	while (!error && (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (c == '?' || c == ':') {
			snprintf(err, ERR_SIZE, c == '?' ? "unknown option: %s" :
				"%s needs an argument", argv[optind - 1]);
			return -EINVAL;
		}
		error = take(o, id_of(c), optarg, err);
	}
	if (!error && optind < argc) {
		snprintf(err, ERR_SIZE, "unexpected: %s", argv[optind]);
		return -EINVAL;
	}
	if (!error && o->run.drop && !o->run.file) {
		snprintf(err, ERR_SIZE, "--drop-cache is about a --file");
		return -EINVAL;
	}
	return error;
}

static void help(void)
{
	char option[40];

	puts("Usage: vmtop-playback [OPTIONS]\n"
		"Plays as a music player does, counts the gaps, and says whose fault each was.\n");
	for (int i = 0; i < OPTION_COUNT; i++) {
		snprintf(option, sizeof(option), "%s%s%s", infos[i].name, infos[i].arg ? " " : "",
			infos[i].arg ? infos[i].arg : "");
		printf("  %c%c%c --%-18s %s\n", infos[i].letter ? '-' : ' ',
			infos[i].letter ? infos[i].letter : ' ', infos[i].letter ? ',' : ' ',
			option, infos[i].help);
	}
	puts("\nWhile it runs it takes lines on stdin: nice N, lock on|off, buffer MS,\n"
		"pause on|off, file PATH, file, tone on|off, drop-cache on|off, quit.");
}

static int make_file(const struct options *o, char *err)
{
	char why[200];
	double seconds = o->run.seconds > 0 ? o->run.seconds : MAKE_SECONDS;

	if (!song_make(o->make_file, seconds, why, sizeof(why)))
		return 0;
	snprintf(err, ERR_SIZE, "cannot make %s: %s", o->make_file, why);
	return 1;
}

static int play(const struct options *o, char *err)
{
	char why[ERR_SIZE];

	if (o->nice_given && setpriority(PRIO_PROCESS, 0, o->nice)) {
		snprintf(err, ERR_SIZE, "--nice %d: %s", o->nice, strerror(errno));
		return 1;
	}
	if (!run(&o->run, why, sizeof(why)))
		return 0;
	snprintf(err, ERR_SIZE, "%s", why);
	return 1;
}

int main(int argc, char **argv)
{
	struct options o = { .run = { .pulse = true, .buffer_ms = SINK_BUFFER_MS } };
	char err[ERR_SIZE] = "", shown[ERR_SIZE];
	int status = 0;

	if (parse(&o, argc, argv, err))
		status = 2;
	else if (o.help)
		help();
	else if (o.version)
		puts("vmtop-playback (vmtop) " PACKAGE_VERSION);
	else
		status = o.make_file ? make_file(&o, err) : play(&o, err);
	if (status) {
		text_safe(shown, sizeof(shown), err, strlen(err));
		return complain(shown, status);
	}
	if (fflush(stdout) || ferror(stdout))
		return complain("cannot write the output", 1);
	return 0;
}
