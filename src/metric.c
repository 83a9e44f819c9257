/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/metric.h"

#include <string.h>

static const struct source_info sources[SOURCE_COUNT] = {
#define SOURCE(symbol, name_, path_, cadence_, missing_, remedy_) \
	[SOURCE_##symbol] = { .name = name_, .path = path_, .cadence = CADENCE_##cadence_, \
			      .missing = missing_, .remedy = remedy_ },
#include "src/sources.def"
#undef SOURCE
};

static const struct metric_info metrics[METRIC_COUNT] = {
#define METRIC(symbol, id_, source_, kind_, unit_, group_, expr_, meaning_) \
	[M_##symbol] = { .id = id_, .source = SOURCE_##source_, .kind = KIND_##kind_, \
			 .unit = UNIT_##unit_, .group = group_, .expr = expr_, \
			 .meaning = meaning_ },
#include "src/metrics.def"
#undef METRIC
};

struct unit_info {
	const char *name, *rate_name;
	enum unit_class class, rate_class;
	double base;		/* base units of its class in one */
	double rate_factor;	/* from raw progress per second to the row value */
};

/*
 * Times count as percent when they progress: a microsecond of stall a second is 0.0001 %. The rate
 * of ticks is percent of one CPU; its factor needs USER_HZ, see unit_rate_factor.
 */
static const struct unit_info units[UNIT_COUNT] = {
	[UNIT_KIB] = { "KiB", "KiB/s", CLASS_BYTES, CLASS_BYTES, 1024, 1 },
	[UNIT_BYTES] = { "bytes", "bytes/s", CLASS_BYTES, CLASS_BYTES, 1, 1 },
	[UNIT_PAGES] = { "pages", "pages/s", CLASS_COUNT, CLASS_COUNT, 1, 1 },
	[UNIT_HUGE] = { "huge pages", "huge pages/s", CLASS_COUNT, CLASS_COUNT, 1, 1 },
	[UNIT_EVENTS] = { "events", "events/s", CLASS_COUNT, CLASS_COUNT, 1, 1 },
	[UNIT_FAULTS] = { "faults", "faults/s", CLASS_COUNT, CLASS_COUNT, 1, 1 },
	[UNIT_TASKS] = { "tasks", "tasks/s", CLASS_COUNT, CLASS_COUNT, 1, 1 },
	[UNIT_NODES] = { "nodes", "nodes/s", CLASS_COUNT, CLASS_COUNT, 1, 1 },
	[UNIT_OBJECTS] = { "objects", "objects/s", CLASS_COUNT, CLASS_COUNT, 1, 1 },
	[UNIT_PTES] = { "ptes", "ptes/s", CLASS_COUNT, CLASS_COUNT, 1, 1 },
	[UNIT_REQUESTS] = { "requests", "requests/s", CLASS_COUNT, CLASS_COUNT, 1, 1 },
	[UNIT_INTERRUPTS] = { "interrupts", "interrupts/s", CLASS_COUNT, CLASS_COUNT, 1, 1 },
	[UNIT_SWITCHES] = { "switches", "switches/s", CLASS_COUNT, CLASS_COUNT, 1, 1 },
	[UNIT_FORKS] = { "forks", "forks/s", CLASS_COUNT, CLASS_COUNT, 1, 1 },
	[UNIT_SECONDS] = { "s", "%", CLASS_TIME, CLASS_PERCENT, 1, 100 },
	[UNIT_TICKS] = { "ticks", "%", CLASS_COUNT, CLASS_PERCENT, 1, 100 },
	[UNIT_USEC] = { "us", "%", CLASS_TIME, CLASS_PERCENT, 1e-6, 1e-4 },
	[UNIT_MSEC] = { "ms", "%", CLASS_TIME, CLASS_PERCENT, 1e-3, 0.1 },
	[UNIT_NSEC] = { "ns", "%", CLASS_TIME, CLASS_PERCENT, 1e-9, 1e-7 },
	[UNIT_PERCENT] = { "%", "%/s", CLASS_PERCENT, CLASS_PERCENT, 1, 1 },
	[UNIT_RATIO_X] = { "x", "x/s", CLASS_RATIO, CLASS_RATIO, 1, 1 },
};

const struct metric_info *metric_info(enum metric m)
{
	return &metrics[m];
}

const struct source_info *source_info(enum source_id s)
{
	return &sources[s];
}

enum metric metric_find(const char *id)
{
	for (size_t i = 0; i < METRIC_COUNT; i++)
		if (strcmp(metrics[i].id, id) == 0)
			return (enum metric)i;
	return METRIC_COUNT;
}

int metric_is_rate(enum metric m)
{
	enum metric_kind kind = metrics[m].kind;

	return kind == KIND_COUNTER || kind == KIND_DIPPING || kind == KIND_RATE;
}

const char *metric_unit_name(enum metric m)
{
	const struct unit_info *u = &units[metrics[m].unit];

	return metric_is_rate(m) ? u->rate_name : u->name;
}

enum unit_class metric_class(enum metric m)
{
	const struct unit_info *u = &units[metrics[m].unit];

	return metric_is_rate(m) ? u->rate_class : u->class;
}

double metric_base_factor(enum metric m)
{
	const struct unit_info *u = &units[metrics[m].unit];

	return metric_is_rate(m) && u->rate_class != u->class ? 1 : u->base;
}

double unit_rate_factor(enum unit u, long clock_ticks)
{
	if (u == UNIT_TICKS)
		return units[u].rate_factor / (double)(clock_ticks > 0 ? clock_ticks : 100);
	return units[u].rate_factor;
}

static double unit_bytes(enum unit u, long page_size)
{
	switch (u) {
	case UNIT_KIB:
		return 1024;
	case UNIT_BYTES:
		return 1;
	case UNIT_PAGES:
		return (double)page_size;
	case UNIT_HUGE: case UNIT_EVENTS: case UNIT_FAULTS: case UNIT_TASKS: case UNIT_NODES:
	case UNIT_OBJECTS: case UNIT_PTES: case UNIT_REQUESTS: case UNIT_INTERRUPTS:
	case UNIT_SWITCHES: case UNIT_FORKS: case UNIT_SECONDS: case UNIT_TICKS: case UNIT_USEC:
	case UNIT_MSEC: case UNIT_NSEC: case UNIT_PERCENT: case UNIT_RATIO_X: case UNIT_COUNT:
		break;
	}
	return 0;
}

double unit_convert(enum unit from, enum unit to, long page_size)
{
	double a = unit_bytes(from, page_size), b = unit_bytes(to, page_size);

	if (from == to)
		return 1;
	if (units[from].class == CLASS_TIME && units[to].class == CLASS_TIME)
		return units[from].base / units[to].base;
	return a > 0 && b > 0 ? a / b : 0;
}
