/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/thread.h"

#include <signal.h>

enum { STACK_SIZE = 256 * 1024 };

int thread_start(pthread_t *thread, void *(*main)(void *arg), void *arg)
{
	sigset_t all, before;
	pthread_attr_t attr;
	int error;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(thread, &attr, main, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return -error;
}
