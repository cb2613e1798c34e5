// Floats of printf: %f, %e and %g as decimal digits, each an expression of the value. The sign, the number of digits in
// front of the point, the exponent and the zeros that %g leaves out are decided by branches.
#ifndef VEER_RUNTIME_MODELS_C_PRINTF_FLOAT_H
#define VEER_RUNTIME_MODELS_C_PRINTF_FLOAT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/models/c/printf_text.h"

enum { FLOAT_DIGITS = 18, EXPONENT_NONE = 100000 }; // so many digits, and one more, fit into a word

struct real {
	const union value *v;
	bool is_long;
	union value plain; // without labels
};

static struct real real_of(const union value *v, bool is_long)
{
	struct real r = {.v = v, .is_long = is_long, .plain = {.words = {model_plain(v->words[0]), 0}}};
	if (is_long)
		r.plain.words[1] = model_plain(v->words[1] & 0xffff);
	return r;
}

static bool real_negative(const struct real *r)
{
	return DECIDE(r->is_long ? r->v->words[1] >> 15 & 1 : r->v->words[0] >> 63);
}

static bool real_finite(const struct real *r)
{
	return DECIDE(r->is_long ? (r->v->words[1] & 0x7fff) != 0x7fff : (r->v->words[0] >> 52 & 0x7ff) != 0x7ff);
}

// Of what is not finite. The highest bit of a long double's mantissa is always there.
static bool real_infinite(const struct real *r)
{
	return DECIDE((r->is_long ? r->v->words[0] << 1 : r->v->words[0] << 12) == 0);
}

static bool real_zero(const struct real *r)
{
	return DECIDE(r->is_long ? r->v->words[0] == 0 : r->v->words[0] << 1 == 0);
}

// The magnitude times 10^power, rounded as printf rounds.
static uint64_t real_digits(const struct real *r, int power)
{
	return r->is_long ? model_digits_long_double(r->v->ld, power) : model_digits_double(r->v->d, power);
}

// Of %e with so many digits behind the point: the smallest one for which the digits, once rounded, are few enough.
static int real_exponent(const struct real *r, int precision)
{
	char text[64];
	if (r->is_long)
		snprintf(text, sizeof text, "%.*Le", precision, r->plain.ld);
	else
		snprintf(text, sizeof text, "%.*e", precision, r->plain.d);
	const char *e = strchr(text, 'e');
	int exponent = e ? atoi(e + 1) : 0;
	uint64_t limit = tens[precision + 1];
	bool is = DECIDE((real_digits(r, precision - exponent) < limit) &
	                 (real_digits(r, precision - exponent + 1) >= limit));
	return is ? exponent : EXPONENT_NONE;
}

struct digits {
	char text[2 * FLOAT_DIGITS + 16];
	unsigned n;
};

static void add_char(struct digits *d, char c)
{
	d->text[d->n++] = c;
}

// The digits of m from `first` on, counted from the left; m has `all` of them.
static void add_digits(struct digits *d, uint64_t m, unsigned all, unsigned first, unsigned n)
{
	for (unsigned i = first; i < first + n; i++) {
		uint64_t up_to_it = m / tens[all - 1 - i];
		add_char(d, (char)('0' + (i ? up_to_it % 10 : up_to_it)));
	}
}

static void add_exponent(struct digits *d, char letter, int exponent)
{
	d->n += (unsigned)sprintf(d->text + d->n, "%c%c%02d", letter, exponent < 0 ? '-' : '+', abs(exponent));
}

// d.ddd, the last `n` of the digits behind the point.
static void add_point(struct digits *d, uint64_t m, unsigned all, unsigned n, unsigned left_out, bool alternate)
{
	add_digits(d, m, all, 0, all - n);
	if (n > left_out || alternate)
		add_char(d, '.');
	add_digits(d, m, all, all - n, n - left_out);
}

static bool write_fixed(struct digits *d, const struct real *r, unsigned precision, bool alternate)
{
	uint64_t m = real_digits(r, (int)precision);
	unsigned n = precision + 1;
	while (n < 20 && DECIDE(m >= tens[n]))
		n++;
	if (n == 20) // or more
		return false;
	add_point(d, m, n, precision, 0, alternate);
	return true;
}

static bool write_scientific(struct digits *d, const struct real *r, const struct spec *s, unsigned precision)
{
	int exponent = real_zero(r) ? 0 : real_exponent(r, (int)precision);
	if (exponent == EXPONENT_NONE)
		return false;
	add_point(d, real_digits(r, (int)precision - exponent), precision + 1, precision, 0, s->alternate);
	add_exponent(d, s->conversion, exponent);
	return true;
}

// How many zeros end the digits, at most so many.
static unsigned trailing_zeros(uint64_t m, unsigned most)
{
	uint64_t plain = model_plain(m);
	unsigned n = 0;
	while (n < most && plain % tens[n + 1] == 0)
		n++;
	bool is = DECIDE((m % tens[n] == 0) & ((n == most) | (m % tens[n + 1] != 0)));
	return is ? n : 0;
}

// `n` digits, the exponent of the first one known.
static bool write_general(struct digits *d, const struct real *r, const struct spec *s, unsigned n)
{
	bool zero = real_zero(r);
	int exponent = zero ? 0 : real_exponent(r, (int)n - 1);
	if (exponent == EXPONENT_NONE)
		return false;
	uint64_t m = zero ? 0 : real_digits(r, (int)n - 1 - exponent);
	bool fixed = exponent >= -4 && exponent < (int)n;
	unsigned behind = fixed && exponent >= 0 ? n - 1 - (unsigned)exponent : n - 1;
	unsigned left_out = s->alternate ? 0 : trailing_zeros(m, behind);
	if (fixed && exponent < 0) {
		add_char(d, '0');
		add_char(d, '.');
		for (int i = -1; i > exponent; i--)
			add_char(d, '0');
		add_digits(d, m, n, 0, n - left_out);
	} else {
		add_point(d, m, n, behind, left_out, s->alternate);
	}
	if (!fixed)
		add_exponent(d, (char)(s->conversion - 'g' + 'e'), exponent);
	return true;
}

static bool write_finite(struct digits *d, const struct real *r, const struct spec *s)
{
	unsigned precision = s->precision == NONE ? 6 : (unsigned)s->precision;
	if (precision >= FLOAT_DIGITS)
		return false;
	switch (s->conversion | 32) {
	case 'f': return write_fixed(d, r, precision, s->alternate);
	case 'e': return write_scientific(d, r, s, precision);
	case 'g': return write_general(d, r, s, precision ? precision : 1);
	default: return false;
	}
}

// Returns false when this is not one that has digits here: then nothing is put.
static bool put_float(struct out *o, const struct spec *s, const struct real *r, bool negative)
{
	struct digits d = {.n = 0};
	if (!write_finite(&d, r, s))
		return false;
	char sign = (char)(negative ? '-' : s->plus ? '+' : s->space ? ' ' : 0);
	unsigned n = d.n + (sign != 0);
	int padding = wide(s, n), zeros = s->zero && !s->left ? padding : 0;
	note_length(o, s, n);
	fill(o, ' ', s->left || zeros ? 0 : padding);
	if (sign)
		put(o, sign);
	fill(o, '0', zeros);
	put_all(o, d.text, d.n);
	fill(o, ' ', s->left ? padding : 0);
	return true;
}

#endif
