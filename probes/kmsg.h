/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's log, of which only the OOM killer's victims are taken, from now on: what was there
 * before is passed over. Reading it takes nothing from other readers and never blocks.
 */
#ifndef VMTOP_PROBES_KMSG_H
#define VMTOP_PROBES_KMSG_H

#include "src/oom.h"

struct kmsg;

/*
 * Opens dev/kmsg below root ("" for this machine). NULL with errno where it may not be read (EACCES,
 * EPERM: kernel.dmesg_restrict) or is not there. Dies when out of memory. Free with kmsg_close.
 */
struct kmsg *kmsg_open(const char *root);
void kmsg_close(struct kmsg *k);	/* NULL is fine */

/* Readable when there are records; -1 when the log has ended or failed and nothing will come. */
int kmsg_fd(const struct kmsg *k);

/*
 * The next victim, its time that of this call; false: none now, all that was there has been read.
 * Records that were overwritten before they were read are gone; the reading goes on behind them.
 */
bool kmsg_next(struct kmsg *k, struct oom_victim *v);

#endif
