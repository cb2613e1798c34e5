// Loops that the optimiser would let read memory only once.
#include <llvm-c/DebugInfo.h>

#include "instrument/module.h"
#include "instrument/undefined.h"

// Does the program change memory here, or let others do it?
static bool acts(LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
		if (LLVMIsAStoreInst(i) && !LLVMIsAAllocaInst(module_base(LLVMGetOperand(i, 1))))
			return true;
		if (module_is_call(i) && !module_is_intrinsic(LLVMGetCalledValue(i)))
			return true;
		if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
			return true;
	}
	return false;
}

// Is that a way back in a loop that only reads? clang puts the blocks of a loop one behind the other.
static bool waits(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
	while (to && to != from && !acts(to))
		to = LLVMGetNextBasicBlock(to);
	return to == from && !acts(from);
}

// Such a loop may wait for what a signal handler or another thread writes: it reads memory each time.
static void read_again(LLVMBuilderRef builder, LLVMContextRef context, LLVMValueRef function)
{
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, 0);
	LLVMAttributeRef nounwind = LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName("nounwind", 8), 0);
	LLVMValueRef text = LLVMGetInlineAsm(type, "", 0, "~{memory}", 9, 1, 0, LLVMInlineAsmDialectATT, 0);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
		for (unsigned k = 0, n = module_branches(end) || module_jumps(end) ? LLVMGetNumSuccessors(end) : 0;
		     k < n; k++) {
			if (!waits(b, LLVMGetSuccessor(end, k)))
				continue;
			LLVMPositionBuilderBefore(builder, end);
			LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(end));
			LLVMValueRef call = LLVMBuildCall2(builder, type, text, NULL, 0, "");
			LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, nounwind);
			break;
		}
	}
}

void undefined_read_again(LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		read_again(builder, context, f);
	LLVMDisposeBuilder(builder);
}
