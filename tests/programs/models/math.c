#define _GNU_SOURCE
#include "models.h"

#include <math.h>

// Functions by their symbols: clang makes instructions and intrinsics of some that it knows by name.

static const double usual[] = {0.0,   -0.0,   1.0,    -1.0,  0.5,      -2.5,      3.5, 1e-3,
                               1e10,  -1e300, 1e-310, 700.0, INFINITY, -INFINITY, NAN, 4503599627370497.5,
                               9.3e18};

static long double any_number(void)
{
	switch (below(4)) {
	case 0: return usual[below(sizeof usual / sizeof *usual)];
	case 1: return (long double)below(200) - 100;
	default: return ((long double)below(1u << 30) / (1 << 24) - 32) / (1 + below(5));
	}
}

// With labels on most bytes.
static void label_bytes(void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((unsigned char *)p)[i] = byte(((unsigned char *)p)[i]);
}

#define SIZE(type) (sizeof(type) == 16 ? 10 : sizeof(type))

#define CHECK_RESULT(type, real_call, model_call)                                                                      \
	do {                                                                                                           \
		errno = 0;                                                                                             \
		type expected_ = real_call;                                                                            \
		int error_ = errno;                                                                                    \
		errno = 0;                                                                                             \
		type got_ = model_call;                                                                                \
		int got_error_ = errno;                                                                                \
		SAME(&expected_, &got_, SIZE(type));                                                                   \
		SAME(&error_, &got_error_, sizeof error_);                                                             \
	} while (0)

#define ARGUMENT(type, x)                                                                                              \
	type x = (type)any_number();                                                                                   \
	label_bytes(&x, SIZE(type))

#define TEST_1(result, type, name)                                                                                     \
	extern result call_##name(type) __asm__(#name);                                                                \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		ARGUMENT(type, x);                                                                                     \
		CHECK_RESULT(result, ((__typeof__(&call_##name))real_function(#name))(x), call_##name(x));             \
	}

#define TEST_2(result, type, name)                                                                                     \
	extern result call_##name(type, type) __asm__(#name);                                                          \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		ARGUMENT(type, x);                                                                                     \
		ARGUMENT(type, y);                                                                                     \
		CHECK_RESULT(result, ((__typeof__(&call_##name))real_function(#name))(x, y), call_##name(x, y));       \
	}

#define LIBM(name, operands, rounding)                                                                                 \
	TEST_##operands(double, double, name) TEST_##operands(float, float, name##f)                                   \
		TEST_##operands(long double, long double, name##l)
#include "../../../src/abi/libm.def"
#undef LIBM

#define INTEGERS(result, name)                                                                                         \
	TEST_1(result, double, name) TEST_1(result, float, name##f) TEST_1(result, long double, name##l)
INTEGERS(long, lround)
INTEGERS(long long, llround)
INTEGERS(long, lrint)
INTEGERS(long long, llrint)
INTEGERS(int, ilogb)
INTEGERS(long, llogb)

#define OTHERS(type, s)                                                                                                \
	TEST_1(type, type, sqrt##s)                                                                                    \
	extern type call_frexp##s(type, int *) __asm__("frexp" #s), call_modf##s(type, type *) __asm__("modf" #s),     \
		call_ldexp##s(type, int) __asm__("ldexp" #s), call_scalbln##s(type, long) __asm__("scalbln" #s),       \
		call_fma##s(type, type, type) __asm__("fma" #s);                                                       \
	extern void call_sincos##s(type, type *, type *) __asm__("sincos" #s);                                         \
	static void test_frexp##s(void)                                                                                \
	{                                                                                                              \
		int e = 0, f = 0;                                                                                      \
		ARGUMENT(type, x);                                                                                     \
		CHECK_RESULT(type, ((__typeof__(&call_frexp##s))real_function("frexp" #s))(x, &e),                     \
		             call_frexp##s(x, &f));                                                                    \
		SAME(&e, &f, sizeof e);                                                                                \
	}                                                                                                              \
	static void test_modf##s(void)                                                                                 \
	{                                                                                                              \
		type e = 0, f = 0;                                                                                     \
		ARGUMENT(type, x);                                                                                     \
		CHECK_RESULT(type, ((__typeof__(&call_modf##s))real_function("modf" #s))(x, &e), call_modf##s(x, &f)); \
		SAME(&e, &f, SIZE(type));                                                                              \
	}                                                                                                              \
	static void test_ldexp##s(void)                                                                                \
	{                                                                                                              \
		int n = (int)below(200) - 100;                                                                         \
		ARGUMENT(type, x);                                                                                     \
		label_bytes(&n, sizeof n);                                                                             \
		CHECK_RESULT(type, ((__typeof__(&call_ldexp##s))real_function("ldexp" #s))(x, n),                      \
		             call_ldexp##s(x, n));                                                                     \
	}                                                                                                              \
	static void test_scalbln##s(void)                                                                              \
	{                                                                                                              \
		long n = (long)below(20000) - 10000;                                                                   \
		ARGUMENT(type, x);                                                                                     \
		label_bytes(&n, sizeof n);                                                                             \
		CHECK_RESULT(type, ((__typeof__(&call_scalbln##s))real_function("scalbln" #s))(x, n),                  \
		             call_scalbln##s(x, n));                                                                   \
	}                                                                                                              \
	static void test_fma##s(void)                                                                                  \
	{                                                                                                              \
		ARGUMENT(type, x);                                                                                     \
		ARGUMENT(type, y);                                                                                     \
		ARGUMENT(type, z);                                                                                     \
		CHECK_RESULT(type, ((__typeof__(&call_fma##s))real_function("fma" #s))(x, y, z),                       \
		             call_fma##s(x, y, z));                                                                    \
	}                                                                                                              \
	static void test_sincos##s(void)                                                                               \
	{                                                                                                              \
		type a, b, c, d;                                                                                       \
		ARGUMENT(type, x);                                                                                     \
		((__typeof__(&call_sincos##s))real_function("sincos" #s))(x, &a, &b);                                  \
		call_sincos##s(x, &c, &d);                                                                             \
		SAME(&a, &c, SIZE(type));                                                                              \
		SAME(&b, &d, SIZE(type));                                                                              \
	}

OTHERS(double, )
OTHERS(float, f)
OTHERS(long double, l)

#define TESTS(name)                                                                                                    \
	TEST(name);                                                                                                    \
	TEST(name##f);                                                                                                 \
	TEST(name##l);

int main(int argc, char **argv)
{
	start(argc, argv);
#define LIBM(name, operands, rounding) TESTS(name)
#include "../../../src/abi/libm.def"
#undef LIBM
	TESTS(lround)
	TESTS(llround)
	TESTS(lrint)
	TESTS(llrint)
	TESTS(llogb)
	TESTS(ilogb)
	TESTS(sqrt)
	TESTS(frexp)
	TESTS(modf)
	TESTS(ldexp)
	TESTS(scalbln)
	TESTS(fma)
	TESTS(sincos)
	return report();
}
