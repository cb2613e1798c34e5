#include "solver/exact_terms.h"

#include "base/mem.h"
#include "base/vec.h"
#include "expr/simplify.h"

enum { DEPTH = 1000 };

// A format, and a number of it taken apart.
struct format {
	unsigned width, exponent, fraction; // bits
};

struct parts {
	struct format f;
	uint32_t bits, sign, magnitude;
	uint32_t exponent; // biased; 1 of subnormal numbers
	uint32_t digits;   // with the leading one
	uint32_t nan, infinite, zero;
};

void exact_terms_init(struct exact_terms *t, struct expr_pool *pool)
{
	*t = (struct exact_terms){.pool = pool};
}

void exact_terms_release(struct exact_terms *t)
{
	mem_free(t->made);
	*t = (struct exact_terms){0};
}

static bool format_of(unsigned width, struct format *ret)
{
	*ret = (struct format){width, width == 16 ? 5 : width == 32 ? 8 : 11, width == 16 ? 10 : width == 32 ? 23 : 52};
	return width == 16 || width == 32 || width == 64;
}

static unsigned bias_of(struct format f)
{
	return (1u << (f.exponent - 1)) - 1;
}

// --- operators -----------------------------------------------------------------------------------

static unsigned width_of(const struct exact_terms *t, uint32_t a)
{
	return expr_width(t->pool, a);
}

static uint32_t make(struct exact_terms *t, unsigned op, uint32_t a, uint32_t b)
{
	return expr_simplify(t->pool, expr_make(t->pool, op, op_gives_bit(op) ? 1 : width_of(t, a), a, b, 0));
}

static uint32_t number(struct exact_terms *t, unsigned width, eval_value v)
{
	return expr_const(t->pool, width, v);
}

static uint32_t choose(struct exact_terms *t, uint32_t c, uint32_t yes, uint32_t no)
{
	return expr_simplify(t->pool, expr_make(t->pool, OP_ITE, width_of(t, yes), c, yes, no));
}

static uint32_t negate(struct exact_terms *t, uint32_t a) // of a bit
{
	return expr_simplify(t->pool, expr_not(t->pool, a));
}

static uint32_t part(struct exact_terms *t, uint32_t a, unsigned low, unsigned width)
{
	if (width == width_of(t, a))
		return a;
	return expr_simplify(t->pool, expr_make(t->pool, OP_EXTRACT, width, a, low, 0));
}

static uint32_t widen(struct exact_terms *t, uint32_t a, unsigned width)
{
	if (width == width_of(t, a))
		return a;
	return expr_simplify(t->pool, expr_make(t->pool, OP_ZEXT, width, a, 0, 0));
}

static uint32_t join(struct exact_terms *t, uint32_t high, uint32_t low)
{
	unsigned width = width_of(t, high) + width_of(t, low);
	return expr_simplify(t->pool, expr_make(t->pool, OP_CONCAT, width, high, low, 0));
}

static uint32_t is_zero(struct exact_terms *t, uint32_t a)
{
	return make(t, OP_EQ, a, number(t, width_of(t, a), 0));
}

// Followed by so many zeros.
static uint32_t pad(struct exact_terms *t, uint32_t a, unsigned zeros)
{
	return zeros ? join(t, a, number(t, zeros, 0)) : a;
}

// To the right, by at most all bits; what falls off shows in the last bit.
static uint32_t shift_sticky(struct exact_terms *t, uint32_t a, uint32_t by)
{
	unsigned width = width_of(t, a), has = width_of(t, by);
	if (has > width)
		by = choose(t, make(t, OP_ULT, number(t, has, width), by), number(t, has, width), by);
	by = has > width ? part(t, by, 0, width) : widen(t, by, width);
	uint32_t shifted = make(t, OP_LSHR, a, by);
	uint32_t lost = negate(t, make(t, OP_EQ, make(t, OP_SHL, shifted, by), a));
	return make(t, OP_OR, shifted, widen(t, lost, width));
}

// --- taking apart, putting together ------------------------------------------------------------------

static struct parts take_apart(struct exact_terms *t, uint32_t bits, struct format f)
{
	struct parts p = {.f = f, .bits = bits, .sign = part(t, bits, f.width - 1, 1)};
	uint32_t exponent = part(t, bits, f.fraction, f.exponent), fraction = part(t, bits, 0, f.fraction);
	uint32_t least = is_zero(t, exponent), none = is_zero(t, fraction);
	uint32_t most = make(t, OP_EQ, exponent, number(t, f.exponent, eval_mask(f.exponent)));
	p.magnitude = part(t, bits, 0, f.width - 1);
	p.exponent = make(t, OP_OR, exponent, widen(t, least, f.exponent));
	p.digits = join(t, negate(t, least), fraction);
	p.nan = make(t, OP_AND, most, negate(t, none));
	p.infinite = make(t, OP_AND, most, none);
	p.zero = make(t, OP_AND, least, none);
	return p;
}

static uint32_t infinity(struct exact_terms *t, struct format f, uint32_t sign)
{
	return join(t, sign, pad(t, number(t, f.exponent, eval_mask(f.exponent)), f.fraction));
}

static uint32_t quiet(struct exact_terms *t, const struct parts *p)
{
	return make(t, OP_OR, p->bits, number(t, p->f.width, (eval_value)1 << (p->f.fraction - 1)));
}

// What the processor makes of an operation that has no result.
static uint32_t invalid(struct exact_terms *t, struct format f)
{
	return number(t, f.width, eval_mask(f.width) >> (f.fraction - 1) << (f.fraction - 1));
}

// The leading one to the top; by how much it moved goes to *ret_by, as wide as given.
static uint32_t normalise(struct exact_terms *t, uint32_t a, unsigned by_width, uint32_t *ret_by)
{
	unsigned width = width_of(t, a), step = 1;
	uint32_t by = number(t, by_width, 0);
	while (2 * step < width)
		step *= 2;
	for (; step; step /= 2) {
		uint32_t empty = is_zero(t, part(t, a, width - step, step));
		uint32_t moved = pad(t, part(t, a, 0, width - step), step);
		a = choose(t, empty, moved, a);
		by = choose(t, empty, make(t, OP_ADD, by, number(t, by_width, step)), by);
	}
	*ret_by = by;
	return a;
}

// Rounds to even: digits * 2^(exponent - bias - (their width - 1)). The exponent is signed and wide enough for anything
// that is done with it here; the last digit may stand for many.
static uint32_t put_together(struct exact_terms *t, struct format f, uint32_t sign, uint32_t exponent, uint32_t digits)
{
	unsigned wide = width_of(t, exponent), least = f.fraction + 3, all = wide + f.fraction + 1;
	if (width_of(t, digits) < least)
		digits = pad(t, digits, least - width_of(t, digits));
	unsigned width = width_of(t, digits);
	uint32_t none = is_zero(t, digits), by;
	digits = normalise(t, digits, wide, &by);
	exponent = make(t, OP_SUB, exponent, by);
	uint32_t one = number(t, wide, 1), zero = number(t, wide, 0), small = make(t, OP_SLT, exponent, one);
	digits = shift_sticky(t, digits, choose(t, small, make(t, OP_SUB, one, exponent), zero));
	uint32_t field = choose(t, small, zero, make(t, OP_SUB, exponent, one)); // the leading one adds 1
	uint32_t kept = part(t, digits, width - f.fraction - 1, f.fraction + 1);
	uint32_t half = part(t, digits, width - f.fraction - 2, 1);
	uint32_t rest = negate(t, is_zero(t, part(t, digits, 0, width - f.fraction - 2)));
	uint32_t up = make(t, OP_AND, half, make(t, OP_OR, rest, part(t, kept, 0, 1)));
	uint32_t packed = make(t, OP_ADD, pad(t, widen(t, field, wide + 1), f.fraction), widen(t, kept, all));
	packed = make(t, OP_ADD, packed, widen(t, up, all));
	uint32_t most = number(t, all, eval_mask(f.exponent) << f.fraction);
	packed = choose(t, make(t, OP_ULT, packed, most), packed, most);
	packed = choose(t, none, number(t, all, 0), packed);
	return join(t, sign, part(t, packed, 0, f.width - 1));
}

// The result, or what the operands make of it that are not numbers.
static uint32_t with_nan(struct exact_terms *t, const struct parts *a, const struct parts *b, uint32_t result)
{
	if (b)
		result = choose(t, b->nan, quiet(t, b), result);
	return choose(t, a->nan, quiet(t, a), result);
}

// --- arithmetic ------------------------------------------------------------------------------------

static uint32_t add(struct exact_terms *t, struct parts a, struct parts b)
{
	struct format f = a.f;
	unsigned wide = f.exponent + 3, room = f.fraction + 5;
	uint32_t less = make(t, OP_ULT, a.magnitude, b.magnitude);
	uint32_t ea = choose(t, less, b.exponent, a.exponent), eb = choose(t, less, a.exponent, b.exponent);
	uint32_t da = choose(t, less, b.digits, a.digits), db = choose(t, less, a.digits, b.digits);
	uint32_t x = widen(t, pad(t, da, 3), room), y = widen(t, pad(t, db, 3), room);
	y = shift_sticky(t, y, make(t, OP_SUB, ea, eb));
	uint32_t differ = make(t, OP_XOR, a.sign, b.sign);
	uint32_t sum = choose(t, differ, make(t, OP_SUB, x, y), make(t, OP_ADD, x, y));
	uint32_t sign = choose(t, is_zero(t, sum), make(t, OP_AND, a.sign, b.sign), choose(t, less, b.sign, a.sign));
	uint32_t exponent = make(t, OP_ADD, widen(t, ea, wide), number(t, wide, 1));
	uint32_t r = put_together(t, f, sign, exponent, sum);
	r = choose(t, b.infinite, b.bits, r);
	uint32_t both = make(t, OP_AND, make(t, OP_AND, a.infinite, b.infinite), differ);
	r = choose(t, a.infinite, choose(t, both, invalid(t, f), a.bits), r);
	return with_nan(t, &a, &b, r);
}

static uint32_t multiply(struct exact_terms *t, struct parts a, struct parts b)
{
	struct format f = a.f;
	unsigned wide = f.exponent + 3, room = 2 * f.fraction + 2;
	uint32_t sign = make(t, OP_XOR, a.sign, b.sign);
	uint32_t product = make(t, OP_MUL, widen(t, a.digits, room), widen(t, b.digits, room));
	uint32_t exponent = make(t, OP_ADD, widen(t, a.exponent, wide), widen(t, b.exponent, wide));
	exponent = make(t, OP_SUB, exponent, number(t, wide, bias_of(f) - 1));
	uint32_t r = put_together(t, f, sign, exponent, product);
	uint32_t any = make(t, OP_OR, a.infinite, b.infinite), none = make(t, OP_OR, a.zero, b.zero);
	r = choose(t, any, choose(t, none, invalid(t, f), infinity(t, f, sign)), r);
	return with_nan(t, &a, &b, r);
}

static uint32_t divide(struct exact_terms *t, struct parts a, struct parts b)
{
	struct format f = a.f;
	unsigned wide = f.exponent + 4, room = 2 * f.fraction + 4;
	uint32_t by_a, by_b, sign = make(t, OP_XOR, a.sign, b.sign);
	uint32_t x = widen(t, pad(t, normalise(t, a.digits, wide, &by_a), f.fraction + 3), room);
	uint32_t y = widen(t, normalise(t, b.digits, wide, &by_b), room);
	uint32_t quotient = part(t, make(t, OP_UDIV, x, y), 0, f.fraction + 4);
	uint32_t rest = negate(t, is_zero(t, make(t, OP_UREM, x, y)));
	uint32_t ea = make(t, OP_SUB, widen(t, a.exponent, wide), by_a),
		 eb = make(t, OP_SUB, widen(t, b.exponent, wide), by_b);
	uint32_t exponent = make(t, OP_ADD, make(t, OP_SUB, ea, eb), number(t, wide, bias_of(f) + 1));
	// One more digit, for the rest; the quotient's first one is worth 2^(its width - 1 - fraction - 3) = 1.
	uint32_t r = put_together(t, f, sign, make(t, OP_SUB, exponent, number(t, wide, 1)), join(t, quotient, rest));
	uint32_t bad = make(t, OP_OR, make(t, OP_AND, a.zero, b.zero), make(t, OP_AND, a.infinite, b.infinite));
	r = choose(t, b.infinite, join(t, sign, number(t, f.width - 1, 0)), r);
	r = choose(t, make(t, OP_OR, a.infinite, b.zero), infinity(t, f, sign), r);
	return with_nan(t, &a, &b, choose(t, bad, invalid(t, f), r));
}

static uint32_t compare(struct exact_terms *t, unsigned op, struct parts a, struct parts b)
{
	uint32_t unordered = make(t, OP_OR, a.nan, b.nan);
	unsigned width = a.f.width;
	uint32_t zero = number(t, width, 0), x = widen(t, a.magnitude, width), y = widen(t, b.magnitude, width);
	if (op == OP_FUNO)
		return unordered;
	x = choose(t, a.sign, make(t, OP_SUB, zero, x), x);
	y = choose(t, b.sign, make(t, OP_SUB, zero, y), y);
	return make(t, OP_AND, negate(t, unordered),
	            make(t,
	                 op == OP_FEQ   ? OP_EQ
	                 : op == OP_FLT ? OP_SLT
	                                : OP_SLE,
	                 x, y));
}

// --- conversions -----------------------------------------------------------------------------------

static uint32_t from_integer(struct exact_terms *t, uint32_t a, bool is_signed, struct format f)
{
	unsigned width = width_of(t, a), wide = f.exponent + 8;
	uint32_t sign = is_signed ? part(t, a, width - 1, 1) : number(t, 1, 0);
	uint32_t size = choose(t, sign, make(t, OP_SUB, number(t, width, 0), a), a);
	return put_together(t, f, sign, number(t, wide, bias_of(f) + width - 1), size);
}

static uint32_t change_format(struct exact_terms *t, struct parts a, struct format to)
{
	unsigned wide = (a.f.exponent > to.exponent ? a.f.exponent : to.exponent) + 3;
	uint32_t exponent = make(t, OP_ADD, widen(t, a.exponent, wide),
	                         number(t, wide, (eval_value)bias_of(to) - (eval_value)bias_of(a.f)));
	uint32_t r = put_together(t, to, a.sign, exponent, a.digits);
	r = choose(t, a.infinite, infinity(t, to, a.sign), r);
	uint32_t fraction = part(t, a.bits, 0, a.f.fraction);
	fraction = a.f.fraction > to.fraction ? part(t, fraction, a.f.fraction - to.fraction, to.fraction)
	                                      : pad(t, fraction, to.fraction - a.f.fraction);
	struct parts nan = {.f = to};
	nan.bits = join(t, a.sign, join(t, number(t, to.exponent, eval_mask(to.exponent)), fraction));
	return choose(t, a.nan, quiet(t, &nan), r);
}

// What eval_convert computes; unsigned ones of 64 bits are not written so.
static uint32_t to_integer(struct exact_terms *t, struct parts a, unsigned to, bool is_signed)
{
	unsigned smallest = 32, wide = a.f.exponent + 2;
	unsigned bits = is_signed ? (to <= smallest || to <= 32 ? 32 : 64) : to < 32 ? 32 : 64;
	if (to > 64 || (!is_signed && to == 64))
		return 0;
	unsigned room = bits + 1 + a.f.fraction;
	uint32_t by = make(t, OP_SUB, widen(t, a.exponent, wide), number(t, wide, bias_of(a.f)));
	uint32_t below = make(t, OP_SLT, by, number(t, wide, 0)),
		 above = make(t, OP_SLT, number(t, wide, bits - 1), by);
	uint32_t size =
		make(t, OP_SHL, widen(t, a.digits, room), wide > room ? part(t, by, 0, room) : widen(t, by, room));
	size = part(t, size, a.f.fraction, bits + 1);
	uint32_t least = number(t, bits + 1, (eval_value)1 << (bits - 1)), zero = number(t, bits + 1, 0);
	size = choose(t, below, zero, size);
	uint32_t fits = choose(t, a.sign, make(t, OP_ULE, size, least), make(t, OP_ULT, size, least));
	fits = make(t, OP_AND, fits, negate(t, make(t, OP_OR, above, make(t, OP_OR, a.nan, a.infinite))));
	uint32_t r = choose(t, a.sign, make(t, OP_SUB, zero, size), size);
	return part(t, choose(t, fits, r, least), 0, to);
}

// To a whole number: a magnitude plus one unit of what is kept of it carries into the exponent as it should.
static uint32_t round_to(struct exact_terms *t, enum libm_rounding how, struct parts a)
{
	struct format f = a.f;
	unsigned width = f.width - 1;
	uint32_t bias = number(t, f.exponent, bias_of(f)), zero = number(t, width, 0);
	uint32_t whole = make(t, OP_ULE, number(t, f.exponent, bias_of(f) + f.fraction), a.exponent);
	uint32_t small = make(t, OP_ULT, a.exponent, bias);
	uint32_t places = make(t, OP_SUB, number(t, f.exponent, bias_of(f) + f.fraction), a.exponent);
	uint32_t by = widen(t, places, width > f.exponent ? width : f.exponent);
	uint32_t unit = make(t, OP_SHL, number(t, width, 1), by), half = make(t, OP_LSHR, unit, number(t, width, 1));
	uint32_t low = make(t, OP_AND, a.magnitude, make(t, OP_SUB, unit, number(t, width, 1)));
	uint32_t kept = make(t, OP_SUB, a.magnitude, low), odd = negate(t, is_zero(t, make(t, OP_AND, kept, unit)));
	uint32_t some = negate(t, is_zero(t, low)), one = number(t, width, (eval_value)bias_of(f) << f.fraction);
	uint32_t one_half = number(t, width, (eval_value)(bias_of(f) - 1) << f.fraction);
	uint32_t up, is_one, any = negate(t, a.zero);
	switch (how) {
	case LIBM_RTN:
		up = make(t, OP_AND, a.sign, some);
		is_one = make(t, OP_AND, a.sign, any);
		break;
	case LIBM_RTP:
		up = make(t, OP_AND, negate(t, a.sign), some);
		is_one = make(t, OP_AND, negate(t, a.sign), any);
		break;
	case LIBM_RNA:
		up = make(t, OP_ULE, half, low);
		is_one = make(t, OP_ULE, one_half, a.magnitude);
		break;
	case LIBM_RNE:
		up = make(t, OP_OR, make(t, OP_ULT, half, low), make(t, OP_AND, make(t, OP_EQ, half, low), odd));
		is_one = make(t, OP_ULT, one_half, a.magnitude);
		break;
	default: up = is_one = number(t, 1, 0);
	}
	uint32_t r = make(t, OP_ADD, kept, choose(t, up, unit, zero));
	r = choose(t, small, choose(t, is_one, one, zero), r);
	r = join(t, a.sign, choose(t, whole, a.magnitude, r));
	return with_nan(t, &a, NULL, r);
}

// --- which is which ----------------------------------------------------------------------------------

static uint32_t make_float(struct exact_terms *t, const struct expr_node *n, uint32_t a, uint32_t b)
{
	struct format f, to;
	struct parts x = {0}, y = {0};
	bool from_integer_op = op_class(n->op) == OP_CLASS_INTEGER_TO_FLOAT;
	if (!from_integer_op && !format_of(width_of(t, a), &f))
		return 0;
	if (!from_integer_op)
		x = take_apart(t, a, f);
	if (!from_integer_op && op_operands(n->op) > 1)
		y = take_apart(t, b, f);
	switch (n->op) {
	case OP_FADD: return add(t, x, y);
	case OP_FSUB: {
		uint32_t sign = number(t, f.width, (eval_value)1 << (f.width - 1));
		struct parts minus = take_apart(t, make(t, OP_XOR, b, sign), f);
		return choose(t, make(t, OP_AND, y.nan, negate(t, x.nan)), quiet(t, &y), add(t, x, minus));
	}
	case OP_FMUL: return multiply(t, x, y);
	case OP_FDIV: return divide(t, x, y);
	case OP_FNEG: return make(t, OP_XOR, a, number(t, f.width, (eval_value)1 << (f.width - 1)));
	case OP_FABS: return make(t, OP_AND, a, number(t, f.width, eval_mask(f.width) >> 1));
	case OP_FEQ:
	case OP_FLT:
	case OP_FLE:
	case OP_FUNO: return compare(t, n->op, x, y);
	case OP_FTOSI:
	case OP_FTOUI: return to_integer(t, x, n->width, n->op == OP_FTOSI);
	case OP_FTOF:
		return format_of(n->width, &to)
		               ? (to.width == f.width ? with_nan(t, &x, NULL, a) : change_format(t, x, to))
		               : 0;
	case OP_SITOF:
	case OP_UITOF:
		return format_of(n->width, &to) && width_of(t, a) <= 64 ? from_integer(t, a, n->op == OP_SITOF, to) : 0;
	case OP_FCALL: return libm_rounding(n->b) ? round_to(t, libm_rounding(n->b), x) : 0;
	default: return 0;
	}
}

static uint32_t make_table(struct exact_terms *t, uint32_t id)
{
	const struct expr_node n = t->pool->nodes[id];
	uint32_t offset = exact_of(t, n.a), size = t->pool->tables[n.b].size, *exprs = NULL;
	bool good = offset != 0;
	if (t->pool->tables[n.b].exprs)
		exprs = mem_zero((size + 1) * sizeof *exprs);
	for (uint32_t i = 0; exprs && good && i < size; i++) {
		uint32_t e = t->pool->tables[n.b].exprs[i];
		good = !e || (exprs[i] = exact_of(t, e)) != 0;
	}
	uint8_t *bytes = (uint8_t *)mem_copy(t->pool->tables[n.b].bytes, size);
	uint32_t r = good ? expr_lookup(t->pool, n.width, offset, expr_table(t->pool, bytes, exprs, size)) : 0;
	mem_free(bytes);
	mem_free(exprs);
	return r;
}

static uint32_t make_node(struct exact_terms *t, uint32_t id)
{
	const struct expr_node n = t->pool->nodes[id]; // a copy: the pool grows
	const uint32_t operands[] = {n.a, n.b, n.c};
	uint32_t made[3] = {n.a, n.b, n.c};
	if (!(n.flags & EXPR_FLOAT))
		return id;
	if (n.op == OP_LOOKUP)
		return make_table(t, id);
	for (unsigned i = 0; i < op_operands(n.op); i++)
		if (!(made[i] = exact_of(t, operands[i])))
			return 0;
	if (op_is_float(n.op))
		return make_float(t, &n, made[0], made[1]);
	return expr_simplify(t->pool, expr_make(t->pool, n.op, n.width, made[0], made[1], made[2]));
}

uint32_t exact_of(struct exact_terms *t, uint32_t id)
{
	if (t->n <= id) {
		uint32_t n = t->pool->max;
		vec_cover(t->made, t->n, n);
		t->n = n;
	}
	if (t->made[id] || t->depth >= DEPTH)
		return t->made[id];
	t->depth++;
	uint32_t r = make_node(t, id);
	t->depth--;
	return t->made[id] = r;
}
