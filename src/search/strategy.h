// Search strategies: which candidate to solve next. A strategy gets every candidate that turns up and chooses some for
// an idle worker. Candidates are solved once, so every strategy ends, and all find the same on a program that can be
// explored completely. docs/SEARCH.md describes each.
#ifndef VEER_SEARCH_STRATEGY_H
#define VEER_SEARCH_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "coverage/graph.h"
#include "path/decide.h"
#include "path/tree.h"

// A branch edge that was not taken, and the run that passed it.
struct candidate {
	int64_t input;
	uint32_t event, depth;
	struct alternative alternative;
	uint64_t place;                     // of the decision
	uint32_t covered;                   // new coverage of that run
	uint32_t milliseconds;              // duration of that run
	struct decision_segments reachable; // of a fragment: the segments that it can lead to
	bool past;                          // of a fragment: behind the first marker that the run came to
	bool rare;                          // one of very many alternatives: only when nothing else is left
	int8_t effort;                      // of solver_env, for floats
	uint8_t again;                      // was left in haste so often with all effort, or more
	bool offered;                       // amplification: the search has it among its candidates, too
};

// Parameters of search episodes; 0 and negative values: the defaults in docs/SEARCH.md.
struct tuning {
	uint32_t runs;      // of an episode
	uint32_t pool;      // heuristics of a generation
	uint32_t offspring; // of each parent
	double top;         // share of all that are parents
	double exploit;     // share of a generation that is offspring
	bool sample;        // every generation is chosen at random: nothing is learned
	bool learn;         // param: looks for weights, instead of using some
	double frontier;    // chameleon: share of the work that goes to `generational`
};

struct paths;
struct result;

struct strategy_setup {
	uint64_t random;
	const struct tree *tree;   // candidates that wait are TREE_PENDING; NULL: all that were added do
	const struct tree *edges;  // branch edges that some run took
	const struct graph *graph; // NULL: for strategies without episodes
	unsigned slots;            // number of worker slots
	double seconds;            // budget; 0: none
	uint64_t runs;             // budget; 0: none
	const double *elapsed;     // of `seconds`; NULL: no decision may depend on a clock
	const uint64_t *ran;       // of `runs`
	struct tuning tuning;
	const double *weights; // of param
};

// A strategy is one file in strategies/ with such a table, and a line in strategies.def. `own` is what `new` returned.
struct strategy_class {
	bool episodes; // it goes from run to run (episode.h); then it is part of a portfolio (portfolio.h)
	bool mixes;    // with episodes: `generational` has a share of the work
	void *(*new)(const struct strategy_setup *setup, struct paths *paths);
	void (*release)(void *own);
	void (*add)(void *own, const struct candidate *f); // without episodes
	// Chooses up to `most` candidates of one run. *ret_first: they are solved in this order until one has a
	// solution.
	uint32_t (*choose)(void *own, unsigned slot, struct candidate *ret, uint32_t most, bool *ret_first);
	size_t (*waiting)(const void *own); // without episodes
	// With episodes:
	void (*seed)(void *own, int64_t input);
	void (*answer)(void *own, unsigned slot, uint32_t i,
	               int64_t input);              // of the i-th candidate; input 0: no solution
	void (*answered)(void *own, unsigned slot); // that was the last answer
	void (*lost)(void *own, int64_t input); // the input will not run; 0: no input will that an episode waits for
	void (*hold)(void *own, unsigned slot, const struct candidate *v,
	             uint32_t n);                         // the slot solves these, which are not the episode's
	bool (*busy)(void *own, uint64_t key);            // some slot solves it
	bool (*weights)(const void *own, double *ret);    // the best that were found
	void (*report)(const void *own, struct buf *out); // a line for --stats
};

enum strategy_kind {
#define STRATEGY(name, word, what) STRATEGY_##name,
#include "search/strategies.def"
#undef STRATEGY
	STRATEGIES
};

// What a command chooses.
struct strategy_options {
	enum strategy_kind kind;
	struct tuning tuning;
	const double *weights; // of `param`; NULL: none
	uint64_t random;
	const struct graph *graph; // of the program; NULL: for strategies without episodes
};

bool strategy_find(const char *word, enum strategy_kind *ret);
bool strategy_has_episodes(enum strategy_kind kind);
const char *strategy_words(void); // for messages: "a, b, c"

struct strategy;
struct strategy *strategy_new(enum strategy_kind kind, const struct strategy_setup *setup); // which outlives it
void strategy_free(struct strategy *s);
void strategy_seed(struct strategy *s, int64_t input);
void strategy_add(struct strategy *s, const struct candidate *f);
// A run, after its candidates were added, and its new coverage.
void strategy_ran(struct strategy *s, int64_t input, const struct result *r, uint32_t covered);
// 0: nothing is left, or the slot has to wait. `alone`: nothing else is under way, so there is nothing to wait for.
uint32_t strategy_choose(struct strategy *s, unsigned slot, bool alone, struct candidate *ret, uint32_t most,
                         bool *ret_first);
// The answer to the i-th candidate that was chosen for the slot; in order. `input`: the solution; 0: there is none.
void strategy_answer(struct strategy *s, unsigned slot, uint32_t i, uint64_t key, int64_t input);
// That was the last answer. `r`: the result with the answers; NULL: there is none, since the worker died.
void strategy_answered(struct strategy *s, unsigned slot, const struct result *r);
void strategy_lost(struct strategy *s, int64_t input); // the input will not run
size_t strategy_waiting(const struct strategy *s);
bool strategy_weights(const struct strategy *s, double *ret);
void strategy_report(const struct strategy *s, struct buf *out);
struct paths *strategy_paths(struct strategy *s); // NULL: the strategy has no episodes

#endif
