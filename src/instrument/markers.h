// Markers: the places of a function where segments, marker-to-marker paths, begin and end. This is their one
// definition, for what is counted (trace_paths.c), for where runs can begin (fragment.c), and for the tables that say
// so (shapes.c).
//
// Segments begin at the function's entry, at heads of loops, at labels, and at blocks that split what would be more
// than MARKERS_PATHS paths; they end at the next of these, or where control leaves the function. So segments have no
// cycles, and every run of a function is a sequence of them.
//
// On the code as clang made it, before any pass; the passes that come before instrumentation keep blocks.
#ifndef VEER_INSTRUMENT_MARKERS_H
#define VEER_INSTRUMENT_MARKERS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "abi/shape.h"
#include "instrument/source_flow.h"

enum { MARKERS_PATHS = 256 };

struct marker {
	enum shape_marker_kind kind;
	LLVMBasicBlockRef block; // of the entry: whoever moves its code behind a block of their own sets it to where
	                         // the code is now
	uint32_t node;           // of the flow
	unsigned line, column;   // of the function, of the loop's statement, of the label, else of what comes first; 0:
	                         // of nothing in the source
	LLVMMetadataRef scope;   // of that place: knows its file
	bool enters;             // a run can begin here: all that is read here or behind is in variables
	LLVMValueRef *live; // those that may be read before they are written (instrument/live.h); none for the entry
	uint32_t n_live;
	uint32_t base; // number of its first segment, in the function
};

struct markers {
	LLVMValueRef function;
	struct marker *v; // the entry first, then in the order of the function's blocks
	uint32_t n;
	const char *entry_only; // why runs can begin at the entry only; NULL: they can elsewhere
	struct source_flow *flow;
	uint32_t *order;     // all nodes of the flow, each before those it leads to, but for markers
	uint32_t *marker_of; // per node of the flow: its marker, plus 1; 0: it has none
	uint32_t *paths;     // per node: how many paths lead from it to markers, or out of the function
	uint32_t segments;   // of all markers
};

// All of a module's functions that have debug information, and are not left out of coverage.
struct markers_table {
	struct markers **v;
	size_t n;
	struct label_map by_function; // number + 1
};

// Changes nothing in the module.
void markers_find(struct markers_table *ret, LLVMModuleRef module);
void markers_release(struct markers_table *t);

// A call that may return again, setjmp's.
bool markers_returns_twice(LLVMValueRef call);

// NULL: the function has none.
struct markers *markers_of(const struct markers_table *t, LLVMValueRef function);

#endif
