// What the system writes to memory that is no input: names, folders, numbers of descriptors. The memory has no labels
// then, and its object must have as many bytes.
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/models/model.h"

static void bytes_written(struct site *site, const void *to, ssize_t n)
{
	if (n <= 0)
		return;
	rt_accessed(site, (uint64_t)to, (uint64_t)n);
	rt_clear((uint64_t)to, (uint64_t)n);
}

// NULL: there is none.
static void text_written(struct site *site, const char *to)
{
	bytes_written(site, to, to ? (ssize_t)strlen(to) + 1 : 0);
}

MODEL(ssize_t, readlink, const char *path, char *to, size_t n)
{
	ENTER(readlink, 3);
	ssize_t r = readlink(path, to, n);
	rt_concrete(site, arg[2], n, REASON_LENGTH);
	bytes_written(site, to, r);
	return r;
}

MODEL(ssize_t, readlinkat, int dir, const char *path, char *to, size_t n)
{
	ENTER(readlinkat, 4);
	ssize_t r = readlinkat(dir, path, to, n);
	rt_concrete(site, arg[3], n, REASON_LENGTH);
	bytes_written(site, to, r);
	return r;
}

MODEL(char *, getcwd, char *to, size_t n)
{
	ENTER(getcwd, 2);
	char *r = getcwd(to, n);
	rt_concrete(site, arg[1], n, REASON_LENGTH);
	text_written(site, r);
	return r;
}

MODEL(int, gethostname, char *to, size_t n)
{
	ENTER(gethostname, 2);
	int r = gethostname(to, n);
	rt_concrete(site, arg[1], n, REASON_LENGTH);
	bool part = r < 0 && errno == ENAMETOOLONG; // without an end, then
	bytes_written(site, to, part ? (ssize_t)n : r == 0 ? (ssize_t)strlen(to) + 1 : 0);
	return r;
}

// Four or sixteen bytes as text: not in terms of them.
MODEL(const char *, inet_ntop, int family, const void *from, char *to, socklen_t n)
{
	ENTER(inet_ntop, 4);
	const char *r = inet_ntop(family, from, to, n);
	rt_concrete(site, arg[3], n, REASON_LENGTH);
	if (rt_on && rt_any((uint64_t)from, family == AF_INET ? 4 : 16))
		rt_unmodelled(site, "inet_ntop");
	text_written(site, r);
	return r;
}

MODEL(ssize_t, getdents64, int fd, void *to, size_t n)
{
	ENTER(getdents64, 3);
	ssize_t r = getdents64(fd, to, n);
	bytes_written(site, to, r);
	return r;
}

MODEL(int, scandir, const char *path, struct dirent ***ret, int (*filter)(const struct dirent *),
      int (*compare)(const struct dirent **, const struct dirent **))
{
	ENTER(scandir, 4);
	int r = scandir(path, ret, filter, compare);
	if (r >= 0)
		rt_clear((uint64_t)ret, sizeof *ret);
	return r;
}

MODEL(int, pipe, int *ends)
{
	ENTER(pipe, 1);
	int r = pipe(ends);
	if (r == 0)
		rt_clear((uint64_t)ends, 2 * sizeof *ends);
	return r;
}

MODEL(int, pipe2, int *ends, int flags)
{
	ENTER(pipe2, 2);
	int r = pipe2(ends, flags);
	if (r == 0)
		rt_clear((uint64_t)ends, 2 * sizeof *ends);
	return r;
}

MODEL(int, socketpair, int domain, int type, int protocol, int *ends)
{
	ENTER(socketpair, 4);
	// Linux writes the numbers before it knows whether there is such a pair.
	int r = socketpair(domain, type, protocol, ends);
	rt_clear((uint64_t)ends, 2 * sizeof *ends);
	return r;
}
