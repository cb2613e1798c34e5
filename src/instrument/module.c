#include "instrument/module.h"

#include <assert.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "base/file.h"
#include "base/mem.h"

void module_setup(void)
{
	LLVMInitializeNativeTarget();
	LLVMInitializeNativeAsmPrinter();
	LLVMInitializeNativeAsmParser(); // inline assembler
	// Off by default outside clang: without it a use after the end of a block is not seen. And calls that two ways
	// have in common stay where they are: merged into one, they have no line that a report could name.
	static const char *const args[] = {
		"veer-instrument",
		"-asan-use-after-scope=1",
		"-simplifycfg-sink-common=false",
		"-enable-tail-merge=0",
#if LLVM_VERSION_MAJOR < 20
		"-scalarize-variable-insert-extract=0", // later an option of the pass: see SCALARIZER
#endif
	};
	LLVMParseCommandLineOptions(sizeof args / sizeof *args, args, NULL);
}

// LLVM 19 reports bitcode errors through the context and aborts without a handler.
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *opaque)
{
	struct err *err = opaque;
	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
		return;
	char *text = LLVMGetDiagInfoDescription(info);
	err_set(err, "%.600s", text);
	LLVMDisposeMessage(text);
}

static int create_machine(struct module *m, struct err *err)
{
	char *message = NULL;
	LLVMTargetRef target;
	const char *triple = LLVMGetTarget(m->module);
	if (LLVMGetTargetFromTriple(triple, &target, &message)) {
		err_set(err, "cannot generate code for %s: %s", triple, message);
		LLVMDisposeMessage(message);
		return -1;
	}
	// Position independent whatever the program was: it links either way. Instrumented
	// functions are large; the more thorough code generation takes a fifth longer on them.
	m->machine = LLVMCreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelLess, LLVMRelocPIC,
	                                     LLVMCodeModelDefault);
	return m->machine ? 0 : err_set(err, "cannot generate code for %s", triple);
}

int module_load(struct module *ret, const char *path, struct err *err)
{
	struct module m = {.context = LLVMContextCreate()};
	LLVMContextSetDiagnosticHandler(m.context, on_diagnostic, err);
	char *message = NULL;
	LLVMMemoryBufferRef memory;
	if (LLVMCreateMemoryBufferWithContentsOfFile(path, &memory, &message)) {
		err_set(err, "cannot read %s: %s", path, message);
		LLVMDisposeMessage(message);
		module_release(&m);
		return -1;
	}
	err_set(err, "not LLVM bitcode");
	m.hash = hash_bytes(LLVMGetBufferStart(memory), LLVMGetBufferSize(memory));
	LLVMBool failed = LLVMParseBitcodeInContext2(m.context, memory, &m.module);
	LLVMDisposeMemoryBuffer(memory);
	if (failed) {
		m.module = NULL;
		module_release(&m);
		return -1;
	}
	if (LLVMVerifyModule(m.module, LLVMReturnStatusAction, &message)) {
		err_set(err, "invalid bitcode: %.500s", message);
		LLVMDisposeMessage(message);
		module_release(&m);
		return -1;
	}
	LLVMDisposeMessage(message);
	if (create_machine(&m, err) < 0) {
		module_release(&m);
		return -1;
	}
	*ret = m;
	return 0;
}

void module_release(struct module *m)
{
	if (m->machine)
		LLVMDisposeTargetMachine(m->machine);
	if (m->module)
		LLVMDisposeModule(m->module);
	LLVMContextDispose(m->context);
	*m = (struct module){0};
}

void module_join_like(LLVMBasicBlockRef to, LLVMBasicBlockRef like, LLVMBasicBlockRef from)
{
	assert(from != like);
	for (LLVMValueRef phi = LLVMGetFirstInstruction(to); phi && LLVMIsAPHINode(phi);
	     phi = LLVMGetNextInstruction(phi))
		for (unsigned i = 0, n = LLVMCountIncoming(phi); i < n; i++)
			if (LLVMGetIncomingBlock(phi, i) == like) {
				LLVMValueRef value = LLVMGetIncomingValue(phi, i);
				LLVMAddIncoming(phi, &value, &from, 1);
				break;
			}
}

bool module_is_intrinsic(LLVMValueRef callee)
{
	return LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) != 0;
}

bool module_is_call(LLVMValueRef instruction)
{
	return LLVMIsACallInst(instruction) || LLVMIsAInvokeInst(instruction) || LLVMIsACallBrInst(instruction);
}

LLVMValueRef module_base(LLVMValueRef pointer)
{
	while (LLVMIsAGetElementPtrInst(pointer))
		pointer = LLVMGetOperand(pointer, 0);
	return pointer;
}

void module_move_all(LLVMBasicBlockRef to, LLVMBasicBlockRef from)
{
	module_move_until(to, from, NULL);
}

void module_move_until(LLVMBasicBlockRef to, LLVMBasicBlockRef from, LLVMValueRef until)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(to))));
	LLVMPositionBuilderAtEnd(builder, to);
	for (LLVMValueRef i; (i = LLVMGetFirstInstruction(from)) && i != until;) {
		LLVMMetadataRef location = LLVMInstructionGetDebugLoc(i);
		char *name = LLVMIsAAllocaInst(i) ? mem_strdup(LLVMGetValueName2(i, &(size_t){0})) : NULL;
		LLVMInstructionRemoveFromParent(i);
		LLVMSetCurrentDebugLocation2(builder, location);
		LLVMInsertIntoBuilderWithName(builder, i, name ? name : ""); // which names it anew
		mem_free(name);
	}
	LLVMDisposeBuilder(builder);
}

bool module_branches(LLVMValueRef i)
{
#if LLVM_VERSION_MAJOR >= 23
	return LLVMIsACondBrInst(i) != NULL;
#else
	return LLVMIsABranchInst(i) && LLVMIsConditional(i);
#endif
}

bool module_jumps(LLVMValueRef i)
{
#if LLVM_VERSION_MAJOR >= 23
	return LLVMIsAUncondBrInst(i) != NULL;
#else
	return LLVMIsABranchInst(i) && !LLVMIsConditional(i);
#endif
}

LLVMValueRef module_case_value(LLVMValueRef at, unsigned successor)
{
	assert(LLVMIsASwitchInst(at) && successor > 0 && successor < LLVMGetNumSuccessors(at));
#if LLVM_VERSION_MAJOR >= 22
	return LLVMGetSwitchCaseValue(at, successor);
#else
	return LLVMGetOperand(at, 2 * successor); // operand, default, then value and block of each case
#endif
}

void module_call_directly(LLVMValueRef function)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("nonlazybind", 11);
	LLVMAttributeRef attribute = LLVMCreateEnumAttribute(LLVMGetTypeContext(LLVMTypeOf(function)), kind, 0);
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
}

int module_run_passes(struct module *m, const char *pipeline, struct err *err)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	// They make instrumented code larger, not faster.
	LLVMPassBuilderOptionsSetLoopVectorization(options, 0);
	LLVMPassBuilderOptionsSetSLPVectorization(options, 0);
	LLVMPassBuilderOptionsSetLoopUnrolling(options, 0);
	LLVMErrorRef failed = LLVMRunPasses(m->module, pipeline, m->machine, options);
	LLVMDisposePassBuilderOptions(options);
	if (!failed)
		return 0;
	char *text = LLVMGetErrorMessage(failed);
	err_set(err, "%s: %.500s", pipeline, text);
	LLVMDisposeErrorMessage(text);
	return -1;
}

LLVMValueRef module_append(LLVMModuleRef module, const char *list, LLVMValueRef element)
{
	LLVMValueRef old = LLVMGetNamedGlobal(module, list), had = old ? LLVMGetInitializer(old) : NULL;
	unsigned n = had ? (unsigned)LLVMGetArrayLength2(LLVMTypeOf(had)) : 0;
	LLVMValueRef *all = mem_zero((n + 1) * sizeof(LLVMValueRef));
	for (unsigned i = 0; i < n; i++)
		all[i] = LLVMGetAggregateElement(had, i);
	all[n] = element;
	if (old)
		LLVMDeleteGlobal(old);
	LLVMValueRef value = LLVMConstArray2(LLVMTypeOf(element), all, n + 1);
	LLVMValueRef global = LLVMAddGlobal(module, LLVMTypeOf(value), list);
	LLVMSetInitializer(global, value);
	LLVMSetLinkage(global, LLVMAppendingLinkage);
	mem_free(all);
	return global;
}

void module_run_in(LLVMModuleRef module, const char *list, LLVMValueRef function)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMValueRef fields[] = {LLVMConstInt(LLVMInt32TypeInContext(context), 1, 0), function,
	                         LLVMConstNull(LLVMPointerTypeInContext(context, 0))};
	module_append(module, list, LLVMConstStructInContext(context, fields, 3, 0));
}

void module_copy_attributes(LLVMValueRef to, LLVMValueRef from, unsigned index)
{
	enum { MOST = 64 };
	LLVMAttributeRef attributes[MOST];
	const bool from_function = LLVMIsAFunction(from), to_function = LLVMIsAFunction(to);
	unsigned n =
		from_function ? LLVMGetAttributeCountAtIndex(from, index) : LLVMGetCallSiteAttributeCount(from, index);
	if (n > MOST)
		return;
	if (from_function)
		LLVMGetAttributesAtIndex(from, index, attributes);
	else
		LLVMGetCallSiteAttributes(from, index, attributes);
	for (unsigned i = 0; i < n; i++) {
		if (to_function)
			LLVMAddAttributeAtIndex(to, index, attributes[i]);
		else
			LLVMAddCallSiteAttribute(to, index, attributes[i]);
	}
}

static int write_buffer(LLVMMemoryBufferRef bytes, const char *path, struct err *err)
{
	int r = file_replace(path, LLVMGetBufferStart(bytes), LLVMGetBufferSize(bytes), 0644, err);
	LLVMDisposeMemoryBuffer(bytes);
	return r;
}

// LLVM's own file output ends the process when the disk is full.
int module_emit_object(struct module *m, const char *path, struct err *err)
{
	char *message = NULL;
	LLVMMemoryBufferRef bytes;
	if (LLVMTargetMachineEmitToMemoryBuffer(m->machine, m->module, LLVMObjectFile, &message, &bytes)) {
		err_set(err, "cannot generate code: %.500s", message);
		LLVMDisposeMessage(message);
		return -1;
	}
	return write_buffer(bytes, path, err);
}

int module_emit_bitcode(struct module *m, const char *path, struct err *err)
{
	return write_buffer(LLVMWriteBitcodeToMemoryBuffer(m->module), path, err);
}
