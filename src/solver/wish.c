// Conditions that make solutions look like inputs.
#include "solver/near.h"

#include "base/mem.h"

static uint32_t and (struct expr_pool * p, uint32_t a, uint32_t b)
{
	return expr_make(p, OP_AND, 1, a, b, 0);
}

static uint32_t or (struct expr_pool * p, uint32_t a, uint32_t b)
{
	return expr_make(p, OP_OR, 1, a, b, 0);
}

static uint32_t between(struct expr_pool *p, uint32_t byte, uint8_t low, uint8_t high)
{
	uint32_t above = expr_make(p, OP_ULE, 1, expr_const(p, 8, low), byte, 0);
	return and(p, above, expr_make(p, OP_ULE, 1, byte, expr_const(p, 8, high), 0));
}

uint32_t near_printable(struct expr_pool *p, uint32_t byte, uint8_t was)
{
	uint32_t printable = between(p, byte, 0x20, 0x7e);
	return was >= 0x20 && was <= 0x7e ? printable : or (p, printable, expr_eq(p, byte, was));
}

static uint32_t same_string_length(struct expr_pool *p, uint32_t source, uint32_t length)
{
	uint32_t all = expr_eq(p, expr_input(p, source, length), 0);
	for (uint32_t i = 0; i < length; i++)
		all = and(p, expr_not(p, expr_eq(p, expr_input(p, source, i), 0)), all);
	return all;
}

uint32_t near_same_length(struct expr_pool *p, uint32_t source, uint32_t length)
{
	struct input_type type = p->sources[source].type;
	if (input_is_string(type))
		return same_string_length(p, source, length);
	uint32_t all = expr_const(p, 1, 1);
	for (uint32_t i = 0; input_is_number(type) && i < 4; i++)
		all = and(p, all, expr_eq(p, expr_input(p, source, i), length >> 8 * i & 0xff));
	return all;
}

// The sequences of RFC 3629: what the first two bytes are; those that follow are 80 to bf.
static const struct {
	uint8_t first[2], second[2], size;
} sequences[] = {
	{{0x00, 0x7f}, {0, 0}, 1},       {{0xc2, 0xdf}, {0x80, 0xbf}, 2}, {{0xe0, 0xe0}, {0xa0, 0xbf}, 3},
	{{0xe1, 0xec}, {0x80, 0xbf}, 3}, {{0xed, 0xed}, {0x80, 0x9f}, 3}, {{0xee, 0xef}, {0x80, 0xbf}, 3},
	{{0xf0, 0xf0}, {0x90, 0xbf}, 4}, {{0xf1, 0xf3}, {0x80, 0xbf}, 4}, {{0xf4, 0xf4}, {0x80, 0x8f}, 4},
};

// A sequence of that kind at `from`, and what follows it is valid.
static uint32_t sequence(struct expr_pool *p, uint32_t source, uint32_t from, unsigned kind, uint32_t rest)
{
	const uint8_t *first = sequences[kind].first, *second = sequences[kind].second;
	for (unsigned i = sequences[kind].size; i-- > 2;)
		rest = and(p, between(p, expr_input(p, source, from + i), 0x80, 0xbf), rest);
	if (sequences[kind].size > 1)
		rest = and(p, between(p, expr_input(p, source, from + 1), second[0], second[1]), rest);
	return and(p, between(p, expr_input(p, source, from), first[0], first[1]), rest);
}

// From the end: at each byte, the rest is valid if a sequence begins there and the rest behind it is.
uint32_t near_utf8(struct expr_pool *p, uint32_t source, uint32_t from, uint32_t n)
{
	uint32_t *valid = mem_alloc((n + 1) * sizeof *valid);
	valid[n] = expr_const(p, 1, 1);
	for (uint32_t i = n; i-- > 0;) {
		valid[i] = expr_const(p, 1, 0);
		for (unsigned k = 0; k < sizeof sequences / sizeof *sequences; k++)
			if (sequences[k].size <= n - i) {
				uint32_t rest = valid[i + sequences[k].size];
				valid[i] = or (p, valid[i], sequence(p, source, from + i, k, rest));
			}
	}
	uint32_t all = valid[0];
	mem_free(valid);
	return all;
}
