// Every operator on floats, in each format, on random operands and on special values. Results are printed as one number
// that must be the native program's; with --self-check each node is compared with what the program computed; an
// operator whose result lost its label is named on standard error. usage: PROGRAM [ROUNDS [SEED]]
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "veer.h"

static uint64_t state, sum;
static unsigned char pool[256];

static unsigned below(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 20) % n;
}

// What was computed: without its label, it takes part in the sum.
__attribute__((noinline)) static void result(const char *name, void *value, size_t size)
{
	static const char *last;
	if (veer_is_symbolic && *name && !veer_is_symbolic(value, size) && last != name)
		fprintf(stderr, "lost: %s\n", last = name);
	if (veer_make_concrete)
		veer_make_concrete(value, size);
	uint64_t word[2] = {0, 0};
	memcpy(word, value, size);
	sum = (sum ^ word[0] ^ word[1]) * 0x9e3779b97f4a7c15u;
	sum ^= sum >> 29;
}

__attribute__((noinline)) static void give_label(void *value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((unsigned char *)value)[i] = pool[((unsigned char *)value)[i]];
}

// Which NaN it is depends on the order of operands, which compilers exchange.
#define FLOAT(name, type, size, expression)                                                                            \
	do {                                                                                                           \
		type r_ = (expression), plain_ = r_;                                                                   \
		if (veer_make_concrete)                                                                                \
			veer_make_concrete(&plain_, sizeof plain_);                                                    \
		if (plain_ == plain_)                                                                                  \
			result(name, &r_, size);                                                                       \
	} while (0)

#define INTEGER(name, expression)                                                                                      \
	do {                                                                                                           \
		__typeof__(expression) r_ = (expression);                                                              \
		result(name, &r_, sizeof r_);                                                                          \
	} while (0)

// A conversion that does not fit is undefined: checked, but not compared.
#define TO_INTEGER(name, type, x, plain, least, most)                                                                  \
	do {                                                                                                           \
		type r_ = (type)(x);                                                                                   \
		if (!((long double)(plain) > (least) - 1.0L && (long double)(plain) < (most) + 1.0L))                  \
			r_ ^= r_;                                                                                      \
		else                                                                                                   \
			result(name, &r_, sizeof r_);                                                                  \
	} while (0)

static const long double special[] = {0.0L,     -0.0L,   1.0L,   -1.0L,    0.5L,     -1.5L,   2.5L,      3.0L,
                                      127.5L,   -128.9L, 255.0L, 65504.0L, 0x1p-24L, 0x1p31L, 0x1p63L,   -0x1p63L,
                                      0x1p-14L, 1e-7L,   1e30L,  -1e9L,    1e300L,   5e-324L, 0x1p-126L, 0x1p-149L};

#define OPERAND(type, size)                                                                                            \
	static type operand_##type(void)                                                                               \
	{                                                                                                              \
		unsigned kind = below(8);                                                                              \
		type x = kind < 3    ? (type)special[below(sizeof special / sizeof *special)]                          \
		         : kind == 3 ? (type)(below(2) ? INFINITY : -INFINITY)                                         \
		         : kind == 4 ? (type)(below(2) ? NAN : -NAN)                                                   \
		                     : (type)(((double)below(1u << 30) - (1 << 29)) / (1u << below(30)));              \
		if (kind == 7 && sizeof x < 16)                                                                        \
			for (unsigned i = 0; i < sizeof x; i++)                                                        \
				((unsigned char *)&x)[i] = (unsigned char)below(256);                                  \
		give_label(&x, size);                                                                                  \
		return x;                                                                                              \
	}

typedef long double real80;
typedef double real64;
typedef float real32;
typedef _Float16 real16;
OPERAND(real80, 10)
OPERAND(real64, 8)
OPERAND(real32, 4)
OPERAND(real16, 2)

#define ARITHMETIC(type, size)                                                                                         \
	__attribute__((noinline)) static void arithmetic_##type(type x, type y)                                        \
	{                                                                                                              \
		FLOAT(#type " +", type, size, x + y);                                                                  \
		FLOAT(#type " -", type, size, x - y);                                                                  \
		FLOAT(#type " *", type, size, x *y);                                                                   \
		FLOAT(#type " /", type, size, x / y);                                                                  \
		FLOAT(#type " minus", type, size, -x);                                                                 \
		FLOAT(#type " abs", type, size, __builtin_elementwise_abs(x));                                         \
		FLOAT(#type " copysign", type, size, __builtin_elementwise_copysign(x, y));                            \
		INTEGER(#type " ==", (unsigned char)(x == y));                                                         \
		INTEGER(#type " !=", (unsigned char)(x != y));                                                         \
		INTEGER(#type " <", (unsigned char)(x < y));                                                           \
		INTEGER(#type " <=", (unsigned char)(x <= y));                                                         \
		INTEGER(#type " >", (unsigned char)(x > y));                                                           \
		INTEGER(#type " >=", (unsigned char)(x >= y));                                                         \
		INTEGER(#type " unordered", (unsigned char)__builtin_isunordered(x, y));                               \
		INTEGER(#type " less or greater", (unsigned char)__builtin_islessgreater(x, y));                       \
		INTEGER(#type " not less", (unsigned char)!(x < y));                                                   \
		INTEGER(#type " nan", (unsigned char)(__builtin_isnan(x) != 0));                                       \
		INTEGER(#type " infinite", (unsigned char)(__builtin_isinf(x) != 0));                                  \
		INTEGER(#type " finite", (unsigned char)(__builtin_isfinite(x) != 0));                                 \
		INTEGER(#type " normal", (unsigned char)(__builtin_isnormal(x) != 0));                                 \
		INTEGER(#type " subnormal", (unsigned char)(__builtin_issubnormal(x) != 0));                           \
		INTEGER(#type " signbit", (unsigned char)(__builtin_signbit(x) != 0));                                 \
		INTEGER("", (unsigned char)__builtin_fpclassify(1, 2, 3, 4, 5, x));                                    \
		FLOAT(#type " choice", type, size, x < y ? x : y);                                                     \
	}                                                                                                              \
	__attribute__((noinline)) static void conversions_##type(type x)                                               \
	{                                                                                                              \
		type p = x;                                                                                            \
		if (veer_make_concrete)                                                                                \
			veer_make_concrete(&p, sizeof p);                                                              \
		TO_INTEGER(#type " to signed char", signed char, x, p, -128, 127);                                     \
		TO_INTEGER(#type " to unsigned char", unsigned char, x, p, 0, 255);                                    \
		TO_INTEGER(#type " to short", short, x, p, -32768, 32767);                                             \
		TO_INTEGER(#type " to unsigned short", unsigned short, x, p, 0, 65535);                                \
		TO_INTEGER(#type " to int", int, x, p, -0x1p31L, 0x1p31L - 1);                                         \
		TO_INTEGER(#type " to unsigned", unsigned, x, p, 0, 0x1p32L - 1);                                      \
		TO_INTEGER(#type " to long", long, x, p, -0x1p63L, 0x1p63L - 1);                                       \
		TO_INTEGER(#type " to unsigned long", unsigned long, x, p, 0, 0x1p64L - 1);                            \
		FLOAT(#type " to half", real16, 2, (real16)x);                                                         \
		FLOAT(#type " to float", real32, 4, (real32)x);                                                        \
		FLOAT(#type " to double", real64, 8, (real64)x);                                                       \
		FLOAT(#type " to long double", real80, 10, (real80)x);                                                 \
		unsigned char bits[size];                                                                              \
		memcpy(bits, &x, size);                                                                                \
		INTEGER(#type " highest byte", (unsigned char)(bits[size - 1] + 1));                                   \
		int64_t n = (int64_t)(p == p && p > -1000 && p < 1000 ? (double)p * 4096 : 77);                        \
		give_label(&n, 8);                                                                                     \
		FLOAT(#type " of signed char", type, size, (type)(signed char)n);                                      \
		FLOAT(#type " of unsigned char", type, size, (type)(unsigned char)n);                                  \
		FLOAT(#type " of short", type, size, (type)(short)n);                                                  \
		FLOAT(#type " of int", type, size, (type)(int)n);                                                      \
		FLOAT(#type " of unsigned", type, size, (type)(unsigned)n);                                            \
		FLOAT(#type " of long", type, size, (type)(n * 1234567891));                                           \
		FLOAT(#type " of unsigned long", type, size, (type)((uint64_t)n * 0x123456789abcdfu));                 \
	}

ARITHMETIC(real80, 10)
ARITHMETIC(real64, 8)
ARITHMETIC(real32, 4)
ARITHMETIC(real16, 2)

#define LIBRARY(type, size, s)                                                                                         \
	__attribute__((noinline)) static void library_##type(type x, type y, type z, int n)                            \
	{                                                                                                              \
		int exponent;                                                                                          \
		type whole;                                                                                            \
		FLOAT("sqrt" #s, type, size, sqrt##s(x));                                                              \
		FLOAT("fma" #s, type, size, fma##s(x, y, z));                                                          \
		FLOAT("fmod" #s, type, size, fmod##s(x, y));                                                           \
		FLOAT("remainder" #s, type, size, remainder##s(x, y));                                                 \
		FLOAT("fmin" #s, type, size, fmin##s(x, y) + 0);                                                       \
		FLOAT("fmax" #s, type, size, fmax##s(x, y) + 0);                                                       \
		FLOAT("fminimum" #s, type, size, fminimum##s(x, y));                                                   \
		FLOAT("fmaximum" #s, type, size, fmaximum##s(x, y));                                                   \
		FLOAT("fminimum_num" #s, type, size, fminimum_num##s(x, y));                                           \
		FLOAT("fmaximum_num" #s, type, size, fmaximum_num##s(x, y));                                           \
		FLOAT("fdim" #s, type, size, fdim##s(x, y));                                                           \
		FLOAT("floor" #s, type, size, floor##s(x));                                                            \
		FLOAT("ceil" #s, type, size, ceil##s(x));                                                              \
		FLOAT("trunc" #s, type, size, trunc##s(x));                                                            \
		FLOAT("round" #s, type, size, round##s(x));                                                            \
		FLOAT("roundeven" #s, type, size, __builtin_roundeven##s(x));                                          \
		FLOAT("rint" #s, type, size, rint##s(x));                                                              \
		FLOAT("nearbyint" #s, type, size, nearbyint##s(x));                                                    \
		INTEGER("lround" #s, lround##s(x));                                                                    \
		INTEGER("llround" #s, llround##s(x));                                                                  \
		INTEGER("lrint" #s, lrint##s(x));                                                                      \
		INTEGER("llrint" #s, llrint##s(x));                                                                    \
		INTEGER("ilogb" #s, ilogb##s(x));                                                                      \
		INTEGER("llogb" #s, llogb##s(x));                                                                      \
		FLOAT("logb" #s, type, size, logb##s(x));                                                              \
		FLOAT("ldexp" #s, type, size, ldexp##s(x, n));                                                         \
		FLOAT("scalbn" #s, type, size, scalbn##s(x, n));                                                       \
		FLOAT("scalbln" #s, type, size, scalbln##s(x, n));                                                     \
		FLOAT("frexp" #s, type, size, frexp##s(x, &exponent));                                                 \
		if (isfinite(x))                                                                                       \
			INTEGER("exponent of frexp" #s, exponent);                                                     \
		FLOAT("modf" #s, type, size, modf##s(x, &whole));                                                      \
		FLOAT("whole of modf" #s, type, size, whole);                                                          \
		FLOAT("nextafter" #s, type, size, nextafter##s(x, y));                                                 \
		FLOAT("fabs" #s, type, size, fabs##s(x));                                                              \
		FLOAT("copysign" #s, type, size, copysign##s(x, y));                                                   \
	}

LIBRARY(real80, 10, l)
LIBRARY(real64, 8, )
LIBRARY(real32, 4, f)

__attribute__((noinline)) static void half_functions(real16 x, real16 y)
{
	FLOAT("half floor", real16, 2, __builtin_elementwise_floor(x));
	FLOAT("half ceil", real16, 2, __builtin_elementwise_ceil(x));
	FLOAT("half trunc", real16, 2, __builtin_elementwise_trunc(x));
	FLOAT("half rint", real16, 2, __builtin_elementwise_rint(x));
	FLOAT("half sqrt", real16, 2, __builtin_elementwise_sqrt(x));
	FLOAT("half min", real16, 2, __builtin_elementwise_min(x, y) + 0);
	FLOAT("half max", real16, 2, __builtin_elementwise_max(x, y) + 0);
	FLOAT("half fma", real16, 2, __builtin_elementwise_fma(x, y, x));
}

typedef float float4 __attribute__((vector_size(16)));
typedef double double2 __attribute__((vector_size(16)));
typedef _Float16 half8 __attribute__((vector_size(16)));
typedef int int4 __attribute__((vector_size(16)));

// A lane of each result.
#define VECTOR(vector, type, size, lanes)                                                                              \
	__attribute__((noinline)) static void vectors_##vector(type x, type y, unsigned lane)                          \
	{                                                                                                              \
		vector a, b;                                                                                           \
		for (unsigned i = 0; i < lanes; i++) {                                                                 \
			a[i] = i & 1 ? y : x;                                                                          \
			b[i] = i & 2 ? x : y + x;                                                                      \
		}                                                                                                      \
		FLOAT(#vector " +", type, size, (a + b)[lane]);                                                        \
		FLOAT(#vector " -", type, size, (a - b)[lane]);                                                        \
		FLOAT(#vector " *", type, size, (a * b)[lane]);                                                        \
		FLOAT(#vector " /", type, size, (a / b)[lane]);                                                        \
		FLOAT(#vector " minus", type, size, (-a)[lane]);                                                       \
		FLOAT(#vector " abs", type, size, __builtin_elementwise_abs(a)[lane]);                                 \
		FLOAT(#vector " sqrt", type, size, __builtin_elementwise_sqrt(a)[lane]);                               \
		FLOAT(#vector " floor", type, size, __builtin_elementwise_floor(a)[lane]);                             \
		FLOAT(#vector " min", type, size, __builtin_elementwise_min(a, b)[lane] + 0);                          \
		FLOAT(#vector " max", type, size, __builtin_elementwise_max(a, b)[lane] + 0);                          \
		INTEGER(#vector " <", (signed char)(a < b)[lane]);                                                     \
		INTEGER(#vector " ==", (signed char)(a == b)[lane]);                                                   \
	}

VECTOR(float4, float, 4, 4)
VECTOR(double2, double, 8, 2)
VECTOR(half8, _Float16, 2, 8)

__attribute__((noinline)) static void vector_conversions(float x, double y, int whole, unsigned lane)
{
	float4 a = {x, 1, (float)y, 2};
	double2 b = {y, x};
	if (fabsf(x) < 1e6f && fabs(y) < 1e6)
		INTEGER("vector to int", __builtin_convertvector(a, int4)[lane & 2]);
	int4 n = {whole, 1, 2, 3};
	FLOAT("vector of int", float, 4, __builtin_convertvector(n, float4)[0]);
	FLOAT("vector to float", float, 4, __builtin_convertvector(b, float __attribute__((vector_size(8))))[lane & 1]);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 20;
	state = 88172645463325252u + (argc > 2 ? strtoul(argv[2], NULL, 10) : 0) * 0x9e3779b97f4a7c15u;
	for (unsigned i = 0; i < 256; i++)
		pool[i] = (unsigned char)i;
	if (veer_make_symbolic)
		veer_make_symbolic(pool, sizeof pool, "pool");
	for (unsigned i = 0; i < rounds; i++) {
		int n = (int)below(300) - 150;
		unsigned lane = below(2);
		give_label(&n, sizeof n);
		real80 l = operand_real80(), m = operand_real80(), k = operand_real80();
		real64 d = operand_real64(), e = operand_real64(), f = operand_real64();
		real32 r = operand_real32(), s = operand_real32(), t = operand_real32();
		real16 h = operand_real16(), g = operand_real16();
		arithmetic_real80(l, m);
		arithmetic_real64(d, e);
		arithmetic_real32(r, s);
		arithmetic_real16(h, g);
		conversions_real80(l);
		conversions_real64(d);
		conversions_real32(r);
		conversions_real16(h);
		library_real80(l, m, k, n);
		library_real64(d, e, f, n);
		library_real32(r, s, t, n);
		half_functions(h, g);
		vectors_float4(r, s, lane);
		vectors_double2(d, e, lane);
		vectors_half8(h, g, lane);
		vector_conversions(r, d, n, lane);
	}
	printf("%016lx\n", sum);
	return 0;
}
