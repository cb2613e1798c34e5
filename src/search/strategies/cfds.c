// Control-flow directed search: negates the branch whose opposite is nearest to code that was not reached.
#include "base/mem.h"
#include "search/strategies/episodes.h"

struct cfds {
	uint32_t *distances, covered; // how much was, when they were found out
};

static void *new_cfds(struct episode *w)
{
	struct cfds *c = mem_zero(sizeof *c);
	c->distances = mem_zero((w->paths->graph->n_edges + 1) * sizeof *c->distances);
	c->covered = UINT32_MAX;
	return c;
}

static void free_cfds(void *own)
{
	mem_free(((struct cfds *)own)->distances);
	mem_free(own);
}

// What is not in the graph, or leads nowhere, comes last.
static double score(void *own, struct episode *w, uint32_t place, uint32_t alternative)
{
	(void)place;
	const struct cfds *c = own;
	uint32_t other = w->paths->alternatives[alternative].other;
	return other == PATHS_NONE ? -(double)UINT32_MAX : -(double)c->distances[other];
}

static void choose(void *own, struct episode *w)
{
	struct cfds *c = own;
	if (c->covered != w->n_covered)
		graph_distances(w->paths->graph, w->covered, c->distances);
	c->covered = w->n_covered;
	episode_rank(w, score, own);
}

const struct heuristic heuristic_cfds = {.word = "cfds", .new = new_cfds, .release = free_cfds, .choose = choose};

static void *new(const struct strategy_setup *setup, struct paths *paths)
{
	return episodes_new_one(setup, paths, &heuristic_cfds);
}

const struct strategy_class strategy_cfds = {EPISODES_PARTS, .new = new, .report = episodes_report};
