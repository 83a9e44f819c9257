/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the sampler knows of a source of numbers. Sources are implemented in probes/ and handed to
 * the sampler as an array; one sampler thread alone calls read.
 */
#ifndef VMTOP_SOURCE_H
#define VMTOP_SOURCE_H

#include "src/sample.h"

struct source {
	enum source_id id;
	/*
	 * Reads the source into the metrics of s that belong to it. Returns 0 or a negative errno;
	 * on an error none of its metrics is valid. FAST sources neither allocate nor block.
	 */
	int (*read)(struct source *src, struct sample *s);
	void (*close)(struct source *src);	/* frees src */
};

/*
 * The enum why that stands for a result of read: ENOENT, ENOTDIR, ENODEV, ENXIO and EOPNOTSUPP are
 * no source; EACCES and EPERM denied; others failed.
 */
enum why source_why(int error);

#endif
