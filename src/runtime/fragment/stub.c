// Calls that are replaced: what the callee would return, what it would write through its parameters, and the globals
// that it or somebody it calls names, are cells of their own: callee#n, callee#n.parameter, callee#n:global, of the
// n-th call.
#include <stdio.h>
#include <string.h>

#include "runtime/fragment/fragment.h"

#define API __attribute__((visibility("default")))
#define LARGE __attribute__((section(".bss.veer_large")))

API void __veer_f_argument(uint32_t parameter, void *value);
API void *__veer_f_stub(const struct fragment_unit *u, uint32_t function, uint64_t size);

enum { ARGUMENTS = 32, COUNTED = 1024, CLOSURE = 64, WRITTEN = 32, BYTES = 4096, CALLS = 64 };

static struct {
	uint32_t parameter;
	void *value;
} arguments[ARGUMENTS] LARGE;
static uint32_t n_arguments;

API void __veer_f_argument(uint32_t parameter, void *value)
{
	if (n_arguments < ARGUMENTS) {
		arguments[n_arguments].parameter = parameter;
		arguments[n_arguments++].value = value;
	}
}

// --- how often --------------------------------------------------------------------------------------

uint32_t stub_count(const void *u, uint32_t function)
{
	static struct {
		const void *unit;
		uint32_t function, calls;
	} counts[COUNTED] LARGE;
	size_t at = ((uint64_t)u / 32 * 31 + function) % COUNTED;
	for (size_t i = 0; i < COUNTED; i++, at = (at + 1) % COUNTED) {
		if (!counts[at].unit) {
			counts[at].unit = u;
			counts[at].function = function;
		}
		if (counts[at].unit == u && counts[at].function == function)
			return counts[at].calls < CALLS ? ++counts[at].calls : 0;
	}
	return 0;
}

// --- cells ------------------------------------------------------------------------------------------

struct cell *stub_result(const char *name, struct type t, uint64_t size)
{
	struct cell *c = cell_add(CELL_RESULT, name, t, CELL_NONE);
	if (!c)
		return NULL;
	c->size = size > t.is->size ? size : t.is->size;
	if (!place_reserve(c))
		return NULL;
	c->made = true;
	place_make(c);
	fill_cell(c);
	return c;
}

void stub_writes(const char *name, struct type t, uint64_t at, uint64_t size)
{
	struct cell *c = size ? cell_add(CELL_GLOBAL, name, t, CELL_NONE) : NULL;
	if (!c)
		return;
	c->at = at;
	c->size = size;
	c->made = true;
	if (place_writes(c))
		fill_cell(c);
}

// Of what a parameter leads to: one element, of text and bytes all that there is.
static void write_parameter(const char *callee, const struct fragment_unit *u, const struct shape_function *f,
                            uint32_t parameter, uint64_t at)
{
	char name[CELL_NAME];
	struct type frame = unit_type(u, f->frame);
	const struct shape_field *field = unit_field(u, frame.is->first + parameter);
	struct type t = unit_type(u, field->type);
	if (t.is->kind != SHAPE_POINTER || (field->flags | t.is->flags) & SHAPE_CONST)
		return;
	t = type_complete(type_of(t));
	uint64_t room = at ? place_room(at) : 0, size = t.is->size;
	if (t.is->kind == SHAPE_FUNCTION)
		return;
	if (t.is->kind == SHAPE_VOID || t.is->flags & SHAPE_CHARACTER)
		size = room < BYTES ? room : BYTES;
	snprintf(name, sizeof name, "%s.%s", callee, unit_text(u, field->name));
	stub_writes(name, t, at, size <= room ? size : 0);
}

// --- globals ----------------------------------------------------------------------------------------

struct closure {
	struct fragment_name functions[CLOSURE], globals[WRITTEN];
	uint32_t n_functions, n_globals;
};

static void add_once(struct fragment_name *v, uint32_t *n, uint32_t most, struct fragment_name name)
{
	for (uint32_t i = 0; i < *n; i++)
		if (v[i].unit == name.unit && v[i].number == name.number)
			return;
	if (*n < most)
		v[(*n)++] = name;
}

// The nearest functions that are called, and the globals that they name.
static void collect(struct closure *c, const struct fragment_unit *u, uint32_t function)
{
	struct fragment_name found;
	c->functions[c->n_functions++] = (struct fragment_name){u->shapes->unit, function, 0};
	for (uint32_t i = 0; i < c->n_functions; i++) {
		const struct fragment_unit *of = unit_find(c->functions[i].unit);
		const struct shape_function *f = unit_function(of, c->functions[i].number);
		for (uint32_t k = 0; k < f->n_names; k++)
			if (unit_find_global(of, unit_text(of, unit_number(of, f->names + k)), &found))
				add_once(c->globals, &c->n_globals, WRITTEN, found);
		for (uint32_t k = 0; k < f->n_callees; k++)
			if (unit_find_function(of, unit_text(of, unit_number(of, f->callees + k)), &found))
				add_once(c->functions, &c->n_functions, CLOSURE, found);
	}
}

static void write_global(const char *callee, const struct fragment_name *n)
{
	char name[CELL_NAME];
	const struct fragment_unit *u = unit_find(n->unit);
	const struct shape_global *g = unit_global(u, n->number);
	struct type t = unit_type(u, g->type);
	void *at = u->globals[n->number];
	if (!at || g->flags & (SHAPE_GLOBAL_CONST | SHAPE_GLOBAL_LITERAL) || t.is->size > BYTES)
		return;
	snprintf(name, sizeof name, "%s:%s", callee, unit_text(u, g->name));
	stub_writes(name, t, (uint64_t)at, t.is->size);
}

// --- the call ---------------------------------------------------------------------------------------

API void *__veer_f_stub(const struct fragment_unit *u, uint32_t function, uint64_t size)
{
	char name[CELL_NAME];
	static struct closure closure LARGE;
	const struct shape_function *f = unit_function(u, function);
	uint32_t n = stub_count(u, function), passed = n_arguments;
	n_arguments = 0;
	if (!n) // a loop that nothing ends
		fragment_end();
	snprintf(name, sizeof name, "%s#%u", unit_text(u, f->name), n);
	for (uint32_t i = 0; i < passed; i++)
		write_parameter(name, u, f, arguments[i].parameter, (uint64_t)arguments[i].value);
	memset(&closure, 0, sizeof closure);
	collect(&closure, u, function);
	for (uint32_t i = 0; i < closure.n_globals; i++)
		write_global(name, &closure.globals[i]);
	if (!size)
		return NULL;
	struct cell *c = stub_result(name, type_of(unit_type(u, f->type)), size);
	if (!c)
		fragment_end();
	place_finish();
	return (void *)c->at;
}
