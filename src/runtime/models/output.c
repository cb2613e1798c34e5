// Writing to the outside: nothing of it is read back, but how much was written is told in
// terms of how much was to be written. Programs that write in a loop until nothing is left
// would otherwise go on, in terms of the input, with the difference of two lengths.
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/models/model.h"

// The label of a count that is `wanted` when all was written.
static label all_of(struct site *site, label l, uint64_t wanted, uint64_t r)
{
	if (r == wanted)
		return l;
	rt_concrete(site, l, wanted, REASON_LENGTH);
	return 0;
}

MODEL(ssize_t, write, int fd, const void *data, size_t n)
{
	ENTER(write, 3);
	rt_concrete(site, arg[0], (uint64_t)(unsigned)fd, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)data, REASON_ARGUMENT);
	ssize_t r = write(fd, data, n);
	return GIVE(write, r, all_of(site, arg[2], n, (uint64_t)r));
}

MODEL(ssize_t, pwrite, int fd, const void *data, size_t n, off_t at)
{
	ENTER(pwrite, 4);
	rt_concrete(site, arg[0], (uint64_t)(unsigned)fd, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)data, REASON_ARGUMENT);
	rt_concrete(site, arg[3], (uint64_t)at, REASON_POSITION);
	ssize_t r = pwrite(fd, data, n, at);
	return GIVE(pwrite, r, all_of(site, arg[2], n, (uint64_t)r));
}

MODEL(ssize_t, send, int fd, const void *data, size_t n, int flags)
{
	ENTER(send, 4);
	rt_concrete(site, arg[0], (uint64_t)(unsigned)fd, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)data, REASON_ARGUMENT);
	rt_concrete(site, arg[3], (uint64_t)(unsigned)flags, REASON_ARGUMENT);
	ssize_t r = send(fd, data, n, flags);
	return GIVE(send, r, all_of(site, arg[2], n, (uint64_t)r));
}

#define FWRITE(name)                                                                                                   \
	MODEL(size_t, name, const void *data, size_t size, size_t n, FILE *f)                                          \
	{                                                                                                              \
		ENTER(name, 4);                                                                                        \
		rt_concrete(site, arg[0], (uint64_t)data, REASON_ARGUMENT);                                            \
		rt_concrete(site, arg[1], size, REASON_LENGTH);                                                        \
		size_t r = name(data, size, n, f);                                                                     \
		return GIVE(name, r, all_of(site, arg[2], n, r));                                                      \
	}

FWRITE(fwrite)
FWRITE(fwrite_unlocked)
