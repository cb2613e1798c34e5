// Labels of arithmetic, comparisons, casts, selects, aggregates and vectors; events
// of branches and switches.
#include <assert.h>
#include <string.h>

#include "abi/trace.h"
#include "instrument/tracer.h"

static void on_integer(struct tracer *t, LLVMValueRef i, unsigned op)
{
	tracer_after(t, i);
	tracer_set_label(t, i, tracer_binary(t, op, false, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1), i));
}

static bool is_vector(LLVMValueRef v)
{
	return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

static void on_float(struct tracer *t, LLVMValueRef i, unsigned op)
{
	if (tracer_is_float(LLVMTypeOf(i)))
		on_integer(t, i, op);
	else
		tracer_unknown(t, i);
}

static void on_remainder(struct tracer *t, LLVMValueRef i)
{
	tracer_function(t, i, LIBM_fmod, 2, (LLVMValueRef[]){LLVMGetOperand(i, 0), LLVMGetOperand(i, 1)});
}

static void on_icmp(struct tracer *t, LLVMValueRef i)
{
	static const struct {
		uint8_t op;
		bool swap, negate;
	} how[] = {
		[LLVMIntEQ - LLVMIntEQ] = {OP_EQ, false, false},   [LLVMIntNE - LLVMIntEQ] = {OP_EQ, false, true},
		[LLVMIntUGT - LLVMIntEQ] = {OP_ULT, true, false},  [LLVMIntUGE - LLVMIntEQ] = {OP_ULE, true, false},
		[LLVMIntULT - LLVMIntEQ] = {OP_ULT, false, false}, [LLVMIntULE - LLVMIntEQ] = {OP_ULE, false, false},
		[LLVMIntSGT - LLVMIntEQ] = {OP_SLT, true, false},  [LLVMIntSGE - LLVMIntEQ] = {OP_SLE, true, false},
		[LLVMIntSLT - LLVMIntEQ] = {OP_SLT, false, false}, [LLVMIntSLE - LLVMIntEQ] = {OP_SLE, false, false},
	};
	unsigned k = LLVMGetICmpPredicate(i) - LLVMIntEQ;
	assert(k < sizeof how / sizeof *how);
	LLVMValueRef a = LLVMGetOperand(i, how[k].swap), b = LLVMGetOperand(i, !how[k].swap);
	if (is_vector(a))
		return tracer_unknown(t, i);
	tracer_after(t, i);
	tracer_set_label(t, i, tracer_binary(t, how[k].op, how[k].negate, a, b, i));
}

static void on_fcmp(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
	if (!tracer_is_float(LLVMTypeOf(a)))
		return tracer_unknown(t, i);
	LLVMValueRef l = t->zero;
	tracer_after(t, i);
	switch (LLVMGetFCmpPredicate(i)) {
	case LLVMRealOEQ: l = tracer_binary(t, OP_FEQ, false, a, b, i); break;
	case LLVMRealUNE: l = tracer_binary(t, OP_FEQ, true, a, b, i); break;
	case LLVMRealOLT: l = tracer_binary(t, OP_FLT, false, a, b, i); break;
	case LLVMRealOLE: l = tracer_binary(t, OP_FLE, false, a, b, i); break;
	case LLVMRealOGT: l = tracer_binary(t, OP_FLT, false, b, a, i); break;
	case LLVMRealOGE: l = tracer_binary(t, OP_FLE, false, b, a, i); break;
	case LLVMRealUGE: l = tracer_binary(t, OP_FLT, true, a, b, i); break;
	case LLVMRealUGT: l = tracer_binary(t, OP_FLE, true, a, b, i); break;
	case LLVMRealULE: l = tracer_binary(t, OP_FLT, true, b, a, i); break;
	case LLVMRealULT: l = tracer_binary(t, OP_FLE, true, b, a, i); break;
	case LLVMRealUNO: l = tracer_binary(t, OP_FUNO, false, a, b, i); break;
	case LLVMRealORD: l = tracer_binary(t, OP_FUNO, true, a, b, i); break;
	default: tracer_unknown(t, i); break; // one, ueq: two conditions in one
	}
	tracer_set_label(t, i, l);
}

static void unary(struct tracer *t, LLVMValueRef i, unsigned op, LLVMValueRef operand)
{
	LLVMValueRef l = tracer_label(t, operand);
	unsigned width = tracer_width(t, LLVMTypeOf(i));
	assert(op < OP_COUNT);
	if (l == t->zero || !width)
		return;
	tracer_after(t, i);
	tracer_set_label(
		t, i,
		tracer_call(t, "unary", tracer_i32(t, op | width << 8), l, tracer_low(t, i), tracer_high(t, i), NULL));
}

static void extract(struct tracer *t, LLVMValueRef i, LLVMValueRef operand, unsigned low)
{
	LLVMValueRef l = tracer_label(t, operand);
	unsigned width = tracer_width(t, LLVMTypeOf(i));
	if (l == t->zero || !width)
		return;
	tracer_after(t, i);
	tracer_set_label(t, i,
	                 tracer_call(t, "extract", l, tracer_i32(t, low), tracer_i32(t, width), tracer_low(t, i),
	                             tracer_high(t, i), NULL));
}

static void on_cast(struct tracer *t, LLVMValueRef i, LLVMOpcode opcode)
{
	LLVMValueRef operand = LLVMGetOperand(i, 0);
	unsigned from = tracer_width(t, LLVMTypeOf(operand)), to = tracer_width(t, LLVMTypeOf(i));
	bool vector = is_vector(operand) || is_vector(i);
	if (opcode == LLVMBitCast || opcode == LLVMFreeze || opcode == LLVMAddrSpaceCast || opcode == LLVMIntToPtr ||
	    opcode == LLVMPtrToInt) {
		if (from == to)
			tracer_set_labels(t, i, tracer_labels(t, operand));
		else if (from > to)
			extract(t, i, operand, 0);
		else
			unary(t, i, OP_ZEXT, operand);
		return;
	}
	if (vector || !from || !to)
		return tracer_unknown(t, i);
	bool floats = tracer_is_float(LLVMTypeOf(operand)) || opcode == LLVMUIToFP || opcode == LLVMSIToFP;
	bool to_float = tracer_is_float(LLVMTypeOf(i)) || opcode == LLVMFPToUI || opcode == LLVMFPToSI;
	switch (opcode) {
	case LLVMTrunc: extract(t, i, operand, 0); break;
	case LLVMZExt: unary(t, i, OP_ZEXT, operand); break;
	case LLVMSExt: unary(t, i, OP_SEXT, operand); break;
	case LLVMFPToUI: floats ? unary(t, i, OP_FTOUI, operand) : tracer_unknown(t, i); break;
	case LLVMFPToSI: floats ? unary(t, i, OP_FTOSI, operand) : tracer_unknown(t, i); break;
	case LLVMUIToFP: to_float ? unary(t, i, OP_UITOF, operand) : tracer_unknown(t, i); break;
	case LLVMSIToFP: to_float ? unary(t, i, OP_SITOF, operand) : tracer_unknown(t, i); break;
	case LLVMFPTrunc:
	case LLVMFPExt: floats &&to_float ? unary(t, i, OP_FTOF, operand) : tracer_unknown(t, i); break;
	default: tracer_unknown(t, i); break;
	}
}

static void on_select(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef c = LLVMGetOperand(i, 0), a = LLVMGetOperand(i, 1), b = LLVMGetOperand(i, 2);
	LLVMValueRef lc = tracer_label(t, c), la = tracer_label(t, a), lb = tracer_label(t, b);
	unsigned width = tracer_width(t, LLVMTypeOf(i));
	assert(LLVMTypeOf(a) == LLVMTypeOf(i) && LLVMTypeOf(b) == LLVMTypeOf(i));
	if (!width || is_vector(c))
		return tracer_unknown(t, i);
	if (lc == t->zero && la == t->zero && lb == t->zero)
		return;
	tracer_after(t, i);
	bool own = lc != t->zero && !site_is_sanitizer(i); // a decision of the program
	LLVMValueRef site = own ? tracer_site(t, i) : LLVMConstNull(t->pointer);
	tracer_set_label(t, i,
	                 tracer_call(t, "select", site, lc, la, lb, tracer_i32(t, width),
	                             LLVMBuildZExt(t->builder, c, t->i32, ""), tracer_low(t, a), tracer_high(t, a),
	                             tracer_low(t, b), tracer_high(t, b), NULL));
}

static void on_extract_value(struct tracer *t, LLVMValueRef i)
{
	unsigned index = LLVMGetIndices(i)[0];
	if (LLVMGetNumIndices(i) != 1 || index >= LEAVES || tracer_leaves(t, LLVMTypeOf(i)) != 1)
		return;
	tracer_set_label(t, i, tracer_labels(t, LLVMGetOperand(i, 0)).leaf[index]);
}

static void on_insert_value(struct tracer *t, LLVMValueRef i)
{
	unsigned index = LLVMGetIndices(i)[0];
	struct labels l = tracer_labels(t, LLVMGetOperand(i, 0));
	if (LLVMGetNumIndices(i) != 1 || index >= LEAVES)
		return tracer_unknown(t, i);
	l.leaf[index] = tracer_label(t, LLVMGetOperand(i, 1));
	tracer_set_labels(t, i, l);
}

static void on_extract_element(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef index = LLVMGetOperand(i, 1), vector = LLVMGetOperand(i, 0);
	unsigned width = tracer_width(t, LLVMTypeOf(i));
	if (!LLVMIsAConstantInt(index) || !width || !tracer_width(t, LLVMTypeOf(vector)))
		return tracer_unknown(t, i);
	extract(t, i, vector, (unsigned)LLVMConstIntGetZExtValue(index) * width);
}

static void on_insert_element(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef vector = LLVMGetOperand(i, 0), part = LLVMGetOperand(i, 1), index = LLVMGetOperand(i, 2);
	unsigned width = tracer_width(t, LLVMTypeOf(i)), part_width = tracer_width(t, LLVMTypeOf(part));
	LLVMValueRef lv = tracer_label(t, vector), lp = tracer_label(t, part);
	if (!LLVMIsAConstantInt(index) || !width || !part_width)
		return tracer_unknown(t, i);
	if (lv == t->zero && lp == t->zero)
		return;
	tracer_after(t, i);
	unsigned low = (unsigned)LLVMConstIntGetZExtValue(index) * part_width;
	LLVMValueRef widths = tracer_i32(t, width | part_width << 16);
	tracer_set_label(t, i,
	                 tracer_call(t, "insert", lv, lp, tracer_i32(t, low), widths, tracer_low(t, i),
	                             tracer_high(t, i), tracer_low(t, part), NULL));
}

// --- control flow ----------------------------------------------------------------------

static void on_branch(struct tracer *t, LLVMValueRef branch)
{
	if (!module_branches(branch) || site_is_sanitizer(branch))
		return;
	LLVMValueRef c = LLVMGetCondition(branch), l = tracer_label(t, c);
	if (l == t->zero)
		return;
	tracer_before(t, branch);
	tracer_call(t, "branch", tracer_site(t, branch), l, LLVMBuildZExt(t->builder, c, t->i32, ""), NULL);
}

static void on_switch(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef c = LLVMGetOperand(i, 0), l = tracer_label(t, c);
	if (l == t->zero)
		return;
	tracer_before(t, i);
	if (tracer_width(t, LLVMTypeOf(c)) <= 64)
		tracer_call(t, "switch", site_make_switch(&t->sites, t->function, i), l, tracer_low(t, c), NULL);
	else
		tracer_call(t, "unknown", tracer_site(t, i), l, NULL);
}

static void on_indirect_branch(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef target = LLVMGetOperand(i, 0), l = tracer_label(t, target);
	if (l == t->zero)
		return;
	tracer_before(t, i);
	tracer_call(t, "concrete", tracer_site(t, i), l, tracer_low(t, target), tracer_i32(t, REASON_TARGET), NULL);
}

void trace_instruction(struct tracer *t, LLVMValueRef i)
{
	assert(LLVMGetInstructionParent(i));
	LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
	bool vector_arithmetic = opcode >= LLVMAdd && opcode <= LLVMXor && is_vector(i);
	if (vector_arithmetic)
		return tracer_unknown(t, i);
	switch (opcode) {
	case LLVMAdd: return on_integer(t, i, OP_ADD);
	case LLVMSub: return on_integer(t, i, OP_SUB);
	case LLVMMul: return on_integer(t, i, OP_MUL);
	case LLVMUDiv: return on_integer(t, i, OP_UDIV);
	case LLVMSDiv: return on_integer(t, i, OP_SDIV);
	case LLVMURem: return on_integer(t, i, OP_UREM);
	case LLVMSRem: return on_integer(t, i, OP_SREM);
	case LLVMShl: return on_integer(t, i, OP_SHL);
	case LLVMLShr: return on_integer(t, i, OP_LSHR);
	case LLVMAShr: return on_integer(t, i, OP_ASHR);
	case LLVMAnd: return on_integer(t, i, OP_AND);
	case LLVMOr: return on_integer(t, i, OP_OR);
	case LLVMXor: return on_integer(t, i, OP_XOR);
	case LLVMFAdd: return on_float(t, i, OP_FADD);
	case LLVMFSub: return on_float(t, i, OP_FSUB);
	case LLVMFMul: return on_float(t, i, OP_FMUL);
	case LLVMFDiv: return on_float(t, i, OP_FDIV);
	case LLVMFRem: return on_remainder(t, i);
	case LLVMFNeg:
		return tracer_is_float(LLVMTypeOf(i)) ? unary(t, i, OP_FNEG, LLVMGetOperand(i, 0))
		                                      : tracer_unknown(t, i);
	case LLVMICmp: return on_icmp(t, i);
	case LLVMFCmp: return on_fcmp(t, i);
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMFPToUI:
	case LLVMFPToSI:
	case LLVMUIToFP:
	case LLVMSIToFP:
	case LLVMFPTrunc:
	case LLVMFPExt:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMFreeze: return on_cast(t, i, opcode);
	case LLVMSelect: return on_select(t, i);
	case LLVMExtractValue: return on_extract_value(t, i);
	case LLVMInsertValue: return on_insert_value(t, i);
	case LLVMExtractElement: return on_extract_element(t, i);
	case LLVMInsertElement: return on_insert_element(t, i);
	case LLVMCondBr: return on_branch(t, i);
	case LLVMSwitch: return on_switch(t, i);
	case LLVMIndirectBr: return on_indirect_branch(t, i);
	case LLVMRet: return trace_return(t, i);
	case LLVMCall: return trace_call(t, i);
	case LLVMAlloca:
	case LLVMLoad:
	case LLVMStore:
	case LLVMGetElementPtr:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg: return trace_memory(t, i);
	case LLVMPHI:
	case LLVMFence:
	case LLVMUnreachable: return;
	default: return tracer_unknown(t, i);
	}
}
