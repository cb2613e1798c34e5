// The first stage: conditions are simplified and split, what they decide by themselves
// is answered; and the model that comes back is checked against the conditions as the
// caller gave them, so that no bug behind this stage gets out as a wrong model.
#include "solver/rewrite.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "expr/simplify.h"
#include "solver/check.h"

struct rewrite {
	struct solver solver;
	struct check check;
	struct solver *fallback; // NULL: not needed yet
	uint64_t wrong;
	uint32_t *ids; // the conditions for the next stage
	uint32_t n, max;
	uint32_t *stack; // those still to look at
	uint32_t depth, max_stack;
	uint32_t *mark; // per node: the last query it was a condition of
	uint32_t n_mark, now;
};

static void push(struct rewrite *r, uint32_t id)
{
	vec_room(r->stack, r->depth + 1, r->max_stack);
	r->stack[r->depth++] = id;
}

static void cover_pool(struct rewrite *r)
{
	uint32_t nodes = r->solver.env->pool->max;
	if (r->n_mark >= nodes)
		return;
	vec_cover(r->mark, r->n_mark, nodes);
	r->n_mark = nodes;
}

static void start(struct rewrite *r)
{
	r->n = r->depth = 0;
	if (++r->now)
		return;
	memset(r->mark, 0, r->n_mark * sizeof *r->mark);
	r->now = 1;
}

// A condition that is two: pushes them.
static bool split(struct rewrite *r, uint32_t id)
{
	struct expr_pool *p = r->solver.env->pool;
	struct expr_node n = p->nodes[id]; // a copy: the pool grows
	if (n.op == OP_AND) {
		push(r, n.b);
		push(r, n.a);
		return true;
	}
	n = n.op == OP_NOT ? p->nodes[n.a] : n;
	if (n.op != OP_OR || p->nodes[id].op != OP_NOT)
		return false;
	push(r, expr_not(p, n.b));
	push(r, expr_not(p, n.a));
	return true;
}

// Is the opposite a condition, too? Both are simple, so the opposite of one is the other.
static bool contradicts(struct rewrite *r, uint32_t id)
{
	struct expr_pool *p = r->solver.env->pool;
	uint32_t opposite = p->nodes[id].op == OP_NOT ? p->nodes[id].a : expr_simplify(p, expr_not(p, id));
	cover_pool(r);
	assert(opposite < r->n_mark);
	return r->mark[opposite] == r->now;
}

// Adds what a condition says to the list; false when it cannot hold.
static bool take(struct rewrite *r, uint32_t condition)
{
	struct expr_pool *p = r->solver.env->pool;
	assert(!r->depth && expr_width(p, condition) == 1);
	push(r, condition);
	while (r->depth) {
		uint32_t id = expr_simplify(p, r->stack[--r->depth]);
		if (expr_is_const(p, id) && !expr_value(p, id))
			return false;
		if (expr_is_const(p, id) || split(r, id))
			continue;
		cover_pool(r);
		if (r->mark[id] == r->now)
			continue;
		if (contradicts(r, id))
			return false;
		r->mark[id] = r->now;
		vec_room(r->ids, r->n + 1, r->max);
		r->ids[r->n++] = id;
	}
	return true;
}

static int compare(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	return a < b ? -1 : a > b;
}

// The model is wrong: somebody else's is taken, and that one has to be right.
static enum answer ask_fallback(struct rewrite *r, const struct query *q, struct model *ret)
{
	struct solver *s = &r->solver;
	r->wrong++;
	if (s->env->strict)
		abort();
	if (!r->fallback)
		r->fallback = z3_new(s->env);
	enum answer a = solver_ask(r->fallback, q, ret);
	if (a == ANSWER_SAT && !check_model(&r->check, q->seed, ret))
		return solver_unknown(s, SOLVER_BACKEND);
	return a;
}

static enum answer solve(struct solver *solver, const struct query *q, struct model *ret)
{
	struct rewrite *r = (struct rewrite *)solver;
	start(r);
	for (uint32_t i = 0; i < q->n; i++)
		if (!take(r, q->conditions[i]))
			return ANSWER_UNSAT;
	if (r->n > 1)
		qsort(r->ids, r->n, sizeof *r->ids, compare);
	enum answer a = ANSWER_SAT;
	struct query simple = {.conditions = r->ids, .n = r->n, .seed = q->seed};
	model_clear(ret);
	if (r->n)
		a = solver_pass(solver, &simple, ret);
	if (a != ANSWER_SAT)
		return a;
	if (q->originals)
		check_set(&r->check, q->originals, q->n_originals);
	else
		check_set(&r->check, q->conditions, q->n);
	return check_model(&r->check, q->seed, ret) ? ANSWER_SAT : ask_fallback(r, q, ret);
}

uint64_t rewrite_wrong_models(const struct solver *rewrite)
{
	return ((const struct rewrite *)rewrite)->wrong;
}

static void release(struct solver *solver)
{
	struct rewrite *r = (struct rewrite *)solver;
	check_release(&r->check);
	solver_free(r->fallback);
	mem_free(r->ids);
	mem_free(r->stack);
	mem_free(r->mark);
}

struct solver *rewrite_new(struct solver_env *env, struct solver *next)
{
	static const struct solver_type type = {"rewrite", solve, release};
	struct rewrite *r = solver_new(&type, sizeof *r, env, next);
	check_init(&r->check, env->pool);
	return &r->solver;
}
