/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/key.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/text.h"

static const struct {
	uint32_t key;
	const char *name;
} names[] = {
	{ ' ', "space" },
	{ KEYCODE_ENTER, "Enter" },
	{ KEYCODE_ESC, "Esc" },
	{ KEYCODE_TAB, "Tab" },
	{ KEYCODE_BACKSPACE, "Backspace" },
	{ KEYCODE_UP, "Up" },
	{ KEYCODE_DOWN, "Down" },
	{ KEYCODE_LEFT, "Left" },
	{ KEYCODE_RIGHT, "Right" },
	{ KEYCODE_HOME, "Home" },
	{ KEYCODE_END, "End" },
	{ KEYCODE_PGUP, "PgUp" },
	{ KEYCODE_PGDN, "PgDn" },
	{ KEYCODE_INSERT, "Insert" },
	{ KEYCODE_DELETE, "Delete" },
	{ KEYCODE_BACKTAB, "S-Tab" },
	{ KEYCODE_S_LEFT, "S-Left" },
	{ KEYCODE_S_RIGHT, "S-Right" },
	{ KEYCODE_S_UP, "S-Up" },
	{ KEYCODE_S_DOWN, "S-Down" },
	{ KEYCODE_F1, "F1" },
	{ KEYCODE_F2, "F2" },
	{ KEYCODE_F3, "F3" },
	{ KEYCODE_F4, "F4" },
	{ KEYCODE_F5, "F5" },
	{ KEYCODE_F6, "F6" },
	{ KEYCODE_F7, "F7" },
	{ KEYCODE_F8, "F8" },
	{ KEYCODE_F9, "F9" },
	{ KEYCODE_F10, "F10" },
	{ KEYCODE_F11, "F11" },
	{ KEYCODE_F12, "F12" },
};

static bool is_code_point(uint32_t key)
{
	return key < KEYCODE_BASE && (key < 0xd800 || key > 0xdfff);
}

/* "U+0085": code points that cannot be shown. */
static uint32_t parse_number(const char *digits)
{
	char *end;
	unsigned long n = strtoul(digits, &end, 16);

	if (*end != '\0' || n > UINT32_MAX || !is_code_point((uint32_t)n))
		return KEYCODE_NONE;
	return (uint32_t)n;
}

uint32_t key_parse(const char *name)
{
	const char *p = name, *end = name + strlen(name);
	uint32_t cp;

	if (*name == '\0')
		return KEYCODE_NONE;
	cp = text_decode(&p, end);
	/* One character, and not one that stands for a byte that is none. */
	if (p == end && text_width(cp) > 0 && (cp != TEXT_REPLACEMENT || end - name == 3))
		return cp;
	if (name[0] == '^' && name[1] != '\0' && name[2] == '\0') {
		if (name[1] == '?')
			return KEYCODE_BACKSPACE;
		return (name[1] >= '@' && name[1] <= '_') || (name[1] >= 'a' && name[1] <= 'z') ?
			name[1] & 0x1f : KEYCODE_NONE;
	}
	if (strncasecmp(name, "U+", 2) == 0 && strspn(name + 2, "0123456789abcdefABCDEF") > 0)
		return parse_number(name + 2);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcasecmp(name, names[i].name) == 0)
			return names[i].key;
	return KEYCODE_NONE;
}

const char *key_label(uint32_t key, char *buf, size_t size)
{
	char utf8[5] = "";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].key == key) {
			snprintf(buf, size, "%s", names[i].name);
			return buf;
		}
	}
	if (key == KEYCODE_NONE || !is_code_point(key)) {
		snprintf(buf, size, "%s", "");
	} else if (key < 0x20) {
		snprintf(buf, size, "^%c", (int)key + '@');
	} else if (text_width(key) > 0) {
		utf8[text_encode(key, utf8)] = '\0';
		snprintf(buf, size, "%s", utf8);
	} else {
		snprintf(buf, size, "U+%04X", (unsigned int)key);
	}
	return buf;
}
