// Formatted input. The real function does it when nothing is input; then only the labels of
// what it wrote have to go. Otherwise the format is interpreted here, character by
// character, as libc does it: with at most one character to put back.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/models/c/scanf_format.h"

int veer_model_fgetc(FILE *f);
int veer_model_ungetc(int c, FILE *f);
float veer_model_strtof(const char *s, char **end);
double veer_model_strtod(const char *s, char **end);
long double veer_model_strtold(const char *s, char **end);

// What differs between versions of libc.
static struct {
	bool known;
	bool nan_in_parentheses;  // nan(12) is one number
	bool exponent_has_digits; // 1e is none
	bool prefix_has_digits;   // nor is 0x where the width ends there
	bool all_characters;      // %5c fails when there are fewer
} libc;

extern int real_sscanf(const char *s, const char *format, ...) __asm__("__isoc99_sscanf");

static void ask_libc(void)
{
	char text[8];
	float f;
	int n = 0, saved = errno;
	if (libc.known)
		return;
	real_sscanf("nan(1)", "%f%n", &f, &n);
	libc.nan_in_parentheses = n == 6;
	libc.exponent_has_digits = real_sscanf("1e", "%f", &f) != 1;
	libc.prefix_has_digits = real_sscanf("0x", "%2f", &f) != 1;
	libc.all_characters = real_sscanf("ab", "%5c", text) != 1;
	libc.known = true;
	errno = saved;
}

// --- where characters come from --------------------------------------------------------------------

struct scan {
	FILE *file; // NULL: the string
	const char *text;
	size_t read, furthest; // characters so far; of these, before some were put back
	int furthest_errno;    // when the furthest one was read
	bool ended;            // the end was seen: nothing is read any more
	int done;
	bool binary; // %i knows 0b
	va_list args;
};

// In a string the end is the terminator, in a stream EOF. Neither is a digit nor a space, so
// most of the time nobody has to ask.
static bool is_end(const struct scan *s, int c)
{
	return s->file ? c == EOF : c == 0;
}

static int next(struct scan *s)
{
	if (s->ended)
		return s->file ? EOF : 0;
	int c = s->file ? veer_model_fgetc(s->file) : (unsigned char)*s->text++;
	if (++s->read > s->furthest) {
		s->furthest = s->read;
		s->furthest_errno = errno;
	}
	return c;
}

// The character is not taken; the end cannot be put back.
static void put_back(struct scan *s, int c)
{
	if (s->ended)
		return;
	s->read--;
	if (!s->file)
		s->text--;
	else if (c == EOF)
		s->ended = true;
	else
		veer_model_ungetc(c, s->file);
}

static int skip_space(struct scan *s)
{
	int c = next(s);
	while (number_is_space(c))
		c = next(s);
	return c;
}

// --- results ------------------------------------------------------------------------------------------

enum result { OK, MISMATCH, END, FAILED }; // of a directive; FAILED: no memory

// At the end errno is again what it was when the end was found.
static enum result ended(struct scan *s)
{
	s->read -= !s->ended; // it is no character
	s->ended = true;
	errno = s->furthest_errno;
	return END;
}

static void store_number(struct scan *s, const struct directive *d, uint64_t value)
{
	void *to = va_arg(s->args, void *);
	if (d->length == 'H')
		*(uint8_t *)to = (uint8_t)value;
	else if (d->length == 'h')
		*(uint16_t *)to = (uint16_t)value;
	else if (d->length || d->conversion == 'p')
		*(uint64_t *)to = value;
	else
		*(uint32_t *)to = (uint32_t)value;
}

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

// --- floats --------------------------------------------------------------------------------------------------

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

// --- the functions
// ----------------------------------------------------------------------------------------------------------

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
