#include "base/decimal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void decimal_float(struct buf *out, const void *bytes, size_t size)
{
	enum { DIGITS_MAX = 21 }; // are enough for any
	float f = 0;
	double d = 0;
	long double l = 0;
	size_t from = out->len;
	assert(size == sizeof f || size == sizeof d || size == 10);
	memcpy(size == sizeof f ? (void *)&f : size == sizeof d ? (void *)&d : (void *)&l, bytes, size);
	long double value = size == sizeof f ? (long double)f : size == sizeof d ? (long double)d : l;
	for (int digits = 1; digits <= DIGITS_MAX; digits++) {
		buf_cut(out, from);
		buf_printf(out, "%.*Lg", digits, value);
		const char *text = out->data + from;
		bool same = value != value || (size == sizeof f   ? strtof(text, NULL) == f
		                               : size == sizeof d ? strtod(text, NULL) == d
		                                                  : strtold(text, NULL) == l);
		if (same)
			return;
	}
}
