// Strategies that walk (walk.h): which heuristic walks next, and what becomes of what it covered. Each slot of a worker
// has a walk of its own.
#ifndef VEER_EXPLORE_STRATEGIES_WALKS_H
#define VEER_EXPLORE_STRATEGIES_WALKS_H

#include "explore/walk.h"

extern const struct heuristic heuristic_random, heuristic_generational, heuristic_cfds, heuristic_cgs, heuristic_param;

struct walks;

// A walk that is to be.
struct walk_plan {
	const struct heuristic *how;
	const double *weights; // stay there until it is done
	uint32_t runs;         // 0: as many as walks_runs says
	uint32_t tag;          // for `done`
};

struct walks_class {
	bool (*next)(struct walks *ws, struct walk_plan *ret);              // false: none for the moment
	void (*done)(struct walks *ws, uint32_t tag, const struct walk *w); // NULL: of no interest
	uint32_t pool;                                                      // walks that make a round
};

struct walks {
	const struct strategy_setup *setup;
	struct paths *paths;
	const struct walks_class *class;
	void *own;
	const struct heuristic *only; // of walks_new_one
	uint64_t random;
	int64_t *seeds;
	size_t n_seeds;
	struct walks_slot *slots;
	uint64_t started, steps, known, questions,
		by_age; // walks; runs of all, those of others; ways that no walk chose
};

struct walks *walks_new(const struct strategy_setup *setup, struct paths *paths, const struct walks_class *class);

// One heuristic, again and again; with the weights of the setup.
struct walks *walks_new_one(const struct strategy_setup *setup, struct paths *paths, const struct heuristic *how);

// How many runs a walk that starts now has: so that ROUNDS of `pool` walks fit into the budget.
enum { WALKS_ROUNDS = 8, WALKS_RUNS = 4000, WALKS_RUNS_MIN = 8 };
uint32_t walks_runs(const struct walks *ws);
uint64_t walks_steps(const struct walks *ws); // runs of all walks so far
double walks_left(const struct walks *ws);    // how many runs of walks fit into the budget yet; negative: any number
uint32_t walks_fit(double n);                 // that many, as far as a walk can have them; negative: any number

uint64_t walks_random(struct walks *ws);

// Parts of a strategy_class.
void walks_free(void *own);
uint32_t walks_choose(void *own, unsigned slot, struct flip *ret, uint32_t most, bool *ret_first);
void walks_seed(void *own, int64_t input);
void walks_answer(void *own, unsigned slot, uint32_t i, int64_t input);
void walks_answered(void *own, unsigned slot);
void walks_lost(void *own, int64_t input);
void walks_hold(void *own, unsigned slot, const struct flip *v, uint32_t n);
bool walks_busy(void *own, uint64_t key);
void walks_tell(const void *own, struct buf *out);

#define WALKS_PARTS                                                                                                    \
	.walks = true, .release = walks_free, .choose = walks_choose, .seed = walks_seed, .answer = walks_answer,      \
	.answered = walks_answered, .lost = walks_lost, .hold = walks_hold, .busy = walks_busy

#endif
