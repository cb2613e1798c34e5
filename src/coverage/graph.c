#include "coverage/graph.h"

#include <stdlib.h>
#include <string.h>

#include "abi/cover.h"
#include "abi/graph.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "coverage/units.h"
#include "object/elf.h"

MAP_FUNCTIONS(names, struct graph_names, uint64_t, .name, .name, map_hash_number, map_same_number)

// A function that a unit knows by name.
struct graph_name_ref {
	uint64_t global;   // its name as a hash; 0: no other unit knows it
	uint32_t function; // GRAPH_NONE: none of the program
};

#define PUSH(g, array, value)                                                                                          \
	do {                                                                                                           \
		vec_room((g)->array, (g)->n_##array + 1, (g)->max_##array);                                            \
		(g)->array[(g)->n_##array++] = (value);                                                                \
	} while (0)

void graph_init(struct graph *g, const struct cover *cover)
{
	*g = (struct graph){.cover = cover};
}

void graph_release(struct graph *g)
{
	for (uint32_t i = 0; i < g->n_functions; i++)
		mem_free(g->functions[i].name);
	mem_free(g->functions);
	mem_free(g->points);
	mem_free(g->edges);
	mem_free(g->refs);
	mem_free(g->names);
	names_release(&g->by_name);
	mem_free(g->edges_of_cover);
	*g = (struct graph){0};
}

// --- reading --------------------------------------------------------------------------------------

struct reader {
	struct graph *g;
	struct cursor in;
	uint64_t unit;
	uint32_t first_name, n_names, first_point, n_points, read;
	struct strv names;
};

static uint32_t below(struct reader *r, uint32_t limit)
{
	uint32_t n = cursor_number(&r->in);
	r->in.bad |= n >= limit;
	return r->in.bad ? 0 : n;
}

// How many follow: each has a byte at least.
static uint32_t count(struct reader *r)
{
	uint32_t n = cursor_number(&r->in);
	r->in.bad |= n > (size_t)(r->in.end - r->in.p);
	return r->in.bad ? 0 : n;
}

static struct graph_next read_next(struct reader *r)
{
	struct graph_next next = {.first = r->g->n_refs};
	next.points = count(r);
	for (uint32_t i = 0; i < next.points && !r->in.bad; i++)
		PUSH(r->g, refs, r->first_point + below(r, r->n_points));
	next.functions = count(r);
	for (uint32_t i = 0; i < next.functions && !r->in.bad; i++)
		PUSH(r->g, refs, r->first_name + below(r, r->n_names));
	return next;
}

static void read_edge(struct reader *r, uint32_t point, struct graph_function *f)
{
	struct graph_edge s = {.point = point, .cover = GRAPH_NONE};
	uint32_t byte = cursor_number(&r->in);
	s.way = cursor_number(&r->in);
	s.next = read_next(r);
	if (byte)
		s.cover = cover_edge_at(r->g->cover, r->unit, byte - 1);
	f->edges += s.cover != GRAPH_NONE;
	PUSH(r->g, edges, s);
}

static void read_point(struct reader *r, uint32_t function)
{
	struct graph *g = r->g;
	struct graph_point p = {.function = function, .first = g->n_edges, .from = GRAPH_NONE};
	p.kind = (uint8_t)below(r, GRAPH_KINDS);
	p.flags = (uint16_t)below(r, GRAPH_FLAGS);
	p.from_point = below(r, r->n_points + 1);
	p.from_point = p.from_point ? r->first_point + p.from_point - 1 : GRAPH_NONE;
	p.from_nth = cursor_number(&r->in);
	p.first_result = g->n_refs;
	p.results = count(r);
	for (uint32_t i = 0; i < p.results && !r->in.bad; i++)
		PUSH(g, refs, r->first_name + below(r, r->n_names));
	p.edges = count(r);
	for (uint32_t i = 0; i < p.edges && !r->in.bad; i++)
		read_edge(r, g->n_points, &g->functions[function]);
	PUSH(g, points, p);
}

static uint64_t name_hash(const char *name)
{
	return hash_bytes(name, strlen(name)).low;
}

static void read_function(struct reader *r)
{
	struct graph *g = r->g;
	uint32_t name = below(r, r->n_names), local = below(r, 2), index = g->n_functions;
	if (r->in.bad)
		return;
	PUSH(g, functions, ((struct graph_function){.name = mem_strdup(r->names.v[name])}));
	struct graph_name_ref *ref = &g->names[r->first_name + name];
	ref->function = index; // in this unit
	ref->global = local ? 0 : ref->global;
	struct graph_next first = read_next(r);
	g->functions[index].first = first;
	uint32_t n = count(r);
	r->in.bad |= n > r->n_points - r->read;
	for (uint32_t i = 0; i < n && !r->in.bad; i++, r->read++)
		read_point(r, index);
}

static bool read_unit(struct reader *r)
{
	struct graph *g = r->g;
	r->first_name = g->n_names;
	r->first_point = g->n_points;
	r->n_names = count(r);
	for (uint32_t i = 0; i < r->n_names && !r->in.bad; i++) {
		char *name = cursor_text(&r->in);
		if (!name)
			break;
		strv_take(&r->names, name);
		PUSH(g, names, ((struct graph_name_ref){.global = name_hash(name) | 1, .function = GRAPH_NONE}));
	}
	for (uint32_t n = count(r); n && !r->in.bad; n--)
		read_function(r);
	strv_release(&r->names);
	return !r->in.bad && r->in.p == r->in.end && r->read == r->n_points;
}

static void name_points(struct graph *g, uint64_t unit, uint32_t first)
{
	for (uint32_t i = first; i < g->n_points; i++)
		names_put(&g->by_name, graph_name(unit, i - first))->point = i;
}

uint32_t graph_find(const struct graph *g, uint64_t name)
{
	const struct graph_slot *s = name ? names_get(&g->by_name, name) : NULL;
	return s ? s->point : GRAPH_NONE;
}

// A unit may be in a program and in its library.
static bool is_known(const struct graph *g, const struct cover_sites *head)
{
	return head->count && graph_find(g, graph_name(head->unit, 0)) != GRAPH_NONE;
}

int graph_add_section(struct graph *g, const void *data, size_t size, struct err *err)
{
	struct cursor in = {data, (const uint8_t *)data + size, false};
	while (in.p < in.end) {
		struct cover_sites head;
		struct cursor rest;
		if (!units_take(&in, GRAPH_MAGIC, &head, &rest) || head.count > head.size)
			return err_set(err, "its table of code (" GRAPH_SECTION ") is damaged");
		if (is_known(g, &head))
			continue;
		uint32_t first = g->n_points;
		struct reader r = {.g = g, .unit = head.unit, .n_points = head.count, .in = rest};
		if (!read_unit(&r))
			return err_set(err, "its table of code (" GRAPH_SECTION ") is damaged");
		name_points(g, head.unit, first);
	}
	return 0;
}

static int add_section(void *opaque, const void *data, size_t size, struct err *err)
{
	return graph_add_section(opaque, data, size, err);
}

int graph_add(struct graph *g, const char *path, struct err *err)
{
	return elf_each(path, GRAPH_SECTION, add_section, g, err);
}

// --- all units together ---------------------------------------------------------------------------

static void resolve_names(struct graph *g)
{
	struct graph_names global = {0};
	for (uint32_t i = 0; i < g->n_names; i++) {
		const struct graph_name_ref *n = &g->names[i];
		if (n->function != GRAPH_NONE && n->global && !names_get(&global, n->global))
			names_put(&global, n->global)->point = n->function;
	}
	for (uint32_t i = 0; i < g->n_names; i++) {
		struct graph_name_ref *n = &g->names[i];
		const struct graph_slot *s = names_get(&global, n->global ? n->global : 1);
		if (n->function == GRAPH_NONE && s)
			n->function = s->point;
	}
	names_release(&global);
}

// Names become functions; those of others are left out.
static void resolve_next(struct graph *g, struct graph_next *next)
{
	uint32_t *refs = g->refs + next->first + next->points, n = 0;
	for (uint32_t i = 0; i < next->functions; i++)
		if (g->names[refs[i]].function != GRAPH_NONE)
			refs[n++] = g->names[refs[i]].function;
	next->functions = n;
}

static void resolve_points(struct graph *g)
{
	for (uint32_t i = 0; i < g->n_points; i++) {
		struct graph_point *p = &g->points[i];
		for (uint32_t k = 0; k < p->results; k++)
			p->external |= g->names[g->refs[p->first_result + k]].function == GRAPH_NONE;
		if (p->from_point != GRAPH_NONE && p->from_nth < g->points[p->from_point].edges)
			p->from = g->points[p->from_point].first + p->from_nth;
	}
}

static int by_edges(const void *x, const void *y)
{
	const struct graph_function *const *a = x, *const *b = y;
	if ((*a)->edges != (*b)->edges)
		return (*a)->edges > (*b)->edges ? -1 : 1;
	return (*a > *b) - (*a < *b);
}

// Which functions have most edges, of those that have any.
static void rank_functions(struct graph *g)
{
	struct graph_function **order = mem_zero((g->n_functions + 1) * sizeof(struct graph_function *));
	uint32_t n = 0;
	for (uint32_t i = 0; i < g->n_functions; i++)
		if (g->functions[i].edges)
			order[n++] = &g->functions[i];
	qsort(order, n, sizeof *order, by_edges);
	for (uint32_t i = 0; i < n; i++)
		order[i]->top = (uint8_t)(10 * i < 3 * n ? 10 * i / n + 1 : 0);
	mem_free(order);
}

void graph_finish(struct graph *g)
{
	resolve_names(g);
	for (uint32_t i = 0; i < g->n_functions; i++)
		resolve_next(g, &g->functions[i].first);
	for (uint32_t i = 0; i < g->n_edges; i++)
		resolve_next(g, &g->edges[i].next);
	resolve_points(g);
	rank_functions(g);
	g->n_cover = cover_edges(g->cover); // all units are there now
	g->edges_of_cover = mem_alloc((g->n_cover + 1) * sizeof *g->edges_of_cover);
	memset(g->edges_of_cover, 0xff, (g->n_cover + 1) * sizeof *g->edges_of_cover);
	for (uint32_t i = g->n_edges; i-- > 0;)
		if (g->edges[i].cover != GRAPH_NONE)
			g->edges_of_cover[g->edges[i].cover] = i;
}

// --- asking ---------------------------------------------------------------------------------------

uint32_t graph_edge_of(const struct graph *g, uint32_t point, uint64_t way)
{
	const struct graph_point *p = &g->points[point];
	for (uint32_t i = p->first; i < p->first + p->edges; i++)
		if (g->edges[i].way == way)
			return i;
	return GRAPH_NONE;
}

bool graph_is_before(const struct graph *g, uint32_t edge, uint32_t point)
{
	enum { DEEP = 64 }; // a damaged table may have circles
	for (int i = 0; i < DEEP && point != GRAPH_NONE; i++) {
		uint32_t from = g->points[point].from;
		if (from == GRAPH_NONE)
			return false;
		if (from == edge)
			return true;
		point = g->edges[from].point;
	}
	return false;
}

bool graph_is_covered(const struct graph *g, const uint8_t *bits, uint32_t edge)
{
	uint32_t cover = g->edges[edge].cover;
	return cover == GRAPH_NONE || graph_bit(bits, cover);
}

// The nearest of what comes next, one further.
static uint32_t nearest(const struct graph *g, const struct graph_next *next, const uint32_t *edges,
                        const uint32_t *functions)
{
	uint32_t best = UINT32_MAX;
	const uint32_t *refs = g->refs + next->first;
	for (uint32_t i = 0; i < next->points; i++) {
		const struct graph_point *p = &g->points[refs[i]];
		for (uint32_t k = p->first; k < p->first + p->edges; k++)
			best = edges[k] < best ? edges[k] : best;
	}
	best = best == UINT32_MAX ? best : best + 1;
	for (uint32_t i = 0; i < next->functions; i++) {
		uint32_t d = functions[refs[next->points + i]];
		best = d < best ? d : best;
	}
	return best;
}

// Until nothing gets nearer: a handful of rounds, since most code comes before what follows it.
void graph_distances(const struct graph *g, const uint8_t *bits, uint32_t *distances)
{
	uint32_t *functions = mem_alloc((g->n_functions + 1) * sizeof *functions);
	for (uint32_t i = 0; i < g->n_functions; i++)
		functions[i] = UINT32_MAX;
	for (uint32_t i = 0; i < g->n_edges; i++)
		distances[i] = graph_is_covered(g, bits, i) ? UINT32_MAX : 0;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = g->n_edges; i-- > 0;) {
			uint32_t d = distances[i] ? nearest(g, &g->edges[i].next, distances, functions) : 0;
			changed |= d < distances[i];
			distances[i] = d < distances[i] ? d : distances[i];
		}
		for (uint32_t i = 0; i < g->n_functions; i++) {
			uint32_t d = nearest(g, &g->functions[i].first, distances, functions);
			changed |= d < functions[i];
			functions[i] = d < functions[i] ? d : functions[i];
		}
	}
	mem_free(functions);
}
