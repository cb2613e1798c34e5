// The execution tree over all runs of a campaign, as the set of its keys (decide.h): alternatives that
// a run took, alternatives that were queried, and what the answer was. Its size is bounded: when it is full, new keys
// are not taken in.
#ifndef VEER_PATH_TREE_H
#define VEER_PATH_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

enum tree_state {
	TREE_NEW, // not in the tree
	TREE_TAKEN,
	TREE_PENDING, // waits for its turn, or is being solved
	TREE_SAT,     // an input that should go there was made
	TREE_UNSAT,
	TREE_UNKNOWN,
	TREE_HELD, // a visit asks for it: the search does not
	TREE_STATES
};

enum { TREE_VALUES_FEW = 16, TREE_VALUES_MAX = 1024 }; // of a place: tried like other alternatives, tried at all
struct tree_values {
	uint64_t place; // 0: free
	uint32_t n, max;
	uint64_t *v;
};
MAP(tree_places, struct tree_values);

// A table of its own, not base/map.h's: keys and states apart take 9 bytes for each, not 16, and a campaign has
// millions.
struct tree {
	uint64_t *keys; // 0: free
	uint8_t *states;
	size_t n, cap, most;
	size_t count[TREE_STATES];
	bool full;
	// Values that decisions with any number of alternatives have had.
	struct tree_places values;
};

void tree_init(struct tree *t, size_t most);
void tree_release(struct tree *t);

enum tree_state tree_get(const struct tree *t, uint64_t key);

// Returns the state before. TREE_TAKEN stays: who was there was there.
enum tree_state tree_set(struct tree *t, uint64_t key, enum tree_state state);

// Notes that the decision `place` had the value. Returns its values, NULL when this one was known, or when there are
// too many, which makes the tree full: then there is nothing more to ask.
const struct tree_values *tree_add_value(struct tree *t, uint64_t place, uint64_t value);
const struct tree_values *tree_find_values(const struct tree *t, uint64_t place);

#endif
