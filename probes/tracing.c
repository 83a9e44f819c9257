/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that comes through libtracefs and libtraceevent. */
#include "probes/tracing.h"

#include <errno.h>

#ifndef HAVE_TRACE

struct tracing *tracing_open(const struct tracing_config *config, int *error)
{
	(void)config;
	*error = -EOPNOTSUPP;
	return NULL;
}

void tracing_close(struct tracing *t)
{
	(void)t;
}

bool tracing_next(struct tracing *t, int64_t until_ns, struct trace_event *event, uint64_t *lost)
{
	(void)t;
	(void)until_ns;
	(void)event;
	*lost = 0;
	return false;
}

size_t tracing_poll_fds(const struct tracing *t, struct pollfd *fds, size_t n)
{
	(void)t;
	(void)fds;
	(void)n;
	return 0;
}

void tracing_commands(const struct tracing *t, void (*tell)(void *arg, int tid, const char *command),
		      void *arg)
{
	(void)t;
	(void)tell;
	(void)arg;
}

const char *tracing_name(const struct tracing *t)
{
	(void)t;
	return "";
}

#else

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs/tracefs.h>
#include <traceevent/event-parse.h>
#include <traceevent/kbuffer.h>
#include <unistd.h>

#include "probes/tracefs_mount.h"
#include "src/file.h"
#include "src/procstat.h"
#include "src/text.h"
#include "src/xalloc.h"

enum {
	BUFFER_KIB = 256, BUFFERS_KIB = 32 * 1024, BUFFER_LEAST_KIB = 16,
	FIELDS_MAX = 6,
	FORMAT_MAX = 16 * 1024,		/* text of an event's format; the kernel's longest have 4 KiB */
};

#define PREFIX "vmtop-"

enum { TYPE_VICTIM = -1 };

/* The events listened to, and the fields that are read from each. */
static const struct wanted {
	const char *system, *name;
	int type;		/* enum reclaim_event_type, or TYPE_VICTIM */
	enum reclaim_kind kind;
	const char *fields[FIELDS_MAX];
} wanted[] = {
	{ "vmscan", "mm_vmscan_direct_reclaim_begin", RECLAIM_BEGIN, RECLAIM_DIRECT, { 0 } },
	{ "vmscan", "mm_vmscan_direct_reclaim_end", RECLAIM_END, RECLAIM_DIRECT, { "nr_reclaimed" } },
	{ "vmscan", "mm_vmscan_memcg_reclaim_begin", RECLAIM_BEGIN, RECLAIM_MEMCG, { 0 } },
	{ "vmscan", "mm_vmscan_memcg_reclaim_end", RECLAIM_END, RECLAIM_MEMCG, { "nr_reclaimed" } },
	{ "vmscan", "mm_vmscan_memcg_softlimit_reclaim_begin", RECLAIM_BEGIN, RECLAIM_SOFTLIMIT, { 0 } },
	{ "vmscan", "mm_vmscan_memcg_softlimit_reclaim_end", RECLAIM_END, RECLAIM_SOFTLIMIT,
	  { "nr_reclaimed" } },
	{ "vmscan", "mm_vmscan_node_reclaim_begin", RECLAIM_BEGIN, RECLAIM_NODE, { 0 } },
	{ "vmscan", "mm_vmscan_node_reclaim_end", RECLAIM_END, RECLAIM_NODE, { "nr_reclaimed" } },
	{ "vmscan", "mm_vmscan_throttled", RECLAIM_THROTTLED, RECLAIM_ALL, { "usec_delayed", "reason" } },
	{ "vmscan", "mm_vmscan_kswapd_wake", RECLAIM_KSWAPD_WAKE, RECLAIM_ALL, { "nid" } },
	{ "vmscan", "mm_vmscan_kswapd_sleep", RECLAIM_KSWAPD_SLEEP, RECLAIM_ALL, { "nid" } },
	{ "compaction", "mm_compaction_begin", RECLAIM_COMPACT_BEGIN, RECLAIM_ALL, { 0 } },
	{ "compaction", "mm_compaction_end", RECLAIM_COMPACT_END, RECLAIM_ALL, { 0 } },
	{ "oom", "mark_victim", TYPE_VICTIM, RECLAIM_ALL,
	  { "pid", "comm", "total_vm", "anon_rss", "file_rss", "shmem_rss" } },
};

enum { WANTED = sizeof(wanted) / sizeof(*wanted) };

struct field {
	int offset, size;	/* size 0: this kernel does not have it */
	bool is_signed;
};

/* Where this kernel has what is read of an event. */
struct layout {
	int id;			/* 0: the kernel does not have the event */
	struct field fields[FIELDS_MAX];
};

struct cpu {
	int fd;
	struct tracefs_cpu *reader;
	struct kbuffer *kbuf;
	void *page;
	void *event;		/* the next one; NULL: none */
	int64_t t_ns;
	uint64_t lost;		/* just before it */
};

struct tracing {
	struct tracefs_mount mount;
	struct tracefs_instance *instance;
	char name[32];
	struct layout layout[WANTED];
	struct field pid;	/* common_pid, the thread's id */
	int page_size;
	int self;		/* with family: the task whose descendants are listened to, else 0 */
	size_t ncpus;
	struct cpu *cpu;
};

/* ---- The instance ---- */

/* The kernel refuses to remove one that is in use, were it another pid namespace's vmtop's. */
static void remove_stale(const char *dir)
{
	char path[4096 + 64], *end;
	struct dirent *entry;
	DIR *d;

	snprintf(path, sizeof(path), "%s/instances", dir);
	d = opendir(path);
	while (d && (entry = readdir(d))) {
		long pid;

		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0)
			continue;
		pid = strtol(entry->d_name + strlen(PREFIX), &end, 10);
		if (*end || pid <= 0 || (pid != getpid() && (kill((pid_t)pid, 0) == 0 ||
							     errno != ESRCH)))
			continue;
		snprintf(path, sizeof(path), "%s/instances/%.32s", dir, entry->d_name);
		rmdir(path);
	}
	if (d)
		closedir(d);
}

static void find_field(struct field *f, struct tep_event *event, const char *name)
{
	struct tep_format_field *found = tep_find_any_field(event, name);

	*f = (struct field){ 0 };
	if (found)
		*f = (struct field){ .offset = found->offset, .size = found->size,
				     .is_signed = found->flags & TEP_FIELD_IS_SIGNED };
}

/* A file below events/, ended by a 0; its length, or 0 where it is not there. */
static size_t read_format(const struct tracing *t, const char *name, char *text, size_t size)
{
	char path[4096 + 128];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/events/%s", t->mount.dir, name);
	n = file_read_at(AT_FDCWD, path, text, size - 1);
	n = n < 0 ? 0 : n;
	text[n] = '\0';
	return (size_t)n;
}

static struct tep_event *load_event(const struct tracing *t, struct tep_handle *tep,
				    const struct wanted *w)
{
	char name[96], text[FORMAT_MAX];
	size_t n;

	snprintf(name, sizeof(name), "%s/%s/format", w->system, w->name);
	n = read_format(t, name, text, sizeof(text));
	if (!n || tep_parse_event(tep, text, n, w->system) != TEP_ERRNO__SUCCESS)
		return NULL;
	return tep_find_event_by_name(tep, w->system, w->name);
}

/*
 * How many of the wanted events this kernel has. Only their formats are loaded: with whole systems
 * of events libtracefs loads all of /proc/kallsyms, 20 MB that would stay, locked, in our heap.
 */
static size_t find_layouts(struct tracing *t)
{
	char text[FORMAT_MAX];
	struct tep_handle *tep;
	size_t n;

	tep_set_loglevel(TEP_LOG_NONE);
	tracefs_set_loglevel(TEP_LOG_NONE);
	tep = tep_alloc();
	if (!tep)
		return 0;
	n = read_format(t, "header_page", text, sizeof(text));
	if (tep_parse_header_page(tep, text, n, sizeof(long)) < 0) {
		tep_free(tep);
		return 0;
	}
	t->page_size = tep_get_sub_buffer_size(tep);
	n = 0;
	for (size_t i = 0; i < WANTED; i++) {
		struct tep_event *event = load_event(t, tep, &wanted[i]);

		if (!event)
			continue;
		find_field(&t->pid, event, "common_pid");
		for (size_t f = 0; f < FIELDS_MAX && wanted[i].fields[f]; f++)
			find_field(&t->layout[i].fields[f], event, wanted[i].fields[f]);
		t->layout[i].id = event->id;
		n++;
	}
	tep_free(tep);
	return n;
}

static bool add_kswapd(void *arg, const struct procstat *st)
{
	struct tracefs_instance *instance = arg;
	char path[48], comm[32], text[16];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/comm", st->pid);
	n = st->ppid == 2 ? file_read_at(AT_FDCWD, path, comm, sizeof(comm)) : -1;	/* kthreadd's */
	if (n < 6 || strncmp(comm, "kswapd", 6) != 0)
		return false;
	snprintf(text, sizeof(text), "%d", st->pid);
	tracefs_instance_file_append(instance, "set_event_pid", text);
	return true;
}

/*
 * The kernel follows forks itself (event-fork), so a child is listened to from its first moment on.
 * kswapd, which is nobody's, is added for its own events.
 */
static int follow_family(struct tracing *t)
{
	char text[16];

	t->self = getpid();
	snprintf(text, sizeof(text), "%d", t->self);
	if (tracefs_option_enable(t->instance, TRACEFS_OPTION_EVENT_FORK) < 0 ||
	    tracefs_instance_file_write(t->instance, "set_event_pid", text) < 0)
		return -EOPNOTSUPP;
	procstat_each(add_kswapd, t->instance);
	return 0;
}

static size_t buffer_kib(const struct tracing_config *config, size_t ncpus)
{
	size_t kib = config->buffer_kib ? config->buffer_kib : BUFFER_KIB;

	if (!config->buffer_kib && kib * ncpus > BUFFERS_KIB)
		kib = BUFFERS_KIB / ncpus;
	return !config->buffer_kib && kib < BUFFER_LEAST_KIB ? BUFFER_LEAST_KIB : kib;
}

static int set_up(struct tracing *t, const struct tracing_config *config)
{
	size_t online = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
	int error;

	snprintf(t->name, sizeof(t->name), PREFIX "%d", (int)getpid());
	t->instance = tracefs_instance_create(t->name);
	if (!t->instance)
		return errno ? -errno : -EIO;
	if (tracefs_instance_file_write(t->instance, "trace_clock", "mono") < 0 ||
	    tracefs_instance_set_buffer_size(t->instance, buffer_kib(config, online), -1) < 0)
		return errno ? -errno : -EIO;
	/* poll() then tells of the first event; before 4.20 it always did. */
	tracefs_instance_file_write(t->instance, "buffer_percent", "0");
	error = config->family ? follow_family(t) : 0;
	for (size_t i = 0; i < WANTED && !error; i++)
		if (t->layout[i].id &&
		    tracefs_event_enable(t->instance, wanted[i].system, wanted[i].name) < 0)
			error = errno ? -errno : -EIO;
	return error;
}

/* ---- Reading ---- */

static int open_cpu(struct tracing *t, size_t i)
{
	struct cpu *c = &t->cpu[t->ncpus];
	char name[64], *path;

	snprintf(name, sizeof(name), "per_cpu/cpu%zu/trace_pipe_raw", i);
	path = tracefs_instance_get_file(t->instance, name);
	c->fd = path ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	tracefs_put_tracing_file(path);
	if (c->fd < 0)
		return errno == ENOENT || errno == ENODEV ? 0 : -errno;	/* a CPU that cannot be */
	t->ncpus++;
	c->reader = tracefs_cpu_alloc_fd(c->fd, t->page_size, true);
	c->kbuf = kbuffer_alloc(sizeof(long) == 8 ? KBUFFER_LSIZE_8 : KBUFFER_LSIZE_4,
				__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? KBUFFER_ENDIAN_LITTLE :
									     KBUFFER_ENDIAN_BIG);
	c->page = xcalloc(1, (size_t)t->page_size);
	return c->reader && c->kbuf ? 0 : -ENOMEM;
}

static int open_cpus(struct tracing *t)
{
	size_t n = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	int error = 0;

	t->cpu = xcalloc(n, sizeof(*t->cpu));
	for (size_t i = 0; i < n && !error; i++)
		error = open_cpu(t, i);
	return error ? error : t->ncpus ? 0 : -ENODEV;
}

/* The next event of a CPU, from its page or the one after. */
static void advance(struct cpu *c)
{
	unsigned long long ts;

	if (c->event)
		c->event = kbuffer_next_event(c->kbuf, &ts);
	while (!c->event) {
		int missed, n = tracefs_cpu_read(c->reader, c->page, true);

		if (n <= 0 || kbuffer_load_subbuffer(c->kbuf, c->page) < 0)
			return;
		missed = kbuffer_missed_events(c->kbuf);	/* before this page; -1: some */
		if (missed)
			c->lost += missed > 0 ? (uint64_t)missed : 1;
		c->event = kbuffer_read_event(c->kbuf, &ts);
	}
	c->t_ns = (int64_t)ts;
}

static struct cpu *earliest(struct tracing *t)
{
	struct cpu *first = NULL;

	for (size_t i = 0; i < t->ncpus; i++) {
		struct cpu *c = &t->cpu[i];

		if (!c->event)
			advance(c);
		if (c->event && (!first || c->t_ns < first->t_ns))
			first = c;
	}
	return first;
}

static int64_t get_number(const void *event, const struct field *f)
{
	const char *at = (const char *)event + f->offset;
	int8_t i8;
	int16_t i16;
	int32_t i32;
	int64_t i64;

	switch (f->size) {
	case 1:
		memcpy(&i8, at, sizeof(i8));
		return f->is_signed ? i8 : (uint8_t)i8;
	case 2:
		memcpy(&i16, at, sizeof(i16));
		return f->is_signed ? i16 : (uint16_t)i16;
	case 4:
		memcpy(&i32, at, sizeof(i32));
		return f->is_signed ? (int64_t)i32 : (int64_t)(uint32_t)i32;
	case 8:
		memcpy(&i64, at, sizeof(i64));
		return i64;
	default:
		return 0;
	}
}

/* A string of variable length: its place in the event and its length stand in one number. */
static void get_string(const void *event, const struct field *f, char *buf, size_t size)
{
	uint32_t where = (uint32_t)get_number(event, f);
	const char *s = (const char *)event + (where & 0xffff);

	text_safe(buf, size, s, f->size ? strnlen(s, where >> 16) : 0);
}

static void decode_victim(const void *event, const struct layout *l, int64_t t_ns,
			  struct oom_victim *v)
{
	*v = (struct oom_victim){ .t_ns = t_ns, .pid = (int)get_number(event, &l->fields[0]) };
	get_string(event, &l->fields[1], v->command, sizeof(v->command));
	v->have_sizes = l->fields[3].size > 0;
	v->total_vm_kib = (uint64_t)get_number(event, &l->fields[2]);
	v->anon_kib = (uint64_t)get_number(event, &l->fields[3]);
	v->file_kib = (uint64_t)get_number(event, &l->fields[4]);
	v->shmem_kib = (uint64_t)get_number(event, &l->fields[5]);
}

/* One bit a reason, as show_throttle_flags() of include/trace/events/vmscan.h has them. */
static enum reclaim_throttle throttle_reason(int64_t bits)
{
	for (int i = 0; i < THROTTLE_OTHER; i++)
		if (bits == 1 << i)
			return (enum reclaim_throttle)i;
	return THROTTLE_OTHER;
}

static bool decode(const struct tracing *t, const struct cpu *c, struct trace_event *event)
{
	static const struct field type = { .offset = 0, .size = 2 };	/* common_type */
	int id = (int)get_number(c->event, &type), tid = (int)get_number(c->event, &t->pid);
	size_t i = 0;

	while (i < WANTED && (!t->layout[i].id || t->layout[i].id != id))
		i++;
	if (i == WANTED || (t->self && tid == t->self))
		return false;
	memset(event, 0, sizeof(*event));
	event->is_victim = wanted[i].type == TYPE_VICTIM;
	if (event->is_victim) {
		decode_victim(c->event, &t->layout[i], c->t_ns, &event->victim);
		return true;
	}
	event->reclaim = (struct reclaim_event){
		.t_ns = c->t_ns, .tid = tid,
		.type = (enum reclaim_event_type)wanted[i].type, .kind = wanted[i].kind,
		.value = (uint64_t)get_number(c->event, &t->layout[i].fields[0]),
		.reason = throttle_reason(get_number(c->event, &t->layout[i].fields[1])),
	};
	return true;
}

bool tracing_next(struct tracing *t, int64_t until_ns, struct trace_event *event, uint64_t *lost)
{
	struct cpu *c;

	*lost = 0;
	while ((c = earliest(t)) && c->t_ns <= until_ns) {
		bool ours = decode(t, c, event);

		*lost += c->lost;
		c->lost = 0;
		advance(c);
		if (ours)
			return true;
	}
	return false;
}

size_t tracing_poll_fds(const struct tracing *t, struct pollfd *fds, size_t n)
{
	size_t i;

	for (i = 0; i < n && i < t->ncpus; i++)
		fds[i] = (struct pollfd){ .fd = t->cpu[i].fd, .events = POLLIN };
	return i;
}

/* A line of "TID COMMAND". */
static void tell_command(char *line, void (*tell)(void *arg, int tid, const char *command), void *arg)
{
	char command[32], *rest;
	long tid = strtol(line, &rest, 10);

	if (rest == line || *rest != ' ' || strcmp(rest + 1, "<...>") == 0)
		return;
	text_safe(command, sizeof(command), rest + 1, strlen(rest + 1));
	tell(arg, (int)tid, command);
}

/* In pieces: as many tasks as it keeps may be much for a stack. */
void tracing_commands(const struct tracing *t, void (*tell)(void *arg, int tid, const char *command),
		      void *arg)
{
	char path[sizeof(t->mount.dir) + 32], text[4096], *line, *end;
	size_t have = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/saved_cmdlines", t->mount.dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, text + have, sizeof(text) - 1 - have)) > 0) {
		have += (size_t)n;
		text[have] = '\0';
		for (line = text; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			tell_command(line, tell, arg);
		}
		have -= (size_t)(line - text);
		memmove(text, line, have);
		if (have == sizeof(text) - 1)
			have = 0;	/* no line is as long */
	}
	if (fd >= 0)
		close(fd);
}

const char *tracing_name(const struct tracing *t)
{
	return t->name;
}

/* ---- Start and end ---- */

struct tracing *tracing_open(const struct tracing_config *config, int *error)
{
	struct tracing *t = xcalloc(1, sizeof(*t));

	*error = tracefs_mount_open(&t->mount);
	if (*error)
		goto out;
	remove_stale(t->mount.dir);
	if (tracefs_set_tracing_dir(t->mount.dir) < 0 || !find_layouts(t)) {
		*error = -ENODEV;
		goto out;
	}
	*error = set_up(t, config);
	if (!*error)
		*error = open_cpus(t);
	if (!*error)
		return t;
out:
	tracing_close(t);
	return NULL;
}

void tracing_close(struct tracing *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->ncpus; i++) {
		struct cpu *c = &t->cpu[i];

		if (c->reader)
			tracefs_cpu_free_fd(c->reader);
		close(c->fd);
		if (c->kbuf)
			kbuffer_free(c->kbuf);
		free(c->page);
	}
	if (t->instance) {
		tracefs_instance_destroy(t->instance);
		tracefs_instance_free(t->instance);
	}
	tracefs_set_tracing_dir(NULL);
	tracefs_mount_close(&t->mount);
	free(t->cpu);
	free(t);
}

#endif
