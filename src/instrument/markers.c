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
};

// --- where they are ----------------------------------------------------------------------------

static const struct label *label_of(const struct module_facts *facts, LLVMBasicBlockRef block)
{
	size_t number = (size_t)label_map_get(&facts->by_block, LLVMBasicBlockAsValue(block));
	return number ? &facts->labels[number - 1] : NULL;
}

static void make_graph(struct markers *m)
{
	const struct source_flow *flow = m->flow;
	uint32_t *first = mem_zero((flow->n + 1) * sizeof *first), *to = NULL;
	bool *computed = mem_zero(flow->n * sizeof *computed);
	for (uint32_t n = 0; n < flow->n; n++)
		first[n + 1] = first[n] + flow->v[n].n;
	to = mem_zero((first[flow->n] + 1) * sizeof *to);
	for (uint32_t n = 0; n < flow->n; n++) {
		computed[n] = flow->v[n].computed;
		for (uint32_t k = 0; k < flow->v[n].n; k++)
			to[first[n] + k] = flow->v[n].edges[k].to;
	}
	m->graph = (struct marking_graph){flow->n, first, to, computed};
}

static void find_given(struct finder *f)
{
	struct markers *m = f->m;
	bool *labels = mem_zero(m->flow->n * sizeof *labels);
	for (uint32_t n = 0; n < m->flow->n; n++)
		labels[n] = label_of(f->facts, m->flow->v[n].block) != NULL;
	make_graph(m);
	marking_begin(&m->marking, &m->graph, labels);
	mem_free(labels);
}

// It is well to split where a run can begin.
static enum marking_split may_split(void *opaque, uint32_t node)
{
	const struct finder *f = opaque;
	const struct source_node *v = &f->m->flow->v[node];
	return v->state ? MARKING_NEVER : live_temporary(f->live, v->block) ? MARKING_MAY : MARKING_WELL;
}

// Markers come in the order of the function's blocks.
static void take_markers(struct markers *m)
{
	uint32_t *rank = mem_zero(m->flow->n * sizeof *rank), n = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(m->function); b; b = LLVMGetNextBasicBlock(b)) {
		uint32_t node = source_node_of(m->flow, b);
		if (node != SOURCE_NONE)
			rank[node] = n++;
	}
	marking_number(&m->marking, rank);
	mem_free(rank);
	m->n = m->marking.n;
	m->v = mem_zero(m->n * sizeof *m->v);
	for (uint32_t k = 0; k < m->n; k++) {
		const struct marking_point *p = &m->marking.v[k];
		m->v[k] = (struct marker){
			.kind = p->kind, .block = m->flow->v[p->node].block, .node = p->node, .base = p->base};
	}
	m->order = m->marking.order;
	m->marker_of = m->marking.marker_of;
	m->paths = m->marking.paths;
	m->segments = m->marking.segments;
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
	for (uint32_t k = 0; k < m->marking.n; k++)
		if (m->flow->v[m->marking.v[k].node].state)
			return true;
	return false;
}

static void markers_free(struct markers *m)
{
	for (uint32_t k = 0; k < m->n; k++)
		mem_free(m->v[k].live);
	mem_free(m->v);
	marking_release(&m->marking);
	mem_free((void *)m->graph.first);
	mem_free((void *)m->graph.to);
	mem_free((void *)m->graph.computed);
	source_flow_free(m->flow);
	mem_free(m);
}

static struct markers *find_in(LLVMValueRef function, const struct module_facts *facts, bool joins)
{
	struct markers *m = mem_zero(sizeof *m);
	struct finder f = {.m = m, .facts = facts};
	m->function = function;
	m->flow = source_flow_new(function, joins);
	find_given(&f);
	bool again = meets_joins(m);
	if (!again) {
		f.live = live_new(function, &facts->variables);
		marking_split(&m->marking, may_split, &f);
		take_markers(m);
		describe(&f);
		live_free(f.live);
	}
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
