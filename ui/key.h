/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys as numbers: a code point, or one of these above all code points; and their names. */
#ifndef VMTOP_KEY_H
#define VMTOP_KEY_H

#include <stddef.h>
#include <stdint.h>

enum key {
	KEYCODE_NONE = 0,
	KEYCODE_ENTER = '\r', KEYCODE_ESC = 0x1b, KEYCODE_TAB = '\t', KEYCODE_BACKSPACE = 0x7f,
	KEYCODE_BASE = 0x110000,
	KEYCODE_UP, KEYCODE_DOWN, KEYCODE_LEFT, KEYCODE_RIGHT, KEYCODE_HOME, KEYCODE_END,
	KEYCODE_PGUP, KEYCODE_PGDN, KEYCODE_INSERT, KEYCODE_DELETE, KEYCODE_BACKTAB,
	KEYCODE_S_LEFT, KEYCODE_S_RIGHT, KEYCODE_S_UP, KEYCODE_S_DOWN,
	KEYCODE_F1, KEYCODE_F2, KEYCODE_F3, KEYCODE_F4, KEYCODE_F5, KEYCODE_F6, KEYCODE_F7,
	KEYCODE_F8, KEYCODE_F9, KEYCODE_F10, KEYCODE_F11, KEYCODE_F12
};

/*
 * "q", "space", "Tab", "S-Tab", "Left", "F1", "^L", "Esc", "Enter" to a key; KEYCODE_NONE when
 * unknown. Words are read in any case. Every name that key_label() gives is read back as that key.
 */
uint32_t key_parse(const char *name);

/*
 * The name of a key as the help shows it, in buf (16 bytes are enough); "" for what is no key.
 * (Not key_name: curses has that.)
 */
const char *key_label(uint32_t key, char *buf, size_t size);

#endif
