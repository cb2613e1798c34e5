// Concolic testing with one heuristic: run, choose a branch of the path, negate it, run what solves that, and so on
// (Algorithm 1 of the paper in docs/SEARCH.md). A walk starts at the seed, knows only what it covered itself, and ends
// after so many runs. What others have run or solved is taken over and counts as the walk's own.
#ifndef VEER_EXPLORE_EPISODE_H
#define VEER_EXPLORE_EPISODE_H

#include "explore/paths.h"

enum {
	EPISODE_FAILURES = 70, // a branch whose negation failed so often is not tried again
	EPISODE_STALL = 250,   // runs without anything new, then it starts at the seed again
	EPISODE_LAST = 30,     // choices that are remembered
};

// A way that could be tried.
struct pick {
	double score;    // the larger the sooner
	uint64_t chance; // of the same score
	uint32_t run, node, alternative;
};

struct episode;

// How a walk chooses.
struct heuristic {
	const char *word;
	bool keeps_picks;                          // what was picked before and not tried is still good at another run
	void *(*new)(struct episode *w);           // NULL: it has nothing of its own
	void (*release)(void *own);                // likewise
	void (*ran)(void *own, struct episode *w); // the walk is at another run; NULL: of no interest
	void (*choose)(void *own, struct episode *w); // episode_pick what it would try; with `keeps`: more
	bool (*skip)(void *own, struct episode *w, const struct pick *p); // not this one, after all; NULL: any
};

struct episode {
	struct paths *paths;
	const struct heuristic *how;
	void *own;             // the heuristic's
	const double *weights; // of param.c; the walk's own copy
	uint64_t random;
	const int64_t *seeds;
	size_t n_seeds;
	uint32_t runs, most; // so far, and when it ends
	uint32_t known;      // of its runs, those that others had made
	uint32_t queries;    // that it asked
	// What it knows.
	uint8_t *covered;
	uint32_t n_covered;
	uint32_t *covered_in;                // number of run that covered a side first, by number in cover.h; 0: none
	uint32_t *reached;                   // likewise of functions
	uint32_t *uncovered;                 // sides of functions
	uint32_t *negated, *failed, *chosen; // by branch_id; chosen: which choice was the last; 0: none
	uint32_t max_ids, choices;
	struct tree contexts; // that were chosen
	uint32_t since;       // runs since there was something new
	uint32_t gain;        // sides that the last run covered first
	// Where it is.
	uint32_t at; // run; PATHS_NONE: nowhere
	uint32_t *nodes, n, max_nodes;
	uint32_t negated_at; // place on the path; PATHS_NONE: none
	bool chose;          // the heuristic was asked, here
	struct pick *picks;  // a heap
	uint32_t n_picks, max_picks;
	// What it waits for.
	struct pick *issued; // in the order of the queries
	uint32_t n_issued;
	int64_t waits; // for a run of this input; 0: for none
	uint32_t waits_at;
	uint32_t stuck; // starts at the seed, one after the other, without anything to try
	bool done;
	struct features *features;
};

struct episode *episode_new(struct paths *p, const struct heuristic *how, const double *weights, uint32_t runs,
                            uint64_t random, const int64_t *seeds, size_t n_seeds);
void episode_free(struct episode *w);

// What is to be solved next, the first that has a solution being the one it wants: up to `most` ways off one run. 0:
// the walk is done, or waits for a run, or was at `steps` runs of others by now. `busy` as for paths_oldest.
uint32_t episode_query(struct episode *w, struct candidate *ret, uint32_t most, uint32_t steps,
                       bool (*busy)(void *opaque, uint64_t key), void *opaque);

// The answer to the i-th of them; in order. `input`: what solves it; 0: nothing.
void episode_answer(struct episode *w, uint32_t i, int64_t input);

// There are no more answers; or the run that it waits for will not be.
void episode_answered(struct episode *w);
void episode_lost(struct episode *w, int64_t input);

// For heuristics. Offers a way, or all that can be tried off the path where the walk is, by their scores.
void episode_pick(struct episode *w, uint32_t run, uint32_t node, uint32_t alternative, double score);
void episode_rank(struct episode *w,
                  double (*score)(void *own, struct episode *w, uint32_t place, uint32_t alternative), void *own);
bool episode_can_try(const struct episode *w, const struct path_alternative *t);
uint64_t episode_random(struct episode *w);

// The name of a branch after those before it on the path, `k` together.
uint64_t episode_context(const struct episode *w, uint32_t node, const struct path_alternative *t, unsigned k);

// Takes over what a run came by, as one of the walk's own. For tests, too.
void episode_enter(struct episode *w, uint32_t run, uint32_t negated_at);
void episode_note(struct episode *w, const struct pick *p, bool failed); // that it was chosen

#endif
