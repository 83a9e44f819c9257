/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/tasks.h"

#include <string.h>

void task_slot_init(struct task_slot *slot)
{
	memset(&slot->list, 0, sizeof(slot->list));
	slot->family_root = 0;
	pthread_mutex_init(&slot->lock, NULL);
}

void task_slot_done(struct task_slot *slot)
{
	pthread_mutex_destroy(&slot->lock);
}

/* Of a list only the part in use is copied. */
static void list_copy(struct task_list *to, const struct task_list *from)
{
	to->t_ns = from->t_ns;
	to->total = from->total;
	to->n = from->n;
	to->family = from->family;
	memcpy(to->task, from->task, from->n * sizeof(*to->task));
}

void task_slot_put(struct task_slot *slot, const struct task_list *list)
{
	pthread_mutex_lock(&slot->lock);
	list_copy(&slot->list, list);
	pthread_mutex_unlock(&slot->lock);
}

void task_slot_get(struct task_slot *slot, struct task_list *list)
{
	pthread_mutex_lock(&slot->lock);
	list_copy(list, &slot->list);
	pthread_mutex_unlock(&slot->lock);
}

void task_slot_follow(struct task_slot *slot, int pid)
{
	pthread_mutex_lock(&slot->lock);
	slot->family_root = pid;
	pthread_mutex_unlock(&slot->lock);
}

int task_slot_family_root(struct task_slot *slot)
{
	int pid;

	pthread_mutex_lock(&slot->lock);
	pid = slot->family_root;
	pthread_mutex_unlock(&slot->lock);
	return pid;
}
