// One recorded test, amplified at one distance: checks along its path (distance 0), or the paths that leave it at that
// distance from a sensitive operation, followed for a bounded number of branches (Marinescu and Cadar, "make
// test-zesti", Figure 2). A state machine: amplification_next returns the next action, the caller does it and reports
// the result.
//
// Distance is counted in feasible branches, those that some input flips. Which branches are feasible
// is solved when it is needed: the execution tree has the answers of all queries so far.
#ifndef VEER_EXPLORE_AMPLIFICATION_H
#define VEER_EXPLORE_AMPLIFICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "path/tree.h"
#include "search/strategy.h"
#include "worker/wire.h"

struct amplification_setup {
	struct tree *tree;
	struct tree *explored; // branch edges off test paths that were followed, at each distance
	// The solution of the branch edge; 0: there is none. *ret_done: it was run, and the oracle saw it.
	int64_t (*solution)(void *opaque, uint64_t key, bool *ret_done);
	void *opaque;
	unsigned factor; // a path that diverges at distance D is followed for factor * D branches; 0: 2
	unsigned runs;   // off each branch point; 0: 64
};

enum amplification_act {
	AMPLIFY_RUN,     // run `input` and report its path: all of it, or what comes after `expect`
	AMPLIFY_SOLVE,   // solve `candidates`, all of the run of `input`
	AMPLIFY_CONFIRM, // let the oracle see `input`
	AMPLIFY_DONE
};

struct amplification_action {
	enum amplification_act act;
	int64_t input;
	uint64_t expect; // 0: none
	bool known;      // it was run before, and the oracle saw it
	uint32_t depth;  // of a finding: feasible branches before it
	const struct candidate *candidates;
	uint32_t n_candidates;
};

struct amplification;

struct amplification *amplification_new(const struct amplification_setup *setup, int64_t input, unsigned distance);
void amplification_free(struct amplification *v);

// The next action, with at most `most` candidates.
void amplification_next(struct amplification *v, uint32_t most, struct amplification_action *ret);

// After AMPLIFY_RUN: the path that the action asks for; empty when the run diverged.
void amplification_ran(struct amplification *v, const struct reported *reported, uint32_t n_reported,
                       const struct alternative *alternatives);

// After AMPLIFY_SOLVE, for each candidate in turn; the tree has the answer. `input`: the solution, when the oracle is
// to see it; 0: none.
void amplification_solved(struct amplification *v, const struct candidate *f, enum answer answer, int64_t input);

// After AMPLIFY_DONE: the path has fewer feasible branches than the distance, so larger distances have nothing to do.
bool amplification_is_last(const struct amplification *v);

// The i-th input that waits for the oracle, and its depth; 0: there are fewer.
int64_t amplification_pending(const struct amplification *v, size_t i, uint32_t *ret_depth);

// No time is left: only solutions are confirmed, then comes AMPLIFY_DONE. Returns how many queries and runs are
// skipped.
size_t amplification_cut(struct amplification *v);

#endif
