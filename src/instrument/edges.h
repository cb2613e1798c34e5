// Places in a function's control flow where something can be put.
#ifndef VEER_INSTRUMENT_EDGES_H
#define VEER_INSTRUMENT_EDGES_H

#include <llvm-c/Core.h>
#include <stdbool.h>

// Whether all ways to the block start at `end`, which ends another one.
bool edges_only_from(LLVMBasicBlockRef block, LLVMValueRef end);

// Makes a block between a switch and its target, which has no phis, for all cases that lead there.
LLVMBasicBlockRef edges_make_way(LLVMValueRef end, LLVMBasicBlockRef target);

// Where the program's own instructions start.
LLVMValueRef edges_first_instruction(LLVMBasicBlockRef block);

#endif
