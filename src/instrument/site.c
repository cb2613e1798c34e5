#include "instrument/site.h"

#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "abi/site.h"
#include "base/mem.h"
#include "instrument/module.h"

// AddressSanitizer leaves globals alone that are in a section named like a C
// identifier. Ours need no redzones, and each would cost a section and a record.
#define SITES_SECTION "veer_sites"
#define TEXT_SECTION "veer_text"

_Static_assert(offsetof(struct site, line) == 16 && offsetof(struct site, cases) == 40 &&
                       offsetof(struct site, point) == 48 && sizeof(struct site) == 56,
               "the LLVM type below mirrors struct site");

void site_maker_init(struct site_maker *s, LLVMModuleRef module)
{
	*s = (struct site_maker){.module = module, .context = LLVMGetModuleContext(module)};
	s->i32 = LLVMInt32TypeInContext(s->context);
	s->i64 = LLVMInt64TypeInContext(s->context);
	s->pointer = LLVMPointerTypeInContext(s->context, 0);
	LLVMTypeRef fields[] = {s->pointer, s->pointer, s->i32, s->i32,     s->i32,
	                        s->i32,     s->i32,     s->i32, s->pointer, s->i64};
	s->type = LLVMStructCreateNamed(s->context, "veer.site");
	LLVMStructSetBody(s->type, fields, 10, 0);
}

void site_maker_release(struct site_maker *s)
{
	mem_free(s->file);
}

static LLVMValueRef constant(struct site_maker *s, LLVMValueRef value)
{
	LLVMValueRef global = LLVMAddGlobal(s->module, LLVMTypeOf(value), "veer.text");
	LLVMSetInitializer(global, value);
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(global, 1);
	LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
	LLVMSetSection(global, TEXT_SECTION);
	return global;
}

static LLVMValueRef text(struct site_maker *s, const char *t)
{
	return constant(s, LLVMConstStringInContext2(s->context, t, strlen(t), 0));
}

static LLVMValueRef file_constant(struct site_maker *s, LLVMValueRef at)
{
	char *path;
	if (LLVMInstructionGetDebugLoc(at)) {
		unsigned folder_size = 0, file_size = 0;
		const char *folder = LLVMGetDebugLocDirectory(at, &folder_size);
		const char *file = LLVMGetDebugLocFilename(at, &file_size);
		bool whole = (file_size && file[0] == '/') || !folder_size;
		path = whole ? mem_copy(file, file_size)
		             : mem_printf("%.*s/%.*s", (int)folder_size, folder, (int)file_size, file);
	} else {
		path = mem_strdup("?");
	}
	if (s->file && strcmp(s->file, path) == 0) {
		mem_free(path);
		return s->file_name;
	}
	mem_free(s->file);
	s->file = path;
	return s->file_name = text(s, path);
}

static LLVMValueRef make(struct site_maker *s, LLVMValueRef function, LLVMValueRef at, unsigned kind,
                         LLVMValueRef cases, unsigned n_cases)
{
	assert(LLVMIsAFunction(function) && LLVMIsAInstruction(at) && (!cases == !n_cases));
	bool known = LLVMInstructionGetDebugLoc(at) != NULL;
	if (s->function != function) {
		s->function = function;
		s->function_name = text(s, LLVMGetValueName2(function, &(size_t){0}));
	}
	LLVMValueRef zero = LLVMConstInt(s->i32, 0, 0);
	LLVMValueRef fields[] = {
		file_constant(s, at),
		s->function_name,
		LLVMConstInt(s->i32, known ? LLVMGetDebugLocLine(at) : 0, 0),
		LLVMConstInt(s->i32, known ? LLVMGetDebugLocColumn(at) : 0, 0),
		LLVMConstInt(s->i32, kind, 0),
		zero,
		zero,
		LLVMConstInt(s->i32, n_cases, 0),
		cases ? cases : LLVMConstNull(s->pointer),
		LLVMConstInt(s->i64, s->point ? s->point(s->graph, at) : 0, 0),
	};
	LLVMValueRef global = LLVMAddGlobal(s->module, s->type, "veer.site");
	LLVMSetInitializer(global, LLVMConstNamedStruct(s->type, fields, 10));
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	LLVMSetSection(global, SITES_SECTION);
	return global;
}

LLVMValueRef site_make(struct site_maker *s, LLVMValueRef function, LLVMValueRef at, unsigned kind)
{
	return make(s, function, at, kind, NULL, 0);
}

// The number of the place of successor i: see struct trace_case.
static unsigned target_of(LLVMValueRef at, unsigned i)
{
	unsigned first = 0; // the default
	while (LLVMGetSuccessor(at, first) != LLVMGetSuccessor(at, i))
		first++;
	assert(first <= i);
	return first;
}

LLVMValueRef site_make_switch(struct site_maker *s, LLVMValueRef function, LLVMValueRef at)
{
	assert(LLVMIsASwitchInst(at));
	unsigned n = LLVMGetNumSuccessors(at) - 1;
	LLVMValueRef *values = mem_zero((2 * n + 1) * sizeof(LLVMValueRef));
	for (unsigned i = 0; i < n; i++) {
		values[2 * i] = LLVMConstInt(s->i64, LLVMConstIntGetZExtValue(module_case_value(at, i + 1)), 0);
		values[2 * i + 1] = LLVMConstInt(s->i64, target_of(at, i + 1), 0);
	}
	LLVMValueRef cases = n ? constant(s, LLVMConstArray2(s->i64, values, 2 * n)) : NULL;
	mem_free(values);
	return make(s, function, at, SITE_PLACE, cases, n);
}

int site_trap_kind(LLVMValueRef instruction)
{
	if (LLVMGetInstructionOpcode(instruction) != LLVMCall)
		return -1;
	LLVMValueRef callee = LLVMGetCalledValue(instruction);
	if (!LLVMIsAFunction(callee) || strcmp(LLVMGetValueName2(callee, &(size_t){0}), "llvm.ubsantrap") != 0)
		return -1;
	return (int)LLVMConstIntGetZExtValue(LLVMGetOperand(instruction, 0));
}

int site_trap_block(LLVMBasicBlockRef block)
{
	LLVMValueRef first = LLVMGetFirstInstruction(block);
	LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
	if (!first || !last || LLVMGetInstructionOpcode(last) != LLVMUnreachable)
		return -1;
	return site_trap_kind(first);
}

bool site_is_sanitizer(LLVMValueRef instruction)
{
	LLVMContextRef context = LLVMGetModuleContext(
		LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction))));
	return LLVMGetMetadata(instruction, LLVMGetMDKindIDInContext(context, "nosanitize", 10)) != NULL;
}

int site_is_null_check(LLVMValueRef v)
{
	return LLVMIsAICmpInst(v) && LLVMGetICmpPredicate(v) == LLVMIntNE && LLVMIsNull(LLVMGetOperand(v, 1)) &&
	       LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0))) == LLVMPointerTypeKind;
}
