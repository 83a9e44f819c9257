/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/tracefs_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "src/text.h"

/* The usual place first; others may hold it below debugfs, or in a container where they like. */
static int find_mounted(char *dir, size_t size)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	int error = -ENOENT;

	while (f && (entry = getmntent(f))) {
		if (strcmp(entry->mnt_type, "tracefs") != 0)
			continue;
		if (!text_copy(dir, size, entry->mnt_dir))
			continue;
		error = 0;
		if (strcmp(entry->mnt_dir, "/sys/kernel/tracing") == 0)
			break;
	}
	if (f)
		endmntent(f);
	return error;
}

/* A mount without a place in any tree, gone with its descriptor: fsmount(2). */
static int mount_own(void)
{
	int fs = fsopen("tracefs", FSOPEN_CLOEXEC), fd = -1, error = errno;

	if (fs < 0)
		return -error;
	if (fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		fd = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
			     MOUNT_ATTR_NOEXEC);
	error = errno;
	close(fs);
	return fd < 0 ? -error : fd;
}

int tracefs_mount_open(struct tracefs_mount *m)
{
	int error;

	m->fd = -1;
	if (find_mounted(m->dir, sizeof(m->dir)) == 0) {
		error = access(m->dir, R_OK | W_OK | X_OK) < 0 ? -errno : 0;
		return error;
	}
	m->fd = mount_own();
	if (m->fd < 0)
		return m->fd == -EINVAL ? -ENODEV : m->fd;
	snprintf(m->dir, sizeof(m->dir), "/proc/self/fd/%d", m->fd);
	return 0;
}

void tracefs_mount_close(struct tracefs_mount *m)
{
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
}
