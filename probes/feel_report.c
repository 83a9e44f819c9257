/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/feel_report.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/clock.h"

/* A pipe that polls as writable takes PIPE_BUF, 4096, without waiting: a report is no longer. */
enum { OUTPUT_BYTES = 4096, PATIENCE_MS = 200, HEADING_EVERY = 20 };

struct output {
	size_t length;
	char text[OUTPUT_BYTES];
};

static const char *const states[] = {
	[FEEL_STARTING] = "starting", [FEEL_READY] = "ready", [FEEL_ABSENT] = "absent",
	[FEEL_GONE] = "gone",
};

int feel_reporter_init(struct feel_reporter *r, int fd, bool table)
{
	int error = 0;

	memset(r, 0, sizeof(*r));
	r->fd = fd;
	r->table = table;
	r->start_ns = clock_ns();
	for (int i = 0; i < FEEL_PROBES; i++) {
		const struct feel_kind *kind = feel_kind_of((enum feel_probe)i);

		if (feel_stat_init(&r->stat[i], kind->period_ns,
				kind->period_ns ? kind->period_ns : kind->least_ns))
			error = -ENOMEM;
	}
	return error;
}

void feel_reporter_done(struct feel_reporter *r)
{
	for (int i = 0; i < FEEL_PROBES; i++)
		feel_stat_done(&r->stat[i]);
}

size_t feel_reporter_bytes(const struct feel_reporter *r)
{
	size_t bytes = sizeof(*r);

	for (int i = 0; i < FEEL_PROBES; i++)
		bytes += r->stat[i].capacity * sizeof(*r->stat[i].kept);
	return bytes;
}

/* --- Output --- */

static void out_text(struct output *o, const char *text)
{
	size_t n = strlen(text);

	if (o->length + n + 1 > sizeof(o->text))
		return;
	memcpy(o->text + o->length, text, n);
	o->length += n;
	o->text[o->length++] = '\n';
}

static void send(struct feel_reporter *r, const struct output *o, int patience_ms)
{
	struct pollfd p = { .fd = r->fd, .events = POLLOUT };
	ssize_t n;

	if (!o->length || r->broken)
		return;
	if (poll(&p, 1, patience_ms) <= 0) {
		r->dropped++;
		return;
	}
	if (p.revents & (POLLERR | POLLHUP | POLLNVAL)) {
		r->broken = true;
		return;
	}
	n = write(r->fd, o->text, o->length);
	if (n < 0 && errno == EAGAIN)
		r->dropped++;
	else if (n != (ssize_t)o->length)
		r->broken = true;
}

void feel_report_hello(struct feel_reporter *r, const struct feel_plan *plan,
	const struct feel_setup *setup)
{
	struct output o = { 0 };
	struct probe_writer w;
	char text[200];

	feel_line_begin(&w, FEEL_HELLO, r->start_ns, r->start_ns);
	probe_write_integer(&w, "protocol", FEEL_PROTOCOL);
	probe_write_text(&w, "version", PACKAGE_VERSION);
	probe_write_integer(&w, "footprint_kib", plan->footprint_kib);
	probe_write_integer(&w, "limit_kib", plan->limit_kib);
	probe_write_integer(&w, "ram_kib", plan->ram_kib);
	probe_write_integer(&w, "page_kib", plan->page_kib);
	probe_write_integer(&w, "alloc_kib", plan->alloc_kib);
	if (setup->file_fd >= 0)
		probe_write_integer(&w, "file_kib", (int64_t)setup->file_bytes / 1024);
	out_text(&o, w.text);
	snprintf(text, sizeof(text), "# memory: %.1f MiB, %.2f %% of this machine's%s",
		(double)plan->footprint_kib / 1024,
		100.0 * (double)plan->footprint_kib / (double)plan->ram_kib,
		plan->footprint_kib > plan->limit_kib ?
		": more than 1 %, it is part of what it measures" : "");
	out_text(&o, text);
	send(r, &o, PATIENCE_MS);
}

void feel_report_event(struct feel_reporter *r, const struct feel_crew *crew,
	const struct feel_event *event, int64_t now_ns)
{
	const struct feel_slot *slot = crew->setup->board->slot[event->probe];
	int helper = atomic_load(&slot->helper);
	int64_t locked = atomic_load(&slot->locked_kib);
	struct output o = { 0 };
	struct probe_writer w;

	feel_line_begin(&w, FEEL_PROBE, now_ns, r->start_ns);
	probe_write_text(&w, "probe", feel_probe_name(event->probe));
	probe_write_text(&w, "state", states[event->state]);
	probe_write_integer(&w, "pid", event->pid);
	if (event->state == FEEL_READY && helper)
		probe_write_integer(&w, "helper", helper);
	if (event->state == FEEL_READY && locked >= 0)
		probe_write_integer(&w, "locked_kib", locked);
	if (event->reason[0])
		probe_write_text(&w, "reason", event->reason);
	out_text(&o, w.text);
	send(r, &o, PATIENCE_MS);
}

/* --- Each second --- */

/*
 * The moment first, then what was answered, then what the time is: a moment that was not answered
 * then is still meant, or was answered since and is due no longer than it takes to read this.
 */
static void look(struct feel_reporter *r, const struct feel_crew *crew, enum feel_probe probe,
	int64_t *due_ns)
{
	struct feel_slot *slot = crew->setup->board->slot[probe];
	struct feel_wait wait;

	*due_ns = atomic_load(&slot->due_ns);
	while (feel_slot_pop(slot, &wait)) {
		feel_stat_add(&r->stat[probe], wait.due_ns, wait.done_ns);
		r->answered_ns[probe] = wait.due_ns;
	}
	if (*due_ns <= r->answered_ns[probe])
		*due_ns = 0;
}

static void add_counts(struct feel_report *report, const struct feel_crew *crew)
{
	int64_t majflt, swap;

	feel_report_set(report, FEEL_LOST,
		(int64_t)atomic_load(&crew->setup->board->slot[report->probe]->lost));
	if (!feel_crew_memory(crew, report->probe, &majflt, &swap))
		return;
	feel_report_set(report, FEEL_MAJFLT, majflt);
	feel_report_set(report, FEEL_SWAP, swap);
}

/* In five columns. */
static const char *ms_text(const struct feel_report *r, enum feel_field field, char buf[16])
{
	double ms = (double)r->value[field] / 1e6;

	if (!r->have[field])
		snprintf(buf, 16, "-");
	else if (ms < 99999.5)
		snprintf(buf, 16, ms < 9.995 ? "%.2f" : "%.0f", ms);
	else
		snprintf(buf, 16, "%.0fs", ms / 1e3);
	return buf;
}

static void out_heading(struct output *o)
{
	char names[256], columns[256];
	int n = snprintf(names, sizeof(names), "#%6s", "ms:");
	int m = snprintf(columns, sizeof(columns), "#%6s", "s");

	for (int i = 0; i < FEEL_PROBES; i++) {
		n += snprintf(names + n, sizeof(names) - (size_t)n, " |%-17s",
			feel_probe_name((enum feel_probe)i));
		m += snprintf(columns + m, sizeof(columns) - (size_t)m, " |%5s %5s %5s",
			"last", "p99", "worst");
	}
	out_text(o, names);
	out_text(o, columns);
}

static void out_row(struct feel_reporter *r, struct output *o, const struct feel_report *reports,
	int64_t now_ns)
{
	char line[256], a[16], b[16], c[16];
	int n = snprintf(line, sizeof(line), "#%6.0f", (double)(now_ns - r->start_ns) / 1e9);

	if (r->rows++ % HEADING_EVERY == 0)
		out_heading(o);
	for (int i = 0; i < FEEL_PROBES; i++)
		n += snprintf(line + n, sizeof(line) - (size_t)n, " |%5s %5s %5s",
			ms_text(&reports[i], FEEL_LAST, a), ms_text(&reports[i], FEEL_P99, b),
			ms_text(&reports[i], FEEL_WORST, c));
	out_text(o, line);
}

void feel_report_second(struct feel_reporter *r, const struct feel_crew *crew)
{
	struct feel_report reports[FEEL_PROBES];
	struct output o = { 0 };
	struct probe_writer w;
	int64_t now = 0, due;

	for (int i = 0; i < FEEL_PROBES; i++) {
		struct feel_report *report = &reports[i];

		*report = (struct feel_report){ .probe = (enum feel_probe)i };
		look(r, crew, report->probe, &due);
		now = clock_ns();
		feel_stat_report(&r->stat[i], now, due, report);
		add_counts(report, crew);
		/* Of one that is not there only what it left is known; of one to be, nothing. */
		if (r->table || (crew->member[i].state != FEEL_READY && !r->stat[i].count))
			continue;
		feel_line_begin(&w, FEEL_SECOND, now, r->start_ns);
		feel_report_write(&w, report);
		out_text(&o, w.text);
	}
	if (r->table)
		out_row(r, &o, reports, now);
	send(r, &o, 0);
}

void feel_report_end(struct feel_reporter *r, const struct feel_crew *crew, const char *reason)
{
	struct output o = { 0 };
	struct probe_writer w;
	int64_t due, now = 0;

	for (int i = 0; i < FEEL_PROBES; i++) {
		struct feel_report report = { .probe = (enum feel_probe)i };

		look(r, crew, report.probe, &due);
		now = clock_ns();
		if (due && now > due + FEEL_NOTICED_NS)
			feel_stat_add(&r->stat[i], due, now);
		feel_stat_total(&r->stat[i], &report);
		add_counts(&report, crew);
		feel_line_begin(&w, FEEL_TOTAL, now, r->start_ns);
		feel_report_write(&w, &report);
		out_text(&o, w.text);
	}
	feel_line_begin(&w, FEEL_END, now, r->start_ns);
	probe_write_text(&w, "reason", reason);
	probe_write_integer(&w, "dropped", (int64_t)r->dropped);
	out_text(&o, w.text);
	send(r, &o, PATIENCE_MS);
}
