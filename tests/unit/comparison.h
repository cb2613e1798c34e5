// Chains of solvers (solver/chain.h), compared with Z3 on random queries.
#ifndef VEER_TESTS_UNIT_COMPARISON_H
#define VEER_TESTS_UNIT_COMPARISON_H

#include "query.h"
#include "solver/solver.h"

struct comparison {
	bool floats; // also operators on floats; set by the caller
	uint64_t queries;
	uint64_t answers[2][3];  // of Z3, of the chain; by enum answer
	uint64_t nanoseconds[2]; // likewise
	uint64_t simple[3];      // by Z3's answer: of queries that simplification alone does not answer
	uint64_t disagreements;  // also: models under which the conditions do not hold
	char *text;              // the first of them, as SMT-LIB; the caller frees it
	uint64_t seed;           // and its generator
};

// Random queries of one generator through the chain and through Z3 in this process, each with that time limit.
void comparison_run(struct comparison *c, const char *chain, uint64_t seed, unsigned queries, uint64_t nanoseconds);

#endif
