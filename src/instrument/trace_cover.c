// Counters for the `explored` variant (abi/cover.h): a byte for each block of the program, for each edge of a branch
// and each target of a switch; and the table that says what they are.
//
// Two steps, because optimisation comes between: trace_cover_plan() looks at the code as clang left it, which has a
// place for every statement, and trace_cover_insert() puts calls of helpers into what has become of it; the
// passes in between keep blocks and what ends them. The helpers' calls are no business of the instrumenter's.
//
// What clang adds for checks is none of the program's: its branches have no counters, and what is behind such a branch
// belongs to the block before it.
//
//     head:   %p = ...                          one counter, at the start of `head`, for the lines of
//             br i1 %fine, cont, trap !nosan    `head` and `cont`; none for `trap`
//     cont:   store ...
#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "abi/cover.h"
#include "abi/graph.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/vec.h"
#include "instrument/edges.h"
#include "instrument/tracer.h"

struct line {
	uint32_t file, line;
};

struct planned_block {
	LLVMBasicBlockRef block, head; // head: whose counter counts it
	struct line *lines;            // of a head: all of its group
	size_t n, cap;
	uint32_t number;  // of its byte; 0 when it has none
	LLVMValueRef own; // function
};

struct planned_target { // of a switch: a block that control comes to from there only
	LLVMBasicBlockRef block;
	uint32_t number;
};

struct cover_plan {
	struct module *module;
	struct buf table; // functions, as in abi/cover.h
	uint32_t functions, count;
	struct strv files;
	struct label_map blocks;   // to number + 1 of a byte
	struct label_map branches; // what ends a block, likewise
	struct value_list targets; // blocks; their numbers stand in target_numbers
	uint32_t *target_numbers;
	struct label_map by_target; // likewise, by block, plus 1
	struct graph_plan *graph;
	struct strv words;
	struct paths_plan *paths; // NULL: segments are not counted
	LLVMValueRef pages;
};

// --- places ----------------------------------------------------------------------------------

static uint32_t file_number(struct cover_plan *p, const char *folder, unsigned folder_size, const char *file,
                            unsigned file_size)
{
	bool whole = (file_size && file[0] == '/') || !folder_size;
	char *path = whole ? mem_copy(file, file_size)
	                   : mem_printf("%.*s/%.*s", (int)folder_size, folder, (int)file_size, file);
	for (size_t i = p->files.n; i-- > 0;)
		if (strcmp(p->files.v[i], path) == 0) {
			mem_free(path);
			return (uint32_t)i;
		}
	strv_take(&p->files, path);
	return (uint32_t)p->files.n - 1;
}

static uint32_t file_of(struct cover_plan *p, LLVMMetadataRef scope)
{
	LLVMMetadataRef file = LLVMDIScopeGetFile(scope);
	unsigned folder_size = 0, file_size = 0;
	const char *folder = file ? LLVMDIFileGetDirectory(file, &folder_size) : "";
	const char *name = file ? LLVMDIFileGetFilename(file, &file_size) : "?";
	return file_number(p, folder, folder_size, name, file ? file_size : 1);
}

// Where the instruction stands in its own function; false when that is nowhere.
static bool place_of(struct cover_plan *p, LLVMValueRef i, struct line *ret, unsigned *ret_column)
{
	LLVMMetadataRef at = LLVMInstructionGetDebugLoc(i);
	for (LLVMMetadataRef outer; at && (outer = LLVMDILocationGetInlinedAt(at));)
		at = outer;
	if (!at || LLVMDILocationGetLine(at) == 0)
		return false;
	*ret = (struct line){file_of(p, LLVMDILocationGetScope(at)), LLVMDILocationGetLine(at)};
	*ret_column = LLVMDILocationGetColumn(at);
	return true;
}

static bool is_intrinsic(LLVMValueRef i, const char *prefix)
{
	LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
	return callee && LLVMIsAFunction(callee) && text_starts(LLVMGetValueName2(callee, &(size_t){0}), prefix);
}

// The one place where a function returns its value, when it goes through a variable of clang's, has the place of the
// closing brace: it is the return statement's, as in code where no variables go out of scope.
static bool is_way_out(LLVMValueRef i)
{
	LLVMUseRef only = LLVMIsALoadInst(i) ? LLVMGetFirstUse(i) : NULL;
	if (only && LLVMGetUser(only) && LLVMIsAReturnInst(LLVMGetUser(only)))
		return is_way_out(LLVMGetUser(only));
	LLVMValueRef value = LLVMIsAReturnInst(i) && LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : NULL;
	LLVMValueRef variable = value && LLVMIsALoadInst(value) ? LLVMGetOperand(value, 0) : NULL;
	int statements = 0;
	if (!variable || !LLVMIsAAllocaInst(variable) ||
	    LLVMInstructionGetDebugLoc(value) != LLVMInstructionGetDebugLoc(i)) // a variable of the program
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use))
		statements += LLVMIsAStoreInst(LLVMGetUser(use)) && LLVMInstructionGetDebugLoc(LLVMGetUser(use));
	return statements == 1;
}

// Stands for something in the source.
static bool is_statement(LLVMValueRef i)
{
	return !is_way_out(i) && !site_is_sanitizer(i) && !is_intrinsic(i, "llvm.lifetime.") &&
	       !is_intrinsic(i, "llvm.dbg.");
}

// --- blocks ----------------------------------------------------------------------------------

struct planned {
	struct planned_block *v;
	size_t n;
	struct label_map index; // block to index + 1
};

static struct planned_block *find(const struct planned *all, LLVMBasicBlockRef block)
{
	size_t k = (size_t)label_map_get(&all->index, LLVMBasicBlockAsValue(block));
	return k ? &all->v[k - 1] : NULL;
}

// The block that this one belongs to: control comes here by what a check decides only, and from one block of the
// program.
static LLVMBasicBlockRef head_of(const struct planned *all, LLVMBasicBlockRef block)
{
	LLVMBasicBlockRef head = NULL;
	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAInstruction(user) || !LLVMIsATerminatorInst(user) || !site_is_sanitizer(user))
			return block;
		const struct planned_block *from = find(all, LLVMGetInstructionParent(user));
		assert(from);
		if (!from->head || (head && from->head != head))
			return block;
		head = from->head;
	}
	return head ? head : block;
}

static void add_line(struct planned_block *b, struct line l)
{
	for (size_t k = 0; k < b->n; k++)
		if (b->lines[k].line == l.line && b->lines[k].file == l.file)
			return;
	vec_room(b->lines, b->n + 1, b->cap);
	b->lines[b->n++] = l;
}

static struct planned plan_blocks(struct cover_plan *p, LLVMValueRef function)
{
	struct planned all = {.v = mem_zero(LLVMCountBasicBlocks(function) * sizeof *all.v)};
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
		all.v[all.n++].block = b;
		label_map_set(&all.index, LLVMBasicBlockAsValue(b), (void *)all.n);
	}
	for (size_t k = 0; k < all.n; k++) {
		struct planned_block *b = &all.v[k];
		b->head = k ? head_of(&all, b->block) : b->block;
		for (LLVMValueRef i = LLVMGetFirstInstruction(b->block); i; i = LLVMGetNextInstruction(i)) {
			struct line l;
			if (is_statement(i) && place_of(p, i, &l, &(unsigned){0}))
				add_line(find(&all, b->head), l);
		}
	}
	return all;
}

static void planned_release(struct planned *all)
{
	for (size_t k = 0; k < all->n; k++)
		mem_free(all->v[k].lines);
	mem_free(all->v);
	mem_free(all->index.slots);
}

// --- the table -------------------------------------------------------------------------------

static void describe_block(struct cover_plan *p, struct buf *items, const struct planned_block *b)
{
	assert(b->n && b->head == b->block); // lines are those of a head
	label_map_set(&p->blocks, LLVMBasicBlockAsValue(b->block), (void *)((uintptr_t)p->count++ + 1));
	buf_number(items, COVER_BLOCK);
	buf_number(items, b->n);
	for (size_t k = 0; k < b->n; k++) {
		buf_number(items, b->lines[k].file);
		buf_number(items, b->lines[k].line);
	}
}

static void describe_place(struct buf *items, enum cover_kind kind, struct line at, unsigned column)
{
	buf_number(items, kind);
	buf_number(items, at.file);
	buf_number(items, at.line);
	buf_number(items, column);
}

static bool is_new_target(LLVMValueRef end, unsigned k)
{
	for (unsigned j = 0; j < k; j++)
		if (LLVMGetSuccessor(end, j) == LLVMGetSuccessor(end, k))
			return false;
	return true;
}

static void describe_switch(struct cover_plan *p, struct buf *items, LLVMValueRef end, struct line at, unsigned column,
                            uint32_t *n)
{
	assert(LLVMIsASwitchInst(end));
	for (unsigned k = 0, all = LLVMGetNumSuccessors(end); k < all; k++) {
		LLVMBasicBlockRef target = LLVMGetSuccessor(end, k);
		LLVMValueRef first = LLVMGetFirstInstruction(target);
		bool private = edges_only_from(target, end);
		// Cases that do not exist, and (which clang does not make) targets that would have to be changed.
		if (!is_new_target(end, k) || LLVMIsAUnreachableInst(first) || site_trap_block(target) >= 0 ||
		    (!private && LLVMIsAPHINode(first)))
			continue;
		if (!private)
			target = edges_make_way(end, target);
		value_list_push(&p->targets, LLVMBasicBlockAsValue(target));
		p->target_numbers = mem_resize(p->target_numbers, p->targets.n * sizeof *p->target_numbers);
		p->target_numbers[p->targets.n - 1] = p->count++;
		label_map_set(&p->by_target, LLVMBasicBlockAsValue(target), (void *)(uintptr_t)p->count);
		describe_place(items, COVER_CASE, at, column);
		++*n;
	}
}

// What clang adds to leave a scope has no place.
static void describe_end(struct cover_plan *p, struct buf *items, LLVMValueRef end, uint32_t *n)
{
	struct line at;
	unsigned column;
	if (!end || site_is_sanitizer(end) || !place_of(p, end, &at, &column))
		return;
	if (LLVMIsASwitchInst(end)) {
		describe_switch(p, items, end, at, column, n);
	} else if (module_branches(end)) {
		describe_place(items, COVER_BRANCH, at, column);
		label_map_set(&p->branches, end, (void *)((uintptr_t)p->count + 1));
		p->count += 2;
		++*n;
	}
}

// There to be inlined, and really elsewhere. Clang calls a header's version of one of its builtins NAME.inline.
static bool is_borrowed(LLVMValueRef function)
{
	static const char suffix[] = ".inline";
	size_t size;
	const char *name = LLVMGetValueName2(function, &size);
	return LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage ||
	       (size >= sizeof suffix && strcmp(name + size - (sizeof suffix - 1), suffix) == 0);
}

// What the table of segments takes from the plan.
struct function_lines {
	struct cover_plan *plan;
	const struct planned *all;
	struct line own; // the function's
};

static uint32_t file_of_scope(void *opaque, LLVMMetadataRef scope)
{
	return file_of(((const struct function_lines *)opaque)->plan, scope);
}

// Without the function's own line, unless there is no other: the entry has it.
static uint32_t lines_of_block(void *opaque, LLVMBasicBlockRef block, struct buf *out)
{
	const struct function_lines *f = opaque;
	const struct planned_block *b = find(f->all, block);
	uint32_t n = 0;
	for (size_t k = 0; k < b->n; k++) {
		if (b->n > 1 && b->lines[k].line == f->own.line && b->lines[k].file == f->own.file)
			continue;
		buf_number(out, b->lines[k].file);
		buf_number(out, b->lines[k].line);
		n++;
	}
	return n;
}

static uint32_t point_of_end(void *opaque, LLVMValueRef end)
{
	const struct function_lines *f = opaque;
	return trace_graph_number(f->plan->graph, end);
}

static void describe_segments(struct cover_plan *p, LLVMValueRef function, const struct function_lines *lines,
                              uint32_t first, struct buf *items)
{
	const struct paths_source source = {(void *)lines, file_of_scope, lines_of_block, point_of_end};
	trace_paths_describe(p->paths, function, first, &source, items);
}

// What a function's part of the table is made of, before the graph is.
struct planned_function {
	LLVMValueRef function;
	struct line own;
	struct planned all;
	struct buf items;
	uint32_t n;
	uint32_t segments, first_segment; // bytes, from this one on
};

static void plan_function(struct cover_plan *p, LLVMValueRef function, struct planned_function *ret)
{
	assert(trace_cover_has(function));
	LLVMMetadataRef about = LLVMGetSubprogram(function);
	struct line own = {file_of(p, about), LLVMDISubprogramGetLine(about)};
	struct planned all = plan_blocks(p, function);
	struct buf items = {0};
	uint32_t n = 0;
	if (own.line)
		add_line(&all.v[0], own); // as gcov: the function's own line
	for (size_t k = 0; k < all.n; k++) {
		if (all.v[k].n) {
			describe_block(p, &items, &all.v[k]);
			n++;
		}
		describe_end(p, &items, LLVMGetBasicBlockTerminator(all.v[k].block), &n);
	}
	uint32_t segments = p->paths ? trace_paths_count(p->paths, function) : 0;
	*ret = (struct planned_function){function, own, all, items, n + (segments != 0), segments, p->count};
	p->count += segments;
}

static void write_function(struct cover_plan *p, struct planned_function *f)
{
	if (f->segments)
		describe_segments(p, f->function, &(struct function_lines){p, &f->all, f->own}, f->first_segment,
		                  &f->items);
	const char *name = LLVMGetValueName2(f->function, &(size_t){0});
	if (f->n) {
		buf_text(&p->table, name + (name[0] == 1));
		buf_number(&p->table, is_borrowed(f->function));
		buf_number(&p->table, f->own.file);
		buf_number(&p->table, f->own.line);
		buf_number(&p->table, f->n);
		buf_add(&p->table, f->items.data, f->items.len);
		p->functions++;
	}
	buf_release(&f->items);
	planned_release(&f->all);
}

// Not those that are none of the program's, or that it wants left alone.
bool trace_cover_has(LLVMValueRef function)
{
	unsigned naked = LLVMGetEnumAttributeKindForName("naked", 5),
		 noprofile = LLVMGetEnumAttributeKindForName("noprofile", 9);
	return !LLVMIsDeclaration(function) && LLVMGetSubprogram(function) &&
	       !LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, naked) &&
	       !LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, noprofile);
}

// src/support: linked into the program, but veer's.
static bool is_support(LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		const char *section = LLVMIsDeclaration(f) ? NULL : LLVMGetSection(f);
		if (section && strcmp(section, ".text.veer_support") == 0)
			return true;
	}
	return false;
}

struct cover_plan *trace_cover_plan(struct module *m, const struct markers_table *markers)
{
	struct cover_plan *p = mem_zero(sizeof *p);
	p->module = m;
	if (is_support(m->module))
		return p;
	p->paths = markers ? trace_paths_plan(markers) : NULL;
	struct planned_function *all = NULL;
	size_t n = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f)) {
		if (!trace_cover_has(f))
			continue;
		all = mem_resize(all, (n + 1) * sizeof *all);
		plan_function(p, f, &all[n++]);
	}
	p->graph = trace_graph_plan(m, p);
	trace_words_find(m, &p->words);
	for (size_t i = 0; i < n; i++)
		write_function(p, &all[i]);
	mem_free(all);
	return p;
}

const struct graph_plan *trace_cover_graph(const struct cover_plan *p)
{
	return p->graph;
}

uint32_t trace_cover_branch(const struct cover_plan *p, LLVMValueRef end)
{
	return (uint32_t)(uintptr_t)label_map_get(&p->branches, end) - 1;
}

uint32_t trace_cover_target(const struct cover_plan *p, LLVMBasicBlockRef block)
{
	return (uint32_t)(uintptr_t)label_map_get(&p->by_target, LLVMBasicBlockAsValue(block)) - 1;
}

bool trace_cover_decides(const struct cover_plan *p, LLVMValueRef end)
{
	bool counted = trace_cover_branch(p, end) != UINT32_MAX;
	for (unsigned k = 0; !counted && LLVMIsASwitchInst(end) && k < LLVMGetNumSuccessors(end); k++)
		counted = trace_cover_target(p, LLVMGetSuccessor(end, k)) != UINT32_MAX;
	return counted;
}

// --- the counters ----------------------------------------------------------------------------

static void add_table(const struct cover_plan *p)
{
	struct buf table = {0};
	buf_number(&table, p->files.n);
	for (size_t i = 0; i < p->files.n; i++)
		buf_text(&table, p->files.v[i]);
	buf_number(&table, p->functions);
	buf_add(&table, p->table.data, p->table.len);
	trace_pages_describe(p->module, p->pages, p->count, &table, p->graph, &p->words);
	buf_release(&table);
}

struct counters {
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMTypeRef i8, i64;
	LLVMValueRef pages;
	uint32_t header;          // its size
	LLVMValueRef block, edge; // helpers that set a counter, or one of two
};

// Helpers like those of runtime/trace/inline.c, for this variant only. Volatile: the counter is set when the program
// crashes on what comes next.
static LLVMValueRef make_helper(struct counters *c, const char *name, bool edge)
{
	LLVMContextRef context = LLVMGetModuleContext(c->module);
	LLVMTypeRef params[] = {LLVMPointerTypeInContext(context, 0), LLVMInt1TypeInContext(context)};
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), params, edge ? 2 : 1, 0);
	LLVMValueRef f = LLVMAddFunction(c->module, name, type);
	unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
	LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, always, 0));
	LLVMPositionBuilderAtEnd(c->builder, LLVMAppendBasicBlockInContext(context, f, ""));
	LLVMSetCurrentDebugLocation2(c->builder, NULL);
	LLVMValueRef at = LLVMGetParam(f, 0);
	if (edge) {
		LLVMValueRef index = LLVMBuildZExt(c->builder, LLVMGetParam(f, 1), c->i64, "");
		at = LLVMBuildInBoundsGEP2(c->builder, c->i8, at, &index, 1, "");
	}
	LLVMSetVolatile(LLVMBuildStore(c->builder, LLVMConstInt(c->i8, 1, 0), at), 1);
	LLVMBuildRetVoid(c->builder);
	return f;
}

static void count_at(struct counters *c, LLVMValueRef callee, uint32_t number, LLVMValueRef truth)
{
	assert(LLVMCountParams(callee) == (truth ? 2 : 1));
	LLVMValueRef at = LLVMConstInt(c->i64, (uint64_t)c->header + number, 0);
	LLVMValueRef args[] = {LLVMConstInBoundsGEP2(c->i8, c->pages, &at, 1), truth};
	LLVMSetCurrentDebugLocation2(c->builder, NULL);
	LLVMBuildCall2(c->builder, LLVMGlobalGetValueType(callee), callee, args, truth ? 2 : 1, "");
}

static void count_block(const struct cover_plan *p, struct counters *c, LLVMBasicBlockRef block)
{
	uintptr_t number = (uintptr_t)label_map_get(&p->blocks, LLVMBasicBlockAsValue(block));
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	if (number) {
		LLVMPositionBuilderBefore(c->builder, edges_first_instruction(block));
		count_at(c, c->block, (uint32_t)number - 1, NULL);
	}
	number = (uintptr_t)label_map_get(&p->branches, end);
	if (number && module_branches(end)) {
		LLVMPositionBuilderBefore(c->builder, end);
		count_at(c, c->edge, (uint32_t)number - 1, LLVMGetCondition(end));
	}
}

void trace_cover_insert(struct cover_plan *p)
{
	if (!p->count)
		return;
	LLVMContextRef context = p->module->context;
	struct counters c = {.module = p->module->module,
	                     .builder = LLVMCreateBuilderInContext(context),
	                     .i8 = LLVMInt8TypeInContext(context),
	                     .i64 = LLVMInt64TypeInContext(context),
	                     .pages = trace_pages_make(p->module, p->count, p->paths != NULL),
	                     .header = p->paths ? sizeof(struct cover_segments) : sizeof(struct cover_unit)};
	p->pages = c.pages;
	c.block = make_helper(&c, "__veer_h_cover", false);
	c.edge = make_helper(&c, "__veer_h_cover_side", true);
	for (LLVMValueRef f = LLVMGetFirstFunction(c.module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			count_block(p, &c, b);
	for (size_t k = 0; k < p->targets.n; k++) {
		LLVMPositionBuilderBefore(c.builder, edges_first_instruction(LLVMValueAsBasicBlock(p->targets.v[k])));
		count_at(&c, c.block, p->target_numbers[k], NULL);
	}
	LLVMDisposeBuilder(c.builder);
	trace_graph_name_calls(p->graph);
	if (p->paths)
		trace_paths_insert(p->paths, c.module);
	add_table(p);
}

// Libraries that are loaded later tell the runtime by themselves.
void trace_cover_finish(struct tracer *t, const struct cover_plan *p)
{
	if (!p->count)
		return;
	if (p->paths)
		trace_paths_finish(p->paths, p->pages);
	LLVMTypeRef nothing = LLVMVoidTypeInContext(t->context), params[] = {t->pointer, t->pointer};
	LLVMTypeRef type = LLVMFunctionType(nothing, params, 2, 0);
	LLVMValueRef entry = LLVMAddFunction(t->module, "__veer_t_cover", type), bounds[2];
	static const char *const names[] = {"__start_" COVER_SECTION, "__stop_" COVER_SECTION};
	for (int i = 0; i < 2; i++) {
		bounds[i] = LLVMAddGlobal(t->module, LLVMInt8TypeInContext(t->context), names[i]);
		LLVMSetVisibility(bounds[i], LLVMHiddenVisibility);
	}
	LLVMValueRef function = LLVMAddFunction(t->module, "veer.covers", LLVMFunctionType(nothing, NULL, 0, 0));
	LLVMSetLinkage(function, LLVMInternalLinkage);
	LLVMPositionBuilderAtEnd(t->builder, LLVMAppendBasicBlockInContext(t->context, function, ""));
	LLVMSetCurrentDebugLocation2(t->builder, NULL);
	LLVMBuildCall2(t->builder, type, entry, bounds, 2, "");
	LLVMBuildRetVoid(t->builder);
	tracer_run_at_start(t, function);
}

void trace_cover_free(struct cover_plan *p)
{
	buf_release(&p->table);
	strv_release(&p->files);
	mem_free(p->blocks.slots);
	mem_free(p->branches.slots);
	mem_free(p->targets.v);
	mem_free(p->target_numbers);
	mem_free(p->by_target.slots);
	strv_release(&p->words);
	if (p->graph)
		trace_graph_free(p->graph);
	if (p->paths)
		trace_paths_free(p->paths);
	mem_free(p);
}
