// The leaves of a cell. Places are made as the runtime makes them: it names cells after the places of pointers.
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "shape/state.h"

enum { NESTING_MAX = 32 }; // as the runtime's

struct walk {
	const struct state *s;
	uint32_t cell;
	struct buf place, path;
	void (*visit)(const struct state_leaf *, void *opaque);
	void *opaque;
	unsigned nesting;
	bool in_flexible, in_union;
};

static bool bits_matter(const struct walk *w, const struct state_leaf *leaf)
{
	const struct state_part *part = &w->s->cells[w->cell].part;
	if (!part->mask)
		return true;
	for (uint64_t i = 0; i < leaf->size; i++) {
		unsigned from = i * 8, mask = part->mask[leaf->offset + i];
		for (unsigned b = 0; b < 8; b++)
			if (mask >> b & 1 &&
			    (!leaf->bits || (from + b >= leaf->bit && from + b < leaf->bit + leaf->bits)))
				return true;
	}
	return false;
}

static void visit(struct walk *w, struct state_leaf leaf)
{
	leaf.cell = w->cell;
	leaf.place = buf_str(&w->place);
	leaf.path = buf_str(&w->path);
	// Of a pointer the first byte says all.
	struct state_leaf looked_at = leaf;
	looked_at.size = leaf.kind == STATE_POINTER ? 1 : leaf.size;
	leaf.matters = bits_matter(w, &looked_at);
	leaf.is_flexible = w->in_flexible;
	leaf.in_union = w->in_union;
	w->visit(&leaf, w->opaque);
}

static void cut(struct buf *b, size_t length)
{
	b->len = length;
	if (b->data)
		b->data[length] = 0;
}

// --- unions ---------------------------------------------------------------------------------------

// Does the type, at that offset, say every byte of the union that matters, without a pointer?
static bool covers(const struct walk *w, struct shape_ref type, uint64_t offset, uint8_t *left, unsigned depth)
{
	const struct shape_table *t = state_table(w->s, type);
	const struct shape_type *is = &t->types[type.number];
	if (depth > NESTING_MAX)
		return false;
	switch (is->kind) {
	case SHAPE_INTEGER:
	case SHAPE_ENUM: memset(left + offset, 0, is->size); return true;
	case SHAPE_FLOAT:
		if (is->size == 4 || is->size == 8)
			memset(left + offset, 0, is->size);
		return true;
	case SHAPE_ARRAY:
		for (uint32_t i = 0; i < is->count; i++)
			if (!covers(w, (struct shape_ref){type.unit, is->of}, offset + i * t->types[is->of].size, left,
			            depth + 1))
				return false;
		return true;
	case SHAPE_STRUCT:
		for (uint32_t i = 0; i < is->n; i++) {
			const struct shape_field *f = &t->fields[is->first + i];
			if (!f->bits && !covers(w, (struct shape_ref){type.unit, f->type}, offset + (uint64_t)f->offset,
			                        left, depth + 1))
				return false;
		}
		return true;
	default: return true; // says nothing, which is fine where no byte is relevant
	}
}

// The member of a union that says all that is relevant; NULL: none does.
static const struct shape_field *speaking_member(const struct walk *w, struct shape_ref type, uint64_t offset)
{
	const struct shape_table *t = state_table(w->s, type);
	const struct shape_type *is = &t->types[type.number];
	const struct state_part *part = &w->s->cells[w->cell].part;
	uint8_t *left = mem_zero(is->size + 1);
	const struct shape_field *found = NULL;
	for (uint32_t i = 0; i < is->n && !found; i++) {
		const struct shape_field *f = &t->fields[is->first + i];
		bool all = f->bits == 0;
		for (uint64_t k = 0; k < is->size; k++)
			left[k] = part->mask ? part->mask[offset + k] : 0xff;
		all = all && covers(w, (struct shape_ref){type.unit, f->type}, 0, left, 0);
		for (uint64_t k = 0; k < is->size && all; k++)
			all = !left[k];
		found = all ? f : NULL;
	}
	mem_free(left);
	return found;
}

// --- types ----------------------------------------------------------------------------------------

static void walk_type(struct walk *w, struct shape_ref type, const struct shape_field *field, const char *between,
                      uint64_t offset, uint64_t limit);

// A member without a name adds nothing to the place: what stands `between` an object and its members is its own.
static void walk_member(struct walk *w, struct shape_ref owner, const struct shape_field *f, const char *between,
                        uint64_t offset, uint64_t limit)
{
	const struct shape_table *t = state_table(w->s, owner);
	const char *name = shape_text(t, f->name);
	size_t place = w->place.len, path = w->path.len;
	bool is_frame = t->types[owner.number].flags & SHAPE_FRAME;
	if (*name) {
		buf_printf(&w->place, "%s%s", w->place.len ? between : "", name);
		buf_printf(&w->path, "%s%s", is_frame ? "" : ".", name);
	}
	struct shape_ref type = {owner.unit, f->type};
	offset += (uint64_t)f->offset;
	uint64_t size = (f->bit + f->bits + 7u) / 8;
	if (!f->bits)
		walk_type(w, type, f, *name ? "." : between, offset, limit);
	else if (offset + size <= limit && *name)
		visit(w, (struct state_leaf){.kind = STATE_NUMBER,
		                             .offset = offset,
		                             .size = size,
		                             .bit = f->bit,
		                             .bits = f->bits,
		                             .type = type,
		                             .field = f});
	cut(&w->place, place);
	cut(&w->path, path);
}

static void walk_struct(struct walk *w, struct shape_ref type, const char *between, uint64_t offset, uint64_t limit)
{
	const struct shape_table *t = state_table(w->s, type);
	const struct shape_type *is = &t->types[type.number];
	for (uint32_t i = 0; i < is->n; i++)
		walk_member(w, type, &t->fields[is->first + i], between, offset, limit);
}

static void walk_union(struct walk *w, struct shape_ref type, const char *between, uint64_t offset, uint64_t limit)
{
	const struct shape_field *f = speaking_member(w, type, offset);
	bool was = w->in_union;
	w->in_union = true;
	if (f)
		walk_member(w, type, f, between, offset, limit);
	else
		visit(w, (struct state_leaf){.kind = STATE_RAW,
		                             .offset = offset,
		                             .size = state_type(w->s, type)->size,
		                             .type = SHAPE_NOWHERE});
	w->in_union = was;
}

static bool is_character(const struct shape_type *t)
{
	return t->kind == SHAPE_INTEGER && t->flags & SHAPE_CHARACTER && t->size == 1;
}

static void walk_array(struct walk *w, struct shape_ref type, const struct shape_field *field, uint64_t offset,
                       uint64_t limit)
{
	const struct shape_type *is = state_type(w->s, type);
	struct shape_ref of = {type.unit, is->of};
	uint64_t each = state_type(w->s, of)->size, room = each ? (limit - offset) / each : 0;
	uint64_t n = is->count && is->count < room ? is->count : room;
	bool was = w->in_flexible;
	// C has no way to name the parts of a complex number.
	bool is_complex = strncmp(shape_text(state_table(w->s, type), is->name), "_Complex", 8) == 0;
	w->in_flexible = was || !is->count || is_complex;
	if (is_character(state_type(w->s, of))) {
		if (n)
			visit(w, (struct state_leaf){
					 .kind = STATE_TEXT, .offset = offset, .size = n, .type = of, .field = field});
	} else {
		for (uint64_t i = 0; i < n; i++) {
			size_t place = w->place.len, path = w->path.len;
			buf_printf(&w->place, "[%llu]", (unsigned long long)i);
			buf_printf(&w->path, "[%llu]", (unsigned long long)i);
			walk_type(w, of, field, ".", offset + i * each, limit);
			cut(&w->place, place);
			cut(&w->path, path);
		}
	}
	w->in_flexible = was;
}

static void walk_type(struct walk *w, struct shape_ref type, const struct shape_field *field, const char *between,
                      uint64_t offset, uint64_t limit)
{
	const struct shape_type *is = state_type(w->s, type);
	if (offset > limit || is->size > limit - offset || w->nesting == NESTING_MAX)
		return;
	w->nesting++;
	switch ((enum shape_kind)is->kind) {
	case SHAPE_POINTER:
		visit(w,
		      (struct state_leaf){
			      .kind = STATE_POINTER, .offset = offset, .size = is->size, .type = type, .field = field});
		break;
	case SHAPE_STRUCT: walk_struct(w, type, between, offset, limit); break;
	case SHAPE_UNION: walk_union(w, type, between, offset, limit); break;
	case SHAPE_ARRAY: walk_array(w, type, field, offset, limit); break;
	case SHAPE_INTEGER:
	case SHAPE_FLOAT:
	case SHAPE_ENUM:
		visit(w,
		      (struct state_leaf){
			      .kind = STATE_NUMBER, .offset = offset, .size = is->size, .type = type, .field = field});
		break;
	case SHAPE_VOID:
	case SHAPE_FUNCTION:
	case SHAPE_KINDS: break;
	}
	w->nesting--;
}

// --- cells ----------------------------------------------------------------------------------------

static void walk_frame(struct walk *w)
{
	const struct state *s = w->s;
	const struct state_cell *c = &s->cells[w->cell];
	const struct shape_table *t = state_table(s, c->type);
	const struct shape_function *f = shape_function(s->program, s->function);
	const struct shape_marker *m = s->entry.marker ? &t->markers[f->first_marker + s->entry.marker] : NULL;
	for (uint32_t i = 0; i < (m ? m->n_live : f->parameters); i++) {
		uint32_t field = m ? t->numbers[m->live + i] : i;
		walk_member(w, c->type, &shape_fields(t, c->type.number)[field], "", 0, c->part.size);
	}
}

static void walk_raw(struct walk *w, uint64_t offset)
{
	uint64_t size = w->s->cells[w->cell].part.size;
	if (offset < size)
		visit(w, (struct state_leaf){
				 .kind = STATE_RAW, .offset = offset, .size = size - offset, .type = SHAPE_NOWHERE});
}

static void walk_object(struct walk *w)
{
	const struct state_cell *c = &w->s->cells[w->cell];
	const struct shape_type *is = state_type(w->s, c->type);
	bool flexible = state_is_flexible(w->s, c->type);
	uint64_t n = c->count, each = is->size;
	if (is_character(is) && c->part.size) {
		visit(w, (struct state_leaf){.kind = STATE_TEXT, .size = c->part.size, .type = c->type});
		return;
	}
	if (!each) {
		walk_raw(w, 0);
		return;
	}
	for (uint64_t i = 0; i < n; i++) {
		uint64_t end = n == 1 ? c->part.size : (i + 1) * each;
		size_t place = w->place.len, path = w->path.len;
		bool first = i == 0 && is->kind == SHAPE_STRUCT;
		if (!first)
			buf_printf(&w->place, "[%llu]", (unsigned long long)i);
		if (n > 1)
			buf_printf(&w->path, "[%llu]", (unsigned long long)i);
		if (is->kind == SHAPE_STRUCT)
			walk_struct(w, c->type, first ? "->" : ".", i * each, end);
		else
			walk_type(w, c->type, NULL, ".", i * each, end);
		cut(&w->place, place);
		cut(&w->path, path);
	}
	if (!flexible)
		walk_raw(w, n * each);
}

void state_walk(const struct state *s, uint32_t cell, void (*visit_leaf)(const struct state_leaf *, void *opaque),
                void *opaque)
{
	assert(cell < s->n);
	struct walk w = {.s = s, .cell = cell, .visit = visit_leaf, .opaque = opaque};
	const struct state_cell *c = &s->cells[cell];
	const char *name = c->part.name;
	buf_addstr(&w.place, c->kind == STATE_OBJECT && *name == '*' ? name + 1 : name);
	switch (c->kind) {
	case STATE_UNTYPED: walk_raw(&w, 0); break;
	case STATE_FRAME: walk_frame(&w); break;
	case STATE_OBJECT: walk_object(&w); break;
	case STATE_RESULT:
	case STATE_SYSTEM:
		if (c->count > 1 || (c->kind == STATE_SYSTEM && is_character(state_type(s, c->type))))
			walk_object(&w);
		else
			walk_type(&w, c->type, NULL, ".", 0, c->part.size);
		break;
	case STATE_GLOBAL: walk_type(&w, c->type, NULL, ".", 0, c->part.size); break;
	}
	buf_release(&w.place);
	buf_release(&w.path);
}
