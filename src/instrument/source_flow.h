// The control flow of a function as its source has it, read from the code that clang made of it, before any pass.
//
// Two things that clang adds decide nothing in the source and are not in the graph. Branches of sanitizer checks: what
// is behind a check follows at once. And joins before a scope is left (destructors of variables' lifetimes), where
// clang notes in a variable of its own where to go on, and a switch behind the join goes there:
//
//     store 1, slot ──┐                        ┌── case 1: return
//     store 4, slot ──┼── lifetime.end; switch ┼── case 4: for.inc      the graph has a node of `cleanup` for each
//     store 0, slot ──┘        (cleanup)       └── case 0: behind       number, so that only three paths lead through
#ifndef VEER_INSTRUMENT_SOURCE_FLOW_H
#define VEER_INSTRUMENT_SOURCE_FLOW_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "instrument/tracer.h"

enum { SOURCE_NONE = UINT32_MAX };

struct source_edge {
	uint32_t to;        // node
	unsigned successor; // of the instruction that ends the block: the first that leads there
};

struct source_node {
	LLVMBasicBlockRef block;
	LLVMValueRef end;           // what ends it
	uint64_t state;             // 0, or 1 + the number in clang's variable
	struct source_edge *edges;  // to different nodes
	uint32_t n, room;           // n == 0: control leaves the function, or ends, here
	bool computed;              // the edges are of a computed goto: none differs from another
	uint32_t *before, n_before; // nodes with edges to this one
};

struct source_flow {
	LLVMValueRef function;
	struct source_node *v; // v[0]: where the function begins. Only what can be reached
	uint32_t n, room;
	struct label_map index; // of blocks: number + 1 of the first node
	uint32_t *same;         // the next node of the same block; SOURCE_NONE: there is none
};

// `joins`: false leaves clang's joins as they are.
struct source_flow *source_flow_new(LLVMValueRef function, bool joins);
void source_flow_free(struct source_flow *f);

// The first node of a block; SOURCE_NONE when the block is not in the graph.
uint32_t source_node_of(const struct source_flow *f, LLVMBasicBlockRef block);

#endif
