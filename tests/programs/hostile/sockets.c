// Attacks by sockets: on listeners of the warden, by path, by abstract name, at the loopback address.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile.h"

static socklen_t address(struct sockaddr_un *a, const char *path, bool abstract)
{
	memset(a, 0, sizeof *a);
	a->sun_family = AF_UNIX;
	size_t n = strlen(path);
	if (n + 2 > sizeof a->sun_path)
		n = sizeof a->sun_path - 2;
	memcpy(a->sun_path + abstract, path, n);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + 1);
}

// By all calls that take an address.
static void send_to(int fd, const struct sockaddr *to, socklen_t size)
{
	if (fd < 0)
		return;
	struct iovec v = {"harm", 4};
	struct mmsghdr m = {.msg_hdr = {.msg_name = (void *)to, .msg_namelen = size, .msg_iov = &v, .msg_iovlen = 1}};
	through(sendto(fd, "harm", 4, MSG_DONTWAIT, to, size) == 4, "sendto");
	through(sendmsg(fd, &m.msg_hdr, MSG_DONTWAIT) == 4, "sendmsg");
	through(sendmmsg(fd, &m, 1, MSG_DONTWAIT) == 1, "sendmmsg");
	if (through(connect(fd, to, size) == 0, "connect"))
		scrawl(fd);
}

static void send_unix(int fd, const char *path, bool abstract)
{
	struct sockaddr_un a;
	socklen_t size = address(&a, path, abstract);
	send_to(fd, (struct sockaddr *)&a, size);
	close(fd);
}

ATTACK(sockets_stream)
{
	send_unix(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), in(at, "stream"), false);
	send_unix(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0), in(at, "stream"), false);
}

ATTACK(sockets_datagram)
{
	send_unix(socket(AF_UNIX, SOCK_DGRAM, 0), in(at, "datagram"), false);
	send_unix(socket(AF_UNIX, SOCK_RAW, 0), in(at, "datagram"), false); // which is a datagram, too
}

ATTACK(sockets_abstract)
{
	send_unix(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), in(at, "stream"), true);
	send_unix(socket(AF_UNIX, SOCK_DGRAM, 0), in(at, "datagram"), true);
}

static void send_from_pair(int type, const char *path, bool abstract)
{
	int pair[2];
	if (socketpair(AF_UNIX, type | SOCK_NONBLOCK, 0, pair) == 0) {
		close(pair[1]);
		send_unix(pair[0], path, abstract);
	}
}

ATTACK(sockets_pair)
{
	send_from_pair(SOCK_DGRAM, in(at, "datagram"), false);
	send_from_pair(SOCK_RAW, in(at, "datagram"), false);
}

ATTACK(sockets_pair_abstract)
{
	send_from_pair(SOCK_DGRAM, in(at, "datagram"), true);
}

ATTACK(sockets_pair_stream)
{
	send_from_pair(SOCK_STREAM, in(at, "stream"), false);
	send_from_pair(SOCK_SEQPACKET, in(at, "stream"), false);
}

// From the folder, by a short name, and by a link.
ATTACK(sockets_relative)
{
	if (symlink(in(at, "datagram"), "to-datagram") == 0)
		send_from_pair(SOCK_DGRAM, "to-datagram", false);
	if (chdir(at) == 0)
		send_from_pair(SOCK_DGRAM, "datagram", false);
}

// A descriptor goes to a listener outside.
ATTACK(sockets_rights)
{
	int pair[2], file = open(in(at, "file"), O_RDONLY);
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct sockaddr_un a;
	struct iovec v = {"harm", 4};
	struct msghdr m = {.msg_name = &a,
	                   .msg_namelen = address(&a, in(at, "datagram"), false),
	                   .msg_iov = &v,
	                   .msg_iovlen = 1,
	                   .msg_control = &control,
	                   .msg_controllen = sizeof control};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof file);
	memcpy(CMSG_DATA(c), &file, sizeof file);
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair) == 0)
		through(sendmsg(pair[0], &m, 0) == 4, "sent a descriptor");
}

ATTACK(sockets_loopback)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	a.sin_port = htons((uint16_t)number(at, "tcp"));
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd >= 0)
		through(connect(fd, (struct sockaddr *)&a, sizeof a) == 0, "connected to 127.0.0.1");
	through(fd >= 0 && sendto(fd, "harm", 4, MSG_FASTOPEN | MSG_NOSIGNAL, (struct sockaddr *)&a, sizeof a) > 0,
	        "sent to 127.0.0.1 at once");
	close(fd);
	a.sin_port = htons((uint16_t)number(at, "udp"));
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	send_to(fd, (struct sockaddr *)&a, sizeof a);
	close(fd);
}

ATTACK(sockets_loopback6)
{
	struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	a.sin6_port = htons((uint16_t)number(at, "tcp"));
	inet_pton(AF_INET6, "::ffff:127.0.0.1", &a.sin6_addr);
	int fd = socket(AF_INET6, SOCK_STREAM, 0);
	through(fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) == 0, "connected to 127.0.0.1 by IPv6");
	close(fd);
}

// Interfaces besides an own loopback that is down. They are only looked at.
ATTACK(sockets_interfaces)
{
	(void)at;
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq r = {.ifr_name = "lo"};
	if (fd >= 0 && ioctl(fd, SIOCGIFFLAGS, &r) == 0)
		through(r.ifr_flags & IFF_UP, "a loopback interface that is up");
	struct if_nameindex *all = if_nameindex();
	for (struct if_nameindex *i = all; fd >= 0 && i && i->if_index; i++)
		through(strcmp(i->if_name, "lo") != 0, i->if_name);
	if (all)
		if_freenameindex(all);
	close(fd);
}

ATTACK(sockets_netlink)
{
	(void)at;
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	struct {
		struct nlmsghdr header;
		struct ifinfomsg info;
	} ask = {{sizeof ask, RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, 1, 0}, {.ifi_family = AF_UNSPEC}};
	char answer[8192];
	ssize_t n = fd >= 0 && send(fd, &ask, sizeof ask, 0) > 0 ? recv(fd, answer, sizeof answer, MSG_DONTWAIT) : -1;
	for (struct nlmsghdr *h = (void *)answer; n > 0 && NLMSG_OK(h, n); h = NLMSG_NEXT(h, n))
		if (h->nlmsg_type == RTM_NEWLINK)
			through(!(((struct ifinfomsg *)NLMSG_DATA(h))->ifi_flags & IFF_LOOPBACK), "an interface");
	close(fd);
	// What the kernel tells of processes, audit records and devices outside.
	static const int kernel[] = {NETLINK_AUDIT, NETLINK_CONNECTOR, NETLINK_KOBJECT_UEVENT, NETLINK_SELINUX};
	for (size_t i = 0; i < sizeof kernel / sizeof *kernel; i++) {
		struct sockaddr_nl a = {.nl_family = AF_NETLINK, .nl_groups = 1};
		fd = socket(AF_NETLINK, SOCK_RAW, kernel[i]);
		if (fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof a) == 0) {
			if (fork() == 0)
				_exit(0);
			wait(NULL);
			through(recv(fd, answer, sizeof answer, MSG_DONTWAIT) > 0, "heard the kernel");
		}
		close(fd);
	}
}

// Kinds of sockets that know no namespaces, or that programs under test do not need.
ATTACK(sockets_kinds)
{
	(void)at;
	static const int refused[] = {AF_UNIX, AF_VSOCK, AF_PACKET, AF_ALG, AF_XDP,     AF_TIPC, AF_BLUETOOTH,
	                              AF_CAN,  AF_KCM,   AF_RDS,    AF_NFC, AF_QIPCRTR, AF_X25,  AF_KEY};
	static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET};
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		for (size_t k = 0; k < 4; k++) {
			char what[32];
			int fd = socket(refused[i], types[k], 0);
			snprintf(what, sizeof what, "socket of family %d", refused[i]);
			through(fd >= 0, what);
			fd = (int)syscall(SYS_socket, (1ul << 32) + (unsigned)refused[i], types[k], 0);
			through(fd >= 0, what);
		}
}

ATTACK(sockets_bind)
{
	struct sockaddr_un a;
	int pair[2];
	for (int abstract = 0; abstract < 2; abstract++) {
		socklen_t size = address(&a, in(at, "bound"), abstract);
		if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0 && bind(pair[0], (struct sockaddr *)&a, size) == 0)
			through(abstract && !namespaces(), "bound an abstract name");
	}
}

ATTACK(sockets_handed_down)
{
	(void)at;
	for (int fd = 0; fd < 1024; fd++) {
		int type;
		socklen_t size = sizeof type;
		through(getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0, "a socket was handed down");
	}
}

// The sockets of a pair, once their other end is gone, connected to something else.
ATTACK(sockets_pair_again)
{
	static const int types[] = {SOCK_STREAM, SOCK_SEQPACKET};
	static const char *const leaves[] = {"stream", "datagram"};
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 4; k++) {
			struct sockaddr_un a;
			struct sockaddr none = {.sa_family = AF_UNSPEC};
			int pair[2];
			if (socketpair(AF_UNIX, types[i], 0, pair) < 0)
				continue;
			close(pair[1]);
			socklen_t size = address(&a, in(at, leaves[k % 2]), k / 2);
			connect(pair[0], &none, sizeof none);
			shutdown(pair[0], SHUT_RDWR);
			through(connect(pair[0], (struct sockaddr *)&a, size) == 0, "connected a socket of a pair");
			through(sendto(pair[0], "harm", 4, MSG_NOSIGNAL, (struct sockaddr *)&a, size) > 0,
			        "sent from a socket of a pair");
			through(listen(pair[0], 1) == 0, "a socket of a pair listens");
			close(pair[0]);
		}
}

// Pairs of other families, which may know no namespaces: who refuses is looked at, since the machine need not have
// them.
ATTACK(sockets_pair_kinds)
{
	(void)at;
	static const int families[] = {AF_TIPC, AF_INET, AF_NETLINK, AF_VSOCK, AF_ALG, AF_PACKET, AF_RXRPC, AF_KCM};
	static const int types[] = {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM, SOCK_RAW, SOCK_RDM};
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
			char what[48];
			int pair[2];
			snprintf(what, sizeof what, "a pair of family %d", families[i]);
			through(socketpair(families[i], types[k] | SOCK_CLOEXEC, 0, pair) == 0 || errno != EACCES,
			        what);
		}
	// Flags and high bits beside the type.
	int pair[2];
	through(syscall(SYS_socketpair, AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == 0,
	        "a pair of datagrams, with flags");
	through(syscall(SYS_socketpair, AF_UNIX, (7ul << 32) | SOCK_DGRAM, 0, pair) == 0,
	        "a pair of datagrams, high bits");
	through(syscall(SYS_socketpair, (7ul << 32) | AF_UNIX, SOCK_DGRAM, 0, pair) == 0,
	        "a pair of datagrams, high bits");
}
