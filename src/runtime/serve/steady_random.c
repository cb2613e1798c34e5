// /dev/urandom and /dev/random (LAUNCH_STEADY), see steady.c: whoever opens one of them gets a pipe with random numbers
// in it, the same in every run, as many as a pipe holds. Seeds of hash tables come from there, and with others a
// program takes other paths.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/serve/steady.h"

enum { PIPE_SIZE = 1 << 16 };

static bool is_random(const char *path)
{
	return steady && path && path[0] == '/' && // NULL is the kernel's to refuse
	       (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0);
}

// -1: none is left; the real one may do.
static int open_random(int flags)
{
	char bytes[4096];
	int fds[2];
	if ((flags & O_ACCMODE) != O_RDONLY || pipe2(fds, O_NONBLOCK | O_CLOEXEC) < 0)
		return -1;
	for (size_t i = 0; i < PIPE_SIZE / sizeof bytes; i++) {
		steady_fill(bytes, sizeof bytes);
		if (write(fds[1], bytes, sizeof bytes) < 0)
			break;
	}
	close(fds[1]);
	fcntl(fds[0], F_SETFL, flags & O_NONBLOCK);
	if (!(flags & O_CLOEXEC))
		fcntl(fds[0], F_SETFD, 0);
	return fds[0];
}

static int open_at(int folder, const char *path, int flags, mode_t mode)
{
	int fd = is_random(path) ? open_random(flags) : -1;
	return fd >= 0 ? fd : (int)syscall(SYS_openat, folder, path, flags, mode);
}

static bool has_mode(int flags)
{
	return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

#define MODE(flags)                                                                                                    \
	({                                                                                                             \
		mode_t mode_ = 0;                                                                                      \
		va_list list_;                                                                                         \
		va_start(list_, flags);                                                                                \
		if (has_mode(flags))                                                                                   \
			mode_ = va_arg(list_, mode_t);                                                                 \
		va_end(list_);                                                                                         \
		mode_;                                                                                                 \
	})

OPEN int open(const char *path, int flags, ...)
{
	return open_at(AT_FDCWD, path, flags, MODE(flags));
}

OPEN int openat(int folder, const char *path, int flags, ...)
{
	return open_at(folder, path, flags, MODE(flags));
}

OPEN int open64(const char *path, int flags, ...)
{
	return open_at(AT_FDCWD, path, flags | O_LARGEFILE, MODE(flags));
}

OPEN int openat64(int folder, const char *path, int flags, ...)
{
	return open_at(folder, path, flags | O_LARGEFILE, MODE(flags));
}

OPEN FILE *fopen(const char *restrict path, const char *restrict mode)
{
	int fd = is_random(path) && mode[0] == 'r' && !strchr(mode, '+')
	                 ? open_random(strchr(mode, 'e') ? O_CLOEXEC : 0)
	                 : -1;
	return fd >= 0 ? fdopen(fd, mode) : NEXT(fopen)(path, mode);
}

OPEN FILE *fopen64(const char *restrict path, const char *restrict mode)
{
	return fopen(path, mode);
}
