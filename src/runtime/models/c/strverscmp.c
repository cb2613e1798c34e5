// Comparing strings with numbers in them, as names of versions. Numbers with a leading zero
// are fractions: 000 < 00 < 01 < 010 < 09 < 0 < 1 < 9 < 10.
#include <string.h>

#include "runtime/models/c/model_c.h"

// What was equal so far ends with: no digits, a number, a fraction, zeros that start one.
enum where { TEXT, NUMBER, FRACTION, ZEROS };
enum kind { OTHER, DIGIT, ZERO };

static enum kind kind_of(unsigned char c)
{
	if (c == '0')
		return ZERO;
	if (c >= '1' && c <= '9')
		return DIGIT;
	return OTHER;
}

static enum where after(enum where w, enum kind k)
{
	if (k == OTHER)
		return TEXT;
	switch (w) {
	case TEXT: return k == ZERO ? ZEROS : NUMBER;
	case ZEROS: return k == ZERO ? ZEROS : FRACTION;
	default: return w;
	}
}

static bool is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

// The number with more digits is larger; a and b are behind the first that differ.
static int by_length(const unsigned char *a, const unsigned char *b, int difference)
{
	while (is_digit(*a++))
		if (!is_digit(*b++))
			return 1;
	return is_digit(*b) ? -1 : difference;
}

MODEL(int, strverscmp, const char *s, const char *t)
{
	if (s == t || (!model_is_symbolic_string(s) && !model_is_symbolic_string(t)))
		return strverscmp(s, t);
	const unsigned char *a = (const unsigned char *)s, *b = (const unsigned char *)t;
	enum where where = TEXT;
	for (; *a == *b; a++, b++) {
		if (!*a)
			return 0;
		where = after(where, kind_of(*a));
	}
	enum kind x = kind_of(*a), y = kind_of(*b);
	int difference = *a - *b;
	if (where == TEXT && x == DIGIT && y == DIGIT)
		return by_length(a + 1, b + 1, difference);
	if (where == NUMBER && (x != OTHER || y != OTHER)) {
		if (x == OTHER)
			return -1;
		return y == OTHER ? 1 : by_length(a + 1, b + 1, difference);
	}
	if (where == ZEROS && (x == OTHER) != (y == OTHER))
		return x == OTHER ? 1 : -1;
	return difference;
}
