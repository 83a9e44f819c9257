/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/history.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/xalloc.h"

enum {
	TIERS = 5,
	ROWS = 600,		/* slots of tier 0 */
	SLOTS = ROWS + 3 * 360 + 160,
	GAP_SHARE = 16,		/* a bucket holds no gap over this part of its full length */
	LATE_SHARE = 8		/* a row is late when it is by over this part of its span */
};

/* A gap that ends a bucket of any length. */
#define BREAK UINT32_MAX

/* Slots first to first + size - 1 are the tier's ring. */
static const struct tier_info {
	size_t first, size;
	uint32_t full;		/* length of a whole bucket, in rows */
} tiers[TIERS] = {
	{ 0, ROWS, 1 },
	{ ROWS, 360, 8 },
	{ ROWS + 360, 360, 64 },
	{ ROWS + 720, 360, 512 },
	{ ROWS + 1080, 160, 4096 },
};

/* A row, or some that were folded into one. */
struct bucket {
	int64_t from_ns, to_ns;	/* covers (from, to] */
	int64_t covered_ns;	/* less where there was no row; at least 1 */
	uint32_t rows;
	uint32_t length;	/* rows, and those that would have stood in the gaps */
	uint32_t gap;		/* rows that would have stood just before it, or BREAK */
};

/* Of one metric in one bucket; NAN when it had no value there. */
struct cell {
	float min, mean, max;
};

/* Of one metric in a bucket that still grows. Nothing yet: weight 0. */
struct sum {
	double min, max, sum, weight;
};

struct tier {
	size_t begin, count;	/* of the ring: the oldest, and how many */
	struct bucket open;	/* still growing; rows == 0: none */
	struct sum sum[METRIC_COUNT];
};

struct history {
	struct tier tier[TIERS];
	struct bucket bucket[SLOTS];
	double row[METRIC_COUNT][ROWS];
	struct cell cell[METRIC_COUNT][SLOTS - ROWS];
	double max_ever[METRIC_COUNT];
};

struct history *history_new(void)
{
	struct history *h = xcalloc(1, sizeof(*h));

	/* Written, not only asked for: a page must not be missing once memory is short. */
	memset(h, 0, sizeof(*h));
	for (size_t m = 0; m < METRIC_COUNT; m++) {
		for (size_t i = 0; i < ROWS; i++)
			h->row[m][i] = NAN;
		for (size_t i = 0; i < SLOTS - ROWS; i++)
			h->cell[m][i] = (struct cell){ NAN, NAN, NAN };
		h->max_ever[m] = NAN;
	}
	return h;
}

void history_free(struct history *h)
{
	free(h);
}

size_t history_size(const struct history *h)
{
	return sizeof(*h);
}

/* The slot of the i-th oldest bucket of a tier. */
static size_t tier_slot(const struct history *h, size_t k, size_t i)
{
	size_t at = h->tier[k].begin + i;

	return tiers[k].first + (at < tiers[k].size ? at : at - tiers[k].size);
}

static const struct bucket *tier_bucket(const struct history *h, size_t k, size_t i)
{
	return &h->bucket[tier_slot(h, k, i)];
}

/* Adds a bucket to a tier's ring, the oldest goes when it is full. Returns its slot. */
static size_t tier_push(struct history *h, size_t k, const struct bucket *bucket)
{
	struct tier *t = &h->tier[k];
	size_t slot;

	if (t->count < tiers[k].size)
		t->count++;
	else if (++t->begin == tiers[k].size)
		t->begin = 0;
	slot = tier_slot(h, k, t->count - 1);
	h->bucket[slot] = *bucket;
	return slot;
}

/* False when m has no value in the slot. */
static bool slot_value(const struct history *h, enum metric m, size_t slot,
		       struct history_column *value)
{
	const struct cell *cell;

	value->n = h->bucket[slot].rows;
	if (slot < ROWS) {
		value->min = value->mean = value->max = h->row[m][slot];
	} else {
		cell = &h->cell[m][slot - ROWS];
		value->min = (double)cell->min;
		value->mean = (double)cell->mean;
		value->max = (double)cell->max;
	}
	return !isnan(value->mean);
}

static void sum_add(struct sum *s, const struct history_column *value, double weight)
{
	if (s->weight <= 0 || value->min < s->min)
		s->min = value->min;
	if (s->weight <= 0 || value->max > s->max)
		s->max = value->max;
	s->sum += value->mean * weight;
	s->weight += weight;
}

/* Rounding must not take it out of min to max. */
static double sum_mean(const struct sum *s)
{
	double mean = s->sum / s->weight;

	return mean < s->min ? s->min : mean > s->max ? s->max : mean;
}

/* Rounded outwards: a peak never gets smaller by being folded. */
static struct cell sum_cell(const struct sum *s)
{
	struct cell c = { NAN, NAN, NAN };

	if (s->weight <= 0)
		return c;
	c = (struct cell){ (float)s->min, (float)sum_mean(s), (float)s->max };
	if ((double)c.min > s->min)
		c.min = nextafterf(c.min, -INFINITY);
	if ((double)c.max < s->max)
		c.max = nextafterf(c.max, INFINITY);
	return c;
}

/* Moves the growing bucket of a tier to its ring. Returns the slot. */
static size_t tier_close(struct history *h, size_t k)
{
	struct tier *t = &h->tier[k];
	size_t slot = tier_push(h, k, &t->open);

	for (size_t m = 0; m < METRIC_COUNT; m++)
		h->cell[m][slot - ROWS] = sum_cell(&t->sum[m]);
	memset(t->sum, 0, sizeof(t->sum));
	t->open.rows = 0;
	return slot;
}

/* Whether the bucket can still take the next one of the tier below. */
static bool tier_has_room(const struct tier *t, const struct bucket *next, uint32_t full)
{
	return next->gap <= full / GAP_SHARE && t->open.length + next->gap + next->length <= full;
}

static void tier_grow(struct history *h, size_t k, size_t slot)
{
	const struct bucket *b = &h->bucket[slot];
	struct tier *t = &h->tier[k];
	struct history_column value;

	if (!t->open.rows) {
		t->open = *b;
	} else {
		t->open.to_ns = b->to_ns;
		t->open.covered_ns += b->covered_ns;
		t->open.rows += b->rows;
		t->open.length += b->gap + b->length;
	}
	for (size_t m = 0; m < METRIC_COUNT; m++)
		if (slot_value(h, (enum metric)m, slot, &value))
			sum_add(&t->sum[m], &value, (double)b->covered_ns);
}

/*
 * Takes a new bucket of the tier below into tier k. A growing bucket's parts are always all in the
 * ring below: each is, with the gap that ended it, longer than full / 8 / GAP_SHARE rows, so that
 * there are at most 8 * GAP_SHARE of them, and no ring below another is that short. So no time is
 * ever missing between two tiers.
 */
static void tier_fold(struct history *h, size_t k, size_t slot)
{
	struct tier *t = &h->tier[k];

	if (k == TIERS)
		return;
	if (t->open.rows && !tier_has_room(t, &h->bucket[slot], tiers[k].full))
		tier_fold(h, k + 1, tier_close(h, k));
	tier_grow(h, k, slot);
	if (t->open.length >= tiers[k].full)
		tier_fold(h, k + 1, tier_close(h, k));
}

/*
 * When a row ends: at its tick, so that the small unevenness of sampling puts no two rows in one
 * column of a chart and none in the next. A row that is late indeed ends when it was read.
 */
static int64_t row_end(const struct row *row, const struct bucket *last)
{
	int64_t tick_ns = row->t_ns - row->late_ns;

	if (row->late_ns < 0 || row->late_ns > row->span_ns / LATE_SHARE)
		return row->t_ns;
	return last && tick_ns <= last->to_ns ? row->t_ns : tick_ns;
}

/* What a row covers, seen from the row before (NULL: the first). */
static struct bucket row_bucket(const struct row *row, const struct bucket *last)
{
	int64_t span = row->span_ns > 0 ? row->span_ns : 0, end = row_end(row, last);
	struct bucket b = { .from_ns = end - span, .to_ns = end, .rows = 1, .length = 1 };
	double gap;

	if (last && b.from_ns < last->to_ns)
		b.from_ns = last->to_ns;
	if (row->gap || !last) {
		b.gap = BREAK;
	} else if (row->missed || b.from_ns - last->to_ns > span / 2) {
		gap = round((double)(b.from_ns - last->to_ns) / (double)(span ? span : 1));
		b.gap = gap < 1 ? 1 : gap < BREAK ? (uint32_t)gap : BREAK;
	} else {
		b.from_ns = last->to_ns;
	}
	b.covered_ns = b.to_ns > b.from_ns ? b.to_ns - b.from_ns : 1;
	return b;
}

void history_add(struct history *h, const struct row *row)
{
	struct tier *t = &h->tier[0];
	const struct bucket *last = t->count ? tier_bucket(h, 0, t->count - 1) : NULL;
	struct bucket b;
	size_t slot;

	if (last && row->t_ns <= last->to_ns)
		return;
	b = row_bucket(row, last);
	slot = tier_push(h, 0, &b);
	for (size_t m = 0; m < METRIC_COUNT; m++) {
		double value = row->why[m] == WHY_OK ? row->value[m] : NAN;

		h->row[m][slot] = value;
		if (!isnan(value) && !(h->max_ever[m] >= value))
			h->max_ever[m] = value;
	}
	tier_fold(h, 1, slot);
}

double history_max_ever(const struct history *h, enum metric m)
{
	return h->max_ever[m];
}

int64_t history_last_ns(const struct history *h)
{
	size_t count = h->tier[0].count;

	return count ? tier_bucket(h, 0, count - 1)->to_ns : 0;
}

int64_t history_first_ns(const struct history *h)
{
	int64_t first = 0;

	if (h->tier[0].count)
		first = tier_bucket(h, 0, 0)->from_ns;
	for (size_t k = 1; k < TIERS; k++)
		if (h->tier[k].count && tier_bucket(h, k, 0)->from_ns < first)
			first = tier_bucket(h, k, 0)->from_ns;
	return first;
}

/* All that is known, each time once and from the finest tier that has it, oldest first. */
struct chain {
	const struct history *h;
	struct part {
		size_t tier, begin, end;	/* its buckets begin to end - 1, by age */
	} part[TIERS];			/* in order of time; the last is tier 0 */
	size_t first, count;		/* parts first to TIERS - 1; buckets in all */
};

/* How many buckets of a tier begin before t_ns. */
static size_t tier_before(const struct history *h, size_t k, int64_t t_ns)
{
	size_t lo = 0, hi = h->tier[k].count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (tier_bucket(h, k, mid)->from_ns < t_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Takes from the parts already there what lies before t_ns. */
static void chain_cut(struct chain *c, int64_t t_ns)
{
	while (c->first < TIERS) {
		struct part *p = &c->part[c->first];
		size_t before = tier_before(c->h, p->tier, t_ns);

		if (before > p->begin)
			p->begin = before;
		if (p->begin < p->end)
			break;
		c->first++;
	}
}

/*
 * A coarser tier adds what is older than all finer ones have. Its newest bucket to do so may hold
 * rows that a finer tier still has: it is then taken whole, and the finer part begins behind it.
 */
static void chain_make(struct chain *c, const struct history *h)
{
	*c = (struct chain){ .h = h, .first = TIERS };
	for (size_t k = 0; k < TIERS; k++) {
		size_t end = h->tier[k].count;

		if (c->first < TIERS) {
			const struct part *p = &c->part[c->first];

			end = tier_before(h, k, tier_bucket(h, p->tier, p->begin)->from_ns);
		}
		if (!end)
			continue;
		chain_cut(c, tier_bucket(h, k, end - 1)->to_ns);
		c->part[--c->first] = (struct part){ .tier = k, .end = end };
	}
	for (size_t i = c->first; i < TIERS; i++)
		c->count += c->part[i].end - c->part[i].begin;
}

/* The slot of the i-th oldest. */
static size_t chain_slot(const struct chain *c, size_t i)
{
	const struct part *p = &c->part[c->first];

	while (i >= p->end - p->begin) {
		i -= p->end - p->begin;
		p++;
	}
	return tier_slot(c->h, p->tier, p->begin + i);
}

/* Index of the first that ends at or after t_ns; count when none does. */
static size_t chain_find(const struct chain *c, int64_t t_ns)
{
	size_t lo = 0, hi = c->count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->h->bucket[chain_slot(c, mid)].to_ns < t_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void history_at(const struct history *h, enum metric m, int64_t t_ns, struct history_column *col)
{
	struct chain chain;
	size_t i, slot;

	*col = (struct history_column){ .n = 0 };
	chain_make(&chain, h);
	i = chain_find(&chain, t_ns);
	if (i == chain.count)
		return;
	slot = chain_slot(&chain, i);
	if (h->bucket[slot].from_ns > t_ns || !slot_value(h, m, slot, col))
		*col = (struct history_column){ .n = 0 };
}

/* The columns being filled, from the left to the right. */
struct window {
	struct chain chain;
	enum metric m;
	int64_t t0_ns, width_ns;
	struct history_column *cols;
	int64_t n;
	int64_t at;		/* the column that sum is of */
	struct sum sum;
};

/* One of the chain on its way into the columns. */
struct spot {
	const struct bucket *bucket;	/* NULL: there is none */
	size_t slot;
	int64_t column;		/* in which its middle lies; may be outside */
};

static int64_t window_column(const struct window *w, int64_t t_ns)
{
	int64_t d = t_ns - w->t0_ns;

	return d >= 0 ? d / w->width_ns : -((-d - 1) / w->width_ns) - 1;
}

static struct spot window_spot(const struct window *w, size_t i)
{
	struct spot s = { .bucket = NULL };
	const struct bucket *b;

	if (i >= w->chain.count)
		return s;
	s.slot = chain_slot(&w->chain, i);
	s.bucket = b = &w->chain.h->bucket[s.slot];
	s.column = window_column(w, b->from_ns + (b->to_ns - b->from_ns) / 2);
	return s;
}

static void window_put(struct window *w, const struct spot *s, int64_t column)
{
	struct history_column value, *col;

	if (column < 0 || column >= w->n || !slot_value(w->chain.h, w->m, s->slot, &value))
		return;
	if (w->at != column) {
		w->at = column;
		w->sum = (struct sum){ .weight = 0 };
	}
	sum_add(&w->sum, &value, (double)s->bucket->covered_ns);
	col = &w->cols[column];
	col->min = w->sum.min;
	col->max = w->sum.max;
	col->mean = sum_mean(&w->sum);
	col->n += value.n;
}

/* Columns begin to end - 1, which hold no middle, take whichever of the two covers theirs. */
static void window_fill(struct window *w, const struct spot *prev, const struct spot *next,
			int64_t begin, int64_t end)
{
	if (begin < 0)
		begin = 0;
	if (end > w->n)
		end = w->n;
	for (int64_t i = begin; i < end; i++) {
		int64_t middle = w->t0_ns + i * w->width_ns + w->width_ns / 2;

		if (prev->bucket && middle <= prev->bucket->to_ns)
			window_put(w, prev, i);
		else if (next->bucket && middle > next->bucket->from_ns)
			window_put(w, next, i);
	}
}

void history_window(const struct history *h, enum metric m, int64_t t0_ns, int64_t width_ns,
		    struct history_column *cols, size_t n)
{
	struct window w = { .m = m, .t0_ns = t0_ns, .width_ns = width_ns, .cols = cols,
			    .n = (int64_t)n, .at = -1 };
	struct spot prev = { .bucket = NULL }, s;
	int64_t begin = 0;
	size_t i;

	assert(width_ns > 0);
	memset(cols, 0, n * sizeof(*cols));
	chain_make(&w.chain, h);
	i = chain_find(&w.chain, t0_ns);
	for (s = window_spot(&w, i); s.bucket; s = window_spot(&w, ++i)) {
		window_fill(&w, &prev, &s, begin, s.column);
		if (s.column >= w.n)
			return;
		window_put(&w, &s, s.column);
		begin = s.column + 1;
		prev = s;
	}
	window_fill(&w, &prev, &s, begin, w.n);
}
