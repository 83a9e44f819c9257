/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layouts of cgroup trees, made up below a directory. A group made there gets the files that the
 * kernel would put into it, by the mkdir and rmdir of this program; what the real kernel does is
 * cgroup-kernel-test's.
 */
#include "tests/tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/sources.h"
#include "src/cgroup.h"
#include "src/sampler.h"

enum { PATH = 128, FULL = 1024, MIB = 1 << 20 };

static char root[] = "/tmp/vmtop-cgroup-XXXXXX";
static char err[200];

/* ---- The kernel's part ---- */

static const char *const files_v1[] = {
	"cgroup.procs", "memory.limit_in_bytes", "memory.usage_in_bytes", NULL,
};
static const char *const files_v2[] = { "cgroup.procs", "memory.max", "memory.current", NULL };

static const char *const *files;	/* that a new group gets */
static const char *refuse_in;		/* mkdir there fails */
static int refuse_error;

static void put(const char *path, const char *text)
{
	char full[FULL];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", strncmp(path, root, strlen(root)) ? root : "", path);
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

int mkdir(const char *path, mode_t mode)
{
	const char *name = strrchr(path, '/');
	char file[FULL];

	if (strncmp(name, "/vmtop-", 7) != 0 || strncmp(path, root, strlen(root)) != 0)
		return mkdirat(AT_FDCWD, path, mode);
	if (refuse_in && strncmp(path + strlen(root), refuse_in, strlen(refuse_in)) == 0 &&
	    path + strlen(root) + strlen(refuse_in) == name) {
		errno = refuse_error;
		return -1;
	}
	if (mkdirat(AT_FDCWD, path, mode))
		return -1;
	for (size_t i = 0; files[i]; i++) {
		snprintf(file, sizeof(file), "%s/%s", path, files[i]);
		put(file, "");
	}
	return 0;
}

int rmdir(const char *path)
{
	DIR *d = strstr(path, "/vmtop-") ? opendir(path) : NULL;
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (entry->d_type == DT_REG)
			unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
	return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

/* ---- Trees ---- */

static void make_dirs(const char *path)
{
	char full[FULL];

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *p = full + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdirat(AT_FDCWD, full, 0755);
		*p = '/';
	}
	mkdirat(AT_FDCWD, full, 0755);
}

static bool exists(const char *path)
{
	char full[FULL];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return access(full, F_OK) == 0;
}

static const char *get(const char *path)
{
	static char text[256];
	char full[FULL];
	ssize_t n;
	int fd;

	snprintf(full, sizeof(full), "%s%s", root, path);
	fd = open(full, O_RDONLY);
	if (fd < 0)
		return "(none)";
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static const char *own(const char *dir, const char *file)
{
	static char path[PATH];

	snprintf(path, sizeof(path), "%s/vmtop-%d%s%s", dir, (int)getpid(), *file ? "/" : "", file);
	return path;
}

#define V1_MOUNT "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
#define V1_CPU_MOUNT "32 31 0:29 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu\n"
#define V2_MOUNT "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define OTHER_MOUNTS "22 27 0:21 / /proc rw,relatime - proc proc rw\n" \
	"27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"

static void tree(const char *mountinfo, const char *cgroup)
{
	put("/proc/self/mountinfo", mountinfo);
	put("/proc/self/cgroup", cgroup);
}

/* A v2 tree with systemd's user session: the group of this process is two below a user's slice. */
static void tree_v2(void)
{
	files = files_v2;
	make_dirs("/sys/fs/cgroup/user/app/run.scope");
	tree(OTHER_MOUNTS V2_MOUNT, "0::/user/app/run.scope\n");
	put("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n");
	put("/sys/fs/cgroup/cgroup.subtree_control", "cpu memory pids\n");
	put("/sys/fs/cgroup/cgroup.procs", "");
	put("/sys/fs/cgroup/user/app/cgroup.subtree_control", "memory pids\n");
	put("/sys/fs/cgroup/user/app/cgroup.procs", "");
}

static int setup(void **state)
{
	(void)state;
	strcpy(root, "/tmp/vmtop-cgroup-XXXXXX");
	assert_non_null(mkdtemp(root));
	make_dirs("/proc/self");
	*err = '\0';
	files = files_v1;
	refuse_in = NULL;
	return 0;
}

static int teardown(void **state)
{
	char command[FULL];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command) != 0;
}

static struct cgroup *make(void)
{
	return cgroup_new(root, 128 * MIB, err, sizeof(err));
}

/* Makes one, expects it there, removes it. */
static void expect_at(const char *dir, const char *limit_file)
{
	struct cgroup *cg = make();

	assert_string_equal(err, "");
	assert_non_null(cg);
	assert_string_equal(cgroup_path(cg) + strlen(root), own(dir, ""));
	assert_string_equal(get(own(dir, limit_file)), "134217728");
	assert_int_equal(cgroup_limit(cg), 128 * MIB);
	assert_int_equal(cgroup_remove(cg), 0);
	assert_false(exists(own(dir, "")));
}

/* ---- Layouts ---- */

static void v1_is_found_and_used_at_its_top(void **state)
{
	(void)state;
	make_dirs("/sys/fs/cgroup/memory/session");
	tree(OTHER_MOUNTS V1_CPU_MOUNT V1_MOUNT, "3:cpu,cpuacct:/x\n4:memory:/session\n");
	expect_at("/sys/fs/cgroup/memory", "memory.limit_in_bytes");
}

static void v1_without_permission_at_the_top_uses_the_own_group(void **state)
{
	(void)state;
	make_dirs("/sys/fs/cgroup/memory/a/b");
	tree(V1_MOUNT, "4:memory:/a/b\n");
	refuse_in = "/sys/fs/cgroup/memory";
	refuse_error = EACCES;
	expect_at("/sys/fs/cgroup/memory/a/b", "memory.limit_in_bytes");
}

static void v2_is_found_and_used_at_its_top(void **state)
{
	(void)state;
	tree_v2();
	expect_at("/sys/fs/cgroup", "memory.max");
	assert_string_equal(get("/sys/fs/cgroup/cgroup.subtree_control"), "cpu memory pids\n");
}

/* Our own group holds us, and by v2's rule cannot have children with controllers. */
static void v2_without_permission_at_the_top_uses_the_own_groups_parent(void **state)
{
	(void)state;
	tree_v2();
	refuse_in = "/sys/fs/cgroup";
	refuse_error = EACCES;
	expect_at("/sys/fs/cgroup/user/app", "memory.max");
}

/* In the hybrid layout the v2 tree is there, but memory sits in v1. */
static void hybrid_uses_v1(void **state)
{
	(void)state;
	make_dirs("/sys/fs/cgroup/unified");
	make_dirs("/sys/fs/cgroup/memory");
	put("/sys/fs/cgroup/unified/cgroup.controllers", "hugetlb\n");
	tree("41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n" V1_CPU_MOUNT V1_MOUNT,
	     "4:memory:/\n0::/\n");
	expect_at("/sys/fs/cgroup/memory", "memory.limit_in_bytes");
}

/* A container sees its own group as the top of the mount. */
static void a_container_uses_what_it_sees(void **state)
{
	(void)state;
	make_dirs("/sys/fs/cgroup/memory/sub");
	tree("35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
	     "4:memory:/docker/abc/sub\n");
	refuse_in = "/sys/fs/cgroup/memory";
	refuse_error = EPERM;
	expect_at("/sys/fs/cgroup/memory/sub", "memory.limit_in_bytes");
}

static void a_group_outside_of_what_is_mounted_is_not_used(void **state)
{
	(void)state;
	make_dirs("/sys/fs/cgroup/memory");
	tree(V1_MOUNT, "4:memory:/../..\n");
	expect_at("/sys/fs/cgroup/memory", "memory.limit_in_bytes");
	tree("35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
	     "4:memory:/docker/abcdef\n");
	expect_at("/sys/fs/cgroup/memory", "memory.limit_in_bytes");
}

static void a_blank_in_the_mount_point_is_understood(void **state)
{
	(void)state;
	make_dirs("/my groups/memory");
	tree("35 31 0:32 / /my\\040groups/memory rw - cgroup cgroup rw,memory\n", "4:memory:/\n");
	expect_at("/my groups/memory", "memory.limit_in_bytes");
}

/* ---- v2's controller ---- */

static void a_controller_that_was_off_is_switched_on_and_off_again(void **state)
{
	struct cgroup *cg;

	(void)state;
	tree_v2();
	put("/sys/fs/cgroup/cgroup.subtree_control", "");
	cg = make();
	assert_non_null(cg);
	assert_string_equal(get("/sys/fs/cgroup/cgroup.subtree_control"), "+memory");
	assert_int_equal(cgroup_remove(cg), 0);
	assert_string_equal(get("/sys/fs/cgroup/cgroup.subtree_control"), "-memory");
}

static void a_controller_that_another_vmtop_needs_stays_on(void **state)
{
	struct cgroup *cg;

	(void)state;
	tree_v2();
	put("/sys/fs/cgroup/cgroup.subtree_control", "");
	cg = make();
	assert_non_null(cg);
	make_dirs("/sys/fs/cgroup/vmtop-1");
	assert_int_equal(cgroup_remove(cg), 0);
	assert_string_equal(get("/sys/fs/cgroup/cgroup.subtree_control"), "+memory");
}

/* ---- Failures ---- */

static void without_a_controller_the_words_say_how_to_get_one(void **state)
{
	(void)state;
	assert_null(make());
	assert_non_null(strstr(err, "cgroup_enable=memory"));
	tree(OTHER_MOUNTS V1_CPU_MOUNT, "3:cpu,cpuacct:/\n");
	assert_null(make());
	assert_non_null(strstr(err, "no memory controller"));
	tree_v2();
	put("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io pids\n");
	assert_null(make());
	assert_non_null(strstr(err, "no memory controller"));
}

static void without_permission_the_words_say_what_to_run(void **state)
{
	(void)state;
	make_dirs("/sys/fs/cgroup/memory");
	tree(V1_MOUNT, "4:memory:/\n");
	refuse_in = "/sys/fs/cgroup/memory";
	refuse_error = EACCES;
	assert_null(make());
	assert_non_null(strstr(err, "run as root"));
	assert_non_null(strstr(err, "systemd-run --user --scope -p Delegate=yes"));
	assert_true(strlen(err) < 199);
}

static void a_read_only_tree_is_called_so(void **state)
{
	(void)state;
	make_dirs("/sys/fs/cgroup/memory");
	tree(V1_MOUNT, "4:memory:/\n");
	refuse_in = "/sys/fs/cgroup/memory";
	refuse_error = EROFS;
	assert_null(make());
	assert_non_null(strstr(err, "/sys/fs/cgroup/memory is read-only"));
	assert_non_null(strstr(err, "container"));
}

static void a_size_for_no_process_is_refused(void **state)
{
	(void)state;
	make_dirs("/sys/fs/cgroup/memory");
	tree(V1_MOUNT, "4:memory:/\n");
	assert_null(cgroup_new(root, MIB - 1, err, sizeof(err)));
	assert_string_equal(err, "1048575 bytes are too few for a process: at least 1M");
	assert_false(exists(own("/sys/fs/cgroup/memory", "")));
}

static void what_fails_halfway_leaves_nothing(void **state)
{
	static const char *const no_limit[] = { "cgroup.procs", NULL };

	(void)state;
	tree_v2();
	tree(V2_MOUNT, "0::/\n");
	put("/sys/fs/cgroup/cgroup.subtree_control", "");
	files = no_limit;
	assert_null(make());
	assert_non_null(strstr(err, "No such file or directory"));
	assert_false(exists(own("/sys/fs/cgroup", "")));
	assert_string_equal(get("/sys/fs/cgroup/cgroup.subtree_control"), "-memory");
}

/* ---- Reading ---- */

static void put_own(const char *dir, const char *file, const char *text)
{
	put(own(dir, file), text);
}

static void v1_counters_are_read(void **state)
{
	static const char dir[] = "/sys/fs/cgroup/memory";
	struct cgroup_stat st;
	struct cgroup *cg;

	(void)state;
	make_dirs(dir);
	tree(V1_MOUNT, "4:memory:/\n");
	cg = make();
	put_own(dir, "memory.usage_in_bytes", "1000\n");
	put_own(dir, "memory.max_usage_in_bytes", "2000\n");
	put_own(dir, "memory.failcnt", "3\n");
	put_own(dir, "memory.oom_control", "oom_kill_disable 0\nunder_oom 1\noom_kill 4\n");
	put_own(dir, "memory.stat", "cache 1\nswap 7\nswapcached 8\ntotal_swap 5\n");
	cgroup_read(cg, &st);
	assert_true(st.have_usage && st.have_max && st.have_failcnt && st.have_oom && st.have_swap);
	assert_int_equal(st.usage, 1000);
	assert_int_equal(st.max_usage, 2000);
	assert_int_equal(st.failcnt, 3);
	assert_int_equal(st.oom_kills, 4);
	assert_int_equal(st.swap, 5);
	put_own(dir, "memory.stat", "");
	put_own(dir, "memory.oom_control", "oom_kill_disable 0\nunder_oom 1\n");
	cgroup_read(cg, &st);
	assert_true(st.have_usage);
	assert_false(st.have_oom || st.have_swap);
	assert_int_equal(cgroup_remove(cg), 0);
}

static void v2_counters_are_read(void **state)
{
	static const char dir[] = "/sys/fs/cgroup";
	struct cgroup_stat st;
	struct cgroup *cg;

	(void)state;
	tree_v2();
	cg = make();
	put_own(dir, "memory.current", "1000\n");
	put_own(dir, "memory.events", "low 0\nmax 3\noom 9\noom_kill 4\noom_group_kill 8\n");
	cgroup_read(cg, &st);
	assert_true(st.have_usage && st.have_failcnt && st.have_oom);
	/* Before 5.19, and without CONFIG_SWAP. */
	assert_false(st.have_max || st.have_swap);
	put_own(dir, "memory.peak", "2000\n");
	put_own(dir, "memory.swap.current", "5\n");
	cgroup_read(cg, &st);
	assert_int_equal(st.usage, 1000);
	assert_int_equal(st.max_usage, 2000);
	assert_int_equal(st.failcnt, 3);
	assert_int_equal(st.oom_kills, 4);
	assert_int_equal(st.swap, 5);
	assert_int_equal(cgroup_remove(cg), 0);
}

/* The source of the metrics; what the kernel does not say has no value. */
static void a_groups_metrics_are_what_it_counts(void **state)
{
	static const char dir[] = "/sys/fs/cgroup";
	struct sources set;
	struct cgroup *cg;
	struct sample s;

	(void)state;
	tree_v2();
	assert_int_equal(sources_open(&set, root, NULL, err, sizeof(err)), 0);
	sampler_read(set.slow, set.nslow, &s);
	assert_int_equal(s.source_why[SOURCE_CGROUP], WHY_NO_SOURCE);
	cg = make();
	sources_set_cgroup(&set, cg);
	put_own(dir, "memory.current", "1000\n");
	put_own(dir, "memory.swap.current", "5\n");
	put_own(dir, "memory.events", "max 3\noom_kill 4\n");
	sampler_read(set.slow, set.nslow, &s);
	assert_int_equal(s.source_why[SOURCE_CGROUP], WHY_OK);
	assert_int_equal(s.value[M_cg_memory_current], 1000);
	assert_int_equal(s.value[M_cg_swap_current], 5);
	assert_int_equal(s.value[M_cg_events_max], 3);
	assert_int_equal(s.value[M_cg_events_oom_kill], 4);
	assert_true(sample_has(&s, M_cg_events_oom_kill));
	assert_false(sample_has(&s, M_cg_memory_peak));
	assert_int_equal(cgroup_remove(cg), 0);
	sources_close(&set);
}

static void entering_writes_to_the_list_of_processes(void **state)
{
	static const char dir[] = "/sys/fs/cgroup/memory";
	struct cgroup *cg;

	(void)state;
	make_dirs(dir);
	tree(V1_MOUNT, "4:memory:/\n");
	cg = make();
	assert_int_equal(cgroup_enter(cg), 0);
	assert_string_equal(get(own(dir, "cgroup.procs")), "0\n");
	assert_int_equal(cgroup_remove(cg), 0);
}

/* ---- What others left ---- */

static int dead_pid(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

static void groups_of_the_dead_are_removed_and_no_others(void **state)
{
	static const char *const stay[] = {
		"vmtop-1", "vmtop-", "vmtop-x", "vmtop-12a", "vmtop-99999999999999999999",
		"avmtop-3", "system.slice", "user",
	};
	char path[PATH], stale[2][PATH];

	(void)state;
	tree_v2();
	for (size_t i = 0; i < sizeof(stay) / sizeof(*stay); i++) {
		snprintf(path, sizeof(path), "/sys/fs/cgroup/%s", stay[i]);
		make_dirs(path);
	}
	make_dirs(own("/sys/fs/cgroup", ""));
	snprintf(stale[0], PATH, "/sys/fs/cgroup/vmtop-%d", dead_pid());
	snprintf(stale[1], PATH, "/sys/fs/cgroup/user/app/vmtop-%d", dead_pid());
	make_dirs(stale[0]);
	make_dirs(stale[1]);
	assert_int_equal(cgroup_remove_stale(root), 2);
	assert_false(exists(stale[0]));
	assert_false(exists(stale[1]));
	assert_true(exists(own("/sys/fs/cgroup", "")));
	for (size_t i = 0; i < sizeof(stay) / sizeof(*stay); i++) {
		snprintf(path, sizeof(path), "/sys/fs/cgroup/%s", stay[i]);
		assert_true(exists(path));
	}
	assert_int_equal(cgroup_remove_stale(root), 0);
}

/* Its number means somebody else there. */
static void a_group_with_processes_of_another_pid_namespace_stays(void **state)
{
	char path[PATH], procs[FULL];

	(void)state;
	tree_v2();
	snprintf(path, sizeof(path), "/sys/fs/cgroup/vmtop-%d", dead_pid());
	make_dirs(path);
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", path);
	put(procs, "0\n0\n");
	assert_int_equal(cgroup_remove_stale(root), 0);
	assert_true(exists(path));
}

static void a_group_of_an_earlier_process_with_our_number_is_replaced(void **state)
{
	char below[2 * PATH];

	(void)state;
	tree_v2();
	snprintf(below, sizeof(below), "%s/sub/subsub", own("/sys/fs/cgroup", ""));
	make_dirs(below);
	expect_at("/sys/fs/cgroup", "memory.max");
	assert_false(exists(below));
}

static void without_any_tree_nothing_is_stale(void **state)
{
	(void)state;
	assert_int_equal(cgroup_remove_stale(root), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(v1_is_found_and_used_at_its_top),
		T(v1_without_permission_at_the_top_uses_the_own_group),
		T(v2_is_found_and_used_at_its_top),
		T(v2_without_permission_at_the_top_uses_the_own_groups_parent),
		T(hybrid_uses_v1),
		T(a_container_uses_what_it_sees),
		T(a_group_outside_of_what_is_mounted_is_not_used),
		T(a_blank_in_the_mount_point_is_understood),
		T(a_controller_that_was_off_is_switched_on_and_off_again),
		T(a_controller_that_another_vmtop_needs_stays_on),
		T(without_a_controller_the_words_say_how_to_get_one),
		T(without_permission_the_words_say_what_to_run),
		T(a_read_only_tree_is_called_so),
		T(a_size_for_no_process_is_refused),
		T(what_fails_halfway_leaves_nothing),
		T(v1_counters_are_read),
		T(v2_counters_are_read),
		T(a_groups_metrics_are_what_it_counts),
		T(entering_writes_to_the_list_of_processes),
		T(groups_of_the_dead_are_removed_and_no_others),
		T(a_group_with_processes_of_another_pid_namespace_stays),
		T(a_group_of_an_earlier_process_with_our_number_is_replaced),
		T(without_any_tree_nothing_is_stale),
#undef T
	};

	return TAP_RUN(tests, NULL, NULL);
}
