/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metric table of metrics.def as C sees it. Metric ids ("swap.si") are what users meet in
 * recordings and exports; enum metric indexes samples and rows inside the program. The table is
 * constant; nothing here allocates or fails.
 */
#ifndef VMTOP_METRIC_H
#define VMTOP_METRIC_H

#include <stddef.h>

enum source_id {
#define SOURCE(symbol, name, path, cadence, missing, remedy) SOURCE_##symbol,
#include "src/sources.def"
#undef SOURCE
	SOURCE_COUNT
};

enum cadence { CADENCE_FAST, CADENCE_SLOW };

struct source_info {
	const char *name;
	const char *path;	/* below the root, without a leading slash */
	enum cadence cadence;
	const char *missing;	/* what to say when it is: "no /proc/vmstat" */
	const char *remedy;	/* what to do then */
};

enum metric {
#define METRIC(symbol, id, source, kind, unit, group, expr, meaning) M_##symbol,
#include "src/metrics.def"
#undef METRIC
	METRIC_COUNT
};

enum metric_kind {
	KIND_GAUGE, KIND_COUNTER, KIND_DIPPING, KIND_TALLY,		/* raw */
	KIND_SUM, KIND_RATE, KIND_SHARE, KIND_PCT, KIND_RATIO, KIND_MEAN, KIND_SINCE	/* derived */
};

enum unit {
	UNIT_KIB, UNIT_BYTES, UNIT_PAGES, UNIT_HUGE, UNIT_EVENTS, UNIT_FAULTS, UNIT_TASKS,
	UNIT_NODES, UNIT_OBJECTS, UNIT_PTES, UNIT_REQUESTS, UNIT_INTERRUPTS, UNIT_SWITCHES,
	UNIT_FORKS, UNIT_SECONDS, UNIT_TICKS, UNIT_USEC, UNIT_MSEC, UNIT_NSEC, UNIT_PERCENT,
	UNIT_RATIO_X, UNIT_COUNT
};

/* Units of one class can share a chart's axis. */
enum unit_class { CLASS_BYTES, CLASS_COUNT, CLASS_PERCENT, CLASS_TIME, CLASS_RATIO };

struct metric_info {
	const char *id;
	enum source_id source;
	enum metric_kind kind;
	enum unit unit;
	const char *group;
	const char *expr;
	const char *meaning;
};

const struct metric_info *metric_info(enum metric m);
const struct source_info *source_info(enum source_id s);

/* Index of the metric with this id, or METRIC_COUNT when there is none. */
enum metric metric_find(const char *id);

/* True for metrics whose row value is per second: COUNTER, DIPPING and RATE. */
int metric_is_rate(enum metric m);

/* The unit of the metric's row value in words: "KiB", "KiB/s", "%", "pages/s". */
const char *metric_unit_name(enum metric m);

/*
 * Row value times this factor is in the base unit of its class: bytes, plain count (pages too: the
 * kernel speaks of them), percent, seconds, ratio.
 */
double metric_base_factor(enum metric m);

enum unit_class metric_class(enum metric m);

/* Factor from a counter's raw progress per second to its row value (USEC: 1e-4, to percent). */
double unit_rate_factor(enum unit u, long clock_ticks);

/* Factor between two units of CLASS_BYTES or of time; 1 when they are the same, 0 when they do not convert. */
double unit_convert(enum unit from, enum unit to, long page_size);

#endif
