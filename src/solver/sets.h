// Queries solved by sets of values. A scanner's state is a look-up in look-ups: an expression of many bytes
// that has few values. Such an expression becomes a variable with a set of values, as an input byte is one;
// each condition, and each definition of such a variable, is a constraint between two or three of them, and
// values that no constraint supports are removed until nothing changes (generalised arc consistency).
// An empty set refutes the query. Otherwise variables are decided, one after the other, with the same consequences
// each time, until the inputs that are left satisfy all conditions, or nothing is left to decide.
#ifndef VEER_SOLVER_SETS_H
#define VEER_SOLVER_SETS_H

#include "expr/tape.h"
#include "solver/quick.h"
#include "solver/solver.h"

struct sets;

// For the expressions that are on the tape when sets_solve is called, whose pool stays the same.
struct sets *sets_new(struct tape *tape, struct solver_env *env);
void sets_free(struct sets *s);

// Whether an assignment makes all of these steps of the tape true: if so, the tape has one, near the values that it
// had. domains[i]: the values that variable tape->vars[i] may have, not empty. Changes the values of all steps.
enum answer sets_solve(struct sets *s, const uint32_t *roots, uint32_t n_roots, const struct byteset *domains);

#endif
