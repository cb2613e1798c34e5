// Straight-line calls of helpers become few tests. The instrumenter leaves a call
// beside nearly every instruction; each would be a test and a branch. All they do is
// needed only when there is a label, so they are put off as far as possible and
// stand together behind one test:
//
//     %l1 = call @__veer_t_binary(.. %la, %lb ..)       %any = or %la, %lb
//     %x = add ...                                      %x = add ...
//     %l2 = call @__veer_t_unary(.. %l1 ..)             br i1 %any != 0, slow, cont
//     call @veer.check(.. %l2)                    -->
//     store ...                                         slow:
//                                                         %s1 = call @__veer_t_binary(...)
//                                                         ...
//                                                       cont:
//                                                         %l1 = phi [0, ...], [%s1, slow]
//                                                         store ...
//
// These calls see the program's memory, so they do not move over what writes to it; nor over what may end the run.
#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "instrument/module.h"
#include "instrument/tracer.h"

struct batch {
	struct tracer *t;
	LLVMBasicBlockRef out; // where the block's instructions go
	bool moved;            // out is no longer the block itself
	struct value_list pending;
	struct label_map group; // pending values, marked with the group's number
	struct label_map seen;  // labels from outside, likewise
	uintptr_t number;
	bool writes;    // labels of memory, by what is pending
	uintptr_t logs; // number of the group that has a place to log
};

static const char *called_name(LLVMValueRef call, const char *prefix)
{
	LLVMValueRef callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
	if (!callee || !LLVMIsAFunction(callee))
		return NULL;
	const char *name = LLVMGetValueName2(callee, &(size_t){0});
	return text_starts(name, prefix) ? name + strlen(prefix) : NULL;
}

static bool is_pending(const struct batch *b, LLVMValueRef v)
{
	return !LLVMIsConstant(v) && (uintptr_t)label_map_get(&b->group, v) == b->number;
}

static bool uses_pending(const struct batch *b, LLVMValueRef i)
{
	for (int k = 0, n = LLVMGetNumOperands(i); b->pending.n && k < n; k++)
		if (is_pending(b, LLVMGetOperand(i, (unsigned)k)))
			return true;
	return false;
}

// May be put off: an entry of the runtime, a check, an `or` of labels of which one is put off.
static bool may_wait(const struct batch *b, LLVMValueRef i)
{
	if (LLVMIsACallInst(i))
		return called_name(i, "__veer_t_") || trace_is_check(LLVMGetCalledValue(i));
	return LLVMGetInstructionOpcode(i) == LLVMOr && uses_pending(b, i);
}

static bool writes(LLVMValueRef i)
{
	static const char *const harmless[] = {
		"umin",   "umax",  "smin",   "smax",  "abs",    "ct",         "bswap",      "bitrev",
		"fabs",   "sqrt",  "fsh",    "dbg",   "expect", "assume",     "objectsize", "is.",
		"fma",    "sadd.", "uadd.",  "ssub.", "usub.",  "smul.",      "umul.",      "copysign",
		"floor.", "ceil.", "trunc.", "round", "rint.",  "nearbyint.", "minnum",     "maxnum"};
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMStore:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMFence:
	case LLVMCallBr:
	case LLVMVAArg: return true;
	// May end the run: that the divisor must not be 0 is to be reported before.
	case LLVMSDiv:
	case LLVMUDiv:
	case LLVMSRem:
	case LLVMURem: return !LLVMIsConstant(LLVMGetOperand(i, 1));
	case LLVMCall: break;
	default: return LLVMIsATerminatorInst(i) != NULL;
	}
	const char *name = called_name(i, "__veer_h_");
	if (name) // what is pending must still find the variables
		return strcmp(name, "fatal") == 0 || text_starts(name, "variadic_") || strcmp(name, "path_end") == 0 ||
		       strcmp(name, "pop_frame") == 0 || strcmp(name, "unwind") == 0;
	name = called_name(i, "llvm.");
	for (size_t k = 0; name && k < sizeof harmless / sizeof *harmless; k++)
		if (text_starts(name, harmless[k]))
			return false;
	return true;
}

static bool is_called(LLVMValueRef i, const char *name)
{
	const char *called = called_name(i, "__veer_h_");
	return called && strcmp(called, name) == 0;
}

// Reads labels of memory there and then.
static bool reads_labels(LLVMValueRef i)
{
	return is_called(i, "mark") || is_called(i, "present");
}

static bool is_mark(LLVMValueRef i)
{
	return reads_labels(i) || is_called(i, "stale");
}

// --- flushing --------------------------------------------------------------------------

// Labels and marks that come into the group from outside, or-ed. Behind the test, marks
// are taken for set: the runtime looks itself, and the fast path need not keep them.
static LLVMValueRef any_label(struct batch *b)
{
	LLVMBuilderRef builder = b->t->builder;
	LLVMValueRef any = b->t->zero, wide = NULL;
	for (size_t k = 0; k < b->pending.n; k++) {
		LLVMValueRef i = b->pending.v[k];
		const char *name = called_name(i, "__veer_t_");
		bool check = !name && LLVMIsACallInst(i);
		unsigned n = LLVMIsACallInst(i) ? LLVMGetNumArgOperands(i) : 2;
		unsigned labels = name ? tracer_entry(name, &(bool){false}) : ~0u;
		for (unsigned a = check ? trace_check_labels(n) : 0; a < n; a++) {
			LLVMValueRef l = LLVMGetOperand(i, a);
			if ((name && !(labels >> a & 1)) || LLVMIsConstant(l) || is_pending(b, l))
				continue;
			if (is_mark(l))
				LLVMSetOperand(i, a, LLVMConstInt(LLVMTypeOf(l), 1, 0));
			if ((uintptr_t)label_map_get(&b->seen, l) == b->number)
				continue;
			label_map_set(&b->seen, l, (void *)b->number);
			if (LLVMTypeOf(l) == b->t->i32)
				any = tracer_or(b->t, any, l);
			else
				wide = wide ? LLVMBuildOr(builder, wide, l, "") : l;
		}
	}
	return wide ? LLVMBuildOr(builder, wide, LLVMBuildZExt(builder, any, b->t->i64, ""), "") : any;
}

// What comes after the group sees its values through phis.
static void export_value(struct batch *b, LLVMValueRef value, LLVMBasicBlockRef fast, LLVMBasicBlockRef slow)
{
	struct value_list users = {0};
	assert(LLVMTypeOf(value) == b->t->i32 && is_pending(b, value));
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
		if (!is_pending(b, LLVMGetUser(use)))
			value_list_push(&users, LLVMGetUser(use));
	if (users.n) {
		LLVMValueRef phi = LLVMBuildPhi(b->t->builder, b->t->i32, "");
		LLVMAddIncoming(phi, (LLVMValueRef[]){b->t->zero, value}, (LLVMBasicBlockRef[]){fast, slow}, 2);
		for (size_t u = 0; u < users.n; u++)
			for (int k = 0, n = LLVMGetNumOperands(users.v[u]); k < n; k++)
				if (LLVMGetOperand(users.v[u], (unsigned)k) == value)
					LLVMSetOperand(users.v[u], (unsigned)k, phi);
	}
	mem_free(users.v);
}

// Puts what is pending before instruction `at`; from there on the block continues in
// another one.
static void flush(struct batch *b, LLVMValueRef at)
{
	struct tracer *t = b->t;
	assert(b->pending.n);
	if (b->moved)
		LLVMPositionBuilderAtEnd(t->builder, b->out);
	else
		LLVMPositionBuilderBefore(t->builder, at);
	LLVMSetCurrentDebugLocation2(t->builder, LLVMInstructionGetDebugLoc(b->pending.v[0]));
	LLVMValueRef any = any_label(b);
	LLVMBasicBlockRef slow = LLVMAppendBasicBlockInContext(t->context, t->function, "veer.slow"),
			  next = LLVMAppendBasicBlockInContext(t->context, t->function, "");
	LLVMValueRef test = LLVMBuildICmp(t->builder, LLVMIntNE, any, LLVMConstNull(LLVMTypeOf(any)), "");
	tracer_mark_unlikely(t, LLVMBuildCondBr(t->builder, test, slow, next));
	LLVMPositionBuilderAtEnd(t->builder, slow);
	for (size_t k = 0; k < b->pending.n; k++) {
		LLVMValueRef i = b->pending.v[k];
		LLVMSetCurrentDebugLocation2(t->builder, LLVMInstructionGetDebugLoc(i));
		LLVMInsertIntoBuilder(t->builder, i);
	}
	LLVMBuildBr(t->builder, next);
	LLVMPositionBuilderAtEnd(t->builder, next);
	LLVMSetCurrentDebugLocation2(t->builder, NULL);
	for (size_t k = 0; k < b->pending.n; k++)
		if (LLVMTypeOf(b->pending.v[k]) == t->i32)
			export_value(b, b->pending.v[k], b->out, slow);
	b->out = next;
	b->moved = true;
	b->pending.n = 0;
	b->writes = false;
	b->number++;
}

// Accesses of one group are logged together: the first one's mark is enough.
static bool drop_stale(struct batch *b, LLVMValueRef i)
{
	if (!is_called(i, "stale"))
		return false;
	if (b->logs == b->number) {
		LLVMReplaceAllUsesWith(i, tracer_i32(b->t, 1));
		LLVMInstructionEraseFromParent(i);
		return true;
	}
	b->logs = b->number;
	return false;
}

static void batch_block(struct batch *b, LLVMBasicBlockRef block)
{
	struct tracer *t = b->t;
	assert(!b->pending.n);
	b->out = block;
	b->moved = false;
	for (LLVMValueRef next, i = LLVMGetFirstInstruction(block); i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (LLVMIsAPHINode(i) || drop_stale(b, i))
			continue;
		if (may_wait(b, i)) {
			LLVMInstructionRemoveFromParent(i);
			label_map_set(&b->group, i, (void *)b->number);
			value_list_push(&b->pending, i);
			const char *name = called_name(i, "__veer_t_");
			bool changes = false;
			if (name)
				tracer_entry(name, &changes);
			b->writes |= changes;
			continue;
		}
		if (b->pending.n && (writes(i) || uses_pending(b, i) || (b->writes && reads_labels(i))))
			flush(b, i);
		if (b->moved) {
			LLVMMetadataRef location = LLVMInstructionGetDebugLoc(i);
			LLVMInstructionRemoveFromParent(i);
			LLVMPositionBuilderAtEnd(t->builder, b->out);
			LLVMSetCurrentDebugLocation2(t->builder, location);
			LLVMInsertIntoBuilder(t->builder, i);
		}
	}
	assert(!b->pending.n); // what ends a block has flushed
}

// Phis name the block that control comes from; that is now the last part of it.
static void rename_incoming(struct batch *b, struct label_map *last, LLVMBasicBlockRef block)
{
	LLVMValueRef next;
	for (LLVMValueRef phi = LLVMGetFirstInstruction(block); phi && LLVMIsAPHINode(phi); phi = next) {
		next = LLVMGetNextInstruction(phi);
		unsigned n = LLVMCountIncoming(phi);
		bool stale = false;
		for (unsigned k = 0; k < n; k++)
			stale |= label_map_get(last, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(phi, k))) != NULL;
		if (!stale)
			continue;
		LLVMPositionBuilderBefore(b->t->builder, phi);
		LLVMSetCurrentDebugLocation2(b->t->builder, LLVMInstructionGetDebugLoc(phi));
		LLVMValueRef fresh = LLVMBuildPhi(b->t->builder, LLVMTypeOf(phi), "");
		for (unsigned k = 0; k < n; k++) {
			LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
			LLVMValueRef value = LLVMGetIncomingValue(phi, k),
				     to = label_map_get(last, LLVMBasicBlockAsValue(from));
			if (to)
				from = LLVMValueAsBasicBlock(to);
			LLVMAddIncoming(fresh, &value, &from, 1);
		}
		LLVMReplaceAllUsesWith(phi, fresh);
		LLVMInstructionEraseFromParent(phi);
	}
}

void trace_batch(struct tracer *t)
{
	struct batch b = {.t = t, .number = 1};
	struct label_map last = {0};
	struct value_list blocks = {0};
	for (LLVMBasicBlockRef k = LLVMGetFirstBasicBlock(t->function); k; k = LLVMGetNextBasicBlock(k))
		value_list_push(&blocks, LLVMBasicBlockAsValue(k));
	for (size_t k = 0; k < blocks.n; k++) {
		batch_block(&b, LLVMValueAsBasicBlock(blocks.v[k]));
		if (b.moved)
			label_map_set(&last, blocks.v[k], LLVMBasicBlockAsValue(b.out));
	}
	for (size_t k = 0; k < blocks.n; k++)
		rename_incoming(&b, &last, LLVMValueAsBasicBlock(blocks.v[k]));
	mem_free(b.pending.v);
	mem_free(b.group.slots);
	mem_free(b.seen.slots);
	mem_free(last.slots);
	mem_free(blocks.v);
}
