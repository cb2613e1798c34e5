// Labels of variadic arguments: where the ABI of x86-64 puts the arguments, their labels go, too.
#include <assert.h>

#include "base/mem.h"
#include "instrument/tracer.h"

enum { GP_END = 48, FP_END = 176 }; // areas of a va_list

LLVMTypeRef trace_byval(LLVMValueRef call, unsigned index)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
	LLVMAttributeRef a = LLVMIsAFunction(call) ? LLVMGetEnumAttributeAtIndex(call, index + 1, kind)
	                                           : LLVMGetCallSiteEnumAttribute(call, index + 1, kind);
	return a ? LLVMGetTypeAttributeValue(a) : NULL;
}

LLVMValueRef trace_argument(struct tracer *t, LLVMValueRef call, unsigned index)
{
	assert(index < LLVMGetNumArgOperands(call));
	LLVMValueRef arg = LLVMGetOperand(call, index);
	LLVMTypeRef byval = trace_byval(call, index);
	if (!byval)
		return tracer_label(t, arg);
	return tracer_present(t, tracer_low(t, arg), tracer_i64(t, LLVMABISizeOfType(t->layout, byval)));
}

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
	assert(at->gp <= GP_END && at->fp >= GP_END && at->fp <= FP_END && at->stack % 8 == 0);
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
		LLVMTypeRef byval = trace_byval(call, i);
		take_place(t, &at, LLVMTypeOf(LLVMGetOperand(call, i)),
		           byval ? LLVMABISizeOfType(t->layout, byval) : 0);
		if (i < fixed)
			named = at.stack;
	}
	return at.stack - named;
}

void trace_pass_variadic(struct tracer *t, LLVMValueRef call, LLVMValueRef callee, unsigned fixed)
{
	LLVMValueRef any = t->zero;
	unsigned n = LLVMGetNumArgOperands(call), overflow = variadic_on_stack(t, call, fixed);
	assert(fixed <= n);
	if (overflow) // that is memory, where old labels may be
		tracer_call(t, "on_stack", callee, tracer_i32(t, overflow), NULL);
	for (unsigned i = fixed; i < n; i++) {
		any = tracer_or(t, any, trace_argument(t, call, i));
	}
	if (any == t->zero)
		return;
	struct va_place at = {0, GP_END, 0};
	unsigned named = 0;
	tracer_call(t, "variadic", any, callee, tracer_i32(t, overflow), NULL);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef arg = LLVMGetOperand(call, i);
		LLVMTypeRef byval = trace_byval(call, i);
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
