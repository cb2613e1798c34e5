// The search for values of floats: what it must find, and that what it finds holds.
#include <math.h>
#include <string.h>

#include "expr/tape.h"
#include "numbers.h"
#include "solver/chain.h"
#include "solver/distance.h"
#include "test.h"

static void begin(struct numbers *b)
{
	numbers_init(b, SOLVER_FLOATS_SEARCH);
	b->env.strict = true;
}

static uint32_t call(struct numbers *b, unsigned function, uint32_t x)
{
	return expr_make(&b->pool, OP_FCALL, 64, x, function, 0);
}

// By the search alone.
static enum answer solve(struct numbers *b, const uint32_t *conditions, uint32_t n)
{
	struct solver *s = search_new(&b->env, floats_new(&b->env, NULL));
	return numbers_ask(&b->pool, s, b->seed, NUMBERS_BYTES, conditions, n);
}

static void equations_are_inverted(void)
{
	struct numbers b;
	begin(&b);
	uint32_t x = numbers_word(&b, 0, 8), y = numbers_word(&b, 8, 8);
	uint32_t line =
		numbers_make(&b, OP_FADD, numbers_make(&b, OP_FMUL, x, numbers_double(&b, 2)), numbers_double(&b, 1));
	uint32_t conditions[] = {numbers_make(&b, OP_FEQ, line, numbers_double(&b, 7.5))};
	CHECK(solve(&b, conditions, 1) == ANSWER_SAT);
	uint32_t both[] = {numbers_make(&b, OP_FEQ, numbers_make(&b, OP_FADD, x, y), numbers_double(&b, 10)),
	                   numbers_make(&b, OP_FLT, numbers_double(&b, 3), numbers_make(&b, OP_FSUB, x, y))};
	CHECK(solve(&b, both, 2) == ANSWER_SAT);
	uint32_t root[] = {numbers_make(&b, OP_FEQ, expr_make(&b.pool, OP_FSQRT, 64, x, 0, 0), numbers_double(&b, 12))};
	CHECK(solve(&b, root, 1) == ANSWER_SAT);
	uint32_t nan[] = {numbers_make(&b, OP_FUNO, x, x), numbers_make(&b, OP_FLT, y, numbers_double(&b, -1e300))};
	CHECK(solve(&b, nan, 2) == ANSWER_SAT);
	expr_pool_release(&b.pool);
}

static void functions_of_libm_are_searched(void)
{
	struct numbers b;
	begin(&b);
	uint32_t x = numbers_word(&b, 0, 8), y = numbers_word(&b, 8, 8);
	uint32_t sine[] = {numbers_make(&b, OP_FLT, numbers_double(&b, 0.5), call(&b, LIBM_sin, x)),
	                   numbers_make(&b, OP_FLT, call(&b, LIBM_sin, x), numbers_double(&b, 0.5001)),
	                   numbers_make(&b, OP_FLT, numbers_double(&b, 100), x)};
	CHECK(solve(&b, sine, 3) == ANSWER_SAT);
	uint32_t power = expr_make(&b.pool, OP_FCALL2, 64, x, y, LIBM_pow);
	uint32_t powers[] = {numbers_make(&b, OP_FLT, numbers_double(&b, 1000), power),
	                     numbers_make(&b, OP_FLT, power, numbers_double(&b, 1001)),
	                     numbers_make(&b, OP_FLT, x, numbers_double(&b, 3)),
	                     numbers_make(&b, OP_FLT, numbers_double(&b, 2), x)};
	CHECK(solve(&b, powers, 4) == ANSWER_SAT);
	expr_pool_release(&b.pool);
}

// "0.00" as text: three digits, of which the value is a quotient.
static uint32_t text_value(struct numbers *b)
{
	struct expr_pool *p = &b->pool;
	uint32_t sum = 0;
	static const unsigned places[] = {0, 2, 3};
	for (unsigned i = 0; i < 3; i++) {
		uint32_t digit = expr_make(p, OP_SUB, 64, expr_make(p, OP_ZEXT, 64, b->inputs[places[i]], 0, 0),
		                           expr_const(p, 64, '0'), 0);
		sum = i ? expr_make(p, OP_ADD, 64, expr_make(p, OP_MUL, 64, sum, expr_const(p, 64, 10), 0), digit, 0)
		        : digit;
	}
	return numbers_make(b, OP_FDIV, expr_make(p, OP_UITOF, 64, sum, 0, 0), numbers_double(b, 100));
}

static void numbers_in_text_are_found(void)
{
	struct numbers b;
	begin(&b);
	memcpy(b.seed, "0.00", 4);
	uint32_t conditions[8], n = 0;
	for (unsigned i = 0; i < 4; i++)
		if (i != 1) {
			struct expr_pool *p = &b.pool;
			uint32_t digit = expr_make(p, OP_SUB, 8, b.inputs[i], expr_const(p, 8, '0'), 0);
			conditions[n++] = expr_make(p, OP_ULT, 1, digit, expr_const(p, 8, 10), 0);
		}
	conditions[n++] = expr_eq(&b.pool, b.inputs[1], '.');
	conditions[n++] = numbers_make(&b, OP_FEQ, text_value(&b), numbers_double(&b, 7.29));
	CHECK(solve(&b, conditions, n) == ANSWER_SAT);
	conditions[n - 1] =
		numbers_make(&b, OP_FLT, numbers_double(&b, 2.4),
	                     call(&b, LIBM_exp, numbers_make(&b, OP_FSUB, text_value(&b), numbers_double(&b, 6))));
	CHECK(solve(&b, conditions, n) == ANSWER_SAT);
	expr_pool_release(&b.pool);
}

// It proves nothing, whatever it is given.
static void it_never_says_no(void)
{
	struct numbers b;
	begin(&b);
	uint32_t x = numbers_word(&b, 0, 8);
	uint32_t conditions[] = {numbers_make(&b, OP_FLT, x, numbers_double(&b, 1)),
	                         numbers_make(&b, OP_FLT, numbers_double(&b, 2), x)};
	CHECK(solve(&b, conditions, 2) == ANSWER_UNKNOWN);
	CHECK(b.env.reason == SOLVER_FLOATS);
	expr_pool_release(&b.pool);
}

static void distances_shrink_on_the_way(void)
{
	struct numbers b;
	begin(&b);
	uint32_t near = numbers_make(&b, OP_FEQ, numbers_word(&b, 0, 8), numbers_double(&b, 5));
	double last = 2;
	static const double way[] = {-1e300, -5, 0, 1, 4, 4.99, 5};
	struct tape t;
	tape_init(&t, &b.pool);
	uint32_t step = tape_add(&t, near);
	for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
		memcpy(b.seed, &way[i], 8);
		tape_load(&t, b.seed);
		tape_run(&t);
		double d = distance_of(&t, step, true);
		CHECK(d < last && d >= 0 && (d == 0) == (way[i] == 5));
		last = d;
	}
	tape_release(&t);
	static const double order[] = {-INFINITY, -1, -1e-310, 0, 4e-324, 1e-3, 7, 1e308, INFINITY};
	static const unsigned widths[] = {64, 80};
	for (unsigned w = 0; w < 2; w++)
		for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
			eval_signed r = distance_rank(eval_bits(order[i], widths[w]), widths[w]);
			CHECK(distance_unrank(r, widths[w]) == eval_bits(order[i], widths[w]));
			CHECK(!i || distance_rank(eval_bits(order[i - 1], widths[w]), widths[w]) < r);
		}
	expr_pool_release(&b.pool);
}

// Changes and what takes them back leave the tape as if nothing had been.
static void changes_are_undone(void)
{
	struct numbers b;
	begin(&b);
	uint32_t e = numbers_make(&b, OP_FLT, numbers_make(&b, OP_FADD, numbers_word(&b, 0, 8), numbers_word(&b, 8, 8)),
	                          text_value(&b));
	struct tape t;
	uint64_t state = 5;
	tape_init(&t, &b.pool);
	tape_add(&t, e);
	tape_load(&t, b.seed);
	tape_run(&t);
	for (int i = 0; i < 500; i++) {
		eval_value *before = test_alloc(t.n * sizeof *before), *after = test_alloc(t.n * sizeof *after);
		uint32_t vars[3];
		uint8_t values[3];
		memcpy(before, t.values, t.n * sizeof *before);
		for (int k = 0; k < 3; k++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			vars[k] = t.vars[(state >> 33) % t.n_vars];
			values[k] = (uint8_t)(state >> 50);
		}
		tape_keep(&t);
		tape_change(&t, vars, values, 3);
		memcpy(after, t.values, t.n * sizeof *after);
		tape_run(&t);
		CHECK(memcmp(after, t.values, t.n * sizeof *after) == 0);
		if (i % 2) {
			tape_undo(&t);
			CHECK(memcmp(before, t.values, t.n * sizeof *before) == 0);
		}
	}
	tape_release(&t);
	expr_pool_release(&b.pool);
}

static const struct test tests[] = {TEST(distances_shrink_on_the_way), TEST(changes_are_undone),
                                    TEST(equations_are_inverted),      TEST(functions_of_libm_are_searched),
                                    TEST(numbers_in_text_are_found),   TEST(it_never_says_no)};

TEST_MAIN("search")
