#include "instrument/tracer.h"

#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "abi/trace.h"
#include "base/bug.h"
#include "base/mem.h"
#include "base/vec.h"

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

bool tracer_is_float(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind ||
	       kind == LLVMX86_FP80TypeKind;
}

unsigned tracer_leaves(const struct tracer *t, LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
		return tracer_width(t, type) ? 1 : 0;
	unsigned n = LLVMCountStructElementTypes(type);
	return n < LEAVES ? n : LEAVES;
}

// --- labels --------------------------------------------------------------------------

MAP_FUNCTIONS(labels_map, struct label_map, LLVMValueRef, .value, .value, map_hash_pointer, map_same_pointer)

struct labels tracer_labels(const struct tracer *t, LLVMValueRef value)
{
	struct labels none = {{t->zero, t->zero, t->zero, t->zero}};
	const struct label_entry *e = LLVMIsConstant(value) ? NULL : labels_map_get(&t->map, value);
	return e ? e->labels : none;
}

LLVMValueRef tracer_label(const struct tracer *t, LLVMValueRef value)
{
	return tracer_labels(t, value).leaf[0];
}

void *label_map_get(const struct label_map *m, LLVMValueRef value)
{
	const struct label_entry *e = labels_map_get(m, value);
	return e ? (void *)e->labels.leaf[0] : NULL;
}

void label_map_set(struct label_map *m, LLVMValueRef value, void *what)
{
	labels_map_put(m, value)->labels = (struct labels){{what}};
}

bool label_map_add(struct label_map *m, LLVMValueRef value)
{
	size_t before = m->n;
	labels_map_put(m, value);
	return m->n > before;
}

void tracer_set_labels(struct tracer *t, LLVMValueRef value, struct labels labels)
{
	assert(!LLVMIsConstant(value)); // tracer_labels() would not find them
	for (int i = 0; i < LEAVES; i++)
		assert(LLVMTypeOf(labels.leaf[i]) == t->i32);
	labels_map_put(&t->map, value)->labels = labels;
}

void tracer_set_label(struct tracer *t, LLVMValueRef value, LLVMValueRef label)
{
	if (label != t->zero)
		tracer_set_labels(t, value, (struct labels){{label, t->zero, t->zero, t->zero}});
}

LLVMValueRef tracer_or(struct tracer *t, LLVMValueRef a, LLVMValueRef b)
{
	assert(a == t->zero || b == t->zero || LLVMTypeOf(a) == LLVMTypeOf(b));
	if (a == t->zero || a == b)
		return b;
	return b == t->zero ? a : LLVMBuildOr(t->builder, a, b, "");
}

void value_list_push(struct value_list *l, LLVMValueRef v)
{
	vec_push(l, v);
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
		assert(tracer_width(t, type));
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
	for (LLVMValueRef arg; (arg = va_arg(ap, LLVMValueRef));) {
		assert(n < sizeof args / sizeof *args);
		args[n++] = arg;
	}
	va_end(ap);
	if (!callee)
		BUG(full); // neither in abi/entries.def nor in runtime/trace/inline.c
	LLVMTypeRef type = LLVMGlobalGetValueType(callee);
	assert(n == LLVMCountParamTypes(type));
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
	assert(module_branches(branch));
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
	assert(!LLVMIsDeclaration(function));
	t->function = function;
	mem_free(t->map.slots);
	t->map = (struct label_map){0};
}

void tracer_before(struct tracer *t, LLVMValueRef instruction)
{
	assert(LLVMGetInstructionParent(instruction));
	LLVMPositionBuilderBefore(t->builder, instruction);
	LLVMSetCurrentDebugLocation2(t->builder, LLVMInstructionGetDebugLoc(instruction));
}

void tracer_after(struct tracer *t, LLVMValueRef instruction)
{
	assert(LLVMGetNextInstruction(instruction)); // it does not end a block
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
	assert(op < OP_COUNT && LLVMTypeOf(a) == LLVMTypeOf(b));
	if (!width || (la == t->zero && lb == t->zero))
		return t->zero;
	LLVMValueRef code = tracer_i32(t, op | width << 8 | (unsigned)negate << 31);
	if (width <= 64)
		return tracer_call(t, "binary", code, la, lb, tracer_low(t, a), tracer_low(t, b), tracer_low(t, result),
		                   NULL);
	return tracer_call(t, "binary_wide", code, la, lb, tracer_low(t, a), tracer_high(t, a), tracer_low(t, b),
	                   tracer_high(t, b), tracer_low(t, result), tracer_high(t, result), NULL);
}

void tracer_function(struct tracer *t, LLVMValueRef result, unsigned function, unsigned n, const LLVMValueRef *operands)
{
	LLVMValueRef l[3] = {t->zero, t->zero, t->zero}, v[6];
	bool any = false;
	for (unsigned i = 0; i < n; i++) {
		l[i] = tracer_label(t, operands[i]);
		any |= l[i] != t->zero;
	}
	if (!tracer_is_float(LLVMTypeOf(result)))
		return tracer_unknown(t, result);
	if (!any)
		return;
	tracer_after(t, result);
	for (unsigned i = 0; i < 3; i++) {
		v[2 * i] = i < n ? tracer_low(t, operands[i]) : tracer_i64(t, 0);
		v[2 * i + 1] = i < n ? tracer_high(t, operands[i]) : tracer_i64(t, 0);
	}
	LLVMValueRef code = tracer_i32(t, function | tracer_width(t, LLVMTypeOf(result)) << 8 | n << 16);
	tracer_set_label(t, result,
	                 tracer_call(t, "function", code, l[0], l[1], l[2], v[0], v[1], v[2], v[3], v[4], v[5],
	                             tracer_low(t, result), tracer_high(t, result), NULL));
}
