// Counters of segments (markers.h): a byte for each, set when a run has passed through it, and a count of all that a
// run passed through.
//
// Paths are numbered by Ball and Larus' scheme: a register begins with the number of a marker's first segment, the
// edges on which paths part add to it, and where the segment ends it is the number of the path's byte.
//
//        r = base              entry, or what follows a marker
//      /        \              each node knows how many paths lead from it; what an edge adds is the sum of those of
//     .       r += 3           the edges before it
//    / \        |
//   . r += 2    .
//    \ /        |
//     byte[r] = 1; r = base'   a marker, or where control leaves the function
//
// A run that begins at a marker tells the trace where its first segment ends (EVENT_MARKER): the upper half of the
// register is 1 until then; 2 when what comes next is the marker itself.
//
// In two steps, as trace_cover.c. What is inserted before instrumentation are calls that the instrumenter leaves alone;
// they become code when it is done, so that the register has no label.
#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "abi/cover.h"
#include "base/mem.h"
#include "base/text.h"
#include "instrument/edges.h"
#include "instrument/infeasible.h"
#include "instrument/markers.h"
#include "instrument/tracer.h"

enum operation { SET, ADD, TURN, PASS, END, SAVE, RESTORE, ENTER, OPERATIONS };
static const char *const operation_names[] = {"__veer_h_path_set",     "__veer_h_path_add",  "__veer_h_path_turn",
                                              "__veer_h_path_pass",    "__veer_h_path_end",  "__veer_h_path_save",
                                              "__veer_h_path_restore", "__veer_h_path_enter"};

struct turn { // what a branch adds
	uint32_t yes, no;
};

struct paths_plan {
	const struct markers_table *markers;
	struct infeasible *infeasible; // as many as there are functions with markers
	struct label_map firsts;       // functions with segments: number of the first byte, plus 1
	struct label_map adds;         // blocks: what is added there
	struct label_map turns;        // what ends a block: its number among `turn`, plus 1
	struct label_map ends;         // what ends a block at which control leaves the function, to 1
	struct label_map stops;        // likewise, blocks whose own end is a check
	struct turn *turn;
	size_t n_turns;
	LLVMValueRef functions[OPERATIONS];
};

struct paths_plan *trace_paths_plan(const struct markers_table *markers)
{
	struct paths_plan *p = mem_zero(sizeof *p);
	p->markers = markers;
	p->infeasible = mem_zero((markers->n + 1) * sizeof *p->infeasible);
	for (size_t f = 0; f < markers->n; f++) // before anybody changes the code
		infeasible_find(markers->v[f], &p->infeasible[f]);
	return p;
}

void trace_paths_free(struct paths_plan *p)
{
	for (size_t f = 0; f < p->markers->n; f++)
		infeasible_release(&p->infeasible[f]);
	mem_free(p->infeasible);
	mem_free(p->firsts.slots);
	mem_free(p->adds.slots);
	mem_free(p->turns.slots);
	mem_free(p->ends.slots);
	mem_free(p->stops.slots);
	mem_free(p->turn);
	mem_free(p);
}

// --- what the edges add ------------------------------------------------------------------------

static uint32_t paths_behind(const struct markers *m, uint32_t node)
{
	return m->marker_of[node] ? 1 : m->paths[node];
}

// Whether edges of the switch could be made places of their own: no value depends on where control came from.
static bool can_add(const struct markers *m)
{
	for (uint32_t n = 0; n < m->flow->n; n++) {
		const struct source_node *v = &m->flow->v[n];
		for (uint32_t k = 0; k < v->n && v->n > 1 && !v->computed; k++)
			if (!module_branches(v->end) &&
			    (!LLVMIsASwitchInst(v->end) ||
			     LLVMIsAPHINode(LLVMGetFirstInstruction(m->flow->v[v->edges[k].to].block))))
				return false;
	}
	return true;
}

// A block in which control is on its way from the switch to the node, and nowhere else. Others than the switch may come
// to a marker later.
static LLVMBasicBlockRef way_to(const struct markers *m, LLVMValueRef end, const struct source_edge *e)
{
	assert(e->successor < LLVMGetNumSuccessors(end));
	LLVMBasicBlockRef now = LLVMGetSuccessor(end, e->successor);
	bool made = now != m->flow->v[e->to].block; // by trace_cover.c
	if (made || (!m->marker_of[e->to] && edges_only_from(now, end)))
		return now;
	return edges_make_way(end, now);
}

static void plan_switch(struct paths_plan *p, const struct markers *m, const struct source_node *v)
{
	uint32_t sum = 0;
	assert(LLVMIsASwitchInst(v->end)); // can_add has seen to it
	for (uint32_t k = 0; k < v->n; k++) {
		if (sum)
			label_map_set(&p->adds, LLVMBasicBlockAsValue(way_to(m, v->end, &v->edges[k])),
			              (void *)(uintptr_t)sum);
		sum += paths_behind(m, v->edges[k].to);
	}
}

static void plan_branch(struct paths_plan *p, const struct markers *m, const struct source_node *v)
{
	uint32_t first = paths_behind(m, v->edges[0].to);
	bool straight = v->edges[0].successor == 0;
	assert(v->n == 2 && v->edges[1].successor == straight);
	p->turn = mem_resize(p->turn, (p->n_turns + 1) * sizeof *p->turn);
	p->turn[p->n_turns++] = (struct turn){straight ? 0 : first, straight ? first : 0};
	label_map_set(&p->turns, v->end, (void *)p->n_turns);
}

static void plan_node(struct paths_plan *p, const struct markers *m, const struct source_node *v)
{
	if (v->n == 0 && site_is_sanitizer(v->end))
		label_map_set(&p->stops, LLVMBasicBlockAsValue(v->block), (void *)1);
	else if (v->n == 0)
		label_map_set(&p->ends, v->end, (void *)1);
	else if (v->n > 1 && !v->computed && module_branches(v->end))
		plan_branch(p, m, v);
	else if (v->n > 1 && !v->computed)
		plan_switch(p, m, v);
}

// --- the table ---------------------------------------------------------------------------------

// The nodes that are described: markers, and those with lines, or where paths part or end.
struct described {
	const struct markers *m;
	struct buf *lines; // of each node
	uint32_t *n_lines;
	uint32_t *number; // in the table
};

static bool is_described(const struct described *t, uint32_t node)
{
	const struct source_node *v = &t->m->flow->v[node];
	return t->m->marker_of[node] || t->n_lines[node] || v->n != 1 || v->computed;
}

static uint32_t next_described(const struct described *t, uint32_t node)
{
	while (!is_described(t, node))
		node = t->m->flow->v[node].edges[0].to;
	return t->number[node];
}

static void describe_node(const struct described *t, uint32_t node, const struct paths_source *source,
                          struct buf *items)
{
	const struct source_node *v = &t->m->flow->v[node];
	const struct marker *marker = t->m->marker_of[node] ? &t->m->v[t->m->marker_of[node] - 1] : NULL;
	buf_number(items, t->m->marker_of[node]);
	if (marker) {
		buf_number(items, marker->kind);
		buf_number(items, source->file(source->opaque, marker->scope));
		buf_number(items, marker->line);
		buf_number(items, marker->column);
	}
	buf_number(items, t->n_lines[node]);
	buf_add(items, t->lines[node].data, t->lines[node].len);
	buf_number(items, v->computed);
	buf_number(items, v->n);
	for (uint32_t k = 0; k < v->n; k++)
		buf_number(items, next_described(t, v->edges[k].to));
	if (v->n > 1)
		buf_number(items, source->point(source->opaque, v->end));
}

// Each as its distance from the one before.
static void describe_numbers(const uint32_t *v, uint32_t n, struct buf *items)
{
	buf_number(items, n);
	for (uint32_t i = 0; i < n; i++)
		buf_number(items, v[i] - (i ? v[i - 1] + 1 : 0));
}

static void describe(const struct markers *m, const struct paths_source *source, struct buf *items)
{
	uint32_t all = m->flow->n, n = 0;
	struct described t = {m, mem_zero(all * sizeof *t.lines), mem_zero(all * sizeof *t.n_lines),
	                      mem_zero(all * sizeof *t.number)};
	for (uint32_t node = 0; node < all; node++)
		t.n_lines[node] = source->lines(source->opaque, m->flow->v[node].block, &t.lines[node]);
	for (uint32_t i = 0; i < all; i++)
		if (is_described(&t, m->order[i]))
			t.number[m->order[i]] = n++;
	buf_number(items, COVER_PATHS);
	buf_number(items, m->segments);
	buf_number(items, n);
	for (uint32_t i = 0; i < all; i++)
		if (is_described(&t, m->order[i]))
			describe_node(&t, m->order[i], source, items);
	for (uint32_t node = 0; node < all; node++)
		buf_release(&t.lines[node]);
	mem_free(t.lines);
	mem_free(t.n_lines);
	mem_free(t.number);
}

uint32_t trace_paths_count(const struct paths_plan *p, LLVMValueRef function)
{
	const struct markers *m = markers_of(p->markers, function);
	return m && can_add(m) ? m->segments : 0;
}

void trace_paths_describe(struct paths_plan *p, LLVMValueRef function, uint32_t first,
                          const struct paths_source *source, struct buf *items)
{
	const struct markers *m = markers_of(p->markers, function);
	label_map_set(&p->firsts, function, (void *)((uintptr_t)first + 1));
	size_t number = (size_t)label_map_get(&p->markers->by_function, function) - 1;
	describe(m, source, items);
	const struct infeasible *of = &p->infeasible[number];
	describe_numbers(of->v, of->n, items);
	describe_numbers(of->unprovable, of->n_unprovable, items);
	for (uint32_t n = 0; n < m->flow->n; n++)
		plan_node(p, m, &m->flow->v[n]);
}

// --- before instrumentation --------------------------------------------------------------------

struct inserter {
	struct paths_plan *plan;
	LLVMBuilderRef builder;
	LLVMTypeRef i1, i64;
	struct label_map markers; // blocks of the function in hand, to number + 1
};

static LLVMValueRef call(struct inserter *in, enum operation op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
	LLVMValueRef args[] = {a, b, c}, callee = in->plan->functions[op];
	LLVMTypeRef type = LLVMGlobalGetValueType(callee);
	LLVMSetCurrentDebugLocation2(in->builder, NULL);
	return LLVMBuildCall2(in->builder, type, callee, args, LLVMCountParamTypes(type), "");
}

static LLVMValueRef constant(struct inserter *in, uint64_t value)
{
	return LLVMConstInt(in->i64, value, 0);
}

static void declare(struct inserter *in, LLVMModuleRef module)
{
	LLVMTypeRef params[OPERATIONS][3] = {
		[SET] = {in->i64},  [ADD] = {in->i64},     [TURN] = {in->i1, in->i64, in->i64},
		[PASS] = {in->i64}, [RESTORE] = {in->i64}, [ENTER] = {in->i64}};
	LLVMTypeRef nothing = LLVMVoidTypeInContext(LLVMGetModuleContext(module));
	for (int op = 0; op < OPERATIONS; op++) {
		unsigned n = 0;
		while (n < 3 && params[op][n])
			n++;
		LLVMTypeRef type = LLVMFunctionType(op == SAVE ? in->i64 : nothing, params[op], n, 0);
		in->plan->functions[op] = LLVMAddFunction(module, operation_names[op], type);
	}
}

static bool is_of_program(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &(size_t){0}) : "";
	return !text_starts(name, "llvm.") && !text_starts(name, "__veer_") && !text_starts(name, "__asan_");
}

// Where the last segment of a function ends. When it does not return: before the call that does not; for the check of
// unreachable code clang takes `noreturn` from it, so it is the last one.
static LLVMValueRef last_place(LLVMValueRef end)
{
	for (LLVMValueRef i = LLVMIsAReturnInst(end) ? NULL : end; i; i = LLVMGetPreviousInstruction(i))
		if (LLVMIsACallInst(i) && is_of_program(i))
			return i;
	return end;
}

// A second return finds the register as it was at the first one.
static void keep_over(struct inserter *in, LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (!LLVMIsACallInst(i) || !markers_returns_twice(i))
			continue;
		LLVMPositionBuilderBefore(in->builder, i);
		LLVMValueRef kept = call(in, SAVE, NULL, NULL, NULL);
		LLVMPositionBuilderBefore(in->builder, next);
		call(in, RESTORE, kept, NULL, NULL);
	}
}

// Where a run enters (fragment.c).
static void mark_entry(struct inserter *in, LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
		LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
		if (!callee || !LLVMIsAFunction(callee) ||
		    strcmp(LLVMGetValueName2(callee, &(size_t){0}), "__veer_f_enter") != 0)
			continue;
		LLVMPositionBuilderBefore(in->builder, i);
		bool at_marker = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2)) != 0;
		call(in, ENTER, constant(in, at_marker ? 2 : 1), NULL, NULL);
		return;
	}
}

static void insert_block(struct inserter *in, const struct markers *m, uint64_t first, LLVMBasicBlockRef block)
{
	struct paths_plan *p = in->plan;
	LLVMValueRef value = LLVMBasicBlockAsValue(block), end = LLVMGetBasicBlockTerminator(block);
	uintptr_t marker = (uintptr_t)label_map_get(&in->markers, value),
		  add = (uintptr_t)label_map_get(&p->adds, value);
	LLVMPositionBuilderBefore(in->builder, edges_first_instruction(block));
	if (marker)
		call(in, marker == 1 ? SET : PASS, constant(in, first + m->v[marker - 1].base), NULL, NULL);
	if (add)
		call(in, ADD, constant(in, add), NULL, NULL);
	uintptr_t turn = (uintptr_t)label_map_get(&p->turns, end);
	if (turn && module_branches(end)) {
		LLVMPositionBuilderBefore(in->builder, end);
		call(in, TURN, LLVMGetCondition(end), constant(in, p->turn[turn - 1].yes),
		     constant(in, p->turn[turn - 1].no));
	}
	if (label_map_get(&p->ends, end) || label_map_get(&p->stops, value)) {
		LLVMPositionBuilderBefore(in->builder, last_place(end));
		call(in, END, NULL, NULL, NULL);
	}
}

void trace_paths_insert(struct paths_plan *p, LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	struct inserter in = {.plan = p,
	                      .builder = LLVMCreateBuilderInContext(context),
	                      .i1 = LLVMInt1TypeInContext(context),
	                      .i64 = LLVMInt64TypeInContext(context)};
	declare(&in, module);
	for (size_t f = 0; f < p->markers->n; f++) {
		const struct markers *m = p->markers->v[f];
		uintptr_t first = (uintptr_t)label_map_get(&p->firsts, m->function);
		for (uint32_t k = 0; k < m->n && first; k++)
			label_map_set(&in.markers, LLVMBasicBlockAsValue(m->v[k].block), (void *)((uintptr_t)k + 1));
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(m->function); b && first;
		     b = LLVMGetNextBasicBlock(b)) {
			insert_block(&in, m, first - 1, b);
			mark_entry(&in, b);
			keep_over(&in, b);
		}
		mem_free(in.markers.slots);
		in.markers = (struct label_map){0};
	}
	LLVMDisposeBuilder(in.builder);
}

// --- after it ----------------------------------------------------------------------------------

struct finisher {
	LLVMBuilderRef builder;
	LLVMTypeRef i8, i64;
	LLVMValueRef pages;
	LLVMValueRef passed;        // the helper
	struct label_map registers; // by function
};

// A variable of the function, which becomes a register; it begins with the byte that stands for no segment.
static LLVMValueRef variable(struct finisher *f, LLVMValueRef function)
{
	LLVMValueRef known = label_map_get(&f->registers, function);
	if (known)
		return known;
	LLVMPositionBuilderBefore(f->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
	known = LLVMBuildAlloca(f->builder, f->i64, "");
	LLVMValueRef none = LLVMConstInt(f->i64, offsetof(struct cover_segments, none), 0);
	LLVMBuildStore(f->builder, none, known);
	label_map_set(&f->registers, function, known);
	return known;
}

static void add_to(struct finisher *f, LLVMValueRef r, LLVMValueRef value)
{
	LLVMValueRef had = LLVMBuildLoad2(f->builder, f->i64, r, "");
	LLVMBuildStore(f->builder, LLVMBuildAdd(f->builder, had, value, ""), r);
}

static LLVMValueRef half(struct finisher *f, LLVMValueRef r, bool upper)
{
	return LLVMBuildAnd(f->builder, r, LLVMConstInt(f->i64, upper ? ~0ull << 32 : UINT32_MAX, 0), "");
}

// Volatile: both are seen when the program crashes on what comes next. Returns what the register was.
static LLVMValueRef pass(struct finisher *f, LLVMValueRef r)
{
	LLVMValueRef was = LLVMBuildLoad2(f->builder, f->i64, r, ""), number = half(f, was, false);
	LLVMBuildCall2(f->builder, LLVMGlobalGetValueType(f->passed), f->passed, &was, 1, "");
	LLVMValueRef byte = LLVMBuildGEP2(f->builder, f->i8, f->pages, &number, 1, "");
	LLVMSetVolatile(LLVMBuildStore(f->builder, LLVMConstInt(f->i8, 1, 0), byte), 1);
	LLVMValueRef at = LLVMConstInt(f->i64, offsetof(struct cover_segments, passed), 0);
	LLVMValueRef count = LLVMConstInBoundsGEP2(f->i8, f->pages, &at, 1);
	LLVMValueRef had = LLVMBuildLoad2(f->builder, f->i64, count, "");
	LLVMSetVolatile(had, 1);
	LLVMValueRef sum = LLVMBuildAdd(f->builder, had, LLVMConstInt(f->i64, 1, 0), "");
	LLVMSetVolatile(LLVMBuildStore(f->builder, sum, count), 1);
	return was;
}

static LLVMValueRef number(struct finisher *f, LLVMValueRef call, unsigned k)
{
	uint64_t byte = LLVMConstIntGetZExtValue(LLVMGetOperand(call, k));
	return LLVMConstInt(f->i64, sizeof(struct cover_segments) + byte, 0);
}

// A segment begins; the run's first one goes on to be that as far as `entered` says so.
static void begin(struct finisher *f, LLVMValueRef r, LLVMValueRef call, LLVMValueRef entered)
{
	LLVMBuildStore(f->builder, LLVMBuildOr(f->builder, half(f, entered, true), number(f, call, 0), ""), r);
}

static void replace(struct finisher *f, enum operation op, LLVMValueRef call)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
	LLVMSetCurrentDebugLocation2(f->builder, NULL);
	LLVMValueRef r = variable(f, function);
	LLVMPositionBuilderBefore(f->builder, call);
	switch (op) {
	case PASS: begin(f, r, call, LLVMBuildLShr(f->builder, pass(f, r), LLVMConstInt(f->i64, 1, 0), "")); break;
	case SET: begin(f, r, call, LLVMBuildLoad2(f->builder, f->i64, r, "")); break;
	case ENTER:
		add_to(f, r, LLVMConstInt(f->i64, LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0)) << 32, 0));
		break;
	case ADD: add_to(f, r, LLVMGetOperand(call, 0)); break;
	case TURN:
		add_to(f, r,
		       LLVMBuildSelect(f->builder, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1),
		                       LLVMGetOperand(call, 2), ""));
		break;
	case END: pass(f, r); break;
	case SAVE: LLVMReplaceAllUsesWith(call, LLVMBuildLoad2(f->builder, f->i64, r, "")); break;
	case RESTORE: LLVMBuildStore(f->builder, LLVMGetOperand(call, 0), r); break;
	case OPERATIONS: break;
	}
	LLVMInstructionEraseFromParent(call);
}

void trace_paths_finish(struct paths_plan *p, LLVMValueRef pages)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(pages));
	struct finisher f = {.builder = LLVMCreateBuilderInContext(context),
	                     .i8 = LLVMInt8TypeInContext(context),
	                     .i64 = LLVMInt64TypeInContext(context),
	                     .pages = pages,
	                     .passed = LLVMGetNamedFunction(LLVMGetGlobalParent(pages), "__veer_h_passed")};
	assert(f.passed); // a helper
	for (int op = 0; op < OPERATIONS; op++) {
		for (LLVMUseRef use; (use = LLVMGetFirstUse(p->functions[op]));)
			replace(&f, op, LLVMGetUser(use));
		LLVMDeleteFunction(p->functions[op]);
	}
	mem_free(f.registers.slots);
	LLVMDisposeBuilder(f.builder);
}
