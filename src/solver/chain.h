// Whole chains, by name.
#ifndef VEER_SOLVER_CHAIN_H
#define VEER_SOLVER_CHAIN_H

#include "solver/solver.h"

// "chain": all stages; "sat": without those that remember or guess; "z3": Z3 for everything. NULL: there
// is no such chain.
struct solver *chain_new(struct solver_env *env, const char *name);

// The names, one after another; NULL at the end.
const char *chain_name(unsigned i);

#endif
