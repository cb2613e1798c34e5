#include "expr/integral.h"

#include <math.h>
#include <string.h>

#include "expr/range.h"
#include "expr/simplify.h"

// An integer, and what it can be; wide enough for any that a double has exactly, and for a bit more.
typedef __int128 whole;

struct integral {
	uint32_t x; // the integer itself, before it became a float
	bool is_signed;
	whole min, max;
};

// Largest n such that all integers up to 2^n have a float of that width.
static unsigned exact_bits(unsigned width)
{
	return width == 32 ? 24 : width == 64 ? 53 : 0;
}

static bool read_integral(const struct expr_pool *p, uint32_t id, struct integral *ret)
{
	const struct expr_node *n = &p->nodes[id];
	if (n->op != OP_SITOF && n->op != OP_UITOF)
		return false;
	unsigned bits = exact_bits(n->width);
	const struct range *r = range_of(p, n->a);
	*ret = (struct integral){.x = n->a, .is_signed = n->op == OP_SITOF};
	if (!bits || expr_width(p, n->a) > 64)
		return false;
	ret->min = ret->is_signed ? (whole)r->low : (whole)r->min;
	ret->max = ret->is_signed ? (whole)r->high : (whole)r->max;
	return ret->max <= (whole)1 << bits && ret->min >= -((whole)1 << bits);
}

static bool read_constant(const struct expr_pool *p, uint32_t id, double *ret)
{
	if (!expr_is_const(p, id))
		return false;
	eval_value bits = expr_value(p, id);
	float single;
	uint32_t low = (uint32_t)bits;
	uint64_t all = (uint64_t)bits;
	memcpy(&single, &low, sizeof single);
	memcpy(ret, &all, sizeof *ret);
	if (expr_width(p, id) == 32)
		*ret = (double)single;
	return expr_width(p, id) == 32 || expr_width(p, id) == 64;
}

// Beyond what any integral is, one number is as good as another.
static whole to_whole(double integer)
{
	const double far = 0x1p70;
	return (whole)(integer > far ? far : integer < -far ? -far : integer);
}

static struct expr_node compare(unsigned op, uint32_t a, uint32_t b)
{
	return (struct expr_node){.op = (uint8_t)op, .width = 1, .a = a, .b = b};
}

// x <= limit, or the other way round: limit <= x.
static uint32_t bound(struct expr_pool *p, const struct integral *i, whole limit, bool at_most, struct expr_node *n)
{
	if (at_most ? limit >= i->max : limit <= i->min)
		return expr_const(p, 1, 1);
	if (at_most ? limit < i->min : limit > i->max)
		return expr_const(p, 1, 0);
	uint32_t c = expr_const(p, expr_width(p, i->x), (eval_value)limit);
	unsigned op = i->is_signed ? OP_SLE : OP_ULE;
	*n = at_most ? compare(op, i->x, c) : compare(op, c, i->x);
	return 0;
}

static uint32_t with_constant(struct expr_pool *p, struct expr_node *n, const struct integral *i, double c, bool first)
{
	if (isnan(c))
		return expr_const(p, 1, n->op == OP_FUNO);
	switch (n->op) {
	case OP_FUNO: return expr_const(p, 1, 0);
	case OP_FLT: return bound(p, i, first ? to_whole(ceil(c)) - 1 : to_whole(floor(c)) + 1, first, n);
	case OP_FLE: return bound(p, i, to_whole(first ? floor(c) : ceil(c)), first, n);
	default: break; // OP_FEQ
	}
	whole value = to_whole(c);
	if (floor(c) != c || value < i->min || value > i->max)
		return expr_const(p, 1, 0);
	*n = compare(OP_EQ, i->x, expr_const(p, expr_width(p, i->x), (eval_value)value));
	return 0;
}

// The integer in as many bits, the lowest if it has more.
static struct expr_node resize(const struct expr_pool *p, const struct integral *i, unsigned width)
{
	unsigned op = width < expr_width(p, i->x) ? OP_EXTRACT : i->is_signed ? OP_SEXT : OP_ZEXT;
	return (struct expr_node){.op = (uint8_t)op, .width = (uint16_t)width, .a = i->x};
}

static uint32_t make(struct expr_pool *p, struct expr_node n)
{
	if (n.width == expr_width(p, n.a) && n.op != OP_ULE && n.op != OP_SLE)
		return n.a; // nothing to resize
	return expr_simplify(p, expr_make(p, n.op, n.width, n.a, n.b, n.c));
}

// They compare as integers do, of 64 bits when they are not alike.
static void with_another(struct expr_pool *p, struct expr_node *n, const struct integral *a, const struct integral *b,
                         uint32_t *ret_constant)
{
	if (n->op == OP_FUNO) {
		*ret_constant = expr_const(p, 1, 0);
		return;
	}
	bool alike = a->is_signed == b->is_signed && expr_width(p, a->x) == expr_width(p, b->x);
	bool is_signed = a->is_signed || !alike;
	unsigned op = n->op == OP_FEQ   ? OP_EQ
	              : n->op == OP_FLT ? (is_signed ? OP_SLT : OP_ULT)
	                                : (is_signed ? OP_SLE : OP_ULE);
	uint32_t x = alike ? a->x : make(p, resize(p, a, 64));
	*n = compare(op, x, alike ? b->x : make(p, resize(p, b, 64)));
}

// Does it lie between these two?
static uint32_t make_between(struct expr_pool *p, const struct integral *i, whole least, whole most)
{
	uint32_t all = expr_const(p, 1, 1);
	for (unsigned k = 0; k < 2; k++) {
		struct expr_node n;
		uint32_t constant = bound(p, i, k ? most : least, k, &n);
		uint32_t one = constant ? constant : make(p, n);
		all = expr_simplify(p, expr_make(p, OP_AND, 1, all, one, 0));
	}
	return all;
}

// To a float and back. The processor converts to 32 or 64 bits; what does not fit there becomes the smallest number of
// that many (eval_to_integer). What is integral here fits into 64.
static bool back(struct expr_pool *p, struct expr_node *n)
{
	const whole least = -((whole)1 << 31), most = ((whole)1 << 31) - 1;
	struct integral i;
	if (n->width > 64 || !read_integral(p, n->a, &i))
		return false;
	unsigned at = n->op == OP_FTOSI ? (n->width <= 32 ? 32 : 64) : (n->width < 32 ? 32 : 64);
	struct expr_node fits = resize(p, &i, n->width);
	if (at == 64 || (i.min >= least && i.max <= most)) {
		*n = fits;
		return true;
	}
	uint32_t smallest = expr_const(p, n->width, (eval_value)1 << 31);
	*n = (struct expr_node){.op = OP_ITE,
	                        .width = n->width,
	                        .a = make_between(p, &i, least, most),
	                        .b = make(p, fits),
	                        .c = smallest};
	return true;
}

bool integral_rewrite(struct expr_pool *p, struct expr_node *n, uint32_t *ret_constant)
{
	struct integral a, b;
	double c;
	*ret_constant = 0;
	if (n->op == OP_FTOSI || n->op == OP_FTOUI)
		return back(p, n);
	if (!(op_class(n->op) == OP_CLASS_FLOAT_COMPARISON))
		return false;
	bool first = read_integral(p, n->a, &a), second = read_integral(p, n->b, &b);
	if (first && second) {
		with_another(p, n, &a, &b, ret_constant);
		return true;
	}
	if (!(first && read_constant(p, n->b, &c)) && !(second && read_constant(p, n->a, &c)))
		return false;
	*ret_constant = with_constant(p, n, first ? &a : &b, c, first);
	return true;
}
