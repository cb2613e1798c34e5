// Standard input as a pipe, for runs of tests that had one: a program sees the difference (fstat, lseek, mmap). From
// the runtime of a fork server's child and from veer alike.
#ifndef VEER_ABI_PIPE_H
#define VEER_ABI_PIPE_H

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIPE_MOST = 1 << 20 }; // what anybody may make a pipe hold

// Descriptor 0, a file of at most PIPE_MOST bytes that stands at its start, becomes a pipe that holds all of it and
// ends there. Returns 0, or an errno.
static inline int pipe_from_input(void)
{
	char part[1 << 14];
	struct stat st;
	int ends[2];
	ssize_t n = 0;
	if (fstat(0, &st) < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return errno;
	int r = st.st_size > 1 << 14 && fcntl(ends[1], F_SETPIPE_SZ, PIPE_MOST) < 0 && st.st_size > 1 << 16 ? errno : 0;
	while (!r && (n = read(0, part, sizeof part)) > 0)
		if (write(ends[1], part, (size_t)n) != n)
			r = errno ? errno : EIO;
	if (!r && (n < 0 || dup2(ends[0], 0) < 0))
		r = errno;
	close(ends[0]);
	close(ends[1]);
	return r;
}

#endif
