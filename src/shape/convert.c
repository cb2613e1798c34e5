#include "shape/convert.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/mem.h"

enum { NESTING = 32 };

static const struct shape_table *table_of(const struct shape_program *p, struct shape_ref r)
{
	return &p->units[r.unit];
}

static const struct shape_type *type_of(const struct shape_program *p, struct shape_ref r)
{
	return &table_of(p, r)->types[r.number];
}

static struct shape_ref element(const struct shape_program *p, struct shape_ref r)
{
	return shape_complete(p, (struct shape_ref){r.unit, type_of(p, r)->of});
}

static struct shape_ref frame_of(const struct shape_program *p, struct shape_ref function)
{
	return (struct shape_ref){function.unit, shape_function(p, function)->frame};
}

static bool is_compound(const struct shape_type *t)
{
	return t->kind == SHAPE_STRUCT || t->kind == SHAPE_UNION;
}

static bool is_number(const struct shape_type *t)
{
	return t->kind == SHAPE_INTEGER || t->kind == SHAPE_ENUM || t->kind == SHAPE_FLOAT;
}

// --- pairs ----------------------------------------------------------------------------------------

// A type in both versions.
struct both {
	struct shape_ref from, to;
};

static const struct shape_field *field_named(const struct shape_table *t, const struct shape_field *v, uint32_t n,
                                             const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(shape_text(t, v[i].name), name) == 0)
			return &v[i];
	return NULL;
}

static bool is_left(const struct shape_table *t, const struct shape_field *f, const struct shape_table *other,
                    const struct shape_field *v, uint32_t n)
{
	const char *name = shape_text(t, f->name);
	return *name && !field_named(other, v, n, name);
}

static uint64_t hash_of(const struct shape_table *t, const struct shape_field *f)
{
	return t->types[f->type].hash;
}

// The members of `v` that have no namesake in `w`: how many have that type, or, if it is 0, any; *ret: the i-th of
// them.
static uint32_t left_over(const struct shape_table *t, const struct shape_field *v, uint32_t n,
                          const struct shape_table *other, const struct shape_field *w, uint32_t m, uint64_t type,
                          uint32_t i, const struct shape_field **ret)
{
	uint32_t found = 0;
	*ret = NULL;
	for (uint32_t k = 0; k < n; k++)
		if (is_left(t, &v[k], other, w, m) && (!type || hash_of(t, &v[k]) == type)) {
			if (found == i)
				*ret = &v[k];
			found++;
		}
	return found;
}

// The member that stands for the number-th one of `v`; of parameters also one of another type.
static const struct shape_field *partner(const struct shape_table *t, const struct shape_field *v, uint32_t n,
                                         uint32_t number, const struct shape_table *other, const struct shape_field *w,
                                         uint32_t m, bool is_frame)
{
	const char *name = shape_text(t, v[number].name);
	const struct shape_field *same = *name ? field_named(other, w, m, name) : NULL;
	if (same || (!*name && !is_frame)) // without a name: by their order
		return same ? same : number < m && !*shape_text(other, w[number].name) ? &w[number] : NULL;
	// As many of a type are left over on both sides: they have other names. Of parameters, whatever their type.
	const uint64_t type = is_frame ? 0 : hash_of(t, &v[number]);
	const struct shape_field *found, *ignored;
	uint32_t before = 0;
	for (uint32_t k = 0; k < number; k++)
		before += is_left(t, &v[k], other, w, m) && (!type || hash_of(t, &v[k]) == type);
	uint32_t own = left_over(t, v, n, other, w, m, type, 0, &ignored),
		 theirs = left_over(other, w, m, t, v, n, type, before, &found);
	return own == theirs && (!found || found->bits == v[number].bits) ? found : NULL;
}

struct members {
	const struct shape_table *t;
	const struct shape_field *v;
	uint32_t n;
	bool is_frame;
};

static struct members members_of(const struct shape_program *p, struct shape_ref type, struct shape_ref function)
{
	const struct shape_table *t = table_of(p, type);
	const struct shape_type *is = &t->types[type.number];
	bool is_frame = is->flags & SHAPE_FRAME;
	uint32_t n = is_frame ? shape_function(p, function)->parameters : is->n;
	return (struct members){t, t->fields + is->first, n, is_frame};
}

static const struct shape_field *partner_of(const struct convert *c, struct both t, uint32_t number)
{
	struct members a = members_of(c->from, t.from, c->from_function), b = members_of(c->to, t.to, c->to_function);
	return partner(a.t, a.v, a.n, number, b.t, b.v, b.n, a.is_frame);
}

static bool fits(const struct convert *c, struct both t)
{
	const struct shape_type *a = type_of(c->from, t.from), *b = type_of(c->to, t.to);
	if (is_number(a) && is_number(b))
		return (a->kind == SHAPE_FLOAT) == (b->kind == SHAPE_FLOAT);
	return a->kind == b->kind;
}

bool convert_fits(const struct convert *c, const char **ret_why)
{
	const struct shape_function *f = shape_function(c->from, c->from_function),
				    *g = shape_function(c->to, c->to_function);
	const struct both frames = {frame_of(c->from, c->from_function), frame_of(c->to, c->to_function)};
	*ret_why = NULL;
	if ((f->flags | g->flags) & SHAPE_NEVER)
		*ret_why = "runs cannot begin in it";
	else if (f->parameters != g->parameters)
		*ret_why = "the versions have another number of parameters";
	for (uint32_t i = 0; !*ret_why && i < f->parameters; i++) {
		const struct shape_field *own = &shape_fields(table_of(c->from, frames.from), f->frame)[i],
					 *other = partner_of(c, frames, i);
		if (!other || !fits(c, (struct both){{frames.from.unit, own->type}, {frames.to.unit, other->type}}))
			*ret_why = "a parameter is of another type";
	}
	return !*ret_why;
}

struct shape_ref convert_global(const struct convert *c, struct shape_ref global)
{
	const struct shape_table *t = table_of(c->from, global);
	const struct shape_global *g = &t->globals[global.number];
	struct shape_ref found = SHAPE_NOWHERE;
	for (uint32_t u = 0; u < c->to->n_units; u++)
		for (uint32_t i = 0; i < c->to->units[u].head->n_globals; i++) {
			const struct shape_table *o = &c->to->units[u];
			const struct shape_global *x = &o->globals[i];
			if (strcmp(shape_text(o, x->name), shape_text(t, g->name)) != 0 ||
			    strcmp(shape_text(o, x->function), shape_text(t, g->function)) != 0)
				continue;
			const char *a = strrchr(shape_text(o, x->file), '/'), *b = strrchr(shape_text(t, g->file), '/');
			bool same_file = strcmp(a ? a : shape_text(o, x->file), b ? b : shape_text(t, g->file)) == 0;
			if (same_file || !shape_is_somewhere(found))
				found = (struct shape_ref){u, i};
			if (same_file)
				return found;
		}
	return found;
}

// --- places ---------------------------------------------------------------------------------------

struct reading {
	const struct convert *c;
	const char *p;
	struct buf *out;
	struct both type;
	bool typed; // false: what follows is copied as it is
};

static size_t name_length(const char *p)
{
	size_t n = 0;
	while (isalnum((unsigned char)p[n]) || p[n] == '_' || p[n] == '@')
		n++;
	return n;
}

// Finds a member, also inside of members without a name, and its partner.
static bool find_member(const struct convert *c, struct both t, const char *name, size_t size, struct both *ret,
                        const char **ret_name, unsigned depth)
{
	const struct shape_type *a = type_of(c->from, t.from), *b = type_of(c->to, t.to);
	if (!is_compound(a) || !is_compound(b) || depth == NESTING)
		return false;
	struct members m = members_of(c->from, t.from, c->from_function);
	for (uint32_t i = 0; i < m.n; i++) {
		const char *own = shape_text(m.t, m.v[i].name);
		const struct shape_field *other = partner_of(c, t, i);
		const struct both is = {{t.from.unit, m.v[i].type}, {t.to.unit, other ? other->type : 0}};
		if (other && !*own && find_member(c, is, name, size, ret, ret_name, depth + 1))
			return true;
		if (strlen(own) != size || strncmp(own, name, size) != 0)
			continue;
		*ret = is;
		*ret_name = other ? shape_text(table_of(c->to, t.to), other->name) : NULL;
		return other;
	}
	return false;
}

static bool is_named(const struct shape_program *p, struct shape_ref g, const char *name, size_t size, size_t *ret)
{
	const struct shape_table *t = table_of(p, g);
	const char *own = shape_text(t, t->globals[g.number].name),
		   *function = shape_text(t, t->globals[g.number].function);
	size_t n = strlen(own), m = *function ? strlen(function) + 1 : 0;
	*ret = m + n;
	if (!m)
		return n == size && strncmp(own, name, n) == 0;
	return m - 1 == size && strncmp(function, name, size) == 0 && name[size] == '.' &&
	       strncmp(name + m, own, n) == 0 && name_length(name + m) == n;
}

static bool read_global(struct reading *r, size_t size)
{
	for (uint32_t u = 0; u < r->c->from->n_units; u++)
		for (uint32_t i = 0; i < r->c->from->units[u].head->n_globals; i++) {
			size_t n;
			const struct shape_ref own = {u, i};
			if (!is_named(r->c->from, own, r->p, size, &n))
				continue;
			struct shape_ref other = convert_global(r->c, own);
			if (!shape_is_somewhere(other))
				return false;
			buf_add(r->out, r->p, n);
			r->p += n;
			r->type.from =
				shape_complete(r->c->from, (struct shape_ref){u, shape_global(r->c->from, own)->type});
			r->type.to = shape_complete(
				r->c->to, (struct shape_ref){other.unit, shape_global(r->c->to, other)->type});
			return true;
		}
	return false;
}

static bool read_root(struct reading *r)
{
	const struct convert *c = r->c;
	size_t size = name_length(r->p);
	const char *name;
	const struct both frames = {frame_of(c->from, c->from_function), frame_of(c->to, c->to_function)};
	if (!size)
		return false;
	r->typed = r->p[size] != '#';
	if (!r->typed) { // of a function of the system
		return true;
	} else if (size == 6 && strncmp(r->p, "return", size) == 0) {
		uint32_t a = shape_function(c->from, c->from_function)->type,
			 b = shape_function(c->to, c->to_function)->type;
		r->type.from = (struct shape_ref){frames.from.unit, table_of(c->from, frames.from)->types[a].of};
		r->type.to = (struct shape_ref){frames.to.unit, table_of(c->to, frames.to)->types[b].of};
		buf_add(r->out, r->p, size);
		r->p += size;
		return true;
	}
	if (find_member(c, frames, r->p, size, &r->type, &name, 0)) {
		buf_addstr(r->out, name);
		r->p += size;
		return true;
	}
	return read_global(r, size);
}

static bool dereference(struct reading *r)
{
	if (type_of(r->c->from, r->type.from)->kind != SHAPE_POINTER ||
	    type_of(r->c->to, r->type.to)->kind != SHAPE_POINTER)
		return false;
	r->type = (struct both){element(r->c->from, r->type.from), element(r->c->to, r->type.to)};
	return true;
}

static bool read_index(struct reading *r)
{
	size_t n = strcspn(r->p, "]");
	bool is_array = type_of(r->c->from, r->type.from)->kind == SHAPE_ARRAY &&
	                type_of(r->c->to, r->type.to)->kind == SHAPE_ARRAY;
	if (!r->p[n])
		return false;
	if (is_array)
		r->type = (struct both){element(r->c->from, r->type.from), element(r->c->to, r->type.to)};
	else
		r->typed = dereference(r);
	buf_add(r->out, r->p, n + 1);
	r->p += n + 1;
	return true;
}

static bool read_member(struct reading *r, size_t between)
{
	const char *name;
	struct both found;
	size_t n = name_length(r->p + between);
	if (between == 2 && !dereference(r))
		return false;
	// A pointer into an object names its members behind the pointer's place.
	if (between == 1 && type_of(r->c->from, r->type.from)->kind == SHAPE_POINTER)
		dereference(r);
	if (!find_member(r->c, r->type, r->p + between, n, &found, &name, 0))
		return false;
	buf_add(r->out, r->p, between);
	buf_addstr(r->out, name);
	r->type = found;
	r->p += between + n;
	return true;
}

bool convert_place(const struct convert *c, const char *place, struct buf *out)
{
	struct reading r = {.c = c, .p = place, .out = out};
	size_t stars = strspn(place, "*(");
	buf_add(out, place, stars);
	r.p += stars;
	bool fine = read_root(&r);
	while (fine && r.typed && *r.p) {
		if (*r.p == '[')
			fine = read_index(&r);
		else if (*r.p == '.')
			fine = read_member(&r, 1);
		else if (r.p[0] == '-' && r.p[1] == '>')
			fine = read_member(&r, 2);
		else
			r.typed = false;
	}
	if (fine)
		buf_addstr(out, r.p);
	return fine;
}

// --- images ---------------------------------------------------------------------------------------

struct image {
	const uint8_t *from;
	uint8_t *to;
	uint64_t from_size, to_size;
};

static void convert_type(const struct convert *c, struct both t, struct image i, unsigned depth);

static uint64_t bits_of(const uint8_t *data, const struct shape_field *f)
{
	uint64_t value = 0, have = (f->bit + f->bits + 7u) / 8;
	memcpy(&value, data, have < sizeof value ? have : sizeof value);
	return value >> f->bit & (f->bits < 64 ? ((uint64_t)1 << f->bits) - 1 : UINT64_MAX);
}

static void convert_bits(const struct shape_field *a, const struct shape_field *b, struct image i)
{
	uint64_t value = bits_of(i.from, a), had = 0, mask = b->bits < 64 ? ((uint64_t)1 << b->bits) - 1 : UINT64_MAX;
	uint64_t have = (b->bit + b->bits + 7u) / 8;
	if (have > sizeof had || have > i.to_size || (a->bit + a->bits + 7u) / 8 > i.from_size)
		return;
	memcpy(&had, i.to, have);
	had = (had & ~(mask << b->bit)) | (value & mask) << b->bit;
	memcpy(i.to, &had, have);
}

static void convert_members(const struct convert *c, struct both t, struct image i, unsigned depth)
{
	struct members a = members_of(c->from, t.from, c->from_function);
	for (uint32_t k = 0; k < a.n; k++) {
		const struct shape_field *own = &a.v[k], *other = partner_of(c, t, k);
		uint64_t from = (uint64_t)own->offset, to = other ? (uint64_t)other->offset : 0;
		if (!other || from > i.from_size || to > i.to_size || !own->bits != !other->bits)
			continue;
		const struct image at = {i.from + from, i.to + to, i.from_size - from, i.to_size - to};
		if (own->bits)
			convert_bits(own, other, at);
		else
			convert_type(c, (struct both){{t.from.unit, own->type}, {t.to.unit, other->type}}, at,
			             depth + 1);
	}
}

// Of another width: by value.
static void convert_number(const struct shape_type *a, const struct shape_type *b, struct image i)
{
	if (a->size == b->size || a->kind == SHAPE_FLOAT || b->kind == SHAPE_FLOAT) {
		memcpy(i.to, i.from, a->size < b->size ? a->size : b->size);
		return;
	}
	bool negative = a->size && a->flags & SHAPE_SIGNED && i.from[a->size - 1] & 0x80;
	memset(i.to, negative ? 0xff : 0, b->size);
	memcpy(i.to, i.from, a->size < b->size ? a->size : b->size);
}

static void convert_array(const struct convert *c, struct both t, struct image i, unsigned depth)
{
	const struct both each = {element(c->from, t.from), element(c->to, t.to)};
	uint64_t from = type_of(c->from, each.from)->size, to = type_of(c->to, each.to)->size;
	uint64_t n = from && to ? i.from_size / from : 0, m = from && to ? i.to_size / to : 0,
		 count = type_of(c->from, t.from)->count, other = type_of(c->to, t.to)->count;
	n = count && count < n ? count : n;
	m = other && other < m ? other : m;
	for (uint64_t k = 0; k < n && k < m; k++)
		convert_type(c, each, (struct image){i.from + k * from, i.to + k * to, from, to}, depth + 1);
}

static void convert_type(const struct convert *c, struct both t, struct image i, unsigned depth)
{
	const struct shape_type *a = type_of(c->from, t.from), *b = type_of(c->to, t.to);
	if (a->size > i.from_size || b->size > i.to_size || depth == NESTING)
		return;
	if (a->hash == b->hash && a->size == b->size)
		memcpy(i.to, i.from, a->size);
	else if (a->kind == SHAPE_STRUCT && b->kind == SHAPE_STRUCT)
		convert_members(c, t, i, depth);
	else if (a->kind == SHAPE_ARRAY && b->kind == SHAPE_ARRAY)
		convert_array(c, t, i, depth);
	else if (is_number(a) && is_number(b))
		convert_number(a, b, i);
	else if (a->kind == b->kind)
		memcpy(i.to, i.from, a->size < b->size ? a->size : b->size);
}

// --- cells ----------------------------------------------------------------------------------------

// The type of a cell: of the frame, a global, or what the place behind the star points to.
static bool cell_type(const struct convert *c, const char *name, struct both *ret)
{
	struct buf ignored = {0};
	struct reading r = {.c = c, .p = *name == '*' ? name + 1 : name, .out = &ignored};
	if (!*name) {
		*ret = (struct both){frame_of(c->from, c->from_function), frame_of(c->to, c->to_function)};
		return true;
	}
	bool fine = read_root(&r);
	while (fine && r.typed && *r.p)
		fine = *r.p == '['                      ? read_index(&r)
		       : *r.p == '.'                    ? read_member(&r, 1)
		       : r.p[0] == '-' && r.p[1] == '>' ? read_member(&r, 2)
		                                        : false;
	fine = fine && r.typed && (*name != '*' || dereference(&r));
	*ret = r.type;
	buf_release(&ignored);
	return fine;
}

static void convert_cell(const struct convert *c, const struct state_part *part, struct converted *ret)
{
	struct both t;
	if (!cell_type(c, part->name, &t) || (*part->name && !convert_place(c, part->name, &ret->name))) {
		buf_clear(&ret->name);
		buf_addstr(&ret->name, part->name);
		buf_add(&ret->data, part->data, part->size);
		return;
	}
	uint64_t from = type_of(c->from, t.from)->size, to = type_of(c->to, t.to)->size;
	uint64_t n = from ? part->size / from : 0, size = n && to ? n * to + part->size % from : part->size;
	uint8_t *data = mem_zero(size + 1);
	if (!n || !to) // of a type that is not known
		memcpy(data, part->data, part->size);
	bool is_frame = type_of(c->from, t.from)->flags & SHAPE_FRAME;
	for (uint64_t i = 0; i < n && to; i++) {
		const struct image at = {part->data + i * from, data + i * to, from, to};
		if (is_frame)
			convert_members(c, t, at, 0);
		else
			convert_type(c, t, at, 0);
	}
	if (n && to)
		memcpy(data + n * to, part->data + n * from, part->size % from);
	buf_add(&ret->data, data, size);
	mem_free(data);
}

void convert_cells(const struct convert *c, const struct state_part *parts, uint32_t n, struct converted *ret)
{
	for (uint32_t i = 0; i < n; i++) {
		ret[i] = (struct converted){0};
		convert_cell(c, &parts[i], &ret[i]);
	}
}
