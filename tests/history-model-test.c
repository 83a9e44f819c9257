/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * History against a naive model that keeps every row. One metric carries the number of its row, so
 * what history says of it tells exactly which rows it has put together.
 */
#include "tests/tap.h"

#include <math.h>
#include <string.h>

#include "src/history.h"

#define S 1000000000LL

#define NUMBER M_mem_MemFree
#define VALUE M_swap_so
#define SPARSE M_vm_allocstall

enum { ROWS_MAX = 60000, COLUMNS = 700 };

struct model_row {
	int64_t from_ns, to_ns;	/* what it covers */
	double value, sparse;	/* sparse may be NAN */
	bool fresh;		/* a suspend lies before it */
};

static struct history *h;
static struct model_row rows[ROWS_MAX];
static int nrows;
static uint64_t seed;

static uint32_t next_random(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33);
}

static bool one_in(uint32_t n)
{
	return next_random() % n == 0;
}

static void add_row(int64_t interval_ns, uint32_t gap_rate)
{
	struct model_row *m = &rows[nrows], *last = nrows ? m - 1 : NULL;
	int64_t last_ns = last ? last->to_ns : 5 * S;
	struct row row = { .span_ns = interval_ns };

	memset(row.why, WHY_ABSENT, sizeof(row.why));
	row.t_ns = last_ns + interval_ns + (int64_t)(next_random() % 1000) * interval_ns / 50000;
	if (one_in(gap_rate)) {
		row.missed = 1 + next_random() % 3;
		if (one_in(10))
			row.missed *= 100;
		row.t_ns += (int64_t)row.missed * interval_ns;
	} else if (one_in(gap_rate * 20)) {
		row.gap = true;
	} else {
		row.span_ns = row.t_ns - last_ns;
	}
	*m = (struct model_row){
		.from_ns = row.t_ns - row.span_ns, .to_ns = row.t_ns, .fresh = row.gap,
		.value = one_in(50) ? next_random() : next_random() % 1000 / 7.0,
		.sparse = one_in(4) ? NAN : next_random() % 1000 / 3.0,
	};
	row.value[NUMBER] = nrows++;
	row.value[VALUE] = m->value;
	row.value[SPARSE] = m->sparse;
	row.why[NUMBER] = row.why[VALUE] = WHY_OK;
	row.why[SPARSE] = isnan(m->sparse) ? WHY_RESET : WHY_OK;
	history_add(h, &row);
}

/* Rows first to last, put together naively; n == 0 when there is no value among them. */
static struct history_column naive(int first, int last, bool sparse)
{
	struct history_column c = { .n = 0 };
	double sum = 0, weight = 0;

	for (int i = first; i <= last; i++) {
		double value = sparse ? rows[i].sparse : rows[i].value;
		double covered = (double)(rows[i].to_ns - rows[i].from_ns);

		if (isnan(value))
			continue;
		c.min = c.n && c.min < value ? c.min : value;
		c.max = c.n && c.max > value ? c.max : value;
		c.n++;
		sum += value * covered;
		weight += covered;
	}
	c.mean = c.n ? sum / weight : 0;
	return c;
}

/* Outwards by no more than a float's precision. */
static void check_extremes(const struct history_column *got, const struct history_column *wanted)
{
	assert_true(got->min <= wanted->min && got->min >= wanted->min * (1 - 2e-7));
	assert_true(got->max >= wanted->max && got->max <= wanted->max * (1 + 2e-7));
	assert_true(got->min <= got->mean && got->mean <= got->max);
}

static void check_rows(int first, int last, const struct history_column *value,
		       const struct history_column *sparse)
{
	struct history_column wanted = naive(first, last, false);

	check_extremes(value, &wanted);
	assert_true(fabs(value->mean - wanted.mean) <= 1e-6 * wanted.max);
	wanted = naive(first, last, true);
	assert_int_equal(sparse->n != 0, wanted.n != 0);
	if (wanted.n)
		check_extremes(sparse, &wanted);
}

static void get_at(int64_t t_ns, struct history_column *number, struct history_column *value,
		   struct history_column *sparse)
{
	history_at(h, NUMBER, t_ns, number);
	history_at(h, VALUE, t_ns, value);
	history_at(h, SPARSE, t_ns, sparse);
}

/* From the oldest to the newest, each row is in exactly one bucket, and the bucket is right. */
static void check_walk(void)
{
	struct history_column number, value, sparse;
	int first = -1, last = -1;
	int64_t t = history_first_ns(h) + 1;

	for (; last < nrows - 1; t = rows[last + 1].from_ns + 1) {
		get_at(t, &number, &value, &sparse);
		assert_true(number.n > 0);
		first = (int)number.min;
		if (last >= 0)
			assert_int_equal(first, last + 1);
		last = (int)number.max;
		assert_int_equal(number.n, last - first + 1);
		assert_int_equal(t, rows[first].from_ns + 1);
		check_rows(first, last, &value, &sparse);
		for (int i = first + 1; i <= last; i++)
			assert_false(rows[i].fresh);
		get_at(rows[last].to_ns, &number, &value, &sparse);
		assert_int_equal((int)number.max, last);
		if (last == nrows - 1)
			break;
		get_at(rows[last].to_ns + 1, &number, &value, &sparse);
		assert_int_equal(number.n != 0, rows[last + 1].from_ns <= rows[last].to_ns + 1);
	}
	assert_int_equal(history_last_ns(h), rows[nrows - 1].to_ns);
}

/* The row, or the bucket it was folded into: where that begins and ends. */
static void bucket_of(int i, int64_t *from_ns, int64_t *to_ns)
{
	struct history_column number;

	history_at(h, NUMBER, rows[i].to_ns, &number);
	*from_ns = rows[(int)number.min].from_ns;
	*to_ns = rows[(int)number.max].to_ns;
}

static int64_t bucket_length(int i)
{
	int64_t from_ns, to_ns;

	bucket_of(i, &from_ns, &to_ns);
	return to_ns - from_ns;
}

static int64_t bucket_middle(int i)
{
	int64_t from_ns, to_ns;

	bucket_of(i, &from_ns, &to_ns);
	return from_ns + (to_ns - from_ns) / 2;
}

/* The row that covers t_ns, or -1. */
static int row_at(int64_t t_ns)
{
	int lo = 0, hi = nrows;

	while (lo < hi) {
		int mid = (lo + hi) / 2;

		if (rows[mid].to_ns < t_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < nrows && rows[lo].from_ns < t_ns ? lo : -1;
}

static void check_window(int64_t t0, int64_t width)
{
	static struct history_column number[COLUMNS], value[COLUMNS], sparse[COLUMNS];
	int first = -1, last = -1;

	history_window(h, NUMBER, t0, width, number, COLUMNS);
	history_window(h, VALUE, t0, width, value, COLUMNS);
	history_window(h, SPARSE, t0, width, sparse, COLUMNS);
	for (int i = 0; i < COLUMNS; i++) {
		int64_t middle = t0 + i * width + width / 2;

		if (!number[i].n) {
			assert_true(row_at(middle) < 0 || middle <= history_first_ns(h));
			continue;
		}
		if (last >= 0) {
			/* None left out, and in two columns only what is as wide as one. */
			assert_in_range((int)number[i].min, first, last + 1);
			if ((int)number[i].min <= last)
				assert_true(bucket_length(last) >= width);
		}
		first = (int)number[i].min;
		last = (int)number[i].max;
		assert_int_equal(number[i].n, last - first + 1);
		check_rows(first, last, &value[i], &sparse[i]);
	}
	if (last >= 0 && last + 1 < nrows)
		assert_true(bucket_middle(last + 1) >= t0 + COLUMNS * width);
}

static void check_windows(int count)
{
	int64_t begin = history_first_ns(h), length = history_last_ns(h) - begin;

	for (int i = 0; i < count; i++) {
		/* From a hundredth of a row up to twice of all. */
		int64_t width = (int64_t)(exp2(next_random() % 1000 / 30.0) * 1e6) %
				(2 * length / COLUMNS) + 1;
		int64_t t0 = begin + (int64_t)(next_random() / 2147483648.0 * (double)length) -
			     next_random() % COLUMNS * width;

		check_window(t0, width);
	}
}

static void run(uint64_t with_seed, uint32_t gap_rate, bool change)
{
	static const int64_t intervals[] = { S, S / 10, 5 * S, S / 50, 10 * S, S / 4 };
	int64_t interval = S;

	seed = with_seed;
	nrows = 0;
	h = history_new();
	while (nrows < ROWS_MAX) {
		if (change && one_in(700))
			interval = intervals[next_random() % 6];
		add_row(interval, gap_rate);
		if (one_in(nrows < 1000 ? 20 : 3000)) {
			check_walk();
			check_windows(5);
		}
	}
	check_walk();
	check_windows(100);
	history_free(h);
}

static void even_rows_are_folded_right(void **state)
{
	(void)state;
	run(1, 1000000, false);
}

static void rows_with_few_gaps_are_folded_right(void **state)
{
	(void)state;
	run(2, 400, false);
}

static void rows_with_a_gap_everywhere_are_folded_right(void **state)
{
	(void)state;
	run(3, 2, false);
	run(4, 5, true);
}

static void rows_of_changing_interval_are_folded_right(void **state)
{
	(void)state;
	run(5, 1000000, true);
	run(6, 60, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(even_rows_are_folded_right),
		cmocka_unit_test(rows_with_few_gaps_are_folded_right),
		cmocka_unit_test(rows_with_a_gap_everywhere_are_folded_right),
		cmocka_unit_test(rows_of_changing_interval_are_folded_right),
	};

	return TAP_RUN(tests, NULL, NULL);
}
