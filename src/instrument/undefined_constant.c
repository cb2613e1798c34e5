// Constants of a unit without `undef` and without promises of their addresses.
#include <assert.h>
#include <stdbool.h>

#include "base/mem.h"
#include "instrument/undefined.h"

static unsigned count_members(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMStructTypeKind: return LLVMCountStructElementTypes(type);
	case LLVMArrayTypeKind: return (unsigned)LLVMGetArrayLength2(type);
	case LLVMVectorTypeKind: return LLVMGetVectorSize(type);
	default: return 0;
	}
}

static LLVMValueRef constant_aggregate(LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	unsigned n = count_members(type);
	LLVMValueRef *members = mem_zero((n + 1) * sizeof(LLVMValueRef));
	bool changed = false;
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef old = LLVMGetAggregateElement(v, i);
		members[i] = undefined_constant(old);
		changed |= members[i] != old;
	}
	LLVMValueRef r = v;
	if (changed && LLVMGetTypeKind(type) == LLVMStructTypeKind)
		r = LLVMConstNamedStruct(type, members, n);
	else if (changed && LLVMGetTypeKind(type) == LLVMArrayTypeKind)
		r = LLVMConstArray2(LLVMGetElementType(type), members, n);
	else if (changed)
		r = LLVMConstVector(members, n);
	mem_free(members);
	return r;
}

static LLVMValueRef constant_address(LLVMValueRef v)
{
	unsigned n = (unsigned)LLVMGetNumOperands(v) - 1;
	LLVMValueRef *index = mem_zero((n + 1) * sizeof(LLVMValueRef));
	for (unsigned i = 0; i < n; i++)
		index[i] = undefined_constant(LLVMGetOperand(v, i + 1));
	LLVMValueRef r =
		LLVMConstGEP2(LLVMGetGEPSourceElementType(v), undefined_constant(LLVMGetOperand(v, 0)), index, n);
	mem_free(index);
	return r;
}

LLVMValueRef undefined_constant(LLVMValueRef v)
{
	assert(LLVMIsConstant(v));
	if (LLVMIsUndef(v))
		return LLVMConstNull(LLVMTypeOf(v));
	if (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr)
		return constant_address(v);
	if (LLVMIsAConstantStruct(v) || LLVMIsAConstantArray(v) || LLVMIsAConstantVector(v))
		return constant_aggregate(v);
	return v;
}

void undefined_operands(LLVMValueRef i)
{
	if (LLVMIsAInsertValueInst(i) || LLVMIsAInsertElementInst(i) || LLVMIsAShuffleVectorInst(i))
		return;
	for (unsigned k = 0, n = (unsigned)LLVMGetNumOperands(i); k < n; k++) {
		LLVMValueRef old = LLVMGetOperand(i, k), v = old && LLVMIsConstant(old) ? undefined_constant(old) : old;
		if (v != old)
			LLVMSetOperand(i, k, v);
	}
}
