// The heuristics of the other strategies, one after the other, each for an episode.
#include "base/mem.h"
#include "search/strategies/frontier.h"

// --- episodes in the manner of strategies that have none -----------------------------------------

static double any(void *own, struct episode *w, uint32_t place, uint32_t alternative)
{
	(void)own, (void)w, (void)place, (void)alternative;
	return 0;
}

static void choose_any(void *own, struct episode *w)
{
	episode_rank(w, any, own);
}

const struct heuristic heuristic_random = {.word = "random", .choose = choose_any};

static void *new_frontier(struct episode *w)
{
	(void)w;
	return mem_zero(sizeof(struct frontier));
}

static void free_frontier(void *own)
{
	frontier_release(own);
	mem_free(own);
}

// All alternatives of the run with the most new coverage, then of the next.
static double gain(const struct episode *w, uint32_t place)
{
	(void)place;
	return (double)w->gain;
}

static void ran(void *own, struct episode *w)
{
	frontier_add(own, w, gain);
}

static void choose_none(void *own, struct episode *w)
{
	(void)own, (void)w;
}

const struct heuristic heuristic_generational = {.word = "generational",
                                                 .keeps_picks = true,
                                                 .new = new_frontier,
                                                 .release = free_frontier,
                                                 .ran = ran,
                                                 .choose = choose_none};

// --- one after the other -------------------------------------------------------------------------

static bool next(struct episodes *ws, struct episode_plan *ret)
{
	static const struct heuristic *const all[] = {&heuristic_cfds, &heuristic_cgs, &heuristic_generational,
	                                              &heuristic_random, &heuristic_param};
	size_t n = ws->setup->weights ? 5 : 4;
	*ret = (struct episode_plan){.how = all[ws->started % n], .weights = ws->setup->weights};
	return true;
}

static void *new(const struct strategy_setup *setup, struct paths *paths)
{
	static const struct episodes_class class = {.next = next, .pool = 5};
	return episodes_new(setup, paths, &class);
}

const struct strategy_class strategy_round_robin = {EPISODES_PARTS, .new = new, .report = episodes_report};
