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
		s.env.nanoseconds = (uint64_t)20 * 1000000000;
		generator_init(&g, &s.pool, seed + round, 1 + round % 2);
		struct solver *solver = make(&s.env);
		for (unsigned i = 0; i < 50; i++) {
			struct query q = {.conditions = conditions, .n = generator_query(&g, conditions)};
			enum answer a = solver_solve(solver, &q, &s.model);
			CHECK_THAT(a != ANSWER_UNKNOWN, "round %u, %u: %s", round, i,
			           solver_reason_words(s.env.reason));
			answers[a]++;
			if (a == ANSWER_SAT)
				CHECK_THAT(model_holds(&s, conditions, q.n), "round %u, %u", round, i);
			else if (a == ANSWER_UNSAT)
				CHECK_THAT(!has_solution(&s.pool, conditions, q.n, g.n_bytes), "round %u, %u", round,
				           i);
		}
		solver_free(solver);
		end(&s);
	}
	CHECK(answers[ANSWER_SAT] > rounds * 15 && answers[ANSWER_UNSAT] > rounds * 15);
}

static void here_agrees_with_evaluation(void)
{
	agrees_with_evaluation(z3_here_new, 5, 1);
}

static void child_agrees_with_evaluation(void)
{
	agrees_with_evaluation(z3_new, 2, 1000);
}

// --- each operator -------------------------------------------------------------------------------

static uint32_t value_of_bytes(struct expr_pool *p, const char *name, unsigned width)
{
	uint32_t source = expr_source(p, name, INPUT_OBJECT, 0), e = expr_input(p, source, 0);
	for (unsigned i = 1; 8 * i < width; i++)
		e = expr_make(p, OP_CONCAT, 8 * i + 8, expr_input(p, source, i), e, 0);
	return expr_width(p, e) > width ? expr_make(p, OP_EXTRACT, width, e, 0, 0) : e;
}

// x is a, y is b, and yet the operation gives something else than it should.
static uint32_t is_wrong(struct expr_pool *p, unsigned op, uint32_t e, uint32_t x, uint32_t y, eval_value a,
                         eval_value b)
{
	const struct trace_node n = {.op = (uint8_t)op, .width = (uint16_t)expr_width(p, e)};
	unsigned width = expr_width(p, x);
	uint32_t differs = expr_not(p, expr_eq(p, e, eval_node(&n, width, a, b, 0, width)));
	differs = expr_make(p, OP_AND, 1, differs, expr_eq(p, x, a), 0);
	return expr_make(p, OP_AND, 1, differs, expr_eq(p, y, b), 0);
}

static uint32_t apply(struct expr_pool *p, unsigned op, uint32_t x, uint32_t y)
{
	unsigned width = expr_width(p, x);
	bool bit = (op >= OP_EQ && op <= OP_SLE) || (op >= OP_UADDO && op <= OP_SMULO);
	return expr_make(p, op, bit ? 1 : width, x, expr_operands(op) > 1 ? y : 0, 0);
}

// Narrow operands: all values; others: some.
static uint32_t is_wrong_somewhere(struct generator *g, unsigned op, unsigned width)
{
	struct expr_pool *p = g->pool;
	uint32_t x = value_of_bytes(p, "x", width), y = value_of_bytes(p, "y", width), e = apply(p, op, x, y);
	uint32_t wrong = expr_const(p, 1, 0);
	for (unsigned i = 0; i < (width <= 3 ? 1u << 2 * width : 8); i++) {
		eval_value a = width <= 3 ? i >> width : generator_number(g, width);
		eval_value b = width <= 3 ? i & eval_mask(width) : generator_number(g, width);
		wrong = expr_make(p, OP_OR, 1, wrong, is_wrong(p, op, e, x, y, a, b), 0);
	}
	return wrong;
}

static void operators_mean_what_they_should(void)
{
	static const uint8_t widths[] = {1, 2, 3, 8, 13, 32, 65, 128};
	struct setting s;
	struct generator g;
	begin(&s);
	generator_init(&g, &s.pool, 5, 1);
	struct solver *solver = z3_here_new(&s.env);
	for (unsigned op = OP_ADD; op < OP_LOOKUP; op++) {
		if (op >= OP_ZEXT && op <= OP_ITE)
			continue; // in random queries, often
		bool heavy = op >= OP_MUL && op <= OP_SREM;
		for (unsigned i = 0; i < COUNT(widths) && !(heavy && widths[i] > 32); i++) {
			uint32_t wrong = is_wrong_somewhere(&g, op, widths[i]);
			struct query q = {.conditions = &wrong, .n = 1};
			CHECK_THAT(solver_solve(solver, &q, &s.model) == ANSWER_UNSAT, "%s of %u bits",
			           expr_op_name(op), widths[i]);
		}
	}
	solver_free(solver);
	end(&s);
}

static const struct test tests[] = {
	TEST(operators_mean_what_they_should),
	TEST(here_agrees_with_evaluation),
	TEST(child_agrees_with_evaluation),
};

TEST_MAIN("z3")
