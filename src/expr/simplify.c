// From the operands upwards: each node is made anew from the simplified operands, by
// make(), which folds constants and applies rules until none fits.
//
// Rules can go far: along a chain of 100,000 nodes, where every query would cost as
// much. Therefore the steps at one node and the depth to which a rule's right-hand side
// goes down are limited; what is left there is correct, only not as simple as it could
// be. Rules that undo each other would end there, too; pool.cut tells.
#include "expr/simplify.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "expr/integral.h"
#include "expr/range.h"
#include "expr/rule.h"

enum { STEPS_MAX = 200, DEPTH_MAX = 40 };

static uint32_t make(struct expr_pool *p, struct expr_node n, unsigned depth);

static unsigned node_operands(const struct expr_node *n, uint32_t ids[3])
{
	ids[0] = n->a;
	ids[1] = n->b;
	ids[2] = n->c;
	return op_operands(n->op);
}

// --- constants -----------------------------------------------------------------------------------

static uint32_t fold(struct expr_pool *p, const struct expr_node *n)
{
	uint32_t ids[3];
	unsigned operands = node_operands(n, ids), width_b = operands > 1 ? expr_width(p, n->b) : 0;
	eval_value v[3] = {0};
	for (unsigned i = 0; i < operands; i++) {
		if (!expr_is_const(p, ids[i]))
			return 0;
		v[i] = expr_value(p, ids[i]);
	}
	const struct trace_node t = {.op = n->op, .width = n->width, .a = n->a, .b = n->b, .c = n->c};
	return expr_const(p, n->width, eval_node(&t, expr_width(p, n->a), v[0], v[1], v[2], width_b));
}

// Constants to the right, the rest by age.
static void order(const struct expr_pool *p, struct expr_node *n)
{
	if (!op_commutes(n->op))
		return;
	bool const_a = expr_is_const(p, n->a), const_b = expr_is_const(p, n->b);
	if (const_a == const_b ? n->a > n->b : const_a) {
		uint32_t a = n->a;
		n->a = n->b;
		n->b = a;
	}
}

// --- tables --------------------------------------------------------------------------------------

// The same table with simplified entries; constant ones become bytes.
static uint32_t simplify_table(struct expr_pool *p, uint32_t table)
{
	const struct expr_table t = p->tables[table];
	if (!t.exprs)
		return table;
	if (t.simple)
		return t.simple - 1;
	uint8_t *bytes = mem_alloc(t.size + 1);
	uint32_t *exprs = mem_zero((t.size + 1) * sizeof *exprs);
	bool any = false;
	for (uint32_t i = 0; i < t.size; i++) {
		uint32_t e = t.exprs[i] ? p->simple[t.exprs[i]] : 0;
		bool constant = e && expr_is_const(p, e);
		bytes[i] = constant ? (uint8_t)expr_value(p, e) : e ? 0 : t.bytes[i];
		exprs[i] = constant ? 0 : e;
		any |= exprs[i] != 0;
	}
	uint32_t simple = expr_table(p, bytes, any ? exprs : NULL, t.size);
	mem_free(bytes);
	mem_free(exprs);
	p->tables[table].simple = p->tables[simple].simple = simple + 1;
	return simple;
}

static uint32_t table_byte(struct expr_pool *p, const struct expr_table *t, eval_value at)
{
	uint32_t e = t->exprs && at < t->size ? t->exprs[at] : 0;
	return e ? e : expr_const(p, 8, at < t->size ? t->bytes[at] : 0);
}

// At a constant offset: the bytes there.
static uint32_t read_table(struct expr_pool *p, const struct expr_node *n)
{
	const struct expr_table t = p->tables[n->b];
	eval_value at = expr_value(p, n->a);
	uint32_t all = 0;
	for (unsigned k = 0; k < n->width / 8u; k++) {
		uint32_t byte = table_byte(p, &t, (uint64_t)at + (eval_value)k);
		struct expr_node concat = {.op = OP_CONCAT, .width = (uint16_t)(8 * (k + 1)), .a = byte, .b = all};
		all = k ? make(p, concat, 0) : byte;
	}
	return all;
}

// The outside of a table is 0, so a table of zeros reads as 0 everywhere.
static bool all_zero(const struct expr_table *t)
{
	for (uint32_t i = 0; i < t->size; i++)
		if (t->bytes[i] || (t->exprs && t->exprs[i]))
			return false;
	return true;
}

static uint64_t table_value(const struct expr_table *t, uint64_t at, unsigned bytes)
{
	uint64_t v = 0;
	memcpy(&v, t->bytes + at, bytes);
	return v;
}

// Is there the same value wherever the offset can be? All of it has to be inside.
static bool reads_one_value(const struct expr_pool *p, const struct expr_node *n, uint64_t *ret)
{
	const struct expr_table *t = &p->tables[n->b];
	const struct range *r = range_of(p, n->a);
	unsigned bytes = n->width / 8u;
	if (t->exprs || t->size < bytes || r->max > t->size - bytes)
		return false;
	uint64_t step = ~(uint64_t)r->zeros & -~(uint64_t)r->zeros; // offsets are multiples of it
	if (!step)
		return false;
	uint64_t from = ((uint64_t)r->min + step - 1) / step * step;
	for (uint64_t at = from; at <= r->max; at += step)
		if (table_value(t, at, bytes) != table_value(t, from, bytes))
			return false;
	*ret = from <= r->max ? table_value(t, from, bytes) : 0;
	return from <= r->max;
}

static uint32_t make_lookup(struct expr_pool *p, const struct expr_node *n)
{
	uint64_t value;
	if (expr_is_const(p, n->a))
		return read_table(p, n);
	if (all_zero(&p->tables[n->b]))
		return expr_const(p, n->width, 0);
	if (reads_one_value(p, n, &value))
		return expr_const(p, n->width, value);
	uint32_t id = expr_lookup(p, n->width, n->a, n->b);
	p->simple[id] = id;
	return id;
}

// --- rules ---------------------------------------------------------------------------------------

// The operator and operands of the right-hand side's term.
static struct expr_node build_node(struct expr_pool *p, const struct rule *r, unsigned term,
                                   const struct rule_binding *b, unsigned hint, unsigned depth);

static uint32_t build(struct expr_pool *p, const struct rule *r, unsigned term, const struct rule_binding *b,
                      unsigned hint, unsigned depth)
{
	const struct rule_term *t = &r->terms[term];
	if (t->kind == TERM_VAR)
		return b->vars[t->slot];
	if (t->constant)
		return expr_const(p, rule_width(r, term, b, hint), rule_value(r, term, b, hint));
	return make(p, build_node(p, r, term, b, hint, depth), depth + 1);
}

static struct expr_node build_node(struct expr_pool *p, const struct rule *r, unsigned term,
                                   const struct rule_binding *b, unsigned hint, unsigned depth)
{
	const struct rule_term *t = &r->terms[term];
	unsigned width = rule_width(r, term, b, hint);
	uint32_t kids[3] = {0};
	for (unsigned k = 0; k < 3 && t->kids[k] != RULE_NONE; k++)
		kids[k] = build(p, r, t->kids[k], b, rule_hint(r, term, k, b, width), depth);
	if (t->op == OP_EXTRACT)
		kids[1] = (uint32_t)rule_int(r, t->low, b);
	return (struct expr_node){.op = t->op, .width = (uint16_t)width, .a = kids[0], .b = kids[1], .c = kids[2]};
}

// Nothing to extend, or all of it: not a node.
static bool is_whole(const struct expr_pool *p, const struct expr_node *n)
{
	bool changes_width = n->op == OP_ZEXT || n->op == OP_SEXT || n->op == OP_EXTRACT;
	return changes_width && n->width == expr_width(p, n->a);
}

// The simplest form of a node whose operands are simple.
static uint32_t make(struct expr_pool *p, struct expr_node n, unsigned depth)
{
	struct rule_binding b;
	for (unsigned steps = 0;; steps++) {
		if (is_whole(p, &n))
			return n.a;
		order(p, &n);
		uint32_t constant = fold(p, &n);
		if (constant)
			return constant;
		if (steps == STEPS_MAX || depth >= DEPTH_MAX) {
			p->cut++;
			break;
		}
		if (op_is_float(n.op) && integral_rewrite(p, &n, &constant)) {
			if (constant)
				return constant;
			continue;
		}
		const struct rule *r = rule_find(p, &n, &b);
		if (!r)
			break;
		const struct rule_term *right = &r->terms[r->right];
		if (right->kind != TERM_OP || right->constant)
			return build(p, r, r->right, &b, n.width, depth);
		n = build_node(p, r, r->right, &b, n.width, depth);
	}
	uint32_t id = expr_make(p, n.op, n.width, n.a, n.b, n.c);
	p->simple[id] = id;
	return id;
}

// --- expressions -----------------------------------------------------------------------------------

static uint32_t simplify_node(struct expr_pool *p, uint32_t id)
{
	struct expr_node n = p->nodes[id];
	uint32_t ids[3];
	unsigned operands = node_operands(&n, ids);
	if (!operands)
		return id;
	n.a = p->simple[n.a];
	if (operands > 1)
		n.b = p->simple[n.b];
	if (operands > 2)
		n.c = p->simple[n.c];
	if (n.op != OP_LOOKUP)
		return make(p, n, 0);
	n.b = simplify_table(p, n.b);
	return make_lookup(p, &n);
}

// Nodes whose turn has not come; on the heap when there are many.
struct pending {
	uint32_t *ids, n, max;
	uint32_t few[256];
};

static void push(struct pending *s, const struct expr_pool *p, uint32_t id)
{
	if (p->simple[id])
		return;
	if (s->n == s->max) {
		uint32_t *more = mem_alloc(2 * (size_t)s->max * sizeof *more);
		memcpy(more, s->ids, s->n * sizeof *more);
		if (s->ids != s->few)
			mem_free(s->ids);
		s->ids = more;
		s->max *= 2;
	}
	s->ids[s->n++] = id;
}

static void push_operands(struct pending *s, const struct expr_pool *p, uint32_t id)
{
	const struct expr_node *n = &p->nodes[id];
	uint32_t ids[3];
	unsigned operands = node_operands(n, ids);
	for (unsigned i = 0; i < operands; i++)
		push(s, p, ids[i]);
	const struct expr_table *t = n->op == OP_LOOKUP ? &p->tables[n->b] : NULL;
	for (uint32_t i = 0; t && t->exprs && !t->simple && i < t->size; i++)
		if (t->exprs[i])
			push(s, p, t->exprs[i]);
}

uint32_t expr_simplify(struct expr_pool *p, uint32_t id)
{
	assert(id && id < p->n);
	if (p->simple[id])
		return p->simple[id];
	struct pending s;
	s.n = 0;
	s.max = sizeof s.few / sizeof *s.few;
	s.ids = s.few;
	push(&s, p, id);
	while (s.n) {
		uint32_t top = s.ids[s.n - 1], before = s.n;
		if (!p->simple[top])
			push_operands(&s, p, top);
		if (s.n > before)
			continue;
		s.n--;
		if (!p->simple[top]) {
			uint32_t simple = simplify_node(p, top);
			p->simple[simple] = simple;
			p->simple[top] = simple;
		}
	}
	if (s.ids != s.few)
		mem_free(s.ids);
	return p->simple[id];
}
