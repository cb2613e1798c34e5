// What a program's types, functions and globals look like, for runs that enter it at a fragment (abi/fragment.h). The
// variants `fragment` and `fragment-sanitized` have, per unit, one block of this layout in the section veer_shapes,
// which is loaded and read-only: the runtime makes up objects by it, veer reads it from the file. It holds no address.
//
//   struct shape_unit | types | fields | functions | markers | globals | numbers | strings
//
// Names are offsets of NUL-terminated strings; 0 is the empty one. Types are numbers of the unit's own table; type 0 is
// void and every incomplete type without a name.
#ifndef VEER_ABI_SHAPE_H
#define VEER_ABI_SHAPE_H

#include <stdint.h>

#define SHAPE_SECTION "veer_shapes"
#define SHAPE_MAGIC 0x3145504148534556u // "VESHAPE1"

struct shape_unit {
	uint64_t magic;
	uint64_t unit; // names it: the same as in abi/cover.h
	uint64_t size; // of the whole block, a multiple of 8
	uint32_t n_types, n_fields, n_functions, n_markers, n_globals, n_numbers;
	uint32_t n_strings; // in bytes, a multiple of 8
	uint32_t file;      // string: the unit's source, as the compiler saw it
	uint32_t directory; // string: where it was compiled
	uint32_t zero;
};

enum shape_kind {
	SHAPE_VOID, // also: incomplete; its name, if any, says of what
	SHAPE_INTEGER,
	SHAPE_FLOAT,
	SHAPE_ENUM,    // fields: its enumerators; `offset` is the value
	SHAPE_POINTER, // of: what it points to
	SHAPE_STRUCT,
	SHAPE_UNION,
	SHAPE_ARRAY,    // of: an element; count 0: flexible, or its size is not fixed
	SHAPE_FUNCTION, // of: result; fields: parameters
	SHAPE_KINDS
};

enum shape_type_flag {
	SHAPE_SIGNED = 1,
	SHAPE_CHARACTER = 2, // char, in any signedness
	SHAPE_BOOL = 4,
	SHAPE_CONST = 8,     // of what a pointer points to: it is const there
	SHAPE_VARIADIC = 16, // of a function
	SHAPE_FRAME = 32,    // made up: the frame of a function
};

// Types are without const, volatile, typedef: these are in the spelling alone, but for SHAPE_CONST. A structure without
// a tag has the name of its typedef, if there is one. No two of a unit have the same hash. Pointers to a tag have the
// same hash whatever the unit knows of it: the complete type may be in another unit, by the name.
struct shape_type {
	uint64_t hash; // of its structure and of the names in it: equal in all units and programs that have the type
	uint64_t size; // in bytes; 0: not known
	uint32_t name; // string: how C spells it, "struct list", "unsigned long"; "" for those without a name
	uint32_t of;   // type; see the kinds
	uint32_t count;
	uint32_t first, n; // fields
	uint16_t align;
	uint8_t kind;
	uint8_t flags;
};

struct shape_field {
	uint32_t name;     // string; "": has none
	uint32_t type;     // of what is there
	uint32_t spelling; // string: the type as the source has it, typedefs and qualifiers kept; "": as type
	uint8_t bit, bits; // of a bit-field: first bit behind `offset`, number of bits; 0: none
	uint16_t flags;    // enum shape_type_flag, of the pointee (SHAPE_CONST)
	int64_t offset;    // in bytes
};

enum shape_function_flag {
	SHAPE_STATIC = 1,        // no other unit sees it
	SHAPE_ADDRESS = 2,       // its address is taken in this unit
	SHAPE_ENTRY_ONLY = 4,    // can be entered at marker 0 only (setjmp, computed goto, arrays of variable size)
	SHAPE_NEVER = 8,         // cannot be entered at all; `reason` says why
	SHAPE_NO_STUB = 16,      // calls of it cannot be replaced
	SHAPE_BORROWED = 32,     // another unit has it: this one has it to be inlined
	SHAPE_WRITES = 64,       // it may write memory that is not its own; those that it calls do not count
	SHAPE_WRITES_TEXT = 128, // likewise, bytes of text
	SHAPE_PASSES = 256,      // it passes pointers to functions that the unit does not have, but for abi/readers.def
};

// The frame of a function is a structure of its own: parameters first, all of them (those without a name have none),
// then locals, in the order of the source, each with the type it has there. A second local of a name is called
// NAME@LINE. Variables whose size is not fixed are no fields. A run that enters at a marker gets the fields that are
// live there from the input.
struct shape_function {
	uint32_t name;   // string: as in the source
	uint32_t symbol; // string: of the linker; the same unless the source says so
	uint32_t file;   // string
	uint32_t line, last_line;
	uint32_t type;                   // SHAPE_FUNCTION; 0: not known
	uint32_t frame;                  // SHAPE_STRUCT with SHAPE_FRAME
	uint32_t parameters;             // the first so many fields of the frame
	uint32_t first_marker, markers;  // at least one, unless SHAPE_NEVER
	uint32_t callees, n_callees;     // numbers: strings, symbols of functions that are called directly
	uint32_t calls, n_calls;         // numbers: strings, signatures of calls through pointers
	uint32_t names, n_names;         // numbers: strings, symbols of globals that it names
	uint32_t addresses, n_addresses; // numbers: strings, symbols of functions whose address it takes
	uint32_t flags;
	uint32_t reason;    // string, with SHAPE_NEVER and SHAPE_ENTRY_ONLY
	uint32_t signature; // string: its type in LLVM's words, what a call through a pointer must have to come here
	uint32_t zero;
	uint64_t hash; // of its name and file: the same in all programs that have it
};

enum shape_marker_kind {
	SHAPE_AT_ENTRY, // marker 0
	SHAPE_AT_LOOP,  // the head of a loop
	SHAPE_AT_LABEL, // of a goto
	SHAPE_AT_SPLIT, // put there because too many paths would come together
};

// Where segments begin and end, in the order of instrument/markers.h.
struct shape_marker {
	uint32_t kind;
	uint32_t line, column;
	uint32_t live, n_live; // numbers: fields of the frame that may be read before they are written; 0 for marker 0
	uint32_t enters;       // 1: a run can begin here
};

enum shape_global_flag {
	SHAPE_GLOBAL_STATIC = 1,
	SHAPE_GLOBAL_CONST = 2, // lies in memory that cannot be written
	SHAPE_GLOBAL_THREAD = 4,
	SHAPE_GLOBAL_LOCAL = 8, // a static variable of a function
	SHAPE_GLOBAL_LITERAL = 16,
	SHAPE_GLOBAL_ADDRESSES = 32, // its initialiser has addresses of functions
};

struct shape_global {
	uint32_t name;     // string: "limit", "count" of a function's static variable
	uint32_t symbol;   // string
	uint32_t function; // string: whose static variable it is
	uint32_t file, line;
	uint32_t type;
	uint32_t flags;
	uint32_t addresses, n_addresses; // numbers: strings, symbols of functions in its initialiser
	uint32_t names, n_names;         // likewise, of globals
	uint32_t zero;
};

#endif
