// What the rewrite stage (rewrite_new) saw.
#ifndef VEER_SOLVER_REWRITE_H
#define VEER_SOLVER_REWRITE_H

#include "solver/solver.h"

// How many models failed the check. Each is a bug of a stage or of the simplifier; the answers handed out
// came from Z3 instead.
uint64_t rewrite_wrong_models(const struct solver *rewrite);

#endif
