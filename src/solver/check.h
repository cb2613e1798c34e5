// Do conditions hold under a model? Every stage that hands out a model asks this.
#ifndef VEER_SOLVER_CHECK_H
#define VEER_SOLVER_CHECK_H

#include "expr/tape.h"
#include "solver/solver.h"

// Reusable: what it allocated for one query serves the next.
struct check {
	struct tape tape; // of the conditions
	uint32_t *steps;  // per condition
	uint32_t *from;   // per condition: steps that were on the tape before it
	uint32_t n, max;
};

void check_init(struct check *c, const struct expr_pool *pool);
void check_release(struct check *c);

// The conditions from now on, in place of earlier ones; and more of them. Queries of one path begin alike: returns how
// many conditions, at the beginning, are those of before and kept their steps.
uint32_t check_set(struct check *c, const uint32_t *conditions, uint32_t n);
void check_add(struct check *c, uint32_t condition);

// Evaluates them under the model, with the seed for variables that are not in it; NULL: no model.
// Returns whether all hold.
bool check_model(struct check *c, const uint8_t *seed, const struct model *m);
// The same of the last evaluation, of single conditions and of all.
bool check_one(const struct check *c, uint32_t i);
bool check_all(const struct check *c);

#endif
