#include "marking/marking.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

static uint32_t n_edges(const struct marking_graph *g, uint32_t node)
{
	return g->first[node + 1] - g->first[node];
}

static uint32_t edge_to(const struct marking_graph *g, uint32_t node, uint32_t k)
{
	return g->to[g->first[node] + k];
}

// --- where they are ----------------------------------------------------------------------------

static void mark(struct marking *m, uint32_t node, enum shape_marker_kind kind)
{
	if (m->marker_of[node])
		return;
	m->v = mem_resize(m->v, (m->n + 1) * sizeof *m->v);
	m->v[m->n++] = (struct marking_point){.kind = kind, .node = node};
	m->marker_of[node] = m->n;
}

struct walk {
	uint32_t *stack, *next;
	uint8_t *state; // 1: on the stack, 2: done
	uint32_t at;    // where the order is filled in, from its end
	bool *loops;    // nodes that are heads of loops
};

// Who leads back to a node that is still on the stack makes it the head of a loop.
static void walk_from(struct marking *m, struct walk *w, uint32_t from)
{
	const struct marking_graph *g = m->graph;
	uint32_t depth = 0;
	if (w->state[from])
		return;
	w->stack[depth++] = from;
	w->state[from] = 1;
	while (depth) {
		uint32_t n = w->stack[depth - 1];
		if (g->computed[n] || w->next[n] == n_edges(g, n)) {
			m->order[--w->at] = n;
			m->place[n] = w->at;
			w->state[n] = 2;
			depth--;
			continue;
		}
		uint32_t to = edge_to(g, n, w->next[n]++);
		w->loops[to] |= w->state[to] == 1;
		if (w->state[to])
			continue;
		w->state[to] = 1;
		w->stack[depth++] = to;
	}
}

// Puts the nodes into reverse post order. Where a computed goto leads is a marker whatever else it is: no walk goes
// there, others begin there.
static void order_nodes(struct marking *m, bool *loops)
{
	const struct marking_graph *g = m->graph;
	struct walk w = {.stack = mem_zero(g->n * sizeof *w.stack),
	                 .next = mem_zero(g->n * sizeof *w.next),
	                 .state = mem_zero(g->n),
	                 .at = g->n,
	                 .loops = loops};
	walk_from(m, &w, 0);
	for (uint32_t n = 0; n < g->n; n++)
		for (uint32_t k = 0; k < n_edges(g, n) && g->computed[n]; k++)
			walk_from(m, &w, edge_to(g, n, k));
	assert(w.at == 0); // the graph has what can be reached only
	mem_free(w.stack);
	mem_free(w.next);
	mem_free(w.state);
}

void marking_begin(struct marking *ret, const struct marking_graph *graph, const bool *labels)
{
	*ret = (struct marking){.graph = graph,
	                        .order = mem_zero(graph->n * sizeof *ret->order),
	                        .place = mem_zero(graph->n * sizeof *ret->place),
	                        .marker_of = mem_zero(graph->n * sizeof *ret->marker_of)};
	bool *loops = mem_zero(graph->n * sizeof *loops), *computed = mem_zero(graph->n * sizeof *computed);
	order_nodes(ret, loops);
	for (uint32_t n = 0; n < graph->n; n++)
		for (uint32_t k = 0; k < n_edges(graph, n) && graph->computed[n]; k++)
			computed[edge_to(graph, n, k)] = true;
	mark(ret, 0, SHAPE_AT_ENTRY);
	for (uint32_t n = 1; n < graph->n; n++)
		if (loops[n] || computed[n] || labels[n])
			mark(ret, n, loops[n] ? SHAPE_AT_LOOP : SHAPE_AT_LABEL);
	mem_free(loops);
	mem_free(computed);
}

// --- splits ------------------------------------------------------------------------------------

// Counts of paths, as far as a double is exact; what is more only has to be more.
struct counts {
	double *in, *out; // from this marker to a node; from a node to the markers behind
};

static void count_out(const struct marking *m, struct counts *c)
{
	const struct marking_graph *g = m->graph;
	for (uint32_t i = g->n; i-- > 0;) {
		uint32_t n = m->order[i];
		double sum = 0;
		for (uint32_t k = 0; k < n_edges(g, n); k++)
			sum += m->marker_of[edge_to(g, n, k)] ? 1 : c->out[edge_to(g, n, k)];
		c->out[n] = n_edges(g, n) == 0 || g->computed[n] ? 1 : sum;
	}
}

static void count_in(const struct marking *m, struct counts *c, uint32_t from)
{
	const struct marking_graph *g = m->graph;
	memset(c->in, 0, g->n * sizeof *c->in);
	c->in[from] = 1;
	for (uint32_t i = m->place[from]; i < g->n; i++) {
		uint32_t n = m->order[i];
		if (c->in[n] == 0)
			continue;
		for (uint32_t k = 0; k < n_edges(g, n) && !g->computed[n]; k++)
			if (!m->marker_of[edge_to(g, n, k)])
				c->in[edge_to(g, n, k)] += c->in[n];
	}
}

// How many paths there are when those of the marker at `from` end at the node, and begin there again.
static double split_cost(const struct counts *c, uint32_t from, uint32_t node)
{
	return c->out[from] - c->in[node] * c->out[node] + c->in[node] + c->out[node];
}

// The best node to split the paths from a marker at: one where it is well, unless others are much better.
static uint32_t choose_split(const struct marking *m, const struct counts *c, uint32_t from, marking_may_split may,
                             void *opaque)
{
	uint32_t best[2] = {MARKING_NONE, MARKING_NONE}; // [1]: it is well there
	for (uint32_t i = m->place[from] + 1; i < m->graph->n; i++) {
		uint32_t n = m->order[i];
		if (c->in[n] == 0 || split_cost(c, from, n) >= c->out[from])
			continue;
		enum marking_split how = may(opaque, n);
		for (int kind = 0; kind < 2; kind++) {
			if (how == MARKING_NEVER || (kind && how != MARKING_WELL))
				continue;
			if (best[kind] == MARKING_NONE || split_cost(c, from, n) < split_cost(c, from, best[kind]))
				best[kind] = n;
		}
	}
	if (best[1] == MARKING_NONE)
		return best[0];
	double enough = 2 * split_cost(c, from, best[0]);
	return split_cost(c, from, best[1]) <= (enough > MARKING_PATHS ? enough : MARKING_PATHS) ? best[1] : best[0];
}

void marking_split(struct marking *m, marking_may_split may, void *opaque)
{
	size_t size = m->graph->n * sizeof(double);
	struct counts c = {mem_zero(size), mem_zero(size)};
	count_out(m, &c);
	for (uint32_t k = 0; k < m->n;) { // those that are added are looked at in their turn
		uint32_t node = m->v[k].node, at = MARKING_NONE;
		if (c.out[node] > MARKING_PATHS) {
			count_in(m, &c, node);
			at = choose_split(m, &c, node, may, opaque);
		}
		if (at == MARKING_NONE) {
			k++;
			continue;
		}
		mark(m, at, SHAPE_AT_SPLIT);
		count_out(m, &c);
	}
	mem_free(c.in);
	mem_free(c.out);
}

// --- order, numbers ----------------------------------------------------------------------------

static void sort_by_rank(struct marking *m, const uint32_t *rank)
{
	for (uint32_t i = 1; i < m->n; i++) {
		struct marking_point p = m->v[i];
		uint32_t k = i;
		for (; k > 0 && rank[m->v[k - 1].node] > rank[p.node]; k--)
			m->v[k] = m->v[k - 1];
		m->v[k] = p;
	}
	for (uint32_t i = 0; i < m->n; i++)
		m->marker_of[m->v[i].node] = i + 1;
}

static uint32_t paths_behind(const struct marking *m, uint32_t node)
{
	return m->marker_of[node] ? 1 : m->paths[node];
}

void marking_number(struct marking *m, const uint32_t *rank)
{
	const struct marking_graph *g = m->graph;
	sort_by_rank(m, rank);
	m->paths = mem_zero(g->n * sizeof *m->paths);
	for (uint32_t i = g->n; i-- > 0;) {
		uint32_t n = m->order[i], sum = 0;
		for (uint32_t k = 0; k < n_edges(g, n); k++)
			sum += paths_behind(m, edge_to(g, n, k));
		m->paths[n] = n_edges(g, n) == 0 || g->computed[n] ? 1 : sum;
	}
	for (uint32_t k = 0; k < m->n; k++) {
		m->v[k].base = m->segments;
		m->segments += m->paths[m->v[k].node];
	}
}

uint32_t marking_adds(const struct marking *m, uint32_t node, uint32_t k)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < k && !m->graph->computed[node]; i++)
		sum += paths_behind(m, edge_to(m->graph, node, i));
	return sum;
}

void marking_release(struct marking *m)
{
	mem_free(m->v);
	mem_free(m->order);
	mem_free(m->place);
	mem_free(m->marker_of);
	mem_free(m->paths);
	*m = (struct marking){0};
}
