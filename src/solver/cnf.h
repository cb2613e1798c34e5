// Clauses of some literals of an AIG: what a SAT solver reads.
//
// Only what the roots need gets a variable, and of a gate's definition only the
// direction that is needed (Plaisted and Greenbaum); XORs, multiplexers and larger ANDs
// are recognised. A variable is the *difference* from the value that its node has under
// a given assignment: with all variables false everything is as it was there.
#ifndef VEER_SOLVER_CNF_H
#define VEER_SOLVER_CNF_H

#include "solver/aig.h"

// Read only, for those outside of cnf.c.
struct cnf {
	const struct aig *aig;
	uint32_t *slot_of; // per node of the graph: its place in the arrays below + 1; 0: not in the cone
	uint32_t n_slot_of;
	uint32_t *nodes; // the cone: nodes, operands first
	uint8_t *values; // what they are under the assignment
	uint8_t *needed; // which directions
	uint8_t *known;  // enum cnf_known: what follows by propagation alone
	uint32_t *uses;
	int *vars; // variable of a node, from 1 on; 0: it has none
	uint32_t n, max;
	aig_lit *roots; // conjunctions taken apart
	uint32_t n_roots, max_roots;
	uint32_t *met; // nodes of roots and of what they were taken apart from
	uint32_t n_met, max_met;
	int *clauses; // each ends with 0
	uint32_t n_clauses, max_clauses;
	uint32_t clause_at; // where the clause begins that is being written
	bool clause_true;
	int n_vars;
	uint32_t *stack;
	uint32_t max_stack;
	bool (*stop)(void *opaque); // NULL: nobody; asked between rounds of propagation whether to go on
	void *opaque;
};

void cnf_init(struct cnf *c, const struct aig *g);
void cnf_release(struct cnf *c);

enum cnf_known { CNF_OPEN, CNF_IS_FALSE, CNF_IS_TRUE };
enum cnf_result { CNF_CONTRADICTION, CNF_HOLDS, CNF_CLAUSES };

// Makes the clauses that say that all roots are true. `seed` has a byte per variable of the pool, that is
// bits of inputs 8 * variable + bit. Returns whether all roots are true under it already. No root may be
// constant.
bool cnf_make(struct cnf *c, const aig_lit *roots, uint32_t n, const uint8_t *seed);

// The same, but first propagates through the graph what the roots require: what is known then needs neither
// variable nor clause (see `known`), and a contradiction may show at once. CNF_HOLDS: all roots are true
// under the seed; no clauses are made.
enum cnf_result cnf_make_reduced(struct cnf *c, const aig_lit *roots, uint32_t n, const uint8_t *seed);

#endif
