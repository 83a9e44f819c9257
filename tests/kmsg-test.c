/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's log: a pipe that keeps packets apart stands for it, as each read gives one record. */
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probes/kmsg.h"
#include "src/clock.h"

#define KILL(pid) "3,1,2,-;Out of memory: Killed process " #pid \
	" (hog) total-vm:1000kB, anon-rss:900kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:2kB\n"

/* As devkmsg_read fails after an overrun, and by a signal: the next read of the log does, once. */
static int fail_next;
static size_t asked;		/* by the latest read */

ssize_t read(int fd, void *buf, size_t size)
{
	asked = size;
	if (fail_next) {
		errno = fail_next;
		fail_next = 0;
		return -1;
	}
	return syscall(SYS_read, fd, buf, size);
}

struct fake {
	char dir[64], dev[80], path[96];
	int fd;
	struct kmsg *kmsg;
};

static struct fake fake;

static int teardown(void **state)
{
	(void)state;
	kmsg_close(fake.kmsg);
	if (fake.fd >= 0)
		close(fake.fd);
	unlink(fake.path);
	rmdir(fake.dev);
	rmdir(fake.dir);
	return 0;
}

static bool make_fake(void)
{
	fake = (struct fake){ .dir = "/tmp/vmtop-kmsg-XXXXXX", .fd = -1 };
	if (!mkdtemp(fake.dir))
		return false;
	snprintf(fake.dev, sizeof(fake.dev), "%s/dev", fake.dir);
	snprintf(fake.path, sizeof(fake.path), "%s/kmsg", fake.dev);
	if (mkdir(fake.dev, 0700) < 0 || mkfifo(fake.path, 0600) < 0)
		return false;
	fake.fd = open(fake.path, O_RDWR | O_NONBLOCK);
	/* Not at open: only here pipes take the flag without asking their file system. */
	if (fake.fd < 0 || fcntl(fake.fd, F_SETFL, O_NONBLOCK | O_DIRECT) < 0)
		return false;
	fake.kmsg = kmsg_open(fake.dir);
	return fake.kmsg != NULL;
}

static int setup(void **state)
{
	if (make_fake())
		return 0;
	teardown(state);
	return -1;
}

static void say(const char *record)
{
	assert_int_equal(write(fake.fd, record, strlen(record)), strlen(record));
}

static int next_pid(void)
{
	struct oom_victim v;

	return kmsg_next(fake.kmsg, &v) ? v.pid : 0;
}

static void victims_are_found_among_other_records(void **state)
{
	int64_t before = clock_ns();
	struct oom_victim v;

	(void)state;
	assert_int_equal(next_pid(), 0);
	say("6,1,2,-;usb 1-1: new device\n SUBSYSTEM=usb\n DEVICE=+usb:1-1\n");
	say(KILL(5));
	say("12,1,2,-;Out of memory: Killed process 666 (fake) total-vm:1kB, anon-rss:1kB, file-rss:1kB\n");
	say(KILL(6));
	assert_true(kmsg_next(fake.kmsg, &v));
	assert_int_equal(v.pid, 5);
	assert_string_equal(v.command, "hog");
	assert_true(v.t_ns >= before && v.t_ns <= clock_ns());
	assert_int_equal(next_pid(), 6);
	assert_int_equal(next_pid(), 0);
	say(KILL(7));
	assert_int_equal(next_pid(), 7);
	assert_true(kmsg_fd(fake.kmsg) >= 0);
}

static void an_overrun_loses_what_was_overwritten_and_no_more(void **state)
{
	(void)state;
	say(KILL(5));
	fail_next = EPIPE;
	assert_int_equal(next_pid(), 5);
	say(KILL(6));
	fail_next = EINTR;
	assert_int_equal(next_pid(), 6);
	assert_true(kmsg_fd(fake.kmsg) >= 0);
}

static void a_log_that_fails_is_left_alone(void **state)
{
	(void)state;
	fail_next = EIO;
	assert_int_equal(next_pid(), 0);
	assert_int_equal(kmsg_fd(fake.kmsg), -1);
	say(KILL(5));
	assert_int_equal(next_pid(), 0);
}

static void an_older_kernel_says_for_what_in_the_record_before(void **state)
{
	static const char killed[] = "3,1,2,-;Killed process 9 (a) total-vm:3kB, anon-rss:2kB, file-rss:1kB\n";
	struct oom_victim v;

	(void)state;
	say(killed);
	assert_true(kmsg_next(fake.kmsg, &v));
	assert_false(v.have_scope);
	say("3,1,2,-;Memory cgroup out of memory: Kill process 8 (b) score 900 or sacrifice child\n");
	say(killed);
	assert_true(kmsg_next(fake.kmsg, &v));
	assert_int_equal(v.pid, 9);
	assert_true(v.have_scope && v.cgroup);
	say("3,1,2,-;Out of memory: Kill process 8 (b) score 900 or sacrifice child\n");
	say(killed);
	assert_true(kmsg_next(fake.kmsg, &v));
	assert_true(v.have_scope);
	assert_false(v.cgroup);
}

static void a_record_of_the_greatest_size_is_read_whole(void **state)
{
	static char record[4096];	/* what a pipe keeps together; the kernel's are so long too */
	int len = snprintf(record, sizeof(record), "%s", KILL(5));

	(void)state;
	memset(record + len, 'x', sizeof(record) - 1 - (size_t)len);
	say(record);
	say(KILL(6));
	assert_int_equal(next_pid(), 5);
	assert_true(asked >= 8192);	/* CONSOLE_EXT_LOG_MAX */
	assert_int_equal(next_pid(), 6);
}

static void what_was_there_before_is_passed_over(void **state)
{
	struct oom_victim v;
	struct kmsg *k;
	FILE *f;

	(void)state;
	unlink(fake.path);
	f = fopen(fake.path, "w");
	assert_non_null(f);
	fputs(KILL(5), f);
	fflush(f);
	k = kmsg_open(fake.dir);
	assert_non_null(k);
	fputs(KILL(6), f);
	fclose(f);
	assert_true(kmsg_next(k, &v));
	assert_int_equal(v.pid, 6);
	assert_false(kmsg_next(k, &v));
	kmsg_close(k);
}

static void a_log_that_is_not_there_is_none_and_says_why(void **state)
{
	(void)state;
	unlink(fake.path);
	errno = 0;
	assert_null(kmsg_open(fake.dir));
	assert_int_equal(errno, ENOENT);
	kmsg_close(NULL);
}

/* Passing over the past of this machine's log, whatever is in it, needs the right to read it only. */
static void the_log_of_this_machine_opens_or_says_why_not(void **state)
{
	struct kmsg *k;

	(void)state;
	errno = 0;
	k = kmsg_open("");
	if (k)
		assert_true(kmsg_fd(k) >= 0);
	else
		assert_true(errno == EACCES || errno == EPERM || errno == ENOENT);
	kmsg_close(k);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(victims_are_found_among_other_records),
		TEST(an_overrun_loses_what_was_overwritten_and_no_more),
		TEST(a_log_that_fails_is_left_alone),
		TEST(an_older_kernel_says_for_what_in_the_record_before),
		TEST(a_record_of_the_greatest_size_is_read_whole),
		TEST(what_was_there_before_is_passed_over),
		TEST(a_log_that_is_not_there_is_none_and_says_why),
		TEST(the_log_of_this_machine_opens_or_says_why_not),
	};

	return TAP_RUN(tests, NULL, NULL);
}
