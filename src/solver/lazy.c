// Large conditions last: those whose circuits are large (tables with many entries that are
// input, say), and those with floats, which have none, are left out until a model violates
// them. A model changes little, so most of them never come up; and what contradicts the
// small ones is "unsat" without them. In a query that is large as a whole (a token of a
// scanner is hundreds of conditions, each on the tables that the ones before it are on),
// all that are not cheap are left out: a few of them contradict, or none.
#include <assert.h>

#include "base/bug.h"
#include "base/mem.h"
#include "solver/check.h"
#include "solver/slice.h"
#include "solver/solver.h"

enum {
	// Gates, about.
	LARGE = 50000,         // of a condition
	LARGE_QUERY = 2500000, // of all of them
	CHEAP = 2000,          // of a condition in such a query
	ROUNDS = 40,           // then everything
	COST_MAX = 1 << 30,
};

struct lazy {
	struct solver base;
	struct check check;
	struct condition_list some;
	uint8_t *taken; // per condition of the query
	uint32_t max;
	uint32_t *cost; // per node of the pool: gates of its circuit, about, shared parts counted again
	uint32_t n_cost, max_cost;
};

static uint32_t own_cost(const struct expr_pool *p, const struct expr_node *n)
{
	uint32_t w = op_operands(n->op) ? p->nodes[n->a].width : n->width;
	bool constant = op_operands(n->op) > 1 && (expr_is_const(p, n->a) || expr_is_const(p, n->b));
	switch (op_cost(n->op)) {
	case OP_COST_WIRE: return 1;
	case OP_COST_LINEAR: return 8 * w;
	case OP_COST_PRODUCT: return constant ? 4 * w : 8 * w * w;
	case OP_COST_QUOTIENT: return 12 * w * w;
	case OP_COST_SHIFTER: return constant ? 1 : 3 * w * 8;
	case OP_COST_COUNTER: return 4 * w * w;
	case OP_COST_TABLE: return p->tables[n->b].exprs ? 24 * p->tables[n->b].size : 4 * p->tables[n->b].size;
	}
	BUG("an operator without a cost");
}

// Operands are older, so one pass over what is new does it.
static void cover_pool(struct lazy *l)
{
	const struct expr_pool *p = l->base.env->pool;
	if (l->max_cost < p->n) {
		l->max_cost = p->max;
		l->cost = mem_resize(l->cost, l->max_cost * sizeof *l->cost);
	}
	for (; l->n_cost < p->n; l->n_cost++) {
		const struct expr_node *n = &p->nodes[l->n_cost];
		const uint32_t operands[] = {n->a, n->b, n->c};
		uint64_t cost = l->n_cost ? own_cost(p, n) : 0;
		for (unsigned i = 0; l->n_cost && i < op_operands(n->op); i++)
			cost += l->cost[operands[i]];
		l->cost[l->n_cost] = cost < COST_MAX ? (uint32_t)cost : COST_MAX;
	}
}

// Takes the conditions that do not hold now; false when all do.
static bool take_violated(struct lazy *l, const struct query *q)
{
	bool any = false;
	for (uint32_t i = 0; i < q->n; i++)
		if (!check_one(&l->check, i)) {
			any = true;
			if (!l->taken[i])
				condition_list_add(&l->some, q->conditions[i]);
			l->taken[i] = 1;
		}
	return any;
}

// The cost from which on a condition is left out.
static uint32_t limit_of(struct lazy *l, const struct query *q)
{
	uint64_t all = 0;
	cover_pool(l);
	for (uint32_t i = 0; i < q->n; i++)
		all += l->cost[q->conditions[i]];
	return all > LARGE_QUERY ? CHEAP : LARGE;
}

// Takes the small ones; false when all are.
static bool take_small(struct lazy *l, const struct query *q)
{
	uint32_t limit = limit_of(l, q);
	if (l->max < q->n) {
		l->max = 2 * q->n;
		l->taken = mem_resize(l->taken, l->max);
	}
	l->some.n = 0;
	for (uint32_t i = 0; i < q->n; i++) {
		uint32_t id = q->conditions[i];
		l->taken[i] = l->cost[id] < limit && !(l->base.env->pool->nodes[id].flags & EXPR_FLOAT);
		if (l->taken[i])
			condition_list_add(&l->some, q->conditions[i]);
	}
	assert(l->some.n <= q->n);
	return l->some.n < q->n;
}

static enum answer solve(struct solver *base, const struct query *q, struct model *ret)
{
	struct lazy *l = (struct lazy *)base;
	if (!take_small(l, q))
		return solver_pass(base, q, ret);
	check_set(&l->check, q->conditions, q->n);
	check_model(&l->check, q->seed, NULL);
	if (!take_violated(l, q)) {
		model_clear(ret);
		return ANSWER_SAT;
	}
	for (unsigned round = 0; round < ROUNDS && l->some.n < q->n; round++) {
		struct query some = {.conditions = l->some.ids, .n = l->some.n, .seed = q->seed};
		enum answer a = solver_pass(base, &some, ret);
		if (a != ANSWER_SAT)
			return a;
		check_model(&l->check, q->seed, ret);
		if (!take_violated(l, q))
			return a;
		if (solver_out_of_time(base->env))
			return ANSWER_UNKNOWN;
	}
	return solver_pass(base, q, ret);
}

static void release(struct solver *base)
{
	struct lazy *l = (struct lazy *)base;
	check_release(&l->check);
	condition_list_release(&l->some);
	mem_free(l->taken);
	mem_free(l->cost);
}

struct solver *lazy_new(struct solver_env *env, struct solver *next)
{
	static const struct solver_type type = {.name = "lazy", .solve = solve, .release = release};
	struct lazy *l = solver_new(&type, sizeof *l, env, next);
	check_init(&l->check, env->pool);
	return &l->base;
}
