#include "expr/replace.h"

#include <stdlib.h>

#include "base/mem.h"
#include "expr/tape.h"
#include "query.h"
#include "test.h"

// Variables in place of which other expressions stand have the values of these.
static void values_are_the_same(void)
{
	enum { ROUNDS = 300, BYTES = 4 };
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		struct expr_pool p;
		struct generator g;
		struct replace r;
		uint8_t before[QUERY_BYTES] = {0}, after[QUERY_BYTES] = {0};
		expr_pool_init(&p);
		generator_init(&g, &p, seed, BYTES);
		uint32_t x = generator_expr(&g, 1 + random_below(&g.random, 64), 4);
		uint32_t with = generator_expr(&g, 8, 2), constant = expr_const(&p, 8, seed);
		for (unsigned i = 0; i < BYTES; i++)
			before[i] = after[i] = (uint8_t)random_next(&g.random);
		CHECK(p.n_vars <= QUERY_BYTES);
		if (p.n_vars < 2) {
			expr_pool_release(&p);
			continue;
		}
		after[0] = (uint8_t)expr_eval(&p, with, before);
		after[1] = (uint8_t)seed;
		replace_init(&r, &p);
		replace_set(&r, 0, with);
		replace_set(&r, 1, constant);
		uint32_t y = replace_in(&r, x);
		CHECK(expr_width(&p, y) == expr_width(&p, x));
		CHECK_THAT(expr_eval(&p, y, before) == expr_eval(&p, x, after), "seed %llu", (unsigned long long)seed);
		CHECK(replace_in(&r, x) == y);
		replace_release(&r);
		expr_pool_release(&p);
	}
}

static void variables(void)
{
	struct expr_pool p;
	bool vars[3] = {false};
	expr_pool_init(&p);
	uint32_t s = expr_source(&p, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x")), a = expr_input(&p, s, 0);
	uint32_t b = expr_input(&p, s, 1), c = expr_input(&p, s, 2);
	uint32_t both = expr_make(&p, OP_ADD, 8, a, c, 0);
	replace_find_vars(&p, both, vars);
	CHECK(vars[0] && !vars[1] && vars[2]);
	const uint32_t entries[] = {b, 0};
	uint32_t table = expr_table(&p, (const uint8_t *)"\0\7", entries, 2);
	uint32_t read = expr_lookup(&p, 8, expr_make(&p, OP_ZEXT, 64, a, 0, 0), table);
	replace_find_vars(&p, read, vars);
	CHECK(vars[1]);
	struct replace r; // what a table has is replaced, too
	replace_init(&r, &p);
	replace_set(&r, 0, expr_const(&p, 8, 0));
	replace_set(&r, 1, expr_const(&p, 8, 9));
	uint32_t nine = replace_in(&r, read);
	CHECK(expr_is_const(&p, nine) && expr_value(&p, nine) == 9);
	replace_release(&r);
	expr_pool_release(&p);
}

static const struct test tests[] = {TEST(values_are_the_same), TEST(variables)};
TEST_MAIN("replace")
