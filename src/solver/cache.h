// What the cache stage (cache_new) did.
#ifndef VEER_SOLVER_CACHE_H
#define VEER_SOLVER_CACHE_H

#include "solver/solver.h"

struct cache_counts {
	uint64_t exact;    // the same conditions were asked before
	uint64_t subset;   // some of them were unsatisfiable
	uint64_t superset; // more of them had a model
	uint64_t reused;   // a model of some of them, or of another query, is a model
	uint64_t missed;   // went to the next stage
	uint64_t entries;  // kept now
	uint64_t dropped;  // for lack of memory
};

struct cache_counts cache_counts(const struct solver *cache);
size_t cache_bytes(const struct solver *cache); // memory of what it keeps; at most the limit of its environment

#endif
