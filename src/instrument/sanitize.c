// Needs: bitcode as veer-cc makes it, unoptimised. In it a check of undefined
// behaviour is
//
//     br i1 %fine, label %cont, label %trap
//   trap:                                  ; shared by all checks of a kind
//     call void @llvm.ubsantrap(i8 kind)
//     unreachable
//
// Fills in: such a branch goes to a block of its own that reports the branch's
// source line and goes on to %cont; a trap without a branch (unreachable code,
// missing return) reports and ends the program. Then AddressSanitizer, then
// optimisation: the other way round, the optimiser deletes buggy but unused
// accesses, and with them the bug.
#include "instrument/sanitize.h"

#include <llvm-c/DebugInfo.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "abi/san_site.h"
#include "base/mem.h"

struct sanitizer {
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMTypeRef i32, pointer, site, callback;
	LLVMValueRef report, fatal;
	LLVMValueRef function; // being instrumented
	LLVMValueRef function_name;
	char *file; // the last file name made a constant: neighbouring checks share it
	LLVMValueRef file_name;
};

// AddressSanitizer leaves globals alone that are in a section named like a C
// identifier. Ours need no redzones, and each would cost a section and a record.
#define SITES_SECTION "veer_sites"
#define TEXT_SECTION "veer_text"

_Static_assert(offsetof(struct san_site, line) == 16 && sizeof(struct san_site) == 32,
               "the LLVM type below mirrors struct san_site");

static LLVMValueRef declare(struct sanitizer *s, const char *name)
{
	LLVMValueRef f = LLVMGetNamedFunction(s->module, name);
	if (!f)
		f = LLVMAddFunction(s->module, name, s->callback);
	unsigned cold = LLVMGetEnumAttributeKindForName("cold", 4);
	LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(s->context, cold, 0));
	return f;
}

static LLVMValueRef string_constant(struct sanitizer *s, const char *text)
{
	LLVMValueRef value = LLVMConstStringInContext2(s->context, text, strlen(text), 0);
	LLVMValueRef global = LLVMAddGlobal(s->module, LLVMTypeOf(value), "veer.text");
	LLVMSetInitializer(global, value);
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(global, 1);
	LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
	LLVMSetSection(global, TEXT_SECTION);
	return global;
}

static LLVMValueRef file_constant(struct sanitizer *s, LLVMValueRef at)
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
	return s->file_name = string_constant(s, path);
}

static LLVMValueRef make_site(struct sanitizer *s, LLVMValueRef at, unsigned kind)
{
	bool known = LLVMInstructionGetDebugLoc(at) != NULL;
	if (!s->function_name)
		s->function_name = string_constant(s, LLVMGetValueName2(s->function, &(size_t){0}));
	LLVMValueRef fields[] = {
		file_constant(s, at),
		s->function_name,
		LLVMConstInt(s->i32, known ? LLVMGetDebugLocLine(at) : 0, 0),
		LLVMConstInt(s->i32, known ? LLVMGetDebugLocColumn(at) : 0, 0),
		LLVMConstInt(s->i32, kind, 0),
		LLVMConstInt(s->i32, 0, 0),
	};
	LLVMValueRef global = LLVMAddGlobal(s->module, s->site, "veer.site");
	LLVMSetInitializer(global, LLVMConstNamedStruct(s->site, fields, 6));
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	LLVMSetSection(global, SITES_SECTION);
	return global;
}

// The kind when the instruction is a call of llvm.ubsantrap, else -1.
static int trap_kind(LLVMValueRef instruction)
{
	if (LLVMGetInstructionOpcode(instruction) != LLVMCall)
		return -1;
	LLVMValueRef callee = LLVMGetCalledValue(instruction);
	if (!LLVMIsAFunction(callee) || strcmp(LLVMGetValueName2(callee, &(size_t){0}), "llvm.ubsantrap") != 0)
		return -1;
	return (int)LLVMConstIntGetZExtValue(LLVMGetOperand(instruction, 0));
}

// The kind when the block does nothing but trap, else -1.
static int trap_block(LLVMBasicBlockRef block)
{
	LLVMValueRef first = LLVMGetFirstInstruction(block);
	LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
	if (!first || !last || LLVMGetInstructionOpcode(last) != LLVMUnreachable)
		return -1;
	return trap_kind(first);
}

static bool is_null_check(LLVMValueRef v)
{
	return LLVMIsAICmpInst(v) && LLVMGetICmpPredicate(v) == LLVMIntNE && LLVMIsNull(LLVMGetOperand(v, 1)) &&
	       LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0))) == LLVMPointerTypeKind;
}

// The site to report. A type mismatch is a null pointer, a misaligned one, or
// "null or misaligned": then the null half decides at run time.
static LLVMValueRef choose_site(struct sanitizer *s, LLVMValueRef branch, unsigned kind)
{
	if (kind != UBSAN_NULL_POINTER)
		return make_site(s, branch, kind);
	LLVMValueRef fine = LLVMGetCondition(branch);
	if (is_null_check(fine))
		return make_site(s, branch, UBSAN_NULL_POINTER);
	bool both = LLVMIsAInstruction(fine) && LLVMGetInstructionOpcode(fine) == LLVMAnd &&
	            is_null_check(LLVMGetOperand(fine, 0));
	if (!both)
		return make_site(s, branch, UBSAN_MISALIGNED);
	return LLVMBuildSelect(s->builder, LLVMGetOperand(fine, 0), make_site(s, branch, UBSAN_MISALIGNED),
	                       make_site(s, branch, UBSAN_NULL_POINTER), "");
}

// With preserve_most the callee saves nearly all registers. There are thousands of
// these calls in a large unit, and the register allocator needs several times
// longer when each may clobber everything.
static void call_runtime(struct sanitizer *s, LLVMValueRef callee, LLVMValueRef site)
{
	LLVMValueRef call = LLVMBuildCall2(s->builder, s->callback, callee, &site, 1, "");
	LLVMSetInstructionCallConv(call, LLVMPreserveMostCallConv);
}

// Gives the check's failing side a block that reports and joins the other side.
static void report_and_go_on(struct sanitizer *s, LLVMValueRef branch, unsigned failing, unsigned kind)
{
	LLVMBasicBlockRef from = LLVMGetInstructionParent(branch);
	LLVMBasicBlockRef go_on = LLVMGetSuccessor(branch, 1 - failing);
	LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(s->context, s->function, "veer.report");
	LLVMPositionBuilderAtEnd(s->builder, block);
	LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(branch));
	call_runtime(s, s->report, choose_site(s, branch, kind));
	LLVMBuildBr(s->builder, go_on);
	for (LLVMValueRef phi = LLVMGetFirstInstruction(go_on); phi && LLVMIsAPHINode(phi);
	     phi = LLVMGetNextInstruction(phi))
		for (unsigned i = 0, n = LLVMCountIncoming(phi); i < n; i++)
			if (LLVMGetIncomingBlock(phi, i) == from) {
				LLVMValueRef value = LLVMGetIncomingValue(phi, i);
				LLVMAddIncoming(phi, &value, &block, 1);
				break;
			}
	LLVMSetSuccessor(branch, failing, block);
}

static void instrument_branches(struct sanitizer *s)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(s->function); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef branch = LLVMGetBasicBlockTerminator(b);
		if (LLVMGetInstructionOpcode(branch) != LLVMBr || !LLVMIsConditional(branch))
			continue;
		for (unsigned side = 0; side < 2; side++) {
			int kind = trap_block(LLVMGetSuccessor(branch, side));
			if (kind >= 0 && kind != UBSAN_UNREACHABLE && kind != UBSAN_MISSING_RETURN &&
			    LLVMGetSuccessor(branch, 0) != LLVMGetSuccessor(branch, 1))
				report_and_go_on(s, branch, side, (unsigned)kind);
		}
	}
}

// What is left is not reached by a check's branch, or is reached by none.
static void instrument_traps(struct sanitizer *s)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(s->function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
			next = LLVMGetNextInstruction(i);
			int kind = trap_kind(i);
			if (kind < 0)
				continue;
			LLVMPositionBuilderBefore(s->builder, i);
			LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(i));
			// The trap's own location is artificial; the terminator behind it has the real one.
			LLVMValueRef at = next ? next : i;
			call_runtime(s, s->fatal, make_site(s, at, (unsigned)kind));
			LLVMInstructionEraseFromParent(i);
		}
}

static void instrument_checks(struct module *m)
{
	struct sanitizer s = {.context = m->context, .module = m->module};
	s.builder = LLVMCreateBuilderInContext(s.context);
	s.i32 = LLVMInt32TypeInContext(s.context);
	s.pointer = LLVMPointerTypeInContext(s.context, 0);
	LLVMTypeRef fields[] = {s.pointer, s.pointer, s.i32, s.i32, s.i32, s.i32};
	s.site = LLVMStructCreateNamed(s.context, "veer.san_site");
	LLVMStructSetBody(s.site, fields, 6, 0);
	s.callback = LLVMFunctionType(LLVMVoidTypeInContext(s.context), &s.pointer, 1, 0);
	s.report = declare(&s, SAN_REPORT);
	s.fatal = declare(&s, SAN_FATAL);
	for (LLVMValueRef f = LLVMGetFirstFunction(s.module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f))
			continue;
		s.function = f;
		s.function_name = NULL;
		instrument_branches(&s);
		instrument_traps(&s);
	}
	mem_free(s.file);
	LLVMDisposeBuilder(s.builder);
}

// Source lines are all that reports need; where each variable lives is a large
// part of the time and size of code generation.
static void drop_variable_locations(struct module *m)
{
	LLVMSetIsNewDbgInfoFormat(m->module, 0);
	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f)) {
		if (strncmp(LLVMGetValueName2(f, &(size_t){0}), "llvm.dbg.", 9) != 0)
			continue;
		for (LLVMUseRef use; (use = LLVMGetFirstUse(f));)
			LLVMInstructionEraseFromParent(LLVMGetUser(use));
	}
}

int sanitize_module(struct module *m, struct err *err)
{
	instrument_checks(m);
	if (module_run_passes(m, "verify,asan", err) < 0)
		return -1;
	drop_variable_locations(m);
	return module_run_passes(m, "default<O1>", err);
}
