// Floating-point numbers from text. The real function gives result, end and errno. Which
// bytes belong to the number is decided by branches; its value has a label where a
// product or quotient of two numbers that are exact is what the function must return:
// few digits, and a power of ten or two that has no error; elsewhere, with up to 38 digits
// or a symbolic exponent, one node says it all (DECIMAL in abi/ops.def). Of hexadecimal
// digits those that do not fit show in the last bit kept, which rounds alike. What has more
// decimal digits is concrete.
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/models/c/number.h"

enum { WORD_DIGITS = 19, DIGITS_MAX = 38, EXPONENT_MAX = 9999, EXPONENT_DIGITS = 4 };

// mantissa * 10^exponent, or 2^exponent when it is hexadecimal
struct parsed {
	bool negative, hexadecimal, finite;
	uint64_t mantissa;
	unsigned __int128 wide; // the mantissa, when it has more than WORD_DIGITS decimal digits
	unsigned digits;
	unsigned dropped; // hexadecimal digits behind those of the mantissa: only whether one is not 0 is in it
	int exponent;
};

typedef long double long_double;

// What a type holds without error.
struct limits {
	unsigned bits;                // of the mantissa
	unsigned decimals, hexdigits; // that always fit it
	int power, binary;            // largest exponents
};

static const char *skip_word(const char *s, const char *word)
{
	for (; *word; word++, s++)
		if (!number_is((unsigned char)*s, *word))
			return NULL;
	return s;
}

// inf, infinity, nan, nan(...); NULL when it is none of these. What is in the parentheses
// is part of the value.
static const char *skip_special(const char *s)
{
	const char *p = skip_word(s, "inf"), *rest;
	if (p)
		return (rest = skip_word(p, "inity")) ? rest : p;
	p = skip_word(s, "nan");
	if (!p || *p != '(')
		return p;
	for (rest = p + 1; DECIDE((number_digit((unsigned char)*rest, 36) < 36) | (*rest == '_')); rest++)
		;
	if (*rest != ')')
		return p;
	model_concretise_bytes(p + 1, (size_t)(rest - p - 1));
	return rest + 1;
}

// e+12: returns the end; s when there is no exponent.
static const char *skip_exponent(const char *s, bool hexadecimal, int *ret)
{
	const char *p = s + 1;
	unsigned d, value = 0;
	if (!number_is((unsigned char)*s, hexadecimal ? 'p' : 'e'))
		return s;
	bool negative = DECIDE(*p == '-');
	if (negative || *p == '+')
		p++;
	if (number_digit((unsigned char)*p, 10) >= 10)
		return s;
	for (unsigned n = 0; (d = number_digit((unsigned char)*p, 10)) < 10; p++, n++) {
		if (n < EXPONENT_DIGITS)
			value = value * 10 + d;
		else
			value = value > EXPONENT_MAX ? value : value * 10 + (unsigned)model_concretise(d);
	}
	*ret = negative ? -(int)value : (int)value;
	return p;
}

static void add_decimal(struct parsed *p, unsigned digit)
{
	if (p->digits < WORD_DIGITS)
		p->mantissa = p->mantissa * 10 + digit;
	else if (p->digits < DIGITS_MAX)
		p->wide = (p->digits == WORD_DIGITS ? p->mantissa : p->wide) * 10 + digit;
	p->digits++;
}

// The last of the mantissa's 64 bits is 1 when anything behind it is.
static void add_hexadecimal(struct parsed *p, unsigned digit)
{
	enum { KEPT = 16 };
	if (p->digits == 0 && digit == 0)
		return; // zeros in front take no room
	if (p->digits < KEPT) {
		p->mantissa = p->mantissa * 16 + digit;
		p->digits++;
	} else {
		p->mantissa |= digit != 0;
		p->dropped++;
	}
}

// Digits with a point: returns the end, NULL when there is no digit.
static const char *skip_digits(const char *s, unsigned base, struct parsed *p)
{
	int behind = 0;
	bool point = false, any = false;
	for (;; s++) {
		unsigned d = number_digit((unsigned char)*s, base);
		if (d < base) {
			any = true;
			if (base == 16)
				add_hexadecimal(p, d);
			else
				add_decimal(p, d);
			behind += point;
		} else if (!point && *s == '.' && (any || number_digit((unsigned char)s[1], base) < base)) {
			point = true;
		} else {
			break;
		}
	}
	p->exponent = base == 16 ? 4 * ((int)p->dropped - behind) : -behind;
	return any ? s : NULL;
}

// Returns the end; s when there is no number.
static const char *parse(const char *s, struct parsed *ret)
{
	const char *p = s, *end;
	int exponent = 0;
	*ret = (struct parsed){.finite = true};
	while (number_is_space((unsigned char)*p))
		p++;
	ret->negative = DECIDE(*p == '-');
	if (ret->negative || *p == '+')
		p++;
	if ((number_digit((unsigned char)*p, 10) >= 10) & (*p != '.')) {
		ret->finite = false;
		end = skip_special(p);
		return end ? end : s;
	}
	if (*p == '0' && number_is((unsigned char)p[1], 'x')) {
		ret->hexadecimal = true;
		end = skip_digits(p + 2, 16, ret);
		if (!end) {
			*ret = (struct parsed){.finite = true, .negative = ret->negative, .digits = 1};
			return p + 1; // "0"
		}
	} else if (!(end = skip_digits(p, 10, ret))) {
		return s;
	}
	end = skip_exponent(end, ret->hexadecimal, &exponent);
	ret->exponent += exponent;
	return end;
}

// May the value be computed without error?
static bool is_exact(const struct parsed *p, const struct limits *l)
{
	int most = p->hexadecimal ? l->binary : l->power;
	if (!p->finite || p->exponent > most || p->exponent < -most)
		return false;
	if (p->hexadecimal)
		return p->digits <= l->hexdigits;
	if (p->digits <= l->decimals)
		return true;
	return p->digits <= WORD_DIGITS && l->bits < 64 && p->mantissa <= (uint64_t)1 << l->bits;
}

// Is there an expression for its value? A long double has no bit to spare for what was dropped.
static bool is_carried(const struct parsed *p, const struct limits *l)
{
	return p->hexadecimal ? !p->dropped || l->bits < 64 : p->digits <= DIGITS_MAX;
}

long double veer_model_ldexpl(long double x, int n);

// When the value that was computed is not what the function returned: the digits are
// what they are. In another locale even the point may be another one.
static void give_up(const char *s, const char *stop)
{
	model_concretise_bytes(s, (size_t)(stop - s) + 1);
}

// One function for each type. `size`: bytes that count; a long double has others behind them.
#define WITH_LABEL(type, power_of_two, size, ...)                                                                      \
	static type compute_##type(const struct parsed *p)                                                             \
	{                                                                                                              \
		type power = 1,                                                                                        \
		     r = p->digits <= 9 && !p->hexadecimal ? (type)(uint32_t)p->mantissa : (type)p->mantissa;          \
		int n = p->exponent < 0 ? -p->exponent : p->exponent;                                                  \
		if (p->hexadecimal)                                                                                    \
			power = power_of_two(1, n);                                                                    \
		for (int i = 0; i < n && !p->hexadecimal; i++)                                                         \
			power *= 10;                                                                                   \
		if (n)                                                                                                 \
			r = p->exponent < 0 ? r / power : r * power;                                                   \
		return p->negative ? -r : r;                                                                           \
	}                                                                                                              \
                                                                                                                       \
	static type rounded_##type(const struct parsed *p)                                                             \
	{                                                                                                              \
		bool wide = p->digits > WORD_DIGITS && !p->hexadecimal;                                                \
		uint64_t upper = wide ? (uint64_t)(p->wide >> 64) : 0, lower = wide ? (uint64_t)p->wide : p->mantissa; \
		type r = p->hexadecimal ? (type)veer_model_ldexpl((long double)p->mantissa, p->exponent)               \
		                        : model_decimal_##type(upper, lower, p->exponent);                             \
		return p->negative ? -r : r;                                                                           \
	}                                                                                                              \
                                                                                                                       \
	static type label_##type(const char *s, const char *stop, type real)                                           \
	{                                                                                                              \
		static const struct limits limits = {__VA_ARGS__};                                                     \
		struct parsed p;                                                                                       \
		s = (const char *)model_concretise((uint64_t)s);                                                       \
		const char *end = parse(s, &p);                                                                        \
		if (end == stop && (end == s || !p.finite))                                                            \
			return real;                                                                                   \
		bool exact = !IS_SYMBOLIC(p.exponent) && is_exact(&p, &limits);                                        \
		if (end == stop && (exact || is_carried(&p, &limits))) {                                               \
			type r = exact ? compute_##type(&p) : rounded_##type(&p);                                      \
			if (memcmp(&r, &real, size) == 0)                                                              \
				return r;                                                                              \
		}                                                                                                      \
		give_up(s, stop);                                                                                      \
		return real;                                                                                           \
	}

WITH_LABEL(float, ldexpf, sizeof(float), 24, 7, 6, 10, 100)
WITH_LABEL(double, ldexp, sizeof(double), 53, 15, 13, 22, 960)
WITH_LABEL(long_double, ldexpl, 10, 64, 19, 16, 27, 16000)

#define STRTO(name, type, parameters, ...)                                                                             \
	MODEL(type, name, const char *s, char **end parameters)                                                        \
	{                                                                                                              \
		char *stop;                                                                                            \
		type r = name(s, &stop __VA_ARGS__);                                                                   \
		if (end)                                                                                               \
			*end = stop;                                                                                   \
		return model_is_symbolic_number(s, stop) ? label_##type(s, stop, r) : r;                               \
	}

#define AND ,
extern float __strtof_internal(const char *s, char **end, int group);
extern double __strtod_internal(const char *s, char **end, int group);
extern long double __strtold_internal(const char *s, char **end, int group);

STRTO(strtof, float, , )
STRTO(strtod, double, , )
STRTO(strtold, long_double, , )
STRTO(strtof_l, float, AND locale_t locale, , locale)
STRTO(strtod_l, double, AND locale_t locale, , locale)
STRTO(strtold_l, long_double, AND locale_t locale, , locale)
STRTO(__strtof_internal, float, AND int group, , group)
STRTO(__strtod_internal, double, AND int group, , group)
STRTO(__strtold_internal, long_double, AND int group, , group)

MODEL(double, atof, const char *s)
{
	return veer_model_strtod(s, NULL);
}
