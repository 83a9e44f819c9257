/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whom the OOM killer killed. Two origins tell of each victim: the tracepoint oom:mark_victim (the
 * exact time and the pid; name and sizes from Linux 6.8 on) and the kernel's log (name, sizes and
 * whether it was for a memory cgroup; at the time it is read). Here they are parsed, paired so that
 * each victim is told once, and set against the kernel's counter, so that no kill is told twice.
 * Nothing here allocates, fails or reads a clock.
 */
#ifndef VMTOP_OOM_H
#define VMTOP_OOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct oom_victim {
	int64_t t_ns;			/* CLOCK_MONOTONIC */
	int pid;			/* as the kernel's first pid namespace has it */
	char command[32];		/* made safe; "" when not known */
	bool have_sizes;
	bool have_scope, cgroup;	/* it is known for what: for a memory cgroup or the machine */
	uint64_t total_vm_kib, anon_kib, file_kib, shmem_kib;
};

/*
 * A record as /dev/kmsg gives it, "pri,seq,usec,flags;text". True when the kernel says in it that it
 * killed a process; fills v, with a t_ns of 0. Records of a facility but the kernel's are not believed:
 * what a user writes to /dev/kmsg never has facility 0 (kernel/printk/printk.c, devkmsg_write). Texts
 * are those of mm/oom_kill.c, Linux 3.5 to 6.18.
 */
bool oom_parse_kmsg(const char *record, struct oom_victim *v);

/*
 * Before Linux 5.3 the record before says for what a kill is, and the kill's own does not: true when
 * it is such a one, "... Kill process 1 (x) score 2 or sacrifice child". That is no kill yet: a child
 * may be killed in its place.
 */
bool oom_parse_choice(const char *record, bool *cgroup);

/* "OOM killer: hog (pid 123), 900M anon, 1.2G virtual, in a memory cgroup", as far as known. */
const char *oom_victim_text(const struct oom_victim *v, char *buf, size_t size);

enum { OOM_PENDING = 64, OOM_ENTRIES = 2 * OOM_PENDING };

/* Victims that wait for their other half, and those told, for which it may come. All 0: empty. */
struct oom_log {
	struct oom_entry {
		struct oom_victim victim;
		bool told;
	} entry[OOM_ENTRIES];		/* in the order they came */
	size_t n;
};

/* A victim from either origin: paired with one of its pid within 5 s, or new. */
void oom_log_add(struct oom_log *log, const struct oom_victim *v);

/*
 * The next victim to tell: one of which all is known, or that is 1 s old, or the oldest where more
 * than OOM_PENDING wait. False: none now. Call it until then, at least once a second while any wait.
 */
bool oom_log_take(struct oom_log *log, int64_t now_ns, struct oom_victim *v);

/* The ones told against the rise of vm.oom_kill. All 0: nothing so far. */
struct oom_tally {
	uint64_t told;			/* victims whose rise has not been seen yet */
	uint64_t counted;		/* kills seen in the counter of which no victim told yet */
	int64_t told_ns, counted_ns;	/* of the latest of those; of the earliest of these */
};

void oom_tally_told(struct oom_tally *tally, int64_t t_ns);

/*
 * The counter was read at now_ns and had risen by so much. Returns the number of kills of which no
 * victim told in 2 s, and the time at which they were counted; patience false: all, without waiting.
 */
uint64_t oom_tally_count(struct oom_tally *tally, uint64_t rise, int64_t now_ns, bool patience,
			 int64_t *t_ns);

#endif
