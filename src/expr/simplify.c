#include "expr/simplify.h"

#include "base/mem.h"

static uint32_t fold(struct expr_pool *p, uint32_t id)
{
	const struct expr_node n = p->nodes[id];
	unsigned operands = expr_operands(n.op);
	const uint32_t labels[] = {n.a, n.b, n.c};
	eval_value v[3] = {0};
	if (!operands || n.op == OP_LOOKUP)
		return id;
	for (unsigned i = 0; i < operands; i++) {
		if (!expr_is_const(p, labels[i]))
			return id;
		v[i] = expr_value(p, labels[i]);
	}
	const struct trace_node t = {.op = n.op, .width = n.width, .a = n.a, .b = n.b};
	return expr_const(p, n.width,
	                  eval_node(&t, expr_width(p, n.a), v[0], v[1], v[2], operands > 1 ? expr_width(p, n.b) : 0));
}

uint32_t expr_simplify(struct expr_pool *p, uint32_t id)
{
	return fold(p, id);
}
