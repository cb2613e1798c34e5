// Operators on floats, written with operators on integers: the same values, for every kind of operand.
#include <math.h>
#include <string.h>

#include "expr/tape.h"
#include "numbers.h"
#include "query.h"
#include "solver/exact_terms.h"
#include "solver/solver.h"
#include "test.h"

enum { BYTES = 16, ROUNDS = 300 };

struct bench {
	struct expr_pool pool;
	struct exact_terms terms;
	uint64_t random;
	uint32_t inputs[BYTES];
	uint8_t bytes[BYTES];
};

static void begin(struct bench *b)
{
	*b = (struct bench){.random = 7};
	expr_pool_init(&b->pool);
	exact_terms_init(&b->terms, &b->pool);
	uint32_t source = expr_source(&b->pool, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"));
	for (unsigned i = 0; i < BYTES; i++)
		b->inputs[i] = expr_input(&b->pool, source, i);
}

static void end(struct bench *b)
{
	exact_terms_release(&b->terms);
	expr_pool_release(&b->pool);
}

static uint32_t word(struct bench *b, unsigned from, unsigned width)
{
	uint32_t e = b->inputs[from];
	for (unsigned i = 1; 8 * i < width; i++)
		e = expr_make(&b->pool, OP_CONCAT, 8 * i + 8, b->inputs[from + i], e, 0);
	return e;
}

// Numbers of every kind: extreme ones, neighbours of whole ones and of halves, subnormal ones, none.
static eval_value some_float(struct bench *b, unsigned width)
{
	static const long double usual[] = {0.0L,
	                                    -0.0L,
	                                    1,
	                                    -1,
	                                    0.5L,
	                                    -0.5L,
	                                    1.5L,
	                                    2.5L,
	                                    3,
	                                    0.1L,
	                                    255.5L,
	                                    65504,
	                                    8388607.5L,
	                                    4503599627370495.5L,
	                                    2147483647,
	                                    -2147483648.0L,
	                                    2147483648.0L,
	                                    9223372036854775808.0L,
	                                    INFINITY,
	                                    -INFINITY};
	eval_value v = (eval_value)random_next(&b->random) & eval_mask(width);
	switch (random_below(&b->random, 8)) {
	case 0: return v;
	case 1: return v & (eval_mask(width) >> (width == 16 ? 6 : width == 32 ? 9 : 12)); // nearly 0
	case 2: return eval_bits((long double)(int64_t)random_below(&b->random, 2000) / 4 - 250, width);
	case 3:
	case 4: { // near 1
		long double x = 1 + (long double)random_below(&b->random, 1u << 31) / (1u << 31);
		return eval_bits(random_below(&b->random, 2) ? x : -x, width);
	}
	case 5: return eval_bits(usual[random_below(&b->random, COUNT(usual))], width) ^ random_below(&b->random, 2);
	default: return eval_bits(usual[random_below(&b->random, COUNT(usual))], width);
	}
}

static bool is_nan(eval_value v, unsigned width)
{
	long double x = eval_float(v, width);
	return x != x;
}

static void same_values(struct bench *b, uint32_t e, unsigned width, const char *name)
{
	uint32_t exact = exact_of(&b->terms, e);
	CHECK_THAT(exact != 0, "%s of %u bits", name, width);
	CHECK_THAT(!(b->pool.nodes[exact].flags & EXPR_FLOAT), "%s of %u bits", name, width);
	for (unsigned i = 0; i < ROUNDS; i++) {
		eval_value x = some_float(b, width), y = random_below(&b->random, 8) ? some_float(b, width) : x;
		if (is_nan(x, width) && is_nan(y, width))
			y = 0; // which of two NaN it is, compilers choose
		memcpy(b->bytes, &x, width / 8);
		memcpy(b->bytes + 8, &y, width / 8);
		eval_value expected = expr_eval(&b->pool, e, b->bytes), got = expr_eval(&b->pool, exact, b->bytes);
		CHECK_THAT(got == expected, "%s of %u bits, %La and %La: %llx is %llx", name, width,
		           eval_float(x, width), eval_float(y, width), (unsigned long long)expected,
		           (unsigned long long)got);
	}
}

static void arithmetic_and_comparisons(void)
{
	static const unsigned ops[] = {OP_FADD, OP_FSUB, OP_FMUL, OP_FDIV, OP_FNEG,
	                               OP_FABS, OP_FEQ,  OP_FLT,  OP_FLE,  OP_FUNO};
	static const unsigned widths[] = {16, 32, 64};
	struct bench b;
	begin(&b);
	for (size_t i = 0; i < COUNT(ops); i++)
		for (size_t w = 0; w < COUNT(widths); w++) {
			unsigned width = widths[w], op = ops[i];
			if (width == 16 && (op == OP_FDIV || op == OP_FMUL))
				continue; // evaluation goes by way of float
			uint32_t x = word(&b, 0, width), y = op_operands(op) > 1 ? word(&b, 8, width) : 0;
			same_values(&b, expr_make(&b.pool, op, op_gives_bit(op) ? 1 : width, x, y, 0), width,
			            op_name(op));
		}
	end(&b);
}

static void conversions(void)
{
	static const unsigned widths[] = {16, 32, 64}, integers[] = {8, 16, 31, 32, 64};
	struct bench b;
	begin(&b);
	for (size_t w = 0; w < COUNT(widths); w++) {
		uint32_t x = word(&b, 0, widths[w]);
		for (size_t i = 0; i < COUNT(widths); i++)
			if (i != w)
				same_values(&b, expr_make(&b.pool, OP_FTOF, widths[i], x, 0, 0), widths[w], "FTOF");
		for (size_t i = 0; i < COUNT(integers); i++) {
			same_values(&b, expr_make(&b.pool, OP_FTOSI, integers[i], x, 0, 0), widths[w], "FTOSI");
			if (integers[i] < 64)
				same_values(&b, expr_make(&b.pool, OP_FTOUI, integers[i], x, 0, 0), widths[w], "FTOUI");
		}
		// Integers of as many bits, small and large.
		for (unsigned op = OP_UITOF; op <= OP_SITOF; op++)
			for (size_t i = 0; i < COUNT(widths); i++)
				same_values(&b, expr_make(&b.pool, op, widths[i], x, 0, 0), widths[w], op_name(op));
	}
	end(&b);
}

static void rounding(void)
{
	static const unsigned widths[] = {16, 32, 64};
	struct bench b;
	begin(&b);
	for (unsigned f = LIBM_floor; f <= LIBM_nearbyint; f++)
		for (size_t w = 0; w < COUNT(widths); w++) {
			uint32_t e = expr_make(&b.pool, OP_FCALL, widths[w], word(&b, 0, widths[w]), f, 0);
			same_values(&b, e, widths[w], libm_name(f));
		}
	end(&b);
}

static void others_are_left(void)
{
	struct bench b;
	begin(&b);
	uint32_t x = word(&b, 0, 64);
	CHECK(!exact_of(&b.terms, expr_make(&b.pool, OP_FSQRT, 64, x, 0, 0)));
	CHECK(!exact_of(&b.terms, expr_make(&b.pool, OP_FCALL, 64, x, LIBM_sin, 0)));
	CHECK(!exact_of(&b.terms, expr_make(&b.pool, OP_FTOF, 80, x, 0, 0)));
	CHECK(exact_of(&b.terms, x) == x);
	end(&b);
}

static enum answer ask(struct bench *b, const uint32_t *conditions, uint32_t n)
{
	struct solver_env env = {.pool = &b->pool, .floats = SOLVER_FLOATS_IEEE};
	return numbers_ask(&b->pool, exact_new(&env, NULL), b->bytes, BYTES, conditions, n);
}

// No is no here.
static void it_proves(void)
{
	struct bench b;
	begin(&b);
	uint32_t x = word(&b, 0, 32), y = word(&b, 8, 32), three = expr_const(&b.pool, 32, eval_bits(3, 32));
	uint32_t sum = expr_make(&b.pool, OP_FADD, 32, x, y, 0), u = word(&b, 0, 16);
	uint32_t square = expr_make(&b.pool, OP_FMUL, 16, u, u, 0), zero = expr_const(&b.pool, 16, 0);
	uint32_t above = expr_make(&b.pool, OP_FLT, 1, three, x, 0), below = expr_make(&b.pool, OP_FLT, 1, x, three, 0);
	uint32_t never[] = {above, below};
	CHECK(ask(&b, never, 2) == ANSWER_UNSAT);
	uint32_t negative[] = {expr_make(&b.pool, OP_FLT, 1, square, zero, 0)};
	CHECK(ask(&b, negative, 1) == ANSWER_UNSAT);
	uint32_t absorbed[] = {above, expr_make(&b.pool, OP_FLT, 1, three, y, 0),
	                       expr_make(&b.pool, OP_FEQ, 1, sum, x, 0)};
	CHECK(ask(&b, absorbed, 3) == ANSWER_SAT);
	end(&b);
}

static const struct test tests[] = {TEST(arithmetic_and_comparisons), TEST(conversions), TEST(rounding),
                                    TEST(others_are_left), TEST(it_proves)};

TEST_MAIN("exact")
