// Inside of shapes.h: tables that grow, and who fills them.
#ifndef VEER_INSTRUMENT_SHAPES_INTERNAL_H
#define VEER_INSTRUMENT_SHAPES_INTERNAL_H

#include "base/map.h"
#include "instrument/shapes.h"

struct shapes_slot {
	uint64_t key;
	uint32_t value; // plus 1; 0: free
};
MAP(shapes_map, struct shapes_slot); // from 64-bit keys to numbers

struct shapes_list { // of numbers
	uint32_t *v;
	uint32_t n, cap;
};

struct shapes_body { // of a function, beside its struct shape_function
	LLVMValueRef function;
	LLVMValueRef *places; // of the frame's fields
	struct shape_marker *markers;
	uint32_t n_markers;
	struct shapes_list live; // of all markers, one after the other
};

struct shapes {
	struct module *m;
	struct buf strings;
	struct shape_type *types;
	struct shape_field *fields;
	struct shape_function *functions;
	struct shapes_body *bodies; // as many
	struct shape_global *globals;
	LLVMValueRef *global_values; // as many
	uint32_t n_types, n_fields, n_functions, n_globals;
	uint32_t file, directory;
	struct shapes_list numbers;
	struct shapes_list pending; // structures and unions whose members are not listed yet
	LLVMMetadataRef *nodes;     // of each type, that of debug information, if it has one
	struct shapes_map string_index, type_index, places, values;
};

// --- shapes_table.c ---------------------------------------------------------------------------------

uint32_t shapes_map_get(const struct shapes_map *m, uint64_t key); // SHAPES_NONE: not there
void shapes_map_set(struct shapes_map *m, uint64_t key, uint32_t value);
uint64_t shapes_key(const void *pointer); // of something in memory
void shapes_list_push(struct shapes_list *l, uint32_t v);
void shapes_list_push_once(struct shapes_list *l, uint32_t v);

uint32_t shapes_string(struct shapes *s, const char *text, size_t size); // its offset
const char *shapes_text(const struct shapes *s, uint32_t string);

// A field beside those of the table; `own` has `n` of them.
void shapes_push_field(struct shape_field **own, uint32_t *n, struct shape_field field);
// Appends them to the table, as the type's, and frees `own`.
void shapes_take_fields(struct shapes *s, uint32_t type, struct shape_field *own, uint32_t n);
uint32_t shapes_push_type(struct shapes *s, struct shape_type type, LLVMMetadataRef node); // its number

// --- shapes_types.c: debug information to types -----------------------------------------------------

char *shapes_printed(LLVMValueRef node); // as LLVM prints it; LLVMDisposeMessage

// The type of a node, with all that it needs; NULL is void. Members of structures follow with shapes_complete().
uint32_t shapes_type(struct shapes *s, LLVMValueRef node);
void shapes_complete(struct shapes *s);

// A field of that type, without a place.
struct shape_field shapes_field(struct shapes *s, LLVMValueRef name, LLVMValueRef type);

// The array of `char` that a literal is.
uint32_t shapes_characters(struct shapes *s, uint64_t count);

// --- shapes_names.c: what comes of the types' structure ---------------------------------------------

// How the source spells the type, as a string of the table; 0 when it cannot be spelled.
uint32_t shapes_spelling(struct shapes *s, LLVMValueRef node);

// Names and hashes of all types, once all are known.
void shapes_name_types(struct shapes *s);

// --- shapes_code.c: functions and globals -----------------------------------------------------------

void shapes_collect_globals(struct shapes *s);
void shapes_collect_functions(struct shapes *s);

// --- shapes_writes.c --------------------------------------------------------------------------------

// What an instruction writes that is not the function's own: SHAPE_WRITES, SHAPE_WRITES_TEXT, SHAPE_PASSES.
uint32_t shapes_written(LLVMValueRef instruction);

// --- shapes_hints.c: what void pointers point to -----------------------------------------------------

struct shapes_hints {
	LLVMValueRef function;
	LLVMValueRef (*type_of)(void *opaque, LLVMValueRef place); // of a variable; NULL: it is none
	void *opaque;
};

// The type of the variable at the place: of a `void *`, another pointer's that the function's code shows it to be.
LLVMValueRef shapes_hinted(struct shapes *s, const struct shapes_hints *h, LLVMValueRef place, LLVMValueRef type);

// --- shapes_frame.c: parameters and locals ----------------------------------------------------------

void shapes_collect_frames(struct shapes *s);

#endif
