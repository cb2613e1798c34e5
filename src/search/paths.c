#include "search/paths.h"

#include <assert.h>
#include <string.h>

#include "abi/graph.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

MAP_FUNCTIONS(slots, struct path_slots, uint64_t, .name, .name, map_hash_number, map_same_number)

// The slot of a name, which is there afterwards; new ones have the index PATHS_NONE.
static struct path_slot *put(struct path_slots *m, uint64_t name)
{
	size_t before = m->n;
	struct path_slot *s = slots_put(m, name ? name : 1);
	if (m->n > before)
		s->index = PATHS_NONE;
	return s;
}

static const struct path_slot *get(const struct path_slots *m, uint64_t name)
{
	return slots_get(m, name ? name : 1);
}

void paths_init(struct paths *p, const struct graph *g, const struct tree *tree, uint32_t most)
{
	assert(most > 0);
	*p = (struct paths){.graph = g, .tree = tree, .most = most, .set_size = (g->n_cover + 7) / 8};
}

void paths_release(struct paths *p)
{
	mem_free(p->nodes);
	mem_free(p->alternatives);
	mem_free(p->contexts);
	mem_free(p->runs);
	slots_release(&p->keys);
	slots_release(&p->inputs);
	slots_release(&p->others);
	slots_release(&p->seen);
	slots_release(&p->named);
	mem_free(p->sets);
	*p = (struct paths){0};
}

// --- branch edges --------------------------------------------------------------------------------

static branch_id other_id(struct paths *p, uint64_t edge)
{
	struct path_slot *s = put(&p->others, edge);
	if (s->index == PATHS_NONE)
		s->index = 2 * p->graph->n_edges + (uint32_t)p->others.n - 1;
	return s->index;
}

uint32_t paths_ids(const struct paths *p)
{
	return 2 * p->graph->n_edges + (uint32_t)p->others.n;
}

// Sets of branch edges: most runs have the same set as another one.
static uint32_t intern_edges(struct paths *p, const struct result *r)
{
	uint8_t *set = mem_zero(p->set_size + 1);
	memcpy(set, r->edges, r->n_edges < p->set_size ? r->n_edges : p->set_size);
	struct path_slot *s = put(&p->seen, hash_bytes(set, p->set_size).low);
	if (s->index == PATHS_NONE) {
		if (p->n_sets == p->max_sets) {
			p->max_sets = p->max_sets ? 2 * p->max_sets : 64;
			p->sets = mem_resize(p->sets, (size_t)p->max_sets * p->set_size + 1);
		}
		memcpy(p->sets + (size_t)p->n_sets * p->set_size, set, p->set_size);
		s->index = p->n_sets++;
	}
	mem_free(set);
	return s->index;
}

const uint8_t *paths_edges(const struct paths *p, uint32_t run)
{
	assert(run < p->n_runs && p->runs[run].edges < p->n_sets);
	return p->sets + (size_t)p->runs[run].edges * p->set_size;
}

// --- runs ----------------------------------------------------------------------------------------

// The edge of the graph for a way of a decision. A call has one edge, whatever it returns.
static uint32_t edge_of(const struct paths *p, uint32_t point, uint64_t way)
{
	if (point == PATHS_NONE)
		return PATHS_NONE;
	const struct graph_point *at = &p->graph->points[point];
	return graph_edge_of(p->graph, point, at->kind == GRAPH_CALL ? 0 : way);
}

static void add_alternative(struct paths *p, const struct path_node *n, const struct decision *d,
                            const struct alternative *alternative)
{
	const struct graph *g = p->graph;
	bool switches = alternative->op == ALTERNATIVE_CASE || alternative->op == ALTERNATIVE_DEFAULT;
	struct path_alternative t = {.key = alternative->key,
	                             .value = alternative->value,
	                             .op = alternative->op,
	                             .rare = alternative->rare,
	                             .self = n->self};
	bool calls = n->point != PATHS_NONE && g->points[n->point].kind == GRAPH_CALL;
	t.other = alternative->op == ALTERNATIVE_OTHER && !calls
	                  ? PATHS_NONE
	                  : edge_of(p, n->point, switches ? alternative->value : !d->taken);
	if (alternative->op == ALTERNATIVE_CASE)
		t.self = t.other == PATHS_NONE ? other_id(p, alternative->edge) : g->n_edges + t.other;
	vec_room(p->alternatives, p->n_alternatives + 1, p->max_alternatives);
	p->alternatives[p->n_alternatives++] = t;
}

// Edges that dominate the point say nothing of the path to it.
static struct path_context name_before(const struct paths *p, const struct path_node *n)
{
	enum { FAR = 64 };
	struct path_context ret;
	uint64_t h = 1;
	unsigned k = 0;
	uint32_t at = n->parent;
	for (int i = 0; i < FAR && at != PATHS_NONE && k < PATHS_CONTEXTS; i++, at = p->nodes[at].parent) {
		const struct path_node *b = &p->nodes[at];
		if (b->edge != PATHS_NONE && n->point != PATHS_NONE && graph_is_before(p->graph, b->edge, n->point))
			continue;
		h = (h ^ (b->self + 1) * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
		h ^= h >> 29;
		ret.before[k++] = h;
	}
	for (; k < PATHS_CONTEXTS; k++) // there are no more
		ret.before[k] = h ^ k;
	return ret;
}

// The longest hash is made of the others.
static uint32_t intern_context(struct paths *p, struct path_context c)
{
	struct path_slot *s = put(&p->named, c.before[PATHS_CONTEXTS - 1]);
	if (s->index == PATHS_NONE) {
		vec_room(p->contexts, p->n_contexts + 1, p->max_contexts);
		p->contexts[p->n_contexts] = c;
		s->index = p->n_contexts++;
	}
	return s->index;
}

static uint32_t add_node(struct paths *p, uint32_t parent, uint32_t run, const struct decision *d,
                         const struct alternative *alternatives)
{
	assert(run == p->n_runs); // of the run that is being added
	struct path_node n = {.place = d->place, .parent = parent, .run = run, .first = p->n_alternatives};
	n.depth = parent == PATHS_NONE ? 0 : p->nodes[parent].depth + 1;
	n.point = graph_find(p->graph, d->point);
	bool calls = n.point != PATHS_NONE && p->graph->points[n.point].kind == GRAPH_CALL;
	n.edge = calls ? PATHS_NONE : edge_of(p, n.point, d->taken);
	n.self = n.edge == PATHS_NONE ? other_id(p, d->edge) : n.edge;
	n.context = intern_context(p, name_before(p, &n));
	for (uint32_t i = 0; i < d->alternatives; i++)
		if (alternatives[d->first + i].op != ALTERNATIVE_VIOLATE)
			add_alternative(p, &n, d, &alternatives[d->first + i]);
	n.alternatives = p->n_alternatives - n.first;
	vec_room(p->nodes, p->n_nodes + 1, p->max_nodes);
	assert(p->n_nodes < p->most && (parent == PATHS_NONE || parent < p->n_nodes));
	p->nodes[p->n_nodes] = n;
	return p->n_nodes++;
}

static uint32_t node_of(const struct paths *p, uint64_t key)
{
	const struct path_slot *s = key ? get(&p->keys, key) : NULL;
	return s ? s->index : PATHS_NONE;
}

static void note_input(struct path_slot *s, int64_t input)
{
	if (!s->input && input <= UINT32_MAX)
		s->input = (uint32_t)input;
}

// Adds new decisions of the run; returns its last one.
static uint32_t add_path(struct paths *p, int64_t input, uint32_t run, const struct result *r)
{
	uint32_t at = node_of(p, r->join);
	if (r->join && at == PATHS_NONE)
		return PATHS_NONE; // there was no room for it
	for (uint32_t i = 0; i < r->n_reported; i++) {
		const struct decision *d = &r->reported[i].decision;
		if (d->check)
			continue;
		struct path_slot *s = put(&p->keys, d->key);
		if (s->index == PATHS_NONE && p->n_nodes < p->most) {
			uint32_t index = add_node(p, at, run, d, r->alternatives);
			s = put(&p->keys, d->key);
			s->index = index;
			note_input(s, input);
		}
		if (s->index == PATHS_NONE)
			return at;
		at = s->index;
	}
	return at;
}

uint32_t paths_add(struct paths *p, int64_t input, const struct result *r)
{
	struct path_slot *s = put(&p->inputs, (uint64_t)input);
	if (s->index != PATHS_NONE)
		return s->index;
	s->index = p->n_runs;
	struct path_run run = {.input = input, .edges = intern_edges(p, r), .endless = r->run.end == RUN_TIMEOUT};
	run.leaf = add_path(p, input, p->n_runs, r);
	run.n = run.leaf == PATHS_NONE ? 0 : p->nodes[run.leaf].depth + 1;
	vec_room(p->runs, p->n_runs + 1, p->max_runs);
	p->runs[p->n_runs] = run;
	return p->n_runs++;
}

bool paths_full(const struct paths *p)
{
	return p->n_nodes == p->most;
}

void paths_answer(struct paths *p, uint64_t key, int64_t input)
{
	struct path_slot *s = put(&p->keys, key);
	note_input(s, input);
}

uint32_t paths_run_of(const struct paths *p, int64_t input)
{
	const struct path_slot *s = get(&p->inputs, (uint64_t)input);
	return s ? s->index : PATHS_NONE;
}

uint32_t paths_goes(const struct paths *p, uint64_t key)
{
	const struct path_slot *s = get(&p->keys, key);
	if (s && s->index != PATHS_NONE)
		return p->nodes[s->index].run;
	return s && s->input ? paths_run_of(p, s->input) : PATHS_NONE;
}

int64_t paths_input(const struct paths *p, uint64_t key)
{
	const struct path_slot *s = get(&p->keys, key);
	if (s && s->index != PATHS_NONE)
		return p->runs[p->nodes[s->index].run].input;
	return s ? s->input : 0;
}

void paths_get(const struct paths *p, uint32_t run, uint32_t *ret)
{
	assert(run < p->n_runs);
	uint32_t at = p->runs[run].leaf;
	for (uint32_t i = p->runs[run].n; i-- > 0; at = p->nodes[at].parent)
		ret[i] = at;
	assert(at == PATHS_NONE); // a run is as long as its last decision is deep
}

// Alternatives are in the order of their nodes.
uint32_t paths_node_of(const struct paths *p, uint32_t alternative)
{
	uint32_t low = 0, high = p->n_nodes;
	assert(alternative < p->n_alternatives);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (p->nodes[middle].first + p->nodes[middle].alternatives <= alternative)
			low = middle + 1;
		else
			high = middle;
	}
	assert(low < p->n_nodes && p->nodes[low].first <= alternative);
	return low;
}

struct candidate paths_candidate(const struct paths *p, uint32_t run, uint32_t node, uint32_t alternative)
{
	const struct path_alternative *t = &p->alternatives[alternative];
	assert(run < p->n_runs && node < p->n_nodes && alternative < p->n_alternatives);
	return (struct candidate){.input = p->runs[run].input,
	                          .event = UINT32_MAX, // the worker finds it by its place
	                          .depth = p->nodes[node].depth,
	                          .alternative = {.key = t->key, .value = t->value, .op = t->op},
	                          .place = p->nodes[node].place};
}

uint32_t paths_oldest(struct paths *p, struct candidate *ret, uint32_t most, bool (*busy)(void *opaque, uint64_t key),
                      void *opaque)
{
	uint32_t n = 0;
	bool all = true;
	for (uint32_t i = p->open; i < p->n_alternatives && n < most; i++) {
		const struct path_alternative *t = &p->alternatives[i];
		if (!t->key || tree_get(p->tree, t->key) != TREE_PENDING) {
			p->open += all;
			continue;
		}
		all = false;
		uint32_t node = paths_node_of(p, i), run = p->nodes[node].run;
		if (n && ret[0].input != p->runs[run].input)
			break;
		if (!busy(opaque, t->key))
			ret[n++] = paths_candidate(p, run, node, i);
	}
	return n;
}
