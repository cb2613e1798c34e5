// Context-guided search: breadth first, but a branch that was negated in the same context, that is after the same
// branches, is not negated again. When nothing is left, contexts get longer.
#include "base/mem.h"
#include "base/vec.h"
#include "search/strategies/frontier.h"

struct cgs {
	struct frontier frontier;
	unsigned length; // of contexts
	struct pick *skipped;
	uint32_t n, max;
};

static void *new_cgs(struct episode *w)
{
	(void)w;
	struct cgs *c = mem_zero(sizeof *c);
	c->length = 1;
	return c;
}

static void free_cgs(void *own)
{
	struct cgs *c = own;
	frontier_release(&c->frontier);
	mem_free(c->skipped);
	mem_free(c);
}

static double score(const struct episode *w, uint32_t place)
{
	(void)w;
	return -(double)place;
}

static void ran(void *own, struct episode *w)
{
	frontier_add(&((struct cgs *)own)->frontier, w, score);
}

static bool skip(void *own, struct episode *w, const struct pick *p)
{
	struct cgs *c = own;
	uint64_t context = episode_context(w, p->node, &w->paths->alternatives[p->alternative], c->length);
	if (tree_get(&w->contexts, context) != TREE_TAKEN)
		return false;
	vec_room(c->skipped, c->n + 1, c->max);
	c->skipped[c->n++] = *p;
	return true;
}

static void choose(void *own, struct episode *w)
{
	struct cgs *c = own;
	if (c->length > PATHS_CONTEXTS)
		return;
	c->length++;
	for (uint32_t i = 0; i < c->n; i++)
		episode_pick(w, c->skipped[i].run, c->skipped[i].node, c->skipped[i].alternative, c->skipped[i].score);
	c->n = 0;
}

const struct heuristic heuristic_cgs = {.word = "cgs",
                                        .keeps_picks = true,
                                        .new = new_cgs,
                                        .release = free_cgs,
                                        .ran = ran,
                                        .choose = choose,
                                        .skip = skip};

static void *new(const struct strategy_setup *setup, struct paths *paths)
{
	return episodes_new_one(setup, paths, &heuristic_cgs);
}

const struct strategy_class strategy_cgs = {EPISODES_PARTS, .new = new, .report = episodes_report};
