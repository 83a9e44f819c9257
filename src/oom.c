/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/oom.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/text.h"

#define NS_PER_S INT64_C(1000000000)
#define TELL_NS NS_PER_S		/* an incomplete victim waits so long for its other half */
#define PAIR_NS (5 * NS_PER_S)
#define PATIENCE_NS (2 * NS_PER_S)

/* ---- The kernel's log ---- */

/* How the text begins: mm/oom_kill.c, the callers of oom_kill_process(). */
static const struct cause {
	const char *text;
	bool cgroup;
} causes[] = {
	{ "Out of memory: ", false },
	{ "Out of memory (oom_kill_allocating_task): ", false },
	{ "Memory cgroup out of memory: ", true },
};

/* Behind prefix in s, or NULL when s does not begin with it. */
static const char *after(const char *s, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(s, prefix, len) == 0 ? s + len : NULL;
}

static const struct cause *find_cause(const char *text)
{
	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		if (after(text, causes[i].text))
			return &causes[i];
	return NULL;
}

/* The text of a record of the kernel's own, up to the next line, or NULL. The prefix is pri,... */
static const char *kernel_text(const char *record, const char **end)
{
	const char *text = strchr(record, ';');
	unsigned int priority;
	char comma;

	if (!text || sscanf(record, "%7u%c", &priority, &comma) != 2 || comma != ',' ||
	    priority >> 3 != 0)
		return NULL;
	*end = text + strcspn(text, "\n");	/* behind it stand the record's properties */
	return text + 1;
}

static int hex(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *p = c ? strchr(digits, c) : NULL;

	return p ? (int)(p - digits) : -1;
}

/* The log has what is not printable ASCII, and the backslash, as \xNN (msg_add_ext_text). */
static void copy_command(char *dst, size_t size, const char *s, const char *end)
{
	char raw[256];
	size_t len = 0;

	while (s < end && len < sizeof(raw)) {
		if (end - s >= 4 && s[0] == '\\' && s[1] == 'x' && hex(s[2]) >= 0 && hex(s[3]) >= 0) {
			raw[len++] = (char)(hex(s[2]) << 4 | hex(s[3]));
			s += 4;
		} else {
			raw[len++] = *s++;
		}
	}
	text_safe(dst, size, raw, len);
}

/*
 * Where the command ends: a command may hold anything, ") total-vm:" too, but behind the right one
 * the kernel alone has written.
 */
static const char *command_end(const char *s, const char *end)
{
	static const char mark[] = ") total-vm:";
	const char *found = NULL, *p = s;

	while ((p = strstr(p, mark)) && p < end)
		found = p++;
	return found;
}

/* "NAMEnumber" followed by kB. */
static bool size_of(const char *s, const char *end, const char *name, uint64_t *kib)
{
	const char *p = strstr(s, name);
	char unit[3] = "";

	return p && p < end && sscanf(p + strlen(name), "%20" SCNu64 "%2s", kib, unit) == 2 &&
	       strcmp(unit, "kB") == 0;
}

bool oom_parse_kmsg(const char *record, struct oom_victim *v)
{
	struct oom_victim found = { .pid = 0 };
	const char *end, *name, *name_end;
	const char *text = kernel_text(record, &end);
	const struct cause *cause = text ? find_cause(text) : NULL;
	char *rest;
	long pid;

	if (cause)
		text = after(text, cause->text);
	text = text ? after(text, "Killed process ") : NULL;
	if (!text)
		return false;
	pid = strtol(text, &rest, 10);
	name = after(rest, " (");
	name_end = name ? command_end(name, end) : NULL;
	if (pid <= 0 || pid > INT32_MAX || !name_end)
		return false;
	found.pid = (int)pid;
	found.have_scope = cause != NULL;
	found.cgroup = cause && cause->cgroup;
	copy_command(found.command, sizeof(found.command), name, name_end);
	found.have_sizes = size_of(name_end, end, ") total-vm:", &found.total_vm_kib) &&
			   size_of(name_end, end, " anon-rss:", &found.anon_kib) &&
			   size_of(name_end, end, " file-rss:", &found.file_kib);
	size_of(name_end, end, " shmem-rss:", &found.shmem_kib);	/* since 4.5; else in file-rss */
	*v = found;
	return true;
}

bool oom_parse_choice(const char *record, bool *cgroup)
{
	const char *end;
	const char *text = kernel_text(record, &end);
	const struct cause *cause = text ? find_cause(text) : NULL;

	if (!cause || !after(after(text, cause->text), "Kill process "))
		return false;
	*cgroup = cause->cgroup;
	return true;
}

/* ---- Its words ---- */

__attribute__((format(printf, 3, 4)))
static void append(char *buf, size_t size, const char *fmt, ...)
{
	size_t len = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + len, size - len, fmt, ap);
	va_end(ap);
}

const char *oom_victim_text(const struct oom_victim *v, char *buf, size_t size)
{
	char anon[16], all[16];

	if (*v->command)
		snprintf(buf, size, "OOM killer: %s (pid %d)", v->command, v->pid);
	else
		snprintf(buf, size, "OOM killer: pid %d", v->pid);
	if (v->have_sizes)
		append(buf, size, ", %s anon, %s virtual",
		       text_bytes((double)v->anon_kib * 1024, anon, sizeof(anon)),
		       text_bytes((double)v->total_vm_kib * 1024, all, sizeof(all)));
	if (v->cgroup)
		append(buf, size, ", in a memory cgroup");
	return buf;
}

/* ---- Pairs ---- */

static bool is_complete(const struct oom_victim *v)
{
	return *v->command && v->have_sizes && v->have_scope;
}

static size_t count_pending(const struct oom_log *log)
{
	size_t n = 0;

	for (size_t i = 0; i < log->n; i++)
		n += !log->entry[i].told;
	return n;
}

static void forget(struct oom_log *log, size_t i)
{
	log->n--;
	memmove(&log->entry[i], &log->entry[i + 1], (log->n - i) * sizeof(*log->entry));
}

/* The log is read later than the kill: of two times the earlier one is nearer. */
static void merge(struct oom_victim *to, const struct oom_victim *from)
{
	if (from->t_ns < to->t_ns)
		to->t_ns = from->t_ns;
	if (!*to->command)
		text_copy(to->command, sizeof(to->command), from->command);
	if (!to->have_sizes && from->have_sizes) {
		to->have_sizes = true;
		to->total_vm_kib = from->total_vm_kib;
		to->anon_kib = from->anon_kib;
		to->file_kib = from->file_kib;
		to->shmem_kib = from->shmem_kib;
	}
	if (!to->have_scope && from->have_scope) {
		to->have_scope = true;
		to->cgroup = from->cgroup;
	}
}

/* Room for one more: the oldest told one goes; where all wait, the oldest is left to the counter. */
static void make_room(struct oom_log *log)
{
	for (size_t i = 0; i < log->n; i++)
		if (log->entry[i].told) {
			forget(log, i);
			return;
		}
	forget(log, 0);
}

void oom_log_add(struct oom_log *log, const struct oom_victim *v)
{
	for (size_t i = log->n; i-- > 0; ) {
		struct oom_victim *other = &log->entry[i].victim;

		if (other->pid == v->pid && v->t_ns - other->t_ns <= PAIR_NS &&
		    other->t_ns - v->t_ns <= PAIR_NS) {
			merge(other, v);
			return;
		}
	}
	if (log->n == OOM_ENTRIES)
		make_room(log);
	log->entry[log->n++] = (struct oom_entry){ .victim = *v };
}

bool oom_log_take(struct oom_log *log, int64_t now_ns, struct oom_victim *v)
{
	bool crowded = count_pending(log) > OOM_PENDING;
	size_t i = 0;

	while (i < log->n) {
		struct oom_entry *e = &log->entry[i];
		int64_t age_ns = now_ns - e->victim.t_ns;

		if (e->told && age_ns > PAIR_NS) {
			forget(log, i);
		} else if (!e->told && (crowded || age_ns >= TELL_NS || is_complete(&e->victim))) {
			e->told = true;
			*v = e->victim;
			return true;
		} else {
			i++;
		}
	}
	return false;
}

/* ---- The counter ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void oom_tally_told(struct oom_tally *tally, int64_t t_ns)
{
	if (tally->counted) {
		tally->counted--;
	} else {
		tally->told++;
		if (t_ns > tally->told_ns)
			tally->told_ns = t_ns;
	}
}

/*
 * The victims told go first against what this reading counts and only then grow too old: readings may
 * be far apart. One that never shows in the counter was dying already when it was chosen
 * (mm/oom_kill.c, task_will_free_mem), and must not hide a later kill.
 */
uint64_t oom_tally_count(struct oom_tally *tally, uint64_t rise, int64_t now_ns, bool patience,
			 int64_t *t_ns)
{
	uint64_t known = least(rise, tally->told), untold;

	tally->told -= known;
	if (tally->told && now_ns - tally->told_ns >= PATIENCE_NS)
		tally->told = 0;
	if (rise > known && !tally->counted)
		tally->counted_ns = now_ns;
	tally->counted += rise - known;
	if (!tally->counted || (patience && now_ns - tally->counted_ns < PATIENCE_NS))
		return 0;
	untold = tally->counted;
	tally->counted = 0;
	*t_ns = tally->counted_ns;
	return untold;
}
