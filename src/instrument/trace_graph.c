// The graph of a unit for strategies (abi/graph.h): made of the code as clang left it, in which conditions and loops
// are as they were written, before any pass. Checks that clang adds are none of the program's: they do not decide
// anything here, and what is behind them follows at once.
#include <assert.h>

#include "abi/graph.h"

#include "abi/cover.h"
#include "base/buf.h"
#include "base/mem.h"
#include "instrument/condition.h"
#include "instrument/flow.h"
#include "instrument/tracer.h"

enum { NONE = FLOW_NONE };

struct graph_plan {
	struct module *module;
	const struct cover_plan *cover;
	struct buf functions;
	struct strv names;
	struct label_map by_function; // number of its name, plus 1
	uint32_t n_functions, n_points;
	struct label_map points; // what ends a block, or calls; to number + 1
	struct label_map calls;  // blocks with calls to the outside, likewise
};

struct function {
	struct graph_plan *plan;
	struct flow flow;
};

static uint32_t name_number(struct graph_plan *p, LLVMValueRef function)
{
	uintptr_t known = (uintptr_t)label_map_get(&p->by_function, function);
	if (known)
		return (uint32_t)known - 1;
	const char *name = LLVMGetValueName2(function, &(size_t){0});
	strv_push(&p->names, name + (name[0] == 1));
	label_map_set(&p->by_function, function, (void *)p->names.n);
	return (uint32_t)p->names.n - 1;
}

// --- points of decision -----------------------------------------------------------------------------

static bool calls_outside(LLVMBasicBlockRef block)
{
	LLVMValueRef i = LLVMGetFirstInstruction(block);
	while (i && !condition_outside(i))
		i = LLVMGetNextInstruction(i);
	return i != NULL;
}

static void number_points(struct function *f)
{
	struct graph_plan *p = f->plan;
	for (uint32_t b = 0; b < f->flow.n; b++) {
		struct flow_block *v = &f->flow.v[b];
		if (v->end && trace_cover_decides(p->cover, v->end)) {
			v->point = p->n_points++;
			label_map_set(&p->points, v->end, (void *)(uintptr_t)p->n_points);
		}
		if (calls_outside(v->block)) {
			v->call = p->n_points++;
			label_map_set(&p->calls, LLVMBasicBlockAsValue(v->block), (void *)(uintptr_t)p->n_points);
		}
	}
}

// --- loops ----------------------------------------------------------------------------------------

// Where the straight way to the block starts.
static uint32_t head_of(const struct function *f, uint32_t b)
{
	while (f->flow.v[b].n_preds == 1 && f->flow.v[f->flow.v[b].preds[0]].point == NONE &&
	       f->flow.v[b].preds[0] != b)
		b = f->flow.v[b].preds[0];
	return b;
}

// Does the block, which ends with a branch, decide whether the loop goes on: at its start, or where it would start
// over?
static bool decides_loop(const struct function *f, uint32_t b, uint32_t loop, bool *ret_stays)
{
	if (!flow_in_loop(&f->flow, loop, b) || !module_branches(f->flow.v[b].end))
		return false;
	uint32_t yes = flow_successor(&f->flow, b, 0), no = flow_successor(&f->flow, b, 1),
		 header = f->flow.headers[loop];
	bool yes_stays = yes != NONE && flow_in_loop(&f->flow, loop, yes);
	bool no_stays = no != NONE && flow_in_loop(&f->flow, loop, no);
	*ret_stays = yes_stays;
	return yes_stays != no_stays && (head_of(f, b) == header || yes == header || no == header);
}

static unsigned loop_flags(const struct function *f, uint32_t b)
{
	unsigned flags = 0;
	for (uint32_t l = 0; l < f->flow.n_headers; l++) {
		bool stays = false;
		if (decides_loop(f, b, l, &stays))
			flags |= GRAPH_LOOP | (stays ? GRAPH_STAYS : 0);
		else if (flow_in_loop(&f->flow, l, b))
			flags |= GRAPH_BODY;
	}
	return flags;
}

// --- what comes next ------------------------------------------------------------------------------

struct reached {
	uint32_t *points, n_points;
	uint32_t *names, n_names;
};

static void add_once(uint32_t **v, uint32_t *n, uint32_t what)
{
	for (uint32_t i = 0; i < *n; i++)
		if ((*v)[i] == what)
			return;
	*v = mem_resize(*v, (*n + 1) * sizeof **v);
	(*v)[(*n)++] = what;
}

static void add_calls(struct function *f, uint32_t b, struct reached *r)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(f->flow.v[b].block); i; i = LLVMGetNextInstruction(i)) {
		LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
		if (callee && LLVMIsAFunction(callee) && !LLVMGetIntrinsicID(callee))
			add_once(&r->names, &r->n_names, name_number(f->plan, callee));
	}
}

static struct reached reach(struct function *f, uint32_t from)
{
	struct reached r = {0};
	uint32_t depth = 0;
	for (uint32_t b = 0; b < f->flow.n; b++)
		f->flow.v[b].seen = false;
	if (from != NONE) {
		f->flow.v[from].seen = true;
		f->flow.stack[depth++] = from;
	}
	while (depth) {
		uint32_t b = f->flow.stack[--depth];
		add_calls(f, b, &r);
		if (f->flow.v[b].point != NONE) {
			add_once(&r.points, &r.n_points, f->flow.v[b].point);
			continue;
		}
		for (unsigned k = 0; k < flow_successors(&f->flow, b); k++) {
			uint32_t to = flow_successor(&f->flow, b, k);
			if (to != NONE && !f->flow.v[to].seen) {
				f->flow.v[to].seen = true;
				f->flow.stack[depth++] = to;
			}
		}
	}
	return r;
}

static void describe_next(struct function *f, struct buf *out, uint32_t from)
{
	struct reached r = reach(f, from);
	buf_number(out, r.n_points);
	for (uint32_t i = 0; i < r.n_points; i++)
		buf_number(out, r.points[i]);
	buf_number(out, r.n_names);
	for (uint32_t i = 0; i < r.n_names; i++)
		buf_number(out, r.names[i]);
	mem_free(r.points);
	mem_free(r.names);
}

// --- points ---------------------------------------------------------------------------------------

static void describe_edge(struct function *f, struct buf *out, uint32_t byte, unsigned way, uint32_t to)
{
	buf_number(out, byte == NONE ? 0 : byte + 1);
	buf_number(out, way);
	describe_next(f, out, to);
}

// Whether the k-th successor of a switch is an edge: a place that has a counter, and comes for the first time.
static bool is_target(const struct function *f, LLVMValueRef end, unsigned k)
{
	assert(LLVMIsASwitchInst(end) && k < LLVMGetNumSuccessors(end));
	LLVMBasicBlockRef target = LLVMGetSuccessor(end, k);
	unsigned first = 0;
	while (LLVMGetSuccessor(end, first) != target)
		first++;
	return first == k && trace_cover_target(f->plan->cover, target) != NONE;
}

static void describe_targets(struct function *f, struct buf *out, uint32_t b)
{
	LLVMValueRef end = f->flow.v[b].end;
	unsigned n = 0, all = LLVMGetNumSuccessors(end);
	for (unsigned k = 0; k < all; k++)
		n += is_target(f, end, k);
	buf_number(out, n);
	for (unsigned k = 0; k < all; k++)
		if (is_target(f, end, k))
			describe_edge(f, out, trace_cover_target(f->plan->cover, LLVMGetSuccessor(end, k)), k,
			              flow_successor(&f->flow, b, k));
}

// The edge of `from` that the block is on, in the order in which they are described; NONE: on no certain one.
static uint32_t edge_to(struct function *f, uint32_t from, uint32_t to)
{
	LLVMValueRef end = f->flow.v[from].end;
	assert(f->flow.v[to].n_preds == 1);
	if (!LLVMIsASwitchInst(end)) {
		uint32_t yes = flow_successor(&f->flow, from, 0), no = flow_successor(&f->flow, from, 1);
		return yes == no ? NONE : yes == to ? 1 : 0;
	}
	uint32_t n = 0;
	for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
		if (!is_target(f, end, k))
			continue;
		if (LLVMGetSuccessor(end, k) == f->flow.v[to].block)
			return n;
		n++;
	}
	return NONE;
}

// The nearest edge that all ways to the block come by.
static uint32_t dominating_edge(struct function *f, uint32_t b, uint32_t *ret_edge)
{
	for (; b && f->flow.v[b].dominator != NONE; b = f->flow.v[b].dominator) {
		uint32_t from = f->flow.v[b].dominator;
		if (f->flow.v[b].n_preds != 1 || f->flow.v[from].point == NONE)
			continue;
		*ret_edge = edge_to(f, from, b);
		if (*ret_edge != NONE)
			return from;
	}
	return NONE;
}

// Is it decided elsewhere whether control comes to the block? To have left a loop decides nothing.
static bool is_nested(struct function *f, uint32_t b)
{
	uint32_t edge = 0;
	for (uint32_t from; (from = dominating_edge(f, b, &edge)) != NONE; b = from) {
		unsigned flags = loop_flags(f, from);
		bool stays = ((flags & GRAPH_STAYS) != 0) == (edge == 1);
		if (!(flags & GRAPH_LOOP) || stays)
			return true;
	}
	return false;
}

static void describe_point(struct function *f, struct buf *out, uint32_t b, enum graph_kind kind, unsigned flags)
{
	uint32_t edge = 0, from = dominating_edge(f, b, &edge);
	flags |= loop_flags(f, b) | (is_nested(f, b) ? GRAPH_NESTED : 0);
	if (kind == GRAPH_CALL)
		flags &= ~(unsigned)(GRAPH_LOOP | GRAPH_STAYS);
	assert((kind == GRAPH_CALL ? f->flow.v[b].call : f->flow.v[b].point) != NONE && from != b);
	buf_number(out, kind);
	buf_number(out, flags);
	buf_number(out, from == NONE ? 0 : f->flow.v[from].point + 1);
	buf_number(out, from == NONE ? 0 : edge);
}

static void describe_results(struct function *f, struct buf *out, const struct value_list *results)
{
	buf_number(out, results->n);
	for (size_t i = 0; i < results->n; i++)
		buf_number(out, name_number(f->plan, results->v[i]));
}

static void describe_decision(struct function *f, struct buf *out, uint32_t b)
{
	LLVMValueRef end = f->flow.v[b].end;
	struct condition c = condition_of(end);
	bool chooses = LLVMIsASwitchInst(end);
	describe_point(f, out, b, chooses ? GRAPH_SWITCH : GRAPH_BRANCH, c.flags);
	describe_results(f, out, &c.results);
	mem_free(c.results.v);
	if (chooses) {
		describe_targets(f, out, b);
		return;
	}
	uint32_t byte = trace_cover_branch(f->plan->cover, end);
	assert(byte != NONE); // trace_cover_decides() says so of every point
	buf_number(out, 2);
	describe_edge(f, out, byte, 0, flow_successor(&f->flow, b, 1));
	describe_edge(f, out, byte + 1, 1, flow_successor(&f->flow, b, 0));
}

// The results of calls are what is decided there.
static void describe_call(struct function *f, struct buf *out, uint32_t b)
{
	struct value_list outside = {0};
	for (LLVMValueRef i = LLVMGetFirstInstruction(f->flow.v[b].block); i; i = LLVMGetNextInstruction(i))
		if (condition_outside(i))
			value_list_push(&outside, LLVMGetCalledValue(i));
	describe_point(f, out, b, GRAPH_CALL, 0);
	describe_results(f, out, &outside);
	mem_free(outside.v);
	buf_number(out, 1);
	describe_edge(f, out, NONE, 0, b);
}

static void describe_function(struct graph_plan *p, LLVMValueRef function)
{
	struct function f = {.plan = p};
	LLVMLinkage linkage = LLVMGetLinkage(function);
	flow_init(&f.flow, function);
	uint32_t before = p->n_points;
	number_points(&f);
	buf_number(&p->functions, name_number(p, function));
	buf_number(&p->functions, linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage);
	describe_next(&f, &p->functions, 0);
	buf_number(&p->functions, p->n_points - before);
	for (uint32_t b = 0; b < f.flow.n; b++) { // as they are numbered
		if (f.flow.v[b].point != NONE)
			describe_decision(&f, &p->functions, b);
		if (f.flow.v[b].call != NONE)
			describe_call(&f, &p->functions, b);
	}
	assert(p->n_points >= before);
	p->n_functions++;
	flow_release(&f.flow);
}

// --- the unit -------------------------------------------------------------------------------------

struct graph_plan *trace_graph_plan(struct module *m, const struct cover_plan *cover)
{
	struct graph_plan *p = mem_zero(sizeof *p);
	p->module = m;
	p->cover = cover;
	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f))
		if (trace_cover_has(f))
			describe_function(p, f);
	return p;
}

// Passes may have made other instructions of these calls.
void trace_graph_name_calls(struct graph_plan *p)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(p->module->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
			void *point = label_map_get(&p->calls, LLVMBasicBlockAsValue(b));
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); point && i; i = LLVMGetNextInstruction(i))
				if (condition_outside(i))
					label_map_set(&p->points, i, point);
		}
}

uint64_t trace_graph_point(const struct graph_plan *p, LLVMValueRef at)
{
	uint32_t number = trace_graph_number(p, at);
	return number ? graph_name(p->module->hash.low, number - 1) : 0;
}

uint32_t trace_graph_number(const struct graph_plan *p, LLVMValueRef at)
{
	return (uint32_t)(uintptr_t)label_map_get(&p->points, at);
}

void trace_graph_record(const struct graph_plan *p, struct buf *out)
{
	struct buf rest = {0};
	buf_number(&rest, p->names.n);
	for (size_t i = 0; i < p->names.n; i++)
		buf_text(&rest, p->names.v[i]);
	buf_number(&rest, p->n_functions);
	buf_add(&rest, p->functions.data, p->functions.len);
	const struct cover_sites head = {
		.magic = GRAPH_MAGIC, .unit = p->module->hash.low, .count = p->n_points, .size = (uint32_t)rest.len};
	buf_add(out, &head, sizeof head);
	buf_add(out, rest.data, rest.len);
	buf_release(&rest);
}

void trace_graph_free(struct graph_plan *p)
{
	buf_release(&p->functions);
	strv_release(&p->names);
	mem_free(p->by_function.slots);
	mem_free(p->points.slots);
	mem_free(p->calls.slots);
	mem_free(p);
}
