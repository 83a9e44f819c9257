/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/probe.h"

#include <errno.h>
#include <stdlib.h>

#include "src/file.h"
#include "src/keyscan.h"
#include "src/xalloc.h"

/* FIRST is for a file that is not there yet; the intr line of a large machine passes 64 KiB. */
enum { SIZE_FIRST = 64 * 1024, SIZE_STEP = 4096, SIZE_MAX_TEXT = 16 * 1024 * 1024 };

struct textfile {
	struct source source;
	struct file file;
	struct keyscan *keys;
	char *text;
	size_t size;
};

static int textfile_read(struct source *src, struct sample *s)
{
	struct textfile *t = (struct textfile *)src;
	ssize_t n = file_read(&t->file, t->text, t->size, s->mono_ns);

	if (n < 0)
		return (int)n;
	keyscan_begin(t->keys);
	keyscan_text(t->keys, t->text, (size_t)n);
	keyscan_end(t->keys, s);
	return 0;
}

static void textfile_close(struct source *src)
{
	struct textfile *t = (struct textfile *)src;

	file_done(&t->file);
	keyscan_free(t->keys);
	free(t->text);
	free(t);
}

/* Room for twice what the file holds now: numbers grow, and later there is no allocating. */
static void choose_size(struct textfile *t)
{
	ssize_t n;

	t->size = SIZE_FIRST;
	for (;;) {
		t->text = xrealloc(t->text, t->size, 1);
		n = file_read(&t->file, t->text, t->size, 0);
		if (n != -EOVERFLOW || t->size >= SIZE_MAX_TEXT)
			break;
		t->size *= 4;
	}
	if (n < 0)
		return;
	t->size = ((size_t)n / SIZE_STEP + 1) * SIZE_STEP * 2;
	t->text = xrealloc(t->text, t->size, 1);
}

struct source *textfile_open(enum source_id id, const struct probe_env *env)
{
	struct textfile *t = xcalloc(1, sizeof(*t));

	t->source = (struct source){ .id = id, .read = textfile_read, .close = textfile_close };
	t->keys = keyscan_new(id);
	file_init(&t->file, env->root, source_info(id)->path);
	choose_size(t);
	return &t->source;
}
