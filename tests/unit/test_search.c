// The search for values of floats: what it must find, and that what it finds holds.
#include <math.h>
#include <string.h>

#include "expr/tape.h"
#include "solver/chain.h"
#include "solver/distance.h"
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
	*b = (struct bench){.env = {.floats = SOLVER_FLOATS_SEARCH, .strict = true}};
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

static uint32_t call(struct bench *b, unsigned function, uint32_t x)
{
	return expr_make(&b->pool, OP_FCALL, 64, x, function, 0);
}

// By the search alone; the model is evaluated here once more.
static enum answer solve(struct bench *b, const uint32_t *conditions, uint32_t n)
{
	struct solver *s = search_new(&b->env, floats_new(&b->env, NULL));
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

static void equations_are_inverted(void)
{
	struct bench b;
	begin(&b);
	uint32_t x = word(&b, 0, 8), y = word(&b, 8, 8);
	uint32_t line = make(&b, OP_FADD, make(&b, OP_FMUL, x, number(&b, 2)), number(&b, 1));
	uint32_t conditions[] = {make(&b, OP_FEQ, line, number(&b, 7.5))};
	CHECK(solve(&b, conditions, 1) == ANSWER_SAT);
	uint32_t both[] = {make(&b, OP_FEQ, make(&b, OP_FADD, x, y), number(&b, 10)),
	                   make(&b, OP_FLT, number(&b, 3), make(&b, OP_FSUB, x, y))};
	CHECK(solve(&b, both, 2) == ANSWER_SAT);
	uint32_t root[] = {make(&b, OP_FEQ, expr_make(&b.pool, OP_FSQRT, 64, x, 0, 0), number(&b, 12))};
	CHECK(solve(&b, root, 1) == ANSWER_SAT);
	uint32_t nan[] = {make(&b, OP_FUNO, x, x), make(&b, OP_FLT, y, number(&b, -1e300))};
	CHECK(solve(&b, nan, 2) == ANSWER_SAT);
	expr_pool_release(&b.pool);
}

static void functions_of_libm_are_searched(void)
{
	struct bench b;
	begin(&b);
	uint32_t x = word(&b, 0, 8), y = word(&b, 8, 8);
	uint32_t sine[] = {make(&b, OP_FLT, number(&b, 0.5), call(&b, LIBM_sin, x)),
	                   make(&b, OP_FLT, call(&b, LIBM_sin, x), number(&b, 0.5001)),
	                   make(&b, OP_FLT, number(&b, 100), x)};
	CHECK(solve(&b, sine, 3) == ANSWER_SAT);
	uint32_t power = expr_make(&b.pool, OP_FCALL2, 64, x, y, LIBM_pow);
	uint32_t powers[] = {make(&b, OP_FLT, number(&b, 1000), power), make(&b, OP_FLT, power, number(&b, 1001)),
	                     make(&b, OP_FLT, x, number(&b, 3)), make(&b, OP_FLT, number(&b, 2), x)};
	CHECK(solve(&b, powers, 4) == ANSWER_SAT);
	expr_pool_release(&b.pool);
}

// "0.00" as text: three digits, of which the value is a quotient.
static uint32_t text_value(struct bench *b)
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
	return make(b, OP_FDIV, expr_make(p, OP_UITOF, 64, sum, 0, 0), number(b, 100));
}

static void numbers_in_text_are_found(void)
{
	struct bench b;
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
	conditions[n++] = make(&b, OP_FEQ, text_value(&b), number(&b, 7.29));
	CHECK(solve(&b, conditions, n) == ANSWER_SAT);
	conditions[n - 1] =
		make(&b, OP_FLT, number(&b, 2.4), call(&b, LIBM_exp, make(&b, OP_FSUB, text_value(&b), number(&b, 6))));
	CHECK(solve(&b, conditions, n) == ANSWER_SAT);
	expr_pool_release(&b.pool);
}

// It proves nothing, whatever it is given.
static void it_never_says_no(void)
{
	struct bench b;
	begin(&b);
	uint32_t x = word(&b, 0, 8);
	uint32_t conditions[] = {make(&b, OP_FLT, x, number(&b, 1)), make(&b, OP_FLT, number(&b, 2), x)};
	CHECK(solve(&b, conditions, 2) == ANSWER_UNKNOWN);
	CHECK(b.env.reason == SOLVER_FLOATS);
	expr_pool_release(&b.pool);
}

static void distances_shrink_on_the_way(void)
{
	struct bench b;
	begin(&b);
	uint32_t near = make(&b, OP_FEQ, word(&b, 0, 8), number(&b, 5));
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
	struct bench b;
	begin(&b);
	uint32_t e = make(&b, OP_FLT, make(&b, OP_FADD, word(&b, 0, 8), word(&b, 8, 8)), text_value(&b));
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
