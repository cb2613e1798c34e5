#include "solver/fixed_terms.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

// Fixed-point numbers are signed, with half of their bits behind the point. The smallest value is NaN, the largest is
// infinity.
static unsigned fixed_width_of(unsigned float_width)
{
	return float_width <= 32 ? 32 : 64;
}

static eval_value nan_of(unsigned width)
{
	return (eval_value)1 << (width - 1);
}

static eval_value infinity_of(unsigned width)
{
	return nan_of(width) - 1;
}

eval_value fixed_from_float(eval_value bits, unsigned width, unsigned fixed_width, bool *ret_fits)
{
	long double x = eval_float(bits, width), scaled = ldexpl(x, (int)fixed_width / 2);
	*ret_fits = true;
	if (isnan(x))
		return nan_of(fixed_width);
	if (isinf(x))
		return infinity_of(fixed_width);
	*ret_fits = fabsl(scaled) < (long double)infinity_of(fixed_width);
	return *ret_fits ? (eval_value)(eval_signed)rintl(scaled) & eval_mask(fixed_width) : infinity_of(fixed_width);
}

eval_value fixed_to_float(eval_value fixed, unsigned fixed_width, unsigned width)
{
	if (fixed == nan_of(fixed_width))
		return eval_bits(NAN, width);
	if (fixed == infinity_of(fixed_width))
		return eval_bits(INFINITY, width);
	return eval_bits(ldexpl((long double)eval_sign(fixed, fixed_width), -(int)fixed_width / 2), width);
}

void fixed_terms_init(struct fixed_terms *t, const struct expr_pool *from)
{
	*t = (struct fixed_terms){.from = from};
	expr_pool_init(&t->to);
}

void fixed_terms_release(struct fixed_terms *t)
{
	expr_pool_release(&t->to);
	condition_list_release(&t->more);
	mem_free(t->bits);
	mem_free(t->fixed);
	mem_free(t->words);
	mem_free(t->var_of);
	*t = (struct fixed_terms){0};
}

void fixed_terms_clear(struct fixed_terms *t)
{
	const struct expr_pool *from = t->from;
	fixed_terms_release(t);
	fixed_terms_init(t, from);
}

// --- making terms ----------------------------------------------------------------------------------

static uint32_t make(struct fixed_terms *t, unsigned op, uint32_t a, uint32_t b)
{
	return expr_make(&t->to, op, op_gives_bit(op) ? 1 : expr_width(&t->to, a), a, b, 0);
}

static uint32_t number(struct fixed_terms *t, unsigned width, eval_value v)
{
	return expr_const(&t->to, width, v);
}

static uint32_t resize(struct fixed_terms *t, uint32_t a, unsigned width, bool is_signed)
{
	unsigned has = expr_width(&t->to, a);
	if (has == width)
		return a;
	return expr_make(&t->to, has > width ? OP_EXTRACT : is_signed ? OP_SEXT : OP_ZEXT, width, a, 0, 0);
}

static uint32_t choose(struct fixed_terms *t, uint32_t c, uint32_t yes, uint32_t no)
{
	return expr_make(&t->to, OP_ITE, expr_width(&t->to, yes), c, yes, no);
}

static void require(struct fixed_terms *t, uint32_t condition)
{
	condition_list_add(&t->more, condition);
}

static uint32_t shift_by(struct fixed_terms *t, unsigned op, uint32_t a, unsigned by)
{
	return make(t, op, a, number(t, expr_width(&t->to, a), by));
}

// New variables, as one number. Returns the first of them in *ret_var.
static uint32_t fresh(struct fixed_terms *t, unsigned width, uint32_t *ret_var)
{
	uint32_t source = expr_source(&t->to, input_source(INPUT_OBJECT, INPUT_BYTES, t->fresh++, "fixed")), e = 0;
	*ret_var = t->to.n_vars;
	for (uint32_t i = 0; i < width / 8; i++) {
		uint32_t byte = expr_input(&t->to, source, i);
		e = i ? expr_make(&t->to, OP_CONCAT, 8 * i + 8, byte, e, 0) : byte;
	}
	vec_room(t->var_of, t->to.n_vars, t->max_vars);
	memset(t->var_of + t->n_vars, 0, (t->to.n_vars - t->n_vars) * sizeof *t->var_of);
	t->n_vars = t->to.n_vars;
	return e;
}

// The number in fewer bits, which must be enough for it and leave room for what is no number.
static uint32_t narrow(struct fixed_terms *t, uint32_t wide, unsigned width)
{
	unsigned has = expr_width(&t->to, wide);
	eval_value most = infinity_of(width);
	require(t, make(t, OP_SLT, wide, number(t, has, most)));
	require(t, make(t, OP_SLT, number(t, has, 0 - most), wide));
	return resize(t, wide, width, true);
}

static bool may_be_special(const struct fixed_terms *t, uint32_t id)
{
	const struct expr_node *n = &t->from->nodes[id];
	if (n->op == OP_CONST) {
		long double x = eval_float(expr_value(t->from, id), n->width);
		return isnan(x) || isinf(x);
	}
	return n->op != OP_SITOF && n->op != OP_UITOF && n->op != OP_DECIMAL;
}

// NaN and infinity go through.
static uint32_t with_special(struct fixed_terms *t, uint32_t id, uint32_t x, uint32_t result)
{
	unsigned width = expr_width(&t->to, result);
	if (!may_be_special(t, id))
		return result;
	unsigned has = expr_width(&t->to, x);
	uint32_t infinity = number(t, has, infinity_of(has)), nan = number(t, has, nan_of(has));
	result = choose(t, make(t, OP_EQ, x, infinity), number(t, width, infinity_of(width)), result);
	return choose(t, make(t, OP_EQ, x, nan), number(t, width, nan_of(width)), result);
}

// --- numbers -------------------------------------------------------------------------------------

static uint32_t fixed_of(struct fixed_terms *t, uint32_t id);
static uint32_t bits_of(struct fixed_terms *t, uint32_t id);

static bool read_word(const struct expr_pool *p, uint32_t id, struct fixed_word *ret)
{
	const struct expr_node *n = &p->nodes[id];
	if (n->op == OP_INPUT && ret->n < 16) {
		ret->vars[ret->n++] = p->only[id];
		return true;
	}
	return n->op == OP_CONCAT && read_word(p, n->b, ret) && read_word(p, n->a, ret);
}

static uint32_t fixed_word(struct fixed_terms *t, uint32_t id, unsigned width)
{
	struct fixed_word w = {.width = width};
	if (!read_word(t->from, id, &w) || (w.n != 2 && w.n != 4 && w.n != 8 && w.n != 10))
		return 0;
	uint32_t e = fresh(t, width, &w.first);
	vec_room(t->words, t->n_words + 1, t->max_words);
	t->words[t->n_words++] = w;
	return e;
}

static uint32_t add(struct fixed_terms *t, const struct expr_node *n, uint32_t a, uint32_t b)
{
	unsigned width = expr_width(&t->to, a);
	uint32_t x = resize(t, a, width + 1, true), y = resize(t, b, width + 1, true);
	uint32_t r = narrow(t, make(t, n->op == OP_FADD ? OP_ADD : OP_SUB, x, y), width);
	return with_special(t, n->a, a, with_special(t, n->b, b, r));
}

static uint32_t multiply(struct fixed_terms *t, uint32_t a, uint32_t b)
{
	unsigned width = expr_width(&t->to, a);
	uint32_t product = make(t, OP_MUL, resize(t, a, 2 * width, true), resize(t, b, 2 * width, true));
	return shift_by(t, OP_ASHR, product, width / 2);
}

// 0 <= a - b * r < |b|, as whole numbers with the point moved: b's last place is as near as r comes.
static uint32_t divide(struct fixed_terms *t, const struct expr_node *n, uint32_t a, uint32_t b)
{
	unsigned width = expr_width(&t->to, a), wide = 2 * width;
	uint32_t var, r = fresh(t, width, &var), zero = number(t, width, 0);
	uint32_t x = shift_by(t, OP_SHL, resize(t, a, wide, true), width / 2), y = resize(t, b, wide, true);
	uint32_t rest = make(t, OP_SUB, x, make(t, OP_MUL, y, resize(t, r, wide, true)));
	uint32_t negative = make(t, OP_SLT, b, zero);
	uint32_t size = choose(t, negative, make(t, OP_SUB, number(t, wide, 0), y), y);
	uint32_t by_zero = make(t, OP_EQ, b, zero);
	uint32_t near = make(t, OP_AND, make(t, OP_SLE, number(t, wide, 0), rest), make(t, OP_SLT, rest, size));
	require(t, make(t, OP_OR, by_zero, near));
	require(t, make(t, OP_AND, make(t, OP_SLT, r, number(t, width, infinity_of(width))),
	                make(t, OP_SLT, number(t, width, nan_of(width)), r)));
	uint32_t none = choose(t, make(t, OP_EQ, a, zero), number(t, width, nan_of(width)),
	                       number(t, width, infinity_of(width)));
	r = expr_is_const(&t->to, b) && expr_value(&t->to, b) ? r : choose(t, by_zero, none, r);
	return with_special(t, n->a, a, r);
}

// r * r <= a < (r + 1) * (r + 1)
static uint32_t square_root(struct fixed_terms *t, uint32_t id, uint32_t a)
{
	unsigned width = expr_width(&t->to, a), wide = 2 * width;
	uint32_t var, r = fresh(t, width, &var), zero = number(t, width, 0), negative = make(t, OP_SLT, a, zero);
	uint32_t x = shift_by(t, OP_SHL, resize(t, a, wide, true), width / 2), y = resize(t, r, wide, true);
	uint32_t rest = make(t, OP_SUB, x, make(t, OP_MUL, y, y)), twice = shift_by(t, OP_SHL, y, 1);
	uint32_t near = make(t, OP_AND, make(t, OP_SLE, number(t, wide, 0), rest), make(t, OP_SLE, rest, twice));
	require(t, make(t, OP_OR, negative, near));
	require(t, make(t, OP_AND, make(t, OP_SLE, zero, r),
	                make(t, OP_SLT, r, number(t, width, (eval_value)1 << (width - 2)))));
	r = choose(t, negative, number(t, width, nan_of(width)), r);
	return with_special(t, id, a, r);
}

static uint32_t change_width(struct fixed_terms *t, uint32_t id, uint32_t a, unsigned width)
{
	unsigned has = expr_width(&t->to, a);
	if (has == width)
		return a;
	uint32_t r = has < width ? shift_by(t, OP_SHL, resize(t, a, width, true), (width - has) / 2)
	                         : narrow(t, shift_by(t, OP_ASHR, a, (has - width) / 2), width);
	return with_special(t, id, a, r);
}

static uint32_t negate(struct fixed_terms *t, uint32_t a)
{
	return make(t, OP_SUB, number(t, expr_width(&t->to, a), 0), a);
}

static uint32_t round_to(struct fixed_terms *t, uint32_t id, unsigned function, uint32_t a)
{
	unsigned width = expr_width(&t->to, a), half = width / 2;
	uint32_t whole = number(t, width, eval_mask(half) << half), zero = number(t, width, 0), r;
	uint32_t negative = make(t, OP_SLT, a, zero), size = choose(t, negative, negate(t, a), a);
	switch (libm_rounding(function)) {
	case LIBM_RTN: r = make(t, OP_AND, a, whole); break;
	case LIBM_RTP: r = negate(t, make(t, OP_AND, negate(t, a), whole)); break;
	case LIBM_RTZ:
		r = make(t, OP_AND, size, whole);
		r = choose(t, negative, negate(t, r), r);
		break;
	case LIBM_RNA:
	case LIBM_RNE: // halves are wrong one time in two
		size = make(t, OP_ADD, size, number(t, width, (eval_value)1 << (half - 1)));
		r = make(t, OP_AND, size, whole);
		r = choose(t, negative, negate(t, r), r);
		break;
	default: return 0;
	}
	return with_special(t, id, a, r);
}

static uint32_t from_integer(struct fixed_terms *t, const struct expr_node *n)
{
	uint32_t a = bits_of(t, n->a);
	unsigned width = fixed_width_of(n->width), has = a ? expr_width(&t->to, a) : 0;
	if (!a || has >= 64 + width / 2)
		return 0;
	uint32_t wide = resize(t, a, 64 + width / 2 + 1, n->op == OP_SITOF);
	return narrow(t, shift_by(t, OP_SHL, wide, width / 2), width);
}

// Digits behind a point: a quotient by a power of ten; by conditions, as any.
static uint32_t from_decimal(struct fixed_terms *t, const struct expr_node *n)
{
	enum { MOST = 9 };
	uint32_t digits = bits_of(t, n->a), var;
	unsigned width = fixed_width_of(n->width);
	int64_t exponent = expr_is_const(t->from, n->b) ? (int64_t)expr_value(t->from, n->b) : INT64_MAX;
	if (!digits || exponent > MOST || exponent < -MOST)
		return 0;
	uint64_t power = 1;
	for (int64_t i = exponent < 0 ? -exponent : exponent; i > 0; i--)
		power *= 10;
	uint32_t wide = shift_by(t, OP_SHL, resize(t, digits, EXPR_WIDTH_MAX, false), width / 2);
	uint32_t factor = number(t, EXPR_WIDTH_MAX, power);
	if (exponent >= 0)
		return narrow(t, make(t, OP_MUL, wide, factor), width);
	uint32_t r = fresh(t, width, &var), zero = number(t, EXPR_WIDTH_MAX, 0);
	uint32_t rest = make(t, OP_SUB, wide, make(t, OP_MUL, resize(t, r, EXPR_WIDTH_MAX, true), factor));
	require(t, make(t, OP_AND, make(t, OP_SLE, zero, rest), make(t, OP_SLT, rest, factor)));
	require(t, make(t, OP_SLT, r, number(t, width, infinity_of(width))));
	return r;
}

// (x & all of c) | (y & none of c), as minima and maxima are made of: a choice.
static bool read_choice(const struct expr_pool *p, const struct expr_node *n, uint32_t *c, uint32_t *yes, uint32_t *no)
{
	const struct expr_node *sides[2] = {&p->nodes[n->a], &p->nodes[n->b]};
	if (n->op != OP_OR || sides[0]->op != OP_AND || sides[1]->op != OP_AND)
		return false;
	for (int i = 0; i < 8; i++) {
		const struct expr_node *x = sides[i & 1], *y = sides[!(i & 1)];
		uint32_t mask = i & 2 ? x->a : x->b, other = i & 4 ? y->a : y->b;
		const struct expr_node *m = &p->nodes[mask], *o = &p->nodes[other];
		if (m->op != OP_SEXT || p->nodes[m->a].width != 1)
			continue;
		bool opposite = (o->op == OP_NOT && o->a == mask) ||
		                (o->op == OP_SEXT && p->nodes[o->a].op == OP_NOT && p->nodes[o->a].a == m->a) ||
		                (o->op == OP_XOR && (o->a == mask || o->b == mask));
		if (!opposite)
			continue;
		*c = m->a;
		*yes = i & 2 ? x->b : x->a;
		*no = i & 4 ? y->b : y->a;
		return true;
	}
	return false;
}

static uint32_t of_choice(struct fixed_terms *t, uint32_t c, uint32_t yes, uint32_t no)
{
	uint32_t condition = bits_of(t, c), x = fixed_of(t, yes), y = fixed_of(t, no);
	return condition && x && y ? choose(t, condition, x, y) : 0;
}

static uint32_t of_unary(struct fixed_terms *t, const struct expr_node *n)
{
	uint32_t a = fixed_of(t, n->a);
	if (!a)
		return 0;
	switch (n->op) {
	case OP_FNEG: return with_special(t, n->a, a, negate(t, a));
	case OP_FABS:
		return with_special(
			t, n->a, a,
			choose(t, make(t, OP_SLT, a, number(t, expr_width(&t->to, a), 0)), negate(t, a), a));
	case OP_FSQRT: return square_root(t, n->a, a);
	case OP_FTOF: return change_width(t, n->a, a, fixed_width_of(n->width));
	default: return round_to(t, n->a, n->b, a); // FCALL
	}
}

static uint32_t of_binary(struct fixed_terms *t, const struct expr_node *n)
{
	uint32_t a = fixed_of(t, n->a), b = a ? fixed_of(t, n->b) : 0;
	if (!b)
		return 0;
	if (n->op == OP_FMUL) {
		uint32_t r = narrow(t, multiply(t, a, b), expr_width(&t->to, a));
		return with_special(t, n->a, a, with_special(t, n->b, b, r));
	}
	return n->op == OP_FDIV ? divide(t, n, a, b) : add(t, n, a, b);
}

static uint32_t make_fixed(struct fixed_terms *t, uint32_t id)
{
	const struct expr_node *n = &t->from->nodes[id];
	unsigned width = fixed_width_of(n->width);
	uint32_t c, yes, no;
	bool fits;
	switch (n->op) {
	case OP_CONST: {
		eval_value v = fixed_from_float(expr_value(t->from, id), n->width, width, &fits);
		return fits ? number(t, width, v) : 0;
	}
	case OP_FADD:
	case OP_FSUB:
	case OP_FMUL:
	case OP_FDIV: return of_binary(t, n);
	case OP_FNEG:
	case OP_FABS:
	case OP_FSQRT:
	case OP_FTOF:
	case OP_FCALL: return of_unary(t, n);
	case OP_DECIMAL: return from_decimal(t, n);
	case OP_SITOF:
	case OP_UITOF: return from_integer(t, n);
	case OP_ITE: return of_choice(t, n->a, n->b, n->c);
	default: return read_choice(t->from, n, &c, &yes, &no) ? of_choice(t, c, yes, no) : fixed_word(t, id, width);
	}
}

// Operands are made by recursion: what is too deep for that is left to others.
enum { DEPTH = 1000 };

static uint32_t fixed_of(struct fixed_terms *t, uint32_t id)
{
	if (!t->fixed[id] && t->depth < DEPTH) {
		t->depth++;
		t->fixed[id] = make_fixed(t, id);
		t->depth--;
	}
	return t->fixed[id];
}

// --- conditions, and what is no float ------------------------------------------------------------

static uint32_t compare(struct fixed_terms *t, const struct expr_node *n)
{
	uint32_t a = fixed_of(t, n->a), b = a ? fixed_of(t, n->b) : 0;
	if (!b)
		return 0;
	uint32_t nan = number(t, expr_width(&t->to, a), nan_of(expr_width(&t->to, a)));
	uint32_t unordered = make(t, OP_OR, make(t, OP_EQ, a, nan), make(t, OP_EQ, b, nan));
	if (n->op == OP_FUNO)
		return unordered;
	unsigned op = n->op == OP_FEQ ? OP_EQ : n->op == OP_FLT ? OP_SLT : OP_SLE;
	return make(t, OP_AND, make(t, op, a, b), expr_not(&t->to, unordered));
}

static uint32_t to_integer(struct fixed_terms *t, const struct expr_node *n)
{
	uint32_t a = fixed_of(t, n->a);
	if (!a)
		return 0;
	unsigned width = expr_width(&t->to, a);
	uint32_t negative = make(t, OP_SLT, a, number(t, width, 0));
	uint32_t size = shift_by(t, OP_LSHR, choose(t, negative, negate(t, a), a), width / 2);
	return resize(t, choose(t, negative, negate(t, size), size), n->width, true);
}

static uint32_t copy_table(struct fixed_terms *t, const struct expr_node *n)
{
	const struct expr_table *table = &t->from->tables[n->b];
	uint32_t offset = bits_of(t, n->a), *exprs = NULL, r = 0;
	bool good = offset != 0;
	if (table->exprs)
		exprs = mem_zero((table->size + 1) * sizeof *exprs);
	for (uint32_t i = 0; exprs && good && i < table->size; i++)
		if (table->exprs[i])
			good = (exprs[i] = bits_of(t, table->exprs[i])) != 0;
	if (good)
		r = expr_lookup(&t->to, n->width, offset, expr_table(&t->to, table->bytes, exprs, table->size));
	mem_free(exprs);
	return r;
}

static uint32_t copy_input(struct fixed_terms *t, uint32_t id)
{
	const struct expr_node *n = &t->from->nodes[id];
	// Not the sources of `from`: one of its own, by number.
	uint32_t source = expr_source(&t->to, input_source(INPUT_OBJECT, INPUT_BYTES, n->a, "input"));
	uint32_t e = expr_input(&t->to, source, n->b), var = t->to.only[e];
	vec_room(t->var_of, t->to.n_vars, t->max_vars);
	t->n_vars = t->to.n_vars;
	t->var_of[var] = t->from->only[id] + 1;
	return e;
}

static uint32_t copy_node(struct fixed_terms *t, uint32_t id)
{
	const struct expr_node *n = &t->from->nodes[id];
	const uint32_t operands[] = {n->a, n->b, n->c};
	uint32_t made[3] = {n->a, n->b, n->c};
	for (unsigned i = 0; i < op_operands(n->op); i++)
		if (!(made[i] = bits_of(t, operands[i])))
			return 0;
	return expr_make(&t->to, n->op, n->width, made[0], made[1], made[2]);
}

static uint32_t make_bits(struct fixed_terms *t, uint32_t id)
{
	const struct expr_node *n = &t->from->nodes[id];
	if (n->op == OP_CONST)
		return expr_const(&t->to, n->width, expr_value(t->from, id));
	if (n->op == OP_INPUT)
		return copy_input(t, id);
	if (n->op == OP_LOOKUP)
		return copy_table(t, n);
	if (op_class(n->op) == OP_CLASS_FLOAT_COMPARISON)
		return compare(t, n);
	if (n->op == OP_FTOSI || n->op == OP_FTOUI)
		return to_integer(t, n);
	return op_is_float(n->op) ? 0 : copy_node(t, id);
}

static uint32_t bits_of(struct fixed_terms *t, uint32_t id)
{
	if (!t->bits[id] && t->depth < DEPTH) {
		t->depth++;
		t->bits[id] = make_bits(t, id);
		t->depth--;
	}
	return t->bits[id];
}

uint32_t fixed_condition(struct fixed_terms *t, uint32_t condition)
{
	if (t->n_nodes < t->from->n) {
		vec_cover(t->bits, t->n_nodes, t->from->n);
		vec_cover(t->fixed, t->n_nodes, t->from->n);
		t->n_nodes = t->from->n;
	}
	return bits_of(t, condition);
}
