/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/source.h"

#include <errno.h>

enum why source_why(int error)
{
	switch (error) {
	case 0:
		return WHY_OK;
	case -ENOENT: case -ENOTDIR: case -ENODEV: case -ENXIO: case -EOPNOTSUPP:
		return WHY_NO_SOURCE;
	case -EACCES: case -EPERM:
		return WHY_DENIED;
	default:
		return WHY_FAILED;
	}
}
