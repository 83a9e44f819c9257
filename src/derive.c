/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/derive.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "src/xalloc.h"

enum { TERMS_MAX = 8, NS_PER_S = 1000000000, SUSPEND_NS = NS_PER_S / 10, STALE_INTERVALS = 3,
       PERCENT_MAX = 100 };

struct term {
	enum metric metric;
	bool minus, optional;
};

struct formula {
	struct term over[TERMS_MAX], under[TERMS_MAX];
	size_t nover, nunder;
};

/* Made once from the table and constant from then on. */
static struct formula formulas[METRIC_COUNT];
static pthread_once_t compiled = PTHREAD_ONCE_INIT;

static void compile_term(const char *owner, struct formula *f, bool under, const char *word,
			 size_t len)
{
	struct term *t = under ? &f->under[f->nunder++] : &f->over[f->nover++];
	char id[64];

	if (f->nover > TERMS_MAX - 1 || f->nunder > TERMS_MAX - 1)
		die("metrics.def: %s has too many terms", owner);
	if (len < 2 || len >= sizeof(id) || (word[0] != '+' && word[0] != '-'))
		die("metrics.def: %s: bad term %.*s", owner, (int)len, word);
	t->minus = word[0] == '-';
	t->optional = word[len - 1] == '?';
	memcpy(id, word + 1, len - 1);
	id[len - 1 - t->optional] = '\0';
	t->metric = metric_find(id);
	if (t->metric == METRIC_COUNT || metric_info(t->metric)->source == SOURCE_DERIVED)
		die("metrics.def: %s: %s is no raw metric", owner, id);
}

static void compile_all(void)
{
	for (size_t m = 0; m < METRIC_COUNT; m++) {
		const struct metric_info *info = metric_info((enum metric)m);
		const char *p = info->expr;
		bool under = false;

		if (info->source != SOURCE_DERIVED)
			continue;
		while (*p) {
			size_t len = strcspn(p, " ");

			if (len == 1 && *p == '/')
				under = true;
			else
				compile_term(info->id, &formulas[m], under, p, len);
			p += len;
			p += strspn(p, " ");
		}
	}
}

/* Of what the two samples have to say of one source. */
struct step {
	enum why why;		/* of the source as a whole */
	enum why rate_why;	/* why there is no rate, when values there are */
	double dt_s;		/* between the two readings */
};

static void step_of(const struct sample *prev, const struct sample *now, enum source_id src,
		    bool gap, struct step *step)
{
	int64_t interval = now->interval_ns;
	int64_t read_ns = now->source_ns[src];

	*step = (struct step){ .why = (enum why)now->source_why[src] };
	if (source_info(src)->cadence == CADENCE_SLOW && interval < NS_PER_S)
		interval = NS_PER_S;
	if (step->why == WHY_OK && !read_ns)
		step->why = WHY_FIRST;
	else if (step->why == WHY_OK && interval > 0 &&
		 now->mono_ns - read_ns > STALE_INTERVALS * interval + NS_PER_S)
		step->why = WHY_STALE;
	if (gap)
		step->rate_why = WHY_GAP;
	else if (!prev || !prev->source_ns[src] || read_ns <= prev->source_ns[src] ||
		 (prev->source_why[src] != WHY_OK && prev->source_why[src] != WHY_LOST))
		step->rate_why = WHY_FIRST;
	else
		step->dt_s = (double)(read_ns - prev->source_ns[src]) / NS_PER_S;
}

/* Progress of a counter, unsigned and never below 0. */
static enum why progress(const struct derive_env *env, enum metric m, const struct sample *prev,
			 const struct sample *now, double *out)
{
	uint64_t a, b;

	if (!sample_has(prev, m))
		return WHY_FIRST;
	a = prev->value[m];
	b = now->value[m];
	*out = 0;
	if (b >= a) {
		*out = (double)(b - a);
	} else if (metric_info(m)->kind == KIND_DIPPING) {
		*out = 0;
	} else if (env->long_bits == 32 && a <= UINT32_MAX && (uint32_t)(b - a) <= UINT32_MAX / 2) {
		*out = (double)(uint32_t)(b - a);
	} else {
		return WHY_RESET;
	}
	return WHY_OK;
}

struct derivation {
	const struct derive_env *env;
	const struct sample *prev, *now;
	const struct step *steps;
	double dt_s;		/* of the first term that progressed */
};

/* What one raw metric adds to a formula: its value, or its progress. */
static enum why raw_amount(const struct derivation *d, enum metric m, bool delta, double *out)
{
	const struct step *step = &d->steps[metric_info(m)->source];

	if (step->why != WHY_OK)
		return step->why;
	if (!sample_has(d->now, m))
		return WHY_ABSENT;
	if (!delta) {
		*out = (double)d->now->value[m];
		return WHY_OK;
	}
	if (step->rate_why != WHY_OK)
		return step->rate_why;
	return progress(d->env, m, d->prev, d->now, out);
}

static enum why sum_terms(struct derivation *d, const struct term *terms, size_t n, bool delta,
			  enum unit unit, double *sum)
{
	bool any = false;

	*sum = 0;
	for (size_t i = 0; i < n; i++) {
		enum metric m = terms[i].metric;
		double amount, factor = unit_convert(metric_info(m)->unit, unit, d->env->page_size);
		enum why why = raw_amount(d, m, delta, &amount);

		if (why == WHY_ABSENT && terms[i].optional)
			continue;
		if (why != WHY_OK)
			return why;
		any = true;
		if (d->dt_s <= 0)
			d->dt_s = d->steps[metric_info(m)->source].dt_s;
		*sum += (terms[i].minus ? -amount : amount) * (factor > 0 ? factor : 1);
	}
	if (!any)
		return WHY_ABSENT;
	if (*sum < 0)
		*sum = 0;
	return WHY_OK;
}

static enum why derive_formula(struct derivation *d, enum metric m, double *out)
{
	const struct metric_info *info = metric_info(m);
	const struct formula *f = &formulas[m];
	bool delta = info->kind == KIND_RATE || info->kind == KIND_SHARE ||
		     info->kind == KIND_MEAN || info->kind == KIND_SINCE;
	enum unit unit = f->nunder ? metric_info(f->over[0].metric)->unit : info->unit;
	double over, under = 1;
	enum why why;

	d->dt_s = 0;
	why = sum_terms(d, f->over, f->nover, delta, unit, &over);
	if (why == WHY_OK && f->nunder)
		why = sum_terms(d, f->under, f->nunder, delta,
				metric_info(f->under[0].metric)->unit, &under);
	if (why != WHY_OK)
		return why;
	if (info->kind == KIND_RATE)
		under = d->dt_s;
	if (under <= 0)
		return WHY_IDLE;
	*out = over / under;
	if (info->kind == KIND_SHARE || info->kind == KIND_PCT)
		*out *= 100;
	if (info->kind == KIND_SHARE && *out > PERCENT_MAX)
		*out = PERCENT_MAX;	/* the two keys are not read at one instant */
	return WHY_OK;
}

static enum why derive_one(struct derivation *d, enum metric m, double *out)
{
	const struct metric_info *info = metric_info(m);
	bool rate = info->kind == KIND_COUNTER || info->kind == KIND_DIPPING;
	enum why why;

	*out = 0;
	if (info->source == SOURCE_DERIVED)
		return derive_formula(d, m, out);
	why = raw_amount(d, m, rate || info->kind == KIND_TALLY, out);
	if (why == WHY_OK && rate)
		*out *= unit_rate_factor(info->unit, d->env->clock_ticks) /
			d->steps[info->source].dt_s;
	if (info->unit == UNIT_USEC && *out > PERCENT_MAX)
		*out = PERCENT_MAX;	/* stall time and our clock are not read at one instant */
	return why;
}

static bool suspended(const struct sample *prev, const struct sample *now)
{
	int64_t before = prev->boot_ns - prev->mono_ns;
	int64_t after = now->boot_ns - now->mono_ns;

	return after - before > SUSPEND_NS;
}

void derive(const struct derive_env *env, const struct sample *prev, const struct sample *now,
	    struct row *row)
{
	struct step steps[SOURCE_COUNT];
	struct derivation d = { .env = env, .prev = prev, .now = now, .steps = steps };

	pthread_once(&compiled, compile_all);
	memset(row, 0, sizeof(*row));
	row->t_ns = now->mono_ns;
	row->late_ns = now->mono_ns - now->due_ns;
	row->missed = now->missed;
	row->gap = prev && (suspended(prev, now) || now->seq < prev->seq);
	row->span_ns = now->interval_ns;
	if (prev && !row->gap && !now->missed && !now->dropped)
		row->span_ns = now->mono_ns - prev->mono_ns;
	for (size_t s = 0; s < SOURCE_COUNT; s++)
		step_of(prev, now, (enum source_id)s, row->gap, &steps[s]);
	for (size_t m = 0; m < METRIC_COUNT; m++) {
		double value;
		enum why why = derive_one(&d, (enum metric)m, &value);

		row->why[m] = (uint8_t)why;
		row->value[m] = why == WHY_OK ? value : 0;
	}
}

const char *why_short(enum why why)
{
	switch (why) {
	case WHY_OK: return "";
	case WHY_ABSENT: return "n/a";
	case WHY_NO_SOURCE: return "n/a";
	case WHY_DENIED: return "not permitted";
	case WHY_FAILED: return "not readable";
	case WHY_FIRST: return "first sample";
	case WHY_GAP: return "gap";
	case WHY_RESET: return "reset";
	case WHY_STALE: return "stale";
	case WHY_IDLE: return "idle";
	case WHY_LOST: return "events lost";
	case WHY_COUNT: break;
	}
	return "?";
}

const char *why_text(enum why why, enum metric m, char *buf, size_t size)
{
	const struct metric_info *info = metric_info(m);
	enum source_id src = info->source;
	const struct source_info *source;

	if (src == SOURCE_DERIVED) {
		pthread_once(&compiled, compile_all);
		src = metric_info(formulas[m].over[0].metric)->source;
	}
	source = source_info(src);
	switch (why) {
	case WHY_ABSENT:
		if (src == SOURCE_FEEL)
			snprintf(buf, size, "nothing was told of it yet, or it cannot be had: page 4");
		else if (src == SOURCE_PLAYBACK)
			snprintf(buf, size, "the probe does not tell it: no sound file, or nothing counts it");
		else
			snprintf(buf, size, "this kernel's /%s does not have it", source->path);
		break;
	case WHY_NO_SOURCE:
		snprintf(buf, size, "%s: %s", source->missing, source->remedy);
		break;
	case WHY_DENIED:
		snprintf(buf, size, "/%s may not be read: run vmtop as root", source->path);
		break;
	case WHY_FAILED:
		snprintf(buf, size, "/%s cannot be read: cat /%s shows why", source->path,
			 source->path);
		break;
	case WHY_FIRST:
		snprintf(buf, size, "a rate needs two samples: wait for the next");
		break;
	case WHY_GAP:
		snprintf(buf, size, "a suspend or a restart lies before it: wait for the next");
		break;
	case WHY_RESET:
		snprintf(buf, size, "the counter went back: wait for the next");
		break;
	case WHY_STALE:
		snprintf(buf, size, "no answer from /%s for long: the machine is too busy",
			 source->path);
		break;
	case WHY_IDLE:
		snprintf(buf, size, "nothing happened that a share could be taken of");
		break;
	case WHY_LOST:
		snprintf(buf, size, "the kernel's buffer ran over: wait for the next");
		break;
	case WHY_OK: case WHY_COUNT:
		snprintf(buf, size, "%s", "");
		break;
	}
	return buf;
}
