#include "expr/known.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "expr/simplify.h"

enum { DEPTH_MAX = 8 }; // tables in tables

void known_init(struct known *k, struct expr_pool *pool)
{
	*k = (struct known){.pool = pool, .version = 1};
}

void known_release(struct known *k)
{
	mem_free(k->fact);
	mem_free(k->made);
	mem_free(k->when);
	mem_free(k->facts);
	mem_free(k->stack);
	*k = (struct known){0};
}

void known_clear(struct known *k)
{
	for (uint32_t i = 0; i < k->n_facts; i++)
		k->fact[k->facts[i]] = 0;
	k->n_facts = 0;
	if (++k->version < UINT32_MAX / 2) // a path does not learn that much
		return;
	memset(k->when, 0, k->n * sizeof *k->when);
	k->version = 1;
}

static void cover_pool(struct known *k)
{
	uint32_t n = k->pool->max;
	if (k->n >= n)
		return;
	vec_cover(k->fact, k->n, n);
	k->made = mem_resize(k->made, n * sizeof *k->made);
	vec_cover(k->when, k->n, n);
	k->n = n;
}

static uint32_t push_any(struct known *k, uint32_t depth, uint32_t value)
{
	vec_room(k->stack, depth + 1, k->max_stack);
	k->stack[depth] = value;
	return depth + 1;
}

static uint32_t push(struct known *k, uint32_t depth, uint32_t id)
{
	return k->when[id] == k->version ? depth : push_any(k, depth, id);
}

// Entries of tables are not looked at before one of them is chosen.
static uint32_t push_operands(struct known *k, uint32_t depth, uint32_t id)
{
	const struct expr_node *n = &k->pool->nodes[id];
	const uint32_t operands[] = {n->a, n->b, n->c};
	for (unsigned i = 0; !k->fact[id] && i < op_operands(n->op); i++)
		depth = push(k, depth, operands[i]);
	return depth;
}

static void keep(struct known *k, uint32_t id, uint32_t made)
{
	assert(made && expr_width(k->pool, id) == expr_width(k->pool, made));
	cover_pool(k);
	k->made[id] = k->fact[made] ? k->fact[made] : made;
	k->when[id] = k->version;
}

static uint32_t rewrite(struct known *k, uint32_t id, uint32_t base, unsigned depth);

// All operands are done.
static void make(struct known *k, uint32_t id, uint32_t base, unsigned depth)
{
	struct expr_pool *p = k->pool;
	const struct expr_node n = p->nodes[id];
	unsigned operands = op_operands(n.op);
	uint32_t old[] = {n.a, n.b, n.c}, new[] = {n.a, n.b, n.c};
	bool changed = false;
	if (k->fact[id]) {
		keep(k, id, k->fact[id]);
		return;
	}
	for (unsigned i = 0; i < operands; i++) {
		new[i] = k->made[old[i]];
		changed |= new[i] != old[i];
	}
	uint32_t made = id;
	if (changed && n.op == OP_LOOKUP)
		made = expr_simplify(p, expr_lookup(p, n.width, new[0], n.b));
	else if (changed)
		made = expr_simplify(p, expr_make(p, n.op, n.width, new[0], new[1], new[2]));
	cover_pool(k);
	if (changed && n.op == OP_LOOKUP && p->nodes[made].op != OP_LOOKUP && depth < DEPTH_MAX)
		made = rewrite(k, made, base, depth + 1); // an entry
	keep(k, id, made);
}

// The stack below `base` is in use.
static uint32_t rewrite(struct known *k, uint32_t id, uint32_t base, unsigned level)
{
	uint32_t depth = push(k, base, id);
	while (depth > base) {
		uint32_t top = k->stack[depth - 1];
		uint32_t deeper = k->when[top] == k->version ? depth : push_operands(k, depth, top);
		if (deeper > depth) {
			depth = deeper;
			continue;
		}
		if (k->when[top] != k->version)
			make(k, top, depth, level);
		depth--;
	}
	return k->made[id];
}

uint32_t known_rewrite(struct known *k, uint32_t id)
{
	uint32_t simple = expr_simplify(k->pool, id);
	cover_pool(k);
	uint32_t made = rewrite(k, simple, 0, 0);
	return k->fact[made] ? k->fact[made] : made; // perhaps known since, and nothing was made anew
}

// What was rewritten before stays right; where it could get simpler now it is made anew. Nodes that are new from
// here on find the constant at once.
static void add_fact(struct known *k, uint32_t id, uint32_t constant, unsigned uses)
{
	if (expr_is_const(k->pool, id) || k->fact[id])
		return;
	vec_room(k->facts, k->n_facts + 1, k->max_facts);
	k->facts[k->n_facts++] = id;
	k->fact[id] = constant;
	if (k->pool->nodes[id].flags & uses)
		k->version++;
	k->made[id] = constant;
	k->when[id] = k->version;
}

// Conditions that are still to be learned stand on the stack, each followed by its value.
static uint32_t push_part(struct known *k, uint32_t depth, uint32_t id, bool value)
{
	depth = push_any(k, depth, id);
	return push_any(k, depth, value);
}

// Returns the new depth of the stack: with the parts that follow from the condition.
static uint32_t learn(struct known *k, uint32_t depth, uint32_t id, bool value)
{
	struct expr_pool *p = k->pool;
	const struct expr_node n = p->nodes[id];
	uint32_t constant = expr_const(p, 1, value);
	cover_pool(k);
	if (n.op == OP_CONST || k->fact[id]) // also: parts that are shared are learned once
		return depth;
	add_fact(k, id, constant, EXPR_USED);
	// Its negation has a form of its own, such as y <= x for x < y.
	depth = push_part(k, depth, n.op == OP_NOT ? n.a : expr_simplify(p, expr_not(p, id)), !value);
	cover_pool(k);
	if (n.op == (value ? OP_AND : OP_OR)) {
		depth = push_part(k, depth, n.a, value);
		depth = push_part(k, depth, n.b, value);
	}
	if (n.op == OP_EQ && value && expr_is_const(p, n.b))
		add_fact(k, n.a, n.b, EXPR_SHARED);
	else if (n.op == OP_EQ && value && expr_is_const(p, n.a))
		add_fact(k, n.b, n.a, EXPR_SHARED);
	return depth;
}

void known_learn(struct known *k, uint32_t condition)
{
	assert(expr_width(k->pool, condition) == 1);
	if (expr_is_const(k->pool, condition))
		return;
	uint32_t depth = push_part(k, 0, condition, true);
	while (depth) {
		depth -= 2;
		depth = learn(k, depth, k->stack[depth], k->stack[depth + 1]);
	}
}
