#include "explain/field.h"

#include <string.h>

#include "expr/range.h"

enum { BYTES_MAX = 16, DEPTH_MAX = 48, TERMS_MAX = 20 };

// --- bytes ----------------------------------------------------------------------------------------

// Per byte of a value, the lowest first: a variable + 1; 0: the byte is 0.
struct bytes {
	uint32_t v[BYTES_MAX];
	unsigned n;
};

static bool spread(const struct expr_pool *p, uint32_t id, unsigned depth, struct bytes *ret);

static void shift(struct bytes *b, int up)
{
	struct bytes r = {.n = b->n};
	for (int i = 0; i < (int)b->n; i++)
		if (i - up >= 0 && i - up < (int)b->n)
			r.v[i] = b->v[i - up];
	*b = r;
}

static bool spread_shift(const struct expr_pool *p, const struct expr_node *n, unsigned depth, struct bytes *ret)
{
	if (!expr_is_const(p, n->b) || expr_value(p, n->b) % 8 || expr_value(p, n->b) >= n->width)
		return false;
	int by = (int)(expr_value(p, n->b) / 8);
	if (!spread(p, n->a, depth, ret))
		return false;
	shift(ret, n->op == OP_SHL ? by : -by);
	return true;
}

// Both, where at most one of each two bytes is not 0: then a sum is the same.
static bool spread_both(const struct expr_pool *p, const struct expr_node *n, unsigned depth, struct bytes *ret)
{
	struct bytes other;
	if (!spread(p, n->a, depth, ret) || !spread(p, n->b, depth, &other))
		return false;
	for (unsigned i = 0; i < ret->n; i++) {
		if (ret->v[i] && other.v[i])
			return false;
		ret->v[i] |= other.v[i];
	}
	return true;
}

static bool spread_mask(const struct expr_pool *p, const struct expr_node *n, unsigned depth, struct bytes *ret)
{
	if (!expr_is_const(p, n->b) || !spread(p, n->a, depth, ret))
		return false;
	for (unsigned i = 0; i < ret->n; i++) {
		unsigned mask = (unsigned)(expr_value(p, n->b) >> 8 * i) & 255;
		if (mask != 0 && mask != 255 && ret->v[i])
			return false;
		if (!mask)
			ret->v[i] = 0;
	}
	return true;
}

static bool spread_concat(const struct expr_pool *p, const struct expr_node *n, unsigned depth, struct bytes *ret)
{
	struct bytes high;
	if (!spread(p, n->b, depth, ret) || !spread(p, n->a, depth, &high))
		return false;
	memcpy(ret->v + ret->n, high.v, high.n * sizeof *high.v);
	ret->n += high.n;
	return true;
}

static bool spread_extract(const struct expr_pool *p, const struct expr_node *n, unsigned depth, struct bytes *ret)
{
	if (n->b % 8 || !spread(p, n->a, depth, ret))
		return false;
	shift(ret, -(int)(n->b / 8));
	ret->n = n->width / 8;
	return true;
}

static uint32_t variable(const struct expr_pool *p, uint32_t id)
{
	return p->only[id];
}

static bool spread(const struct expr_pool *p, uint32_t id, unsigned depth, struct bytes *ret)
{
	const struct expr_node *n = &p->nodes[id];
	*ret = (struct bytes){.n = n->width / 8};
	if (n->width % 8 || n->width > 8 * BYTES_MAX || depth == 0)
		return false;
	switch (n->op) {
	case OP_CONST: return expr_value(p, id) == 0;
	case OP_INPUT: ret->v[0] = variable(p, id) + 1; return true;
	case OP_ZEXT:
		if (!spread(p, n->a, depth - 1, ret))
			return false;
		ret->n = n->width / 8;
		return true;
	case OP_SHL:
	case OP_LSHR: return spread_shift(p, n, depth - 1, ret);
	case OP_OR:
	case OP_XOR:
	case OP_ADD: return spread_both(p, n, depth - 1, ret);
	case OP_AND: return spread_mask(p, n, depth - 1, ret);
	case OP_CONCAT: return spread_concat(p, n, depth - 1, ret);
	case OP_EXTRACT: return spread_extract(p, n, depth - 1, ret);
	default: return false;
	}
}

bool field_of(const struct expr_pool *p, uint32_t id, struct field *ret)
{
	struct bytes b;
	unsigned low = 0;
	if (!spread(p, id, DEPTH_MAX, &b))
		return false;
	while (b.n && !b.v[b.n - 1])
		b.n--;
	while (low < b.n && !b.v[low])
		low++;
	if (low == b.n)
		return false;
	const struct expr_var *first = &p->vars[b.v[low] - 1], *last = &p->vars[b.v[b.n - 1] - 1];
	bool big = last->offset < first->offset;
	for (unsigned i = low; i < b.n; i++) {
		const struct expr_var *v = b.v[i] ? &p->vars[b.v[i] - 1] : NULL;
		uint32_t expected = big ? first->offset - (i - low) : first->offset + (i - low);
		if (!v || v->source != first->source || v->offset != expected)
			return false;
	}
	*ret = (struct field){.source = first->source,
	                      .offset = big ? last->offset : first->offset,
	                      .bytes = b.n - low,
	                      .big = big,
	                      .above = low};
	return true;
}

// --- numbers that are written in digits -----------------------------------------------------------

// A sum of bytes and of values of digits, each with its factor. Numbers are cut to the width of the whole.
struct sum {
	struct {
		uint32_t var;
		eval_value factor;
		bool value; // of the digit; else the byte itself
	} terms[TERMS_MAX];
	unsigned n, width;
	eval_value constant;
	struct tape *scratch;
};

static eval_value cut(const struct sum *s, eval_value v)
{
	return s->width < 128 ? v & (((eval_value)1 << s->width) - 1) : v;
}

static bool add_term(struct sum *s, uint32_t var, eval_value factor, bool value)
{
	if (s->n == TERMS_MAX)
		return false;
	s->terms[s->n].var = var;
	s->terms[s->n].value = value;
	s->terms[s->n++].factor = cut(s, factor);
	return true;
}

// Narrower sums are extended with the sign that their constant has: of digits nothing gets lost.
static eval_value widened(const struct expr_pool *p, uint32_t id)
{
	return (eval_value)eval_sign(expr_value(p, id), expr_width(p, id));
}

// Whether the expression is what the only byte it depends on is worth as a digit, of any base up to 16.
static bool is_digit(struct tape *scratch, uint32_t id)
{
	enum { STEPS_MAX = 64 };
	const struct expr_pool *p = scratch->pool;
	if (p->only[id] == EXPR_MANY || expr_width(p, id) < 4 || p->nodes[id].op == OP_INPUT)
		return false;
	uint32_t step = tape_add(scratch, id);
	bool is = scratch->n <= STEPS_MAX && scratch->n_vars == 1;
	for (unsigned i = 0; is && i < 10; i++) {
		tape_set(scratch, p->only[id], (uint8_t)('0' + i));
		tape_run(scratch);
		is = scratch->values[step] == i;
	}
	tape_clear(scratch);
	return is;
}

static bool collect(const struct expr_pool *p, uint32_t id, eval_value factor, unsigned depth, struct sum *s);

// Parts side by side: high << width of the low one, and that. What is cut off above is 0 in such a number.
static bool collect_concat(const struct expr_pool *p, const struct expr_node *n, eval_value factor, unsigned depth,
                           struct sum *s)
{
	const struct expr_node *high = &p->nodes[n->a];
	uint32_t x = high->op == OP_EXTRACT && high->b == 0 ? high->a : n->a;
	return collect(p, x, factor << expr_width(p, n->b), depth, s) && collect(p, n->b, factor, depth, s);
}

static bool has_no_bit_in_common(const struct expr_pool *p, uint32_t a, uint32_t b)
{
	eval_value zeros = range_of(p, a)->zeros;
	unsigned width = expr_width(p, a);
	eval_value all = width < 128 ? ((eval_value)1 << width) - 1 : ~(eval_value)0;
	return ((zeros | range_of(p, b)->zeros) & all) == all;
}

static bool collect(const struct expr_pool *p, uint32_t id, eval_value factor, unsigned depth, struct sum *s)
{
	const struct expr_node *n = &p->nodes[id];
	if (depth-- == 0)
		return false;
	if (is_digit(s->scratch, id))
		return add_term(s, p->only[id], factor, true);
	switch (n->op) {
	case OP_CONST: s->constant = cut(s, s->constant + factor * widened(p, id)); return true;
	case OP_INPUT: return add_term(s, variable(p, id), factor, false);
	case OP_ADD:
	case OP_SUB:
		return collect(p, n->a, factor, depth, s) &&
		       collect(p, n->b, n->op == OP_ADD ? factor : (eval_value)0 - factor, depth, s);
	case OP_OR:
		return has_no_bit_in_common(p, n->a, n->b) && collect(p, n->a, factor, depth, s) &&
		       collect(p, n->b, factor, depth, s);
	case OP_MUL:
		return expr_is_const(p, n->b)   ? collect(p, n->a, factor * widened(p, n->b), depth, s)
		       : expr_is_const(p, n->a) ? collect(p, n->b, factor * widened(p, n->a), depth, s)
		                                : false;
	case OP_SHL:
		return expr_is_const(p, n->b) && expr_value(p, n->b) < n->width &&
		       collect(p, n->a, factor << expr_value(p, n->b), depth, s);
	case OP_CONCAT: return collect_concat(p, n, factor, depth, s);
	case OP_ZEXT:
	case OP_SEXT: return collect(p, n->a, factor, depth, s);
	case OP_EXTRACT: return n->b == 0 && n->width >= 16 && collect(p, n->a, factor, depth, s);
	default: return false;
	}
}

// The place of the digit `i` bytes behind the first; -1: there is none with that factor.
static int find_place(const struct expr_pool *p, const struct sum *s, const struct expr_var *first, uint32_t i,
                      eval_value factor)
{
	for (unsigned k = 0; k < s->n; k++) {
		const struct expr_var *v = &p->vars[s->terms[k].var];
		if (v->source == first->source && v->offset == first->offset + i)
			return s->terms[k].factor == cut(s, factor) ? (int)k : -1;
	}
	return -1;
}

static bool is_of_base(const struct expr_pool *p, const struct sum *s, const struct expr_var *first, unsigned base)
{
	eval_value factor = 1, digits = 0;
	for (uint32_t i = s->n; i-- > 0; factor *= base) {
		int k = find_place(p, s, first, i, factor);
		if (k < 0)
			return false;
		digits += s->terms[k].value ? 0 : factor * '0';
	}
	return cut(s, s->constant + digits) == 0;
}

bool field_number(struct tape *scratch, uint32_t id, struct field *ret)
{
	static const unsigned bases[] = {10, 16, 8};
	const struct expr_pool *p = scratch->pool;
	struct sum s = {.width = expr_width(p, id), .scratch = scratch};
	if (s.width < 16 || !collect(p, id, 1, DEPTH_MAX, &s) || s.n < 2)
		return false;
	const struct expr_var *first = &p->vars[s.terms[0].var];
	for (unsigned k = 1; k < s.n; k++)
		if (p->vars[s.terms[k].var].offset < first->offset)
			first = &p->vars[s.terms[k].var];
	for (unsigned i = 0; i < 3; i++)
		if (is_of_base(p, &s, first, bases[i])) {
			*ret = (struct field){
				.source = first->source, .offset = first->offset, .bytes = s.n, .base = bases[i]};
			return true;
		}
	return false;
}

// --- lengths --------------------------------------------------------------------------------------

// The byte that the condition says to be 0; NULL: none.
static const struct expr_var *is_end(const struct expr_pool *p, uint32_t condition)
{
	const struct expr_node *n = &p->nodes[condition];
	struct field f;
	if (n->op != OP_EQ || !expr_is_const(p, n->b) || expr_value(p, n->b) != 0 || !field_of(p, n->a, &f) ||
	    f.bytes != 1 || f.above)
		return NULL;
	return &p->vars[variable(p, n->a)];
}

bool field_text_length(const struct expr_pool *p, uint32_t id, struct field *ret)
{
	enum { AT_LEAST = 2 };
	const struct expr_var *first = NULL;
	uint32_t i = 0;
	while (p->nodes[id].op == OP_ZEXT)
		id = p->nodes[id].a;
	for (; p->nodes[id].op == OP_ITE; i++) {
		const struct expr_node *n = &p->nodes[id];
		const struct expr_var *v = is_end(p, n->a);
		if (!v || !expr_is_const(p, n->b) || expr_value(p, n->b) != i ||
		    (first && (v->source != first->source || v->offset != first->offset + i)))
			return false;
		first = first ? first : v;
		id = n->c;
	}
	if (i < AT_LEAST || !expr_is_const(p, id))
		return false;
	*ret = (struct field){.source = first->source, .offset = first->offset, .bytes = i};
	return true;
}
