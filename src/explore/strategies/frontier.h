// Heuristics that choose among all ways off the runs of a walk, not only the last one: each gets its score when the
// walk comes to a run that has it.
#ifndef VEER_EXPLORE_STRATEGIES_FRONTIER_H
#define VEER_EXPLORE_STRATEGIES_FRONTIER_H

#include "explore/strategies/episodes.h"

struct frontier {
	uint8_t *seen; // runs, a bit each
	uint32_t max;
};

void frontier_release(struct frontier *f);

// Picks what the run where the walk is has that those before it had not.
void frontier_add(struct frontier *f, struct episode *w, double (*score)(const struct episode *w, uint32_t place));

#endif
