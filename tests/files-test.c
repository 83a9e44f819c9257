/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that come, go and grow, and those that the kernel gives in pieces. */
#include "tests/tap.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/file.h"
#include "tests/roots.h"

#define NS_PER_S INT64_C(1000000000)

static size_t count(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

/* smaps is made of records as vmstat is, and long everywhere. */
static void a_kernel_file_of_many_records_is_read_to_its_end(void **state)
{
	static char smaps[4 << 20], maps[1 << 20];
	struct file f, other;

	(void)state;
	file_init(&f, "", "proc/self/smaps");
	file_init(&other, "", "proc/self/maps");
	assert_true(file_read(&f, smaps, sizeof(smaps) - 1, 0) > 8192);
	assert_int_equal(file_read(&f, smaps, 5000, 0), -EOVERFLOW);
	assert_true(file_read(&f, smaps, sizeof(smaps) - 1, 0) > 8192);
	assert_true(file_read(&other, maps, sizeof(maps) - 1, 0) > 0);
	assert_int_equal(count(smaps, "\nVmFlags:"), count(maps, "\n"));
	file_done(&f);
	file_done(&other);
}

struct scratch {
	char dir[64];
};

static void write_file(const struct scratch *t, const char *name, const char *text, size_t len)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", t->dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	fclose(f);
}

static int scratch_make(void **state)
{
	static struct scratch t;
	char path[256];

	snprintf(t.dir, sizeof(t.dir), "/tmp/vmtop-probes-XXXXXX");
	if (!mkdtemp(t.dir))
		return -1;
	snprintf(path, sizeof(path), "%s/proc", t.dir);
	*state = &t;
	return mkdir(path, 0700);
}

static int scratch_remove(void **state)
{
	const struct scratch *t = *state;
	static const char *const names[] = {
		"proc/vmstat", "proc/stat", "proc/meminfo", "proc", "",
	};
	char path[256];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", t->dir, names[i]);
		remove(path);
	}
	return 0;
}

static int read_one(struct sources *set, enum source_id id, struct sample *s)
{
	for (size_t i = 0; i < set->nfast; i++)
		if (set->fast[i]->id == id)
			return set->fast[i]->read(set->fast[i], s);
	fail_msg("no such source");
	return 0;
}

static void an_interrupt_line_of_100_KiB_is_read_whole(void **state)
{
	const struct scratch *t = *state;
	size_t len = 0, room = 200 * 1024;
	char *text = malloc(room), err[128];
	struct sample s = { 0 };
	struct sources set;

	assert_non_null(text);
	len += (size_t)sprintf(text, "cpu  1 2 3 4 5 6 7 8 9 10\nintr 4711");
	while (len < 100 * 1024)
		len += (size_t)sprintf(text + len, " 0");
	len += (size_t)sprintf(text + len, "\nctxt 42\nprocs_running 7\n");
	write_file(t, "proc/stat", text, len);
	free(text);
	assert_int_equal(sources_open(&set, t->dir, NULL, err, sizeof(err)), 0);
	assert_int_equal(read_one(&set, SOURCE_STAT, &s), 0);
	CHECK(&s, { "sys.in", 4711 }, { "sys.cs", 42 }, { "procs.r", 7 }, { "cpu.total", 36 });
	sources_close(&set);
}

static void a_text_that_outgrew_its_room_is_an_error_and_not_cut(void **state)
{
	const struct scratch *t = *state;
	struct sample s = { 0 };
	struct sources set;
	char *text, err[128];
	size_t size = 64 * 1024;

	write_file(t, "proc/vmstat", "pswpin 1\n", 9);
	assert_int_equal(sources_open(&set, t->dir, NULL, err, sizeof(err)), 0);
	assert_int_equal(read_one(&set, SOURCE_VMSTAT, &s), 0);
	CHECK(&s, { "vm.pswpin", 1 });
	text = malloc(size);
	assert_non_null(text);
	memset(text, '\n', size);
	memcpy(text, "pswpin 5\n", 9);
	write_file(t, "proc/vmstat", text, size);
	free(text);
	s = (struct sample){ 0 };
	assert_int_equal(read_one(&set, SOURCE_VMSTAT, &s), -EOVERFLOW);
	CHECK(&s, { "vm.pswpin", ABSENT });
	write_file(t, "proc/vmstat", "pswpin 6\n", 9);
	assert_int_equal(read_one(&set, SOURCE_VMSTAT, &s), 0);
	CHECK(&s, { "vm.pswpin", 6 });
	sources_close(&set);
}

static void a_file_that_appears_is_found_after_three_seconds(void **state)
{
	const struct scratch *t = *state;
	struct sample s = { .mono_ns = 100 * NS_PER_S };
	struct sources set;
	char err[128];

	assert_int_equal(sources_open(&set, t->dir, NULL, err, sizeof(err)), 0);
	assert_int_equal(read_one(&set, SOURCE_MEMINFO, &s), -ENOENT);
	write_file(t, "proc/meminfo", "MemFree: 12 kB\n", 15);
	s.mono_ns = 100 * NS_PER_S + 3 * NS_PER_S - 1;
	assert_int_equal(read_one(&set, SOURCE_MEMINFO, &s), -ENOENT);
	s.mono_ns = 100 * NS_PER_S + 3 * NS_PER_S;
	assert_int_equal(read_one(&set, SOURCE_MEMINFO, &s), 0);
	CHECK(&s, { "mem.MemFree", 12 });
	sources_close(&set);
}

static void a_root_that_is_no_directory_is_refused_in_words(void **state)
{
	struct sources set;
	char err[128];

	(void)state;
	assert_int_equal(sources_open(&set, "/nonexistent/tree", NULL, err, sizeof(err)), -ENOENT);
	assert_non_null(strstr(err, "/nonexistent/tree"));
	assert_int_equal(sources_open(&set, "/proc/self/comm", NULL, err, sizeof(err)), -ENOTDIR);
	assert_int_equal(set.nfast, 0);
	sources_close(&set);
}

static void errors_have_their_reason(void **state)
{
	(void)state;
	assert_int_equal(source_why(0), WHY_OK);
	assert_int_equal(source_why(-ENOENT), WHY_NO_SOURCE);
	assert_int_equal(source_why(-ENODEV), WHY_NO_SOURCE);
	assert_int_equal(source_why(-EOPNOTSUPP), WHY_NO_SOURCE);
	assert_int_equal(source_why(-EACCES), WHY_DENIED);
	assert_int_equal(source_why(-EPERM), WHY_DENIED);
	assert_int_equal(source_why(-EOVERFLOW), WHY_FAILED);
	assert_int_equal(source_why(-EIO), WHY_FAILED);
}

static void the_sampler_is_not_given_what_a_realtime_reader_sees_wrongly(void **state)
{
	struct sources set;
	struct sample s;
	char err[128];

	(void)state;
	assert_int_equal(sources_open(&set, "", NULL, err, sizeof(err)), 0);
	sampler_read(set.fast, set.nfast, &s);
	assert_false(sample_has(&s, M_vm_nr_dirty_threshold));
	assert_false(sample_has(&s, M_vm_nr_dirty_background_threshold));
	sampler_read(set.slow, set.nslow, &s);
	assert_true(sample_has(&s, M_vm_nr_dirty_threshold));
	assert_false(sample_has(&s, M_vm_nr_dirty));
	sources_close(&set);
}

#define WITH_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_make, scratch_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_file_of_many_records_is_read_to_its_end),
		WITH_SCRATCH(an_interrupt_line_of_100_KiB_is_read_whole),
		WITH_SCRATCH(a_text_that_outgrew_its_room_is_an_error_and_not_cut),
		WITH_SCRATCH(a_file_that_appears_is_found_after_three_seconds),
		cmocka_unit_test(a_root_that_is_no_directory_is_refused_in_words),
		cmocka_unit_test(errors_have_their_reason),
		cmocka_unit_test(the_sampler_is_not_given_what_a_realtime_reader_sees_wrongly),
	};

	return TAP_RUN(tests, NULL, NULL);
}
