// Files and sockets. Standard input is a file, and symbolic.
#define _GNU_SOURCE
#include "models.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static int real, model;
static long size;

static long a_place(void)
{
	return below(4) ? below((unsigned)size) : below(2) ? size - (long)below(20) + 5 : (long)below(20) - 2;
}

static void open_both(void)
{
	long at = a_place();
	real = open("/proc/self/fd/0", O_RDONLY);
	model = open("/proc/self/fd/0", below(10) ? O_RDONLY : O_RDWR | O_APPEND);
	REAL(lseek)(real, at, SEEK_SET);
	lseek(model, at, SEEK_SET);
}

static void close_both(void)
{
	off_t a = REAL(lseek)(real, 0, SEEK_CUR), b = lseek(model, 0, SEEK_CUR);
	SAME(&a, &b, sizeof a);
	close(real);
	close(model);
}

static char a[400], b[400];

static void fill(void)
{
	bytes(a, sizeof a, "x");
	memcpy(b, a, sizeof a);
}

static void test_read(void)
{
	open_both();
	for (unsigned k = below(4); k; k--) {
		fill();
		size_t n = number(below(5) ? 40 : 400);
		if (below(50))
			BOTH(ssize_t, read, (real, a, n), (model, b, n));
		else
			BOTH(ssize_t, read, (-1, a, n), (-1, b, n));
		SAME(a, b, sizeof a);
	}
	close_both();
}

static void test_pread(void)
{
	open_both();
	fill();
	size_t n = number(400);
	off_t at = a_place();
	BOTH(ssize_t, pread, (real, a, n, at), (model, b, n, at));
	SAME(a, b, sizeof a);
	close_both();
}

ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);

static void test_read_chk(void)
{
	open_both();
	for (unsigned k = 2 + below(2); k; k--) {
		size_t n = number(sizeof a);
		off_t at = a_place();
		fill();
		if (below(2))
			BOTH(ssize_t, __read_chk, (real, a, n, sizeof a), (model, b, n, sizeof b));
		else
			BOTH(ssize_t, __pread_chk, (real, a, n, at, sizeof a), (model, b, n, at, sizeof b));
		SAME(a, b, sizeof a);
	}
	close_both();
}

static int vectors(struct iovec *x, struct iovec *y)
{
	int n = (int)below(5);
	size_t at = 0;
	for (int i = 0; i < n; i++) {
		size_t each = below(below(2) ? 80 : 5);
		x[i] = (struct iovec){a + at, each};
		y[i] = (struct iovec){b + at, each};
		at += each;
	}
	return n;
}

static void test_readv(void)
{
	struct iovec x[5], y[5];
	open_both();
	fill();
	int n = vectors(x, y);
	BOTH(ssize_t, readv, (real, x, n), (model, y, n));
	SAME(a, b, sizeof a);
	close_both();
}

static void test_preadv(void)
{
	struct iovec x[5], y[5];
	open_both();
	fill();
	int n = vectors(x, y);
	off_t at = a_place();
	BOTH(ssize_t, preadv, (real, x, n, at), (model, y, n, at));
	SAME(a, b, sizeof a);
	fill();
	BOTH(ssize_t, preadv2, (real, x, n, at, 0), (model, y, n, at, 0));
	SAME(a, b, sizeof a);
	close_both();
}

static void test_lseek(void)
{
	static const int ways[] = {SEEK_SET, SEEK_CUR, SEEK_END, 9};
	open_both();
	for (unsigned k = below(6); k; k--) {
		int whence = ways[below(12) ? below(3) : 3];
		off_t at = whence == SEEK_SET ? a_place() : (off_t)below(60) - 40;
		BOTH(off_t, lseek, (real, at, whence), (model, at, whence));
		fill();
		if (below(3) == 0)
			BOTH(ssize_t, read, (real, a, 9), (model, b, 9));
		SAME(a, b, sizeof a);
	}
	close_both();
}

static void compare_stat(unsigned way)
{
	struct stat x, y;
	const char *path = below(20) ? "/proc/self/fd/0" : "/nowhere";
	open_both();
	bytes(&x, sizeof x, "x");
	y = x;
	switch (way) {
	case 0: BOTH(int, fstat, (real, &x), (model, &y)); break;
	case 1: BOTH(int, stat, (path, &x), (path, &y)); break;
	case 2: BOTH(int, lstat, (path, &x), (path, &y)); break;
	default: BOTH(int, fstatat, (AT_FDCWD, path, &x, 0), (AT_FDCWD, path, &y, 0));
	}
	x.st_atim = y.st_atim; // of a link in /proc, another time
	x.st_mtim = y.st_mtim;
	x.st_ctim = y.st_ctim;
	SAME(&x, &y, sizeof x);
	close_both();
}

static void test_stat(void)
{
	for (unsigned way = 0; way < 4; way++)
		compare_stat(way);
}

static void test_statx(void)
{
	struct statx x, y;
	bytes(&x, sizeof x, "x");
	y = x;
	open_both();
	if (below(2))
		BOTH(int, statx, (real, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &x),
		     (model, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &y));
	else
		BOTH(int, statx, (AT_FDCWD, "/proc/self/fd/0", 0, STATX_BASIC_STATS, &x),
		     (AT_FDCWD, "/proc/self/fd/0", 0, STATX_BASIC_STATS, &y));
	SAME(&x, &y, sizeof x);
	close_both();
}

static void test_mmap(void)
{
	open_both();
	size_t n = below(10) ? 1 + below(9000) : 0;
	off_t at = 4096 * (off_t)below(2) + (below(10) == 0);
	int protection = below(4) ? PROT_READ : PROT_READ | PROT_WRITE;
	errno = 0;
	char *x = REAL(mmap)(NULL, n, protection, MAP_PRIVATE, real, at);
	int error = errno;
	errno = 0;
	char *y = mmap(NULL, n, protection, MAP_PRIVATE, model, at);
	int model_error = errno;
	SAME(&error, &model_error, sizeof error);
	if (x != MAP_FAILED && y != MAP_FAILED) {
		long there = size - at < (long)n ? size - at : (long)n;
		there = (there + 4095) & ~4095L; // behind that it would be a fault
		SAME(x, y, there < (long)n ? (size_t)there : n);
		munmap(x, n);
		munmap(y, n);
		if (veer_is_symbolic(y, n))
			differs("labels of what is unmapped", call_number);
	}
	close_both();
}

static void test_recv(void)
{
	int x[2], y[2];
	char data[60];
	bytes(data, sizeof data, "");
	int type = below(2) ? SOCK_STREAM : SOCK_DGRAM;
	if (socketpair(AF_UNIX, type, 0, x) < 0 || socketpair(AF_UNIX, type, 0, y) < 0)
		exit(3);
	size_t sent = below(sizeof data);
	send(x[1], data, sent, 0);
	send(y[1], data, sent, 0);
	shutdown(x[1], SHUT_WR);
	shutdown(y[1], SHUT_WR);
	for (unsigned k = 0, first = below(4); k < 4; k++) {
		static const int all[] = {0, 0, MSG_PEEK, MSG_TRUNC};
		int flags = MSG_DONTWAIT | all[below(type == SOCK_DGRAM ? 4 : 3)];
		size_t n = below(80);
		struct iovec vx[5], vy[5];
		fill();
		struct msghdr mx = {.msg_iov = vx, .msg_iovlen = (size_t)vectors(vx, vy)};
		struct msghdr my = {.msg_iov = vy, .msg_iovlen = mx.msg_iovlen};
		switch ((first + k) % 4) {
		case 0: BOTH(ssize_t, recv, (x[0], a, n, flags), (y[0], b, n, flags)); break;
		case 3: BOTH(ssize_t, __recv_chk, (x[0], a, n, sizeof a, flags), (y[0], b, n, sizeof b, flags)); break;
		case 1:
			BOTH(ssize_t, recvfrom, (x[0], a, n, flags, NULL, NULL), (y[0], b, n, flags, NULL, NULL));
			break;
		default: BOTH(ssize_t, recvmsg, (x[0], &mx, flags), (y[0], &my, flags));
		}
		SAME(a, b, sizeof a);
	}
	for (int i = 0; i < 2; i++) {
		close(x[i]);
		close(y[i]);
	}
}

// Some messages at once, more or fewer than there are.
static void test_recvmmsg(void)
{
	int x[2], y[2];
	char data[60];
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, x) < 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, y) < 0)
		exit(3);
	for (unsigned k = below(4); k; k--) {
		bytes(data, sizeof data, "");
		size_t sent = below(sizeof data);
		send(x[1], data, sent, 0);
		send(y[1], data, sent, 0);
	}
	struct iovec vx[3], vy[3];
	struct mmsghdr mx[3], my[3];
	fill();
	bytes(mx, sizeof mx, "x"); // old labels under what is told
	for (int i = 0; i < 3; i++) {
		size_t n = below(90);
		vx[i] = (struct iovec){a + 100 * i, n};
		vy[i] = (struct iovec){b + 100 * i, n};
		mx[i].msg_hdr = (struct msghdr){.msg_iov = &vx[i], .msg_iovlen = 1};
	}
	memcpy(my, mx, sizeof mx);
	for (int i = 0; i < 3; i++)
		my[i].msg_hdr.msg_iov = &vy[i];
	unsigned n = below(4);
	int flags = MSG_DONTWAIT | (below(4) ? 0 : MSG_TRUNC);
	BOTH(int, recvmmsg, (x[0], mx, n, flags, NULL), (y[0], my, n, flags, NULL));
	for (int i = 0; i < 3; i++) {
		SAME(&mx[i].msg_len, &my[i].msg_len, sizeof mx[i].msg_len);
		SAME(&mx[i].msg_hdr.msg_flags, &my[i].msg_hdr.msg_flags, sizeof(int));
	}
	SAME(a, b, sizeof a);
	for (int i = 0; i < 2; i++) {
		close(x[i]);
		close(y[i]);
	}
}

// Two ends: descriptors of some kind, flags as asked for, old labels gone.
static void same_ends(const int *x, const int *y)
{
	for (int i = 0; i < 2; i++) {
		int flags = fcntl(x[i], F_GETFL), model_flags = fcntl(y[i], F_GETFL);
		int exec = fcntl(x[i], F_GETFD), model_exec = fcntl(y[i], F_GETFD);
		struct stat s = {0}, t = {0};
		fstat(x[i], &s);
		fstat(y[i], &t);
		SAME(&flags, &model_flags, sizeof flags);
		SAME(&exec, &model_exec, sizeof exec);
		SAME(&s.st_mode, &t.st_mode, sizeof s.st_mode);
		use(&y[i], sizeof y[i]);
		close(x[i]);
		close(y[i]);
	}
}

static void some_ends(int *x, int *y)
{
	memset(x, 'z', 2 * sizeof *x);
	bytes(y, 2 * sizeof *y, "z");
}

static void test_ends(void)
{
	static const int all[] = {0, O_NONBLOCK, O_CLOEXEC, O_NONBLOCK | O_CLOEXEC, O_APPEND};
	static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET | SOCK_CLOEXEC, 77};
	int x[2], y[2], flags = all[below(5)], domain = below(8) ? AF_UNIX : AF_INET, type = types[below(4)];
	some_ends(x, y);
	BOTH(int, pipe, (x), (y));
	same_ends(x, y);
	some_ends(x, y);
	BOTH(int, pipe2, (x, flags), (y, flags));
	same_ends(x, y);
	some_ends(x, y);
	BOTH(int, socketpair, (domain, type, 0, x), (domain, type, 0, y));
	same_ends(x, y);
}

// Addresses are concrete; old labels go.
static void test_addresses(void)
{
	int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un x = {.sun_family = AF_UNIX}, y; // a name that the system chooses
	socklen_t n = sizeof(sa_family_t), m;
	if (bind(server, (struct sockaddr *)&x, n) < 0 || listen(server, 4) < 0)
		exit(3);
	bytes(&x, sizeof x, "z");
	memcpy(&y, &x, sizeof y);
	n = m = below(2) ? sizeof x : 4;
	BOTH(int, getsockname, (server, (struct sockaddr *)&x, &n), (server, (struct sockaddr *)&y, &m));
	SAME(&n, &m, sizeof n);
	SAME(&x, &y, sizeof x);
	n = m = sizeof x;
	REAL(getsockname)(server, (struct sockaddr *)&x, &n);
	int second = socket(AF_UNIX, SOCK_STREAM, 0);
	connect(client, (struct sockaddr *)&x, n);
	connect(second, (struct sockaddr *)&x, n);
	n = m = below(2) ? sizeof x : 4;
	BOTH(int, getpeername, (client, (struct sockaddr *)&x, &n), (client, (struct sockaddr *)&y, &m));
	SAME(&n, &m, sizeof n);
	bytes(&x, sizeof x, "z");
	memcpy(&y, &x, sizeof y);
	n = m = below(2) ? sizeof x : 1;
	int flags = below(2) ? SOCK_CLOEXEC : SOCK_NONBLOCK, expected, got;
	if (below(2)) {
		expected = REAL(accept)(server, (struct sockaddr *)&x, &n);
		got = accept(server, (struct sockaddr *)&y, &m);
	} else {
		expected = REAL(accept4)(server, (struct sockaddr *)&x, &n, flags);
		got = accept4(server, (struct sockaddr *)&y, &m, flags);
	}
	SAME(&n, &m, sizeof n);
	SAME(&x, &y, sizeof x);
	same_ends((int[]){expected, client}, (int[]){got, second});
	close(server);
}

int main(int argc, char **argv)
{
	start(argc, argv);
	size = lseek(0, 0, SEEK_END);
	veer_make_concrete(&size, sizeof size);
	TEST(read);
	TEST(pread);
	TEST(readv);
	TEST(preadv);
	TEST(lseek);
	TEST(stat);
	TEST(statx);
	TEST(mmap);
	TEST(recv);
	TEST(read_chk);
	TEST(recvmmsg);
	TEST_CONCRETE(ends);
	TEST_CONCRETE(addresses);
	return report();
}
