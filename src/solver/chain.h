// Whole chains, by name.
#ifndef VEER_SOLVER_CHAIN_H
#define VEER_SOLVER_CHAIN_H

#include "solver/solver.h"

// "chain": all stages; "uncached": without those that remember; "z3": Z3 for everything; or the stages one by
// one, separated by commas, the first one first: "rewrite,slice,sat". NULL: there is no such chain or stage.
struct solver *chain_new(struct solver_env *env, const char *name);

#endif
