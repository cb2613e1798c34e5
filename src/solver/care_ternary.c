// Don't-care analysis on the graph. Justification follows reasons from the conditions
// down to inputs; ternary simulation sets inputs to "unknown" and looks whether the
// conditions stay known.
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "solver/care_slice.h"

// --- the cone ----------------------------------------------------------------------------------

// The part of the graph below the roots, by itself: node 0 is unused, and an input's b is its bit of the
// slice. Operands first.
struct cone {
	struct aig_node *nodes;
	uint8_t *values; // under the assignment
	uint32_t n, max;
	aig_lit *roots;
};

struct making {
	struct cone *cone;
	const struct care_slice *slice;
	uint32_t *local;  // per node of the graph: its number in the cone
	uint32_t *origin; // and back
	uint32_t *stack, max_stack;
};

static uint32_t push(struct making *m, uint32_t depth, uint32_t node)
{
	if (m->local[node])
		return depth;
	vec_room(m->stack, depth + 1, m->max_stack);
	m->stack[depth] = node;
	return depth + 1;
}

static aig_lit local(const struct making *m, aig_lit l)
{
	return 2 * m->local[l >> 1] | (l & 1);
}

static bool is_true(const struct cone *c, aig_lit l)
{
	return c->values[l >> 1] ^ (l & 1);
}

static void add_node(struct making *m, uint32_t node)
{
	struct cone *c = m->cone;
	if (c->n == c->max) {
		c->max = (uint32_t)vec_capacity(c->n + 1, c->max, sizeof *c->nodes);
		c->nodes = mem_resize(c->nodes, c->max * sizeof *c->nodes);
		c->values = mem_resize(c->values, c->max);
		m->origin = mem_resize(m->origin, c->max * sizeof *m->origin);
	}
	const struct aig_node *n = &m->slice->aig->nodes[node];
	uint32_t at = c->n++;
	m->local[node] = at;
	m->origin[at] = node;
	if (n->a == AIG_INPUT) {
		c->nodes[at] = (struct aig_node){AIG_INPUT, care_bit_of(m->slice, n->b)};
		c->values[at] = m->slice->bytes[n->b / 8] >> n->b % 8 & 1;
		return;
	}
	c->nodes[at] = (struct aig_node){local(m, n->a), local(m, n->b)};
	c->values[at] = is_true(c, c->nodes[at].a) && is_true(c, c->nodes[at].b);
}

static void add_cone(struct making *m, uint32_t node)
{
	for (uint32_t depth = push(m, 0, node); depth;) {
		uint32_t top = m->stack[depth - 1], deeper = depth;
		const struct aig_node *n = &m->slice->aig->nodes[top];
		if (!m->local[top] && n->a != AIG_INPUT) {
			deeper = push(m, deeper, n->a >> 1);
			deeper = push(m, deeper, n->b >> 1);
		}
		if (deeper > depth) {
			depth = deeper;
			continue;
		}
		depth--;
		if (!m->local[top])
			add_node(m, top);
	}
}

static void cover_graph(struct care_scratch *s, const struct aig *g)
{
	if (s->n >= g->max)
		return;
	vec_cover(s->numbers, s->n, g->max);
	s->n = g->max;
}

static void cone_make(struct cone *c, const struct care_slice *s)
{
	cover_graph(s->scratch, s->aig);
	*c = (struct cone){.n = 1, .max = 1024};
	c->nodes = mem_alloc(c->max * sizeof *c->nodes);
	c->values = mem_zero(c->max);
	c->roots = mem_alloc(s->n_roots * sizeof *c->roots);
	struct making m = {.cone = c, .slice = s, .local = s->scratch->numbers};
	m.origin = mem_alloc(c->max * sizeof *m.origin);
	for (uint32_t i = 0; i < s->n_roots; i++) {
		add_cone(&m, s->roots[i] >> 1);
		c->roots[i] = local(&m, s->roots[i]);
		assert(is_true(c, c->roots[i]));
	}
	for (uint32_t i = 1; i < c->n; i++)
		m.local[m.origin[i]] = 0;
	mem_free(m.origin);
	mem_free(m.stack);
}

static void cone_release(struct cone *c)
{
	mem_free(c->nodes);
	mem_free(c->values);
	mem_free(c->roots);
	*c = (struct cone){0};
}

// --- justification -----------------------------------------------------------------------------

struct justification {
	const struct cone *cone;
	uint32_t *cost; // per node: bits that it takes to justify its value, counted for each use
	bool *needed;
};

static uint32_t sum(uint32_t a, uint32_t b)
{
	return a + b < a ? UINT32_MAX : a + b;
}

static void find_costs(struct justification *j, const uint8_t *anyway)
{
	const struct cone *c = j->cone;
	for (uint32_t i = 1; i < c->n; i++) {
		const struct aig_node *n = &c->nodes[i];
		if (n->a == AIG_INPUT) {
			j->cost[i] = !(anyway[n->b / 8] >> n->b % 8 & 1);
			continue;
		}
		uint32_t a = j->cost[n->a >> 1], b = j->cost[n->b >> 1];
		if (c->values[i])
			j->cost[i] = sum(a, b);
		else if (is_true(c, n->a))
			j->cost[i] = b;
		else
			j->cost[i] = is_true(c, n->b) || a < b ? a : b;
	}
}

// A node that is false needs one operand that is: one that is needed already, or the cheaper one.
static aig_lit choose(const struct justification *j, const struct aig_node *n)
{
	const struct cone *c = j->cone;
	if (is_true(c, n->a))
		return n->b;
	if (is_true(c, n->b))
		return n->a;
	bool a = j->needed[n->a >> 1], b = j->needed[n->b >> 1];
	if (a != b)
		return a ? n->a : n->b;
	return j->cost[n->a >> 1] < j->cost[n->b >> 1] ? n->a : n->b;
}

// Users first, so that a node is known to be needed when its turn comes.
static void justify(struct justification *j, uint8_t *ret_bits)
{
	const struct cone *c = j->cone;
	for (uint32_t i = c->n; i-- > 1;) {
		const struct aig_node *n = &c->nodes[i];
		if (!j->needed[i])
			continue;
		if (n->a == AIG_INPUT) {
			ret_bits[n->b / 8] |= (uint8_t)(1u << n->b % 8);
		} else if (c->values[i]) {
			j->needed[n->a >> 1] = j->needed[n->b >> 1] = true;
		} else {
			j->needed[choose(j, n) >> 1] = true;
		}
	}
}

static void justify_cone(struct care_slice *s, const struct cone *c)
{
	struct justification j = {.cone = c};
	j.cost = mem_zero(c->n * sizeof *j.cost);
	j.needed = mem_zero(c->n * sizeof *j.needed);
	uint8_t *bits = mem_zero(s->n), *anyway = mem_zero(s->n);
	for (uint32_t i = 0; i < s->n; i++)
		anyway[i] = care_complete(&s->open[i], 0, 0xff);
	find_costs(&j, anyway);
	for (uint32_t i = 0; i < s->n_roots; i++)
		j.needed[c->roots[i] >> 1] = true;
	justify(&j, bits);
	for (uint32_t i = 0; i < s->n; i++)
		s->care[i] = care_complete(&s->open[i], bits[i], s->care[i]);
	mem_free(j.cost);
	mem_free(j.needed);
	mem_free(bits);
	mem_free(anyway);
}

void care_justify(struct care_slice *s)
{
	struct cone c;
	cone_make(&c, s);
	justify_cone(s, &c);
	cone_release(&c);
}

// --- ternary simulation ------------------------------------------------------------------------

enum { UNKNOWN_VALUE = 2 };

// n is (s ? t : e): known also when s is not, but t and e are the same.
struct choice {
	aig_lit t, e; // 0: n is not of that kind
};

struct ternary {
	struct care_slice *slice;
	const struct cone *cone;
	uint8_t *values;
	struct choice *choices;
	bool *is_root;
	uint32_t *first_user, *users; // those of node i: users[first_user[i]] up to the next one's
	uint32_t *input;              // per bit of the slice: its node; 0: none
	uint32_t *changed, n_changed; // in this attempt; also what is still to be passed on
};

static unsigned ternary_value(const struct ternary *t, aig_lit l)
{
	unsigned v = t->values[l >> 1];
	return v == UNKNOWN_VALUE ? v : v ^ (l & 1);
}

static bool is_known(const struct ternary *t, uint32_t i)
{
	const struct aig_node *n = &t->cone->nodes[i];
	unsigned a = ternary_value(t, n->a), b = ternary_value(t, n->b);
	if (!a || !b || (a != UNKNOWN_VALUE && b != UNKNOWN_VALUE))
		return true;
	const struct choice *c = &t->choices[i];
	return c->t && ternary_value(t, c->t) != UNKNOWN_VALUE && ternary_value(t, c->t) == ternary_value(t, c->e);
}

static void set_unknown(struct ternary *t, uint32_t node)
{
	t->values[node] = UNKNOWN_VALUE;
	t->changed[t->n_changed++] = node;
}

static void take_back(struct ternary *t)
{
	for (uint32_t i = 0; i < t->n_changed; i++)
		t->values[t->changed[i]] = t->cone->values[t->changed[i]];
	t->n_changed = 0;
}

// Sets bits of a variable to unknown if the conditions stay known. Values only ever become unknown, so
// the order in which that is passed on does not matter; nor does it help to try again later what failed.
static bool try_open(struct ternary *t, uint32_t place, uint8_t bits)
{
	struct care_slice *s = t->slice;
	if (!care_suffices(s, place, s->care[place] & (uint8_t)~bits))
		return false;
	t->n_changed = 0;
	for (unsigned bit = 0; bit < 8; bit++)
		if (bits >> bit & 1 && t->input[8 * place + bit])
			set_unknown(t, t->input[8 * place + bit]);
	for (uint32_t i = 0; i < t->n_changed; i++) {
		uint32_t node = t->changed[i];
		if (t->is_root[node]) {
			take_back(t);
			return false;
		}
		for (uint32_t k = t->first_user[node]; k < t->first_user[node + 1]; k++)
			if (t->values[t->users[k]] != UNKNOWN_VALUE && !is_known(t, t->users[k]))
				set_unknown(t, t->users[k]);
	}
	s->care[place] &= (uint8_t)~bits;
	return true;
}

// The nodes whose value a node can change; each choice depends on what it chooses from, too.
static unsigned operands(const struct ternary *t, uint32_t i, uint32_t *ret)
{
	const struct aig_node *n = &t->cone->nodes[i];
	const struct choice *c = &t->choices[i];
	if (n->a == AIG_INPUT)
		return 0;
	ret[0] = n->a >> 1;
	ret[1] = n->b >> 1;
	if (!c->t)
		return 2;
	ret[2] = c->t >> 1;
	ret[3] = c->e >> 1;
	return 4;
}

static void find_users(struct ternary *t)
{
	uint32_t n = t->cone->n, in[4];
	t->first_user = mem_zero((n + 2) * sizeof *t->first_user);
	for (uint32_t i = 1; i < n; i++)
		for (unsigned k = operands(t, i, in); k-- > 0;)
			t->first_user[in[k] + 2]++;
	for (uint32_t i = 2; i < n + 2; i++)
		t->first_user[i] += t->first_user[i - 1];
	t->users = mem_alloc((t->first_user[n + 1] + 1) * sizeof *t->users);
	for (uint32_t i = 1; i < n; i++)
		for (unsigned k = operands(t, i, in); k-- > 0;)
			t->users[t->first_user[in[k] + 1]++] = i;
}

static void ternary_init(struct ternary *t, struct care_slice *s, const struct cone *c)
{
	*t = (struct ternary){.slice = s, .cone = c};
	t->values = mem_alloc(c->n);
	memcpy(t->values, c->values, c->n);
	t->choices = mem_zero(c->n * sizeof *t->choices);
	t->is_root = mem_zero(c->n * sizeof *t->is_root);
	t->input = mem_zero(8 * s->n * sizeof *t->input);
	t->changed = mem_alloc(c->n * sizeof *t->changed);
	for (uint32_t i = 1; i < c->n; i++) {
		aig_lit select;
		if (c->nodes[i].a == AIG_INPUT)
			t->input[c->nodes[i].b] = i;
		else if (!aig_find_mux(c->nodes, i, &select, &t->choices[i].t, &t->choices[i].e))
			t->choices[i] = (struct choice){0};
	}
	for (uint32_t i = 0; i < s->n_roots; i++)
		t->is_root[c->roots[i] >> 1] = true;
	find_users(t);
}

static void ternary_release(struct ternary *t)
{
	mem_free(t->values);
	mem_free(t->choices);
	mem_free(t->is_root);
	mem_free(t->input);
	mem_free(t->changed);
	mem_free(t->first_user);
	mem_free(t->users);
}

// Bytes, then bits: a byte less is worth more than a few bits. What justification left out can be opened
// at once; it is a proof of its own.
static void search(struct ternary *t)
{
	struct care_slice *s = t->slice;
	uint8_t *justified = mem_alloc(s->n);
	memcpy(justified, s->care, s->n);
	justify_cone(s, t->cone);
	for (uint32_t i = 0; i < s->n; i++) {
		uint8_t bits = justified[i] & (uint8_t)~s->care[i];
		s->care[i] = justified[i];
		bool opened = try_open(t, i, bits);
		assert(opened);
		(void)opened;
	}
	mem_free(justified);
	for (uint32_t i = s->n; i-- > 0 && !solver_out_of_time(s->env);)
		if (s->care[i])
			try_open(t, i, s->care[i]);
	for (uint32_t i = s->n; i-- > 0 && !solver_out_of_time(s->env);)
		for (unsigned bit = 8; bit-- > 0;)
			if (s->care[i] >> bit & 1)
				try_open(t, i, (uint8_t)(1u << bit));
}

void care_ternary(struct care_slice *s)
{
	struct cone c;
	struct ternary t;
	cone_make(&c, s);
	ternary_init(&t, s, &c);
	search(&t);
	ternary_release(&t);
	cone_release(&c);
}
