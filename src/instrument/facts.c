#include "instrument/facts.h"

#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "base/mem.h"
#include "instrument/dwarf.h"
#include "instrument/facts_internal.h"
#include "instrument/shapes_internal.h"
#include "instrument/undefined.h"
#include "instrument/variables.h"

struct collector {
	struct module *m;
	struct shapes *shapes;
	LLVMTargetDataRef layout;
	struct facts_names names; // of local variables
	struct buf *out;
};

// --- hashes ---------------------------------------------------------------------------------------

static uint64_t take_hash(struct facts_key *k)
{
	uint64_t hash = hash_bytes(k->bytes.data, k->bytes.len).low;
	buf_release(&k->bytes);
	return hash;
}

static uint64_t hash_function(const struct collector *c, LLVMValueRef function, enum facts_hash kind,
                              struct strv *symbols)
{
	struct facts_key key = {.shapes = c->shapes,
	                        .layout = c->layout,
	                        .by_name = kind == FACTS_NAMED,
	                        .silent = kind == FACTS_SILENT,
	                        .symbols = symbols};
	facts_add_function(&key, function);
	return take_hash(&key);
}

static uint64_t hash_global(const struct collector *c, LLVMValueRef global, bool by_name, struct strv *symbols)
{
	struct facts_key key = {.shapes = c->shapes, .layout = c->layout, .by_name = by_name, .symbols = symbols};
	LLVMValueRef value = LLVMGetInitializer(global);
	facts_add_type(&key, LLVMGlobalGetValueType(global));
	if (value)
		facts_add_constant(&key, value);
	return take_hash(&key);
}

// --- parts ----------------------------------------------------------------------------------------

static void add_strings(struct buf *out, const struct strv *strings)
{
	buf_u32(out, (uint32_t)strings->n);
	for (size_t i = 0; i < strings->n; i++)
		buf_string(out, strings->v[i]);
}

static void add_listed(const struct collector *c, uint32_t first, uint32_t n)
{
	assert(first <= c->shapes->numbers.n && n <= c->shapes->numbers.n - first);
	buf_u32(c->out, n);
	for (uint32_t i = 0; i < n; i++)
		buf_string(c->out, shapes_text(c->shapes, c->shapes->numbers.v[first + i]));
}

static void add_string(const struct collector *c, uint32_t string)
{
	buf_string(c->out, shapes_text(c->shapes, string));
}

// What was read of a function's code, before passes change it.
struct code {
	uint64_t hashes[FACTS_HASHES];
	struct strv symbols;
	struct buf blocks;
};

static void read_code(const struct collector *c, LLVMValueRef function, struct code *ret)
{
	for (int kind = FACTS_PLAIN; kind < FACTS_REDUCED; kind++) {
		struct strv again = {0}; // the same
		ret->hashes[kind] = hash_function(c, function, (enum facts_hash)kind,
		                                  kind == FACTS_PLAIN    ? &ret->symbols
		                                  : kind == FACTS_SILENT ? &again
		                                                         : NULL);
		strv_release(&again);
	}
	facts_add_blocks(c->shapes, c->layout, &c->names, function, &ret->blocks);
}

static void add_function(const struct collector *c, const struct shape_function *f, const struct code *code)
{
	assert(f->type < c->shapes->n_types);
	add_string(c, f->name);
	add_string(c, f->symbol);
	add_string(c, f->file);
	buf_u32(c->out, f->line);
	buf_u32(c->out, f->flags);
	buf_u64(c->out, c->shapes->types[f->type].hash);
	add_string(c, f->signature);
	for (int kind = 0; kind < FACTS_HASHES; kind++)
		buf_u64(c->out, code->hashes[kind]);
	add_strings(c->out, &code->symbols);
	add_listed(c, f->callees, f->n_callees);
	add_listed(c, f->calls, f->n_calls);
	add_listed(c, f->names, f->n_names);
	add_listed(c, f->addresses, f->n_addresses);
	buf_add(c->out, code->blocks.data, code->blocks.len);
}

// Those that the unit defines, literals left out: they count where they are used.
static bool is_data(const struct collector *c, uint32_t global)
{
	LLVMValueRef v = c->shapes->global_values[global];
	return !LLVMIsDeclaration(v) && LLVMGetLinkage(v) != LLVMPrivateLinkage;
}

static void add_global(const struct collector *c, uint32_t number)
{
	const struct shape_global *g = &c->shapes->globals[number];
	LLVMValueRef v = c->shapes->global_values[number];
	assert(number < c->shapes->n_globals && g->type < c->shapes->n_types);
	struct strv symbols = {0};
	add_string(c, g->name);
	add_string(c, g->symbol);
	add_string(c, g->function);
	add_string(c, g->file);
	buf_u32(c->out, g->line);
	buf_u32(c->out, g->flags);
	buf_u64(c->out, c->shapes->types[g->type].hash);
	buf_u64(c->out, hash_global(c, v, false, &symbols));
	buf_u64(c->out, hash_global(c, v, true, NULL));
	add_strings(c->out, &symbols);
	add_listed(c, g->addresses, g->n_addresses);
	add_listed(c, g->names, g->n_names);
	strv_release(&symbols);
}

static bool is_tagged(const struct shape_type *t)
{
	return t->name && (t->kind == SHAPE_STRUCT || t->kind == SHAPE_UNION || t->kind == SHAPE_ENUM);
}

static void add_type(const struct collector *c, const struct shape_type *t)
{
	add_string(c, t->name);
	buf_u64(c->out, t->hash);
	buf_u64(c->out, t->size);
	buf_u32(c->out, t->kind);
	buf_u32(c->out, t->n);
	for (uint32_t i = 0; i < t->n; i++) {
		const struct shape_field *f = &c->shapes->fields[t->first + i];
		add_string(c, f->name);
		add_string(c, f->spelling);
		buf_u64(c->out, (uint64_t)f->offset);
		buf_u64(c->out, t->kind == SHAPE_ENUM ? 0 : c->shapes->types[f->type].hash);
	}
}

// --- the unit -------------------------------------------------------------------------------------

static void name_variable(LLVMValueRef place, LLVMValueRef node, void *opaque)
{
	struct collector *c = opaque;
	LLVMValueRef name = dwarf_operand(node, NODE_VARIABLE_NAME);
	unsigned size = 0;
	const char *text = name && LLVMIsAMDString(name) ? LLVMGetMDString(name, &size) : NULL;
	if (!place || !LLVMIsAAllocaInst(place) || !size)
		return;
	struct facts_name *slot = facts_names_put(&c->names, place);
	slot->text = text;
	slot->size = size;
}

// instcombine ends the process where it is not done after one round, unless an option says that this is fine.
#define PASSES                                                                                                         \
	"function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,reassociate,gvn,"                         \
	"instcombine<no-verify-fixpoint>,simplifycfg)"

static int reduce(struct collector *c, struct code *code, struct err *err)
{
	undefined_define(c->m->module);
	if (module_run_passes(c->m, PASSES, err) < 0)
		return -1;
	for (uint32_t i = 0; i < c->shapes->n_functions; i++)
		code[i].hashes[FACTS_REDUCED] = hash_function(c, c->shapes->bodies[i].function, FACTS_REDUCED, NULL);
	return 0;
}

static void add_unit(const struct collector *c, bool reduced, const struct code *code)
{
	const struct shapes *s = c->shapes;
	uint32_t n = 0;
	buf_u64(c->out, FACTS_MAGIC);
	buf_u32(c->out, reduced);
	add_string(c, s->file);
	add_string(c, s->directory);
	buf_u32(c->out, s->n_functions);
	for (uint32_t i = 0; i < s->n_functions; i++)
		add_function(c, &s->functions[i], &code[i]);
	for (uint32_t i = 0; i < s->n_globals; i++)
		n += is_data(c, i);
	buf_u32(c->out, n);
	for (uint32_t i = 0; i < s->n_globals; i++)
		if (is_data(c, i))
			add_global(c, i);
	n = 0;
	for (uint32_t i = 0; i < s->n_types; i++)
		n += is_tagged(&s->types[i]);
	buf_u32(c->out, n);
	for (uint32_t i = 0; i < s->n_types; i++)
		if (is_tagged(&s->types[i]))
			add_type(c, &s->types[i]);
}

int facts_list(struct module *m, bool reduced, struct buf *ret, struct err *err)
{
	struct collector c = {
		.m = m, .shapes = shapes_collect_code(m), .layout = LLVMGetModuleDataLayout(m->module), .out = ret};
	variables_each(m->module, name_variable, &c);
	facts_drop_checks(m->module);
	struct code *code = mem_zero((c.shapes->n_functions + 1) * sizeof *code);
	for (uint32_t i = 0; i < c.shapes->n_functions; i++)
		read_code(&c, c.shapes->bodies[i].function, &code[i]);
	int r = reduced ? reduce(&c, code, err) : 0;
	if (r == 0)
		add_unit(&c, reduced, code);
	for (uint32_t i = 0; i < c.shapes->n_functions; i++) {
		strv_release(&code[i].symbols);
		buf_release(&code[i].blocks);
	}
	mem_free(code);
	facts_names_release(&c.names);
	shapes_free(c.shapes);
	return r;
}
