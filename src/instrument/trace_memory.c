// Labels of memory accesses and addresses.
#include "abi/trace.h"
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

// A sensitive place: the address is computed, not that of a variable.
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

// An access: what the runtime is told about it.
struct access {
	LLVMValueRef address, label; // of the pointer
	LLVMValueRef stale, site;
	LLVMValueRef base, base_size; // the object, when it is known, else NULL
	bool plain;                   // to a variable: no sensitive place, no label
};

static struct access describe(struct tracer *t, LLVMValueRef i, LLVMValueRef p)
{
	struct access a = {.address = tracer_low(t, p), .label = tracer_label(t, p), .stale = t->zero};
	LLVMValueRef object = object_of(p);
	unsigned long long size = object_size(t, object);
	bool computed = is_computed(t, p) && !t->models; // a model has no sensitive places of its own
	a.plain = !computed && a.label == t->zero;
	if (a.plain)
		return a;
	a.site = tracer_site(t, i);
	if (computed)
		a.stale = tracer_call(t, "stale", a.site, NULL);
	if (size && a.label != t->zero) {
		a.base = tracer_low(t, object);
		a.base_size = tracer_i64(t, size);
	}
	return a;
}

// For types without labels.
static void access_only(struct tracer *t, const struct access *a)
{
	if (a->plain)
		return;
	tracer_call(t, "access", a->stale, a->site, a->address, NULL);
	if (a->label != t->zero)
		tracer_call(t, "concrete", a->site, a->label, a->address, tracer_i32(t, REASON_ADDRESS), NULL);
}

static void store_label(struct tracer *t, LLVMValueRef p, unsigned long long size, LLVMValueRef l)
{
	tracer_call(t, "store", mark(t, p, size), tracer_low(t, p), tracer_i32(t, (unsigned)size), l, NULL);
}

static void on_load(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef p = LLVMGetOperand(i, 0), object = object_of(p), l;
	unsigned width = tracer_width(t, LLVMTypeOf(i));
	unsigned long long size = store_size(t, LLVMTypeOf(i));
	bool constant = LLVMIsAGlobalVariable(object) && LLVMIsGlobalConstant(object);
	tracer_before(t, i);
	struct access a = describe(t, i, p);
	if (!width)
		return access_only(t, &a);
	if (constant && a.plain)
		return;
	LLVMValueRef bytes = tracer_i32(t, (unsigned)size), any = constant ? tracer_i64(t, 0) : mark(t, p, size);
	if (a.plain)
		l = tracer_call(t, "load", any, a.address, bytes, NULL);
	else if (a.base)
		l = tracer_call(t, "load_in", any, a.stale, a.site, a.label, a.address, bytes, a.base, a.base_size,
		                NULL);
	else
		l = tracer_call(t, "load_at", any, a.stale, a.site, a.label, a.address, bytes, NULL);
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
		access_only(t, &a);
		return tracer_clear(t, a.address, tracer_i64(t, size));
	}
	if (a.plain)
		return store_label(t, p, size, l);
	LLVMValueRef bytes = tracer_i32(t, (unsigned)size), any = mark(t, p, size);
	if (a.base)
		tracer_call(t, "store_in", any, a.stale, a.site, a.label, a.address, bytes, l, a.base, a.base_size,
		            NULL);
	else
		tracer_call(t, "store_at", any, a.stale, a.site, a.label, a.address, bytes, l, NULL);
}

static void on_alloca(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef count = LLVMGetOperand(i, 0), l = tracer_label(t, count);
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(t->function);
	if (LLVMGetInstructionParent(i) == entry && LLVMIsAConstantInt(count))
		return; // trace_entry clears these
	tracer_after(t, i);
	if (l != t->zero)
		tracer_call(t, "concrete", tracer_site(t, i), l, tracer_low(t, count), tracer_i32(t, REASON_SIZE),
		            NULL);
	LLVMValueRef size = tracer_i64(t, LLVMABISizeOfType(t->layout, LLVMGetAllocatedType(i)));
	tracer_clear(t, tracer_low(t, i), LLVMBuildMul(t->builder, tracer_low(t, count), size, ""));
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

static int atomic_op(LLVMAtomicRMWBinOp op)
{
	switch (op) {
	case LLVMAtomicRMWBinOpAdd: return OP_ADD;
	case LLVMAtomicRMWBinOpSub: return OP_SUB;
	case LLVMAtomicRMWBinOpAnd: return OP_AND;
	case LLVMAtomicRMWBinOpOr: return OP_OR;
	case LLVMAtomicRMWBinOpXor: return OP_XOR;
	default: return -1;
	}
}

static LLVMValueRef atomic_load_label(struct tracer *t, LLVMValueRef p, LLVMTypeRef type)
{
	unsigned long long size = store_size(t, type);
	return tracer_call(t, "load", mark(t, p, size), tracer_low(t, p), tracer_i32(t, (unsigned)size), NULL);
}

static void on_atomic_rmw(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef p = LLVMGetOperand(i, 0), v = LLVMGetOperand(i, 1), lp = tracer_label(t, p);
	LLVMTypeRef type = LLVMTypeOf(v);
	unsigned width = tracer_width(t, type);
	unsigned long long size = store_size(t, type);
	if (!width)
		return tracer_unknown(t, i);
	tracer_before(t, i);
	if (lp != t->zero)
		tracer_call(t, "concrete", tracer_site(t, i), lp, tracer_low(t, p), tracer_i32(t, REASON_ADDRESS),
		            NULL);
	LLVMValueRef old = atomic_load_label(t, p, type);
	tracer_set_label(t, i, old);
	tracer_after(t, i);
	LLVMAtomicRMWBinOp how = LLVMGetAtomicRMWBinOp(i);
	int op = atomic_op(how);
	LLVMValueRef l = t->zero;
	if (how == LLVMAtomicRMWBinOpXchg) {
		l = tracer_label(t, v);
	} else if (op >= 0) {
		LLVMOpcode opcode[] = {[OP_ADD] = LLVMAdd,
		                       [OP_SUB] = LLVMSub,
		                       [OP_AND] = LLVMAnd,
		                       [OP_OR] = LLVMOr,
		                       [OP_XOR] = LLVMXor};
		LLVMValueRef stored = LLVMBuildBinOp(t->builder, opcode[op], i, v, "");
		l = tracer_binary(t, (unsigned)op, false, i, v, stored);
	} else {
		tracer_call(t, "unknown", tracer_site(t, i), tracer_or(t, old, tracer_label(t, v)), NULL);
	}
	store_label(t, p, size, l);
}

static void on_compare_exchange(struct tracer *t, LLVMValueRef i)
{
	LLVMValueRef p = LLVMGetOperand(i, 0), expected = LLVMGetOperand(i, 1), v = LLVMGetOperand(i, 2);
	LLVMTypeRef type = LLVMTypeOf(v);
	if (!tracer_width(t, type))
		return tracer_unknown(t, i);
	unsigned long long size = store_size(t, type);
	tracer_before(t, i);
	LLVMValueRef lp = tracer_label(t, p);
	if (lp != t->zero)
		tracer_call(t, "concrete", tracer_site(t, i), lp, tracer_low(t, p), tracer_i32(t, REASON_ADDRESS),
		            NULL);
	LLVMValueRef old = atomic_load_label(t, p, type);
	tracer_after(t, i);
	LLVMValueRef had = LLVMBuildExtractValue(t->builder, i, 0, ""),
		     done = LLVMBuildExtractValue(t->builder, i, 1, "");
	tracer_set_label(t, had, old);
	LLVMValueRef same = tracer_binary(t, OP_EQ, false, had, expected, done);
	tracer_set_labels(t, i, (struct labels){{old, same, t->zero, t->zero}});
	LLVMValueRef kept = LLVMBuildSelect(t->builder, done, tracer_label(t, v), old, "");
	store_label(t, p, size, kept);
}

void trace_memory(struct tracer *t, LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMAlloca: return on_alloca(t, i);
	case LLVMLoad: return on_load(t, i);
	case LLVMStore: return on_store(t, i);
	case LLVMGetElementPtr: return on_address(t, i);
	case LLVMAtomicRMW: return on_atomic_rmw(t, i);
	default: return on_compare_exchange(t, i);
	}
}
