// Functions of the system that a run in the middle of a program calls (abi/outside.def): what they return is the cell
// read#n, what they write behind an argument read#n.out, errno read#n:errno, of the n-th call.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/fragment/fragment.h"
#include "runtime/fragment/left.h"

__attribute__((visibility("default"))) const void *__veer_f_outside(uint32_t which, uint32_t size, int64_t a, int64_t b,
                                                                    int64_t c, int64_t d);

enum result { NUMBER, TEXT, STREAM };
enum { ARGUMENTS = 4, WRITTEN = 4096, TYPES = 512, BY_FIRST = 1 << 20 };
#define BY(n) (BY_FIRST + (n))

static const struct contract {
	const char *name;
	enum result result;
	int64_t low, high;
	uint32_t limit, out, size;
} contracts[] = {
#define CALL(name, result, low, high, limit, out, size) {name, result, low, high, limit, out, size},
#include "abi/outside.def"
};

// --- types that no unit needs to have -------------------------------------------------------------

static struct shape_type types[TYPES];
static uint32_t n_types;

static bool make_type(enum shape_kind kind, uint64_t size, struct type *ret)
{
	if (n_types == TYPES)
		return false;
	struct shape_type *t = &types[n_types++];
	*t = (struct shape_type){
		.kind = kind, .size = size, .align = size == 2 || size == 4 || size == 8 ? (uint32_t)size : 1};
	*ret = (struct type){unit_find(fragment->unit), t};
	return true;
}

static bool make_pointer(bool (*is)(const struct fragment_unit *u, const struct shape_type *t), struct type *ret)
{
	struct type to;
	if (!unit_find_type(is, &to) || !make_type(SHAPE_POINTER, sizeof(void *), ret))
		return false;
	ret->unit = to.unit;
	types[n_types - 1].of = unit_type_number(to);
	return true;
}

static bool is_character(const struct fragment_unit *u, const struct shape_type *t)
{
	(void)u;
	return t->kind == SHAPE_INTEGER && t->size == 1 && t->flags & SHAPE_CHARACTER;
}

static bool is_stream(const struct fragment_unit *u, const struct shape_type *t)
{
	return strcmp(unit_text(u, t->name), "struct _IO_FILE") == 0;
}

// --- the call -------------------------------------------------------------------------------------

static const void *make_result(const struct contract *c, const char *name, uint32_t size, int64_t high)
{
	struct type t;
	bool fine = c->result == NUMBER ? make_type(SHAPE_INTEGER, size, &t)
	                                : make_pointer(c->result == TEXT ? is_character : is_stream, &t);
	struct cell *cell = fine ? stub_result(name, t, size) : NULL;
	if (!cell)
		fragment_end(); // there is no room
	place_finish();
	if (c->result == NUMBER && !label_range(cell, c->low, high))
		fragment_end();
	return (const void *)cell->at;
}

static void write_bytes(const struct contract *c, const char *name, const int64_t *arguments)
{
	char own[CELL_NAME];
	struct type t;
	uint64_t at = c->out ? (uint64_t)arguments[c->out - 1] : 0, room = at ? place_room(at) : 0;
	int64_t size = c->size > BY_FIRST ? arguments[c->size - BY_FIRST - 1] : (int64_t)c->size;
	if (size > (int64_t)room)
		size = (int64_t)room;
	if (size > WRITTEN)
		size = WRITTEN;
	snprintf(own, sizeof own, "%s.out", name);
	if (size > 0 && make_type(SHAPE_INTEGER, (uint64_t)size, &t))
		stub_writes(own, t, at, (uint64_t)size);
}

static void write_error(const char *name)
{
	char own[CELL_NAME];
	struct type t;
	snprintf(own, sizeof own, "%s:errno", name);
	if (make_type(SHAPE_INTEGER, sizeof errno, &t))
		stub_writes(own, t, (uint64_t)&errno, sizeof errno);
}

// NULL: it is called.
const void *__veer_f_outside(uint32_t which, uint32_t size, int64_t a, int64_t b, int64_t c, int64_t d)
{
	static const uint64_t nothing;
	const int64_t arguments[ARGUMENTS] = {a, b, c, d};
	const struct contract *of = &contracts[which];
	char name[CELL_NAME];
	if (!fragment)
		return NULL;
	if (of->result == NUMBER && of->low == 0 && of->high == 0)
		return &nothing;
	left_call(of->name, arguments, ARGUMENTS);
	uint32_t n = stub_count(contracts, which);
	if (!n) // a loop that nothing ends
		fragment_end();
	snprintf(name, sizeof name, "%s#%u", of->name, n);
	int64_t high = of->high, limit = of->limit ? arguments[of->limit - 1] : high;
	if (limit < high)
		high = limit < 0 ? 0 : limit;
	write_bytes(of, name, arguments);
	if (of->low < 0)
		write_error(name);
	return size ? make_result(of, name, size, high) : &nothing;
}
