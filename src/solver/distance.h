// How far conditions are from holding, under the assignment that their tape has evaluated: what the search for floats
// minimises. And the order of floats that it counts in: units in the last place.
#ifndef VEER_SOLVER_DISTANCE_H
#define VEER_SOLVER_DISTANCE_H

#include "expr/tape.h"

// 0: the condition at that step has the wanted value. Otherwise above 0 and at most 1: the logarithm of how many units
// in the last place (of integers: how many) its operands have to move, added up over a conjunction; 1 where nothing
// better is known.
double distance_of(const struct tape *t, uint32_t step, bool wanted);

// Floats in their order, as whole numbers; NaN beyond the infinities, both zeros are 0.
eval_signed distance_rank(eval_value bits, unsigned width);
eval_value distance_unrank(eval_signed rank, unsigned width); // inverse; what is beyond infinity becomes infinity

bool distance_is_nan(eval_value bits, unsigned width);

#endif
