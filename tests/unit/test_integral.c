#include "expr/integral.h"

#include <math.h>

#include "expr/simplify.h"
#include "expr/tape.h"
#include "query.h"
#include "test.h"

static struct expr_pool pool;
static uint64_t chance;

static uint32_t number(double c, unsigned width)
{
	float single = (float)c;
	uint32_t low;
	uint64_t all;
	memcpy(&low, &single, sizeof low);
	memcpy(&all, &c, sizeof all);
	return expr_const(&pool, width, width == 32 ? low : all);
}

// Constants where something changes: integers, halves, ends of ranges, and what is no number.
static double some_constant(void)
{
	static const double special[] = {0.0,          -0.0,          0.5,           -0.5,         INFINITY, -INFINITY,
	                                 NAN,          255,           256,           -128.5,       32767,    65535.5,
	                                 2147483647.0, -2147483648.0, -2147483649.0, 4294967295.0, 1e30,     -1e30};
	if (random_below(&chance, 2))
		return special[random_below(&chance, sizeof special / sizeof *special)];
	return (double)((int64_t)random_below(&chance, 1 << 18) - (1 << 17)) / 2;
}

// An integer of input, or of part of it, as a float.
static uint32_t some_integral(uint32_t source, unsigned from, unsigned width)
{
	unsigned bytes = 1u << random_below(&chance, 3);
	uint32_t x = expr_input(&pool, source, from);
	for (unsigned i = 1; i < bytes; i++)
		x = expr_make(&pool, OP_CONCAT, 8 * (i + 1), x, expr_input(&pool, source, from + i), 0);
	if (random_below(&chance, 3) == 0)
		x = expr_make(&pool, random_below(&chance, 2) ? OP_ZEXT : OP_SEXT, 64, x, 0, 0);
	return expr_make(&pool, random_below(&chance, 2) ? OP_SITOF : OP_UITOF, width, x, 0, 0);
}

static bool has_floats(uint32_t id)
{
	return pool.nodes[id].flags & EXPR_FLOAT;
}

// What it becomes has the same value, for inputs at random and at the ends.
static void check_same(uint32_t was, uint32_t is)
{
	struct tape tape;
	tape_init(&tape, &pool);
	uint32_t a = tape_add(&tape, was), b = tape_add(&tape, is);
	for (unsigned round = 0; round < 40; round++) {
		uint8_t bytes[16];
		for (unsigned i = 0; i < sizeof bytes; i++)
			bytes[i] = (uint8_t)(random_below(&chance, 3) ? random_next(&chance)
			                     : round % 2              ? 0xff
			                     : round % 3              ? 0x80
			                                              : 0);
		tape_load(&tape, bytes);
		tape_run(&tape);
		CHECK_THAT(tape.values[a] == tape.values[b], "%s", op_name(pool.nodes[was].op));
	}
	tape_release(&tape);
}

static void comparisons(void)
{
	static const unsigned ops[] = {OP_FEQ, OP_FLT, OP_FLE, OP_FUNO};
	unsigned simpler = 0;
	expr_pool_init(&pool);
	chance = 7;
	uint32_t source = expr_source(&pool, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"));
	for (unsigned i = 0; i < 4000; i++) {
		unsigned width = random_below(&chance, 2) ? 64 : 32;
		uint32_t a = some_integral(source, 0, width);
		uint32_t b =
			random_below(&chance, 4) ? number(some_constant(), width) : some_integral(source, 8, width);
		bool turned = random_below(&chance, 2);
		uint32_t n = expr_make(&pool, ops[i % 4], 1, turned ? b : a, turned ? a : b, 0);
		uint32_t s = expr_simplify(&pool, n);
		simpler += !has_floats(s);
		check_same(n, s);
	}
	CHECK_THAT(simpler > 2800, "only %u of 4000 need no floats", simpler);
	expr_pool_release(&pool);
}

static void there_and_back(void)
{
	unsigned simpler = 0;
	expr_pool_init(&pool);
	chance = 8;
	uint32_t source = expr_source(&pool, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"));
	for (unsigned i = 0; i < 1000; i++) {
		uint32_t f = some_integral(source, 0, random_below(&chance, 2) ? 64 : 32);
		uint32_t n = expr_make(&pool, i % 2 ? OP_FTOSI : OP_FTOUI, 8u << random_below(&chance, 4), f, 0, 0);
		uint32_t s = expr_simplify(&pool, n);
		simpler += !has_floats(s);
		check_same(n, s);
	}
	CHECK_THAT(simpler > 750, "only %u of 1000 need no floats", simpler);
	expr_pool_release(&pool);
}

// A 32-bit float does not have all integers of 32 bits, nor a 64-bit one all of 64.
static void inexact_ones_stay(void)
{
	expr_pool_init(&pool);
	uint32_t source = expr_source(&pool, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x")),
		 x = expr_input(&pool, source, 0);
	for (unsigned i = 1; i < 8; i++)
		x = expr_make(&pool, OP_CONCAT, 8 * (i + 1), x, expr_input(&pool, source, i), 0);
	uint32_t f = expr_make(&pool, OP_SITOF, 64, x, 0, 0);
	CHECK(has_floats(expr_simplify(&pool, expr_make(&pool, OP_FLT, 1, f, number(1e18, 64), 0))));
	uint32_t half = expr_make(&pool, OP_UITOF, 32, expr_make(&pool, OP_EXTRACT, 32, x, 0, 0), 0, 0);
	CHECK(has_floats(expr_simplify(&pool, expr_make(&pool, OP_FLE, 1, half, number(1e8, 32), 0))));
	expr_pool_release(&pool);
}

static const struct test tests[] = {TEST(comparisons), TEST(there_and_back), TEST(inexact_ones_stay)};

TEST_MAIN("integral")
