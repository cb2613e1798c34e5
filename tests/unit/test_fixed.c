// Floats as fixed-point numbers: what the stage solves by itself, and that its models hold.
#include <math.h>
#include <string.h>

#include "numbers.h"
#include "solver/fixed_terms.h"
#include "test.h"

static void begin(struct numbers *b)
{
	numbers_init(b, SOLVER_FLOATS_FIXED);
}

static enum answer solve(struct numbers *b, const uint32_t *conditions, uint32_t n)
{
	struct solver *s = fixed_new(&b->env, floats_new(&b->env, NULL));
	return numbers_ask(&b->pool, s, b->seed, NUMBERS_BYTES, conditions, n);
}

// The program of the thesis: 2 * a + 1 is above, below, or just 1.
static void three_ways(void)
{
	struct numbers b;
	begin(&b);
	uint32_t line =
		numbers_make(&b, OP_FADD, numbers_make(&b, OP_FMUL, numbers_double(&b, 2), numbers_word(&b, 0, 8)),
	                     numbers_double(&b, 1));
	uint32_t above = numbers_make(&b, OP_FLT, numbers_double(&b, 1), line),
		 below = numbers_make(&b, OP_FLT, line, numbers_double(&b, 1));
	uint32_t neither[] = {expr_not(&b.pool, above), expr_not(&b.pool, below)};
	CHECK(solve(&b, &above, 1) == ANSWER_SAT);
	CHECK(solve(&b, &below, 1) == ANSWER_SAT);
	CHECK(solve(&b, neither, 2) == ANSWER_SAT);
	expr_pool_release(&b.pool);
}

static void quotients_and_roots_are_inverted(void)
{
	struct numbers b;
	begin(&b);
	uint32_t x = numbers_word(&b, 0, 8), y = numbers_word(&b, 8, 8);
	uint32_t root = expr_make(&b.pool, OP_FSQRT, 64, x, 0, 0);
	uint32_t roots[] = {numbers_make(&b, OP_FLT, numbers_double(&b, 3), root),
	                    numbers_make(&b, OP_FLT, root, numbers_double(&b, 3.25))};
	CHECK(solve(&b, roots, 2) == ANSWER_SAT);
	uint32_t quotient = numbers_make(&b, OP_FDIV, x, y);
	uint32_t quotients[] = {numbers_make(&b, OP_FLT, numbers_double(&b, 7), quotient),
	                        numbers_make(&b, OP_FLT, quotient, numbers_double(&b, 8)),
	                        numbers_make(&b, OP_FLT, numbers_double(&b, 1), y)};
	CHECK(solve(&b, quotients, 3) == ANSWER_SAT);
	uint32_t by_zero[] = {numbers_make(&b, OP_FEQ, quotient, numbers_double(&b, INFINITY)),
	                      numbers_make(&b, OP_FLT, numbers_double(&b, 1), x)};
	CHECK(solve(&b, by_zero, 2) == ANSWER_SAT);
	uint32_t nan[] = {numbers_make(&b, OP_FUNO, root, root), numbers_make(&b, OP_FLT, x, numbers_double(&b, -2))};
	CHECK(solve(&b, nan, 2) == ANSWER_SAT);
	expr_pool_release(&b.pool);
}

// Small and large numbers have no fixed-point number: that there is no model of those means nothing.
static void no_is_never_no(void)
{
	struct numbers b;
	begin(&b);
	uint32_t x = numbers_word(&b, 0, 8);
	uint32_t small[] = {numbers_make(&b, OP_FLT, numbers_double(&b, 0), x),
	                    numbers_make(&b, OP_FLT, x, numbers_double(&b, 1e-30))};
	CHECK(solve(&b, small, 2) == ANSWER_UNKNOWN);
	uint32_t large = numbers_make(&b, OP_FLT, numbers_double(&b, 1e30), x);
	CHECK(solve(&b, &large, 1) == ANSWER_UNKNOWN);
	uint32_t never[] = {numbers_make(&b, OP_FLT, x, numbers_double(&b, 1)),
	                    numbers_make(&b, OP_FLT, numbers_double(&b, 2), x)};
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
