/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages really swapped out and in again: si, so and swpd against /proc as the test reads it, and
 * zram's numbers. Swaps to a zram device of its own, which a guard process takes away when the test
 * is gone, however it went.
 */
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probes/sources.h"
#include "src/derive.h"
#include "src/sampler.h"

enum { SIZE = 16 << 20, PAGE = 4096 };

struct machine {
	int zram;		/* number of the device */
	pid_t guard;
	int guard_pipe;
	char *memory;
	struct sources set;
};

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

static bool zram_write(int zram, const char *file, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/block/zram%d/%s", zram, file);
	return write_text(path, text);
}

static void device_path(char *path, size_t size, int zram)
{
	snprintf(path, size, "/dev/zram%d", zram);
}

/* Told the number of the device, waits for the other end to close. */
static void guard_main(int fd)
{
	char path[64], number[16];
	int zram;

	if (read(fd, &zram, sizeof(zram)) != sizeof(zram))
		_exit(0);
	while (read(fd, path, sizeof(path)) > 0)
		;
	device_path(path, sizeof(path), zram);
	swapoff(path);
	zram_write(zram, "reset", "1");
	snprintf(number, sizeof(number), "%d", zram);
	write_text("/sys/class/zram-control/hot_remove", number);
	_exit(0);
}

static bool start_guard(struct machine *m)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return false;
	m->guard = fork();
	if (m->guard == 0) {
		setsid();	/* what is sent to the test's group is not for the guard */
		close(fds[1]);
		guard_main(fds[0]);
	}
	close(fds[0]);
	m->guard_pipe = fds[1];
	return m->guard > 0;
}

static void end_guard(struct machine *m)
{
	close(m->guard_pipe);
	waitpid(m->guard, NULL, 0);
}

/* Reading hot_add makes a device and gives its number (drivers/block/zram/zram_drv.c). */
static bool add_device(struct machine *m)
{
	FILE *f = fopen("/sys/class/zram-control/hot_add", "r");
	bool done = f && fscanf(f, "%d", &m->zram) == 1;

	if (f)
		fclose(f);
	return done && write(m->guard_pipe, &m->zram, sizeof(m->zram)) == sizeof(m->zram);
}

/* The header that mkswap writes: include/linux/swap.h, union swap_header. */
static bool make_swap(const char *device, uint32_t pages)
{
	static char header[PAGE];
	static const char magic[] = { 'S', 'W', 'A', 'P', 'S', 'P', 'A', 'C', 'E', '2' };
	const uint32_t info[] = { 1, pages - 1, 0 };
	int fd = open(device, O_WRONLY | O_CLOEXEC);
	bool done;

	memcpy(header + 1024, info, sizeof(info));
	memcpy(header + PAGE - sizeof(magic), magic, sizeof(magic));
	done = fd >= 0 && write(fd, header, PAGE) == PAGE && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	return done;
}

/* udev may hold a device that has just come. */
static bool swap_on(const char *device)
{
	struct timespec pause = { .tv_nsec = 10000000 };

	for (int i = 0; i < 200; i++) {
		if (swapon(device, SWAP_FLAG_PREFER | SWAP_FLAG_PRIO_MASK) == 0)
			return true;
		if (errno != EBUSY && errno != ENOENT)
			return false;
		nanosleep(&pause, NULL);
	}
	return false;
}

static const char *set_up(struct machine *m)
{
	char device[64];

	if (getuid() != 0 || access("/sys/class/zram-control/hot_add", R_OK) < 0)
		return "needs root and zram (modprobe zram)";
	if (sysconf(_SC_PAGESIZE) != PAGE)
		return "needs pages of 4096 bytes";
	m->memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m->memory == MAP_FAILED || madvise(m->memory, SIZE, MADV_PAGEOUT) < 0)
		return "needs MADV_PAGEOUT (Linux 5.4)";
	if (!start_guard(m))
		return "cannot fork";
	if (!add_device(m))
		return "no zram device could be added";
	device_path(device, sizeof(device), m->zram);
	if (!zram_write(m->zram, "disksize", "67108864") ||
	    !make_swap(device, (64 << 20) / PAGE) || !swap_on(device))
		return "no swap on zram here";
	return NULL;
}

/* --- What is compared --- */

struct own {
	uint64_t pswpin, pswpout, swpd_kib;
};

static uint64_t own_value(const char *path, const char *key)
{
	char line[256];
	uint64_t value = UINT64_MAX;
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (strncmp(line, key, strlen(key)) == 0)
			value = strtoull(line + strlen(key), NULL, 10);
	fclose(f);
	assert_true(value != UINT64_MAX);
	return value;
}

static void own_read(struct own *own)
{
	*own = (struct own){
		.pswpin = own_value("/proc/vmstat", "pswpin "),
		.pswpout = own_value("/proc/vmstat", "pswpout "),
		.swpd_kib = own_value("/proc/meminfo", "SwapTotal:") -
			    own_value("/proc/meminfo", "SwapFree:"),
	};
}

/* A sample at a moment in which none of the three moved, and what they were. */
static void still_sample(const struct machine *m, struct sample *s, struct own *own)
{
	struct own after;

	for (int i = 0; i < 1000; i++) {
		own_read(own);
		sampler_read(m->set.fast, m->set.nfast, s);
		own_read(&after);
		if (memcmp(own, &after, sizeof(after)) == 0)
			return;
	}
	fail_msg("the machine never stops swapping");
}

static void check(const struct row *r, enum metric m, double value)
{
	if (r->why[m] != WHY_OK || fabs(r->value[m] - value) > 1e-6 * value)
		fail_msg("%s is %.6f (why %d), not %.6f", metric_info(m)->id, r->value[m],
			 r->why[m], value);
}

static const struct derive_env env = { .page_size = PAGE, .clock_ticks = 100, .long_bits = 64 };

static double vmstat_dt(const struct sample *a, const struct sample *b)
{
	return (double)(b->source_ns[SOURCE_VMSTAT] - a->source_ns[SOURCE_VMSTAT]) / 1e9;
}

static void fill(char *memory)
{
	uint64_t x = 88172645463325252u;

	for (size_t i = 0; i < SIZE; i += 64) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(memory + i, &x, sizeof(x));
	}
}

static void si_so_and_swpd_equal_the_kernels_counters(void **state)
{
	struct machine *m = *state;
	static struct sample a, b, c;
	struct own own_a, own_b, own_c;
	struct row row;
	unsigned long sum = 0;

	fill(m->memory);
	still_sample(m, &a, &own_a);
	assert_int_equal(madvise(m->memory, SIZE, MADV_PAGEOUT), 0);
	still_sample(m, &b, &own_b);
	assert_true(own_b.pswpout - own_a.pswpout >= SIZE / PAGE / 2);
	derive(&env, &a, &b, &row);
	check(&row, M_swap_so, (double)(own_b.pswpout - own_a.pswpout) * 4 / vmstat_dt(&a, &b));
	check(&row, M_swap_si, (double)(own_b.pswpin - own_a.pswpin) * 4 / vmstat_dt(&a, &b));
	check(&row, M_mem_swpd, (double)own_b.swpd_kib);
	assert_true(own_b.swpd_kib >= SIZE / 1024 / 2);
	for (size_t i = 0; i < SIZE; i += PAGE)
		sum += (unsigned char)((volatile char *)m->memory)[i];
	assert_true(sum > 0);
	still_sample(m, &c, &own_c);
	assert_true(own_c.pswpin - own_b.pswpin >= SIZE / PAGE / 2);
	derive(&env, &b, &c, &row);
	check(&row, M_swap_si, (double)(own_c.pswpin - own_b.pswpin) * 4 / vmstat_dt(&b, &c));
	check(&row, M_mem_swpd, (double)own_c.swpd_kib);
}

static void zram_shows_what_was_swapped_to_it(void **state)
{
	struct machine *m = *state;
	struct sample s;

	fill(m->memory);
	assert_int_equal(madvise(m->memory, SIZE, MADV_PAGEOUT), 0);
	sampler_read(m->set.slow, m->set.nslow, &s);
	assert_int_equal(s.source_why[SOURCE_ZRAM], WHY_OK);
	assert_true(s.value[M_zram_orig_data_size] >= SIZE / 2);
	assert_true(s.value[M_zram_compr_data_size] > 0);
	assert_true(s.value[M_zram_compr_data_size] < s.value[M_zram_orig_data_size]);
	assert_true(s.value[M_zram_mem_used_total] >= s.value[M_zram_compr_data_size]);
}

static struct machine machine;

static int give_machine(void **state)
{
	*state = &machine;
	return 0;
}

int main(void)
{
#define ON_MACHINE(test) cmocka_unit_test_setup(test, give_machine)
	const struct CMUnitTest tests[] = {
		ON_MACHINE(si_so_and_swpd_equal_the_kernels_counters),
		ON_MACHINE(zram_shows_what_was_swapped_to_it),
	};
	const char *reason = set_up(&machine);
	char err[128];
	int result;

	if (reason) {
		if (machine.guard > 0)
			end_guard(&machine);
		tap_skip_all(reason);
	}
	if (sources_open(&machine.set, "", NULL, err, sizeof(err)) < 0)
		return 1;
	result = TAP_RUN(tests, NULL, NULL);
	sources_close(&machine.set);
	munmap(machine.memory, SIZE);
	end_guard(&machine);
	return result;
}
