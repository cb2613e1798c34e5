// Heuristics that choose among all alternatives of the runs of an episode, not only the last run: each gets its score
// when the episode comes to a run that has it.
#ifndef VEER_SEARCH_STRATEGIES_FRONTIER_H
#define VEER_SEARCH_STRATEGIES_FRONTIER_H

#include "search/strategies/episodes.h"

struct frontier {
	uint8_t *seen; // runs, a bit each
	uint32_t max;
};

void frontier_release(struct frontier *f);

// Picks the alternatives of the current run that runs before it did not have.
void frontier_add(struct frontier *f, struct episode *w, double (*score)(const struct episode *w, uint32_t place));

#endif
