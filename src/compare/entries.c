// How far each function is from a change, over direct calls and calls through pointers: functions of the type that is
// called whose address is taken somewhere.
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "compare/changes.h"

struct node {
	const char *name; // NULL: free
	uint32_t first;   // in `next` of the index: functions of that name, plus 1
};
MAP(nodes, struct node);
MAP_FUNCTIONS(nodes, struct nodes, const char *, .name, .name, map_hash_text, map_same_text)

// Of one version. Functions have their numbers in struct code_changes.
struct graph {
	const struct code_changes *c;
	int side;
	struct nodes symbols, signatures;       // signatures: of those whose address is taken
	uint32_t *next_symbol, *next_signature; // lists: the next function of the same name, plus 1
};

static void add(struct nodes *index, uint32_t *next, const char *name, uint32_t number)
{
	struct node *x = nodes_put(index, name);
	next[number] = x->first;
	x->first = number + 1;
}

static void mark_taken(const struct graph *g, bool *taken, const struct strv *symbols)
{
	for (size_t i = 0; i < symbols->n; i++) {
		const struct node *x = nodes_get(&g->symbols, symbols->v[i]);
		for (uint32_t k = x ? x->first : 0; k; k = g->next_symbol[k - 1])
			taken[k - 1] = true;
	}
}

static void graph_init(struct graph *g, const struct code_changes *c, int side)
{
	*g = (struct graph){.c = c, .side = side};
	const struct facts *facts = c->facts[side];
	bool *taken = mem_zero((c->n_functions + 1) * sizeof *taken);
	g->next_symbol = mem_zero((c->n_functions + 1) * sizeof *g->next_symbol);
	g->next_signature = mem_zero((c->n_functions + 1) * sizeof *g->next_signature);
	for (uint32_t i = 0; i < c->n_functions; i++)
		if (c->functions[i].side[side]) {
			add(&g->symbols, g->next_symbol, c->functions[i].side[side]->symbol, i);
			taken[i] = c->functions[i].side[side]->flags & SHAPE_ADDRESS;
		}
	for (uint32_t i = 0; i < facts->n_functions; i++)
		mark_taken(g, taken, &facts->functions[i].addresses);
	for (uint32_t i = 0; i < facts->n_globals; i++)
		mark_taken(g, taken, &facts->globals[i].addresses);
	for (uint32_t i = 0; i < c->n_functions; i++)
		if (taken[i])
			add(&g->signatures, g->next_signature, c->functions[i].side[side]->signature, i);
	mem_free(taken);
}

static void graph_release(struct graph *g)
{
	nodes_release(&g->symbols);
	nodes_release(&g->signatures);
	mem_free(g->next_symbol);
	mem_free(g->next_signature);
}

// The least of `calls` among the functions of these names; of one symbol, the unit's own function if it is static.
static uint32_t nearest(const struct graph *g, const struct nodes *index, const uint32_t *next,
                        const struct strv *names, const struct fact_function *from)
{
	uint32_t least = CHANGE_FAR;
	for (size_t i = 0; i < names->n; i++) {
		const struct node *x = nodes_get(index, names->v[i]);
		for (uint32_t k = x ? x->first : 0; k; k = next[k - 1]) {
			const struct fact_function *to = g->c->functions[k - 1].side[g->side];
			uint32_t calls = g->c->functions[k - 1].calls;
			if (index == &g->symbols && (to->flags & SHAPE_STATIC) && to->unit != from->unit &&
			    strcmp(to->file, from->file) != 0)
				continue;
			least = calls < least ? calls : least;
		}
	}
	return least;
}

// One step further out. Returns whether anything came nearer.
static bool spread(struct code_changes *c, const struct graph *g)
{
	bool any = false;
	for (uint32_t i = 0; i < c->n_functions; i++) {
		struct changed_function *f = &c->functions[i];
		const struct fact_function *own = f->side[g->side];
		if (!own || !f->calls)
			continue;
		uint32_t direct = nearest(g, &g->symbols, g->next_symbol, &own->callees, own),
			 indirect = nearest(g, &g->signatures, g->next_signature, &own->calls, own),
			 least = direct < indirect ? direct : indirect;
		if (least != CHANGE_FAR && least + 1 < f->calls) {
			f->calls = least + 1;
			any = true;
		}
	}
	return any;
}

void code_changes_find_entries(struct code_changes *c)
{
	struct graph graphs[CHANGE_SIDES];
	for (uint32_t i = 0; i < c->n_functions; i++)
		c->functions[i].calls = change_runs(c->functions[i].kind) ? 0 : CHANGE_FAR;
	for (int side = 0; side < CHANGE_SIDES; side++)
		graph_init(&graphs[side], c, side);
	for (bool any = true; any;) {
		any = spread(c, &graphs[CHANGE_OLD]);
		any = spread(c, &graphs[CHANGE_NEW]) || any;
	}
	for (int side = 0; side < CHANGE_SIDES; side++)
		graph_release(&graphs[side]);
}
