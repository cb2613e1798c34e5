// From a value that a step is to have to values of variables: operators are inverted on the way down, each at one
// operand while the others stay as they are. What comes of it is a guess: the caller evaluates it.
#ifndef VEER_SOLVER_AIM_H
#define VEER_SOLVER_AIM_H

#include "base/random.h"
#include "expr/tape.h"

struct aim {
	const struct tape *tape; // evaluated
	uint64_t random;         // which operand, which of several values
	uint32_t *vars;          // what to set
	uint8_t *values;
	uint32_t n, max;
	unsigned budget; // steps that may still be visited
};

void aim_init(struct aim *a, const struct tape *t, uint64_t seed);
void aim_release(struct aim *a);

// Values that may make the condition at that step true, in a->vars; false when there is no way to any.
bool aim_at(struct aim *a, uint32_t step);

#endif
