/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where tracefs is. Where nobody has mounted it, it is mounted for this process alone, at no path:
 * nothing is to be undone then, however the process ends.
 */
#ifndef VMTOP_PROBES_TRACEFS_MOUNT_H
#define VMTOP_PROBES_TRACEFS_MOUNT_H

#include <stddef.h>

struct tracefs_mount {
	char dir[4096];		/* a path that works while fd is open */
	int fd;			/* of a mount of our own, else -1 */
};

/*
 * Finds or mounts it. Returns 0 or a negative errno: -EPERM or -EACCES when it is not mounted and we
 * may not, -ENODEV when the kernel has none. Undo with tracefs_mount_close.
 */
int tracefs_mount_open(struct tracefs_mount *m);
void tracefs_mount_close(struct tracefs_mount *m);

#endif
