// Who may call whom, and which globals that reaches.
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "shape/shape_internal.h"

void shape_list_release(struct shape_list *l)
{
	mem_free(l->v);
	mem_free(l->distance);
	*l = (struct shape_list){0};
}

static void push(struct shape_list *l, struct shape_ref r, uint32_t distance)
{
	if (l->n == l->cap) {
		l->cap = vec_capacity(l->n + 1, l->cap, sizeof *l->v);
		l->v = mem_resize(l->v, l->cap * sizeof *l->v);
		l->distance = mem_resize(l->distance, l->cap * sizeof *l->distance);
	}
	l->v[l->n] = r;
	l->distance[l->n++] = distance;
}

// What has been seen of all functions, or all globals, of a program.
struct seen {
	uint8_t **units;
	uint32_t n;
};

static struct seen seen_new(const struct shape_program *p, bool functions)
{
	struct seen s = {.units = mem_zero((p->n_units + 1) * sizeof *s.units), .n = p->n_units};
	for (uint32_t u = 0; u < p->n_units; u++) {
		const struct shape_unit *head = p->units[u].head;
		s.units[u] = mem_zero((functions ? head->n_functions : head->n_globals) + 1);
	}
	return s;
}

static bool seen_add(struct seen *s, struct shape_ref r)
{
	bool is_new = !s->units[r.unit][r.number];
	s->units[r.unit][r.number] = 1;
	return is_new;
}

static void seen_free(struct seen *s)
{
	for (uint32_t u = 0; u < s->n; u++)
		mem_free(s->units[u]);
	mem_free(s->units);
}

// --- calls ----------------------------------------------------------------------------------------

static void add(struct seen *seen, struct shape_list *l, struct shape_ref r, uint32_t distance)
{
	if (shape_is_somewhere(r) && seen_add(seen, r))
		push(l, r, distance);
}

static void add_callees(const struct shape_program *p, struct shape_ref function, struct seen *seen,
                        struct shape_list *ret, uint32_t distance)
{
	const struct shape_table *t = &p->units[function.unit];
	const struct shape_function *f = &t->functions[function.number];
	for (uint32_t i = 0; i < f->n_callees; i++)
		add(seen, ret, shape_find_function(p, function.unit, shape_text(t, t->numbers[f->callees + i])),
		    distance);
	for (uint32_t i = 0; i < f->n_names; i++) {
		struct shape_ref at = shape_find_global(p, function.unit, shape_text(t, t->numbers[f->names + i]));
		if (!shape_is_somewhere(at))
			continue;
		const struct shape_table *u = &p->units[at.unit];
		const struct shape_global *g = &u->globals[at.number];
		for (uint32_t k = 0; k < g->n_addresses; k++)
			add(seen, ret, shape_find_function(p, at.unit, shape_text(u, u->numbers[g->addresses + k])),
			    distance);
	}
	for (uint32_t i = 0; i < f->n_calls; i++) {
		const struct shape_ref *targets;
		uint32_t n = shape_targets(p, shape_text(t, t->numbers[f->calls + i]), &targets);
		for (uint32_t k = 0; k < n; k++)
			add(seen, ret, targets[k], distance);
	}
}

void shape_callees(const struct shape_program *p, struct shape_ref function, struct shape_list *ret)
{
	struct seen seen = seen_new(p, true);
	add_callees(p, function, &seen, ret, 1);
	seen_free(&seen);
}

// Goes on from the functions of the list behind `from`.
static void spread(const struct shape_program *p, struct seen *seen, struct shape_list *l, uint32_t from,
                   uint32_t depth)
{
	for (uint32_t i = from; i < l->n; i++)
		if (l->distance[i] < depth)
			add_callees(p, l->v[i], seen, l, l->distance[i] + 1);
}

void shape_reach(const struct shape_program *p, struct shape_ref function, struct shape_list *ret)
{
	struct seen seen = seen_new(p, true);
	add(&seen, ret, function, 0);
	spread(p, &seen, ret, 0, UINT32_MAX);
	seen_free(&seen);
}

static void add_roots(const struct shape_program *p, struct seen *seen, struct shape_list *l, unsigned without)
{
	for (uint32_t u = 0; u < p->n_units; u++)
		for (uint32_t i = 0; i < p->units[u].head->n_functions; i++)
			if (!(p->units[u].functions[i].flags & (without | SHAPE_BORROWED)))
				add(seen, l, (struct shape_ref){u, i}, 0);
}

void shape_breadth_first(const struct shape_program *p, struct shape_list *ret)
{
	struct seen seen = seen_new(p, true);
	struct shape_list all = {0};
	add(&seen, &all, shape_find_function(p, UINT32_MAX, "main"), 0);
	if (!all.n)
		add_roots(p, &seen, &all, SHAPE_STATIC);
	spread(p, &seen, &all, 0, UINT32_MAX);
	for (unsigned without = SHAPE_STATIC;; without = 0) { // then those that nobody calls, the visible ones first
		uint32_t from = all.n;
		add_roots(p, &seen, &all, without);
		spread(p, &seen, &all, from, UINT32_MAX);
		if (!without)
			break;
	}
	for (uint32_t i = 0; i < all.n; i++)
		if (!(shape_function(p, all.v[i])->flags & SHAPE_BORROWED))
			push(ret, all.v[i], all.distance[i]);
	shape_list_release(&all);
	seen_free(&seen);
}

// --- globals --------------------------------------------------------------------------------------

static void add_globals(const struct shape_program *p, uint32_t unit, const uint32_t *symbols, uint32_t n,
                        struct seen *seen, struct shape_list *ret, uint32_t distance)
{
	for (uint32_t i = 0; i < n; i++)
		add(seen, ret, shape_find_global(p, unit, shape_text(&p->units[unit], symbols[i])), distance);
}

void shape_closure(const struct shape_program *p, struct shape_ref function, uint32_t depth, struct shape_list *ret)
{
	struct seen functions = seen_new(p, true), globals = seen_new(p, false);
	struct shape_list calls = {0};
	uint32_t done = ret->n;
	add(&functions, &calls, function, 0);
	spread(p, &functions, &calls, 0, depth);
	for (uint32_t i = 0; i < calls.n; i++) { // nearest first
		const struct shape_table *t = &p->units[calls.v[i].unit];
		const struct shape_function *f = &t->functions[calls.v[i].number];
		add_globals(p, calls.v[i].unit, t->numbers + f->names, f->n_names, &globals, ret, calls.distance[i]);
		for (; done < ret->n; done++) {
			const struct shape_table *u = &p->units[ret->v[done].unit];
			const struct shape_global *g = &u->globals[ret->v[done].number];
			add_globals(p, ret->v[done].unit, u->numbers + g->names, g->n_names, &globals, ret,
			            ret->distance[done]);
		}
	}
	shape_list_release(&calls);
	seen_free(&functions);
	seen_free(&globals);
}
