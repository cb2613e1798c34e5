// Formatted input. The real function does it when nothing is input; then only the labels of
// what it wrote have to go. Otherwise the format is interpreted here, character by
// character, as libc does it: with at most one character to put back.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/models/c/scanf_float.h"
#include "runtime/models/c/scanf_format.h"
#include "runtime/models/c/scanf_source.h"

// --- whole numbers ----------------------------------------------------------------------------------------

static bool is_nil(struct scan *s, int *c)
{
	static const char rest[] = "nil";
	if (*c != '(')
		return false;
	for (int i = 0; i < 3; i++)
		if (!number_is(*c = next(s), rest[i]))
			return false;
	return (*c = next(s)) == ')';
}

static enum result scan_integer(struct scan *s, struct directive *d)
{
	bool is_signed = d->conversion == 'd' || d->conversion == 'i', negative = false, zero = false;
	unsigned base = d->conversion == 'i' ? 0 : d->conversion == 'o' ? 8 : strchr("du", d->conversion) ? 10 : 16, v;
	int width = d->width, c = next(s);
	if (is_end(s, c))
		return ended(s);
	bool sign = DECIDE((c == '-') | (c == '+'));
	if (sign) {
		negative = DECIDE(c == '-');
		width -= width > 0;
		c = next(s);
	}
	if (width != 0 && c == '0') {
		zero = true;
		width -= width > 0;
		c = next(s);
		if ((base == 0 || base == 16) && width != 0 && number_is(c, 'x')) {
			base = 16;
			width -= width > 0;
			c = next(s);
		} else if (s->binary && base == 0 && width != 0 && number_is(c, 'b')) {
			base = 2;
			width -= width > 0;
			c = next(s);
		} else if (base == 0) {
			base = 8;
		}
	}
	base = base ? base : 10;
	struct number n = number_start(base, number_most(is_signed, negative));
	while (width != 0 && (v = number_digit(c, base)) < base) {
		number_add(&n, v);
		width -= width > 0;
		c = next(s);
	}
	if (n.digits || zero) {
		put_back(s, c);
	} else if (d->conversion != 'p' || sign || !(width < 0 || width >= 5) || !is_nil(s, &c)) {
		put_back(s, c);
		return MISMATCH;
	}
	if (n.over)
		errno = ERANGE;
	if (!d->suppress)
		store_number(s, d, number_value(&n, is_signed, negative));
	s->done += !d->suppress;
	return OK;
}

// --- text ---------------------------------------------------------------------------------------------------------

// Where characters go: to the program's memory, or to a block that grows.
struct target {
	char *to;
	char **block;
	size_t n, room;
};

static enum result start_target(struct scan *s, const struct directive *d, struct target *t, size_t room)
{
	*t = (struct target){.room = room};
	if (d->suppress)
		return OK;
	if (!d->allocate) {
		t->to = va_arg(s->args, char *);
		return t->to ? OK : MISMATCH;
	}
	t->block = va_arg(s->args, char **);
	if (!t->block)
		return MISMATCH;
	t->to = *t->block = malloc(room);
	return t->to ? OK : FAILED;
}

static bool put(struct target *t, int c)
{
	if (t->block && t->n == t->room) {
		char *more = realloc(*t->block, 2 * t->room);
		if (!more)
			return false;
		t->to = *t->block = more;
		t->room *= 2;
	}
	if (t->to)
		t->to[t->n] = (char)c;
	t->n++;
	return true;
}

// Nothing was read into it: a block is taken back.
static enum result drop(struct target *t, enum result r)
{
	if (t->block) {
		free(*t->block);
		*t->block = NULL;
	}
	return r;
}

static enum result finish(struct scan *s, struct target *t)
{
	if (t->block) {
		char *exact = realloc(*t->block, t->n);
		if (exact)
			*t->block = exact;
	} else if (t->to) {
		veer_model_check_room(t->to, t->n);
	}
	s->done += t->to != NULL;
	return OK;
}

static enum result scan_chars(struct scan *s, struct directive *d)
{
	struct target t;
	int width = d->width < 0 ? 1 : d->width, c;
	enum result r = start_target(s, d, &t, width > 1024 ? 1024 : (size_t)width);
	if (r != OK)
		return r;
	for (; width > 0; width--) {
		c = next(s);
		if (is_end(s, c)) {
			ended(s);
			if (t.n == 0 || libc.all_characters)
				return drop(&t, END);
			break;
		}
		if (!put(&t, c))
			return drop(&t, FAILED);
	}
	return finish(s, &t);
}

// The set of a [ as ranges, in `from` and `to`; returns how many.
static unsigned read_set(const char *set, unsigned char *from, unsigned char *to, bool *inverted)
{
	bool in[256] = {false};
	const unsigned char *p = (const unsigned char *)set, *start;
	unsigned n = 0;
	*inverted = *p == '^';
	start = p += *inverted;
	if (*p == ']' || *p == '-')
		in[*p++] = true;
	for (; *p != ']'; p++) {
		if (*p == '-' && p > start && p[1] != ']' && p[-1] <= p[1])
			for (unsigned c = p[-1]; c < p[1]; c++)
				in[c] = true;
		else
			in[*p] = true;
	}
	for (unsigned c = 0; c < 256; c++) {
		if (!in[c])
			continue;
		if (c == 0 || !in[c - 1])
			from[n++] = (unsigned char)c;
		to[n - 1] = (unsigned char)c;
	}
	return n;
}

// The text of %s and %[; what is behind the last character is put back.
static enum result scan_text(struct scan *s, struct directive *d)
{
	struct target t;
	unsigned char from[256], to[256];
	bool inverted = true, is_set = d->conversion == '[';
	unsigned n = is_set ? read_set(d->set, from, to, &inverted) : 0;
	enum result r = start_target(s, d, &t, 100);
	if (r != OK)
		return r;
	for (int width = d->width, first = 1; width != 0; width -= width > 0, first = 0) {
		int c = next(s);
		unsigned in = is_set ? 0 : number_is_space(c); // no set has the end in it
		for (unsigned i = 0; i < n; i++)
			in |= (unsigned)c - from[i] <= (unsigned)(to[i] - from[i]);
		if (first && is_end(s, c)) {
			ended(s);
			return drop(&t, END);
		}
		if (inverted ? (in | is_end(s, c)) != 0 : in == 0) {
			put_back(s, c);
			if (first)
				return drop(&t, MISMATCH);
			break;
		}
		if (!put(&t, c))
			return drop(&t, FAILED);
	}
	return put(&t, 0) ? finish(s, &t) : drop(&t, FAILED);
}

// --- the whole -------------------------------------------------------------------------------------------------------

static enum result scan_literal(struct scan *s, unsigned char wanted)
{
	int c = next(s);
	if (c == wanted)
		return OK;
	if (is_end(s, c))
		return ended(s);
	put_back(s, c);
	return MISMATCH;
}

static enum result scan_directive(struct scan *s, struct directive *d, bool space)
{
	if (space || !strchr("[cn", d->conversion)) {
		int saved = errno;
		errno = 0; // what it is if the end is found here
		int c = skip_space(s);
		errno = saved;
		put_back(s, c);
	}
	switch (d->conversion) {
	case '%': return scan_literal(s, '%');
	case 'n':
		if (!d->suppress)
			store_number(s, d, s->read);
		return OK;
	case 'd':
	case 'i':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
	case 'p': return scan_integer(s, d);
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G': return scan_float(s, d);
	case 'c': return scan_chars(s, d);
	case 's':
	case '[': return scan_text(s, d);
	default: return MISMATCH;
	}
}

static int interpret(struct scan *s, const char *format, enum standard standard)
{
	enum result r = OK;
	bool space = false;
	for (const char *f = format; *f && r == OK;) {
		if (number_is_space((unsigned char)*f)) {
			f++;
			space = true;
			continue;
		}
		if (*f != '%') {
			if (space)
				put_back(s, skip_space(s));
			r = scan_literal(s, (unsigned char)*f++);
		} else {
			f++;
			struct directive d = take_directive(&f, standard);
			if (!d.conversion)
				break;
			r = scan_directive(s, &d, space);
		}
		space = false;
	}
	if (r == OK && space) {
		int c = skip_space(s);
		if (errno != s->furthest_errno && is_end(s, c))
			errno = s->furthest_errno;
		put_back(s, c);
	}
	return r == FAILED || (r == END && s->done == 0) ? EOF : s->done;
}

// From a string, or, when that is NULL, from a stream.
static int scan(FILE *file, const char *text, const char *given, va_list list, enum standard standard,
                int real(FILE *, const char *, const char *, va_list))
{
	struct scan s = {.file = file, .text = text, .binary = standard == C23};
	const char *format = model_format(given);
	bool known = is_known(format, standard);
	bool hidden = false, symbolic = text ? model_is_symbolic_string(text) : model_is_symbolic_stream(file);
	va_copy(s.args, list);
	ask_libc();
	if (file && !symbolic)
		each_result(format, list, standard, find_labels, &hidden);
	if (known && (symbolic || hidden)) {
		s.text = (const char *)model_concretise((uint64_t)text);
		if (file)
			flockfile(file);
		s.done = interpret(&s, format, standard);
		if (file)
			funlockfile(file);
	} else {
		if (symbolic && text)
			model_concretise_bytes(text, strlen(text) + 1);
		else if (symbolic)
			model_unmodelled("scanf");
		s.done = real(file, text, given, list);
		int done = s.done;
		each_result(format, s.args, standard, clear_result, &done);
	}
	va_end(s.args);
	if (format != given)
		free((void *)format);
	return s.done;
}

// --- the functions --------------------------------------------------------------------------------------------------

// As they are in libc, where scanf is not what programs call under this name.
extern int old_vfscanf(FILE *f, const char *format, va_list list) __asm__("vfscanf");
extern int old_vsscanf(const char *s, const char *format, va_list list) __asm__("vsscanf");
extern int __isoc99_vfscanf(FILE *f, const char *format, va_list list);
extern int __isoc99_vsscanf(const char *s, const char *format, va_list list);

extern int __isoc23_vfscanf(FILE *f, const char *format, va_list list) __attribute__((weak));
extern int __isoc23_vsscanf(const char *s, const char *format, va_list list) __attribute__((weak));

static int real_old(FILE *f, const char *s, const char *format, va_list list)
{
	return s ? old_vsscanf(s, format, list) : old_vfscanf(f, format, list);
}

static int real_c99(FILE *f, const char *s, const char *format, va_list list)
{
	return s ? __isoc99_vsscanf(s, format, list) : __isoc99_vfscanf(f, format, list);
}

// Older libraries do not have them, and then nobody calls them.
static int real_c23(FILE *f, const char *s, const char *format, va_list list)
{
	if (!__isoc23_vfscanf || !__isoc23_vsscanf)
		return real_c99(f, s, format, list);
	return s ? __isoc23_vsscanf(s, format, list) : __isoc23_vfscanf(f, format, list);
}

#define SCANF(prefix, standard, real)                                                                                  \
	MODEL(int, prefix##vsscanf, const char *s, const char *format, va_list list)                                   \
	{                                                                                                              \
		return scan(NULL, s, format, list, standard, real);                                                    \
	}                                                                                                              \
	MODEL(int, prefix##vfscanf, FILE *f, const char *format, va_list list)                                         \
	{                                                                                                              \
		return scan(f, NULL, format, list, standard, real);                                                    \
	}                                                                                                              \
	MODEL(int, prefix##vscanf, const char *format, va_list list)                                                   \
	{                                                                                                              \
		return scan(stdin, NULL, format, list, standard, real);                                                \
	}                                                                                                              \
	MODEL(int, prefix##sscanf, const char *s, const char *format, ...)                                             \
	{                                                                                                              \
		va_list list;                                                                                          \
		va_start(list, format);                                                                                \
		int r = scan(NULL, s, format, list, standard, real);                                                   \
		va_end(list);                                                                                          \
		return r;                                                                                              \
	}                                                                                                              \
	MODEL(int, prefix##fscanf, FILE *f, const char *format, ...)                                                   \
	{                                                                                                              \
		va_list list;                                                                                          \
		va_start(list, format);                                                                                \
		int r = scan(f, NULL, format, list, standard, real);                                                   \
		va_end(list);                                                                                          \
		return r;                                                                                              \
	}                                                                                                              \
	MODEL(int, prefix##scanf, const char *format, ...)                                                             \
	{                                                                                                              \
		va_list list;                                                                                          \
		va_start(list, format);                                                                                \
		int r = scan(stdin, NULL, format, list, standard, real);                                               \
		va_end(list);                                                                                          \
		return r;                                                                                              \
	}

SCANF(, OLD, real_old)
SCANF(__isoc99_, C99, real_c99)
SCANF(__isoc23_, C23, real_c23)
