#include "solver/cnf.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

enum { POSITIVE = 1, NEGATIVE = 2, BOTH = 3 };
enum { LARGEST_AND = 64 };

void cnf_init(struct cnf *c, const struct aig *g)
{
	*c = (struct cnf){.aig = g};
}

void cnf_release(struct cnf *c)
{
	mem_free(c->slot_of);
	mem_free(c->nodes);
	mem_free(c->values);
	mem_free(c->needed);
	mem_free(c->uses);
	mem_free(c->vars);
	mem_free(c->roots);
	mem_free(c->met);
	mem_free(c->clauses);
	mem_free(c->stack);
	*c = (struct cnf){0};
}

static void clear(struct cnf *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		c->slot_of[c->nodes[i]] = 0;
	c->n = c->n_roots = c->n_clauses = 0;
	c->n_vars = 0;
	if (c->n_slot_of >= c->aig->max)
		return;
	c->slot_of = mem_resize(c->slot_of, c->aig->max * sizeof *c->slot_of);
	memset(c->slot_of + c->n_slot_of, 0, (c->aig->max - c->n_slot_of) * sizeof *c->slot_of);
	c->n_slot_of = c->aig->max;
}

// --- the cone ----------------------------------------------------------------------------------

static uint32_t slot(const struct cnf *c, aig_lit l)
{
	return c->slot_of[l >> 1] - 1;
}

static bool value(const struct cnf *c, aig_lit l)
{
	return c->values[slot(c, l)] ^ (l & 1);
}

static void add_node(struct cnf *c, uint32_t node, const uint8_t *seed)
{
	if (c->n == c->max) {
		c->max = c->max ? 2 * c->max : 1024;
		c->nodes = mem_resize(c->nodes, c->max * sizeof *c->nodes);
		c->values = mem_resize(c->values, c->max);
		c->needed = mem_resize(c->needed, c->max);
		c->uses = mem_resize(c->uses, c->max * sizeof *c->uses);
		c->vars = mem_resize(c->vars, c->max * sizeof *c->vars);
	}
	const struct aig_node *n = &c->aig->nodes[node];
	uint32_t i = c->n++;
	c->nodes[i] = node;
	c->needed[i] = 0;
	c->uses[i] = 0;
	c->vars[i] = 0;
	c->slot_of[node] = i + 1;
	if (n->a == AIG_INPUT) {
		c->values[i] = seed[n->b / 8] >> n->b % 8 & 1;
		return;
	}
	c->values[i] = value(c, n->a) && value(c, n->b);
	c->uses[slot(c, n->a)]++;
	c->uses[slot(c, n->b)]++;
}

static uint32_t push(struct cnf *c, uint32_t depth, uint32_t node)
{
	if (c->slot_of[node])
		return depth;
	if (depth == c->max_stack) {
		c->max_stack = c->max_stack ? 2 * c->max_stack : 1024;
		c->stack = mem_resize(c->stack, c->max_stack * sizeof *c->stack);
	}
	c->stack[depth] = node;
	return depth + 1;
}

static void add_cone(struct cnf *c, uint32_t node, const uint8_t *seed)
{
	for (uint32_t depth = push(c, 0, node); depth;) {
		uint32_t top = c->stack[depth - 1], deeper = depth;
		const struct aig_node *n = &c->aig->nodes[top];
		if (!c->slot_of[top] && n->a != AIG_INPUT) {
			deeper = push(c, deeper, n->a >> 1);
			deeper = push(c, deeper, n->b >> 1);
		}
		if (deeper > depth) {
			depth = deeper;
			continue;
		}
		depth--;
		if (!c->slot_of[top])
			add_node(c, top, seed);
	}
}

// Until the cone is made, slot_of says which literals of a node were met as roots.
static bool is_new_root(struct cnf *c, aig_lit l)
{
	uint32_t *met = &c->slot_of[l >> 1], bit = 1u << (l & 1);
	if (*met & bit)
		return false;
	if (!*met) {
		if (c->n_met == c->max_met) {
			c->max_met = c->max_met ? 2 * c->max_met : 64;
			c->met = mem_resize(c->met, c->max_met * sizeof *c->met);
		}
		c->met[c->n_met++] = l >> 1;
	}
	*met |= bit;
	return true;
}

static void push_root(struct cnf *c, aig_lit root)
{
	if (!is_new_root(c, root))
		return;
	if (c->n_roots == c->max_roots) {
		c->max_roots = c->max_roots ? 2 * c->max_roots : 64;
		c->roots = mem_resize(c->roots, c->max_roots * sizeof *c->roots);
	}
	c->roots[c->n_roots++] = root;
}

// A root that is a conjunction is several roots. Each once: conjunctions share parts, and as
// a tree they can be exponentially large.
static void add_root(struct cnf *c, aig_lit root)
{
	uint32_t todo = c->n_roots;
	push_root(c, root);
	while (todo < c->n_roots) {
		aig_lit l = c->roots[todo];
		const struct aig_node *n = &c->aig->nodes[l >> 1];
		if ((l & 1) || n->a == AIG_INPUT) {
			todo++;
			continue;
		}
		c->roots[todo] = c->roots[--c->n_roots];
		push_root(c, n->a);
		push_root(c, n->b);
	}
}

static void forget_met(struct cnf *c)
{
	for (uint32_t i = 0; i < c->n_met; i++)
		c->slot_of[c->met[i]] = 0;
	c->n_met = 0;
}

// --- gates -------------------------------------------------------------------------------------

// The operands of a conjunction of several, through ANDs that nothing else uses.
static unsigned gather(const struct cnf *c, const struct aig_node *n, aig_lit *out)
{
	unsigned count = 2, i = 0;
	out[0] = n->a;
	out[1] = n->b;
	while (i < count) {
		const struct aig_node *x = &c->aig->nodes[out[i] >> 1];
		if ((out[i] & 1) || x->a == AIG_INPUT || c->uses[slot(c, out[i])] > 1 || count == LARGEST_AND) {
			i++;
			continue;
		}
		out[i] = x->a;
		out[count++] = x->b;
	}
	return count;
}

static void need(struct cnf *c, aig_lit l, uint8_t directions)
{
	if (l & 1)
		directions = (uint8_t)((directions & POSITIVE) << 1 | directions >> 1);
	c->needed[slot(c, l)] |= directions;
}

// What is needed of a node's operands, when all that use the node are done.
static void need_operands(struct cnf *c, uint32_t i)
{
	const struct aig_node *n = &c->aig->nodes[c->nodes[i]];
	aig_lit s, t, e, in[LARGEST_AND];
	if (aig_find_mux(c->aig->nodes, c->nodes[i], &s, &t, &e)) {
		need(c, s, BOTH);
		need(c, t, t == (e ^ 1) ? BOTH : c->needed[i]);
		need(c, e, t == (e ^ 1) ? BOTH : c->needed[i]);
		return;
	}
	unsigned count = gather(c, n, in);
	for (unsigned k = 0; k < count; k++)
		need(c, in[k], c->needed[i]);
}

// --- clauses -----------------------------------------------------------------------------------

static void add(struct cnf *c, int literal)
{
	if (c->n_clauses == c->max_clauses) {
		c->max_clauses = c->max_clauses ? 2 * c->max_clauses : 4096;
		c->clauses = mem_resize(c->clauses, c->max_clauses * sizeof *c->clauses);
	}
	c->clauses[c->n_clauses++] = literal;
}

static int literal(const struct cnf *c, aig_lit l)
{
	uint32_t i = slot(c, l);
	assert(c->vars[i]);
	return value(c, l) ? -c->vars[i] : c->vars[i];
}

static void clause3(struct cnf *c, int x, int y, int z)
{
	add(c, x);
	add(c, y);
	add(c, z);
	add(c, 0);
}

static void define_mux(struct cnf *c, uint8_t directions, int o, int s, int t, int e)
{
	if (directions & POSITIVE) {
		clause3(c, -o, -s, t);
		clause3(c, -o, s, e);
	}
	if (directions & NEGATIVE) {
		clause3(c, o, -s, -t);
		clause3(c, o, s, -e);
	}
}

static void define_and(struct cnf *c, uint8_t directions, int o, const aig_lit *in, unsigned count)
{
	for (unsigned k = 0; directions & POSITIVE && k < count; k++) {
		add(c, -o);
		add(c, literal(c, in[k]));
		add(c, 0);
	}
	if (!(directions & NEGATIVE))
		return;
	add(c, o);
	for (unsigned k = 0; k < count; k++)
		add(c, -literal(c, in[k]));
	add(c, 0);
}

static void define(struct cnf *c, uint32_t i)
{
	const struct aig_node *n = &c->aig->nodes[c->nodes[i]];
	aig_lit s, t, e, in[LARGEST_AND];
	int o = literal(c, 2 * c->nodes[i]);
	if (aig_find_mux(c->aig->nodes, c->nodes[i], &s, &t, &e)) {
		define_mux(c, c->needed[i], o, literal(c, s), literal(c, t), literal(c, e));
		return;
	}
	unsigned count = gather(c, n, in);
	define_and(c, c->needed[i], o, in, count);
}

bool cnf_make(struct cnf *c, const aig_lit *roots, uint32_t n, const uint8_t *seed)
{
	bool holds = true;
	clear(c);
	for (uint32_t i = 0; i < n; i++) {
		assert(roots[i] > AIG_TRUE);
		add_root(c, roots[i]);
	}
	forget_met(c);
	for (uint32_t i = 0; i < c->n_roots; i++) {
		add_cone(c, c->roots[i] >> 1, seed);
		c->uses[slot(c, c->roots[i])]++;
		holds &= value(c, c->roots[i]);
		need(c, c->roots[i], POSITIVE);
	}
	for (uint32_t i = c->n; i-- > 0;) // users stand behind what they use
		if (c->needed[i]) {
			c->vars[i] = ++c->n_vars;
			if (!aig_is_input(c->aig, c->nodes[i]))
				need_operands(c, i);
		}
	for (uint32_t i = 0; i < c->n_roots; i++) {
		add(c, literal(c, c->roots[i]));
		add(c, 0);
	}
	for (uint32_t i = 0; i < c->n; i++)
		if (c->needed[i] && !aig_is_input(c->aig, c->nodes[i]))
			define(c, i);
	return holds;
}
