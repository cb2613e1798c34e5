#include "query.h"

#include <assert.h>
#include <string.h>

#include "expr/tape.h"

uint32_t random_below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)((random_next(state) >> 32) * limit >> 32);
}

static unsigned below(struct generator *g, unsigned limit)
{
	return random_below(&g->random, limit);
}

static bool one_in(struct generator *g, unsigned n)
{
	return below(g, n) == 0;
}

static void new_bytes(struct generator *g)
{
	for (unsigned i = 0; i < QUERY_BYTES; i++)
		g->bytes[i] = one_in(g, 3) ? (uint8_t)generator_number(g, 8) : (uint8_t)random_next(&g->random);
}

void generator_init(struct generator *g, struct expr_pool *p, uint64_t seed, unsigned bytes)
{
	assert(bytes >= 1 && bytes <= QUERY_BYTES);
	*g = (struct generator){.random = seed, .pool = p, .n_bytes = bytes};
	uint32_t source = expr_source(p, input_source(INPUT_OBJECT, INPUT_BYTES, 0, "x"));
	for (unsigned i = 0; i < bytes; i++)
		g->inputs[i] = expr_input(p, source, i);
	new_bytes(g);
}

// --- leaves --------------------------------------------------------------------------------------

eval_value generator_number(struct generator *g, unsigned width)
{
	eval_value r = (eval_value)random_next(&g->random) << 64 | random_next(&g->random);
	eval_value one = 1, small = below(g, 20);
	switch (below(g, 8)) {
	case 0: r = 0; break;
	case 1: r = small; break;
	case 2: r = 0 - small; break;
	case 3: r = (one << (width - 1)) - below(g, 2); break; // the largest and the smallest signed one
	case 4: r = one << below(g, width); break;
	case 5: r = (one << below(g, width)) - 1; break;
	default: break;
	}
	return r & eval_mask(width);
}

static uint32_t constant(struct generator *g, unsigned width)
{
	return expr_const(g->pool, width, generator_number(g, width));
}

static uint32_t input(struct generator *g)
{
	return g->inputs[below(g, g->n_bytes)];
}

// `e` in that width, in one of the ways that there are.
static uint32_t fit(struct generator *g, uint32_t e, unsigned width)
{
	struct expr_pool *p = g->pool;
	unsigned has = expr_width(p, e);
	if (has == width)
		return e;
	if (has > width)
		return expr_make(p, OP_EXTRACT, width, e, one_in(g, 2) ? 0 : below(g, has - width + 1), 0);
	if (one_in(g, 4))
		return expr_make(p, OP_CONCAT, width, constant(g, width - has), e, 0);
	return expr_make(p, one_in(g, 2) ? OP_ZEXT : OP_SEXT, width, e, 0, 0);
}

static uint32_t input_of(struct generator *g, unsigned width)
{
	uint32_t e = input(g);
	while (expr_width(g->pool, e) + 8 <= width && !one_in(g, 4))
		e = expr_make(g->pool, OP_CONCAT, expr_width(g->pool, e) + 8, input(g), e, 0);
	return fit(g, e, width);
}

static uint32_t leaf(struct generator *g, unsigned width)
{
	if (g->n_made && one_in(g, 5))
		return fit(g, g->made[below(g, g->n_made)], width);
	return one_in(g, 4) ? constant(g, width) : input_of(g, width);
}

static unsigned any_width(struct generator *g)
{
	static const uint8_t usual[] = {1, 8, 8, 8, 16, 16, 32, 32, 64};
	if (one_in(g, 16))
		return 65 + below(g, 64);
	return one_in(g, 4) ? 1 + below(g, 40) : usual[below(g, sizeof usual)];
}

// --- operators -----------------------------------------------------------------------------------

static uint32_t remember(struct generator *g, uint32_t e)
{
	enum { MOST = sizeof g->made / sizeof *g->made };
	if (g->n_made < MOST)
		g->made[g->n_made++] = e;
	else
		g->made[below(g, MOST)] = e;
	return e;
}

// A multiplication or division of two variable operands is too much for a solver beyond some width.
static uint32_t heavy(struct generator *g, unsigned op, unsigned result, unsigned width, unsigned depth)
{
	uint32_t a = generator_expr(g, width, depth), b;
	if (width <= 10 || (width <= 16 && one_in(g, 8)))
		b = generator_expr(g, width, depth);
	else
		b = expr_const(g->pool, width, one_in(g, 2) ? below(g, 256) : generator_number(g, width));
	if (width > 10 && one_in(g, 8)) { // a constant first
		uint32_t t = a;
		a = b;
		b = op == OP_MUL || op == OP_UMULO || op == OP_SMULO || width <= 16 ? t : a;
	}
	return expr_make(g->pool, op, result, a, b, 0);
}

static uint32_t multiply_or_divide(struct generator *g, unsigned width, unsigned depth)
{
	static const uint8_t ops[] = {OP_MUL, OP_MUL, OP_UDIV, OP_SDIV, OP_UREM, OP_SREM};
	unsigned narrow = width <= 32 || one_in(g, 8) ? width : 1 + below(g, 32);
	uint32_t e = heavy(g, ops[below(g, sizeof ops)], narrow, narrow, depth);
	return fit(g, e, width);
}

static uint32_t binary(struct generator *g, unsigned width, unsigned depth)
{
	static const uint8_t ops[] = {OP_ADD, OP_ADD, OP_SUB, OP_AND, OP_OR, OP_XOR};
	uint32_t a = generator_expr(g, width, depth);
	return expr_make(g->pool, ops[below(g, sizeof ops)], width, a, generator_expr(g, width, depth), 0);
}

static uint32_t shift(struct generator *g, unsigned width, unsigned depth)
{
	static const uint8_t ops[] = {OP_SHL, OP_LSHR, OP_ASHR};
	uint32_t a = generator_expr(g, width, depth), by;
	switch (below(g, 4)) {
	case 0: by = generator_expr(g, width, depth); break;
	case 1: // about the width
		by = expr_make(g->pool, OP_AND, width, input_of(g, width), expr_const(g->pool, width, 2 * width - 1),
		               0);
		break;
	default: by = expr_const(g->pool, width, below(g, width + 2)); break;
	}
	return expr_make(g->pool, ops[below(g, sizeof ops)], width, a, by, 0);
}

static uint32_t choose(struct generator *g, unsigned width, unsigned depth)
{
	uint32_t c = generator_expr(g, 1, depth), a = generator_expr(g, width, depth);
	return expr_make(g->pool, OP_ITE, width, c, a, generator_expr(g, width, depth));
}

static uint32_t resize(struct generator *g, unsigned width, unsigned depth)
{
	struct expr_pool *p = g->pool;
	if (width > 1 && one_in(g, 2)) {
		unsigned high = 1 + below(g, width - 1);
		uint32_t a = generator_expr(g, high, depth);
		return expr_make(p, OP_CONCAT, width, a, generator_expr(g, width - high, depth), 0);
	}
	unsigned other = any_width(g);
	return fit(g, generator_expr(g, other, depth), width);
}

static uint32_t count(struct generator *g, unsigned width, unsigned depth)
{
	static const uint8_t ops[] = {OP_CTPOP, OP_CTLZ, OP_CTTZ};
	return expr_make(g->pool, ops[below(g, 3)], width, generator_expr(g, width, depth), 0, 0);
}

// An offset that is in the table most of the time: a small value, perhaps times the size of an entry.
static uint32_t offset(struct generator *g, unsigned bytes, unsigned depth)
{
	struct expr_pool *p = g->pool;
	uint32_t e = generator_expr(g, 8, depth);
	if (one_in(g, 16))
		return generator_expr(g, 64, depth);
	if (!one_in(g, 3))
		e = expr_make(p, OP_AND, 8, e, expr_const(p, 8, 0x3f), 0);
	e = expr_make(p, one_in(g, 8) ? OP_SEXT : OP_ZEXT, 64, e, 0, 0);
	return one_in(g, 2) ? expr_make(p, OP_MUL, 64, e, expr_const(p, 64, bytes), 0) : e;
}

static uint32_t look_up(struct generator *g, unsigned width, unsigned depth)
{
	uint8_t bytes[64];
	uint32_t exprs[64] = {0}, size = below(g, 65);
	bool labelled = one_in(g, 3), flat = one_in(g, 3);
	for (uint32_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(flat ? i / 8 : random_next(&g->random));
	for (uint32_t i = 0; labelled && i < size && i < 16; i++)
		exprs[i] = one_in(g, 3) ? generator_expr(g, 8, depth ? depth - 1 : 0) : 0;
	uint32_t table = expr_table(g->pool, bytes, labelled ? exprs : NULL, size);
	unsigned entry = 8u << below(g, 4);
	return fit(g, expr_lookup(g->pool, entry, offset(g, entry / 8, depth), table), width);
}

// --- floats --------------------------------------------------------------------------------------

static unsigned any_format(struct generator *g)
{
	static const uint8_t formats[] = {32, 32, 64, 80};
	return formats[below(g, 4)];
}

static eval_value float_number(struct generator *g, unsigned width)
{
	static const long double usual[] = {0.0L, -0.0L, 1.0L,           -1.5L,   3.0L,
	                                    0.1L, 1e10L, -2147483649.0L, 0x1p63L, 0x1p-140L};
	eval_value exponent = width == 32   ? (eval_value)0x7f8 << 20
	                      : width == 64 ? (eval_value)0x7ff << 52
	                                    : (eval_value)0xffff << 63;
	switch (below(g, 8)) {
	case 0: return exponent;                                                // infinite
	case 1: return exponent | (eval_value)1 << (width - 1) | below(g, 100); // perhaps NaN
	case 2: return below(g, 100);                                           // nearly 0
	case 3: return generator_number(g, width);                              // anything
	default: return eval_bits(usual[below(g, sizeof usual / sizeof *usual)], width);
	}
}

static uint32_t float_leaf(struct generator *g, unsigned width, unsigned depth)
{
	struct expr_pool *p = g->pool;
	switch (below(g, 4)) {
	case 0: return expr_const(p, width, float_number(g, width));
	case 1: return input_of(g, width);
	default:
		return expr_make(p, one_in(g, 2) ? OP_UITOF : OP_SITOF, width,
		                 generator_expr(g, any_width(g), depth ? depth - 1 : 0), 0, 0);
	}
}

uint32_t generator_float(struct generator *g, unsigned width, unsigned depth)
{
	static const uint8_t binary_ops[] = {OP_FADD, OP_FSUB, OP_FMUL, OP_FDIV};
	static const uint8_t unary_ops[] = {OP_FNEG, OP_FABS, OP_FSQRT};
	struct expr_pool *p = g->pool;
	if (depth == 0)
		return float_leaf(g, width, 0);
	uint32_t a = generator_float(g, width, depth - 1);
	switch (below(g, 7)) {
	case 0: return expr_make(p, unary_ops[below(g, 3)], width, a, 0, 0);
	case 3: return expr_make(p, OP_FCALL, width, a, LIBM_floor + below(g, LIBM_nearbyint + 1), 0);
	case 1: return expr_make(p, OP_FTOF, width, generator_float(g, width == 32 ? 64 : 32, depth - 1), 0, 0);
	case 2: return float_leaf(g, width, depth);
	default: return expr_make(p, binary_ops[below(g, 4)], width, a, generator_float(g, width, depth - 1), 0);
	}
}

static uint32_t float_compare(struct generator *g, unsigned depth)
{
	unsigned width = any_format(g);
	uint32_t a = generator_float(g, width, depth);
	return expr_make(g->pool, OP_FEQ + below(g, 4), 1, a, generator_float(g, width, depth), 0);
}

static uint32_t float_integer(struct generator *g, unsigned width, unsigned depth)
{
	unsigned narrow = width <= 64 ? width : 64;
	uint32_t a = generator_float(g, any_format(g), depth);
	return fit(g, expr_make(g->pool, one_in(g, 2) ? OP_FTOUI : OP_FTOSI, narrow, a, 0, 0), width);
}

// --- expressions ---------------------------------------------------------------------------------

static uint32_t compare(struct generator *g, unsigned depth)
{
	static const uint8_t ops[] = {OP_EQ, OP_EQ, OP_ULT, OP_ULE, OP_SLT, OP_SLE};
	unsigned width = any_width(g);
	uint32_t a = generator_expr(g, width, depth);
	return expr_make(g->pool, ops[below(g, sizeof ops)], 1, a, generator_expr(g, width, depth), 0);
}

static uint32_t overflow(struct generator *g, unsigned depth)
{
	unsigned op = OP_UADDO + below(g, 6), width = any_width(g);
	if (op == OP_UMULO || op == OP_SMULO)
		return heavy(g, op, 1, width <= 32 || one_in(g, 8) ? width : 1 + below(g, 32), depth);
	uint32_t a = generator_expr(g, width, depth);
	return expr_make(g->pool, op, 1, a, generator_expr(g, width, depth), 0);
}

static uint32_t bit(struct generator *g, unsigned depth)
{
	struct expr_pool *p = g->pool;
	uint32_t a;
	if (g->floats && one_in(g, 3))
		return float_compare(g, depth);
	switch (below(g, 12)) {
	case 0: return expr_not(p, generator_expr(g, 1, depth));
	case 1:
		a = generator_expr(g, 1, depth);
		return expr_make(p, OP_AND + below(g, 3), 1, a, generator_expr(g, 1, depth), 0);
	case 2: return overflow(g, depth);
	case 3: return choose(g, 1, depth);
	default: return compare(g, depth);
	}
}

static uint32_t vector(struct generator *g, unsigned width, unsigned depth)
{
	if (g->floats && one_in(g, 3))
		return float_integer(g, width, depth);
	switch (below(g, 16)) {
	case 0:
	case 1: return multiply_or_divide(g, width, depth);
	case 2:
	case 3: return shift(g, width, depth);
	case 4: return choose(g, width, depth);
	case 5:
	case 6: return resize(g, width, depth);
	case 7: return one_in(g, 2) ? count(g, width, depth) : look_up(g, width, depth);
	case 8: return expr_not(g->pool, generator_expr(g, width, depth));
	case 9:
	case 10: return leaf(g, width);
	default: return binary(g, width, depth);
	}
}

uint32_t generator_expr(struct generator *g, unsigned width, unsigned depth)
{
	if (depth == 0)
		return leaf(g, width);
	if (width == 1 && !one_in(g, 8))
		return remember(g, bit(g, depth - 1));
	return remember(g, vector(g, width, depth - 1));
}

// --- queries -------------------------------------------------------------------------------------

struct conditions {
	uint32_t *list, n;
};

static void want(struct conditions *c, uint32_t condition)
{
	if (c->n < QUERY_CONDITIONS)
		c->list[c->n++] = condition;
}

// The condition, or its negation: whichever holds for g->bytes.
static void want_planted(struct generator *g, struct conditions *c, uint32_t e)
{
	want(c, expr_eval(g->pool, e, g->bytes) ? e : expr_not(g->pool, e));
}

static uint32_t random_bit(struct generator *g)
{
	return generator_expr(g, 1, 2 + below(g, 2));
}

// An expression that has the assignment's value: narrow the query to few solutions.
static void want_value(struct generator *g, struct conditions *c)
{
	uint32_t e = generator_expr(g, any_width(g), 1 + below(g, 2));
	want(c, expr_eq(g->pool, e, expr_eval(g->pool, e, g->bytes)));
}

// x < y, y < z, z < x, signed or not, all but one perhaps with "or equal".
static void want_circle(struct generator *g, struct conditions *c)
{
	unsigned width = any_width(g), n = 2 + below(g, 3), op = one_in(g, 2) ? OP_ULT : OP_SLT;
	uint32_t e[4];
	for (unsigned i = 0; i < n; i++)
		e[i] = generator_expr(g, width, below(g, 3));
	for (unsigned i = 0; i < n; i++)
		want(c, expr_make(g->pool, op + (i && one_in(g, 2)), 1, e[i], e[(i + 1) % n], 0));
}

// One expression with two values, the second one behind an operation that can be undone.
static void want_two_values(struct generator *g, struct conditions *c)
{
	struct expr_pool *p = g->pool;
	unsigned width = any_width(g);
	uint32_t e = generator_expr(g, width, 2);
	eval_value v = expr_eval(p, e, g->bytes), other = generator_number(g, width), by = generator_number(g, width);
	if (v == other)
		other = (v + 1) & eval_mask(width);
	want(c, expr_eq(p, e, v));
	switch (below(g, 4)) {
	case 0: want(c, expr_eq(p, expr_make(p, OP_ADD, width, e, expr_const(p, width, by), 0), other + by)); break;
	case 1: want(c, expr_eq(p, expr_make(p, OP_XOR, width, e, expr_const(p, width, by), 0), other ^ by)); break;
	case 2: // multiplied by something odd
		by |= 1;
		e = expr_make(p, OP_MUL, width, e, expr_const(p, width, by), 0);
		want(c, expr_eq(p, e, other * by));
		break;
	default: want(c, expr_not(p, expr_make(p, OP_ULE, 1, e, expr_const(p, width, v), 0))); break;
	}
}

// What no value can be.
static void want_impossible(struct generator *g, struct conditions *c)
{
	struct expr_pool *p = g->pool;
	unsigned width = 4 + below(g, 28);
	uint32_t e = generator_expr(g, width, 1 + below(g, 2));
	eval_value number = generator_number(g, width), most = 1 + below(g, 12);
	switch (below(g, 7)) {
	case 0: // a multiple of two that is odd
		e = expr_make(p, OP_MUL, width, e, expr_const(p, width, 2 * most), 0);
		want(c, expr_eq(p, e, number | 1));
		break;
	case 1: // squares are 0, 1 or 4 modulo 8
		e = fit(g, e, 4 + below(g, 5));
		width = expr_width(p, e);
		want(c, expr_eq(p, expr_make(p, OP_MUL, width, e, e, 0), (number & ~(eval_value)7) | 3));
		break;
	case 2: // bits that a mask has not
		e = expr_make(p, OP_AND, width, e, expr_const(p, width, number & ~(eval_value)4), 0);
		want(c, expr_eq(p, e, number | 4));
		break;
	case 3: // a remainder as large as the divisor
		e = expr_make(p, OP_UREM, width, e, expr_const(p, width, most), 0);
		want(c, expr_make(p, OP_ULE, 1, expr_const(p, width, most), e, 0));
		break;
	case 4: // more bits than there are
		e = expr_make(p, OP_CTPOP, width, e, 0, 0);
		want(c, expr_make(p, OP_ULT, 1, expr_const(p, width, width), e, 0));
		break;
	case 5: // an extension whose new bits are not what they have to be
		e = expr_make(p, OP_SEXT, width + 8, e, 0, 0);
		want(c, expr_eq(p, expr_make(p, OP_EXTRACT, 9, e, width - 1, 0), 1 + below(g, 510)));
		break;
	default: // a sum that is smaller, and yet has not overflowed
		want(c, expr_make(p, OP_ULT, 1, expr_make(p, OP_ADD, width, e, expr_const(p, width, most), 0), e, 0));
		want(c, expr_not(p, expr_make(p, OP_UADDO, 1, e, expr_const(p, width, most), 0)));
	}
}

// Bytes that are digits, and what their number is: by chance possible or not.
static void want_digits(struct generator *g, struct conditions *c)
{
	struct expr_pool *p = g->pool;
	uint32_t sum = expr_const(p, 16, 0);
	unsigned n = g->n_bytes < 3 ? g->n_bytes : 3;
	for (unsigned i = 0; i < n; i++) {
		uint32_t digit = expr_make(p, OP_SUB, 8, g->inputs[i], expr_const(p, 8, '0'), 0);
		want(c, expr_make(p, OP_ULE, 1, digit, expr_const(p, 8, 9), 0));
		sum = expr_make(p, OP_MUL, 16, sum, expr_const(p, 16, 10), 0);
		sum = expr_make(p, OP_ADD, 16, sum, expr_make(p, OP_ZEXT, 16, digit, 0, 0), 0);
	}
	want(c, expr_eq(p, sum, below(g, n == 1 ? 20 : n == 2 ? 200 : 2000)));
}

uint32_t generator_query(struct generator *g, uint32_t *conditions)
{
	struct conditions c = {conditions, 0};
	unsigned kind = below(g, 16), more = below(g, 4);
	new_bytes(g);
	for (unsigned i = 0; i < more || (kind < 6 && i < 1); i++)
		want_planted(g, &c, random_bit(g));
	switch (kind) {
	case 0: break;
	case 1:
	case 2:
	case 3:
	case 4:
	case 5: want_value(g, &c); break;
	case 6:
	case 7: want_circle(g, &c); break;
	case 8:
	case 9:
	case 10: want_two_values(g, &c); break;
	case 11:
	case 12: want_impossible(g, &c); break;
	case 13: want_digits(g, &c); break;
	default: // whatever comes
		for (unsigned i = 0; i < 4; i++)
			want(&c, random_bit(g));
	}
	for (uint32_t i = c.n; i > 1; i--) { // in any order
		uint32_t k = below(g, i), t = conditions[k];
		conditions[k] = conditions[i - 1];
		conditions[i - 1] = t;
	}
	return c.n;
}

uint32_t query_word(struct expr_pool *p, const uint32_t *inputs, unsigned width, unsigned first)
{
	uint32_t e = inputs[first];
	unsigned n = (width + 7) / 8;
	for (unsigned i = 1; i < n; i++)
		e = expr_make(p, OP_CONCAT, 8 * (i + 1), inputs[first + i], e, 0);
	return width == 8 * n ? e : expr_make(p, OP_EXTRACT, width, e, 0, 0);
}

uint32_t query_node(struct expr_pool *p, const uint32_t *inputs, unsigned op, unsigned w, uint64_t *r)
{
	uint32_t a = query_word(p, inputs, w, 0), b = query_word(p, inputs, w, 16);
	switch (op) {
	case OP_ZEXT:
	case OP_SEXT: return w < 128 ? expr_make(p, op, w + 1 + random_below(r, 128 - w), a, 0, 0) : a;
	case OP_EXTRACT: {
		unsigned low = random_below(r, w);
		return expr_make(p, op, 1 + random_below(r, w - low), a, low, 0);
	}
	case OP_CONCAT: return w <= 64 ? expr_make(p, op, 2 * w, a, b, 0) : a;
	case OP_ITE: return expr_make(p, op, w, query_word(p, inputs, 1, 32), a, b);
	case OP_FTOUI:
	case OP_FTOSI: return expr_make(p, op, 32, a, 0, 0);
	case OP_UITOF:
	case OP_SITOF: return expr_make(p, op, 64, a, 0, 0);
	case OP_FTOF: return expr_make(p, op, 96 - w, a, 0, 0);
	default: return expr_make(p, op, op_gives_bit(op) ? 1 : w, a, b, 0);
	}
}
