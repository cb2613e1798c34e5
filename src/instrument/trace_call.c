// Labels across calls, returns and intrinsics. See struct rt_passing in
// runtime/trace/calls.h for the protocol.
#include <string.h>

#include "abi/trace.h"
#include "base/mem.h"
#include "instrument/tracer.h"

enum { ARGS = 32, BYVAL = 8 };      // RT_ARGS, RT_BYVAL
enum { GP_END = 48, FP_END = 176 }; // areas of a va_list

static LLVMTypeRef byval_type(LLVMValueRef call, unsigned index)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
	LLVMAttributeRef a = LLVMIsAFunction(call) ? LLVMGetEnumAttributeAtIndex(call, index + 1, kind)
	                                           : LLVMGetCallSiteEnumAttribute(call, index + 1, kind);
	return a ? LLVMGetTypeAttributeValue(a) : NULL;
}

// The argument's label; for a structure passed by value, whether its memory may have any.
static LLVMValueRef argument_labels(struct tracer *t, LLVMValueRef call, unsigned index)
{
	LLVMValueRef arg = LLVMGetOperand(call, index);
	LLVMTypeRef byval = byval_type(call, index);
	if (!byval)
		return tracer_label(t, arg);
	return tracer_present(t, tracer_low(t, arg), tracer_i64(t, LLVMABISizeOfType(t->layout, byval)));
}

// --- variadic arguments: where the ABI puts them -----------------------------------------

struct va_place {
	unsigned gp, fp, stack; // next free offsets
};

// Takes room for an argument; returns its offset in the areas, or on the stack
// counted from FP_END.
static unsigned take_place(struct tracer *t, struct va_place *at, LLVMTypeRef type, unsigned long long byval_size)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	unsigned width = tracer_width(t, type), offset;
	bool integer = !byval_size && (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind) && width <= 64;
	bool vector = !byval_size && (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind ||
	                              (kind == LLVMVectorTypeKind && width && width <= 128));
	if (integer && at->gp < GP_END) {
		offset = at->gp;
		at->gp += 8;
		return offset;
	}
	if (vector && at->fp < FP_END) {
		offset = at->fp;
		at->fp += 16;
		return offset;
	}
	unsigned long long size = byval_size ? byval_size : LLVMABISizeOfType(t->layout, type);
	if (kind == LLVMX86_FP80TypeKind || width == 128)
		at->stack = (at->stack + 15) & ~15u;
	offset = FP_END + at->stack;
	at->stack += (unsigned)((size + 7) & ~7ull);
	return offset;
}

// Bytes of variadic arguments that are passed on the stack.
static unsigned variadic_on_stack(struct tracer *t, LLVMValueRef call, unsigned fixed)
{
	struct va_place at = {0, GP_END, 0};
	unsigned named = 0;
	for (unsigned i = 0, n = LLVMGetNumArgOperands(call); i < n; i++) {
		LLVMTypeRef byval = byval_type(call, i);
		take_place(t, &at, LLVMTypeOf(LLVMGetOperand(call, i)),
		           byval ? LLVMABISizeOfType(t->layout, byval) : 0);
		if (i < fixed)
			named = at.stack;
	}
	return at.stack - named;
}

static void pass_variadic(struct tracer *t, LLVMValueRef call, LLVMValueRef callee, unsigned fixed)
{
	LLVMValueRef any = t->zero;
	unsigned n = LLVMGetNumArgOperands(call), overflow = variadic_on_stack(t, call, fixed);
	if (overflow) // that is memory, where old labels may be
		tracer_call(t, "on_stack", callee, tracer_i32(t, overflow), NULL);
	for (unsigned i = fixed; i < n; i++) {
		any = tracer_or(t, any, argument_labels(t, call, i));
	}
	if (any == t->zero)
		return;
	struct va_place at = {0, GP_END, 0};
	unsigned named = 0;
	tracer_call(t, "variadic", any, callee, tracer_i32(t, overflow), NULL);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef arg = LLVMGetOperand(call, i);
		LLVMTypeRef byval = byval_type(call, i);
		unsigned long long size =
			byval ? LLVMABISizeOfType(t->layout, byval) : LLVMStoreSizeOfType(t->layout, LLVMTypeOf(arg));
		unsigned offset = take_place(t, &at, LLVMTypeOf(arg), byval ? size : 0);
		if (i < fixed) {
			named = at.stack;
			continue;
		}
		if (offset >= FP_END)
			offset -= named; // va_list's area starts behind the named arguments
		if (byval)
			tracer_call(t, "variadic_byval", any, tracer_i32(t, offset), tracer_i32(t, (unsigned)size),
			            tracer_low(t, arg), NULL);
		else if (tracer_label(t, arg) != t->zero)
			tracer_call(t, "variadic_argument", any, tracer_i32(t, offset), tracer_i32(t, (unsigned)size),
			            tracer_label(t, arg), NULL);
	}
}

// --- calls and returns ---------------------------------------------------------------------

// Tells whether any of the arguments that are not variadic have labels.
static LLVMValueRef any_label(struct tracer *t, LLVMValueRef call, unsigned fixed)
{
	LLVMValueRef any = t->zero;
	for (unsigned i = 0; i < fixed && i < ARGS; i++)
		any = tracer_or(t, any, argument_labels(t, call, i));
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
		l[i] = i >= n || byval_type(call, i) ? t->zero : tracer_label(t, LLVMGetOperand(call, i));
	tracer_call(t, "pass", any, callee, l[0], l[1], l[2], l[3], NULL);
	for (unsigned i = 4; i < n; i += 4)
		tracer_call(t, "pass_more", any, tracer_i32(t, i), l[i], l[i + 1], l[i + 2], l[i + 3], NULL);
	for (unsigned i = 0; i < n && n_byval < BYVAL; i++)
		if (byval_type(call, i))
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
	       !trace_is_plain(callee) && strncmp(LLVMGetValueName2(callee, &(size_t){0}), "veer_", 5) != 0;
}

// Tells the runtime what such a function is given. Returns a mark: may anything of it have labels?
static LLVMValueRef give_arguments(struct tracer *t, LLVMValueRef call, LLVMValueRef callee)
{
	LLVMValueRef any = t->zero, site = NULL;
	for (unsigned i = 0, n = LLVMGetNumArgOperands(call); i < n; i++) {
		LLVMValueRef arg = LLVMGetOperand(call, i), l = byval_type(call, i) ? t->zero : tracer_label(t, arg);
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
		if (LLVMGetTypeKind(LLVMTypeOf(arg)) == LLVMPointerTypeKind && !byval_type(call, i))
			l = tracer_label(t, arg);
		if (l != t->zero)
			tracer_call(t, "points", tracer_site(t, call), l, tracer_low(t, arg), NULL);
	}
}

// Number of an argument or result, and the width that is expected of its label.
static LLVMValueRef place(struct tracer *t, unsigned index, LLVMTypeRef type)
{
	return tracer_i32(t, index | tracer_width(t, type) << 8);
}

static LLVMTypeRef leaf_type(LLVMValueRef call, unsigned index)
{
	LLVMTypeRef type = LLVMTypeOf(call);
	return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, index) : type;
}

// The name under which a call counts as not modelled; null for a function that needs no model, or is veer's own.
static LLVMValueRef name_to_tell(struct tracer *t, LLVMValueRef callee)
{
	const char *name = LLVMGetValueName2(callee, &(size_t){0});
	return trace_is_plain(callee) || strncmp(name, "veer_", 5) == 0
	               ? LLVMConstNull(t->pointer)
	               : LLVMBuildGlobalStringPtr(t->builder, name, "veer.name");
}

static void on_ordinary_call(struct tracer *t, LLVMValueRef call, LLVMValueRef callee)
{
	LLVMTypeRef type = LLVMGetCalledFunctionType(call);
	unsigned fixed = LLVMCountParamTypes(type), leaves = tracer_leaves(t, LLVMTypeOf(call));
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
		pass_variadic(t, call, callee, fixed);
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
		LLVMTypeRef byval = byval_type(t->function, i);
		LLVMValueRef size = byval ? tracer_i64(t, LLVMABISizeOfType(t->layout, byval)) : NULL;
		if (byval && n_byval < BYVAL)
			tracer_call(t, "byval", tracer_present(t, tracer_low(t, p), size), mask,
			            tracer_i32(t, n_byval++), tracer_low(t, p), size, NULL);
		else if (!byval)
			tracer_set_label(t, p, tracer_call(t, "argument", mask, place(t, i, LLVMTypeOf(p)), NULL));
	}
}

// --- intrinsics --------------------------------------------------------------------------------

static bool starts(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

static LLVMValueRef site_unless_model(struct tracer *t, LLVMValueRef i)
{
	return t->models ? LLVMConstNull(t->pointer) : tracer_site(t, i);
}

// `i` copies: the labels go along, and objects whose size is input must be large enough. (Models check that
// themselves, for the call that led to them.)
static void copy(struct tracer *t, LLVMValueRef i, LLVMValueRef size)
{
	LLVMValueRef to = tracer_low(t, LLVMGetOperand(i, 0)), from = tracer_low(t, LLVMGetOperand(i, 1));
	LLVMValueRef mark = tracer_or(t, tracer_present(t, from, size), tracer_present(t, to, size));
	tracer_call(t, "copy", mark, to, from, size, site_unless_model(t, i), NULL);
}

static LLVMValueRef concrete_size(struct tracer *t, LLVMValueRef i, bool copies)
{
	LLVMValueRef n = LLVMGetOperand(i, 2), l = tracer_label(t, n);
	tracer_before(t, i);
	trace_extent(t, i, LLVMGetOperand(i, 0), n);
	if (copies)
		trace_extent(t, i, LLVMGetOperand(i, 1), n);
	if (l != t->zero)
		tracer_call(t, "concrete", tracer_site(t, i), l, tracer_low(t, n), tracer_i32(t, REASON_SIZE), NULL);
	return tracer_low(t, n);
}

static void on_copy(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef size = concrete_size(t, i, true);
	copy(t, i, size);
}

static void on_fill(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef size = concrete_size(t, i, false), to = tracer_low(t, LLVMGetOperand(i, 0));
	tracer_call(t, "fill", tracer_present(t, to, size), to, tracer_label(t, LLVMGetOperand(i, 1)), size,
	            site_unless_model(t, i), NULL);
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
	for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
		if (!starts(name, known[k].name))
			continue;
		LLVMValueRef value = LLVMBuildExtractValue(t->builder, i, 0, ""),
			     over = LLVMBuildExtractValue(t->builder, i, 1, "");
		LLVMValueRef lv = tracer_binary(t, known[k].op, false, a, b, value);
		LLVMValueRef lo = needs_flag ? tracer_binary(t, known[k].overflow, false, a, b, over) : t->zero;
		tracer_set_labels(t, i, (struct labels){{lv, lo, t->zero, t->zero}});
	}
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
	bool fits = !op_is_float(op) || width == 32 || width == 64 || width == 80;
	if (!width || !fits || LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind)
		return tracer_unknown(t, i);
	tracer_after(t, i);
	tracer_set_label(
		t, i,
		tracer_call(t, "unary", tracer_i32(t, op | width << 8), l, tracer_low(t, i), tracer_high(t, i), NULL));
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
		if (starts(name, names[i]))
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
	copy(t, i, tracer_i64(t, 24));
}

static void on_intrinsic(struct tracer *t, LLVMValueRef i, const char *name)
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
	int trap = site_trap_kind(i);
	if (trap >= 0)
		return on_trap(t, i, (unsigned)trap);
	if (starts(name, "llvm.memcpy") || starts(name, "llvm.memmove"))
		return on_copy(t, i);
	if (starts(name, "llvm.memset"))
		return on_fill(t, i);
	if (strstr(name, ".with.overflow."))
		return on_overflow(t, i, name);
	if (starts(name, "llvm.expect"))
		return tracer_set_labels(t, i, tracer_labels(t, LLVMGetOperand(i, 0)));
	if (starts(name, "llvm.va_start") && t->saved_variadic) {
		tracer_after(t, i);
		tracer_call(t, "variadic_start", t->saved_variadic, LLVMGetOperand(i, 0), NULL);
		return;
	}
	if (starts(name, "llvm.is.fpclass.") && LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1)) == 3) { // not a number
		LLVMValueRef x = LLVMGetOperand(i, 0);
		tracer_after(t, i);
		return tracer_set_label(t, i, tracer_binary(t, OP_FUNO, false, x, x, i));
	}
	if (starts(name, "llvm.stackrestore"))
		return trace_stack_restore(t, i);
	if (starts(name, "llvm.va_copy"))
		return on_va_copy(t, i);
	for (size_t k = 0; k < sizeof unary / sizeof *unary; k++)
		if (starts(name, unary[k].name))
			return on_unary(t, i, unary[k].op);
	for (size_t k = 0; k < sizeof choice / sizeof *choice; k++)
		if (starts(name, choice[k].name))
			return on_choice(t, i, choice[k].op, choice[k].predicate, choice[k].larger);
	if (!is_neutral(name))
		tracer_unknown(t, i);
}

// --- inline assembler ----------------------------------------------------------------------------

static bool is_blank(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!strchr(" \t\n;", text[i]))
			return false;
	return true;
}

// Assembler without instructions, a barrier for the optimiser: an output that is tied to an
// input ("+r" in C; "=r,0" here) is that input. Nothing else changes.
static void on_barrier(struct tracer *t, LLVMValueRef i, const char *constraints)
{
	struct labels l = {{t->zero, t->zero, t->zero, t->zero}};
	unsigned output[16] = {0}, n_outputs = 0, operand = 0, number = 0;
	for (const char *c = constraints; *c; number++) {
		if (c[0] == '=' && c[1] != '*' && number < 16)
			output[number] = n_outputs++;
		else if (c[0] != '~' && c[0] != '!') {
			unsigned tied = (unsigned)(c[0] - '0');
			if (tied < 10 && output[tied] < LEAVES)
				l.leaf[output[tied]] = tracer_label(t, LLVMGetOperand(i, operand));
			operand++;
		}
		c += strcspn(c, ",");
		c += *c == ',';
	}
	tracer_set_labels(t, i, l);
}

// Other assembler: its outputs are concrete, also those in memory.
static void on_assembler(struct tracer *t, LLVMValueRef i)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("elementtype", 11);
	size_t size, constraints_size;
	const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(i), &size);
	const char *constraints = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(i), &constraints_size);
	if (is_blank(text, size)) {
		char *copy = mem_copy(constraints, constraints_size);
		on_barrier(t, i, copy);
		mem_free(copy);
		return;
	}
	tracer_unknown(t, i);
	tracer_after(t, i);
	for (unsigned k = 0, n = LLVMGetNumArgOperands(i); k < n; k++) {
		LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(i, k + 1, kind);
		if (!a)
			continue;
		LLVMTypeRef type = LLVMGetTypeAttributeValue(a);
		LLVMValueRef address = tracer_low(t, LLVMGetOperand(i, k));
		unsigned long long bytes = LLVMABISizeOfType(t->layout, type);
		if (tracer_width(t, type)) {
			LLVMValueRef mark = tracer_mark(t, address);
			LLVMValueRef l = tracer_call(t, "load", mark, address, tracer_i32(t, (unsigned)bytes), NULL);
			tracer_call(t, "unknown", tracer_site(t, i), l, NULL);
		}
		tracer_clear(t, address, tracer_i64(t, bytes));
	}
}

// Calls by which the program tells veer something, in any of the ways of docs/SYMBOLIC-INPUT.md:
// the runtime learns where. Not inside of src/support, which passes such calls on.
static bool tells_veer(struct tracer *t, LLVMValueRef callee)
{
	const char *name = LLVMGetValueName2(callee, &(size_t){0}), *section = LLVMGetSection(t->function);
	return LLVMIsAFunction(callee) && LLVMIsDeclaration(callee) &&
	       (starts(name, "veer_") || starts(name, "klee_") || starts(name, "__VERIFIER_")) &&
	       !(section && strcmp(section, ".text.veer_support") == 0);
}

void trace_call(struct tracer *t, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (LLVMIsAInlineAsm(callee))
		return on_assembler(t, call);
	if (trace_is_check(callee))
		return trace_check_call(t, call);
	const char *name = LLVMGetValueName2(callee, &(size_t){0});
	if (LLVMIsAFunction(callee) && starts(name, "llvm."))
		return on_intrinsic(t, call, name);
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
