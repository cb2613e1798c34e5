#include "instrument/flow.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

static uint32_t number_of(const struct flow *f, LLVMBasicBlockRef block)
{
	return (uint32_t)(uintptr_t)label_map_get(&f->index, LLVMBasicBlockAsValue(block)) - 1;
}

uint32_t flow_successor(const struct flow *f, uint32_t b, unsigned k)
{
	LLVMBasicBlockRef next = LLVMGetSuccessor(f->v[b].end, k);
	uint32_t number = number_of(f, next);
	assert(number < f->n); // index has all blocks of the function
	return site_trap_block(next) >= 0 ? FLOW_NONE : number;
}

unsigned flow_successors(const struct flow *f, uint32_t b)
{
	assert(b < f->n);
	return f->v[b].end ? LLVMGetNumSuccessors(f->v[b].end) : 0;
}

static void find_blocks(struct flow *f)
{
	f->n = LLVMCountBasicBlocks(f->function);
	f->v = mem_zero(f->n * sizeof *f->v);
	f->stack = mem_zero(f->n * sizeof *f->stack);
	uint32_t n = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->function); b; b = LLVMGetNextBasicBlock(b)) {
		f->v[n++] = (struct flow_block){.block = b,
		                                .end = LLVMGetBasicBlockTerminator(b),
		                                .order = FLOW_NONE,
		                                .point = FLOW_NONE,
		                                .call = FLOW_NONE};
		label_map_set(&f->index, LLVMBasicBlockAsValue(b), (void *)(uintptr_t)n);
	}
	for (uint32_t b = 0; b < f->n; b++)
		for (unsigned k = 0; k < flow_successors(f, b); k++) {
			uint32_t to = flow_successor(f, b, k);
			if (to == FLOW_NONE)
				continue;
			struct flow_block *v = &f->v[to];
			v->preds = mem_resize(v->preds, (v->n_preds + 1) * sizeof *v->preds);
			v->preds[v->n_preds++] = b;
		}
}

// Reverse post order of what can be reached.
static void order_blocks(struct flow *f)
{
	uint32_t *next = mem_zero(f->n * sizeof *next), depth = 0, n = 0;
	uint32_t *after = mem_zero(f->n * sizeof *after);
	f->v[0].seen = true;
	f->stack[depth++] = 0;
	while (depth) {
		uint32_t b = f->stack[depth - 1];
		if (next[b] == flow_successors(f, b)) {
			after[n++] = b;
			depth--;
			continue;
		}
		uint32_t to = flow_successor(f, b, next[b]++);
		if (to != FLOW_NONE && !f->v[to].seen) {
			f->v[to].seen = true;
			f->stack[depth++] = to;
		}
	}
	assert(n > 0 && n <= f->n && after[n - 1] == 0); // the entry comes last
	f->ordered = mem_zero(n * sizeof *f->ordered);
	f->n_ordered = n;
	for (uint32_t i = 0; i < n; i++) {
		f->ordered[i] = after[n - 1 - i];
		f->v[f->ordered[i]].order = i;
	}
	mem_free(next);
	mem_free(after);
}

static uint32_t common(const struct flow *f, uint32_t a, uint32_t b)
{
	assert(f->v[a].order != FLOW_NONE && f->v[b].order != FLOW_NONE);
	while (a != b) {
		while (f->v[a].order > f->v[b].order)
			a = f->v[a].dominator;
		while (f->v[b].order > f->v[a].order)
			b = f->v[b].dominator;
	}
	return a;
}

static void find_dominators(struct flow *f)
{
	for (uint32_t b = 0; b < f->n; b++)
		f->v[b].dominator = b ? FLOW_NONE : 0;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 1; i < f->n_ordered; i++) {
			struct flow_block *v = &f->v[f->ordered[i]];
			uint32_t best = FLOW_NONE;
			for (uint32_t k = 0; k < v->n_preds; k++)
				if (f->v[v->preds[k]].dominator != FLOW_NONE)
					best = best == FLOW_NONE ? v->preds[k] : common(f, best, v->preds[k]);
			changed |= best != v->dominator;
			v->dominator = best;
		}
	}
}

static bool dominates(const struct flow *f, uint32_t a, uint32_t b)
{
	assert(f->v[a].order != FLOW_NONE && f->v[b].order != FLOW_NONE);
	while (b != a && f->v[b].order > f->v[a].order)
		b = f->v[b].dominator;
	return a == b;
}

// All from which `from` is reached without coming by the header, which is among them.
static void mark_body(struct flow *f, uint8_t *body, uint32_t header, uint32_t from)
{
	uint32_t depth = 0;
	body[header] = 1;
	if (!body[from]) {
		body[from] = 1;
		f->stack[depth++] = from;
	}
	while (depth) {
		const struct flow_block *v = &f->v[f->stack[--depth]];
		for (uint32_t k = 0; k < v->n_preds; k++)
			if (!body[v->preds[k]] && f->v[v->preds[k]].order != FLOW_NONE) {
				body[v->preds[k]] = 1;
				f->stack[depth++] = v->preds[k];
			}
	}
}

static void find_loops(struct flow *f)
{
	for (uint32_t i = 0; i < f->n_ordered; i++) {
		uint32_t header = f->ordered[i];
		bool first = true;
		for (uint32_t k = 0; k < f->v[header].n_preds; k++) {
			uint32_t from = f->v[header].preds[k];
			if (f->v[from].order == FLOW_NONE || !dominates(f, header, from))
				continue;
			if (first) {
				f->headers = mem_resize(f->headers, (f->n_headers + 1) * sizeof *f->headers);
				f->bodies = mem_resize(f->bodies, (size_t)(f->n_headers + 1) * f->n);
				memset(f->bodies + (size_t)f->n_headers * f->n, 0, f->n);
				f->headers[f->n_headers++] = header;
				first = false;
			}
			mark_body(f, f->bodies + (size_t)(f->n_headers - 1) * f->n, header, from);
		}
	}
}

void flow_init(struct flow *f, LLVMValueRef function)
{
	assert(!LLVMIsDeclaration(function));
	*f = (struct flow){.function = function};
	find_blocks(f);
	order_blocks(f);
	find_dominators(f);
	find_loops(f);
}

void flow_release(struct flow *f)
{
	for (uint32_t b = 0; b < f->n; b++)
		mem_free(f->v[b].preds);
	mem_free(f->v);
	mem_free(f->stack);
	mem_free(f->ordered);
	mem_free(f->headers);
	mem_free(f->bodies);
	mem_free(f->index.slots);
}
