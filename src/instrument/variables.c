#include "instrument/variables.h"

#include <llvm-c/DebugInfo.h>
#include <llvm/Config/llvm-config.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"

#if LLVM_VERSION_MAJOR < 21

void variables_each(LLVMModuleRef module, void (*found)(LLVMValueRef place, LLVMValueRef node, void *opaque),
                    void *opaque)
{
	LLVMSetIsNewDbgInfoFormat(module, 0);
	LLVMValueRef declare = LLVMGetNamedFunction(module, "llvm.dbg.declare"), place;
	for (LLVMUseRef use = declare ? LLVMGetFirstUse(declare) : NULL; use; use = LLVMGetNextUse(use)) {
		LLVMValueRef at = LLVMGetOperand(LLVMGetUser(use), 0);
		if (LLVMGetMDNodeNumOperands(at) != 1)
			continue;
		LLVMGetMDNodeOperands(at, &place);
		if (place)
			found(place, LLVMGetOperand(LLVMGetUser(use), 1), opaque);
	}
}

void labels_each(LLVMModuleRef module, void (*found)(LLVMBasicBlockRef block, LLVMMetadataRef at, void *opaque),
                 void *opaque)
{
	LLVMSetIsNewDbgInfoFormat(module, 0);
	LLVMValueRef label = LLVMGetNamedFunction(module, "llvm.dbg.label");
	for (LLVMUseRef use = label ? LLVMGetFirstUse(label) : NULL; use; use = LLVMGetNextUse(use))
		found(LLVMGetInstructionParent(LLVMGetUser(use)), LLVMInstructionGetDebugLoc(LLVMGetUser(use)), opaque);
}

static void drop_all(LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (text_starts(LLVMGetValueName2(f, &(size_t){0}), "llvm.dbg."))
			for (LLVMUseRef use; (use = LLVMGetFirstUse(f));)
				LLVMInstructionEraseFromParent(LLVMGetUser(use));
}

#else

static void each_instruction(LLVMModuleRef module, void (*visit)(LLVMValueRef i, void *opaque), void *opaque)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				visit(i, opaque);
}

struct finder {
	LLVMContextRef context;
	void (*found)(LLVMValueRef place, LLVMValueRef node, void *opaque);
	void *opaque;
};

static void find_at(LLVMValueRef i, void *opaque)
{
#if LLVM_VERSION_MAJOR >= 22
	struct finder *finder = opaque;
	for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(i); r; r = LLVMGetNextDbgRecord(r)) {
		bool declares = LLVMDbgRecordGetKind(r) == LLVMDbgRecordDeclare;
		LLVMValueRef place = declares ? LLVMDbgVariableRecordGetValue(r, 0) : NULL;
		if (place)
			finder->found(place, LLVMMetadataAsValue(finder->context, LLVMDbgVariableRecordGetVariable(r)),
			              finder->opaque);
	}
#endif
}

void variables_each(LLVMModuleRef module, void (*found)(LLVMValueRef place, LLVMValueRef node, void *opaque),
                    void *opaque)
{
	struct finder finder = {LLVMGetModuleContext(module), found, opaque};
	each_instruction(module, find_at, &finder);
}

struct label_finder {
	void (*found)(LLVMBasicBlockRef block, LLVMMetadataRef at, void *opaque);
	void *opaque;
};

static void find_label_at(LLVMValueRef i, void *opaque)
{
#if LLVM_VERSION_MAJOR >= 22
	struct label_finder *finder = opaque;
	for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(i); r; r = LLVMGetNextDbgRecord(r))
		if (LLVMDbgRecordGetKind(r) == LLVMDbgRecordLabel)
			finder->found(LLVMGetInstructionParent(i), NULL, finder->opaque);
#endif
}

void labels_each(LLVMModuleRef module, void (*found)(LLVMBasicBlockRef block, LLVMMetadataRef at, void *opaque),
                 void *opaque)
{
	struct label_finder finder = {found, opaque};
	each_instruction(module, find_label_at, &finder);
}

// Lines, kept aside. Records can only be dropped with all of debug information; all but records is put back.
struct aside {
	LLVMContextRef context;
	struct buf nodes; // LLVMMetadataRef each, in the order of the module
	size_t next;
	bool back;
};

// Keeps a node, or says which one was kept here.
static LLVMMetadataRef pass(struct aside *a, LLVMMetadataRef node)
{
	if (a->back) {
		memcpy(&node, a->nodes.data + a->next, sizeof node);
		a->next += sizeof node;
	} else {
		buf_add(&a->nodes, &node, sizeof node);
	}
	return node;
}

static void pass_instruction(LLVMValueRef i, void *opaque)
{
	struct aside *a = opaque;
	unsigned kind = LLVMGetMDKindIDInContext(a->context, "llvm.loop", 9); // has lines, too
	LLVMValueRef had = LLVMGetMetadata(i, kind);
	LLVMMetadataRef line = pass(a, LLVMInstructionGetDebugLoc(i));
	LLVMMetadataRef loop = pass(a, had ? LLVMValueAsMetadata(had) : NULL);
	if (!a->back)
		return;
	LLVMInstructionSetDebugLoc(i, line);
	if (loop)
		LLVMSetMetadata(i, kind, LLVMMetadataAsValue(a->context, loop));
}

static void pass_functions(struct aside *a, LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		LLVMMetadataRef own = pass(a, LLVMGetSubprogram(f));
		if (own && a->back)
			LLVMSetSubprogram(f, own);
	}
	each_instruction(module, pass_instruction, a);
}

static void pass_globals(struct aside *a, LLVMModuleRef module)
{
	unsigned kind = LLVMGetMDKindIDInContext(a->context, "dbg", 3);
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
		size_t n = 0;
		LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(g, &n);
		LLVMMetadataRef node = NULL;
		for (unsigned k = 0; k < n; k++)
			if (LLVMValueMetadataEntriesGetKind(all, k) == kind)
				node = LLVMValueMetadataEntriesGetMetadata(all, k);
		LLVMDisposeValueMetadataEntries(all);
		node = pass(a, node);
		if (node && a->back)
			LLVMGlobalSetMetadata(g, kind, node);
	}
}

static void drop_all(LLVMModuleRef module)
{
	static const char units[] = "llvm.dbg.cu";
	struct aside a = {.context = LLVMGetModuleContext(module)};
	unsigned n = LLVMGetNamedMetadataNumOperands(module, units);
	LLVMValueRef *all = mem_zero((n + 1) * sizeof *all);
	LLVMGetNamedMetadataOperands(module, units, all);
	pass_functions(&a, module);
	pass_globals(&a, module);
	LLVMStripModuleDebugInfo(module);
	a.back = true;
	for (unsigned k = 0; k < n; k++)
		LLVMAddNamedMetadataOperand(module, units, all[k]);
	pass_functions(&a, module);
	pass_globals(&a, module);
	mem_free(all);
	buf_release(&a.nodes);
}

#endif

// A variable in memory gets the name it has in the source.
static void name(LLVMValueRef place, LLVMValueRef node, void *opaque)
{
	unsigned n = LLVMGetMDNodeNumOperands(node), size = 0;
	if (n < 2 || !LLVMIsAAllocaInst(place))
		return;
	LLVMValueRef *all = mem_zero(n * sizeof *all);
	LLVMGetMDNodeOperands(node, all);
	const char *text = all[1] ? LLVMGetMDString(all[1], &size) : NULL; // all[0]: the scope
	mem_free(all);
	if (text)
		LLVMSetValueName2(place, text, size);
}

void variables_drop(LLVMModuleRef module)
{
	variables_each(module, name, NULL);
	drop_all(module);
}
