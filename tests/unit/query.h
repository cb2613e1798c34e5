// Random expressions and queries, for tests of solvers.
#ifndef VEER_TESTS_UNIT_QUERY_H
#define VEER_TESTS_UNIT_QUERY_H

#include "expr/expr.h"

// A generator of pseudo-random numbers of its own, so that a seed says everything.
struct random {
	uint64_t state;
};

uint64_t random_next(struct random *r);
uint32_t random_below(struct random *r, uint32_t limit);

#endif
