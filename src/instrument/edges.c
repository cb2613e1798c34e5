#include "instrument/edges.h"

#include <assert.h>
#include <llvm-c/DebugInfo.h>

bool edges_only_from(LLVMBasicBlockRef block, LLVMValueRef end)
{
	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use))
		if (LLVMGetUser(use) != end)
			return false;
	return true;
}

LLVMBasicBlockRef edges_make_way(LLVMValueRef end, LLVMBasicBlockRef target)
{
	assert(!LLVMIsAPHINode(LLVMGetFirstInstruction(target)));
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(LLVMGetBasicBlockParent(target)));
	LLVMBasicBlockRef way = LLVMInsertBasicBlockInContext(context, target, "");
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderAtEnd(builder, way);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(end));
	LLVMBuildBr(builder, target);
	LLVMDisposeBuilder(builder);
	for (unsigned k = 0, n = LLVMGetNumSuccessors(end); k < n; k++)
		if (LLVMGetSuccessor(end, k) == target)
			LLVMSetSuccessor(end, k, way);
	return way;
}

LLVMValueRef edges_first_instruction(LLVMBasicBlockRef block)
{
	LLVMValueRef i = LLVMGetFirstInstruction(block);
	while (LLVMIsAPHINode(i) || LLVMIsAAllocaInst(i) || LLVMIsALandingPadInst(i))
		i = LLVMGetNextInstruction(i);
	return i;
}
