// Numbers from text: strtol and its relatives.
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "runtime/models/c/model_c.h"

// The value of a digit; 99 when it is none.
static unsigned digit(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
}

static bool is_space(unsigned char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

// The number at s as sign and magnitude; stops at `most`, with *over set. Returns the end,
// or NULL when there is no number.
static const char *parse(const char *s, int base, bool *negative, unsigned long long most_up,
                         unsigned long long most_down, unsigned long long *ret, bool *over)
{
	while (is_space((unsigned char)*s))
		s++;
	*negative = *s == '-';
	if (*s == '-' || *s == '+')
		s++;
	const char *digits = NULL;
	if ((base == 0 || base == 16) && *s == '0' && (s[1] == 'x' || s[1] == 'X') && digit((unsigned char)s[2]) < 16) {
		s += 2;
		base = 16;
	} else if (base == 0) {
		base = *s == '0' ? 8 : 10;
	}
	unsigned long long value = 0, most = *negative ? most_down : most_up;
	*over = false;
	for (unsigned d; (d = digit((unsigned char)*s)) < (unsigned)base; digits = ++s) {
		if (*over || value > (most - d) / (unsigned)base)
			*over = true;
		else
			value = value * (unsigned)base + d;
	}
	*ret = *over ? most : value;
	return digits;
}

// `most` is the largest positive and negative magnitude.
static unsigned long long convert(const char *s, char **end, int base, unsigned long long most_up,
                                  unsigned long long most_down)
{
	bool negative, over;
	unsigned long long value;
	base = (int)model_concretise((uint64_t)base);
	const char *stop = parse(s, base, &negative, most_up, most_down, &value, &over);
	if (end)
		*end = (char *)(stop ? stop : s);
	if (!stop)
		return 0;
	if (over) {
		errno = ERANGE;
		return negative && most_up != most_down ? 0 - most_down : most_up;
	}
	return negative ? 0 - value : value;
}

static bool is_base(int base)
{
	return base == 0 || (base >= 2 && base <= 36);
}

MODEL(long, strtol, const char *s, char **end, int base)
{
	if (!is_base(base) || (!model_is_symbolic_string(s) && !IS_SYMBOLIC(base)))
		return strtol(s, end, base);
	return (long)convert(s, end, base, LONG_MAX, (unsigned long long)LONG_MAX + 1);
}

MODEL(unsigned long, strtoul, const char *s, char **end, int base)
{
	if (!is_base(base) || (!model_is_symbolic_string(s) && !IS_SYMBOLIC(base)))
		return strtoul(s, end, base);
	return (unsigned long)convert(s, end, base, ULONG_MAX, ULONG_MAX);
}

MODEL(int, atoi, const char *s)
{
	return (int)veer_model_strtol(s, NULL, 10);
}

MODEL(long, atol, const char *s)
{
	return veer_model_strtol(s, NULL, 10);
}
