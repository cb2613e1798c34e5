#include "instrument/dwarf.h"

#include <assert.h>
#include <llvm-c/DebugInfo.h> // LLVMGetDINodeTag

#include "base/mem.h"

unsigned dwarf_tag(LLVMValueRef node)
{
	return dwarf_operands(node) ? LLVMGetDINodeTag(LLVMValueAsMetadata(node)) : 0;
}

unsigned dwarf_operands(LLVMValueRef node)
{
	return node && LLVMIsAMDNode(node) ? LLVMGetMDNodeNumOperands(node) : 0;
}

LLVMValueRef dwarf_operand(LLVMValueRef node, unsigned index)
{
	unsigned n = dwarf_operands(node);
	if (index >= n)
		return NULL;
	LLVMValueRef *all = mem_zero(n * sizeof *all);
	LLVMGetMDNodeOperands(node, all);
	LLVMValueRef found = all[index];
	mem_free(all);
	return found;
}

LLVMValueRef dwarf_variable_of(LLVMContextRef context, LLVMValueRef global)
{
	assert(LLVMIsAGlobalVariable(global));
	size_t n = 0;
	LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(global, &n);
	LLVMValueRef found = NULL;
	for (unsigned i = 0; all && i < n && !found; i++) {
		LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(all, i);
		if (LLVMGetMetadataKind(node) == LLVMDIGlobalVariableExpressionMetadataKind)
			found = LLVMMetadataAsValue(context, LLVMDIGlobalVariableExpressionGetVariable(node));
	}
	if (all)
		LLVMDisposeValueMetadataEntries(all);
	return found;
}
