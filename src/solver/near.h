// Solutions near the seed: settings of the near stage (near_new), what it did, and
// conditions that make solutions look like inputs.
#ifndef VEER_SOLVER_NEAR_H
#define VEER_SOLVER_NEAR_H

#include "solver/solver.h"

// What is done for one query at most.
enum {
	NEAR_STEPS = 1 << 22, // evaluated steps of a tape, to put bytes back
	NEAR_ASKS = 8,        // queries to the next stage beyond the first, because of wishes
};

// Conditions that models should fulfil if they can, the most wished for first. A wish is granted when it
// is possible together with the query and the wishes granted before it. Only wishes that share a variable
// with the query count. The list is copied; it stays until the next call. (What must hold is no wish:
// it belongs to the query.)
void near_set_wishes(struct solver *near, const uint32_t *conditions, uint32_t n);

struct near_counts {
	uint64_t models;
	uint64_t changed_before;   // bytes that differ from the seed, in the models that came
	uint64_t changed_after;    // and in those that went out
	uint64_t nicer;            // bytes that got a printable value instead of one that is not
	uint64_t limited;          // models that are perhaps not minimal: the limit ended it
	uint64_t steps;            // evaluated
	uint64_t granted, refused; // wishes
	uint64_t asks;             // beyond the first, because of wishes
};
struct near_counts near_counts(const struct solver *near);

// --- conditions, for wishes and for queries. They may add variables to the pool: the seed of a query
// must cover them.

// The byte is printable ASCII, or what it was.
uint32_t near_printable(struct expr_pool *p, uint32_t byte, uint8_t was);

// The input keeps its length: of a string, no terminator before byte `length`, and one there; of a length
// (INPUT_LENGTH, INPUT_COUNT), its value. Others have none: true.
uint32_t near_same_length(struct expr_pool *p, uint32_t source, uint32_t length);

// Bytes `from` to `from + n - 1` of a source are whole, valid UTF-8 sequences (RFC 3629).
uint32_t near_utf8(struct expr_pool *p, uint32_t source, uint32_t from, uint32_t n);

#endif
