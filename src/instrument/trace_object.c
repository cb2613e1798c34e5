// Tells the runtime about variables: globals when their unit is loaded, local ones
// whose address leaves the function, or whose size is not fixed, by a frame that is linked while it runs. Layouts:
// runtime/trace/calls.h. Other variables are known where they are used. And what setjmp
// does to both frames and labels.
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "instrument/tracer.h"

static LLVMValueRef private_constant(struct tracer *t, LLVMValueRef value, const char *name)
{
	LLVMValueRef global = LLVMAddGlobal(t->module, LLVMTypeOf(value), name);
	LLVMSetInitializer(global, value);
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(global, 1);
	return global;
}

static LLVMValueRef text(struct tracer *t, const char *s, const char *otherwise)
{
	const char *chosen = *s ? s : otherwise;
	LLVMValueRef value = LLVMConstStringInContext2(t->context, chosen, strlen(chosen), 0);
	return private_constant(t, value, "veer.text");
}

// --- local variables -------------------------------------------------------------------

// Does the address get out of sight of the function's own accesses?
static bool escapes(LLVMValueRef pointer, unsigned depth)
{
	for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAInstruction(user))
			return true;
		switch (LLVMGetInstructionOpcode(user)) {
		case LLVMLoad:
		case LLVMICmp: break;
		case LLVMStore:
			if (LLVMGetOperand(user, 0) == pointer)
				return true;
			break;
		case LLVMGetElementPtr:
		case LLVMBitCast:
			if (depth > 16 || escapes(user, depth + 1))
				return true;
			break;
		case LLVMCall: {
			const char *name = LLVMGetValueName2(LLVMGetCalledValue(user), &(size_t){0});
			if (!text_starts(name, "llvm."))
				return true;
			break;
		}
		default: return true;
		}
	}
	return false;
}

static unsigned long long size_of(struct tracer *t, LLVMValueRef variable)
{
	LLVMValueRef count = LLVMGetOperand(variable, 0);
	return LLVMIsAConstantInt(count)
	               ? LLVMABISizeOfType(t->layout, LLVMGetAllocatedType(variable)) * LLVMConstIntGetZExtValue(count)
	               : 0;
}

static LLVMValueRef frame_info(struct tracer *t, const struct value_list *variables, bool dynamic)
{
	LLVMValueRef *entries = mem_zero(variables->n * sizeof(LLVMValueRef));
	for (size_t i = 0; i < variables->n; i++) {
		const char *name = LLVMGetValueName2(variables->v[i], &(size_t){0});
		LLVMValueRef fields[] = {text(t, name, "variable"), tracer_i64(t, size_of(t, variables->v[i]))};
		entries[i] = LLVMConstStructInContext(t->context, fields, 2, 0);
	}
	LLVMTypeRef fields[] = {t->pointer, t->i64};
	LLVMTypeRef entry = LLVMStructTypeInContext(t->context, fields, 2, 0);
	LLVMValueRef whole[] = {text(t, LLVMGetValueName2(t->function, &(size_t){0}), "?"),
	                        tracer_i32(t, (unsigned)variables->n), tracer_i32(t, dynamic),
	                        LLVMConstArray2(entry, entries, variables->n)};
	mem_free(entries);
	return private_constant(t, LLVMConstStructInContext(t->context, whole, 4, 0), "veer.frame");
}

static bool is_returns_twice(LLVMValueRef call)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("returns_twice", 13);
	LLVMValueRef callee = LLVMGetCalledValue(call);
	return LLVMGetCallSiteEnumAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind) ||
	       (LLVMIsAFunction(callee) && LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, kind));
}

static bool calls_setjmp(LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (LLVMIsACallInst(i) && is_returns_twice(i))
				return true;
	return false;
}

bool trace_is_dynamic(LLVMValueRef variable)
{
	assert(LLVMIsAAllocaInst(variable));
	LLVMBasicBlockRef block = LLVMGetInstructionParent(variable);
	return block != LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block)) ||
	       !LLVMIsAConstantInt(LLVMGetOperand(variable, 0));
}

static bool has_dynamic(LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (LLVMIsAAllocaInst(i) && trace_is_dynamic(i))
				return true;
	return false;
}

// Makes and links the frame; the addresses of variables are known from here on.
static void push_frame(struct tracer *t, LLVMValueRef first, const struct value_list *variables, bool dynamic)
{
	assert((variables->n || dynamic) && !t->frame);
	LLVMTypeRef fields[] = {t->pointer, t->pointer, LLVMArrayType2(t->pointer, variables->n + dynamic)};
	LLVMTypeRef type = LLVMStructTypeInContext(t->context, fields, 3, 0);
	LLVMPositionBuilderBefore(t->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(t->function)));
	t->frame = LLVMBuildAlloca(t->builder, type, "veer.frame");
	LLVMPositionBuilderBefore(t->builder, first);
	tracer_call(t, "push_frame", t->frame, frame_info(t, variables, dynamic), NULL);
	for (size_t i = 0; i < variables->n + dynamic; i++) {
		LLVMValueRef index[] = {tracer_i32(t, 0), tracer_i32(t, 2), tracer_i32(t, (unsigned)i)};
		LLVMValueRef slot = LLVMBuildGEP2(t->builder, type, t->frame, index, 3, "");
		if (i == variables->n)
			t->dynamic = slot;
		LLVMBuildStore(t->builder, i < variables->n ? variables->v[i] : LLVMConstNull(t->pointer), slot);
	}
}

void trace_frame(struct tracer *t, LLVMValueRef first)
{
	struct value_list variables = {0};
	bool dynamic = has_dynamic(t->function);
	t->frame = t->dynamic = t->kept_frames = NULL;
	LLVMValueRef entry_end = LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(t->function));
	for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(t->function)); i != entry_end;
	     i = LLVMGetNextInstruction(i))
		if (LLVMIsAAllocaInst(i) && size_of(t, i) && escapes(i, 0))
			value_list_push(&variables, i);
	if (variables.n || dynamic)
		push_frame(t, first, &variables, dynamic);
	mem_free(variables.v);
	if (calls_setjmp(t->function)) {
		LLVMPositionBuilderBefore(t->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(t->function)));
		t->kept_frames = LLVMBuildAlloca(t->builder, t->pointer, "veer.frames");
		LLVMPositionBuilderBefore(t->builder, first);
		tracer_call(t, "keep_frames", t->kept_frames, NULL);
	}
}

void trace_frame_return(struct tracer *t, LLVMValueRef ret)
{
	assert(LLVMIsAReturnInst(ret));
	LLVMValueRef before = LLVMGetPreviousInstruction(ret);
	if (!t->frame)
		return;
	bool must_tail = before && LLVMIsACallInst(before) && LLVMGetTailCallKind(before) == LLVMTailCallKindMustTail;
	tracer_before(t, must_tail ? before : ret);
	tracer_call(t, "pop_frame", t->frame, NULL);
}

// Links a variable whose size is not fixed, where the builder is. It goes when the function
// returns, or with the stack that it lies on.
void trace_dynamic(struct tracer *t, LLVMValueRef variable, LLVMValueRef size)
{
	assert(t->dynamic && LLVMTypeOf(size) == t->i64); // trace_frame() has found the variable
	LLVMTypeRef fields[] = {t->pointer, t->i64, t->i64, t->pointer, t->i32, t->i32}; // struct rt_dynamic
	LLVMTypeRef type = LLVMStructTypeInContext(t->context, fields, 6, 0);
	LLVMValueRef link = LLVMBuildAlloca(t->builder, type, "veer.dynamic");
	LLVMValueRef name = text(t, LLVMGetValueName2(variable, &(size_t){0}), "alloca");
	LLVMValueRef l = tracer_label(t, size);
	tracer_call(t, "push_dynamic", t->dynamic, link, tracer_low(t, variable), size, l, name, NULL);
	if (l != t->zero)
		tracer_call(t, "sized", l, link, NULL);
}

void trace_stack_restore(struct tracer *t, LLVMValueRef call)
{
	if (!t->dynamic)
		return;
	tracer_before(t, call);
	tracer_call(t, "unwind", t->dynamic, LLVMGetOperand(call, 0), NULL);
}

// --- setjmp and longjmp -------------------------------------------------------------------

static bool is_longjmp(LLVMValueRef callee)
{
	static const char *const names[] = {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"};
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &(size_t){0}) : "";
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return LLVMIsDeclaration(callee) && LLVMCountParams(callee) == 2;
	return false;
}

bool trace_jump_call(struct tracer *t, LLVMValueRef call)
{
	if (is_longjmp(LLVMGetCalledValue(call))) {
		tracer_before(t, call);
		tracer_call(t, "leap", tracer_label(t, LLVMGetOperand(call, 1)), NULL);
		return true;
	}
	if (!t->kept_frames || !is_returns_twice(call))
		return false;
	tracer_after(t, call);
	tracer_call(t, "restore_frames", t->kept_frames, NULL);
	if (t->dynamic) {
		LLVMValueRef save = LLVMGetIntrinsicDeclaration(t->module, LLVMLookupIntrinsicID("llvm.stacksave", 14),
		                                                &t->pointer, 1);
		LLVMValueRef stack = LLVMBuildCall2(t->builder, LLVMGlobalGetValueType(save), save, NULL, 0, "");
		tracer_call(t, "unwind", t->dynamic, stack, NULL);
	}
	if (tracer_width(t, LLVMTypeOf(call)) == 32)
		tracer_set_label(t, call, tracer_call(t, "landed", tracer_call(t, "leapt", NULL), call, NULL));
	return true;
}

// --- globals -----------------------------------------------------------------------------

static bool is_program_variable(LLVMValueRef g)
{
	const char *name = LLVMGetValueName2(g, &(size_t){0});
	return !LLVMIsDeclaration(g) && !LLVMIsThreadLocal(g) && LLVMGetLinkage(g) != LLVMAvailableExternallyLinkage &&
	       !text_starts(name, "llvm.") && !text_starts(name, "veer.") && !text_starts(name, "__veer_");
}

void tracer_run_at_start(struct tracer *t, LLVMValueRef function)
{
	module_run_in(t->module, "llvm.global_ctors", function);
}

// A function that tells the runtime of the unit's variables.
static LLVMValueRef telling(struct tracer *t, const char *name, const char *entry, LLVMValueRef list)
{
	LLVMTypeRef nothing = LLVMVoidTypeInContext(t->context);
	LLVMTypeRef tell_type = LLVMFunctionType(nothing, &t->pointer, 1, 0);
	LLVMValueRef tell = LLVMAddFunction(t->module, entry, tell_type);
	LLVMValueRef function = LLVMAddFunction(t->module, name, LLVMFunctionType(nothing, NULL, 0, 0));
	LLVMSetLinkage(function, LLVMInternalLinkage);
	LLVMPositionBuilderAtEnd(t->builder, LLVMAppendBasicBlockInContext(t->context, function, ""));
	LLVMSetCurrentDebugLocation2(t->builder, NULL);
	LLVMBuildCall2(t->builder, tell_type, tell, &list, 1, "");
	LLVMBuildRetVoid(t->builder);
	return function;
}

void trace_globals(struct tracer *t)
{
	struct value_list entries = {0};
	LLVMTypeRef fields[] = {t->pointer, t->i64, t->pointer};
	LLVMTypeRef entry = LLVMStructTypeInContext(t->context, fields, 3, 0);
	struct value_list globals = {0};
	for (LLVMValueRef g = LLVMGetFirstGlobal(t->module); g; g = LLVMGetNextGlobal(g))
		if (is_program_variable(g))
			value_list_push(&globals, g);
	for (size_t i = 0; i < globals.n; i++) {
		LLVMValueRef g = globals.v[i];
		unsigned long long size = LLVMABISizeOfType(t->layout, LLVMGlobalGetValueType(g));
		const char *name = LLVMGetValueName2(g, &(size_t){0});
		bool literal = text_starts(name, ".str");
		LLVMValueRef values[] = {g, tracer_i64(t, size), text(t, literal ? "" : name, "string literal")};
		if (size)
			value_list_push(&entries, LLVMConstStructInContext(t->context, values, 3, 0));
	}
	mem_free(globals.v);
	if (entries.n) {
		LLVMValueRef table =
			private_constant(t, LLVMConstArray2(entry, entries.v, entries.n), "veer.variables");
		LLVMValueRef values[] = {LLVMConstNull(t->pointer), tracer_i64(t, entries.n), table};
		LLVMValueRef list =
			private_constant(t, LLVMConstStructInContext(t->context, values, 3, 0), "veer.globals");
		LLVMSetGlobalConstant(list, 0);
		module_run_in(t->module, "llvm.global_ctors", telling(t, "veer.start", "__veer_t_globals", list));
		module_run_in(t->module, "llvm.global_dtors", telling(t, "veer.end", "__veer_t_globals_gone", list));
	}
	mem_free(entries.v);
}
