// What is known of an expression's values without solving: bounds, and bits that are
// always the same.
#ifndef VEER_EXPR_RANGE_H
#define VEER_EXPR_RANGE_H

#include "expr/expr.h"

struct range {
	eval_value min, max;    // unsigned
	eval_signed low, high;  // signed
	eval_value zeros, ones; // bits that are always 0, always 1
};

// Ranges that were computed, of the nodes of one pool.
struct range_cache;
struct range_cache *range_cache_new(void);
void range_cache_free(struct range_cache *c);
size_t range_cache_bytes(const struct range_cache *c); // memory it uses, about

// What it returns is good until the next call. Each node is computed once.
const struct range *range_of(const struct expr_pool *p, uint32_t id);

#endif
