// The range of a node follows from those of its operands, and is computed once: expressions never change. So all
// ranges of a pool together cost what its nodes cost, however often they are asked for.
#include "expr/range.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

// A range of at most 64 bits, as it is kept.
struct kept {
	uint64_t min, max, zeros, ones;
	int64_t low, high;
};

enum { WIDE = 1u << 31 };

struct range_cache {
	uint32_t *places; // per node: its place in `kept`, + 1; or in `wide`, likewise, | WIDE; 0: not computed yet
	uint32_t n_places;
	struct kept *kept;
	uint32_t n, max;
	struct range *wide;
	uint32_t n_wide, max_wide;
	uint32_t *stack;
	uint32_t max_stack;
	// Those that were asked for lately, unpacked.
	uint32_t ids[256];
	struct range ranges[256];
};

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
	eval_value sum;
	if (op != OP_AND && !__builtin_add_overflow(x.max, y.max, &sum) && sum < r.max)
		r.max = sum; // x | y <= x + y
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
	bool constant = y.min == y.max && y.min < width;
	unsigned by = constant ? (unsigned)y.min : 0;
	if (op == OP_LSHR) {
		r.max = y.min < width ? x.max >> (unsigned)y.min : 0;
		r.min = constant ? x.min >> by : 0;
	} else if (op == OP_ASHR && constant) {
		r.low = x.low >> by;
		r.high = x.high >> by;
	} else if (op == OP_SHL && y.min < width) {
		unsigned zeros = trailing(~x.zeros) + (unsigned)y.min;
		r.zeros = eval_mask(zeros) & r.max;
		if (constant && x.max <= r.max >> by) {
			r.min = x.min << by;
			r.max = x.max << by;
		}
	}
	return r;
}

// --- tables --------------------------------------------------------------------------------------

// What is outside of a table reads as 0.
static uint64_t entry_at(const struct expr_table *t, uint64_t at, unsigned bytes)
{
	uint64_t v = 0;
	memcpy(&v, t->bytes + at, t->size - at < bytes ? t->size - at : bytes);
	return v;
}

static bool has_expressions(const struct expr_table *t, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; t->exprs && i <= to && i < t->size; i++)
		if (t->exprs[i])
			return true;
	return false;
}

// All entries that the offset can name.
static struct range of_lookup(const struct expr_table *t, const struct range *offset, unsigned width)
{
	unsigned bytes = width / 8;
	uint64_t first = (uint64_t)offset->min, last = (uint64_t)offset->max;
	uint64_t step = ~(uint64_t)offset->zeros & -~(uint64_t)offset->zeros; // offsets are multiples of it
	if (first >= t->size)
		return exactly(0, width);
	step = step ? step : 1; // only 0 has no ones
	if (has_expressions(t, first, last < t->size ? last + bytes - 1 : last))
		return anything(width);
	if (first % step)
		first += step - first % step;
	struct range r = {.min = eval_mask(width), .low = signed_max(width), .high = -signed_max(width) - 1};
	r.zeros = r.ones = eval_mask(width);
	for (uint64_t at = first; at <= last && at < t->size; at += step)
		r = join(r, exactly(entry_at(t, at, bytes), width));
	return last < t->size && r.min <= r.max ? r : join(r, exactly(0, width));
}

// --- nodes ---------------------------------------------------------------------------------------

static struct range of_binary(const struct expr_pool *p, const struct expr_node *n, struct range x, struct range y)
{
	unsigned width = n->width;
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
	case OP_LSHR:
	case OP_ASHR: return of_shift(n->op, x, y, width);
	case OP_CONCAT: return of_concat(x, y, p->nodes[n->b].width, width);
	default: return anything(width); // nothing is known
	}
}

// Whether something is known of such a node that takes computing.
static bool is_computed(const struct expr_node *n)
{
	return n->width > 1 && op_class(n->op) != OP_CLASS_LEAF && !op_is_float(n->op);
}

static struct range at_once(const struct expr_pool *p, uint32_t id)
{
	const struct expr_node *n = &p->nodes[id];
	return n->op == OP_CONST ? exactly(expr_value(p, id), n->width) : anything(n->width);
}

static struct range unpack(const struct kept *k)
{
	return (struct range){
		.min = k->min, .max = k->max, .low = k->low, .high = k->high, .zeros = k->zeros, .ones = k->ones};
}

static uint32_t place_of(const struct range_cache *c, uint32_t id)
{
	return id < c->n_places ? c->places[id] : 0;
}

// Of a node that was computed before, if it is one that takes computing.
static struct range recall(const struct expr_pool *p, uint32_t id)
{
	const struct range_cache *c = p->ranges;
	uint32_t place = place_of(c, id);
	if (!place)
		return at_once(p, id);
	return place & WIDE ? c->wide[(place & ~WIDE) - 1] : unpack(&c->kept[place - 1]);
}

// All operands were computed before.
static struct range compute(const struct expr_pool *p, uint32_t id)
{
	const struct expr_node *n = &p->nodes[id];
	unsigned width = n->width;
	struct range r = anything(width), x = recall(p, n->a);
	switch (n->op) {
	case OP_ZEXT:
	case OP_SEXT: r = of_extension(n->op, x, p->nodes[n->a].width, width); break;
	case OP_EXTRACT: r = of_extract(x, n->b, width); break;
	case OP_NOT: r = of_not(x, width); break;
	case OP_ITE: r = join(recall(p, n->b), recall(p, n->c)); break;
	case OP_LOOKUP: r = of_lookup(&p->tables[n->b], &x, width); break;
	case OP_CTPOP:
	case OP_CTLZ:
	case OP_CTTZ: r.max = width < r.max ? width : r.max; break;
	default: r = of_binary(p, n, x, recall(p, n->b)); break;
	}
	return agree(r, width);
}

static void keep(struct range_cache *c, uint32_t id, const struct range *r, unsigned width)
{
	assert(r->min <= r->max && r->low <= r->high && !(r->zeros & r->ones) && r->max <= eval_mask(width));
	if (width > 64) {
		vec_room(c->wide, c->n_wide + 1, c->max_wide);
		c->wide[c->n_wide++] = *r;
		c->places[id] = c->n_wide | WIDE;
		return;
	}
	vec_room(c->kept, c->n + 1, c->max);
	c->kept[c->n++] = (struct kept){.min = (uint64_t)r->min,
	                                .max = (uint64_t)r->max,
	                                .zeros = (uint64_t)r->zeros,
	                                .ones = (uint64_t)r->ones,
	                                .low = (int64_t)r->low,
	                                .high = (int64_t)r->high};
	c->places[id] = c->n;
}

static uint32_t push(const struct expr_pool *p, uint32_t depth, uint32_t id)
{
	struct range_cache *c = p->ranges;
	if (c->places[id] || !is_computed(&p->nodes[id]))
		return depth;
	vec_room(c->stack, depth + 1, c->max_stack);
	c->stack[depth] = id;
	return depth + 1;
}

static uint32_t push_operands(const struct expr_pool *p, uint32_t depth, uint32_t id)
{
	const struct expr_node *n = &p->nodes[id];
	const uint32_t operands[] = {n->a, n->b, n->c};
	for (unsigned i = 0; i < op_operands(n->op); i++)
		depth = push(p, depth, operands[i]);
	return depth;
}

static void cover_pool(const struct expr_pool *p)
{
	struct range_cache *c = p->ranges;
	if (c->n_places >= p->n)
		return;
	vec_cover(c->places, c->n_places, p->max);
	c->n_places = p->max;
}

static struct range find(const struct expr_pool *p, uint32_t id)
{
	struct range_cache *c = p->ranges;
	cover_pool(p);
	for (uint32_t depth = push(p, 0, id); depth;) {
		uint32_t top = c->stack[depth - 1], deeper = c->places[top] ? depth : push_operands(p, depth, top);
		if (deeper > depth) {
			depth = deeper;
			continue;
		}
		if (!c->places[top]) {
			struct range r = compute(p, top);
			keep(c, top, &r, p->nodes[top].width);
		}
		depth--;
	}
	return recall(p, id);
}

const struct range *range_of(const struct expr_pool *p, uint32_t id)
{
	struct range_cache *c = p->ranges;
	unsigned at = id % (sizeof c->ids / sizeof *c->ids);
	if (c->ids[at] != id) {
		c->ids[at] = id;
		c->ranges[at] = find(p, id);
	}
	return &c->ranges[at];
}

struct range_cache *range_cache_new(void)
{
	return mem_zero(sizeof(struct range_cache));
}

void range_cache_free(struct range_cache *c)
{
	mem_free(c->places);
	mem_free(c->kept);
	mem_free(c->wide);
	mem_free(c->stack);
	mem_free(c);
}

size_t range_cache_bytes(const struct range_cache *c)
{
	return sizeof *c + c->n_places * sizeof *c->places + c->max * sizeof *c->kept + c->max_wide * sizeof *c->wide;
}
