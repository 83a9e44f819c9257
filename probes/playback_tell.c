/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/playback_player.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "src/clock.h"

void tell_file(struct player *p, const char *state, const char *path, const char *why)
{
	report_begin(&p->report, PLAYBACK_FILE, clock_ns());
	probe_write_text(&p->report.line, "state", state);
	if (path)
		probe_write_text(&p->report.line, "path", path);
	if (why)
		probe_write_text(&p->report.line, "why", why);
	report_put(&p->report);
}

void tell_control(struct player *p, const char *what, const char *why)
{
	report_begin(&p->report, PLAYBACK_CONTROL, clock_ns());
	probe_write_text(&p->report.line, "what", what);
	probe_write_integer(&p->report.line, "done", !why);
	if (why)
		probe_write_text(&p->report.line, "why", why);
	report_put(&p->report);
}

void tell_start(struct player *p, int64_t now)
{
	struct probe_writer *w = &p->report.line;
	char text[24] = "";
	FILE *file = fopen("/proc/self/oom_score_adj", "re");

	report_begin(&p->report, PLAYBACK_HELLO, now);
	probe_write_integer(w, "protocol", PLAYBACK_PROTOCOL);
	probe_write_text(w, "program", PACKAGE_VERSION);
	probe_write_integer(w, "pid", getpid());
	probe_write_text(w, "headline", sinks_headline(&p->sinks)->name);
	probe_write_integer(w, "rate", p->sound.rate);
	probe_write_integer(w, "nice", getpriority(PRIO_PROCESS, 0));
	if (file && fgets(text, sizeof(text), file))
		probe_write_integer(w, "oom_score_adj", strtol(text, NULL, 10));
	if (file)
		fclose(file);
	probe_write_text(w, "delays", p->wait.delays.status);
	probe_write_text(w, "run_queue", p->wait.last.queue_ns < 0 ? "absent" : "on");
	report_put(&p->report);
}

static void write_reads(struct player *p)
{
	struct probe_writer *w = &p->report.line;
	struct song_reads reads;

	if (!p->sound.song)
		return;
	reads = song_take_reads(p->sound.song);
	probe_write_integer(w, "reads", (int64_t)reads.count);
	probe_write_integer(w, "read_bytes", (int64_t)reads.bytes);
	if (!reads.count)
		return;
	probe_write_ms(w, "read_ms", reads.total_ns / (int64_t)reads.count);
	probe_write_ms(w, "read_max_ms", reads.longest_ns);
}

void tell_second(struct player *p, int64_t now)
{
	struct probe_writer *w = &p->report.line;
	struct wait_memory m;

	wait_read_memory(&p->wait, &m);
	report_begin(&p->report, PLAYBACK_SECOND, now);
	if (m.swap_kib >= 0)
		probe_write_integer(w, "vmswap_kib", m.swap_kib);
	if (m.rss_kib >= 0)
		probe_write_integer(w, "vmrss_kib", m.rss_kib);
	if (m.locked_kib >= 0)
		probe_write_integer(w, "vmlck_kib", m.locked_kib);
	probe_write_integer(w, "majflt", (int64_t)(m.major_faults - p->memory.major_faults));
	probe_write_integer(w, "minflt", (int64_t)(m.minor_faults - p->memory.minor_faults));
	write_reads(p);
	if (p->wait.last.queue_ns >= 0 && p->queue_ns >= 0)
		probe_write_ms(w, "run_queue_ms", p->wait.last.queue_ns - p->queue_ns);
	probe_write_ms(w, "late_max_ms", p->wait.worst_late_ns);
	for (int i = 0; i < PLAYBACK_SHARES; i++)
		probe_write_ms(w, playback_share_key((enum playback_cause)i), p->waits.ns[i]);
	probe_write_integer(w, "nice", getpriority(PRIO_PROCESS, 0));
	probe_write_integer(w, "locked", p->locked);
	probe_write_integer(w, "lost", (int64_t)p->report.lost);
	p->report.lost = 0;
	report_put(&p->report);
	p->memory = m;
	p->queue_ns = p->wait.last.queue_ns;
	p->wait.worst_late_ns = 0;
	p->waits = (struct shares){ { 0 } };
	sinks_tell_levels(&p->sinks, now);
}
