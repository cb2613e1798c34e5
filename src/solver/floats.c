// The end of the methods for floats: what the mode allows goes on to Z3, and a model of Z3's is evaluated where a
// function is involved of which Z3 knows nothing.
#include "solver/check.h"
#include "solver/solver.h"

struct floats {
	struct solver base;
	struct check check;
};

static uint8_t flags_of(const struct expr_pool *p, const struct query *q)
{
	uint8_t flags = 0;
	for (uint32_t i = 0; i < q->n; i++)
		flags |= p->nodes[q->conditions[i]].flags;
	return flags;
}

// In a share of the time: what the other methods did not solve, Z3 seldom does, and other queries wait.
static enum answer ask_z3(struct solver *base, const struct query *q, struct model *ret)
{
	enum { SHARE = 16 };
	struct solver_env *env = base->env;
	uint64_t whole = env->deadline, share = clock_nanoseconds() + solver_effort(env, env->nanoseconds / SHARE);
	uint64_t conflicts = env->conflicts;
	if (env->floats == SOLVER_FLOATS_AUTO && env->nanoseconds && share < whole)
		env->deadline = share;
	env->conflicts = solver_effort(env, conflicts);
	enum answer a = solver_pass(base, q, ret);
	env->deadline = whole;
	env->conflicts = conflicts;
	return a;
}

static enum answer solve(struct solver *base, const struct query *q, struct model *ret)
{
	struct floats *f = (struct floats *)base;
	uint8_t flags = flags_of(base->env->pool, q);
	bool exact = base->env->floats == SOLVER_FLOATS_AUTO || base->env->floats == SOLVER_FLOATS_IEEE;
	if (flags & EXPR_FLOAT && !exact)
		return solver_unknown(base, SOLVER_FLOATS);
	enum answer a = flags & EXPR_FLOAT ? ask_z3(base, q, ret) : solver_pass(base, q, ret);
	if (a != ANSWER_SAT || !(flags & EXPR_LIBM))
		return a;
	check_set(&f->check, q->conditions, q->n);
	return check_model(&f->check, q->seed, ret) ? ANSWER_SAT : solver_unknown(base, SOLVER_FLOATS);
}

static void release(struct solver *base)
{
	check_release(&((struct floats *)base)->check);
}

struct solver *floats_new(struct solver_env *env, struct solver *next)
{
	static const struct solver_type type = {.name = "floats", .solve = solve, .release = release};
	struct floats *f = solver_new(&type, sizeof *f, env, next);
	check_init(&f->check, env->pool);
	return &f->base;
}
