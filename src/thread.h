/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of vmtop's own. All of their stack is locked, as everything of vmtop: so it is small. */
#ifndef VMTOP_THREAD_H
#define VMTOP_THREAD_H

#include <pthread.h>

/*
 * Starts main(arg) in a thread to be joined, with a stack of 256 KiB. Signals are the main thread's
 * business: this one takes none. Returns 0 or a negative errno, and then there is no thread.
 */
int thread_start(pthread_t *thread, void *(*main)(void *arg), void *arg);

#endif
