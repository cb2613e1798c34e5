// Formats of printf: what a directive says, and the arguments that the directives take.
#ifndef VEER_RUNTIME_MODELS_C_PRINTF_FORMAT_H
#define VEER_RUNTIME_MODELS_C_PRINTF_FORMAT_H

#include <stdarg.h>
#include <string.h>

#include "runtime/models/c/number.h"

enum { ARGS_MAX = 64, NONE = -1 };

enum type { TYPE_NONE, TYPE_INT, TYPE_LONG, TYPE_DOUBLE, TYPE_LONG_DOUBLE };

union value {
	uint64_t i;
	float f;
	double d;
	long double ld;
	uint64_t words[2];
};

struct spec {
	bool left, plus, space, alternate, zero, other; // other: flags of the locale
	int width, precision;                           // NONE: not given
	int open_width, open_precision;                 // the same with labels, where these are arguments
	int width_at, precision_at, at;                 // arguments; NONE: has none
	char length;                                    // 'H' is hh, 'q' is ll
	char conversion;
};

struct args {
	int n, next;
	enum type types[ARGS_MAX];
	union value values[ARGS_MAX];
};

static int take_number(const char **f)
{
	int n = 0;
	while (**f >= '0' && **f <= '9' && n < 100000000)
		n = n * 10 + *(*f)++ - '0';
	return n;
}

// "3$": the number of an argument, from 0 on.
static int take_position(const char **f)
{
	const char *p = *f;
	int n = take_number(&p);
	if (*p != '$' || n < 1)
		return NONE;
	*f = p + 1;
	return n - 1;
}

static bool take_flag(const char **f, struct spec *s)
{
	bool *const flags[] = {&s->left, &s->plus, &s->space, &s->alternate, &s->zero, &s->other, &s->other};
	static const char names[] = "-+ #0'I";
	for (int i = 0; i < 7; i++)
		if (**f == names[i]) {
			*flags[i] = true;
			++*f;
			return true;
		}
	return false;
}

static int star(const char **f, struct args *a)
{
	++*f;
	int at = take_position(f);
	return at == NONE ? a->next++ : at;
}

static char take_length(const char **f)
{
	char c = **f;
	if (!c || !strchr("hlqLjzZt", c))
		return 0;
	++*f;
	if ((c == 'h' || c == 'l') && **f == c) {
		++*f;
		return c == 'h' ? 'H' : 'q';
	}
	return c;
}

static enum type type_of(const struct spec *s)
{
	switch (s->conversion) {
	case 'd':
	case 'i':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
	case 'b':
	case 'B':
	case 'c': return s->length && s->length != 'h' && s->length != 'H' ? TYPE_LONG : TYPE_INT;
	case 'C': return TYPE_INT;
	case 's':
	case 'S':
	case 'p':
	case 'n': return TYPE_LONG;
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
	case 'a':
	case 'A': return s->length == 'L' || s->length == 'q' ? TYPE_LONG_DOUBLE : TYPE_DOUBLE;
	default: return TYPE_NONE;
	}
}

// Behind the %. Returns false for what is not known here.
static bool take_spec(const char **f, struct args *a, struct spec *s)
{
	*s = (struct spec){.width = NONE, .precision = NONE, .width_at = NONE, .precision_at = NONE, .at = NONE};
	int position = take_position(f);
	while (take_flag(f, s))
		;
	if (**f == '*')
		s->width_at = star(f, a);
	else if (**f >= '1' && **f <= '9')
		s->width = take_number(f);
	if (**f == '.') {
		++*f;
		if (**f == '*')
			s->precision_at = star(f, a);
		else
			s->precision = take_number(f);
	}
	s->length = take_length(f);
	s->conversion = **f;
	if (!s->conversion)
		return false;
	++*f;
	if (type_of(s) != TYPE_NONE)
		s->at = position == NONE ? a->next++ : position;
	return s->at != NONE || s->conversion == '%' || s->conversion == 'm';
}

static bool note_type(struct args *a, int at, enum type type)
{
	if (at == NONE)
		return true;
	if (at >= ARGS_MAX)
		return false;
	for (; a->n <= at; a->n++)
		a->types[a->n] = TYPE_INT; // one that no directive takes
	a->types[at] = type;
	return true;
}

static bool read_types(const char *format, struct args *a)
{
	struct spec s;
	for (const char *f = format; *f;) {
		if (*f++ != '%')
			continue;
		if (!take_spec(&f, a, &s) || !note_type(a, s.width_at, TYPE_INT) ||
		    !note_type(a, s.precision_at, TYPE_INT) || !note_type(a, s.at, type_of(&s)))
			return false;
	}
	return true;
}

static void read_values(struct args *a, va_list list)
{
	for (int i = 0; i < a->n; i++)
		switch (a->types[i]) {
		case TYPE_LONG: a->values[i].i = va_arg(list, uint64_t); break;
		case TYPE_DOUBLE: a->values[i].d = va_arg(list, double); break;
		case TYPE_LONG_DOUBLE: a->values[i].ld = va_arg(list, long double); break;
		default: a->values[i].i = va_arg(list, unsigned);
		}
}

// Width and precision that are arguments, without labels. A negative width means left.
static void resolve(struct spec *s, const struct args *a)
{
	if (s->width_at != NONE)
		s->width = (int)model_plain(a->values[s->width_at].i);
	s->open_width = s->width_at == NONE ? s->width : (int)a->values[s->width_at].i;
	if (s->width_at != NONE && s->width < 0) {
		s->left = true;
		s->width = -s->width;
		s->open_width = -s->open_width;
	}
	if (s->precision_at != NONE)
		s->precision = (int)model_plain(a->values[s->precision_at].i);
	s->open_precision = s->precision_at == NONE ? s->precision : (int)a->values[s->precision_at].i;
	if (s->precision < 0)
		s->precision = NONE;
}

static const char *string_of(const struct spec *s, const struct args *a)
{
	bool is_string = s->conversion == 's' && s->length != 'l';
	return is_string ? (const char *)model_plain(a->values[s->at].i) : NULL;
}

static bool has_labels(const char *format, const struct args *a)
{
	struct args again = {.n = a->n};
	struct spec s;
	if (veer_is_symbolic(a->values, (size_t)a->n * sizeof *a->values))
		return true;
	for (const char *f = format; *f;) {
		if (*f++ != '%')
			continue;
		take_spec(&f, &again, &s);
		resolve(&s, a);
		const char *string = string_of(&s, a);
		size_t limit = s.precision == NONE ? SIZE_MAX : (size_t)s.precision;
		if (string)
			veer_model_text_read(string, limit);
		if (string && model_is_symbolic_text(string, limit))
			return true;
	}
	return false;
}

#endif
