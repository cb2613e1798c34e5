// Formats of scanf: what a directive says, and where its result goes.
#ifndef VEER_RUNTIME_MODELS_C_SCANF_FORMAT_H
#define VEER_RUNTIME_MODELS_C_SCANF_FORMAT_H

#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <wchar.h>

#include "runtime/models/c/number.h"

// Of the three sets of functions: C99's read %as as a float, C23's know 0b.
enum standard { OLD, C99, C23 };

struct directive {
	bool suppress, allocate, wide;
	bool foreign;    // only libc knows it: wide characters, arguments by number, digits of the locale
	int position;    // of its argument, from 1 on; 0: the next one
	int width;       // -1: none
	char length;     // 'H' is hh, 'q' is ll
	char conversion; // 0: the format ends here
	const char *set; // of [, behind the bracket
};

static int take_number(const char **f)
{
	int n = 0;
	for (; **f >= '0' && **f <= '9'; ++*f)
		n = n < INT_MAX / 10 - 1 ? n * 10 + **f - '0' : n;
	return n;
}

static char take_length(const char **f)
{
	char c = **f;
	if (!c || !strchr("hlqLjzt", c))
		return 0;
	++*f;
	if ((c == 'h' || c == 'l') && **f == c) {
		++*f;
		return c == 'h' ? 'H' : 'q';
	}
	return c == 'h' ? 'h' : c == 'q' || c == 'L' ? 'q' : 'l';
}

// A set that does not end is none.
static bool take_set(const char **f, struct directive *d)
{
	d->set = *f;
	*f += **f == '^';
	*f += **f == ']';
	while (**f && **f != ']')
		++*f;
	return *(*f) && (++*f, true);
}

// Behind the %; *f is then behind the directive.
static struct directive take_directive(const char **f, enum standard standard)
{
	struct directive d = {.width = -1};
	const char *p = *f;
	int n = take_number(&p);
	if (n && *p == '$') {
		*f = p + 1;
		d.position = n;
		d.foreign = true;
	}
	for (; **f == '*' || **f == '\'' || **f == 'I'; ++*f) {
		d.suppress |= **f == '*';
		d.foreign |= **f != '*';
	}
	if ((n = take_number(f)))
		d.width = n;
	p = *f;
	bool old = *p == 'a' && standard == OLD && (p[1] == 's' || p[1] == 'S' || p[1] == '[');
	d.allocate = old || *p == 'm';
	d.foreign |= old;
	*f += d.allocate;
	d.length = take_length(f);
	d.conversion = **f;
	if (!d.conversion)
		return d;
	++*f;
	if (d.conversion == '[' && !take_set(f, &d))
		d.foreign = true;
	d.wide = strchr("CS", d.conversion) || (strchr("cs[", d.conversion) && (d.length == 'l' || d.length == 'q'));
	d.foreign |= d.wide || d.conversion == 'w';
	return d;
}

static bool is_known(const char *format, enum standard standard)
{
	for (const char *f = format; *f;)
		if (*f++ == '%' && take_directive(&f, standard).foreign)
			return false;
	return true;
}

static bool is_text(const struct directive *d)
{
	return strchr("cCsS[", d->conversion) && !d->allocate;
}

// How much memory a result takes. Of text: what is there now.
static size_t size_of(const struct directive *d, const void *to)
{
	if (is_text(d)) {
		size_t one = d->wide ? sizeof(wchar_t) : 1;
		if (d->conversion == 'c' || d->conversion == 'C')
			return one * (d->width > 0 ? (size_t)d->width : 1);
		return one * ((d->wide ? wcslen(to) : strlen(to)) + 1);
	}
	if (strchr("aAeEfFgG", d->conversion))
		return d->length == 'q' ? 16 : d->length == 'l' ? 8 : 4;
	if (d->conversion == 'p' || d->allocate)
		return 8;
	return d->length == 'H' ? 1 : d->length == 'h' ? 2 : d->length ? 8 : 4;
}

// Where it goes: the argument, all of which are pointers.
static void *argument(const struct directive *d, va_list next, va_list all)
{
	va_list args;
	if (!d->position)
		return va_arg(next, void *);
	va_copy(args, all);
	for (int i = 1; i < d->position; i++)
		(void)va_arg(args, void *);
	void *r = va_arg(args, void *);
	va_end(args);
	return r;
}

// Calls `visit` for each result, while it returns true.
static void each_result(const char *format, va_list list, enum standard standard,
                        bool visit(const struct directive *d, void *to, void *data), void *data)
{
	va_list next;
	bool more = true;
	va_copy(next, list);
	for (const char *f = format; *f && more;) {
		if (*f++ != '%')
			continue;
		struct directive d = take_directive(&f, standard);
		if (!d.conversion || (d.conversion == '[' && d.foreign && !d.wide && !d.position))
			break;
		if (!d.suppress && d.conversion != '%')
			more = visit(&d, argument(&d, next, list), data);
	}
	va_end(next);
}

// After the real function, which returned `done`: what it wrote has no labels.
static bool clear_result(const struct directive *d, void *to, void *done)
{
	int *left = done;
	if (d->conversion != 'n' && (*left)-- <= 0)
		return false;
	veer_make_concrete(to, size_of(d, to));
	return true;
}

// Text of a stream may have terminators in it, so nobody knows how much of it the real
// function wrote. Are there labels where it would go?
static bool find_labels(const struct directive *d, void *to, void *found)
{
	*(bool *)found |= is_text(d) && model_is_symbolic_object(to);
	return true;
}

#endif
