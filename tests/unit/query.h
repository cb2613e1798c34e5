// Random expressions and queries, for tests of solvers.
#ifndef VEER_TESTS_UNIT_QUERY_H
#define VEER_TESTS_UNIT_QUERY_H

#include "base/random.h"
#include "expr/expr.h"

// Random numbers are base/random.h's, so that a seed says everything.
uint32_t random_below(uint64_t *state, uint32_t limit);

enum { QUERY_BYTES = 8, QUERY_CONDITIONS = 12 };

struct generator {
	uint64_t random;
	struct expr_pool *pool;
	unsigned n_bytes;           // variables 0 .. n_bytes - 1 of the pool are used
	uint8_t bytes[QUERY_BYTES]; // the assignment that some of the conditions are made for
	uint32_t inputs[QUERY_BYTES];
	bool floats;       // also operators on floats
	uint32_t made[16]; // expressions to take up again, so that queries share parts
	unsigned n_made;
};

// `bytes`: how many input bytes, up to QUERY_BYTES. The pool has to be empty, or of another generator.
void generator_init(struct generator *g, struct expr_pool *p, uint64_t seed, unsigned bytes);

// A random expression of that width, 1 to 128 bits, or a float (32, 64, 80). Larger depth: larger expression.
uint32_t generator_expr(struct generator *g, unsigned width, unsigned depth);
uint32_t generator_float(struct generator *g, unsigned width, unsigned depth);
eval_value generator_number(struct generator *g, unsigned width); // often an extreme one

// A random query: fills in up to QUERY_CONDITIONS conditions, returns how many. About half of them are made to hold
// for g->bytes, which are new each time; most others have a contradiction in them. Small enough for a bit-blaster:
// multiplications and divisions are narrow or have a constant operand.
uint32_t generator_query(struct generator *g, uint32_t *conditions);

// Of the bytes `inputs`, 33 at least: those from `first` on, as a value of that width.
uint32_t query_word(struct expr_pool *p, const uint32_t *inputs, unsigned width, unsigned first);
// A node of any operator but CONST, INPUT and LOOKUP, over such values.
uint32_t query_node(struct expr_pool *p, const uint32_t *inputs, unsigned op, unsigned w, uint64_t *r);

#endif
