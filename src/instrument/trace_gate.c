// Checks of undefined behaviour compute much and hardly ever concern labelled
// values. So that they cost one test when there are no labels, the computation of
// each check moves into a block of its own:
//
//     ... %fine = ...                          br i1 any label among the inputs,
//     br i1 %fine, label %cont, label %trap       label %veer.slow, label %cont
//                                       -->
//                                              veer.slow:
//                                                ... %fine = ...
//                                                call void @__veer_gate(i1 %fine, i32 kind)
//                                                br label %cont
//
// Needs: functions before instrumentation. The branch's condition is filled in, and
// the call turned into an event, when the instrumenter comes to them.
#include <llvm-c/DebugInfo.h>
#include <stdint.h>
#include <string.h>

#include "abi/site.h"
#include "base/mem.h"
#include "instrument/module.h"
#include "instrument/tracer.h"

static const char gate_name[] = "__veer_gate";
static const char block_name[] = "veer.slow";

// Instructions that only compute: they may move to where their result is needed.
static bool is_pure(LLVMValueRef i)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
	if (opcode >= LLVMAdd && opcode <= LLVMXor)
		return opcode != LLVMUDiv && opcode != LLVMSDiv && opcode != LLVMURem && opcode != LLVMSRem;
	switch (opcode) {
	case LLVMICmp:
	case LLVMFCmp:
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMBitCast:
	case LLVMSelect:
	case LLVMExtractValue:
	case LLVMGetElementPtr:
	case LLVMFNeg:
	case LLVMFreeze: return true;
	case LLVMCall: {
		LLVMValueRef callee = LLVMGetCalledValue(i);
		return LLVMIsAFunction(callee) &&
		       strstr(LLVMGetValueName2(callee, &(size_t){0}), ".with.overflow.") != NULL;
	}
	default: return false;
	}
}

struct slice {
	LLVMValueRef *v; // last instruction first
	size_t n, cap;
};

static bool in_slice(const struct slice *s, LLVMValueRef v)
{
	for (size_t i = s->n; i-- > 0;)
		if (s->v[i] == v)
			return true;
	return false;
}

// All uses are the branch or in the slice already.
static bool only_for(LLVMValueRef i, LLVMValueRef branch, const struct slice *s)
{
	LLVMUseRef use = LLVMGetFirstUse(i);
	if (!use)
		return false;
	for (; use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (user != branch && !in_slice(s, user))
			return false;
	}
	return true;
}

static void collect(LLVMValueRef branch, struct slice *s)
{
	enum { FAR = 64 }; // checks are short; what is further up belongs to something else
	int seen = 0;
	for (LLVMValueRef i = LLVMGetPreviousInstruction(branch); i && seen < FAR;
	     i = LLVMGetPreviousInstruction(i), seen++) {
		if (!is_pure(i) || !only_for(i, branch, s))
			continue;
		if (s->n == s->cap) {
			s->cap = s->cap ? 2 * s->cap : 32;
			s->v = mem_resize(s->v, s->cap * sizeof *s->v);
		}
		s->v[s->n++] = i;
	}
}

static LLVMValueRef gate_function(struct tracer *t)
{
	LLVMValueRef f = LLVMGetNamedFunction(t->module, gate_name);
	LLVMTypeRef params[] = {t->i1, t->i32};
	return f ? f
	         : LLVMAddFunction(t->module, gate_name,
	                           LLVMFunctionType(LLVMVoidTypeInContext(t->context), params, 2, 0));
}

static void gate(struct tracer *t, LLVMValueRef branch, unsigned failing, unsigned kind)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(branch), go_on = LLVMGetSuccessor(branch, 1 - failing);
	LLVMBasicBlockRef slow = LLVMAppendBasicBlockInContext(t->context, t->function, block_name);
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(branch);
	LLVMValueRef fine = LLVMGetCondition(branch), callee = gate_function(t);
	struct slice s = {0};
	collect(branch, &s);
	LLVMPositionBuilderAtEnd(t->builder, slow);
	for (size_t i = s.n; i-- > 0;) {
		LLVMSetCurrentDebugLocation2(t->builder, LLVMInstructionGetDebugLoc(s.v[i]));
		LLVMInstructionRemoveFromParent(s.v[i]);
		LLVMInsertIntoBuilder(t->builder, s.v[i]);
	}
	mem_free(s.v);
	LLVMSetCurrentDebugLocation2(t->builder, location);
	LLVMValueRef args[] = {fine, tracer_i32(t, kind)};
	LLVMBuildCall2(t->builder, LLVMGlobalGetValueType(callee), callee, args, 2, "");
	LLVMBuildBr(t->builder, go_on);
	module_join_like(go_on, block, slow);
	LLVMPositionBuilderBefore(t->builder, branch);
	LLVMSetCurrentDebugLocation2(t->builder, location);
	LLVMBuildCondBr(t->builder, LLVMGetUndef(t->i1), slow, go_on);
	LLVMInstructionEraseFromParent(branch);
}

void trace_gate_checks(struct tracer *t)
{
	LLVMBasicBlockRef last = LLVMGetLastBasicBlock(t->function);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(t->function); b;
	     b = b == last ? NULL : LLVMGetNextBasicBlock(b)) {
		LLVMValueRef branch = LLVMGetBasicBlockTerminator(b);
		if (LLVMGetInstructionOpcode(branch) != LLVMBr || !LLVMIsConditional(branch))
			continue;
		for (unsigned side = 0; side < 2; side++) {
			int kind = site_trap_block(LLVMGetSuccessor(branch, side));
			if (kind >= 0 && kind != UBSAN_UNREACHABLE && kind != UBSAN_MISSING_RETURN) {
				gate(t, branch, side, (unsigned)kind);
				break;
			}
		}
	}
}

bool trace_is_gate(LLVMValueRef branch)
{
	return LLVMIsUndef(LLVMGetCondition(branch)) &&
	       strncmp(LLVMGetBasicBlockName(LLVMGetSuccessor(branch, 0)), block_name, sizeof block_name - 1) == 0;
}

// Labels of what flows into the block from outside.
static LLVMValueRef input_labels(struct tracer *t, LLVMBasicBlockRef block)
{
	LLVMValueRef any = t->zero;
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
		for (int k = 0, n = LLVMGetNumOperands(i); k < n; k++) {
			LLVMValueRef operand = LLVMGetOperand(i, (unsigned)k);
			struct labels l = tracer_labels(t, operand);
			for (int leaf = 0; leaf < LEAVES; leaf++)
				any = tracer_or(t, any, l.leaf[leaf]);
		}
	return any;
}

static void mark_unlikely(struct tracer *t, LLVMValueRef branch)
{
	LLVMMetadataRef words[] = {
		LLVMMDStringInContext2(t->context, "branch_weights", 14),
		LLVMValueAsMetadata(tracer_i32(t, 1)),
		LLVMValueAsMetadata(tracer_i32(t, 2000)),
	};
	LLVMMetadataRef node = LLVMMDNodeInContext2(t->context, words, 3);
	LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(t->context, "prof", 4), LLVMMetadataAsValue(t->context, node));
}

void trace_gate(struct tracer *t, LLVMValueRef branch)
{
	tracer_before(t, branch);
	LLVMValueRef any = input_labels(t, LLVMGetSuccessor(branch, 0));
	LLVMSetCondition(branch, LLVMBuildICmp(t->builder, LLVMIntNE, any, t->zero, ""));
	mark_unlikely(t, branch);
}

static void check_event(struct tracer *t, LLVMValueRef at, LLVMValueRef fine, unsigned kind)
{
	LLVMValueRef l = tracer_label(t, fine);
	if (l == t->zero)
		return;
	LLVMValueRef site = site_make(&t->sites, t->function, at, kind);
	tracer_call(t, "check", site, l, LLVMBuildZExt(t->builder, fine, t->i32, ""), NULL);
}

bool trace_gate_call(struct tracer *t, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (!LLVMIsAFunction(callee) || strcmp(LLVMGetValueName2(callee, &(size_t){0}), gate_name) != 0)
		return false;
	LLVMValueRef fine = LLVMGetOperand(call, 0);
	unsigned kind = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1));
	tracer_before(t, call);
	bool both = kind == UBSAN_NULL_POINTER && LLVMIsAInstruction(fine) &&
	            LLVMGetInstructionOpcode(fine) == LLVMAnd && site_is_null_check(LLVMGetOperand(fine, 0));
	if (both) { // a type mismatch is two checks in one
		check_event(t, call, LLVMGetOperand(fine, 0), UBSAN_NULL_POINTER);
		check_event(t, call, LLVMGetOperand(fine, 1), UBSAN_MISALIGNED);
	} else {
		bool aligned = kind == UBSAN_NULL_POINTER && !site_is_null_check(fine);
		check_event(t, call, fine, aligned ? UBSAN_MISALIGNED : kind);
	}
	LLVMInstructionEraseFromParent(call);
	return true;
}
