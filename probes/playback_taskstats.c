/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/playback_taskstats.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "src/file.h"

enum { REPLY_SIZE = 2048, ANSWER_US = 200000 };

/* Aligned as netlink wants its messages; the header is read through the union. */
union message {
	struct nlmsghdr header;
	char bytes[REPLY_SIZE];
};

struct span {
	const char *data;
	size_t size;
};

/* The first attribute of this type in s; no data when there is none. */
static struct span find(struct span s, uint16_t type)
{
	struct nlattr attr;

	while (s.size >= sizeof(attr)) {
		size_t step;

		memcpy(&attr, s.data, sizeof(attr));
		if (attr.nla_len < sizeof(attr) || attr.nla_len > s.size)
			break;
		if ((attr.nla_type & NLA_TYPE_MASK) == type)
			return (struct span){ s.data + sizeof(attr), attr.nla_len - sizeof(attr) };
		step = NLA_ALIGN(attr.nla_len);
		if (step > s.size)
			break;
		s.data += step;
		s.size -= step;
	}
	return (struct span){ NULL, 0 };
}

/* Sends one command with one attribute; the attributes of the answer, no data when it has none. */
static struct span ask(int fd, uint16_t family, uint8_t command, uint16_t type, const void *value,
	size_t size, union message *m, int *error)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct genlmsghdr genl = { .cmd = command, .version = 1 };
	struct nlattr attr = { .nla_type = type, .nla_len = (uint16_t)(sizeof(attr) + size) };
	size_t at = NLMSG_HDRLEN;
	ssize_t n;

	memset(m, 0, sizeof(*m));
	memcpy(m->bytes + at, &genl, sizeof(genl));
	at += GENL_HDRLEN;
	memcpy(m->bytes + at, &attr, sizeof(attr));
	memcpy(m->bytes + at + sizeof(attr), value, size);
	at += NLA_ALIGN(attr.nla_len);
	m->header = (struct nlmsghdr){ .nlmsg_len = (uint32_t)at, .nlmsg_type = family,
		.nlmsg_flags = NLM_F_REQUEST };
	*error = EPROTO;
	if (sendto(fd, m, at, 0, (struct sockaddr *)&kernel, sizeof(kernel)) < 0 ||
			(n = recv(fd, m, sizeof(*m), 0)) < 0)
		*error = errno;
	else if ((size_t)n < NLMSG_HDRLEN + GENL_HDRLEN || m->header.nlmsg_len > (size_t)n)
		*error = EPROTO;
	else if (m->header.nlmsg_type == NLMSG_ERROR)
		*error = -((struct nlmsgerr *)NLMSG_DATA(&m->header))->error;
	else
		return (struct span){ m->bytes + NLMSG_HDRLEN + GENL_HDRLEN,
			m->header.nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN };
	return (struct span){ NULL, 0 };
}

static int find_family(struct taskstats_link *l)
{
	union message m;
	int error;
	struct span id = find(ask(l->fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME,
		TASKSTATS_GENL_NAME, sizeof(TASKSTATS_GENL_NAME), &m, &error), CTRL_ATTR_FAMILY_ID);

	if (id.size < sizeof(l->family))
		return error;
	memcpy(&l->family, id.data, sizeof(l->family));
	return 0;
}

static struct span ask_stats(const struct taskstats_link *l, union message *m, int *error)
{
	struct span all = ask(l->fd, l->family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_PID, &l->pid,
		sizeof(l->pid), m, error);

	return find(find(all, TASKSTATS_TYPE_AGGR_PID), TASKSTATS_TYPE_STATS);
}

static bool accounting_is_on(void)
{
	char text[16];

	return file_read_at(AT_FDCWD, "/proc/sys/kernel/task_delayacct", text, sizeof(text)) > 0 &&
		text[0] == '1';
}

void taskstats_open(struct taskstats_link *l)
{
	/* The kernel answers at once; this is for the case that it does not. */
	const struct timeval patience = { .tv_usec = ANSWER_US };
	union message m;
	int error;

	*l = (struct taskstats_link){ .fd = -1, .pid = (uint32_t)getpid(), .status = "off" };
	if (!accounting_is_on())
		return;
	l->status = "absent";
	l->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (l->fd < 0)
		return;
	setsockopt(l->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	error = find_family(l);
	if (!error && ask_stats(l, &m, &error).size) {
		l->status = "on";
		return;
	}
	if (error == EPERM)
		l->status = "denied";
	taskstats_close(l);
}

void taskstats_close(struct taskstats_link *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

/* 0 where this kernel's struct ends before it. */
static int64_t field(struct span stats, size_t offset)
{
	uint64_t value = 0;

	if (offset + sizeof(value) <= stats.size)
		memcpy(&value, stats.data + offset, sizeof(value));
	return (int64_t)value;
}

void taskstats_read(const struct taskstats_link *l, int64_t *delay_ns, int64_t *thrash_ns)
{
	static const size_t delays[] = {
		offsetof(struct taskstats, swapin_delay_total),
		offsetof(struct taskstats, freepages_delay_total),
#if TASKSTATS_VERSION >= 11
		offsetof(struct taskstats, compact_delay_total),
#endif
#if TASKSTATS_VERSION >= 13
		offsetof(struct taskstats, wpcopy_delay_total),
#endif
	};
	union message m;
	struct span stats;
	int error;

	*delay_ns = *thrash_ns = -1;
	if (l->fd < 0)
		return;
	stats = ask_stats(l, &m, &error);
	if (!stats.size)
		return;
	*delay_ns = 0;
	for (size_t i = 0; i < sizeof(delays) / sizeof(*delays); i++)
		*delay_ns += field(stats, delays[i]);
	*thrash_ns = field(stats, offsetof(struct taskstats, thrashing_delay_total));
}
