#include "instrument/shapes.h"

#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "base/mem.h"
#include "instrument/shapes_internal.h"

// --- collecting -----------------------------------------------------------------------------------

static void collect_unit(struct shapes *s)
{
	static const char units[] = "llvm.dbg.cu";
	unsigned n = LLVMGetNamedMetadataNumOperands(s->m->module, units), size = 0;
	LLVMValueRef *all = mem_zero((n + 1) * sizeof *all);
	LLVMGetNamedMetadataOperands(s->m->module, units, all);
	LLVMMetadataRef file = n ? LLVMDIScopeGetFile(LLVMValueAsMetadata(all[0])) : NULL;
	const char *text = file ? LLVMDIFileGetFilename(file, &size) : NULL;
	s->file = shapes_string(s, text, size);
	text = file ? LLVMDIFileGetDirectory(file, &size) : NULL;
	s->directory = shapes_string(s, text, size);
	mem_free(all);
}

static struct shapes *collect(struct module *m, bool frames)
{
	struct shapes *s = mem_zero(sizeof *s);
	s->m = m;
	buf_addch(&s->strings, 0);
	shapes_push_type(s, (struct shape_type){.kind = SHAPE_VOID, .align = 1}, NULL);
	collect_unit(s);
	shapes_collect_globals(s);
	shapes_collect_functions(s);
	if (frames)
		shapes_collect_frames(s);
	shapes_complete(s);
	shapes_name_types(s);
	return s;
}

struct shapes *shapes_collect(struct module *m)
{
	return collect(m, true);
}

struct shapes *shapes_collect_code(struct module *m)
{
	return collect(m, false);
}

void shapes_free(struct shapes *s)
{
	for (uint32_t i = 0; i < s->n_functions; i++) {
		mem_free(s->bodies[i].places);
		mem_free(s->bodies[i].markers);
		mem_free(s->bodies[i].live.v);
	}
	buf_release(&s->strings);
	void *const all[] = {s->types,
	                     s->fields,
	                     s->functions,
	                     s->bodies,
	                     s->globals,
	                     s->global_values,
	                     s->numbers.v,
	                     s->pending.v,
	                     s->nodes,
	                     s->string_index.slots,
	                     s->type_index.slots,
	                     s->places.slots,
	                     s->values.slots};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		mem_free(all[i]);
	mem_free(s);
}

// --- looking up -----------------------------------------------------------------------------------

uint32_t shapes_functions(const struct shapes *s)
{
	return s->n_functions;
}

LLVMValueRef shapes_function_at(const struct shapes *s, uint32_t function)
{
	assert(function < s->n_functions);
	return s->bodies[function].function;
}

uint32_t shapes_function(const struct shapes *s, LLVMValueRef function)
{
	return LLVMIsAFunction(function) ? shapes_map_get(&s->values, shapes_key(function)) : SHAPES_NONE;
}

uint32_t shapes_function_flags(const struct shapes *s, uint32_t function)
{
	assert(function < s->n_functions);
	return s->functions[function].flags;
}

static const struct shape_type *frame_of(const struct shapes *s, uint32_t function)
{
	assert(function < s->n_functions);
	return &s->types[s->functions[function].frame];
}

uint64_t shapes_frame_size(const struct shapes *s, uint32_t function)
{
	return frame_of(s, function)->size;
}

uint32_t shapes_frame_fields(const struct shapes *s, uint32_t function)
{
	return frame_of(s, function)->n;
}

uint32_t shapes_parameters(const struct shapes *s, uint32_t function)
{
	assert(function < s->n_functions);
	return s->functions[function].parameters;
}

struct shapes_place shapes_frame_field(const struct shapes *s, uint32_t function, uint32_t field)
{
	const struct shape_type *frame = frame_of(s, function);
	assert(field < frame->n);
	const struct shape_field *f = &s->fields[frame->first + field];
	return (struct shapes_place){.function = function,
	                             .field = field,
	                             .offset = (uint64_t)f->offset,
	                             .size = s->types[f->type].size,
	                             .place = s->bodies[function].places[field]};
}

bool shapes_place(const struct shapes *s, LLVMValueRef place, struct shapes_place *ret)
{
	uint32_t field = shapes_map_get(&s->places, shapes_key(place));
	if (field == SHAPES_NONE)
		return false;
	LLVMValueRef function = LLVMIsAArgument(place) ? LLVMGetParamParent(place)
	                                               : LLVMGetBasicBlockParent(LLVMGetInstructionParent(place));
	*ret = shapes_frame_field(s, shapes_function(s, function), field);
	return true;
}

uint32_t shapes_globals(const struct shapes *s)
{
	return s->n_globals;
}

LLVMValueRef shapes_global_at(const struct shapes *s, uint32_t global)
{
	assert(global < s->n_globals);
	return s->global_values[global];
}

uint32_t shapes_global(const struct shapes *s, LLVMValueRef global)
{
	return LLVMIsAGlobalVariable(global) ? shapes_map_get(&s->values, shapes_key(global)) : SHAPES_NONE;
}

// --- filling in -----------------------------------------------------------------------------------

void shapes_restrict(struct shapes *s, uint32_t function, uint32_t flags, const char *reason)
{
	assert(function < s->n_functions);
	struct shape_function *f = &s->functions[function];
	f->flags |= flags;
	if (!f->reason && reason)
		f->reason = shapes_string(s, reason, strlen(reason));
}

void shapes_marker(struct shapes *s, uint32_t function, const struct shape_marker *marker, const uint32_t *live,
                   uint32_t n_live)
{
	assert(function < s->n_functions);
	struct shapes_body *body = &s->bodies[function];
	struct shape_marker own = *marker;
	own.live = body->live.n;
	own.n_live = n_live;
	for (uint32_t i = 0; i < n_live; i++) {
		assert(live[i] < frame_of(s, function)->n);
		shapes_list_push(&body->live, live[i]);
	}
	body->markers = mem_resize(body->markers, (body->n_markers + 1) * sizeof own);
	body->markers[body->n_markers++] = own;
}

// --- the block ------------------------------------------------------------------------------------

// The markers of a function, and its description with them.
static struct shape_function with_markers(const struct shapes *s, uint32_t function, struct buf *markers,
                                          struct shapes_list *numbers)
{
	struct shape_function f = s->functions[function];
	const struct shapes_body *body = &s->bodies[function];
	uint32_t first = numbers->n;
	f.first_marker = (uint32_t)(markers->len / sizeof(struct shape_marker));
	f.markers = body->n_markers;
	for (uint32_t i = 0; i < body->live.n; i++)
		shapes_list_push(numbers, body->live.v[i]);
	for (uint32_t i = 0; i < body->n_markers; i++) {
		struct shape_marker m = body->markers[i];
		m.live += first;
		buf_add(markers, &m, sizeof m);
	}
	if (!body->n_markers && !(f.flags & SHAPE_NEVER)) {
		const struct shape_marker entry = {.kind = SHAPE_AT_ENTRY, .line = f.line, .enters = 1};
		buf_add(markers, &entry, sizeof entry);
		f.markers = 1;
	}
	return f;
}

void shapes_block(const struct shapes *s, struct buf *out)
{
	struct buf functions = {0}, markers = {0}, strings = {0};
	struct shapes_list numbers = {0};
	for (uint32_t i = 0; i < s->numbers.n; i++)
		shapes_list_push(&numbers, s->numbers.v[i]);
	for (uint32_t i = 0; i < s->n_functions; i++) {
		struct shape_function f = with_markers(s, i, &markers, &numbers);
		buf_add(&functions, &f, sizeof f);
	}
	if (numbers.n % 2)
		shapes_list_push(&numbers, 0);
	buf_add(&strings, s->strings.data, s->strings.len);
	while (strings.len % 8)
		buf_addch(&strings, 0);
	const struct part {
		const void *data;
		size_t size;
	} parts[] = {
		{s->types, s->n_types * sizeof *s->types},
		{s->fields, s->n_fields * sizeof *s->fields},
		{functions.data, functions.len},
		{markers.data, markers.len},
		{s->globals, s->n_globals * sizeof *s->globals},
		{numbers.v, numbers.n * sizeof *numbers.v},
		{strings.data, strings.len},
	};
	struct shape_unit head = {.magic = SHAPE_MAGIC,
	                          .unit = s->m->hash.low,
	                          .size = sizeof head,
	                          .n_types = s->n_types,
	                          .n_fields = s->n_fields,
	                          .n_functions = s->n_functions,
	                          .n_markers = (uint32_t)(markers.len / sizeof(struct shape_marker)),
	                          .n_globals = s->n_globals,
	                          .n_numbers = numbers.n,
	                          .n_strings = (uint32_t)strings.len,
	                          .file = s->file,
	                          .directory = s->directory};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		head.size += parts[i].size;
	assert(head.size % 8 == 0);
	buf_add(out, &head, sizeof head);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		buf_add(out, parts[i].data, parts[i].size);
	buf_release(&functions);
	buf_release(&markers);
	buf_release(&strings);
	mem_free(numbers.v);
}

LLVMValueRef shapes_emit(const struct shapes *s)
{
	struct buf block = {0};
	shapes_block(s, &block);
	LLVMValueRef bytes = LLVMConstStringInContext(s->m->context, block.data, (unsigned)block.len, 1);
	LLVMValueRef global = LLVMAddGlobal(s->m->module, LLVMTypeOf(bytes), "__veer_shapes");
	LLVMSetInitializer(global, bytes);
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(global, 1);
	LLVMSetSection(global, SHAPE_SECTION);
	LLVMSetAlignment(global, 8);
	buf_release(&block);
	return global;
}
