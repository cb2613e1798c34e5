// Operations that are made of simpler ones, before instrumentation: each is replaced by
// arithmetic that labels pass. LLVM finds the short forms again where the processor has
// them.
#include <string.h>

#include "instrument/tracer.h"

static LLVMValueRef number(LLVMTypeRef type, unsigned long long value)
{
	return LLVMConstInt(type, value, 0);
}

static LLVMValueRef shift_left(struct tracer *t, LLVMValueRef v, unsigned by)
{
	return LLVMBuildShl(t->builder, v, number(LLVMTypeOf(v), by), "");
}

static LLVMValueRef shift_right(struct tracer *t, LLVMValueRef v, unsigned by)
{
	return LLVMBuildLShr(t->builder, v, number(LLVMTypeOf(v), by), "");
}

// All bits of the sign, or all of a truth value.
static LLVMValueRef sign_of(struct tracer *t, LLVMValueRef v)
{
	return LLVMBuildAShr(t->builder, v, number(LLVMTypeOf(v), LLVMGetIntTypeWidth(LLVMTypeOf(v)) - 1), "");
}

static LLVMValueRef all_bits(struct tracer *t, LLVMValueRef truth, LLVMTypeRef type)
{
	return LLVMBuildSExt(t->builder, truth, type, "");
}

static LLVMValueRef swap_bytes(struct tracer *t, LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	unsigned bytes = LLVMGetIntTypeWidth(type) / 8;
	LLVMValueRef whole = NULL;
	for (unsigned i = 0; i < bytes; i++) {
		LLVMValueRef byte = LLVMBuildAnd(t->builder, shift_right(t, v, 8 * i), number(type, 255), "");
		byte = shift_left(t, byte, 8 * (bytes - 1 - i));
		whole = whole ? LLVMBuildOr(t->builder, whole, byte, "") : byte;
	}
	return whole;
}

// Neighbours change places: bits, pairs, nibbles; then bytes.
static LLVMValueRef reverse_bits(struct tracer *t, LLVMValueRef v)
{
	static const unsigned long long masks[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f};
	LLVMTypeRef type = LLVMTypeOf(v);
	for (unsigned i = 0; i < 3; i++) {
		LLVMValueRef mask = number(type, masks[i]);
		LLVMValueRef high = LLVMBuildAnd(t->builder, shift_right(t, v, 1u << i), mask, "");
		LLVMValueRef low = shift_left(t, LLVMBuildAnd(t->builder, v, mask, ""), 1u << i);
		v = LLVMBuildOr(t->builder, high, low, "");
	}
	return swap_bytes(t, v);
}

// The high (or low) half of two words that are shifted as one. Shifting by the whole
// width is undefined, so one place is shifted apart.
static LLVMValueRef funnel(struct tracer *t, LLVMValueRef a, LLVMValueRef b, LLVMValueRef by, bool left)
{
	LLVMTypeRef type = LLVMTypeOf(a);
	unsigned width = LLVMGetIntTypeWidth(type);
	LLVMValueRef places = LLVMBuildAnd(t->builder, by, number(type, width - 1), "");
	LLVMValueRef rest = LLVMBuildXor(t->builder, places, number(type, width - 1), "");
	LLVMValueRef high = left ? LLVMBuildShl(t->builder, a, places, "")
	                         : LLVMBuildShl(t->builder, shift_left(t, a, 1), rest, "");
	LLVMValueRef low = left ? LLVMBuildLShr(t->builder, shift_right(t, b, 1), rest, "")
	                        : LLVMBuildLShr(t->builder, b, places, "");
	return LLVMBuildOr(t->builder, high, low, "");
}

static LLVMValueRef saturate(struct tracer *t, LLVMValueRef a, LLVMValueRef b, bool is_signed, bool add)
{
	LLVMTypeRef type = LLVMTypeOf(a);
	unsigned width = LLVMGetIntTypeWidth(type);
	LLVMValueRef r = add ? LLVMBuildAdd(t->builder, a, b, "") : LLVMBuildSub(t->builder, a, b, "");
	if (!is_signed) {
		LLVMValueRef over = add ? LLVMBuildICmp(t->builder, LLVMIntULT, r, a, "")
		                        : LLVMBuildICmp(t->builder, LLVMIntULT, a, b, "");
		LLVMValueRef mask = all_bits(t, over, type);
		return add ? LLVMBuildOr(t->builder, r, mask, "")
		           : LLVMBuildAnd(t->builder, r, LLVMBuildNot(t->builder, mask, ""), "");
	}
	// It overflows when the result's sign differs from a's and, for a sum, from b's; for a
	// difference when a's and b's differ, too.
	LLVMValueRef first = LLVMBuildXor(t->builder, r, a, "");
	LLVMValueRef second = add ? LLVMBuildXor(t->builder, r, b, "") : LLVMBuildXor(t->builder, a, b, "");
	LLVMValueRef mask = sign_of(t, LLVMBuildAnd(t->builder, first, second, ""));
	LLVMValueRef largest = LLVMConstInt(type, width > 63 ? ~0ull >> 1 : (1ull << (width - 1)) - 1, 0);
	LLVMValueRef limit = LLVMBuildXor(t->builder, sign_of(t, a), largest, "");
	LLVMValueRef kept = LLVMBuildAnd(t->builder, r, LLVMBuildNot(t->builder, mask, ""), "");
	return LLVMBuildOr(t->builder, kept, LLVMBuildAnd(t->builder, limit, mask, ""), "");
}

static LLVMValueRef absolute(struct tracer *t, LLVMValueRef v)
{
	LLVMValueRef mask = sign_of(t, v);
	return LLVMBuildSub(t->builder, LLVMBuildXor(t->builder, v, mask, ""), mask, "");
}

static bool fuses(LLVMValueRef function)
{
	LLVMAttributeRef features =
		LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, "target-features", 15);
	return features && strstr(LLVMGetStringAttributeValue(features, &(unsigned){0}), "+fma");
}

static LLVMValueRef lowered(struct tracer *t, LLVMValueRef call, const char *name)
{
	LLVMTypeRef type = LLVMTypeOf(call);
	bool integer = LLVMGetTypeKind(type) == LLVMIntegerTypeKind;
	unsigned width = integer ? LLVMGetIntTypeWidth(type) : 0;
	bool even = width == 8 || width == 16 || width == 32 || width == 64;
	unsigned n = LLVMGetNumArgOperands(call);
	LLVMValueRef a = LLVMGetOperand(call, 0), b = n > 1 ? LLVMGetOperand(call, 1) : NULL,
		     c = n > 2 ? LLVMGetOperand(call, 2) : NULL;
#define IS(what) (strncmp(name, "llvm." what ".", sizeof "llvm." what) == 0)
	if (integer && IS("abs"))
		return absolute(t, a);
	if (even && IS("bswap"))
		return swap_bytes(t, a);
	if (even && IS("bitreverse"))
		return reverse_bits(t, a);
	if (even && (IS("fshl") || IS("fshr")))
		return funnel(t, a, b, c, IS("fshl"));
	if (even && (IS("uadd.sat") || IS("sadd.sat")))
		return saturate(t, a, b, IS("sadd.sat"), true);
	if (even && (IS("usub.sat") || IS("ssub.sat")))
		return saturate(t, a, b, IS("ssub.sat"), false);
	if (IS("fmuladd") && !fuses(t->function))
		return LLVMBuildFAdd(t->builder, LLVMBuildFMul(t->builder, a, b, ""), c, "");
#undef IS
	return NULL;
}

// Ordered and different, or the opposite of it.
static LLVMValueRef lowered_comparison(struct tracer *t, LLVMValueRef i)
{
	LLVMRealPredicate p = LLVMGetFCmpPredicate(i);
	LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
	if (p != LLVMRealONE && p != LLVMRealUEQ)
		return NULL;
	LLVMValueRef less = LLVMBuildFCmp(t->builder, LLVMRealOLT, a, b, ""),
		     more = LLVMBuildFCmp(t->builder, LLVMRealOGT, a, b, "");
	LLVMValueRef differ = LLVMBuildOr(t->builder, less, more, "");
	return p == LLVMRealONE ? differ : LLVMBuildNot(t->builder, differ, "");
}

void trace_lower(struct tracer *t)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(t->function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef next, i = LLVMGetFirstInstruction(b); i; i = next) {
			LLVMValueRef simple = NULL;
			next = LLVMGetNextInstruction(i);
			if (LLVMIsACallInst(i) && LLVMIsAFunction(LLVMGetCalledValue(i))) {
				const char *name = LLVMGetValueName2(LLVMGetCalledValue(i), &(size_t){0});
				// Variables that live one after the other would lie in the same place;
				// but an address must mean one object (object.c).
				if (strncmp(name, "llvm.lifetime.", 14) == 0) {
					LLVMInstructionEraseFromParent(i);
					continue;
				}
				if (strncmp(name, "llvm.", 5) == 0 && LLVMGetNumArgOperands(i) > 0) {
					tracer_before(t, i);
					simple = lowered(t, i, name);
				}
			} else if (LLVMIsAFCmpInst(i)) {
				tracer_before(t, i);
				simple = lowered_comparison(t, i);
			}
			if (!simple)
				continue;
			LLVMReplaceAllUsesWith(i, simple);
			LLVMInstructionEraseFromParent(i);
		}
}
