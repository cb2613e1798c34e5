// Nodes of debug information, read through LLVM-C: DWARF's tags, where the nodes have what. NULL and values that are no
// nodes have no operands and no tag.
#ifndef VEER_INSTRUMENT_DWARF_H
#define VEER_INSTRUMENT_DWARF_H

#include <llvm-c/Core.h>
#include <llvm/Config/llvm-config.h>

enum { // DWARF's
	TAG_ARRAY = 0x01,
	TAG_ENUM = 0x04,
	TAG_MEMBER = 0x0d,
	TAG_POINTER = 0x0f,
	TAG_STRUCT = 0x13,
	TAG_SUBROUTINE = 0x15,
	TAG_TYPEDEF = 0x16,
	TAG_UNION = 0x17,
	TAG_BASE = 0x24,
	TAG_CONST = 0x26,
	TAG_VOLATILE = 0x35,
	TAG_RESTRICT = 0x37,
	TAG_ATOMIC = 0x47,
};

enum {                  // operands
	NODE_SCOPE = 0, // of variables
	NODE_VARIABLE_NAME = 1,
	NODE_VARIABLE_TYPE = 3,
	NODE_NAME = 2,                               // of types
	NODE_BASE = LLVM_VERSION_MAJOR < 21 ? 3 : 5, // behind size and offset; of a function's type: result, parameters
	NODE_ELEMENTS = NODE_BASE + 1,
	NODE_FUNCTION_TYPE = 4, // of subprograms
	NODE_RETAINED = 7,
};

unsigned dwarf_tag(LLVMValueRef node); // 0: none
unsigned dwarf_operands(LLVMValueRef node);
LLVMValueRef dwarf_operand(LLVMValueRef node, unsigned index); // NULL: there is none

// The node of a global variable; NULL: it has none.
LLVMValueRef dwarf_variable_of(LLVMContextRef context, LLVMValueRef global);

#endif
