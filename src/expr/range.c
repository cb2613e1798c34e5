// A range is computed from the nodes near the top only: what matters (extensions, masks,
// constants) is there, and nothing has to be kept per node.
#include "expr/range.h"

enum { NEAR = 12 }; // nodes looked at

static struct range look(const struct expr_pool *p, uint32_t id, int budget);

static eval_signed signed_max(unsigned width)
{
	return (eval_signed)(eval_mask(width) >> 1);
}

static struct range anything(unsigned width)
{
	return (struct range){.max = eval_mask(width), .low = -signed_max(width) - 1, .high = signed_max(width)};
}

static struct range exactly(eval_value v, unsigned width)
{
	eval_signed s = eval_sign(v, width);
	return (struct range){.min = v, .max = v, .low = s, .high = s, .zeros = ~v & eval_mask(width), .ones = v};
}

static unsigned length(eval_value v) // bits up to the highest 1
{
	uint64_t high = (uint64_t)(v >> 64), low = (uint64_t)v;
	return high ? 128 - (unsigned)__builtin_clzll(high) : low ? 64 - (unsigned)__builtin_clzll(low) : 0;
}

static unsigned trailing(eval_value v) // bits below the lowest 1
{
	uint64_t high = (uint64_t)(v >> 64), low = (uint64_t)v;
	return low ? (unsigned)__builtin_ctzll(low) : high ? 64 + (unsigned)__builtin_ctzll(high) : 128;
}

// Where all values have the same sign, signed and unsigned bounds are the same.
static struct range agree_on_sign(struct range r, unsigned width)
{
	eval_value mask = eval_mask(width), top = (eval_value)signed_max(width);
	if (r.low >= 0 || r.high < 0) {
		eval_value min = (eval_value)r.low & mask, max = (eval_value)r.high & mask;
		r.min = r.min < min ? min : r.min;
		r.max = r.max > max ? max : r.max;
	}
	if (r.max <= top || r.min > top) {
		eval_signed low = eval_sign(r.min, width), high = eval_sign(r.max, width);
		r.low = r.low < low ? low : r.low;
		r.high = r.high > high ? high : r.high;
	}
	return r;
}

// Bounds say something about bits, and bits about bounds.
static struct range agree(struct range r, unsigned width)
{
	r = agree_on_sign(r, width);
	eval_value mask = eval_mask(width);
	eval_value differ = eval_mask(length(r.min ^ r.max)); // above these, all values are the same
	r.ones |= r.min & ~differ;
	r.zeros |= ~r.min & ~differ & mask;
	if (r.min < r.ones)
		r.min = r.ones;
	if (r.max > (~r.zeros & mask))
		r.max = ~r.zeros & mask;
	return agree_on_sign(r, width);
}

static struct range join(struct range x, struct range y)
{
	return (struct range){.min = x.min < y.min ? x.min : y.min,
	                      .max = x.max > y.max ? x.max : y.max,
	                      .low = x.low < y.low ? x.low : y.low,
	                      .high = x.high > y.high ? x.high : y.high,
	                      .zeros = x.zeros & y.zeros,
	                      .ones = x.ones & y.ones};
}

// Signed bounds of an operation, unless it can overflow.
static struct range with_signed(struct range r, bool overflows, eval_signed low, eval_signed high)
{
	if (overflows || low < r.low || high > r.high)
		return r;
	r.low = low;
	r.high = high;
	return r;
}

static struct range of_add(struct range x, struct range y, unsigned width)
{
	eval_value mask = eval_mask(width), min, max;
	struct range r = anything(width);
	bool min_over = __builtin_add_overflow(x.min, y.min, &min) || min > mask;
	bool max_over = __builtin_add_overflow(x.max, y.max, &max) || max > mask;
	if (min_over == max_over) { // none wraps around, or all do
		r.min = min & mask;
		r.max = max & mask;
	}
	unsigned tx = trailing(~x.zeros), ty = trailing(~y.zeros);
	r.zeros = eval_mask(tx < ty ? tx : ty) & mask;
	eval_signed low, high;
	bool over = __builtin_add_overflow(x.low, y.low, &low);
	over |= __builtin_add_overflow(x.high, y.high, &high);
	return with_signed(r, over, low, high);
}

static struct range of_sub(struct range x, struct range y, unsigned width)
{
	struct range r = anything(width);
	if (x.min >= y.max) {
		r.min = x.min - y.max;
		r.max = x.max - y.min;
	}
	eval_signed low, high;
	bool over = __builtin_sub_overflow(x.low, y.high, &low);
	over |= __builtin_sub_overflow(x.high, y.low, &high);
	return with_signed(r, over, low, high);
}

static struct range of_mul(struct range x, struct range y, unsigned width)
{
	struct range r = anything(width);
	eval_value max;
	if (!__builtin_mul_overflow(x.max, y.max, &max) && max <= r.max) {
		r.min = x.min * y.min;
		r.max = max;
	}
	unsigned zeros = trailing(~x.zeros) + trailing(~y.zeros);
	r.zeros = eval_mask(zeros) & eval_mask(width);
	eval_signed products[4];
	bool over = __builtin_mul_overflow(x.low, y.low, &products[0]);
	over |= __builtin_mul_overflow(x.low, y.high, &products[1]);
	over |= __builtin_mul_overflow(x.high, y.low, &products[2]);
	over |= __builtin_mul_overflow(x.high, y.high, &products[3]);
	eval_signed low = products[0], high = products[0];
	for (unsigned i = 1; i < 4; i++) {
		low = products[i] < low ? products[i] : low;
		high = products[i] > high ? products[i] : high;
	}
	return with_signed(r, over, low, high);
}

static struct range of_division(unsigned op, struct range x, struct range y, unsigned width)
{
	struct range r = anything(width);
	if (op == OP_UDIV && y.min > 0) {
		r.min = x.min / y.max;
		r.max = x.max / y.min;
	} else if (op == OP_UREM) { // by 0: the dividend
		r.max = x.max;
		if (y.min > 0 && y.max - 1 < r.max)
			r.max = y.max - 1;
	} else if (op == OP_SREM) { // nearer to 0 than the dividend, and, by a positive number, than that
		r.low = x.low < 0 ? x.low : 0;
		r.high = x.high > 0 ? x.high : 0;
		if (y.low > 0) {
			r.low = r.low < 1 - y.high ? 1 - y.high : r.low;
			r.high = r.high > y.high - 1 ? y.high - 1 : r.high;
		}
	} else if (op == OP_SDIV && y.low > 0) {
		r.low = x.low / (x.low < 0 ? y.low : y.high);
		r.high = x.high / (x.high < 0 ? y.high : y.low);
	}
	return r;
}

static struct range of_bits(unsigned op, struct range x, struct range y, unsigned width)
{
	struct range r = anything(width);
	if (op == OP_AND) {
		r.max = x.max < y.max ? x.max : y.max;
		r.zeros = x.zeros | y.zeros;
		r.ones = x.ones & y.ones;
	} else if (op == OP_OR) {
		r.min = x.min > y.min ? x.min : y.min;
		r.zeros = x.zeros & y.zeros;
		r.ones = x.ones | y.ones;
	} else {
		r.zeros = (x.zeros & y.zeros) | (x.ones & y.ones);
		r.ones = (x.zeros & y.ones) | (x.ones & y.zeros);
	}
	return r;
}

static struct range of_not(struct range x, unsigned width)
{
	eval_value mask = eval_mask(width);
	return (struct range){.min = ~x.max & mask,
	                      .max = ~x.min & mask,
	                      .low = ~x.high,
	                      .high = ~x.low,
	                      .zeros = x.ones,
	                      .ones = x.zeros};
}

static struct range of_extension(unsigned op, struct range x, unsigned from, unsigned width)
{
	eval_value above = eval_mask(width) & ~eval_mask(from), sign = (eval_value)1 << (from - 1);
	struct range r = anything(width);
	if (op == OP_ZEXT || (x.zeros & sign)) {
		r.min = x.min;
		r.max = x.max;
		r.zeros = x.zeros | above;
		r.ones = x.ones;
		return r;
	}
	r.low = x.low;
	r.high = x.high;
	r.zeros = x.zeros & (sign - 1);
	r.ones = x.ones & (sign - 1);
	return r;
}

static struct range of_extract(struct range x, unsigned low, unsigned width)
{
	struct range r = anything(width);
	if (x.max >> low <= r.max) {
		r.min = x.min >> low;
		r.max = x.max >> low;
	}
	r.zeros = x.zeros >> low & eval_mask(width);
	r.ones = x.ones >> low & eval_mask(width);
	return r;
}

static struct range of_concat(struct range x, struct range y, unsigned low, unsigned width)
{
	struct range r = anything(width);
	r.min = x.min << low | y.min;
	r.max = x.max << low | y.max;
	r.zeros = x.zeros << low | y.zeros;
	r.ones = x.ones << low | y.ones;
	return r;
}

// By a constant: simplified expressions have EXTRACT and CONCAT for it, others may still have shifts.
static struct range of_shift(unsigned op, struct range x, struct range y, unsigned width)
{
	struct range r = anything(width);
	if (op == OP_LSHR) {
		r.max = y.min < width ? x.max >> (unsigned)y.min : 0;
	} else if (op == OP_SHL && y.min < width) {
		unsigned by = trailing(~x.zeros) + (unsigned)y.min;
		r.zeros = eval_mask(by) & r.max;
	}
	return r;
}

static struct range of_binary(const struct expr_pool *p, const struct expr_node *n, int budget)
{
	unsigned width = n->width;
	if (!expr_is_const(p, n->b))
		budget /= 2;
	struct range x = look(p, n->a, budget - 1), y = look(p, n->b, budget - 1);
	switch (n->op) {
	case OP_ADD: return of_add(x, y, width);
	case OP_SUB: return of_sub(x, y, width);
	case OP_MUL: return of_mul(x, y, width);
	case OP_UDIV:
	case OP_SDIV:
	case OP_UREM:
	case OP_SREM: return of_division(n->op, x, y, width);
	case OP_AND:
	case OP_OR:
	case OP_XOR: return of_bits(n->op, x, y, width);
	case OP_SHL:
	case OP_LSHR: return of_shift(n->op, x, y, width);
	case OP_CONCAT: return of_concat(x, y, p->nodes[n->b].width, width);
	default: return anything(width);
	}
}

static struct range look(const struct expr_pool *p, uint32_t id, int budget)
{
	const struct expr_node *n = &p->nodes[id];
	unsigned width = n->width;
	struct range r = anything(width);
	if (n->op == OP_CONST)
		return exactly(expr_value(p, id), width);
	if (n->op == OP_INPUT || width == 1)
		return r;
	if (budget <= 0 && n->op != OP_ZEXT)
		return r;
	switch (n->op) {
	case OP_ZEXT:
	case OP_SEXT: r = of_extension(n->op, look(p, n->a, budget - 1), p->nodes[n->a].width, width); break;
	case OP_EXTRACT: r = of_extract(look(p, n->a, budget - 1), n->b, width); break;
	case OP_NOT: r = of_not(look(p, n->a, budget - 1), width); break;
	case OP_ITE: r = join(look(p, n->b, budget / 2), look(p, n->c, budget / 2)); break;
	case OP_CTPOP:
	case OP_CTLZ:
	case OP_CTTZ: r.max = width < r.max ? width : r.max; break;
	case OP_ADD:
	case OP_SUB:
	case OP_MUL:
	case OP_UDIV:
	case OP_SDIV:
	case OP_UREM:
	case OP_SREM:
	case OP_AND:
	case OP_OR:
	case OP_XOR:
	case OP_SHL:
	case OP_LSHR:
	case OP_CONCAT: r = of_binary(p, n, budget); break;
	default: return r;
	}
	return agree(r, width);
}

const struct range *range_of(const struct expr_pool *p, uint32_t id)
{
	struct range_cache *cache = p->ranges;
	unsigned at = id % (sizeof cache->ids / sizeof *cache->ids);
	if (cache->ids[at] != id) {
		cache->ids[at] = id;
		cache->ranges[at] = look(p, id, NEAR);
	}
	return &cache->ranges[at];
}
