// Expressions over numbers in the input, for tests of solvers of floats, and queries whose models are evaluated here
// once more.
#ifndef VEER_TESTS_UNIT_NUMBERS_H
#define VEER_TESTS_UNIT_NUMBERS_H

#include "expr/expr.h"
#include "solver/solver.h"

enum { NUMBERS_BYTES = 24 };

struct numbers {
	struct expr_pool pool; // expr_pool_release()
	struct solver_env env; // of the pool
	uint32_t inputs[NUMBERS_BYTES];
	uint8_t seed[NUMBERS_BYTES];
};

void numbers_init(struct numbers *b, enum solver_floats floats);

uint32_t numbers_word(struct numbers *b, unsigned from, unsigned bytes); // these bytes of the input, little endian
uint32_t numbers_double(struct numbers *b, double x);
uint32_t numbers_make(struct numbers *b, unsigned op, uint32_t x, uint32_t y); // of doubles; 1 bit wide, or a double

// The answer of the solver, which is freed. A model that does not hold is a failure of the test. `n_bytes`: of the
// seed.
enum answer numbers_ask(struct expr_pool *pool, struct solver *s, const uint8_t *seed, size_t n_bytes,
                        const uint32_t *conditions, uint32_t n);

#endif
