// Functions of math.h: each is a node (abi/libm.h) whose meaning is the function itself, or is made of such nodes.
// What clang makes an instruction or an intrinsic of does not come here (instrument/trace_intrinsic.c).
#include <math.h>
#include <string.h>

#include "runtime/models/model.h"
#include "runtime/trace/libm.h"

// A number with its label.
struct real {
	eval_value bits;
	label l;
	unsigned width;
};

#define WIDTH(type) (sizeof(type) == 4 ? 32u : sizeof(type) == 8 ? 64u : 80u)

#define BITS(x)                                                                                                        \
	__extension__({                                                                                                \
		__typeof__(x) number_ = (x);                                                                           \
		eval_value bits_ = 0;                                                                                  \
		memcpy(&bits_, &number_, WIDTH(x) / 8);                                                                \
		bits_;                                                                                                 \
	})

#define REAL(x, label_) ((struct real){BITS(x), label_, WIDTH(x)})

#define GIVE_REAL(name, value, r)                                                                                      \
	__extension__({                                                                                                \
		__typeof__(value) give_ = (value);                                                                     \
		model_give((const void *)veer_model_##name, label_if_same(site, #name, r, BITS(give_)), BITS(give_),   \
		           WIDTH(give_));                                                                              \
		give_;                                                                                                 \
	})

#define GIVE_INTEGER(name, value, r)                                                                                   \
	__extension__({                                                                                                \
		__typeof__(value) give_ = (value);                                                                     \
		eval_value bits_ = (eval_value)give_ & eval_mask(8 * sizeof give_);                                    \
		model_give((const void *)veer_model_##name, label_if_same(site, #name, r, bits_), bits_,               \
		           8 * sizeof give_);                                                                          \
		give_;                                                                                                 \
	})

static struct real function(unsigned f, struct real a, struct real b)
{
	const label l[] = {a.l, b.l};
	const eval_value v[] = {a.bits, b.bits};
	unsigned n = libm_operands(f);
	struct real r = {.width = a.width};
	if (!rt_on || !(a.l || (n > 1 && b.l)))
		return r;
	r.bits = eval_libm(f, a.width, a.bits, b.bits);
	r.l = rt_function(f, a.width, n, l, v);
	return r;
}

static struct real convert(unsigned op, unsigned width, struct real a)
{
	const struct trace_node n = {.op = (uint8_t)op, .width = (uint16_t)width};
	struct real r = {.width = width};
	if (!rt_on || !a.l)
		return r;
	r.bits = eval_node(&n, a.width, a.bits, 0, 0, 0);
	r.l = rt_unary(op, width, a.l);
	return r;
}

// What is built must have the value that the function returned, else it is not what the function does.
static label label_if_same(struct site *site, const char *name, struct real r, eval_value value)
{
	if (r.l && r.bits != value) {
		rt_unmodelled(site, name);
		return 0;
	}
	return r.l;
}

static const struct real none;

#define MODEL_1(type, name, f)                                                                                         \
	MODEL(type, name, type x)                                                                                      \
	{                                                                                                              \
		ENTER(name, 1);                                                                                        \
		type r = LIBM_REAL(name)(x);                                                                           \
		return GIVE_REAL(name, r, function(LIBM_##f, REAL(x, arg[0]), none));                                  \
	}

#define MODEL_2(type, name, f)                                                                                         \
	MODEL(type, name, type x, type y)                                                                              \
	{                                                                                                              \
		ENTER(name, 2);                                                                                        \
		type r = LIBM_REAL(name)(x, y);                                                                        \
		return GIVE_REAL(name, r, function(LIBM_##f, REAL(x, arg[0]), REAL(y, arg[1])));                       \
	}

#define LIBM(name, operands, rounding)                                                                                 \
	MODEL_##operands(double, name, name) MODEL_##operands(float, name##f, name)                                    \
		MODEL_##operands(long double, name##l, name)
#include "abi/libm.def"
#undef LIBM

// --- to integers ---------------------------------------------------------------------------------

// Rounded, then converted as the processor does it.
#define TO_INTEGER(result, name, type, f)                                                                              \
	MODEL(result, name, type x)                                                                                    \
	{                                                                                                              \
		ENTER(name, 1);                                                                                        \
		result r = LIBM_REAL(name)(x);                                                                         \
		struct real whole = function(LIBM_##f, REAL(x, arg[0]), none);                                         \
		return GIVE_INTEGER(name, r, convert(OP_FTOSI, 8 * sizeof r, whole));                                  \
	}

#define TO_INTEGERS(result, name, rounds)                                                                              \
	TO_INTEGER(result, name, double, rounds)                                                                       \
	TO_INTEGER(result, name##f, float, rounds) TO_INTEGER(result, name##l, long double, rounds)

TO_INTEGERS(long, lround, round)
TO_INTEGERS(long long, llround, round)
TO_INTEGERS(long, lrint, rint)
TO_INTEGERS(long long, llrint, rint)

// The exponent as an integer: the largest one for an infinity. What the processor makes of a NaN and of the -infinity
// of a zero is FP_ILOGBNAN and FP_ILOGB0.
static struct real exponent_of(struct real x, unsigned width)
{
	struct real whole = function(LIBM_logb, x, none), r = convert(OP_FTOSI, width, whole);
	eval_value infinity = eval_bits(INFINITY, x.width), most = eval_mask(width) >> 1;
	label bound = rt_constant(x.width, infinity), largest = rt_constant(width, most);
	label is = r.l && bound && largest ? rt_binary(OP_FEQ, 1, whole.l, bound) : 0;
	if (!is)
		return none;
	r.bits = whole.bits == infinity ? most : r.bits;
	r.l = rt_node(OP_ITE, width, is, largest, r.l);
	return r;
}

#define EXPONENT(result, name, type)                                                                                   \
	MODEL(result, name, type x)                                                                                    \
	{                                                                                                              \
		ENTER(name, 1);                                                                                        \
		result r = LIBM_REAL(name)(x);                                                                         \
		return GIVE_INTEGER(name, r, exponent_of(REAL(x, arg[0]), 8 * sizeof r));                              \
	}

#define EXPONENTS(result, name)                                                                                        \
	EXPONENT(result, name, double) EXPONENT(result, name##f, float) EXPONENT(result, name##l, long double)

EXPONENTS(int, ilogb)
EXPONENTS(long, llogb)

// --- two results, an integer operand, three operands ---------------------------------------------------

#define OTHERS(type, s)                                                                                                \
	MODEL(type, frexp##s, type x, int *exponent)                                                                   \
	{                                                                                                              \
		ENTER(frexp##s, 2);                                                                                    \
		type r = frexp##s(x, exponent);                                                                        \
		struct real e = convert(OP_FTOSI, 32, function(LIBM_frexp_exponent, REAL(x, arg[0]), none));           \
		rt_concrete(site, arg[1], (uint64_t)exponent, REASON_ARGUMENT);                                        \
		rt_store((uint64_t)exponent, 4, label_if_same(site, "frexp" #s, e, (uint32_t)*exponent));              \
		return GIVE_REAL(frexp##s, r, function(LIBM_frexp_fraction, REAL(x, arg[0]), none));                   \
	}                                                                                                              \
	MODEL(type, modf##s, type x, type *whole)                                                                      \
	{                                                                                                              \
		ENTER(modf##s, 2);                                                                                     \
		type r = modf##s(x, whole);                                                                            \
		struct real w = function(LIBM_trunc, REAL(x, arg[0]), none);                                           \
		rt_concrete(site, arg[1], (uint64_t)whole, REASON_ARGUMENT);                                           \
		rt_store((uint64_t)whole, WIDTH(type) / 8, label_if_same(site, "modf" #s, w, BITS(*whole)));           \
		return GIVE_REAL(modf##s, r, function(LIBM_modf_fraction, REAL(x, arg[0]), none));                     \
	}                                                                                                              \
	MODEL(type, ldexp##s, type x, int n)                                                                           \
	{                                                                                                              \
		ENTER(ldexp##s, 2);                                                                                    \
		type r = ldexp##s(x, n), by = (type)n;                                                                 \
		struct real e = convert(OP_SITOF, WIDTH(type), (struct real){(uint32_t)n, arg[1], 32});                \
		return GIVE_REAL(ldexp##s, r, function(LIBM_scalb, REAL(x, arg[0]), REAL(by, e.l)));                   \
	}                                                                                                              \
	MODEL(type, scalbln##s, type x, long n)                                                                        \
	{                                                                                                              \
		ENTER(scalbln##s, 2);                                                                                  \
		type r = LIBM_REAL(scalbln##s)(x, n), by = (type)n;                                                    \
		struct real e = convert(OP_SITOF, WIDTH(type), (struct real){(uint64_t)n, arg[1], 64});                \
		return GIVE_REAL(scalbln##s, r, function(LIBM_scalb, REAL(x, arg[0]), REAL(by, e.l)));                 \
	}                                                                                                              \
	MODEL(type, fma##s, type x, type y, type z)                                                                    \
	{                                                                                                              \
		ENTER(fma##s, 3);                                                                                      \
		type r = LIBM_REAL(fma##s)(x, y, z);                                                                   \
		const eval_value v[] = {BITS(x), BITS(y), BITS(z)};                                                    \
		struct real sum = {.bits = BITS(r), .width = WIDTH(type)};                                             \
		sum.l = rt_function(LIBM_COUNT, WIDTH(type), 3, arg, v);                                               \
		return GIVE_REAL(fma##s, r, sum);                                                                      \
	}                                                                                                              \
	MODEL(type, sqrt##s, type x)                                                                                   \
	{                                                                                                              \
		ENTER(sqrt##s, 1);                                                                                     \
		type r = LIBM_REAL(sqrt##s)(x);                                                                        \
		return GIVE_REAL(sqrt##s, r, convert(OP_FSQRT, WIDTH(type), REAL(x, arg[0])));                         \
	}                                                                                                              \
	MODEL(void, sincos##s, type x, type *sine, type *cosine)                                                       \
	{                                                                                                              \
		ENTER(sincos##s, 3);                                                                                   \
		LIBM_REAL(sincos##s)(x, sine, cosine);                                                                 \
		struct real sine_of = function(LIBM_sin, REAL(x, arg[0]), none),                                       \
			    cosine_of = function(LIBM_cos, REAL(x, arg[0]), none);                                     \
		rt_store((uint64_t)sine, WIDTH(type) / 8, label_if_same(site, "sincos" #s, sine_of, BITS(*sine)));     \
		rt_store((uint64_t)cosine, WIDTH(type) / 8,                                                            \
		         label_if_same(site, "sincos" #s, cosine_of, BITS(*cosine)));                                  \
	}

OTHERS(double, )
OTHERS(float, f)
OTHERS(long double, l)
