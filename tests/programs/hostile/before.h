// Code that runs before main: system calls only, since neither libc nor the runtime of a variant may be ready. TREE and
// WAY are where the canaries are (warden.c), as strings of the compiler's command line.
#ifndef BEFORE_H
#define BEFORE_H

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

struct before {
	const char *name;
	int ran, outside, got; // it ran; there was no sandbox, so it did nothing; what it could open
};

static inline long before_call(long number, long a, long b, long c)
{
	long ret;
	__asm__ volatile("syscall" : "=a"(ret) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return ret;
}

static inline long before_write(const char *path)
{
	long fd = before_call(SYS_open, (long)path, O_WRONLY | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return fd;
	before_call(SYS_write, fd, (long)"harm", 4);
	before_call(SYS_close, fd, 0, 0);
	return 0;
}

// As inside() of main.c has it, then devices (which a sandbox does not open), FIFOs and files (the warden looks).
#define BEFORE(state)                                                                                                  \
	static struct before state = {.name = #state};                                                                 \
	static inline void attack_##state(void)                                                                        \
	{                                                                                                              \
		state.ran = 1;                                                                                         \
		long magic = before_call(SYS_open, (long)TREE "/magic", O_RDONLY, 0);                                  \
		if (magic < 0 || before_call(SYS_unshare, 0, 0, 0) != -EPERM) {                                        \
			state.outside = 1;                                                                             \
			return;                                                                                        \
		}                                                                                                      \
		before_call(SYS_close, magic, 0, 0);                                                                   \
		long block = before_write(TREE "/plain/" #state "/block"),                                             \
		     way = before_write(WAY "/way/" #state "/block");                                                  \
		state.got = before_write(TREE "/plain/" #state "/null") == 0 || block == -ENXIO ||                     \
		            before_write(WAY "/way/" #state "/null") == 0 || way == -ENXIO;                            \
		before_write(TREE "/plain/" #state "/fifo");                                                           \
		before_write(WAY "/way/" #state "/fifo");                                                              \
		before_write(TREE "/plain/" #state "/file");                                                           \
		before_write(WAY "/way/" #state "/file");                                                              \
	}

#endif
