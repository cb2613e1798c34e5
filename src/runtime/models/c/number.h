// Whole numbers from text, for models in C: how a character counts is one expression, not
// a branch for every range it may lie in.
#ifndef VEER_RUNTIME_MODELS_C_NUMBER_H
#define VEER_RUNTIME_MODELS_C_NUMBER_H

#include "runtime/models/c/model_c.h"

// As isspace in every locale whose space characters are ASCII's.
static inline bool number_is_space(int c)
{
	return (c == ' ') | ((unsigned)c - '\t' < 5);
}

// The value of a digit; what is none has a value that is not below the base.
static inline unsigned number_digit(int c, unsigned base)
{
	unsigned d = (unsigned)c - '0', letter = ((unsigned)c | 32) - 'a';
	if (base <= 10)
		return d;
	unsigned is_digit = 0 - (unsigned)(d < 10), is_letter = 0 - (unsigned)(letter < 26);
	return (d & is_digit) | ((letter + 10) & is_letter) | (99 & ~(is_digit | is_letter));
}

static inline bool number_is(int c, char lower) // this letter, in either case
{
	return ((unsigned)c | 32) == (unsigned char)lower;
}

// A magnitude that grows by digits, up to `most`.
struct number {
	uint64_t value, most;
	unsigned base, digits;
	unsigned safe; // so many digits cannot be too much
	bool over;
};

static inline struct number number_start(unsigned base, uint64_t most)
{
	struct number n = {.most = most, .base = base};
	for (uint64_t rest = most; rest >= base; rest /= base)
		n.safe++;
	return n;
}

static inline void number_add(struct number *n, unsigned digit)
{
	uint64_t last = n->most / n->base;
	if (n->digits++ >= n->safe && !n->over)
		n->over = DECIDE((n->value > last) | ((n->value == last) & (digit > n->most % n->base)));
	if (!n->over)
		n->value = n->value * n->base + digit;
}

// The largest magnitude that a type has; a number without sign may have a minus, too.
static inline uint64_t number_most(bool is_signed, bool negative)
{
	return is_signed ? (uint64_t)INT64_MAX + negative : UINT64_MAX;
}

// What strtol and strtoul make of it.
static inline uint64_t number_value(const struct number *n, bool is_signed, bool negative)
{
	if (n->over)
		return negative && is_signed ? 0 - n->most : n->most;
	return negative ? 0 - n->value : n->value;
}

// --- number.c, not instrumented --------------------------------------------------------------

// Has the text of a number labels, or what was looked at behind it to find its end?
bool model_is_symbolic_number(const char *s, const char *stop);

// The bytes are what they are; the path keeps that.
void model_concretise_bytes(const void *data, size_t size);

// A format without labels: the path keeps what it is. The same one, when it has none, else
// a copy for the caller to free.
const char *model_format(const char *format);

// strnlen, with its label.
size_t model_text_length(const char *s, size_t limit);

// Has a string of at most `limit` bytes labels?
bool model_is_symbolic_text(const char *s, size_t limit);

// mantissa * 10^exponent, rounded once; `upper`: what the mantissa has above 64 bits.
float model_decimal_float(uint64_t upper, uint64_t mantissa, int64_t exponent);
double model_decimal_double(uint64_t upper, uint64_t mantissa, int64_t exponent);
long double model_decimal_long_double(uint64_t upper, uint64_t mantissa, int64_t exponent);

// |x| * 10^exponent, rounded once; UINT64_MAX: does not fit, or x is no number. The exponent has no label.
uint64_t model_digits_double(double x, int64_t exponent);
uint64_t model_digits_long_double(long double x, int64_t exponent);

// The value without its label, and without an equation.
uint64_t model_plain(uint64_t value);

// Labels of `size` bytes for memory that has the same bytes; when it has others, it loses its labels.
void model_copy_labels(void *to, const void *from, size_t size, const char *function);

// A check: so many bytes fit behind `to`. It has the name of a model because calls of models say where they are.
void veer_model_check_room(const void *to, size_t size);

// A check: a text of at most `limit` bytes is read, so its object has them.
void veer_model_text_read(const char *s, size_t limit);

// Bytes from there to the end of the object, whatever the input; SIZE_MAX when no object is known.
size_t model_room(const void *to);

// That is the size of a block that libc made, with its label.
void model_is_sized(const void *block, size_t size);

// Does it read from what is input?
struct _IO_FILE;
bool model_is_symbolic_stream(struct _IO_FILE *f);
bool model_is_memory_stream(struct _IO_FILE *f); // or write to memory?

// Has what lies from here to the end of the object labels?
bool model_is_symbolic_object(const void *p);

// Labels that went into a function are lost in it.
void model_unmodelled(const char *function);

#endif
