// Whether a function writes memory that is not its own: what a stub in its place has to change
// (runtime/fragment/stub.c).
#include <string.h>

#include "instrument/shapes_internal.h"

static const char *const readers[] = {
#define READER(name) #name,
#include "abi/readers.def"
#undef READER
};

static bool is_reader(LLVMValueRef callee)
{
	size_t size;
	const char *name = LLVMGetValueName2(callee, &size);
	for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
		if (strcmp(readers[i], name) == 0)
			return true;
	return false;
}

// A variable of the function itself, or a part of one; or of a global, which counts by its name.
static bool is_known(LLVMValueRef address)
{
	for (unsigned depth = 0; depth < 64; depth++) {
		if (LLVMIsAAllocaInst(address) || LLVMIsAConstant(address))
			return true;
		if (!LLVMIsAGetElementPtrInst(address) && !LLVMIsABitCastInst(address))
			return false;
		address = LLVMGetOperand(address, 0);
	}
	return false;
}

static bool is_byte(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 8;
}

static bool passes(LLVMValueRef call)
{
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		LLVMValueRef v = LLVMGetOperand(call, i);
		if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind && !is_known(v))
			return true;
	}
	return false;
}

static uint32_t written_by_call(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (LLVMIsAInlineAsm(callee))
		return passes(call) ? SHAPE_WRITES | SHAPE_WRITES_TEXT : 0;
	if (!LLVMIsAFunction(callee) || strncmp(LLVMGetValueName2(callee, &(size_t){0}), "llvm.dbg.", 9) == 0)
		return 0;
	if (LLVMGetIntrinsicID(callee)) // memcpy and its like
		return passes(call) ? SHAPE_WRITES | SHAPE_WRITES_TEXT : 0;
	return LLVMIsDeclaration(callee) && !is_reader(callee) && passes(call) ? SHAPE_PASSES : 0;
}

uint32_t shapes_written(LLVMValueRef i)
{
	if (LLVMIsACallInst(i))
		return written_by_call(i);
	bool is_store = LLVMIsAStoreInst(i);
	if ((!is_store && !LLVMIsAAtomicRMWInst(i) && !LLVMIsAAtomicCmpXchgInst(i)) ||
	    is_known(LLVMGetOperand(i, is_store ? 1 : 0)))
		return 0;
	return is_byte(LLVMTypeOf(LLVMGetOperand(i, is_store ? 0 : 1))) ? SHAPE_WRITES_TEXT : SHAPE_WRITES;
}
