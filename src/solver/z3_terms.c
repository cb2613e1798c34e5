// Translation of expressions to terms of Z3. The meaning of the operators is abi/eval.h's, also where
// SMT-LIB leaves it open: which bits a NaN has, and what a conversion gives that does not fit.
//
// Left to Z3's choice, so that an unsat stays true while a model may turn out wrong: conversions to integers of more
// than 64 bits that do not fit, floats of a width that the processor has not, functions of libm that are more than
// rounding. Of two operands that are NaN the first is taken, which depends on the compiler in a program.
#include "solver/z3.h"

#include <assert.h>

#include "base/bug.h"
#include "base/mem.h"
#include "expr/alignment.h"

static void on_error(Z3_context c, Z3_error_code e)
{
	(void)c; // Z3_get_error_code tells; the default prints and exits
	(void)e;
}

Z3_context z3_context(void)
{
	Z3_config config = Z3_mk_config();
	Z3_context c = Z3_mk_context(config);
	Z3_del_config(config);
	if (c)
		Z3_set_error_handler(c, on_error);
	return c;
}

void z3_terms_init(struct z3_terms *t, const struct expr_pool *pool)
{
	*t = (struct z3_terms){0};
	tape_init(&t->tape, pool);
}

void z3_terms_release(struct z3_terms *t)
{
	tape_release(&t->tape);
	mem_free(t->bits);
	mem_free(t->floats);
	*t = (struct z3_terms){0};
}

void z3_terms_clear(struct z3_terms *t)
{
	tape_clear(&t->tape);
	t->n = 0;
}

void z3_terms_reserve(struct z3_terms *t, uint32_t expr)
{
	tape_add(&t->tape, expr);
	if (t->max >= t->tape.n)
		return;
	t->max = t->tape.max;
	t->bits = mem_resize(t->bits, t->max * sizeof *t->bits);
	t->floats = mem_resize(t->floats, t->max * sizeof *t->floats);
}

// --- small terms ---------------------------------------------------------------------------------

static Z3_ast number(Z3_context c, unsigned width, eval_value value)
{
	if (width <= 64)
		return Z3_mk_unsigned_int64(c, (uint64_t)(value & eval_mask(width)), Z3_mk_bv_sort(c, width));
	bool bits[EXPR_WIDTH_MAX];
	for (unsigned i = 0; i < width; i++)
		bits[i] = value >> i & 1;
	return Z3_mk_bv_numeral(c, width, bits);
}

static Z3_ast bit_of(Z3_context c, Z3_ast truth)
{
	return Z3_mk_ite(c, truth, number(c, 1, 1), number(c, 1, 0));
}

static Z3_ast is_one(Z3_context c, Z3_ast bit)
{
	return Z3_mk_eq(c, bit, number(c, 1, 1));
}

static Z3_ast both(Z3_context c, Z3_ast a, Z3_ast b)
{
	Z3_ast args[] = {a, b};
	return Z3_mk_and(c, 2, args);
}

static Z3_ast extend(Z3_context c, bool is_signed, unsigned by, Z3_ast a)
{
	return !by ? a : is_signed ? Z3_mk_sign_ext(c, by, a) : Z3_mk_zero_ext(c, by, a);
}

Z3_ast z3_variable(struct z3_terms *t, uint32_t var)
{
	Z3_context c = t->context;
	return Z3_mk_const(c, Z3_mk_int_symbol(c, (int)var), Z3_mk_bv_sort(c, 8));
}

// --- integers ------------------------------------------------------------------------------------

static Z3_ast magnitude(Z3_context c, unsigned width, Z3_ast a)
{
	return Z3_mk_ite(c, Z3_mk_bvslt(c, a, number(c, width, 0)), Z3_mk_bvneg(c, a), a);
}

// Of the magnitudes. (Z3 4.8 has predicates for signed multiplication, too, but they are wrong: they find that 2 * -2
// overflows in three bits.)
static Z3_ast signed_product_overflows(Z3_context c, unsigned width, Z3_ast a, Z3_ast b)
{
	Z3_ast ma = magnitude(c, width, a), mb = magnitude(c, width, b);
	Z3_ast smallest = number(c, width, (eval_value)1 << (width - 1)), product = Z3_mk_bvmul(c, ma, mb);
	Z3_ast negative = Z3_mk_bvslt(c, Z3_mk_bvxor(c, a, b), number(c, width, 0));
	Z3_ast or [] = {Z3_mk_not(c, Z3_mk_bvmul_no_overflow(c, ma, mb, false)),
	                Z3_mk_ite(c, negative, Z3_mk_bvugt(c, product, smallest), Z3_mk_bvuge(c, product, smallest))};
	return Z3_mk_or(c, 2, or);
}

// Addition and subtraction: with one more bit the result is another one.
static Z3_ast overflow(Z3_context c, unsigned op, unsigned width, Z3_ast a, Z3_ast b)
{
	bool is_signed = op == OP_SADDO || op == OP_SSUBO, adds = op == OP_UADDO || op == OP_SADDO;
	if (op == OP_UMULO)
		return bit_of(c, Z3_mk_not(c, Z3_mk_bvmul_no_overflow(c, a, b, false)));
	if (op == OP_SMULO)
		return bit_of(c, signed_product_overflows(c, width, a, b));
	a = extend(c, is_signed, 1, a);
	b = extend(c, is_signed, 1, b);
	Z3_ast exact = adds ? Z3_mk_bvadd(c, a, b) : Z3_mk_bvsub(c, a, b);
	Z3_ast cut = extend(c, is_signed, 1, Z3_mk_extract(c, width - 1, 0, exact));
	return bit_of(c, Z3_mk_not(c, Z3_mk_eq(c, exact, cut)));
}

// Counts fit into eight bits, so they are made there.
static Z3_ast count_ones(Z3_context c, unsigned narrow, unsigned width, Z3_ast a)
{
	Z3_ast sum = number(c, narrow, 0);
	for (unsigned i = 0; i < width; i++)
		sum = Z3_mk_bvadd(c, sum, extend(c, false, narrow - 1, Z3_mk_extract(c, i, i, a)));
	return sum;
}

static Z3_ast count_zeros(Z3_context c, bool from_top, unsigned narrow, unsigned width, Z3_ast a)
{
	Z3_ast r = number(c, narrow, width);
	for (unsigned i = width; i-- > 0;) {
		unsigned bit = from_top ? width - 1 - i : i;
		r = Z3_mk_ite(c, is_one(c, Z3_mk_extract(c, bit, bit, a)), number(c, narrow, i), r);
	}
	return r;
}

static Z3_ast count(Z3_context c, unsigned op, unsigned width, Z3_ast a)
{
	unsigned narrow = width < 8 ? width : 8;
	Z3_ast n = op == OP_CTPOP ? count_ones(c, narrow, width, a) : count_zeros(c, op == OP_CTLZ, narrow, width, a);
	return extend(c, false, width - narrow, n);
}

// --- tables --------------------------------------------------------------------------------------

static struct alignment_node look(const void *of, uint32_t id)
{
	const struct expr_node *n = &((const struct expr_pool *)of)->nodes[id];
	return (struct alignment_node){.op = n->op, .width = n->width, .a = n->a, .b = n->b};
}

// A table as a tree of comparisons with the offset; where entries are the same, it ends.
struct lookup {
	struct z3_terms *t;
	const struct expr_table *table;
	Z3_ast offset;
	unsigned size, skip; // bytes of an entry; of one byte of a larger value: which
};

static bool same_entries(const struct lookup *x, uint64_t from, uint64_t to)
{
	const struct expr_table *t = x->table;
	for (uint64_t i = from * x->size; i < to * x->size; i++)
		if ((t->exprs && t->exprs[i + x->skip]) ||
		    t->bytes[i + x->skip] != t->bytes[from * x->size + x->skip + i % x->size])
			return from + 1 == to;
	return true;
}

static Z3_ast entry(const struct lookup *x, uint64_t which)
{
	Z3_context c = x->t->context;
	Z3_ast r = NULL;
	for (unsigned k = 0; k < x->size; k++) {
		uint64_t i = which * x->size + k + x->skip;
		uint32_t e = x->table->exprs ? x->table->exprs[i] : 0;
		Z3_ast byte = e ? x->t->bits[x->t->tape.step_of[e] - 1] : number(c, 8, x->table->bytes[i]);
		r = r ? Z3_mk_concat(c, byte, r) : byte;
	}
	return r;
}

static Z3_ast below(const struct lookup *x, uint64_t which)
{
	return Z3_mk_bvult(x->t->context, x->offset, number(x->t->context, 64, which * x->size));
}

static Z3_ast entries(const struct lookup *x, uint64_t from, uint64_t to)
{
	if (same_entries(x, from, to))
		return entry(x, from);
	uint64_t middle = (from + to) / 2;
	return Z3_mk_ite(x->t->context, below(x, middle), entries(x, from, middle), entries(x, middle, to));
}

// What is outside of the table is 0.
static Z3_ast whole_table(const struct lookup *x, uint64_t n)
{
	Z3_ast zero = number(x->t->context, 8 * x->size, 0);
	return n ? Z3_mk_ite(x->t->context, below(x, n), entries(x, 0, n), zero) : zero;
}

static Z3_ast lookup(struct z3_terms *t, const struct tape_step *s)
{
	const struct expr_pool *p = t->tape.pool;
	struct lookup x = {.t = t, .table = &p->tables[s->node.b], .offset = t->bits[s->a], .size = s->node.width / 8u};
	unsigned bytes = x.size;
	uint32_t size = x.table->size;
	if (size % bytes == 0 && expr_alignment(look, p, p->nodes[s->id].a) % bytes == 0)
		return whole_table(&x, size / bytes);
	Z3_ast r = NULL; // byte by byte
	x.size = 1;
	for (x.skip = 0; x.skip < bytes; x.skip++) {
		Z3_ast byte = whole_table(&x, size > x.skip ? size - x.skip : 0);
		r = r ? Z3_mk_concat(t->context, byte, r) : byte;
	}
	return r;
}

// --- floats: formats -----------------------------------------------------------------------------

// Bits of the fraction; in the format of 80 bits the leading digit stands before it, as a bit of its own.
static unsigned fraction_bits(unsigned width)
{
	return width == 16 ? 10 : width == 32 ? 23 : width == 64 ? 52 : 63;
}

static unsigned exponent_bits(unsigned width)
{
	return width == 16 ? 5 : width == 32 ? 8 : width == 64 ? 11 : 15;
}

static bool is_format(unsigned width)
{
	return width == 16 || width == 32 || width == 64 || width == 80;
}

static Z3_sort float_sort(Z3_context c, unsigned width)
{
	return Z3_mk_fpa_sort(c, exponent_bits(width), fraction_bits(width) + 1);
}

// The processor's reading of 80 bits: without the leading digit a number with an exponent is none; with
// it, the exponent 0 means 1.
static Z3_ast read_extended(Z3_context c, Z3_ast bits)
{
	Z3_ast high = Z3_mk_extract(c, 79, 64, bits), digit = Z3_mk_extract(c, 63, 63, bits);
	Z3_ast zero = Z3_mk_eq(c, Z3_mk_extract(c, 78, 64, bits), number(c, 15, 0));
	Z3_ast invalid = both(c, Z3_mk_not(c, zero), Z3_mk_not(c, is_one(c, digit)));
	high = Z3_mk_ite(c, zero, Z3_mk_bvor(c, high, Z3_mk_zero_ext(c, 15, digit)), high);
	Z3_sort sort = float_sort(c, 80);
	Z3_ast x = Z3_mk_fpa_to_fp_bv(c, Z3_mk_concat(c, high, Z3_mk_extract(c, 62, 0, bits)), sort);
	return Z3_mk_ite(c, invalid, Z3_mk_fpa_nan(c, sort), x);
}

static Z3_ast read_float(struct z3_terms *t, uint32_t step)
{
	unsigned width = t->tape.steps[step].node.width;
	if (!t->floats[step])
		t->floats[step] =
			width == 80 ? read_extended(t->context, t->bits[step])
				    : Z3_mk_fpa_to_fp_bv(t->context, t->bits[step], float_sort(t->context, width));
	return t->floats[step];
}

static Z3_ast float_bits(Z3_context c, unsigned width, Z3_ast x)
{
	Z3_ast r = Z3_mk_fpa_to_ieee_bv(c, x);
	if (width != 80)
		return r;
	Z3_ast zero = Z3_mk_eq(c, Z3_mk_extract(c, 77, 63, r), number(c, 15, 0));
	Z3_ast high = Z3_mk_concat(c, Z3_mk_extract(c, 78, 63, r), bit_of(c, Z3_mk_not(c, zero)));
	return Z3_mk_concat(c, high, Z3_mk_extract(c, 62, 0, r));
}

// --- floats: NaN ---------------------------------------------------------------------------------

// Sign, exponent (and leading digit) of a NaN, and the first bit of its fraction.
static eval_value nan_head(unsigned width)
{
	unsigned from = fraction_bits(width) - 1;
	return eval_mask(width) >> from << from;
}

static Z3_ast is_nan(Z3_context c, unsigned width, Z3_ast bits)
{
	unsigned fraction = fraction_bits(width);
	Z3_ast head = Z3_mk_extract(c, width - 2, fraction, bits), tail = Z3_mk_extract(c, fraction - 1, 0, bits);
	Z3_ast ones = Z3_mk_eq(c, head, number(c, width - 1 - fraction, ~(eval_value)0));
	return both(c, ones, Z3_mk_not(c, Z3_mk_eq(c, tail, number(c, fraction, 0))));
}

// A NaN that goes in comes out, in the format of the result and quiet.
static Z3_ast convert_nan(Z3_context c, unsigned from, unsigned to, Z3_ast bits)
{
	unsigned has = fraction_bits(from), wants = fraction_bits(to);
	Z3_ast sign = Z3_mk_extract(c, from - 1, from - 1, bits);
	Z3_ast fraction = Z3_mk_extract(c, has - 1, has > wants ? has - wants : 0, bits);
	if (wants > has)
		fraction = Z3_mk_concat(c, fraction, number(c, wants - has, 0));
	Z3_ast rest = Z3_mk_concat(c, number(c, to - 1 - wants, ~(eval_value)0), fraction);
	eval_value quiet = (eval_value)1 << (wants - 1);
	return Z3_mk_bvor(c, Z3_mk_concat(c, sign, rest), number(c, to, quiet));
}

// The bits of `x`, which an operation with the operands a and b (or a alone) made.
static Z3_ast result_bits(struct z3_terms *t, const struct tape_step *s, Z3_ast x)
{
	Z3_context c = t->context;
	unsigned to = s->node.width, from = s->width_a;
	Z3_ast r = Z3_mk_ite(c, Z3_mk_fpa_is_nan(c, x), number(c, to, nan_head(to)), float_bits(c, to, x));
	for (unsigned i = op_operands(s->node.op); i-- > 0;) {
		Z3_ast operand = t->bits[i == 2 ? s->c : i ? s->b : s->a];
		r = Z3_mk_ite(c, is_nan(c, from, operand), convert_nan(c, from, to, operand), r);
	}
	return r;
}

// --- floats: operations --------------------------------------------------------------------------

// What eval_convert computes: to a signed integer of `bits`; the smallest one when it does not fit.
static Z3_ast convert(Z3_context c, Z3_ast x, unsigned from, unsigned bits)
{
	Z3_sort sort = float_sort(c, from);
	double limit = (double)((uint64_t)1 << (bits - 1));
	bool whole = bits == 64 || from == 32; // no number of the format between -limit - 1 and -limit
	Z3_ast low = Z3_mk_fpa_numeral_double(c, whole ? -limit : -limit - 1, sort);
	Z3_ast fits = both(c, whole ? Z3_mk_fpa_geq(c, x, low) : Z3_mk_fpa_gt(c, x, low),
	                   Z3_mk_fpa_lt(c, x, Z3_mk_fpa_numeral_double(c, limit, sort)));
	return Z3_mk_ite(c, fits, Z3_mk_fpa_to_sbv(c, Z3_mk_fpa_rtz(c), x, bits),
	                 number(c, bits, (eval_value)1 << (bits - 1)));
}

// Unsigned, 64 bits: twice, the second time less 2^63; of a long double at once.
static Z3_ast convert_unsigned(Z3_context c, Z3_ast x, unsigned from)
{
	Z3_ast half = Z3_mk_fpa_numeral_double(c, 0x1p63, float_sort(c, from));
	Z3_ast low = convert(c, x, from, 64);
	Z3_ast high = convert(c, Z3_mk_fpa_sub(c, Z3_mk_fpa_rne(c), x, half), from, 64);
	if (from == 80)
		return Z3_mk_ite(c, Z3_mk_fpa_lt(c, x, half), low,
		                 Z3_mk_bvxor(c, high, number(c, 64, (eval_value)1 << 63)));
	Z3_ast mask = Z3_mk_bvashr(c, low, number(c, 64, 63));
	return Z3_mk_bvor(c, low, Z3_mk_bvand(c, high, mask));
}

// What eval_to_integer computes.
static Z3_ast to_integer(Z3_context c, Z3_ast x, unsigned from, unsigned to, bool is_signed)
{
	unsigned smallest = from == 80 ? 16 : 32, bits;
	if (to > 64)
		return is_signed ? Z3_mk_fpa_to_sbv(c, Z3_mk_fpa_rtz(c), x, to)
		                 : Z3_mk_fpa_to_ubv(c, Z3_mk_fpa_rtz(c), x, to);
	if (!is_signed && to == 64)
		return convert_unsigned(c, x, from);
	if (is_signed)
		bits = to <= smallest ? smallest : to <= 32 ? 32 : 64;
	else
		bits = to < smallest ? smallest : to < 32 ? 32 : 64;
	return Z3_mk_extract(c, to - 1, 0, convert(c, x, from, bits));
}

static Z3_ast compare(struct z3_terms *t, const struct tape_step *s)
{
	Z3_context c = t->context;
	Z3_ast a = read_float(t, s->a), b = read_float(t, s->b);
	Z3_ast nan[] = {Z3_mk_fpa_is_nan(c, a), Z3_mk_fpa_is_nan(c, b)};
	switch (s->node.op) {
	case OP_FEQ: return bit_of(c, Z3_mk_fpa_eq(c, a, b));
	case OP_FLT: return bit_of(c, Z3_mk_fpa_lt(c, a, b));
	case OP_FLE: return bit_of(c, Z3_mk_fpa_leq(c, a, b));
	case OP_FUNO: return bit_of(c, Z3_mk_or(c, 2, nan));
	default: BUG("no comparison of floats");
	}
}

// Signs are bits: also of what is no number.
static Z3_ast change_sign(struct z3_terms *t, const struct tape_step *s)
{
	Z3_context c = t->context;
	eval_value sign = (eval_value)1 << (s->width_a - 1);
	return s->node.op == OP_FNEG ? Z3_mk_bvxor(c, t->bits[s->a], number(c, s->width_a, sign))
	                             : Z3_mk_bvand(c, t->bits[s->a], number(c, s->width_a, sign - 1));
}

static Z3_ast rounding_mode(Z3_context c, unsigned function)
{
	switch (libm_rounding(function)) {
	case LIBM_RNE: return Z3_mk_fpa_rne(c);
	case LIBM_RNA: return Z3_mk_fpa_rna(c);
	case LIBM_RTP: return Z3_mk_fpa_rtp(c);
	case LIBM_RTN: return Z3_mk_fpa_rtn(c);
	case LIBM_RTZ: return Z3_mk_fpa_rtz(c);
	case LIBM_NONE: break;
	}
	BUG("a function that does not round");
}

static Z3_ast compute(struct z3_terms *t, const struct tape_step *s)
{
	Z3_context c = t->context;
	Z3_ast even = Z3_mk_fpa_rne(c);
	Z3_sort sort = float_sort(c, s->node.width);
	switch (s->node.op) {
	case OP_FADD: return Z3_mk_fpa_add(c, even, read_float(t, s->a), read_float(t, s->b));
	case OP_FSUB: return Z3_mk_fpa_sub(c, even, read_float(t, s->a), read_float(t, s->b));
	case OP_FMUL: return Z3_mk_fpa_mul(c, even, read_float(t, s->a), read_float(t, s->b));
	case OP_FDIV: return Z3_mk_fpa_div(c, even, read_float(t, s->a), read_float(t, s->b));
	case OP_FNEG: return Z3_mk_fpa_neg(c, read_float(t, s->a));
	case OP_FABS: return Z3_mk_fpa_abs(c, read_float(t, s->a));
	case OP_FSQRT: return Z3_mk_fpa_sqrt(c, even, read_float(t, s->a));
	case OP_UITOF: return Z3_mk_fpa_to_fp_unsigned(c, even, t->bits[s->a], sort);
	case OP_SITOF: return Z3_mk_fpa_to_fp_signed(c, even, t->bits[s->a], sort);
	case OP_FTOF: return Z3_mk_fpa_to_fp_float(c, even, read_float(t, s->a), sort);
	case OP_FCALL: return Z3_mk_fpa_round_to_integral(c, rounding_mode(c, s->node.b), read_float(t, s->a));
	case OP_FMA: return Z3_mk_fpa_fma(c, even, read_float(t, s->a), read_float(t, s->b), read_float(t, s->c));
	default: BUG("no operator that gives a float");
	}
}

static Z3_ast float_term(struct z3_terms *t, uint32_t step)
{
	Z3_context c = t->context;
	const struct tape_step *s = &t->tape.steps[step];
	unsigned op = s->node.op, to = s->node.width;
	bool from_integer = op_class(op) == OP_CLASS_INTEGER_TO_FLOAT;
	bool compares = op_class(op) == OP_CLASS_FLOAT_COMPARISON;
	bool to_int = op_class(op) == OP_CLASS_FLOAT_TO_INTEGER;
	bool unknown = op_is_opaque(op, s->node.b);
	if (unknown || (!from_integer && !is_format(s->width_a)) || (!compares && !to_int && !is_format(to)))
		return Z3_mk_fresh_const(c, "any", Z3_mk_bv_sort(c, to));
	if (compares)
		return compare(t, s);
	if (to_int)
		return to_integer(c, read_float(t, s->a), s->width_a, to, op == OP_FTOSI);
	t->floats[step] = compute(t, s);
	if (op == OP_FNEG || op == OP_FABS)
		return change_sign(t, s);
	return from_integer ? float_bits(c, to, t->floats[step]) : result_bits(t, s, t->floats[step]);
}

// --- all -----------------------------------------------------------------------------------------

static Z3_ast term(struct z3_terms *t, uint32_t step)
{
	Z3_context c = t->context;
	const struct tape_step *s = &t->tape.steps[step];
	unsigned width = s->node.width, operands = op_operands(s->node.op);
	Z3_ast a = operands > 0 ? t->bits[s->a] : NULL, b = operands > 1 ? t->bits[s->b] : NULL;
	switch ((enum trace_op)s->node.op) {
	case OP_CONST: return number(c, width, expr_value(t->tape.pool, s->id));
	case OP_INPUT: return z3_variable(t, s->a);
	case OP_ADD: return Z3_mk_bvadd(c, a, b);
	case OP_SUB: return Z3_mk_bvsub(c, a, b);
	case OP_MUL: return Z3_mk_bvmul(c, a, b);
	case OP_UDIV: return Z3_mk_bvudiv(c, a, b);
	case OP_SDIV: return Z3_mk_bvsdiv(c, a, b);
	case OP_UREM: return Z3_mk_bvurem(c, a, b);
	case OP_SREM: return Z3_mk_bvsrem(c, a, b);
	case OP_SHL: return Z3_mk_bvshl(c, a, b);
	case OP_LSHR: return Z3_mk_bvlshr(c, a, b);
	case OP_ASHR: return Z3_mk_bvashr(c, a, b);
	case OP_AND: return Z3_mk_bvand(c, a, b);
	case OP_OR: return Z3_mk_bvor(c, a, b);
	case OP_XOR: return Z3_mk_bvxor(c, a, b);
	case OP_NOT: return Z3_mk_bvnot(c, a);
	case OP_EQ: return bit_of(c, Z3_mk_eq(c, a, b));
	case OP_ULT: return bit_of(c, Z3_mk_bvult(c, a, b));
	case OP_ULE: return bit_of(c, Z3_mk_bvule(c, a, b));
	case OP_SLT: return bit_of(c, Z3_mk_bvslt(c, a, b));
	case OP_SLE: return bit_of(c, Z3_mk_bvsle(c, a, b));
	case OP_ZEXT: return extend(c, false, width - s->width_a, a);
	case OP_SEXT: return extend(c, true, width - s->width_a, a);
	case OP_EXTRACT: return Z3_mk_extract(c, s->node.b + width - 1, s->node.b, a);
	case OP_CONCAT: return Z3_mk_concat(c, a, b);
	case OP_ITE: return Z3_mk_ite(c, is_one(c, a), b, t->bits[s->c]);
	case OP_UADDO:
	case OP_SADDO:
	case OP_USUBO:
	case OP_SSUBO:
	case OP_UMULO:
	case OP_SMULO: return overflow(c, s->node.op, s->width_a, a, b);
	case OP_CTPOP:
	case OP_CTLZ:
	case OP_CTTZ: return count(c, s->node.op, width, a);
	case OP_LOOKUP:
		return lookup(t, s);
	OP_CASES_FLOAT:
		return float_term(t, step);
	}
	BUG("an operator without a Z3 term");
}

Z3_ast z3_translate(struct z3_terms *t, uint32_t expr)
{
	z3_terms_reserve(t, expr);
	for (; t->n < t->tape.n; t->n++) {
		t->bits[t->n] = t->floats[t->n] = NULL;
		t->bits[t->n] = term(t, t->n);
		if (!t->bits[t->n]) // Z3 is out of memory
			return NULL;
	}
	return t->bits[t->tape.step_of[expr] - 1];
}
