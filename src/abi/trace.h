// The trace: what a traced program leaves for the engine, in one shared mapping.
//
//   header | nodes | events | calls | text and tables
//
// The runtime only appends. The engine reads when every process of the run is
// dead, and trusts nothing: the program can write here too.
#ifndef VEER_ABI_TRACE_H
#define VEER_ABI_TRACE_H

#include <stdint.h>

#include "abi/input.h"
#include "abi/op.h"
#include "abi/site.h"

#define TRACE_MAGIC 0x3343415254524556u // "VERTRAC3"

enum trace_event_kind {
#define EVENT(NAME, word, condition) EVENT_##NAME,
#include "abi/events.def"
#undef EVENT
	EVENT_COUNT
};

enum trace_reason {
#define REASON(NAME, words) REASON_##NAME,
#include "abi/reasons.def"
#undef REASON
	REASON_COUNT
};

// An expression. Labels are indices into the node table; 0 is no label. Nodes
// refer to earlier nodes only, and no two are the same, but for constants that one check alone uses.
struct trace_node {
	uint8_t op;
	uint8_t zero;
	uint16_t width;
	uint32_t a, b, c;
};

struct trace_event {
	uint16_t kind;
	union {
		uint16_t reason;     // enum trace_reason, of EVENT_CONCRETE
		uint16_t check_kind; // enum check_kind, of EVENT_CHECK
	};
	uint32_t site; // offset of a struct trace_site in the text area, in units of 8
	uint32_t label;
	uint32_t stack; // index of the innermost call in the table of calls; 0: none known
	union {
		uint64_t value;
		struct {
			uint32_t holds;
			uint32_t object; // offset of a struct trace_object in the text area: what it is about; 0: none
		} check;                 // of EVENT_CHECK
		struct {
			uint32_t input; // the cell
			uint32_t size;  // that it must have for more than this; 0: it cannot grow
		} cell;                 // of EVENT_WITHIN and EVENT_BEYOND; of EVENT_SEEN: cell, offset
	};
};

// A call on the way to events: a tree, from the outermost call on. Entry 0 is unused.
struct trace_call {
	uint64_t address; // where the call returns to
	uint32_t parent;  // the call that led to the caller; 0: none
	uint32_t module;  // offset of a struct trace_module in the text area
};

struct trace_module {
	uint64_t base; // address it is loaded at
	uint32_t name; // path of the program or library, as it is without veer
	uint32_t zero;
};

enum trace_object_kind { OBJECT_HEAP, OBJECT_STACK, OBJECT_GLOBAL, OBJECT_MAPPING, OBJECT_CELL, OBJECT_KINDS };

// In the text area, as are the names.
struct trace_object {
	uint64_t base, size;
	uint32_t kind;
	uint32_t size_label; // when its size depends on the input
	uint32_t name, function;
	uint32_t site; // where a heap block or mapping was made
	uint32_t zero;
};

// In the text area; strings are NUL-terminated, also there, offsets in units of 8.
struct trace_site {
	uint32_t kind; // what site.kind holds
	uint32_t line, column;
	uint32_t file, function;
	uint32_t extra; // offset of an array of struct trace_case in the text area (cases of a switch), or 0
	uint32_t extra_size;
	uint32_t zero;
	uint64_t point; // what site.point holds
};

// Values of a switch that go to the same place are one way.
struct trace_case {
	uint64_t value;
	uint64_t target; // 0: where values go that are no case; other places are numbered from 1
};

// A table that OP_LOOKUP reads: the content of an object at the time.
struct trace_table {
	uint64_t address, size;
	uint32_t labelled; // 1: an array of size labels follows the bytes (at a multiple of 8)
	uint32_t zero;
	// bytes
};

// A source of symbolic bytes.
struct trace_input {
	uint32_t label; // offset of what people call it in the text area
	uint32_t name;  // offset of its name there; 0: has none
	uint32_t ordinal;
	struct input_type type;
	uint16_t zero;
	uint32_t size;
	uint32_t data; // offset of the bytes it had
};

enum { TRACE_INPUTS = 4096, TRACE_MODULES = 64, TRACE_TABLE_MAX = 4096 }; // the last in bytes

enum trace_flags {
	TRACE_SELF_CHECK = 1, // set by the engine: check every node
	TRACE_WINDOWED =
		2,      // set by the runtime: of an input some bytes were symbolic, and some concrete (abi/launch.h)
	TRACE_HEAD = 4, // set by the engine: the run ends when the trace is full
};

enum trace_state {
	TRACE_FREE = 0,    // waits for a program
	TRACE_CLAIMED = 1, // a process writes it
	TRACE_ENDED = 2,   // that process ended in an orderly way
};

struct trace_header {
	uint64_t magic;
	uint32_t flags;
	uint32_t state;
	// Set by the engine: where the parts are, and how much fits.
	uint64_t nodes_at, events_at, calls_at, text_at, size;
	uint32_t nodes_max, events_max, calls_max;
	uint32_t calls;       // kept by the runtime; counts the unused call 0
	uint64_t input_bytes; // bytes for the inputs, at the end of the text area
	uint64_t text_max;
	// Kept by the runtime.
	uint32_t nodes, events; // nodes counts the unused node 0
	uint64_t text;
	uint32_t inputs;
	uint32_t full;          // bit 0: nodes, 1: events, 2: text
	uint64_t checked;       // nodes that self-check compared
	uint32_t mismatches;    // self-check failures (the first ends the run)
	uint32_t decisions_max; // set by the engine: with so many conditions and different checks it is full; 0: no
	                        // limit
	struct trace_input input[TRACE_INPUTS];
};

#endif
