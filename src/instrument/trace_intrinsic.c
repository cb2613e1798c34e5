// Labels across LLVM's intrinsics: each computes, copies, or is known to touch no labels. Of any other one the labels
// are lost, and the run says so.
#include <assert.h>
#include <string.h>

#include "abi/trace.h"
#include "base/text.h"
#include "instrument/tracer.h"

static LLVMValueRef site_unless_model(struct tracer *t, LLVMValueRef i)
{
	return t->models ? LLVMConstNull(t->pointer) : tracer_site(t, i);
}

// How many bytes `i` copies or fills, which becomes concrete. *ret_site: of the instruction, for the check that objects
// whose size is input are large enough; null where the size remains input.
static LLVMValueRef size_of(struct tracer *t, LLVMValueRef i, bool copies, LLVMValueRef *ret_site)
{
	LLVMValueRef n = LLVMGetOperand(i, 2), l = tracer_label(t, n), none = LLVMConstNull(t->pointer);
	tracer_before(t, i);
	trace_extent(t, i, LLVMGetOperand(i, 0), n);
	if (copies)
		trace_extent(t, i, LLVMGetOperand(i, 1), n);
	*ret_site = site_unless_model(t, i);
	if (l == t->zero)
		return tracer_low(t, n);
	LLVMValueRef from = copies ? tracer_low(t, LLVMGetOperand(i, 1)) : tracer_i64(t, 0);
	LLVMValueRef remains = tracer_call(t, "size", tracer_site(t, i), l, tracer_low(t, n),
	                                   tracer_low(t, LLVMGetOperand(i, 0)), from, NULL);
	remains = LLVMBuildICmp(t->builder, LLVMIntNE, remains, t->zero, "");
	*ret_site = LLVMBuildSelect(t->builder, remains, none, *ret_site, "");
	return tracer_low(t, n);
}

// `i` copies: the labels go along, and objects whose size is input must be large enough. (Models check that
// themselves, for the call that led to them.)
static void copy(struct tracer *t, LLVMValueRef i, LLVMValueRef size, LLVMValueRef site)
{
	LLVMValueRef to = tracer_low(t, LLVMGetOperand(i, 0)), from = tracer_low(t, LLVMGetOperand(i, 1));
	LLVMValueRef mark = tracer_or(t, tracer_present(t, from, size), tracer_present(t, to, size));
	tracer_call(t, "copy", mark, to, from, size, site, NULL);
}

static void on_copy(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef site, size = size_of(t, i, true, &site);
	copy(t, i, size, site);
}

static void on_fill(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef site, size = size_of(t, i, false, &site), to = tracer_low(t, LLVMGetOperand(i, 0));
	tracer_call(t, "fill", tracer_present(t, to, size), to, tracer_label(t, LLVMGetOperand(i, 1)), size, site,
	            NULL);
}

// llvm.sadd.with.overflow and its like: {result, does it overflow}
static void on_overflow(struct tracer *t, LLVMValueRef i, const char *name)
{
	static const struct {
		const char *name;
		uint8_t op, overflow;
	} known[] = {
		{"llvm.uadd.", OP_ADD, OP_UADDO}, {"llvm.sadd.", OP_ADD, OP_SADDO}, {"llvm.usub.", OP_SUB, OP_USUBO},
		{"llvm.ssub.", OP_SUB, OP_SSUBO}, {"llvm.umul.", OP_MUL, OP_UMULO}, {"llvm.smul.", OP_MUL, OP_SMULO},
	};
	LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
	if (!tracer_width(t, LLVMTypeOf(a)) || LLVMGetTypeKind(LLVMTypeOf(a)) == LLVMVectorTypeKind)
		return tracer_unknown(t, i);
	if (tracer_label(t, a) == t->zero && tracer_label(t, b) == t->zero)
		return;
	bool needs_flag = false;
	for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		needs_flag |= !LLVMIsAExtractValueInst(user) || LLVMGetIndices(user)[0] == 1;
	}
	tracer_after(t, i);
	bool found = false;
	for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
		if (!text_starts(name, known[k].name))
			continue;
		found = true;
		LLVMValueRef value = LLVMBuildExtractValue(t->builder, i, 0, ""),
			     over = LLVMBuildExtractValue(t->builder, i, 1, "");
		LLVMValueRef lv = tracer_binary(t, known[k].op, false, a, b, value);
		LLVMValueRef lo = needs_flag ? tracer_binary(t, known[k].overflow, false, a, b, over) : t->zero;
		tracer_set_labels(t, i, (struct labels){{lv, lo, t->zero, t->zero}});
	}
	assert(found);
	(void)found;
}

// llvm.umin and its like: the first operand when it is the smaller one (the larger one),
// else the second
static void on_choice(struct tracer *t, LLVMValueRef i, unsigned op, LLVMIntPredicate less, bool larger)
{
	LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1), la = tracer_label(t, a),
		     lb = tracer_label(t, b);
	unsigned width = tracer_width(t, LLVMTypeOf(i));
	if (!width || LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind)
		return tracer_unknown(t, i);
	if (la == t->zero && lb == t->zero)
		return;
	tracer_after(t, i);
	LLVMValueRef x = larger ? b : a, y = larger ? a : b, first = LLVMBuildICmp(t->builder, less, x, y, "");
	LLVMValueRef lc = tracer_binary(t, op, false, x, y, first);
	tracer_set_label(t, i,
	                 tracer_call(t, "select", LLVMConstNull(t->pointer), lc, la, lb, tracer_i32(t, width),
	                             LLVMBuildZExt(t->builder, first, t->i32, ""), tracer_low(t, a), tracer_high(t, a),
	                             tracer_low(t, b), tracer_high(t, b), NULL));
}

static void on_unary(struct tracer *t, LLVMValueRef i, unsigned op)
{
	LLVMValueRef a = LLVMGetOperand(i, 0), l = tracer_label(t, a);
	unsigned width = tracer_width(t, LLVMTypeOf(i));
	if (l == t->zero)
		return;
	bool fits = !op_is_float(op) || tracer_is_float(LLVMTypeOf(i));
	if (!width || !fits || LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind)
		return tracer_unknown(t, i);
	tracer_after(t, i);
	tracer_set_label(
		t, i,
		tracer_call(t, "unary", tracer_i32(t, op | width << 8), l, tracer_low(t, i), tracer_high(t, i), NULL));
}

// llvm.floor.f64 and its like, by the name of the function that they compute. Returns whether it is one.
static bool on_function(struct tracer *t, LLVMValueRef i, const char *name)
{
	static const struct {
		const char *name;
		uint8_t function, operands;
	} known[] = {
#define LIBM(name, operands, rounding) {"llvm." #name ".", LIBM_##name, operands},
#include "abi/libm.def"
#undef LIBM
		{"llvm.minnum.", LIBM_fmin, 2}, // of the formats that trace_lower.c leaves
		{"llvm.maxnum.", LIBM_fmax, 2},
		{"llvm.fma.", LIBM_COUNT, 3},
		{"llvm.fmuladd.", LIBM_COUNT, 3}, // likewise: where the processor has it
	};
	for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
		if (!text_starts(name, known[k].name))
			continue;
		LLVMValueRef operands[3];
		for (unsigned n = 0; n < known[k].operands; n++)
			operands[n] = LLVMGetOperand(i, n);
		tracer_function(t, i, known[k].function, known[k].operands, operands);
		return true;
	}
	return false;
}

// Intrinsics that touch neither labels nor labelled memory.
static bool is_neutral(const char *name)
{
	static const char *const names[] = {
		"llvm.dbg.",
		"llvm.lifetime.",
		"llvm.assume",
		"llvm.prefetch",
		"llvm.stacksave",
		"llvm.va_end",
		"llvm.objectsize",
		"llvm.is.constant",
		"llvm.trap",
		"llvm.debugtrap",
		"llvm.threadlocal.address",
		"llvm.returnaddress",
		"llvm.frameaddress",
		"llvm.donothing",
		"llvm.experimental.noalias",
		"llvm.invariant.",
		"llvm.get.dynamic",
		"llvm.eh.sjlj",
		"llvm.readcyclecounter",
		"llvm.x86.rd",
		"llvm.allow.",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (text_starts(name, names[i]))
			return true;
	return false;
}

static void on_trap(struct tracer *t, LLVMValueRef i, unsigned kind)
{
	LLVMValueRef next = LLVMGetNextInstruction(i);
	tracer_before(t, i);
	tracer_call(t, "fatal", site_make(&t->sites, t->function, next ? next : i, kind), NULL);
	LLVMInstructionEraseFromParent(i);
}

static void on_va_copy(struct tracer *t, LLVMValueRef i)
{
	tracer_after(t, i);
	copy(t, i, tracer_i64(t, 24), site_unless_model(t, i));
}

void trace_intrinsic(struct tracer *t, LLVMValueRef i, const char *name)
{
	static const struct {
		const char *name;
		uint8_t op;
	} unary[] = {
		{"llvm.ctpop.", OP_CTPOP}, {"llvm.ctlz.", OP_CTLZ},  {"llvm.cttz.", OP_CTTZ},
		{"llvm.fabs.", OP_FABS},   {"llvm.sqrt.", OP_FSQRT},
	};
	static const struct {
		const char *name;
		uint8_t op;
		LLVMIntPredicate predicate;
		bool larger;
	} choice[] = {
		{"llvm.umin.", OP_ULT, LLVMIntULT, false},
		{"llvm.smin.", OP_SLT, LLVMIntSLT, false},
		{"llvm.umax.", OP_ULT, LLVMIntULT, true},
		{"llvm.smax.", OP_SLT, LLVMIntSLT, true},
	};
	assert(LLVMIsACallInst(i) && text_starts(name, "llvm."));
	int trap = site_trap_kind(i);
	if (trap >= 0)
		return on_trap(t, i, (unsigned)trap);
	if (text_starts(name, "llvm.memcpy") || text_starts(name, "llvm.memmove"))
		return on_copy(t, i);
	if (text_starts(name, "llvm.memset"))
		return on_fill(t, i);
	if (strstr(name, ".with.overflow."))
		return on_overflow(t, i, name);
	if (text_starts(name, "llvm.expect"))
		return tracer_set_labels(t, i, tracer_labels(t, LLVMGetOperand(i, 0)));
	if (text_starts(name, "llvm.va_start") && t->saved_variadic) {
		tracer_after(t, i);
		tracer_call(t, "variadic_start", t->saved_variadic, LLVMGetOperand(i, 0), NULL);
		return;
	}
	if (text_starts(name, "llvm.is.fpclass.") &&
	    LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1)) == 3) { // not a number
		LLVMValueRef x = LLVMGetOperand(i, 0);
		tracer_after(t, i);
		return tracer_set_label(t, i, tracer_binary(t, OP_FUNO, false, x, x, i));
	}
	if (text_starts(name, "llvm.stackrestore"))
		return trace_stack_restore(t, i);
	if (text_starts(name, "llvm.va_copy"))
		return on_va_copy(t, i);
	for (size_t k = 0; k < sizeof unary / sizeof *unary; k++)
		if (text_starts(name, unary[k].name))
			return on_unary(t, i, unary[k].op);
	for (size_t k = 0; k < sizeof choice / sizeof *choice; k++)
		if (text_starts(name, choice[k].name))
			return on_choice(t, i, choice[k].op, choice[k].predicate, choice[k].larger);
	if (!is_neutral(name) && !on_function(t, i, name))
		tracer_unknown(t, i);
}
