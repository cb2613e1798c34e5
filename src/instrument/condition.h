// What a branch or switch of the source decides by (the flags of abi/graph.h).
#ifndef VEER_INSTRUMENT_CONDITION_H
#define VEER_INSTRUMENT_CONDITION_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#include "instrument/tracer.h"

struct condition {
	unsigned flags;            // GRAPH_LOCAL and those behind it
	unsigned budget;           // of instructions that are still looked at
	struct value_list results; // functions of the outside whose results it uses, each once; the caller frees its v
};

// `end`: a branch with a condition, or a switch.
struct condition condition_of(LLVMValueRef end);

// Whether the instruction calls a function that the unit does not define.
bool condition_outside(LLVMValueRef instruction);

#endif
