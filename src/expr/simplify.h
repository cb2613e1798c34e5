// Simplification: the same value, from fewer and simpler nodes. The rules are in
// rules.def; what constants and the ranges of values decide is folded besides.
#ifndef VEER_EXPR_SIMPLIFY_H
#define VEER_EXPR_SIMPLIFY_H

#include "expr/expr.h"

// An expression with the same value under every assignment. Remembered per node (pool.simple), so that
// asking again costs nothing. What it returns is simple itself.
uint32_t expr_simplify(struct expr_pool *p, uint32_t id);

#endif
