// Functions that are only called directly, inside their unit, need no protocol: labels of
// their arguments are parameters, and labels of the result are returned beside it.
//
//     static int f(int x)       -->      static { int, label } f(int x, label)
//
// Needs: functions before instrumentation. Each gets a twin of the new type that takes its
// body over; calls still name the old function, which is empty from then on, until the
// instrumenter comes to them.
#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "base/mem.h"
#include "instrument/tracer.h"

enum { PARAMETERS = 16 }; // more are passed as others are

static bool has_attribute(LLVMValueRef function, unsigned index, const char *name)
{
	return LLVMGetEnumAttributeAtIndex(function, index, LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

static bool is_direct_call(LLVMValueRef user, LLVMValueRef function)
{
	if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != function ||
	    LLVMGetCalledFunctionType(user) != LLVMGlobalGetValueType(function) ||
	    LLVMGetTailCallKind(user) == LLVMTailCallKindMustTail)
		return false;
	for (unsigned i = 0, n = LLVMGetNumArgOperands(user); i < n; i++)
		if (LLVMGetOperand(user, i) == function)
			return false;
	return true;
}

static bool is_only_called_directly(LLVMValueRef f)
{
	if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) != LLVMInternalLinkage ||
	    LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f)) || LLVMCountParams(f) > PARAMETERS ||
	    has_attribute(f, (unsigned)LLVMAttributeFunctionIndex, "naked"))
		return false;
	for (unsigned i = 0, n = LLVMCountParams(f); i < n; i++)
		if (has_attribute(f, i + 1, "byval"))
			return false;
	for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use))
		if (!is_direct_call(LLVMGetUser(use), f))
			return false;
	return true;
}

static bool calls_must_tail(LLVMValueRef f)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (LLVMIsACallInst(i) && LLVMGetTailCallKind(i) == LLVMTailCallKindMustTail)
				return true;
	return false;
}

// The function's own parameters, then one for each that can have a label; the result, then
// its labels.
static LLVMTypeRef type_with_labels(struct tracer *t, LLVMValueRef f)
{
	LLVMTypeRef params[2 * PARAMETERS], results[1 + LEAVES];
	unsigned n = LLVMCountParams(f), all = n;
	assert(n <= PARAMETERS);
	for (unsigned i = 0; i < n; i++) {
		params[i] = LLVMTypeOf(LLVMGetParam(f, i));
		if (tracer_width(t, params[i]))
			params[all++] = t->i32;
	}
	results[0] = LLVMGetReturnType(LLVMGlobalGetValueType(f));
	unsigned leaves = tracer_leaves(t, results[0]);
	for (unsigned i = 0; i < leaves; i++)
		results[1 + i] = t->i32;
	LLVMTypeRef result = leaves ? LLVMStructTypeInContext(t->context, results, 1 + leaves, 0) : results[0];
	return LLVMFunctionType(result, params, all, 0);
}

// A call of it remains a call, unless the program itself wants it otherwise: stacks show
// calls, and nothing of the protocol is in the way of a jump.
static void keep_calls(struct tracer *t, LLVMValueRef function)
{
	unsigned noinline = LLVMGetEnumAttributeKindForName("noinline", 8);
	if (has_attribute(function, (unsigned)LLVMAttributeFunctionIndex, "alwaysinline"))
		return;
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(t->context, noinline, 0));
	if (LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(function))) == LLVMStructTypeKind)
		LLVMAddTargetDependentFunctionAttr(function, "disable-tail-calls", "true");
}

static LLVMValueRef make_twin(struct tracer *t, LLVMValueRef old)
{
	size_t length;
	char *name = mem_strdup(LLVMGetValueName2(old, &length));
	assert(!LLVMIsDeclaration(old));
	LLVMSetValueName2(old, "", 0);
	LLVMValueRef new = LLVMAddFunction(t->module, name, type_with_labels(t, old));
	mem_free(name);
	LLVMSetLinkage(new, LLVMInternalLinkage);
	LLVMSetFunctionCallConv(new, LLVMGetFunctionCallConv(old));
	LLVMSetAlignment(new, LLVMGetAlignment(old));
	if (LLVMGetSection(old))
		LLVMSetSection(new, LLVMGetSection(old));
	LLVMSetSubprogram(new, LLVMGetSubprogram(old));
	LLVMSetSubprogram(old, NULL);
	module_copy_attributes(new, old, (unsigned)LLVMAttributeFunctionIndex);
	keep_calls(t, new);
	for (unsigned i = 0, n = LLVMCountParams(old); i < n; i++) {
		module_copy_attributes(new, old, i + 1);
		LLVMReplaceAllUsesWith(LLVMGetParam(old, i), LLVMGetParam(new, i));
	}
	for (LLVMBasicBlockRef b; (b = LLVMGetFirstBasicBlock(old));) {
		LLVMRemoveBasicBlockFromParent(b);
		LLVMAppendExistingBasicBlock(new, b);
	}
	assert(LLVMIsDeclaration(old));
	LLVMSetLinkage(old, LLVMExternalLinkage);
	return new;
}

void trace_direct(struct tracer *t)
{
	struct value_list found = {0};
	for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
		if (is_only_called_directly(f) && !calls_must_tail(f))
			value_list_push(&found, f);
	for (size_t i = 0; i < found.n; i++) {
		LLVMValueRef twin = make_twin(t, found.v[i]);
		label_map_set(&t->direct, found.v[i], twin);
		label_map_set(&t->direct, twin, found.v[i]);
	}
	mem_free(found.v);
}

bool trace_direct_entry(struct tracer *t)
{
	LLVMValueRef old = label_map_get(&t->direct, t->function);
	if (!old)
		return false;
	unsigned n = LLVMCountParams(old), next = n;
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef p = LLVMGetParam(t->function, i);
		if (tracer_width(t, LLVMTypeOf(p)))
			tracer_set_label(t, p, LLVMGetParam(t->function, next++));
	}
	assert(next == LLVMCountParams(t->function));
	return true;
}

bool trace_direct_call(struct tracer *t, LLVMValueRef call, LLVMValueRef callee)
{
	LLVMValueRef twin = label_map_get(&t->direct, callee);
	if (!twin)
		return false;
	LLVMValueRef args[2 * PARAMETERS];
	unsigned n = LLVMGetNumArgOperands(call), all = n;
	assert(n <= PARAMETERS);
	for (unsigned i = 0; i < n; i++) {
		args[i] = LLVMGetOperand(call, i);
		if (tracer_width(t, LLVMTypeOf(args[i])))
			args[all++] = tracer_label(t, args[i]);
	}
	assert(all == LLVMCountParams(twin));
	tracer_before(t, call);
	LLVMValueRef result = LLVMBuildCall2(t->builder, LLVMGlobalGetValueType(twin), twin, args, all, "");
	LLVMSetInstructionCallConv(result, LLVMGetInstructionCallConv(call));
	module_copy_attributes(result, call, (unsigned)LLVMAttributeFunctionIndex);
	for (unsigned i = 0; i < n; i++)
		module_copy_attributes(result, call, i + 1);
	unsigned leaves = tracer_leaves(t, LLVMTypeOf(call));
	if (leaves) {
		struct labels l = {{t->zero, t->zero, t->zero, t->zero}};
		LLVMValueRef value = LLVMBuildExtractValue(t->builder, result, 0, "");
		for (unsigned i = 0; i < leaves; i++)
			l.leaf[i] = LLVMBuildExtractValue(t->builder, result, 1 + i, "");
		tracer_set_labels(t, value, l);
		result = value;
	}
	LLVMReplaceAllUsesWith(call, result);
	LLVMInstructionEraseFromParent(call);
	return true;
}

bool trace_direct_return(struct tracer *t, LLVMValueRef ret)
{
	if (!label_map_get(&t->direct, t->function))
		return false;
	LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(t->function));
	LLVMValueRef value = LLVMGetNumOperands(ret) ? LLVMGetOperand(ret, 0) : NULL;
	unsigned leaves = value ? tracer_leaves(t, LLVMTypeOf(value)) : 0;
	if (!leaves)
		return true;
	tracer_before(t, ret);
	struct labels l = tracer_labels(t, value);
	LLVMValueRef whole = LLVMBuildInsertValue(t->builder, LLVMGetPoison(type), value, 0, "");
	for (unsigned i = 0; i < leaves; i++)
		whole = LLVMBuildInsertValue(t->builder, whole, l.leaf[i], 1 + i, "");
	LLVMBuildRet(t->builder, whole);
	LLVMInstructionEraseFromParent(ret);
	return true;
}

// What cannot be reached still names the old functions.
void trace_direct_finish(struct tracer *t)
{
	for (LLVMValueRef next, f = LLVMGetFirstFunction(t->module); f; f = next) {
		LLVMValueRef twin = label_map_get(&t->direct, f);
		next = LLVMGetNextFunction(f);
		if (!twin || !LLVMIsDeclaration(f))
			continue;
		LLVMReplaceAllUsesWith(f, twin);
		LLVMDeleteFunction(f);
	}
	mem_free(t->direct.slots);
	t->direct = (struct label_map){0};
}
