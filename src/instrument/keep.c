#include "instrument/keep.h"

void keep_frames(struct module *m)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f))
		if (!LLVMGetIntrinsicID(f))
			LLVMAddTargetDependentFunctionAttr(f, "disable-tail-calls", "true");
}

// --- loads ---------------------------------------------------------------------------------

// Inside a variable, at an offset that the compiler knows: nothing can be wrong.
static bool is_safe(LLVMValueRef pointer)
{
	if (LLVMIsAGetElementPtrInst(pointer)) {
		for (unsigned i = 1, n = (unsigned)LLVMGetNumOperands(pointer); i < n; i++)
			if (!LLVMIsAConstantInt(LLVMGetOperand(pointer, i)))
				return false;
		pointer = LLVMGetOperand(pointer, 0);
	}
	return LLVMIsAAllocaInst(pointer) || LLVMIsAGlobalVariable(pointer);
}

enum { DEPTH = 8 };

// Nothing but arithmetic uses it, and nothing uses that.
static bool is_unused(LLVMValueRef value, unsigned depth)
{
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		bool computes = LLVMIsABinaryOperator(user) || LLVMIsACastInst(user) || LLVMIsACmpInst(user) ||
		                LLVMIsASelectInst(user) || LLVMIsAGetElementPtrInst(user) || LLVMIsAUnaryOperator(user);
		if (!computes || depth == DEPTH || !is_unused(user, depth + 1))
			return false;
	}
	return true;
}

void keep_loads(struct module *m, enum keep_loads which)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				if (LLVMIsALoadInst(i) && !is_safe(LLVMGetOperand(i, 0)) &&
				    (which == KEEP_ALL_LOADS || is_unused(i, 0)))
					LLVMSetVolatile(i, 1);
}
