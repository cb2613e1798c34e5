#include "instrument/markers.h"

#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "base/mem.h"
#include "instrument/live.h"
#include "instrument/module.h"
#include "instrument/site.h"
#include "instrument/variables.h"

struct label {
	LLVMMetadataRef at; // NULL: not known
};

struct module_facts {
	struct label_map variables; // places that have a name
	struct label_map by_block;  // number of its label, plus 1
	struct label *labels;
	size_t n_labels;
};

struct finder {
	struct markers *m;
	const struct module_facts *facts;
	struct live *live;
	uint32_t *order, n_order; // as in struct markers
	uint32_t *place;          // of each node in that order
};

// --- where they are ----------------------------------------------------------------------------

static void mark(struct finder *f, uint32_t node, enum shape_marker_kind kind)
{
	struct markers *m = f->m;
	if (m->marker_of[node])
		return;
	m->v = mem_resize(m->v, (m->n + 1) * sizeof *m->v);
	m->v[m->n++] = (struct marker){.kind = kind, .block = m->flow->v[node].block, .node = node};
	m->marker_of[node] = m->n;
}

struct walk {
	uint32_t *stack, *next;
	uint8_t *state; // 1: on the stack, 2: done
	uint32_t at;    // where the order is filled in, from its end
	bool *loops;    // nodes that are heads of loops
};

// Who leads back to a node that is still on the stack makes it the head of a loop.
static void walk_from(struct finder *f, struct walk *w, uint32_t from)
{
	const struct source_flow *flow = f->m->flow;
	uint32_t depth = 0;
	if (w->state[from])
		return;
	w->stack[depth++] = from;
	w->state[from] = 1;
	while (depth) {
		uint32_t n = w->stack[depth - 1];
		if (flow->v[n].computed || w->next[n] == flow->v[n].n) {
			f->order[--w->at] = n;
			f->place[n] = w->at;
			w->state[n] = 2;
			depth--;
			continue;
		}
		uint32_t to = flow->v[n].edges[w->next[n]++].to;
		w->loops[to] |= w->state[to] == 1;
		if (w->state[to])
			continue;
		w->state[to] = 1;
		w->stack[depth++] = to;
	}
}

// Puts the nodes into reverse post order. Where a computed goto leads is a marker whatever else it is: no walk goes
// there, others begin there.
static void order_nodes(struct finder *f, bool *loops)
{
	const struct source_flow *flow = f->m->flow;
	struct walk w = {.stack = mem_zero(flow->n * sizeof *w.stack),
	                 .next = mem_zero(flow->n * sizeof *w.next),
	                 .state = mem_zero(flow->n),
	                 .at = flow->n,
	                 .loops = loops};
	f->order = mem_zero(flow->n * sizeof *f->order);
	f->place = mem_zero(flow->n * sizeof *f->place);
	f->n_order = flow->n;
	walk_from(f, &w, 0);
	for (uint32_t n = 0; n < flow->n; n++)
		for (uint32_t k = 0; k < flow->v[n].n && flow->v[n].computed; k++)
			walk_from(f, &w, flow->v[n].edges[k].to);
	assert(w.at == 0); // the flow has what can be reached only
	mem_free(w.stack);
	mem_free(w.next);
	mem_free(w.state);
}

static const struct label *label_of(const struct module_facts *facts, LLVMBasicBlockRef block)
{
	size_t number = (size_t)label_map_get(&facts->by_block, LLVMBasicBlockAsValue(block));
	return number ? &facts->labels[number - 1] : NULL;
}

static void find_given(struct finder *f)
{
	const struct source_flow *flow = f->m->flow;
	bool *loops = mem_zero(flow->n * sizeof *loops), *computed = mem_zero(flow->n * sizeof *computed);
	order_nodes(f, loops);
	for (uint32_t n = 0; n < flow->n; n++)
		for (uint32_t k = 0; k < flow->v[n].n && flow->v[n].computed; k++)
			computed[flow->v[n].edges[k].to] = true;
	mark(f, 0, SHAPE_AT_ENTRY);
	for (uint32_t n = 1; n < flow->n; n++) {
		bool label = computed[n] || label_of(f->facts, flow->v[n].block);
		if (loops[n] || label)
			mark(f, n, loops[n] ? SHAPE_AT_LOOP : SHAPE_AT_LABEL);
	}
	mem_free(loops);
	mem_free(computed);
}

// --- splits ------------------------------------------------------------------------------------

// Counts of paths, as far as a double is exact; what is more only has to be more.
struct counts {
	double *in, *out; // from this marker to a node; from a node to the markers behind
};

static void count_out(const struct finder *f, struct counts *c)
{
	const struct source_flow *flow = f->m->flow;
	for (uint32_t i = f->n_order; i-- > 0;) {
		uint32_t n = f->order[i];
		double sum = 0;
		for (uint32_t k = 0; k < flow->v[n].n; k++)
			sum += f->m->marker_of[flow->v[n].edges[k].to] ? 1 : c->out[flow->v[n].edges[k].to];
		c->out[n] = flow->v[n].n == 0 || flow->v[n].computed ? 1 : sum;
	}
}

static void count_in(const struct finder *f, struct counts *c, uint32_t from)
{
	const struct source_flow *flow = f->m->flow;
	memset(c->in, 0, flow->n * sizeof *c->in);
	c->in[from] = 1;
	for (uint32_t i = f->place[from]; i < f->n_order; i++) {
		const struct source_node *v = &flow->v[f->order[i]];
		if (c->in[f->order[i]] == 0)
			continue;
		for (uint32_t k = 0; k < v->n && !v->computed; k++)
			if (!f->m->marker_of[v->edges[k].to])
				c->in[v->edges[k].to] += c->in[f->order[i]];
	}
}

// How many paths there are when those of the marker at `from` end at the node, and begin there again.
static double split_cost(const struct counts *c, uint32_t from, uint32_t node)
{
	return c->out[from] - c->in[node] * c->out[node] + c->in[node] + c->out[node];
}

// The best node to split the paths from a marker at: one where a run can begin, unless others are much better.
static uint32_t choose_split(const struct finder *f, const struct counts *c, uint32_t from)
{
	uint32_t best[2] = {SOURCE_NONE, SOURCE_NONE}; // [1]: a run can begin there
	for (uint32_t i = f->place[from] + 1; i < f->n_order; i++) {
		uint32_t n = f->order[i];
		if (c->in[n] == 0 || f->m->flow->v[n].state || split_cost(c, from, n) >= c->out[from])
			continue;
		for (int kind = 0; kind < 2; kind++) {
			if (kind && live_temporary(f->live, f->m->flow->v[n].block))
				continue;
			if (best[kind] == SOURCE_NONE || split_cost(c, from, n) < split_cost(c, from, best[kind]))
				best[kind] = n;
		}
	}
	if (best[1] == SOURCE_NONE)
		return best[0];
	double enough = 2 * split_cost(c, from, best[0]);
	return split_cost(c, from, best[1]) <= (enough > MARKERS_PATHS ? enough : MARKERS_PATHS) ? best[1] : best[0];
}

static void find_splits(struct finder *f)
{
	size_t size = f->m->flow->n * sizeof(double);
	struct counts c = {mem_zero(size), mem_zero(size)};
	count_out(f, &c);
	for (uint32_t k = 0; k < f->m->n;) { // those that are added are looked at in their turn
		uint32_t node = f->m->v[k].node, at = SOURCE_NONE;
		if (c.out[node] > MARKERS_PATHS) {
			count_in(f, &c, node);
			at = choose_split(f, &c, node);
		}
		if (at == SOURCE_NONE) {
			k++;
			continue;
		}
		mark(f, at, SHAPE_AT_SPLIT);
		count_out(f, &c);
	}
	mem_free(c.in);
	mem_free(c.out);
}

// --- order, numbers ----------------------------------------------------------------------------

// Markers in the order of the function's blocks.
static void sort_markers(struct markers *m)
{
	struct marker *sorted = mem_zero(m->n * sizeof *sorted);
	uint32_t n = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(m->function); b; b = LLVMGetNextBasicBlock(b)) {
		uint32_t node = source_node_of(m->flow, b);
		if (node == SOURCE_NONE || !m->marker_of[node])
			continue;
		sorted[n++] = m->v[m->marker_of[node] - 1];
		m->marker_of[node] = n;
	}
	assert(n == m->n);
	mem_free(m->v);
	m->v = sorted;
}

static void number_paths(struct finder *f)
{
	struct markers *m = f->m;
	m->paths = mem_zero(m->flow->n * sizeof *m->paths);
	for (uint32_t i = f->n_order; i-- > 0;) {
		uint32_t n = f->order[i], sum = 0;
		const struct source_node *v = &m->flow->v[n];
		for (uint32_t k = 0; k < v->n; k++)
			sum += m->marker_of[v->edges[k].to] ? 1 : m->paths[v->edges[k].to];
		m->paths[n] = v->n == 0 || v->computed ? 1 : sum;
	}
	for (uint32_t k = 0; k < m->n; k++) {
		m->v[k].base = m->segments;
		m->segments += m->paths[m->v[k].node];
	}
}

// --- what is at each ---------------------------------------------------------------------------

static bool place_of(LLVMMetadataRef at, struct marker *m)
{
	for (LLVMMetadataRef outer; at && (outer = LLVMDILocationGetInlinedAt(at));)
		at = outer;
	if (!at || !LLVMDILocationGetLine(at))
		return false;
	m->line = LLVMDILocationGetLine(at);
	m->column = LLVMDILocationGetColumn(at);
	m->scope = LLVMDILocationGetScope(at);
	return true;
}

// Where the loop's statement begins, as clang notes it at the jump back; false: it was made by goto.
static bool loop_place(const struct source_flow *flow, struct marker *m)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(flow->function));
	unsigned kind = LLVMGetMDKindIDInContext(context, "llvm.loop", 9);
	const struct source_node *head = &flow->v[m->node];
	for (uint32_t k = 0; k < head->n_before; k++) {
		LLVMValueRef loop = LLVMGetMetadata(flow->v[head->before[k]].end, kind);
		int n = loop ? LLVMGetMDNodeNumOperands(loop) : 0;
		LLVMValueRef *all = mem_zero(((size_t)n + 1) * sizeof *all);
		if (n)
			LLVMGetMDNodeOperands(loop, all);
		bool found = false;
		for (int o = 1; o < n && !found; o++) { // 0: the node itself
			LLVMMetadataRef at = all[o] ? LLVMValueAsMetadata(all[o]) : NULL;
			found = at && LLVMGetMetadataKind(at) == LLVMDILocationMetadataKind && place_of(at, m);
		}
		mem_free(all);
		if (found)
			return true;
	}
	return false;
}

static void find_place(struct finder *f, struct marker *m)
{
	const struct label *label = label_of(f->facts, m->block);
	m->scope = LLVMGetSubprogram(f->m->function);
	if (m->kind == SHAPE_AT_ENTRY) {
		m->line = LLVMDISubprogramGetLine(m->scope);
		return;
	}
	if ((m->kind == SHAPE_AT_LOOP && loop_place(f->m->flow, m)) || (label && place_of(label->at, m)))
		return;
	for (LLVMValueRef i = LLVMGetFirstInstruction(m->block); i; i = LLVMGetNextInstruction(i))
		if (place_of(LLVMInstructionGetDebugLoc(i), m))
			return;
}

static void add_live(LLVMValueRef place, void *opaque)
{
	struct marker *m = opaque;
	m->live = mem_resize(m->live, (m->n_live + 1) * sizeof *m->live);
	m->live[m->n_live++] = place;
}

bool markers_returns_twice(LLVMValueRef call)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("returns_twice", 13);
	LLVMValueRef callee = LLVMGetCalledValue(call);
	return LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind) ||
	       (LLVMIsAFunction(callee) && LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, kind));
}

// What a made-up frame cannot have.
static const char *why_entry_only(LLVMValueRef function)
{
	if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)))
		return "variable arguments";
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
			if (opcode == LLVMIndirectBr)
				return "computed goto";
			if (opcode == LLVMAlloca &&
			    (b != LLVMGetEntryBasicBlock(function) || !LLVMIsAConstantInt(LLVMGetOperand(i, 0))))
				return "array of variable size";
			if (opcode == LLVMCall && markers_returns_twice(i))
				return "setjmp";
		}
	return NULL;
}

static void describe(struct finder *f)
{
	f->m->entry_only = why_entry_only(f->m->function);
	for (uint32_t k = 0; k < f->m->n; k++) {
		struct marker *m = &f->m->v[k];
		find_place(f, m);
		m->enters = k == 0 || (!f->m->entry_only && !live_temporary(f->live, m->block));
		if (k)
			live_each(f->live, m->block, add_live, m);
	}
}

// -----------------------------------------------------------------------------------------------

// Whether a marker stands where clang has still to say where it goes on (source_flow.h).
static bool meets_joins(const struct markers *m)
{
	for (uint32_t k = 0; k < m->n; k++)
		if (m->flow->v[m->v[k].node].state)
			return true;
	return false;
}

static void markers_free(struct markers *m)
{
	for (uint32_t k = 0; k < m->n; k++)
		mem_free(m->v[k].live);
	mem_free(m->v);
	mem_free(m->order);
	mem_free(m->marker_of);
	mem_free(m->paths);
	source_flow_free(m->flow);
	mem_free(m);
}

static struct markers *find_in(LLVMValueRef function, const struct module_facts *facts, bool joins)
{
	struct markers *m = mem_zero(sizeof *m);
	struct finder f = {.m = m, .facts = facts};
	m->function = function;
	m->flow = source_flow_new(function, joins);
	m->marker_of = mem_zero(m->flow->n * sizeof *m->marker_of);
	find_given(&f);
	bool again = meets_joins(m);
	if (!again) {
		f.live = live_new(function, &facts->variables);
		find_splits(&f);
		sort_markers(m);
		number_paths(&f);
		describe(&f);
		live_free(f.live);
	}
	m->order = f.order;
	mem_free(f.place);
	if (again) {
		assert(joins);
		markers_free(m);
		return find_in(function, facts, false);
	}
	return m;
}

static void found_variable(LLVMValueRef place, LLVMValueRef node, void *opaque)
{
	struct module_facts *facts = opaque;
	label_map_set(&facts->variables, place, node);
}

static void found_label(LLVMBasicBlockRef block, LLVMMetadataRef at, void *opaque)
{
	struct module_facts *facts = opaque;
	facts->labels = mem_resize(facts->labels, (facts->n_labels + 1) * sizeof *facts->labels);
	facts->labels[facts->n_labels++] = (struct label){at};
	label_map_set(&facts->by_block, LLVMBasicBlockAsValue(block), (void *)facts->n_labels);
}

void markers_find(struct markers_table *ret, LLVMModuleRef module)
{
	struct module_facts facts = {0};
	*ret = (struct markers_table){0};
	variables_each(module, found_variable, &facts);
	labels_each(module, found_label, &facts);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		if (!trace_cover_has(f))
			continue;
		ret->v = mem_resize(ret->v, (ret->n + 1) * sizeof(struct markers *));
		ret->v[ret->n++] = find_in(f, &facts, true);
		label_map_set(&ret->by_function, f, (void *)ret->n);
	}
	mem_free(facts.variables.slots);
	mem_free(facts.by_block.slots);
	mem_free(facts.labels);
}

void markers_release(struct markers_table *t)
{
	for (size_t k = 0; k < t->n; k++)
		markers_free(t->v[k]);
	mem_free(t->v);
	mem_free(t->by_function.slots);
	*t = (struct markers_table){0};
}

struct markers *markers_of(const struct markers_table *t, LLVMValueRef function)
{
	size_t number = (size_t)label_map_get(&t->by_function, function);
	return number ? t->v[number - 1] : NULL;
}
