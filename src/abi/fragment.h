// A run of a fragment: the program's constructors run, main does not; the runtime calls a function at one of its
// markers (abi/shape.h), with state that the input makes up. What to enter stands in the input as a part of kind
// FRAGMENT, whose bytes are a struct fragment_entry and what follows it; the runtime finds it behind the symbolic
// windows of the launch block (abi/launch.h). What is made up are parts of kind CELL.
//
// A cell is an object that the input makes up: the frame of the entered function, a global, an object behind a pointer,
// what a stub returns. Its part is named by its place in the words of C: "" is the frame, "limit" a global ("f.count" a
// static variable of f), "lookup#2" what the second call of lookup returns. The object behind a pointer is named after
// the place of the pointer, with a star: "*p", "*p->next", "*p[1].name", "*table.rows[2]", "*pp[0]" (behind an element
// of what pp points to), "*(*pp[0]).next" is written "*pp[0]->next". The part has the bytes of the object as they lie
// in memory, so that its length is the object's size; but of a pointer the first byte says what it points to, the
// others are 0:
//
//   FRAGMENT_NEW          an object of its own: the cell that is named after the pointer, made when it is first touched
//   FRAGMENT_NULL
//   FRAGMENT_CELL + k     the k-th cell (from 0), of the pointer's type
//   FRAGMENT_KEEP         of a global: what the program initialised it with
//
// A pointer to a function leads to those of its type whose address the program takes: FRAGMENT_NEW is the first of
// them, FRAGMENT_CELL + k the k-th one after it. A union with a member that has pointers is what its last byte says: n
// is the n-th such member (from 1), anything else plain bytes.
//
// A value that a run cannot give the pointer means FRAGMENT_NEW.
//
// Cells are numbered as they stand in the input; those that a run adds follow, in the order in which they come about.
// An input that is made from a run lists all of the run's cells in that order, so numbers never change their meaning.
//
// A label stands beside each such pointer: an expression over its first byte. The first access through it is a switch
// on that byte (EVENT_SWITCH), whose cases the runtime makes: so new and each alias is an alternative like any; null is
// one where the program compares the pointer. An access through null ends the run as it would natively.
#ifndef VEER_ABI_FRAGMENT_H
#define VEER_ABI_FRAGMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "abi/shape.h"

enum fragment_target { FRAGMENT_NEW, FRAGMENT_NULL, FRAGMENT_CELL, FRAGMENT_KEEP = 255 };
enum { FRAGMENT_CELLS = 250 }; // the first so many of a run can have other pointers lead to them

#define FRAGMENT_MAGIC 0x31544e454d474146u // "FAGMENT1"
// A probed run: main runs, and at each call of the function the trace gets what the cells of the input would be in that
// call (EVENT_PROBED). No part of what the run is given otherwise.
#define FRAGMENT_PROBE_MAGIC 0x314b4f4f4c544146u

struct fragment_entry {
	uint64_t magic;
	uint64_t unit;     // of the function
	uint32_t function; // its number there
	uint32_t marker;
	uint32_t depth;      // objects behind so many pointers are made up; what would be deeper is null
	uint32_t object_max; // bytes of an object, at most
	uint32_t n_globals;  // struct fragment_name each, behind this: they start as cells
	uint32_t n_stubs;    // likewise, behind those: calls of these functions are stubs
};

struct fragment_name {
	uint64_t unit;
	uint32_t number; // of a global or function of the unit
	uint32_t zero;
};

enum { FRAGMENT_DEPTH_MAX = 32, FRAGMENT_OBJECT_MAX = 1 << 20, FRAGMENT_NAMES_MAX = 1 << 16 };

// Are these bytes an entry with all that follows it? Whether the program has what it names is not checked.
static inline bool fragment_bytes_fit(const void *data, uint64_t size, uint64_t magic)
{
	struct fragment_entry e;
	if (size < sizeof e)
		return false;
	memcpy(&e, data, sizeof e);
	uint64_t n = (uint64_t)e.n_globals + e.n_stubs;
	return e.magic == magic && e.depth && e.depth <= FRAGMENT_DEPTH_MAX && e.object_max &&
	       e.object_max <= FRAGMENT_OBJECT_MAX && n <= FRAGMENT_NAMES_MAX &&
	       size == sizeof e + n * sizeof(struct fragment_name);
}

static inline bool fragment_entry_fits(const void *data, uint64_t size)
{
	return fragment_bytes_fit(data, size, FRAGMENT_MAGIC);
}

// What instrumented code tells the runtime of a unit, by a constructor: FRAGMENT_REGISTER(struct fragment_unit *).
#define FRAGMENT_REGISTER "__veer_f_unit"

struct fragment_function {
	void (*thunk)(void); // calls the function with zeros; NULL: cannot be entered
	uint8_t *mode;       // enum fragment_mode, or FRAGMENT_ENTER + marker; 0: as it is
	void *address;       // of the function, when the unit or another one may take it; else NULL
};

struct fragment_unit {
	struct fragment_unit *next; // kept by the runtime
	const struct shape_unit *shapes;
	const struct fragment_function *functions; // as many as the unit has
	void *const *globals;                      // their addresses, likewise; NULL: none that is known
};

enum fragment_mode {
	FRAGMENT_BODY,  // the function as it is
	FRAGMENT_STUB,  // returns what the runtime makes up
	FRAGMENT_PROBE, // gives the runtime its parameters, and goes on as it is
	FRAGMENT_ENTER, // + marker: takes its frame from the runtime and goes on at the marker. Once: then
	                // FRAGMENT_BODY
};

#endif
