#include "base/decimal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double decimal_half(uint16_t bits)
{
	enum { INFINITE = 31, FRACTION = 10 };
	int exponent = bits >> FRACTION & INFINITE, fraction = bits & ((1 << FRACTION) - 1);
	double value = exponent == INFINITE ? (fraction ? NAN : INFINITY)
	               : exponent           ? ldexp(fraction + (1 << FRACTION), exponent - 25)
	                                    : ldexp(fraction, -24);
	return bits >> 15 ? -value : value;
}

// Whether the text is nearer to it than to its neighbours.
static bool is_half(const char *text, uint16_t bits)
{
	double read = fabs(strtod(text, NULL)), magnitude = fabs(decimal_half(bits));
	uint16_t rank = bits & 0x7fff;
	double above = fmin(decimal_half((uint16_t)(rank + 1)), 65536); // the largest number is no infinity
	double below = rank ? decimal_half((uint16_t)(rank - 1)) : -1;
	return read == magnitude ||
	       (fabs(read - magnitude) < fabs(read - above) && fabs(read - magnitude) < fabs(read - below));
}

void decimal_float(struct buf *out, const void *bytes, size_t size)
{
	enum { DIGITS_MAX = 21 }; // are enough for any
	float f = 0;
	double d = 0;
	long double l = 0;
	uint16_t h = 0;
	size_t from = out->len;
	assert(size == sizeof h || size == sizeof f || size == sizeof d || size == 10);
	memcpy(size == sizeof h   ? (void *)&h
	       : size == sizeof f ? (void *)&f
	       : size == sizeof d ? (void *)&d
	                          : (void *)&l,
	       bytes, size);
	long double value = size == sizeof h   ? (long double)decimal_half(h)
	                    : size == sizeof f ? (long double)f
	                    : size == sizeof d ? (long double)d
	                                       : l;
	for (int digits = 1; digits <= DIGITS_MAX; digits++) {
		buf_cut(out, from);
		buf_printf(out, "%.*Lg", digits, value);
		const char *text = out->data + from;
		bool same = value != value || (size == sizeof h   ? is_half(text, h)
		                               : size == sizeof f ? strtof(text, NULL) == f
		                               : size == sizeof d ? strtod(text, NULL) == d
		                                                  : strtold(text, NULL) == l);
		if (same)
			return;
	}
}
