// Conditions on floats by circuits of our own (exact_terms.h) and the SAT solver: exact, "unsat" included. What is too
// large, or takes too many conflicts, goes on.
#include "expr/tape.h"
#include "solver/exact_terms.h"
#include "solver/slice.h"
#include "solver/solver.h"

enum { SHARE = 16, CONFLICTS = 10000, NODES = 100000, WEIGHT = 40 };

struct exact {
	struct solver base;
	struct exact_terms terms;
	struct solver_env env; // with limits of its own
	struct solver *circuits;
	struct condition_list conditions;
	struct tape tape; // of the query
};

// How large the circuits become, about: sums of doubles. Chains of divisions never come to an end.
static uint64_t weight_of(const struct tape *t)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct tape_step *s = &t->steps[i];
		bool constant = op_operands(s->node.op) > 1 &&
		                (t->steps[s->a].node.op == OP_CONST || t->steps[s->b].node.op == OP_CONST);
		unsigned factor = s->width_a > 32 ? 4 : 1;
		switch (s->node.op) {
		case OP_FMUL: sum += constant ? factor : 2 * factor; break;
		case OP_FDIV: sum += 4 * factor; break;
		default: sum += op_is_float(s->node.op); break;
		}
	}
	return sum;
}

static bool translate(struct exact *e, const struct query *q)
{
	const struct expr_pool *p = e->base.env->pool;
	bool floats = false;
	uint32_t before = p->n;
	e->conditions.n = 0;
	for (uint32_t i = 0; i < q->n; i++)
		floats |= p->nodes[q->conditions[i]].flags & EXPR_FLOAT;
	tape_clear(&e->tape);
	for (uint32_t i = 0; floats && i < q->n; i++)
		tape_add(&e->tape, q->conditions[i]);
	if (weight_of(&e->tape) > WEIGHT)
		return false;
	for (uint32_t i = 0; floats && i < q->n; i++) {
		uint32_t c = exact_of(&e->terms, q->conditions[i]);
		if (!c || p->n - before > NODES)
			return false;
		condition_list_add(&e->conditions, c);
	}
	return floats;
}

static enum answer solve(struct solver *base, const struct query *q, struct model *ret)
{
	struct exact *e = (struct exact *)base;
	struct solver_env *env = base->env;
	bool allowed = env->floats == SOLVER_FLOATS_AUTO || env->floats == SOLVER_FLOATS_IEEE;
	if (!allowed || !translate(e, q))
		return solver_pass(base, q, ret);
	uint64_t now = clock_nanoseconds();
	e->env.bytes = env->bytes;
	e->env.far = env->far;
	e->env.deadline = env->deadline > now ? now + solver_effort(env, (env->deadline - now) / SHARE) : 0;
	e->env.conflicts = solver_effort(env, CONFLICTS);
	if (env->conflicts && env->conflicts < e->env.conflicts)
		e->env.conflicts = env->conflicts;
	const struct query bits = {.conditions = e->conditions.ids, .n = e->conditions.n, .seed = q->seed};
	enum answer a = solver_ask(e->circuits, &bits, ret);
	if (a != ANSWER_UNKNOWN)
		return a;
	return solver_out_of_time(env) ? ANSWER_UNKNOWN : solver_pass(base, q, ret);
}

static void release(struct solver *base)
{
	struct exact *e = (struct exact *)base;
	solver_free(e->circuits);
	exact_terms_release(&e->terms);
	condition_list_release(&e->conditions);
	tape_release(&e->tape);
}

struct solver *exact_new(struct solver_env *env, struct solver *next)
{
	static const struct solver_type type = {.name = "exact", .solve = solve, .release = release};
	struct exact *e = solver_new(&type, sizeof *e, env, next);
	exact_terms_init(&e->terms, env->pool);
	tape_init(&e->tape, env->pool);
	e->env.pool = env->pool;
	e->circuits = sat_new(&e->env, NULL);
	return &e->base;
}
