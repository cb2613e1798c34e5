#include "comparison.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "expr/simplify.h"
#include "expr/tape.h"
#include "solver/chain.h"
#include "solver/z3.h"

static bool model_holds(const struct expr_pool *p, const struct query *q, const struct model *m)
{
	uint8_t bytes[QUERY_BYTES];
	memcpy(bytes, q->seed, sizeof bytes);
	for (uint32_t i = 0; i < m->n; i++)
		bytes[m->vars[i]] = m->values[i];
	for (uint32_t i = 0; i < q->n; i++)
		if (!expr_eval(p, q->conditions[i], bytes))
			return false;
	return true;
}

// Whether something is left to solve after simplification.
static bool is_question(struct expr_pool *p, const struct query *q)
{
	bool open = false;
	for (uint32_t i = 0; i < q->n; i++) {
		uint32_t e = expr_simplify(p, q->conditions[i]);
		if (!expr_is_const(p, e))
			open = true;
		else if (!expr_value(p, e))
			return false;
	}
	return open;
}

static void compare(struct comparison *c, struct solver *const edges[2], struct query *q, struct model *m)
{
	struct expr_pool *p = edges[0]->env->pool;
	enum answer answers[2];
	bool wrong = false;
	for (int edge = 0; edge < 2; edge++) {
		uint64_t from = clock_nanoseconds();
		answers[edge] = solver_solve(edges[edge], q, m);
		c->nanoseconds[edge] += clock_nanoseconds() - from;
		bool holds = answers[edge] != ANSWER_SAT || model_holds(p, q, m);
		// Where SMT-LIB leaves open what a NaN looks like, Z3 may choose another one than the processor.
		if (!holds && c->floats && edge == 0)
			answers[edge] = ANSWER_UNKNOWN;
		else
			wrong = wrong || !holds;
		c->answers[edge][answers[edge]]++;
	}
	c->queries++;
	c->simple[answers[0]] += is_question(p, q);
	if (answers[0] != answers[1] && answers[0] != ANSWER_UNKNOWN && answers[1] != ANSWER_UNKNOWN)
		wrong = true;
	c->disagreements += wrong;
	if (wrong && !c->text)
		c->text = z3_text(p, q);
}

void comparison_run(struct comparison *c, const char *chain, uint64_t seed, unsigned queries, uint64_t nanoseconds)
{
	struct expr_pool p;
	struct generator g;
	expr_pool_init(&p);
	generator_init(&g, &p, seed, 1 + seed % QUERY_BYTES);
	g.floats = c->floats;
	struct solver_env envs[2] = {{.pool = &p, .nanoseconds = nanoseconds},
	                             {.pool = &p, .nanoseconds = nanoseconds}};
	struct solver *edges[2] = {z3_here_new(&envs[0]), chain_new(&envs[1], chain)};
	struct model m = {0};
	assert(edges[1]);
	bool had = c->text != NULL;
	for (unsigned i = 0; i < queries; i++) {
		uint32_t conditions[QUERY_CONDITIONS];
		uint8_t bytes[QUERY_BYTES];
		uint32_t n = generator_query(&g, conditions);
		for (unsigned k = 0; k < QUERY_BYTES; k++) // near what the query was made for, or not
			bytes[k] = random_below(&g.random, 2) ? g.bytes[k] : (uint8_t)random_next(&g.random);
		struct query q = {.conditions = conditions, .n = n, .seed = bytes};
		compare(c, edges, &q, &m);
	}
	if (c->text && !had)
		c->seed = seed;
	model_release(&m);
	solver_free(edges[0]);
	solver_free(edges[1]);
	expr_pool_release(&p);
}
