// Floats of scanf: the text of one is taken from the source, then strtod reads it.
#ifndef VEER_RUNTIME_MODELS_C_SCANF_FLOAT_H
#define VEER_RUNTIME_MODELS_C_SCANF_FLOAT_H

#include <stdlib.h>

#include "runtime/models/c/scanf_source.h"

float veer_model_strtof(const char *s, char **end);
double veer_model_strtod(const char *s, char **end);
long double veer_model_strtold(const char *s, char **end);

struct buffer {
	char *at;
	size_t n, room;
	char small[128];
};

static bool add(struct buffer *b, int c)
{
	if (b->n + 1 >= b->room) {
		char *more = realloc(b->at == b->small ? NULL : b->at, 2 * b->room);
		if (!more)
			return false;
		if (b->at == b->small)
			for (size_t i = 0; i < b->n; i++)
				more[i] = b->small[i];
		b->at = more;
		b->room *= 2;
	}
	b->at[b->n++] = (char)c;
	b->at[b->n] = 0;
	return true;
}

// The next character in the field, which must be this letter.
static bool is_next(struct scan *s, struct buffer *b, int *width, char letter, int *c)
{
	if (*width == 0 || s->ended)
		return false;
	*c = next(s);
	if (!number_is(*c, letter))
		return false;
	*width -= *width > 0;
	return add(b, *c);
}

static bool scan_word(struct scan *s, struct buffer *b, int *width, const char *word)
{
	int c;
	for (; *word; word++)
		if (!is_next(s, b, width, *word, &c))
			return false;
	return true;
}

static bool scan_nan(struct scan *s, struct buffer *b, int *width)
{
	if (!scan_word(s, b, width, "an"))
		return false;
	if (*width == 0 || !libc.nan_in_parentheses)
		return true;
	int c = next(s);
	if (c != '(') {
		put_back(s, c);
		return true;
	}
	do {
		*width -= *width > 0;
		add(b, c);
		if (*width == 0)
			return false;
		c = next(s);
		if (!((number_digit(c, 36) < 36) | (c == '_') | (c == ')')))
			return false;
	} while (c != ')');
	*width -= *width > 0;
	return add(b, c);
}

static bool scan_infinity(struct scan *s, struct buffer *b, int *width)
{
	if (!scan_word(s, b, width, "nf"))
		return false;
	if (*width == 0)
		return true;
	int c = next(s);
	if (!number_is(c, 'i')) {
		put_back(s, c);
		return true;
	}
	*width -= *width > 0;
	return add(b, c) && scan_word(s, b, width, "nity");
}

// Digits, point, exponent; `c` is the first character. Returns false when they are no number.
static bool scan_digits(struct scan *s, struct buffer *b, int width, int c)
{
	bool digit = false, point = false, exponent = false, hexadecimal = false, sign = false;
	size_t start = b->n;
	if (width != 0 && c == '0') {
		add(b, c);
		c = next(s);
		width -= width > 0;
		if ((width != 0 || libc.prefix_has_digits) && number_is(c, 'x')) {
			if (width == 0)
				return false;
			add(b, c);
			hexadecimal = true;
			c = next(s);
			width -= width > 0;
		} else {
			digit = true;
		}
	}
	for (;;) {
		unsigned base = hexadecimal && !exponent ? 16 : 10;
		if (number_digit(c, base) < base) {
			digit = true;
			sign = false;
		} else if (sign && DECIDE((c == '-') | (c == '+'))) {
			sign = false;
		} else if (digit && !exponent && number_is(c, hexadecimal ? 'p' : 'e')) {
			exponent = point = sign = true;
			digit = !libc.exponent_has_digits;
			c = hexadecimal ? 'p' : 'e';
		} else if (!point && c == '.') {
			point = true;
		} else {
			put_back(s, c);
			break;
		}
		add(b, c);
		if (width == 0)
			break;
		c = next(s);
		width -= width > 0;
	}
	return b->n != start && !(hexadecimal && b->n == start + 2) && (digit || !libc.exponent_has_digits);
}

static bool store_float(struct scan *s, const struct directive *d, const struct buffer *b)
{
	char *end;
	float f = 0;
	double x = 0;
	long double l = 0;
	if (d->length == 'q')
		l = veer_model_strtold(b->at, &end);
	else if (d->length == 'l')
		x = veer_model_strtod(b->at, &end);
	else
		f = veer_model_strtof(b->at, &end);
	if (end == b->at || d->suppress)
		return end != b->at;
	if (d->length == 'q')
		*va_arg(s->args, long double *) = l;
	else if (d->length == 'l')
		*va_arg(s->args, double *) = x;
	else
		*va_arg(s->args, float *) = f;
	s->done++;
	return true;
}

static enum result scan_float(struct scan *s, struct directive *d)
{
	struct buffer b = {.room = sizeof b.small};
	int width = d->width, c = next(s);
	bool fine = true;
	b.at = b.small;
	width -= width > 0;
	if (is_end(s, c))
		return ended(s);
	if ((c == '-') | (c == '+')) {
		add(&b, c);
		if (width == 0)
			return MISMATCH;
		c = next(s);
		width -= width > 0;
		if (is_end(s, c)) {
			ended(s);
			return MISMATCH;
		}
	}
	if (number_is(c, 'n'))
		fine = add(&b, c) && scan_nan(s, &b, &width);
	else if (number_is(c, 'i'))
		fine = add(&b, c) && scan_infinity(s, &b, &width);
	else
		fine = scan_digits(s, &b, width, c);
	fine = fine && store_float(s, d, &b);
	if (b.at != b.small)
		free(b.at);
	return fine ? OK : MISMATCH;
}

#endif
