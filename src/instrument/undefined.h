// Takes away from a unit what the optimiser could conclude from undefined behaviour of its source.
#ifndef VEER_INSTRUMENT_UNDEFINED_H
#define VEER_INSTRUMENT_UNDEFINED_H

#include <llvm-c/Core.h>

// Applies undefined.def to the functions and variables of a module. Afterwards every instruction computes what
// the processor computes, whatever its operands are, and null is an address like any other. Needs: a valid module.
// AddressSanitizer has to run before, because it needs lifetimes and alignments; other passes after it.
void undefined_define(LLVMModuleRef module);

// Loops that only read may wait for a signal handler or another thread, although what they read is neither volatile nor
// atomic: they read memory each time. Traced code does so anyway, for each load may call the runtime.
void undefined_read_again(LLVMModuleRef module);

// Parts of undefined_define, in undefined_constant.c: the constant without `undef` (padding, values that were never
// written), which is 0, and without promises; and the same for the constant operands of an instruction. Bases of what
// is put together member by member stay: they cost nothing and nobody sees them.
LLVMValueRef undefined_constant(LLVMValueRef constant);
void undefined_operands(LLVMValueRef instruction);

#endif
