// Floats as fixed-point numbers: what the stage solves by itself, and that its models hold.
#include <math.h>
#include <string.h>

#include "expr/tape.h"
#include "solver/fixed_terms.h"
#include "test.h"

enum { BYTES = 24 };

struct bench {
	struct expr_pool pool;
	struct solver_env env;
	uint32_t inputs[BYTES];
	uint8_t seed[BYTES];
};

static void begin(struct bench *b)
{
	*b = (struct bench){.env = {.floats = SOLVER_FLOATS_FIXED}};
	expr_pool_init(&b->pool);
	b->env.pool = &b->pool;
	uint32_t source = expr_source(&b->pool, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"));
	for (unsigned i = 0; i < BYTES; i++)
		b->inputs[i] = expr_input(&b->pool, source, i);
}

static uint32_t word(struct bench *b, unsigned from, unsigned bytes)
{
	uint32_t e = b->inputs[from];
	for (unsigned i = 1; i < bytes; i++)
		e = expr_make(&b->pool, OP_CONCAT, 8 * i + 8, b->inputs[from + i], e, 0);
	return e;
}

static uint32_t number(struct bench *b, double x)
{
	return expr_const(&b->pool, 64, eval_bits(x, 64));
}

static uint32_t make(struct bench *b, unsigned op, uint32_t x, uint32_t y)
{
	return expr_make(&b->pool, op, op_gives_bit(op) ? 1 : 64, x, y, 0);
}

static enum answer solve(struct bench *b, const uint32_t *conditions, uint32_t n)
{
	struct solver *s = fixed_new(&b->env, floats_new(&b->env, NULL));
	const struct query q = {.conditions = conditions, .n = n, .seed = b->seed};
	struct model m = {0};
	enum answer a = solver_solve(s, &q, &m);
	uint8_t bytes[BYTES];
	memcpy(bytes, b->seed, BYTES);
	for (uint32_t i = 0; a == ANSWER_SAT && i < m.n; i++)
		bytes[m.vars[i]] = m.values[i];
	for (uint32_t i = 0; a == ANSWER_SAT && i < n; i++)
		CHECK(expr_eval(&b->pool, conditions[i], bytes));
	model_release(&m);
	solver_free(s);
	return a;
}

// The program of the thesis: 2 * a + 1 is above, below, or just 1.
static void three_ways(void)
{
	struct bench b;
	begin(&b);
	uint32_t line = make(&b, OP_FADD, make(&b, OP_FMUL, number(&b, 2), word(&b, 0, 8)), number(&b, 1));
	uint32_t above = make(&b, OP_FLT, number(&b, 1), line), below = make(&b, OP_FLT, line, number(&b, 1));
	uint32_t neither[] = {expr_not(&b.pool, above), expr_not(&b.pool, below)};
	CHECK(solve(&b, &above, 1) == ANSWER_SAT);
	CHECK(solve(&b, &below, 1) == ANSWER_SAT);
	CHECK(solve(&b, neither, 2) == ANSWER_SAT);
	expr_pool_release(&b.pool);
}

static void quotients_and_roots_are_inverted(void)
{
	struct bench b;
	begin(&b);
	uint32_t x = word(&b, 0, 8), y = word(&b, 8, 8);
	uint32_t root = expr_make(&b.pool, OP_FSQRT, 64, x, 0, 0);
	uint32_t roots[] = {make(&b, OP_FLT, number(&b, 3), root), make(&b, OP_FLT, root, number(&b, 3.25))};
	CHECK(solve(&b, roots, 2) == ANSWER_SAT);
	uint32_t quotient = make(&b, OP_FDIV, x, y);
	uint32_t quotients[] = {make(&b, OP_FLT, number(&b, 7), quotient), make(&b, OP_FLT, quotient, number(&b, 8)),
	                        make(&b, OP_FLT, number(&b, 1), y)};
	CHECK(solve(&b, quotients, 3) == ANSWER_SAT);
	uint32_t by_zero[] = {make(&b, OP_FEQ, quotient, number(&b, INFINITY)), make(&b, OP_FLT, number(&b, 1), x)};
	CHECK(solve(&b, by_zero, 2) == ANSWER_SAT);
	uint32_t nan[] = {make(&b, OP_FUNO, root, root), make(&b, OP_FLT, x, number(&b, -2))};
	CHECK(solve(&b, nan, 2) == ANSWER_SAT);
	expr_pool_release(&b.pool);
}

// Small and large numbers have no fixed-point number: that there is no model of those means nothing.
static void no_is_never_no(void)
{
	struct bench b;
	begin(&b);
	uint32_t x = word(&b, 0, 8);
	uint32_t small[] = {make(&b, OP_FLT, number(&b, 0), x), make(&b, OP_FLT, x, number(&b, 1e-30))};
	CHECK(solve(&b, small, 2) == ANSWER_UNKNOWN);
	uint32_t large = make(&b, OP_FLT, number(&b, 1e30), x);
	CHECK(solve(&b, &large, 1) == ANSWER_UNKNOWN);
	uint32_t never[] = {make(&b, OP_FLT, x, number(&b, 1)), make(&b, OP_FLT, number(&b, 2), x)};
	CHECK(solve(&b, never, 2) == ANSWER_UNKNOWN);
	expr_pool_release(&b.pool);
}

static void numbers_are_converted(void)
{
	static const double exact[] = {0, 1, -1, 0.5, -2147483647, 1234.0625, INFINITY, NAN};
	bool fits;
	for (size_t i = 0; i < COUNT(exact); i++) {
		eval_value bits = eval_bits(exact[i], 64), v = fixed_from_float(bits, 64, 64, &fits);
		CHECK(fits && fixed_to_float(v, 64, 64) == bits);
	}
	CHECK_INT(-3 * (INT64_C(1) << 31), (int64_t)fixed_from_float(eval_bits(-1.5, 64), 64, 64, &fits));
	fixed_from_float(eval_bits(3e9, 64), 64, 64, &fits);
	CHECK(!fits);
}

static const struct test tests[] = {TEST(numbers_are_converted), TEST(three_ways),
                                    TEST(quotients_and_roots_are_inverted), TEST(no_is_never_no)};

TEST_MAIN("fixed")
