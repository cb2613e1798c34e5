// Needs: bitcode as veer-cc makes it, unoptimised. In it a check of undefined
// behaviour is
//
//     br i1 %fine, label %cont, label %trap
//   trap:                                  ; shared by all checks of a kind
//     call void @llvm.ubsantrap(i8 kind)
//     unreachable
//
// Fills in: such a branch goes to a block of its own that reports the branch's
// source line and goes on to %cont; a trap without a branch (unreachable code,
// missing return) reports and ends the program. Then AddressSanitizer, then
// optimisation: the other way round, the optimiser deletes buggy but unused
// accesses, and with them the bug. What is checked only when it executes (calls
// that AddressSanitizer intercepts, loads that fault, divisions by zero) is kept
// from the optimiser (keep.h), so that the variant sees what -O0 sees.
#include "instrument/sanitize.h"

#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <stdbool.h>
#include <string.h>

#include "abi/site.h"
#include "instrument/float_checks.h"
#include "instrument/fragment.h"
#include "instrument/keep.h"
#include "instrument/site.h"
#include "instrument/undefined.h"
#include "instrument/variables.h"

struct sanitizer {
	struct site_maker sites;
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMTypeRef callback;
	LLVMValueRef report, fatal;
	LLVMValueRef function; // being instrumented
};

static LLVMValueRef declare(struct sanitizer *s, const char *name)
{
	LLVMValueRef f = LLVMGetNamedFunction(s->module, name);
	if (!f)
		f = LLVMAddFunction(s->module, name, s->callback);
	unsigned cold = LLVMGetEnumAttributeKindForName("cold", 4);
	LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(s->context, cold, 0));
	module_call_directly(f);
	return f;
}

static LLVMValueRef make_site(struct sanitizer *s, LLVMValueRef at, unsigned kind)
{
	return site_make(&s->sites, s->function, at, kind);
}

static bool is_zero_check(LLVMValueRef v)
{
	return LLVMIsAICmpInst(v) && LLVMGetICmpPredicate(v) == LLVMIntNE && LLVMIsNull(LLVMGetOperand(v, 1));
}

// The site to report. A type mismatch is a null pointer, a misaligned one, or
// "null or misaligned": then the null half decides at run time. Likewise a division
// is by zero, or of the smallest integer by -1.
static LLVMValueRef choose_site(struct sanitizer *s, LLVMValueRef branch, unsigned kind)
{
	bool pointer = kind == UBSAN_NULL_POINTER;
	unsigned first = pointer ? UBSAN_NULL_POINTER : UBSAN_DIVISION_BY_ZERO;
	unsigned second = pointer ? UBSAN_MISALIGNED : UBSAN_DIVISION_OVERFLOW;
	if (!pointer && kind != UBSAN_DIVISION)
		return make_site(s, branch, kind);
	LLVMValueRef fine = LLVMGetCondition(branch);
	if (pointer ? site_is_null_check(fine) : is_zero_check(fine))
		return make_site(s, branch, first);
	LLVMValueRef half =
		LLVMIsAInstruction(fine) && LLVMGetInstructionOpcode(fine) == LLVMAnd ? LLVMGetOperand(fine, 0) : NULL;
	if (half && (pointer ? site_is_null_check(half) : is_zero_check(half)))
		return LLVMBuildSelect(s->builder, half, make_site(s, branch, second), make_site(s, branch, first), "");
	return make_site(s, branch, pointer ? second : kind);
}

// With preserve_most the callee saves nearly all registers. There are thousands of
// these calls in a large unit, and the register allocator needs several times
// longer when each may clobber everything.
static void call_runtime(struct sanitizer *s, LLVMValueRef callee, LLVMValueRef site)
{
	assert(LLVMGetTypeKind(LLVMTypeOf(site)) == LLVMPointerTypeKind);
	LLVMValueRef call = LLVMBuildCall2(s->builder, s->callback, callee, &site, 1, "");
	LLVMSetInstructionCallConv(call, LLVMPreserveMostCallConv);
}

// Gives the check's failing side a block that reports and joins the other side.
static void report_and_go_on(struct sanitizer *s, LLVMValueRef branch, unsigned failing, unsigned kind)
{
	assert(failing < 2 && module_branches(branch));
	LLVMBasicBlockRef from = LLVMGetInstructionParent(branch);
	LLVMBasicBlockRef go_on = LLVMGetSuccessor(branch, 1 - failing);
	LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(s->context, s->function, "veer.report");
	LLVMPositionBuilderAtEnd(s->builder, block);
	LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(branch));
	call_runtime(s, s->report, choose_site(s, branch, kind));
	LLVMBuildBr(s->builder, go_on);
	module_join_like(go_on, from, block);
	LLVMSetSuccessor(branch, failing, block);
}

static void instrument_branches(struct sanitizer *s)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(s->function); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef branch = LLVMGetBasicBlockTerminator(b);
		if (!module_branches(branch))
			continue;
		for (unsigned edge = 0; edge < 2; edge++) {
			int kind = site_trap_block(LLVMGetSuccessor(branch, edge));
			if (kind >= 0 && kind != UBSAN_UNREACHABLE && kind != UBSAN_MISSING_RETURN &&
			    LLVMGetSuccessor(branch, 0) != LLVMGetSuccessor(branch, 1))
				report_and_go_on(s, branch, edge, (unsigned)kind);
		}
	}
}

// What is left is not reached by a check's branch, or is reached by none.
static void instrument_traps(struct sanitizer *s)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(s->function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
			next = LLVMGetNextInstruction(i);
			int kind = site_trap_kind(i);
			if (kind < 0)
				continue;
			LLVMPositionBuilderBefore(s->builder, i);
			LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(i));
			// The trap's own location is artificial; the terminator behind it has the real one.
			LLVMValueRef at = next ? next : i;
			call_runtime(s, s->fatal, make_site(s, at, (unsigned)kind));
			LLVMInstructionEraseFromParent(i);
		}
}

// What led to a block leads to another one. Not LLVMReplaceAllUsesWith: that also tells the blocks behind the first one
// that they are entered from the second one.
static void redirect_to(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
	LLVMValueRef block = LLVMBasicBlockAsValue(from), into = LLVMBasicBlockAsValue(to);
	for (LLVMUseRef use = LLVMGetFirstUse(block), next; use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);
		next = LLVMGetNextUse(use);
		if (LLVMIsABlockAddress(user)) {
			LLVMReplaceAllUsesWith(user, LLVMBlockAddress(LLVMGetBasicBlockParent(from), to));
			continue;
		}
		assert(LLVMIsATerminatorInst(user));
		for (unsigned i = 0, n = (unsigned)LLVMGetNumOperands(user); i < n; i++)
			if (LLVMGetOperandUse(user, i) == use) {
				LLVMSetOperand(user, i, into);
				break;
			}
	}
}

// The same for a check that has no branch: its block is cut in two behind it. What comes from there stays the block
// that later ones know, what leads there goes to the new one.
static void report_float(void *opaque, LLVMBuilderRef builder, LLVMValueRef at, LLVMValueRef fine, unsigned kind)
{
	struct sanitizer *s = opaque;
	LLVMBasicBlockRef rest = LLVMGetInsertBlock(builder);
	LLVMValueRef next = LLVMGetNextInstruction(fine);
	LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(s->context, rest, "veer.floats");
	s->function = LLVMGetBasicBlockParent(rest);
	redirect_to(rest, head);
	module_move_until(head, rest, next);
	LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(s->context, s->function, "veer.report");
	LLVMPositionBuilderAtEnd(s->builder, head);
	LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(at));
	LLVMBuildCondBr(s->builder, fine, rest, block);
	LLVMPositionBuilderAtEnd(s->builder, block);
	call_runtime(s, s->report, make_site(s, at, kind));
	LLVMBuildBr(s->builder, rest);
	LLVMPositionBuilderBefore(builder, next);
}

// The check of unreachable code takes `noreturn` away from calls; what clang puts before them for AddressSanitizer is
// left.
static bool never_returns(LLVMValueRef call)
{
	LLVMValueRef before = LLVMGetPreviousInstruction(call);
	if (!before || !LLVMIsACallInst(before))
		return false;
	LLVMValueRef f = LLVMGetCalledValue(before);
	size_t size;
	return LLVMIsAFunction(f) && strcmp(LLVMGetValueName2(f, &size), "__asan_handle_no_return") == 0;
}

// Equal calls at the ends of two paths (failed assertions, say) become one, which is in no line.
static void keep_apart(struct sanitizer *s)
{
	unsigned nomerge = LLVMGetEnumAttributeKindForName("nomerge", 7);
	LLVMAttributeRef attribute = LLVMCreateEnumAttribute(s->context, nomerge, 0);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(s->function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (LLVMIsACallInst(i) && never_returns(i))
				LLVMAddCallSiteAttribute(i, LLVMAttributeFunctionIndex, attribute);
}

static void instrument_checks(struct module *m)
{
	struct sanitizer s = {.context = m->context, .module = m->module};
	s.builder = LLVMCreateBuilderInContext(s.context);
	site_maker_init(&s.sites, s.module);
	s.callback = LLVMFunctionType(LLVMVoidTypeInContext(s.context), &s.sites.pointer, 1, 0);
	s.report = declare(&s, SAN_REPORT);
	s.fatal = declare(&s, SAN_FATAL);
	for (LLVMValueRef f = LLVMGetFirstFunction(s.module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f))
			continue;
		s.function = f;
		instrument_branches(&s);
		instrument_traps(&s);
		keep_apart(&s);
	}
	float_checks_make(s.module, report_float, &s);
	site_maker_release(&s.sites);
	LLVMDisposeBuilder(s.builder);
}

int sanitize_module(struct module *m, struct err *err)
{
	keep_frames(m);
	instrument_checks(m);
	if (module_run_passes(m, "verify,asan", err) < 0)
		return -1;
	undefined_define(m->module);
	undefined_read_again(m->module);
	if (module_run_passes(m, "function(sroa)", err) < 0)
		return -1;
	keep_loads(m, KEEP_ALL_LOADS);
	variables_drop(m->module);
	return module_run_passes(m, "default<O1>", err);
}

int sanitize_module_entered(struct module *m, struct err *err)
{
	struct shapes *shapes = shapes_collect(m);
	struct markers_table markers;
	markers_find(&markers, m->module);
	shapes_add_markers(shapes, &markers);
	fragment_insert(m, shapes, &markers, false);
	markers_release(&markers);
	shapes_free(shapes);
	return sanitize_module(m, err);
}
