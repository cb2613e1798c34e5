// Expressions with other expressions in place of variables.
#ifndef VEER_EXPR_REPLACE_H
#define VEER_EXPR_REPLACE_H

#include "expr/expr.h"

struct replace {
	struct expr_pool *pool;
	uint32_t *made; // per node that there was at the start: what it became; 0: nobody has asked yet
	uint32_t n;
};

// Nodes that are made later cannot be given to replace_in. The pool must outlive it.
void replace_init(struct replace *r, struct expr_pool *pool);
void replace_release(struct replace *r);

// From now on the variable is this expression, 8 bits wide. Before the first replace_in.
void replace_set(struct replace *r, uint32_t var, uint32_t with);

// The same expression over what is set; variables without that stay. What comes out is simple (expr_simplify).
uint32_t replace_in(struct replace *r, uint32_t id);

// Sets vars[v] for each variable that the expression depends on; `vars` has one for each of the pool.
void replace_find_vars(const struct expr_pool *pool, uint32_t id, bool *vars);

#endif
