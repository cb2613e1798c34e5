// Calls of libc functions go to their models (abi/models.def). Only the linker knows
// whether `getopt` is libc's or the program's own: so a unit always calls
// veer_model_getopt, and the unit that defines getopt gives its function that name, too.
#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "base/text.h"
#include "instrument/dwarf.h"
#include "instrument/tracer.h"

#define PREFIX "veer_model_"

static const struct known {
	const char *name, *model; // model: NULL when the function needs none
} known[] = {
#define MODEL(name) {#name, PREFIX #name},
#define ALIAS(name, model) {#name, PREFIX #model},
#define PLAIN(name) {#name, NULL},
#include "abi/models.def"
#undef MODEL
#undef ALIAS
#undef PLAIN
};

enum { N_KNOWN = sizeof known / sizeof *known };

static bool is_model(LLVMValueRef function)
{
	return text_starts(LLVMGetValueName2(function, &(size_t){0}), PREFIX);
}

bool trace_is_modelled(LLVMValueRef callee)
{
	return LLVMIsAFunction(callee) && is_model(callee);
}

bool trace_is_plain(LLVMValueRef callee)
{
	const char *name = LLVMGetValueName2(callee, &(size_t){0});
	for (size_t i = 0; i < N_KNOWN; i++)
		if (!known[i].model && strcmp(name, known[i].name) == 0)
			return true;
	return false;
}

// Declared in a header of the system: not instrumented, whatever the program is linked with.
bool trace_is_foreign(LLVMValueRef callee)
{
	if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee) || is_model(callee))
		return false;
	LLVMMetadataRef subprogram = LLVMGetSubprogram(callee);
	LLVMMetadataRef file = subprogram ? LLVMDIScopeGetFile(subprogram) : NULL;
	unsigned n;
	const char *name = file ? LLVMDIFileGetFilename(file, &n) : "";
	return file && n > 5 && text_starts(name, "/usr/");
}

static LLVMValueRef without_names(LLVMValueRef type)
{
	while (dwarf_tag(type) == TAG_TYPEDEF || dwarf_tag(type) == TAG_RESTRICT)
		type = dwarf_operand(type, NODE_BASE);
	return type;
}

bool trace_takes_constant(LLVMValueRef callee, unsigned index)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(callee);
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(callee));
	if (!subprogram)
		return false;
	LLVMValueRef types =
		dwarf_operand(dwarf_operand(LLVMMetadataAsValue(context, subprogram), NODE_FUNCTION_TYPE), NODE_BASE);
	LLVMValueRef pointer = without_names(dwarf_operand(types, index + 1));
	return dwarf_tag(pointer) == TAG_POINTER &&
	       dwarf_tag(without_names(dwarf_operand(pointer, NODE_BASE))) == TAG_CONST;
}

// Models written in C are instrumented as well; they call the real functions.
static bool has_models(struct tracer *t)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
		if (is_model(f) && !LLVMIsDeclaration(f))
			return true;
	return false;
}

static bool is_own(LLVMValueRef f)
{
	LLVMLinkage l = LLVMGetLinkage(f);
	return !LLVMIsDeclaration(f) && l != LLVMAvailableExternallyLinkage;
}

// What a header defines inline: the copy in libc is not instrumented.
static void own_inline_functions(struct tracer *t)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMAvailableExternallyLinkage)
			LLVMSetLinkage(f, LLVMInternalLinkage);
}

// Does no code of the runtime run in there? Calls by pointer can have attributes, too.
static bool keeps_effects(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	return LLVMIsAInlineAsm(callee) || text_starts(LLVMGetValueName2(callee, &(size_t){0}), "llvm.");
}

// A function that only reads memory for its caller does more here: labels are passed to
// it and come back through memory. Nor does what LLVM knows of malloc hold.
static void forget_effects(struct tracer *t)
{
	static const char *const names[] = {"memory", "speculatable", "allockind", "allocsize"};
	unsigned kinds[sizeof names / sizeof *names], n = sizeof names / sizeof *names;
	for (unsigned k = 0; k < n; k++)
		kinds[k] = LLVMGetEnumAttributeKindForName(names[k], strlen(names[k]));
	LLVMAttributeRef no_builtin =
		LLVMCreateEnumAttribute(t->context, LLVMGetEnumAttributeKindForName("nobuiltin", 9), 0);
	for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f)) {
		const char *name = LLVMGetValueName2(f, &(size_t){0});
		if (text_starts(name, "llvm.") || text_starts(name, "__veer_"))
			continue;
		for (unsigned k = 0; k < n; k++)
			LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, kinds[k]);
		if (LLVMIsDeclaration(f))
			LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, no_builtin);
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				for (unsigned k = 0; LLVMIsACallInst(i) && !keeps_effects(i) && k < n; k++)
					LLVMRemoveCallSiteEnumAttribute(i, LLVMAttributeFunctionIndex, kinds[k]);
	}
}

void trace_models(struct tracer *t)
{
	forget_effects(t);
	t->models = has_models(t);
	if (t->models) {
		own_inline_functions(t);
		return;
	}
	for (size_t i = 0; i < N_KNOWN; i++) {
		LLVMValueRef f = LLVMGetNamedFunction(t->module, known[i].name);
		LLVMLinkage linkage = f ? LLVMGetLinkage(f) : LLVMExternalLinkage;
		if (!f || !known[i].model || linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage)
			continue;
		LLVMValueRef model = LLVMGetNamedFunction(t->module, known[i].model);
		LLVMTypeRef type = LLVMGlobalGetValueType(f);
		if (is_own(f)) {
			LLVMValueRef alias = LLVMAddAlias2(t->module, type, 0, f, known[i].model);
			LLVMSetLinkage(alias, linkage);
			LLVMSetVisibility(alias, LLVMGetVisibility(f));
			continue;
		}
		if (!model)
			model = LLVMAddFunction(t->module, known[i].model, type);
		if (linkage == LLVMExternalWeakLinkage)
			LLVMSetLinkage(model, linkage);
		assert(LLVMTypeOf(model) == LLVMTypeOf(f) && model != f);
		LLVMReplaceAllUsesWith(f, model);
		LLVMDeleteFunction(f);
	}
	own_inline_functions(t);
}
