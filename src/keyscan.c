/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/keyscan.h"

#include <stdlib.h>
#include <string.h>

#include "src/xalloc.h"

/*
 * Every key and field that the source's expressions name is one slot, found through a hash table
 * by key; the slots of one key (cpu#1, cpu#2 ...) are chained. Each metric has its alternatives,
 * each alternative its slots.
 */
enum { FIELDS_MAX = 16, TERMS_MAX = 8, ALTERNATIVES_MAX = 4, KEY_MAX = 64 };

struct slot {
	char key[KEY_MAX];
	size_t key_len;
	unsigned int field;	/* 1 up */
	int next;		/* another field of the same key, or -1 */
	bool found;
	uint64_t value;
};

struct alternative {
	int slot[TERMS_MAX];
	size_t n;
};

struct wanted {
	enum metric metric;
	struct alternative alternative[ALTERNATIVES_MAX];
	size_t n;
};

struct keyscan {
	struct slot *slot;
	size_t nslots;
	struct wanted *wanted;
	size_t nwanted;
	int *hash;		/* index of the first slot of a key, or -1 */
	size_t hash_size;	/* power of two */
};

static const char *const zones[] = { "_dma", "_dma32", "_normal", "_high", "_movable", "_device" };

static size_t hash_key(const char *key, size_t len)
{
	size_t h = 2166136261u;	/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)key[i]) * 16777619u;
	return h;
}

/* The place in the hash table where key is, or where it would be put. */
static size_t hash_place(const struct keyscan *k, const char *key, size_t len)
{
	size_t i = hash_key(key, len) & (k->hash_size - 1);

	while (k->hash[i] >= 0) {
		const struct slot *s = &k->slot[k->hash[i]];

		if (s->key_len == len && memcmp(s->key, key, len) == 0)
			break;
		i = (i + 1) & (k->hash_size - 1);
	}
	return i;
}

static int slot_for(struct keyscan *k, const char *key, size_t len, unsigned int field)
{
	size_t place = hash_place(k, key, len);
	struct slot *s;

	for (int i = k->hash[place]; i >= 0; i = k->slot[i].next)
		if (k->slot[i].field == field)
			return i;
	if (len >= KEY_MAX)
		die("metrics.def: key %.*s is too long", (int)len, key);
	s = &k->slot[k->nslots];
	memcpy(s->key, key, len);
	s->key[len] = '\0';
	s->key_len = len;
	s->field = field;
	s->next = k->hash[place];
	k->hash[place] = (int)k->nslots;
	return (int)k->nslots++;
}

static void alternative_add(struct keyscan *k, struct alternative *a, const char *key, size_t len,
			    unsigned int field)
{
	if (a->n == TERMS_MAX)
		die("metrics.def: too many terms at %.*s", (int)len, key);
	a->slot[a->n++] = slot_for(k, key, len, field);
}

/* One term: "key", "key@" or "key#3". */
static void compile_term(struct keyscan *k, struct alternative *a, const char *term, size_t len)
{
	const char *hash = memchr(term, '#', len);
	unsigned int field = 1;
	char zone_key[KEY_MAX];

	if (len && term[len - 1] == '@') {
		for (size_t z = 0; z < sizeof(zones) / sizeof(*zones); z++) {
			size_t zone_len = strlen(zones[z]);

			if (len - 1 + zone_len >= KEY_MAX)
				die("metrics.def: key %.*s is too long", (int)len, term);
			memcpy(zone_key, term, len - 1);
			memcpy(zone_key + len - 1, zones[z], zone_len);
			alternative_add(k, a, zone_key, len - 1 + zone_len, 1);
		}
		return;
	}
	if (hash) {
		field = (unsigned int)strtoul(hash + 1, NULL, 10);
		len = (size_t)(hash - term);
	}
	if (field < 1 || field > FIELDS_MAX)
		die("metrics.def: no field %u in a line", field);
	alternative_add(k, a, term, len, field);
}

static void compile_metric(struct keyscan *k, enum metric m)
{
	struct wanted *w = &k->wanted[k->nwanted++];
	const char *p = metric_info(m)->expr;

	w->metric = m;
	for (;;) {
		size_t len = strcspn(p, "|+");

		if (w->n == ALTERNATIVES_MAX)
			die("metrics.def: too many alternatives for %s", metric_info(m)->id);
		compile_term(k, &w->alternative[w->n], p, len);
		p += len;
		if (*p != '+')
			w->n++;
		if (!*p++)
			break;
	}
}

struct keyscan *keyscan_new(enum source_id source)
{
	struct keyscan *k = xcalloc(1, sizeof(*k));
	size_t nmetrics = 0, nslots = 0;

	for (size_t m = 0; m < METRIC_COUNT; m++)
		if (metric_info((enum metric)m)->source == source) {
			nmetrics++;
			nslots += ALTERNATIVES_MAX * TERMS_MAX;
		}
	k->wanted = xcalloc(nmetrics + 1, sizeof(*k->wanted));
	k->slot = xcalloc(nslots + 1, sizeof(*k->slot));
	for (k->hash_size = 64; k->hash_size < nmetrics * 4; k->hash_size *= 2)
		;
	k->hash = xcalloc(k->hash_size, sizeof(*k->hash));
	for (size_t i = 0; i < k->hash_size; i++)
		k->hash[i] = -1;
	for (size_t m = 0; m < METRIC_COUNT; m++)
		if (metric_info((enum metric)m)->source == source)
			compile_metric(k, (enum metric)m);
	if (k->nslots * 2 > k->hash_size)
		die("metrics.def: %zu keys of %s do not fit", k->nslots, source_info(source)->name);
	k->slot = xrealloc(k->slot, k->nslots + 1, sizeof(*k->slot));
	return k;
}

void keyscan_free(struct keyscan *k)
{
	if (!k)
		return;
	free(k->slot);
	free(k->wanted);
	free(k->hash);
	free(k);
}

void keyscan_begin(struct keyscan *k)
{
	for (size_t i = 0; i < k->nslots; i++) {
		k->slot[i].found = false;
		k->slot[i].value = 0;
	}
}

static void slot_add(struct slot *s, uint64_t value)
{
	s->found = true;
	s->value += value > INT64_MAX ? 0 : value;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * The next number before end: blanks, "name=" and a sign are passed over, what follows the digits
 * up to the next blank is too. A negative number counts as 0, as one that does not fit does.
 */
static bool next_number(const char **p, const char *end, uint64_t *value)
{
	const char *s = *p;
	uint64_t v = 0;
	bool bad;

	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	for (const char *t = s; t < end && *t != ' ' && *t != '\t'; t++)
		if (*t == '=') {
			s = t + 1;
			break;
		}
	bad = s < end && *s == '-';
	if (bad)
		s++;
	if (s >= end || !is_digit(*s))
		return false;
	for (; s < end && is_digit(*s); s++) {
		bad |= __builtin_mul_overflow(v, 10, &v);
		bad |= __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v);
	}
	while (s < end && *s != ' ' && *s != '\t')
		s++;
	*p = s;
	*value = bad ? 0 : v;
	return true;
}

static void scan_fields(struct keyscan *k, int first, const char *p, const char *end)
{
	unsigned int last = 0;
	uint64_t value;

	for (int i = first; i >= 0; i = k->slot[i].next)
		if (k->slot[i].field > last)
			last = k->slot[i].field;
	for (unsigned int field = 1; field <= last && next_number(&p, end, &value); field++)
		for (int i = first; i >= 0; i = k->slot[i].next)
			if (k->slot[i].field == field)
				slot_add(&k->slot[i], value);
}

void keyscan_text(struct keyscan *k, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		const char *p = text;
		size_t key_len;
		int first;

		if (!eol)
			eol = end;
		while (p < eol && *p != ' ' && *p != ':' && *p != '\t')
			p++;
		key_len = (size_t)(p - text);
		if (p < eol && *p == ':')
			p++;
		first = key_len ? k->hash[hash_place(k, text, key_len)] : -1;
		if (first >= 0)
			scan_fields(k, first, p, eol);
		text = eol + 1;
	}
}

void keyscan_numbers(struct keyscan *k, const char *text, size_t len)
{
	int first = k->hash[hash_place(k, "", 0)];
	const char *eol = memchr(text, '\n', len);

	if (first >= 0)
		scan_fields(k, first, text, eol ? eol : text + len);
}

void keyscan_value(struct keyscan *k, const char *key, uint64_t value)
{
	int first = k->hash[hash_place(k, key, strlen(key))];

	for (int i = first; i >= 0; i = k->slot[i].next)
		if (k->slot[i].field == 1)
			slot_add(&k->slot[i], value);
}

/* The sum of an alternative's keys; false when none of them was there. */
static bool alternative_value(const struct keyscan *k, const struct alternative *a, uint64_t *value)
{
	bool found = false;

	*value = 0;
	for (size_t i = 0; i < a->n; i++) {
		const struct slot *s = &k->slot[a->slot[i]];

		found |= s->found;
		*value += s->value;
	}
	return found;
}

void keyscan_end(const struct keyscan *k, struct sample *s)
{
	for (size_t i = 0; i < k->nwanted; i++) {
		const struct wanted *w = &k->wanted[i];
		uint64_t value = 0;
		bool found = false;

		for (size_t a = 0; a < w->n && !found; a++)
			found = alternative_value(k, &w->alternative[a], &value);
		if (found)
			sample_set(s, w->metric, value);
		else
			sample_clear(s, w->metric);
	}
}
