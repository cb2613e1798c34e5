// Control-flow directed search: negates the branch whose opposite is nearest to code that was not reached.
#include "base/mem.h"
#include "explore/strategies/walks.h"

struct cfds {
	uint32_t *distances, covered; // how much was, when they were found out
};

static void *new_cfds(struct walk *w)
{
	struct cfds *c = mem_zero(sizeof *c);
	c->distances = mem_zero((w->paths->graph->n_sides + 1) * sizeof *c->distances);
	c->covered = UINT32_MAX;
	return c;
}

static void free_cfds(void *own)
{
	mem_free(((struct cfds *)own)->distances);
	mem_free(own);
}

// What is not in the graph, or leads nowhere, comes last.
static double score(void *own, struct walk *w, uint32_t place, uint32_t turn)
{
	(void)place;
	const struct cfds *c = own;
	uint32_t other = w->paths->turns[turn].other;
	return other == PATHS_NONE ? -(double)UINT32_MAX : -(double)c->distances[other];
}

static void choose(void *own, struct walk *w)
{
	struct cfds *c = own;
	if (c->covered != w->n_covered)
		graph_distances(w->paths->graph, w->covered, c->distances);
	c->covered = w->n_covered;
	walk_rank(w, score, own);
}

const struct heuristic heuristic_cfds = {.word = "cfds", .new = new_cfds, .release = free_cfds, .choose = choose};

static void *new(const struct strategy_setup *setup, struct paths *paths)
{
	return walks_new_one(setup, paths, &heuristic_cfds);
}

const struct strategy_class strategy_cfds = {WALKS_PARTS, .new = new, .tell = walks_tell};
