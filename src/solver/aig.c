#include "solver/aig.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

enum { FIRST = 1024, PER_NODE = sizeof(struct aig_node) + 2 * sizeof(uint32_t) };

void aig_init(struct aig *g, size_t bytes)
{
	*g = (struct aig){.max = FIRST, .index_size = 2 * FIRST};
	// Arrays double: half of the memory may be unused, and both are there while one is copied.
	size_t limit = bytes / (2 * PER_NODE);
	g->limit = bytes && limit < 0x7fffffff ? (uint32_t)limit : 0x7fffffff;
	g->nodes = mem_alloc(g->max * sizeof *g->nodes);
	g->index = mem_alloc(g->index_size * sizeof *g->index);
	aig_clear(g);
}

void aig_release(struct aig *g)
{
	mem_free(g->nodes);
	mem_free(g->index);
	*g = (struct aig){0};
}

void aig_clear(struct aig *g)
{
	memset(g->index, 0, g->index_size * sizeof *g->index);
	g->nodes[0] = (struct aig_node){0};
	g->n = 1;
	g->full = false;
}

// Structural hashing: a table of numbers of nodes, which have the keys. An entry of 4 bytes is what makes it fast; it
// is no map of base/map.h, whose entries have their keys in them.
static uint32_t hash(aig_lit a, aig_lit b)
{
	uint64_t h = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32) ^ (uint32_t)h >> 15;
}

static void enlarge_index(struct aig *g)
{
	mem_free(g->index);
	g->index_size *= 2;
	assert((g->index_size & (g->index_size - 1)) == 0);
	g->index = mem_zero(g->index_size * sizeof *g->index);
	for (uint32_t i = 1; i < g->n; i++) {
		uint32_t at = hash(g->nodes[i].a, g->nodes[i].b) & (g->index_size - 1);
		while (g->index[at])
			at = (at + 1) & (g->index_size - 1);
		g->index[at] = i;
	}
}

static aig_lit add(struct aig *g, aig_lit a, aig_lit b)
{
	assert(a == AIG_INPUT || (a > b && a >> 1 < g->n)); // operands are older than what uses them
	uint32_t at = hash(a, b) & (g->index_size - 1);
	for (; g->index[at]; at = (at + 1) & (g->index_size - 1)) {
		const struct aig_node *n = &g->nodes[g->index[at]];
		if (n->a == a && n->b == b)
			return 2 * g->index[at];
	}
	if (g->n >= g->limit) {
		g->full = true;
		return AIG_FALSE;
	}
	vec_room(g->nodes, g->n + 1, g->max);
	uint32_t i = g->n++;
	g->nodes[i] = (struct aig_node){.a = a, .b = b};
	g->index[at] = i;
	if (2 * g->n > g->index_size)
		enlarge_index(g);
	return 2 * i;
}

aig_lit aig_input(struct aig *g, uint32_t number)
{
	return add(g, AIG_INPUT, number);
}

// The operands of a literal that is an AND, not negated or negated; false when it is none.
static bool operands(const struct aig *g, aig_lit l, aig_lit *a, aig_lit *b)
{
	const struct aig_node *n = &g->nodes[l >> 1];
	*a = n->a;
	*b = n->b;
	return l > AIG_TRUE && n->a != AIG_INPUT;
}

// What is known of x & y from looking one level into x. Returns whether *ret says it; it may
// also change x to something smaller that gives the same AND.
static bool look_inside(const struct aig *g, aig_lit *x, aig_lit y, aig_lit *ret)
{
	aig_lit a, b;
	if (!operands(g, *x, &a, &b))
		return false;
	if (!(*x & 1)) { // (a & b) & y
		if (a == (y ^ 1) || b == (y ^ 1))
			return *ret = AIG_FALSE, true;
		if (a == y || b == y)
			return *ret = *x, true;
	} else { // !(a & b) & y
		if (a == (y ^ 1) || b == (y ^ 1))
			return *ret = y, true;
		if (a == y)
			*x = b ^ 1;
		else if (b == y)
			*x = a ^ 1;
	}
	return false;
}

// The same, looking into both.
static bool look_inside_both(const struct aig *g, aig_lit x, aig_lit y, aig_lit *ret)
{
	aig_lit a, b, c, d;
	if (!operands(g, x, &a, &b) || !operands(g, y, &c, &d))
		return false;
	bool against = a == (c ^ 1) || a == (d ^ 1) || b == (c ^ 1) || b == (d ^ 1);
	if (!(x & 1) && !(y & 1) && against)
		return *ret = AIG_FALSE, true;
	if (!(x & 1) && (y & 1) && against)
		return *ret = x, true;
	if ((x & 1) && !(y & 1) && against)
		return *ret = y, true;
	if ((x & 1) && (y & 1)) { // !(a & b) & !(a & !b) = !a
		if ((a == c && b == (d ^ 1)) || (a == d && b == (c ^ 1)))
			return *ret = a ^ 1, true;
		if ((b == c && a == (d ^ 1)) || (b == d && a == (c ^ 1)))
			return *ret = b ^ 1, true;
	}
	return false;
}

static bool is_trivial(aig_lit a, aig_lit b, aig_lit *ret)
{
	if (a == AIG_FALSE || b == AIG_FALSE || a == (b ^ 1))
		return *ret = AIG_FALSE, true;
	if (a == AIG_TRUE || a == b)
		return *ret = b, true;
	if (b == AIG_TRUE)
		return *ret = a, true;
	return false;
}

aig_lit aig_and(struct aig *g, aig_lit a, aig_lit b)
{
	aig_lit r;
	for (;;) {
		if (is_trivial(a, b, &r))
			return r;
		aig_lit x = a, y = b;
		if (look_inside(g, &a, b, &r) || look_inside(g, &b, a, &r))
			return r;
		if (a == x && b == y)
			break;
	}
	if (look_inside_both(g, a, b, &r))
		return r;
	return a > b ? add(g, a, b) : add(g, b, a);
}

aig_lit aig_or(struct aig *g, aig_lit a, aig_lit b)
{
	return aig_and(g, a ^ 1, b ^ 1) ^ 1;
}

aig_lit aig_xor(struct aig *g, aig_lit a, aig_lit b)
{
	if (a <= AIG_TRUE)
		return a ^ b;
	if (b <= AIG_TRUE)
		return a ^ b;
	if ((a ^ b) <= 1)
		return a ^ b; // the same or negated: 0 or 1
	// The signs outside, so that equal functions look equal.
	aig_lit sign = (a ^ b) & 1, x = a & ~1u, y = b & ~1u;
	return aig_and(g, aig_and(g, x, y) ^ 1, aig_and(g, x ^ 1, y ^ 1) ^ 1) ^ sign;
}

aig_lit aig_mux(struct aig *g, aig_lit c, aig_lit t, aig_lit e)
{
	if (c <= AIG_TRUE)
		return c ? t : e;
	if (t == e)
		return t;
	if (t == (e ^ 1))
		return aig_xor(g, c, e);
	if (c & 1)
		return aig_mux(g, c ^ 1, e, t);
	// c ? t : e = !(!(c & t) & !(!c & e))
	return aig_or(g, aig_and(g, c, t), aig_and(g, c ^ 1, e));
}

static bool is_negated_and(const struct aig_node *nodes, aig_lit l)
{
	return (l & 1) && nodes[l >> 1].a != AIG_INPUT;
}

bool aig_find_mux(const struct aig_node *nodes, uint32_t node, aig_lit *s, aig_lit *t, aig_lit *e)
{
	const struct aig_node *n = &nodes[node];
	if (!is_negated_and(nodes, n->a) || !is_negated_and(nodes, n->b))
		return false;
	const struct aig_node *x = &nodes[n->a >> 1], *y = &nodes[n->b >> 1];
	const aig_lit in[] = {x->a, x->b}, other[] = {y->a, y->b};
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < 2; k++)
			if (in[i] == (other[k] ^ 1)) { // !(s & q) & !(!s & r)
				*s = in[i];
				*t = in[1 - i] ^ 1;
				*e = other[1 - k] ^ 1;
				return true;
			}
	return false;
}
