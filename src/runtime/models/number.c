// What models in C that read and write numbers need to know without leaving branches in
// the path (models/c/number.h).
#include "runtime/models/c/number.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef MODEL
#include "runtime/models/memory_stream.h"
#include "runtime/models/model.h"

// What follows a number may have been looked at as well: the exponent that is none, the
// rest of "infinity".
static size_t looked_at(const char *stop)
{
	size_t n = 1;
	if (*stop && strchr("eEpPxXbB", *stop)) {
		n++;
		if (*stop == 'x' || *stop == 'X')
			n += stop[1] == '.';
		else
			n += stop[1] == '+' || stop[1] == '-';
	} else if (*stop == 'i' || *stop == 'I') {
		while (n < 6 && tolower((unsigned char)stop[n - 1]) == "inity"[n - 1])
			n++;
	} else if (*stop == '(') {
		while (isalnum((unsigned char)stop[n]) || stop[n] == '_')
			n++;
		n++;
	}
	return n;
}

bool model_is_symbolic_number(const char *s, const char *stop)
{
	if (!rt_on)
		return false;
	return stop == s || rt_any((uint64_t)s, (uint64_t)(stop - s) + looked_at(stop));
}

bool model_is_symbolic_text(const char *s, size_t limit)
{
	size_t n = rt_on ? strnlen(s, limit) : 0;
	return rt_on && rt_any((uint64_t)s, n < limit ? n + 1 : n);
}

void model_concretise_bytes(const void *data, size_t size)
{
	const uint8_t *p = data;
	for (size_t i = 0; rt_on && i < size; i++)
		rt_concrete(NULL, rt_load((uint64_t)(p + i), 1), p[i], REASON_DIGITS);
}

const char *model_format(const char *format)
{
	size_t n = strlen(format) + 1;
	char *copy = rt_on && rt_any((uint64_t)format, n) ? malloc(n) : NULL;
	if (!copy)
		return format;
	for (size_t i = 0; i < n; i++)
		rt_concrete(NULL, rt_load((uint64_t)(format + i), 1), (uint8_t)format[i], REASON_FORMAT);
	rt_clear((uint64_t)copy, n);
	return memcpy(copy, format, n);
}

// The place of the first terminator, as an expression.
size_t model_text_length(const char *s, size_t limit)
{
	struct model_string string = model_string(s, limit);
	if (!string.labelled)
		return string.length;
	struct sym length = sym_constant(64, string.bytes);
	for (uint64_t i = string.bytes; i-- > 0;)
		length = sym_choose(sym_is(model_string_byte(&string, i), 0), sym_constant(64, i), length);
	model_give((const void *)model_text_length, length.l, string.length, 64);
	return string.length;
}

// The label of a node with two operands, which have labels or are constants.
static label node_of(unsigned op, unsigned width, label a, label b)
{
	return rt_on && a && b ? rt_node(op, width, a, b, 0) : 0;
}

static label label_or_constant(label l, unsigned width, uint64_t value)
{
	return l || !rt_on ? l : rt_constant(width, value);
}

#define DECIMAL(type, name, width)                                                                                     \
	type name(uint64_t upper, uint64_t mantissa, int64_t exponent)                                                 \
	{                                                                                                              \
		label arg[3];                                                                                          \
		type r = 0;                                                                                            \
		model_enter((const void *)name, 3, arg);                                                               \
		eval_value bits = eval_decimal(width, (eval_value)upper << 64 | mantissa, exponent);                   \
		memcpy(&r, &bits, (width) / 8);                                                                        \
		if (!(arg[0] | arg[1] | arg[2]))                                                                       \
			return r;                                                                                      \
		label digits = label_or_constant(arg[1], 64, mantissa), by = label_or_constant(arg[2], 64, exponent);  \
		if (arg[0] || upper)                                                                                   \
			digits = node_of(OP_CONCAT, 128, label_or_constant(arg[0], 64, upper), digits);                \
		model_give((const void *)name, node_of(OP_DECIMAL, width, digits, by), bits, width);                   \
		return r;                                                                                              \
	}

DECIMAL(float, model_decimal_float, 32)
DECIMAL(double, model_decimal_double, 64)
DECIMAL(long double, model_decimal_long_double, 80)

#define DIGITS(type, name, from)                                                                                       \
	uint64_t name(type x, int64_t exponent)                                                                        \
	{                                                                                                              \
		label arg[2];                                                                                          \
		eval_value bits = 0;                                                                                   \
		model_enter((const void *)name, 2, arg);                                                               \
		memcpy(&bits, &x, (from) / 8);                                                                         \
		eval_value r = eval_digits(64, from, bits, exponent);                                                  \
		if (arg[0])                                                                                            \
			model_give((const void *)name,                                                                 \
			           node_of(OP_DIGITS, 64, arg[0], label_or_constant(arg[1], 64, exponent)), r, 64);    \
		return (uint64_t)r;                                                                                    \
	}

DIGITS(double, model_digits_double, 64)
DIGITS(long double, model_digits_long_double, 80)

uint64_t model_plain(uint64_t value)
{
	label arg[1];
	model_enter((const void *)model_plain, 1, arg);
	return value;
}

void model_copy_labels(void *to, const void *from, size_t size, const char *function)
{
	if (memcmp(to, from, size) == 0) {
		rt_copy((uint64_t)to, (uint64_t)from, size);
		return;
	}
	rt_clear((uint64_t)to, size);
	rt_unmodelled(NULL, function);
}

void veer_model_check_room(const void *to, size_t size)
{
	label arg[2];
	struct site *site = model_enter((const void *)veer_model_check_room, 2, arg);
	rt_check_room(site, arg[1], size, (uint64_t)to);
}

void veer_model_text_read(const char *s, size_t limit)
{
	label arg[2];
	struct site *site = model_enter((const void *)veer_model_text_read, 2, arg);
	size_t n = rt_on && rt_sized ? strnlen(s, limit) : 0;
	model_reads(site, s, n < limit ? n + 1 : n);
}

size_t model_room(const void *to)
{
	struct rt_object o;
	uint64_t at = (uint64_t)to;
	if (!rt_on || !rt_object_find(at, &o) || at - o.base >= o.size)
		return SIZE_MAX;
	return o.size_label ? 0 : o.base + o.size - at;
}

void model_is_sized(const void *block, size_t size)
{
	label arg[2];
	model_enter((const void *)model_is_sized, 2, arg);
	rt_block_sized((uint64_t)block, size, arg[1]);
}

bool model_is_memory_stream(FILE *f)
{
	return memory_stream_of(f) != NULL;
}

bool model_is_symbolic_stream(FILE *f)
{
	int saved = errno, fd = rt_on && f ? fileno(f) : -1;
	bool r = (fd >= 0 && rt_source_of(fd)) || (rt_on && f && memory_stream_to_read(f));
	errno = saved;
	return r;
}

bool model_is_symbolic_object(const void *p)
{
	struct rt_object o;
	uint64_t at = (uint64_t)p, size = 4096; // what is not known
	if (rt_on && rt_object_find(at, &o) && at - o.base < o.size)
		size = o.base + o.size - at;
	return rt_on && rt_any(at, size);
}

void model_unmodelled(const char *function)
{
	rt_unmodelled(NULL, function);
}
