#include "shape/shape.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "object/elf.h"
#include "shape/shape_internal.h"

#define SIZE_LIMIT ((uint64_t)1 << 40) // of an object
enum { NESTING_MAX = 200 };            // of structures by value

// --- checks ---------------------------------------------------------------------------------------

struct checker {
	const struct shape_table *t;
	uint8_t *state; // of each type: 1 while it is being looked at, 2 behind that
};

static bool is_string(const struct checker *c, uint32_t string)
{
	return string < c->t->head->n_strings;
}

static bool is_range(uint32_t first, uint32_t n, uint32_t count)
{
	return first <= count && n <= count - first;
}

// Does the list of numbers lie in the table, with numbers below `limit`?
static bool is_list(const struct checker *c, uint32_t first, uint32_t n, uint32_t limit)
{
	if (!is_range(first, n, c->t->head->n_numbers))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (c->t->numbers[first + i] >= limit)
			return false;
	return true;
}

static bool is_field(const struct checker *c, const struct shape_type *t, const struct shape_field *f)
{
	if (!is_string(c, f->name) || !is_string(c, f->spelling) || f->type >= c->t->head->n_types)
		return false;
	if (t->kind != SHAPE_STRUCT && t->kind != SHAPE_UNION)
		return true;
	if (f->offset < 0 || (uint64_t)f->offset > t->size || f->bits > 64 || f->bit > 7)
		return false;
	uint64_t size = f->bits ? ((uint64_t)f->bit + f->bits + 7) / 8 : c->t->types[f->type].size;
	return size <= t->size - (uint64_t)f->offset;
}

static bool is_type(const struct checker *c, const struct shape_type *t)
{
	const struct shape_unit *head = c->t->head;
	if (t->kind >= SHAPE_KINDS || t->size > SIZE_LIMIT || !is_string(c, t->name) || t->of >= head->n_types ||
	    !is_range(t->first, t->n, head->n_fields) || !t->align || t->align & (t->align - 1))
		return false;
	uint64_t element = c->t->types[t->of].size;
	if (t->kind == SHAPE_ARRAY && element && t->count > t->size / element)
		return false;
	if ((t->kind == SHAPE_INTEGER || t->kind == SHAPE_FLOAT || t->kind == SHAPE_ENUM) && (!t->size || t->size > 16))
		return false;
	if (t->kind == SHAPE_POINTER && t->size != sizeof(uint64_t))
		return false;
	for (uint32_t i = 0; i < t->n; i++)
		if (!is_field(c, t, &c->t->fields[t->first + i]))
			return false;
	return true;
}

// No type contains itself by value.
static bool ends(const struct checker *c, uint32_t type, unsigned depth)
{
	const struct shape_type *t = &c->t->types[type];
	if (c->state[type])
		return c->state[type] == 2;
	if (depth > NESTING_MAX)
		return false;
	c->state[type] = 1;
	bool good = t->kind != SHAPE_ARRAY || ends(c, t->of, depth + 1);
	for (uint32_t i = 0; good && i < t->n && (t->kind == SHAPE_STRUCT || t->kind == SHAPE_UNION); i++)
		good = ends(c, c->t->fields[t->first + i].type, depth + 1);
	c->state[type] = 2;
	return good;
}

static bool is_function(const struct checker *c, const struct shape_function *f)
{
	const struct shape_unit *head = c->t->head;
	uint32_t strings = head->n_strings;
	if (f->frame >= head->n_types || f->type >= head->n_types)
		return false;
	const struct shape_type *frame = &c->t->types[f->frame], *type = &c->t->types[f->type];
	if (!is_string(c, f->name) || !is_string(c, f->symbol) || !is_string(c, f->file) || !is_string(c, f->reason) ||
	    !is_string(c, f->signature) || (f->type && type->kind != SHAPE_FUNCTION) || frame->kind != SHAPE_STRUCT ||
	    f->parameters > frame->n || !is_range(f->first_marker, f->markers, head->n_markers))
		return false;
	for (uint32_t i = 0; i < f->markers; i++) {
		const struct shape_marker *m = &c->t->markers[f->first_marker + i];
		if (m->kind > SHAPE_AT_SPLIT || !is_list(c, m->live, m->n_live, frame->n))
			return false;
	}
	return is_list(c, f->callees, f->n_callees, strings) && is_list(c, f->calls, f->n_calls, strings) &&
	       is_list(c, f->names, f->n_names, strings) && is_list(c, f->addresses, f->n_addresses, strings);
}

static bool is_global(const struct checker *c, const struct shape_global *g)
{
	const struct shape_unit *head = c->t->head;
	return is_string(c, g->name) && is_string(c, g->symbol) && is_string(c, g->function) && is_string(c, g->file) &&
	       g->type < head->n_types && is_list(c, g->addresses, g->n_addresses, head->n_strings) &&
	       is_list(c, g->names, g->n_names, head->n_strings);
}

static bool is_table(const struct shape_table *t)
{
	const struct shape_unit *head = t->head;
	struct checker c = {.t = t};
	if (!head->n_types || !head->n_strings || t->strings[head->n_strings - 1] || t->strings[0] ||
	    !is_string(&c, head->file) || !is_string(&c, head->directory) || t->types[0].kind != SHAPE_VOID)
		return false;
	bool good = true;
	for (uint32_t i = 0; good && i < head->n_types; i++)
		good = is_type(&c, &t->types[i]);
	c.state = mem_zero(head->n_types);
	for (uint32_t i = 0; good && i < head->n_types; i++)
		good = ends(&c, i, 0);
	mem_free(c.state);
	for (uint32_t i = 0; good && i < head->n_functions; i++)
		good = is_function(&c, &t->functions[i]);
	for (uint32_t i = 0; good && i < head->n_globals; i++)
		good = is_global(&c, &t->globals[i]);
	return good;
}

// --- reading --------------------------------------------------------------------------------------

// Where the block's tables are. False: they do not fill it exactly.
static bool lay_out(struct shape_table *t, const struct shape_unit *head)
{
	const uint8_t *at = (const uint8_t *)(head + 1);
	uint64_t left = head->size - sizeof *head;
	t->head = head;
#define TABLE(table, count)                                                                                            \
	do {                                                                                                           \
		uint64_t size = (uint64_t)(count) * sizeof *t->table;                                                  \
		if (size > left)                                                                                       \
			return false;                                                                                  \
		t->table = (const void *)at;                                                                           \
		at += size;                                                                                            \
		left -= size;                                                                                          \
	} while (0)
	TABLE(types, head->n_types);
	TABLE(fields, head->n_fields);
	TABLE(functions, head->n_functions);
	TABLE(markers, head->n_markers);
	TABLE(globals, head->n_globals);
	TABLE(numbers, head->n_numbers);
	TABLE(strings, head->n_strings);
#undef TABLE
	return left == 0 && head->n_numbers % 2 == 0;
}

static void push(struct shape_program *p, struct shape_table t)
{
	p->units = mem_resize(p->units, (p->n_units + 1) * sizeof t);
	p->units[p->n_units++] = t;
}

int shape_add(struct shape_program *program, const void *data, size_t size, struct err *err)
{
	const uint8_t *bytes = data;
	for (size_t at = 0; at < size;) {
		struct shape_unit head;
		uint64_t word = 0;
		memcpy(&word, bytes + at, size - at < 8 ? size - at : 8);
		if (word == 0) { // between units
			at += 8;
			continue;
		}
		struct shape_table t;
		if (size - at < sizeof head)
			return err_set(err, "damaged section %s at byte %zu", SHAPE_SECTION, at);
		memcpy(&head, bytes + at, sizeof head);
		if (head.magic != SHAPE_MAGIC || head.size % 8 || head.size < sizeof head || head.size > size - at)
			return err_set(err, "damaged section %s at byte %zu", SHAPE_SECTION, at);
		void *block = mem_copy(bytes + at, head.size);
		if (!lay_out(&t, block) || !is_table(&t)) {
			mem_free(block);
			return err_set(err, "damaged section %s at byte %zu", SHAPE_SECTION, at);
		}
		push(program, t);
		at += head.size;
	}
	shape_index_drop(program);
	program->index = shape_index_make(program);
	return 0;
}

static int add_section(void *opaque, const void *data, size_t size, struct err *err)
{
	return shape_add(opaque, data, size, err);
}

int shape_add_file(struct shape_program *program, const char *path, struct err *err)
{
	return elf_each(path, SHAPE_SECTION, add_section, program, err);
}

int shape_read(const char *path, struct shape_program *ret, struct err *err)
{
	struct shape_program p = {0};
	int r = elf_each(path, SHAPE_SECTION, add_section, &p, err);
	if (r == 0 && !p.n_units)
		r = err_set(err, "%s: there are no shapes in it", path);
	if (r < 0)
		shape_free(&p);
	else
		*ret = p;
	return r;
}

void shape_free(struct shape_program *program)
{
	shape_index_drop(program);
	for (uint32_t i = 0; i < program->n_units; i++)
		mem_free((void *)program->units[i].head);
	mem_free(program->units);
	*program = (struct shape_program){0};
}
