// What can be said of an expression's values without solving: bounds, and bits that are
// always the same.
#ifndef VEER_EXPR_RANGE_H
#define VEER_EXPR_RANGE_H

#include "expr/expr.h"

struct range {
	eval_value min, max;    // unsigned
	eval_signed low, high;  // signed
	eval_value zeros, ones; // bits that are always 0, always 1
};

// Looks at a bounded number of nodes.
struct range range_of(const struct expr_pool *p, uint32_t id);

#endif
