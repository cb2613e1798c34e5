#include "expr/expr.h"

#include <assert.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "base/vec.h"
#include "expr/range.h"

// A node is found in the group of its youngest operand, in one of a few slots: nodes are mostly made, and looked for
// when another trace is read, soon after their operands, so that groups and the nodes in them are in the cache. A slot
// is an id and four bits of the node's hash, 0 when free. Nodes without operands, and those whose group is full, are
// in an ordinary hash table.
enum { GROUP = 8, OWNERS = 4 }; // slots of a group, nodes that share it
#define ID_MASK 0x0fffffffu

static size_t group_bytes(uint32_t max)
{
	return ((size_t)max / OWNERS + 1) * GROUP * sizeof(uint32_t);
}

void expr_pool_init(struct expr_pool *p)
{
	*p = (struct expr_pool){.n = 1, .max = 1024, .index_size = 4096};
	p->nodes = mem_zero(p->max * sizeof *p->nodes);
	p->only = mem_zero(p->max * sizeof *p->only);
	p->simple = mem_zero(p->max * sizeof *p->simple);
	p->groups = mem_zero(group_bytes(p->max));
	p->index = mem_zero(p->index_size * sizeof *p->index);
	p->ranges = range_cache_new();
}

void expr_pool_release(struct expr_pool *p)
{
	for (uint32_t i = 0; i < p->n_sources; i++) {
		mem_free(p->sources[i].name);
		mem_free(p->sources[i].label);
	}
	for (uint32_t i = 0; i < p->n_tables; i++) {
		mem_free(p->tables[i].bytes);
		mem_free(p->tables[i].exprs);
	}
	mem_free(p->nodes);
	mem_free(p->only);
	mem_free(p->simple);
	mem_free(p->groups);
	mem_free(p->index);
	mem_free(p->vars);
	mem_free(p->sources);
	mem_free(p->tables);
	mem_free(p->wide);
	range_cache_free(p->ranges);
	*p = (struct expr_pool){0};
}

size_t expr_pool_bytes(const struct expr_pool *p)
{
	size_t tables = 0;
	for (uint32_t i = 0; i < p->n_tables; i++)
		tables += p->tables[i].size * (p->tables[i].exprs ? 5u : 1u);
	return p->max * (sizeof *p->nodes + sizeof *p->only + sizeof *p->simple) + group_bytes(p->max) +
	       p->index_size * sizeof *p->index + p->max_vars * sizeof *p->vars + p->max_wide * sizeof *p->wide +
	       range_cache_bytes(p->ranges) + tables;
}

// --- hash-consing --------------------------------------------------------------------------------

static uint32_t hash(const struct expr_node *n)
{
	uint64_t h = (uint64_t)n->op << 16 | n->width;
	h = (h ^ n->a) * 0x9e3779b97f4a7c15u;
	h = (h ^ h >> 29 ^ n->b) * 0xbf58476d1ce4e5b9u;
	h = (h ^ h >> 32 ^ n->c) * 0x94d049bb133111ebu;
	return (uint32_t)(h >> 32);
}

static bool same(const struct expr_node *x, const struct expr_node *y)
{
	return x->op == y->op && x->width == y->width && x->a == y->a && x->b == y->b && x->c == y->c;
}

static void enlarge_index(struct expr_pool *p)
{
	uint32_t *old = p->index, old_size = p->index_size;
	p->index_size *= 2;
	p->index = mem_zero(p->index_size * sizeof *p->index);
	for (uint32_t i = 0; i < old_size; i++) {
		if (!old[i])
			continue;
		uint32_t at = hash(&p->nodes[old[i]]) & (p->index_size - 1);
		while (p->index[at])
			at = (at + 1) & (p->index_size - 1);
		p->index[at] = old[i];
	}
	mem_free(old);
}

// The slot that has the node, or the free one where it belongs.
static uint32_t *find_in_index(const struct expr_pool *p, const struct expr_node *n, uint32_t hash)
{
	uint32_t at = hash & (p->index_size - 1);
	while (p->index[at] && !same(&p->nodes[p->index[at]], n))
		at = (at + 1) & (p->index_size - 1);
	return &p->index[at];
}

static uint32_t youngest_operand(const struct expr_node *n)
{
	unsigned operands = op_operands(n->op);
	uint32_t youngest = operands ? n->a : 0;
	if (operands > 1 && n->b > youngest)
		youngest = n->b;
	return operands > 2 && n->c > youngest ? n->c : youngest;
}

// Likewise, in its group; NULL when that has neither.
static uint32_t *find_in_group(const struct expr_pool *p, const struct expr_node *n, uint32_t hash)
{
	uint32_t youngest = youngest_operand(n), *group = p->groups + (size_t)youngest / OWNERS * GROUP;
	for (int i = 0; youngest && i < GROUP; i++)
		if (!group[i] || ((group[i] ^ hash) <= ID_MASK && same(&p->nodes[group[i] & ID_MASK], n)))
			return &group[i];
	return NULL;
}

static uint32_t join_only(const struct expr_pool *p, uint32_t only, uint32_t id, bool first)
{
	if (expr_is_const(p, id))
		return only;
	return first || only == p->only[id] ? p->only[id] : EXPR_MANY;
}

// The only variable of a node, from its operands.
static uint32_t only_var(const struct expr_pool *p, const struct expr_node *n)
{
	const uint32_t operands[] = {n->a, n->b, n->c};
	uint32_t only = EXPR_MANY;
	bool first = true;
	for (unsigned i = 0; i < op_operands(n->op); i++) {
		only = join_only(p, only, operands[i], first);
		first = first && expr_is_const(p, operands[i]);
	}
	const struct expr_table *t = n->op == OP_LOOKUP ? &p->tables[n->b] : NULL;
	for (uint32_t i = 0; t && t->exprs && i < t->size; i++)
		if (t->exprs[i]) {
			only = join_only(p, only, t->exprs[i], first);
			first = first && expr_is_const(p, t->exprs[i]);
		}
	return only;
}

static uint8_t own_flags(const struct expr_node *n)
{
	if (!op_is_float(n->op))
		return 0;
	return op_is_opaque(n->op, n->b) ? EXPR_FLOAT | EXPR_LIBM : EXPR_FLOAT;
}

static uint8_t flags_of(const struct expr_pool *p, const struct expr_node *n)
{
	const uint32_t operands[] = {n->a, n->b, n->c};
	const uint8_t inherited = EXPR_FLOAT | EXPR_LIBM;
	uint8_t flags = own_flags(n);
	for (unsigned i = 0; i < op_operands(n->op); i++)
		flags |= p->nodes[operands[i]].flags & inherited;
	const struct expr_table *t = n->op == OP_LOOKUP ? &p->tables[n->b] : NULL;
	for (uint32_t i = 0; t && t->exprs && i < t->size; i++)
		flags |= p->nodes[t->exprs[i]].flags & inherited;
	return flags;
}

static void mark_operands(struct expr_pool *p, const struct expr_node *n)
{
	const uint32_t operands[] = {n->a, n->b, n->c};
	for (unsigned i = 0; n->op != OP_NOT && i < op_operands(n->op); i++) {
		uint8_t *flags = &p->nodes[operands[i]].flags;
		*flags |= *flags & EXPR_USED ? EXPR_SHARED : EXPR_USED;
	}
}

static void enlarge(struct expr_pool *p)
{
	size_t had = group_bytes(p->max);
	p->max *= 2;
	p->nodes = mem_resize(p->nodes, p->max * sizeof *p->nodes);
	p->only = mem_resize(p->only, p->max * sizeof *p->only);
	p->simple = mem_resize(p->simple, p->max * sizeof *p->simple);
	p->groups = mem_resize(p->groups, group_bytes(p->max));
	memset((char *)p->groups + had, 0, group_bytes(p->max) - had);
}

static uint32_t append(struct expr_pool *p, struct expr_node node)
{
	uint32_t id = p->n++;
	assert(id <= ID_MASK);
	node.flags = flags_of(p, &node);
	mark_operands(p, &node);
	p->nodes[id] = node;
	p->only[id] = only_var(p, &node);
	p->simple[id] = 0;
	return id;
}

static uint32_t add(struct expr_pool *p, struct expr_node node)
{
	if (p->n == p->max)
		enlarge(p);
	uint32_t h = hash(&node), *slot = find_in_group(p, &node, h);
	if (slot) {
		if (!*slot)
			*slot = append(p, node) | (h & ~ID_MASK);
		return *slot & ID_MASK;
	}
	slot = find_in_index(p, &node, h);
	if (*slot)
		return *slot;
	uint32_t id = *slot = append(p, node);
	if (2 * ++p->n_indexed > p->index_size)
		enlarge_index(p);
	return id;
}

// --- making --------------------------------------------------------------------------------------

static bool widths_fit(const struct expr_pool *p, unsigned op, unsigned width, uint32_t a, uint32_t b, uint32_t c)
{
	unsigned operands = op_operands(op);
	if (width == 0 || width > EXPR_WIDTH_MAX)
		return false;
	if (a >= p->n || (operands > 1 && b >= p->n) || (operands > 2 && c >= p->n))
		return false;
	unsigned wa = p->nodes[a].width, wb = operands > 1 ? p->nodes[b].width : 0;
	if ((op_result(op) == OP_RESULT_SAME && width != wa) || (op_gives_bit(op) && width != 1))
		return false;
	switch (op) {
	case OP_EXTRACT: return (uint64_t)b + width <= wa;
	case OP_CONCAT: return wa + wb == width;
	case OP_ITE: return wa == 1 && wb == width && p->nodes[c].width == width;
	case OP_ZEXT:
	case OP_SEXT: return wa < width;
	case OP_DECIMAL: return (wa == 64 || wa == 128) && wb == 64;
	case OP_DIGITS: return wb == 64;
	case OP_FCALL: return libm_operands(b) == 1;
	case OP_FCALL2: return wa == wb && libm_operands(c) == 2;
	case OP_FMA: return wa == wb && wa == p->nodes[c].width;
	default: return operands < 2 || wa == wb; // all others: operands alike
	}
}

uint32_t expr_make(struct expr_pool *p, unsigned op, unsigned width, uint32_t a, uint32_t b, uint32_t c)
{
	assert(op < OP_COUNT && op_operands(op) > 0 && op != OP_LOOKUP);
	assert(widths_fit(p, op, width, a, b, c));
	unsigned operands = op_operands(op);
	return add(p, (struct expr_node){.op = (uint8_t)op,
	                                 .width = (uint16_t)width,
	                                 .a = a,
	                                 .b = operands > 1 || op_extra(op) == OP_EXTRA_B ? b : 0,
	                                 .c = operands > 2 || op_extra(op) == OP_EXTRA_C ? c : 0});
}

static uint32_t wide_index(struct expr_pool *p, eval_value value)
{
	for (uint32_t i = p->n_wide; i-- > 0;) // few
		if (p->wide[i] == value)
			return i;
	vec_room(p->wide, p->n_wide + 1, p->max_wide);
	p->wide[p->n_wide] = value;
	return p->n_wide++;
}

uint32_t expr_const(struct expr_pool *p, unsigned width, eval_value value)
{
	assert(width > 0 && width <= EXPR_WIDTH_MAX);
	struct expr_node n = {.op = OP_CONST, .width = (uint16_t)width};
	value &= eval_mask(width);
	n.b = (uint32_t)value;
	n.c = (uint32_t)(value >> 32);
	if (width > 64)
		n.a = wide_index(p, value);
	return add(p, n);
}

eval_value expr_value(const struct expr_pool *p, uint32_t constant)
{
	const struct expr_node *n = &p->nodes[constant];
	assert(n->op == OP_CONST);
	return n->width > 64 ? p->wide[n->a] : n->b | (eval_value)n->c << 32;
}

uint32_t expr_input(struct expr_pool *p, uint32_t source, uint32_t offset)
{
	assert(source < p->n_sources);
	uint32_t before = p->n;
	uint32_t id = add(p, (struct expr_node){.op = OP_INPUT, .width = 8, .a = source, .b = offset});
	if (id < before)
		return id;
	vec_room(p->vars, p->n_vars + 1, p->max_vars);
	p->vars[p->n_vars] = (struct expr_var){.source = source, .offset = offset, .expr = id};
	p->only[id] = p->n_vars++;
	return id;
}

uint32_t expr_lookup(struct expr_pool *p, unsigned width, uint32_t offset, uint32_t table)
{
	assert(table < p->n_tables && width % 8 == 0 && width > 0 && width <= 64 && p->nodes[offset].width == 64);
	return add(p, (struct expr_node){.op = OP_LOOKUP, .width = (uint16_t)width, .a = offset, .b = table});
}

uint32_t expr_source(struct expr_pool *p, struct input_source source)
{
	assert(source.name && source.type.kind < INPUT_KINDS);
	for (uint32_t i = 0; i < p->n_sources; i++) {
		const struct expr_source *s = &p->sources[i];
		if (s->type.kind == source.type.kind && s->type.role == source.type.role &&
		    s->ordinal == source.ordinal && strcmp(s->name, source.name) == 0)
			return i;
	}
	size_t size = strlen(source.name) + INPUT_LABEL_MORE;
	char *label = mem_alloc(size);
	input_label(source, label, size);
	vec_room(p->sources, p->n_sources + 1, p->max_sources);
	p->sources[p->n_sources] = (struct expr_source){
		.type = source.type, .ordinal = source.ordinal, .name = mem_strdup(source.name), .label = label};
	return p->n_sources++;
}

uint32_t expr_table(struct expr_pool *p, const uint8_t *bytes, const uint32_t *exprs, uint32_t size)
{
	assert(bytes || !size);
	uint64_t h = XXH3_64bits(bytes, size);
	h = exprs ? XXH3_64bits_withSeed(exprs, 4 * (size_t)size, h) : h;
	for (uint32_t i = 0; i < p->n_tables; i++) {
		const struct expr_table *t = &p->tables[i];
		if (t->hash == h && t->size == size && memcmp(t->bytes, bytes, size) == 0 && !t->exprs == !exprs &&
		    (!exprs || memcmp(exprs, t->exprs, 4 * (size_t)size) == 0))
			return i;
	}
	vec_room(p->tables, p->n_tables + 1, p->max_tables);
	p->tables[p->n_tables] =
		(struct expr_table){.bytes = (uint8_t *)mem_copy(bytes, size),
	                            .exprs = exprs ? (uint32_t *)(void *)mem_copy(exprs, 4 * (size_t)size) : NULL,
	                            .size = size,
	                            .hash = h};
	return p->n_tables++;
}

uint32_t expr_not(struct expr_pool *p, uint32_t a)
{
	return expr_make(p, OP_NOT, p->nodes[a].width, a, 0, 0);
}

uint32_t expr_eq(struct expr_pool *p, uint32_t a, eval_value value)
{
	return expr_make(p, OP_EQ, 1, a, expr_const(p, p->nodes[a].width, value), 0);
}
