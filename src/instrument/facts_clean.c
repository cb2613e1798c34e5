// Checks of undefined behaviour out of the code: they depend on layouts and sizes that the program does not see.
#include "base/mem.h"
#include "instrument/facts_internal.h"
#include "instrument/site.h"

// The successor that is no trap; NULL: the branch is of the program.
static LLVMBasicBlockRef way_on(LLVMValueRef end)
{
	if (!module_branches(end))
		return NULL;
	LLVMBasicBlockRef yes = LLVMGetSuccessor(end, 0), no = LLVMGetSuccessor(end, 1);
	if (site_trap_block(no) >= 0)
		return yes;
	return site_trap_block(yes) >= 0 ? no : NULL;
}

static void straighten(LLVMValueRef function, LLVMBuilderRef builder)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
		LLVMBasicBlockRef next = end ? way_on(end) : NULL;
		if (!next)
			continue;
		LLVMPositionBuilderBefore(builder, end);
		LLVMBuildBr(builder, next);
		LLVMInstructionEraseFromParent(end);
	}
}

static bool is_pure(LLVMValueRef i)
{
	if (LLVMIsATerminatorInst(i) || LLVMIsAStoreInst(i) || LLVMIsAAllocaInst(i))
		return false;
	return !module_is_call(i) || (LLVMIsACallInst(i) && module_is_intrinsic(LLVMGetCalledValue(i)));
}

// From the last to the first: what an instruction needed is unused once it is gone.
static void sweep(LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetLastBasicBlock(function); b; b = LLVMGetPreviousBasicBlock(b))
		for (LLVMValueRef i = LLVMGetLastInstruction(b), before; i; i = before) {
			before = LLVMGetPreviousInstruction(i);
			if (site_is_sanitizer(i) && !LLVMGetFirstUse(i) && is_pure(i))
				LLVMInstructionEraseFromParent(i);
		}
}

void facts_drop_checks(LLVMModuleRef module)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		straighten(f, builder);
		sweep(f);
	}
	LLVMDisposeBuilder(builder);
}
