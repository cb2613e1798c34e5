// The run of a fragment, in place of main.
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/fragment/fragment.h"
#include "runtime/fragment/left.h"
#include "runtime/serve/serve.h"

#define API __attribute__((visibility("default")))

API void *__veer_f_enter(const struct fragment_unit *u, uint32_t function, uint32_t marker);
API void __veer_f_result(const struct fragment_unit *u, uint32_t function, const void *result);

const struct fragment_entry *fragment;
static struct cell *frame;

void fragment_fail(const char *why)
{
	dprintf(2, "veer: cannot enter the fragment: %s\n", why);
	_exit(127);
}

static const struct fragment_name *names(void)
{
	return (const struct fragment_name *)(fragment + 1);
}

// --- globals ----------------------------------------------------------------------------------------

void fragment_name_global(const struct fragment_unit *u, const struct shape_global *g, char *ret, size_t size)
{
	const char *function = unit_text(u, g->function), *name = unit_text(u, g->name);
	snprintf(ret, size, "%s%s%s", function, *function ? "." : "", name);
	for (uint32_t i = 0; i < n_cells; i++)
		if (cells[i].kind == CELL_GLOBAL && strcmp(cells[i].name, ret) == 0) {
			size_t had = strlen(ret);
			snprintf(ret + had, size - had, "@%s", unit_text(u, g->file));
			return;
		}
}

static void make_global(const struct fragment_name *n)
{
	char name[CELL_NAME];
	const struct fragment_unit *u = unit_find(n->unit);
	const struct shape_global *g = u ? unit_global(u, n->number) : NULL;
	if (!g)
		fragment_fail("the program has no such global");
	void *at = u->globals[n->number];
	struct type t = unit_type(u, g->type);
	if (!at || (g->flags & SHAPE_GLOBAL_CONST) || !t.is->size)
		return;
	fragment_name_global(u, g, name, sizeof name);
	struct cell *c = cell_add(CELL_GLOBAL, name, t, CELL_NONE);
	if (!c)
		return;
	c->at = (uint64_t)at;
	c->size = t.is->size;
	c->made = true;
	fill_cell(c);
}

// Those that the function names, and that the input does not: no run changes them.
static void check_globals(const struct fragment_unit *u, const struct shape_function *f)
{
	for (uint32_t k = 0; k < f->n_names; k++) {
		struct fragment_name n;
		if (!unit_find_global(u, unit_text(u, unit_number(u, f->names + k)), &n))
			continue;
		const struct fragment_unit *of = unit_find(n.unit);
		bool found = unit_global(of, n.number)->flags & (SHAPE_GLOBAL_CONST | SHAPE_GLOBAL_LITERAL);
		for (uint32_t i = 0; i < fragment->n_globals && !found; i++)
			found = names()[i].unit == n.unit && names()[i].number == n.number;
		if (!found)
			place_partial();
	}
}

// --- the function -----------------------------------------------------------------------------------

static void make_frame(const struct fragment_unit *u, const struct shape_function *f)
{
	frame = cell_add(CELL_FRAME, "", unit_type(u, f->frame), CELL_NONE);
	frame->size = frame->type.is->size;
	if (!place_reserve(frame))
		fragment_fail("its frame is too large");
	frame->made = true;
	place_make(frame);
	fill_cell(frame);
}

API void *__veer_f_enter(const struct fragment_unit *u, uint32_t function, uint32_t marker)
{
	(void)marker;
	*u->functions[function].mode = FRAGMENT_BODY;
	return (void *)frame->at;
}

API void __veer_f_result(const struct fragment_unit *u, uint32_t function, const void *result)
{
	left_returned(u, function, result);
	fragment_end();
}

static void make_stub(const struct fragment_name *n)
{
	const struct fragment_unit *u = unit_find(n->unit);
	const struct shape_function *f = u ? unit_function(u, n->number) : NULL;
	if (!f)
		fragment_fail("the program has no such function");
	if (!(f->flags & SHAPE_NO_STUB))
		*u->functions[n->number].mode = FRAGMENT_STUB;
}

void fragment_run(void)
{
	uint64_t size;
	fragment = launch_fragment();
	const struct fragment_unit *u = unit_find(fragment->unit);
	const struct shape_function *f = u ? unit_function(u, fragment->function) : NULL;
	if (!f || !u->functions[fragment->function].thunk || fragment->marker >= f->markers ||
	    fragment->marker > UINT8_MAX - FRAGMENT_ENTER ||
	    !unit_marker(u, f->first_marker + fragment->marker)->enters)
		fragment_fail("the program has no such function, or no such marker that runs can begin at");
	place_start();
	void *records = (void *)place_records(&size);
	cells_start(records, size);
	for (uint32_t i = 0; i < fragment->n_globals; i++) // first: what is passed may lead to them
		make_global(&names()[i]);
	make_frame(u, f);
	check_globals(u, f);
	place_finish();
	for (uint32_t i = 0; i < fragment->n_stubs; i++)
		make_stub(&names()[fragment->n_globals + i]);
	*u->functions[fragment->function].mode = (uint8_t)(FRAGMENT_ENTER + fragment->marker);
	left_start();
	left_call_thunk(u->functions[fragment->function].thunk);
	fragment_end();
}
