#include "instrument/live.h"

#include <assert.h>
#include <llvm-c/Target.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "instrument/site.h"

struct variable {
	LLVMValueRef place;
	uint64_t size;
	bool named;
};

struct live {
	LLVMValueRef function;
	LLVMTargetDataRef layout;
	struct variable *v;
	uint32_t n, room;
	size_t words;             // of a set of variables
	struct label_map numbers; // of places, plus 1
	struct label_map blocks;  // likewise
	LLVMBasicBlockRef *block;
	uint32_t n_blocks;
	uint64_t *in, *gen, *kill; // a set each, per block
	bool *temporary;           // per block
};

static uint32_t block_number(const struct live *l, LLVMBasicBlockRef block)
{
	return (uint32_t)(uintptr_t)label_map_get(&l->blocks, LLVMBasicBlockAsValue(block)) - 1;
}

// --- variables ---------------------------------------------------------------------------------

static void add_variable(struct live *l, LLVMValueRef place, LLVMTypeRef type)
{
	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 16;
		l->v = mem_resize(l->v, l->room * sizeof *l->v);
	}
	l->v[l->n++] = (struct variable){.place = place, .size = LLVMABISizeOfType(l->layout, type)};
	label_map_set(&l->numbers, place, (void *)(uintptr_t)l->n);
}

static void find_variables(struct live *l, const struct label_map *named)
{
	const unsigned kinds[] = {LLVMGetEnumAttributeKindForName("byval", 5),
	                          LLVMGetEnumAttributeKindForName("sret", 4)};
	for (unsigned k = 0; k < 2 * LLVMCountParams(l->function); k++) {
		LLVMAttributeRef type = LLVMGetEnumAttributeAtIndex(l->function, k / 2 + 1, kinds[k % 2]);
		if (type)
			add_variable(l, LLVMGetParam(l->function, k / 2), LLVMGetTypeAttributeValue(type));
	}
	for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(l->function)); i;
	     i = LLVMGetNextInstruction(i))
		if (LLVMIsAAllocaInst(i) && LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
			add_variable(l, i, LLVMGetAllocatedType(i));
	for (uint32_t k = 0; k < l->n; k++)
		l->v[k].named = label_map_get(named, l->v[k].place) != NULL;
}

// The variable that the pointer leads into, plus 1; 0: another place, or not to be seen. *ret_whole: to its start.
static uint32_t variable_of(const struct live *l, LLVMValueRef pointer, bool *ret_whole)
{
	*ret_whole = true;
	while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer) || LLVMIsABitCastInst(pointer)) {
		*ret_whole &= !LLVMIsAGetElementPtrInst(pointer);
		pointer = LLVMGetOperand(pointer, 0);
	}
	uint32_t v = (uint32_t)(uintptr_t)label_map_get(&l->numbers, pointer);
	assert(v <= l->n);
	return v;
}

// --- what a block does -------------------------------------------------------------------------

struct effects {
	struct live *live;
	uint64_t *gen, *kill;
};

static void reads(const struct effects *e, LLVMValueRef pointer)
{
	bool whole;
	uint32_t v = variable_of(e->live, pointer, &whole);
	if (v && !(e->kill[(v - 1) / 64] >> ((v - 1) % 64) & 1))
		e->gen[(v - 1) / 64] |= (uint64_t)1 << ((v - 1) % 64);
}

// `size` bytes get a value. What clang made for itself is written in one go before it is read: there a part stands for
// all.
static void writes(const struct effects *e, LLVMValueRef pointer, uint64_t size)
{
	bool whole;
	uint32_t v = variable_of(e->live, pointer, &whole);
	if (!v)
		return;
	const struct variable *variable = &e->live->v[v - 1];
	if (!variable->named || (whole && size >= variable->size))
		e->kill[(v - 1) / 64] |= (uint64_t)1 << ((v - 1) % 64);
}

static bool visit_intrinsic(const struct effects *e, LLVMValueRef call, const char *name)
{
	if (text_starts(name, "llvm.dbg.") || text_starts(name, "llvm.objectsize."))
		return true;
	if (text_starts(name, "llvm.lifetime.")) {
		writes(e, LLVMGetOperand(call, LLVMGetNumArgOperands(call) - 1), UINT64_MAX);
		return true;
	}
	if (text_starts(name, "llvm.va_start")) {
		writes(e, LLVMGetOperand(call, 0), UINT64_MAX);
		return true;
	}
	bool copies = text_starts(name, "llvm.memcpy.") || text_starts(name, "llvm.memmove.");
	if (!copies && !text_starts(name, "llvm.memset."))
		return false;
	LLVMValueRef size = LLVMGetOperand(call, 2);
	if (copies)
		reads(e, LLVMGetOperand(call, 1));
	writes(e, LLVMGetOperand(call, 0), LLVMIsAConstantInt(size) ? LLVMConstIntGetZExtValue(size) : 0);
	return true;
}

static void visit_call(const struct effects *e, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	unsigned sret = LLVMGetEnumAttributeKindForName("sret", 4);
	if (LLVMIsAFunction(callee) && visit_intrinsic(e, call, LLVMGetValueName2(callee, &(size_t){0})))
		return;
	unsigned n = LLVMGetNumArgOperands(call);
	for (unsigned k = 0; k < n; k++)
		if (!LLVMGetCallSiteEnumAttribute(call, k + 1, sret))
			reads(e, LLVMGetOperand(call, k));
	for (unsigned k = 0; k < n; k++)
		if (LLVMGetCallSiteEnumAttribute(call, k + 1, sret))
			writes(e, LLVMGetOperand(call, k), UINT64_MAX);
}

// What a function falls off its end with is nobody's: of a variable of clang's that holds the result.
static bool is_result(const struct live *l, LLVMValueRef load)
{
	bool whole;
	uint32_t v = variable_of(l, LLVMGetOperand(load, 0), &whole);
	LLVMUseRef only = LLVMGetFirstUse(load);
	return v && !l->v[v - 1].named && only && !LLVMGetNextUse(only) && LLVMIsAReturnInst(LLVMGetUser(only));
}

static void visit(const struct effects *e, LLVMValueRef i)
{
	if (LLVMIsALoadInst(i)) {
		if (!is_result(e->live, i))
			reads(e, LLVMGetOperand(i, 0));
	} else if (LLVMIsAStoreInst(i)) {
		LLVMValueRef value = LLVMGetOperand(i, 0);
		reads(e, value);
		writes(e, LLVMGetOperand(i, 1), LLVMStoreSizeOfType(e->live->layout, LLVMTypeOf(value)));
	} else if (LLVMIsACallInst(i)) {
		visit_call(e, i);
	} else if (!LLVMIsAGetElementPtrInst(i) && !LLVMIsABitCastInst(i) && !LLVMIsAAddrSpaceCastInst(i) &&
	           !site_is_sanitizer(i)) {
		for (unsigned k = 0, n = (unsigned)LLVMGetNumOperands(i); k < n; k++)
			reads(e, LLVMGetOperand(i, k));
	}
}

static void find_effects(struct live *l)
{
	l->words = l->n / 64 + 1;
	size_t size = l->n_blocks * l->words * sizeof(uint64_t);
	l->in = mem_zero(size);
	l->gen = mem_zero(size);
	l->kill = mem_zero(size);
	for (uint32_t b = 0; b < l->n_blocks; b++) {
		const struct effects e = {l, l->gen + b * l->words, l->kill + b * l->words};
		for (LLVMValueRef i = LLVMGetFirstInstruction(l->block[b]); i; i = LLVMGetNextInstruction(i))
			visit(&e, i);
	}
}

static void flow_back(struct live *l)
{
	uint64_t *out = mem_zero(l->words * sizeof *out);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t b = l->n_blocks; b-- > 0;) {
			LLVMValueRef end = LLVMGetBasicBlockTerminator(l->block[b]);
			memset(out, 0, l->words * sizeof *out);
			for (unsigned k = 0, n = end ? LLVMGetNumSuccessors(end) : 0; k < n; k++) {
				const uint64_t *next = l->in + block_number(l, LLVMGetSuccessor(end, k)) * l->words;
				for (size_t w = 0; w < l->words; w++)
					out[w] |= next[w];
			}
			for (size_t w = 0; w < l->words; w++) {
				size_t at = b * l->words + w;
				uint64_t in = l->gen[at] | (out[w] & ~l->kill[at]);
				changed |= in != l->in[at];
				l->in[at] = in;
			}
		}
	}
	mem_free(out);
}

// --- temporaries -------------------------------------------------------------------------------

// `from` and all before it, up to where the value is computed, begin with it.
static void mark_back(struct live *l, LLVMBasicBlockRef from, LLVMBasicBlockRef home, uint32_t *stamp, uint32_t mark,
                      uint32_t *stack)
{
	uint32_t depth = 0, b = block_number(l, from);
	if (from == home || stamp[b] == mark)
		return;
	stamp[b] = mark;
	stack[depth++] = b;
	while (depth) {
		b = stack[--depth];
		l->temporary[b] = true;
		for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(l->block[b])); use;
		     use = LLVMGetNextUse(use)) {
			LLVMValueRef user = LLVMGetUser(use);
			if (!LLVMIsAInstruction(user) || !LLVMIsATerminatorInst(user))
				continue;
			LLVMBasicBlockRef before = LLVMGetInstructionParent(user);
			uint32_t number = block_number(l, before);
			if (before != home && stamp[number] != mark) {
				stamp[number] = mark;
				stack[depth++] = number;
			}
		}
	}
}

static bool is_variable(const struct live *l, LLVMValueRef i)
{
	return label_map_get(&l->numbers, i) != NULL;
}

static void find_temporaries(struct live *l)
{
	uint32_t *stamp = mem_zero(l->n_blocks * sizeof *stamp), mark = 0;
	uint32_t *stack = mem_zero(l->n_blocks * sizeof *stack);
	l->temporary = mem_zero(l->n_blocks * sizeof *l->temporary);
	for (uint32_t b = 0; b < l->n_blocks; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(l->block[b]); i; i = LLVMGetNextInstruction(i)) {
			l->temporary[b] |= LLVMIsAPHINode(i) != NULL;
			mark++;
			for (LLVMUseRef use = is_variable(l, i) ? NULL : LLVMGetFirstUse(i); use;
			     use = LLVMGetNextUse(use)) {
				LLVMValueRef user = LLVMGetUser(use);
				if (!LLVMIsAInstruction(user))
					continue;
				if (!LLVMIsAPHINode(user)) {
					mark_back(l, LLVMGetInstructionParent(user), l->block[b], stamp, mark, stack);
					continue;
				}
				for (unsigned k = 0; k < LLVMCountIncoming(user); k++)
					if (LLVMGetIncomingValue(user, k) == i)
						mark_back(l, LLVMGetIncomingBlock(user, k), l->block[b], stamp, mark,
						          stack);
			}
		}
	mem_free(stamp);
	mem_free(stack);
}

// -----------------------------------------------------------------------------------------------

struct live *live_new(LLVMValueRef function, const struct label_map *named)
{
	struct live *l = mem_zero(sizeof *l);
	l->function = function;
	l->layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(function));
	l->block = mem_zero(LLVMCountBasicBlocks(function) * sizeof(LLVMBasicBlockRef));
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
		l->block[l->n_blocks++] = b;
		label_map_set(&l->blocks, LLVMBasicBlockAsValue(b), (void *)(uintptr_t)l->n_blocks);
	}
	find_variables(l, named);
	find_effects(l);
	flow_back(l);
	find_temporaries(l);
	return l;
}

void live_free(struct live *l)
{
	mem_free(l->v);
	mem_free(l->numbers.slots);
	mem_free(l->blocks.slots);
	mem_free(l->block);
	mem_free(l->in);
	mem_free(l->gen);
	mem_free(l->kill);
	mem_free(l->temporary);
	mem_free(l);
}

static bool is_live(const struct live *l, uint32_t block, uint32_t v)
{
	return l->in[block * l->words + v / 64] >> (v % 64) & 1;
}

bool live_temporary(const struct live *l, LLVMBasicBlockRef block)
{
	uint32_t b = block_number(l, block);
	bool any = l->temporary[b];
	for (uint32_t v = 0; v < l->n && !any; v++)
		any = !l->v[v].named && is_live(l, b, v);
	return any;
}

void live_each(const struct live *l, LLVMBasicBlockRef block, void (*each)(LLVMValueRef place, void *opaque),
               void *opaque)
{
	uint32_t b = block_number(l, block);
	for (uint32_t v = 0; v < l->n; v++)
		if (l->v[v].named && is_live(l, b, v))
			each(l->v[v].place, opaque);
}
