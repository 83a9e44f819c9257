/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands: the only thing that changes a view. Keys, the prompt and scripts all come here. What a
 * command wants of the world outside the view (quit, another interval, a file) it leaves in struct
 * ui as a request, which the main loop carries out.
 */
#ifndef VMTOP_COMMAND_H
#define VMTOP_COMMAND_H

#include "ui/theme.h"
#include "ui/view.h"

enum command_id {
#define COMMAND(symbol, name, args, keys, line, help) COMMAND_##symbol,
#include "ui/commands.def"
#undef COMMAND
	COMMAND_COUNT
};

struct command_info {
	const char *name, *args, *keys, *line, *help;
};

struct ui {
	struct view view;
	struct session *session;
	struct theme theme;
	int cols, rows;			/* of the canvas: what cursor steps and scrolling go by */
	enum command_id prompt_for;	/* while view.prompting */
	int64_t prompt_ns;		/* the moment that was looked at when it began */
	/* Requests; the main loop takes them and puts them back. */
	bool quit, repaint, suspend, theme_changed;
	int64_t interval_request_ns;	/* 0: none */
	char dump_path[256];		/* "": none */
	char playback_line[256];	/* for the playback probe; "": none */
	/* What a script waits for: a time, a number of samples, or the end of the workload. */
	int64_t wait_ns;
	uint64_t wait_samples;
	bool wait_end;
};

const struct command_info *command_info(enum command_id id);

/*
 * Carries out one command line "name arguments". Returns 0, or -EINVAL with one line in err that
 * says what was wrong and what is right. The answer to show, if any, is in view.message.
 */
int command_run(struct ui *ui, const char *line, char *err, size_t errsize);

/* What a key does: the prompt's editing, or the command bound to it. Unknown keys do nothing. */
void command_key(struct ui *ui, uint32_t key);

#endif
