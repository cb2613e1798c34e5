// Local variables, as debug information has them. Up to LLVM 20 it can be written as calls (llvm.dbg.declare and its
// like); later there are only records, which hang on instructions and come along when these are moved.
#ifndef VEER_INSTRUMENT_VARIABLES_H
#define VEER_INSTRUMENT_VARIABLES_H

#include <llvm-c/Core.h>

// Tells of each variable that lives in memory: where, and the node that describes it. With LLVM 21, whose C API cannot
// read records, of none.
void variables_each(LLVMModuleRef module, void (*found)(LLVMValueRef place, LLVMValueRef node, void *opaque),
                    void *opaque);

// Tells of each label of the source: the block that it is at, and its location (NULL from LLVM 22 on). With LLVM 21, of
// none.
void labels_each(LLVMModuleRef module, void (*found)(LLVMBasicBlockRef block, LLVMMetadataRef at, void *opaque),
                 void *opaque);

// Drops what debug information says about where variables live, after giving those in memory their names. Source
// lines are all that variants need, and this is a large part of the time and size of code generation.
void variables_drop(LLVMModuleRef module);

#endif
