// Sets of byte values, and what the quick stage keeps.
#ifndef VEER_SOLVER_QUICK_H
#define VEER_SOLVER_QUICK_H

#include "solver/solver.h"

struct byteset {
	uint64_t word[4];
};

static inline bool byteset_has(const struct byteset *s, unsigned value)
{
	return s->word[value / 64] >> value % 64 & 1;
}

static inline bool byteset_is_empty(const struct byteset *s)
{
	return !(s->word[0] | s->word[1] | s->word[2] | s->word[3]);
}

// The value of the set that a reader would choose instead of `seed`: itself; else one of the same kind
// (digit, letter, other printable) as `like`, the nearest one first. -1: the set is empty.
int byteset_choose(const struct byteset *s, uint8_t seed, uint8_t like);

// Memory for the sets that a stage of quick_new keeps. A limit (env.bytes) leaves room for a thousand at least.
size_t quick_bytes(const struct solver *quick);

#endif
