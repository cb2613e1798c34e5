// Inside of the runtime's part that makes up state for a fragment (abi/fragment.h).
//
//   units.c   what the program's units told of themselves: shapes, thunks, addresses of globals
//   cells.c   the cells of the run: names, numbers, sizes, what the input has of them
//   fill.c    the content of a cell, by its type
//   pointer.c what a pointer in a cell can lead to
//   stub.c    calls that are replaced
//   closure.c what a function and those that it calls can change
//   outside.c objects that only libc can make
//   contract.c functions of the system
//   enter.c   the run: globals, the frame, the thunk
//   probe.c   a whole run: what the cells are where it calls a function
//   slots.c   where cells lie in traced variants: each at the end of pages of its own, made when it is touched
//   label.c   the labels of cells, and what the path has to say about pointers
//   blocks.c  both for the sanitized variant: heap blocks, no labels
//   defer.c   pointers to cells that may not be there yet, where all cells are made at once
//   left.c    what the run leaves, for who compares it with another version's (left.h)
#ifndef VEER_RUNTIME_FRAGMENT_FRAGMENT_H
#define VEER_RUNTIME_FRAGMENT_FRAGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/fragment.h"
#include "abi/objects.h"

extern const struct fragment_entry *fragment; // of this run; NULL: it enters main

// Ends the run: what it did until now counts.
_Noreturn void fragment_end(void);
// The same for what no run can do: the input is of another program.
_Noreturn void fragment_fail(const char *why);

// --- units.c ----------------------------------------------------------------------------------------

// A type of a unit.
struct type {
	const struct fragment_unit *unit;
	const struct shape_type *is;
};

const struct fragment_unit *unit_find(uint64_t unit);                 // or NULL
const struct fragment_unit *unit_next(const struct fragment_unit *u); // NULL: the first one; or NULL
const char *unit_text(const struct fragment_unit *u, uint32_t at);
struct type unit_type(const struct fragment_unit *u, uint32_t type);
const struct shape_field *unit_field(const struct fragment_unit *u, uint32_t field);
const struct shape_function *unit_function(const struct fragment_unit *u, uint32_t function);
const struct shape_marker *unit_marker(const struct fragment_unit *u, uint32_t marker);
const struct shape_global *unit_global(const struct fragment_unit *u, uint32_t global);
uint32_t unit_number(const struct fragment_unit *u, uint32_t at);
// What a symbol of the unit stands for; false: no unit has it.
bool unit_find_function(const struct fragment_unit *u, const char *symbol, struct fragment_name *ret);
bool unit_find_global(const struct fragment_unit *u, const char *symbol, struct fragment_name *ret);

// A function of this type (its hash) whose address is taken: the i-th of them. False: there are no more.
struct taken {
	const char *name;
	void *address;
};
bool unit_taken(uint64_t type, uint32_t i, struct taken *ret);

// Does any function or initialiser take the address of this function of the unit?
bool unit_takes(const struct fragment_unit *u, const struct shape_function *f);

struct type type_of(struct type t); // what it points to, an element of it
// The same type with its fields, where the unit only knows its name and another one knows more.
struct type type_complete(struct type t);
// The first type of any unit that is such a one; false: there is none.
bool unit_find_type(bool (*is)(const struct fragment_unit *u, const struct shape_type *t), struct type *ret);
uint32_t unit_type_number(struct type t);
bool type_is_flexible(struct type t); // ends with an array of any length

// --- cells.c ----------------------------------------------------------------------------------------

enum cell_kind { CELL_FRAME, CELL_GLOBAL, CELL_OBJECT, CELL_RESULT, CELL_STREAM };
enum { CELL_NONE = UINT32_MAX, CELL_NAME = 256 };

struct cell {
	const char *name;
	struct type type; // of one element
	uint64_t at, size;
	uint32_t number; // as abi/fragment.h says; CELL_NONE: nobody has asked for it
	uint32_t input;  // in the trace
	uint32_t slot;
	uint8_t kind, depth;
	bool made;                          // its content is there
	bool wanted;                        // the pointer that it is named after leads to it
	uint32_t owner;                     // the cell that the pointer to it is in
	uint8_t *image;                     // its content before the run, for left.c; NULL: nobody asks
	const struct object_record *record; // what the input has of it; NULL: nothing
};

extern struct cell cells[];
extern uint32_t n_cells;

void cells_start(void *records, uint64_t size); // what the input has
void cells_clear(void);                         // the next probed call has cells of its own

// A new cell; its place in memory is the caller's business. NULL: there is no room for more.
struct cell *cell_add(enum cell_kind kind, const char *name, struct type type, uint32_t owner);
// Its bytes in the input; `ret_size` is 0 when it has none.
const uint8_t *cell_given(const struct cell *c, uint64_t *ret_size);
// How large it is to be: as the input says, otherwise as is usual for its type.
uint64_t cell_size(const struct cell *c);
bool cell_is_string(const struct cell *c);
// Its number; from then on it has one, and is an input of the trace.
uint32_t cell_number(struct cell *c);
struct cell *cell_numbered(uint32_t number); // NULL: no cell of this run has it

// --- fill.c -----------------------------------------------------------------------------------------

// Gives a cell its content. Its memory can be written to.
void fill_cell(struct cell *c);
// Walks through one that is the program's own, and shows each pointer to probe_pointer. Nothing is written.
void fill_probe(struct cell *c, const struct fragment_entry *entry);

// --- pointer.c --------------------------------------------------------------------------------------

// The pointer at this place of a cell, whose first byte in the input is `given`; `now`: what a global had there.
struct pointer {
	struct cell *in;
	uint64_t offset;
	struct type to;
	uint8_t given;
	uint64_t now;
	const char *place; // in the words of C
};
// Decides where it leads, and writes it. Returns the byte that stands for it.
uint8_t pointer_make(const struct pointer *p);

struct option { // what a pointer can be
	uint8_t value;
	uint64_t address;
	const char *name; // "": new, "null", or of a cell
};

// --- closure.c --------------------------------------------------------------------------------------

enum { CLOSURE_GLOBALS = 64 };

struct closure { // of a function
	const struct fragment_unit *unit;
	uint32_t function;
	uint32_t flags;                                // SHAPE_WRITES, SHAPE_WRITES_TEXT
	struct fragment_name globals[CLOSURE_GLOBALS]; // that it or somebody it calls names
	uint32_t n_globals;
	bool full; // there are more functions or globals than there is room for
};

// Until the next call of this.
const struct closure *closure_of(const struct fragment_unit *u, uint32_t function);

// --- stub.c -----------------------------------------------------------------------------------------

// The number of this call of a function of somebody; 0: there were too many of them.
uint32_t stub_count(const void *of, uint32_t function);
// A cell for what it returns, with its content; NULL: there is no room.
struct cell *stub_result(const char *name, struct type t, uint64_t size);
// What is there is written over: by what the input says, as it is otherwise.
void stub_writes(const char *name, struct type t, uint64_t at, uint64_t size);

// --- outside.c --------------------------------------------------------------------------------------

bool outside_is(struct type t);
// The object that such a pointer leads to, named so; 0: none can be made.
uint64_t outside_make(const struct pointer *p, const char *name);

// --- slots.c, or blocks.c ---------------------------------------------------------------------------

void place_start(void);
bool place_reserve(struct cell *c);         // gives it `at`; false: there is no room
void place_make(struct cell *c);            // the content can be written from now on
bool place_defers(const struct pointer *p); // it is written by place_finish(), when all cells are there
void place_finish(void);
bool place_writes(const struct cell *c); // a stub writes there, as far as this run is to know
bool place_is_past(void);                // the run has come to its first marker
void place_partial(void);                // what is made up is not all that it can be (EVENT_PARTIAL)
uint64_t place_room(uint64_t address);   // bytes of the object that it lies in, from there on; 0: not known
const uint8_t *place_records(uint64_t *ret_size);

// --- defer.c ----------------------------------------------------------------------------------------

// A pointer to another cell, that is written by defer_finish, when all cells are there. False: it is none.
bool defer_pointer(const struct pointer *p);
void defer_finish(void);

// --- label.c, or none -------------------------------------------------------------------------------

uint32_t label_input(const struct cell *c, const uint8_t *bytes); // its number in the trace
void label_bytes(const struct cell *c, uint64_t offset, uint64_t size);
void label_bool(const struct cell *c, uint64_t offset);
// The path assumes that the number in the cell lies between these; false: in this run it does not.
bool label_range(const struct cell *c, int64_t low, int64_t high);
void label_given(const struct cell *c, uint64_t offset, uint8_t byte); // what the input had there is this
void label_stream(const struct cell *c, int fd); // the file has the bytes of the cell, and its length
// What the union that ends with this byte is, of n members with pointers: a decision of the path.
void label_union(const struct cell *c, uint64_t offset, unsigned n, const char *place);
void label_pointer(const struct pointer *p, const struct option *options, unsigned n, uint8_t chosen);

// --- enter.c ----------------------------------------------------------------------------------------

_Noreturn void fragment_run(void);
// "limit", of a function's static variable "f.count"; a static one whose name is taken says its file, too.
void fragment_name_global(const struct fragment_unit *u, const struct shape_global *g, char *ret, size_t size);

// --- probe.c ----------------------------------------------------------------------------------------

void probe_start(const struct fragment_entry *entry);
// The pointer at an offset of a cell leads to such a type.
void probe_pointer(struct cell *c, struct type to, uint64_t offset, const char *place);

#endif
