/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What vmload reckons and writes, without its command line. */
#include "tests/tap.h"

#include <ctype.h>
#include <errno.h>
#include <ftw.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/vmload.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* --- What a percentage is of --- */

static uint64_t target(const struct room *room, enum room_of of, unsigned percent)
{
	uint64_t bytes = 0, total, used;

	assert_int_equal(room_target(room, of, percent, &bytes, &total, &used), 0);
	return bytes;
}

static const struct room small_machine = {
	.ram = 512 * MIB, .ram_free = 430 * MIB, .swap = 1024 * MIB, .swap_free = 1000 * MIB,
};

static void percentage_is_of_ram_and_swap_less_what_is_in_use(void **state)
{
	(void)state;
	assert_int_equal(room_default(&small_machine), ROOM_RAM_SWAP);
	/* 80 % of 1610612736 bytes, less 111149056. */
	assert_int_equal(target(&small_machine, ROOM_RAM_SWAP, 80), 1177341132);
	assert_int_equal(target(&small_machine, ROOM_RAM_SWAP, 100), 1430 * MIB);
	assert_int_equal(target(&small_machine, ROOM_RAM, 50), (256 - 82) * MIB);
	assert_int_equal(target(&small_machine, ROOM_RAM, 150), (768 - 82) * MIB);
	assert_int_equal(target(&small_machine, ROOM_FREE, 10), 43 * MIB);
}

static void more_in_use_than_the_percentage_is_refused_with_the_figures(void **state)
{
	const struct room tiny = { .ram = 100, .ram_free = 60 };
	uint64_t bytes = 7, total, used;

	(void)state;
	assert_int_equal(room_target(&small_machine, ROOM_RAM, 10, &bytes, &total, &used), -ENOSPC);
	assert_int_equal(bytes, 7);
	assert_int_equal(total, 512 * MIB);
	assert_int_equal(used, 82 * MIB);
	/* Exactly as much as is in use leaves nothing to fill. */
	assert_int_equal(room_target(&tiny, ROOM_RAM, 40, &bytes, &total, &used), -ENOSPC);
}

static void machine_without_swap_is_filled_by_its_ram(void **state)
{
	const struct room room = { .ram = 1000, .ram_free = 900 };

	(void)state;
	assert_int_equal(target(&room, ROOM_RAM_SWAP, 80), 700);
}

static void largest_totals_do_not_overflow(void **state)
{
	const struct room room = { .ram = INT64_MAX, .ram_free = INT64_MAX };

	(void)state;
	assert_int_equal(target(&room, ROOM_FREE, 100), INT64_MAX);
	assert_int_equal(target(&room, ROOM_FREE, 99),
		INT64_MAX / 100 * 99 + INT64_MAX % 100 * 99 / 100);
}

static void cgroup_counts_its_own_swap_as_far_as_the_machine_has_it(void **state)
{
	struct room room = small_machine;

	(void)state;
	room.limited = true;
	room.limit = 128 * MIB;
	room.usage = 28 * MIB;
	room.swap_limit = 256 * MIB;
	room.swap_usage = 56 * MIB;
	assert_int_equal(room_default(&room), ROOM_CGROUP);
	assert_int_equal(target(&room, ROOM_CGROUP, 100), 100 * MIB + 200 * MIB);
	assert_int_equal(target(&room, ROOM_CGROUP, 50), 192 * MIB - 28 * MIB - 56 * MIB);
	room.swap_limit = UINT64_MAX;	/* the machine's, of which 1000 M are left */
	room.swap_usage = 0;
	assert_int_equal(target(&room, ROOM_CGROUP, 100), 100 * MIB + 1000 * MIB);
	room.swap = room.swap_free = 0;
	assert_int_equal(target(&room, ROOM_CGROUP, 100), 100 * MIB);
}

static void without_a_limit_there_is_nothing_for_of_cgroup(void **state)
{
	uint64_t bytes, total, used;

	(void)state;
	assert_int_equal(room_target(&small_machine, ROOM_CGROUP, 80, &bytes, &total, &used),
		-ENODATA);
}

/* --- Where it is read --- */

static char tree[64];

static int tree_make(void **state)
{
	(void)state;
	strcpy(tree, "/tmp/vmload-test-XXXXXX");
	return mkdtemp(tree) ? 0 : -1;
}

static int tree_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int tree_remove(void **state)
{
	(void)state;
	return nftw(tree, tree_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Writes a file below the tree, and the directories above it. */
static void put(const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", tree, path);
	for (char *slash = full + strlen(tree) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void put_machine(const char *cgroup, const char *mountinfo)
{
	put("proc/meminfo", "MemTotal:        1048576 kB\nMemFree:          524288 kB\n"
		"MemAvailable:     900000 kB\nCached:           400000 kB\n"
		"SwapCached:            5 kB\n"
		"SwapTotal:       2097152 kB\nSwapFree:        1048576 kB\n");
	put("proc/self/cgroup", cgroup);
	put("proc/self/mountinfo", mountinfo);
}

#define V1_MOUNTS "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n" \
	"32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n" \
	"35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n" \
	"41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
#define V2_MOUNTS "26 24 0:23 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"

static struct room read_room(void)
{
	struct room room;

	assert_int_equal(room_read(tree, &room), 0);
	return room;
}

static void page_cache_counts_as_in_use(void **state)
{
	struct room room;

	(void)state;
	put_machine("0::/\n", V2_MOUNTS);
	room = read_room();
	assert_int_equal(room.ram, GIB);
	assert_int_equal(room.ram_free, 512 * MIB);
	assert_int_equal(room.swap, 2 * GIB);
	assert_int_equal(room.swap_free, GIB);
	assert_false(room.limited);
}

static void free_is_never_above_the_total(void **state)
{
	struct room room;

	(void)state;
	put_machine("0::/\n", V2_MOUNTS);
	put("proc/meminfo", "MemTotal: 1024 kB\nMemFree: 2048 kB\nSwapTotal: 0 kB\n"
		"SwapFree: 18446744073709551488 kB\n");
	room = read_room();
	assert_int_equal(room.ram_free, 1024 * 1024);
	assert_int_equal(room.swap_free, 0);
	assert_int_equal(target(&room, ROOM_RAM_SWAP, 50), 512 * 1024);
}

static void machine_without_meminfo_is_an_error(void **state)
{
	struct room room;

	(void)state;
	assert_int_equal(room_read(tree, &room), -ENOENT);
}

static void v2_group_is_read(void **state)
{
	struct room room;

	(void)state;
	put_machine("0::/user.slice/job\n", V2_MOUNTS);
	put("sys/fs/cgroup/user.slice/memory.max", "max\n");
	put("sys/fs/cgroup/user.slice/memory.current", "999999999\n");
	put("sys/fs/cgroup/user.slice/job/memory.max", "134217728\n");
	put("sys/fs/cgroup/user.slice/job/memory.current", "1048576\n");
	put("sys/fs/cgroup/user.slice/job/memory.swap.max", "max\n");
	put("sys/fs/cgroup/user.slice/job/memory.swap.current", "4096\n");
	room = read_room();
	assert_true(room.limited);
	assert_int_equal(room.limit, 128 * MIB);
	assert_int_equal(room.usage, MIB);
	assert_true(room.swap_limit == UINT64_MAX);
	assert_int_equal(room.swap_usage, 4096);
	put("sys/fs/cgroup/user.slice/job/memory.swap.max", "0\n");
	assert_int_equal(read_room().swap_limit, 0);
}

static void v1_group_counts_swap_as_what_is_above_memory(void **state)
{
	struct room room;

	(void)state;
	/* The memory controller is v1's although there is a v2 hierarchy too. */
	put_machine("5:cpu,cpuacct:/other\n4:memory:/job\n0::/job\n", V1_MOUNTS);
	put("sys/fs/cgroup/unified/job/memory.max", "4096\n");
	put("sys/fs/cgroup/unified/job/memory.current", "0\n");
	put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "134217728\n");
	put("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1048576\n");
	put("sys/fs/cgroup/memory/job/memory.memsw.limit_in_bytes", "201326592\n");
	put("sys/fs/cgroup/memory/job/memory.memsw.usage_in_bytes", "3145728\n");
	room = read_room();
	assert_int_equal(room.limit, 128 * MIB);
	assert_int_equal(room.usage, MIB);
	assert_int_equal(room.swap_limit, 64 * MIB);
	assert_int_equal(room.swap_usage, 2 * MIB);
}

static void v1_group_without_swap_accounting_may_use_the_machines(void **state)
{
	struct room room;

	(void)state;
	put_machine("4:hugetlb,memory:/\n", V1_MOUNTS);
	put("sys/fs/cgroup/memory/memory.limit_in_bytes", "134217728\n");
	put("sys/fs/cgroup/memory/memory.usage_in_bytes", "0\n");
	room = read_room();
	assert_true(room.limited);
	assert_true(room.swap_limit == UINT64_MAX);
	assert_int_equal(target(&room, ROOM_CGROUP, 100), 128 * MIB + GIB);
}

static void tightest_limit_above_counts(void **state)
{
	struct room room;

	(void)state;
	put_machine("0::/outer/inner\n", V2_MOUNTS);
	put("sys/fs/cgroup/outer/memory.max", "67108864\n");
	put("sys/fs/cgroup/outer/memory.current", "5000\n");
	put("sys/fs/cgroup/outer/inner/memory.max", "134217728\n");
	put("sys/fs/cgroup/outer/inner/memory.current", "4000\n");
	room = read_room();
	assert_int_equal(room.limit, 64 * MIB);
	assert_int_equal(room.usage, 5000);
}

static void limit_above_the_ram_is_none(void **state)
{
	(void)state;
	put_machine("4:memory:/job\n", V1_MOUNTS);
	put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
	put("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "0\n");
	assert_false(read_room().limited);
}

/* Containers without a cgroup namespace: the group's path begins with what is mounted. */
static void group_is_found_below_the_root_of_its_mount(void **state)
{
	(void)state;
	put_machine("4:memory:/docker/abc/job\n",
		"32 31 0:29 /docker/ab /sys/wrong rw - cgroup cgroup rw,memory\n"
		"35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
	put("sys/wrong/memory.limit_in_bytes", "4096\n");
	put("sys/wrong/memory.usage_in_bytes", "0\n");
	put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "134217728\n");
	put("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "0\n");
	assert_int_equal(read_room().limit, 128 * MIB);
}

static void group_outside_of_the_mount_is_not_looked_for(void **state)
{
	(void)state;
	put_machine("0::/../job\n", V2_MOUNTS);
	put("sys/fs/job/memory.max", "4096\n");
	put("sys/fs/job/memory.current", "0\n");
	put("sys/fs/cgroup/memory.max", "4096\n");
	put("sys/fs/cgroup/memory.current", "0\n");
	assert_false(read_room().limited);
}

/* --- Content --- */

enum { BLOCKS = 64 };

static char stream[BLOCKS][CONTENT_BLOCK];

static void make_stream(enum content content, uint64_t seed)
{
	memset(stream, 1, sizeof(stream));
	content_fill(content, seed, 0, stream, sizeof(stream));
}

/* About what LZ4 makes of a block: literals, and three bytes for a match of four or more. */
static size_t squeezed(const char *block)
{
	static short seen[1 << 12];
	size_t size = 0;

	memset(seen, -1, sizeof(seen));
	for (int i = 0; i < CONTENT_BLOCK;) {
		uint32_t four;
		short *slot, at;
		int n = 0;

		if (i + 4 > CONTENT_BLOCK)
			return size + (size_t)(CONTENT_BLOCK - i);
		memcpy(&four, block + i, 4);
		slot = &seen[four * 2654435761U >> 20];
		at = *slot;
		*slot = (short)i;
		while (at >= 0 && i + n < CONTENT_BLOCK && block[at + n] == block[i + n])
			n++;
		size += n >= 4 ? 3 : 1;
		i += n >= 4 ? n : 1;
	}
	return size;
}

static void random_pages_differ_and_do_not_compress(void **state)
{
	(void)state;
	make_stream(CONTENT_RANDOM, 1);
	for (int i = 0; i < BLOCKS; i++) {
		assert_true(squeezed(stream[i]) > CONTENT_BLOCK * 99 / 100);
		for (int k = 0; k < i; k++)
			assert_memory_not_equal(stream[i], stream[k], CONTENT_BLOCK);
	}
}

static void random_bytes_are_even(void **state)
{
	unsigned count[256] = { 0 };

	(void)state;
	make_stream(CONTENT_RANDOM, 1);
	for (int i = 0; i < BLOCKS; i++)
		for (int k = 0; k < CONTENT_BLOCK; k++)
			count[(unsigned char)stream[i][k]]++;
	/* 1024 of each, give or take five standard deviations. */
	for (int i = 0; i < 256; i++)
		assert_in_range(count[i], 1024 - 160, 1024 + 160);
}

static void text_pages_differ_and_compress_like_prose(void **state)
{
	size_t sum = 0;

	(void)state;
	make_stream(CONTENT_TEXT, 1);
	for (int i = 0; i < BLOCKS; i++) {
		sum += squeezed(stream[i]);
		for (int k = 0; k < CONTENT_BLOCK; k++)
			assert_true(isalpha(stream[i][k]) || strchr(" \n.,", stream[i][k]));
		for (int k = 0; k < i; k++)
			assert_memory_not_equal(stream[i], stream[k], CONTENT_BLOCK);
	}
	assert_in_range(sum / BLOCKS, CONTENT_BLOCK * 55 / 100, CONTENT_BLOCK * 72 / 100);
}

static void zero_is_zero(void **state)
{
	static const char zero[sizeof(stream)];

	(void)state;
	make_stream(CONTENT_ZERO, 1);
	assert_memory_equal(stream, zero, sizeof(stream));
}

static void any_place_of_the_stream_can_be_had_by_itself(void **state)
{
	char block[CONTENT_BLOCK];

	(void)state;
	for (enum content c = CONTENT_ZERO; c <= CONTENT_RANDOM; c++) {
		make_stream(c, 99);
		content_fill(c, 99, 37 * CONTENT_BLOCK, block, sizeof(block));
		assert_memory_equal(block, stream[37], CONTENT_BLOCK);
		content_fill_bytes(c, 99, 38 * CONTENT_BLOCK, block, sizeof(block));
		assert_memory_equal(block, stream[38], CONTENT_BLOCK);
	}
}

static void another_seed_gives_another_stream(void **state)
{
	char block[CONTENT_BLOCK];

	(void)state;
	for (enum content c = CONTENT_TEXT; c <= CONTENT_RANDOM; c++) {
		make_stream(c, 1);
		for (int i = 0; i < BLOCKS; i++) {
			content_fill(c, 2, (uint64_t)i * CONTENT_BLOCK, block, sizeof(block));
			assert_memory_not_equal(block, stream[i], CONTENT_BLOCK);
			/* Nor the same one shifted by a block or two. */
			assert_memory_not_equal(block, stream[(i + 1) % BLOCKS], CONTENT_BLOCK);
		}
	}
}

static void touch_changes_the_page_and_nothing_of_how_it_compresses(void **state)
{
	char block[CONTENT_BLOCK];

	(void)state;
	for (enum content c = CONTENT_TEXT; c <= CONTENT_RANDOM; c++) {
		make_stream(c, 1);
		for (uint64_t turn = 1; turn < 20; turn++) {
			memcpy(block, stream[0], sizeof(block));
			content_touch(c, 1, 0, turn, stream[0]);
			assert_memory_not_equal(block, stream[0], CONTENT_BLOCK);
			assert_memory_equal(block + 8, stream[0] + 8, CONTENT_BLOCK - 8);
			assert_true(squeezed(stream[0]) + 8 > squeezed(block));
		}
	}
}

static size_t differs(uint64_t seed, uint64_t at)
{
	return content_differs(CONTENT_RANDOM, seed, at, stream, sizeof(stream));
}

static void first_changed_byte_is_found(void **state)
{
	static const size_t places[] = { 0, 1, 7, 4095, 4096, 12345, sizeof(stream) - 1 };

	(void)state;
	make_stream(CONTENT_RANDOM, 5);
	assert_int_equal(differs(5, 0), sizeof(stream));
	assert_int_equal(differs(6, 0), 0);
	assert_int_equal(differs(5, CONTENT_BLOCK), 0);
	for (size_t i = sizeof(places) / sizeof(*places); i-- > 0;) {
		stream[places[i] / CONTENT_BLOCK][places[i] % CONTENT_BLOCK] ^= 0x10;
		assert_int_equal(differs(5, 0), places[i]);
	}
}

/* --- Memory --- */

static size_t page;

static struct fill_options fill_of(enum content content, uint64_t chunk)
{
	return (struct fill_options){ .chunk = chunk, .content = content, .seed = 3, .passes = 1,
		.times = 1, .tasks = 1 };
}

/* Pages of chunk i that are in memory. */
static size_t resident(const struct memory *m, size_t i, size_t pages)
{
	unsigned char *in = calloc(pages, 1);
	size_t n = 0;

	assert_non_null(in);
	assert_int_equal(mincore(m->chunk[i], pages * page, in), 0);
	for (size_t k = 0; k < pages; k++)
		n += in[k] & 1;
	free(in);
	return n;
}

static void written_memory_is_there_to_the_page(void **state)
{
	_Atomic uint64_t progress = 0;

	(void)state;
	for (int every_byte = 0; every_byte < 2; every_byte++)
		for (enum content c = CONTENT_ZERO; c <= CONTENT_RANDOM; c++) {
			struct fill_options o = fill_of(c, 16 * page - 1);
			struct memory m;

			o.write = true;
			o.every_byte = every_byte;
			assert_int_equal(memory_fill(&m, &o, 0, 70 * page + 1, &progress), 0);
			assert_int_equal(m.bytes, 70 * page + 1);
			assert_int_equal(progress, 70 * page + 1);
			assert_int_equal(m.count, 5);
			for (size_t i = 0; i < 4; i++)
				assert_int_equal(resident(&m, i, 16), 16);
			assert_int_equal(resident(&m, 4, 7), 7);
			memory_free(&m);
		}
}

static void memory_that_is_not_written_is_allocated_only(void **state)
{
	struct fill_options o = fill_of(CONTENT_RANDOM, MIB);
	_Atomic uint64_t progress = 0;
	struct memory m;

	(void)state;
	assert_int_equal(memory_fill(&m, &o, 0, 8 * MIB, &progress), 0);
	assert_int_equal(m.bytes, 8 * MIB);
	assert_int_equal(m.count, 8);
	for (size_t i = 0; i < m.count; i++)
		assert_int_equal(resident(&m, i, MIB / page), 0);
	memory_free(&m);
}

static void memory_holds_its_part_of_the_stream(void **state)
{
	struct fill_options o = fill_of(CONTENT_RANDOM, 3 * page);
	_Atomic uint64_t progress = 0;
	uint64_t at = 1000 * page;
	struct memory m;

	(void)state;
	o.write = true;
	assert_int_equal(memory_fill(&m, &o, at, 10 * page, &progress), 0);
	assert_int_equal(m.count, 4);
	for (size_t i = 0; i < m.count; i++) {
		size_t size = (i < 3 ? 3 : 1) * page;

		assert_int_equal(content_differs(CONTENT_RANDOM, 3, at + i * 3 * page, m.chunk[i],
			size), size);
	}
	memory_free(&m);
}

static void further_pass_changes_the_begin_of_each_page(void **state)
{
	struct fill_options o = fill_of(CONTENT_RANDOM, 4 * page);
	_Atomic uint64_t progress = 0;
	struct memory m;
	char *was = malloc(4 * page);

	(void)state;
	assert_non_null(was);
	o.write = true;
	o.passes = 2;
	content_fill(CONTENT_RANDOM, 3, 0, was, 4 * page);
	assert_int_equal(memory_fill(&m, &o, 0, 4 * page, &progress), 0);
	for (size_t i = 0; i < 4; i++) {
		assert_memory_not_equal(m.chunk[0] + i * page, was + i * page, 8);
		assert_memory_equal(m.chunk[0] + i * page + 8, was + i * page + 8, page - 8);
	}
	memory_free(&m);
	free(was);
}

static void parts_of_the_tasks_make_the_total_exactly(void **state)
{
	static const unsigned tasks[] = { 1, 2, 3, 7, 64, 101 };

	(void)state;
	for (size_t t = 0; t < sizeof(tasks) / sizeof(*tasks); t++)
		for (uint64_t total = 100 * page + 1; total < 204 * page; total += page * 7 - 3) {
			uint64_t next = 0, at, bytes, least = UINT64_MAX, most = 0;

			for (unsigned i = 0; i < tasks[t]; i++) {
				fill_share(total, tasks[t], i, &at, &bytes);
				assert_int_equal(at, next);
				assert_int_equal(at % page, 0);
				assert_true(bytes > 0);
				next = at + bytes;
				least = bytes < least ? bytes : least;
				most = bytes > most ? bytes : most;
			}
			assert_int_equal(next, total);
			assert_true(most - least < 2 * page);
		}
}

#define TREE_TEST(f) cmocka_unit_test_setup_teardown(f, tree_make, tree_remove)

int main(void)
{
	const struct CMUnitTest vmload[] = {
		cmocka_unit_test(percentage_is_of_ram_and_swap_less_what_is_in_use),
		cmocka_unit_test(more_in_use_than_the_percentage_is_refused_with_the_figures),
		cmocka_unit_test(machine_without_swap_is_filled_by_its_ram),
		cmocka_unit_test(largest_totals_do_not_overflow),
		cmocka_unit_test(cgroup_counts_its_own_swap_as_far_as_the_machine_has_it),
		cmocka_unit_test(without_a_limit_there_is_nothing_for_of_cgroup),
		TREE_TEST(page_cache_counts_as_in_use),
		TREE_TEST(free_is_never_above_the_total),
		TREE_TEST(machine_without_meminfo_is_an_error),
		TREE_TEST(v2_group_is_read),
		TREE_TEST(v1_group_counts_swap_as_what_is_above_memory),
		TREE_TEST(v1_group_without_swap_accounting_may_use_the_machines),
		TREE_TEST(tightest_limit_above_counts),
		TREE_TEST(limit_above_the_ram_is_none),
		TREE_TEST(group_is_found_below_the_root_of_its_mount),
		TREE_TEST(group_outside_of_the_mount_is_not_looked_for),
		cmocka_unit_test(random_pages_differ_and_do_not_compress),
		cmocka_unit_test(random_bytes_are_even),
		cmocka_unit_test(text_pages_differ_and_compress_like_prose),
		cmocka_unit_test(zero_is_zero),
		cmocka_unit_test(any_place_of_the_stream_can_be_had_by_itself),
		cmocka_unit_test(another_seed_gives_another_stream),
		cmocka_unit_test(touch_changes_the_page_and_nothing_of_how_it_compresses),
		cmocka_unit_test(first_changed_byte_is_found),
		cmocka_unit_test(written_memory_is_there_to_the_page),
		cmocka_unit_test(memory_that_is_not_written_is_allocated_only),
		cmocka_unit_test(memory_holds_its_part_of_the_stream),
		cmocka_unit_test(further_pass_changes_the_begin_of_each_page),
		cmocka_unit_test(parts_of_the_tasks_make_the_total_exactly),
	};

	page = (size_t)sysconf(_SC_PAGESIZE);
	return TAP_RUN(vmload, NULL, NULL);
}
