#include "instrument/tracer.h"

#include <llvm-c/DebugInfo.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "abi/trace.h"
#include "base/mem.h"

unsigned tracer_width(const struct tracer *t, LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) <= 128 ? LLVMGetIntTypeWidth(type) : 0;
	case LLVMPointerTypeKind: return 64;
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind: return 16;
	case LLVMFloatTypeKind: return 32;
	case LLVMDoubleTypeKind: return 64;
	case LLVMX86_FP80TypeKind: return 80;
	case LLVMFP128TypeKind: return 128;
	case LLVMVectorTypeKind: {
		unsigned long long bits = LLVMSizeOfTypeInBits(t->layout, type);
		return bits <= 128 && bits % 8 == 0 && LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMPointerTypeKind
		               ? (unsigned)bits
		               : 0;
	}
	default: return 0;
	}
}

unsigned tracer_leaves(const struct tracer *t, LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
		return tracer_width(t, type) ? 1 : 0;
	unsigned n = LLVMCountStructElementTypes(type);
	return n < LEAVES ? n : LEAVES;
}

// --- labels --------------------------------------------------------------------------

static struct label_entry *slot_of(const struct label_map *m, LLVMValueRef value)
{
	size_t i = ((uintptr_t)value >> 4) * 0x9e3779b97f4a7c15u >> 20;
	for (;; i++) {
		struct label_entry *e = &m->slots[i & (m->cap - 1)];
		if (!e->value || e->value == value)
			return e;
	}
}

struct labels tracer_labels(const struct tracer *t, LLVMValueRef value)
{
	struct labels none = {{t->zero, t->zero, t->zero, t->zero}};
	if (!t->map.cap || LLVMIsConstant(value))
		return none;
	const struct label_entry *e = slot_of(&t->map, value);
	return e->value ? e->labels : none;
}

LLVMValueRef tracer_label(const struct tracer *t, LLVMValueRef value)
{
	return tracer_labels(t, value).leaf[0];
}

static void label_map_put(struct label_map *m, LLVMValueRef value, struct labels labels)
{
	if (2 * (m->used + 1) > m->cap) {
		struct label_map old = *m;
		m->cap = m->cap ? 2 * m->cap : 1024;
		m->slots = mem_zero(m->cap * sizeof *m->slots);
		for (size_t i = 0; i < old.cap; i++)
			if (old.slots[i].value)
				*slot_of(m, old.slots[i].value) = old.slots[i];
		mem_free(old.slots);
	}
	struct label_entry *e = slot_of(m, value);
	m->used += !e->value;
	e->value = value;
	e->labels = labels;
}

void *label_map_get(const struct label_map *m, LLVMValueRef value)
{
	return m->cap ? (void *)slot_of(m, value)->labels.leaf[0] : NULL;
}

void label_map_set(struct label_map *m, LLVMValueRef value, void *what)
{
	label_map_put(m, value, (struct labels){{what}});
}

void tracer_set_labels(struct tracer *t, LLVMValueRef value, struct labels labels)
{
	label_map_put(&t->map, value, labels);
}

void tracer_set_label(struct tracer *t, LLVMValueRef value, LLVMValueRef label)
{
	if (label != t->zero)
		tracer_set_labels(t, value, (struct labels){{label, t->zero, t->zero, t->zero}});
}

LLVMValueRef tracer_or(struct tracer *t, LLVMValueRef a, LLVMValueRef b)
{
	if (a == t->zero || a == b)
		return b;
	return b == t->zero ? a : LLVMBuildOr(t->builder, a, b, "");
}

void value_list_push(struct value_list *l, LLVMValueRef v)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 256;
		l->v = mem_resize(l->v, l->cap * sizeof *l->v);
	}
	l->v[l->n++] = v;
}

// --- values --------------------------------------------------------------------------

LLVMValueRef tracer_i32(const struct tracer *t, unsigned value)
{
	return LLVMConstInt(t->i32, value, 0);
}

LLVMValueRef tracer_i64(const struct tracer *t, unsigned long long value)
{
	return LLVMConstInt(t->i64, value, 0);
}

static LLVMValueRef as_integer(struct tracer *t, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind: return value;
	case LLVMPointerTypeKind: return LLVMBuildPtrToInt(t->builder, value, t->i64, "");
	default:
		return LLVMBuildBitCast(t->builder, value, LLVMIntTypeInContext(t->context, tracer_width(t, type)), "");
	}
}

LLVMValueRef tracer_low(struct tracer *t, LLVMValueRef value)
{
	LLVMValueRef v = as_integer(t, value);
	unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(v));
	return width == 64  ? v
	       : width < 64 ? LLVMBuildZExt(t->builder, v, t->i64, "")
	                    : LLVMBuildTrunc(t->builder, v, t->i64, "");
}

LLVMValueRef tracer_high(struct tracer *t, LLVMValueRef value)
{
	if (tracer_width(t, LLVMTypeOf(value)) <= 64)
		return tracer_i64(t, 0);
	LLVMValueRef v = as_integer(t, value);
	LLVMValueRef shifted = LLVMBuildLShr(t->builder, v, LLVMConstInt(LLVMTypeOf(v), 64, 0), "");
	return LLVMBuildTrunc(t->builder, shifted, t->i64, "");
}

// --- emitting ------------------------------------------------------------------------

unsigned tracer_entry(const char *name, bool *ret_writes)
{
	static const struct {
		const char *name;
		unsigned labels;
		bool writes;
	} entries[] = {
#define ENTRY(name, labels, writes) {#name, labels, writes},
#include "abi/entries.def"
#undef ENTRY
	};
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
		if (strcmp(entries[i].name, name) == 0) {
			*ret_writes = entries[i].writes;
			return entries[i].labels;
		}
	return 0;
}

LLVMValueRef tracer_call(struct tracer *t, const char *name, ...)
{
	char full[64];
	snprintf(full, sizeof full, tracer_entry(name, &(bool){false}) ? "__veer_t_%s" : "__veer_h_%s", name);
	LLVMValueRef callee = LLVMGetNamedFunction(t->module, full);
	LLVMValueRef args[12];
	unsigned n = 0;
	va_list ap;
	va_start(ap, name);
	for (LLVMValueRef arg; (arg = va_arg(ap, LLVMValueRef));)
		args[n++] = arg;
	va_end(ap);
	LLVMTypeRef type = LLVMGlobalGetValueType(callee);
	return LLVMBuildCall2(t->builder, type, callee, args, n, "");
}

LLVMValueRef tracer_mark(struct tracer *t, LLVMValueRef address)
{
	return tracer_call(t, "mark", address, NULL);
}

LLVMValueRef tracer_present(struct tracer *t, LLVMValueRef address, LLVMValueRef size)
{
	return tracer_call(t, "present", address, size, NULL);
}

void tracer_clear(struct tracer *t, LLVMValueRef address, LLVMValueRef size)
{
	tracer_call(t, "clear", tracer_present(t, address, size), address, size, NULL);
}

LLVMValueRef tracer_site(struct tracer *t, LLVMValueRef at)
{
	return site_make(&t->sites, t->function, at, SITE_PLACE);
}

void tracer_mark_unlikely(struct tracer *t, LLVMValueRef branch)
{
	LLVMMetadataRef words[] = {
		LLVMMDStringInContext2(t->context, "branch_weights", 14),
		LLVMValueAsMetadata(tracer_i32(t, 1)),
		LLVMValueAsMetadata(tracer_i32(t, 2000)),
	};
	LLVMMetadataRef node = LLVMMDNodeInContext2(t->context, words, 3);
	LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(t->context, "prof", 4), LLVMMetadataAsValue(t->context, node));
}

void tracer_begin(struct tracer *t, LLVMValueRef function)
{
	t->function = function;
	mem_free(t->map.slots);
	t->map = (struct label_map){0};
}

void tracer_before(struct tracer *t, LLVMValueRef instruction)
{
	LLVMPositionBuilderBefore(t->builder, instruction);
	LLVMSetCurrentDebugLocation2(t->builder, LLVMInstructionGetDebugLoc(instruction));
}

void tracer_after(struct tracer *t, LLVMValueRef instruction)
{
	LLVMPositionBuilderBefore(t->builder, LLVMGetNextInstruction(instruction));
	LLVMSetCurrentDebugLocation2(t->builder, LLVMInstructionGetDebugLoc(instruction));
}

void tracer_unknown(struct tracer *t, LLVMValueRef instruction)
{
	LLVMValueRef any = t->zero;
	tracer_before(t, instruction);
	for (int i = 0, n = LLVMGetNumOperands(instruction); i < n; i++) {
		struct labels l = tracer_labels(t, LLVMGetOperand(instruction, (unsigned)i));
		for (int k = 0; k < LEAVES; k++)
			any = tracer_or(t, any, l.leaf[k]);
	}
	if (any != t->zero)
		tracer_call(t, "unknown", tracer_site(t, instruction), any, NULL);
}

LLVMValueRef tracer_binary(struct tracer *t, unsigned op, bool negate, LLVMValueRef a, LLVMValueRef b,
                           LLVMValueRef result)
{
	LLVMValueRef la = tracer_label(t, a), lb = tracer_label(t, b);
	unsigned width = tracer_width(t, LLVMTypeOf(a));
	if (!width || (la == t->zero && lb == t->zero))
		return t->zero;
	LLVMValueRef code = tracer_i32(t, op | width << 8 | (unsigned)negate << 31);
	if (width <= 64)
		return tracer_call(t, "binary", code, la, lb, tracer_low(t, a), tracer_low(t, b), tracer_low(t, result),
		                   NULL);
	return tracer_call(t, "binary_wide", code, la, lb, tracer_low(t, a), tracer_high(t, a), tracer_low(t, b),
	                   tracer_high(t, b), tracer_low(t, result), tracer_high(t, result), NULL);
}
