/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Swap on zram for the length of the demo, on a machine that has none. A note in /run/vmtop says
 * which device was made, so that the next start takes away what a killed demo left.
 */
#ifndef VMTOP_DEMOSWAP_H
#define VMTOP_DEMOSWAP_H

#include <stddef.h>
#include <stdint.h>

struct demoswap;

/*
 * Makes a zram device of its own (hot_add, or an unused zram0), writes the swap signature, swaps
 * on at the lowest priority. NULL and one line in err when it cannot. Touches no device in use.
 */
struct demoswap *demoswap_new(uint64_t bytes, char *err, size_t errsize);

const char *demoswap_device(const struct demoswap *d);

/* Swaps off, resets and takes away the device, removes the note, frees. 0 or a negative errno. */
int demoswap_remove(struct demoswap *d);

/* Takes away what demos of processes that no longer live left behind. Returns how many. */
int demoswap_remove_stale(void);

#endif
