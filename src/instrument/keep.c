#include "instrument/keep.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

// What permits LLVM to drop a call whose result is not used, or to know what it does by its name.
static const char *const promises[] = {"memory", "willreturn", "allockind", "allocsize", "speculatable"};
enum { PROMISES = sizeof promises / sizeof *promises };

static void promise_kinds(unsigned kinds[PROMISES])
{
	for (size_t i = 0; i < PROMISES; i++)
		kinds[i] = LLVMGetEnumAttributeKindForName(promises[i], strlen(promises[i]));
}

// A tail call takes its caller's frame away, and with it the place of what the callee reports.
static void keep_function(struct module *m, LLVMValueRef f, const unsigned kinds[PROMISES])
{
	if (LLVMGetIntrinsicID(f))
		return;
	LLVMAddTargetDependentFunctionAttr(f, "disable-tail-calls", "true");
	LLVMAttributeRef no_builtins = LLVMCreateStringAttribute(m->context, "no-builtins", 11, "", 0);
	LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, no_builtins);
	for (size_t i = 0; i < PROMISES; i++)
		LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kinds[i]);
}

static bool is_intrinsic(LLVMValueRef call)
{
	LLVMValueRef f = LLVMGetCalledValue(call);
	return LLVMIsAFunction(f) && LLVMGetIntrinsicID(f);
}

void keep_calls(struct module *m)
{
	unsigned kinds[PROMISES];
	promise_kinds(kinds);
	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f)) {
		keep_function(m, f, kinds);
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
				if (!LLVMIsACallInst(i) || is_intrinsic(i))
					continue;
				for (size_t k = 0; k < PROMISES; k++)
					LLVMRemoveCallSiteEnumAttribute(i, LLVMAttributeFunctionIndex, kinds[k]);
			}
	}
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
