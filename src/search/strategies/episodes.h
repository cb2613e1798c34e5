// Strategies with search episodes (episode.h): which heuristic is next, and what becomes of what it covered. Each
// worker's slot has an episode of its own.
#ifndef VEER_SEARCH_STRATEGIES_EPISODES_H
#define VEER_SEARCH_STRATEGIES_EPISODES_H

#include "search/episode.h"

extern const struct heuristic heuristic_random, heuristic_generational, heuristic_cfds, heuristic_cgs, heuristic_param;

struct episodes;

// The next episode.
struct episode_plan {
	const struct heuristic *how;
	const double *weights; // valid until the episode is done
	uint32_t runs;         // 0: as many as episodes_runs says
	uint32_t tag;          // for `done`
};

struct episodes_class {
	bool (*next)(struct episodes *ws, struct episode_plan *ret);              // false: none for the moment
	void (*done)(struct episodes *ws, uint32_t tag, const struct episode *w); // NULL: of no interest
	uint32_t pool;                                                            // episodes that make a round
};

struct episodes {
	const struct strategy_setup *setup;
	struct paths *paths;
	const struct episodes_class *class;
	void *own;
	const struct heuristic *only; // of episodes_new_one
	uint64_t random;
	int64_t *seeds;
	size_t n_seeds;
	struct episodes_slot *slots;
	uint64_t started, steps, known, queries,
		by_age; // episodes; their runs, cached ones among these; candidates that no episode chose
};

struct episodes *episodes_new(const struct strategy_setup *setup, struct paths *paths,
                              const struct episodes_class *class);

// One heuristic, again and again; with the weights of the setup.
struct episodes *episodes_new_one(const struct strategy_setup *setup, struct paths *paths, const struct heuristic *how);

// How many runs an episode that starts now has: so that ROUNDS of `pool` episodes fit into the budget.
enum { EPISODES_ROUNDS = 8, EPISODES_RUNS = 4000, EPISODES_RUNS_MIN = 8 };
uint32_t episodes_runs(const struct episodes *ws);
uint64_t episodes_steps(const struct episodes *ws); // runs of all episodes so far
double
episodes_left(const struct episodes *ws); // how many runs of episodes still fit into the budget; negative: any number
uint32_t episodes_fit(double n);          // that many, within what an episode can have; negative: any number

uint64_t episodes_random(struct episodes *ws);

// Parts of a strategy_class.
void episodes_free(void *own);
uint32_t episodes_choose(void *own, unsigned slot, struct candidate *ret, uint32_t most, bool *ret_first);
void episodes_seed(void *own, int64_t input);
void episodes_answer(void *own, unsigned slot, uint32_t i, int64_t input);
void episodes_answered(void *own, unsigned slot);
void episodes_lost(void *own, int64_t input);
void episodes_hold(void *own, unsigned slot, const struct candidate *v, uint32_t n);
bool episodes_busy(void *own, uint64_t key);
void episodes_report(const void *own, struct buf *out);

#define EPISODES_PARTS                                                                                                 \
	.episodes = true, .release = episodes_free, .choose = episodes_choose, .seed = episodes_seed,                  \
	.answer = episodes_answer, .answered = episodes_answered, .lost = episodes_lost, .hold = episodes_hold,        \
	.busy = episodes_busy

#endif
