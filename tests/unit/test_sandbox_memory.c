// What runs take of the machine's memory, whatever they have it as.
#include "sandbox/sandbox.h"

#include <sys/socket.h>
#include <time.h>

#include "worker_dirs.h"

static int take_memory(struct setting *t)
{
	enum { SIZE = 96 << 20 };
	char *own = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *shared = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(own, 1, SIZE);
	memset(shared, 1, SIZE);
	return pause();
}

static void memory(struct setting *t)
{
	CHECK_INT(0, sandbox_memory(&t->s));
	start(t, take_memory);
	uint64_t bytes = 0;
	for (int i = 0; i < 500 && bytes < (t->s.root ? 180u : 90u) << 20; i++) {
		nanosleep(&(struct timespec){0, 10000000}, NULL);
		bytes = sandbox_memory(&t->s);
	}
	CHECK(bytes >= (t->s.root ? 180u : 90u) << 20 && bytes < 300 << 20);
	reset(t);
	CHECK_INT(0, sandbox_memory(&t->s));
}

// --- the kernel's memory ---------------------------------------------------------------------------------

// In the child: how much a socket takes, however much it is asked to.
static int fill_socket(struct setting *t)
{
	(void)t;
	static char block[1 << 16];
	int pair[2], large = 8 << 20;
	size_t size = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) < 0)
		return 1;
	if (setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &large, sizeof large) < 0 ||
	    setsockopt(pair[1], SOL_SOCKET, SO_RCVBUF, &large, sizeof large) < 0)
		return 2; // programs need not know
	if (setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &(int){1}, sizeof(int)) < 0)
		return 3;
	for (ssize_t n; (n = write(pair[0], block, sizeof block)) > 0;)
		size += (size_t)n;
	return size > 1 << 20 ? 4 : size ? 0 : 5;
}

static int take_descriptors(struct setting *t)
{
	(void)t;
	struct rlimit r;
	if (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_max > 4096)
		_exit(1);
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
	for (int i = 0; i < 2; i++)
		if (fork() == 0)
			break;
	for (int i = 0; i < 1500 && dup(0) >= 0; i++)
		;
	alarm(20); // should nobody kill it
	return pause();
}

static void kernel_memory(struct setting *t)
{
	CHECK_INT(0, run(t, fill_socket));
	start(t, take_descriptors);
	uint64_t bytes = 0;
	for (int i = 0; i < 500 && bytes <= t->s.limits.memory; i++) {
		nanosleep(&(struct timespec){0, 10000000}, NULL);
		bytes = sandbox_memory(&t->s);
	}
	CHECK(bytes > t->s.limits.memory);
	reset(t);
	CHECK_INT(0, sandbox_memory(&t->s));
}

static void test_kernel_memory(void)
{
	struct stat st;
	int pair[2];
	CHECK(pipe(pair) == 0);
	bool counts = stat("/proc/self/fd", &st) == 0 && st.st_size > 0;
	close(pair[0]);
	close(pair[1]);
	if (!counts) {
		printf("skip sandbox_processes: the kernel does not count descriptors\n");
		return;
	}
	everywhere(kernel_memory, NULL);
}

static void test_memory(void)
{
	everywhere(memory, NULL);
}

// --- what counts for no process --------------------------------------------------------------------------

enum { LIMIT = 64 << 20, PART = 2 << 20 };

// Page tables alone: a page for each byte that is read.
static int take_tables(struct setting *t)
{
	(void)t;
	const size_t size = (size_t)96 << 30;
	volatile char *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	alarm(20); // should nobody kill it
	if (p == MAP_FAILED || madvise((void *)(uintptr_t)p, size, MADV_NOHUGEPAGE) < 0)
		return 1;
	for (size_t at = 0; at < size; at += PART)
		(void)p[at];
	return pause();
}

// Shared memory that is not mapped any more but for a page, or that is, and was given back.
static int leave_shared(struct setting *t)
{
	enum { PARTS = 128, PAGE = 4096 };
	char byte;
	alarm(20);
	if (read(t->down[0], &byte, 1) != 1)
		return 1;
	for (int i = 0; i < PARTS; i++) {
		char *p = mmap(NULL, PART, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			return 1;
		memset(p, 1, PART);
		if (i % 2)
			munmap(p + PAGE, PART - PAGE);
		else
			madvise(p, PART, MADV_DONTNEED);
	}
	return pause();
}

static void exceeds(struct setting *t)
{
	uint64_t bytes = 0;
	for (int i = 0; i < 500 && bytes <= LIMIT; i++) {
		nanosleep(&(struct timespec){0, 10000000}, NULL);
		bytes = sandbox_memory(&t->s);
	}
	CHECK(bytes > LIMIT);
	reset(t);
	CHECK_INT(0, sandbox_memory(&t->s));
}

static void hidden_memory(struct setting *t)
{
	t->s.limits.memory = LIMIT;
	start(t, take_tables);
	exceeds(t);
	CHECK(pipe(t->down) == 0);
	start(t, leave_shared);
	CHECK(sandbox_memory(&t->s) < LIMIT);
	CHECK(write(t->down[1], "", 1) == 1);
	exceeds(t);
}

static void test_hidden_memory(void)
{
	everywhere(hidden_memory, NULL);
}

static const struct test tests[] = {TEST(test_memory), TEST(test_kernel_memory), TEST(test_hidden_memory)};
TEST_MAIN("sandbox_memory")
