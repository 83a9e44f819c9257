/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/event.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/text.h"
#include "src/xalloc.h"

void events_init(struct events *e, size_t size)
{
	assert(size > 0);
	*e = (struct events){ .ring = xcalloc(size, sizeof(*e->ring)), .size = size };
}

void events_done(struct events *e)
{
	free(e->ring);
	*e = (struct events){ .ring = NULL };
}

static struct event *event_slot(const struct events *e, size_t i)
{
	return &e->ring[(e->first + i) % e->size];
}

const struct event *events_get(const struct events *e, size_t i)
{
	assert(i < e->count);
	return event_slot(e, i);
}

static bool is_numbered(enum event_kind kind)
{
	return kind == EVENT_MARK || kind == EVENT_WORKLOAD;
}

/* A free slot where t_ns belongs; one that became known late moves those behind it. */
static struct event *make_room(struct events *e, int64_t t_ns)
{
	size_t i;

	if (e->count == e->size) {
		e->first = (e->first + 1) % e->size;
		e->count--;
		e->dropped++;
	}
	for (i = e->count++; i > 0 && event_slot(e, i - 1)->t_ns > t_ns; i--)
		*event_slot(e, i) = *event_slot(e, i - 1);
	return event_slot(e, i);
}

const struct event *events_add(struct events *e, int64_t t_ns, enum event_kind kind,
			       const char *fmt, ...)
{
	struct event *event = make_room(e, t_ns);
	char raw[512];	/* more than what can become sizeof(event->text) of safe text */
	va_list ap;

	*event = (struct event){ .t_ns = t_ns, .kind = kind };
	if (is_numbered(kind))
		event->number = ++e->last_number;
	va_start(ap, fmt);
	if (vsnprintf(raw, sizeof(raw), fmt, ap) < 0)
		raw[0] = '\0';
	va_end(ap);
	text_safe(event->text, sizeof(event->text), raw, strlen(raw));
	return event;
}

const char *event_kind_name(enum event_kind kind)
{
	switch (kind) {
	case EVENT_MARK: return "mark";
	case EVENT_GAP: return "gap";
	case EVENT_OOM: return "oom";
	case EVENT_MACHINE: return "machine";
	case EVENT_WORKLOAD: return "workload";
	case EVENT_SOURCE: return "source";
	case EVENT_UNDERRUN: return "underrun";
	case EVENT_KINDS: break;
	}
	return "?";
}
