#include "solver/solver.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/vec.h"

const char *solver_reason_words(enum solver_reason reason)
{
	assert(reason < SOLVER_REASONS);
	static const char *const words[] = {
#define UNKNOWN(NAME, words) words,
#include "solver/unknown.def"
#undef UNKNOWN
	};
	return words[reason];
}

const char *solver_floats_word(unsigned how)
{
	static const char *const words[] = {
#define FLOATS(NAME, word, help) word,
#include "solver/floats.def"
#undef FLOATS
	};
	return how < SOLVER_FLOATS_COUNT ? words[how] : NULL;
}

void model_clear(struct model *m)
{
	m->n = 0;
}

void model_add(struct model *m, uint32_t var, uint8_t value)
{
	if (m->n == m->max) {
		m->max = (uint32_t)vec_capacity(m->n + 1, m->max, sizeof *m->vars);
		m->vars = mem_resize(m->vars, m->max * sizeof *m->vars);
		m->values = mem_resize(m->values, m->max);
	}
	m->vars[m->n] = var;
	m->values[m->n++] = value;
}

void model_copy(struct model *to, const struct model *from)
{
	model_clear(to);
	for (uint32_t i = 0; i < from->n; i++)
		model_add(to, from->vars[i], from->values[i]);
}

void model_release(struct model *m)
{
	mem_free(m->vars);
	mem_free(m->values);
	*m = (struct model){0};
}

uint64_t solver_effort(const struct solver_env *env, uint64_t limit)
{
	assert(env->effort >= EFFORT_LEAST && env->effort <= EFFORT_MOST);
	return env->effort < 0 ? limit >> -env->effort : limit << env->effort;
}

bool solver_out_of_time(struct solver_env *env)
{
	if (env->interrupted)
		env->reason = SOLVER_INTERRUPTED;
	else if (env->deadline && clock_nanoseconds() > env->deadline)
		env->reason = SOLVER_TIME;
	else
		return false;
	return true;
}

enum answer solver_ask(struct solver *s, const struct query *q, struct model *ret)
{
	uint64_t from = clock_nanoseconds();
	s->passed = false;
	assert(!q->n || q->conditions);
	enum answer a = s->type->solve(s, q, ret);
	assert(a == ANSWER_SAT || a == ANSWER_UNSAT || s->env->reason != SOLVER_NONE); // unknown has a reason
	s->answers[a]++;
	s->own[a] += !s->passed;
	s->nanoseconds += clock_nanoseconds() - from;
	return a;
}

enum answer solver_pass(struct solver *s, const struct query *q, struct model *ret)
{
	s->passed = true;
	if (!s->next)
		return solver_unknown(s, SOLVER_BACKEND);
	return solver_ask(s->next, q, ret);
}

enum answer solver_unknown(struct solver *s, enum solver_reason reason)
{
	assert(reason > SOLVER_NONE && reason < SOLVER_REASONS);
	s->env->reason = reason;
	return ANSWER_UNKNOWN;
}

enum answer solver_solve(struct solver *s, const struct query *q, struct model *ret)
{
	s->env->deadline = s->env->nanoseconds ? clock_nanoseconds() + s->env->nanoseconds : 0;
	s->env->reason = SOLVER_NONE;
	return solver_ask(s, q, ret);
}

void solver_free(struct solver *s)
{
	while (s) {
		struct solver *next = s->next;
		s->type->release(s);
		mem_free(s);
		s = next;
	}
}

void *solver_new(const struct solver_type *type, size_t size, struct solver_env *env, struct solver *next)
{
	assert(size >= sizeof(struct solver) && type->solve && type->release && env->pool);
	struct solver *s = mem_zero(size);
	s->type = type;
	s->env = env;
	s->next = next;
	return s;
}
