// eval_libm and eval_fma (abi/eval.h), for the two files that define them: the engine has libm, the runtime finds that
// of the program. Before this: LIBM_REAL(name), the function of that name.
#ifndef VEER_ABI_LIBM_EVAL_H
#define VEER_ABI_LIBM_EVAL_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	char text[80], *digits = text + 40;
	enum { FAR = 20000 }; // beyond any float
	int by = (int)(exponent > FAR ? FAR : exponent < -FAR ? -FAR : exponent);
	snprintf(digits, 40, "e%d", by);
	do
		*--digits = (char)('0' + (unsigned)(mantissa % 10));
	while (mantissa /= 10);
	return width <= 32   ? eval_bits(strtof(digits, NULL), width)
	       : width == 64 ? eval_bits(strtod(digits, NULL), width)
	                     : eval_bits(strtold(digits, NULL), width);
}

// The number that these digits spell, rounded to even without the last n of them; `most` when it is more than that.
static eval_value libm_rounded(const char *digits, size_t n, eval_value most)
{
	size_t all = strlen(digits), kept = all < n ? 0 : all - n;
	eval_value r = 0;
	for (size_t i = 0; i < kept; i++) {
		eval_value d = (eval_value)(digits[i] - '0');
		if (r > (most - d) / 10)
			return most;
		r = r * 10 + d;
	}
	if (all < n || !n)
		return r;
	const char *rest = digits + kept;
	bool half = *rest == '5' && rest[1 + strspn(rest + 1, "0")] == 0;
	bool up = half ? r & 1 : *rest >= '5';
	return r < most ? r + up : most;
}

// As printf rounds it, which knows all digits that there are.
eval_value eval_digits(unsigned width, unsigned from, eval_value a, eval_signed exponent)
{
	static const long double powers[] = {1, 10, 100, 1000, 10000}; // times 53 bits these are exact
	enum { FAR = 5000, FRACTION = 63 }; // beyond any float; bits behind the point from 1 on
	char text[FAR + 128];
	eval_value most = eval_mask(width);
	long double x = fabsl(eval_float(a, from));
	if (x == 0 || exponent <= -FAR || (exponent < 0 && x < 1))
		return 0;
	if (!(x < 0x1p128L) && !(isfinite(x) && exponent < 0))
		return most;
	if (exponent >= FAR)
		return most;
	if (exponent >= 0 && exponent <= 4 && from <= 64 && x * powers[exponent] < 0x1p62L && width >= 64) {
		volatile long double sum = x * powers[exponent] + 0x1p63L; // whose last bit is worth 1
		return (eval_value)(sum - 0x1p63L);
	}
	snprintf(text, sizeof text, "%.*Lf", exponent < 0 ? FRACTION : (int)exponent, x);
	char *point = text + strspn(text, "0123456789"), *fraction = point;
	while (*fraction && strchr("0123456789", *fraction) == NULL)
		fraction++;
	memmove(point, fraction, strlen(fraction) + 1);
	return libm_rounded(text, exponent < 0 ? (size_t)(FRACTION - exponent) : 0, most);
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
