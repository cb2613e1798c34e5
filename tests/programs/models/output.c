#define _GNU_SOURCE
#include "models.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

// Into a pipe that takes 4 KiB, so that less than all may be written. Emptied for each call.
static int ends[2], sockets[2], file;
static char data[1 << 13], sink[1 << 16];

static void empty(void)
{
	while (read(ends[0], sink, sizeof sink) > 0)
		;
	while (recv(sockets[0], sink, sizeof sink, MSG_DONTWAIT) > 0)
		;
}

static size_t a_count(void)
{
	return number(sizeof data);
}

#define COMPARE_WRITE(name, ...)                                                                                       \
	do {                                                                                                           \
		__typeof__(&name) real_ = REAL(name);                                                                  \
		empty();                                                                                               \
		errno = 0;                                                                                             \
		ssize_t expected_ = (ssize_t)real_(__VA_ARGS__);                                                       \
		int error_ = errno;                                                                                    \
		empty();                                                                                               \
		errno = 0;                                                                                             \
		ssize_t got_ = (ssize_t)name(__VA_ARGS__);                                                             \
		int got_error_ = errno;                                                                                \
		SAME(&expected_, &got_, sizeof got_);                                                                  \
		SAME(&error_, &got_error_, sizeof error_);                                                             \
	} while (0)

static void test_write(void)
{
	int fd = below(8) ? ends[1] : -1;
	size_t n = a_count();
	COMPARE_WRITE(write, fd, data, n);
}

static void test_pwrite(void)
{
	size_t n = a_count();
	off_t at = (off_t)below(3) - 1;
	COMPARE_WRITE(pwrite, file, data, n, at);
}

static void test_send(void)
{
	size_t n = a_count();
	int fd = below(8) ? sockets[1] : file;
	COMPARE_WRITE(send, fd, data, n, MSG_NOSIGNAL);
}

static void test_puts(void)
{
	char s[40];
	text(s, sizeof s, "ab%");
	BOTH(int, puts, (s), (s));
}

static FILE *null, *full;

static void test_fwrite(void)
{
	size_t n = a_count(), size = below(8) ? 1 : 0;
	FILE *f = below(3) ? null : full;
	COMPARE_WRITE(fwrite, data, size, n, f);
	COMPARE_WRITE(fwrite_unlocked, data, size, n, f);
}

int main(int argc, char **argv)
{
	start(argc, argv);
	if (pipe2(ends, O_NONBLOCK) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return 1;
	fcntl(ends[1], F_SETPIPE_SZ, 4096);
	null = fopen("/dev/null", "w");
	full = fopen("/dev/full", "w");
	file = memfd_create("output", 0);
	setvbuf(full, NULL, _IONBF, 0);
	TEST(write);
	TEST(pwrite);
	TEST(send);
	TEST(fwrite);
	TEST_CONCRETE(puts);
	return report();
}
