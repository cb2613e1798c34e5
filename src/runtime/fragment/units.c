// What the program's units told of themselves. The blocks of shapes are the instrumenter's, in memory that cannot be
// written: they are not checked again.
#include <string.h>

#include "runtime/fragment/fragment.h"

static struct fragment_unit *units;

__attribute__((visibility("default"))) void __veer_f_unit(struct fragment_unit *u);

void __veer_f_unit(struct fragment_unit *u)
{
	u->next = units;
	units = u;
}

const struct fragment_unit *unit_find(uint64_t unit)
{
	const struct fragment_unit *u = units;
	while (u && u->shapes->unit != unit)
		u = u->next;
	return u;
}

const struct fragment_unit *unit_next(const struct fragment_unit *u)
{
	return u ? u->next : units;
}

// Where the parts of a block are.
static const struct shape_type *types(const struct shape_unit *s)
{
	return (const struct shape_type *)(s + 1);
}

static const struct shape_field *fields(const struct shape_unit *s)
{
	return (const struct shape_field *)(types(s) + s->n_types);
}

static const struct shape_function *functions(const struct shape_unit *s)
{
	return (const struct shape_function *)(fields(s) + s->n_fields);
}

static const struct shape_marker *markers(const struct shape_unit *s)
{
	return (const struct shape_marker *)(functions(s) + s->n_functions);
}

static const struct shape_global *globals(const struct shape_unit *s)
{
	return (const struct shape_global *)(markers(s) + s->n_markers);
}

static const uint32_t *numbers(const struct shape_unit *s)
{
	return (const uint32_t *)(globals(s) + s->n_globals);
}

const char *unit_text(const struct fragment_unit *u, uint32_t at)
{
	return (const char *)(numbers(u->shapes) + u->shapes->n_numbers) + at;
}

struct type unit_type(const struct fragment_unit *u, uint32_t type)
{
	return (struct type){u, types(u->shapes) + (type < u->shapes->n_types ? type : 0)};
}

const struct shape_field *unit_field(const struct fragment_unit *u, uint32_t field)
{
	return fields(u->shapes) + field;
}

const struct shape_function *unit_function(const struct fragment_unit *u, uint32_t function)
{
	return function < u->shapes->n_functions ? functions(u->shapes) + function : NULL;
}

const struct shape_marker *unit_marker(const struct fragment_unit *u, uint32_t marker)
{
	return marker < u->shapes->n_markers ? markers(u->shapes) + marker : NULL;
}

const struct shape_global *unit_global(const struct fragment_unit *u, uint32_t global)
{
	return global < u->shapes->n_globals ? globals(u->shapes) + global : NULL;
}

uint32_t unit_number(const struct fragment_unit *u, uint32_t at)
{
	return numbers(u->shapes)[at];
}

struct type type_of(struct type t)
{
	return unit_type(t.unit, t.is->of);
}

static bool is_same_name(const struct fragment_unit *u, const struct shape_type *t, const char *name)
{
	return t->kind != SHAPE_VOID && t->size && strcmp(unit_text(u, t->name), name) == 0;
}

struct type type_complete(struct type t)
{
	const char *name = unit_text(t.unit, t.is->name);
	if (t.is->kind != SHAPE_VOID || !*name)
		return t;
	for (const struct fragment_unit *u = units; u; u = u->next)
		for (uint32_t i = 0; i < u->shapes->n_types; i++)
			if (is_same_name(u, types(u->shapes) + i, name))
				return (struct type){u, types(u->shapes) + i};
	return t;
}

bool unit_find_type(bool (*is)(const struct fragment_unit *u, const struct shape_type *t), struct type *ret)
{
	for (const struct fragment_unit *u = units; u; u = u->next)
		for (uint32_t i = 0; i < u->shapes->n_types; i++)
			if (is(u, types(u->shapes) + i)) {
				*ret = (struct type){u, types(u->shapes) + i};
				return true;
			}
	return false;
}

uint32_t unit_type_number(struct type t)
{
	return (uint32_t)(t.is - types(t.unit->shapes));
}

bool type_is_flexible(struct type t)
{
	if (t.is->kind != SHAPE_STRUCT || !t.is->n)
		return false;
	const struct shape_field *last = unit_field(t.unit, t.is->first + t.is->n - 1);
	struct type of = unit_type(t.unit, last->type);
	return (of.is->kind == SHAPE_ARRAY && !of.is->count) || type_is_flexible(of);
}

// --- symbols ----------------------------------------------------------------------------------------

static bool find_function(const struct fragment_unit *u, const char *symbol, bool own, struct fragment_name *ret)
{
	for (uint32_t i = 0; i < u->shapes->n_functions; i++) {
		const struct shape_function *f = unit_function(u, i);
		if ((f->flags & SHAPE_BORROWED) || (!own && f->flags & SHAPE_STATIC) ||
		    strcmp(unit_text(u, f->symbol), symbol) != 0)
			continue;
		*ret = (struct fragment_name){u->shapes->unit, i, 0};
		return true;
	}
	return false;
}

bool unit_find_function(const struct fragment_unit *u, const char *symbol, struct fragment_name *ret)
{
	bool found = find_function(u, symbol, true, ret);
	for (const struct fragment_unit *other = units; other && !found; other = other->next)
		found = find_function(other, symbol, false, ret);
	return found;
}

// Not those that are only declared.
static bool find_global(const struct fragment_unit *u, const char *symbol, bool own, struct fragment_name *ret)
{
	for (uint32_t i = 0; i < u->shapes->n_globals; i++) {
		const struct shape_global *g = unit_global(u, i);
		if (!u->globals[i] || (!own && g->flags & SHAPE_GLOBAL_STATIC) || !unit_type(u, g->type).is->size ||
		    strcmp(unit_text(u, g->symbol), symbol) != 0)
			continue;
		*ret = (struct fragment_name){u->shapes->unit, i, 0};
		return true;
	}
	return false;
}

bool unit_find_global(const struct fragment_unit *u, const char *symbol, struct fragment_name *ret)
{
	bool found = find_global(u, symbol, true, ret);
	for (const struct fragment_unit *other = units; other && !found; other = other->next)
		found = find_global(other, symbol, false, ret);
	return found;
}

static bool is_listed(const struct fragment_unit *u, uint32_t first, uint32_t n, const char *symbol)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(unit_text(u, unit_number(u, first + i)), symbol) == 0)
			return true;
	return false;
}

// Does any function or initialiser take the address of what has this symbol?
static bool is_taken(const char *symbol)
{
	for (const struct fragment_unit *u = units; u; u = u->next) {
		for (uint32_t i = 0; i < u->shapes->n_functions; i++) {
			const struct shape_function *f = unit_function(u, i);
			if (is_listed(u, f->addresses, f->n_addresses, symbol))
				return true;
		}
		for (uint32_t i = 0; i < u->shapes->n_globals; i++) {
			const struct shape_global *g = unit_global(u, i);
			if (is_listed(u, g->addresses, g->n_addresses, symbol))
				return true;
		}
	}
	return false;
}

bool unit_takes(const struct fragment_unit *u, const struct shape_function *f)
{
	return f->flags & SHAPE_ADDRESS || is_taken(unit_text(u, f->symbol));
}

bool unit_taken(uint64_t type, uint32_t i, struct taken *ret)
{
	for (const struct fragment_unit *u = units; u; u = u->next)
		for (uint32_t k = 0; k < u->shapes->n_functions; k++) {
			const struct shape_function *f = unit_function(u, k);
			bool taken =
				u->functions[k].address && unit_type(u, f->type).is->hash == type && unit_takes(u, f);
			if (!taken || i--)
				continue;
			*ret = (struct taken){unit_text(u, f->name), u->functions[k].address};
			return true;
		}
	return false;
}
