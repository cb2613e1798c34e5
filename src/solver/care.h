// Don't-care analysis: which bits of an assignment are relevant to conditions that it satisfies. The don't-care bits
// can have any values, all at once: the conditions stay true.
//
// Every answer is right; methods (care.def) differ in how few bits they leave and in time. What an answer could not
// examine within the limits is left as relevant.
#ifndef VEER_SOLVER_CARE_H
#define VEER_SOLVER_CARE_H

#include "solver/solver.h"

enum care_method {
#define CARE(NAME, name, function, plain, limit, what) CARE_##NAME,
#include "solver/care.def"
#undef CARE
	CARE_METHODS,
	CARE_DEFAULT = CARE_MIXED
};

const char *care_method_name(enum care_method method);
const char *care_method_what(enum care_method method);
bool care_method_find(const char *name, enum care_method *ret); // false: there is none of that name

// The relevant bits. Reusable; all zero to begin with.
struct care {
	uint8_t *masks; // per variable of the pool
	uint32_t n, max;
};

void care_release(struct care *c);
uint32_t care_bits(const struct care *c);  // that matter
uint32_t care_bytes(const struct care *c); // with a relevant bit

// Keeps memory from one call to the next, and nothing else: the same query has the same answer. The pool
// may grow between calls.
struct care_solver;
struct care_solver *care_new(struct solver_env *env);
void care_free(struct care_solver *s);

// Conditions are of the pool, one bit wide; they are simplified first, which adds nodes to the pool.
// `bytes` has a value for every variable of the pool. The limits of the environment hold for the whole
// call; env->reason says afterwards whether one was met (SOLVER_NONE: none). Returns false when the
// assignment does not satisfy the conditions: then everything matters.
bool care_find(struct care *ret, struct care_solver *s, const uint32_t *conditions, uint32_t n, const uint8_t *bytes,
               enum care_method method);

#endif
