// The control flow of one function: blocks, dominators, loops. Checks that clang adds are none of the program's: what
// they lead to when they fail is no successor here.
#ifndef VEER_INSTRUMENT_FLOW_H
#define VEER_INSTRUMENT_FLOW_H

#include <assert.h>
#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "instrument/tracer.h"

enum { FLOW_NONE = UINT32_MAX };

struct flow_block {
	LLVMBasicBlockRef block;
	LLVMValueRef end; // NULL: it has no terminator yet
	uint32_t *preds, n_preds;
	uint32_t order;       // in reverse post order; FLOW_NONE: it is never reached
	uint32_t dominator;   // the nearest one, by number; its own: the function's first
	uint32_t point, call; // of the user: FLOW_NONE until then
	bool seen;            // scratch
};

struct flow {
	LLVMValueRef function;
	struct flow_block *v; // in the order of the function
	uint32_t n;
	struct label_map index; // block to number + 1
	uint32_t *ordered, n_ordered;
	uint32_t *headers, n_headers; // of loops; and who is in each
	uint8_t *bodies;              // n_headers times n
	uint32_t *stack;              // room for all blocks, for walks of the user
};

// The function has a body. Afterwards everything above is filled in but `point` and `call`.
void flow_init(struct flow *f, LLVMValueRef function);
void flow_release(struct flow *f);

// How many blocks follow block `b`, and the k-th of them; FLOW_NONE when a check of clang's leads there.
unsigned flow_successors(const struct flow *f, uint32_t b);
uint32_t flow_successor(const struct flow *f, uint32_t b, unsigned k);

// Whether block `b` is in the loop of this number.
static inline bool flow_in_loop(const struct flow *f, uint32_t loop, uint32_t b)
{
	assert(loop < f->n_headers && b < f->n);
	return f->bodies[(size_t)loop * f->n + b];
}

#endif
