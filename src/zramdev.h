/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One zram device and the swap on it: the steps that src/demoswap.h puts together. */
#ifndef VMTOP_ZRAMDEV_H
#define VMTOP_ZRAMDEV_H

#include <stdbool.h>
#include <stdint.h>

enum { ZRAMDEV_UUID = 16 };

/* Is there zram at all? */
bool zramdev_present(void);

/* Adds a device. Its number, or a negative errno: -ENOENT when this kernel cannot add any. */
int zramdev_add(void);

/*
 * Takes an added one away; waits for what has it open for a moment (udev). 0 or a negative errno.
 */
int zramdev_remove(int id);

/* Has no size, so nobody can have it mounted or swapped on. */
bool zramdev_unused(int id);
bool zramdev_exists(int id);

/* Gives it its size, once only. */
int zramdev_set_size(int id, uint64_t bytes);

/* Back to no size and no content; waits as above. */
int zramdev_reset(int id);

/* Writes the swap signature with this uuid, and swaps on behind all other swap. */
int zramdev_swap_on(int id, uint64_t bytes, const uint8_t uuid[ZRAMDEV_UUID]);

/* May take long: all that is on it comes back into memory, or -ENOMEM. 0 when it was not on. */
int zramdev_swap_off(int id);

/* Does its signature carry this uuid, or is it blank and not swapped on? */
bool zramdev_is_marked(int id, const uint8_t uuid[ZRAMDEV_UUID]);

#endif
