// eval_libm and eval_fma (abi/eval.h), for the two files that define them: the engine has libm, the runtime finds that
// of the program. Before this: LIBM_REAL(name), the function of that name.
#ifndef VEER_ABI_LIBM_EVAL_H
#define VEER_ABI_LIBM_EVAL_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "abi/eval.h"

#define LIBM_CALL_1(name, a, b) LIBM_REAL(name)(a)
#define LIBM_CALL_2(name, a, b) LIBM_REAL(name)(a, b)

// What libc itself has.
#define LIBM_PARTS(suffix)                                                                                             \
	case LIBM_frexp_fraction: r = frexp##suffix(a, &exponent); break;                                              \
	case LIBM_frexp_exponent:                                                                                      \
		frexp##suffix(a, &exponent);                                                                           \
		r = isfinite(a) ? exponent : 0;                                                                        \
		break;                                                                                                 \
	case LIBM_modf_fraction: r = modf##suffix(a, &whole); break;                                                   \
	case LIBM_scalb: r = scalbn##suffix(a, b > 1e6f ? 1000000 : b < -1e6f ? -1000000 : (int)b); break;             \
	case LIBM_COUNT: break

static float libm_float(unsigned function, float a, float b)
{
	int exponent = 0;
	float whole, r = 0;
	switch ((enum libm)function) {
#define LIBM(name, operands, rounding)                                                                                 \
	case LIBM_##name: r = LIBM_CALL_##operands(name##f, a, b); break;
#include "abi/libm.def"
#undef LIBM
		LIBM_PARTS(f);
	}
	return r;
}

static double libm_double(unsigned function, double a, double b)
{
	int exponent = 0;
	double whole, r = 0;
	switch ((enum libm)function) {
#define LIBM(name, operands, rounding)                                                                                 \
	case LIBM_##name: r = LIBM_CALL_##operands(name, a, b); break;
#include "abi/libm.def"
#undef LIBM
		LIBM_PARTS();
	}
	return r;
}

static long double libm_long_double(unsigned function, long double a, long double b)
{
	int exponent = 0;
	long double whole, r = 0;
	switch ((enum libm)function) {
#define LIBM(name, operands, rounding)                                                                                 \
	case LIBM_##name: r = LIBM_CALL_##operands(name##l, a, b); break;
#include "abi/libm.def"
#undef LIBM
		LIBM_PARTS(l);
	}
	return r;
}

eval_value eval_libm(unsigned function, unsigned width, eval_value a, eval_value b)
{
	long double x = eval_float(a, width), y = libm_operands(function) > 1 ? eval_float(b, width) : 0;
	if (width <= 32)
		return eval_bits(libm_float(function, (float)x, (float)y), width);
	if (width == 64)
		return eval_bits(libm_double(function, (double)x, (double)y), width);
	return eval_bits(libm_long_double(function, x, y), width);
}

// As strtod reads it, which rounds once.
eval_value eval_decimal(unsigned width, eval_value mantissa, eval_signed exponent)
{
	char text[64];
	enum { FAR = 20000 }; // beyond any float
	long long by = (long long)(exponent > FAR ? FAR : exponent < -FAR ? -FAR : exponent);
	snprintf(text, sizeof text, "%llue%lld", (unsigned long long)mantissa, by);
	return width <= 32   ? eval_bits(strtof(text, NULL), width)
	       : width == 64 ? eval_bits(strtod(text, NULL), width)
	                     : eval_bits(strtold(text, NULL), width);
}

eval_value eval_fma(unsigned width, eval_value a, eval_value b, eval_value c)
{
	long double x = eval_float(a, width), y = eval_float(b, width), z = eval_float(c, width);
	if (width <= 32)
		return eval_bits(LIBM_REAL(fmaf)((float)x, (float)y, (float)z), width);
	if (width == 64)
		return eval_bits(LIBM_REAL(fma)((double)x, (double)y, (double)z), width);
	return eval_bits(LIBM_REAL(fmal)(x, y, z), width);
}

#endif
