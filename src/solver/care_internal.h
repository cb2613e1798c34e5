// What the files of don't-care analysis share: its state, its conditions.
#ifndef VEER_SOLVER_CARE_INTERNAL_H
#define VEER_SOLVER_CARE_INTERNAL_H

#include "expr/postorder.h"
#include "solver/care.h"
#include "solver/care_slice.h"

// Sorted, the conditions of a slice stand together, and in it those of one variable.
struct care_condition {
	uint32_t id;
	uint32_t slice; // the smallest variable of the slice; NO_VARIABLE: none
	uint32_t only;  // its variable; EXPR_MANY: several
};

struct care_solver {
	struct solver_env *env;
	struct blaster blaster;
	struct cnf cnf;
	struct tape tape; // all conditions, under the assignment
	struct tape one;  // a condition of one byte
	struct care_condition *conditions;
	uint32_t n, max;
	// Per node of the pool: a variable below it + 1, or NO_VARIABLE; 0: not visited.
	uint32_t *below;
	uint32_t n_below;
	uint32_t *visited, n_visited, max_visited;
	struct postorder walk;
	// Per variable of the pool.
	uint32_t *parent; // union-find; the smallest variable of a slice is its name
	uint32_t *place_of;
	struct care_sets *open; // what conditions of this variable alone leave open; all, if there is none
	uint8_t *words;         // bits from which the other conditions follow, by care_words
	uint32_t max_vars;
	struct care_scratch scratch;
	// Of a slice.
	aig_lit *roots;
	uint32_t max_roots;
};

enum { NO_VARIABLE = EXPR_MANY };

// --- care_conditions.c -----------------------------------------------------------------------------

// Simplified, without those that are always true. Returns false when one of them is not true.
bool care_take_conditions(struct care_solver *s, const uint32_t *conditions, uint32_t n, const uint8_t *bytes);
// Conditions that have no graph: floating point, of several bytes.
bool care_is_opaque(const struct care_solver *s, uint32_t id);
// Finds the slices, and sorts the conditions by them. Opaque conditions do not make others one slice, since all that
// they depend on is known to be relevant.
void care_find_slices(struct care_solver *s);
// The slice that the variable is in.
uint32_t care_slice_of(struct care_solver *s, uint32_t var);

#endif
