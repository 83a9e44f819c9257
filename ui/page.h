/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages: a grid of panels under one header line, over one time axis and one key line. page_draw is
 * pure: the same view gives the same canvas.
 */
#ifndef VMTOP_PAGE_H
#define VMTOP_PAGE_H

#include "ui/panel.h"

/* The smallest canvas anything is drawn on; below it a line says so. */
enum { PAGE_MIN_COLUMNS = 40, PAGE_MIN_ROWS = 10 };

struct page {
	int number;		/* the key that shows it */
	const char *name;
	const struct panel *const *panels;	/* the most important first: the last ones go first */
	size_t npanels;
	bool wide;		/* panels below each other, of full width */
};

size_t page_count(void);
const struct page *page_get(int index);

/* Index of the page with this number, or -1. */
int page_find(int number);

/* Draws header, panels, time axis, key line, and help over them when asked for. */
void page_draw(const struct view *v, struct canvas *c);

/* The cell width of a chart on the page as drawn on this canvas: what one cursor step moves. */
int page_chart_width(const struct view *v, int cols, int rows);

#endif
