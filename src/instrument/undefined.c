// Needs: a unit as clang makes it, or AddressSanitizer. Fills in: undefined.def. Each `define` of the table is a
// function here, called for every instruction that the row names. What IR cannot express (a division by zero is a trap,
// a float that does not fit has the processor's value) is hidden from the optimiser behind assembler that has no
// instructions.
#include "instrument/undefined.h"

#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <llvm/Config/llvm-config.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "instrument/module.h"

enum decision { KEEP, DROP, BYVAL };

struct definer {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTargetDataRef layout;
	LLVMTypeRef i64;
	enum decision *attributes; // by kind
	unsigned n_attributes, byval;
};

static unsigned attribute_kind(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static LLVMAttributeRef attribute(struct definer *d, const char *name, uint64_t value)
{
	return LLVMCreateEnumAttribute(d->context, attribute_kind(name), value);
}

static void build_before(struct definer *d, LLVMValueRef i)
{
	LLVMPositionBuilderBefore(d->builder, i);
	LLVMSetCurrentDebugLocation2(d->builder, LLVMInstructionGetDebugLoc(i));
}

// --- attributes and metadata -------------------------------------------------------------------

static void decide_attributes(struct definer *d)
{
	d->n_attributes = LLVMGetLastEnumAttributeKind() + 1;
	d->attributes = mem_zero(d->n_attributes * sizeof *d->attributes);
	static const struct {
		const char *name;
		enum decision decision;
	} rows[] = {
#define UNDEFINED_ATTRIBUTE(name, decision, why) {name, decision},
#include "instrument/undefined.def"
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		unsigned kind = attribute_kind(rows[i].name);
		if (kind) // else of another version of LLVM
			d->attributes[kind] = rows[i].decision;
	}
	d->byval = attribute_kind("byval");
}

// Of a function or a call: one place where attributes are.
static void drop_attributes_at(struct definer *d, LLVMValueRef v, LLVMAttributeIndex at)
{
	bool call = module_is_call(v);
	unsigned n = call ? LLVMGetCallSiteAttributeCount(v, at) : LLVMGetAttributeCountAtIndex(v, at);
	if (!n)
		return;
	LLVMAttributeRef *all = mem_zero(n * sizeof(LLVMAttributeRef));
	call ? LLVMGetCallSiteAttributes(v, at, all) : LLVMGetAttributesAtIndex(v, at, all);
	bool byval =
		call ? LLVMGetCallSiteEnumAttribute(v, at, d->byval) : LLVMGetEnumAttributeAtIndex(v, at, d->byval);
	for (unsigned i = 0; i < n; i++) {
		unsigned kind = LLVMIsStringAttribute(all[i]) ? 0 : LLVMGetEnumAttributeKind(all[i]);
		assert(kind < d->n_attributes);
		enum decision decision = d->attributes[kind];
		if (decision == KEEP || (decision == BYVAL && byval))
			continue;
		call ? LLVMRemoveCallSiteEnumAttribute(v, at, kind) : LLVMRemoveEnumAttributeAtIndex(v, at, kind);
	}
	mem_free(all);
}

static void drop_attributes(struct definer *d, LLVMValueRef v, unsigned n_parameters)
{
	drop_attributes_at(d, v, (LLVMAttributeIndex)LLVMAttributeFunctionIndex);
	for (unsigned i = 0; i <= n_parameters; i++) // 0: the result
		drop_attributes_at(d, v, i);
}

// Functions of the library are those of the library: LLVM does not know what they do. So it adds no promises to them,
// and an allocation has a content.
static void define_function(struct definer *d, LLVMValueRef f)
{
	static const char *const texts[] = {
#define UNDEFINED_TEXT(name, why) name,
#include "instrument/undefined.def"
	};
	LLVMAttributeIndex self = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	drop_attributes(d, f, LLVMCountParams(f));
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		LLVMRemoveStringAttributeAtIndex(f, self, texts[i], (unsigned)strlen(texts[i]));
	LLVMAddAttributeAtIndex(f, self, attribute(d, "null_pointer_is_valid", 0));
	LLVMAddAttributeAtIndex(f, self, LLVMCreateStringAttribute(d->context, "no-builtins", 11, "", 0));
	LLVMGlobalEraseMetadata(f, LLVMGetMDKindIDInContext(d->context, "callback", 8));
}

static void drop_metadata(struct definer *d, LLVMValueRef i)
{
	static const char *const rows[] = {
#define DROP_KEEP(name)
#define DROP_DROP(name) name,
#define UNDEFINED_METADATA(name, decision, why) DROP_##decision(name)
#include "instrument/undefined.def"
	};
	size_t n;
	LLVMValueMetadataEntry *all = LLVMInstructionGetAllMetadataOtherThanDebugLoc(i, &n);
	for (size_t k = 0; n && k < sizeof rows / sizeof *rows; k++)
		LLVMSetMetadata(i, LLVMGetMDKindIDInContext(d->context, rows[k], (unsigned)strlen(rows[k])), NULL);
	LLVMDisposeValueMetadataEntries(all);
}

// --- hiding ----------------------------------------------------------------------------------------

enum { MEMORY_NONE = 0, MEMORY_ELSEWHERE = 3 << 2 }; // values of `memory`: none; inaccessiblemem: readwrite

static LLVMValueRef assembler(struct definer *d, LLVMTypeRef result, const char *constraints, LLVMValueRef operand,
                              bool acts, int memory)
{
	LLVMTypeRef parameter = LLVMTypeOf(operand), type = LLVMFunctionType(result, &parameter, 1, 0);
	LLVMValueRef text =
		LLVMGetInlineAsm(type, "", 0, constraints, strlen(constraints), acts, 0, LLVMInlineAsmDialectATT, 0);
	LLVMValueRef call = LLVMBuildCall2(d->builder, type, text, &operand, 1, "");
	LLVMAttributeIndex self = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	LLVMAddCallSiteAttribute(call, self, attribute(d, "nounwind", 0));
	if (memory >= 0)
		LLVMAddCallSiteAttribute(call, self, attribute(d, "memory", (uint64_t)memory));
	return call;
}

// The same value, of which the optimiser knows nothing.
static void hide_operand(struct definer *d, LLVMValueRef i, unsigned index, const char *constraints)
{
	LLVMValueRef v = LLVMGetOperand(i, index);
	build_before(d, i);
	LLVMSetOperand(i, index, assembler(d, LLVMTypeOf(v), constraints, v, false, MEMORY_NONE));
}

// --- instructions ------------------------------------------------------------------------------------

static bool is_vector(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return kind == LLVMVectorTypeKind || kind == LLVMScalableVectorTypeKind;
}

static void wrap(struct definer *d, LLVMValueRef i)
{
	(void)d;
	LLVMSetNSW(i, 0);
	LLVMSetNUW(i, 0);
}

static void join(struct definer *d, LLVMValueRef i)
{
	(void)d;
	LLVMSetIsDisjoint(i, 0);
}

static void widen(struct definer *d, LLVMValueRef i)
{
	(void)d;
	LLVMSetNNeg(i, 0);
}

static void address(struct definer *d, LLVMValueRef i)
{
	(void)d;
	LLVMGEPSetNoWrapFlags(i, 0);
}

// Is it `x & c`, below the width?
static bool is_masked(LLVMValueRef count, unsigned width)
{
	LLVMValueRef mask = LLVMIsAInstruction(count) && LLVMGetInstructionOpcode(count) == LLVMAnd
	                            ? LLVMGetOperand(count, 1)
	                            : NULL;
	return mask && LLVMIsAConstantInt(mask) && LLVMConstIntGetZExtValue(mask) < width;
}

// The processor takes the count modulo the width, and has no instruction for it to do so.
static void shift(struct definer *d, LLVMValueRef i)
{
	if (LLVMGetInstructionOpcode(i) == LLVMShl)
		wrap(d, i);
	else
		LLVMSetExact(i, 0);
	LLVMTypeRef type = LLVMTypeOf(i);
	unsigned width = is_vector(type) ? 0 : LLVMGetIntTypeWidth(type);
	LLVMValueRef count = LLVMGetOperand(i, 1);
	bool fits = LLVMIsAConstantInt(count) && width <= 64 && LLVMConstIntGetZExtValue(count) < width;
	unsigned own = LLVMGetMDKindIDInContext(d->context, "nosanitize", 10); // of a check: made to fit
	if (LLVMGetMetadata(i, own) || (width != 32 && width != 64 && width != 128) || fits || is_masked(count, width))
		return;
	build_before(d, i);
	LLVMSetOperand(i, 1, LLVMBuildAnd(d->builder, count, LLVMConstInt(type, width - 1, 0), ""));
}

// The same number, of which the optimiser does not know all bits. It is of no more than 128.
static LLVMValueRef hide_number(struct definer *d, LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v), word = LLVMInt64TypeInContext(d->context);
	unsigned width = LLVMGetIntTypeWidth(type);
	if (width == 8 || width == 16 || width == 32 || width == 64)
		return assembler(d, type, "=r,0", v, false, MEMORY_NONE);
	LLVMValueRef low = LLVMBuildIntCast2(d->builder, v, word, 0, "");
	LLVMValueRef hidden = assembler(d, word, "=r,0", low, false, MEMORY_NONE);
	if (width < 64)
		return LLVMBuildTrunc(d->builder, hidden, type, "");
	LLVMValueRef same = LLVMBuildXor(d->builder, low, hidden, ""); // 0
	return LLVMBuildXor(d->builder, v, LLVMBuildZExt(d->builder, same, type, ""), "");
}

// A division that may trap takes place, whether the result is needed or not. Numbers of more than 128 bits are divided
// by a loop, which does not trap.
static void divide(struct definer *d, LLVMValueRef i)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
	LLVMTypeRef type = LLVMTypeOf(i);
	LLVMValueRef divisor = LLVMGetOperand(i, 1);
	if (opcode == LLVMUDiv || opcode == LLVMSDiv)
		LLVMSetExact(i, 0);
	bool may_trap = !is_vector(type) && LLVMGetIntTypeWidth(type) <= 128;
	if (!may_trap || (LLVMIsAConstantInt(divisor) && !LLVMIsNull(divisor)))
		return;
	build_before(d, i);
	for (unsigned k = 0; k < 2; k++) // 1 / x is 0 for all x but three, if it is not a trap
		LLVMSetOperand(i, k, hide_number(d, LLVMGetOperand(i, k)));
	build_before(d, LLVMGetNextInstruction(i));
	LLVMValueRef used = LLVMBuildIntCast2(d->builder, i, LLVMInt64TypeInContext(d->context), 0, "");
	assembler(d, LLVMVoidTypeInContext(d->context), "r", used, true, MEMORY_ELSEWHERE);
}

static void truncate_float(struct definer *d, LLVMValueRef i)
{
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, 0)));
	if (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind)
		hide_operand(d, i, 0, "=x,0");
}

// Scalars may be anywhere. Vectors and atomic accesses have instructions of their own that do fault.
static void access(struct definer *d, LLVMValueRef i)
{
	(void)d;
	LLVMTypeRef type = LLVMTypeOf(LLVMIsALoadInst(i) ? i : LLVMGetOperand(i, 0));
	if (LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic && !is_vector(type))
		LLVMSetAlignment(i, 1);
}

static void stop(struct definer *d, LLVMValueRef i)
{
	LLVMValueRef before = LLVMGetPreviousInstruction(i);
	LLVMValueRef callee = before && module_is_call(before) ? LLVMGetCalledValue(before) : NULL;
	const char *name = callee && module_is_intrinsic(callee) ? LLVMGetValueName2(callee, &(size_t){0}) : "";
	if (strcmp(name, "llvm.ubsantrap") == 0 || strcmp(name, "llvm.trap") == 0)
		return;
	LLVMValueRef trap = LLVMGetIntrinsicDeclaration(d->module, LLVMLookupIntrinsicID("llvm.trap", 9), NULL, 0);
	build_before(d, i);
	LLVMBuildCall2(d->builder, LLVMGlobalGetValueType(trap), trap, NULL, 0, "");
}

// --- variables -------------------------------------------------------------------------------------------

// Can the optimiser put it into registers? Then it knows all that happens to it.
static bool is_promotable(LLVMValueRef pointer)
{
	for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsALoadInst(user) && !LLVMGetVolatile(user))
			continue;
		if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != pointer && !LLVMGetVolatile(user))
			continue;
		if (LLVMIsAMemIntrinsic(user) && LLVMIsAConstantInt(LLVMGetOperand(user, 2)))
			continue;
		if (LLVMIsAIntrinsicInst(user) &&
		    text_starts(LLVMGetValueName2(LLVMGetCalledValue(user), &(size_t){0}), "llvm.lifetime."))
			continue;
		if (!LLVMIsAGetElementPtrInst(user))
			return false;
		for (unsigned k = 1, n = (unsigned)LLVMGetNumOperands(user); k < n; k++)
			if (!LLVMIsAConstantInt(LLVMGetOperand(user, k)))
				return false;
		if (!is_promotable(user))
			return false;
	}
	return true;
}

// Gives the variable a content. The optimiser knows that of one that it can put into registers: 0. Of others it is
// whatever is there, as far as anybody can tell.
static void variable(struct definer *d, LLVMValueRef i)
{
	enum { LARGE = 1024 };
	LLVMValueRef count = LLVMGetOperand(i, 0), at = LLVMGetNextInstruction(i);
	LLVMTypeRef type = LLVMGetAllocatedType(i), none = LLVMVoidTypeInContext(d->context);
	bool fixed = LLVMIsAConstantInt(count);
	unsigned long long n = fixed ? LLVMConstIntGetZExtValue(count) : 0,
			   size = n * LLVMABISizeOfType(d->layout, type);
	while (LLVMIsAAllocaInst(at))
		at = LLVMGetNextInstruction(at);
	if (fixed && size == 0)
		return;
	LLVMPositionBuilderBefore(d->builder, at);
	LLVMSetCurrentDebugLocation2(d->builder, NULL);
	if (!fixed) {
		assembler(d, none, "r,~{memory}", i, true, -1);
	} else if (size > LARGE || !is_promotable(i)) {
		LLVMValueRef hidden = assembler(d, none, "=*m", i, true, -1);
		LLVMTypeRef whole = n == 1 ? type : LLVMArrayType2(type, n);
		LLVMAddCallSiteAttribute(hidden, 1,
		                         LLVMCreateTypeAttribute(d->context, attribute_kind("elementtype"), whole));
	} else if (n == 1 && LLVMGetTypeKind(type) != LLVMStructTypeKind &&
	           LLVMGetTypeKind(type) != LLVMArrayTypeKind) {
		LLVMBuildStore(d->builder, LLVMConstNull(type), i);
	} else {
		LLVMValueRef zero = LLVMConstInt(LLVMInt8TypeInContext(d->context), 0, 0);
		LLVMBuildMemSet(d->builder, i, zero, LLVMConstInt(d->i64, size, 0), LLVMGetAlignment(i));
	}
}

static bool returns_twice(struct definer *d, LLVMValueRef function)
{
	(void)d;
	unsigned kind = attribute_kind("returns_twice");
	LLVMAttributeIndex self = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMValueRef callee = module_is_call(i) ? LLVMGetCalledValue(i) : NULL;
			if (callee && (LLVMGetCallSiteEnumAttribute(i, self, kind) ||
			               (LLVMIsAFunction(callee) && LLVMGetEnumAttributeAtIndex(callee, self, kind))))
				return true;
		}
	return false;
}

// Behind setjmp a variable has the value that it had when longjmp was called, not that of some register.
static void keep_in_memory(LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if ((LLVMIsALoadInst(i) && LLVMIsAAllocaInst(module_base(LLVMGetOperand(i, 0)))) ||
			    (LLVMIsAStoreInst(i) && LLVMIsAAllocaInst(module_base(LLVMGetOperand(i, 1)))))
				LLVMSetVolatile(i, 1);
}

// --- intrinsics --------------------------------------------------------------------------------------------

static void forget(struct definer *d, LLVMValueRef call)
{
	(void)d;
	if (LLVMGetFirstUse(call)) // what llvm.invariant.end ends
		LLVMReplaceAllUsesWith(call, LLVMConstNull(LLVMTypeOf(call)));
	LLVMInstructionEraseFromParent(call);
}

// The second operand says that some value of the first gives no result.
static void accept_zero(struct definer *d, LLVMValueRef call)
{
	LLVMSetOperand(call, 1, LLVMConstInt(LLVMInt1TypeInContext(d->context), 0, 0));
}

static void copy_as_if_overlapping(struct definer *d, LLVMValueRef call)
{
	LLVMValueRef args[] = {LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), LLVMGetOperand(call, 2),
	                       LLVMGetOperand(call, 3)};
	LLVMTypeRef types[] = {LLVMTypeOf(args[0]), LLVMTypeOf(args[1]), LLVMTypeOf(args[2])};
	LLVMValueRef move = LLVMGetIntrinsicDeclaration(d->module, LLVMLookupIntrinsicID("llvm.memmove", 12), types, 3);
	unsigned nosanitize = LLVMGetMDKindIDInContext(d->context, "nosanitize", 10);
	build_before(d, call);
	LLVMValueRef moved = LLVMBuildCall2(d->builder, LLVMGlobalGetValueType(move), move, args, 4, "");
	if (LLVMGetMetadata(call, nosanitize))
		LLVMSetMetadata(moved, nosanitize, LLVMGetMetadata(call, nosanitize));
	LLVMInstructionEraseFromParent(call);
}

static void define_call(struct definer *d, LLVMValueRef call)
{
	static const struct {
		const char *prefix;
		void (*define)(struct definer *, LLVMValueRef);
	} rows[] = {
#define UNDEFINED_INTRINSIC(prefix, define, why) {prefix, define},
#include "instrument/undefined.def"
	};
	LLVMValueRef callee = LLVMGetCalledValue(call);
	drop_attributes(d, call, LLVMGetNumArgOperands(call));
	const char *name = module_is_intrinsic(callee) ? LLVMGetValueName2(callee, &(size_t){0}) : "";
	for (size_t k = 0; *name && k < sizeof rows / sizeof *rows; k++)
		if (text_starts(name, rows[k].prefix))
			return rows[k].define(d, call);
}

// --- units ---------------------------------------------------------------------------------------------------

static void define_instruction(struct definer *d, LLVMValueRef i)
{
	static void (*const rows[])(struct definer *, LLVMValueRef) = {
#define UNDEFINED_INSTRUCTION(opcode, define, why) [opcode] = define,
#include "instrument/undefined.def"
	};
	LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
	drop_metadata(d, i);
	undefined_operands(i);
	if (LLVMCanValueUseFastMathFlags(i))
		LLVMSetFastMathFlags(i, LLVMFastMathNone);
	if (module_is_call(i))
		define_call(d, i);
	else if (opcode < sizeof rows / sizeof *rows && rows[opcode])
		rows[opcode](d, i);
}

static void define_body(struct definer *d, LLVMValueRef function)
{
	if (returns_twice(d, function))
		keep_in_memory(function);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef next, i = LLVMGetFirstInstruction(b); i; i = next) {
			next = LLVMGetNextInstruction(i);
			define_instruction(d, i);
		}
}

// A variable that is defined elsewhere is what it is there. One that is called constant and put among variables that
// can be written (by the name of its section) is one of them.
static void define_global(LLVMValueRef g)
{
	const char *section = LLVMGetSection(g);
	if (LLVMIsDeclaration(g)) {
		LLVMSetAlignment(g, 1);
		LLVMSetGlobalConstant(g, 0);
		return;
	}
	if (section && text_starts(section, ".data"))
		LLVMSetGlobalConstant(g, 0);
	LLVMValueRef old = LLVMGetInitializer(g), value = undefined_constant(old);
	if (value != old)
		LLVMSetInitializer(g, value);
}

static struct definer begin(LLVMModuleRef module)
{
	struct definer d = {.module = module, .context = LLVMGetModuleContext(module)};
	d.builder = LLVMCreateBuilderInContext(d.context);
	d.layout = LLVMGetModuleDataLayout(module);
	d.i64 = LLVMInt64TypeInContext(d.context);
	return d;
}

void undefined_define(LLVMModuleRef module)
{
	struct definer d = begin(module);
	decide_attributes(&d);
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
		if (!text_starts(LLVMGetValueName2(g, &(size_t){0}), "llvm."))
			define_global(g);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		if (module_is_intrinsic(f))
			continue;
		define_function(&d, f);
		define_body(&d, f);
	}
	mem_free(d.attributes);
	LLVMDisposeBuilder(d.builder);
}
