// The markers of a function as clang made it: of what is counted (trace_paths.c), of where runs can begin (fragment.c),
// and of the tables that say so (shapes.c). marking/marking.h defines what markers and segments are.
//
// On the code as clang made it, before any pass; the passes that come before instrumentation keep blocks.
#ifndef VEER_INSTRUMENT_MARKERS_H
#define VEER_INSTRUMENT_MARKERS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "abi/shape.h"
#include "instrument/source_flow.h"
#include "marking/marking.h"

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
	struct marking_graph graph; // of the flow's nodes
	struct marking marking;
	const uint32_t *order, *marker_of, *paths; // of the marking
	uint32_t segments;
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
