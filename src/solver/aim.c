#include "solver/aim.h"

#include <math.h>

#include "base/mem.h"
#include "base/vec.h"
#include "solver/distance.h"

enum { BUDGET = 400 };

void aim_init(struct aim *a, const struct tape *t, uint64_t seed)
{
	*a = (struct aim){.tape = t, .random = seed};
}

void aim_release(struct aim *a)
{
	mem_free(a->vars);
	mem_free(a->values);
	*a = (struct aim){0};
}

static uint32_t below(struct aim *a, uint32_t limit)
{
	return (uint32_t)((random_next(&a->random) >> 32) * limit >> 32);
}

static bool one_in(struct aim *a, uint32_t n)
{
	return below(a, n) == 0;
}

static bool set(struct aim *a, uint32_t var, uint8_t value)
{
	if (a->n == a->max) {
		a->max = (uint32_t)vec_capacity(a->n + 1, a->max, sizeof *a->vars);
		a->vars = mem_resize(a->vars, a->max * sizeof *a->vars);
		a->values = mem_resize(a->values, a->max);
	}
	for (uint32_t i = 0; i < a->n; i++)
		if (a->vars[i] == var) {
			a->values[i] = value;
			return true;
		}
	a->vars[a->n] = var;
	a->values[a->n++] = value;
	return true;
}

static bool to(struct aim *a, uint32_t step, eval_value target);
static bool truth(struct aim *a, uint32_t step, bool wanted);

static bool is_constant(const struct aim *a, uint32_t step)
{
	return a->tape->steps[step].node.op == OP_CONST;
}

static eval_value value_of(const struct aim *a, uint32_t step)
{
	return a->tape->values[step];
}

// Which of the two operands is to move: not a constant. Returns true for the first.
static bool choose_first(struct aim *a, const struct tape_step *s)
{
	return is_constant(a, s->b) || (!is_constant(a, s->a) && one_in(a, 2));
}

// --- integers ------------------------------------------------------------------------------------

// Whether a digit, moved by that much, is none any more; of what is no digit, as chance has it.
static bool leaves_digits(struct aim *a, uint32_t step, eval_signed by)
{
	const struct expr_pool *p = a->tape->pool;
	uint32_t var = p->only[a->tape->steps[step].id];
	if (var == EXPR_MANY)
		return one_in(a, 2);
	eval_signed c = (eval_signed)a->tape->values[a->tape->step_of[p->vars[var].expr] - 1];
	return c >= '0' && c <= '9' ? c + by < '0' || c + by > '9' : one_in(a, 2);
}

// x * factor + rest: the rest is what it is modulo the factor, near to its value; digits are read so.
static bool to_digits(struct aim *a, uint32_t product, uint32_t rest, eval_value target, unsigned width)
{
	const struct tape_step *p = &a->tape->steps[product];
	uint32_t factor_step = is_constant(a, p->b) ? p->b : p->a, x = is_constant(a, p->b) ? p->a : p->b;
	eval_value factor = value_of(a, factor_step), mask = eval_mask(width);
	if (p->node.op != OP_MUL || !is_constant(a, factor_step) || factor < 2)
		return false;
	eval_signed off = eval_sign((target - value_of(a, product) - value_of(a, rest)) & mask, width);
	eval_signed by = off % (eval_signed)factor; // what the rest moves by; or the other way round
	if (by && leaves_digits(a, rest, by))
		by += by < 0 ? (eval_signed)factor : -(eval_signed)factor;
	eval_value moved = (value_of(a, rest) + (eval_value)by) & mask;
	eval_value more = (eval_value)((off - by) / (eval_signed)factor);
	return to(a, rest, moved) && (!more || to(a, x, (value_of(a, x) + more) & mask));
}

static bool to_sum(struct aim *a, const struct tape_step *s, eval_value target)
{
	eval_value mask = eval_mask(s->node.width);
	if (!is_constant(a, s->a) && !is_constant(a, s->b) && !one_in(a, 4)) {
		uint32_t n = a->n;
		if (to_digits(a, s->a, s->b, target, s->node.width) || to_digits(a, s->b, s->a, target, s->node.width))
			return true;
		a->n = n;
	}
	return choose_first(a, s) ? to(a, s->a, (target - value_of(a, s->b)) & mask)
	                          : to(a, s->b, (target - value_of(a, s->a)) & mask);
}

static eval_value inverse(eval_value odd)
{
	eval_value x = odd; // Newton: each round doubles the bits that are right
	for (int i = 0; i < 7; i++)
		x *= 2 - odd * x;
	return x;
}

static bool to_product(struct aim *a, const struct tape_step *s, eval_value target)
{
	bool first = choose_first(a, s);
	eval_value other = value_of(a, first ? s->b : s->a), mask = eval_mask(s->node.width);
	uint32_t x = first ? s->a : s->b;
	if (!other)
		return to(a, x, target) && to(a, first ? s->b : s->a, 1);
	eval_signed t = eval_sign(target, s->node.width), o = eval_sign(other, s->node.width);
	if (t % o && other & 1)
		return to(a, x, inverse(other) * target & mask);
	return to(a, x, (eval_value)(t / o) & mask);
}

static bool to_quotient(struct aim *a, const struct tape_step *s, eval_value target)
{
	eval_value mask = eval_mask(s->node.width), b = value_of(a, s->b), x = value_of(a, s->a);
	if (!is_constant(a, s->b) && (is_constant(a, s->a) || one_in(a, 4)))
		return target && to(a, s->b, x / target);
	if (s->node.op == OP_UDIV ||
	    s->node.op == OP_SDIV) { // mostly what is left over stays: the digits further right
		eval_value rest = s->node.op == OP_UDIV && b && !one_in(a, 4) ? x % b : 0;
		return to(a, s->a, (target * b + rest) & mask);
	}
	return b && to(a, s->a, (x - x % b + target) & mask); // a remainder
}

static bool to_shift(struct aim *a, const struct tape_step *s, eval_value target)
{
	unsigned width = s->node.width;
	eval_value by = value_of(a, s->b), x = value_of(a, s->a), mask = eval_mask(width);
	if (by >= width)
		return false;
	if (s->node.op == OP_SHL)
		return to(a, s->a, (target >> by | (x & ~(mask >> by))) & mask);
	return to(a, s->a, (target << by | (x & (((eval_value)1 << by) - 1))) & mask);
}

static bool to_bits(struct aim *a, const struct tape_step *s, eval_value target)
{
	bool first = choose_first(a, s);
	uint32_t x = first ? s->a : s->b;
	eval_value other = value_of(a, first ? s->b : s->a), was = value_of(a, x);
	switch (s->node.op) {
	case OP_AND: return to(a, x, (was & ~other) | (target & other));
	case OP_OR: return to(a, x, (was & other) | (target & ~other));
	default: return to(a, x, target ^ other);
	}
}

// An entry of a constant table that has the value; the next one when there are several.
static bool to_entry(struct aim *a, const struct tape_step *s, eval_value target)
{
	const struct expr_table *t = &a->tape->pool->tables[s->node.b];
	unsigned size = s->node.width / 8u;
	uint32_t entries = t->size / size, from = entries ? below(a, entries) : 0;
	if (t->exprs)
		return false;
	for (uint32_t k = 0; k < entries; k++) {
		uint64_t i = (uint64_t)((from + k) % entries) * size;
		eval_value v = 0;
		for (unsigned b = 0; b < size; b++)
			v |= (eval_value)t->bytes[i + b] << 8 * b;
		if (v == target)
			return to(a, s->a, i);
	}
	return false;
}

static bool to_integer(struct aim *a, const struct tape_step *s, eval_value target)
{
	unsigned width = s->node.width;
	eval_value was = a->tape->values[s->a];
	switch (s->node.op) {
	case OP_INPUT: return set(a, s->a, (uint8_t)target);
	case OP_ADD: return to_sum(a, s, target);
	case OP_SUB:
		return choose_first(a, s) ? to(a, s->a, (target + value_of(a, s->b)) & eval_mask(width))
		                          : to(a, s->b, (value_of(a, s->a) - target) & eval_mask(width));
	case OP_MUL: return to_product(a, s, target);
	case OP_UDIV:
	case OP_SDIV:
	case OP_UREM:
	case OP_SREM: return to_quotient(a, s, target);
	case OP_SHL:
	case OP_LSHR:
	case OP_ASHR: return to_shift(a, s, target);
	case OP_AND:
	case OP_OR:
	case OP_XOR: return to_bits(a, s, target);
	case OP_NOT: return to(a, s->a, ~target & eval_mask(width));
	case OP_ZEXT:
	case OP_SEXT: return to(a, s->a, target & eval_mask(s->width_a));
	case OP_EXTRACT: {
		eval_value mask = eval_mask(width) << s->node.b;
		return to(a, s->a, (was & ~mask) | (target << s->node.b & mask));
	}
	case OP_CONCAT:
		return (is_constant(a, s->a) || to(a, s->a, target >> s->width_b)) &&
		       (is_constant(a, s->b) || to(a, s->b, target & eval_mask(s->width_b)));
	case OP_LOOKUP: return to_entry(a, s, target);
	default: return false;
	}
}

// --- floats --------------------------------------------------------------------------------------

static long double read_float(const struct aim *a, uint32_t step)
{
	return eval_float(value_of(a, step), a->tape->steps[step].node.width);
}

static bool to_float(struct aim *a, uint32_t step, long double target)
{
	return to(a, step, eval_bits(target, a->tape->steps[step].node.width));
}

// Of a value that an integer is to have: below, above, or the nearest.
static long double some_integer(struct aim *a, long double x)
{
	return one_in(a, 3) ? floorl(x) : one_in(a, 2) ? ceill(x) : roundl(x);
}

static bool to_number(struct aim *a, uint32_t step, long double target, bool is_signed)
{
	long double whole = some_integer(a, target);
	unsigned width = a->tape->steps[step].node.width;
	long double most = ldexpl(1, (int)(is_signed ? width - 1 : width));
	if (!(whole < most && whole >= (is_signed ? -most : 0)))
		return false;
	return to(a, step, (is_signed ? (eval_value)(eval_signed)whole : (eval_value)whole) & eval_mask(width));
}

static long double inverse_of(struct aim *a, unsigned function, long double y, long double was)
{
	const long double turn = 6.28318530717958647693L;
	switch (function) {
	case LIBM_sin: return asinl(y) + turn * roundl(was / turn);
	case LIBM_cos: return (one_in(a, 2) ? 1 : -1) * acosl(y) + turn * roundl(was / turn);
	case LIBM_tan: return atanl(y) + turn / 2 * roundl(was / (turn / 2));
	case LIBM_asin: return sinl(y);
	case LIBM_acos: return cosl(y);
	case LIBM_atan: return tanl(y);
	case LIBM_sinh: return asinhl(y);
	case LIBM_cosh: return (one_in(a, 2) ? 1 : -1) * acoshl(y);
	case LIBM_tanh: return atanhl(y);
	case LIBM_asinh: return sinhl(y);
	case LIBM_acosh: return coshl(y);
	case LIBM_atanh: return tanhl(y);
	case LIBM_exp: return logl(y);
	case LIBM_exp2: return log2l(y);
	case LIBM_exp10: return log10l(y);
	case LIBM_expm1: return log1pl(y);
	case LIBM_log: return expl(y);
	case LIBM_log2: return exp2l(y);
	case LIBM_log10: return powl(10, y);
	case LIBM_log1p: return expm1l(y);
	case LIBM_logb: return exp2l(y);
	case LIBM_cbrt: return y * y * y;
	case LIBM_floor: return one_in(a, 2) ? y : y + 0.5L;
	case LIBM_ceil: return one_in(a, 2) ? y : y - 0.5L;
	case LIBM_trunc: return one_in(a, 2) ? y : y + copysignl(0.5L, y);
	case LIBM_modf_fraction: return truncl(was) + y;
	default:
		return one_in(a, 2) ? y : y + (long double)below(a, 100) / 200 - 0.25L; // roundings; a guess for others
	}
}

static bool to_function2(struct aim *a, const struct tape_step *s, long double y)
{
	long double x = read_float(a, s->a), z = read_float(a, s->b);
	bool first = choose_first(a, s);
	switch (s->node.c) {
	case LIBM_fmod:
	case LIBM_remainder: return to_float(a, s->a, z ? truncl(x / z) * z + y : y);
	case LIBM_fmin:
	case LIBM_fminimum:
	case LIBM_fminimum_num: first = !is_constant(a, s->a) && (is_constant(a, s->b) || x < z); break;
	case LIBM_fmax:
	case LIBM_fmaximum:
	case LIBM_fmaximum_num: first = !is_constant(a, s->a) && (is_constant(a, s->b) || x > z); break;
	case LIBM_fdim: return first ? to_float(a, s->a, z + y) : to_float(a, s->b, x - y);
	case LIBM_pow:
		return first ? to_float(a, s->a, one_in(a, 4) ? -powl(y, 1 / z) : powl(y, 1 / z))
		             : to_float(a, s->b, logl(y) / logl(x));
	case LIBM_hypot: return to_float(a, first ? s->a : s->b, sqrtl(y * y - (first ? z * z : x * x)));
	case LIBM_atan2: return first ? to_float(a, s->a, tanl(y) * z) : to_float(a, s->b, x / tanl(y));
	case LIBM_scalb: return first ? to_float(a, s->a, ldexpl(y, (int)-z)) : to_float(a, s->b, log2l(y / x));
	default: break;
	}
	return to_float(a, first ? s->a : s->b, y);
}

static bool to_arithmetic(struct aim *a, const struct tape_step *s, long double y)
{
	long double x = read_float(a, s->a), z = read_float(a, s->b);
	bool first = choose_first(a, s);
	switch (s->node.op) {
	case OP_FADD: return to_float(a, first ? s->a : s->b, y - (first ? z : x));
	case OP_FSUB: return first ? to_float(a, s->a, y + z) : to_float(a, s->b, x - y);
	case OP_FMUL:
		if (s->a == s->b)
			return to_float(a, s->a, one_in(a, 2) ? -sqrtl(y) : sqrtl(y));
		return to_float(a, first ? s->a : s->b, y / (first ? z : x));
	default: return first ? to_float(a, s->a, y * z) : to_float(a, s->b, x / y);
	}
}

// The digits, as many as there are, or the exponent.
static bool to_decimal(struct aim *a, const struct tape_step *s, long double y)
{
	long double exponent = (long double)eval_sign(value_of(a, s->b), 64), digits = (long double)value_of(a, s->a);
	if (!(y >= 0) || isinf(y))
		return false;
	if (is_constant(a, s->a) || (!is_constant(a, s->b) && one_in(a, 2)))
		return digits > 0 && y > 0 &&
		       to(a, s->b, (eval_value)(eval_signed)roundl(log10l(y / digits)) & eval_mask(64));
	long double m = exponent < 0 ? y * powl(10, -exponent) : y / powl(10, exponent);
	return to_number(a, s->a, one_in(a, 2) ? roundl(m) : m, false);
}

// The number that has these digits, or one that is rounded to them.
static bool to_number_of_digits(struct aim *a, const struct tape_step *s, eval_value target)
{
	long double x = read_float(a, s->a), exponent = (long double)eval_sign(value_of(a, s->b), 64);
	long double m = (long double)target + (one_in(a, 2) ? 0 : (long double)below(a, 100) / 100 - 0.5L);
	if (target == eval_mask(s->node.width))
		return to_float(a, s->a, INFINITY);
	return to_float(a, s->a, copysignl(exponent < 0 ? m * powl(10, -exponent) : m / powl(10, exponent), x));
}

static bool to_float_node(struct aim *a, const struct tape_step *s, eval_value target)
{
	unsigned width = s->node.width;
	long double y = eval_float(target, width);
	eval_value sign = (eval_value)1 << (width - 1);
	switch (s->node.op) {
	case OP_FADD:
	case OP_FSUB:
	case OP_FMUL:
	case OP_FDIV: return to_arithmetic(a, s, y);
	case OP_FNEG: return to(a, s->a, target ^ sign);
	case OP_FABS: return to(a, s->a, one_in(a, 2) ? target : target | sign);
	case OP_FSQRT: return to_float(a, s->a, y * y);
	case OP_FTOF: return to_float(a, s->a, y);
	case OP_UITOF: return to_number(a, s->a, y, false);
	case OP_SITOF: return to_number(a, s->a, y, true);
	case OP_DECIMAL: return to_decimal(a, s, y);
	case OP_DIGITS: return to_number_of_digits(a, s, target);
	case OP_FCALL: return to_float(a, s->a, inverse_of(a, s->node.b, y, read_float(a, s->a)));
	case OP_FCALL2: return to_function2(a, s, y);
	case OP_FMA:
		if (is_constant(a, s->c) || one_in(a, 2))
			return is_constant(a, s->a)
			               ? to_float(a, s->b, (y - read_float(a, s->c)) / read_float(a, s->a))
			               : to_float(a, s->a, (y - read_float(a, s->c)) / read_float(a, s->b));
		return to_float(a, s->c, y - read_float(a, s->a) * read_float(a, s->b));
	case OP_FTOSI: return to_float(a, s->a, (long double)eval_sign(target, width));
	case OP_FTOUI: return to_float(a, s->a, (long double)target);
	default: return false;
	}
}

// The step is to have that value.
static bool to(struct aim *a, uint32_t step, eval_value target)
{
	const struct tape_step *s = &a->tape->steps[step];
	if (!a->budget)
		return false;
	a->budget--;
	if (is_constant(a, step) || a->tape->values[step] == target)
		return a->tape->values[step] == target;
	if (s->node.op == OP_ITE) {
		bool other = one_in(a, 5);
		bool first = (a->tape->values[s->a] & 1) != other;
		return (!other || truth(a, s->a, first)) && to(a, first ? s->b : s->c, target);
	}
	if (op_is_float(s->node.op) && op_class(s->node.op) != OP_CLASS_FLOAT_COMPARISON)
		return to_float_node(a, s, target);
	if (s->node.width == 1 && s->node.op != OP_EXTRACT)
		return truth(a, step, target);
	return to_integer(a, s, target);
}

// --- conditions ----------------------------------------------------------------------------------

// A value beside a bound: next to it, or far from it.
static eval_value float_beside(struct aim *a, eval_value bound, unsigned width, int direction)
{
	long double x = eval_float(bound, width);
	eval_signed step = direction * ((eval_signed)1 << (one_in(a, 2) ? 0 : below(a, width - 2)));
	switch (below(a, 4)) {
	case 0: return eval_bits(floorl(x) + direction * (long double)below(a, 3), width);
	case 1: return eval_bits(x + direction * exp2l((long double)below(a, 16)), width);
	default: return distance_unrank(distance_rank(bound, width) + step, width);
	}
}

static bool compare_floats(struct aim *a, const struct tape_step *s, bool wanted)
{
	bool first = choose_first(a, s), strict = s->node.op == OP_FLT;
	unsigned width = s->width_a;
	uint32_t moves = first ? s->a : s->b;
	eval_value other = value_of(a, first ? s->b : s->a);
	int less = first == wanted ? -1 : 1; // which way the moving operand has to go
	if (s->node.op == OP_FUNO)
		return wanted ? to(a, moves, eval_bits(NAN, width)) : to_float(a, moves, 0);
	if (distance_is_nan(other, width))
		return to_float(a, first ? s->b : s->a, 0) && to_float(a, moves, less);
	if (s->node.op == OP_FEQ)
		return to(a, moves, wanted ? other : float_beside(a, other, width, one_in(a, 2) ? 1 : -1));
	if (strict != wanted && one_in(a, 3))
		return to(a, moves, other); // equal will do
	return to(a, moves, float_beside(a, other, width, less));
}

static bool compare_integers(struct aim *a, const struct tape_step *s, bool wanted)
{
	bool first = choose_first(a, s), strict = s->node.op == OP_ULT || s->node.op == OP_SLT;
	eval_value mask = eval_mask(s->width_a), other = value_of(a, first ? s->b : s->a);
	eval_value by = one_in(a, 2) ? 1 : (eval_value)1 << below(a, s->width_a);
	uint32_t moves = first ? s->a : s->b;
	if (s->node.op == OP_EQ)
		return to(a, moves, wanted ? other : (one_in(a, 2) ? other + by : other - by) & mask);
	if (strict != wanted && one_in(a, 3))
		return to(a, moves, other);
	return to(a, moves, (first == wanted ? other - by : other + by) & mask);
}

// Both operands, as far as they are not what they should be.
static bool all_of(struct aim *a, const struct tape_step *s, bool first, bool second)
{
	return ((value_of(a, s->a) & 1) == first || truth(a, s->a, first)) &&
	       ((value_of(a, s->b) & 1) == second || truth(a, s->b, second));
}

static bool one_of(struct aim *a, const struct tape_step *s, bool wanted)
{
	return choose_first(a, s) ? truth(a, s->a, wanted) : truth(a, s->b, wanted);
}

static bool truth(struct aim *a, uint32_t step, bool wanted)
{
	const struct tape_step *s = &a->tape->steps[step];
	if (!a->budget || is_constant(a, step))
		return (value_of(a, step) & 1) == wanted;
	a->budget--;
	if (op_class(s->node.op) == OP_CLASS_FLOAT_COMPARISON)
		return compare_floats(a, s, wanted);
	if (op_class(s->node.op) == OP_CLASS_COMPARISON && s->width_a > 1)
		return compare_integers(a, s, wanted);
	switch (s->node.op) {
	case OP_NOT: return truth(a, s->a, !wanted);
	case OP_AND: return wanted ? all_of(a, s, true, true) : one_of(a, s, false);
	case OP_OR: return wanted ? one_of(a, s, true) : all_of(a, s, false, false);
	case OP_XOR:
	case OP_EQ:
		return choose_first(a, s)
		               ? truth(a, s->a, (value_of(a, s->b) & 1) == (wanted == (s->node.op == OP_EQ)))
		               : truth(a, s->b, (value_of(a, s->a) & 1) == (wanted == (s->node.op == OP_EQ)));
	case OP_ITE:
	case OP_EXTRACT: return to(a, step, wanted);
	default: return false;
	}
}

bool aim_at(struct aim *a, uint32_t step)
{
	a->n = 0;
	a->budget = BUDGET;
	return truth(a, step, true) && a->n > 0;
}
