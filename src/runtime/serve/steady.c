// The same clock and random numbers in every run (LAUNCH_STEADY); folders are in steady_folders.c, /dev/urandom in
// steady_random.c. These stand before libc's functions of the same names, also for AddressSanitizer, whose own call the
// next of that name. In other runs they hand on what they are asked.
//
// The clock stands still but for a little at every reading, so that loops that wait for it end; to sleep
// moves it on. What libc asks for itself is as it is.
#include "runtime/serve/steady.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { READING = 10000 }; // what a reading takes, in nanoseconds
static const int64_t second = 1000000000;

bool steady;
static int64_t start, passed; // in nanoseconds; `passed` since the start
static uint64_t random_state;

void steady_start(int64_t clock)
{
	steady = true;
	start = clock * second;
	random_state = 0x9e3779b97f4a7c15u;
}

void *steady_next(void **known, const char *name)
{
	void *p = __atomic_load_n(known, __ATOMIC_RELAXED);
	if (!p) {
		int saved = errno;
		p = dlsym(RTLD_NEXT, name);
		errno = saved;
		__atomic_store_n(known, p, __ATOMIC_RELAXED);
	}
	return p;
}

// --- the clock -------------------------------------------------------------------------------------

static int64_t pass(int64_t nanoseconds)
{
	return __atomic_add_fetch(&passed, nanoseconds, __ATOMIC_RELAXED);
}

static void pass_time(const struct timespec *t)
{
	if (t->tv_sec >= 0 && t->tv_sec < INT32_MAX)
		pass(t->tv_sec * second + t->tv_nsec);
}

// What the clock shows; false for one that is none of ours.
static bool ask(clockid_t id, int64_t *ret)
{
	int64_t now = pass(READING);
	switch (id) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_TAI: *ret = start + now; return true;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_BOOTTIME: *ret = 1000 * second + now; return true;
	case CLOCK_PROCESS_CPUTIME_ID:
	case CLOCK_THREAD_CPUTIME_ID: *ret = now; return true;
	default: return false;
	}
}

static int (*libc_clock_gettime)(clockid_t id, struct timespec *ret);

__attribute__((constructor(101))) static void find_clock(void)
{
	int saved = errno;
	*(void **)&libc_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
	errno = saved;
}

// AddressSanitizer calls this from inside malloc() and free(), where dlsym() cannot be called.
OPEN int clock_gettime(clockid_t id, struct timespec *ret)
{
	int64_t now;
	// AddressSanitizer asks for the time while it frees; to look for libc's function frees, too.
	if (!steady || !ask(id, &now))
		return libc_clock_gettime ? libc_clock_gettime(id, ret) : (int)syscall(SYS_clock_gettime, id, ret);
	*ret = (struct timespec){now / second, now % second};
	return 0;
}

OPEN int timespec_get(struct timespec *ret, int base)
{
	if (!steady || base != TIME_UTC)
		return NEXT(timespec_get)(ret, base);
	clock_gettime(CLOCK_REALTIME, ret);
	return base;
}

OPEN int gettimeofday(struct timeval *restrict ret, void *restrict zone)
{
	int64_t now;
	if (!steady)
		return NEXT(gettimeofday)(ret, zone);
	ask(CLOCK_REALTIME, &now);
	*ret = (struct timeval){now / second, now % second / 1000};
	if (zone)
		memset(zone, 0, sizeof(struct timezone));
	return 0;
}

OPEN time_t time(time_t *ret)
{
	int64_t now;
	if (!steady)
		return NEXT(time)(ret);
	ask(CLOCK_REALTIME, &now);
	if (ret)
		*ret = now / second;
	return now / second;
}

OPEN clock_t clock(void)
{
	return steady ? (clock_t)(pass(READING) / (second / CLOCKS_PER_SEC)) : NEXT(clock)();
}

// --- waiting -------------------------------------------------------------------------------------------

OPEN unsigned sleep(unsigned seconds)
{
	if (!steady)
		return NEXT(sleep)(seconds);
	pass(seconds * second);
	return 0;
}

OPEN int usleep(useconds_t microseconds)
{
	if (!steady)
		return NEXT(usleep)(microseconds);
	pass(microseconds * (int64_t)1000);
	return 0;
}

OPEN int nanosleep(const struct timespec *t, struct timespec *left)
{
	if (!steady || t->tv_sec < 0 || t->tv_nsec < 0 || t->tv_nsec >= second)
		return NEXT(nanosleep)(t, left);
	pass_time(t);
	return 0;
}

OPEN int clock_nanosleep(clockid_t id, int flags, const struct timespec *t, struct timespec *left)
{
	int64_t now;
	if (!steady || t->tv_sec < 0 || t->tv_nsec < 0 || t->tv_nsec >= second || !ask(id, &now))
		return NEXT(clock_nanosleep)(id, flags, t, left);
	if (!(flags & TIMER_ABSTIME))
		pass_time(t);
	else if (t->tv_sec < INT32_MAX && t->tv_sec * second + t->tv_nsec > now)
		pass(t->tv_sec * second + t->tv_nsec - now);
	return 0;
}

OPEN int thrd_sleep(const struct timespec *t, struct timespec *left)
{
	return steady ? nanosleep(t, left) : NEXT(thrd_sleep)(t, left);
}

// These sleep when there is nothing to wait for.
OPEN int poll(struct pollfd *fds, nfds_t n, int milliseconds)
{
	if (!steady || n || milliseconds < 0)
		return NEXT(poll)(fds, n, milliseconds);
	pass(milliseconds * (int64_t)1000000);
	return 0;
}

OPEN int select(int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *t)
{
	if (!steady || n || !t || t->tv_sec < 0 || t->tv_sec >= INT32_MAX || t->tv_usec < 0)
		return NEXT(select)(n, in, out, other, t);
	pass(t->tv_sec * second + t->tv_usec * 1000);
	*t = (struct timeval){0};
	return 0;
}

// --- random numbers ---------------------------------------------------------------------------------------

static uint64_t next_random(void)
{
	uint64_t z = __atomic_add_fetch(&random_state, 0x9e3779b97f4a7c15u, __ATOMIC_RELAXED);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void steady_fill(void *data, size_t size)
{
	for (char *p = data; size;) {
		uint64_t r = next_random();
		size_t n = size < sizeof r ? size : sizeof r;
		memcpy(p, &r, n);
		p += n;
		size -= n;
	}
}

OPEN ssize_t getrandom(void *data, size_t size, unsigned flags)
{
	if (!steady || size > INT32_MAX)
		return NEXT(getrandom)(data, size, flags);
	steady_fill(data, size);
	return (ssize_t)size;
}

OPEN int getentropy(void *data, size_t size)
{
	if (!steady || size > 256)
		return NEXT(getentropy)(data, size);
	steady_fill(data, size);
	return 0;
}

#if __GLIBC_PREREQ(2, 36)
OPEN uint32_t arc4random(void)
{
	return steady ? (uint32_t)next_random() : NEXT(arc4random)();
}

OPEN void arc4random_buf(void *data, size_t size)
{
	if (steady)
		steady_fill(data, size);
	else
		NEXT(arc4random_buf)(data, size);
}

OPEN uint32_t arc4random_uniform(uint32_t below)
{
	if (!steady)
		return NEXT(arc4random_uniform)(below);
	return below ? (uint32_t)(next_random() % below) : 0;
}
#endif
