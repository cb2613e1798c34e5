// Labels across calls and returns. See struct rt_passing in runtime/trace/calls.h for the protocol.
#include <assert.h>
#include <string.h>

#include "abi/trace.h"
#include "base/mem.h"
#include "base/text.h"
#include "instrument/tracer.h"

enum { ARGS = 32, BYVAL = 8 }; // RT_ARGS, RT_BYVAL

// Tells whether any of the arguments that are not variadic have labels.
static LLVMValueRef any_label(struct tracer *t, LLVMValueRef call, unsigned fixed)
{
	LLVMValueRef any = t->zero;
	for (unsigned i = 0; i < fixed && i < ARGS; i++)
		any = tracer_or(t, any, trace_argument(t, call, i));
	return any;
}

// Emits the passing of labels, which is done when there are `any`.
static void pass_arguments(struct tracer *t, LLVMValueRef call, LLVMValueRef callee, unsigned fixed, LLVMValueRef any)
{
	unsigned n_byval = 0;
	if (any == t->zero)
		return;
	LLVMValueRef l[ARGS];
	unsigned n = fixed < ARGS ? fixed : ARGS;
	for (unsigned i = 0; i < ARGS; i++)
		l[i] = i >= n || trace_byval(call, i) ? t->zero : tracer_label(t, LLVMGetOperand(call, i));
	tracer_call(t, "pass", any, callee, l[0], l[1], l[2], l[3], NULL);
	for (unsigned i = 4; i < n; i += 4)
		tracer_call(t, "pass_more", any, tracer_i32(t, i), l[i], l[i + 1], l[i + 2], l[i + 3], NULL);
	for (unsigned i = 0; i < n && n_byval < BYVAL; i++)
		if (trace_byval(call, i))
			tracer_call(t, "pass_byval", any, tracer_i32(t, n_byval++),
			            tracer_low(t, LLVMGetOperand(call, i)), NULL);
}

// Functions of the runtime that want to know where they are called.
static bool wants_site(LLVMValueRef callee)
{
	static const char *const names[] = {"malloc",        "calloc",         "realloc", "reallocarray", "memalign",
	                                    "aligned_alloc", "posix_memalign", "mmap",    "mmap64",       "mremap"};
	if (trace_is_modelled(callee))
		return true;
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &(size_t){0}) : "";
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return LLVMIsDeclaration(callee);
	return false;
}

// Does the pointer lead to a string literal, a function or nowhere?
static bool has_no_labels(LLVMValueRef pointer)
{
	if (!LLVMIsConstant(pointer))
		return false;
	while (LLVMIsAConstantExpr(pointer))
		pointer = LLVMGetOperand(pointer, 0);
	return !LLVMIsAGlobalVariable(pointer) || LLVMIsGlobalConstant(pointer);
}

// What a function without model may write into: the runtime compares before and after.
// Returns a mark: may memory that it sees have labels?
static LLVMValueRef show_memory(struct tracer *t, LLVMValueRef call, LLVMValueRef callee)
{
	LLVMValueRef mark = t->zero, writable[4];
	unsigned n = 0;
	for (unsigned i = 0, count = LLVMGetNumArgOperands(call); i < count; i++) {
		LLVMValueRef p = LLVMGetOperand(call, i);
		if (LLVMGetTypeKind(LLVMTypeOf(p)) != LLVMPointerTypeKind || has_no_labels(p))
			continue;
		mark = tracer_or(t, mark, tracer_present(t, tracer_low(t, p), tracer_i64(t, 1)));
		if (n < 4 && !trace_takes_constant(callee, i))
			writable[n++] = tracer_low(t, p);
	}
	if (!n)
		return mark;
	for (unsigned i = n; i < 4; i++)
		writable[i] = tracer_i64(t, 0);
	tracer_call(t, "foreign", mark, callee, writable[0], writable[1], writable[2], writable[3], NULL);
	return mark;
}

// Functions in whose calls labels may be lost: some that are declared here are instrumented elsewhere, which
// only the run can tell.
static bool may_lose(struct tracer *t, LLVMValueRef callee)
{
	return !t->models && LLVMIsAFunction(callee) && LLVMIsDeclaration(callee) && !wants_site(callee) &&
	       !trace_is_plain(callee) && !text_starts(LLVMGetValueName2(callee, &(size_t){0}), "veer_");
}

// Tells the runtime what such a function is given. Returns a mark: may anything of it have labels?
static LLVMValueRef give_arguments(struct tracer *t, LLVMValueRef call, LLVMValueRef callee)
{
	LLVMValueRef any = t->zero, site = NULL;
	for (unsigned i = 0, n = LLVMGetNumArgOperands(call); i < n; i++) {
		LLVMValueRef arg = LLVMGetOperand(call, i), l = trace_byval(call, i) ? t->zero : tracer_label(t, arg);
		bool points = LLVMGetTypeKind(LLVMTypeOf(arg)) == LLVMPointerTypeKind && !has_no_labels(arg);
		if (!site && (points || l != t->zero))
			site = tracer_site(t, call);
		if (l != t->zero)
			tracer_call(t, "passed_value", site, l, callee, tracer_low(t, arg), tracer_high(t, arg), NULL);
		any = tracer_or(t, any, l);
		if (!points)
			continue;
		LLVMValueRef address = tracer_low(t, arg), mark = tracer_present(t, address, tracer_i64(t, 1));
		tracer_call(t, "passed", site, mark, callee, address, NULL);
		any = tracer_or(t, any, mark);
	}
	return any;
}

// Functions of libc that go where they are pointed to, and tell nobody: those that need no model, and those of printf's
// kind, in what they print.
static bool goes_there(LLVMValueRef call, LLVMValueRef callee)
{
	return LLVMIsAFunction(callee) &&
	       (trace_is_modelled(callee) ? LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(call))
	                                  : LLVMIsDeclaration(callee) && trace_is_plain(callee));
}

static void check_pointers(struct tracer *t, LLVMValueRef call)
{
	for (unsigned i = 0, n = LLVMGetNumArgOperands(call); i < n; i++) {
		LLVMValueRef arg = LLVMGetOperand(call, i), l = t->zero;
		if (LLVMGetTypeKind(LLVMTypeOf(arg)) == LLVMPointerTypeKind && !trace_byval(call, i))
			l = tracer_label(t, arg);
		if (l != t->zero)
			tracer_call(t, "points", tracer_site(t, call), l, tracer_low(t, arg), NULL);
	}
}

// Number of an argument or result, and the width that is expected of its label.
static LLVMValueRef place(struct tracer *t, unsigned index, LLVMTypeRef type)
{
	assert(index < ARGS && tracer_width(t, type));
	return tracer_i32(t, index | tracer_width(t, type) << 8);
}

static LLVMTypeRef leaf_type(LLVMValueRef call, unsigned index)
{
	LLVMTypeRef type = LLVMTypeOf(call);
	assert(index < LEAVES);
	return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, index) : type;
}

// The name under which a call counts as not modelled; null for a function that needs no model, or is veer's own.
static LLVMValueRef name_to_tell(struct tracer *t, LLVMValueRef callee)
{
	const char *name = LLVMGetValueName2(callee, &(size_t){0});
	return trace_is_plain(callee) || text_starts(name, "veer_")
	               ? LLVMConstNull(t->pointer)
	               : LLVMBuildGlobalStringPtr(t->builder, name, "veer.name");
}

static void on_ordinary_call(struct tracer *t, LLVMValueRef call, LLVMValueRef callee)
{
	LLVMTypeRef type = LLVMGetCalledFunctionType(call);
	unsigned fixed = LLVMCountParamTypes(type), leaves = tracer_leaves(t, LLVMTypeOf(call));
	assert(fixed <= LLVMGetNumArgOperands(call) && leaves <= LEAVES);
	LLVMValueRef l = tracer_label(t, callee);
	tracer_before(t, call);
	if (l != t->zero)
		tracer_call(t, "concrete", tracer_site(t, call), l, tracer_low(t, callee), tracer_i32(t, REASON_TARGET),
		            NULL);
	if (!t->models && goes_there(call, callee))
		check_pointers(t, call);
	bool foreign = !t->models && trace_is_foreign(callee);
	LLVMValueRef shown = foreign ? show_memory(t, call, callee) : t->zero;
	LLVMValueRef passed = may_lose(t, callee) ? give_arguments(t, call, callee) : t->zero;
	LLVMValueRef any = tracer_or(t, shown, any_label(t, call, fixed));
	pass_arguments(t, call, callee, fixed, tracer_or(t, any, passed)); // it has to say that it takes what is given
	if (LLVMIsFunctionVarArg(type))
		trace_pass_variadic(t, call, callee, fixed);
	if (LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail)
		return;
	if (leaves)
		tracer_call(t, "before_result", NULL);
	if (wants_site(callee))
		tracer_call(t, "calls_from", tracer_site(t, call), NULL);
	if (trace_jump_call(t, call))
		return;
	tracer_after(t, call);
	if (any != t->zero && !t->models && LLVMIsAFunction(callee) && LLVMIsDeclaration(callee))
		tracer_call(t, "after_call", tracer_site(t, call), any, callee, name_to_tell(t, callee), NULL);
	if (!leaves)
		return;
	struct labels result = {{t->zero, t->zero, t->zero, t->zero}};
	LLVMValueRef returned = tracer_call(t, "returned", callee, NULL);
	for (unsigned i = 0; i < leaves; i++)
		result.leaf[i] = tracer_call(t, "result", returned, place(t, i, leaf_type(call, i)), NULL);
	tracer_set_labels(t, call, result);
}

void trace_return(struct tracer *t, LLVMValueRef ret)
{
	assert(LLVMIsAReturnInst(ret));
	trace_frame_return(t, ret);
	if (trace_direct_return(t, ret) || LLVMGetNumOperands(ret) == 0)
		return;
	struct labels l = tracer_labels(t, LLVMGetOperand(ret, 0));
	bool any = false;
	for (int i = 0; i < LEAVES; i++)
		any |= l.leaf[i] != t->zero;
	LLVMValueRef before = LLVMGetPreviousInstruction(ret);
	bool must_tail = before && LLVMIsACallInst(before) && LLVMGetTailCallKind(before) == LLVMTailCallKindMustTail;
	if (!any || must_tail)
		return;
	tracer_before(t, ret);
	tracer_call(t, "return", t->function, l.leaf[0], l.leaf[1], l.leaf[2], l.leaf[3], NULL);
}

static void clear_variables(struct tracer *t)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(t->function)); i;
	     i = LLVMGetNextInstruction(i)) {
		if (!LLVMIsAAllocaInst(i) || !LLVMIsAConstantInt(LLVMGetOperand(i, 0)) || i == t->saved_variadic)
			continue;
		unsigned long long size = LLVMABISizeOfType(t->layout, LLVMGetAllocatedType(i)) *
		                          LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0));
		if (size)
			tracer_clear(t, tracer_low(t, i), tracer_i64(t, size));
	}
}

// Variables of fixed size are there from the start: also what the entry block takes from the stack after it did
// something else (`alloca` of a constant) moves up, for the frame knows their addresses. Returns what comes behind
// them.
static LLVMValueRef gather_variables(struct tracer *t)
{
	LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(t->function)), next;
	while (LLVMIsAAllocaInst(first))
		first = LLVMGetNextInstruction(first);
	LLVMPositionBuilderBefore(t->builder, first);
	LLVMSetCurrentDebugLocation2(t->builder, NULL);
	for (LLVMValueRef i = first; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (LLVMIsAAllocaInst(i) && !trace_is_dynamic(i)) {
			LLVMInstructionRemoveFromParent(i);
			LLVMInsertIntoBuilder(t->builder, i);
		}
	}
	return first;
}

void trace_entry(struct tracer *t)
{
	LLVMValueRef first = gather_variables(t);
	t->saved_variadic = NULL;
	if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(t->function))) {
		t->saved_variadic = LLVMBuildAlloca(t->builder, LLVMArrayType2(t->i32, 176 + 512 + 1), "veer.variadic");
		tracer_call(t, "variadic_save", t->function, t->saved_variadic, NULL);
	}
	trace_frame(t, first);
	LLVMPositionBuilderBefore(t->builder, first);
	clear_variables(t);
	if (trace_direct_entry(t))
		return;
	unsigned n = LLVMCountParams(t->function), n_byval = 0;
	LLVMValueRef mask = NULL;
	for (unsigned i = 0; i < n && i < ARGS; i++) {
		LLVMValueRef p = LLVMGetParam(t->function, i);
		if (!tracer_width(t, LLVMTypeOf(p)))
			continue;
		if (!mask) {
			mask = tracer_call(t, "entered", t->function, NULL);
			tracer_call(t, "enter", mask, NULL);
		}
		LLVMTypeRef byval = trace_byval(t->function, i);
		LLVMValueRef size = byval ? tracer_i64(t, LLVMABISizeOfType(t->layout, byval)) : NULL;
		if (byval && n_byval < BYVAL)
			tracer_call(t, "byval", tracer_present(t, tracer_low(t, p), size), mask,
			            tracer_i32(t, n_byval++), tracer_low(t, p), size, NULL);
		else if (!byval)
			tracer_set_label(t, p, tracer_call(t, "argument", mask, place(t, i, LLVMTypeOf(p)), NULL));
	}
}

// Calls by which the program tells veer something, in any of the ways of docs/SYMBOLIC-INPUT.md:
// the runtime learns where. Not inside of src/support, which passes such calls on.
static bool tells_veer(struct tracer *t, LLVMValueRef callee)
{
	const char *name = LLVMGetValueName2(callee, &(size_t){0}), *section = LLVMGetSection(t->function);
	return LLVMIsAFunction(callee) && LLVMIsDeclaration(callee) &&
	       (text_starts(name, "veer_") || text_starts(name, "klee_") || text_starts(name, "__VERIFIER_")) &&
	       !(section && strcmp(section, ".text.veer_support") == 0);
}

void trace_call(struct tracer *t, LLVMValueRef call)
{
	assert(LLVMIsACallInst(call));
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (LLVMIsAInlineAsm(callee))
		return trace_assembler(t, call);
	if (trace_is_check(callee))
		return trace_check_call(t, call);
	const char *name = LLVMGetValueName2(callee, &(size_t){0});
	if (LLVMIsAFunction(callee) && text_starts(name, "llvm."))
		return trace_intrinsic(t, call, name);
	bool tells = tells_veer(t, callee) && LLVMGetTailCallKind(call) != LLVMTailCallKindMustTail;
	if (tells) {
		tracer_before(t, call);
		tracer_call(t, "place", tracer_site(t, call), NULL);
	}
	if (!trace_direct_call(t, call, callee))
		on_ordinary_call(t, call, callee);
	if (tells) {
		tracer_after(t, call);
		tracer_call(t, "place", LLVMConstNull(t->pointer), NULL);
	}
}
