// Refutation by sets of values. A scanner's state is a look-up in look-ups: an expression of many bytes
// that has few values. Such an expression becomes a variable with a set of values, as an input byte is one;
// each condition, and each definition of such a variable, is a constraint between two or three of them, and
// values that no constraint supports are removed until nothing changes (generalised arc consistency).
// An empty set refutes the query. What remains is no answer: sets do not know which values go together.
#ifndef VEER_SOLVER_SETS_H
#define VEER_SOLVER_SETS_H

#include "expr/tape.h"
#include "solver/quick.h"

struct sets;

// For the expressions that are on the tape when sets_refute is called.
struct sets *sets_new(struct tape *tape);
void sets_free(struct sets *s);

// Whether no assignment makes all of these steps of the tape true. domains[i]: the values that variable
// tape->vars[i] may have, not empty. Changes the values of all steps.
bool sets_refute(struct sets *s, const uint32_t *roots, uint32_t n_roots, const struct byteset *domains);

#endif
