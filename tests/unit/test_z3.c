#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "expr/tape.h"
#include "query.h"
#include "solver/child.h"
#include "solver/z3.h"
#include "test.h"

struct setting {
	struct expr_pool pool;
	struct solver_env env;
	struct model model;
};

static void begin(struct setting *s)
{
	*s = (struct setting){0};
	expr_pool_init(&s->pool);
	s->env.pool = &s->pool;
}

static void end(struct setting *s)
{
	model_release(&s->model);
	expr_pool_release(&s->pool);
}

// --- answers are right ---------------------------------------------------------------------------

static bool holds(const struct expr_pool *p, const uint32_t *conditions, uint32_t n, const uint8_t *bytes)
{
	for (uint32_t i = 0; i < n; i++)
		if (!expr_eval(p, conditions[i], bytes))
			return false;
	return true;
}

static bool model_holds(const struct setting *s, const uint32_t *conditions, uint32_t n)
{
	uint8_t bytes[QUERY_BYTES] = {0};
	for (uint32_t i = 0; i < s->model.n; i++)
		bytes[s->model.vars[i]] = s->model.values[i];
	return holds(&s->pool, conditions, n, bytes);
}

// Tries all values of the (at most two) bytes.
static bool has_solution(const struct expr_pool *p, const uint32_t *conditions, uint32_t n, unsigned n_bytes)
{
	struct tape t;
	uint32_t steps[QUERY_CONDITIONS];
	bool found = false;
	tape_init(&t, p);
	for (uint32_t i = 0; i < n; i++)
		steps[i] = tape_add(&t, conditions[i]);
	for (unsigned v = 0; v < 1u << 8 * n_bytes && !found; v++) {
		const uint8_t bytes[QUERY_BYTES] = {(uint8_t)v, (uint8_t)(v >> 8)};
		tape_load(&t, bytes);
		tape_run(&t);
		found = true;
		for (uint32_t i = 0; i < n && found; i++)
			found = t.values[steps[i]] & 1;
	}
	tape_release(&t);
	return found;
}

// Random queries over few bytes: each answer is compared with a search through all values.
static void agrees_with_evaluation(struct solver *(*make)(struct solver_env *), unsigned rounds, uint64_t seed)
{
	unsigned answers[3] = {0};
	for (unsigned round = 0; round < rounds; round++) {
		struct setting s;
		struct generator g;
		uint32_t conditions[QUERY_CONDITIONS];
		begin(&s);
		s.env.nanoseconds = 20u * 1000000000u;
		generator_init(&g, &s.pool, seed + round, 1 + round % 2);
		struct solver *solver = make(&s.env);
		for (unsigned i = 0; i < 10; i++) {
			struct query q = {.conditions = conditions, .n = generator_query(&g, conditions)};
			enum answer a = solver_solve(solver, &q, &s.model);
			answers[a]++;
			if (a == ANSWER_SAT)
				CHECK_THAT(model_holds(&s, conditions, q.n), "round %u, %u", round, i);
			else if (a == ANSWER_UNSAT)
				CHECK_THAT(!has_solution(&s.pool, conditions, q.n, g.n_bytes), "round %u, %u", round, i);
		}
		solver_free(solver);
		end(&s);
	}
	CHECK_INT(0, answers[ANSWER_UNKNOWN]);
	CHECK(answers[ANSWER_SAT] > rounds * 3 && answers[ANSWER_UNSAT] > rounds * 3);
}

static void here_agrees_with_evaluation(void)
{
	agrees_with_evaluation(z3_here_new, 40, 1);
}

static void child_agrees_with_evaluation(void)
{
	agrees_with_evaluation(z3_new, 8, 1000);
}

static const struct test tests[] = {
	TEST(here_agrees_with_evaluation),
	TEST(child_agrees_with_evaluation),
};

TEST_MAIN("z3")
