// For the methods of don't-care analysis: conditions that share inputs, as literals of a
// graph. A method takes bits out of `care`; between any two steps of it, `care` is right.
#ifndef VEER_SOLVER_CARE_SLICE_H
#define VEER_SOLVER_CARE_SLICE_H

#include "solver/blast.h"
#include "solver/cnf.h"
#include "solver/solver.h"

// Sets of bits of a byte.
struct care_sets {
	uint64_t has[4];
};

// All 0 between uses.
struct care_scratch {
	uint32_t *numbers; // per node of the graph
	uint32_t n;
};

struct care_slice {
	struct solver_env *env;
	struct care_scratch *scratch;
	struct aig *aig; // grows when a method adds to it
	struct cnf *cnf; // for use by a method
	const uint8_t *bytes;
	const uint32_t *place_of; // per variable of the pool: where it is in `vars`, if it is there
	const aig_lit *roots;     // none constant; all true under the assignment
	uint32_t n_roots;
	const uint32_t *vars;
	uint32_t n;
	uint8_t *care; // per variable of the slice: relevant bits; all, to begin with
	// Per variable: which sets of bits may be left open, for all that conditions of this variable alone
	// say. With a set all its subsets are in it. These conditions are not among the roots.
	const struct care_sets *open;
};

void care_dcc_plain(struct care_slice *s);
void care_lm_plain(struct care_slice *s);
void care_dcc(struct care_slice *s);
void care_lm(struct care_slice *s);
void care_justify(struct care_slice *s);
void care_ternary(struct care_slice *s);
void care_core(struct care_slice *s);
void care_prime(struct care_slice *s);

static inline bool care_has_set(const struct care_sets *sets, uint8_t set)
{
	return sets->has[set / 64] >> set % 64 & 1;
}

// Whether these bits of the variable suffice for the conditions of it alone.
static inline bool care_suffices(const struct care_slice *s, uint32_t place, uint8_t bits)
{
	return care_has_set(&s->open[place], (uint8_t)~bits);
}

// The smallest set of bits whose complement is one of the sets and that lies between the two; that of `within` is.
uint8_t care_complete(const struct care_sets *open, uint8_t needed, uint8_t within);

// A bit of the slice: 8 * place of its variable + bit.
static inline uint32_t care_bit_of(const struct care_slice *s, uint32_t aig_input)
{
	return 8 * s->place_of[aig_input / 8] + aig_input % 8;
}

#endif
