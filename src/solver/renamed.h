// What the stage of renamed queries (renamed_new) did.
#ifndef VEER_SOLVER_RENAMED_H
#define VEER_SOLVER_RENAMED_H

#include "solver/solver.h"

struct renamed_counts {
	uint64_t unsat;   // answered: the same query about other bytes had no solution
	uint64_t sat;     // answered: its solution, of these bytes, is one
	uint64_t missed;  // went to the next stage
	uint64_t steps;   // nodes that were hashed for all queries
	uint64_t entries; // kept now
};

struct renamed_counts renamed_counts(const struct solver *renamed);
size_t renamed_bytes(const struct solver *renamed); // memory of what it keeps; at most the limit of its environment

#endif
