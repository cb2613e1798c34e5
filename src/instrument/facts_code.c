// Functions and their blocks as bytes of a key.
#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "instrument/facts_internal.h"
#include "instrument/shapes_internal.h"

// The function that is being read.
struct walk {
	struct facts_key *key;
	LLVMValueRef function;
	const struct facts_names *names; // of blocks: of variables; NULL: values have numbers
	LLVMBasicBlockRef *order;        // reverse post order
	size_t n;
	struct facts_numbers blocks; // by block: its place there, plus 1
	struct facts_numbers values; // by value: its number, plus 1
	uint32_t used;
};

// --- order ----------------------------------------------------------------------------------------

struct edge {
	uint64_t value;
	LLVMBasicBlockRef to;
};

static int by_value(const void *x, const void *y)
{
	const struct edge *a = x, *b = y;
	return a->value < b->value ? -1 : a->value > b->value;
}

// Cases in the order of their values: the order of the source does not matter. The caller frees the result.
static struct edge *edges_of(LLVMValueRef end, size_t *ret_n)
{
	unsigned n = end ? LLVMGetNumSuccessors(end) : 0;
	struct edge *edges = mem_zero((n + 1) * sizeof *edges);
	bool is_switch = end && LLVMIsASwitchInst(end);
	for (unsigned i = 0; i < n; i++)
		edges[i] = (struct edge){.to = LLVMGetSuccessor(end, i)};
	for (unsigned i = 1; is_switch && i < n; i++)
		edges[i].value = LLVMConstIntGetZExtValue(module_case_value(end, i));
	if (is_switch)
		qsort(edges + 1, n - 1, sizeof *edges, by_value);
	*ret_n = n;
	return edges;
}

struct frame {
	LLVMBasicBlockRef block;
	struct edge *edges;
	size_t n;
};

static void push(struct walk *w, struct frame *stack, size_t *depth, LLVMBasicBlockRef block)
{
	struct frame *f = &stack[(*depth)++];
	f->block = block;
	f->edges = edges_of(LLVMGetBasicBlockTerminator(block), &f->n);
	facts_numbers_put(&w->blocks, block)->number = 1;
}

static void find_order(struct walk *w)
{
	size_t all = LLVMCountBasicBlocks(w->function), depth = 0, left = all;
	struct frame *stack = mem_zero((all + 1) * sizeof *stack);
	LLVMBasicBlockRef *order = mem_zero((all + 1) * sizeof(LLVMBasicBlockRef));
	push(w, stack, &depth, LLVMGetEntryBasicBlock(w->function));
	while (depth) {
		struct frame *f = &stack[depth - 1];
		if (f->n) {
			LLVMBasicBlockRef to = f->edges[--f->n].to;
			if (!facts_numbers_get(&w->blocks, to))
				push(w, stack, &depth, to);
			assert(depth <= all);
			continue;
		}
		mem_free(f->edges);
		assert(left);
		order[--left] = f->block;
		depth--;
	}
	w->n = all - left; // what nothing leads to has no place
	assert(w->n && order[left] == LLVMGetEntryBasicBlock(w->function));
	w->order = mem_zero((w->n + 1) * sizeof(LLVMBasicBlockRef));
	memcpy(w->order, order + left, w->n * sizeof(LLVMBasicBlockRef));
	for (size_t i = 0; i < w->n; i++)
		facts_numbers_put(&w->blocks, w->order[i])->number = (uint32_t)i + 1;
	mem_free(order);
	mem_free(stack);
}

static void walk_init(struct walk *w, struct facts_key *key, LLVMValueRef function)
{
	*w = (struct walk){.key = key, .function = function};
	key->own = function;
	find_order(w);
}

static void walk_release(struct walk *w)
{
	facts_numbers_release(&w->blocks);
	facts_numbers_release(&w->values);
	mem_free(w->order);
}

// --- values ---------------------------------------------------------------------------------------

static void add_local(struct walk *w, LLVMValueRef v)
{
	struct buf *out = &w->key->bytes;
	const struct facts_name *name = w->names && LLVMIsAAllocaInst(v) ? facts_names_get(w->names, v) : NULL;
	if (name) {
		buf_printf(out, "variable %.*s;", (int)name->size, name->text);
		return;
	}
	struct facts_slot *slot = facts_numbers_put(&w->values, v);
	bool is_new = !slot->number;
	slot->number = is_new ? ++w->used : slot->number;
	buf_printf(out, "local %u;", slot->number);
	if (is_new && LLVMIsAAllocaInst(v))
		facts_add_type(w->key, LLVMGetAllocatedType(v));
}

static void add_argument(struct walk *w, LLVMValueRef v)
{
	unsigned i = 0, n = LLVMCountParams(w->function);
	while (i < n && LLVMGetParam(w->function, i) != v)
		i++;
	assert(i < n);
	buf_printf(&w->key->bytes, "parameter %u;", i);
}

static void add_text(struct walk *w, char *text)
{
	buf_printf(&w->key->bytes, "%s;", text);
	LLVMDisposeMessage(text);
}

static void add_value(struct walk *w, LLVMValueRef v)
{
	if (LLVMIsAArgument(v)) {
		add_argument(w, v);
	} else if (LLVMIsAInstruction(v)) {
		add_local(w, v);
	} else if (LLVMValueIsBasicBlock(v)) {
		const struct facts_slot *block = facts_numbers_get(&w->blocks, LLVMValueAsBasicBlock(v));
		buf_printf(&w->key->bytes, "to %u;", !w->names && block ? block->number : 0);
	} else if (LLVMIsAConstant(v)) {
		facts_add_constant(w->key, v);
	} else if (LLVMIsAInlineAsm(v)) {
		add_text(w, LLVMPrintValueToString(v));
	} else {
		buf_addstr(&w->key->bytes, "metadata;");
	}
}

// --- instructions ---------------------------------------------------------------------------------

static const char *callee_name(LLVMValueRef i)
{
	LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
	return callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &(size_t){0}) : "";
}

// Locals are numbered where they are used; how long they live is the optimiser's business.
static bool is_nothing(LLVMValueRef i)
{
	if (LLVMIsAAllocaInst(i))
		return LLVMIsAConstantInt(LLVMGetOperand(i, 0));
	const char *name = callee_name(i);
	return strncmp(name, "llvm.dbg.", 9) == 0 || strncmp(name, "llvm.lifetime.", 14) == 0;
}

static bool is_assertion(LLVMValueRef call)
{
	static const char *const names[] = {"__assert_fail", "__assert_perror_fail", "__assert", "__assert_rtn",
	                                    "__assert2"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(callee_name(call), names[i]) == 0)
			return true;
	return false;
}

static bool is_own_line(LLVMValueRef call, LLVMValueRef v)
{
	LLVMMetadataRef at = LLVMInstructionGetDebugLoc(call);
	return at && LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 32 &&
	       LLVMConstIntGetZExtValue(v) == LLVMDILocationGetLine(at);
}

static bool is_of_structures(LLVMTypeRef type)
{
	while (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMStructTypeKind;
}

// Of a structure that is copied whole, or an array of them, the size is that of its type.
static bool is_size_of_local(struct walk *w, LLVMValueRef call, LLVMValueRef v)
{
	if (!w->key->by_name || !LLVMIsAConstantInt(v) || strncmp(callee_name(call), "llvm.mem", 8) != 0)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		LLVMValueRef at = LLVMGetOperand(call, i);
		LLVMTypeRef type = LLVMIsAAllocaInst(at)          ? LLVMGetAllocatedType(at)
		                   : LLVMIsAGlobalVariable(at)    ? LLVMGlobalGetValueType(at)
		                   : LLVMIsAGetElementPtrInst(at) ? LLVMGetGEPSourceElementType(at)
		                                                  : NULL;
		if (type && is_of_structures(type) &&
		    LLVMABISizeOfType(w->key->layout, type) == LLVMConstIntGetZExtValue(v))
			return true;
	}
	return false;
}

static void add_call(struct walk *w, LLVMValueRef call)
{
	struct facts_key *k = w->key;
	bool asserts = is_assertion(call);
	facts_add_type(k, LLVMGetCalledFunctionType(call));
	add_value(w, LLVMGetCalledValue(call));
	LLVMValueRef callee = LLVMGetCalledValue(call);
	k->call = LLVMIsAFunction(callee) && module_is_intrinsic(callee) ? NULL : call;
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && !asserts; i++) {
		LLVMValueRef each = LLVMGetOperand(call, i);
		if (is_own_line(call, each))
			buf_addstr(&k->bytes, "line;");
		else if (is_size_of_local(w, call, each))
			buf_addstr(&k->bytes, "size;");
		else
			add_value(w, each);
	}
	k->call = NULL;
}

static void add_address(struct walk *w, LLVMValueRef i)
{
	LLVMTypeRef within = LLVMGetGEPSourceElementType(i);
	facts_add_type(w->key, within);
	for (int n = 0; n < LLVMGetNumOperands(i); n++) {
		LLVMValueRef each = LLVMGetOperand(i, (unsigned)n);
		if (n > 1 && LLVMGetTypeKind(within) == LLVMStructTypeKind) {
			unsigned member = (unsigned)LLVMConstIntGetZExtValue(each);
			facts_add_member(w->key, within, member);
			within = LLVMStructGetTypeAtIndex(within, member);
			continue;
		}
		within = n > 1 ? LLVMGetElementType(within) : within;
		add_value(w, each);
	}
}

static void add_switch(struct walk *w, LLVMValueRef i)
{
	size_t n;
	struct edge *edges = edges_of(i, &n);
	add_value(w, LLVMGetOperand(i, 0));
	for (size_t k = 0; k < n; k++) {
		buf_printf(&w->key->bytes, "case %llu;", (unsigned long long)edges[k].value);
		add_value(w, LLVMBasicBlockAsValue(edges[k].to));
	}
	mem_free(edges);
}

// In the order of the blocks that its values come from.
static void add_phi(struct walk *w, LLVMValueRef i)
{
	unsigned n = LLVMCountIncoming(i);
	struct edge *edges = mem_zero((n + 1) * sizeof *edges);
	for (unsigned k = 0; k < n; k++) {
		const struct facts_slot *from = facts_numbers_get(&w->blocks, LLVMGetIncomingBlock(i, k));
		edges[k].value = (uint64_t)(from ? from->number : 0) << 32 | k;
	}
	qsort(edges, n, sizeof *edges, by_value);
	for (unsigned k = 0; k < n; k++) {
		if (!(edges[k].value >> 32)) // from a block that nothing leads to
			continue;
		buf_printf(&w->key->bytes, "from %u;", w->names ? 0 : (unsigned)(edges[k].value >> 32));
		add_value(w, LLVMGetIncomingValue(i, (unsigned)edges[k].value));
	}
	mem_free(edges);
}

static void add_operands(struct walk *w, LLVMValueRef i)
{
	for (int n = 0; n < LLVMGetNumOperands(i); n++)
		add_value(w, LLVMGetOperand(i, (unsigned)n));
}

static void add_numbers(struct walk *w, LLVMValueRef i)
{
	for (unsigned n = 0; n < LLVMGetNumIndices(i); n++)
		buf_printf(&w->key->bytes, "%u;", LLVMGetIndices(i)[n]);
}

static bool is_memory(LLVMValueRef i)
{
	return LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
}

static void add_instruction(struct walk *w, LLVMValueRef i)
{
	struct buf *out = &w->key->bytes;
	LLVMTypeRef type = LLVMTypeOf(i);
	buf_printf(out, "\n%d ", (int)LLVMGetInstructionOpcode(i));
	facts_add_type(w->key, type);
	if (LLVMGetTypeKind(type) != LLVMVoidTypeKind)
		add_local(w, i);
	if (LLVMIsAICmpInst(i))
		buf_printf(out, "is %d;", (int)LLVMGetICmpPredicate(i));
	else if (LLVMIsAFCmpInst(i))
		buf_printf(out, "is %d;", (int)LLVMGetFCmpPredicate(i));
	else if (is_memory(i))
		buf_printf(out, "%d %d;", LLVMGetVolatile(i), (int)LLVMGetOrdering(i));
	else if (LLVMIsAAtomicRMWInst(i))
		buf_printf(out, "%d;", (int)LLVMGetAtomicRMWBinOp(i));
	else if (LLVMIsAExtractValueInst(i) || LLVMIsAInsertValueInst(i))
		add_numbers(w, i);
	else if (LLVMIsAAllocaInst(i))
		facts_add_type(w->key, LLVMGetAllocatedType(i));
	if (LLVMIsAStoreInst(i))
		facts_add_type(w->key, LLVMTypeOf(LLVMGetOperand(i, 0)));

	if (LLVMIsACallInst(i))
		add_call(w, i);
	else if (LLVMIsAGetElementPtrInst(i))
		add_address(w, i);
	else if (LLVMIsASwitchInst(i))
		add_switch(w, i);
	else if (LLVMIsAPHINode(i))
		add_phi(w, i);
	else
		add_operands(w, i);
}

void facts_add_function(struct facts_key *k, LLVMValueRef function)
{
	struct walk w;
	walk_init(&w, k, function);
	facts_add_type(k, LLVMGlobalGetValueType(function));
	for (size_t n = 0; n < w.n; n++) {
		buf_printf(&k->bytes, "\nblock");
		for (LLVMValueRef i = LLVMGetFirstInstruction(w.order[n]); i; i = LLVMGetNextInstruction(i))
			if (!is_nothing(i))
				add_instruction(&w, i);
	}
	walk_release(&w);
}

// --- blocks ---------------------------------------------------------------------------------------

static LLVMBasicBlockRef only_successor(LLVMBasicBlockRef b)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
	return end && LLVMGetNumSuccessors(end) == 1 ? LLVMGetSuccessor(end, 0) : NULL;
}

static size_t count_predecessors(const struct walk *w, LLVMBasicBlockRef b)
{
	size_t n = 0;
	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		n += LLVMIsAInstruction(user) && LLVMIsATerminatorInst(user) &&
		     facts_numbers_get(&w->blocks, LLVMGetInstructionParent(user));
	}
	return n;
}

// The block that control goes on to from this one only; NULL: there is none.
static LLVMBasicBlockRef next_of_chain(const struct walk *w, LLVMBasicBlockRef b)
{
	LLVMBasicBlockRef next = only_successor(b);
	bool is_own = next && next != b && next != w->order[0] && count_predecessors(w, next) == 1;
	return is_own && !LLVMIsAPHINode(LLVMGetFirstInstruction(next)) ? next : NULL;
}

static bool is_store_of_parameter(LLVMValueRef i)
{
	return LLVMIsAStoreInst(i) && LLVMIsAArgument(LLVMGetOperand(i, 0)) && LLVMIsAAllocaInst(LLVMGetOperand(i, 1));
}

static void add_line(const struct walk *w, LLVMValueRef i, struct buf *lines, uint32_t *n)
{
	LLVMMetadataRef at = LLVMInstructionGetDebugLoc(i), own = LLVMGetSubprogram(w->function);
	uint32_t line = at && !LLVMDILocationGetInlinedAt(at) ? LLVMDILocationGetLine(at) : 0;
	if (!line || !own || LLVMDIScopeGetFile(LLVMDILocationGetScope(at)) != LLVMDIScopeGetFile(own))
		return;
	for (size_t k = 0; k < *n; k++) {
		uint32_t known;
		memcpy(&known, lines->data + k * sizeof known, sizeof known);
		if (known == line)
			return;
	}
	buf_u32(lines, line);
	++*n;
}

struct chain {
	LLVMBasicBlockRef last;
	uint64_t hash;
	struct buf lines;
	uint32_t n_lines;
};

// Values have numbers of the chain's own: what comes before it does not matter.
static void read_chain(struct walk *w, LLVMBasicBlockRef first, struct chain *ret)
{
	buf_clear(&w->key->bytes);
	facts_numbers_release(&w->values);
	w->used = 0;
	for (LLVMBasicBlockRef b = first; b; b = next_of_chain(w, b)) {
		bool goes_on = next_of_chain(w, b) != NULL;
		ret->last = b;
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			if (is_nothing(i) || is_store_of_parameter(i) || (goes_on && LLVMIsATerminatorInst(i)))
				continue;
			add_instruction(w, i);
			add_line(w, i, &ret->lines, &ret->n_lines);
		}
	}
	ret->hash = hash_bytes(w->key->bytes.data, w->key->bytes.len).low;
}

static uint64_t hash_around(const struct walk *w, const struct chain *chains, const uint32_t *chain_of, size_t n)
{
	uint64_t hash = chains[n].hash;
	size_t count;
	struct edge *edges = edges_of(LLVMGetBasicBlockTerminator(chains[n].last), &count);
	for (size_t k = 0; k < count; k++) {
		const struct facts_slot *to = facts_numbers_get(&w->blocks, edges[k].to);
		hash = hash_mix(hash, to ? chains[chain_of[to->number - 1]].hash : 0);
	}
	mem_free(edges);
	return hash;
}

void facts_add_blocks(const struct shapes *shapes, LLVMTargetDataRef layout, const struct facts_names *names,
                      LLVMValueRef function, struct buf *out)
{
	struct facts_key key = {.shapes = shapes, .layout = layout, .by_name = true};
	struct walk w;
	walk_init(&w, &key, function);
	w.names = names;
	bool *inside = mem_zero((w.n + 1) * sizeof *inside);
	struct chain *chains = mem_zero((w.n + 1) * sizeof *chains);
	uint32_t *chain_of = mem_zero((w.n + 1) * sizeof *chain_of), n = 0;
	for (size_t i = 0; i < w.n; i++) {
		LLVMBasicBlockRef next = next_of_chain(&w, w.order[i]);
		if (next)
			inside[facts_numbers_get(&w.blocks, next)->number - 1] = true;
	}
	for (size_t i = 0; i < w.n; i++)
		if (!inside[i]) {
			chain_of[i] = n;
			read_chain(&w, w.order[i], &chains[n++]);
		}
	buf_u32(out, n);
	for (size_t i = 0; i < n; i++) {
		buf_u64(out, chains[i].hash);
		buf_u64(out, hash_around(&w, chains, chain_of, i));
		buf_u32(out, chains[i].n_lines);
		buf_add(out, chains[i].lines.data, chains[i].lines.len);
		buf_release(&chains[i].lines);
	}
	mem_free(inside);
	mem_free(chains);
	mem_free(chain_of);
	buf_release(&key.bytes);
	walk_release(&w);
}
