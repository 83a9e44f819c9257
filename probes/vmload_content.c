/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/vmload.h"

#include <string.h>

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)	/* 2^64 over the golden ratio */

/* Keeps the compiler from dropping stores to memory that nobody reads. */
static void used(void *buf)
{
	__asm__ volatile("" : : "r"(buf) : "memory");
}

/* SplitMix64's finaliser: a counter goes in, and any place of the stream can be had by itself. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static void random_block(uint64_t seed, uint64_t at, char *buf)
{
	uint64_t x = mix(seed) + at / sizeof(x) * GOLDEN;

	for (size_t i = 0; i < CONTENT_BLOCK; i += sizeof(x)) {
		uint64_t word = mix(x += GOLDEN);

		memcpy(buf + i, &word, sizeof(word));
	}
}

/*
 * Text is words of a vocabulary used by Zipf's law, in sentences. The frequent ones are real; of
 * the rest, each is made of syllables by its number. Chosen so that a block shrinks as one of a
 * manual or a licence does: to 64 % with lz4, 41 % with zstd -3.
 */
enum { OCTAVES = 11, LISTED = 64, AGAIN_OF_16 = 1 };

static const char listed[LISTED][8] = {
	"it", "the", "of", "and", "to", "a", "in", "is", "that", "for", "with", "as", "be", "on",
	"not", "are", "by", "or", "this", "from", "at", "an", "which", "have", "has", "was", "but",
	"if", "can", "all", "will", "when", "one", "no", "may", "more", "than", "so", "out", "up",
	"only", "into", "any", "time", "new", "other", "some", "its", "been", "these", "two",
	"must", "then", "first", "such", "each", "after", "before", "where", "used", "called",
	"number", "under", "every",
};

static const char syllable[64][4] = {
	"re", "con", "ti", "er", "in", "al", "ment", "per", "ed", "de", "com", "ly", "ex", "ing",
	"ter", "pro", "sion", "ca", "en", "ble", "tor", "mi", "su", "ent", "ac", "la", "ver", "po",
	"dis", "ure", "man", "ous", "pre", "ni", "ta", "form", "ge", "ic", "li", "sys", "or", "tem",
	"ma", "ul", "ry", "sta", "fi", "min", "o", "sub", "lo", "ate", "par", "so", "fer", "un",
	"ma", "cess", "ran", "ob", "ize", "ga", "pu", "str",
};

static size_t append(char *word, size_t n, const char *part)
{
	size_t len = strnlen(part, 8);

	memcpy(word + n, part, len);
	return n + len;
}

static size_t text_word(uint64_t r, char *word)
{
	unsigned octave = (unsigned)(r & 0xffff) * OCTAVES >> 16;
	unsigned rank = 1U << octave | (unsigned)(r >> 16 & ((1U << octave) - 1));
	uint64_t parts = mix(rank);
	size_t n = 0;

	if (rank < LISTED)
		return append(word, 0, listed[rank]);
	for (unsigned i = 2 + (parts >> 62) % 3; i > 0; i--, parts >>= 6)
		n = append(word, n, syllable[parts & 63]);
	return n;
}

/* A word with what stands behind it; *capital: starts a sentence, and whether the next one does. */
static size_t text_piece(uint64_t r, bool *capital, char *word)
{
	size_t len = text_word(r, word);
	unsigned stop = (unsigned)(r >> 56);

	if (*capital)
		word[0] ^= 'a' ^ 'A';
	*capital = stop < 16;
	if (stop < 32)
		word[len++] = *capital ? '.' : ',';
	word[len++] = r >> 52 & 15 ? ' ' : '\n';
	return len;
}

static void text_block(uint64_t seed, uint64_t at, char *buf)
{
	uint64_t x = mix(seed) + at / CONTENT_BLOCK * GOLDEN;
	char piece[CONTENT_BLOCK / 64];
	bool capital = true;
	size_t n = 0;

	while (n < CONTENT_BLOCK) {
		uint64_t r = mix(x += GOLDEN);
		size_t len = text_piece(r, &capital, piece);

		/* Prose comes back to what it spoke of. */
		if (n > sizeof(piece) && (r >> 48 & 15) < AGAIN_OF_16) {
			len = 12 + (r >> 32 & 31);
			memcpy(piece, buf + mix(r) % (n - len), len);
		}
		if (len > CONTENT_BLOCK - n)
			len = CONTENT_BLOCK - n;
		memcpy(buf + n, piece, len);
		n += len;
	}
}

static void content_block(enum content content, uint64_t seed, uint64_t at, char *buf)
{
	switch (content) {
	case CONTENT_ZERO: memset(buf, 0, CONTENT_BLOCK); break;
	case CONTENT_TEXT: text_block(seed, at, buf); break;
	case CONTENT_RANDOM: random_block(seed, at, buf); break;
	}
}

void content_fill(enum content content, uint64_t seed, uint64_t at, void *buf, size_t size)
{
	for (size_t i = 0; i < size; i += CONTENT_BLOCK) {
		content_block(content, seed, at + i, (char *)buf + i);
		used((char *)buf + i);
	}
}

void content_fill_bytes(enum content content, uint64_t seed, uint64_t at, void *buf, size_t size)
{
	volatile char *to = buf;
	char block[CONTENT_BLOCK];

	for (size_t i = 0; i < size; i += CONTENT_BLOCK) {
		content_block(content, seed, at + i, block);
		for (size_t k = 0; k < CONTENT_BLOCK; k++)
			to[i + k] = block[k];
	}
}

void content_touch(enum content content, uint64_t seed, uint64_t at, uint64_t turn, void *buf)
{
	uint64_t word = mix(mix(~seed) + at + turn * GOLDEN);

	/* Never what the block begins with: ~seed is another stream, and text begins a sentence. */
	switch (content) {
	case CONTENT_ZERO: *(volatile char *)buf = 0; break;
	case CONTENT_TEXT: *(volatile char *)buf = (char)('a' + turn % 26); break;
	case CONTENT_RANDOM: *(volatile uint64_t *)buf = word; break;
	}
}

size_t content_differs(enum content content, uint64_t seed, uint64_t at, const void *buf,
	size_t size)
{
	char block[CONTENT_BLOCK];

	for (size_t i = 0; i < size; i += CONTENT_BLOCK) {
		const char *is = (const char *)buf + i;
		size_t k = 0;

		content_block(content, seed, at + i, block);
		if (memcmp(is, block, CONTENT_BLOCK) == 0)
			continue;
		while (is[k] == block[k])
			k++;
		return i + k;
	}
	return size;
}
