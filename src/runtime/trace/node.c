// Making nodes: hash-consed, with the simplifications that cost nothing. A result
// that does not depend on the input is no node: label 0.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

// A slot is a label, 0 when free. A node's first place is the group of eight slots
// that belongs to its younger operand: new nodes mostly refer to new nodes, so these
// groups, and the nodes in them, are in the cache. When the group is full, open
// addressing by the hash. Small slots matter more than telling nodes apart without
// looking at them: on large inputs most of the time goes into fresh memory.
static uint32_t *slots;
static size_t slots_cap;
static eval_value *values; // self-check: the value of each node

static uint32_t hash_node(const struct trace_node *n)
{
	uint64_t h = (uint64_t)n->a << 32 | n->b;
	h = (h ^ h >> 31) * 0xff51afd7ed558ccdu;
	h ^= (uint64_t)n->c << 32 | (uint32_t)n->width << 8 | n->op;
	h = (h ^ h >> 29) * 0xc4ceb9fe1a85ec53u;
	return (uint32_t)(h ^ h >> 32);
}

enum { GROUP = 8 };

static uint32_t *group_of(uint32_t *table, size_t cap, const struct trace_node *n)
{
	uint32_t near = n->op == OP_CONST ? n->b ^ n->c : n->op == OP_INPUT || n->a < n->b ? n->b : n->a;
	return table + ((near >> 2) & (cap / GROUP - 1)) * GROUP;
}

// Not the neighbour: full groups lie side by side, as many as there are numbers that the
// program counts with.
static size_t next_slot(size_t at, uint32_t hash, size_t cap)
{
	return (at + (hash >> 8 | 1)) & (cap - 1);
}

// The free slot where a node that is not in the table belongs.
static uint32_t *free_slot(uint32_t *table, size_t cap, const struct trace_node *n)
{
	uint32_t *group = group_of(table, cap, n);
	for (int i = 0; i < GROUP; i++)
		if (!group[i])
			return &group[i];
	uint32_t hash = hash_node(n);
	size_t at = hash & (cap - 1);
	while (table[at])
		at = next_slot(at, hash, cap);
	return &table[at];
}

static bool grow(void)
{
	size_t cap = slots_cap ? 2 * slots_cap : 1 << 14;
	uint32_t *bigger = rt_map_dense(cap * sizeof *bigger);
	if (!bigger)
		return false;
	for (uint32_t l = 1; l < rt_trace->nodes; l++)
		*free_slot(bigger, cap, &rt_nodes[l]) = l;
	if (slots)
		munmap(slots, slots_cap * sizeof *slots);
	slots = bigger;
	slots_cap = cap;
	return true;
}

static bool is_same(label l, const struct trace_node *n)
{
	const struct trace_node *x = &rt_nodes[l];
	return x->a == n->a && x->b == n->b && x->c == n->c && x->op == n->op && x->width == n->width;
}

// The node's label, or 0 with the slot where it belongs.
static label find(const struct trace_node *n, uint32_t **ret_free)
{
	uint32_t *group = group_of(slots, slots_cap, n);
	for (int i = 0; i < GROUP; i++) {
		if (!group[i]) {
			*ret_free = &group[i];
			return 0;
		}
		if (is_same(group[i], n))
			return group[i];
	}
	uint32_t hash = hash_node(n);
	size_t at = hash & (slots_cap - 1);
	for (; slots[at]; at = next_slot(at, hash, slots_cap))
		if (is_same(slots[at], n))
			return slots[at];
	*ret_free = &slots[at];
	return 0;
}

static label intern_alone(struct trace_node n, eval_value value)
{
	if (2 * (size_t)rt_trace->nodes >= slots_cap && !grow()) {
		rt_stop(0);
		return 0;
	}
	uint32_t *slot;
	label l = find(&n, &slot);
	if (l)
		return l;
	if (rt_trace->nodes >= rt_trace->nodes_max) {
		rt_stop(0);
		return 0;
	}
	l = rt_trace->nodes++;
	rt_nodes[l] = n;
	*slot = l;
	if (rt_check) {
		if (!values)
			values = rt_map((size_t)rt_trace->nodes_max * sizeof *values);
		values[l] = value;
	}
	return l;
}

static label intern(struct trace_node n, eval_value value)
{
	if (!rt_on || !rt_enter())
		return 0;
	label l = intern_alone(n, value);
	rt_leave();
	return l;
}

static eval_value evaluate(const struct trace_node *n)
{
	static const uint8_t operands[] = {
#define OP(NAME, operands, result, smt) operands,
#include "abi/ops.def"
#undef OP
	};
	unsigned count = operands[n->op];
	eval_value a = count > 0 ? values[n->a] : 0, b = count > 1 ? values[n->b] : 0, c = count > 2 ? values[n->c] : 0;
	return eval_node(n, count > 0 ? rt_width(n->a) : 0, a, b, c, count > 1 ? rt_width(n->b) : 0);
}

label rt_node(unsigned op, unsigned width, label a, label b, label c)
{
	struct trace_node n = {.op = (uint8_t)op, .width = (uint16_t)width, .a = a, .b = b, .c = c};
	return intern(n, rt_check && values ? evaluate(&n) : 0);
}

label rt_constant(unsigned width, eval_value value)
{
	if (width > 64) {
		label low = rt_constant(64, (uint64_t)value);
		return rt_concat(rt_constant(width - 64, value >> 64 & eval_mask(width - 64)), low);
	}
	value &= eval_mask(width);
	struct trace_node n = {
		.op = OP_CONST, .width = (uint16_t)width, .b = (uint32_t)value, .c = (uint32_t)(value >> 32)};
	return intern(n, value);
}

label rt_input_byte(uint32_t source, uint32_t offset, uint8_t value)
{
	struct trace_node n = {.op = OP_INPUT, .width = 8, .a = source, .b = offset};
	return intern(n, value);
}

label rt_lookup(label offset, uint32_t table, unsigned width, eval_value value)
{
	struct trace_node n = {.op = OP_LOOKUP, .width = (uint16_t)width, .a = offset, .b = table};
	return intern(n, value);
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

static bool is_comparison(unsigned op)
{
	return op >= OP_EQ && op <= OP_SLE;
}

static bool gives_bit(unsigned op)
{
	return is_comparison(op) || (op >= OP_UADDO && op <= OP_SMULO) || (op >= OP_FEQ && op <= OP_FUNO);
}

// x OP constant, where the result is x or does not depend on x. Returns true when
// *ret is the answer.
static bool with_constant(unsigned op, unsigned width, label x, uint64_t value, bool right, label *ret)
{
	bool all_ones = width <= 64 && value == (uint64_t)eval_mask(width);
	bool commutes = op == OP_ADD || op == OP_OR || op == OP_XOR || op == OP_AND || op == OP_MUL;
	if (!right && !commutes)
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

label rt_binary(unsigned op, unsigned width, label a, label b)
{
	uint64_t value;
	label r;
	if (width <= 64 && is_constant(b, &value) && with_constant(op, width, a, value, true, &r))
		return r;
	if (width <= 64 && is_constant(a, &value) && with_constant(op, width, b, value, false, &r))
		return r;
	if (width <= 64 && is_constant(b, &value) && fold_sum(op, width, a, value, &r))
		return r;
	if (width <= 64 && op == OP_ADD && is_constant(a, &value) && fold_sum(op, width, b, value, &r))
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
	return rt_node(op, gives_bit(op) ? 1 : width, a, b, 0);
}

// --- self-check ----------------------------------------------------------------

void rt_expect(label l, eval_value value, const char *where)
{
	if (!l || !rt_check || !values || !rt_on)
		return;
	rt_trace->checked++;
	value &= eval_mask(rt_width(l));
	if (values[l] == value)
		return;
	static const char *const names[] = {
#define OP(NAME, operands, result, smt) #NAME,
#include "abi/ops.def"
#undef OP
	};
	const struct trace_node *n = &rt_nodes[l];
	rt_note_mismatch();
	dprintf(2,
	        "veer: self-check failed %s: node %u (%s, %u bits, operands %u %u %u) is %llx:%llx, the program has "
	        "%llx:%llx; this is a bug in veer\n",
	        where, l, names[n->op], n->width, n->a, n->b, n->c, (unsigned long long)(values[l] >> 64),
	        (unsigned long long)values[l], (unsigned long long)(value >> 64), (unsigned long long)value);
	abort();
}

// --- entries from instrumented code ----------------------------------------------

static label binary(uint32_t op, label la, label lb, eval_value a, eval_value b, eval_value r)
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
	rt_event(EVENT_SELECT, site, condition, taken);
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
