#include "instrument/float_checks.h"

#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "abi/site.h"
#include "base/mem.h"
#include "base/vec.h"
#include "instrument/module.h"
#include "instrument/site.h"

struct maker {
	LLVMContextRef context;
	LLVMBuilderRef builder;
	unsigned nosanitize;
	LLVMValueRef at; // the operation
	float_checks_emit *emit;
	void *opaque;
};

// --- formats --------------------------------------------------------------------------------------

struct format {
	LLVMTypeKind type;
	unsigned width, mantissa, exponent; // bits; behind the point, of the exponent
	unsigned lost;                      // a cancellation may lose so many: three quarters of what there are
};

static const struct format *format_of(LLVMValueRef v)
{
	static const struct format formats[] = {
		{LLVMHalfTypeKind, 16, 10, 5, 8},
		{LLVMFloatTypeKind, 32, 23, 8, 18},
		{LLVMDoubleTypeKind, 64, 52, 11, 40},
		{LLVMX86_FP80TypeKind, 80, 64, 15, 48},
	};
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (LLVMGetTypeKind(LLVMTypeOf(v)) == formats[i].type)
			return &formats[i];
	return NULL;
}

// --- conditions -----------------------------------------------------------------------------------

static LLVMValueRef mark(struct maker *m, LLVMValueRef v)
{
	if (LLVMIsAInstruction(v))
		LLVMSetMetadata(v, m->nosanitize, LLVMMDNodeInContext(m->context, NULL, 0));
	return v;
}

static LLVMValueRef compare(struct maker *m, LLVMRealPredicate p, LLVMValueRef a, double b)
{
	return mark(m, LLVMBuildFCmp(m->builder, p, a, LLVMConstReal(LLVMTypeOf(a), b), ""));
}

static LLVMValueRef both(struct maker *m, LLVMValueRef a, LLVMValueRef b)
{
	return mark(m, LLVMBuildAnd(m->builder, a, b, ""));
}

static LLVMValueRef either(struct maker *m, LLVMValueRef a, LLVMValueRef b)
{
	return mark(m, LLVMBuildOr(m->builder, a, b, ""));
}

static LLVMValueRef not(struct maker * m, LLVMValueRef a)
{
	return mark(m, LLVMBuildNot(m->builder, a, ""));
}

static LLVMValueRef is_finite(struct maker *m, LLVMValueRef a)
{
	return both(m, compare(m, LLVMRealOGT, a, -INFINITY), compare(m, LLVMRealOLT, a, INFINITY));
}

static LLVMValueRef is_number(struct maker *m, LLVMValueRef a)
{
	return compare(m, LLVMRealORD, a, 0);
}

static LLVMValueRef all_finite(struct maker *m, const LLVMValueRef *operands, unsigned n)
{
	assert(n > 0);
	LLVMValueRef all = is_finite(m, operands[0]);
	for (unsigned i = 1; i < n; i++)
		all = both(m, all, is_finite(m, operands[i]));
	return all;
}

static LLVMValueRef exponent(struct maker *m, LLVMValueRef v, const struct format *f)
{
	LLVMTypeRef type = LLVMIntTypeInContext(m->context, f->width);
	LLVMValueRef bits = mark(m, LLVMBuildBitCast(m->builder, v, type, ""));
	bits = mark(m, LLVMBuildLShr(m->builder, bits, LLVMConstInt(type, f->mantissa, 0), ""));
	return mark(m, LLVMBuildAnd(m->builder, bits, LLVMConstInt(type, (1ULL << f->exponent) - 1, 0), ""));
}

static void emit(struct maker *m, LLVMValueRef fine, unsigned kind)
{
	if (!LLVMIsConstant(fine))
		m->emit(m->opaque, m->builder, m->at, fine, kind);
}

// --- operations -----------------------------------------------------------------------------------

// Of finite operands comes no NaN.
static void makes_number(struct maker *m, LLVMValueRef result, const LLVMValueRef *operands, unsigned n)
{
	emit(m, either(m, is_number(m, result), not(m, all_finite(m, operands, n))), CHECK_FLOAT_NAN);
}

// Of finite operands comes no infinity, unless it is a division by zero, which is another check's.
static void makes_finite(struct maker *m, LLVMValueRef result, const LLVMValueRef *operands, unsigned n, bool divides)
{
	LLVMValueRef finite = either(m, is_finite(m, result), compare(m, LLVMRealUNO, result, 0));
	LLVMValueRef fine = either(m, finite, not(m, all_finite(m, operands, n)));
	if (divides)
		fine = either(m, fine, compare(m, LLVMRealOEQ, operands[1], 0));
	emit(m, fine, CHECK_FLOAT_INFINITY);
}

// The result's exponent is not much smaller than both operands'. A result of zero is no loss: the operands were equal.
static void keeps_bits(struct maker *m, LLVMValueRef result, const LLVMValueRef *operands)
{
	const struct format *f = format_of(result);
	assert(f && f->mantissa + f->exponent < f->width);
	LLVMValueRef e = exponent(m, result, f);
	e = mark(m, LLVMBuildAdd(m->builder, e, LLVMConstInt(LLVMTypeOf(e), f->lost, 0), ""));
	LLVMValueRef fine = compare(m, LLVMRealOEQ, result, 0);
	LLVMValueRef kept[2];
	for (unsigned i = 0; i < 2; i++)
		kept[i] = mark(m, LLVMBuildICmp(m->builder, LLVMIntULE, exponent(m, operands[i], f), e, ""));
	emit(m, either(m, fine, both(m, kept[0], kept[1])), CHECK_FLOAT_CANCELLATION);
}

static void on_arithmetic(struct maker *m, LLVMValueRef i, LLVMOpcode opcode)
{
	const LLVMValueRef operands[] = {LLVMGetOperand(i, 0), LLVMGetOperand(i, 1)};
	bool sum = opcode == LLVMFAdd || opcode == LLVMFSub, divides = opcode == LLVMFDiv || opcode == LLVMFRem;
	if (divides) {
		emit(m, compare(m, LLVMRealUNE, operands[1], 0), CHECK_FLOAT_DIVISION);
		makes_number(m, i, operands, 2);
	}
	if (opcode != LLVMFRem)
		makes_finite(m, i, operands, 2, divides);
	if (sum)
		keeps_bits(m, i, operands);
}

// Whether the name is that of a function of abi/libm.def, or of two more; f and l may stand behind it.
static bool is_of_libm(const char *name)
{
	static const char *const names[] = {
#define LIBM(name, operands, rounding) #name,
#include "abi/libm.def"
#undef LIBM
		"sqrt", "fma"};
	bool intrinsic = strncmp(name, "llvm.", 5) == 0;
	name += intrinsic ? 5 : 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t n = strlen(names[i]);
		const char *rest = name + n;
		if (strncmp(name, names[i], n) == 0 &&
		    (intrinsic ? *rest == '.'
		               : strcmp(rest, "") == 0 || strcmp(rest, "f") == 0 || strcmp(rest, "l") == 0))
			return true;
	}
	return false;
}

static void on_call(struct maker *m, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call), operands[3];
	unsigned n = LLVMGetNumArgOperands(call);
	if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee) || n < 1 || n > 3 || !format_of(call) ||
	    !is_of_libm(LLVMGetValueName2(callee, &(size_t){0})))
		return;
	for (unsigned i = 0; i < n; i++) {
		operands[i] = LLVMGetOperand(call, i);
		if (!format_of(operands[i]))
			return;
	}
	makes_number(m, call, operands, n);
	makes_finite(m, call, operands, n, false);
}

// Does a truth value become a decision of the program, by itself or as a part of a condition? That of a function, too.
static bool decides(LLVMValueRef v, unsigned depth)
{
	for (LLVMUseRef use = LLVMGetFirstUse(v); use && depth; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAInstruction(user) || site_is_sanitizer(user))
			continue;
		switch (LLVMGetInstructionOpcode(user)) {
		case LLVMRet:
		case LLVMCondBr: return true;
		case LLVMSelect:
			if (LLVMGetOperand(user, 0) == v)
				return true;
			break;
		case LLVMAnd:
		case LLVMOr:
		case LLVMXor:
		case LLVMZExt:
		case LLVMTrunc:
		case LLVMICmp:
		case LLVMPHI:
			if (decides(user, depth - 1))
				return true;
			break;
		default: break;
		}
	}
	return false;
}

static bool is_infinite(LLVMValueRef v)
{
	LLVMBool inexact;
	return LLVMIsAConstantFP(v) && isinf(LLVMConstRealGetDouble(v, &inexact)) && !inexact;
}

// `x != x` asks for NaN.
static bool is_same(LLVMValueRef a, LLVMValueRef b)
{
	return a == b || (LLVMIsALoadInst(a) && LLVMIsALoadInst(b) && LLVMGetOperand(a, 0) == LLVMGetOperand(b, 0));
}

static void on_compare(struct maker *m, LLVMValueRef i)
{
	enum { FAR = 6 };
	LLVMRealPredicate p = LLVMGetFCmpPredicate(i);
	LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
	if (p == LLVMRealORD || p == LLVMRealUNO || is_same(a, b) || is_infinite(b) || !decides(i, FAR))
		return;
	emit(m, mark(m, LLVMBuildFCmp(m->builder, LLVMRealORD, a, b, "")), CHECK_FLOAT_COMPARISON);
}

static void on_instruction(struct maker *m, LLVMValueRef i)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
	LLVMValueRef operand;
	m->at = i;
	LLVMPositionBuilderBefore(m->builder, LLVMGetNextInstruction(i));
	LLVMSetCurrentDebugLocation2(m->builder, LLVMInstructionGetDebugLoc(i));
	switch (opcode) {
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFMul:
	case LLVMFDiv:
	case LLVMFRem:
		if (format_of(i))
			on_arithmetic(m, i, opcode);
		break;
	case LLVMFPTrunc:
		operand = LLVMGetOperand(i, 0);
		if (format_of(i) && format_of(operand))
			makes_finite(m, i, &operand, 1, false);
		break;
	case LLVMFCmp:
		if (format_of(LLVMGetOperand(i, 0)))
			on_compare(m, i);
		break;
	case LLVMCall: on_call(m, i); break;
	default: break;
	}
}

static bool is_float(LLVMValueRef i)
{
	return (format_of(i) || LLVMIsAFCmpInst(i)) && !site_is_sanitizer(i) && !LLVMIsATerminatorInst(i);
}

struct operations {
	LLVMValueRef *v;
	size_t n, cap;
};

void float_checks_make(LLVMModuleRef module, float_checks_emit *emit, void *opaque)
{
	struct maker m = {.context = LLVMGetModuleContext(module), .emit = emit, .opaque = opaque};
	m.builder = LLVMCreateBuilderInContext(m.context);
	m.nosanitize = LLVMGetMDKindIDInContext(m.context, "nosanitize", 10);
	struct operations all = {0};
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				if (is_float(i))
					vec_push(&all, i);
	for (size_t i = 0; i < all.n; i++)
		if (!LLVMIsAPHINode(all.v[i]))
			on_instruction(&m, all.v[i]);
	mem_free(all.v);
	LLVMDisposeBuilder(m.builder);
}
