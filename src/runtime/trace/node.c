// Making nodes: hash-consed, with the simplifications that cost nothing. A result
// that does not depend on the input is no node: label 0.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

// A slot is a label and four bits of its node's hash, 0 when free. A node's first place
// is the group of slots that belongs to its younger operand: new nodes mostly refer to
// new nodes, so these groups, and the nodes in them, are in the cache, and they come
// into being one after the other, as nodes do. Constants, and nodes whose group is full,
// are in an ordinary hash table.
enum { GROUP = 8, OWNERS = 4 }; // slots of a group, nodes that share it
#define LABEL_MASK 0x0fffffffu
static uint32_t *groups;
enum { FIRST = 256 };
static uint32_t first_others[FIRST]; // static, so that short runs have few pages to write to
static uint32_t *others;             // open addressing
static size_t n_others, others_cap;
static eval_value *values; // self-check: the value of each node

// A node as two words, which stay in registers. To read it in one piece after it was written
// in several would take as long as all the rest.
struct words {
	uint64_t first, second; // op, width, a; b, c
};

static struct words words_of(const struct trace_node *n)
{
	struct words w;
	_Static_assert(sizeof w == sizeof *n, "two words");
	memcpy(&w, n, sizeof w);
	return w;
}

static struct words words(unsigned op, unsigned width, uint32_t a, uint32_t b, uint32_t c)
{
	return (struct words){(uint8_t)op | (uint64_t)(uint16_t)width << 16 | (uint64_t)a << 32, b | (uint64_t)c << 32};
}

static bool is_node(label l, struct words w)
{
	struct words had = words_of(&rt_nodes[l]);
	return had.first == w.first && had.second == w.second;
}

static uint32_t hash_node(struct words w)
{
	uint64_t h = (w.first * 0xff51afd7ed558ccdu) ^ (w.second * 0xc4ceb9fe1a85ec53u);
	return (uint32_t)(h ^ h >> 32);
}

static bool is_same(uint32_t slot, uint32_t hash, struct words w)
{
	return (slot ^ hash) <= LABEL_MASK && is_node(slot & LABEL_MASK, w);
}

// The slot that has the node, or the free one where it belongs.
static uint32_t *find_in_others(uint32_t hash, struct words w)
{
	size_t at = hash & (others_cap - 1);
	while (others[at] && !is_same(others[at], hash, w))
		at = (at + 1) & (others_cap - 1);
	return &others[at];
}

static inline __attribute__((always_inline)) uint32_t *find(uint32_t hash, struct words w)
{
	unsigned count = op_operands((uint8_t)w.first);
	if (!count)
		return find_in_others(hash, w);
	label a = (label)(w.first >> 32), b = (label)w.second, younger = count > 1 && b > a ? b : a;
	uint32_t *group = groups + younger / OWNERS * GROUP;
	for (int i = 0; i < GROUP; i++)
		if (!group[i] || is_same(group[i], hash, w))
			return &group[i];
	return find_in_others(hash, w);
}

static bool grow_others(void)
{
	size_t old_cap = others_cap, cap = old_cap ? 4 * old_cap : FIRST;
	uint32_t *old = others, *bigger = old ? rt_map_dense(cap * sizeof *bigger) : first_others;
	if (!bigger)
		return false;
	others = bigger;
	others_cap = cap;
	for (size_t i = 0; i < old_cap; i++)
		if (old[i]) {
			struct words w = words_of(&rt_nodes[old[i] & LABEL_MASK]);
			*find_in_others(hash_node(w), w) = old[i];
		}
	if (old && old != first_others)
		rt_unmap(old, old_cap * sizeof *old);
	return true;
}

static __attribute__((noinline)) bool make_tables(const struct trace_header *trace)
{
	if (!groups)
		groups = rt_map_dense((trace->nodes_max / OWNERS + 1) * (size_t)GROUP * sizeof *groups);
	if (rt_self_check && !values)
		values = rt_map((size_t)trace->nodes_max * sizeof *values);
	return groups && (!rt_self_check || values) && grow_others();
}

void rt_nodes_prepare(const struct trace_header *trace)
{
	if (make_tables(trace))
		rt_touch(groups);
}

static struct rt_room for_nodes, for_groups;

// Room for the tables, and for one more node while there is some. Apart from have_room(), so
// that what is done for every node needs no calls.
static __attribute__((noinline)) bool make_room(void)
{
	uint32_t n = rt_trace->nodes, max = rt_trace->nodes_max;
	if (2 * n_others >= others_cap && !make_tables(rt_trace)) {
		rt_stop(0);
		return false;
	}
	if (n < max) {
		rt_have_room(&for_nodes, n, rt_nodes, sizeof *rt_nodes, max);
		rt_have_room(&for_groups, n / OWNERS, groups, GROUP * sizeof *groups, max / OWNERS + 1);
	}
	return true;
}

static inline bool have_room(void)
{
	uint32_t n = rt_trace->nodes;
	return (2 * n_others < others_cap && n < for_nodes.ready && n / OWNERS < for_groups.ready) || make_room();
}

static inline __attribute__((always_inline)) label append(struct words w, eval_value value)
{
	label l = rt_trace->nodes;
	if (l >= rt_trace->nodes_max) {
		rt_stop(0);
		return 0;
	}
	rt_trace->nodes = l + 1;
	memcpy(&rt_nodes[l], &w, sizeof w);
	if (rt_self_check)
		values[l] = value;
	return l;
}

static inline __attribute__((always_inline)) label find_or_append(struct words w, eval_value value)
{
	uint32_t hash = hash_node(w), *slot = find(hash, w);
	label l = *slot & LABEL_MASK;
	if (!l && (l = append(w, value))) {
		*slot = l | (hash & ~LABEL_MASK);
		n_others += slot >= others && slot < others + others_cap;
	}
	return l;
}

static inline __attribute__((always_inline)) label intern_here(struct words w, eval_value value)
{
	if (!rt_on || !rt_enter())
		return 0;
	label l = have_room() ? find_or_append(w, value) : 0;
	rt_leave();
	return l;
}

static __attribute__((noinline)) label intern(struct words w, eval_value value)
{
	return intern_here(w, value);
}

// Bytes of an input are mostly made one after the other. One that stands where it would if they
// all were is found there; in the hash table, which needs a place for each and moves them when
// it grows, are only the others.
enum { FEW = 16 }; // inputs that most programs have
static struct bytes {
	label first; // of byte 0, modulo 2^32; 0: not known
	bool others; // there are some
} bytes_of_few[FEW], bytes_of_more[TRACE_INPUTS - FEW] RT_LARGE;

static label find_or_append_input(uint32_t source, uint32_t offset, eval_value value)
{
	struct bytes *bytes = source < FEW ? &bytes_of_few[source] : &bytes_of_more[source - FEW];
	struct words w = words(OP_INPUT, 8, source, offset, 0);
	uint32_t n = rt_trace->nodes;
	if (!bytes->first)
		bytes->first = n - offset;
	label expected = bytes->first + offset;
	if (expected && expected < n && is_node(expected, w))
		return expected;
	if (expected == n && bytes->first && !bytes->others)
		return append(w, value);
	bytes->others = true;
	return find_or_append(w, value);
}

// Files are read more than once, and strings go on behind their end.
label rt_input_byte(uint32_t source, uint32_t offset, uint8_t value)
{
	if (!rt_on || source >= TRACE_INPUTS || !rt_enter())
		return 0;
	label l = have_room() ? find_or_append_input(source, offset, value) : 0;
	rt_leave();
	return l;
}

static eval_value evaluate(const struct trace_node *n)
{
	unsigned count = op_operands(n->op);
	eval_value a = count > 0 ? values[n->a] : 0, b = count > 1 ? values[n->b] : 0, c = count > 2 ? values[n->c] : 0;
	return eval_node(n, count > 0 ? rt_width(n->a) : 0, a, b, c, count > 1 ? rt_width(n->b) : 0);
}

static __attribute__((noinline)) label checked_node(struct words w)
{
	struct trace_node n;
	memcpy(&n, &w, sizeof n);
	return intern(w, values ? evaluate(&n) : 0);
}

label rt_node(unsigned op, unsigned width, label a, label b, label c)
{
	struct words w = words(op, width, a, b, c);
	return rt_self_check ? checked_node(w) : intern_here(w, 0);
}

label rt_constant(unsigned width, eval_value value)
{
	if (width > 64) {
		label low = rt_constant(64, (uint64_t)value);
		return rt_concat(rt_constant(width - 64, value >> 64 & eval_mask(width - 64)), low);
	}
	static label recent[256]; // programs use few constants, again and again
	uint64_t bits = (uint64_t)value & ~0ull >> (64 - width);
	label *cached = &recent[(bits ^ bits >> 8 ^ width) % 256], l = *cached;
	struct words w = words(OP_CONST, width, 0, (uint32_t)bits, (uint32_t)(bits >> 32));
	if (!l || !is_node(l, w))
		*cached = l = intern(w, bits);
	return l;
}

label rt_constant_own(unsigned width, uint64_t value)
{
	struct words w = words(OP_CONST, width, 0, (uint32_t)value, (uint32_t)(value >> 32));
	if (!rt_on || !rt_enter())
		return 0;
	label l = have_room() ? append(w, value) : 0;
	rt_leave();
	return l;
}

void rt_constant_change(label own, uint64_t value)
{
	struct trace_node *n = &rt_nodes[own];
	n->b = (uint32_t)value;
	n->c = (uint32_t)(value >> 32);
	if (rt_self_check)
		values[own] = value;
}

label rt_lookup(label offset, uint32_t table, unsigned width, eval_value value)
{
	return intern(words(OP_LOOKUP, width, offset, table, 0), value);
}

static bool is_constant(label l, uint64_t *ret)
{
	const struct trace_node *n = &rt_nodes[l];
	if (n->op != OP_CONST)
		return false;
	*ret = n->b | (uint64_t)n->c << 32;
	return true;
}

label rt_extract(label a, unsigned low, unsigned width)
{
	if (!a)
		return 0;
	const struct trace_node *n = &rt_nodes[a];
	if (low == 0 && width == n->width)
		return a;
	if (n->op == OP_EXTRACT)
		return rt_extract(n->a, n->b + low, width);
	if (n->op == OP_CONCAT) {
		unsigned border = rt_width(n->b);
		if (low + width <= border)
			return rt_extract(n->b, low, width);
		if (low >= border)
			return rt_extract(n->a, low - border, width);
	}
	if ((n->op == OP_ZEXT || n->op == OP_SEXT) && low + width <= rt_width(n->a))
		return rt_extract(n->a, low, width);
	uint64_t value;
	if (is_constant(a, &value))
		return rt_constant(width, (eval_value)value >> low);
	return rt_node(OP_EXTRACT, width, a, low, 0);
}

label rt_concat(label high, label low)
{
	const struct trace_node *h = &rt_nodes[high], *l = &rt_nodes[low];
	uint64_t x, y;
	if (h->op == OP_EXTRACT && l->op == OP_EXTRACT && h->a == l->a && h->b == l->b + l->width)
		return rt_extract(h->a, l->b, (unsigned)h->width + l->width);
	if (h->op == OP_EXTRACT && h->a == low && h->b == l->width)
		return rt_extract(h->a, 0, (unsigned)h->width + l->width);
	if (is_constant(high, &x) && x == 0)
		return rt_node(OP_ZEXT, (unsigned)h->width + l->width, low, 0, 0);
	if (h->width + l->width <= 64 && is_constant(high, &x) && is_constant(low, &y))
		return rt_constant((unsigned)h->width + l->width, x << l->width | y);
	return rt_node(OP_CONCAT, (unsigned)h->width + l->width, high, low, 0);
}

label rt_resize(label a, unsigned width)
{
	unsigned had = rt_width(a);
	return width == had ? a : width < had ? rt_extract(a, 0, width) : rt_unary(OP_ZEXT, width, a);
}

label rt_unary(unsigned op, unsigned width, label a)
{
	const struct trace_node *n = &rt_nodes[a];
	if (op == OP_NOT && n->op == OP_NOT)
		return n->a;
	if (op == OP_ZEXT && n->op == OP_ZEXT)
		a = n->a;
	if ((op == OP_ZEXT || op == OP_SEXT) && width == n->width)
		return a;
	return rt_node(op, width, a, 0, 0);
}

// x OP constant, where the result is x or does not depend on x. Returns true when
// *ret is the answer.
static bool with_constant(unsigned op, unsigned width, label x, uint64_t value, bool right, label *ret)
{
	bool all_ones = width <= 64 && value == (uint64_t)eval_mask(width);
	if (!right && !op_commutes(op))
		return false;
	switch (op) {
	case OP_ADD:
	case OP_SUB:
	case OP_XOR:
	case OP_SHL:
	case OP_LSHR:
	case OP_ASHR: *ret = x; return value == 0;
	case OP_OR: *ret = value == 0 ? x : 0; return value == 0 || all_ones;
	case OP_AND: *ret = value == 0 ? 0 : x; return value == 0 || all_ones;
	case OP_MUL: *ret = value == 0 ? 0 : x; return value <= 1;
	case OP_UDIV:
	case OP_SDIV: *ret = x; return value == 1 && width > 1;
	case OP_EQ: *ret = width == 1 ? (value ? x : rt_unary(OP_NOT, 1, x)) : 0; return width == 1;
	default: return false;
	}
}

// (x + c) + value and (x + c) - value: one sum, or x itself.
static bool fold_sum(unsigned op, unsigned width, label a, uint64_t value, label *ret)
{
	const struct trace_node *n = &rt_nodes[a];
	uint64_t c;
	if ((op != OP_ADD && op != OP_SUB) || n->op != OP_ADD)
		return false;
	label x = is_constant(n->b, &c) ? n->a : is_constant(n->a, &c) ? n->b : 0;
	if (!x)
		return false;
	uint64_t sum = (op == OP_ADD ? c + value : c - value) & (uint64_t)eval_mask(width);
	label right = sum ? rt_constant(width, sum) : 0;
	*ret = !sum ? x : right ? rt_node(OP_ADD, width, x, right, 0) : 0;
	return true;
}

static bool is_other_constant(label l, uint64_t value)
{
	uint64_t x;
	return is_constant(l, &x) && x != value;
}

// (c ? value : something else) == value: that is c. Comparisons of strings are made so.
static bool fold_choice(unsigned op, label a, uint64_t value, label *ret)
{
	const struct trace_node *n = &rt_nodes[a];
	uint64_t x;
	if (op != OP_EQ || n->op != OP_ITE || !is_constant(n->b, &x))
		return false;
	const struct trace_node *other = &rt_nodes[n->c];
	*ret = x == value ? n->a : 0;
	if (x != value)
		return is_other_constant(n->c, value);
	return is_other_constant(n->c, value) ||
	       (other->op == OP_ITE && is_other_constant(other->b, value) && is_other_constant(other->c, value));
}

label rt_binary(unsigned op, unsigned width, label a, label b)
{
	uint64_t value;
	label r;
	if (width <= 64 && is_constant(b, &value) &&
	    (fold_choice(op, a, value, &r) || with_constant(op, width, a, value, true, &r) ||
	     fold_sum(op, width, a, value, &r)))
		return r;
	if (width <= 64 && is_constant(a, &value) &&
	    (with_constant(op, width, b, value, false, &r) || (op == OP_ADD && fold_sum(op, width, b, value, &r))))
		return r;
	if (a == b) {
		switch (op) {
		case OP_SUB:
		case OP_XOR:
		case OP_EQ:
		case OP_ULT:
		case OP_ULE:
		case OP_SLT:
		case OP_SLE: return 0;
		case OP_AND:
		case OP_OR: return a;
		default: break;
		}
	}
	return rt_node(op, op_gives_bit(op) ? 1 : width, a, b, 0);
}

// --- self-check ----------------------------------------------------------------

void rt_compare(label l, eval_value value, const char *where)
{
	if (!l || !values || !rt_on)
		return;
	rt_trace->checked++;
	value &= eval_mask(rt_width(l));
	if (values[l] == value)
		return;
	const struct trace_node *n = &rt_nodes[l];
	rt_note_mismatch();
	dprintf(2,
	        "veer: self-check failed %s: node %u (%s, %u bits, operands %u %u %u) is %llx:%llx, the program has "
	        "%llx:%llx; this is a bug in veer\n",
	        where, l, op_name(n->op), n->width, n->a, n->b, n->c, (unsigned long long)(values[l] >> 64),
	        (unsigned long long)values[l], (unsigned long long)(value >> 64), (unsigned long long)value);
	abort();
}

// --- entries from instrumented code ----------------------------------------------

static inline __attribute__((always_inline)) label binary(uint32_t op, label la, label lb, eval_value a, eval_value b,
                                                          eval_value r)
{
	if (!rt_on || !(la | lb))
		return 0;
	unsigned width = op >> 8 & 0x7fffff, code = op & 0xff;
	rt_expect(la, a, "in an operand");
	rt_expect(lb, b, "in an operand");
	if (!la)
		la = rt_constant(width, a);
	if (!lb)
		lb = rt_constant(width, b);
	if (!la || !lb)
		return 0;
	label l = rt_binary(code, width, la, lb);
	if (l && op >> 31)
		l = rt_unary(OP_NOT, rt_width(l), l);
	rt_expect(l, r, "in a result");
	return l;
}

RT_SLOW uint32_t __veer_t_binary(uint32_t op, uint32_t la, uint32_t lb, uint64_t a, uint64_t b, uint64_t r)
{
	return binary(op, la, lb, a, b, r);
}

RT_SLOW uint32_t __veer_t_binary_wide(uint32_t op, uint32_t la, uint32_t lb, uint64_t a, uint64_t a_high, uint64_t b,
                                      uint64_t b_high, uint64_t r, uint64_t r_high)
{
	return binary(op, la, lb, (eval_value)a_high << 64 | a, (eval_value)b_high << 64 | b,
	              (eval_value)r_high << 64 | r);
}

RT_SLOW uint32_t __veer_t_unary(uint32_t op, uint32_t la, uint64_t r_low, uint64_t r_high)
{
	if (!rt_on || !la)
		return 0;
	label l = rt_unary(op & 0xff, op >> 8, la);
	rt_expect(l, (eval_value)r_high << 64 | r_low, "in a result");
	return l;
}

label rt_function(unsigned function, unsigned width, unsigned n, const label *l, const eval_value *v)
{
	label all[3] = {0}, any = 0;
	for (unsigned i = 0; i < n; i++)
		any |= l[i];
	for (unsigned i = 0; any && i < n; i++)
		if (!(all[i] = l[i] ? l[i] : rt_constant(width, v[i])))
			return 0;
	if (!any || !rt_on)
		return 0;
	switch (n) {
	case 1: return rt_node(OP_FCALL, width, all[0], function, 0);
	case 2: return rt_node(OP_FCALL2, width, all[0], all[1], function);
	default: return rt_node(OP_FMA, width, all[0], all[1], all[2]);
	}
}

RT_SLOW uint32_t __veer_t_function(uint32_t code, uint32_t la, uint32_t lb, uint32_t lc, uint64_t a, uint64_t a_high,
                                   uint64_t b, uint64_t b_high, uint64_t c, uint64_t c_high, uint64_t r,
                                   uint64_t r_high)
{
	const label l[] = {la, lb, lc};
	const eval_value v[] = {(eval_value)a_high << 64 | a, (eval_value)b_high << 64 | b,
	                        (eval_value)c_high << 64 | c};
	if (!rt_on || !(la | lb | lc))
		return 0;
	for (unsigned i = 0; i < code >> 16; i++)
		rt_expect(l[i], v[i], "in an operand");
	label made = rt_function(code & 0xff, code >> 8 & 0xff, code >> 16, l, v);
	rt_expect(made, (eval_value)r_high << 64 | r, "in the result of a function");
	return made;
}

RT_SLOW uint32_t __veer_t_extract(uint32_t la, uint32_t low, uint32_t width, uint64_t r_low, uint64_t r_high)
{
	if (!rt_on || !la)
		return 0;
	label l = rt_extract(la, low, width);
	rt_expect(l, (eval_value)r_high << 64 | r_low, "in an extract");
	return l;
}

// `part` replaces the bits of `whole` from `low` on; widths: of whole, of part << 16.
RT_SLOW uint32_t __veer_t_insert(uint32_t whole, uint32_t part, uint32_t low, uint32_t widths, uint64_t whole_low,
                                 uint64_t whole_high, uint64_t part_value)
{
	if (!rt_on || !(whole | part))
		return 0;
	unsigned width = widths & 0xffff, part_width = widths >> 16;
	if (!whole)
		whole = rt_constant(width, (eval_value)whole_high << 64 | whole_low);
	if (!part)
		part = rt_constant(part_width, part_value);
	if (!whole || !part)
		return 0;
	label l = part;
	if (low)
		l = rt_concat(l, rt_extract(whole, 0, low));
	if (l && low + part_width < width)
		l = rt_concat(rt_extract(whole, low + part_width, width - low - part_width), l);
	return l;
}

RT_SLOW uint32_t __veer_t_select(struct site *site, uint32_t condition, uint32_t la, uint32_t lb, uint32_t width,
                                 uint32_t taken, uint64_t a, uint64_t a_high, uint64_t b, uint64_t b_high)
{
	if (!rt_on)
		return 0;
	if (!condition)
		return taken ? la : lb;
	if (site) // else it is not the program's own
		rt_select(site, condition, taken);
	eval_value va = (eval_value)a_high << 64 | a, vb = (eval_value)b_high << 64 | b;
	rt_expect(la, va, "in a select");
	rt_expect(lb, vb, "in a select");
	if (!la)
		la = rt_constant(width, va);
	if (!lb)
		lb = rt_constant(width, vb);
	if (!la || !lb || la == lb)
		return la == lb && rt_nodes[la].op != OP_CONST ? la : 0;
	label l = rt_node(OP_ITE, width, condition, la, lb);
	rt_expect(l, taken ? va : vb, "in a select");
	return l;
}

// base + index * scale, 64 bits wide.
RT_SLOW uint32_t __veer_t_address(uint32_t base, uint32_t index, uint64_t base_value, uint64_t index_value,
                                  uint64_t scale)
{
	if (!rt_on || !(base | index))
		return 0;
	label offset = index;
	if (index && scale != 1) {
		label factor = rt_constant(64, scale);
		offset = factor ? rt_binary(OP_MUL, 64, index, factor) : 0;
	}
	uint64_t offset_value = index_value * scale;
	if (!base && !offset)
		return 0;
	return binary(OP_ADD | 64 << 8, base, offset, base_value, offset_value, base_value + offset_value);
}

RT_SLOW uint32_t __veer_t_offset(uint32_t l, uint64_t value, uint64_t offset)
{
	return binary(OP_ADD | 64 << 8, l, 0, value, offset, value + offset);
}
