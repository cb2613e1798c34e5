// Markers and segments of a control-flow graph: the one definition, whatever the graph was made of: clang's code of a
// function (instrument/markers.h) or machine code (firmware/program.h).
//
// Segments begin at the first node, at heads of loops, at labels, and at nodes that split what would be more than
// MARKING_PATHS paths; they end at the next of these, or where control leaves the graph. So segments have no cycles,
// and every run is a sequence of them. They are numbered by Ball and Larus' scheme: those of marker 0 first, and of
// those that share nodes up to one with several edges first those that take its first edge.
#ifndef VEER_MARKING_MARKING_H
#define VEER_MARKING_MARKING_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/shape.h"

enum { MARKING_PATHS = 256, MARKING_NONE = UINT32_MAX };

struct marking_graph {
	uint32_t n;            // nodes, the first one first; all can be reached
	const uint32_t *first; // of each node, its first edge in `to`; n + 1 of them
	const uint32_t *to;    // to different nodes
	const bool *computed; // the node's edges are of a computed goto: none differs from another, all lead to markers
};

struct marking_point {
	enum shape_marker_kind kind;
	uint32_t node;
	uint32_t base; // number of its first segment
};

struct marking {
	const struct marking_graph *graph; // must outlive it
	struct marking_point *v;           // the first node's first
	uint32_t n;
	uint32_t *order;     // all nodes, each before those it leads to, but for markers
	uint32_t *place;     // of each node in that order
	uint32_t *marker_of; // per node: its marker, plus 1; 0: it has none
	uint32_t *paths;     // per node: how many paths lead from it to markers, or out of the graph
	uint32_t segments;   // of all markers
};

// Step by step, since each may need what the caller finds out after the one before.
void marking_begin(struct marking *ret, const struct marking_graph *graph, const bool *labels);

enum marking_split { MARKING_NEVER, MARKING_MAY, MARKING_WELL }; // WELL: unless others are much better
typedef enum marking_split (*marking_may_split)(void *opaque, uint32_t node);
void marking_split(struct marking *m, marking_may_split may, void *opaque);

// Puts markers into the order of their nodes' `rank` and numbers segments.
void marking_number(struct marking *m, const uint32_t *rank);

// What the k-th edge of a node adds to the number of a segment.
uint32_t marking_adds(const struct marking *m, uint32_t node, uint32_t k);

void marking_release(struct marking *m);

#endif
