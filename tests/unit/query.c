#include "query.h"

uint64_t random_next(struct random *r)
{
	uint64_t z = (r->state += 0x9e3779b97f4a7c15u); // splitmix64
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint32_t random_below(struct random *r, uint32_t limit)
{
	return (uint32_t)((random_next(r) >> 32) * limit >> 32);
}
