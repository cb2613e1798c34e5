#include "shape/state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const struct shape_table *state_table(const struct state *s, struct shape_ref type)
{
	assert(type.unit < s->program->n_units);
	return &s->program->units[type.unit];
}

const struct shape_type *state_type(const struct state *s, struct shape_ref type)
{
	return &state_table(s, type)->types[type.number];
}

bool state_is_flexible(const struct state *s, struct shape_ref type)
{
	const struct shape_table *t = state_table(s, type);
	const struct shape_type *is = &t->types[type.number];
	if (is->kind != SHAPE_STRUCT || !is->n)
		return false;
	const struct shape_type *last = &t->types[t->fields[is->first + is->n - 1].type];
	return last->kind == SHAPE_ARRAY && !last->count;
}

// --- what cells are -------------------------------------------------------------------------------

static void set_type(struct state *s, uint32_t cell, enum state_kind kind, struct shape_ref type)
{
	struct state_cell *c = &s->cells[cell];
	c->kind = kind;
	c->type = shape_complete(s->program, type);
	uint64_t each = state_type(s, c->type)->size;
	c->count = kind == STATE_OBJECT && each ? c->part.size / each : 1;
	if (c->count > 1 && state_is_flexible(s, c->type))
		c->count = 1;
}

// Are these the same place? Before the members of a member without a name, "->" and "." mean the same.
static bool is_same_place(const char *a, const char *b)
{
	for (; *a && *b; a++, b++) {
		bool x = *a == '.' || (*a == '-' && a[1] == '>'), y = *b == '.' || (*b == '-' && b[1] == '>');
		if (x != y || (!x && *a != *b))
			return false;
		a += *a == '-' && x;
		b += *b == '-' && y;
	}
	return *a == *b;
}

static uint32_t find_cell(const struct state *s, const char *name)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (is_same_place(s->cells[i].part.name, name))
			return i;
	return STATE_UNTOUCHED;
}

static bool is_named(const struct state *s, const struct shape_ref at, const char *name)
{
	const struct shape_table *t = &s->program->units[at.unit];
	const struct shape_global *g = &t->globals[at.number];
	const char *function = shape_text(t, g->function), *own = shape_text(t, g->name);
	size_t n = strlen(function);
	if (!n)
		return strcmp(own, name) == 0;
	return strncmp(function, name, n) == 0 && name[n] == '.' && strcmp(name + n + 1, own) == 0;
}

static bool ref_of(const struct shape_program *p, const struct fragment_name *n, bool global, struct shape_ref *ret)
{
	uint32_t unit = shape_unit(p, n->unit);
	if (unit == UINT32_MAX)
		return false;
	const struct shape_unit *head = p->units[unit].head;
	*ret = (struct shape_ref){unit, n->number};
	return n->number < (global ? head->n_globals : head->n_functions);
}

static bool find_global(struct state *s, uint32_t cell, const char *name)
{
	for (uint32_t i = 0; i < s->entry.n_globals; i++) {
		struct shape_ref at;
		if (!ref_of(s->program, &s->names[i], true, &at) || !is_named(s, at, name))
			continue;
		s->cells[cell].at = at;
		set_type(s, cell, STATE_GLOBAL, (struct shape_ref){at.unit, shape_global(s->program, at)->type});
		return true;
	}
	return false;
}

static bool is_character(const struct shape_table *t, const struct shape_type *is)
{
	(void)t;
	return is->kind == SHAPE_INTEGER && is->size == 1 && is->flags & SHAPE_CHARACTER;
}

static bool is_int(const struct shape_table *t, const struct shape_type *is)
{
	(void)t;
	return is->kind == SHAPE_INTEGER && is->size == 4 && is->flags & SHAPE_SIGNED;
}

static bool is_long(const struct shape_table *t, const struct shape_type *is)
{
	(void)t;
	return is->kind == SHAPE_INTEGER && is->size == 8 && is->flags & SHAPE_SIGNED;
}

static bool is_text(const struct shape_table *t, const struct shape_type *is)
{
	return is->kind == SHAPE_POINTER && is_character(t, &t->types[is->of]);
}

static bool is_stream(const struct shape_table *t, const struct shape_type *is)
{
	return is->kind == SHAPE_POINTER && strcmp(shape_text(t, t->types[is->of].name), "struct _IO_FILE") == 0;
}

// The first such type, of the entered function's unit if it has one. SHAPE_NOWHERE: no unit has.
static struct shape_ref find_type(const struct state *s,
                                  bool (*is)(const struct shape_table *t, const struct shape_type *is))
{
	for (uint32_t u = 0; u <= s->program->n_units; u++) {
		const uint32_t unit = u ? u - 1 : s->function.unit;
		const struct shape_table *t = &s->program->units[unit];
		for (uint32_t i = 1; i < t->head->n_types; i++)
			if (is(t, &t->types[i]))
				return (struct shape_ref){unit, i};
	}
	return SHAPE_NOWHERE;
}

// "read#2", "read#2.out", "read#2:errno".
static void set_system(struct state *s, uint32_t cell, const struct system_call *of, unsigned long call,
                       const char *what)
{
	const uint64_t size = s->cells[cell].part.size;
	struct shape_ref type = *what == '.'                  ? find_type(s, is_character)
	                        : *what == ':'                ? find_type(s, is_int)
	                        : of->result == SYSTEM_TEXT   ? find_type(s, is_text)
	                        : of->result == SYSTEM_STREAM ? find_type(s, is_stream)
	                        : size == 4                   ? find_type(s, is_int)
	                        : size == 8                   ? find_type(s, is_long)
	                                                      : SHAPE_NOWHERE;
	if (!shape_is_somewhere(type) || (*what != '.' && state_type(s, type)->size != size))
		return;
	set_type(s, cell, STATE_SYSTEM, type);
	s->cells[cell].count = *what == '.' ? size : 1;
	s->cells[cell].of = of;
	s->cells[cell].call = (uint32_t)call;
}

static void set_count(struct state *s, uint32_t cell)
{
	uint64_t each = s->cells[cell].kind ? state_type(s, s->cells[cell].type)->size : 0;
	s->cells[cell].count = each ? s->cells[cell].part.size / each : 1;
}

// "lookup#2", "lookup#2.param", "lookup#2:global": a stub's result, what it writes behind a parameter, a global. What
// "lookup#2:*p" is, another object, is known when that is (type_changed).
static void find_result(struct state *s, uint32_t cell)
{
	const char *name = s->cells[cell].part.name, *hash = strchr(name, '#');
	char *end, *callee = hash ? mem_copy(name, (size_t)(hash - name)) : NULL;
	unsigned long call = hash ? strtoul(hash + 1, &end, 10) : 0;
	struct shape_ref at = SHAPE_NOWHERE;
	for (uint32_t i = 0; call && i < s->entry.n_stubs; i++) {
		struct shape_ref stub;
		if (ref_of(s->program, &s->names[s->entry.n_globals + i], false, &stub) &&
		    strcmp(shape_text(&s->program->units[stub.unit], shape_function(s->program, stub)->name), callee) ==
		            0)
			at = stub;
	}
	const struct system_call *system = call && !shape_is_somewhere(at) ? system_find(callee) : NULL;
	mem_free(callee);
	if (system)
		set_system(s, cell, system, call, end);
	if (!shape_is_somewhere(at))
		return;
	const struct shape_table *t = &s->program->units[at.unit];
	const struct shape_function *f = &t->functions[at.number];
	if (*end == 0 && f->type) {
		set_type(s, cell, STATE_RESULT, (struct shape_ref){at.unit, t->types[f->type].of});
	} else if (*end == '.') {
		for (uint32_t i = 0; i < f->parameters; i++) {
			const struct shape_field *p = &shape_fields(t, f->frame)[i];
			if (strcmp(shape_text(t, p->name), end + 1) == 0 && t->types[p->type].kind == SHAPE_POINTER)
				set_type(s, cell, STATE_RESULT, (struct shape_ref){at.unit, t->types[p->type].of});
		}
		set_count(s, cell);
	} else if (*end == ':') {
		struct shape_ref g = shape_find_global(s->program, at.unit, end + 1);
		if (shape_is_somewhere(g))
			set_type(s, cell, STATE_RESULT, (struct shape_ref){g.unit, shape_global(s->program, g)->type});
	}
	s->cells[cell].at = at;
	s->cells[cell].call = (uint32_t)call;
}

// --- what pointers lead to ------------------------------------------------------------------------

uint32_t state_target(const struct state *s, const struct state_leaf *pointer)
{
	uint8_t byte = s->cells[pointer->cell].part.data[pointer->offset];
	if (byte == FRAGMENT_NULL)
		return STATE_NULL;
	if (byte == FRAGMENT_KEEP)
		return STATE_KEPT;
	if (byte >= FRAGMENT_CELL && byte - FRAGMENT_CELL < (int)s->n)
		return (uint32_t)byte - FRAGMENT_CELL;
	char *name = mem_printf("*%s", pointer->place);
	uint32_t found = find_cell(s, name);
	mem_free(name);
	return found;
}

static void type_target(const struct state_leaf *leaf, void *opaque)
{
	struct state *s = opaque;
	uint32_t target = leaf->kind == STATE_POINTER ? state_target(s, leaf) : STATE_NULL;
	if (target < s->n && !s->cells[target].kind)
		set_type(s, target, STATE_OBJECT, (struct shape_ref){leaf->type.unit, state_type(s, leaf->type)->of});
}

uint32_t state_changed(const struct state *s, uint32_t cell)
{
	const char *colon = strchr(s->cells[cell].part.name, ':');
	return s->cells[cell].call && colon && colon[1] == '*' ? find_cell(s, colon + 1) : STATE_UNTOUCHED;
}

// Objects that a stub writes over.
static void type_changed(struct state *s, uint32_t cell)
{
	uint32_t object = s->cells[cell].kind ? STATE_UNTOUCHED : state_changed(s, cell);
	if (object >= s->n || !s->cells[object].kind)
		return;
	set_type(s, cell, STATE_RESULT, s->cells[object].type);
	set_count(s, cell);
}

static void type_cells(struct state *s)
{
	uint8_t *done = mem_zero(s->n + 1);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < s->n; i++)
			type_changed(s, i);
		for (uint32_t i = 0; i < s->n; i++)
			if (s->cells[i].kind && !done[i]) {
				done[i] = 1;
				changed = true;
				state_walk(s, i, type_target, s);
			}
	}
	mem_free(done);
}

int state_read(struct state *ret, const struct shape_program *program, const void *entry, size_t size,
               const struct state_part *parts, uint32_t n, struct err *err)
{
	struct state s = {.program = program, .n = n};
	if (!fragment_entry_fits(entry, size))
		return err_set(err, "the input has no valid fragment");
	memcpy(&s.entry, entry, sizeof s.entry);
	struct fragment_name own = {.unit = s.entry.unit, .number = s.entry.function};
	if (!ref_of(program, &own, false, &s.function))
		return err_set(err, "the program has no such function; was it built anew?");
	if (s.entry.marker >= shape_function(program, s.function)->markers)
		return err_set(err, "the function has no marker %u; was the program built anew?", s.entry.marker);
	s.names = (struct fragment_name *)mem_copy((const uint8_t *)entry + sizeof s.entry, size - sizeof s.entry);
	s.cells = mem_zero((n + 1) * sizeof *s.cells);
	for (uint32_t i = 0; i < n; i++)
		s.cells[i] =
			(struct state_cell){.part = parts[i], .type = SHAPE_NOWHERE, .at = SHAPE_NOWHERE, .count = 1};
	for (uint32_t i = 0; i < n; i++) {
		if (!*parts[i].name)
			set_type(&s, i, STATE_FRAME,
			         (struct shape_ref){s.function.unit, shape_function(program, s.function)->frame});
		else if (parts[i].name[0] != '*' && !find_global(&s, i, parts[i].name))
			find_result(&s, i);
	}
	type_cells(&s);
	*ret = s;
	return 0;
}

void state_release(struct state *s)
{
	mem_free(s->names);
	mem_free(s->cells);
	*s = (struct state){0};
}

// --- numbers --------------------------------------------------------------------------------------

unsigned __int128 state_bits(const struct state *s, const struct state_leaf *number)
{
	const struct state_part *part = &s->cells[number->cell].part;
	unsigned __int128 value = 0;
	assert(number->offset + number->size <= part->size && number->size <= 16);
	for (uint64_t i = number->size; i-- > 0;)
		value = value << 8 | part->data[number->offset + i];
	return number->bits ? value >> number->bit & ((((unsigned __int128)1) << number->bits) - 1) : value;
}

bool state_is_signed(const struct state *s, const struct state_leaf *number)
{
	return state_type(s, number->type)->flags & SHAPE_SIGNED;
}

__int128 state_integer(const struct state *s, const struct state_leaf *number)
{
	unsigned __int128 value = state_bits(s, number);
	unsigned bits = number->bits ? number->bits : (unsigned)number->size * 8;
	if (state_is_signed(s, number) && bits < 128 && value >> (bits - 1) & 1)
		value |= ~(unsigned __int128)0 << bits;
	return (__int128)value;
}
