#include "numbers.h"

#include <string.h>

#include "base/mem.h"
#include "expr/tape.h"
#include "test.h"

void numbers_init(struct numbers *b, enum solver_floats floats)
{
	*b = (struct numbers){.env = {.floats = floats}};
	expr_pool_init(&b->pool);
	b->env.pool = &b->pool;
	uint32_t source = expr_source(&b->pool, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"));
	for (unsigned i = 0; i < NUMBERS_BYTES; i++)
		b->inputs[i] = expr_input(&b->pool, source, i);
}

uint32_t numbers_word(struct numbers *b, unsigned from, unsigned bytes)
{
	uint32_t e = b->inputs[from];
	for (unsigned i = 1; i < bytes; i++)
		e = expr_make(&b->pool, OP_CONCAT, 8 * i + 8, b->inputs[from + i], e, 0);
	return e;
}

uint32_t numbers_double(struct numbers *b, double x)
{
	return expr_const(&b->pool, 64, eval_bits(x, 64));
}

uint32_t numbers_make(struct numbers *b, unsigned op, uint32_t x, uint32_t y)
{
	return expr_make(&b->pool, op, op_gives_bit(op) ? 1 : 64, x, y, 0);
}

enum answer numbers_ask(struct expr_pool *pool, struct solver *s, const uint8_t *seed, size_t n_bytes,
                        const uint32_t *conditions, uint32_t n)
{
	const struct query q = {.conditions = conditions, .n = n, .seed = seed};
	struct model m = {0};
	enum answer a = solver_solve(s, &q, &m);
	uint8_t *bytes = mem_alloc(n_bytes);
	memcpy(bytes, seed, n_bytes);
	for (uint32_t i = 0; a == ANSWER_SAT && i < m.n; i++)
		bytes[m.vars[i]] = m.values[i];
	for (uint32_t i = 0; a == ANSWER_SAT && i < n; i++)
		CHECK(expr_eval(pool, conditions[i], bytes));
	mem_free(bytes);
	model_release(&m);
	solver_free(s);
	return a;
}
