// Conditions on floats as conditions on fixed-point numbers, in a pool of their own: Q32.32 for double and wider,
// Q16.16 for float and narrower, with one NaN and one infinity. What would overflow is forbidden by further conditions;
// quotients and square roots are new variables with a product as condition. An approximation: what it gives has to be
// evaluated, and that it has no solution means nothing.
#ifndef VEER_SOLVER_FIXED_TERMS_H
#define VEER_SOLVER_FIXED_TERMS_H

#include "solver/slice.h"
#include "solver/solver.h"

// A number that is one word of input, and the variables of the pool `to` that hold it as a fixed-point number.
struct fixed_word {
	uint32_t vars[16]; // of the pool `from`, lowest byte first
	uint32_t n;
	uint32_t first; // of the variables of `to`, one behind the other
	unsigned width; // of the fixed-point number
};

struct fixed_terms {
	const struct expr_pool *from;
	struct expr_pool to;
	uint32_t *bits;  // per node of `from`: the node of `to`; 0: not yet
	uint32_t *fixed; // the same as a fixed-point number
	uint32_t n_nodes;
	struct condition_list more; // conditions of `to`: no overflow, quotients
	struct fixed_word *words;
	uint32_t n_words, max_words;
	uint32_t *var_of; // per variable of `to`: that of `from` + 1; 0: it is new
	uint32_t n_vars, max_vars;
	uint32_t fresh; // sources made
	unsigned depth;
};

void fixed_terms_init(struct fixed_terms *t, const struct expr_pool *from);
void fixed_terms_release(struct fixed_terms *t);
void fixed_terms_clear(struct fixed_terms *t); // ready for another query

// The condition in `to`, 0 when it cannot be written so: a function of libm, an operation on the bits of a float.
uint32_t fixed_condition(struct fixed_terms *t, uint32_t condition);

// Between the values of fixed-point numbers and the bits of floats.
eval_value fixed_from_float(eval_value bits, unsigned width, unsigned fixed_width, bool *ret_fits);
eval_value fixed_to_float(eval_value fixed, unsigned fixed_width, unsigned width);

#endif
