// Checks of operations on floats that --checks=fp asks for (FLOAT_CHECK in abi/checks.def). IEEE 754 defines what these
// operations give, so clang has no checks of them: this makes the conditions. What becomes of one that does not hold is
// the variant's business.
#ifndef VEER_INSTRUMENT_FLOAT_CHECKS_H
#define VEER_INSTRUMENT_FLOAT_CHECKS_H

#include <llvm-c/Core.h>

// Gets each check: `fine` is a condition that stands behind the operation `at`, and `builder` behind that; they are in
// the same block. May end the block there, when the rest goes on in the block that had all of it.
typedef void float_checks_emit(void *opaque, LLVMBuilderRef builder, LLVMValueRef at, LLVMValueRef fine, unsigned kind);

// Of all functions of the module, in the order of their blocks. What it builds is marked as clang marks its checks.
void float_checks_make(LLVMModuleRef module, float_checks_emit *emit, void *opaque);

#endif
