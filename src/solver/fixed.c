// Conditions on floats by fixed-point numbers (fixed_terms.h): circuits and the SAT solver, behind the same stages as
// integers. The model becomes floats and is evaluated; where that is not enough, the search goes on from there. That
// there is no model of fixed-point numbers means nothing.
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "solver/check.h"
#include "solver/fixed_terms.h"
#include "solver/solver.h"

enum { SHARE = 16, CONFLICTS = 8000, NODES = 20000 };

struct fixed {
	struct solver base;
	struct fixed_terms terms;
	struct solver_env env;   // of the pool of the terms
	struct solver *circuits; // made for a query
	struct solver *repair;   // the search, from what came of the model
	struct check check;
	struct condition_list conditions;
	uint8_t *seed; // of the terms' variables
	uint32_t max_seed;
	uint8_t *bytes; // of the pool's variables
	uint32_t max_bytes;
};

static bool has_floats(const struct solver *base, const struct query *q)
{
	for (uint32_t i = 0; i < q->n; i++)
		if (base->env->pool->nodes[q->conditions[i]].flags & EXPR_FLOAT)
			return true;
	return false;
}

static bool translate(struct fixed *f, const struct query *q)
{
	fixed_terms_clear(&f->terms);
	f->conditions.n = 0;
	for (uint32_t i = 0; i < q->n; i++) {
		uint32_t c = fixed_condition(&f->terms, q->conditions[i]);
		if (!c || f->terms.to.n > NODES)
			return false;
		condition_list_add(&f->conditions, c);
	}
	for (uint32_t i = 0; i < f->terms.more.n; i++)
		condition_list_add(&f->conditions, f->terms.more.ids[i]);
	return true;
}

static eval_value read_bytes(const uint8_t *seed, const uint32_t *vars, uint32_t n)
{
	eval_value v = 0;
	for (uint32_t i = 0; i < n; i++)
		v |= (eval_value)seed[vars[i]] << 8 * i;
	return v;
}

// The seed in terms of fixed-point numbers: solutions stay near it.
static void load_seed(struct fixed *f, const uint8_t *seed)
{
	const struct fixed_terms *t = &f->terms;
	if (f->max_seed < t->to.n_vars + 1) {
		f->max_seed = 2 * t->to.n_vars + 1;
		f->seed = mem_resize(f->seed, f->max_seed);
	}
	memset(f->seed, 0, f->max_seed);
	for (uint32_t i = 0; i < t->n_vars; i++)
		if (t->var_of[i])
			f->seed[i] = seed[t->var_of[i] - 1];
	for (uint32_t i = 0; i < t->n_words; i++) {
		const struct fixed_word *w = &t->words[i];
		bool fits;
		eval_value v = fixed_from_float(read_bytes(seed, w->vars, w->n), 8 * w->n, w->width, &fits);
		for (uint32_t k = 0; fits && k < w->width / 8; k++)
			f->seed[w->first + k] = (uint8_t)(v >> 8 * k);
	}
}

// What the model of the terms is for the variables of the query, on top of the seed.
static void read_model(struct fixed *f, const struct query *q, const struct model *m, struct model *ret)
{
	const struct fixed_terms *t = &f->terms;
	for (uint32_t i = 0; i < m->n; i++)
		f->seed[m->vars[i]] = m->values[i];
	model_clear(ret);
	for (uint32_t i = 0; i < t->n_vars; i++)
		if (t->var_of[i])
			model_add(ret, t->var_of[i] - 1, f->seed[i]);
	for (uint32_t i = 0; i < t->n_words; i++) {
		const struct fixed_word *w = &t->words[i];
		uint32_t vars[8];
		bool fits;
		for (uint32_t k = 0; k < w->width / 8; k++)
			vars[k] = w->first + k;
		eval_value v = read_bytes(f->seed, vars, w->width / 8), was = read_bytes(q->seed, w->vars, w->n);
		if (fixed_from_float(was, 8 * w->n, w->width, &fits) == v && fits)
			continue; // the seed's own value, which may have more places
		v = fixed_to_float(v, w->width, 8 * w->n);
		for (uint32_t k = 0; k < w->n; k++)
			model_add(ret, w->vars[k], (uint8_t)(v >> 8 * k));
	}
}

static enum answer ask_circuits(struct fixed *f, const struct query *q, struct model *ret)
{
	struct solver_env *env = f->base.env;
	uint64_t now = clock_nanoseconds();
	f->env = (struct solver_env){
		.pool = &f->terms.to, .conflicts = solver_effort(env, CONFLICTS), .bytes = env->bytes};
	f->env.deadline = env->deadline > now ? now + solver_effort(env, (env->deadline - now) / SHARE) : 0;
	if (env->conflicts && env->conflicts < f->env.conflicts)
		f->env.conflicts = env->conflicts;
	load_seed(f, q->seed);
	solver_free(f->circuits);
	f->circuits = sat_new(&f->env, NULL);
	const struct query terms = {.conditions = f->conditions.ids, .n = f->conditions.n, .seed = f->seed};
	struct model m = {0};
	enum answer a = solver_ask(f->circuits, &terms, &m);
	if (a == ANSWER_SAT)
		read_model(f, q, &m, ret);
	model_release(&m);
	return a;
}

// The conditions themselves, from the model on.
static enum answer repair(struct fixed *f, const struct query *q, struct model *ret)
{
	uint32_t n = f->base.env->pool->n_vars;
	struct model changed = {0};
	if (f->base.env->floats != SOLVER_FLOATS_AUTO)
		return ANSWER_UNKNOWN;
	if (f->max_bytes < n) {
		f->max_bytes = 2 * n;
		f->bytes = mem_resize(f->bytes, f->max_bytes);
	}
	for (uint32_t i = 0; i < f->check.tape.n_vars; i++)
		f->bytes[f->check.tape.vars[i]] = q->seed[f->check.tape.vars[i]];
	for (uint32_t i = 0; i < ret->n; i++)
		f->bytes[ret->vars[i]] = ret->values[i];
	if (!f->repair)
		f->repair = search_new(f->base.env, NULL);
	const struct query from = {.conditions = q->conditions, .n = q->n, .seed = f->bytes};
	enum answer a = solver_ask(f->repair, &from, &changed);
	for (uint32_t i = 0; a == ANSWER_SAT && i < changed.n; i++)
		f->bytes[changed.vars[i]] = changed.values[i];
	model_release(&changed);
	if (a != ANSWER_SAT)
		return ANSWER_UNKNOWN;
	model_clear(ret);
	for (uint32_t i = 0; i < f->check.tape.n_vars; i++)
		model_add(ret, f->check.tape.vars[i], f->bytes[f->check.tape.vars[i]]);
	return ANSWER_SAT;
}

static enum answer solve(struct solver *base, const struct query *q, struct model *ret)
{
	struct fixed *f = (struct fixed *)base;
	bool allowed = base->env->floats == SOLVER_FLOATS_AUTO || base->env->floats == SOLVER_FLOATS_FIXED;
	if (!allowed || !has_floats(base, q) || !translate(f, q) || ask_circuits(f, q, ret) != ANSWER_SAT)
		return solver_out_of_time(base->env) ? ANSWER_UNKNOWN : solver_pass(base, q, ret);
	check_set(&f->check, q->conditions, q->n);
	if (check_model(&f->check, q->seed, ret) || repair(f, q, ret) == ANSWER_SAT)
		return ANSWER_SAT;
	return solver_out_of_time(base->env) ? ANSWER_UNKNOWN : solver_pass(base, q, ret);
}

static void release(struct solver *base)
{
	struct fixed *f = (struct fixed *)base;
	solver_free(f->circuits);
	solver_free(f->repair);
	fixed_terms_release(&f->terms);
	check_release(&f->check);
	condition_list_release(&f->conditions);
	mem_free(f->seed);
	mem_free(f->bytes);
}

struct solver *fixed_new(struct solver_env *env, struct solver *next)
{
	static const struct solver_type type = {.name = "fixed", .solve = solve, .release = release};
	struct fixed *f = solver_new(&type, sizeof *f, env, next);
	fixed_terms_init(&f->terms, env->pool);
	check_init(&f->check, env->pool);
	return &f->base;
}
