// Which way to try next. A strategy is told of every way that turns up and names some when it is asked; ways are tried
// once, so every strategy ends, and all find the same on a program that can be explored completely. docs/SEARCH.md says
// what there is.
#ifndef VEER_EXPLORE_STRATEGY_H
#define VEER_EXPLORE_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "explore/decide.h"
#include "explore/graph.h"
#include "explore/tree.h"

// A way that was not taken, and the run that passed it.
struct candidate {
	int64_t input;
	uint32_t event, depth;
	struct alternative alternative;
	uint64_t place;        // of the decision
	uint32_t covered;      // what that run covered that was new
	uint32_t milliseconds; // that it took
	bool rare;             // one of very many: only when nothing else is left
	bool offered;          // of a visit: the search has it among its candidates, too
};

// How strategies that walk go about it; 0 and negative values: as docs/SEARCH.md says.
struct tuning {
	uint32_t runs;      // of a heuristic
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
	const struct tree *tree;   // ways that wait are TREE_PENDING; NULL: all that were added do
	const struct tree *edges;  // that some run took
	const struct graph *graph; // NULL: for strategies that do not walk
	unsigned slots;            // of workers
	double seconds;            // that there are; 0: any number
	uint64_t runs;             // likewise
	const double *elapsed;     // of those; NULL: a clock must not decide anything
	const uint64_t *ran;       // likewise
	struct tuning tuning;
	const double *weights; // of param
};

// What a strategy is made of: one file in strategies/ and a line in strategies.def. `own` is what `new` returned.
struct strategy_class {
	bool episodes; // from run to run (episode.h); then strategy.c keeps the paths, and asks checks beside it
	bool mixes;    // of one that walks: `generational` has a share of the work
	void *(*new)(const struct strategy_setup *setup, struct paths *paths);
	void (*release)(void *own);
	void (*add)(void *own, const struct candidate *f); // of one that does not walk
	// Names up to `most` ways off one run. *ret_first: only the first that has a solution is wanted, in this order.
	uint32_t (*choose)(void *own, unsigned slot, struct candidate *ret, uint32_t most, bool *ret_first);
	size_t (*waiting)(const void *own); // of one that does not walk
	// Of one that walks:
	void (*seed)(void *own, int64_t input);
	void (*answer)(void *own, unsigned slot, uint32_t i, int64_t input); // to the i-th way; input 0: no solution
	void (*answered)(void *own, unsigned slot);                          // there are no more
	void (*lost)(void *own, int64_t input); // will not run; 0: none will that is waited for
	void (*hold)(void *own, unsigned slot, const struct candidate *v,
	             uint32_t n);                         // the slot asks these, not of the walk
	bool (*busy)(void *own, uint64_t key);            // some slot asks for it
	bool (*weights)(const void *own, double *ret);    // the best that were found
	void (*report)(const void *own, struct buf *out); // a line for people
};

enum strategy_kind {
#define STRATEGY(name, word, what) STRATEGY_##name,
#include "explore/strategies.def"
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
// A run, after its ways were added, and how much it covered that was new.
void strategy_ran(struct strategy *s, int64_t input, const struct result *r, uint32_t covered);
// 0: nothing is left, or the slot has to wait. `alone`: nothing else is under way, so there is nothing to wait for.
uint32_t strategy_choose(struct strategy *s, unsigned slot, bool alone, struct candidate *ret, uint32_t most,
                         bool *ret_first);
// The answer to the i-th way that was chosen for the slot; in order. `input`: solves it; 0: there is none.
void strategy_answer(struct strategy *s, unsigned slot, uint32_t i, uint64_t key, int64_t input);
// That was all. `r` is what they came with; NULL: they did not come.
void strategy_answered(struct strategy *s, unsigned slot, const struct result *r);
void strategy_lost(struct strategy *s, int64_t input); // it will not run
size_t strategy_waiting(const struct strategy *s);
bool strategy_weights(const struct strategy *s, double *ret);
void strategy_report(const struct strategy *s, struct buf *out);
struct paths *strategy_paths(struct strategy *s); // of one that walks; NULL

#endif
