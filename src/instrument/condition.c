// Made of the code as clang left it, before any pass: a variable is loaded where it is used, and a comparison is as it
// was written.
#include "instrument/condition.h"

#include <assert.h>

#include "abi/graph.h"
#include "base/text.h"
#include "instrument/module.h"

bool condition_outside(LLVMValueRef i)
{
	LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
	return callee && LLVMIsAFunction(callee) && LLVMIsDeclaration(callee) && !LLVMGetIntrinsicID(callee) &&
	       !text_starts(LLVMGetValueName2(callee, &(size_t){0}), "__veer_");
}

static void add_result(struct condition *c, LLVMValueRef call)
{
	while (LLVMIsACastInst(call))
		call = LLVMGetOperand(call, 0);
	if (!condition_outside(call))
		return;
	LLVMValueRef callee = LLVMGetCalledValue(call);
	for (size_t i = 0; i < c->results.n; i++)
		if (c->results.v[i] == callee)
			return;
	value_list_push(&c->results, callee);
}

// A variable: what it got from calls.
static void examine_variable(struct condition *c, LLVMValueRef variable)
{
	assert(LLVMIsAAllocaInst(variable));
	c->flags |= GRAPH_LOCAL;
	for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == variable)
			add_result(c, LLVMGetOperand(user, 0));
	}
}

static void examine(struct condition *c, LLVMValueRef v);

static void examine_load(struct condition *c, LLVMValueRef load)
{
	LLVMValueRef base = module_base(LLVMGetOperand(load, 0));
	if (LLVMIsAAllocaInst(base)) {
		examine_variable(c, base);
	} else if (!LLVMIsAConstant(base)) {
		c->flags |= GRAPH_POINTER;
		examine(c, base);
	}
}

static void examine_constant(struct condition *c, LLVMValueRef v)
{
	if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 1 ||
	    LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
		return;
	uint64_t value = LLVMConstIntGetZExtValue(v);
	c->flags |= GRAPH_INTEGER | (value < 128 ? GRAPH_CHARACTER : 0);
}

// `if (x)` is a comparison with a zero that nobody wrote.
static bool is_test(LLVMValueRef v)
{
	return LLVMIsAICmpInst(v) && LLVMGetICmpPredicate(v) == LLVMIntNE && LLVMIsNull(LLVMGetOperand(v, 1));
}

static void examine(struct condition *c, LLVMValueRef v)
{
	if (!c->budget)
		return;
	c->budget--;
	if (LLVMIsAConstant(v)) {
		examine_constant(c, v);
	} else if (LLVMIsALoadInst(v)) {
		examine_load(c, v);
	} else if (condition_outside(v)) {
		add_result(c, v);
	} else if (LLVMIsAInstruction(v) && !LLVMIsAAllocaInst(v) &&
	           (!LLVMIsACallInst(v) || module_is_intrinsic(LLVMGetCalledValue(v)))) {
		int n = is_test(v) ? 1 : LLVMIsACallInst(v) ? (int)LLVMGetNumArgOperands(v) : LLVMGetNumOperands(v);
		for (int i = 0; i < n; i++)
			examine(c, LLVMGetOperand(v, (unsigned)i));
	}
}

struct condition condition_of(LLVMValueRef end)
{
	assert(module_branches(end) || LLVMIsASwitchInst(end));
	struct condition c = {.budget = 64};
	examine(&c, LLVMGetOperand(end, 0)); // of a branch: its condition comes first; of a switch, likewise
	if (LLVMIsASwitchInst(end))
		for (unsigned i = 1; i < LLVMGetNumSuccessors(end); i++)
			examine_constant(&c, module_case_value(end, i));
	return c;
}
