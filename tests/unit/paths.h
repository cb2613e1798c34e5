// Random paths: conditions as programs make them on their way through some input, and
// the input that goes that way.
#ifndef VEER_TESTS_UNIT_PATHS_H
#define VEER_TESTS_UNIT_PATHS_H

#include "expr/expr.h"
#include "query.h"

struct path {
	struct expr_pool pool;
	uint8_t *bytes; // per variable of the pool
	uint32_t n_bytes;
	uint32_t *conditions; // all true of the bytes
	uint32_t n;
};

// `floats`: some conditions are about floating point.
void path_make(struct path *p, uint64_t *r, uint32_t n_bytes, uint32_t n_conditions, bool floats);
void path_release(struct path *p);

#endif
