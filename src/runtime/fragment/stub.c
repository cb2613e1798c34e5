// Calls that are replaced: what the callee would return, what it would write through its parameters, the globals that
// it or somebody it calls names, and objects that it may know otherwise, are cells of their own: callee#n,
// callee#n.parameter, callee#n:global, callee#n:*p->next, of the n-th call.
#include <stdio.h>
#include <string.h>

#include "runtime/fragment/fragment.h"

#define API __attribute__((visibility("default")))
#define LARGE __attribute__((section(".bss.veer_large")))

API void __veer_f_argument(uint32_t parameter, void *value);
API void *__veer_f_stub(const struct fragment_unit *u, uint32_t function, uint64_t size);

enum { ARGUMENTS = 32, COUNTED = 1024, BYTES = 4096, CALLS = 64 };

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
	if (size && !c)
		place_partial();
	if (!c)
		return;
	c->at = at;
	c->size = size;
	c->made = true;
	if (place_writes(c))
		fill_cell(c);
}

// What the parameter leads to, when a callee may write there; false: it may not.
static bool is_written(const struct fragment_unit *u, const struct shape_function *f, uint32_t parameter,
                       struct type *ret)
{
	struct type frame = unit_type(u, f->frame);
	const struct shape_field *field = unit_field(u, frame.is->first + parameter);
	struct type t = unit_type(u, field->type);
	if (t.is->kind != SHAPE_POINTER || (field->flags | t.is->flags) & SHAPE_CONST)
		return false;
	*ret = type_complete(type_of(t));
	return ret->is->kind != SHAPE_FUNCTION;
}

static bool is_number(const struct type t)
{
	return t.is->kind == SHAPE_INTEGER || t.is->kind == SHAPE_FLOAT || t.is->kind == SHAPE_ENUM;
}

// A made-up text keeps its end.
static bool ends_text(uint64_t end)
{
	for (uint32_t i = 0; i < n_cells; i++)
		if (cell_is_string(&cells[i]) && cells[i].made && cells[i].at + cells[i].size == end)
			return true;
	return false;
}

// Of what a parameter leads to: one structure or pointer, of text, bytes and numbers all that there is.
static void write_parameter(const char *callee, const struct fragment_unit *u, const struct shape_function *f,
                            uint32_t parameter, uint64_t at)
{
	char name[CELL_NAME];
	struct type t;
	if (!is_written(u, f, parameter, &t))
		return;
	uint64_t room = at ? place_room(at) : 0, size = t.is->size, most = room < BYTES ? room : BYTES;
	if (!size || is_number(t))
		size = size ? most / size * size : most;
	size -= size && ends_text(at + size);
	snprintf(name, sizeof name, "%s.%s", callee,
	         unit_text(u, unit_field(u, unit_type(u, f->frame).is->first + parameter)->name));
	stub_writes(name, t, at, size <= room ? size : 0);
}

// --- other objects ----------------------------------------------------------------------------------

static bool has_text(struct type t, unsigned depth)
{
	bool is = t.is->kind == SHAPE_INTEGER && t.is->size == 1;
	if (t.is->kind == SHAPE_ARRAY)
		return depth && has_text(type_of(t), depth - 1);
	for (uint32_t i = 0; (t.is->kind == SHAPE_STRUCT || t.is->kind == SHAPE_UNION) && i < t.is->n && depth; i++)
		is |= has_text(unit_type(t.unit, unit_field(t.unit, t.is->first + i)->type), depth - 1);
	return is;
}

// By what the callee and those that it calls write.
static bool may_change(const struct closure *by, const struct cell *c)
{
	enum { NESTING = 8 };
	if (c->kind != CELL_OBJECT || !c->made || c->size <= cell_is_string(c))
		return false;
	if (c->type.is->flags & SHAPE_CHARACTER)
		return by->flags & SHAPE_WRITES_TEXT;
	return by->flags & SHAPE_WRITES || !c->type.is->size ||
	       (by->flags & SHAPE_WRITES_TEXT && has_text(c->type, NESTING));
}

static bool is_argument(const struct fragment_unit *u, const struct shape_function *f, uint32_t passed,
                        const struct cell *c)
{
	struct type t;
	for (uint32_t i = 0; i < passed; i++)
		if ((uint64_t)arguments[i].value == c->at && is_written(u, f, arguments[i].parameter, &t) &&
		    (t.is->size >= c->size || is_number(t)))
			return true;
	return false;
}

// Objects that the run has come to, which the callee may know by other pointers than its arguments. Those that nobody
// has touched can be anything as it is. Past the run's first segment they stay as they are: to settle segments, only
// the first one counts.
static void write_others(const char *callee, const struct fragment_unit *u, const struct shape_function *f,
                         uint32_t passed, const struct closure *by)
{
	if (place_is_past())
		return;
	if (by->full)
		place_partial();
	for (uint32_t i = 0, n = n_cells; i < n; i++) {
		char name[CELL_NAME];
		const struct cell *c = &cells[i];
		if (!may_change(by, c) || is_argument(u, f, passed, c))
			continue;
		if (c->size > BYTES || (size_t)snprintf(name, sizeof name, "%s:%s", callee, c->name) >= sizeof name)
			place_partial();
		else
			stub_writes(name, c->type, c->at, c->size - cell_is_string(c));
	}
}

// --- globals ----------------------------------------------------------------------------------------

static void write_global(const char *callee, const struct fragment_name *n)
{
	char name[CELL_NAME];
	const struct fragment_unit *u = unit_find(n->unit);
	const struct shape_global *g = unit_global(u, n->number);
	struct type t = unit_type(u, g->type);
	void *at = u->globals[n->number];
	if (!at || g->flags & (SHAPE_GLOBAL_CONST | SHAPE_GLOBAL_LITERAL))
		return;
	if (t.is->size > BYTES) {
		place_partial();
		return;
	}
	snprintf(name, sizeof name, "%s:%s", callee, unit_text(u, g->name));
	stub_writes(name, t, (uint64_t)at, t.is->size);
}

// --- the call ---------------------------------------------------------------------------------------

API void *__veer_f_stub(const struct fragment_unit *u, uint32_t function, uint64_t size)
{
	char name[CELL_NAME];
	const struct shape_function *f = unit_function(u, function);
	uint32_t n = stub_count(u, function), passed = n_arguments;
	n_arguments = 0;
	if (!n) // a loop that nothing ends
		fragment_end();
	snprintf(name, sizeof name, "%s#%u", unit_text(u, f->name), n);
	const struct closure *by = closure_of(u, function);
	write_others(name, u, f, passed, by);
	for (uint32_t i = 0; i < passed; i++)
		write_parameter(name, u, f, arguments[i].parameter, (uint64_t)arguments[i].value);
	for (uint32_t i = 0; i < by->n_globals; i++)
		write_global(name, &by->globals[i]);
	if (!size)
		return NULL;
	struct cell *c = stub_result(name, type_of(unit_type(u, f->type)), size);
	if (!c)
		fragment_end();
	place_finish();
	return (void *)c->at;
}
