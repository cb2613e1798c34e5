// For tests/e2e/segments.sh: the segments that a run passed through, by a log of the blocks it came by.
//
//   test-segments log IN.bc OUT.bc    adds calls of
//                                         unsigned segments_enter(void)                      when a function is entered
//                                         void segments_block(unsigned function, unsigned frame, unsigned block)
//                                                            block is END where it returns
//   test-segments count IN.bc <LOG    LOG has the arguments of the second: prints "NAME: NUMBER of ALL" for each
//   segment
//                                     that was passed through, and "NAME: ALL" for each function
//
// Paths are enumerated and looked up, and not added up as trace_paths.c does.
#include <llvm-c/BitWriter.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "instrument/edges.h"
#include "instrument/markers.h"
#include "instrument/module.h"

enum { END = UINT32_MAX };

// --- the log -------------------------------------------------------------------------------------

static void log_function(LLVMModuleRef module, const struct markers *m, uint32_t number)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef i32 = LLVMInt32TypeInContext(context), three[] = {i32, i32, i32};
	LLVMTypeRef enters = LLVMFunctionType(i32, NULL, 0, 0),
		    comes = LLVMFunctionType(LLVMVoidTypeInContext(context), three, 3, 0);
	LLVMValueRef enter = LLVMGetNamedFunction(module, "segments_enter"),
		     block = LLVMGetNamedFunction(module, "segments_block");
	if (!enter)
		enter = LLVMAddFunction(module, "segments_enter", enters);
	if (!block)
		block = LLVMAddFunction(module, "segments_block", comes);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMMetadataRef line = LLVMDIBuilderCreateDebugLocation(context, 0, 0, LLVMGetSubprogram(m->function), NULL);
	LLVMSetCurrentDebugLocation2(builder, line);
	LLVMPositionBuilderBefore(builder, edges_first_instruction(LLVMGetEntryBasicBlock(m->function)));
	LLVMValueRef frame = LLVMBuildCall2(builder, enters, enter, NULL, 0, "");
	for (uint32_t n = 0; n < m->flow->n; n++) {
		if (source_node_of(m->flow, m->flow->v[n].block) != n)
			continue;
		LLVMValueRef first = edges_first_instruction(m->flow->v[n].block);
		LLVMPositionBuilderBefore(builder, first == frame ? LLVMGetNextInstruction(first) : first);
		LLVMValueRef args[] = {LLVMConstInt(i32, number, 0), frame, LLVMConstInt(i32, n, 0)};
		LLVMBuildCall2(builder, comes, block, args, 3, "");
		if (!LLVMIsAReturnInst(m->flow->v[n].end))
			continue;
		args[2] = LLVMConstInt(i32, END, 0);
		LLVMPositionBuilderBefore(builder, m->flow->v[n].end);
		LLVMBuildCall2(builder, comes, block, args, 3, "");
	}
	LLVMDisposeBuilder(builder);
}

// --- all paths -----------------------------------------------------------------------------------

struct path {
	uint32_t *nodes, n;
};

struct paths {
	struct path *v;
	uint32_t n;
	bool *passed;
	struct path now; // of the enumeration
};

static void push(struct path *p, uint32_t node)
{
	p->nodes = mem_resize(p->nodes, (p->n + 1) * sizeof *p->nodes);
	p->nodes[p->n++] = node;
}

static void keep(struct paths *all)
{
	all->v = mem_resize(all->v, (all->n + 1) * sizeof *all->v);
	all->v[all->n] = (struct path){mem_alloc(all->now.n * sizeof(uint32_t)), all->now.n};
	memcpy(all->v[all->n++].nodes, all->now.nodes, all->now.n * sizeof(uint32_t));
}

// The paths that begin with what is there now. The node where one ends is a part of it when it is a marker.
static void enumerate(struct paths *all, const struct markers *m, uint32_t node)
{
	const struct source_node *v = &m->flow->v[node];
	push(&all->now, node);
	if (v->n == 0 || v->computed)
		keep(all);
	for (uint32_t k = 0; k < v->n && !v->computed; k++) {
		if (!m->marker_of[v->edges[k].to]) {
			enumerate(all, m, v->edges[k].to);
			continue;
		}
		push(&all->now, v->edges[k].to);
		keep(all);
		all->now.n--;
	}
	all->now.n--;
}

static void finish_path(struct paths *all, const struct path *p)
{
	for (uint32_t i = 0; i < all->n; i++)
		if (all->v[i].n == p->n && memcmp(all->v[i].nodes, p->nodes, p->n * sizeof *p->nodes) == 0) {
			all->passed[i] = true;
			return;
		}
	printf("no such path\n");
	exit(1);
}

// --- the run -------------------------------------------------------------------------------------

// Control came to a block; `p` is where it was.
static void come(struct paths *all, const struct markers *m, struct path *p, uint32_t first)
{
	const struct source_node *last = p->n ? &m->flow->v[p->nodes[p->n - 1]] : NULL;
	uint32_t node = first;
	if (first == END) {
		finish_path(all, p);
		return;
	}
	if (last && last->computed) {
		finish_path(all, p);
		p->n = 0;
	} else if (last) {
		uint32_t k = 0;
		while (k < last->n && m->flow->v[last->edges[k].to].block != m->flow->v[first].block)
			k++;
		if (k == last->n) {
			printf("no edge leads there\n");
			exit(1);
		}
		node = last->edges[k].to;
	}
	push(p, node);
	if (m->marker_of[node] && p->n > 1) {
		finish_path(all, p);
		p->n = 0;
		push(p, node);
	}
	if (m->flow->v[node].n == 0 && !LLVMIsAReturnInst(m->flow->v[node].end))
		finish_path(all, p);
}

static void count(const struct markers_table *t)
{
	struct paths *all = mem_zero(t->n * sizeof *all);
	struct path *frames = NULL;
	uint32_t n_frames = 0, entry[3];
	for (size_t f = 0; f < t->n; f++) {
		for (uint32_t k = 0; k < t->v[f]->n; k++)
			enumerate(&all[f], t->v[f], t->v[f]->v[k].node);
		all[f].passed = mem_zero(all[f].n + 1);
	}
	while (fread(entry, sizeof entry, 1, stdin) == 1) {
		for (; n_frames <= entry[1]; n_frames++) {
			if (n_frames % 4096 == 0)
				frames = mem_resize(frames, (n_frames + 4096) * sizeof *frames);
			frames[n_frames] = (struct path){0};
		}
		come(&all[entry[0]], t->v[entry[0]], &frames[entry[1]], entry[2]);
	}
	for (size_t f = 0; f < t->n; f++) {
		const char *name = LLVMGetValueName2(t->v[f]->function, &(size_t){0});
		printf("%s: %u\n", name, all[f].n);
		for (uint32_t i = 0; i < all[f].n; i++)
			if (all[f].passed[i])
				printf("%s: %u of %u\n", name, i, all[f].n);
	}
}

int main(int argc, char **argv)
{
	struct module m;
	struct err err;
	struct markers_table t;
	module_setup();
	if (argc < 3 || module_load(&m, argv[2], &err) < 0) {
		printf("failed: %s\n", argc < 3 ? "two arguments" : err.text);
		return 1;
	}
	markers_find(&t, m.module);
	if (strcmp(argv[1], "count") == 0) {
		count(&t);
		return 0;
	}
	for (size_t f = 0; f < t.n; f++)
		log_function(m.module, t.v[f], (uint32_t)f);
	return LLVMWriteBitcodeToFile(m.module, argv[3]) != 0;
}
