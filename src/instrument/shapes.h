// The block of abi/shape.h for a unit: its types, functions with their frames, and globals, out of debug information
// and code as clang left it. Needs: bitcode as veer-cc makes it, before any pass.
//
// Numbers given here are those of the block. Functions are all that the unit defines, without veer's own; globals are
// all that it defines or declares.
#ifndef VEER_INSTRUMENT_SHAPES_H
#define VEER_INSTRUMENT_SHAPES_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "abi/shape.h"
#include "base/buf.h"
#include "instrument/module.h"

enum { SHAPES_NONE = -1u };

struct shapes;

// Where a variable of a frame lives, before any pass: an alloca, or a pointer argument (a structure by value, the room
// for a result).
struct shapes_place {
	uint32_t function, field; // field: of the frame, from 0
	uint64_t offset, size;    // in the frame; in bytes
	LLVMValueRef place;       // NULL: a parameter that nobody can read
};

// The caller frees the result. The module must outlive it.
struct shapes *shapes_collect(struct module *m);
struct shapes *shapes_collect_code(struct module *m); // without frames
void shapes_free(struct shapes *s);

uint32_t shapes_functions(const struct shapes *s); // how many
LLVMValueRef shapes_function_at(const struct shapes *s, uint32_t function);
uint32_t shapes_function(const struct shapes *s, LLVMValueRef function);   // its number, or SHAPES_NONE
uint32_t shapes_function_flags(const struct shapes *s, uint32_t function); // enum shape_function_flag
uint64_t shapes_frame_size(const struct shapes *s, uint32_t function);     // of the frame, in bytes
uint32_t shapes_frame_fields(const struct shapes *s, uint32_t function);   // how many
uint32_t shapes_parameters(const struct shapes *s, uint32_t function);     // how many of them are parameters
struct shapes_place shapes_frame_field(const struct shapes *s, uint32_t function, uint32_t field);

// The field that lives at a place. False: none does.
bool shapes_place(const struct shapes *s, LLVMValueRef place, struct shapes_place *ret);

uint32_t shapes_globals(const struct shapes *s);
LLVMValueRef shapes_global_at(const struct shapes *s, uint32_t global);
uint32_t shapes_global(const struct shapes *s, LLVMValueRef global); // its number, or SHAPES_NONE

// Adds flags to a function's, and the reason of SHAPE_NEVER or SHAPE_ENTRY_ONLY, unless it has one.
void shapes_restrict(struct shapes *s, uint32_t function, uint32_t flags, const char *reason);

// Adds the function's next marker, with the fields of its frame that are live there. `marker` gives kind, line, column
// and enters. A function without any has, in the block, its entry alone.
void shapes_marker(struct shapes *s, uint32_t function, const struct shape_marker *marker, const uint32_t *live,
                   uint32_t n_live);

// Adds the markers of all functions. The table is of the same module, before any pass.
struct markers_table;
void shapes_add_markers(struct shapes *s, const struct markers_table *table);

// Appends the block.
void shapes_block(const struct shapes *s, struct buf *out);

// Puts the block into the module, as a constant in SHAPE_SECTION, and returns its address. Once.
LLVMValueRef shapes_emit(const struct shapes *s);

#endif
