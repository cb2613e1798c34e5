#include "expr/replace.h"

#include <assert.h>

#include "base/mem.h"
#include "expr/simplify.h"

void replace_init(struct replace *r, struct expr_pool *pool)
{
	*r = (struct replace){.pool = pool, .made = mem_zero((size_t)pool->n * sizeof *r->made), .n = pool->n};
}

void replace_release(struct replace *r)
{
	mem_free(r->made);
	*r = (struct replace){0};
}

void replace_set(struct replace *r, uint32_t var, uint32_t with)
{
	assert(r->pool->vars[var].expr < r->n && expr_width(r->pool, with) == 8);
	r->made[r->pool->vars[var].expr] = with;
}

// Marks what the expression consists of; entries of tables are older than what reads them.
static uint8_t *find_parts(const struct expr_pool *p, uint32_t id)
{
	uint8_t *parts = mem_zero((size_t)id + 1);
	parts[id] = 1;
	for (uint32_t k = id + 1; k-- > 1;) {
		const struct expr_node *n = &p->nodes[k];
		const uint32_t operands[] = {n->a, n->b, n->c};
		for (unsigned i = 0; parts[k] && i < op_operands(n->op); i++)
			parts[operands[i]] = 1;
		const struct expr_table *t = parts[k] && n->op == OP_LOOKUP ? &p->tables[n->b] : NULL;
		for (uint32_t i = 0; t && t->exprs && i < t->size; i++)
			parts[t->exprs[i]] = 1;
	}
	parts[0] = 0;
	return parts;
}

static uint32_t make_lookup(struct replace *r, const struct expr_node *n)
{
	const struct expr_table t = r->pool->tables[n->b];
	uint32_t table = n->b;
	if (t.exprs) {
		uint32_t *exprs = mem_zero(((size_t)t.size + 1) * sizeof *exprs);
		uint8_t *bytes = (uint8_t *)mem_copy(t.bytes, t.size);
		for (uint32_t i = 0; i < t.size; i++)
			exprs[i] = t.exprs[i] ? r->made[t.exprs[i]] : 0;
		table = expr_table(r->pool, bytes, exprs, t.size);
		mem_free(bytes);
		mem_free(exprs);
	}
	return expr_lookup(r->pool, n->width, r->made[n->a], table);
}

static uint32_t make(struct replace *r, uint32_t id)
{
	const struct expr_node n = r->pool->nodes[id]; // the array moves
	unsigned operands = op_operands(n.op);
	if (n.op == OP_LOOKUP)
		return make_lookup(r, &n);
	if (!operands)
		return id;
	return expr_make(r->pool, n.op, n.width, r->made[n.a], operands > 1 ? r->made[n.b] : n.b,
	                 operands > 2 ? r->made[n.c] : n.c);
}

uint32_t replace_in(struct replace *r, uint32_t id)
{
	assert(id && id < r->n);
	if (!r->made[id]) {
		uint8_t *parts = find_parts(r->pool, id);
		for (uint32_t k = 1; k <= id; k++)
			if (parts[k] && !r->made[k])
				r->made[k] = make(r, k);
		mem_free(parts);
	}
	return expr_simplify(r->pool, r->made[id]);
}

void replace_find_vars(const struct expr_pool *pool, uint32_t id, bool *vars)
{
	uint8_t *parts = find_parts(pool, id);
	for (uint32_t v = 0; v < pool->n_vars; v++)
		vars[v] |= pool->vars[v].expr <= id && parts[pool->vars[v].expr];
	mem_free(parts);
}
