// Shapes of a program (abi/shape.h), read from the file of a variant that has them: types, functions, globals.
//
// The file may be damaged or hostile. What shape_read() and shape_add() accept is safe to use: every number names
// something, every string ends, members lie inside of their structures, no type contains itself.
#ifndef VEER_SHAPE_SHAPE_H
#define VEER_SHAPE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/shape.h"
#include "base/buf.h"
#include "base/err.h"

struct shape_table { // a unit
	const struct shape_unit *head;
	const struct shape_type *types;
	const struct shape_field *fields;
	const struct shape_function *functions;
	const struct shape_marker *markers;
	const struct shape_global *globals;
	const uint32_t *numbers;
	const char *strings;
};

struct shape_program {
	struct shape_table *units;
	uint32_t n_units;
	struct shape_index *index; // of symbols and hashes, by shape_lookup.c
};

struct shape_ref { // a function, global or type of a program
	uint32_t unit, number;
};

#define SHAPE_NOWHERE ((struct shape_ref){UINT32_MAX, UINT32_MAX})

// Reads all units of the file. -1 with *err filled: it cannot be read, is damaged, or has no shapes. shape_free().
int shape_read(const char *path, struct shape_program *ret, struct err *err);

// Appends all units of the file, if there are any.
int shape_add_file(struct shape_program *program, const char *path, struct err *err);

// Appends the units of a section's bytes, which are copied. `program` may be zeros.
int shape_add(struct shape_program *program, const void *data, size_t size, struct err *err);
void shape_free(struct shape_program *program);

static inline const char *shape_text(const struct shape_table *t, uint32_t string)
{
	return t->strings + string;
}

static inline bool shape_is(struct shape_ref a, struct shape_ref b)
{
	return a.unit == b.unit && a.number == b.number;
}

static inline bool shape_is_somewhere(struct shape_ref r)
{
	return r.unit != UINT32_MAX;
}

// Fields of a structure, union, enumeration or function type.
static inline const struct shape_field *shape_fields(const struct shape_table *t, uint32_t type)
{
	return t->fields + t->types[type].first;
}

// --- shape_lookup.c ---------------------------------------------------------------------------------

// The unit of that name (struct shape_unit); UINT32_MAX: there is none.
uint32_t shape_unit(const struct shape_program *p, uint64_t unit);

static inline const struct shape_function *shape_function(const struct shape_program *p, struct shape_ref r)
{
	return &p->units[r.unit].functions[r.number];
}

static inline const struct shape_global *shape_global(const struct shape_program *p, struct shape_ref r)
{
	return &p->units[r.unit].globals[r.number];
}

// What the linker makes of a symbol in a unit: a static one of the unit itself, else the one that another unit defines.
// Of functions, those that are borrowed come last; of globals, those without a known type. SHAPE_NOWHERE: no unit has
// it.
struct shape_ref shape_find_function(const struct shape_program *p, uint32_t unit, const char *symbol);
struct shape_ref shape_find_global(const struct shape_program *p, uint32_t unit, const char *symbol);

// A type of that hash, or a complete structure, union or enumeration of that name ("struct list"), in any unit.
struct shape_ref shape_find_type(const struct shape_program *p, uint64_t hash);
struct shape_ref shape_find_complete(const struct shape_program *p, const char *name);

// What the type is in full: itself, or for an incomplete one its complete type in another unit, if there is any.
struct shape_ref shape_complete(const struct shape_program *p, struct shape_ref type);

// Does the function have that name, and is it of that file? Patterns are those of the shell; NULL matches all. A file
// matches by its whole path or any end of it that follows a slash.
bool shape_matches(const struct shape_program *p, struct shape_ref function, const char *name, const char *file);

// --- shape_graph.c ----------------------------------------------------------------------------------

struct shape_list {
	struct shape_ref *v;
	uint32_t *distance; // from where the search began
	uint32_t n, cap;
};

void shape_list_release(struct shape_list *l);

// Appends whom the function may call, each once: directly; through pointers, all functions of the call's signature
// whose address is taken anywhere; functions in tables that it names. What no unit defines is left out.
void shape_callees(const struct shape_program *p, struct shape_ref function, struct shape_list *ret);
// The function itself, and all that calls from it may come to, nearest first.
void shape_reach(const struct shape_program *p, struct shape_ref function, struct shape_list *ret);

// All functions, breadth first along calls: from `main`, or from all that other programs may call when there is none;
// then from what is left, in the order of units. Borrowed ones are left out.
void shape_breadth_first(const struct shape_program *p, struct shape_list *ret);

// Globals that the function, or somebody it may call in at most `depth` steps, names; those that only an initialiser
// names follow theirs. Nearest first; without literals.
void shape_closure(const struct shape_program *p, struct shape_ref function, uint32_t depth, struct shape_list *ret);

// --- shape_print.c ----------------------------------------------------------------------------------

// Everything, for people and tests: a line for each type, function, marker, global, with what it has.
void shape_print(const struct shape_program *p, struct buf *out);

#endif
