#include "small.h"

#include <stdlib.h>

#include "expr/tape.h"
#include "test.h"

void small_init(struct small *s, uint32_t n_vars, uint64_t random)
{
	*s = (struct small){.random = random, .n_vars = n_vars};
	expr_pool_init(&s->pool);
	s->env = (struct solver_env){.pool = &s->pool, .strict = true};
	uint32_t source = expr_source(&s->pool, input_source(INPUT_STDIN, INPUT_BYTES, 0, ""));
	for (uint32_t i = 0; i < n_vars; i++) {
		uint32_t byte = expr_input(&s->pool, source, i);
		s->bits[i] = expr_make(&s->pool, OP_EXTRACT, 3, byte, 0, 0);
		s->seed[i] = (uint8_t)random_below(&s->random, SMALL_VALUES);
	}
}

void small_release(struct small *s)
{
	expr_pool_release(&s->pool);
}

static uint32_t term(struct small *s, uint32_t first, uint32_t n, unsigned depth);

// A byte of a table, in which there are variables, too.
static uint32_t lookup(struct small *s, uint32_t first, uint32_t n, unsigned depth)
{
	struct expr_pool *p = &s->pool;
	uint32_t size = 1 + random_below(&s->random, 8);
	uint8_t bytes[8];
	uint32_t exprs[8] = {0};
	for (uint32_t i = 0; i < size; i++) {
		bytes[i] = (uint8_t)random_below(&s->random, 8);
		if (!random_below(&s->random, 4))
			exprs[i] = p->vars[first + random_below(&s->random, n)].expr;
	}
	uint32_t at = expr_make(p, OP_ZEXT, 64, term(s, first, n, depth), 0, 0);
	uint32_t table = expr_table(p, bytes, random_below(&s->random, 2) ? exprs : NULL, size);
	return expr_make(p, OP_EXTRACT, 3, expr_lookup(p, 8, at, table), 0, 0);
}

static uint32_t term(struct small *s, uint32_t first, uint32_t n, unsigned depth)
{
	static const uint8_t ops[] = {OP_ADD, OP_SUB, OP_MUL, OP_UREM, OP_XOR, OP_AND, OP_SHL};
	uint32_t kind = random_below(&s->random, depth ? 6 : 3);
	if (kind == 0)
		return expr_const(&s->pool, 3, random_next(&s->random));
	if (kind < 3)
		return s->bits[first + random_below(&s->random, n)];
	if (kind == 3)
		return lookup(s, first, n, depth - 1);
	uint32_t a = term(s, first, n, depth - 1), b = term(s, first, n, depth - 1);
	if (kind == 4)
		return expr_make(&s->pool, OP_ITE, 3, expr_make(&s->pool, OP_ULT, 1, a, b, 0), b, a);
	return expr_make(&s->pool, ops[random_below(&s->random, COUNT(ops))], 3, a, b, 0);
}

uint32_t small_condition(struct small *s, uint32_t first, uint32_t n, unsigned depth)
{
	static const uint8_t ops[] = {OP_EQ, OP_ULT, OP_ULE, OP_SLT, OP_SLE};
	uint32_t kind = random_below(&s->random, depth ? 8 : 5);
	if (kind < 5)
		return expr_make(&s->pool, ops[kind], 1, term(s, first, n, depth), term(s, first, n, depth), 0);
	uint32_t a = small_condition(s, first, n, depth - 1);
	if (kind == 5)
		return expr_not(&s->pool, a);
	return expr_make(&s->pool, kind == 6 ? OP_AND : OP_OR, 1, a, small_condition(s, first, n, depth - 1), 0);
}

static bool all_hold(const struct tape *t, const struct query *q)
{
	for (uint32_t i = 0; i < q->n; i++)
		if (!t->values[t->step_of[q->conditions[i]] - 1])
			return false;
	return true;
}

static void start(struct small *s, struct tape *t, const struct query *q)
{
	tape_init(t, &s->pool);
	for (uint32_t i = 0; i < q->n; i++)
		tape_add(t, q->conditions[i]);
}

enum answer small_answer(struct small *s, const struct query *q, struct model *ret)
{
	struct tape t;
	uint64_t n = 1;
	bool sat = false;
	start(s, &t, q);
	for (uint32_t i = 0; i < t.n_vars; i++)
		n *= SMALL_VALUES;
	for (uint64_t k = 0; k < n && !sat; k++) {
		uint64_t values = k;
		for (uint32_t i = 0; i < t.n_vars; i++, values /= SMALL_VALUES)
			tape_set(&t, t.vars[i], values % SMALL_VALUES);
		tape_run(&t);
		sat = all_hold(&t, q);
	}
	if (sat && ret) {
		model_clear(ret);
		for (uint32_t i = 0; i < t.n_vars; i++)
			model_add(ret, t.vars[i], (uint8_t)t.values[t.var_steps[i]]);
	}
	tape_release(&t);
	return sat ? ANSWER_SAT : ANSWER_UNSAT;
}

bool small_holds(struct small *s, const struct query *q, const struct model *m)
{
	struct tape t;
	start(s, &t, q);
	tape_load(&t, q->seed);
	for (uint32_t i = 0; i < m->n; i++)
		if (tape_has(&t, m->vars[i]))
			tape_set(&t, m->vars[i], m->values[i]);
	tape_run(&t);
	bool r = all_hold(&t, q);
	tape_release(&t);
	return r;
}

struct trying {
	struct solver solver;
	struct small *small;
	uint32_t unknown;
};

static enum answer try_all(struct solver *solver, const struct query *q, struct model *ret)
{
	struct trying *t = (struct trying *)solver;
	if (t->unknown && !random_below(&t->small->random, t->unknown))
		return solver_unknown(solver, SOLVER_CONFLICTS);
	return small_answer(t->small, q, ret);
}

static void release_nothing(struct solver *solver)
{
}

struct solver *small_solver(struct small *s, uint32_t unknown)
{
	static const struct solver_type type = {"small", try_all, release_nothing};
	struct trying *t = solver_new(&type, sizeof *t, &s->env, NULL);
	t->small = s;
	t->unknown = unknown;
	return &t->solver;
}
