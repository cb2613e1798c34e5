// A walk over an expression and all below it, operands before those that have them, without recursion.
//
//	postorder_begin(&walk, id);
//	for (uint32_t e; (e = postorder_next(&walk, pool, done, NULL, NULL));)
//		done[e] = ...;
//
// `done` has a number per node of the pool, not 0 for those that the walk leaves out: whoever walks sets it for each
// expression that is given, before the next. What the walk owns is given back with vec_release().
#ifndef VEER_EXPR_POSTORDER_H
#define VEER_EXPR_POSTORDER_H

#include "abi/op.h"
#include "base/vec.h"
#include "expr/expr.h"

struct postorder {
	uint32_t *v;
	size_t n, cap;
};

// A walk that was not finished is forgotten.
static inline void postorder_begin(struct postorder *w, uint32_t id)
{
	vec_clear(w);
	vec_push(w, id);
}

static inline void postorder_push(struct postorder *w, const uint32_t *done, uint32_t id)
{
	if (!done[id])
		vec_push(w, id);
}

static inline void postorder_push_operands(struct postorder *w, const struct expr_pool *p, const uint32_t *done,
                                           uint32_t id)
{
	const struct expr_node *n = &p->nodes[id];
	const uint32_t operands[] = {n->a, n->b, n->c};
	for (unsigned i = 0; i < op_operands(n->op); i++)
		postorder_push(w, done, operands[i]);
	const struct expr_table *table = n->op == OP_LOOKUP ? &p->tables[n->b] : NULL;
	for (uint32_t i = 0; table && table->exprs && i < table->size; i++)
		if (table->exprs[i])
			postorder_push(w, done, table->exprs[i]);
}

// The next expression, whose operands are all done; 0 when there is none. What lies below a leaf is not walked; NULL:
// only inputs and constants are leaves.
static inline uint32_t postorder_next(struct postorder *w, const struct expr_pool *p, const uint32_t *done,
                                      bool (*is_leaf)(const void *opaque, uint32_t id), const void *opaque)
{
	while (w->n) {
		uint32_t top = w->v[w->n - 1];
		size_t n = w->n;
		if (!done[top] && !(is_leaf && is_leaf(opaque, top)))
			postorder_push_operands(w, p, done, top);
		if (w->n > n)
			continue;
		w->n--;
		if (!done[top])
			return top;
	}
	return 0;
}

#endif
