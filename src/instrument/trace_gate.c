// Checks of undefined behaviour compute much and hardly ever concern labelled
// values. So that they cost nothing when there are no labels, the computation of each
// check moves into a function of its own, and the branch is gone:
//
//     ... %fine = ...                          call void @veer.check(site, inputs, their labels)
//     br i1 %fine, label %cont, label %trap    br label %cont
//                                       -->
//                                              veer.check:
//                                                ... %fine = ...
//                                                call i32 @__veer_gate(i1 %fine, i32 kind)
//                                                ret void
//
// In two steps. The branch is gone before anything is optimised: a traced run goes on behind a check that fails, so
// nothing may be concluded from the check. Until its computation moves, a call of @__veer_detached(%fine, kind)
// stands where the branch was. Checks that compute the same share a function. The labels are filled in when the
// instrumenter comes to the call; the check functions are instrumented last.
#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <stdint.h>
#include <string.h>

#include "abi/site.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "instrument/float_checks.h"
#include "instrument/module.h"
#include "instrument/tracer.h"

static const char gate_name[] = "__veer_gate";
static const char detached_name[] = "__veer_detached";
static const char check_name[] = "veer.check";
enum { PRESERVE_MOST = 14 }; // LLVM's number of the convention

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
	case LLVMExtractValue:
	case LLVMGetElementPtr:
	case LLVMFNeg:
	case LLVMFreeze: return true;
	case LLVMSelect: return site_is_sanitizer(i); // others are decisions of the program
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

// The flag of an operation with overflow, whose result the program needs too: the
// check computes it again, so that the program has no use for the flag.
static void split_overflow(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef whole = LLVMGetOperand(i, 0);
	if (!LLVMIsACallInst(whole) || !is_pure(whole) || LLVMGetIndices(i)[0] != 1)
		return;
	LLVMValueRef again = LLVMInstructionClone(whole);
	LLVMPositionBuilderBefore(t->builder, i);
	LLVMInsertIntoBuilder(t->builder, again);
	LLVMSetOperand(i, 0, again);
}

static void collect(struct tracer *t, LLVMValueRef branch, struct slice *s)
{
	enum { FAR = 64 }; // checks are short; what is further up belongs to something else
	int seen = 0;
	for (LLVMValueRef i = LLVMGetPreviousInstruction(branch); i && seen < FAR;
	     i = LLVMGetPreviousInstruction(i), seen++) {
		if (!is_pure(i) || !only_for(i, branch, s))
			continue;
		if (LLVMGetInstructionOpcode(i) == LLVMExtractValue)
			split_overflow(t, i);
		vec_push(s, i);
	}
	// A structure's labels do not fit a parameter: its members are taken out before.
	for (size_t k = 0; k < s->n; k++) {
		LLVMValueRef i = s->v[k];
		if (LLVMGetInstructionOpcode(i) == LLVMExtractValue && !in_slice(s, LLVMGetOperand(i, 0)))
			memmove(&s->v[k], &s->v[k + 1], (--s->n - k) * sizeof *s->v), k--;
	}
}

// --- check functions ---------------------------------------------------------------------

// What a check computes: its instructions, and the values from outside.
struct check {
	struct slice slice, inputs;
	LLVMValueRef fine;
	unsigned kind;
	bool both; // two checks in one: null and alignment
};

static size_t number_of(const struct slice *s, LLVMValueRef v)
{
	size_t i = 0;
	while (i < s->n && s->v[i] != v)
		i++;
	return i;
}

static void find_inputs(struct check *c)
{
	struct slice *in = &c->inputs;
	in->cap = 2 * c->slice.n + 1;
	for (size_t k = 0; k < c->slice.n; k++)
		in->cap += (size_t)LLVMGetNumOperands(c->slice.v[k]);
	in->v = mem_zero(in->cap * sizeof *in->v);
	for (size_t k = c->slice.n; k-- > 0;)
		for (int o = 0, n = LLVMGetNumOperands(c->slice.v[k]); o < n; o++) {
			LLVMValueRef v = LLVMGetOperand(c->slice.v[k], (unsigned)o);
			if (!LLVMIsConstant(v) && !in_slice(&c->slice, v) && !in_slice(in, v))
				in->v[in->n++] = v;
		}
	if (!LLVMIsConstant(c->fine) && !in_slice(&c->slice, c->fine) && !in_slice(in, c->fine))
		in->v[in->n++] = c->fine;
	assert(in->n <= in->cap);
}

static void add_number(struct buf *key, uint64_t number)
{
	buf_add(key, &number, sizeof number);
}

// An operand: an input or an instruction of the slice by number, or a constant.
static void add_operand(struct buf *key, const struct check *c, LLVMValueRef v)
{
	bool constant = LLVMIsConstant(v);
	bool inside = !constant && in_slice(&c->slice, v);
	assert(constant || inside || in_slice(&c->inputs, v)); // find_inputs() has been through
	add_number(key, constant ? 0 : inside ? 1 : 2);
	add_number(key, constant ? (uintptr_t)v : number_of(inside ? &c->slice : &c->inputs, v));
}

// Two checks with the same key compute the same.
static void describe(const struct check *c, struct buf *key)
{
	add_number(key, c->kind);
	add_number(key, c->both);
	for (size_t k = 0; k < c->inputs.n; k++)
		add_number(key, (uintptr_t)LLVMTypeOf(c->inputs.v[k]));
	for (size_t k = c->slice.n; k-- > 0;) {
		LLVMValueRef i = c->slice.v[k];
		LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
		add_number(key, opcode);
		add_number(key, (uintptr_t)LLVMTypeOf(i));
		add_number(key, opcode == LLVMICmp            ? LLVMGetICmpPredicate(i)
		                : opcode == LLVMFCmp          ? LLVMGetFCmpPredicate(i)
		                : opcode == LLVMGetElementPtr ? (uintptr_t)LLVMGetGEPSourceElementType(i)
		                : opcode == LLVMExtractValue  ? LLVMGetIndices(i)[0]
		                                              : 0);
		for (int o = 0, n = LLVMGetNumOperands(i); o < n; o++)
			add_operand(key, c, LLVMGetOperand(i, (unsigned)o));
	}
	add_operand(key, c, c->fine);
}

static LLVMValueRef get_function(LLVMModuleRef module, const char *name)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef params[] = {LLVMInt1TypeInContext(context), LLVMInt32TypeInContext(context)};
	LLVMValueRef f = LLVMGetNamedFunction(module, name);
	return f ? f : LLVMAddFunction(module, name, LLVMFunctionType(params[1], params, 2, 0));
}

static LLVMValueRef gate_function(struct tracer *t)
{
	return get_function(t->module, gate_name);
}

static void add_attribute(struct tracer *t, LLVMValueRef function, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(t->context, kind, 0));
}

// Parameters: one site or two, the inputs, their labels.
static unsigned n_sites(unsigned n_arguments)
{
	return n_arguments % 2 ? 1 : 2;
}

static LLVMValueRef make_function(struct tracer *t, const struct check *c)
{
	unsigned n = (unsigned)c->inputs.n, sites = c->both ? 2 : 1;
	LLVMTypeRef *types = mem_zero((sites + 2 * (size_t)n) * sizeof(LLVMTypeRef));
	types[0] = types[sites - 1] = t->pointer;
	for (unsigned k = 0; k < n; k++) {
		types[sites + k] = LLVMTypeOf(c->inputs.v[k]);
		types[sites + n + k] = t->i32;
	}
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(t->context), types, sites + 2 * n, 0);
	mem_free(types);
	LLVMValueRef f = LLVMAddFunction(t->module, check_name, type);
	LLVMSetLinkage(f, LLVMInternalLinkage);
	LLVMSetFunctionCallConv(f, PRESERVE_MOST);
	add_attribute(t, f, "noinline");
	add_attribute(t, f, "cold");
	add_attribute(t, f, "nounwind");
	LLVMPositionBuilderAtEnd(t->builder, LLVMAppendBasicBlockInContext(t->context, f, ""));
	LLVMSetCurrentDebugLocation2(t->builder, NULL);
	for (size_t k = c->slice.n; k-- > 0;) {
		LLVMValueRef i = c->slice.v[k];
		LLVMInstructionRemoveFromParent(i);
		LLVMInstructionSetDebugLoc(i, NULL);
		LLVMInsertIntoBuilder(t->builder, i);
		for (int o = 0, operands = LLVMGetNumOperands(i); o < operands; o++) {
			size_t input = number_of(&c->inputs, LLVMGetOperand(i, (unsigned)o));
			if (input < c->inputs.n)
				LLVMSetOperand(i, (unsigned)o, LLVMGetParam(f, sites + (unsigned)input));
		}
	}
	size_t input = number_of(&c->inputs, c->fine);
	LLVMValueRef fine = input < c->inputs.n ? LLVMGetParam(f, sites + (unsigned)input) : c->fine;
	LLVMValueRef args[] = {fine, tracer_i32(t, c->kind)}, callee = gate_function(t);
	LLVMBuildCall2(t->builder, LLVMGlobalGetValueType(callee), callee, args, 2, "");
	LLVMBuildRetVoid(t->builder);
	return f;
}

MAP_FUNCTIONS(checks, struct check_table, struct hash, .key, .function, map_hash_digest, map_same_digest)

// The check's function; its instructions are gone from where they were.
static LLVMValueRef function_for(struct tracer *t, struct check *c)
{
	struct buf text = {0};
	describe(c, &text);
	struct hash key = hash_bytes(text.data, text.len);
	buf_release(&text);
	const struct check_entry *known = checks_get(&t->checks, key);
	if (known) {
		for (size_t k = 0; k < c->slice.n; k++) // users come before what they use
			LLVMInstructionEraseFromParent(c->slice.v[k]);
		return known->function;
	}
	LLVMValueRef made = make_function(t, c);
	checks_put(&t->checks, key)->function = made;
	return made;
}

static bool is_two_checks(LLVMValueRef fine, unsigned kind)
{
	return kind == UBSAN_NULL_POINTER && LLVMIsAInstruction(fine) && LLVMGetInstructionOpcode(fine) == LLVMAnd &&
	       site_is_null_check(LLVMGetOperand(fine, 0));
}

// What belongs to this check and to others is computed for each.
static void unshare(struct tracer *t, LLVMValueRef user)
{
	for (int o = 0, n = LLVMGetNumOperands(user); o < n; o++) {
		LLVMValueRef v = LLVMGetOperand(user, (unsigned)o);
		if (!LLVMIsAInstruction(v) || LLVMGetInstructionParent(v) != LLVMGetInstructionParent(user) ||
		    !is_pure(v) || !site_is_sanitizer(v))
			continue;
		if (LLVMGetNextUse(LLVMGetFirstUse(v))) {
			LLVMValueRef own = LLVMInstructionClone(v);
			LLVMPositionBuilderBefore(t->builder, user);
			LLVMSetCurrentDebugLocation2(t->builder, LLVMInstructionGetDebugLoc(v));
			LLVMInsertIntoBuilder(t->builder, own);
			LLVMSetOperand(user, (unsigned)o, own);
			v = own;
		}
		unshare(t, v);
	}
}

static LLVMValueRef object_of(LLVMValueRef p)
{
	while (LLVMIsAGetElementPtrInst(p) || (LLVMIsAConstantExpr(p) && LLVMGetConstOpcode(p) == LLVMGetElementPtr))
		p = LLVMGetOperand(p, 0);
	return p;
}

static bool is_variable(LLVMValueRef object)
{
	return LLVMIsAAllocaInst(object) ||
	       (LLVMIsAGlobalValue(object) && LLVMGetLinkage(object) != LLVMExternalWeakLinkage);
}

// A pointer into an object is null if the object's is: whether it is outside is another check's. Returns NULL when
// there is nothing to check, for the object is a variable.
static LLVMValueRef simpler_null_check(LLVMValueRef i)
{
	LLVMValueRef object = object_of(LLVMGetOperand(i, 0));
	if (is_variable(object))
		return NULL;
	LLVMSetOperand(i, 0, object);
	return i;
}

static bool is_opcode(LLVMValueRef v, LLVMOpcode opcode)
{
	return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == opcode;
}

// Likewise of `(i64)p + offset != 0`, which is part of the check of pointer arithmetic.
static LLVMValueRef simpler_sum_check(LLVMValueRef i)
{
	LLVMValueRef sum = LLVMGetOperand(i, 0), number = is_opcode(sum, LLVMAdd) ? LLVMGetOperand(sum, 0) : sum;
	bool cast = is_opcode(number, LLVMPtrToInt) || LLVMIsAConstantExpr(number);
	LLVMValueRef pointer = cast ? LLVMGetOperand(number, 0) : NULL;
	if (!pointer || LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind)
		return i;
	if (is_variable(object_of(pointer)))
		return NULL;
	LLVMSetOperand(i, 0, number);
	return i;
}

// What is left to check of a condition; NULL when it holds anyway.
static LLVMValueRef simpler(LLVMValueRef v)
{
	if (LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v))
		return NULL;
	if (!LLVMIsAInstruction(v) || !site_is_sanitizer(v))
		return v;
	if (site_is_null_check(v))
		return simpler_null_check(v);
	if (LLVMIsAICmpInst(v) && LLVMGetICmpPredicate(v) == LLVMIntNE && LLVMIsNull(LLVMGetOperand(v, 1)))
		return simpler_sum_check(v);
	if (LLVMGetInstructionOpcode(v) != LLVMAnd)
		return v;
	LLVMValueRef a = simpler(LLVMGetOperand(v, 0)), b = simpler(LLVMGetOperand(v, 1));
	if (!a || !b || a == b)
		return a ? a : b;
	LLVMSetOperand(v, 0, a);
	LLVMSetOperand(v, 1, b);
	return v;
}

// `check`: the call where the branch was; it is gone afterwards.
static void gate(struct tracer *t, LLVMValueRef check)
{
	assert(LLVMIsACallInst(check) && LLVMGetNumArgOperands(check) == 2);
	unsigned kind = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(check, 1));
	unshare(t, check);
	LLVMValueRef fine = simpler(LLVMGetOperand(check, 0));
	if (!fine) {
		LLVMInstructionEraseFromParent(check);
		return;
	}
	LLVMSetOperand(check, 0, fine);
	struct check c = {.fine = fine, .kind = kind};
	// A type mismatch is a check for null, one of alignment, or both.
	c.both = is_two_checks(c.fine, kind);
	if (kind == UBSAN_NULL_POINTER && !c.both && !site_is_null_check(c.fine))
		c.kind = kind = UBSAN_MISALIGNED;
	collect(t, check, &c.slice);
	find_inputs(&c);
	unsigned n = (unsigned)c.inputs.n, sites = c.both ? 2 : 1;
	LLVMValueRef *args = mem_zero((sites + 2 * (size_t)n) * sizeof(LLVMValueRef)),
		     next = LLVMGetNextInstruction(check);
	LLVMMetadataRef place = LLVMInstructionGetDebugLoc(check);
	args[0] = site_make(&t->sites, t->function, check, kind);
	if (c.both)
		args[1] = site_make(&t->sites, t->function, check, UBSAN_MISALIGNED);
	for (unsigned k = 0; k < n; k++) {
		args[sites + k] = c.inputs.v[k];
		args[sites + n + k] = t->zero;
	}
	LLVMInstructionEraseFromParent(check);
	LLVMValueRef function = function_for(t, &c);
	LLVMPositionBuilderBefore(t->builder, next);
	LLVMSetCurrentDebugLocation2(t->builder, place);
	LLVMValueRef call =
		LLVMBuildCall2(t->builder, LLVMGlobalGetValueType(function), function, args, sites + 2 * n, "");
	LLVMSetInstructionCallConv(call, PRESERVE_MOST);
	mem_free(args);
	mem_free(c.slice.v);
	mem_free(c.inputs.v);
}

// Puts a block and the only one that follows it together.
static bool merge_next(LLVMBasicBlockRef block)
{
	LLVMValueRef jump = LLVMGetBasicBlockTerminator(block);
	if (!module_jumps(jump))
		return false;
	LLVMBasicBlockRef next = LLVMGetSuccessor(jump, 0);
	LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(next));
	if (next == block || !use || LLVMGetNextUse(use))
		return false;
	for (LLVMValueRef phi; (phi = LLVMGetFirstInstruction(next)) && LLVMIsAPHINode(phi);) {
		LLVMReplaceAllUsesWith(phi, LLVMGetIncomingValue(phi, 0));
		LLVMInstructionEraseFromParent(phi);
	}
	LLVMInstructionEraseFromParent(jump);
	LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(next), LLVMBasicBlockAsValue(block));
	module_move_all(block, next);
	LLVMDeleteBasicBlock(next);
	return true;
}

void trace_gate_checks(struct tracer *t)
{
	LLVMValueRef detached = LLVMGetNamedFunction(t->module, detached_name);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(t->function); detached && b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef next, i = LLVMGetFirstInstruction(b); i; i = next) {
			next = LLVMGetNextInstruction(i);
			if (LLVMIsACallInst(i) && LLVMGetCalledValue(i) == detached)
				gate(t, i);
		}
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(t->function); b; b = LLVMGetNextBasicBlock(b))
		while (merge_next(b))
			;
}

// The optimiser must neither remove the call nor take it for an access to memory: it may not come back, and does
// nothing else. Of two calls with the same operands it may remove the second, because there is a result.
static LLVMValueRef detached_function(LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMValueRef f = get_function(module, detached_name);
	static const char *const names[] = {"memory", "nounwind"}; // memory(none)
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
		LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, kind, 0));
	}
	return f;
}

static void detach(LLVMValueRef detached, LLVMBuilderRef builder, LLVMValueRef branch, unsigned failing, unsigned kind)
{
	assert(module_branches(branch) && failing < 2);
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(detached));
	unsigned nosanitize = LLVMGetMDKindIDInContext(context, "nosanitize", 10);
	LLVMValueRef args[] = {LLVMGetCondition(branch), LLVMConstInt(LLVMInt32TypeInContext(context), kind, 0)},
		     mark = LLVMGetMetadata(branch, nosanitize);
	LLVMPositionBuilderBefore(builder, branch);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(branch));
	LLVMValueRef call = LLVMBuildCall2(builder, LLVMGlobalGetValueType(detached), detached, args, 2, "");
	LLVMValueRef jump = LLVMBuildBr(builder, LLVMGetSuccessor(branch, 1 - failing));
	if (mark) {
		LLVMSetMetadata(call, nosanitize, mark);
		LLVMSetMetadata(jump, nosanitize, mark);
	}
	LLVMInstructionEraseFromParent(branch);
}

// A check that never had a branch.
static void detach_float(void *opaque, LLVMBuilderRef builder, LLVMValueRef at, LLVMValueRef fine, unsigned kind)
{
	LLVMValueRef detached = opaque;
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(detached));
	LLVMValueRef args[] = {fine, LLVMConstInt(LLVMInt32TypeInContext(context), kind, 0)};
	assert(LLVMIsAInstruction(fine) && LLVMGetInstructionParent(fine) == LLVMGetInstructionParent(at));
	(void)at;
	LLVMValueRef call = LLVMBuildCall2(builder, LLVMGlobalGetValueType(detached), detached, args, 2, "");
	LLVMSetMetadata(call, LLVMGetMDKindIDInContext(context, "nosanitize", 10),
	                LLVMMDNodeInContext(context, NULL, 0));
}

void trace_gate_detach(LLVMModuleRef module)
{
	LLVMValueRef detached = detached_function(module);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
			LLVMValueRef branch = LLVMGetBasicBlockTerminator(b);
			for (unsigned edge = 0; edge < 2 && module_branches(branch); edge++) {
				int kind = site_trap_block(LLVMGetSuccessor(branch, edge));
				if (kind < 0 || kind == UBSAN_UNREACHABLE || kind == UBSAN_MISSING_RETURN)
					continue;
				detach(detached, builder, branch, edge, (unsigned)kind);
				break;
			}
		}
	LLVMDisposeBuilder(builder);
	float_checks_make(module, detach_float, detached);
}

void trace_check_call(struct tracer *t, LLVMValueRef call)
{
	unsigned n = LLVMGetNumArgOperands(call), labels = trace_check_labels(n);
	bool any = false;
	assert(n - labels == labels - n_sites(n)); // a label for each input
	for (unsigned k = labels; k < n; k++) {
		LLVMValueRef l = tracer_label(t, LLVMGetOperand(call, k - labels + n_sites(n)));
		LLVMSetOperand(call, k, l);
		any |= l != t->zero;
	}
	if (!any)
		LLVMInstructionEraseFromParent(call);
}

unsigned trace_check_labels(unsigned n_arguments)
{
	return n_sites(n_arguments) + n_arguments / 2 - n_sites(n_arguments) / 2;
}

bool trace_is_check(LLVMValueRef callee)
{
	return LLVMIsAFunction(callee) &&
	       strncmp(LLVMGetValueName2(callee, &(size_t){0}), check_name, sizeof check_name - 1) == 0;
}

// --- the check functions' own code ---------------------------------------------------------

static void check_event(struct tracer *t, LLVMValueRef site, LLVMValueRef fine)
{
	LLVMValueRef l = tracer_label(t, fine);
	if (l != t->zero)
		tracer_call(t, "check", site, l, LLVMBuildZExt(t->builder, fine, t->i32, ""), NULL);
}

// Nothing is computed unless runs are to have such checks.
static void only_if_asked(struct tracer *t, LLVMValueRef function)
{
	static const char name[] = "__veer_t_float_checks";
	LLVMBasicBlockRef body = LLVMGetEntryBasicBlock(function);
	LLVMBasicBlockRef first = LLVMInsertBasicBlockInContext(t->context, body, "");
	LLVMBasicBlockRef last = LLVMAppendBasicBlockInContext(t->context, function, "");
	LLVMValueRef asked = LLVMGetNamedGlobal(t->module, name);
	if (!asked)
		asked = LLVMAddGlobal(t->module, t->i32, name);
	LLVMSetCurrentDebugLocation2(t->builder, NULL);
	LLVMPositionBuilderAtEnd(t->builder, last);
	LLVMBuildRetVoid(t->builder);
	LLVMPositionBuilderAtEnd(t->builder, first);
	LLVMValueRef is = LLVMBuildLoad2(t->builder, t->i32, asked, "");
	is = LLVMBuildICmp(t->builder, LLVMIntNE, is, t->zero, "");
	LLVMBuildCondBr(t->builder, is, body, last);
}

static void trace_check(struct tracer *t, LLVMValueRef function)
{
	unsigned n = LLVMCountParams(function), labels = trace_check_labels(n);
	assert(n - labels == labels - n_sites(n));
	tracer_begin(t, function);
	for (unsigned k = labels; k < n; k++)
		tracer_set_label(t, LLVMGetParam(function, k - labels + n_sites(n)), LLVMGetParam(function, k));
	LLVMValueRef next, i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
	for (; !LLVMIsACallInst(i) || LLVMGetCalledValue(i) != gate_function(t); i = next) {
		next = LLVMGetNextInstruction(i);
		trace_instruction(t, i);
	}
	LLVMValueRef fine = LLVMGetOperand(i, 0);
	unsigned kind = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1));
	LLVMPositionBuilderBefore(t->builder, i);
	if (is_two_checks(fine, kind)) {
		check_event(t, LLVMGetParam(function, 0), LLVMGetOperand(fine, 0));
		check_event(t, LLVMGetParam(function, 1), LLVMGetOperand(fine, 1));
	} else {
		check_event(t, LLVMGetParam(function, 0), fine);
	}
	LLVMInstructionEraseFromParent(i);
	if (check_is_of_floats(kind))
		only_if_asked(t, function);
}

void trace_gate_finish(struct tracer *t)
{
	const struct check_entry *check;
	for (size_t at = 0; (check = checks_next(&t->checks, &at));)
		trace_check(t, check->function);
	checks_release(&t->checks);
	LLVMDeleteFunction(LLVMGetNamedFunction(t->module, detached_name));
}
