#include "instrument/infeasible.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/vec.h"
#include "instrument/module.h"
#include "instrument/terms.h"

enum { STEPS = 1 << 20 }; // instructions of a function that are executed; nothing is found behind

struct fact { // of a term that is no constant
	uint32_t term;
	LLVMIntPredicate predicate; // with `value`
	uint64_t value;
	bool holds;
	LLVMValueRef at;        // instead: a switch on the term, and where it goes
	LLVMBasicBlockRef goes; // NULL: it is none
};

struct stored { // a load of `load`, a term, gives `value`
	uint32_t load, value;
};

struct change { // to be taken back
	struct label_map *map;
	LLVMValueRef key;
	void *was;
};

struct execution {
	const struct markers *m;
	struct terms terms;
	struct label_map values;    // of instructions: terms
	struct label_map variables; // whose address is not taken: what they hold, terms
	struct label_map tracked;   // these variables, to 1
	uint32_t memory;            // a term, another one after each store or call
	uint32_t steps;
	VEC(struct fact) facts;
	VEC(struct stored) stored;
	VEC(struct change) changes;
	VEC(uint32_t) found, unprovable;
	bool compares; // addresses, in the block that was executed last (compares_addresses)
};

struct point { // of an execution, to which it can go back
	uint32_t memory;
	size_t facts, stored, changes;
};

static struct point here(const struct execution *x)
{
	return (struct point){x->memory, x->facts.n, x->stored.n, x->changes.n};
}

static void set(struct execution *x, struct label_map *map, LLVMValueRef key, uint32_t term)
{
	vec_push(&x->changes, (struct change){map, key, label_map_get(map, key)});
	label_map_set(map, key, (void *)(uintptr_t)term);
}

static void go_back(struct execution *x, const struct point *p)
{
	x->memory = p->memory;
	x->facts.n = p->facts;
	x->stored.n = p->stored;
	while (x->changes.n > p->changes) {
		struct change c = vec_pop(&x->changes);
		label_map_set(c.map, c.key, c.was);
	}
}

// --- values ------------------------------------------------------------------------------------

static uint32_t width_of(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return 64;
	uint32_t width = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
	return width <= 64 ? width : 0;
}

// What was computed before the marker is not known, but is one value.
static uint32_t value_of(struct execution *x, LLVMValueRef v)
{
	uint32_t width = width_of(LLVMTypeOf(v)), known = (uint32_t)(uintptr_t)label_map_get(&x->values, v);
	if (known)
		return known;
	if (width && LLVMIsAConstantInt(v))
		return term_constant(&x->terms, width, LLVMConstIntGetZExtValue(v));
	if (LLVMIsAConstantPointerNull(v))
		return term_constant(&x->terms, 64, 0);
	if (LLVMIsUndef(v)) // poison, too
		return term_fresh(&x->terms, width);
	return term_unknown(&x->terms, v, width);
}

static bool is_named(LLVMValueRef callee, const char *start)
{
	return LLVMIsAFunction(callee) && text_starts(LLVMGetValueName2(callee, &(size_t){0}), start);
}

static bool is_tracked(const struct execution *x, LLVMValueRef place)
{
	return label_map_get(&x->tracked, place) != NULL;
}

static uint32_t held_by(struct execution *x, LLVMValueRef variable)
{
	uint32_t held = (uint32_t)(uintptr_t)label_map_get(&x->variables, variable);
	LLVMOpcode opcode = LLVMAlloca; // with what it is an operation of: what the variable holds at the marker
	return held ? held
	            : term_operation(&x->terms, opcode, 0, value_of(x, variable), 0,
	                             width_of(LLVMGetAllocatedType(variable)));
}

static uint32_t load_term(struct execution *x, LLVMTypeRef type, uint32_t address)
{
	return term_operation(&x->terms, LLVMLoad, (uintptr_t)type, address, x->memory, width_of(type));
}

static void change_memory(struct execution *x)
{
	x->memory = term_fresh(&x->terms, 0);
}

static uint32_t run_load(struct execution *x, LLVMValueRef i)
{
	LLVMValueRef place = LLVMGetOperand(i, 0);
	if (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
		return term_fresh(&x->terms, width_of(LLVMTypeOf(i)));
	if (is_tracked(x, place))
		return held_by(x, place);
	uint32_t load = load_term(x, LLVMTypeOf(i), value_of(x, place));
	for (size_t k = x->stored.n; k-- > 0;)
		if (x->stored.v[k].load == load)
			return x->stored.v[k].value;
	return load;
}

static void run_store(struct execution *x, LLVMValueRef i)
{
	LLVMValueRef value = LLVMGetOperand(i, 0), place = LLVMGetOperand(i, 1);
	if (is_tracked(x, place)) {
		set(x, &x->variables, place, value_of(x, value));
		return;
	}
	change_memory(x);
	if (!LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic)
		vec_push(&x->stored,
		         (struct stored){load_term(x, LLVMTypeOf(value), value_of(x, place)), value_of(x, value)});
}

static bool may_write(LLVMValueRef callee)
{
	enum { WRITES = 0x2aaa }; // the upper bit of the two of each kind of memory
	unsigned kind = LLVMGetEnumAttributeKindForName("memory", 6);
	LLVMAttributeRef memory =
		LLVMIsAFunction(callee) ? LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, kind) : NULL;
	return !memory || (LLVMGetEnumAttributeValue(memory) & WRITES);
}

// The same whenever it is called: the table of the C library's character classes.
static bool is_table(LLVMValueRef callee)
{
	return is_named(callee, "__ctype_") && LLVMIsDeclaration(callee);
}

static uint32_t operation(struct execution *x, LLVMValueRef i, uint64_t extra, unsigned operands);

static uint32_t run_call(struct execution *x, LLVMValueRef i)
{
	LLVMValueRef callee = LLVMGetCalledValue(i);
	uint32_t width = width_of(LLVMTypeOf(i));
	if (is_named(callee, "llvm.lifetime.")) {
		LLVMValueRef place = LLVMGetOperand(i, 1);
		if (is_tracked(x, place))
			set(x, &x->variables, place, term_fresh(&x->terms, width_of(LLVMGetAllocatedType(place))));
		return 0;
	}
	if (is_named(callee, "llvm.dbg."))
		return 0;
	if (is_named(callee, "llvm.expect"))
		return value_of(x, LLVMGetOperand(i, 0));
	if (is_table(callee) ||
	    (is_named(callee, "llvm.") && strstr(LLVMGetValueName2(callee, &(size_t){0}), ".with.overflow")))
		return operation(x, i, (uintptr_t)callee, (unsigned)LLVMGetNumArgOperands(i));
	if (may_write(callee))
		change_memory(x);
	return term_fresh(&x->terms, width);
}

// Operands beyond two, by operations on operations.
static uint32_t operation(struct execution *x, LLVMValueRef i, uint64_t extra, unsigned operands)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
	uint32_t width = width_of(LLVMTypeOf(i)), term = operands ? value_of(x, LLVMGetOperand(i, 0)) : 0;
	if (operands <= 1)
		return term_operation(&x->terms, opcode, extra, term, 0, width);
	for (unsigned k = 1; k < operands; k++) {
		bool last = k + 1 == operands;
		uint64_t step = operands == 2 ? extra : extra ^ (uint64_t)k << 56 ^ (uint64_t)operands << 48;
		term = term_operation(&x->terms, opcode, step, term, value_of(x, LLVMGetOperand(i, k)),
		                      last ? width : 0);
	}
	return term;
}

// What tells operations of one opcode apart.
static uint64_t extra_of(LLVMValueRef i, LLVMOpcode opcode)
{
	switch (opcode) {
	case LLVMICmp: return LLVMGetICmpPredicate(i);
	case LLVMFCmp: return LLVMGetFCmpPredicate(i);
	case LLVMGetElementPtr: return (uintptr_t)LLVMGetGEPSourceElementType(i);
	default: return (uintptr_t)LLVMTypeOf(i);
	}
}

// In which order two objects lie, how far apart they are, or whether they are the same.
static bool compares_addresses(LLVMValueRef i)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
	LLVMValueRef a = opcode == LLVMICmp || opcode == LLVMSub ? LLVMGetOperand(i, 0) : NULL,
		     b = a ? LLVMGetOperand(i, 1) : NULL;
	if (opcode == LLVMSub)
		return LLVMIsAPtrToIntInst(a) && LLVMIsAPtrToIntInst(b);
	return a && LLVMGetTypeKind(LLVMTypeOf(a)) == LLVMPointerTypeKind && !LLVMIsAConstantPointerNull(a) &&
	       !LLVMIsAConstantPointerNull(b);
}

static uint32_t compute(struct execution *x, LLVMValueRef i)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
	x->compares |= compares_addresses(i);
	if (LLVMIsABinaryOperator(i))
		return operation(x, i, 0, 2);
	if (LLVMIsACastInst(i) || opcode == LLVMICmp || opcode == LLVMFCmp || opcode == LLVMGetElementPtr)
		return operation(x, i, extra_of(i, opcode), (unsigned)LLVMGetNumOperands(i));
	if (opcode == LLVMExtractValue && LLVMGetNumIndices(i) == 1)
		return operation(x, i, *LLVMGetIndices(i), 1);
	return term_fresh(&x->terms, width_of(LLVMTypeOf(i)));
}

static void run_block(struct execution *x, LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
		uint32_t value = 0;
		x->steps++;
		switch (LLVMGetInstructionOpcode(i)) {
		case LLVMPHI: continue; // come_from
		case LLVMAlloca: continue;
		case LLVMLoad: value = run_load(x, i); break;
		case LLVMStore: run_store(x, i); continue;
		case LLVMCall: value = run_call(x, i); break;
		case LLVMFence:
		case LLVMAtomicCmpXchg:
		case LLVMAtomicRMW:
		case LLVMVAArg:
		case LLVMInvoke:
		case LLVMCallBr: change_memory(x); break;
		default:
			if (LLVMIsATerminatorInst(i))
				continue;
			value = compute(x, i);
		}
		if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
			set(x, &x->values, i, value ? value : term_fresh(&x->terms, width_of(LLVMTypeOf(i))));
	}
}

// NULL: from somewhere that is not known.
static void come_from(struct execution *x, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
	size_t first = x->changes.n, n = 0;
	uint32_t terms[64];
	LLVMValueRef phi = LLVMGetFirstInstruction(to);
	for (; phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi), n++) {
		uint32_t term = 0;
		for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
			if (LLVMGetIncomingBlock(phi, k) == from)
				term = value_of(x, LLVMGetIncomingValue(phi, k));
		if (n < sizeof terms / sizeof *terms)
			terms[n] = term;
	}
	phi = LLVMGetFirstInstruction(to);
	for (size_t k = 0; k < n; k++, phi = LLVMGetNextInstruction(phi)) {
		uint32_t term = k < sizeof terms / sizeof *terms ? terms[k] : 0;
		set(x, &x->values, phi, term ? term : term_fresh(&x->terms, width_of(LLVMTypeOf(phi))));
	}
	assert(x->changes.n == first + n);
}

// --- conditions --------------------------------------------------------------------------------

static LLVMBasicBlockRef goes_for(LLVMValueRef end, uint64_t value)
{
	for (unsigned k = 1; k < LLVMGetNumSuccessors(end); k++)
		if (LLVMConstIntGetZExtValue(module_case_value(end, k)) == value)
			return LLVMGetSuccessor(end, k);
	return LLVMGetSuccessor(end, 0);
}

static bool agrees(const struct fact *f, uint64_t value, uint32_t width)
{
	return f->goes ? goes_for(f->at, value) == f->goes
	               : term_compare(f->predicate, value, f->value, width) == f->holds;
}

// Values that the operation gives at all.
static bool is_possible(const struct execution *x, uint32_t term, uint64_t value)
{
	const struct term *t = &x->terms.v[term];
	uint32_t inner = t->kind == TERM_OPERATION ? x->terms.v[t->a].width : 0;
	if (!inner || inner >= t->width)
		return true;
	if (t->opcode == LLVMZExt)
		return value <= term_mask(inner);
	uint64_t back = (uint64_t)term_signed(value & term_mask(inner), inner) & term_mask(t->width);
	return t->opcode != LLVMSExt || back == value;
}

static bool is_right(const struct execution *x, uint32_t term, uint64_t value)
{
	uint32_t width = x->terms.v[term].width;
	value &= term_mask(width);
	if (!is_possible(x, term, value))
		return false;
	for (size_t k = 0; k < x->facts.n; k++)
		if (x->facts.v[k].term == term && !agrees(&x->facts.v[k], value, width))
			return false;
	return true;
}

// Each fact is true or false on whole ranges of values, which begin at these: 0, the least signed value, the fact's own
// values and those that follow them. So is what an extension gives.
static bool has_value(const struct execution *x, uint32_t term)
{
	const struct term *t = &x->terms.v[term];
	uint64_t least = (uint64_t)1 << (t->width - 1);
	uint32_t inner = t->kind == TERM_OPERATION ? x->terms.v[t->a].width : 0;
	if (is_right(x, term, 0) || is_right(x, term, least))
		return true;
	if (inner && inner < t->width && is_right(x, term, (uint64_t)0 - ((uint64_t)1 << (inner - 1))))
		return true;
	for (size_t k = 0; k < x->facts.n; k++) {
		const struct fact *f = &x->facts.v[k];
		unsigned n = f->goes ? LLVMGetNumSuccessors(f->at) : 2;
		for (unsigned c = 1; c < n && f->term == term; c++) {
			uint64_t v = f->goes ? LLVMConstIntGetZExtValue(module_case_value(f->at, c)) : f->value;
			if (is_right(x, term, v) || is_right(x, term, v + 1))
				return true;
		}
	}
	return false;
}

static bool add_fact(struct execution *x, struct fact f)
{
	vec_push(&x->facts, f);
	return has_value(x, f.term);
}

// False: the condition cannot hold, or not fail, as `holds` says, after what was assumed before.
static bool assume(struct execution *x, uint32_t condition, bool holds)
{
	const struct term t = x->terms.v[condition];
	if (t.width != 1)
		return true;
	if (t.kind == TERM_CONSTANT)
		return t.extra == holds;
	if (t.opcode == LLVMXor && term_is(&x->terms, t.b, 1))
		return assume(x, t.a, !holds);
	if (t.kind == TERM_OPERATION && t.opcode == LLVMICmp && x->terms.v[t.b].kind == TERM_CONSTANT)
		return add_fact(x, (struct fact){.term = t.a,
		                                 .predicate = (LLVMIntPredicate)t.extra,
		                                 .value = x->terms.v[t.b].extra,
		                                 .holds = holds});
	return add_fact(x, (struct fact){.term = condition, .predicate = LLVMIntEQ, .value = 1, .holds = holds});
}

static bool assume_edge(struct execution *x, const struct source_node *v, const struct source_edge *e)
{
	if (v->n < 2 || v->computed)
		return true;
	if (module_branches(v->end))
		return assume(x, value_of(x, LLVMGetCondition(v->end)), e->successor == 0);
	if (!LLVMIsASwitchInst(v->end))
		return true;
	uint32_t term = value_of(x, LLVMGetOperand(v->end, 0));
	LLVMBasicBlockRef goes = LLVMGetSuccessor(v->end, e->successor);
	if (x->terms.v[term].kind == TERM_CONSTANT)
		return goes_for(v->end, x->terms.v[term].extra) == goes;
	return !x->terms.v[term].width || add_fact(x, (struct fact){.term = term, .at = v->end, .goes = goes});
}

// --- segments ----------------------------------------------------------------------------------

static void add_unprovable(struct execution *x, uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		vec_push(&x->unprovable, first + i);
}

// `number`: of the first segment that comes by this node as the execution did. `provable`: they all may be.
static void walk(struct execution *x, uint32_t node, uint32_t number, bool provable)
{
	const struct markers *m = x->m;
	const struct source_node *v = &m->flow->v[node];
	x->compares = false;
	if (x->steps <= STEPS)
		run_block(x, v->block);
	if (provable && (x->compares || x->steps > STEPS)) {
		add_unprovable(x, number, m->paths[node]);
		provable = false;
	}
	if (x->steps > STEPS)
		return;
	for (uint32_t k = 0; k < v->n && !v->computed; k++) {
		uint32_t to = v->edges[k].to, n = m->marker_of[to] ? 1 : m->paths[to];
		const struct point before = here(x);
		if (!assume_edge(x, v, &v->edges[k])) {
			for (uint32_t i = 0; i < n; i++)
				vec_push(&x->found, number + i);
		} else if (!m->marker_of[to]) {
			come_from(x, v->block, m->flow->v[to].block);
			walk(x, to, number, provable);
		}
		go_back(x, &before);
		number += n;
	}
}

static bool is_plain_use(LLVMValueRef user, LLVMValueRef variable, LLVMTypeRef type)
{
	if (LLVMIsALoadInst(user))
		return LLVMTypeOf(user) == type && !LLVMGetVolatile(user);
	if (LLVMIsAStoreInst(user))
		return LLVMGetOperand(user, 1) == variable && LLVMGetOperand(user, 0) != variable &&
		       LLVMTypeOf(LLVMGetOperand(user, 0)) == type && !LLVMGetVolatile(user);
	return LLVMIsACallInst(user) && is_named(LLVMGetCalledValue(user), "llvm.lifetime.");
}

static void find_tracked(struct execution *x, LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
		bool plain = LLVMIsAAllocaInst(i) && LLVMIsAConstantInt(LLVMGetOperand(i, 0)) &&
		             LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0)) == 1;
		for (LLVMUseRef use = plain ? LLVMGetFirstUse(i) : NULL; use && plain; use = LLVMGetNextUse(use))
			plain = is_plain_use(LLVMGetUser(use), i, LLVMGetAllocatedType(i));
		if (plain)
			label_map_set(&x->tracked, i, (void *)1);
	}
}

// A function that may return to the middle of a segment (setjmp) may find its variables changed there.
static bool is_plain_function(LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (LLVMIsACallInst(i) && markers_returns_twice(i))
				return false;
	return true;
}

// A marker's own phis, and values of blocks before: not known.
static void run_marker(struct execution *x, const struct marker *v)
{
	const struct point before = here(x);
	change_memory(x);
	come_from(x, NULL, v->block);
	walk(x, v->node, v->base, true);
	go_back(x, &before);
}

void infeasible_find(const struct markers *m, struct infeasible *ret)
{
	struct execution x = {.m = m};
	bool plain = is_plain_function(m->function);
	terms_init(&x.terms);
	find_tracked(&x, LLVMGetEntryBasicBlock(m->function));
	if (!plain)
		add_unprovable(&x, 0, m->segments);
	for (uint32_t k = 0; k < m->n && plain && m->segments > 1; k++)
		run_marker(&x, &m->v[k]);
	assert(!x.changes.n && !x.facts.n);
	terms_release(&x.terms);
	mem_free(x.values.slots);
	mem_free(x.variables.slots);
	mem_free(x.tracked.slots);
	vec_release(&x.facts);
	vec_release(&x.stored);
	vec_release(&x.changes);
	*ret = (struct infeasible){.v = x.found.v,
	                           .n = (uint32_t)x.found.n,
	                           .unprovable = x.unprovable.v,
	                           .n_unprovable = (uint32_t)x.unprovable.n};
}

void infeasible_release(struct infeasible *f)
{
	mem_free(f->v);
	mem_free(f->unprovable);
	*f = (struct infeasible){0};
}
