// Numbers from text: strtol and its relatives. The real function comes first and gives
// result, end and errno; what is here gives them labels.
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/models/c/number.h"

// 0x, and 0b where C23 counts: only when a digit follows.
static unsigned skip_prefix(const char **s, unsigned base, bool binary)
{
	const char *p = *s;
	if (base != 0 && base != 16 && !(base == 2 && binary))
		return base;
	if (*p != '0')
		return base ? base : 10;
	if (base != 2 && number_is(p[1], 'x') && number_digit((unsigned char)p[2], 16) < 16) {
		*s += 2;
		return 16;
	}
	if (base != 16 && binary && number_is(p[1], 'b') && number_digit((unsigned char)p[2], 2) < 2) {
		*s += 2;
		return 2;
	}
	return base ? base : 8;
}

// Returns the end; s when there is no number.
static const char *convert(const char *s, unsigned base, bool is_signed, bool binary, uint64_t *ret, bool *over)
{
	const char *p = s;
	while (number_is_space((unsigned char)*p))
		p++;
	bool negative = DECIDE(*p == '-');
	if (negative || *p == '+')
		p++;
	base = skip_prefix(&p, base, binary);
	struct number n = number_start(base, number_most(is_signed, negative));
	for (unsigned d; (d = number_digit((unsigned char)*p, base)) < base; p++)
		number_add(&n, d);
	*over = n.over;
	*ret = number_value(&n, is_signed, negative);
	return n.digits ? p : s;
}

// The result with its label, when it is the one that the real function gave.
static uint64_t with_label(const char *s, char *stop, int base, bool is_signed, uint64_t real)
{
	uint64_t value;
	bool over;
	s = (const char *)model_concretise((uint64_t)s);
	base = (int)model_concretise((uint64_t)base);
	if (convert(s, (unsigned)base, is_signed, false, &value, &over) == stop && memcmp(&value, &real, 8) == 0)
		return value;
	model_concretise_bytes(s, (size_t)(stop - s) + 1);
	return real;
}

#define STRTO(name, type, is_signed, parameters, ...)                                                                  \
	MODEL(type, name, const char *s, char **end, int base parameters)                                              \
	{                                                                                                              \
		char *stop = NULL;                                                                                     \
		type r = name(s, &stop, base __VA_ARGS__);                                                             \
		if (!stop) /* no such base */                                                                          \
			return r;                                                                                      \
		if (end)                                                                                               \
			*end = stop;                                                                                   \
		if (!model_is_symbolic_number(s, stop) && !IS_SYMBOLIC(base))                                          \
			return r;                                                                                      \
		return (type)with_label(s, stop, base, is_signed, (uint64_t)r);                                        \
	}

#define AND ,
extern long __strtol_internal(const char *s, char **end, int base, int group);
extern unsigned long __strtoul_internal(const char *s, char **end, int base, int group);

STRTO(strtol, long, true, , )
STRTO(strtoul, unsigned long, false, , )
STRTO(strtol_l, long, true, AND locale_t locale, , locale)
STRTO(strtoul_l, unsigned long, false, AND locale_t locale, , locale)
STRTO(__strtol_internal, long, true, AND int group, , group)
STRTO(__strtoul_internal, unsigned long, false, AND int group, , group)

// C23's functions read 0b, too; where libc does not have them, nobody calls them.
static uint64_t c23(const char *s, char **end, int base, bool is_signed)
{
	uint64_t value;
	bool over;
	s = (const char *)model_concretise((uint64_t)s);
	base = (int)model_concretise((uint64_t)base);
	if (base < 0 || base == 1 || base > 36) {
		errno = EINVAL;
		return 0;
	}
	const char *stop = convert(s, (unsigned)base, is_signed, true, &value, &over);
	if (end)
		*end = (char *)stop;
	if (over)
		errno = ERANGE;
	return value;
}

MODEL(long, __isoc23_strtol, const char *s, char **end, int base)
{
	return (long)c23(s, end, base, true);
}

MODEL(unsigned long, __isoc23_strtoul, const char *s, char **end, int base)
{
	return c23(s, end, base, false);
}

MODEL(long, __isoc23_strtol_l, const char *s, char **end, int base, locale_t locale)
{
	(void)locale;
	return (long)c23(s, end, base, true);
}

MODEL(unsigned long, __isoc23_strtoul_l, const char *s, char **end, int base, locale_t locale)
{
	(void)locale;
	return c23(s, end, base, false);
}

MODEL(long, atol, const char *s)
{
	return veer_model_strtol(s, NULL, 10);
}

MODEL(int, atoi, const char *s)
{
	return (int)veer_model_strtol(s, NULL, 10);
}
