// Expressions of a pool as text.
#ifndef VEER_EXPR_SHOW_H
#define VEER_EXPR_SHOW_H

#include "base/buf.h"
#include "expr/expr.h"

// As C would write it, at most about `limit` bytes: `((argv[1][3] + 1) == stdin[17])`.
void expr_print(const struct expr_pool *p, uint32_t id, size_t limit, struct buf *out);
// A variable: `config.ini[0x40]`.
void expr_print_var(const struct expr_pool *p, uint32_t var, struct buf *out);

#endif
