// Calls of functions of the system (abi/outside.def) go by way of a function of the unit, which asks the runtime for
// what they return. In whole runs it has nothing, and they are called.
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "base/mem.h"
#include "instrument/fragment.h"

static const char *const names[] = {
#define CALL(name, result, low, high, limit, out, size) name,
#include "abi/outside.def"
};
enum { NAMES = sizeof names / sizeof *names, ARGUMENTS = 4 }; // that the runtime gets

struct outside {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTypeRef i32, i64, pointer, asked_type;
	LLVMValueRef asked; // __veer_f_outside
};

// Its number in the table; NAMES: it is not there.
static unsigned find(LLVMValueRef function)
{
	const char *name = LLVMGetValueName2(function, &(size_t){0});
	unsigned i = 0;
	while (i < NAMES && strcmp(names[i], name + (name[0] == 1)) != 0)
		i++;
	return i;
}

static LLVMValueRef as_number(struct outside *o, LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return LLVMBuildPtrToInt(o->builder, v, o->i64, "");
	if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64)
		return LLVMBuildSExtOrBitCast(o->builder, v, o->i64, "");
	return LLVMConstInt(o->i64, 0, 0);
}

static LLVMValueRef ask(struct outside *o, LLVMValueRef wrapper, unsigned which, LLVMTypeRef returned)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(o->module);
	bool nothing = LLVMGetTypeKind(returned) == LLVMVoidTypeKind;
	LLVMValueRef args[ARGUMENTS + 2] = {LLVMConstInt(o->i32, which, 0),
	                                    LLVMConstInt(o->i32, nothing ? 0 : LLVMABISizeOfType(layout, returned), 0)};
	for (unsigned i = 0, n = LLVMCountParams(wrapper); i < ARGUMENTS; i++)
		args[i + 2] = i < n ? as_number(o, LLVMGetParam(wrapper, i)) : LLVMConstInt(o->i64, 0, 0);
	return LLVMBuildCall2(o->builder, o->asked_type, o->asked, args, ARGUMENTS + 2, "");
}

// What a call of these types goes to.
static LLVMValueRef make_wrapper(struct outside *o, LLVMValueRef function, unsigned which, LLVMTypeRef type)
{
	LLVMValueRef wrapper = LLVMAddFunction(o->module, "veer.outside", type);
	LLVMTypeRef returned = LLVMGetReturnType(type);
	bool nothing = LLVMGetTypeKind(returned) == LLVMVoidTypeKind;
	unsigned n = LLVMCountParams(wrapper);
	LLVMValueRef *args = mem_zero((n + 1) * sizeof *args);
	LLVMSetLinkage(wrapper, LLVMInternalLinkage);
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(o->context, wrapper, ""),
			  made = LLVMAppendBasicBlockInContext(o->context, wrapper, ""),
			  real = LLVMAppendBasicBlockInContext(o->context, wrapper, "");
	LLVMSetCurrentDebugLocation2(o->builder, NULL);
	LLVMPositionBuilderAtEnd(o->builder, entry);
	LLVMValueRef at = ask(o, wrapper, which, returned);
	LLVMBuildCondBr(o->builder, LLVMBuildIsNull(o->builder, at, ""), real, made);
	LLVMPositionBuilderAtEnd(o->builder, made);
	if (nothing)
		LLVMBuildRetVoid(o->builder);
	else
		LLVMBuildRet(o->builder, LLVMBuildLoad2(o->builder, returned, at, ""));
	LLVMPositionBuilderAtEnd(o->builder, real);
	for (unsigned i = 0; i < n; i++)
		args[i] = LLVMGetParam(wrapper, i);
	LLVMValueRef result = LLVMBuildCall2(o->builder, LLVMGlobalGetValueType(function), function, args, n, "");
	if (nothing)
		LLVMBuildRetVoid(o->builder);
	else
		LLVMBuildRet(o->builder, result);
	mem_free(args);
	return wrapper;
}

static void redirect(struct outside *o, LLVMValueRef call, unsigned which)
{
	unsigned n = LLVMGetNumArgOperands(call);
	LLVMValueRef function = LLVMGetCalledValue(call), *args = mem_zero((n + 1) * sizeof *args);
	LLVMTypeRef *types = mem_zero((n + 1) * sizeof *types);
	for (unsigned i = 0; i < n; i++) {
		args[i] = LLVMGetOperand(call, i);
		types[i] = LLVMTypeOf(args[i]);
	}
	LLVMTypeRef type = LLVMFunctionType(LLVMTypeOf(call), types, n, 0);
	LLVMValueRef wrapper = make_wrapper(o, function, which, type);
	LLVMPositionBuilderBefore(o->builder, call);
	LLVMSetCurrentDebugLocation2(o->builder, LLVMInstructionGetDebugLoc(call));
	LLVMValueRef instead = LLVMBuildCall2(o->builder, type, wrapper, args, n, "");
	LLVMReplaceAllUsesWith(call, instead);
	LLVMInstructionEraseFromParent(call);
	mem_free(args);
	mem_free(types);
}

static bool is_wrapper(LLVMValueRef function)
{
	static const char name[] = "veer.outside"; // and a number
	return strncmp(LLVMGetValueName2(function, &(size_t){0}), name, sizeof name - 1) == 0;
}

static LLVMValueRef next_call(LLVMValueRef function)
{
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == function &&
		    !is_wrapper(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user))))
			return user;
	}
	return NULL;
}

void fragment_redirect_outside(struct module *m)
{
	struct outside o = {.module = m->module, .context = m->context};
	o.builder = LLVMCreateBuilderInContext(o.context);
	o.i32 = LLVMInt32TypeInContext(o.context);
	o.i64 = LLVMInt64TypeInContext(o.context);
	o.pointer = LLVMPointerTypeInContext(o.context, 0);
	LLVMTypeRef params[ARGUMENTS + 2] = {o.i32, o.i32, o.i64, o.i64, o.i64, o.i64};
	o.asked_type = LLVMFunctionType(o.pointer, params, ARGUMENTS + 2, 0);
	o.asked = LLVMAddFunction(o.module, "__veer_f_outside", o.asked_type);
	for (LLVMValueRef f = LLVMGetFirstFunction(o.module); f; f = LLVMGetNextFunction(f)) {
		unsigned which = LLVMIsDeclaration(f) ? find(f) : NAMES;
		for (LLVMValueRef call; which < NAMES && (call = next_call(f));)
			redirect(&o, call, which);
	}
	LLVMDisposeBuilder(o.builder);
}
