// Values that are not as they were, by type: into the report of what a run leaves (abi/left.h).
#include "runtime/fragment/left_walk.h"

#include <stdio.h>
#include <string.h>

#include "runtime/fragment/left.h"
#include "runtime/trace/rt.h"

enum { NESTING = 24, ELEMENTS = 64, OBJECTS = 512 };

// --- walking ----------------------------------------------------------------------------------------

static size_t extend(struct left_walk *w, const char *between, const char *name)
{
	size_t had = strlen(w->place);
	if (*name)
		snprintf(w->place + had, sizeof w->place - had, "%s%s", had ? between : "", name);
	return had;
}

static size_t extend_index(struct left_walk *w, uint64_t i)
{
	size_t had = strlen(w->place);
	snprintf(w->place + had, sizeof w->place - had, "[%llu]", (unsigned long long)i);
	return had;
}

static const uint8_t *was(const struct left_walk *w, uint64_t at)
{
	return w->before ? w->before + (at - w->base) : NULL;
}

static void begin(const struct left_walk *w, char letter, uint64_t size)
{
	left_next_line();
	left_put(LEFT_VALUE "\t");
	left_put(w->place);
	left_print("\t%c%llu\t", letter, (unsigned long long)size);
}

// --- numbers ----------------------------------------------------------------------------------------

// A number that is where something lies.
static bool is_address(uint64_t value)
{
	enum { LEAST = 1 << 16 };
	struct rt_object o;
	if (value < LEAST)
		return false;
	for (uint32_t i = 0; i < n_cells; i++)
		if (value - cells[i].at < cells[i].size)
			return true;
	return rt_object_find(value, &o) && value - o.base < o.size;
}

static void put_number(struct type t, const uint8_t *at, unsigned bit, unsigned bits)
{
	uint64_t size = t.is->size, value = 0;
	long double wide;
	double d;
	float f;
	if (t.is->kind == SHAPE_FLOAT && !bits) {
		memcpy(&f, at, sizeof f);
		memcpy(&d, at, size >= sizeof d ? sizeof d : 0);
		memcpy(&wide, at, size == sizeof wide ? sizeof wide : 0);
		if (size == sizeof f)
			d = (double)f;
		if (size == sizeof wide)
			left_print("%La", wide);
		else if (d != d) // the bits of one that is none differ for no reason
			left_put("nan");
		else
			left_print("%a", d);
		return;
	}
	if (size > sizeof value && !bits) {
		left_put_bytes(at, size);
		return;
	}
	memcpy(&value, at, !bits && size == sizeof value ? size : 0);
	if (is_address(value)) {
		left_put("?");
		return;
	}
	value = 0;
	uint64_t have = bits ? (bit + bits + 7u) / 8 : size;
	memcpy(&value, at, have < sizeof value ? have : sizeof value);
	if (bits)
		value = value >> bit & (bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX);
	unsigned width = bits ? bits : 8 * (unsigned)size;
	if (t.is->flags & SHAPE_SIGNED && width < 64 && width && value >> (width - 1) & 1)
		value |= UINT64_MAX << width;
	left_print(t.is->flags & SHAPE_SIGNED ? "%lld" : "%llu", (unsigned long long)value);
}

static void leave_number(struct left_walk *w, struct type t, uint64_t at, unsigned bit, unsigned bits)
{
	uint64_t size = bits ? (bit + bits + 7u) / 8 : t.is->size;
	if (left_is_same(w, at, size))
		return;
	bool is_float = t.is->kind == SHAPE_FLOAT;
	begin(w, is_float ? 'f' : t.is->flags & SHAPE_SIGNED ? 'i' : 'u', t.is->size);
	if (bits)
		left_note_unclear(at, size);
	else
		left_note_bytes(w, at, size);
	put_number(t, (const uint8_t *)at, bit, bits);
	left_put("\t");
	if (was(w, at))
		put_number(t, was(w, at), bit, bits);
	left_put("\n");
}

void left_text(struct left_walk *w, uint64_t at, uint64_t size)
{
	if (left_is_same(w, at, size))
		return;
	begin(w, 't', 1);
	left_note_bytes(w, at, size);
	left_put_text((const uint8_t *)at, size);
	left_put("\t");
	if (was(w, at))
		left_put_text(was(w, at), size);
	left_put("\n");
}

// --- pointers ---------------------------------------------------------------------------------------

static struct {
	uint64_t at;
	char place[CELL_NAME];
} objects[OBJECTS] RT_LARGE; // new ones that were come to
static uint32_t n_objects;

// ".next", "[1].x" of what is so many bytes into an object.
static void put_path(struct type t, uint64_t offset, bool is_object)
{
	if (is_object && t.is->size && (offset >= t.is->size || t.is->kind != SHAPE_STRUCT) && offset) {
		left_print("[%llu]", (unsigned long long)(offset / t.is->size));
		offset %= t.is->size;
	}
	for (unsigned depth = 0; offset && depth < NESTING; depth++) {
		if (t.is->kind == SHAPE_ARRAY && type_of(t).is->size) {
			t = type_of(t);
			left_print("[%llu]", (unsigned long long)(offset / t.is->size));
			offset %= t.is->size;
			continue;
		}
		uint32_t i = 0;
		const struct shape_field *m = NULL;
		for (; t.is->kind == SHAPE_STRUCT && i < t.is->n && !m; i++) {
			const struct shape_field *x = unit_field(t.unit, t.is->first + i);
			if (!x->bits && offset - (uint64_t)x->offset < unit_type(t.unit, x->type).is->size)
				m = x;
		}
		if (!m)
			break;
		const char *name = unit_text(t.unit, m->name);
		left_print("%s%s", *name ? "." : "", name);
		offset -= (uint64_t)m->offset;
		t = unit_type(t.unit, m->type);
	}
	if (offset)
		left_print("+%llu", (unsigned long long)offset);
}

bool left_put_cell(uint64_t value)
{
	for (uint32_t i = 0; i < n_cells; i++) {
		const struct cell *c = &cells[i];
		if (c->kind != CELL_OBJECT || value - c->at >= (c->size ? c->size : 1))
			continue;
		left_print("@%s", c->name + 1);
		put_path(c->type, value - c->at, true);
		return true;
	}
	return false;
}

bool left_put_static(uint64_t value)
{
	for (const struct fragment_unit *u = unit_next(NULL); u; u = unit_next(u)) {
		for (uint32_t i = 0; i < u->shapes->n_functions; i++)
			if ((uint64_t)u->functions[i].address == value) {
				left_print("&%s", unit_text(u, unit_function(u, i)->name));
				return true;
			}
		for (uint32_t i = 0; i < u->shapes->n_globals; i++) {
			const struct shape_global *g = unit_global(u, i);
			struct type t = unit_type(u, g->type);
			uint64_t at = (uint64_t)u->globals[i];
			if (!at || value - at >= t.is->size || g->flags & SHAPE_GLOBAL_LITERAL)
				continue;
			const char *function = unit_text(u, g->function);
			left_print("&%s%s%s", function, *function ? "." : "", unit_text(u, g->name));
			put_path(t, value - at, false);
			return true;
		}
	}
	return false;
}

static bool is_character(struct type t)
{
	return t.is->kind == SHAPE_INTEGER && t.is->size == 1 && t.is->flags & SHAPE_CHARACTER;
}

// Says where it leads; true: to a new object, whose content follows.
static bool put_pointer(const struct left_walk *w, struct type to, uint64_t value, struct rt_object *ret)
{
	if (!value)
		left_put("null");
	if (!value || left_put_cell(value) || left_put_static(value))
		return false;
	if (!rt_object_find(value, ret) || value - ret->base >= ret->size || ret->kind == OBJECT_STACK) {
		left_put("?");
		return false;
	}
	uint64_t room = ret->base + ret->size - value;
	if (is_character(to)) {
		left_put("\"");
		left_put_text((const uint8_t *)value, strnlen((const char *)value, room));
		return false;
	}
	for (uint32_t i = 0; i < n_objects; i++)
		if (objects[i].at == value) {
			left_print("=%s", objects[i].place);
			return false;
		}
	left_put("new");
	if (n_objects == OBJECTS)
		return false;
	objects[n_objects].at = value;
	snprintf(objects[n_objects++].place, sizeof objects->place, "%s", w->place);
	return true;
}

void left_walk_elements(struct left_walk *w, struct type t, uint64_t at, uint64_t size)
{
	uint64_t each = t.is->size, n = each ? size / each : 0;
	if (type_is_flexible(t) && n > 1)
		n = 1;
	for (uint64_t i = 0; i < n && i < (w->before ? n : ELEMENTS); i++) {
		uint64_t end = n == 1 ? at + size : at + (i + 1) * each;
		bool first = i == 0 && t.is->kind == SHAPE_STRUCT;
		size_t had = strlen(w->place);
		if (!first)
			extend_index(w, i);
		if (t.is->kind == SHAPE_STRUCT) {
			for (uint32_t k = 0; k < t.is->n; k++) {
				const struct shape_field *m = unit_field(t.unit, t.is->first + k);
				size_t before = extend(w, first ? "->" : ".", unit_text(t.unit, m->name));
				struct type is = unit_type(t.unit, m->type);
				if (m->bits)
					leave_number(w, is, at + i * each + (uint64_t)m->offset, m->bit, m->bits);
				else
					left_walk(w, is, at + i * each + (uint64_t)m->offset, end);
				w->place[before] = 0;
			}
		} else {
			left_walk(w, t, at + i * each, end);
		}
		w->place[had] = 0;
	}
}

static void leave_pointer(struct left_walk *w, struct type t, uint64_t at)
{
	uint64_t value, had = 0;
	struct rt_object o;
	struct type to = type_complete(type_of(t));
	if (left_is_same_pointer(w, at))
		return;
	memcpy(&value, (const void *)at, sizeof value);
	begin(w, 'p', sizeof value);
	left_note_pointer(at);
	bool is_new = put_pointer(w, to, value, &o);
	left_put("\t");
	if (was(w, at)) {
		memcpy(&had, was(w, at), sizeof had);
		if (!had)
			left_put("null");
		else if (!left_put_cell(had) && !left_put_static(had))
			left_put("?");
	}
	left_put("\n");
	if (!is_new)
		return;
	struct left_walk own = {.nesting = w->nesting, .base = value, .input = CELL_NONE};
	memcpy(own.place, w->place, sizeof own.place);
	left_walk_elements(&own, to, value, o.base + o.size - value);
}

// --- types ------------------------------------------------------------------------------------------

static bool leads_somewhere(uint64_t at)
{
	struct rt_object o;
	uint64_t value;
	memcpy(&value, (const void *)at, sizeof value);
	for (uint32_t i = 0; i < n_cells; i++)
		if (cells[i].kind == CELL_OBJECT && value - cells[i].at < cells[i].size)
			return true;
	return value && rt_object_find(value, &o) && value - o.base < o.size;
}

// What a union is nobody says: a pointer that leads somewhere is one, everything else is its largest other member.
static const struct shape_field *speaking_member(struct type t, uint64_t at)
{
	const struct shape_field *largest = NULL;
	uint64_t most = 0;
	for (uint32_t i = 0; i < t.is->n; i++) {
		const struct shape_field *m = unit_field(t.unit, t.is->first + i);
		struct type is = unit_type(t.unit, m->type);
		if (is.is->kind == SHAPE_POINTER) {
			if (leads_somewhere(at))
				return m;
		} else if (is.is->size > most) {
			most = is.is->size;
			largest = m;
		}
	}
	return largest;
}

static void walk_member(struct left_walk *w, struct type t, const struct shape_field *m, uint64_t at, uint64_t end)
{
	struct type is = unit_type(t.unit, m->type);
	size_t had = extend(w, ".", unit_text(t.unit, m->name));
	if (m->bits)
		leave_number(w, is, at + (uint64_t)m->offset, m->bit, m->bits);
	else
		left_walk(w, is, at + (uint64_t)m->offset, end);
	w->place[had] = 0;
}

static void walk_array(struct left_walk *w, struct type t, uint64_t at, uint64_t end)
{
	struct type each = type_of(t);
	uint64_t room = each.is->size ? (end - at) / each.is->size : 0, n = t.is->count ? t.is->count : room;
	if (n > room)
		n = room;
	if (is_character(each)) {
		left_text(w, at, n);
		return;
	}
	for (uint64_t i = 0; i < n && !left_is_same(w, at, n * each.is->size); i++) {
		size_t had = extend_index(w, i);
		left_walk(w, each, at + i * each.is->size, end);
		w->place[had] = 0;
	}
}

void left_walk(struct left_walk *w, struct type t, uint64_t at, uint64_t end)
{
	if (at > end || t.is->size > end - at || w->nesting == NESTING || left_is_full())
		return;
	w->nesting++;
	switch ((enum shape_kind)t.is->kind) {
	case SHAPE_POINTER: leave_pointer(w, t, at); break;
	case SHAPE_ARRAY: walk_array(w, t, at, end); break;
	case SHAPE_INTEGER:
	case SHAPE_FLOAT:
	case SHAPE_ENUM: leave_number(w, t, at, 0, 0); break;
	case SHAPE_UNION: {
		const struct shape_field *m = left_is_same(w, at, t.is->size) ? NULL : speaking_member(t, at);
		if (m)
			walk_member(w, t, m, at, end);
		break;
	}
	case SHAPE_STRUCT:
		for (uint32_t i = 0; i < t.is->n; i++)
			walk_member(w, t, unit_field(t.unit, t.is->first + i), at, end);
		break;
	case SHAPE_VOID:
	case SHAPE_FUNCTION:
	case SHAPE_KINDS: break;
	}
	w->nesting--;
}
