#include "paths.h"

#include "base/mem.h"
#include "expr/tape.h"

struct maker {
	struct path *path;
	struct expr_pool *pool;
	uint64_t *random;
	uint32_t source;
	uint32_t classes; // table: what kind of character
	bool floats;
};

static uint32_t below(struct maker *m, uint32_t limit)
{
	return random_below(m->random, limit);
}

static uint32_t input(struct maker *m, uint32_t at)
{
	return expr_input(m->pool, m->source, at % m->path->n_bytes);
}

static uint32_t constant(struct maker *m, unsigned width, uint64_t value)
{
	return expr_const(m->pool, width, value);
}

// A number of `n` bytes in memory.
static uint32_t word(struct maker *m, uint32_t at, unsigned n)
{
	uint32_t e = input(m, at);
	for (unsigned i = 1; i < n; i++)
		e = expr_make(m->pool, OP_CONCAT, 8 * (i + 1), input(m, at + i), e, 0);
	return e;
}

static uint32_t widened(struct maker *m, uint32_t e, unsigned width)
{
	return expr_width(m->pool, e) == width ? e : expr_make(m->pool, OP_ZEXT, width, e, 0, 0);
}

// A number in decimal.
static uint32_t number(struct maker *m, uint32_t at, unsigned n)
{
	uint32_t e = constant(m, 32, 0);
	for (unsigned i = 0; i < n; i++) {
		uint32_t digit =
			expr_make(m->pool, OP_SUB, 32, widened(m, input(m, at + i), 32), constant(m, 32, '0'), 0);
		e = expr_make(m->pool, OP_MUL, 32, e, constant(m, 32, 10), 0);
		e = expr_make(m->pool, OP_ADD, 32, e, digit, 0);
	}
	return e;
}

static uint32_t comparison(struct maker *m, uint32_t a, uint32_t b)
{
	static const uint8_t ops[] = {OP_EQ, OP_ULT, OP_ULE, OP_SLT, OP_SLE};
	return expr_make(m->pool, ops[below(m, sizeof ops)], 1, a, b, 0);
}

// Its value under the assignment, changed a little.
static uint32_t near(struct maker *m, uint32_t e)
{
	eval_value v = expr_eval(m->pool, e, m->path->bytes);
	return expr_const(m->pool, expr_width(m->pool, e), below(m, 2) ? v : v + below(m, 5) - 2);
}

static uint32_t any(struct maker *m, unsigned width, unsigned depth);

static uint32_t any_binary(struct maker *m, unsigned width, unsigned depth)
{
	static const uint8_t ops[] = {OP_ADD,  OP_SUB,  OP_MUL,  OP_AND,  OP_OR,   OP_XOR, OP_SHL,
	                              OP_LSHR, OP_ASHR, OP_UDIV, OP_UREM, OP_SDIV, OP_SREM};
	unsigned op = ops[below(m, width > 16 ? 9 : sizeof ops)];
	return expr_make(m->pool, op, width, any(m, width, depth - 1), any(m, width, depth - 1), 0);
}

// Any expression.
static uint32_t any(struct maker *m, unsigned width, unsigned depth)
{
	if (!depth || !below(m, 6))
		return below(m, 3) ? word(m, below(m, m->path->n_bytes), width / 8)
		                   : constant(m, width, random_next(m->random) >> below(m, 60));
	switch (below(m, 8)) {
	case 0: return expr_make(m->pool, OP_NOT, width, any(m, width, depth - 1), 0, 0);
	case 1: {
		uint32_t condition = comparison(m, any(m, width, depth - 1), any(m, width, 0));
		return expr_make(m->pool, OP_ITE, width, condition, any(m, width, depth - 1), any(m, width, depth - 1));
	}
	case 2:
		return width == 8
		               ? any_binary(m, width, depth)
		               : expr_make(m->pool, below(m, 2) ? OP_ZEXT : OP_SEXT, width, any(m, 8, depth - 1), 0, 0);
	case 3: return expr_make(m->pool, OP_EXTRACT, width, any(m, 2 * width, 0), below(m, width), 0);
	default: return any_binary(m, width, depth);
	}
}

static uint32_t of_a_byte(struct maker *m, uint32_t at)
{
	uint32_t c = input(m, at);
	switch (below(m, 3)) {
	case 0: return comparison(m, c, constant(m, 8, ' ' + below(m, 96)));
	case 1: return comparison(m, c, near(m, c));
	default: {
		uint32_t class = expr_lookup(m->pool, 8, widened(m, c, 64), m->classes);
		uint32_t bits = expr_make(m->pool, OP_AND, 8, class, constant(m, 8, 1u << below(m, 4)), 0);
		return expr_eq(m->pool, bits, 0);
	}
	}
}

// A string that is compared with another, of n bytes.
static uint32_t of_strings(struct maker *m, uint32_t at, unsigned n)
{
	uint32_t equal = constant(m, 1, 1), other = below(m, m->path->n_bytes);
	bool copy = below(m, 2);
	for (unsigned i = 0; i < n; i++) {
		uint32_t b = copy ? near(m, input(m, at + i)) : input(m, other + i);
		uint32_t same = expr_make(m->pool, OP_EQ, 1, input(m, at + i), b, 0);
		equal = expr_make(m->pool, OP_AND, 1, equal, same, 0);
	}
	return equal;
}

static uint32_t of_a_sum(struct maker *m, uint32_t at, unsigned n)
{
	uint32_t e = constant(m, 16, 0);
	for (unsigned i = 0; i < n; i++)
		e = expr_make(m->pool, below(m, 2) ? OP_ADD : OP_XOR, 16, e, widened(m, input(m, at + i), 16), 0);
	return comparison(m, e, near(m, e));
}

// A byte that is looked up among bytes of input.
static uint32_t of_a_table(struct maker *m, uint32_t at)
{
	enum { SIZE = 16 };
	uint8_t bytes[SIZE];
	uint32_t exprs[SIZE] = {0}, from = below(m, m->path->n_bytes);
	for (unsigned i = 0; i < SIZE; i++) {
		bytes[i] = (uint8_t)random_next(m->random);
		exprs[i] = i % 3 ? input(m, from + i) : 0;
	}
	uint32_t index = expr_make(m->pool, OP_AND, 64, widened(m, input(m, at), 64), constant(m, 64, SIZE - 1), 0);
	uint32_t found = expr_lookup(m->pool, 8, index, expr_table(m->pool, bytes, exprs, SIZE));
	return comparison(m, found, near(m, found));
}

static uint32_t of_a_float(struct maker *m, uint32_t at)
{
	uint32_t x = expr_make(m->pool, OP_SITOF, 64, word(m, at, 4), 0, 0);
	return expr_make(m->pool, OP_FLT, 1, x, expr_make(m->pool, OP_SITOF, 64, near(m, word(m, at, 4)), 0, 0), 0);
}

static uint32_t condition(struct maker *m)
{
	uint32_t at = below(m, m->path->n_bytes), e;
	if (m->floats && !below(m, 10))
		return of_a_float(m, at);
	switch (below(m, 16)) {
	case 0: return of_strings(m, at, 1 + below(m, 6));
	case 1: return of_a_sum(m, at, 1 + below(m, 6));
	case 2: return of_a_table(m, at);
	case 3: e = number(m, at, 1 + below(m, 5)); return comparison(m, e, near(m, e));
	case 4: e = word(m, at, 1u << below(m, 3)); return comparison(m, e, near(m, e));
	case 5: e = any(m, below(m, 2) ? 8 : 32, 3); return comparison(m, e, any(m, expr_width(m->pool, e), 2));
	case 6: return expr_make(m->pool, OP_OR, 1, of_a_byte(m, at), of_a_byte(m, below(m, m->path->n_bytes)), 0);
	case 7: return expr_make(m->pool, OP_AND, 1, of_a_byte(m, at), of_strings(m, at + 1, 3), 0);
	default: return of_a_byte(m, at);
	}
}

static void make_bytes(struct maker *m)
{
	struct path *p = m->path;
	for (uint32_t i = 0; i < p->n_bytes; i++) {
		expr_input(m->pool, m->source, i);
		p->bytes[i] = below(m, 3) ? (uint8_t)(below(m, 2) ? '0' + below(m, 10) : ' ' + below(m, 95))
		                          : (uint8_t)random_next(m->random);
	}
}

void path_make(struct path *p, uint64_t *r, uint32_t n_bytes, uint32_t n_conditions, bool floats)
{
	*p = (struct path){.n_bytes = n_bytes, .n = n_conditions};
	expr_pool_init(&p->pool);
	p->bytes = mem_alloc(n_bytes);
	p->conditions = mem_alloc(n_conditions * sizeof *p->conditions);
	struct maker m = {.path = p, .pool = &p->pool, .random = r, .floats = floats};
	m.source = expr_source(&p->pool, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "in"));
	uint8_t classes[256];
	for (unsigned i = 0; i < 256; i++)
		classes[i] = (uint8_t)((i >= '0' && i <= '9') | (i >= 'a' && i <= 'z') << 1 |
		                       (i >= 'A' && i <= 'Z') << 2 | (i == ' ' || (i >= 9 && i <= 13)) << 3);
	m.classes = expr_table(&p->pool, classes, NULL, sizeof classes);
	make_bytes(&m);
	for (uint32_t i = 0; i < n_conditions; i++) {
		uint32_t e = condition(&m);
		p->conditions[i] = expr_eval(&p->pool, e, p->bytes) ? e : expr_not(&p->pool, e);
	}
}

void path_release(struct path *p)
{
	mem_free(p->bytes);
	mem_free(p->conditions);
	expr_pool_release(&p->pool);
}
