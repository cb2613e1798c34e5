// Concolic testing with one heuristic: run, choose a branch of the path, negate it, run what solves that, and so on
// (Algorithm 1 of the paper in docs/SEARCH.md). An episode starts at the seed, knows only what it covered itself, and
// ends after a number of runs. Runs and answers of others are cached, and count as the episode's own.
#ifndef VEER_SEARCH_EPISODE_H
#define VEER_SEARCH_EPISODE_H

#include "search/paths.h"

enum {
	EPISODE_FAILURES = 70, // a branch whose negation failed so often is not tried again
	EPISODE_STALL = 250,   // runs without new coverage, then the episode starts at the seed again
	EPISODE_LAST = 30,     // choices that are remembered
};

// An alternative that could be tried.
struct pick {
	double score;    // the larger the sooner
	uint64_t chance; // orders picks of the same score
	uint32_t run, node, alternative;
};

struct episode;

// How an episode chooses.
struct heuristic {
	const char *word;
	bool keeps_picks;                             // picks that were not tried stay good at another run
	void *(*new)(struct episode *w);              // NULL: it has nothing of its own
	void (*release)(void *own);                   // likewise
	void (*ran)(void *own, struct episode *w);    // the episode is at another run; NULL: of no interest
	void (*choose)(void *own, struct episode *w); // calls episode_pick; with `keeps_picks`: for more
	bool (*skip)(void *own, struct episode *w, const struct pick *p); // drops a pick before it is tried; NULL: none
};

struct episode {
	struct paths *paths;
	const struct heuristic *how;
	void *own;             // the heuristic's
	const double *weights; // of param.c; the episode's own copy
	uint64_t random;
	const int64_t *seeds;
	size_t n_seeds;
	uint32_t runs, most; // so far; at which it ends
	uint32_t known;      // of its runs, cached ones
	uint32_t queries;    // that it issued
	// What it knows.
	uint8_t *covered;
	uint32_t n_covered;
	uint32_t *covered_in; // number of the run that covered a branch edge first, by number in cover.h; 0: none
	uint32_t *reached;    // likewise of functions
	uint32_t *uncovered;  // branch edges, by function
	uint32_t *negated, *failed, *chosen; // by branch_id; chosen: which choice was the last; 0: none
	uint32_t max_ids, choices;
	struct tree contexts; // that were chosen
	uint32_t since;       // runs since the last with new coverage
	uint32_t gain;        // branch edges that the last run covered first
	// Where it is.
	uint32_t at; // run; PATHS_NONE: nowhere
	uint32_t *nodes, n, max_nodes;
	uint32_t negated_at; // place on the path; PATHS_NONE: none
	bool chose;          // the heuristic has chosen at this run
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

// Up to `most` candidates of one run, of which the first that has a solution is wanted. Returns 0 when the episode is
// finished, blocked on a run, or has replayed `steps` cached runs. `busy` as for paths_oldest.
uint32_t episode_query(struct episode *w, struct candidate *ret, uint32_t most, uint32_t steps,
                       bool (*busy)(void *opaque, uint64_t key), void *opaque);

// The answer to the i-th of them; in order. `input`: the solution; 0: there is none.
void episode_answer(struct episode *w, uint32_t i, int64_t input);

// That was the last answer; or the input that the episode waits for will not run.
void episode_answered(struct episode *w);
void episode_lost(struct episode *w, int64_t input);

// For heuristics. Picks an alternative, or all that can be tried off the episode's current path, by their scores.
void episode_pick(struct episode *w, uint32_t run, uint32_t node, uint32_t alternative, double score);
void episode_rank(struct episode *w,
                  double (*score)(void *own, struct episode *w, uint32_t place, uint32_t alternative), void *own);
bool episode_can_try(const struct episode *w, const struct path_alternative *t);
uint64_t episode_random(struct episode *w);

// The name of a branch after those before it on the path, `k` together.
uint64_t episode_context(const struct episode *w, uint32_t node, const struct path_alternative *t, unsigned k);

// Goes to a run, and counts what it covers as the episode's own. For tests, too.
void episode_enter(struct episode *w, uint32_t run, uint32_t negated_at);
void episode_note(struct episode *w, const struct pick *p, bool failed); // the pick was tried

#endif
