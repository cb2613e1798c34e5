// One recorded test, amplified at one distance: checks along its path (distance 0), or the paths that leave it at that
// distance from a sensitive operation, followed for a bounded number of branches (Marinescu and Cadar, "make
// test-zesti", Figure 2). It says what to do next, one thing at a time, and is told what came of it; it does nothing
// itself.
//
// Distance is counted in branches that input could make go either way. Which are such is found out as it is needed: the
// execution tree knows what was asked before, by this visit or any other.
#ifndef VEER_EXPLORE_AMPLIFICATION_H
#define VEER_EXPLORE_AMPLIFICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "explore/strategy.h"
#include "explore/tree.h"
#include "explore/wire.h"

struct amplification_setup {
	struct tree *tree;
	struct tree *explored; // ways off test paths that were followed, at each distance
	// The input that was made to go the way of this key; 0: none. *ret_done: it was run, and judged.
	int64_t (*solution)(void *opaque, uint64_t key, bool *ret_done);
	void *opaque;
	unsigned factor; // a way that leaves at distance D is followed for factor * D branches; 0: 2
	unsigned runs;   // of each way; 0: 64
};

enum amplification_act {
	AMPLIFY_RUN,     // `input`, to be told its path: all of it, or what comes after `expect`
	AMPLIFY_SOLVE,   // `flips`, all off `input`
	AMPLIFY_CONFIRM, // `input`
	AMPLIFY_DONE
};

struct amplification_action {
	enum amplification_act act;
	int64_t input;
	uint64_t expect; // 0: none
	bool known;      // it was run and judged before
	uint32_t depth;  // of what is judged: branches on the way there that could go either way
	const struct candidate *candidates;
	uint32_t n_candidates;
};

struct amplification;

struct amplification *amplification_new(const struct amplification_setup *setup, int64_t input, unsigned distance);
void amplification_free(struct amplification *v);

// What to do next; at most `most` flips at a time.
void amplification_next(struct amplification *v, uint32_t most, struct amplification_action *ret);

// After AMPLIFY_RUN: the path as it was asked for (none: the run went elsewhere).
void amplification_ran(struct amplification *v, const struct reported *reported, uint32_t n_reported,
                       const struct alternative *alternatives);

// After AMPLIFY_SOLVE, for each flip in turn; the tree has the answer. `input`: the solution, when that is new; 0:
// none.
void amplification_solved(struct amplification *v, const struct candidate *f, enum answer answer, int64_t input);

// Once it is done: the path has fewer branches than the distance, so that at larger ones there is nothing, either.
bool amplification_is_last(const struct amplification *v);

// The input that is the i-th to wait for the oracle, and how deep it lies; 0: there are fewer.
int64_t visit_waiting(const struct amplification *v, size_t i, uint32_t *ret_depth);

// No time is left: only what was found is judged, then it is done. Returns how much is left out.
size_t amplification_cut(struct amplification *v);

#endif
