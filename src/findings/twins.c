#include "findings/twins.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/vec.h"
#include "input/fragment.h"

enum { CLOSURE_DEPTH = 8, GLOBALS_BYTES = 1 << 16 };

struct convert twins_pair(const struct twins *t, uint32_t number, unsigned side)
{
	assert(number < t->n && side < TWINS);
	return (struct convert){.from = t->shapes[side],
	                        .to = t->shapes[!side],
	                        .from_function = t->v[number].side[side],
	                        .to_function = t->v[number].side[!side]};
}

// As the program's name: the fragment alone may be the same in both versions.
static const char *const sides[TWINS] = {"old", "new"};

unsigned twins_side(const struct input *in)
{
	const struct input_part *name = input_argument(in, 0);
	return name && strcmp(buf_str(&name->data), sides[1]) == 0;
}

static uint64_t unit_name(const struct shape_program *p, struct shape_ref r)
{
	return p->units[r.unit].head->unit;
}

bool twins_find(const struct twins *t, unsigned side, const struct input *in, uint32_t *ret_number, struct convert *ret)
{
	struct fragment f;
	if (!fragment_of(in, &f))
		return false;
	for (uint32_t i = 0; i < t->n; i++)
		if (t->v[i].side[side].number == f.function &&
		    unit_name(t->shapes[side], t->v[i].side[side]) == f.unit) {
			*ret_number = i;
			*ret = twins_pair(t, i, side);
			return true;
		}
	return false;
}

// --- first inputs ---------------------------------------------------------------------------------

struct names {
	struct fragment_name *v;
	size_t n, cap;
};

static bool is_made_up(const struct convert *c, struct shape_ref global)
{
	const struct shape_global *g = shape_global(c->from, global);
	struct shape_ref other = convert_global(c, global);
	return !(g->flags & (SHAPE_GLOBAL_CONST | SHAPE_GLOBAL_LITERAL)) &&
	       c->from->units[global.unit].types[g->type].size && shape_is_somewhere(other) &&
	       !(shape_global(c->to, other)->flags & SHAPE_GLOBAL_CONST);
}

bool twins_makes_up_all(const struct twins *t, uint32_t number)
{
	bool all = true;
	for (unsigned side = 0; side < TWINS; side++) {
		const struct convert c = twins_pair(t, number, side);
		struct shape_list reached = {0};
		uint64_t bytes = 0;
		shape_closure(c.from, c.from_function, CLOSURE_DEPTH, &reached);
		for (uint32_t i = 0; i < reached.n; i++) {
			const struct shape_global *g = shape_global(c.from, reached.v[i]);
			bool constant = g->flags & (SHAPE_GLOBAL_CONST | SHAPE_GLOBAL_LITERAL);
			bytes += constant ? 0 : c.from->units[reached.v[i].unit].types[g->type].size;
			all &= constant || is_made_up(&c, reached.v[i]);
		}
		all &= bytes <= GLOBALS_BYTES;
		shape_list_release(&reached);
	}
	return all;
}

void twins_first(const struct twins *t, uint32_t number, unsigned side, struct input *ret)
{
	const struct convert c = twins_pair(t, number, side);
	struct shape_list all = {0};
	struct names globals = {0};
	uint64_t bytes = 0;
	shape_closure(c.from, c.from_function, CLOSURE_DEPTH, &all);
	for (uint32_t i = 0; i < all.n; i++) {
		const struct shape_global *g = shape_global(c.from, all.v[i]);
		uint64_t size = c.from->units[all.v[i].unit].types[g->type].size;
		if (!is_made_up(&c, all.v[i]) || bytes + size > GLOBALS_BYTES)
			continue;
		bytes += size;
		vec_push(&globals, ((struct fragment_name){unit_name(c.from, all.v[i]), all.v[i].number, 0}));
	}
	shape_list_release(&all);
	const struct fragment entry = {.unit = unit_name(c.from, c.from_function),
	                               .function = c.from_function.number,
	                               .globals = globals.v,
	                               .n_globals = globals.n};
	input_add(ret, INPUT_ARGUMENT, NULL, sides[side], strlen(sides[side]));
	fragment_set(ret, &entry);
	vec_release(&globals);
}

// --- the other version's --------------------------------------------------------------------------

static void convert_entry(const struct convert *c, const struct fragment *f, struct input *ret)
{
	struct names globals = {0};
	for (size_t i = 0; i < f->n_globals; i++) {
		uint32_t unit = shape_unit(c->from, f->globals[i].unit);
		if (unit == UINT32_MAX || f->globals[i].number >= c->from->units[unit].head->n_globals)
			continue;
		struct shape_ref other = convert_global(c, (struct shape_ref){unit, f->globals[i].number});
		if (shape_is_somewhere(other))
			vec_push(&globals, ((struct fragment_name){unit_name(c->to, other), other.number, 0}));
	}
	const struct fragment entry = {.unit = unit_name(c->to, c->to_function),
	                               .function = c->to_function.number,
	                               .depth = f->depth,
	                               .object_max = f->object_max,
	                               .globals = globals.v,
	                               .n_globals = globals.n};
	fragment_set(ret, &entry);
	vec_release(&globals);
}

static struct state_part *parts_of(const struct input *in, uint32_t *ret_n)
{
	struct state_part *parts = mem_zero((in->n + 1) * sizeof *parts);
	*ret_n = 0;
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == INPUT_CELL)
			parts[(*ret_n)++] = (struct state_part){.name = in->v[i].name ? in->v[i].name : "",
			                                        .data = (const uint8_t *)buf_str(&in->v[i].data),
			                                        .size = in->v[i].data.len};
	return parts;
}

bool twins_convert(const struct twins *t, unsigned side, const struct input *in, struct input *ret)
{
	struct fragment f;
	struct convert c;
	uint32_t number, n;
	*ret = (struct input){0};
	if (!twins_find(t, side, in, &number, &c) || !fragment_of(in, &f))
		return false;
	struct state_part *parts = parts_of(in, &n);
	struct converted *cells = mem_zero((n + 1) * sizeof *cells);
	convert_cells(&c, parts, n, cells);
	for (size_t i = 0, k = 0; i < in->n; i++) {
		const struct input_part *p = &in->v[i];
		if (p->kind == INPUT_FRAGMENT) {
			convert_entry(&c, &f, ret);
		} else if (p->kind == INPUT_CELL) {
			input_add(ret, INPUT_CELL, buf_str(&cells[k].name), cells[k].data.data, cells[k].data.len);
			buf_release(&cells[k].name);
			buf_release(&cells[k++].data);
		} else {
			input_add(ret, p->kind, p->name, p->data.data, p->data.len);
		}
	}
	mem_free(cells);
	mem_free(parts);
	return true;
}

// --- variations -----------------------------------------------------------------------------------

struct leaf {
	uint32_t part;
	uint64_t offset, size;
	bool is_text, is_signed;
};

struct leaves {
	struct leaf *v;
	size_t n, cap;
	const struct state *state;
};

static void take_leaf(const struct state_leaf *l, void *opaque)
{
	struct leaves *all = opaque;
	if ((l->kind != STATE_NUMBER && l->kind != STATE_TEXT) || !l->size || l->in_union) // which may be a pointer
		return;
	vec_push(all,
	         ((struct leaf){
			 .part = l->cell, .offset = l->offset, .size = l->size, .is_text = l->kind == STATE_TEXT}));
}

static int read_state(const struct twins *t, unsigned side, const struct input *in, struct state *ret,
                      struct state_part **ret_parts)
{
	const struct input_part *entry = input_find(in, INPUT_FRAGMENT, NULL);
	struct err ignored;
	uint32_t n;
	*ret_parts = parts_of(in, &n);
	int r = entry ? state_read(ret, t->shapes[side], entry->data.data, entry->data.len, *ret_parts, n, &ignored)
	              : -1;
	if (r < 0)
		mem_free(*ret_parts);
	return r;
}

static void change_text(uint8_t *data, uint64_t size, uint64_t *random)
{
	static const char interesting[] = "0019-+ ./,:=\n%aZ";
	uint64_t at = random_next(random) % size;
	switch (random_next(random) % 4) {
	case 0: data[at] = (uint8_t)random_next(random); break;
	case 1: data[at] = (uint8_t)(' ' + random_next(random) % 95); break;
	case 2: data[at] = (uint8_t)interesting[random_next(random) % (sizeof interesting - 1)]; break;
	default: // digits stay digits, letters letters
		for (uint64_t i = 0; i < size; i++) {
			uint8_t c = data[i];
			if (c >= '0' && c <= '9')
				data[i] = (uint8_t)('0' + random_next(random) % 10);
			else if ((c | 32) >= 'a' && (c | 32) <= 'z')
				data[i] = (uint8_t)((c & 32) + 'A' + random_next(random) % 26);
		}
	}
}

static void change_number(uint8_t *data, uint64_t size, uint64_t *random)
{
	uint64_t value = 0, width = size < sizeof value ? size : sizeof value;
	memcpy(&value, data, width);
	switch (random_next(random) % 6) {
	case 0: value = random_next(random) % 16; break;
	case 1: value += random_next(random) % 2 ? 1 : UINT64_MAX; break;
	case 2: value = random_next(random); break;
	case 3: value = (uint64_t)1 << random_next(random) % (8 * width); break;
	case 4: value = 0 - random_next(random) % 16; break;
	default: value = random_next(random) % 256;
	}
	memcpy(data, &value, width);
}

static uint8_t *part_data(struct input *in, uint32_t cell)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == INPUT_CELL && cell-- == 0)
			return (uint8_t *)in->v[i].data.data;
	return NULL;
}

// Where the run made up an object that nobody has asked for anything of, the input has no part.
static uint64_t usual_size(const struct state *s, const struct state_leaf *pointer)
{
	enum { STRING = 8, NUMBERS = 4 };
	struct shape_ref to =
		shape_complete(s->program, (struct shape_ref){pointer->type.unit, state_type(s, pointer->type)->of});
	const struct shape_type *is = state_type(s, to);
	bool number = is->kind == SHAPE_INTEGER || is->kind == SHAPE_FLOAT || is->kind == SHAPE_ENUM;
	if (is->kind == SHAPE_VOID || is->kind == SHAPE_FUNCTION)
		return 0;
	return is->flags & SHAPE_CHARACTER ? STRING : number ? NUMBERS * is->size : is->size;
}

struct missing {
	const struct state *state;
	struct strv names;
	VEC(uint64_t) sizes;
};

static void take_missing(const struct state_leaf *l, void *opaque)
{
	struct missing *m = opaque;
	uint64_t size =
		l->kind == STATE_POINTER && state_target(m->state, l) == STATE_UNTOUCHED ? usual_size(m->state, l) : 0;
	if (!size)
		return;
	strv_pushf(&m->names, "*%s", l->place);
	vec_push(&m->sizes, size);
}

static void add_zeros(struct input *in, const char *name, uint64_t size)
{
	uint8_t *zeros = mem_zero(size + 1);
	input_add(in, INPUT_CELL, name, zeros, size);
	mem_free(zeros);
}

// Parameters and what they lead to, as runs make them up: with zeros.
static void complete(const struct twins *t, unsigned side, struct input *in)
{
	enum { LEVELS = 2, MOST = 32, LARGEST = 4096 };
	uint32_t number;
	struct convert c;
	if (!twins_find(t, side, in, &number, &c))
		return;
	const struct shape_function *f = shape_function(c.from, c.from_function);
	uint64_t frame = c.from->units[c.from_function.unit].types[f->frame].size;
	if (!input_find(in, INPUT_CELL, "") && frame && frame <= LARGEST)
		add_zeros(in, "", frame);
	for (unsigned level = 0; level < LEVELS; level++) {
		struct state state;
		struct state_part *parts;
		struct missing m = {.state = &state};
		if (read_state(t, side, in, &state, &parts) < 0)
			return;
		for (uint32_t i = 0; i < state.n; i++)
			if (state.cells[i].kind && state.cells[i].kind != STATE_GLOBAL)
				state_walk(&state, i, take_missing, &m);
		for (size_t i = 0; i < m.names.n && i < MOST; i++)
			if (m.sizes.v[i] <= LARGEST && !input_find(in, INPUT_CELL, m.names.v[i]))
				add_zeros(in, m.names.v[i], m.sizes.v[i]);
		strv_release(&m.names);
		vec_release(&m.sizes);
		state_release(&state);
		mem_free(parts);
	}
}

bool twins_vary(const struct twins *t, unsigned side, struct input *in, uint64_t *random)
{
	enum { CHANGES = 6 };
	complete(t, side, in);
	struct state state;
	struct state_part *parts;
	struct leaves all = {0};
	if (read_state(t, side, in, &state, &parts) < 0)
		return false;
	for (uint32_t i = 0; i < state.n; i++)
		if (state.cells[i].kind)
			state_walk(&state, i, take_leaf, &all);
		else if (parts[i].size > 1) // behind a pointer in a union
			vec_push(&all, ((struct leaf){.part = i, .size = parts[i].size - 1, .is_text = true}));
	for (uint64_t times = all.n ? 1 + random_next(random) % CHANGES : 0; times; times--) {
		const struct leaf *l = &all.v[random_next(random) % all.n];
		uint8_t *data = part_data(in, l->part);
		if (l->is_text)
			change_text(data + l->offset, l->size, random);
		else
			change_number(data + l->offset, l->size, random);
	}
	bool any = all.n > 0;
	vec_release(&all);
	state_release(&state);
	mem_free(parts);
	return any;
}

static uint64_t end_of_parameters(const struct shape_program *p, struct shape_ref function)
{
	const struct shape_table *t = &p->units[function.unit];
	const struct shape_function *f = &t->functions[function.number];
	uint64_t end = 0;
	for (uint32_t i = 0; i < f->parameters; i++) {
		const struct shape_field *x = &t->fields[t->types[f->frame].first + i];
		end = (uint64_t)x->offset + t->types[x->type].size;
	}
	return end;
}

// Behind the parameters a frame has variables, which a run that enters the function does not get from the input.
static bool is_same_cell(const struct convert *c, const struct input_part *a, const struct input_part *b)
{
	const char *name = a->name ? a->name : "";
	uint64_t size = *name ? a->data.len : end_of_parameters(c->from, c->from_function);
	return strcmp(name, b->name ? b->name : "") == 0 && (!*name || a->data.len == b->data.len) &&
	       size <= a->data.len && size <= b->data.len && memcmp(buf_str(&a->data), buf_str(&b->data), size) == 0;
}

bool twins_has_strings(const struct twins *t, unsigned side, const struct input *in)
{
	struct state state;
	struct state_part *parts;
	bool has = false;
	if (read_state(t, side, in, &state, &parts) < 0)
		return true;
	for (uint32_t i = 0; i < state.n && !has; i++) {
		struct leaves all = {0};
		bool is_object = *parts[i].name == '*';
		if (is_object && state.cells[i].kind)
			state_walk(&state, i, take_leaf, &all);
		has = is_object &&
		      (!state.cells[i].kind || (all.n && all.v[0].is_text && all.v[0].size == parts[i].size));
		vec_release(&all);
	}
	state_release(&state);
	mem_free(parts);
	return has;
}

bool twins_is_one_state(const struct twins *t, unsigned side, const struct input *in)
{
	struct state state;
	struct state_part *parts;
	struct leaves all = {0};
	struct input marked = {0}, converted = {0};
	input_copy(&marked, in);
	if (read_state(t, side, &marked, &state, &parts) < 0) {
		input_release(&marked);
		return false;
	}
	for (uint32_t i = 0; i < state.n; i++)
		if (state.cells[i].kind)
			state_walk(&state, i, take_leaf, &all);
	for (size_t i = 0; i < all.n; i++) {
		uint8_t *data = part_data(&marked, all.v[i].part);
		for (uint64_t k = 0; k < all.v[i].size; k++)
			data[all.v[i].offset + k] = (uint8_t)(1 + (i * 11 + k * 37) % 100);
	}
	struct convert c;
	uint32_t number;
	bool one = twins_find(t, side, &marked, &number, &c) && twins_convert(t, side, &marked, &converted) &&
	           marked.n == converted.n;
	for (size_t i = 0; i < marked.n && one; i++)
		one = marked.v[i].kind != INPUT_CELL || is_same_cell(&c, &marked.v[i], &converted.v[i]);
	vec_release(&all);
	state_release(&state);
	mem_free(parts);
	input_release(&marked);
	input_release(&converted);
	return one;
}

void twins_print(const struct twins *t, unsigned side, const struct input *in, struct buf *out)
{
	struct state state;
	struct state_part *parts;
	if (read_state(t, side, in, &state, &parts) < 0)
		return;
	state_print(&state, out);
	state_release(&state);
	mem_free(parts);
}
