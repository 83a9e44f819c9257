/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Swap on zram of the running kernel. Needs root and zram. Other programs may use zram meanwhile,
 * so each test looks at its own device only.
 */
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/demoswap.h"
#include "src/procstat.h"
#include "src/zramdev.h"

#define SIZE (64ULL << 20)
#define NOTES "/run/vmtop"

static const uint8_t uuid[ZRAMDEV_UUID] = "0123456789abcde";
static const char uuid_text[] = "30313233343536373839616263646500";

/* What the running test has made, for the teardown. */
static struct demoswap *demo;
static int added = -1, maker;
static bool sized;		/* the device number 0 */

/* The line of /proc/swaps about it; "" when there is none. */
static const char *swap_line(const char *device)
{
	static char line[256];
	FILE *f = fopen("/proc/swaps", "r");
	size_t n = strlen(device);
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strncmp(line, device, n) == 0 && line[n] != '\0' && strchr(" \t", line[n]);
	if (f)
		fclose(f);
	return found ? line : "";
}

static int device_number(const char *device)
{
	int id = -1;

	assert_int_equal(sscanf(device, "/dev/zram%d", &id), 1);
	return id;
}

static bool note_exists(int pid)
{
	char path[64];

	snprintf(path, sizeof(path), NOTES "/demo-%d", pid);
	return access(path, F_OK) == 0;
}

static void put_note(int pid, const char *text)
{
	char path[64];
	FILE *f;

	mkdir(NOTES, 0755);
	snprintf(path, sizeof(path), NOTES "/demo-%d", pid);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void make(void)
{
	char err[200] = "";

	demo = demoswap_new(SIZE, err, sizeof(err));
	assert_string_equal(err, "");
	assert_non_null(demo);
}

static void unmake(void)
{
	struct demoswap *d = demo;

	demo = NULL;
	assert_int_equal(demoswap_remove(d), 0);
}

static void add(void)
{
	added = zramdev_add();
	assert_true(added >= 0);
}

/* One as a demo makes it, without a demo. */
static void add_swap(void)
{
	add();
	assert_int_equal(zramdev_set_size(added, SIZE), 0);
	assert_int_equal(zramdev_swap_on(added, SIZE, uuid), 0);
}

/* Also after a test that failed. */
static int teardown(void **state)
{
	int error = 0;

	(void)state;
	if (maker) {
		kill(maker, SIGKILL);
		waitpid(maker, NULL, 0);
		demoswap_remove_stale();
	}
	if (demo)
		error |= demoswap_remove(demo);
	if (added >= 0)
		error |= zramdev_swap_off(added) | zramdev_remove(added);
	if (sized)
		error |= zramdev_reset(0);
	demo = NULL;
	added = -1;
	maker = 0;
	sized = false;
	return error;
}

static const char *note(uint64_t start, const char *id_text)
{
	static char text[256];

	snprintf(text, sizeof(text), "start %llu\nzram %d\nadded 1\nloaded 0\nuuid %s\n",
		 (unsigned long long)start, added, id_text);
	return text;
}

static int dead_pid(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

/* ---- */

static void swap_is_there_and_then_gone(void **state)
{
	char device[32], type[32];
	long size = 0, used, priority = 0;
	int id;

	(void)state;
	make();
	snprintf(device, sizeof(device), "%s", demoswap_device(demo));
	id = device_number(device);
	assert_int_equal(sscanf(swap_line(device), "%*s %31s %ld %ld %ld", type, &size, &used,
				&priority), 4);
	assert_string_equal(type, "partition");
	assert_int_equal(size, (SIZE - (unsigned long)sysconf(_SC_PAGESIZE)) / 1024);
	/* Behind all other swap: only those without a wish are below 0. */
	assert_true(priority < 0);
	assert_true(note_exists(getpid()));
	unmake();
	assert_string_equal(swap_line(device), "");
	assert_false(zramdev_exists(id) && !zramdev_unused(id));
	assert_false(note_exists(getpid()));
}

static void an_unused_device_stays_unused_when_one_can_be_added(void **state)
{
	bool unused = zramdev_unused(0);

	(void)state;
	make();
	assert_int_not_equal(device_number(demoswap_device(demo)), 0);
	assert_int_equal(zramdev_unused(0), unused);
	unmake();
}

static void what_fails_leaves_nothing(void **state)
{
	char err[200] = "";
	int before;

	(void)state;
	add();
	before = added;
	assert_int_equal(zramdev_remove(added), 0);
	demo = demoswap_new(4096, err, sizeof(err));
	assert_null(demo);
	assert_string_equal(err, "no swap on the zram device: Invalid argument");
	assert_false(note_exists(getpid()));
	/* The lowest free number is free again. */
	add();
	assert_int_equal(added, before);
}

/* In a child: makes swap, says on which device, and waits. */
static void make_and_wait(int fd)
{
	char err[200];
	struct demoswap *d = demoswap_new(SIZE, err, sizeof(err));

	if (!d || write(fd, demoswap_device(d), strlen(demoswap_device(d))) < 0)
		_exit(1);
	for (;;)
		pause();
}

static void a_killed_makers_swap_is_removed_later(void **state)
{
	char device[32] = "";
	int fds[2], pid;

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	maker = pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		make_and_wait(fds[1]);
	close(fds[1]);
	assert_true(read(fds[0], device, sizeof(device) - 1) > 0);
	close(fds[0]);
	demoswap_remove_stale();
	assert_true(*swap_line(device));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	maker = 0;
	assert_true(*swap_line(device));
	assert_true(demoswap_remove_stale() >= 1);
	assert_string_equal(swap_line(device), "");
	assert_false(zramdev_exists(device_number(device)));
	assert_false(note_exists(pid));
}

/* A process with the number of the dead one is not the dead one: it started at another time. */
static void a_number_given_again_does_not_keep_swap(void **state)
{
	struct procstat self;

	(void)state;
	assert_int_equal(procstat_read(getpid(), &self), 0);
	add_swap();
	put_note(getpid(), note(self.start_ticks, uuid_text));
	demoswap_remove_stale();
	assert_false(zramdev_unused(added));
	put_note(getpid(), note(self.start_ticks + 1, uuid_text));
	assert_true(demoswap_remove_stale() >= 1);
	assert_false(zramdev_exists(added));
	assert_false(note_exists(getpid()));
	added = -1;
}

/* The device of the note went, and somebody else's got its number. */
static void swap_of_somebody_else_stays(void **state)
{
	int pid = dead_pid();
	char device[32];

	(void)state;
	add_swap();
	put_note(pid, note(1, "ffffffffffffffffffffffffffffffff"));
	demoswap_remove_stale();
	snprintf(device, sizeof(device), "/dev/zram%d", added);
	assert_true(*swap_line(device));
	assert_false(note_exists(pid));
}

static void a_device_made_but_never_swapped_on_is_removed(void **state)
{
	int pid = dead_pid();

	(void)state;
	for (int with_size = 0; with_size < 2; with_size++) {
		add();
		if (with_size)
			assert_int_equal(zramdev_set_size(added, SIZE), 0);
		put_note(pid, note(1, uuid_text));
		assert_true(demoswap_remove_stale() >= 1);
		assert_false(zramdev_exists(added));
		added = -1;
	}
}

static void notes_without_sense_are_removed(void **state)
{
	static const char *const nonsense[] = {
		"", "zram 0\n", "start 1\nzram -3\nadded 1\nloaded 0\nuuid 00\n",
		"start 1\nzram 0\nadded 0\nloaded 0\nuuid zz\n",
	};
	int pid = dead_pid();

	(void)state;
	for (size_t i = 0; i < sizeof(nonsense) / sizeof(*nonsense); i++) {
		put_note(pid, nonsense[i]);
		demoswap_remove_stale();
		assert_false(note_exists(pid));
	}
}

/* ---- Kernels and containers that cannot add devices ---- */

static void read_algorithm(char *text, size_t size)
{
	FILE *f = fopen("/sys/block/zram0/comp_algorithm", "r");

	*text = '\0';
	if (f && !fgets(text, (int)size, f))
		*text = '\0';
	if (f)
		fclose(f);
}

/* In a child with a mount namespace of its own, in which nothing can be added. Its exit status. */
static int without_hot_add(int (*run)(void))
{
	char empty[] = "/tmp/vmtop-demoswap-XXXXXX";
	int wait_status, fd = mkstemp(empty);
	pid_t pid;

	assert_true(fd >= 0);
	close(fd);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mount(empty, "/sys/class/zram-control/hot_add", NULL, MS_BIND, NULL))
			_exit(100);
		_exit(run());
	}
	assert_int_equal(waitpid(pid, &wait_status, 0), pid);
	unlink(empty);
	assert_true(WIFEXITED(wait_status));
	return WEXITSTATUS(wait_status);
}

static int use_the_unused(void)
{
	struct demoswap *d;
	char err[200];

	d = demoswap_new(SIZE, err, sizeof(err));
	if (!d)
		return 1;
	if (strcmp(demoswap_device(d), "/dev/zram0") != 0 || !*swap_line("/dev/zram0"))
		return 2;
	return demoswap_remove(d) ? 3 : 0;
}

static int find_none(void)
{
	char err[200] = "";

	if (demoswap_new(SIZE, err, sizeof(err)))
		return 1;
	return strcmp(err, "no free zram device: No such device") ? 2 : 0;
}

static void an_unused_device_is_used_and_put_back(void **state)
{
	char before[128], after[128];

	(void)state;
	if (!zramdev_unused(0))
		return;		/* this machine uses it, see the next test */
	read_algorithm(before, sizeof(before));
	assert_int_equal(without_hot_add(use_the_unused), 0);
	assert_true(zramdev_unused(0));
	assert_string_equal(swap_line("/dev/zram0"), "");
	read_algorithm(after, sizeof(after));
	assert_string_equal(after, before);
}

static void a_device_in_use_is_not_touched(void **state)
{
	(void)state;
	if (zramdev_unused(0)) {
		assert_int_equal(zramdev_set_size(0, SIZE), 0);
		sized = true;
	}
	assert_int_equal(without_hot_add(find_none), 0);
	assert_false(zramdev_unused(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_teardown(name, teardown)
		T(swap_is_there_and_then_gone),
		T(an_unused_device_stays_unused_when_one_can_be_added),
		T(what_fails_leaves_nothing),
		T(a_killed_makers_swap_is_removed_later),
		T(a_number_given_again_does_not_keep_swap),
		T(swap_of_somebody_else_stays),
		T(a_device_made_but_never_swapped_on_is_removed),
		T(notes_without_sense_are_removed),
		T(an_unused_device_is_used_and_put_back),
		T(a_device_in_use_is_not_touched),
#undef T
	};
	struct demoswap *d;
	char err[200];

	if (geteuid() != 0)
		tap_skip_all("making swap needs root");
	if (access("/sys/class/zram-control/hot_add", F_OK) < 0)
		tap_skip_all("this kernel has no zram, or it is not loaded");
	d = demoswap_new(SIZE, err, sizeof(err));
	if (!d)
		tap_skip_all(err);
	if (demoswap_remove(d))
		return 1;
	return TAP_RUN(tests, NULL, NULL);
}
