// Operations that are made of simpler ones, before instrumentation: each is replaced by
// arithmetic that labels pass. LLVM finds the short forms again where the processor has
// them.
#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "instrument/tracer.h"

static LLVMValueRef number(LLVMTypeRef type, unsigned long long value)
{
	return LLVMConstInt(type, value, 0);
}

static LLVMValueRef shift_left(struct tracer *t, LLVMValueRef v, unsigned by)
{
	assert(by < LLVMGetIntTypeWidth(LLVMTypeOf(v)));
	return by ? LLVMBuildShl(t->builder, v, number(LLVMTypeOf(v), by), "") : v;
}

static LLVMValueRef shift_right(struct tracer *t, LLVMValueRef v, unsigned by)
{
	assert(by < LLVMGetIntTypeWidth(LLVMTypeOf(v)));
	return by ? LLVMBuildLShr(t->builder, v, number(LLVMTypeOf(v), by), "") : v;
}

// All bits of the sign, or all of a truth value.
static LLVMValueRef sign_of(struct tracer *t, LLVMValueRef v)
{
	return LLVMBuildAShr(t->builder, v, number(LLVMTypeOf(v), LLVMGetIntTypeWidth(LLVMTypeOf(v)) - 1), "");
}

static LLVMValueRef all_bits(struct tracer *t, LLVMValueRef truth, LLVMTypeRef type)
{
	assert(LLVMTypeOf(truth) == LLVMInt1TypeInContext(t->context));
	return LLVMBuildSExt(t->builder, truth, type, "");
}

static LLVMValueRef swap_bytes(struct tracer *t, LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	unsigned bytes = LLVMGetIntTypeWidth(type) / 8;
	LLVMValueRef whole = NULL;
	assert(bytes && LLVMGetIntTypeWidth(type) == 8 * bytes);
	for (unsigned i = 0; i < bytes; i++) {
		LLVMValueRef byte = LLVMBuildAnd(t->builder, shift_right(t, v, 8 * i), number(type, 255), "");
		byte = shift_left(t, byte, 8 * (bytes - 1 - i));
		whole = whole ? LLVMBuildOr(t->builder, whole, byte, "") : byte;
	}
	return whole;
}

static LLVMValueRef reverse_one_by_one(struct tracer *t, LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	LLVMValueRef whole = number(type, 0);
	for (unsigned i = 0, width = LLVMGetIntTypeWidth(type); i < width; i++) {
		LLVMValueRef bit = LLVMBuildAnd(t->builder, shift_right(t, v, i), number(type, 1), "");
		whole = LLVMBuildOr(t->builder, whole, shift_left(t, bit, width - 1 - i), "");
	}
	return whole;
}

// Neighbours change places: bits, pairs, nibbles; then bytes.
static LLVMValueRef reverse_bits(struct tracer *t, LLVMValueRef v)
{
	static const unsigned long long masks[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f};
	LLVMTypeRef type = LLVMTypeOf(v);
	unsigned width = LLVMGetIntTypeWidth(type);
	if (width > 64 || (width != 8 && width % 16 != 0))
		return reverse_one_by_one(t, v);
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
	bool power = (width & (width - 1)) == 0;
	assert(LLVMTypeOf(b) == type && LLVMTypeOf(by) == type);
	LLVMValueRef last = number(type, width - 1);
	LLVMValueRef places =
		power ? LLVMBuildAnd(t->builder, by, last, "") : LLVMBuildURem(t->builder, by, number(type, width), "");
	LLVMValueRef rest =
		power ? LLVMBuildXor(t->builder, places, last, "") : LLVMBuildSub(t->builder, last, places, "");
	LLVMValueRef high = left ? LLVMBuildShl(t->builder, a, places, "")
	                         : LLVMBuildShl(t->builder, shift_left(t, a, 1), rest, "");
	LLVMValueRef low = left ? LLVMBuildLShr(t->builder, shift_right(t, b, 1), rest, "")
	                        : LLVMBuildLShr(t->builder, b, places, "");
	return LLVMBuildOr(t->builder, high, low, "");
}

static LLVMValueRef saturate(struct tracer *t, LLVMValueRef a, LLVMValueRef b, bool is_signed, bool add)
{
	LLVMTypeRef type = LLVMTypeOf(a);
	assert(LLVMTypeOf(b) == type);
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
	LLVMValueRef largest = shift_right(t, LLVMConstAllOnes(type), 1);
	LLVMValueRef limit = LLVMBuildXor(t->builder, sign_of(t, a), largest, "");
	LLVMValueRef kept = LLVMBuildAnd(t->builder, r, LLVMBuildNot(t->builder, mask, ""), "");
	return LLVMBuildOr(t->builder, kept, LLVMBuildAnd(t->builder, limit, mask, ""), "");
}

static LLVMValueRef absolute(struct tracer *t, LLVMValueRef v)
{
	LLVMValueRef mask = sign_of(t, v);
	return LLVMBuildSub(t->builder, LLVMBuildXor(t->builder, v, mask, ""), mask, "");
}

// --- floats, by their bits --------------------------------------------------------------------

// How a float is laid out. The bits above `fraction` without the sign are the exponent; of a long double the first bit
// of the fraction is written out, below the exponent.
struct float_layout {
	LLVMTypeRef bits;
	unsigned width, fraction;
	bool explicit;
};

static bool float_layout(struct tracer *t, LLVMTypeRef type, struct float_layout *ret)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMHalfTypeKind: *ret = (struct float_layout){LLVMInt16TypeInContext(t->context), 16, 10, false}; break;
	case LLVMFloatTypeKind: *ret = (struct float_layout){t->i32, 32, 23, false}; break;
	case LLVMDoubleTypeKind: *ret = (struct float_layout){t->i64, 64, 52, false}; break;
	case LLVMX86_FP80TypeKind:
		*ret = (struct float_layout){LLVMIntTypeInContext(t->context, 80), 80, 63, true};
		break;
	default: return false;
	}
	return true;
}

typedef unsigned __int128 float_bits;

static LLVMValueRef bits_of(LLVMTypeRef type, float_bits value)
{
	const uint64_t words[] = {(uint64_t)value, (uint64_t)(value >> 64)};
	return LLVMConstIntOfArbitraryPrecision(type, 2, words);
}

// One of two values of the same size, without a decision: `first` when the condition holds.
static LLVMValueRef choose(struct tracer *t, LLVMValueRef condition, LLVMValueRef first, LLVMValueRef second)
{
	assert(LLVMTypeOf(first) == LLVMTypeOf(second));
	LLVMValueRef mask = all_bits(t, condition, LLVMTypeOf(first));
	LLVMValueRef rest = LLVMBuildAnd(t->builder, second, LLVMBuildNot(t->builder, mask, ""), "");
	return LLVMBuildOr(t->builder, LLVMBuildAnd(t->builder, first, mask, ""), rest, "");
}

static LLVMValueRef copy_sign(struct tracer *t, LLVMValueRef to, LLVMValueRef from, const struct float_layout *f)
{
	assert(LLVMTypeOf(to) == LLVMTypeOf(from));
	LLVMValueRef sign = bits_of(f->bits, (float_bits)1 << (f->width - 1));
	LLVMValueRef a = LLVMBuildBitCast(t->builder, to, f->bits, ""),
		     b = LLVMBuildBitCast(t->builder, from, f->bits, "");
	a = LLVMBuildAnd(t->builder, a, LLVMBuildNot(t->builder, sign, ""), "");
	b = LLVMBuildAnd(t->builder, b, sign, "");
	return LLVMBuildBitCast(t->builder, LLVMBuildOr(t->builder, a, b, ""), LLVMTypeOf(to), "");
}

// As x86-64 compiles fmin and fmax: the second operand when it is smaller (larger), or the
// first is not a number.
static LLVMValueRef extreme(struct tracer *t, LLVMValueRef a, LLVMValueRef b, bool larger, const struct float_layout *f)
{
	LLVMValueRef beyond = LLVMBuildFCmp(t->builder, larger ? LLVMRealOGT : LLVMRealOLT, b, a, "");
	LLVMValueRef not_a_number = LLVMBuildFCmp(t->builder, LLVMRealUNO, a, a, "");
	LLVMValueRef second = LLVMBuildOr(t->builder, beyond, not_a_number, "");
	LLVMValueRef chosen = choose(t, second, LLVMBuildBitCast(t->builder, b, f->bits, ""),
	                             LLVMBuildBitCast(t->builder, a, f->bits, ""));
	return LLVMBuildBitCast(t->builder, chosen, LLVMTypeOf(a), "");
}

// A number between two others, the sign left out of account.
static LLVMValueRef between(struct tracer *t, LLVMValueRef v, float_bits first, float_bits last)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	assert(first <= last);
	if (first == last)
		return LLVMBuildICmp(t->builder, LLVMIntEQ, v, bits_of(type, first), "");
	LLVMValueRef above = first ? LLVMBuildSub(t->builder, v, bits_of(type, first), "") : v;
	return LLVMBuildICmp(t->builder, LLVMIntULE, above, bits_of(type, last - first), "");
}

// llvm.is.fpclass: the classes, apart from the sign, are ranges of the bits one behind the
// other. `wanted` has a bit for each class and sign; neighbours that are wanted alike make
// one range.
static LLVMValueRef is_of_class(struct tracer *t, LLVMValueRef v, unsigned wanted, const struct float_layout *f)
{
	float_bits sign = (float_bits)1 << (f->width - 1), digit = (float_bits)1 << f->fraction, quiet = digit >> 1;
	float_bits step = f->explicit ? digit << 1 : digit, infinity = sign - step + (f->explicit ? digit : 0);
	const struct {
		float_bits first;
		unsigned positive, negative; // its bits in `wanted`
	} classes[] = {
		{0, 6, 5},
		{1, 7, 4},
		{digit, 8, 3},
		{infinity, 9, 2},
		{infinity + 1, 0, 0},
		{infinity | quiet, 1, 1},
		{sign, 31, 31}, // the end
	};
	LLVMValueRef bits = LLVMBuildBitCast(t->builder, v, f->bits, "");
	LLVMValueRef magnitude = LLVMBuildAnd(t->builder, bits, bits_of(f->bits, sign - 1), "");
	LLVMValueRef negative = LLVMBuildICmp(t->builder, LLVMIntSLT, bits, number(f->bits, 0), "");
	LLVMValueRef any = NULL;
	for (unsigned k = 0, next; k < 6; k = next) {
		bool plus = wanted >> classes[k].positive & 1, minus = wanted >> classes[k].negative & 1;
		for (next = k + 1; next < 6; next++)
			if ((wanted >> classes[next].positive & 1) != plus ||
			    (wanted >> classes[next].negative & 1) != minus)
				break;
		if (!plus && !minus)
			continue;
		LLVMValueRef here = between(t, magnitude, classes[k].first, classes[next].first - 1);
		if (plus != minus)
			here = LLVMBuildAnd(t->builder, here, plus ? LLVMBuildNot(t->builder, negative, "") : negative,
			                    "");
		any = any ? LLVMBuildOr(t->builder, any, here, "") : here;
	}
	return any ? any : number(t->i1, 0);
}

static bool fuses(LLVMValueRef function)
{
	LLVMAttributeRef features =
		LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, "target-features", 15);
	return features && strstr(LLVMGetStringAttributeValue(features, &(unsigned){0}), "+fma");
}

static LLVMValueRef lowered_float(struct tracer *t, LLVMValueRef call, const char *name)
{
	LLVMValueRef a = LLVMGetOperand(call, 0);
	struct float_layout f;
	if (!float_layout(t, LLVMTypeOf(a), &f))
		return NULL;
	if (text_starts(name, "llvm.copysign."))
		return copy_sign(t, a, LLVMGetOperand(call, 1), &f);
	bool sse = f.width == 32 || f.width == 64; // others are calls of fmin and fmax
	if (sse && (text_starts(name, "llvm.minnum.") || text_starts(name, "llvm.maxnum.")))
		return extreme(t, a, LLVMGetOperand(call, 1), name[6] == 'a', &f);
	enum { NAN = 3 };
	if (text_starts(name, "llvm.is.fpclass.")) {
		unsigned wanted = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1));
		return wanted == NAN ? LLVMBuildFCmp(t->builder, LLVMRealUNO, a, a, "") : is_of_class(t, a, wanted, &f);
	}
	return NULL;
}

// --- vectors ----------------------------------------------------------------------------------

// The vector as one number, which has a label, or NULL when it is too wide.
static LLVMValueRef as_number(struct tracer *t, LLVMValueRef vector)
{
	unsigned width = tracer_width(t, LLVMTypeOf(vector));
	return width ? LLVMBuildBitCast(t->builder, vector, LLVMIntTypeInContext(t->context, width), "") : NULL;
}

// Places that the element with that index is away from the first.
static LLVMValueRef place_of(struct tracer *t, LLVMValueRef index, LLVMTypeRef whole, unsigned width)
{
	LLVMValueRef wide = LLVMBuildIntCast2(t->builder, index, whole, 0, "");
	return LLVMBuildMul(t->builder, wide, number(whole, width), "");
}

// Elements that are chosen at run time.
static LLVMValueRef lowered_element(struct tracer *t, LLVMValueRef i)
{
	bool insert = LLVMIsAInsertElementInst(i) != NULL;
	LLVMValueRef vector = LLVMGetOperand(i, 0), index = LLVMGetOperand(i, insert ? 2 : 1);
	LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(vector));
	unsigned width = tracer_width(t, type);
	LLVMValueRef whole = LLVMIsAConstantInt(index) || !width ? NULL : as_number(t, vector);
	if (!whole)
		return NULL;
	LLVMTypeRef all = LLVMTypeOf(whole), bits = LLVMIntTypeInContext(t->context, width);
	assert(LLVMGetIntTypeWidth(all) == width * LLVMGetVectorSize(LLVMTypeOf(vector)));
	LLVMValueRef place = place_of(t, index, all, width);
	if (!insert) {
		LLVMValueRef moved = LLVMBuildLShr(t->builder, whole, place, "");
		return LLVMBuildBitCast(t->builder, LLVMBuildTrunc(t->builder, moved, bits, ""), type, "");
	}
	LLVMValueRef part = LLVMBuildBitCast(t->builder, LLVMGetOperand(i, 1), bits, "");
	part = LLVMBuildShl(t->builder, LLVMBuildZExt(t->builder, part, all, ""), place, "");
	LLVMValueRef hole = LLVMBuildZExt(t->builder, LLVMConstAllOnes(bits), all, "");
	hole = LLVMBuildNot(t->builder, LLVMBuildShl(t->builder, hole, place, ""), "");
	LLVMValueRef kept = LLVMBuildAnd(t->builder, whole, hole, "");
	return LLVMBuildBitCast(t->builder, LLVMBuildOr(t->builder, kept, part, ""), LLVMTypeOf(vector), "");
}

LLVMValueRef tracer_intrinsic(struct tracer *t, const char *name, LLVMValueRef a, LLVMValueRef b)
{
	LLVMTypeRef type = LLVMTypeOf(a);
	assert(LLVMTypeOf(b) == type && LLVMLookupIntrinsicID(name, strlen(name)));
	LLVMValueRef callee =
		LLVMGetIntrinsicDeclaration(t->module, LLVMLookupIntrinsicID(name, strlen(name)), &type, 1);
	LLVMValueRef args[] = {a, b};
	return LLVMBuildCall2(t->builder, LLVMGlobalGetValueType(callee), callee, args, 2, "");
}

// llvm.vector.reduce of integers: one element after the other.
static LLVMValueRef reduced(struct tracer *t, LLVMValueRef vector, const char *how)
{
	static const struct {
		const char *name;
		LLVMOpcode opcode;
		const char *intrinsic; // when it is no instruction
	} known[] = {
		{"add.", LLVMAdd, NULL},   {"mul.", LLVMMul, NULL},   {"and.", LLVMAnd, NULL},
		{"or.", LLVMOr, NULL},     {"xor.", LLVMXor, NULL},   {"smax.", 0, "llvm.smax"},
		{"smin.", 0, "llvm.smin"}, {"umax.", 0, "llvm.umax"}, {"umin.", 0, "llvm.umin"},
	};
	for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
		if (!text_starts(how, known[k].name))
			continue;
		LLVMValueRef all = LLVMBuildExtractElement(t->builder, vector, tracer_i32(t, 0), "");
		for (unsigned i = 1, n = LLVMGetVectorSize(LLVMTypeOf(vector)); i < n; i++) {
			LLVMValueRef x = LLVMBuildExtractElement(t->builder, vector, tracer_i32(t, i), "");
			all = known[k].intrinsic ? tracer_intrinsic(t, known[k].intrinsic, all, x)
			                         : LLVMBuildBinOp(t->builder, known[k].opcode, all, x, "");
		}
		return all;
	}
	return NULL;
}

// --- which is which -----------------------------------------------------------------------------

// llvm.lround and its like: the number that is rounded, then converted, as the processor does and libm.
static LLVMValueRef rounded(struct tracer *t, LLVMValueRef call, const char *name)
{
	static const struct {
		const char *name, *rounds;
	} known[] = {
		{"llvm.lround.", "llvm.round"},
		{"llvm.llround.", "llvm.round"},
		{"llvm.lrint.", "llvm.rint"},
		{"llvm.llrint.", "llvm.rint"},
	};
	LLVMValueRef x = LLVMGetOperand(call, 0);
	LLVMTypeRef type = LLVMTypeOf(x);
	for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
		if (!text_starts(name, known[k].name) || !tracer_is_float(type))
			continue;
		LLVMValueRef callee = LLVMGetIntrinsicDeclaration(
			t->module, LLVMLookupIntrinsicID(known[k].rounds, strlen(known[k].rounds)), &type, 1);
		LLVMValueRef whole = LLVMBuildCall2(t->builder, LLVMGlobalGetValueType(callee), callee, &x, 1, "");
		return LLVMBuildFPToSI(t->builder, whole, LLVMTypeOf(call), "");
	}
	return NULL;
}

static LLVMValueRef lowered(struct tracer *t, LLVMValueRef call, const char *name)
{
	LLVMTypeRef type = LLVMTypeOf(call);
	bool integer = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 1;
	unsigned n = LLVMGetNumArgOperands(call);
	LLVMValueRef a = LLVMGetOperand(call, 0), b = n > 1 ? LLVMGetOperand(call, 1) : NULL,
		     c = n > 2 ? LLVMGetOperand(call, 2) : NULL;
#define IS(what) (strncmp(name, "llvm." what ".", sizeof "llvm." what) == 0)
	if (integer && IS("abs"))
		return absolute(t, a);
	if (integer && IS("bswap"))
		return swap_bytes(t, a);
	if (integer && IS("bitreverse"))
		return reverse_bits(t, a);
	if (integer && (IS("fshl") || IS("fshr")))
		return funnel(t, a, b, c, IS("fshl"));
	if (integer && (IS("uadd.sat") || IS("sadd.sat")))
		return saturate(t, a, b, IS("sadd.sat"), true);
	if (integer && (IS("usub.sat") || IS("ssub.sat")))
		return saturate(t, a, b, IS("ssub.sat"), false);
	if (IS("fmuladd") && !fuses(t->function))
		return LLVMBuildFAdd(t->builder, LLVMBuildFMul(t->builder, a, b, ""), c, "");
#undef IS
	static const char reduce[] = "llvm.vector.reduce.";
	if (strncmp(name, reduce, sizeof reduce - 1) == 0)
		return reduced(t, a, name + sizeof reduce - 1);
	LLVMValueRef integer_of = rounded(t, call, name);
	return integer_of ? integer_of : lowered_float(t, call, name);
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
				if (text_starts(name, "llvm.lifetime.")) {
					LLVMInstructionEraseFromParent(i);
					continue;
				}
				if (text_starts(name, "llvm.") && LLVMGetNumArgOperands(i) > 0) {
					tracer_before(t, i);
					simple = lowered(t, i, name);
				}
			} else if (LLVMIsAFCmpInst(i)) {
				tracer_before(t, i);
				simple = lowered_comparison(t, i);
			} else if (LLVMIsAExtractElementInst(i) || LLVMIsAInsertElementInst(i)) {
				tracer_before(t, i);
				simple = lowered_element(t, i);
			}
			if (!simple)
				continue;
			LLVMReplaceAllUsesWith(i, simple);
			LLVMInstructionEraseFromParent(i);
		}
}
