// Floats that are integers: comparisons of them with constants and with each other need no floating point.
#ifndef VEER_EXPR_INTEGRAL_H
#define VEER_EXPR_INTEGRAL_H

#include "expr/expr.h"

// Makes of such a node, whose operands are simple, one over integers: true, and *n is that; or it is a constant, in
// *ret_constant, which is 0 otherwise.
bool integral_rewrite(struct expr_pool *p, struct expr_node *n, uint32_t *ret_constant);

#endif
