// Labels of memory accesses and addresses.
#include <assert.h>

#include "abi/trace.h"
#include "base/bug.h"
#include "instrument/tracer.h"

enum { RT_CHUNK = 4096 }; // of runtime/trace/calls.h: what a mark covers

static unsigned long long store_size(struct tracer *t, LLVMTypeRef type)
{
	return LLVMStoreSizeOfType(t->layout, type);
}

// Adds the offset of a GEP whose indices are all constant; false when one is not.
static bool add_constant_offset(struct tracer *t, LLVMValueRef gep, long long *offset)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
	for (int k = 1, n = LLVMGetNumOperands(gep); k < n; k++) {
		LLVMValueRef index = LLVMGetOperand(gep, (unsigned)k);
		if (!LLVMIsAConstantInt(index))
			return false;
		if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
			*offset += (long long)LLVMOffsetOfElement(t->layout, type, member);
			type = LLVMStructGetTypeAtIndex(type, member);
			continue;
		}
		if (k > 1)
			type = LLVMGetElementType(type);
		*offset += LLVMConstIntGetSExtValue(index) * (long long)LLVMABISizeOfType(t->layout, type);
	}
	return true;
}

// The pointer without constant offsets, which are added up.
static LLVMValueRef strip(struct tracer *t, LLVMValueRef p, long long *offset)
{
	*offset = 0;
	while (LLVMIsAGetElementPtrInst(p) && add_constant_offset(t, p, offset))
		p = LLVMGetOperand(p, 0);
	return p;
}

// Members of one object share a mark: that of the object's start, when they are near.
static LLVMValueRef mark(struct tracer *t, LLVMValueRef p, unsigned long long size)
{
	long long offset;
	LLVMValueRef base = strip(t, p, &offset);
	bool near = offset >= 0 && (unsigned long long)offset + size <= RT_CHUNK;
	return tracer_mark(t, tracer_low(t, near ? base : p));
}

// The pointer without any offsets: what object is meant.
static LLVMValueRef object_of(LLVMValueRef p)
{
	while (LLVMIsAGetElementPtrInst(p) || LLVMIsABitCastInst(p))
		p = LLVMGetOperand(p, 0);
	return p;
}

// A sensitive operation: the address is computed, not that of a variable.
static bool is_computed(struct tracer *t, LLVMValueRef p)
{
	LLVMValueRef base = strip(t, p, &(long long){0});
	return !LLVMIsConstant(base) && !LLVMIsAAllocaInst(base);
}

// Size of the object when the unit knows it, else 0.
static unsigned long long object_size(struct tracer *t, LLVMValueRef object)
{
	if (LLVMIsAAllocaInst(object)) {
		LLVMValueRef count = LLVMGetOperand(object, 0);
		unsigned long long n = LLVMIsAConstantInt(count) ? LLVMConstIntGetZExtValue(count) : 0;
		return n * LLVMABISizeOfType(t->layout, LLVMGetAllocatedType(object));
	}
	if (LLVMIsAGlobalVariable(object) && !LLVMIsDeclaration(object))
		return LLVMABISizeOfType(t->layout, LLVMGlobalGetValueType(object));
	return 0;
}

// An access: what the runtime gets to know about it.
struct access {
	LLVMValueRef pointer, address, label; // address: the pointer as a number
	LLVMValueRef stale, site;
	LLVMValueRef base, base_size; // the object, when it is known, else NULL
	bool plain;                   // to a variable: no sensitive operation, no label
};

static struct access describe(struct tracer *t, LLVMValueRef i, LLVMValueRef p)
{
	struct access a = {.pointer = p, .address = tracer_low(t, p), .label = tracer_label(t, p), .stale = t->zero};
	LLVMValueRef object = object_of(p);
	unsigned long long size = object_size(t, object);
	bool computed = is_computed(t, p) && !t->models; // a model has no sensitive operations of its own
	bool dynamic = LLVMIsAAllocaInst(object) && trace_is_dynamic(object); // the runtime knows its size
	a.plain = !computed && !dynamic && a.label == t->zero;
	if (a.plain)
		return a;
	a.site = tracer_site(t, i);
	if (computed)
		a.stale = tracer_call(t, "stale", a.site, NULL);
	if ((size || dynamic) && a.label != t->zero) {
		a.base = tracer_low(t, object);
		a.base_size = tracer_i64(t, size);
	}
	return a;
}

void trace_extent(struct tracer *t, LLVMValueRef instruction, LLVMValueRef pointer, LLVMValueRef size)
{
	assert(LLVMGetTypeKind(LLVMTypeOf(pointer)) == LLVMPointerTypeKind);
	LLVMValueRef label = tracer_label(t, pointer), size_label = tracer_label(t, size), object = object_of(pointer);
	if (label == t->zero && size_label == t->zero)
		return;
	unsigned long long known = object_size(t, object);
	bool dynamic = LLVMIsAAllocaInst(object) && trace_is_dynamic(object);
	tracer_call(t, "extent", tracer_site(t, instruction), label, size_label, tracer_low(t, pointer),
	            tracer_low(t, size), known || dynamic ? tracer_low(t, object) : tracer_i64(t, 0),
	            tracer_i64(t, known), NULL);
}

// For types without labels.
static void access_only(struct tracer *t, const struct access *a, unsigned long long size)
{
	if (a->plain)
		return;
	tracer_call(t, "access", a->stale, a->site, a->address, NULL);
	if (!t->models)
		tracer_call(t, "touch", mark(t, a->pointer, size), a->site, a->address, tracer_i32(t, (unsigned)size),
		            NULL);
	if (a->label != t->zero)
		tracer_call(t, "concrete", a->site, a->label, a->address, tracer_i32(t, REASON_ADDRESS), NULL);
}

// The label of what an access reads. `constant`: the bytes themselves have no labels.
static LLVMValueRef read_label(struct tracer *t, const struct access *a, unsigned long long size, bool constant)
{
	LLVMValueRef bytes = tracer_i32(t, (unsigned)size);
	LLVMValueRef any = constant ? tracer_i64(t, 0) : mark(t, a->pointer, size);
	assert(size <= 16 && (a->plain || a->site) && (!a->base || a->base_size)); // labels are of 128 bits at most
	if (a->plain)
		return tracer_call(t, "load", any, a->address, bytes, NULL);
	if (a->base)
		return tracer_call(t, "load_in", any, a->stale, a->site, a->label, a->address, bytes, a->base,
		                   a->base_size, NULL);
	return tracer_call(t, "load_at", any, a->stale, a->site, a->label, a->address, bytes, NULL);
}

// An access stores what has label `l`.
static void write_label(struct tracer *t, const struct access *a, unsigned long long size, LLVMValueRef l)
{
	LLVMValueRef bytes = tracer_i32(t, (unsigned)size), any = mark(t, a->pointer, size);
	assert(size <= 16 && LLVMTypeOf(l) == t->i32 && (a->plain || a->site));
	if (a->plain)
		tracer_call(t, "store", any, a->address, bytes, l, NULL);
	else if (a->base)
		tracer_call(t, "store_in", any, a->stale, a->site, a->label, a->address, bytes, l, a->base,
		            a->base_size, NULL);
	else
		tracer_call(t, "store_at", any, a->stale, a->site, a->label, a->address, bytes, l, NULL);
}

static void on_load(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef p = LLVMGetOperand(i, 0), object = object_of(p);
	unsigned width = tracer_width(t, LLVMTypeOf(i));
	unsigned long long size = store_size(t, LLVMTypeOf(i));
	bool constant = LLVMIsAGlobalVariable(object) && LLVMIsGlobalConstant(object);
	tracer_before(t, i);
	struct access a = describe(t, i, p);
	if (!width)
		return access_only(t, &a, size);
	if (constant && a.plain)
		return;
	LLVMValueRef l = read_label(t, &a, size, constant);
	// A type that does not fill its bytes (_Bool, _BitInt): the rest is zero.
	if (width != 8 * size)
		l = tracer_call(t, "extract", l, tracer_i32(t, 0), tracer_i32(t, width), tracer_i64(t, 0),
		                tracer_i64(t, 0), NULL);
	tracer_set_label(t, i, l);
}

static void on_store(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef v = LLVMGetOperand(i, 0), p = LLVMGetOperand(i, 1), l = tracer_label(t, v);
	unsigned width = tracer_width(t, LLVMTypeOf(v));
	unsigned long long size = store_size(t, LLVMTypeOf(v));
	tracer_before(t, i);
	struct access a = describe(t, i, p);
	if (!width) {
		access_only(t, &a, size);
		return tracer_clear(t, a.address, tracer_i64(t, size));
	}
	write_label(t, &a, size, l);
}

// An instruction that computes beside the program; its label is known from here on.
static LLVMValueRef beside(struct tracer *t, LLVMValueRef computed)
{
	if (LLVMIsAInstruction(computed))
		trace_instruction(t, computed);
	return computed;
}

// An array of variable length, or what the program takes from the stack itself. The label of its
// size stays with it.
static void on_alloca(struct tracer *t, LLVMValueRef i)
{
	assert(LLVMIsAAllocaInst(i));
	if (!trace_is_dynamic(i))
		return; // trace_entry clears these
	LLVMValueRef size = LLVMGetOperand(i, 0);
	unsigned long long each = LLVMABISizeOfType(t->layout, LLVMGetAllocatedType(i));
	tracer_after(t, i);
	if (LLVMGetIntTypeWidth(LLVMTypeOf(size)) != 64)
		size = beside(t, LLVMBuildIntCast2(t->builder, size, t->i64, 0, ""));
	if (each != 1)
		size = beside(t, LLVMBuildMul(t->builder, size, tracer_i64(t, each), ""));
	trace_dynamic(t, i, size);
	tracer_clear(t, tracer_low(t, i), size);
}

// The address so far, with its label, on the way through the indices.
struct address {
	LLVMValueRef value, label;
};

static void add_offset(struct tracer *t, struct address *a, LLVMValueRef index, LLVMValueRef label,
                       unsigned long long scale)
{
	if (a->label != t->zero && LLVMIsAConstantInt(index))
		a->label = tracer_call(t, "offset", a->label, a->value,
		                       tracer_i64(t, LLVMConstIntGetZExtValue(index) * scale), NULL);
	else if (a->label != t->zero || label != t->zero)
		a->label = tracer_call(t, "address", a->label, label, a->value, index, tracer_i64(t, scale), NULL);
	LLVMValueRef offset = LLVMBuildMul(t->builder, index, tracer_i64(t, scale), "");
	a->value = LLVMBuildAdd(t->builder, a->value, offset, "");
}

static void add_index(struct tracer *t, struct address *a, LLVMValueRef index, unsigned long long scale)
{
	LLVMValueRef l = tracer_label(t, index);
	unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(index));
	LLVMValueRef wide = width < 64   ? LLVMBuildSExt(t->builder, index, t->i64, "")
	                    : width > 64 ? LLVMBuildTrunc(t->builder, index, t->i64, "")
	                                 : index;
	if (l != t->zero && width < 64)
		l = tracer_call(t, "unary", tracer_i32(t, OP_SEXT | 64 << 8), l, wide, tracer_i64(t, 0), NULL);
	else if (l != t->zero && width > 64)
		l = tracer_call(t, "extract", l, tracer_i32(t, 0), tracer_i32(t, 64), wide, tracer_i64(t, 0), NULL);
	add_offset(t, a, wide, l, scale);
}

static void on_address(struct tracer *t, LLVMValueRef i)
{
	bool any = false;
	int n = LLVMGetNumOperands(i);
	for (int k = 0; k < n; k++)
		any |= tracer_label(t, LLVMGetOperand(i, (unsigned)k)) != t->zero;
	if (!any)
		return;
	if (tracer_width(t, LLVMTypeOf(i)) != 64)
		return tracer_unknown(t, i);
	tracer_after(t, i);
	LLVMValueRef base = LLVMGetOperand(i, 0);
	struct address a = {tracer_low(t, base), tracer_label(t, base)};
	LLVMTypeRef type = LLVMGetGEPSourceElementType(i);
	for (int k = 1; k < n; k++) {
		LLVMValueRef index = LLVMGetOperand(i, (unsigned)k);
		if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
			add_offset(t, &a, tracer_i64(t, LLVMOffsetOfElement(t->layout, type, member)), t->zero, 1);
			type = LLVMStructGetTypeAtIndex(type, member);
			continue;
		}
		if (k > 1)
			type = LLVMGetElementType(type);
		add_index(t, &a, index, LLVMABISizeOfType(t->layout, type));
	}
	tracer_set_label(t, i, a.label);
}

// --- atomic operations -------------------------------------------------------------------

// What an atomicrmw leaves in memory, computed again beside it; NULL when it is not known how.
static LLVMValueRef stored_by(struct tracer *t, LLVMAtomicRMWBinOp how, LLVMValueRef old, LLVMValueRef v)
{
	LLVMBuilderRef b = t->builder;
	switch (how) {
	case LLVMAtomicRMWBinOpXchg: return v;
	case LLVMAtomicRMWBinOpAdd: return beside(t, LLVMBuildAdd(b, old, v, ""));
	case LLVMAtomicRMWBinOpSub: return beside(t, LLVMBuildSub(b, old, v, ""));
	case LLVMAtomicRMWBinOpAnd: return beside(t, LLVMBuildAnd(b, old, v, ""));
	case LLVMAtomicRMWBinOpOr: return beside(t, LLVMBuildOr(b, old, v, ""));
	case LLVMAtomicRMWBinOpXor: return beside(t, LLVMBuildXor(b, old, v, ""));
	case LLVMAtomicRMWBinOpNand: return beside(t, LLVMBuildNot(b, beside(t, LLVMBuildAnd(b, old, v, "")), ""));
	case LLVMAtomicRMWBinOpMax: return beside(t, tracer_intrinsic(t, "llvm.smax", old, v));
	case LLVMAtomicRMWBinOpMin: return beside(t, tracer_intrinsic(t, "llvm.smin", old, v));
	case LLVMAtomicRMWBinOpUMax: return beside(t, tracer_intrinsic(t, "llvm.umax", old, v));
	case LLVMAtomicRMWBinOpUMin: return beside(t, tracer_intrinsic(t, "llvm.umin", old, v));
	case LLVMAtomicRMWBinOpFAdd: return beside(t, LLVMBuildFAdd(b, old, v, ""));
	case LLVMAtomicRMWBinOpFSub: return beside(t, LLVMBuildFSub(b, old, v, ""));
	default: return NULL;
	}
}

static void on_atomic_rmw(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef v = LLVMGetOperand(i, 1);
	LLVMTypeRef type = LLVMTypeOf(v);
	unsigned long long size = store_size(t, type);
	if (!tracer_width(t, type))
		return tracer_unknown(t, i);
	tracer_before(t, i);
	struct access a = describe(t, i, LLVMGetOperand(i, 0));
	LLVMValueRef old = read_label(t, &a, size, false);
	tracer_set_label(t, i, old);
	tracer_after(t, i);
	LLVMValueRef stored = stored_by(t, LLVMGetAtomicRMWBinOp(i), i, v);
	if (!stored)
		tracer_call(t, "unknown", tracer_site(t, i), tracer_or(t, old, tracer_label(t, v)), NULL);
	write_label(t, &a, size, stored ? tracer_label(t, stored) : t->zero);
}

static void on_compare_exchange(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef expected = LLVMGetOperand(i, 1), v = LLVMGetOperand(i, 2);
	LLVMTypeRef type = LLVMTypeOf(v);
	unsigned width = tracer_width(t, type);
	unsigned long long size = store_size(t, type);
	if (!width)
		return tracer_unknown(t, i);
	tracer_before(t, i);
	struct access a = describe(t, i, LLVMGetOperand(i, 0));
	LLVMValueRef old = read_label(t, &a, size, false);
	tracer_after(t, i);
	LLVMValueRef had = LLVMBuildExtractValue(t->builder, i, 0, ""),
		     done = LLVMBuildExtractValue(t->builder, i, 1, "");
	tracer_set_label(t, had, old);
	LLVMValueRef same = tracer_binary(t, OP_EQ, false, had, expected, done);
	tracer_set_labels(t, i, (struct labels){{old, same, t->zero, t->zero}});
	// The new value or the old one: no decision of the program, so there is no event.
	LLVMValueRef left =
		tracer_call(t, "select", LLVMConstNull(t->pointer), same, tracer_label(t, v), old, tracer_i32(t, width),
	                    LLVMBuildZExt(t->builder, done, t->i32, ""), tracer_low(t, v), tracer_high(t, v),
	                    tracer_low(t, had), tracer_high(t, had), NULL);
	write_label(t, &a, size, left);
}

void trace_memory(struct tracer *t, LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMAlloca: return on_alloca(t, i);
	case LLVMLoad: return on_load(t, i);
	case LLVMStore: return on_store(t, i);
	case LLVMGetElementPtr: return on_address(t, i);
	case LLVMAtomicRMW: return on_atomic_rmw(t, i);
	case LLVMAtomicCmpXchg: return on_compare_exchange(t, i);
	default: BUG("an instruction that does not access memory");
	}
}
