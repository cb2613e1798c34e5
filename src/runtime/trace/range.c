// What values an expression can have, by its form alone: (u32)byte is in 0 .. 255. Where
// that is enough, no condition has to be recorded.
#include "runtime/trace/rt.h"

enum { DEPTH = 12 };

typedef struct rt_range range;
typedef __int128 wide;

static range all(unsigned width)
{
	int64_t high = width >= 64 ? INT64_MAX : (1ll << (width - 1)) - 1;
	return (range){-high - 1, high};
}

static range fit(wide low, wide high, unsigned width)
{
	range most = all(width);
	return low < most.low || high > most.high ? most : (range){(int64_t)low, (int64_t)high};
}

static range range_of(label l, unsigned depth);

static range product(range a, range b, unsigned width)
{
	wide p[] = {(wide)a.low * b.low, (wide)a.low * b.high, (wide)a.high * b.low, (wide)a.high * b.high};
	wide low = p[0], high = p[0];
	for (int i = 1; i < 4; i++) {
		low = p[i] < low ? p[i] : low;
		high = p[i] > high ? p[i] : high;
	}
	return fit(low, high, width);
}

// With zeros: what was negative becomes large.
static range extended(label inner, unsigned width, unsigned depth)
{
	range r = range_of(inner, depth);
	unsigned had = rt_width(inner);
	if (r.low >= 0)
		return r;
	return had < 64 ? fit(0, ((wide)1 << had) - 1, width) : all(width);
}

static range masked(range a, range b, unsigned width)
{
	if (a.low < 0 && b.low < 0)
		return all(width);
	int64_t high = a.low < 0 ? b.high : b.low < 0 ? a.high : a.high < b.high ? a.high : b.high;
	return (range){0, high};
}

static range united(range a, range b)
{
	return (range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static range range_of(label l, unsigned depth)
{
	const struct trace_node *n = &rt_nodes[l];
	if (depth == 0 || n->width > 64)
		return all(n->width);
	depth--;
	switch (n->op) {
	case OP_CONST: {
		int64_t value = (int64_t)eval_sign(n->b | (eval_value)n->c << 32, n->width);
		return (range){value, value};
	}
	case OP_ZEXT: return extended(n->a, n->width, depth);
	case OP_SEXT: return range_of(n->a, depth);
	case OP_ITE: return united(range_of(n->b, depth), range_of(n->c, depth));
	case OP_AND: return masked(range_of(n->a, depth), range_of(n->b, depth), n->width);
	case OP_MUL: return product(range_of(n->a, depth), range_of(n->b, depth), n->width);
	case OP_ADD:
	case OP_SUB: {
		range a = range_of(n->a, depth), b = range_of(n->b, depth);
		return n->op == OP_ADD ? fit((wide)a.low + b.low, (wide)a.high + b.high, n->width)
		                       : fit((wide)a.low - b.high, (wide)a.high - b.low, n->width);
	}
	case OP_SHL: {
		range a = range_of(n->a, depth), b = range_of(n->b, depth);
		bool fixed = b.low == b.high && b.low >= 0 && b.low < 62;
		return fixed ? product(a, (range){1ll << b.low, 1ll << b.low}, n->width) : all(n->width);
	}
	case OP_LSHR: {
		range a = range_of(n->a, depth), b = range_of(n->b, depth);
		if (b.low != b.high || b.low <= 0 || b.low >= n->width)
			return all(n->width);
		return a.low >= 0 ? (range){a.low >> b.low, a.high >> b.low}
		                  : (range){0, (int64_t)((uint64_t)eval_mask(n->width) >> b.low)};
	}
	default: return all(n->width); // nothing is known
	}
}

struct rt_range rt_range(label l)
{
	return range_of(l, DEPTH);
}

bool rt_lies_in(label l, int64_t low, int64_t high)
{
	range r = rt_range(l);
	return r.low >= low && r.high <= high;
}
