/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of vmload. */
#include "probes/vmload.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/text.h"

enum { MIB = 1 << 20, TASKS_MAX = 10000, PERCENT_MAX = 1000, LONG_FIRST = 256, ERR_SIZE = 512 };

enum command { COMMAND_FILL = 1, COMMAND_MAP = 2, COMMAND_ANY = 3 };

enum option_id {
	OPTION_PERCENT, OPTION_OF, OPTION_BYTES, OPTION_CHUNK, OPTION_WRITE, OPTION_EVERY_BYTE,
	OPTION_CONTENT, OPTION_PASSES, OPTION_TASKS, OPTION_HOLD, OPTION_PAGES, OPTION_DIR,
	OPTION_NO_VERIFY, OPTION_TIMES, OPTION_SEED, OPTION_HELP, OPTION_VERSION, OPTION_COUNT
};

struct option_info {
	enum command command;
	char letter;
	const char *name, *arg, *help;
};

static const struct option_info infos[OPTION_COUNT] = {
	[OPTION_PERCENT] = { COMMAND_FILL, 'p', "percent", "N", "what is missing to N percent" },
	[OPTION_OF] = { COMMAND_FILL, 0, "of", "WHAT",
		"of free, ram, ram+swap or cgroup (cgroup where one limits, else ram+swap)" },
	[OPTION_BYTES] = { COMMAND_FILL, 'b', "bytes", "SIZE", "exactly so much, such as 512M" },
	[OPTION_CHUNK] = { COMMAND_FILL, 'c', "chunk", "SIZE", "allocate so much at a time (1M)" },
	[OPTION_WRITE] = { COMMAND_FILL, 'w', "write", NULL, "write every page" },
	[OPTION_EVERY_BYTE] = { COMMAND_FILL, 0, "every-byte", NULL,
		"write every byte by a store of its own, as mtest01 did in 2001" },
	[OPTION_CONTENT] = { COMMAND_FILL, 0, "content", "WHAT",
		"write zero, text or random (random)" },
	[OPTION_PASSES] = { COMMAND_FILL, 0, "passes", "N", "walk over the memory N times (1)" },
	[OPTION_TASKS] = { COMMAND_FILL, 'j', "tasks", "N", "split it over N processes (1)" },
	[OPTION_HOLD] = { COMMAND_FILL, 0, "hold", "SEC",
		"keep it for SEC seconds once it is filled" },
	[OPTION_PAGES] = { COMMAND_MAP, 'm', "pages", "N", "a file of N pages (1000)" },
	[OPTION_DIR] = { COMMAND_MAP, 'd', "dir", "DIR", "in DIR ($TMPDIR, else /var/tmp)" },
	[OPTION_NO_VERIFY] = { COMMAND_MAP, 0, "no-verify", NULL, "do not read it back" },
	[OPTION_TIMES] = { COMMAND_ANY, 'n', "times", "N", "do all that N times (1)" },
	[OPTION_SEED] = { COMMAND_ANY, 0, "seed", "N", "other random or text content (1)" },
	[OPTION_HELP] = { COMMAND_ANY, 'h', "help", NULL, "show this" },
	[OPTION_VERSION] = { COMMAND_ANY, 'V', "version", NULL, "show the version" },
};

struct options {
	enum command command;
	bool help, version;
	bool content_given;
	unsigned percent;	/* 0: bytes were given */
	int of;			/* -1, or an enum room_of */
	struct fill_options fill;
	struct map_options map;
};

static const char *const of_words[] = {
	[ROOM_FREE] = "free", [ROOM_RAM] = "ram", [ROOM_RAM_SWAP] = "ram+swap",
	[ROOM_CGROUP] = "cgroup", NULL
};

static const char *const content_words[] = {
	[CONTENT_ZERO] = "zero", [CONTENT_TEXT] = "text", [CONTENT_RANDOM] = "random", NULL
};

static const char *command_word(enum command command)
{
	switch (command) {
	case COMMAND_FILL: return " fill";
	case COMMAND_MAP: return " map";
	case COMMAND_ANY: break;
	}
	return "";
}

static int complain(enum command command, const char *message, int status)
{
	fprintf(stderr, "vmload%s: %s\n", command_word(command), message);
	return status;
}

/* --- Parsing: 0, or -EINVAL and a line in err --- */

static int bad(char *err, enum option_id id, const char *arg, const char *right)
{
	snprintf(err, ERR_SIZE, "--%s: '%.80s' is not %s", infos[id].name, arg, right);
	return -EINVAL;
}

static int take_number(char *err, enum option_id id, const char *arg, uint64_t min, uint64_t max,
	uint64_t *value)
{
	char right[80], *end = NULL;

	errno = 0;
	*value = strtoull(arg, &end, 10);
	if (*arg >= '0' && *arg <= '9' && !*end && !errno && *value >= min && *value <= max)
		return 0;
	snprintf(right, sizeof(right), "a number from %" PRIu64 " to %" PRIu64, min, max);
	return bad(err, id, arg, right);
}

static int take_count(char *err, enum option_id id, const char *arg, unsigned max, unsigned *count)
{
	uint64_t value;
	int error = take_number(err, id, arg, 1, max, &value);

	if (!error)
		*count = (unsigned)value;
	return error;
}

static int take_size(char *err, enum option_id id, const char *arg, uint64_t *bytes)
{
	int error = text_parse_bytes(arg, bytes);

	if (error == -ERANGE || (!error && *bytes > INT64_MAX))
		return bad(err, id, arg, "a size below 8 EiB");
	if (error || *bytes == 0)
		return bad(err, id, arg,
			"a size such as 1574421340 or 512M (K M G T, powers of 1024)");
	return 0;
}

static int take_word(char *err, enum option_id id, const char *arg, const char *const *words,
	int *word)
{
	char right[80] = "one of";

	for (int i = 0; words[i]; i++) {
		size_t n = strlen(right);

		if (strcmp(arg, words[i]) == 0) {
			*word = i;
			return 0;
		}
		snprintf(right + n, sizeof(right) - n, " %s", words[i]);
	}
	return bad(err, id, arg, right);
}

static int take_content(char *err, struct options *o, const char *arg)
{
	int word, error = take_word(err, OPTION_CONTENT, arg, content_words, &word);

	if (!error)
		o->fill.content = (enum content)word;
	o->content_given = true;
	return error;
}

static int take(struct options *o, enum option_id id, const char *arg, char *err)
{
	uint64_t max_pages = INT64_MAX / (uint64_t)sysconf(_SC_PAGESIZE);
	unsigned *times = o->command == COMMAND_FILL ? &o->fill.times : &o->map.times;
	uint64_t *seed = o->command == COMMAND_FILL ? &o->fill.seed : &o->map.seed;

	switch (id) {
	case OPTION_PERCENT: return take_count(err, id, arg, PERCENT_MAX, &o->percent);
	case OPTION_OF: return take_word(err, id, arg, of_words, &o->of);
	case OPTION_BYTES: return take_size(err, id, arg, &o->fill.bytes);
	case OPTION_CHUNK: return take_size(err, id, arg, &o->fill.chunk);
	case OPTION_EVERY_BYTE: o->fill.every_byte = true; /* fall through */
	case OPTION_WRITE: o->fill.write = true; return 0;
	case OPTION_CONTENT: return take_content(err, o, arg);
	case OPTION_PASSES: return take_count(err, id, arg, INT32_MAX, &o->fill.passes);
	case OPTION_TASKS: return take_count(err, id, arg, TASKS_MAX, &o->fill.tasks);
	case OPTION_HOLD: return take_count(err, id, arg, INT32_MAX, &o->fill.hold_s);
	case OPTION_PAGES: return take_number(err, id, arg, 1, max_pages, &o->map.pages);
	case OPTION_DIR: o->map.dir = arg; return 0;
	case OPTION_NO_VERIFY: o->map.verify = false; return 0;
	case OPTION_TIMES: return take_count(err, id, arg, INT32_MAX, times);
	case OPTION_SEED: return take_number(err, id, arg, 0, UINT64_MAX, seed);
	case OPTION_HELP: o->help = true; return 0;
	case OPTION_VERSION: o->version = true; return 0;
	case OPTION_COUNT: break;
	}
	return 0;
}

/* The options of a command in getopt's form. */
static void getopt_tables(enum command command, struct option *longs, char *shorts)
{
	*shorts++ = ':';	/* tell a missing argument from an unknown option */
	for (int i = 0; i < OPTION_COUNT; i++) {
		if ((infos[i].command & command) != command)
			continue;
		*longs++ = (struct option){ .name = infos[i].name, .val = LONG_FIRST + i,
			.has_arg = infos[i].arg ? required_argument : no_argument };
		if (infos[i].letter)
			*shorts++ = infos[i].letter;
		if (infos[i].letter && infos[i].arg)
			*shorts++ = ':';
	}
	*longs = (struct option){ 0 };
	*shorts = '\0';
}

static enum option_id option_of(int c)
{
	int i = c - LONG_FIRST;

	if (c < LONG_FIRST)
		for (i = 0; i < OPTION_COUNT && infos[i].letter != c; i++)
			;
	return (enum option_id)i;
}

/* What getopt found wrong: c is '?' or ':'. An unknown long option leaves 0 in optopt. */
static int bad_option(char *err, int c, const char *word)
{
	if (c == ':')
		snprintf(err, ERR_SIZE, "--%s wants %s: see vmload --help",
			infos[option_of(optopt)].name, infos[option_of(optopt)].arg);
	else if (optopt && optopt < LONG_FIRST)
		snprintf(err, ERR_SIZE, "there is no option -%c: see vmload --help", optopt);
	else
		snprintf(err, ERR_SIZE, "there is no option %.80s: see vmload --help", word);
	return -EINVAL;
}

/* What no option can see by itself. */
static int check(struct options *o, char *err)
{
	struct fill_options *f = &o->fill;
	const char *wrong = NULL;

	if (o->help || o->version || o->command == COMMAND_MAP)
		return 0;
	if (o->command == COMMAND_ANY)
		wrong = "say what to do, fill or map: see vmload --help";
	else if (!o->percent && !f->bytes)
		wrong = "say how much: -p PERCENT or -b BYTES";
	else if (o->percent && f->bytes)
		wrong = "-p and -b exclude each other";
	else if (o->of >= 0 && !o->percent)
		wrong = "--of says what -p is of, and there is no -p";
	else if (o->percent > 100 && o->of != ROOM_FREE && o->of != ROOM_RAM)
		wrong = "-p: more than 100 percent there is only --of free or ram";
	else if (!f->write && (o->content_given || f->passes > 1))
		wrong = "--content and --passes say what -w writes, and there is no -w";
	if (wrong)
		snprintf(err, ERR_SIZE, "%s", wrong);
	return wrong ? -EINVAL : 0;
}

static int parse(struct options *o, int argc, char **argv, char *err)
{
	struct option longs[OPTION_COUNT + 1];
	char shorts[3 * OPTION_COUNT];
	int c, error;

	opterr = 0;
	getopt_tables(o->command, longs, shorts);
	while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (c == '?' || c == ':')
			return bad_option(err, c, argv[optind - 1]);
		error = take(o, option_of(c), optarg, err);
		if (error)
			return error;
	}
	if (optind < argc) {
		snprintf(err, ERR_SIZE, "what is '%.80s'? See vmload --help", argv[optind]);
		return -EINVAL;
	}
	return check(o, err);
}

/* --- Help --- */

static void help_options(enum command command)
{
	for (int i = 0; i < OPTION_COUNT; i++) {
		const struct option_info *info = &infos[i];
		char name[40];

		if (info->command != command)
			continue;
		snprintf(name, sizeof(name), "--%s%s%s", info->name, info->arg ? " " : "",
			info->arg ? info->arg : "");
		printf("  %c%c%c %-15s %s\n", info->letter ? '-' : ' ',
			info->letter ? info->letter : ' ', info->letter ? ',' : ' ', name,
			info->help);
	}
}

static void help(void)
{
	puts("Usage: vmload fill [OPTIONS] -p N|-b SIZE\n"
	     "       vmload map [OPTIONS]\n"
	     "Loads for the virtual memory of Linux.\n"
	     "\n"
	     "fill: allocates memory, writes it, frees it");
	help_options(COMMAND_FILL);
	puts("\nmap: writes every byte of a mapped file, flushes it, reads it back");
	help_options(COMMAND_MAP);
	puts("\nboth:");
	help_options(COMMAND_ANY);
}

/* --- Running --- */

/* The OOM killer's first choice, before whatever else runs here. Without /proc, never mind. */
static void offer_to_oom_killer(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!write(fd, "1000", 4);
	close(fd);
}

/* Turns -p into bytes, once for all times. */
static int fill_resolve(struct options *o, char *err)
{
	uint64_t total, used;
	enum room_of of;
	struct room room;
	int error = room_read("", &room);

	if (error) {
		snprintf(err, ERR_SIZE, "/proc/meminfo: %s", strerror(-error));
		return error;
	}
	of = o->of >= 0 ? (enum room_of)o->of : room_default(&room);
	error = room_target(&room, of, o->percent, &o->fill.bytes, &total, &used);
	if (error == -ENODATA)
		snprintf(err, ERR_SIZE, "--of cgroup: this is in no memory cgroup with a limit");
	else if (error)
		snprintf(err, ERR_SIZE, "-p %u: %" PRIu64 " of the %" PRIu64 " bytes are in use "
			"already, page cache counted: see --of and -b", o->percent, used, total);
	else
		printf("filling %u%% of %s: -b %" PRIu64 "\n", o->percent, room_words(of),
			o->fill.bytes);
	fflush(stdout);
	return error;
}

/* Returns the exit status; with a line in err unless it is 0. */
static int run(struct options *o, char *err)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int error = 0;

	if (o->command == COMMAND_MAP)
		return map_run(&o->map, stdout, err, ERR_SIZE) ? 1 : 0;
	if (o->percent)
		error = fill_resolve(o, err);
	if (!error && o->fill.tasks > (o->fill.bytes - 1) / page + 1) {
		snprintf(err, ERR_SIZE, "-j %u: more tasks than pages", o->fill.tasks);
		return 2;
	}
	return error || fill_run(&o->fill, stdout, err, ERR_SIZE) ? 1 : 0;
}

static enum command command_of(const char *word)
{
	if (strcmp(word, "fill") == 0)
		return COMMAND_FILL;
	return strcmp(word, "map") == 0 ? COMMAND_MAP : COMMAND_ANY;
}

static const char *default_dir(void)
{
	const char *dir = getenv("TMPDIR");

	/* Not /tmp, which is memory on many machines: the load is about writing a file. */
	return dir && *dir ? dir : "/var/tmp";
}

int main(int argc, char **argv)
{
	struct options o = {
		.command = argc > 1 ? command_of(argv[1]) : COMMAND_ANY,
		.of = -1,
		.fill = { .chunk = MIB, .content = CONTENT_RANDOM, .seed = 1, .times = 1,
			.tasks = 1, .passes = 1 },
		.map = { .pages = 1000, .dir = default_dir(), .seed = 1, .times = 1,
			.verify = true },
	};
	int word = o.command != COMMAND_ANY, status = 0;
	char err[ERR_SIZE] = "";

	if (parse(&o, argc - word, argv + word, err))
		return complain(o.command, err, 2);
	if (o.help)
		help();
	else if (o.version)
		puts("vmload (vmtop) " PACKAGE_VERSION);
	else {
		offer_to_oom_killer();
		status = run(&o, err);
	}
	if (status)
		return complain(o.command, err, status);
	if (fflush(stdout) || ferror(stdout))
		return complain(o.command, "cannot write the output", 1);
	return 0;
}
