// A probed run: a whole run, of main, that puts into the trace, at each call of a function, what the cells of the input
// would be in that call: those that the input names, as far as the parameters, globals and pointers of the call lead
// there. A cell of the n-th call is an input of the trace named "n!NAME"; of a pointer, the first byte says
// what it leads to, as in abi/fragment.h. What of it depends on the run's input are events of kind PROBED.
#include <stdio.h>
#include <string.h>

#include "runtime/fragment/fragment.h"
#include "runtime/serve/serve.h"
#include "runtime/trace/rt.h"

#define API __attribute__((visibility("default")))

API void *__veer_f_probe(const struct fragment_unit *u, uint32_t function);
API void __veer_f_probed(const struct fragment_unit *u, uint32_t function);

enum { CALLS = 8, GLOBALS = 256, WORDS = 8 * sizeof(uint64_t) };

static const struct fragment_entry *entry;
static const struct shape_function *probed;
static char *frame; // where the call's parameters are copied to
static uint32_t calls;

// A bit for each word of the cell that is being shown: a pointer, whose labels say nothing of what it leads to.
static uint8_t pointers[FRAGMENT_OBJECT_MAX / WORDS + 1] RT_LARGE;

// What a pointer of a global was before main: FRAGMENT_KEEP means that.
static struct {
	uint64_t at, size;
	char *bytes;
} starts[GLOBALS] RT_LARGE;
static uint32_t n_starts;

static const struct fragment_name *names(void)
{
	return (const struct fragment_name *)(entry + 1);
}

// --- what pointers lead to --------------------------------------------------------------------------

static bool is_as_at_start(uint64_t at, uint64_t value)
{
	uint64_t was;
	for (uint32_t i = 0; i < n_starts; i++)
		if (at - starts[i].at < starts[i].size && starts[i].size - (at - starts[i].at) >= sizeof was) {
			memcpy(&was, starts[i].bytes + (at - starts[i].at), sizeof was);
			return was == value;
		}
	return false;
}

static struct cell *find_cell(uint64_t at, struct type to)
{
	for (uint32_t i = 0; i < n_cells; i++)
		if (cells[i].at == at && cells[i].kind != CELL_FRAME && cells[i].type.is->hash == to.is->hash)
			return &cells[i];
	return NULL;
}

static int function_at(struct type to, uint64_t address)
{
	struct taken f;
	for (uint32_t i = 0; unit_taken(to.is->hash, i, &f) && FRAGMENT_CELL + i <= FRAGMENT_KEEP; i++)
		if ((uint64_t)f.address == address)
			return i ? (int)(FRAGMENT_CELL + i - 1) : FRAGMENT_NEW;
	return FRAGMENT_NEW;
}

// The object that it leads to becomes a cell, if the input has one there and something is known of the memory.
static void follow(const struct cell *in, struct type to, uint64_t address, const char *place)
{
	char name[CELL_NAME];
	struct rt_object o;
	uint64_t wanted;
	if ((size_t)snprintf(name, sizeof name, "*%s", place) >= sizeof name || !rt_object_find(address, &o) ||
	    address - o.base >= o.size)
		return;
	struct cell *c = cell_add(CELL_OBJECT, name, to, (uint32_t)(in - cells));
	if (!c)
		return;
	if (!c->record) { // no part of what is asked for
		n_cells--;
		return;
	}
	cell_given(c, &wanted);
	c->at = address;
	c->size = o.base + o.size - address < wanted ? o.base + o.size - address : wanted;
}

static uint8_t choice_of(struct cell *c, struct type to, uint64_t offset, uint64_t value, const char *place)
{
	uint64_t given;
	const uint8_t *bytes = cell_given(c, &given);
	bool keeps = c->kind == CELL_GLOBAL && offset < given && bytes[offset] == FRAGMENT_KEEP;
	if (keeps && is_as_at_start(c->at + offset, value))
		return FRAGMENT_KEEP;
	if (!value)
		return FRAGMENT_NULL;
	if (to.is->kind == SHAPE_FUNCTION)
		return (uint8_t)function_at(to, value);
	struct cell *known = find_cell(value, to);
	if (!known) {
		follow(c, to, value, place);
		return FRAGMENT_NEW;
	}
	uint32_t number = cell_number(known);
	return number + FRAGMENT_CELL < FRAGMENT_KEEP ? (uint8_t)(FRAGMENT_CELL + number) : FRAGMENT_NEW;
}

void probe_pointer(struct cell *c, struct type to, uint64_t offset, const char *place)
{
	uint64_t value;
	memcpy(&value, (const void *)(c->at + offset), sizeof value);
	label_given(c, offset, choice_of(c, to, offset, value, place));
	for (uint64_t i = 1; i < sizeof value; i++)
		label_given(c, offset + i, 0);
	if (offset < FRAGMENT_OBJECT_MAX)
		pointers[offset / WORDS] |= (uint8_t)(1u << offset / 8 % 8);
}

// --- a call -----------------------------------------------------------------------------------------

static void add_global(const struct fragment_name *n)
{
	char name[CELL_NAME];
	const struct fragment_unit *u = unit_find(n->unit);
	const struct shape_global *g = u ? unit_global(u, n->number) : NULL;
	if (!g || !u->globals[n->number])
		return;
	fragment_name_global(u, g, name, sizeof name);
	struct cell *c = cell_add(CELL_GLOBAL, name, unit_type(u, g->type), CELL_NONE);
	if (!c)
		return;
	c->at = (uint64_t)u->globals[n->number];
	c->size = c->type.is->size;
}

static bool is_pointer(uint64_t offset)
{
	return offset < FRAGMENT_OBJECT_MAX && pointers[offset / WORDS] >> offset / 8 % 8 & 1;
}

static void show_labels(const struct cell *c)
{
	for (uint64_t i = 0; i < c->size && rt_any(c->at, c->size); i++) {
		label l = is_pointer(i) ? 0 : rt_load(c->at + i, 1);
		struct trace_event e = {.cell = {c->input, (uint32_t)i}};
		if (l)
			rt_event(EVENT_PROBED, NULL, l, e.value);
	}
}

static void show_cell(struct cell *c)
{
	char name[CELL_NAME + 16];
	snprintf(name, sizeof name, "%u!%s", calls, c->name);
	c->input = rt_input(input_source(INPUT_CELL, INPUT_BYTES, 0, name), (const void *)c->at, c->size, 0);
	if (c->input >= RT_NO_INPUT)
		return;
	memset(pointers, 0, (c->size < FRAGMENT_OBJECT_MAX ? c->size : FRAGMENT_OBJECT_MAX) / WORDS + 1);
	fill_probe(c, entry);
	show_labels(c);
}

void *__veer_f_probe(const struct fragment_unit *u, uint32_t number)
{
	(void)u, (void)number;
	return frame;
}

void __veer_f_probed(const struct fragment_unit *u, uint32_t number)
{
	const struct trace_event begin = {.cell = {UINT32_MAX, ++calls}};
	rt_event(EVENT_PROBED, NULL, 0, begin.value);
	cells_clear();
	for (uint32_t i = 0; i < entry->n_globals; i++)
		add_global(&names()[i]);
	struct cell *c = cell_add(CELL_FRAME, "", unit_type(u, probed->frame), CELL_NONE);
	c->at = (uint64_t)frame;
	c->size = c->type.is->size;
	for (uint32_t i = 0; i < n_cells; i++) // grows
		show_cell(&cells[i]);
	if (calls == CALLS)
		*u->functions[number].mode = FRAGMENT_BODY;
}

// --- the start --------------------------------------------------------------------------------------

static void note_start(const struct fragment_name *n)
{
	const struct fragment_unit *u = unit_find(n->unit);
	const struct shape_global *g = u ? unit_global(u, n->number) : NULL;
	if (!g || !u->globals[n->number] || n_starts == GLOBALS)
		return;
	uint64_t size = unit_type(u, g->type).is->size;
	char *bytes = size ? rt_map(size) : NULL;
	if (!bytes)
		return;
	memcpy(bytes, u->globals[n->number], size);
	starts[n_starts].at = (uint64_t)u->globals[n->number];
	starts[n_starts].size = size;
	starts[n_starts++].bytes = bytes;
}

void probe_start(const struct fragment_entry *of)
{
	uint64_t size;
	const struct fragment_unit *u = unit_find(of->unit);
	entry = of;
	probed = u ? unit_function(u, entry->function) : NULL;
	if (!probed)
		fragment_fail("the program has no such function");
	frame = rt_map(unit_type(u, probed->frame).is->size + 1);
	if (!frame || !rt_on)
		return;
	void *records = (void *)place_records(&size);
	cells_start(records, size);
	for (uint32_t i = 0; i < entry->n_globals; i++)
		note_start(&names()[i]);
	*u->functions[entry->function].mode = FRAGMENT_PROBE;
}
