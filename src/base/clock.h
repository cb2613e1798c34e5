// The clock by which veer measures: it starts anywhere, and never goes back.
#ifndef VEER_BASE_CLOCK_H
#define VEER_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

// Safe in signal handlers.
static inline uint64_t clock_nanoseconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline double clock_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Of files.
static inline bool clock_same(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

#endif
