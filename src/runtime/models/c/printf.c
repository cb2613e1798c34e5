// Formatted output into memory. The real function writes it; then what is written gets
// labels: the same text, made here with branches for signs and numbers of digits. Where
// pointers and wide characters stand, hexadecimal floats and those with more than 18
// digits, the value is concrete.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/models/c/printf_float.h"

// --- text ----------------------------------------------------------------------------------------

// Text that is padded with spaces.
static void put_text(struct out *o, const struct spec *s, const char *text, size_t n)
{
	int padding = wide(s, n);
	fill(o, ' ', s->left ? 0 : padding);
	put_all(o, text, n);
	fill(o, ' ', s->left ? padding : 0);
}

// The length of a string, at most `room`, or the precision, with their labels.
static size_t part_length(const struct spec *s, const char *string, size_t room)
{
	size_t all = model_text_length(string, room), limit = (size_t)(int64_t)s->open_precision;
	return all ^ ((limit ^ all) & (0 - (size_t)(limit < all)));
}

// A string that ends the text need not have a length: if it were longer or shorter, so
// were the text.
static void put_last_string(struct out *o, const char *string)
{
	size_t n = model_text_length(string, SIZE_MAX), plain = (size_t)model_plain(n);
	for (size_t i = 0; i <= plain && o->n + i < o->room; i++)
		o->to[o->n + i] = string[i];
	o->open += n;
	o->closed = true;
}

// The same of a string of which a precision that is input says how much.
static void put_last_part(struct out *o, const struct spec *s, const char *string, size_t room)
{
	size_t limit = (size_t)(int64_t)s->open_precision;
	size_t n = part_length(s, string, room), plain = (size_t)model_plain(n);
	for (size_t i = 0; i <= plain && o->n + i < o->room; i++)
		o->to[o->n + i] = i < room ? (char)(string[i] & (0 - (int)(i < limit))) : 0;
	o->open += n;
	o->closed = true;
	o->kept = s->precision_at;
}

static void put_string(struct out *o, const struct spec *s, const char *string, bool last)
{
	size_t limit = s->precision == NONE ? SIZE_MAX : (size_t)s->precision;
	if (!string) {
		put_text(o, s, "(null)", limit < 6 ? 0 : 6);
		return;
	}
	veer_model_text_read(string, limit);
	if (last && limit == SIZE_MAX && s->width <= 0) {
		put_last_string(o, string);
		return;
	}
	size_t room = IS_SYMBOLIC(s->open_precision) ? model_room(string) : SIZE_MAX;
	bool whole = room && room != SIZE_MAX; // all that another precision takes can be read
	if (last && whole && s->width <= 0) {
		put_last_part(o, s, string, room);
		return;
	}
	size_t n = model_text_length(string, limit), plain = (size_t)model_plain(n);
	if (n != plain) // a branch of the path
		return;
	put_text(o, s, string, plain);
	note_length(o, s, (int64_t)(whole ? part_length(s, string, room) : plain));
}

// --- whole numbers ---------------------------------------------------------------------------------

// Digits as expressions, the last one first in `to`; returns how many. Numbers of 32 bits are
// divided as such.
static unsigned decimal_digits32(uint32_t v, char *to)
{
	unsigned n = 1;
	while (n < 10 && v >= (uint32_t)tens[n])
		n++;
	for (unsigned i = 0; i < n; i++) {
		uint32_t next = i + 1 < n ? v / (uint32_t)tens[i + 1] * 10 : 0;
		to[i] = (char)('0' + (v / (uint32_t)tens[i] - next));
	}
	return n;
}

static unsigned decimal_digits(uint64_t v, char *to)
{
	unsigned n = 1;
	while (n < 20 && v >= tens[n])
		n++;
	for (unsigned i = 0; i < n; i++) {
		uint64_t next = i + 1 < n ? v / tens[i + 1] * 10 : 0;
		to[i] = (char)('0' + (v / tens[i] - next));
	}
	return n;
}

static unsigned binary_digits(uint64_t v, unsigned bits, char ten, char *to)
{
	unsigned n = 1, mask = (1u << bits) - 1;
	while (n * bits < 64 && v >> n * bits)
		n++;
	for (unsigned i = 0; i < n; i++) {
		unsigned d = (unsigned)(v >> i * bits) & mask;
		to[i] = (char)('0' + d + ((unsigned)(ten - '0' - 10) & (0 - (unsigned)(d > 9))));
	}
	return n;
}

// The argument in the type that the length says; negative: decided by a branch.
static uint64_t magnitude(const struct spec *s, uint64_t v, bool *negative)
{
	bool is_signed = s->conversion == 'd' || s->conversion == 'i';
	*negative = false;
	if (!is_signed)
		return s->length == 'H'   ? (unsigned char)v
		       : s->length == 'h' ? (unsigned short)v
		       : s->length        ? v
		                          : (unsigned)v;
	if (!s->length || s->length == 'h' || s->length == 'H') {
		int i = s->length == 'H' ? (signed char)v : s->length == 'h' ? (short)v : (int)v;
		*negative = DECIDE(i < 0);
		return *negative ? 0 - (uint32_t)i : (uint32_t)i;
	}
	*negative = DECIDE((int64_t)v < 0);
	return *negative ? 0 - v : v;
}

static unsigned digits_of(const struct spec *s, uint64_t v, char *to)
{
	bool small = !s->length || s->length == 'h' || s->length == 'H';
	if (s->precision == 0 && v == 0)
		return 0;
	switch (s->conversion) {
	case 'o': return binary_digits(v, 3, 0, to);
	case 'x':
	case 'X': return binary_digits(v, 4, s->conversion == 'x' ? 'a' : 'A', to);
	case 'b':
	case 'B': return binary_digits(v, 1, 0, to);
	default: return small ? decimal_digits32((uint32_t)v, to) : decimal_digits(v, to);
	}
}

// "0x", unless the number is zero.
static unsigned prefix_of(const struct spec *s, uint64_t v, bool negative, char *to)
{
	unsigned n = 0;
	bool is_signed = s->conversion == 'd' || s->conversion == 'i';
	if (is_signed && (negative || s->plus || s->space))
		to[n++] = negative ? '-' : s->plus ? '+' : ' ';
	if (s->alternate && strchr("xXbB", s->conversion) && v != 0) {
		to[n++] = '0';
		to[n++] = s->conversion;
	}
	return n;
}

static void put_number(struct out *o, const struct spec *s, uint64_t value)
{
	char digits[64], prefix[4];
	bool negative;
	uint64_t v = magnitude(s, value, &negative);
	unsigned n = digits_of(s, v, digits), p = prefix_of(s, v, negative, prefix);
	int zeros = s->precision > (int)n ? s->precision - (int)n : 0;
	if (s->conversion == 'o' && s->alternate && zeros == 0 && (n == 0 || v != 0))
		zeros = 1;
	int padding = wide(s, n + p + (unsigned)zeros);
	note_length(o, s, p + (s->precision_at == NONE ? n + zeros : larger(s->open_precision, n)));
	if (s->zero && !s->left && s->precision == NONE) {
		zeros += padding;
		padding = 0;
	}
	fill(o, ' ', s->left ? 0 : padding);
	put_all(o, prefix, p);
	fill(o, '0', zeros);
	while (n > 0)
		put(o, digits[--n]);
	fill(o, ' ', s->left ? padding : 0);
}

// --- what is left to the real function ----------------------------------------------------------------

static void rebuild(const struct spec *s, char *f)
{
	static const char flags[] = "-+ #0'";
	const bool set[] = {s->left, s->plus, s->space, s->alternate, s->zero, s->other};
	*f++ = '%';
	for (int i = 0; i < 6; i++)
		if (set[i])
			*f++ = flags[i];
	if (s->width > 0)
		f += sprintf(f, "%d", s->width);
	if (s->precision != NONE)
		f += sprintf(f, ".%d", s->precision);
	if (s->length == 'H' || s->length == 'q')
		*f++ = s->length == 'H' ? 'h' : 'l';
	if (s->length)
		*f++ = s->length == 'H' ? 'h' : s->length == 'q' ? 'l' : s->length;
	*f++ = s->conversion;
	*f = 0;
}

// The value has no label.
static void put_plain(struct out *o, const struct spec *s, union value v, enum type type)
{
	char format[64];
	size_t left = o->n < o->room ? o->room - o->n : 0;
	int n;
	rebuild(s, format);
	char *to = left ? o->to + o->n : NULL;
	if (type == TYPE_DOUBLE)
		n = snprintf(to, left, format, v.d);
	else if (type == TYPE_LONG_DOUBLE)
		n = snprintf(to, left, format, v.ld);
	else
		n = snprintf(to, left, format, v.i);
	if (n > 0)
		o->n += (size_t)n;
}

static void put_concrete(struct out *o, const struct spec *s, const struct args *a)
{
	union value v = {.words = {0, 0}};
	enum type type = s->at == NONE ? TYPE_NONE : a->types[s->at];
	if (type != TYPE_NONE) {
		v = a->values[s->at];
		v.words[0] = model_concretise(v.words[0]);
		if (type == TYPE_LONG_DOUBLE)
			v.words[1] = model_concretise(v.words[1] & 0xffff);
	}
	put_plain(o, s, v, type);
}

static void put_real(struct out *o, const struct spec *s, const struct args *a)
{
	enum type type = a->types[s->at];
	struct real r = real_of(&a->values[s->at], type == TYPE_LONG_DOUBLE);
	if (!IS_SYMBOLIC(a->values[s->at].words)) {
		put_plain(o, s, r.plain, type);
		return;
	}
	bool negative = real_negative(&r), finite = real_finite(&r);
	if (!finite) {
		real_infinite(&r);
		put_plain(o, s, r.plain, type);
	} else if (s->other || !put_float(o, s, &r, negative)) {
		put_concrete(o, s, a);
	}
}

// --- the whole -----------------------------------------------------------------------------------------

static void put_spec(struct out *o, struct spec *s, const struct args *a, bool last)
{
	resolve(s, a);
	uint64_t v = s->at == NONE ? 0 : a->values[s->at].i;
	char c = (char)v;
	bool whole = s->conversion && strchr("diuoxXbB", s->conversion) && !s->other;
	if (s->conversion == '%')
		put(o, '%');
	else if (whole)
		put_number(o, s, v);
	else if (s->conversion == 'c' && s->length != 'l') {
		put_text(o, s, &c, 1);
		note_length(o, s, 1);
	} else if (s->conversion == 's' && s->length != 'l')
		put_string(o, s, (const char *)model_concretise(v), last);
	else if (s->conversion && strchr("fFeEgG", s->conversion))
		put_real(o, s, a);
	else if (s->conversion != 'n')
		put_concrete(o, s, a);
}

static void put_format(struct out *o, const char *format, const struct args *a)
{
	struct args again = {.n = a->n};
	struct spec s;
	for (const char *f = format; *f;) {
		if (*f != '%') {
			put(o, *f++);
			continue;
		}
		f++;
		take_spec(&f, &again, &s);
		put_spec(o, &s, a, !*f);
	}
	if (o->n < o->room && !o->closed)
		o->to[o->n] = 0;
}

static unsigned size_of(char length)
{
	return length == 'H' ? 1 : length == 'h' ? 2 : length ? 8 : 4;
}

// After the call: what %n wrote has no label, and widths and precisions, whose checks were made, are what they are.
static void finish_arguments(const char *format, const struct args *a, int kept)
{
	struct args again = {.n = a->n};
	struct spec s;
	for (const char *f = format; *f;) {
		if (*f++ != '%')
			continue;
		take_spec(&f, &again, &s);
		if (s.width_at != NONE)
			model_concretise(a->values[s.width_at].i);
		if (s.precision_at != NONE && s.precision_at != kept)
			model_concretise(a->values[s.precision_at].i);
		if (s.conversion == 'n' && s.at != NONE)
			veer_make_concrete((void *)a->values[s.at].i, size_of(s.length));
	}
}

// What a call of a function of this family is about to write.
struct job {
	const char *given, *format; // format: without labels
	struct args args;
	bool known; // its format is
	char *text; // with labels; NULL when there are none
	int count;  // with its label
	int kept;   // as in struct out
	char small[512];
};

// Before the real function, which may overwrite what it reads.
static void job_start(struct job *j, const char *format, va_list list)
{
	va_list copy;
	j->given = format;
	j->format = format = model_format(format);
	j->args.n = j->args.next = 0;
	j->text = NULL;
	j->kept = NONE;
	j->known = read_types(format, &j->args);
	if (!j->known)
		return;
	va_copy(copy, list);
	read_values(&j->args, copy);
	va_end(copy);
	if (!has_labels(format, &j->args))
		return;
	va_copy(copy, list);
	int n = vsnprintf(NULL, 0, format, copy);
	va_end(copy);
	if (n < 0)
		return;
	struct out o = {.room = (size_t)n + 1, .kept = NONE};
	j->text = o.to = (size_t)n < sizeof j->small ? j->small : malloc(o.room);
	if (!o.to)
		return;
	put_format(&o, format, &j->args);
	j->count = (int)(o.n + o.open);
	j->kept = o.kept;
}

// Before it, too: does what it writes, at most `n` bytes, fit into its object? No branch: that is not its concern.
static void job_check(const struct job *j, const char *to, size_t n, va_list list)
{
	size_t room = model_room(to), all = (size_t)(unsigned)j->count + 1;
	bool fixed = !j->text && !IS_SYMBOLIC(n); // what is written is the same for any input
	if ((fixed && room) || (!IS_SYMBOLIC(n) && n <= room))
		return;
	if (!j->text) {
		va_list copy;
		va_copy(copy, list);
		int count = vsnprintf(NULL, 0, j->format, copy);
		va_end(copy);
		all = count < 0 ? 0 : (size_t)count + 1;
	}
	veer_model_check_room(to, n ^ ((all ^ n) & (0 - (size_t)(all < n))));
}

// After it: it returned r and wrote to memory of `room` bytes. Returns r with its label.
static int job_end(struct job *j, char *to, size_t room, int r, const char *function)
{
	size_t n = r < 0 ? 0 : (size_t)r < room ? (size_t)r + 1 : room;
	if (!j->known)
		model_unmodelled(function);
	if (n && j->text && (size_t)r >= room) {
		veer_make_concrete(to + n - 1, 1);
		n--;
	}
	if (n && j->text)
		model_copy_labels(to, j->text, n, function);
	else if (n)
		veer_make_concrete(to, n);
	if (j->known)
		finish_arguments(j->format, &j->args, j->kept);
	if (j->text && memcmp(&r, &j->count, sizeof r) == 0)
		r = j->count;
	if (j->text != j->small)
		free(j->text);
	if (j->format != j->given)
		free((void *)j->format);
	return r;
}

// --- the functions -----------------------------------------------------------------------------------------

MODEL(int, vsnprintf, char *to, size_t n, const char *format, va_list list)
{
	struct job j;
	job_start(&j, format, list);
	job_check(&j, to, n, list);
	n = (size_t)model_concretise(n);
	return job_end(&j, to, n, vsnprintf(to, n, format, list), "vsnprintf");
}

MODEL(int, vsprintf, char *to, const char *format, va_list list)
{
	struct job j;
	job_start(&j, format, list);
	job_check(&j, to, SIZE_MAX, list);
	return job_end(&j, to, SIZE_MAX, vsprintf(to, format, list), "vsprintf");
}

MODEL(int, vasprintf, char **to, const char *format, va_list list)
{
	struct job j;
	job_start(&j, format, list);
	int r = vasprintf(to, format, list);
	veer_make_concrete(to, sizeof *to);
	if (r >= 0 && j.text && r == (int)model_plain((unsigned)j.count))
		model_is_sized(*to, (size_t)(unsigned)j.count + 1);
	return job_end(&j, *to, SIZE_MAX, r, "vasprintf");
}

extern int __vsnprintf_chk(char *to, size_t n, int flag, size_t size, const char *format, va_list list);
extern int __vsprintf_chk(char *to, int flag, size_t size, const char *format, va_list list);
extern int __vasprintf_chk(char **to, int flag, const char *format, va_list list);

MODEL(int, __vsnprintf_chk, char *to, size_t n, int flag, size_t size, const char *format, va_list list)
{
	struct job j;
	job_start(&j, format, list);
	job_check(&j, to, n, list);
	n = (size_t)model_concretise(n);
	return job_end(&j, to, n, __vsnprintf_chk(to, n, flag, size, format, list), "vsnprintf");
}

MODEL(int, __vsprintf_chk, char *to, int flag, size_t size, const char *format, va_list list)
{
	struct job j;
	job_start(&j, format, list);
	job_check(&j, to, SIZE_MAX, list);
	return job_end(&j, to, SIZE_MAX, __vsprintf_chk(to, flag, size, format, list), "vsprintf");
}

MODEL(int, __vasprintf_chk, char **to, int flag, const char *format, va_list list)
{
	struct job j;
	job_start(&j, format, list);
	int r = __vasprintf_chk(to, flag, format, list);
	veer_make_concrete(to, sizeof *to);
	if (r >= 0 && j.text && r == (int)model_plain((unsigned)j.count))
		model_is_sized(*to, (size_t)(unsigned)j.count + 1);
	return job_end(&j, *to, SIZE_MAX, r, "vasprintf");
}

extern int __vfprintf_chk(FILE *f, int flag, const char *format, va_list list);
size_t veer_model_fwrite(const void *data, size_t size, size_t n, FILE *f);

// To the outside, as libc does it; to memory, as a string.
MODEL(int, vfprintf, FILE *f, const char *format, va_list list)
{
	if (!model_is_memory_stream(f))
		return vfprintf(f, format, list);
	char *text = NULL;
	size_t n = (size_t)model_concretise((unsigned)veer_model_vasprintf(&text, format, list));
	if ((int)n < 0 || veer_model_fwrite(text, 1, n, f) < n)
		n = (size_t)-1;
	free(text);
	return (int)n;
}

MODEL(int, __vfprintf_chk, FILE *f, int flag, const char *format, va_list list)
{
	return model_is_memory_stream(f) ? veer_model_vfprintf(f, format, list) : __vfprintf_chk(f, flag, format, list);
}

// The same with the arguments themselves.
#define VARIADIC(name, parameters, ...)                                                                                \
	MODEL(int, name, parameters, const char *format, ...)                                                          \
	{                                                                                                              \
		va_list list;                                                                                          \
		va_start(list, format);                                                                                \
		int r = veer_model_##__VA_ARGS__;                                                                      \
		va_end(list);                                                                                          \
		return r;                                                                                              \
	}

#define AND ,
VARIADIC(snprintf, char *to AND size_t n, vsnprintf(to, n, format, list))
VARIADIC(sprintf, char *to, vsprintf(to, format, list))
VARIADIC(asprintf, char **to, vasprintf(to, format, list))
VARIADIC(__snprintf_chk, char *to AND size_t n AND int flag AND size_t size,
         __vsnprintf_chk(to, n, flag, size, format, list))
VARIADIC(__sprintf_chk, char *to AND int flag AND size_t size, __vsprintf_chk(to, flag, size, format, list))
VARIADIC(__asprintf_chk, char **to AND int flag, __vasprintf_chk(to, flag, format, list))

VARIADIC(fprintf, FILE *f, vfprintf(f, format, list))
VARIADIC(__fprintf_chk, FILE *f AND int flag, __vfprintf_chk(f, flag, format, list))

// One float in a format of its own: its value is concrete, as everywhere here.
#define STRFROM(name, type, member)                                                                                    \
	MODEL(int, name, char *to, size_t n, const char *format, type value)                                           \
	{                                                                                                              \
		union value v = {.words = {0, 0}};                                                                     \
		const char *plain = model_format(format);                                                              \
		v.member = value;                                                                                      \
		v.words[0] = model_concretise(v.words[0]);                                                             \
		v.words[1] = model_concretise(v.words[1] & 0xffff);                                                    \
		n = (size_t)model_concretise(n);                                                                       \
		int r = name(to, n, plain, v.member);                                                                  \
		if (r >= 0 && n)                                                                                       \
			veer_make_concrete(to, (size_t)r < n ? (size_t)r + 1 : n);                                     \
		if (plain != format)                                                                                   \
			free((void *)plain);                                                                           \
		return r;                                                                                              \
	}

STRFROM(strfromd, double, d)
STRFROM(strfromf, float, f)
STRFROM(strfroml, long double, ld)
