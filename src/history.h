/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The past of every metric in bounded memory. The finest tier keeps rows as they came (doubles);
 * each coarser one folds 8 buckets of the tier below into one of min, mean and max (floats, rounded
 * outwards; the mean is weighted by the time its rows cover). A bucket carries its own times, so
 * the interval may change at any moment. None holds a time without rows longer than a 16th of its
 * full length, nor a suspend: there it closes early. What is not folded yet is in the finer tiers.
 * At 1 s: 10 minutes of rows, then 8 s, 64 s, 512 s and 4096 s buckets, a week in all, about 6 MB.
 * Nothing allocates after history_new. Not thread-safe: the main thread owns it.
 */
#ifndef VMTOP_HISTORY_H
#define VMTOP_HISTORY_H

#include "src/derive.h"

struct history;

/* What one column of a chart has to show. n == 0: nothing is known there, draw a gap. */
struct history_column {
	double min, mean, max;
	uint32_t n;		/* rows in it, those of a bucket included */
};

struct history *history_new(void);	/* dies when out of memory */
void history_free(struct history *h);

/*
 * Rows come in order of time; one that does not is ignored. A row covers its span up to its tick,
 * or up to t when it is late by over an eighth of the span; it is stretched back to the row before
 * when less than half its span lies between them.
 */
void history_add(struct history *h, const struct row *row);

/*
 * Fills cols[0..n) with what is known of m in [t0_ns + i * width_ns, + width_ns). Each row or
 * bucket counts in the column its middle lies in, so no peak is lost or shown twice; a column in
 * which none has its middle takes the one that covers its own middle. The finest tier that still
 * has the time is used.
 */
void history_window(const struct history *h, enum metric m, int64_t t0_ns, int64_t width_ns,
		    struct history_column *cols, size_t n);

/*
 * What is known of m at t_ns: the row or bucket that covers it, where two meet the earlier; n == 0
 * when none does.
 */
void history_at(const struct history *h, enum metric m, int64_t t_ns, struct history_column *col);

/* Where the oldest thing known begins and the newest row ends; both 0 when empty. */
int64_t history_first_ns(const struct history *h);
int64_t history_last_ns(const struct history *h);

/* The maximum ever of m, kept apart from the tiers; NAN when it never had a value. */
double history_max_ever(const struct history *h, enum metric m);

/* Bytes it holds, for the bench and for doctor. */
size_t history_size(const struct history *h);

#endif
