// What the code of a program looks like (abi/graph.h), all units together: its branches and switches, what is behind
// each of their edges, and how far it is from there to code that was not reached.
#ifndef VEER_COVERAGE_GRAPH_H
#define VEER_COVERAGE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "coverage/cover.h"

enum { GRAPH_NONE = UINT32_MAX };

// What is reached without coming by another point: in graph.refs, first points, then functions.
struct graph_next {
	uint32_t first, points, functions;
};

struct graph_edge {
	uint32_t point;
	uint32_t cover; // its number among the edges of cover.h; GRAPH_NONE: it has none
	uint32_t way;
	struct graph_next next;
};

struct graph_point {
	uint32_t function;
	uint32_t first, edges;          // in graph.edges
	uint32_t from;                  // edge that all ways to it come by; GRAPH_NONE: there is none
	uint32_t from_point, from_nth;  // the same, as it is read
	uint32_t first_result, results; // in graph.refs, as it is read: functions whose results are compared
	uint16_t flags;                 // enum graph_flag
	uint8_t kind;                   // enum graph_kind
	bool external;                  // the result of a function that is not the program's is compared
};

struct graph_function {
	char *name;
	struct graph_next first;
	uint32_t edges; // with counters
	uint8_t top;    // 1: among the tenth of all with most edges, 2: in the second tenth, 3: in the third; else 0
};

#define GRAPH_ARRAY(type, name)                                                                                        \
	type *name;                                                                                                    \
	uint32_t n_##name, max_##name

struct graph_slot {
	uint64_t name; // 0: free
	uint32_t point;
};
MAP(graph_names, struct graph_slot);

struct graph {
	const struct cover *cover;
	GRAPH_ARRAY(struct graph_function, functions);
	GRAPH_ARRAY(struct graph_point, points);
	GRAPH_ARRAY(struct graph_edge, edges);
	GRAPH_ARRAY(uint32_t, refs);
	GRAPH_ARRAY(struct graph_name_ref, names); // of all units; refs to functions are to these, until all are there
	struct graph_names by_name;                // points by name
	uint32_t *edges_of_cover;                  // the first edge with that number in cover.h; GRAPH_NONE: none
	uint32_t n_cover;
};

void graph_init(struct graph *g,
                const struct cover *cover); // which outlives it, and has a unit before it is added here
void graph_release(struct graph *g);

// Adds the units of a variant, or the content of a section. -1 with *err filled when it is damaged.
int graph_add(struct graph *g, const char *path, struct err *err);
int graph_add_section(struct graph *g, const void *data, size_t size, struct err *err);

// When all are there, and before anything else is asked.
void graph_finish(struct graph *g);

uint32_t graph_find(const struct graph *g, uint64_t name);                        // a point; GRAPH_NONE: unknown
uint32_t graph_edge_of(const struct graph *g, uint32_t point, uint64_t way);      // GRAPH_NONE: it has none there
bool graph_is_before(const struct graph *g, uint32_t edge, uint32_t point);       // all ways to the point come by it
bool graph_is_covered(const struct graph *g, const uint8_t *bits, uint32_t edge); // one without counter is

// Of each edge, how many edges it is to one that is not among `bits`, 0 for such a one itself; UINT32_MAX: none can be
// reached. `distances` has room for all edges.
void graph_distances(const struct graph *g, const uint8_t *bits, uint32_t *distances);

static inline bool graph_bit(const uint8_t *bits, uint32_t i)
{
	return bits[i / 8] >> i % 8 & 1;
}

#endif
