// Conditions over a few bits of input, and a solver that tries all values: what other
// stages are compared with.
#ifndef VEER_TESTS_UNIT_SMALL_H
#define VEER_TESTS_UNIT_SMALL_H

#include "query.h"
#include "solver/solver.h"

enum { SMALL_VALUES = 8, SMALL_VARS = 64 };

// Variables 0 to n - 1 of the pool are bytes of which conditions read the lowest three bits.
struct small {
	struct expr_pool pool;
	struct solver_env env;
	uint64_t random;
	uint32_t n_vars;
	uint32_t bits[SMALL_VARS]; // three bits of each variable
	uint8_t seed[SMALL_VARS];
};

void small_init(struct small *s, uint32_t n_vars, uint64_t random);
void small_release(struct small *s);

// A random condition on some of the variables from `first` to `first + n - 1`.
uint32_t small_condition(struct small *s, uint32_t first, uint32_t n, unsigned depth);

// Tries all values of the variables that a query has: few, please. One answer in `unknown` is unknown
// (0: none).
struct solver *small_solver(struct small *s, uint32_t unknown);
// The same without a stage; `ret` may be NULL.
enum answer small_answer(struct small *s, const struct query *q, struct model *ret);
// Is the query true under the seed and, over it, the model?
bool small_holds(struct small *s, const struct query *q, const struct model *m);

#endif
