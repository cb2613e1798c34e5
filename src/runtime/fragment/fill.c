// The content of a cell: the bytes that the input has, as values of its type. What is no pointer is symbolic as it is.
#include <stdio.h>
#include <string.h>

#include "runtime/fragment/fragment.h"
#include "runtime/fragment/left.h"

enum { NESTING = 32 }; // of types in a cell

struct filling {
	struct cell *cell;
	const uint8_t *given; // NULL: the cell is new
	uint64_t n_given;
	char place[CELL_NAME]; // of what is being filled, in the words of C
	unsigned nesting;
	bool probes; // the cell is the program's own: nothing is written
};

// The place goes on by this, as far as there is room; returns where it ended before.
static size_t extend(struct filling *f, const char *format, const char *text, uint64_t number)
{
	size_t had = strlen(f->place);
	snprintf(f->place + had, sizeof f->place - had, format, text, (unsigned long long)number);
	return had;
}

static void fill(struct filling *f, struct type t, uint64_t offset, uint64_t limit);

static void mark(const struct filling *f, uint64_t offset, uint64_t size)
{
	if (!f->probes)
		label_bytes(f->cell, offset, size);
}

static void fill_pointer(struct filling *f, struct type t, uint64_t offset)
{
	uint64_t now = 0;
	if (f->probes) {
		probe_pointer(f->cell, type_complete(type_of(t)), offset, f->place);
		return;
	}
	memcpy(&now, (const void *)(f->cell->at + offset), sizeof now);
	bool is_kept = f->cell->kind == CELL_GLOBAL && !f->given && now;
	const struct pointer p = {.in = f->cell,
	                          .offset = offset,
	                          .to = type_complete(type_of(t)),
	                          .given = offset < f->n_given ? f->given[offset]
	                                   : is_kept           ? FRAGMENT_KEEP
	                                                       : FRAGMENT_NEW,
	                          .now = f->cell->kind == CELL_GLOBAL ? now : 0,
	                          .place = f->place};
	label_given(f->cell, offset, pointer_make(&p));
	for (uint64_t i = 1; i < sizeof now; i++)
		label_given(f->cell, offset + i, 0);
}

// A member that is a structure without a name adds nothing to the place.
static void fill_member(struct filling *f, struct type t, const struct shape_field *m, const char *between,
                        uint64_t offset, uint64_t limit)
{
	const char *name = unit_text(t.unit, m->name);
	size_t had = strlen(f->place);
	if (*name)
		extend(f, "%s", f->place[0] ? between : "", 0);
	extend(f, "%s", name, 0);
	if (m->bits)
		mark(f, offset + (uint64_t)m->offset, (m->bit + m->bits + 7u) / 8);
	else
		fill(f, unit_type(t.unit, m->type), offset + (uint64_t)m->offset, limit);
	f->place[had] = 0;
}

static void fill_struct(struct filling *f, struct type t, const char *between, uint64_t offset, uint64_t limit)
{
	for (uint32_t i = 0; i < t.is->n; i++)
		fill_member(f, t, unit_field(t.unit, t.is->first + i), between, offset, limit);
}

static void fill_array(struct filling *f, struct type t, uint64_t offset, uint64_t limit)
{
	struct type each = type_of(t);
	uint64_t n = t.is->count, room = offset < limit && each.is->size ? (limit - offset) / each.is->size : 0;
	if (!n) // as many as the cell has room for
		n = room;
	if (each.is->kind == SHAPE_INTEGER || each.is->kind == SHAPE_FLOAT || each.is->kind == SHAPE_ENUM) {
		mark(f, offset, n * each.is->size);
		return;
	}
	for (uint64_t i = 0; i < n && i < room; i++) {
		size_t had = extend(f, "%s[%llu]", "", i);
		fill(f, each, offset + i * each.is->size, limit);
		f->place[had] = 0;
	}
}

static bool has_pointer(struct type t, unsigned depth)
{
	if (t.is->kind == SHAPE_POINTER)
		return true;
	if (t.is->kind == SHAPE_ARRAY)
		return depth && has_pointer(type_of(t), depth - 1);
	for (uint32_t i = 0; (t.is->kind == SHAPE_STRUCT || t.is->kind == SHAPE_UNION) && i < t.is->n && depth; i++)
		if (has_pointer(unit_type(t.unit, unit_field(t.unit, t.is->first + i)->type), depth - 1))
			return true;
	return false;
}

// Its last byte says which member it is, of those that have pointers; otherwise it is bytes.
static void fill_union(struct filling *f, struct type t, uint64_t offset, uint64_t limit)
{
	enum { MEMBERS = 8 };
	const struct shape_field *members[MEMBERS];
	uint64_t last = offset + t.is->size - 1;
	uint8_t chosen = *(uint8_t *)(f->cell->at + last);
	unsigned n = 0;
	if (f->probes) // nothing says which member it is
		return;
	for (uint32_t i = 0; i < t.is->n && n < MEMBERS; i++) {
		const struct shape_field *m = unit_field(t.unit, t.is->first + i);
		if (has_pointer(unit_type(t.unit, m->type), NESTING))
			members[n++] = m;
	}
	if (n)
		label_union(f->cell, last, n, f->place);
	if (!chosen || chosen > n) {
		mark(f, offset, t.is->size);
		return;
	}
	*(uint8_t *)(f->cell->at + last) = 0;
	fill_member(f, t, members[chosen - 1], ".", offset, limit);
	label_given(f->cell, last, chosen);
}

// `limit`: where the cell ends.
static void fill(struct filling *f, struct type t, uint64_t offset, uint64_t limit)
{
	if (offset > limit || t.is->size > limit - offset || f->nesting == NESTING)
		return;
	f->nesting++;
	switch ((enum shape_kind)t.is->kind) {
	case SHAPE_POINTER: fill_pointer(f, t, offset); break;
	case SHAPE_STRUCT: fill_struct(f, t, ".", offset, limit); break;
	case SHAPE_ARRAY: fill_array(f, t, offset, limit); break;
	case SHAPE_INTEGER:
		if (t.is->flags & SHAPE_BOOL && !f->probes)
			label_bool(f->cell, offset);
		else
			mark(f, offset, t.is->size);
		break;
	case SHAPE_UNION: fill_union(f, t, offset, limit); break;
	case SHAPE_FLOAT:
	case SHAPE_ENUM: mark(f, offset, t.is->size); break;
	case SHAPE_VOID:
	case SHAPE_FUNCTION:
	case SHAPE_KINDS: break;
	}
	f->nesting--;
}

// Of the frame, what is live at the marker: of the entry, parameters.
static void fill_frame(struct filling *f, const struct fragment_entry *entry)
{
	const struct fragment_unit *u = f->cell->type.unit;
	const struct shape_function *is = unit_function(u, entry->function);
	const struct shape_marker *m = entry->marker ? unit_marker(u, is->first_marker + entry->marker) : NULL;
	for (uint32_t i = 0; i < (m ? m->n_live : is->parameters); i++) {
		uint32_t field = m ? unit_number(u, m->live + i) : i;
		if (field < f->cell->type.is->n)
			fill_member(f, f->cell->type, unit_field(u, f->cell->type.is->first + field), "", 0,
			            f->cell->size);
	}
}

// The elements of what a pointer leads to: "*p" has p->next, p[1].next, pp[0].
static void fill_object(struct filling *f)
{
	const struct cell *c = f->cell;
	struct type t = c->type;
	uint64_t each = t.is->size, n = each ? c->size / each : 0;
	if (t.is->kind == SHAPE_INTEGER || t.is->kind == SHAPE_FLOAT || t.is->kind == SHAPE_ENUM)
		n = t.is->flags & SHAPE_BOOL ? n : 0; // plain bytes, all of them
	if (type_is_flexible(t) && n > 1)
		n = 1;
	snprintf(f->place, sizeof f->place, "%s", c->name + (c->kind == CELL_OBJECT));
	for (uint64_t i = 0; i < n; i++) {
		uint64_t end = n == 1 ? c->size : (i + 1) * each;
		size_t had = strlen(f->place);
		bool first = i == 0 && t.is->kind == SHAPE_STRUCT;
		if (!first)
			extend(f, "%s[%llu]", "", i);
		if (t.is->kind == SHAPE_STRUCT)
			fill_struct(f, t, first ? "->" : ".", i * each, end);
		else
			fill(f, t, i * each, end);
		f->place[had] = 0;
	}
	if (n * each < c->size && !type_is_flexible(t))
		mark(f, n * each, c->size - n * each);
}

// What a stub writes may be more than one element, or of a type that is not known.
static bool has_elements(const struct cell *c)
{
	return c->kind == CELL_GLOBAL && c->type.is->kind != SHAPE_ARRAY && c->size > c->type.is->size;
}

void fill_cell(struct cell *c)
{
	struct filling f = {.cell = c};
	f.given = cell_given(c, &f.n_given);
	if (f.n_given > c->size)
		f.n_given = c->size;
	cell_number(c);
	if (f.given)
		memcpy((void *)c->at, f.given, f.n_given);
	if (c->kind == CELL_FRAME) {
		fill_frame(&f, fragment);
	} else if (cell_is_string(c)) { // ends with a 0
		label_bytes(c, 0, c->size - 1);
		((uint8_t *)c->at)[c->size - 1] = 0;
		label_given(c, c->size - 1, 0);
	} else if (c->kind == CELL_OBJECT || has_elements(c)) {
		fill_object(&f);
	} else {
		snprintf(f.place, sizeof f.place, "%s", c->name);
		fill(&f, c->type, 0, c->size);
	}
	left_cell(c);
}

void fill_probe(struct cell *c, const struct fragment_entry *entry)
{
	struct filling f = {.cell = c, .probes = true};
	if (c->kind == CELL_FRAME) {
		fill_frame(&f, entry);
	} else if (c->kind == CELL_OBJECT) {
		fill_object(&f);
	} else {
		snprintf(f.place, sizeof f.place, "%s", c->name);
		fill(&f, c->type, 0, c->size);
	}
}
