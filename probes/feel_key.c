/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * key: the first key after a pause. This process is the terminal: it sends a byte through a pty to a
 * second one, which has been blocked in read() since the last, works with 64 KiB of its own (each
 * page is written, as a shell or an editor would on a key) and answers with the byte. Both may be
 * swapped out meanwhile; the pause, 2 to 6 s, is what a busy timer lacks.
 */
#include "probes/feel_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include "probes/feel_plan.h"

#define LEAST_NS INT64_C(2000000000)
#define MOST_NS INT64_C(6000000000)

struct key_own {
	int master;
	char byte;
};

static bool get(int fd, char *byte)
{
	ssize_t n;

	do
		n = read(fd, byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

static bool put(int fd, char byte)
{
	ssize_t n;

	do
		n = write(fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

/* The one who echoes, to the end of the terminal. */
static void echo_for_ever(int slave, uint64_t seed)
{
	size_t bytes = FEEL_KEY_KIB * 1024, page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t random = seed | 1;
	char byte;
	volatile char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		_exit(FEEL_EXIT_FAILED);
	feel_fill((void *)memory, bytes, &random);
	while (get(slave, &byte)) {
		for (size_t i = 0; i < bytes; i += page)
			memory[i] = (char)(memory[i] + byte);
		if (!put(slave, byte))
			break;
	}
	_exit(FEEL_EXIT_FAILED);
}

/* A terminal that changes nothing: no line editing and no echo but the other's. */
static int open_pty(int *master, int *slave)
{
	struct termios raw;
	char name[64];
	int error;

	*master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*master < 0)
		return -errno;
	error = grantpt(*master) < 0 || unlockpt(*master) < 0 ? errno :
		ptsname_r(*master, name, sizeof(name));
	*slave = error ? -1 : open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*slave < 0 || tcgetattr(*slave, &raw) < 0) {
		error = error ? error : errno;
		close(*master);
		return -error;
	}
	cfmakeraw(&raw);
	tcsetattr(*slave, TCSANOW, &raw);
	return 0;
}

static int key_prepare(struct feel_room *room)
{
	static struct key_own own;
	int slave = -1, self = getpid(), error = open_pty(&own.master, &slave);
	pid_t echo;

	if (error) {
		feel_slot_reason(room->slot, "no pseudo terminal: %s", strerror(-error));
		return error;
	}
	echo = fork();
	if (echo < 0) {
		feel_slot_reason(room->slot, "no second process: %s", strerror(errno));
		return -errno;
	}
	if (echo == 0) {
		feel_process_begin(self, "feel-echo");
		close(own.master);
		echo_for_ever(slave, room->seed);
	}
	close(slave);
	atomic_store(&room->slot->helper, echo);
	own.byte = 'k';
	room->own = &own;
	return 0;
}

/* When the other has died, so has the terminal: EIO. */
static int key_act(struct feel_room *room)
{
	struct key_own *own = room->own;

	errno = 0;
	if (put(own->master, own->byte) && get(own->master, &own->byte))
		return 0;
	return errno ? -errno : -EIO;
}

const struct feel_kind feel_key = {
	.least_ns = LEAST_NS, .most_ns = MOST_NS, .prepare = key_prepare, .act = key_act,
};
