// Frames: the parameters and locals of functions, as structures.
#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "instrument/dwarf.h"
#include "instrument/shapes_internal.h"
#include "instrument/variables.h"

struct local {
	LLVMValueRef place, node; // place: NULL for a parameter that has none
	uint32_t function;
	unsigned parameter; // its position, from 1; 0: it is none
	unsigned line;
	size_t found;      // how many others were found before
	LLVMValueRef type; // the variable's, or what it is in truth
};

struct finder {
	struct shapes *s;
	struct shapes_map positions; // of parameters, by node
	struct local *v;
	size_t n, cap;
};

// Which variables are parameters. Before anything makes calls of the records of debug information: with a user, a node
// is printed with the numbers of the whole module, which takes long.
static void find_parameters(struct finder *f, LLVMValueRef function)
{
	LLVMMetadataRef own = LLVMGetSubprogram(function);
	LLVMValueRef list = own ? dwarf_operand(LLVMMetadataAsValue(f->s->m->context, own), NODE_RETAINED) : NULL;
	for (unsigned i = 0; i < dwarf_operands(list); i++) {
		LLVMValueRef node = dwarf_operand(list, i);
		char *text = shapes_printed(node), *at = strstr(text, "arg: ");
		while (at && at[-1] != ' ' && at[-1] != '(')
			at = strstr(at + 1, "arg: ");
		if (at)
			shapes_map_set(&f->positions, shapes_key(LLVMValueAsMetadata(node)),
			               (uint32_t)strtoul(at + strlen("arg: "), NULL, 10));
		LLVMDisposeMessage(text);
	}
}

static LLVMValueRef function_of(LLVMValueRef place)
{
	if (LLVMIsAInstruction(place))
		return LLVMGetBasicBlockParent(LLVMGetInstructionParent(place));
	return LLVMIsAArgument(place) ? LLVMGetParamParent(place) : NULL;
}

// Has a size of its own that is known when the function is compiled, and it is the variable's.
static bool is_fixed(struct shapes *s, LLVMValueRef place, uint64_t size)
{
	if (LLVMIsAArgument(place))
		return size > 0;
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(s->m->module);
	return LLVMIsAAllocaInst(place) && LLVMIsAConstantInt(LLVMGetOperand(place, 0)) && size > 0 &&
	       LLVMABISizeOfType(layout, LLVMGetAllocatedType(place)) >= size;
}

static void add_local(LLVMValueRef place, LLVMValueRef node, void *opaque)
{
	struct finder *f = opaque;
	LLVMValueRef function = function_of(place);
	uint32_t number = function ? shapes_function(f->s, function) : SHAPES_NONE;
	if (number == SHAPES_NONE)
		return;
	LLVMMetadataRef m = LLVMValueAsMetadata(node);
	uint32_t position = shapes_map_get(&f->positions, shapes_key(m));
	vec_reserve(f, 1);
	f->v[f->n] = (struct local){.place = place,
	                            .node = node,
	                            .function = number,
	                            .parameter = position == SHAPES_NONE ? 0 : position,
	                            .line = LLVMDIVariableGetLine(m),
	                            .found = f->n};
	f->n++;
}

static int compare(const void *a, const void *b)
{
	const struct local *x = a, *y = b;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->parameter != y->parameter) // 0, a local, comes last
		return x->parameter - 1 < y->parameter - 1 ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->found > y->found ? -1 : x->found < y->found; // uses are listed from the last to the first
}

// --- one frame ------------------------------------------------------------------------------------

struct frame {
	struct shapes *s;
	uint32_t function;
	struct shape_field *fields;
	LLVMValueRef *places;
	uint32_t n;
	uint64_t size, align;
};

static bool has_name(const struct frame *f, uint32_t name)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (f->fields[i].name == name)
			return true;
	return false;
}

static uint32_t unique_name(struct frame *f, uint32_t name, unsigned line)
{
	while (name && has_name(f, name)) {
		char *text = mem_printf("%s@%u", shapes_text(f->s, name), line);
		name = shapes_string(f->s, text, strlen(text));
		mem_free(text);
	}
	return name;
}

static void push(struct frame *f, struct shape_field field, LLVMValueRef place, unsigned line)
{
	const struct shape_type *t = &f->s->types[field.type];
	uint64_t align = t->align ? t->align : 1;
	f->align = align > f->align ? align : f->align;
	f->size = (f->size + align - 1) / align * align;
	field.offset = (int64_t)f->size;
	field.name = unique_name(f, field.name, line);
	f->size += t->size;
	f->places = mem_resize(f->places, (f->n + 1) * sizeof(LLVMValueRef));
	f->places[f->n] = place;
	shapes_push_field(&f->fields, &f->n, field);
	if (place)
		shapes_map_set(&f->s->places, shapes_key(place), f->n - 1);
}

// Parameters without a name have no variable: what is known of them is the function's type.
static void push_parameters(struct frame *f, struct local **v, const struct local *end)
{
	struct shapes *s = f->s;
	uint32_t type = s->functions[f->function].type, n = s->types[type].n;
	for (uint32_t i = 1; i <= n || (*v < end && (*v)->parameter); i++) {
		if (*v < end && (*v)->parameter == i) {
			LLVMValueRef node = (*v)->node;
			struct shape_field field = shapes_field(s, dwarf_operand(node, NODE_VARIABLE_NAME), (*v)->type);
			push(f, field, (*v)->place, (*v)->line);
			while (*v < end && (*v)->parameter == i)
				(*v)++;
		} else {
			struct shape_field field =
				i <= n ? s->fields[s->types[type].first + i - 1] : (struct shape_field){0};
			field.name = 0;
			push(f, field, NULL, 0);
		}
	}
	s->functions[f->function].parameters = f->n;
}

static void make_frame(struct shapes *s, uint32_t function, struct local *v, struct local *end)
{
	struct frame f = {.s = s, .function = function, .align = 1};
	push_parameters(&f, &v, end);
	for (; v < end; v++) {
		uint64_t size = s->types[shapes_type(s, v->type)].size;
		if (is_fixed(s, v->place, size))
			push(&f, shapes_field(s, dwarf_operand(v->node, NODE_VARIABLE_NAME), v->type), v->place,
			     v->line);
	}
	const struct shape_function *own = &s->functions[function];
	char *name = mem_printf("frame of %s", shapes_text(s, own->name));
	struct shape_type type = {.size = (f.size + f.align - 1) / f.align * f.align,
	                          .name = shapes_string(s, name, strlen(name)),
	                          .align = (uint16_t)f.align,
	                          .kind = SHAPE_STRUCT,
	                          .flags = SHAPE_FRAME};
	mem_free(name);
	uint32_t number = shapes_push_type(s, type, NULL);
	shapes_take_fields(s, number, f.fields, f.n);
	s->functions[function].frame = number;
	s->bodies[function].places = f.places;
}

static LLVMValueRef type_of(void *opaque, LLVMValueRef place)
{
	const struct finder *f = opaque;
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].place == place)
			return dwarf_operand(f->v[i].node, NODE_VARIABLE_TYPE);
	return NULL;
}

static void find_types(struct finder *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct local *v = &f->v[i];
		const struct shapes_hints hints = {f->s->bodies[v->function].function, type_of, f};
		v->type = shapes_hinted(f->s, &hints, v->place, dwarf_operand(v->node, NODE_VARIABLE_TYPE));
	}
}

void shapes_collect_frames(struct shapes *s)
{
	struct finder f = {.s = s};
	for (uint32_t i = 0; i < s->n_functions; i++)
		find_parameters(&f, s->bodies[i].function);
	variables_each(s->m->module, add_local, &f);
	if (f.n)
		qsort(f.v, f.n, sizeof *f.v, compare);
	find_types(&f);
	// Types first, since where a field lies depends on the alignment of structures.
	for (size_t i = 0; i < f.n; i++)
		shapes_type(s, f.v[i].type);
	shapes_complete(s);
	size_t at = 0;
	for (uint32_t i = 0; i < s->n_functions; i++) {
		size_t end = at;
		while (end < f.n && f.v[end].function == i)
			end++;
		make_frame(s, i, f.v + at, f.v + end);
		at = end;
	}
	assert(at == f.n);
	mem_free(f.positions.slots);
	mem_free(f.v);
}
