// Conditions on floats as conditions on their bits: arithmetic, comparisons, conversions and rounding of 16, 32 and 64
// bits, written with operators on integers, so that circuits can be made of them. The same value for every input, what
// is not a number included; where both operands are none, the first one's bits are taken.
#ifndef VEER_SOLVER_EXACT_TERMS_H
#define VEER_SOLVER_EXACT_TERMS_H

#include "expr/expr.h"

struct exact_terms {
	struct expr_pool *pool;
	uint32_t *made; // per node of the pool: the same without floats; 0: not yet
	uint32_t n;
	unsigned depth;
};

void exact_terms_init(struct exact_terms *t, struct expr_pool *pool);
void exact_terms_release(struct exact_terms *t);

// The same expression without operators on floats. 0: there is one that is not written so: of 80 bits, a square root, a
// function of libm, FMA.
uint32_t exact_of(struct exact_terms *t, uint32_t id);

#endif
