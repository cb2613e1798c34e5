#include "expr/alignment.h"

#include "abi/op.h"

enum { DEEP = 8 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned of_node(alignment_look *look, const void *of, uint32_t id, unsigned depth)
{
	const struct alignment_node n = look(of, id);
	struct alignment_node by;
	if (depth > DEEP || n.width > 64)
		return 1;
	switch (n.op) {
	case OP_CONST: return n.b & (ALIGNMENT_MOST - 1) ? 1u << __builtin_ctz(n.b) : ALIGNMENT_MOST;
	case OP_ZEXT:
	case OP_SEXT: return of_node(look, of, n.a, depth + 1);
	case OP_ADD:
	case OP_SUB: return least(of_node(look, of, n.a, depth + 1), of_node(look, of, n.b, depth + 1));
	case OP_MUL:
		return least(of_node(look, of, n.a, depth + 1) * of_node(look, of, n.b, depth + 1), ALIGNMENT_MOST);
	case OP_SHL: by = look(of, n.b); return by.op == OP_CONST && by.width <= 64 && by.b < 4 ? 1u << by.b : 1;
	default: return 1; // nothing is known
	}
}

unsigned expr_alignment(alignment_look *look, const void *of, uint32_t id)
{
	return of_node(look, of, id, 0);
}
