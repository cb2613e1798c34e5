#include "instrument/source_flow.h"

#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "base/mem.h"
#include "instrument/module.h"
#include "instrument/site.h"

// Blocks of a function while its graph is made.
struct maker {
	struct source_flow *flow;
	LLVMValueRef slot;        // clang's variable; NULL: there is none
	struct label_map waiting; // blocks before whose first store to the slot it is read, to 1
};

// --- clang's variable --------------------------------------------------------------------------

static bool is_lifetime(LLVMValueRef i)
{
	LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
	return callee && LLVMIsAFunction(callee) &&
	       strncmp(LLVMGetValueName2(callee, &(size_t){0}), "llvm.lifetime.", 14) == 0;
}

// Numbers are stored in it, and all that is done with it is to switch on it.
static bool is_slot(LLVMValueRef variable)
{
	bool switches = false;
	LLVMTypeRef type = LLVMGetAllocatedType(variable);
	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 32)
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAStoreInst(user)) {
			if (!LLVMIsAConstantInt(LLVMGetOperand(user, 0)))
				return false;
		} else if (LLVMIsALoadInst(user)) {
			LLVMUseRef only = LLVMGetFirstUse(user);
			if (!only || LLVMGetNextUse(only) || !LLVMIsASwitchInst(LLVMGetUser(only)) ||
			    LLVMInstructionGetDebugLoc(LLVMGetUser(only)))
				return false; // the source's own switches have a place
			switches = true;
		} else if (!is_lifetime(user)) {
			return false;
		}
	}
	return switches;
}

static LLVMValueRef find_slot(LLVMValueRef function)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)); i;
	     i = LLVMGetNextInstruction(i))
		if (LLVMIsAAllocaInst(i) && is_slot(i))
			return i;
	return NULL;
}

static bool stores_to(LLVMValueRef i, LLVMValueRef slot)
{
	return slot && LLVMIsAStoreInst(i) && LLVMGetOperand(i, 1) == slot;
}

static bool loads_from(LLVMValueRef i, LLVMValueRef slot)
{
	return slot && LLVMIsALoadInst(i) && LLVMGetOperand(i, 0) == slot;
}

// Whether the block reads the slot before it stores; *ret_stores: whether it does either.
static bool reads_first(LLVMBasicBlockRef block, LLVMValueRef slot, bool *ret_either)
{
	*ret_either = true;
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
		if (stores_to(i, slot))
			return false;
		if (loads_from(i, slot))
			return true;
	}
	*ret_either = false;
	return false;
}

static bool is_waiting(const struct maker *m, LLVMBasicBlockRef block)
{
	return label_map_get(&m->waiting, LLVMBasicBlockAsValue(block)) != NULL;
}

static bool leads_to_waiting(const struct maker *m, LLVMBasicBlockRef block)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	for (unsigned k = 0, n = end ? LLVMGetNumSuccessors(end) : 0; k < n; k++)
		if (is_waiting(m, LLVMGetSuccessor(end, k)))
			return true;
	return false;
}

static void find_waiting(struct maker *m)
{
	for (bool changed = m->slot != NULL; changed;) {
		changed = false;
		for (LLVMBasicBlockRef b = LLVMGetLastBasicBlock(m->flow->function); b;
		     b = LLVMGetPreviousBasicBlock(b)) {
			bool either, reads = reads_first(b, m->slot, &either);
			if (!is_waiting(m, b) && (reads || (!either && leads_to_waiting(m, b)))) {
				label_map_set(&m->waiting, LLVMBasicBlockAsValue(b), (void *)1);
				changed = true;
			}
		}
	}
}

// --- edges -------------------------------------------------------------------------------------

static bool is_all_sanitizer(LLVMBasicBlockRef block)
{
	LLVMValueRef i = LLVMGetFirstInstruction(block);
	while (i && site_is_sanitizer(i))
		i = LLVMGetNextInstruction(i);
	return !i;
}

// Where the program goes on: blocks that only compute a check are passed over.
static LLVMBasicBlockRef behind_checks(LLVMBasicBlockRef block)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	while (end && module_jumps(end) && is_all_sanitizer(block)) {
		block = LLVMGetSuccessor(end, 0);
		end = LLVMGetBasicBlockTerminator(block);
	}
	return block;
}

static bool is_end(LLVMBasicBlockRef block)
{
	LLVMValueRef first = LLVMGetFirstInstruction(block);
	return site_trap_block(block) >= 0 || (first && LLVMIsAUnreachableInst(first));
}

// Nothing of the program: a failed check, or what cannot be (there clang puts a check that always fails).
static bool is_nowhere(LLVMBasicBlockRef block)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	unsigned n = end && is_all_sanitizer(block) ? LLVMGetNumSuccessors(end) : 0, ends = 0;
	while (ends < n && is_end(LLVMGetSuccessor(end, ends)))
		ends++;
	return is_end(block) || (n && ends == n);
}

static uint32_t add_node(struct source_flow *f, LLVMBasicBlockRef block, uint64_t state)
{
	uintptr_t first = (uintptr_t)label_map_get(&f->index, LLVMBasicBlockAsValue(block));
	uint32_t last = SOURCE_NONE;
	for (uint32_t n = first ? (uint32_t)first - 1 : SOURCE_NONE; n != SOURCE_NONE; n = f->same[n]) {
		if (f->v[n].state == state)
			return n;
		last = n;
	}
	if (f->n == f->room) {
		f->room = f->room ? 2 * f->room : 64;
		f->v = mem_resize(f->v, f->room * sizeof *f->v);
		f->same = mem_resize(f->same, f->room * sizeof *f->same);
	}
	f->v[f->n] = (struct source_node){.block = block, .end = LLVMGetBasicBlockTerminator(block), .state = state};
	f->same[f->n] = SOURCE_NONE;
	if (last == SOURCE_NONE)
		label_map_set(&f->index, LLVMBasicBlockAsValue(block), (void *)((uintptr_t)f->n + 1));
	else
		f->same[last] = f->n;
	return f->n++;
}

static void add_edge(struct maker *m, uint32_t from, LLVMBasicBlockRef block, uint64_t state, unsigned successor)
{
	uint32_t to = add_node(m->flow, block, is_waiting(m, block) ? state : 0);
	struct source_node *v = &m->flow->v[from];
	for (uint32_t k = 0; k < v->n; k++)
		if (v->edges[k].to == to)
			return;
	if (v->n == v->room) {
		v->room = v->room ? 2 * v->room : 2;
		v->edges = mem_resize(v->edges, v->room * sizeof *v->edges);
	}
	v->edges[v->n++] = (struct source_edge){to, successor};
}

// The number in the slot when it was last read in the block, and at its end; `state` is that at its start.
static uint64_t run_block(const struct maker *m, LLVMBasicBlockRef block, uint64_t state, uint64_t *ret_read)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && m->slot; i = LLVMGetNextInstruction(i)) {
		if (stores_to(i, m->slot))
			state = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0)) + 1;
		else if (loads_from(i, m->slot))
			*ret_read = state;
	}
	return state;
}

// The successor that a switch takes for a number.
static unsigned successor_for(LLVMValueRef end, uint64_t number)
{
	for (unsigned k = 1; k < LLVMGetNumSuccessors(end); k++)
		if (LLVMConstIntGetZExtValue(module_case_value(end, k)) == number)
			return k;
	return 0;
}

static void find_edges(struct maker *m, uint32_t node)
{
	LLVMBasicBlockRef block = m->flow->v[node].block;
	LLVMValueRef end = m->flow->v[node].end;
	uint64_t read = 0, state = run_block(m, block, m->flow->v[node].state, &read);
	unsigned n = end ? LLVMGetNumSuccessors(end) : 0;
	if (n && LLVMIsASwitchInst(end) && loads_from(LLVMGetOperand(end, 0), m->slot) && read) {
		unsigned k = successor_for(end, read - 1);
		if (!is_nowhere(LLVMGetSuccessor(end, k)))
			add_edge(m, node, LLVMGetSuccessor(end, k), state, k);
		return;
	}
	bool check = n && site_is_sanitizer(end);
	for (unsigned k = 0; k < n; k++) {
		LLVMBasicBlockRef next = LLVMGetSuccessor(end, k);
		if (!is_nowhere(next))
			add_edge(m, node, check ? behind_checks(next) : next, state, k);
	}
	LLVMOpcode opcode = n ? LLVMGetInstructionOpcode(end) : 0;
	struct source_node *v = &m->flow->v[node];
	// No check is known to lead to several places; the graph would hold for one that does.
	v->computed = opcode == LLVMIndirectBr || opcode == LLVMCallBr || (check && v->n > 1);
}

// --- the graph ---------------------------------------------------------------------------------

static void find_before(struct source_flow *f)
{
	for (uint32_t n = 0; n < f->n; n++)
		for (uint32_t k = 0; k < f->v[n].n; k++) {
			struct source_node *to = &f->v[f->v[n].edges[k].to];
			to->before = mem_resize(to->before, (to->n_before + 1) * sizeof *to->before);
			to->before[to->n_before++] = n;
		}
}

// No node of a block with several decides anything: what is added on an edge (trace_paths.c) is the same for all.
static bool joins_are_simple(const struct source_flow *f)
{
	for (uint32_t n = 0; n < f->n; n++) {
		bool several = f->same[n] != SOURCE_NONE || source_node_of(f, f->v[n].block) != n;
		if (several && f->v[n].n > 1)
			return false;
	}
	return true;
}

struct source_flow *source_flow_new(LLVMValueRef function, bool joins)
{
	struct source_flow *f = mem_zero(sizeof *f);
	struct maker m = {.flow = f, .slot = joins ? find_slot(function) : NULL};
	f->function = function;
	find_waiting(&m);
	add_node(f, LLVMGetEntryBasicBlock(function), 0);
	for (uint32_t n = 0; n < f->n; n++)
		find_edges(&m, n);
	mem_free(m.waiting.slots);
	if (!joins_are_simple(f)) {
		assert(joins);
		source_flow_free(f);
		return source_flow_new(function, false);
	}
	find_before(f);
	return f;
}

void source_flow_free(struct source_flow *f)
{
	for (uint32_t n = 0; n < f->n; n++) {
		mem_free(f->v[n].edges);
		mem_free(f->v[n].before);
	}
	mem_free(f->v);
	mem_free(f->same);
	mem_free(f->index.slots);
	mem_free(f);
}

uint32_t source_node_of(const struct source_flow *f, LLVMBasicBlockRef block)
{
	return (uint32_t)(uintptr_t)label_map_get(&f->index, LLVMBasicBlockAsValue(block)) - 1;
}
