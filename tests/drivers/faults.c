// Loaded before libc (LD_PRELOAD) into veer's own processes: the K-th call of a kind fails. bench/reliability/faults
// sets FAULT=KIND:K and FAULT_IN=NAME, the program that it is to happen in; everything else it starts runs undisturbed.
//
//   alloc   malloc, calloc, realloc return NULL
//   write   write, pwrite of a file: no space left on the device
//   short   write, pwrite: only half is written
//   sync    fsync, fdatasync, ftruncate fail: input/output error
//   open    open, openat to write: too many files are open
//   int, term   the signal, at the K-th write or open
//
// With FAULT_COUNT=FILE each process adds a line: how many such calls there were.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { NONE, ALLOC, WRITE, SHORT, SYNC, OPEN, INT, TERM };
static const char *const names[] = {"", "alloc", "write", "short", "sync", "open", "int", "term"};

static enum kind kind;
static long at, calls;

__attribute__((constructor)) static void start(void)
{
	const char *fault = getenv("FAULT"), *in = getenv("FAULT_IN");
	if (!fault || !in || strcmp(program_invocation_short_name, in) != 0)
		return;
	const char *number = strchr(fault, ':');
	for (enum kind k = ALLOC; number && k <= TERM; k++)
		if (strlen(names[k]) == (size_t)(number - fault) && strncmp(fault, names[k], strlen(names[k])) == 0)
			kind = k;
	at = number ? atol(number + 1) : 0;
}

__attribute__((destructor)) static void finish(void)
{
	const char *path = kind ? getenv("FAULT_COUNT") : NULL;
	kind = NONE;
	int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
	char line[32];
	if (fd >= 0) {
		int n = snprintf(line, sizeof line, "%ld\n", calls);
		ssize_t ignored = write(fd, line, (size_t)n);
		(void)ignored;
		close(fd);
	}
}

static bool is_now(enum kind k)
{
	return kind == k && __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == at;
}

static void maybe_signal(void)
{
	if (is_now(INT))
		kill(getpid(), SIGINT);
	if (is_now(TERM))
		kill(getpid(), SIGTERM);
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static void *no_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

void *malloc(size_t n)
{
	return is_now(ALLOC) ? no_memory() : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return is_now(ALLOC) ? no_memory() : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return is_now(ALLOC) ? no_memory() : __libc_realloc(p, n);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static bool is_file(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

// How much of n bytes to write; -1: nothing, and errno says why.
static ssize_t room(int fd, size_t n)
{
	maybe_signal();
	if ((kind == WRITE || kind == SHORT) && !is_file(fd))
		return (ssize_t)n;
	if (is_now(WRITE)) {
		errno = ENOSPC;
		return -1;
	}
	return (ssize_t)(n > 1 && is_now(SHORT) ? n / 2 : n);
}

ssize_t write(int fd, const void *data, size_t n)
{
	ssize_t m = room(fd, n);
	return m < 0 ? -1 : NEXT(write)(fd, data, (size_t)m);
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t offset)
{
	ssize_t m = room(fd, n);
	return m < 0 ? -1 : NEXT(pwrite)(fd, data, (size_t)m, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t n, off_t offset)
{
	return pwrite(fd, data, n, offset);
}

static int no_sync(void)
{
	errno = EIO;
	return -1;
}

int fsync(int fd)
{
	return is_now(SYNC) ? no_sync() : NEXT(fsync)(fd);
}

int fdatasync(int fd)
{
	return is_now(SYNC) ? no_sync() : NEXT(fdatasync)(fd);
}

int ftruncate(int fd, off_t n)
{
	return is_now(SYNC) ? no_sync() : NEXT(ftruncate)(fd, n);
}

int ftruncate64(int fd, off_t n)
{
	return ftruncate(fd, n);
}

static bool refuses(int flags)
{
	maybe_signal();
	bool r = (flags & (O_WRONLY | O_RDWR | O_CREAT)) && is_now(OPEN);
	if (r)
		errno = EMFILE;
	return r;
}

#define MODE(flags)                                                                                                    \
	mode_t mode = 0;                                                                                               \
	if ((flags) & (O_CREAT | O_TMPFILE)) {                                                                         \
		va_list list;                                                                                          \
		va_start(list, flags);                                                                                 \
		mode = (mode_t)va_arg(list, int);                                                                      \
		va_end(list);                                                                                          \
	}

int open(const char *path, int flags, ...)
{
	MODE(flags)
	return refuses(flags) ? -1 : NEXT(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	MODE(flags)
	return refuses(flags) ? -1 : NEXT(open)(path, flags | O_LARGEFILE, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
	MODE(flags)
	return refuses(flags) ? -1 : NEXT(openat)(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
	MODE(flags)
	return refuses(flags) ? -1 : NEXT(openat)(folder, path, flags | O_LARGEFILE, mode);
}
