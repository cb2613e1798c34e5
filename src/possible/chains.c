#include "possible/chains.h"

#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

enum { CALLERS = 3, LONGEST = 64, NOBODY = UINT32_MAX };

struct edge {
	uint32_t from, to;
};

struct chains {
	const struct shape_program *shapes;
	uint32_t *first; // per unit: the number of its first function
	uint32_t n;
	uint32_t *parent;   // the caller on the shortest chain; NOBODY: none is known
	uint32_t *distance; // calls from main; NOBODY: none leads there
	struct edge *edges;
	size_t n_edges, edges_max;
};

static uint32_t number_of(const struct chains *c, struct shape_ref f)
{
	return c->first[f.unit] + f.number;
}

static struct shape_ref function_of(const struct chains *c, uint32_t number)
{
	uint32_t unit = 0;
	while (unit + 1 < c->shapes->n_units && c->first[unit + 1] <= number)
		unit++;
	return (struct shape_ref){unit, number - c->first[unit]};
}

static void add_edge(struct chains *c, uint32_t from, uint32_t to)
{
	vec_room(c->edges, c->n_edges + 1, c->edges_max);
	c->edges[c->n_edges++] = (struct edge){from, to};
}

// The functions in the queue are in order of their distance.
static void walk(struct chains *c, uint32_t from)
{
	uint32_t *queue = mem_zero(((size_t)c->n + 1) * sizeof *queue), n = 0;
	c->distance[from] = 0;
	queue[n++] = from;
	for (uint32_t i = 0; i < n; i++) {
		struct shape_list called = {0};
		shape_callees(c->shapes, function_of(c, queue[i]), &called);
		for (uint32_t k = 0; k < called.n; k++) {
			uint32_t to = number_of(c, called.v[k]);
			add_edge(c, queue[i], to);
			if (c->distance[to] != NOBODY)
				continue;
			c->distance[to] = c->distance[queue[i]] + 1;
			c->parent[to] = queue[i];
			queue[n++] = to;
		}
		shape_list_release(&called);
	}
	mem_free(queue);
}

static struct shape_ref find_main(const struct shape_program *p)
{
	for (uint32_t u = 0; u < p->n_units; u++)
		for (uint32_t i = 0; i < p->units[u].head->n_functions; i++) {
			const struct shape_function *f = &p->units[u].functions[i];
			if (!(f->flags & (SHAPE_STATIC | SHAPE_BORROWED)) &&
			    strcmp(shape_text(&p->units[u], f->symbol), "main") == 0)
				return (struct shape_ref){u, i};
		}
	return SHAPE_NOWHERE;
}

struct chains *chains_new(const struct shape_program *shapes)
{
	struct chains *c = mem_zero(sizeof *c);
	struct shape_ref begin = find_main(shapes);
	c->shapes = shapes;
	c->first = mem_zero((shapes->n_units + 1) * sizeof *c->first);
	for (uint32_t u = 0; u < shapes->n_units; u++) {
		c->first[u] = c->n;
		c->n += shapes->units[u].head->n_functions;
	}
	c->parent = mem_alloc(((size_t)c->n + 1) * sizeof *c->parent);
	c->distance = mem_alloc(((size_t)c->n + 1) * sizeof *c->distance);
	memset(c->parent, 0xff, c->n * sizeof *c->parent);
	memset(c->distance, 0xff, c->n * sizeof *c->distance);
	if (shape_is_somewhere(begin))
		walk(c, number_of(c, begin));
	return c;
}

void chains_free(struct chains *c)
{
	if (!c)
		return;
	mem_free(c->first);
	mem_free(c->parent);
	mem_free(c->distance);
	mem_free(c->edges);
	mem_free(c);
}

static const char *name_of(const struct chains *c, uint32_t function)
{
	struct shape_ref f = function_of(c, function);
	return shape_text(&c->shapes->units[f.unit], shape_function(c->shapes, f)->name);
}

static void add_chain(const struct chains *c, uint32_t caller, uint32_t function, struct strv *ret)
{
	uint32_t chain[LONGEST], n = 0;
	struct buf text = {0};
	for (uint32_t f = caller; f != NOBODY && n < LONGEST; f = c->parent[f])
		chain[n++] = f;
	while (n)
		buf_printf(&text, "%s > ", name_of(c, chain[--n]));
	buf_addstr(&text, name_of(c, function));
	strv_push_once(ret, text.data);
	buf_release(&text);
}

void chains_to(const struct chains *c, struct shape_ref function, struct strv *ret)
{
	uint32_t to = number_of(c, function), nearest[CALLERS], n = 0;
	if (!c->distance[to]) // main
		strv_push(ret, name_of(c, to));
	for (size_t i = 0; i < c->n_edges; i++) { // in the order of the callers' distance
		bool known = c->edges[i].to != to || c->edges[i].from == to;
		for (uint32_t k = 0; k < n; k++)
			known |= nearest[k] == c->edges[i].from;
		if (!known && n < CALLERS)
			nearest[n++] = c->edges[i].from;
	}
	for (uint32_t i = 0; i < n; i++)
		add_chain(c, nearest[i], to, ret);
}
