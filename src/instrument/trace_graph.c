// The graph of a unit for strategies (abi/graph.h): made of the code as clang left it, in which conditions and loops
// are as they were written, before any pass. Checks that clang adds are none of the program's: they do not decide
// anything here, and what is behind them follows at once.
#include "abi/graph.h"

#include <string.h>

#include "abi/cover.h"
#include "base/buf.h"
#include "base/mem.h"
#include "instrument/tracer.h"

enum { NONE = UINT32_MAX };

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

struct block {
	LLVMBasicBlockRef block;
	LLVMValueRef end;
	uint32_t *preds, n_preds;
	uint32_t order;       // when it is come to; NONE: never
	uint32_t dominator;   // the nearest one, by number; its own: the function's first
	uint32_t point, call; // numbers in the unit; NONE: it has none
	bool seen;            // scratch
};

struct function {
	struct graph_plan *plan;
	LLVMValueRef function;
	struct block *v;
	uint32_t n;
	struct label_map index; // block to number + 1
	uint32_t *ordered, n_ordered;
	uint32_t *headers, n_headers; // of loops; and who is in each
	uint8_t *bodies;              // n_headers times n
	uint32_t *stack;              // room for all blocks
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

// --- blocks ---------------------------------------------------------------------------------------

static uint32_t number_of(const struct function *f, LLVMBasicBlockRef block)
{
	return (uint32_t)(uintptr_t)label_map_get(&f->index, LLVMBasicBlockAsValue(block)) - 1;
}

// The k-th block that follows; NONE when a check of clang's leads there.
static uint32_t successor(const struct function *f, uint32_t b, unsigned k)
{
	LLVMBasicBlockRef next = LLVMGetSuccessor(f->v[b].end, k);
	return site_trap_block(next) >= 0 ? NONE : number_of(f, next);
}

static unsigned successors(const struct function *f, uint32_t b)
{
	return f->v[b].end ? LLVMGetNumSuccessors(f->v[b].end) : 0;
}

static bool is_outside(LLVMValueRef i)
{
	LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
	return callee && LLVMIsAFunction(callee) && LLVMIsDeclaration(callee) && !LLVMGetIntrinsicID(callee) &&
	       strncmp(LLVMGetValueName2(callee, &(size_t){0}), "__veer_", 7) != 0;
}

static bool is_intrinsic(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	return LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee);
}

static bool calls_outside(LLVMBasicBlockRef block)
{
	LLVMValueRef i = LLVMGetFirstInstruction(block);
	while (i && !is_outside(i))
		i = LLVMGetNextInstruction(i);
	return i != NULL;
}

static void number_points(struct function *f)
{
	struct graph_plan *p = f->plan;
	for (uint32_t b = 0; b < f->n; b++) {
		struct block *v = &f->v[b];
		v->point = v->call = NONE;
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

static void find_blocks(struct function *f)
{
	f->n = LLVMCountBasicBlocks(f->function);
	f->v = mem_zero(f->n * sizeof *f->v);
	f->stack = mem_zero(f->n * sizeof *f->stack);
	uint32_t n = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->function); b; b = LLVMGetNextBasicBlock(b)) {
		f->v[n++] = (struct block){.block = b, .end = LLVMGetBasicBlockTerminator(b), .order = NONE};
		label_map_set(&f->index, LLVMBasicBlockAsValue(b), (void *)(uintptr_t)n);
	}
	for (uint32_t b = 0; b < f->n; b++)
		for (unsigned k = 0; k < successors(f, b); k++) {
			uint32_t to = successor(f, b, k);
			if (to == NONE)
				continue;
			struct block *v = &f->v[to];
			v->preds = mem_resize(v->preds, (v->n_preds + 1) * sizeof *v->preds);
			v->preds[v->n_preds++] = b;
		}
}

// Reverse post order of what can be reached.
static void order_blocks(struct function *f)
{
	uint32_t *next = mem_zero(f->n * sizeof *next), depth = 0, n = 0;
	uint32_t *after = mem_zero(f->n * sizeof *after);
	f->v[0].seen = true;
	f->stack[depth++] = 0;
	while (depth) {
		uint32_t b = f->stack[depth - 1];
		if (next[b] == successors(f, b)) {
			after[n++] = b;
			depth--;
			continue;
		}
		uint32_t to = successor(f, b, next[b]++);
		if (to != NONE && !f->v[to].seen) {
			f->v[to].seen = true;
			f->stack[depth++] = to;
		}
	}
	f->ordered = mem_zero(n * sizeof *f->ordered);
	f->n_ordered = n;
	for (uint32_t i = 0; i < n; i++) {
		f->ordered[i] = after[n - 1 - i];
		f->v[f->ordered[i]].order = i;
	}
	mem_free(next);
	mem_free(after);
}

static uint32_t common(const struct function *f, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (f->v[a].order > f->v[b].order)
			a = f->v[a].dominator;
		while (f->v[b].order > f->v[a].order)
			b = f->v[b].dominator;
	}
	return a;
}

static void find_dominators(struct function *f)
{
	for (uint32_t b = 0; b < f->n; b++)
		f->v[b].dominator = b ? NONE : 0;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 1; i < f->n_ordered; i++) {
			struct block *v = &f->v[f->ordered[i]];
			uint32_t best = NONE;
			for (uint32_t k = 0; k < v->n_preds; k++)
				if (f->v[v->preds[k]].dominator != NONE)
					best = best == NONE ? v->preds[k] : common(f, best, v->preds[k]);
			changed |= best != v->dominator;
			v->dominator = best;
		}
	}
}

static bool dominates(const struct function *f, uint32_t a, uint32_t b)
{
	while (b != a && f->v[b].order > f->v[a].order)
		b = f->v[b].dominator;
	return a == b;
}

// --- loops ----------------------------------------------------------------------------------------

// All from which `from` is reached without coming by the header, which is among them.
static void mark_body(struct function *f, uint8_t *body, uint32_t header, uint32_t from)
{
	uint32_t depth = 0;
	body[header] = 1;
	if (!body[from]) {
		body[from] = 1;
		f->stack[depth++] = from;
	}
	while (depth) {
		const struct block *v = &f->v[f->stack[--depth]];
		for (uint32_t k = 0; k < v->n_preds; k++)
			if (!body[v->preds[k]] && f->v[v->preds[k]].order != NONE) {
				body[v->preds[k]] = 1;
				f->stack[depth++] = v->preds[k];
			}
	}
}

static void find_loops(struct function *f)
{
	for (uint32_t i = 0; i < f->n_ordered; i++) {
		uint32_t header = f->ordered[i];
		bool first = true;
		for (uint32_t k = 0; k < f->v[header].n_preds; k++) {
			uint32_t from = f->v[header].preds[k];
			if (f->v[from].order == NONE || !dominates(f, header, from))
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

// Where the straight way to the block starts.
static uint32_t head_of(const struct function *f, uint32_t b)
{
	while (f->v[b].n_preds == 1 && f->v[f->v[b].preds[0]].point == NONE && f->v[b].preds[0] != b)
		b = f->v[b].preds[0];
	return b;
}

// Does the block, which ends with a branch, decide whether the loop goes on: at its start, or where it would start
// over?
static bool decides_loop(const struct function *f, uint32_t b, uint32_t loop, bool *ret_stays)
{
	const uint8_t *body = f->bodies + (size_t)loop * f->n;
	if (!body[b] || !module_branches(f->v[b].end))
		return false;
	uint32_t yes = successor(f, b, 0), no = successor(f, b, 1), header = f->headers[loop];
	bool yes_stays = yes != NONE && body[yes], no_stays = no != NONE && body[no];
	*ret_stays = yes_stays;
	return yes_stays != no_stays && (head_of(f, b) == header || yes == header || no == header);
}

static unsigned loop_flags(const struct function *f, uint32_t b)
{
	unsigned flags = 0;
	for (uint32_t l = 0; l < f->n_headers; l++) {
		bool stays = false;
		if (decides_loop(f, b, l, &stays))
			flags |= GRAPH_LOOP | (stays ? GRAPH_STAYS : 0);
		else if (f->bodies[(size_t)l * f->n + b])
			flags |= GRAPH_BODY;
	}
	return flags;
}

// --- conditions -----------------------------------------------------------------------------------

struct condition {
	struct graph_plan *plan;
	unsigned flags, budget;
	struct value_list results; // functions
};

static LLVMValueRef base_of(LLVMValueRef pointer)
{
	while (LLVMIsAGetElementPtrInst(pointer))
		pointer = LLVMGetOperand(pointer, 0);
	return pointer;
}

static void add_result(struct condition *c, LLVMValueRef call)
{
	while (LLVMIsACastInst(call))
		call = LLVMGetOperand(call, 0);
	if (!is_outside(call))
		return;
	LLVMValueRef callee = LLVMGetCalledValue(call);
	for (size_t i = 0; i < c->results.n; i++)
		if (c->results.v[i] == callee)
			return;
	value_list_push(&c->results, callee);
}

// A variable: what it got from calls.
static void look_at_variable(struct condition *c, LLVMValueRef variable)
{
	c->flags |= GRAPH_LOCAL;
	for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == variable)
			add_result(c, LLVMGetOperand(user, 0));
	}
}

static void look_at(struct condition *c, LLVMValueRef v);

static void look_at_load(struct condition *c, LLVMValueRef load)
{
	LLVMValueRef base = base_of(LLVMGetOperand(load, 0));
	if (LLVMIsAAllocaInst(base)) {
		look_at_variable(c, base);
	} else if (!LLVMIsAConstant(base)) {
		c->flags |= GRAPH_POINTER;
		look_at(c, base);
	}
}

static void look_at_constant(struct condition *c, LLVMValueRef v)
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

static void look_at(struct condition *c, LLVMValueRef v)
{
	if (!c->budget)
		return;
	c->budget--;
	if (LLVMIsAConstant(v)) {
		look_at_constant(c, v);
	} else if (LLVMIsALoadInst(v)) {
		look_at_load(c, v);
	} else if (is_outside(v)) {
		add_result(c, v);
	} else if (LLVMIsAInstruction(v) && !LLVMIsAAllocaInst(v) && (!LLVMIsACallInst(v) || is_intrinsic(v))) {
		int n = is_test(v) ? 1 : LLVMIsACallInst(v) ? (int)LLVMGetNumArgOperands(v) : LLVMGetNumOperands(v);
		for (int i = 0; i < n; i++)
			look_at(c, LLVMGetOperand(v, (unsigned)i));
	}
}

static struct condition condition_of(struct graph_plan *p, LLVMValueRef end)
{
	struct condition c = {.plan = p, .budget = 64};
	look_at(&c, LLVMGetOperand(end, 0)); // of a branch: its condition comes first; of a switch, likewise
	if (LLVMIsASwitchInst(end))
		for (unsigned i = 1; i < LLVMGetNumSuccessors(end); i++)
			look_at_constant(&c, module_case_value(end, i));
	return c;
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
	for (LLVMValueRef i = LLVMGetFirstInstruction(f->v[b].block); i; i = LLVMGetNextInstruction(i)) {
		LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
		if (callee && LLVMIsAFunction(callee) && !LLVMGetIntrinsicID(callee))
			add_once(&r->names, &r->n_names, name_number(f->plan, callee));
	}
}

static struct reached reach(struct function *f, uint32_t from)
{
	struct reached r = {0};
	uint32_t depth = 0;
	for (uint32_t b = 0; b < f->n; b++)
		f->v[b].seen = false;
	if (from != NONE) {
		f->v[from].seen = true;
		f->stack[depth++] = from;
	}
	while (depth) {
		uint32_t b = f->stack[--depth];
		add_calls(f, b, &r);
		if (f->v[b].point != NONE) {
			add_once(&r.points, &r.n_points, f->v[b].point);
			continue;
		}
		for (unsigned k = 0; k < successors(f, b); k++) {
			uint32_t to = successor(f, b, k);
			if (to != NONE && !f->v[to].seen) {
				f->v[to].seen = true;
				f->stack[depth++] = to;
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

// Whether the k-th successor of a switch is a side: a place that has a counter, and comes for the first time.
static bool is_target(const struct function *f, LLVMValueRef end, unsigned k)
{
	LLVMBasicBlockRef target = LLVMGetSuccessor(end, k);
	unsigned first = 0;
	while (LLVMGetSuccessor(end, first) != target)
		first++;
	return first == k && trace_cover_target(f->plan->cover, target) != NONE;
}

static void describe_targets(struct function *f, struct buf *out, uint32_t b)
{
	LLVMValueRef end = f->v[b].end;
	unsigned n = 0, all = LLVMGetNumSuccessors(end);
	for (unsigned k = 0; k < all; k++)
		n += is_target(f, end, k);
	buf_number(out, n);
	for (unsigned k = 0; k < all; k++)
		if (is_target(f, end, k))
			describe_edge(f, out, trace_cover_target(f->plan->cover, LLVMGetSuccessor(end, k)), k,
			              successor(f, b, k));
}

// The side of `from` that the block is on, in the order in which they are described; NONE: on no certain one.
static uint32_t edge_to(struct function *f, uint32_t from, uint32_t to)
{
	LLVMValueRef end = f->v[from].end;
	if (!LLVMIsASwitchInst(end)) {
		uint32_t yes = successor(f, from, 0), no = successor(f, from, 1);
		return yes == no ? NONE : yes == to ? 1 : 0;
	}
	uint32_t n = 0;
	for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
		if (!is_target(f, end, k))
			continue;
		if (LLVMGetSuccessor(end, k) == f->v[to].block)
			return n;
		n++;
	}
	return NONE;
}

// The nearest side that all ways to the block come by.
static uint32_t dominating_edge(struct function *f, uint32_t b, uint32_t *ret_edge)
{
	for (; b && f->v[b].dominator != NONE; b = f->v[b].dominator) {
		uint32_t from = f->v[b].dominator;
		if (f->v[b].n_preds != 1 || f->v[from].point == NONE)
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
	buf_number(out, kind);
	buf_number(out, flags);
	buf_number(out, from == NONE ? 0 : f->v[from].point + 1);
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
	LLVMValueRef end = f->v[b].end;
	struct condition c = condition_of(f->plan, end);
	bool chooses = LLVMIsASwitchInst(end);
	describe_point(f, out, b, chooses ? GRAPH_SWITCH : GRAPH_BRANCH, c.flags);
	describe_results(f, out, &c.results);
	mem_free(c.results.v);
	if (chooses) {
		describe_targets(f, out, b);
		return;
	}
	uint32_t byte = trace_cover_branch(f->plan->cover, end);
	buf_number(out, 2);
	describe_edge(f, out, byte, 0, successor(f, b, 1));
	describe_edge(f, out, byte + 1, 1, successor(f, b, 0));
}

// The results of calls are what is decided there.
static void describe_call(struct function *f, struct buf *out, uint32_t b)
{
	struct value_list outside = {0};
	for (LLVMValueRef i = LLVMGetFirstInstruction(f->v[b].block); i; i = LLVMGetNextInstruction(i))
		if (is_outside(i))
			value_list_push(&outside, LLVMGetCalledValue(i));
	describe_point(f, out, b, GRAPH_CALL, 0);
	describe_results(f, out, &outside);
	mem_free(outside.v);
	buf_number(out, 1);
	describe_edge(f, out, NONE, 0, b);
}

static void describe_function(struct graph_plan *p, LLVMValueRef function)
{
	struct function f = {.plan = p, .function = function};
	LLVMLinkage linkage = LLVMGetLinkage(function);
	find_blocks(&f);
	order_blocks(&f);
	find_dominators(&f);
	uint32_t before = p->n_points;
	number_points(&f);
	find_loops(&f);
	buf_number(&p->functions, name_number(p, function));
	buf_number(&p->functions, linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage);
	describe_next(&f, &p->functions, 0);
	buf_number(&p->functions, p->n_points - before);
	for (uint32_t b = 0; b < f.n; b++) { // as they are numbered
		if (f.v[b].point != NONE)
			describe_decision(&f, &p->functions, b);
		if (f.v[b].call != NONE)
			describe_call(&f, &p->functions, b);
	}
	p->n_functions++;
	for (uint32_t b = 0; b < f.n; b++)
		mem_free(f.v[b].preds);
	mem_free(f.v);
	mem_free(f.stack);
	mem_free(f.ordered);
	mem_free(f.headers);
	mem_free(f.bodies);
	mem_free(f.index.slots);
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
				if (is_outside(i))
					label_map_set(&p->points, i, point);
		}
}

uint64_t trace_graph_point(const struct graph_plan *p, LLVMValueRef at)
{
	uintptr_t point = (uintptr_t)label_map_get(&p->points, at);
	return point ? graph_name(p->module->hash.low, (uint32_t)point - 1) : 0;
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
