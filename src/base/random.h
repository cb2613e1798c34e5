// The random generator (splitmix64). Its state is one number, which the user owns: with the same seed it gives the same
// numbers everywhere, so that a campaign can be repeated. Not for secrets.
#ifndef VEER_BASE_RANDOM_H
#define VEER_BASE_RANDOM_H

#include <stdint.h>

// Scatters a number over all numbers, each of which comes of one.
static inline uint64_t random_scatter(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static inline uint64_t random_next(uint64_t *state)
{
	return random_scatter(*state += 0x9e3779b97f4a7c15u);
}

#endif
