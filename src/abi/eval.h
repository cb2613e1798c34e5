// The meaning of the operators, on concrete values. Used by the runtime's
// self-check and by the engine, so the two cannot disagree.
//
// Values are zero-extended to 128 bits. Division by zero gives what SMT-LIB says
// (all ones; the remainder is the dividend), as do shifts by too much.
#ifndef VEER_ABI_EVAL_H
#define VEER_ABI_EVAL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "abi/trace.h"

typedef unsigned __int128 eval_value;
typedef __int128 eval_signed;

static inline eval_value eval_mask(unsigned width)
{
	return width >= 128 ? ~(eval_value)0 : ((eval_value)1 << width) - 1;
}

static inline eval_signed eval_sign(eval_value v, unsigned width)
{
	if (width >= 128)
		return (eval_signed)v;
	eval_value top = (eval_value)1 << (width - 1);
	return (eval_signed)((v ^ top) - top);
}

// Half precision: eleven bits, the first of which is not written down.
static inline long double eval_half(unsigned bits)
{
	unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
	long double x;
	if (exponent == 31) { // with what a NaN carries
		uint64_t digits = (uint64_t)1 << 63 | (uint64_t)fraction << 53;
		x = __builtin_infl();
		memcpy(&x, &digits, sizeof digits);
	} else {
		x = (exponent ? 1024 + fraction : fraction) * 0x1p-24L;
		for (unsigned i = 1; i < exponent; i++)
			x *= 2;
	}
	return bits >> 15 ? -x : x;
}

// To a multiple of 2^-24, or more for larger numbers: what is added and taken away again rounds.
static inline unsigned eval_half_bits(long double x)
{
	unsigned sign = __builtin_signbit(x) ? 0x8000 : 0, exponent = 1;
	long double rest = __builtin_fabsl(x);
	if (rest != rest) {
		uint64_t digits;
		memcpy(&digits, &rest, sizeof digits);
		return sign | 0x7e00 | (unsigned)(digits >> 53 & 1023);
	}
	if (rest >= 65520)
		return sign | 0x7c00;
	// (No powers of two from integers: LLVM 19 multiplies a long double by one half of them.)
	long double scale = 1;
	for (; rest >= 0x1p-13L * scale; scale *= 2)
		exponent++;
	volatile long double unit = 0x1.8p39L * scale; // its last bit is worth that of the result
	volatile long double sum = rest + unit;
	unsigned steps = (unsigned)((sum - unit) * (0x1p24L / scale));
	return sign | (((exponent - 1) << 10) + steps); // a step too many is the next exponent
}

static inline long double eval_float(eval_value v, unsigned width)
{
	if (width == 16)
		return eval_half((unsigned)v & 0xffff);
	if (width == 32) {
		float f;
		uint32_t bits = (uint32_t)v;
		memcpy(&f, &bits, sizeof f);
		return f;
	}
	if (width == 64) {
		double d;
		uint64_t bits = (uint64_t)v;
		memcpy(&d, &bits, sizeof d);
		return d;
	}
	long double x = 0;
	memcpy(&x, &v, 10);
	return x;
}

static inline eval_value eval_bits(long double x, unsigned width)
{
	eval_value v = 0;
	if (width == 16) {
		v = eval_half_bits(x);
	} else if (width == 32) {
		float f = (float)x;
		memcpy(&v, &f, sizeof f);
	} else if (width == 64) {
		double d = (double)x;
		memcpy(&v, &d, sizeof d);
	} else {
		memcpy(&v, &x, 10);
	}
	return v;
}

// Of abi/libm.h. In expr/libm.c, and for the self-check in runtime/trace/libm.c.
eval_value eval_libm(unsigned function, unsigned width, eval_value a, eval_value b);
eval_value eval_decimal(unsigned width, eval_value mantissa, eval_signed exponent);
eval_value eval_digits(unsigned width, unsigned from, eval_value a, eval_signed exponent);
eval_value eval_fma(unsigned width, eval_value a, eval_value b, eval_value c);

// Arithmetic in the operands' own precision: a detour over long double would
// round twice.
static inline eval_value eval_float_binary(unsigned op, unsigned width, eval_value a, eval_value b)
{
#define ARITHMETIC(type)                                                                                               \
	type x = (type)eval_float(a, width), y = (type)eval_float(b, width), r = 0;                                    \
	switch (op) {                                                                                                  \
	case OP_FADD: r = x + y; break;                                                                                \
	case OP_FSUB: r = x - y; break;                                                                                \
	case OP_FMUL: r = x * y; break;                                                                                \
	case OP_FDIV: r = x / y; break;                                                                                \
	default: __builtin_trap();                                                                                     \
	}                                                                                                              \
	return eval_bits(r, width);
	if (width <= 32) { // of half precision, too: twice its bits and two more, so rounding twice does no harm
		ARITHMETIC(float)
	}
	if (width == 64) {
		ARITHMETIC(double)
	}
	ARITHMETIC(long double)
#undef ARITHMETIC
}

// The processor's conversion to a signed integer of 16, 32 or 64 bits: rounds towards
// zero; what does not fit becomes the smallest integer. For C that is undefined, but
// programs do it, and a trace must follow them.
static inline eval_value eval_convert(long double x, unsigned bits)
{
	long double limit = (long double)((uint64_t)1 << (bits - 1));
	if (!(x > -limit - 1 && x < limit) || (bits == 64 && x < -limit))
		return (eval_value)1 << (bits - 1);
	return (eval_value)(eval_signed)x;
}

// As LLVM compiles the conversion of a float of `from` bits to an integer of `to`.
static inline eval_value eval_to_integer(long double x, unsigned from, unsigned to, bool is_signed)
{
	unsigned smallest = from == 80 ? 16 : 32;
	if (to > 64)
		return is_signed ? (eval_value)(eval_signed)x : (eval_value)x;
	if (is_signed)
		return eval_convert(x, to <= smallest ? smallest : to <= 32 ? 32 : 64);
	if (to < smallest)
		return eval_convert(x, smallest);
	if (to < 32)
		return eval_convert(x, 32);
	if (to < 64)
		return eval_convert(x, 64);
	if (from == 80) { // at once, less 2^63 where it is not below that; NaN is not, either
		bool above = !(x < 0x1p63L);
		return eval_convert(above ? x - 0x1p63L : x, 64) ^ (eval_value)above << 63;
	}
	// Unsigned, 64 bits: twice, the second time less 2^63.
	uint64_t low = (uint64_t)eval_convert(x, 64);
	uint64_t high = (uint64_t)eval_convert(x - 0x1p63L, 64);
	return low | (high & (uint64_t)((int64_t)low >> 63));
}

static inline eval_value eval_division(unsigned op, unsigned width, eval_value a, eval_value b)
{
	eval_value mask = eval_mask(width);
	eval_signed sa = eval_sign(a, width), sb = eval_sign(b, width);
	if (op == OP_UDIV)
		return b ? a / b : mask;
	if (op == OP_UREM)
		return b ? a % b : a;
	if (op == OP_SDIV) {
		if (!b)
			return (sa < 0 ? 1 : mask);
		return sb == -1 ? (eval_value)0 - a : (eval_value)(sa / sb);
	}
	return !b ? a : sb == -1 ? 0 : (eval_value)(sa % sb);
}

static inline bool eval_overflows(unsigned op, unsigned width, eval_value a, eval_value b)
{
	eval_value mask = eval_mask(width);
	eval_signed sa = eval_sign(a, width), sb = eval_sign(b, width), r;
	eval_value u;
	switch (op) {
	case OP_UADDO: return __builtin_add_overflow(a, b, &u) || u > mask;
	case OP_USUBO: return a < b;
	case OP_UMULO: return __builtin_mul_overflow(a, b, &u) || u > mask;
	case OP_SADDO: return __builtin_add_overflow(sa, sb, &r) || eval_sign((eval_value)r & mask, width) != r;
	case OP_SSUBO: return __builtin_sub_overflow(sa, sb, &r) || eval_sign((eval_value)r & mask, width) != r;
	case OP_SMULO: return __builtin_mul_overflow(sa, sb, &r) || eval_sign((eval_value)r & mask, width) != r;
	default: __builtin_trap();
	}
}

static inline unsigned eval_count(unsigned op, unsigned width, eval_value a)
{
	unsigned n = 0;
	if (op == OP_CTPOP) {
		for (; a; a &= a - 1)
			n++;
	} else if (op == OP_CTLZ) {
		while (n < width && !(a >> (width - 1 - n) & 1))
			n++;
	} else {
		while (n < width && !(a >> n & 1))
			n++;
	}
	return n;
}

// The value of node n, whose operands have the widths and values given. `width` is
// the width of the first operand. Not for CONST, INPUT and LOOKUP.
static inline eval_value eval_node(const struct trace_node *n, unsigned width, eval_value a, eval_value b, eval_value c,
                                   unsigned width_b)
{
	eval_value mask = eval_mask(n->width), r = 0;
	switch ((enum trace_op)n->op) {
	case OP_CONST:
	case OP_INPUT:
	case OP_LOOKUP: break; // the caller has their values
	case OP_ADD: r = a + b; break;
	case OP_SUB: r = a - b; break;
	case OP_MUL: r = a * b; break;
	case OP_UDIV:
	case OP_SDIV:
	case OP_UREM:
	case OP_SREM: r = eval_division(n->op, width, a, b); break;
	case OP_SHL: r = b < width ? a << b : 0; break;
	case OP_LSHR: r = b < width ? a >> b : 0; break;
	case OP_ASHR: r = (eval_value)(eval_sign(a, width) >> (b < width ? (unsigned)b : width - 1)); break;
	case OP_AND: r = a & b; break;
	case OP_OR: r = a | b; break;
	case OP_XOR: r = a ^ b; break;
	case OP_NOT: r = ~a; break;
	case OP_EQ: r = a == b; break;
	case OP_ULT: r = a < b; break;
	case OP_ULE: r = a <= b; break;
	case OP_SLT: r = eval_sign(a, width) < eval_sign(b, width); break;
	case OP_SLE: r = eval_sign(a, width) <= eval_sign(b, width); break;
	case OP_ZEXT: r = a; break;
	case OP_SEXT: r = (eval_value)eval_sign(a, width); break;
	case OP_EXTRACT: r = a >> n->b; break;
	case OP_CONCAT: r = a << width_b | b; break;
	case OP_ITE: r = a ? b : c; break;
	case OP_UADDO:
	case OP_SADDO:
	case OP_USUBO:
	case OP_SSUBO:
	case OP_UMULO:
	case OP_SMULO: r = eval_overflows(n->op, width, a, b); break;
	case OP_CTPOP:
	case OP_CTLZ:
	case OP_CTTZ: r = eval_count(n->op, width, a); break;
	case OP_FADD:
	case OP_FSUB:
	case OP_FMUL:
	case OP_FDIV: r = eval_float_binary(n->op, width, a, b); break;
	case OP_FNEG: r = a ^ (eval_value)1 << (width - 1); break;
	case OP_FABS: r = a & ~((eval_value)1 << (width - 1)); break;
	case OP_FSQRT:
		r = width <= 32   ? eval_bits(__builtin_sqrtf((float)eval_float(a, width)), width)
		    : width == 64 ? eval_bits(__builtin_sqrt((double)eval_float(a, 64)), 64)
		                  : eval_bits(__builtin_sqrtl(eval_float(a, 80)), 80);
		break;
	case OP_FEQ: r = eval_float(a, width) == eval_float(b, width); break;
	case OP_FLT: r = eval_float(a, width) < eval_float(b, width); break;
	case OP_FLE: r = eval_float(a, width) <= eval_float(b, width); break;
	case OP_FUNO: r = __builtin_isunordered(eval_float(a, width), eval_float(b, width)); break;
	case OP_FTOUI: r = eval_to_integer(eval_float(a, width), width, n->width, false); break;
	case OP_FTOSI: r = eval_to_integer(eval_float(a, width), width, n->width, true); break;
	case OP_UITOF:
		r = n->width <= 32   ? eval_bits((float)a, n->width)
		    : n->width == 64 ? eval_bits((double)a, 64)
		                     : eval_bits((long double)a, 80);
		break;
	case OP_SITOF: {
		eval_signed s = eval_sign(a, width);
		r = n->width <= 32   ? eval_bits((float)s, n->width)
		    : n->width == 64 ? eval_bits((double)s, 64)
		                     : eval_bits((long double)s, 80);
		break;
	}
	case OP_FTOF: r = eval_bits(eval_float(a, width), n->width); break;
	case OP_FCALL: r = eval_libm(n->b, width, a, 0); break;
	case OP_FCALL2: r = eval_libm(n->c, width, a, b); break;
	case OP_DECIMAL: r = eval_decimal(n->width, a, eval_sign(b, width_b)); break;
	case OP_DIGITS: r = eval_digits(n->width, width, a, eval_sign(b, width_b)); break;
	case OP_FMA: r = eval_fma(width, a, b, c); break;
	}
	return r & mask;
}

#endif
