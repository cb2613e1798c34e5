#include "solver/cnf.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

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
	mem_free(c->known);
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
	vec_cover(c->slot_of, c->n_slot_of, c->aig->max);
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
		c->max = (uint32_t)vec_capacity(c->n + 1, c->max, sizeof *c->nodes);
		c->nodes = mem_resize(c->nodes, c->max * sizeof *c->nodes);
		c->values = mem_resize(c->values, c->max);
		c->needed = mem_resize(c->needed, c->max);
		c->known = mem_resize(c->known, c->max);
		c->uses = mem_resize(c->uses, c->max * sizeof *c->uses);
		c->vars = mem_resize(c->vars, c->max * sizeof *c->vars);
	}
	assert(!c->slot_of[node]);
	const struct aig_node *n = &c->aig->nodes[node];
	uint32_t i = c->n++;
	c->nodes[i] = node;
	c->needed[i] = 0;
	c->known[i] = CNF_OPEN;
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
	vec_room(c->stack, depth + 1, c->max_stack);
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
		vec_room(c->met, c->n_met + 1, c->max_met);
		c->met[c->n_met++] = l >> 1;
	}
	*met |= bit;
	return true;
}

static void push_root(struct cnf *c, aig_lit root)
{
	if (!is_new_root(c, root))
		return;
	vec_room(c->roots, c->n_roots + 1, c->max_roots);
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
	assert(!c->n); // slot_of has no slots yet
	for (uint32_t i = 0; i < c->n_met; i++)
		c->slot_of[c->met[i]] = 0;
	c->n_met = 0;
}

// --- propagation -------------------------------------------------------------------------------

static enum cnf_known known(const struct cnf *c, aig_lit l)
{
	enum cnf_known k = c->known[slot(c, l)];
	return k == CNF_OPEN ? k : (l & 1) ? CNF_IS_FALSE + CNF_IS_TRUE - k : k;
}

// Returns false at a contradiction.
static bool require(struct cnf *c, aig_lit l, bool truth, bool *changed)
{
	enum cnf_known was = known(c, l), is = truth ? CNF_IS_TRUE : CNF_IS_FALSE;
	if (was == CNF_OPEN) {
		c->known[slot(c, l)] = (uint8_t)((l & 1) ? CNF_IS_FALSE + CNF_IS_TRUE - is : is);
		*changed = true;
	}
	return was == CNF_OPEN || was == is;
}

// From what an AND is to its operands, and back.
static bool propagate_node(struct cnf *c, uint32_t i, bool *changed)
{
	const struct aig_node *n = &c->aig->nodes[c->nodes[i]];
	if (n->a == AIG_INPUT)
		return true;
	enum cnf_known a = known(c, n->a), b = known(c, n->b), self = c->known[i];
	if (self == CNF_IS_TRUE)
		return require(c, n->a, true, changed) && require(c, n->b, true, changed);
	if (a == CNF_IS_FALSE || b == CNF_IS_FALSE)
		return require(c, 2 * c->nodes[i], false, changed);
	if (a == CNF_IS_TRUE && b == CNF_IS_TRUE)
		return require(c, 2 * c->nodes[i], true, changed);
	if (self == CNF_IS_FALSE && a == CNF_IS_TRUE)
		return require(c, n->b, false, changed);
	if (self == CNF_IS_FALSE && b == CNF_IS_TRUE)
		return require(c, n->a, false, changed);
	return true;
}

static bool propagate(struct cnf *c)
{
	enum { ROUNDS = 16 };
	bool changed = true;
	for (uint32_t i = 0; i < c->n_roots; i++)
		if (!require(c, c->roots[i], true, &changed))
			return false;
	for (unsigned round = 0; changed && round < ROUNDS && !(c->stop && c->stop(c->opaque)); round++) {
		changed = false;
		for (uint32_t i = c->n; i-- > 0;)
			if (!propagate_node(c, i, &changed))
				return false;
		for (uint32_t i = 0; i < c->n; i++)
			if (!propagate_node(c, i, &changed))
				return false;
	}
	return true;
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
		if ((out[i] & 1) || x->a == AIG_INPUT || c->uses[slot(c, out[i])] > 1 || c->known[slot(c, out[i])] ||
		    count == LARGEST_AND) {
			i++;
			continue;
		}
		out[i] = x->a;
		out[count++] = x->b;
	}
	assert(count <= LARGEST_AND);
	return count;
}

static void need(struct cnf *c, aig_lit l, uint8_t directions)
{
	if (c->known[slot(c, l)])
		return;
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

enum { ALWAYS = INT_MAX }; // as a literal: true

// Clauses are written as they come; those that are true anyway are dropped at their end, and what is false
// is left out.
static void begin(struct cnf *c)
{
	assert(!c->n_clauses || !c->clauses[c->n_clauses - 1]); // the one before has ended
	c->clause_at = c->n_clauses;
	c->clause_true = false;
}

static void add(struct cnf *c, int literal)
{
	if (literal == ALWAYS)
		c->clause_true = true;
	if (literal == ALWAYS || literal == -ALWAYS)
		return;
	vec_room(c->clauses, c->n_clauses + 2, c->max_clauses); // this one, and the end
	c->clauses[c->n_clauses++] = literal;
}

static void end(struct cnf *c)
{
	if (c->clause_true)
		c->n_clauses = c->clause_at;
	else
		add(c, 0);
}

static int literal(const struct cnf *c, aig_lit l)
{
	uint32_t i = slot(c, l);
	enum cnf_known k = known(c, l);
	if (k)
		return k == CNF_IS_TRUE ? ALWAYS : -ALWAYS;
	assert(c->vars[i]);
	return value(c, l) ? -c->vars[i] : c->vars[i];
}

static void clause3(struct cnf *c, int x, int y, int z)
{
	begin(c);
	add(c, x);
	add(c, y);
	add(c, z);
	end(c);
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
		begin(c);
		add(c, -o);
		add(c, literal(c, in[k]));
		end(c);
	}
	if (!(directions & NEGATIVE))
		return;
	begin(c);
	add(c, o);
	for (unsigned k = 0; k < count; k++)
		add(c, -literal(c, in[k]));
	end(c);
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

// Whether a node has to be false, and nothing that is known makes it so.
static bool is_unjustified(const struct cnf *c, uint32_t i)
{
	const struct aig_node *n = &c->aig->nodes[c->nodes[i]];
	return c->known[i] == CNF_IS_FALSE && n->a != AIG_INPUT && known(c, n->a) != CNF_IS_FALSE &&
	       known(c, n->b) != CNF_IS_FALSE;
}

static void add_roots(struct cnf *c, const aig_lit *roots, uint32_t n, const uint8_t *seed)
{
	clear(c);
	for (uint32_t i = 0; i < n; i++) {
		assert(roots[i] > AIG_TRUE);
		add_root(c, roots[i]);
	}
	forget_met(c);
	for (uint32_t i = 0; i < c->n_roots; i++) {
		add_cone(c, c->roots[i] >> 1, seed);
		assert(c->slot_of[c->roots[i] >> 1]);
		c->uses[slot(c, c->roots[i])]++;
	}
}

static bool all_hold(const struct cnf *c)
{
	for (uint32_t i = 0; i < c->n_roots; i++)
		if (!value(c, c->roots[i]))
			return false;
	return true;
}

static void make_clauses(struct cnf *c)
{
	for (uint32_t i = 0; i < c->n_roots; i++)
		need(c, c->roots[i], POSITIVE);
	for (uint32_t i = c->n; i-- > 0;) { // users stand behind what they use
		if (is_unjustified(c, i))
			c->needed[i] = NEGATIVE;
		else if (c->needed[i])
			c->vars[i] = ++c->n_vars;
		if (c->needed[i] && !aig_is_input(c->aig, c->nodes[i]))
			need_operands(c, i);
	}
	for (uint32_t i = 0; i < c->n_roots; i++) {
		begin(c);
		add(c, literal(c, c->roots[i]));
		end(c);
	}
	for (uint32_t i = 0; i < c->n; i++)
		if (c->needed[i] && !aig_is_input(c->aig, c->nodes[i]))
			define(c, i);
}

bool cnf_make(struct cnf *c, const aig_lit *roots, uint32_t n, const uint8_t *seed)
{
	add_roots(c, roots, n, seed);
	make_clauses(c);
	return all_hold(c);
}

enum cnf_result cnf_make_reduced(struct cnf *c, const aig_lit *roots, uint32_t n, const uint8_t *seed)
{
	add_roots(c, roots, n, seed);
	if (all_hold(c))
		return CNF_HOLDS;
	if (!propagate(c))
		return CNF_CONTRADICTION;
	make_clauses(c);
	return CNF_CLAUSES;
}
