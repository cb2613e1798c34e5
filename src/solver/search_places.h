// What the search for floats moves: words of input bytes that are used as one number, single bytes, decimal numbers.
#ifndef VEER_SOLVER_SEARCH_PLACES_H
#define VEER_SOLVER_SEARCH_PLACES_H

#include "expr/tape.h"

enum { PLACE_BYTES = 16 };

// The bytes of a number, the lowest first: variables of the pool.
struct place {
	uint32_t vars[PLACE_BYTES];
	uint32_t n;
	bool is_float;
};

struct places {
	struct place *all; // words, then the bytes
	uint32_t n, max;
	uint32_t *order; // variables of the tape by source and offset
	uint32_t n_order, max_order;
	eval_value *constants; // floats that are in the expressions, with their widths
	uint8_t *widths;
	uint32_t n_constants, max_constants;
};

void search_places_find(struct places *p, const struct tape *t); // in place of those of before
void search_places_release(struct places *p);

// The decimal number that the variable is a digit of: its digits, the last one first. 0: it is none.
uint32_t search_places_decimal(const struct places *p, const struct tape *t, uint32_t var, struct place *ret);

#endif
