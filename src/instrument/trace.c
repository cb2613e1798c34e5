#include "instrument/trace.h"

#include <assert.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Linker.h>
#include <llvm/Config/llvm-config.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "instrument/fragment.h"
#include "instrument/keep.h"
#include "instrument/markers.h"
#include "instrument/tracer.h"
#include "instrument/undefined.h"
#include "instrument/variables.h"

// --- the helpers -------------------------------------------------------------------------

static bool is_ours(LLVMValueRef function)
{
	return text_starts(LLVMGetValueName2(function, &(size_t){0}), "__veer_");
}

// Links the fast paths into the module, so that they can be called by name.
static int link_helpers(struct module *m, struct err *err)
{
	char *folder = path_of_self(), *message = NULL;
	char *path = mem_printf("%s/veer-trace-inline.bc", folder);
	LLVMMemoryBufferRef memory;
	LLVMModuleRef helpers;
	int r = 0;
	if (LLVMCreateMemoryBufferWithContentsOfFile(path, &memory, &message)) {
		r = err_set(err, "cannot read %s: %s", path, message);
		LLVMDisposeMessage(message);
	} else if (LLVMParseBitcodeInContext2(m->context, memory, &helpers)) {
		r = err_set(err, "%s is damaged", path);
		LLVMDisposeMemoryBuffer(memory);
	} else {
		LLVMDisposeMemoryBuffer(memory);
		LLVMSetDataLayout(helpers, LLVMGetDataLayoutStr(m->module));
		LLVMSetTarget(helpers, LLVMGetTarget(m->module));
		if (LLVMLinkModules2(m->module, helpers))
			r = err_set(err, "cannot link %s", path);
		else // it is there so that the runtime's entries are declared
			LLVMDeleteGlobal(LLVMGetNamedGlobal(m->module, "__veer_h_entries"));
	}
	mem_free(path);
	mem_free(folder);
	return r;
}

// Once they are called everywhere, the helpers are private and get inlined. Their
// own processor features must not keep them from it.
static void hide_helpers(struct module *m)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f)) {
		if (!is_ours(f) || LLVMIsDeclaration(f))
			continue;
		LLVMSetLinkage(f, LLVMInternalLinkage);
		LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, "target-cpu", 10);
		LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, "target-features", 15);
		LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, "tune-cpu", 8);
	}
}

// Runtime functions have a calling convention that their calls must repeat.
static void match_conventions(struct module *m)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f)) {
		if (!is_ours(f))
			continue;
		if (LLVMIsDeclaration(f))
			module_call_directly(f);
		for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use)) {
			LLVMValueRef user = LLVMGetUser(use);
			if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == f)
				LLVMSetInstructionCallConv(user, LLVMGetFunctionCallConv(f));
		}
	}
}

// --- functions -----------------------------------------------------------------------------

// The instructions in reverse post order of their blocks: operands come before
// their uses, but for phis. Blocks that cannot be reached are left out.
static void collect(LLVMValueRef function, struct value_list *out)
{
	unsigned count = LLVMCountBasicBlocks(function);
	LLVMBasicBlockRef *stack = mem_zero(count * sizeof(LLVMBasicBlockRef)),
			  *order = mem_zero(count * sizeof(LLVMBasicBlockRef));
	unsigned *next = mem_zero(count * sizeof *next);
	struct label_map seen = {0};
	unsigned depth = 0, n = 0;
#define VISIT(block)                                                                                                   \
	do {                                                                                                           \
		if (label_map_add(&seen, LLVMBasicBlockAsValue(block))) {                                              \
			stack[depth] = block;                                                                          \
			next[depth++] = 0;                                                                             \
		}                                                                                                      \
	} while (0)
	VISIT(LLVMGetEntryBasicBlock(function));
	while (depth) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(stack[depth - 1]);
		if (next[depth - 1] < LLVMGetNumSuccessors(end)) {
			LLVMBasicBlockRef successor = LLVMGetSuccessor(end, next[depth - 1]++);
			VISIT(successor);
		} else {
			order[n++] = stack[--depth];
			assert(n + depth <= count);
		}
	}
#undef VISIT
	while (n--)
		for (LLVMValueRef i = LLVMGetFirstInstruction(order[n]); i; i = LLVMGetNextInstruction(i))
			value_list_push(out, i);
	mem_free(seen.slots);
	mem_free(stack);
	mem_free(order);
	mem_free(next);
}

// A phi beside each phi; what comes in is filled in when all labels are known.
static void make_phis(struct tracer *t, const struct value_list *instructions)
{
	for (size_t k = 0; k < instructions->n; k++) {
		LLVMValueRef i = instructions->v[k];
		unsigned leaves = LLVMGetInstructionOpcode(i) == LLVMPHI ? tracer_leaves(t, LLVMTypeOf(i)) : 0;
		if (!leaves)
			continue;
		struct labels l = {{t->zero, t->zero, t->zero, t->zero}};
		LLVMPositionBuilderBefore(t->builder, i);
		LLVMSetCurrentDebugLocation2(t->builder, NULL);
		for (unsigned n = 0; n < leaves; n++)
			l.leaf[n] = LLVMBuildPhi(t->builder, t->i32, "");
		tracer_set_labels(t, i, l);
	}
}

static void fill_phis(struct tracer *t, const struct value_list *instructions)
{
	for (size_t k = 0; k < instructions->n; k++) {
		LLVMValueRef i = instructions->v[k];
		if (!i || LLVMGetInstructionOpcode(i) != LLVMPHI)
			continue;
		unsigned leaves = tracer_leaves(t, LLVMTypeOf(i));
		struct labels own = tracer_labels(t, i);
		assert(!leaves || LLVMIsAPHINode(own.leaf[0])); // make_phis() made it
		for (unsigned n = 0; n < leaves; n++)
			for (unsigned in = 0, count = LLVMCountIncoming(i); in < count; in++) {
				LLVMValueRef l = tracer_labels(t, LLVMGetIncomingValue(i, in)).leaf[n];
				LLVMBasicBlockRef from = LLVMGetIncomingBlock(i, in);
				LLVMAddIncoming(own.leaf[n], &l, &from, 1);
			}
	}
}

// Of trace_cover.c, not of the program.
static bool is_counter(LLVMValueRef i)
{
	return LLVMIsACallInst(i) && LLVMIsAFunction(LLVMGetCalledValue(i)) && is_ours(LLVMGetCalledValue(i));
}

static void trace_function(struct tracer *t, LLVMValueRef function)
{
	struct value_list instructions = {0};
	tracer_begin(t, function);
	trace_lower(t);
	trace_gate_checks(t);
	collect(function, &instructions);
	make_phis(t, &instructions);
	trace_entry(t);
	for (size_t k = 0; k < instructions.n; k++) {
		LLVMValueRef i = instructions.v[k];
		if (LLVMGetInstructionOpcode(i) == LLVMPHI || is_counter(i))
			continue;
		instructions.v[k] = NULL; // it may be gone afterwards
		trace_instruction(t, i);
	}
	fill_phis(t, &instructions);
	trace_batch(t);
	mem_free(instructions.v);
}

// `cover`: NULL when there are no counters.
static void trace_all(struct module *m, const struct cover_plan *cover)
{
	struct tracer t = {.context = m->context, .module = m->module};
	t.builder = LLVMCreateBuilderInContext(t.context);
	t.layout = LLVMGetModuleDataLayout(t.module);
	t.i1 = LLVMInt1TypeInContext(t.context);
	t.i32 = LLVMInt32TypeInContext(t.context);
	t.i64 = LLVMInt64TypeInContext(t.context);
	t.pointer = LLVMPointerTypeInContext(t.context, 0);
	t.zero = LLVMConstInt(t.i32, 0, 0);
	site_maker_init(&t.sites, t.module);
	if (cover && trace_cover_graph(cover)) {
		t.sites.graph = trace_cover_graph(cover);
		t.sites.point = trace_graph_point;
	}
	trace_models(&t);
	trace_direct(&t);
	struct value_list functions = {0};
	unsigned naked = LLVMGetEnumAttributeKindForName("naked", 5);
	for (LLVMValueRef f = LLVMGetFirstFunction(t.module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) && !is_ours(f) &&
		    !LLVMGetEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, naked))
			value_list_push(&functions, f);
	for (size_t i = 0; i < functions.n; i++)
		trace_function(&t, functions.v[i]);
	trace_gate_finish(&t);
	trace_direct_finish(&t);
	trace_globals(&t);
	if (cover)
		trace_cover_finish(&t, cover);
	mem_free(functions.v);
	mem_free(t.map.slots);
	site_maker_release(&t.sites);
	LLVMDisposeBuilder(t.builder);
}

// Lines of calls are what stacks are shown with; the sites have all others. Frame
// pointers lead from call to call (runtime/trace/stack.c).
static void keep_call_locations(struct module *m)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f) || is_ours(f))
			continue;
		LLVMAddTargetDependentFunctionAttr(f, "frame-pointer", "all");
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				if (!LLVMIsACallInst(i) || is_ours(LLVMGetCalledValue(i)))
					LLVMInstructionSetDebugLoc(i, NULL);
	}
}

// The scalariser must leave elements that are chosen at run time to trace_lower.c.
#if LLVM_VERSION_MAJOR < 20
#define SCALARIZER "scalarizer"
#else
#define SCALARIZER "scalarizer<no-variable-insert-extract>"
#endif

static int instrument(struct module *m, struct cover_plan *cover, struct err *err)
{
	undefined_define(m->module);
	keep_frames(m);
	trace_gate_detach(m->module);
	if (module_run_passes(m, "function(sroa)", err) < 0)
		return -1;
	keep_loads(m, KEEP_UNUSED_LOADS);
	if (module_run_passes(m, "function(early-cse," SCALARIZER ")", err) < 0 || link_helpers(m, err) < 0)
		return -1;
	variables_drop(m->module);
	if (cover)
		trace_cover_insert(cover);
	trace_all(m, cover);
	match_conventions(m);
	hide_helpers(m);
	char *message = NULL;
	if (LLVMVerifyModule(m->module, LLVMReturnStatusAction, &message)) {
		err_set(err, "the instrumented unit is invalid: %.500s", message);
		LLVMDisposeMessage(message);
		return -1;
	}
	LLVMDisposeMessage(message);
	keep_call_locations(m);
	return module_run_passes(m, "strip-nonlinetable-debuginfo,always-inline,globaldce,default<O2>", err);
}

int trace_module(struct module *m, struct err *err)
{
	return instrument(m, NULL, err);
}

int trace_module_counting(struct module *m, struct err *err)
{
	struct cover_plan *cover = trace_cover_plan(m, NULL);
	int r = instrument(m, cover, err);
	trace_cover_free(cover);
	return r;
}

// Whether the compiler knows a value is no decision of the program. A header's __builtin_constant_p has two ways to
// compute the same; this is the one that is there without optimisation.
static void know_no_constants(struct module *m)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f)) {
		if (!text_starts(LLVMGetValueName2(f, &(size_t){0}), "llvm.is.constant."))
			continue;
		for (LLVMUseRef use; (use = LLVMGetFirstUse(f));) {
			LLVMValueRef call = LLVMGetUser(use);
			LLVMReplaceAllUsesWith(call, LLVMConstNull(LLVMTypeOf(call)));
			LLVMInstructionEraseFromParent(call);
		}
	}
}

int trace_module_entered(struct module *m, struct err *err)
{
	struct markers_table markers;
	know_no_constants(m);
	markers_find(&markers, m->module);
	struct cover_plan *cover = trace_cover_plan(m, &markers);
	struct shapes *shapes = shapes_collect(m);
	shapes_add_markers(shapes, &markers);
	fragment_insert(m, shapes, &markers, true);
	int r = instrument(m, cover, err);
	shapes_free(shapes);
	trace_cover_free(cover);
	markers_release(&markers);
	return r;
}
