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

// The ranges that were asked for lately.
struct range_cache {
	uint32_t ids[256];
	struct range ranges[256];
};

// Looks at a bounded number of nodes. What it returns is good until the next call.
const struct range *range_of(const struct expr_pool *p, uint32_t id);

#endif
