// Keeps candidates in bounds that come in crowds: each round of a loop has one of every branch edge in its body. Of
// more than 64 that wait for one edge a tenth goes on; the others come when nothing else is left. Alternatives that
// leave the loop are edges of their own, so that no number of rounds keeps them away.
#ifndef VEER_EXPLORE_CROWD_H
#define VEER_EXPLORE_CROWD_H

#include "base/map.h"
#include "search/strategy.h"

enum { CROWD = 64, CROWD_SHARE = 10 };

struct crowd_edge {
	uint64_t edge;
	uint32_t waiting;
};
MAP(crowd_edges, struct crowd_edge);

struct crowd { // zeroed: empty
	struct crowd_edges edges;
	struct candidate *v; // what was turned away, from `first` on
	size_t n, first, max;
	uint32_t turned_away;
};

void crowd_release(struct crowd *c);
// True: it goes on, and counts as waiting. False: it is kept here.
bool crowd_admits(struct crowd *c, const struct candidate *f);
void crowd_leaves(struct crowd *c, const struct candidate *f); // it waits no more
// The one that was turned away first; from now on it waits.
bool crowd_next(struct crowd *c, struct candidate *ret);

#endif
