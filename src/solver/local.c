// Near the branch first: the conditions that the seed violates, with those that depend on
// no other bytes. These refute most of what cannot be: a bounds check, by what the same
// bytes were compared with before. All that shares some byte with them, directly or over
// others, may be hundreds of times as much, as in scanners, whose state depends on all
// bytes so far. And what is left is the same wherever the same code looked at other bytes,
// so that earlier answers fit (renamed.c).
#include <string.h>

#include "base/mem.h"
#include "solver/check.h"
#include "solver/slice.h"
#include "solver/solver.h"

enum { TIME_SHARE = 4 }; // of the time for a query, this part is for some of its conditions

struct local {
	struct solver base;
	struct check check; // of the query
	struct condition_list some;
	bool *marks; // per step of the tape
	uint32_t max_marks;
};

static const struct expr_table *labelled_table(const struct tape *t, const struct tape_step *s)
{
	const struct expr_table *table = s->node.op == OP_LOOKUP ? &t->pool->tables[s->node.b] : NULL;
	return table && table->exprs ? table : NULL;
}

// Marks what the violated conditions depend on.
static void mark_violated(struct local *l)
{
	const struct tape *t = &l->check.tape;
	if (l->max_marks < t->n) {
		l->max_marks = t->max;
		l->marks = mem_resize(l->marks, l->max_marks * sizeof *l->marks);
	}
	memset(l->marks, 0, t->n * sizeof *l->marks);
	for (uint32_t i = 0; i < l->check.n; i++)
		l->marks[l->check.steps[i]] |= !check_one(&l->check, i);
	for (uint32_t i = t->n; i-- > 0;) {
		const struct tape_step *s = &t->steps[i];
		const uint32_t operands[] = {s->a, s->b, s->c};
		if (!l->marks[i])
			continue;
		for (unsigned k = 0; k < op_operands(s->node.op); k++)
			l->marks[operands[k]] = true;
		const struct expr_table *table = labelled_table(t, s);
		for (uint32_t k = 0; table && k < table->size; k++)
			if (table->exprs[k])
				l->marks[t->step_of[table->exprs[k]] - 1] = true;
	}
}

// Then, what depends on no other bytes.
static void mark_inside(struct local *l)
{
	const struct tape *t = &l->check.tape;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct tape_step *s = &t->steps[i];
		const uint32_t operands[] = {s->a, s->b, s->c};
		const struct expr_table *table = labelled_table(t, s);
		if (s->node.op == OP_INPUT || l->marks[i])
			continue;
		bool inside = true;
		for (unsigned k = 0; inside && k < op_operands(s->node.op); k++)
			inside = l->marks[operands[k]];
		for (uint32_t k = 0; inside && table && k < table->size; k++)
			inside = !table->exprs[k] || l->marks[t->step_of[table->exprs[k]] - 1];
		l->marks[i] = inside;
	}
}

// False: these are all, or the seed violates none.
static bool take_some(struct local *l, const struct query *q)
{
	check_set(&l->check, q->conditions, q->n);
	if (check_model(&l->check, q->seed, NULL))
		return false;
	mark_violated(l);
	mark_inside(l);
	l->some.n = 0;
	for (uint32_t i = 0; i < q->n; i++)
		if (l->marks[l->check.steps[i]])
			condition_list_add(&l->some, q->conditions[i]);
	return l->some.n < q->n;
}

// Asks about some; unknown: nothing is known of all.
static enum answer ask_some(struct local *l, const struct query *q, struct model *ret)
{
	struct solver_env *env = l->base.env;
	const struct query some = {.conditions = l->some.ids, .n = l->some.n, .seed = q->seed};
	uint64_t deadline = env->deadline, now = deadline ? clock_nanoseconds() : 0;
	if (deadline > now)
		env->deadline = now + (deadline - now) / TIME_SHARE;
	enum answer a = solver_pass(&l->base, &some, ret);
	env->deadline = deadline;
	if (a != ANSWER_SAT)
		return a;
	return check_model(&l->check, q->seed, ret) ? ANSWER_SAT : ANSWER_UNKNOWN;
}

// The values that the query was last evaluated with: with bytes that only the others depend on.
static void take_values(const struct local *l, struct model *ret)
{
	const struct tape *t = &l->check.tape;
	model_clear(ret);
	for (uint32_t i = 0; i < t->n_vars; i++)
		model_add(ret, t->vars[i], (uint8_t)t->values[t->var_steps[i]]);
}

static enum answer solve(struct solver *base, const struct query *q, struct model *ret)
{
	struct local *l = (struct local *)base;
	if (q->n < 2 || !take_some(l, q))
		return solver_pass(base, q, ret);
	enum answer a = ask_some(l, q, ret);
	if (a == ANSWER_SAT)
		take_values(l, ret);
	if (a != ANSWER_UNKNOWN)
		return a;
	return solver_out_of_time(base->env) ? ANSWER_UNKNOWN : solver_pass(base, q, ret);
}

static void release(struct solver *base)
{
	struct local *l = (struct local *)base;
	check_release(&l->check);
	condition_list_release(&l->some);
	mem_free(l->marks);
}

struct solver *local_new(struct solver_env *env, struct solver *next)
{
	static const struct solver_type type = {.name = "local", .solve = solve, .release = release};
	struct local *l = solver_new(&type, sizeof *l, env, next);
	check_init(&l->check, env->pool);
	return &l->base;
}
