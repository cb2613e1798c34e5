// What a program's code looks like, for strategies that choose by it: its branches and switches, what is compared
// there, what is behind each edge. A variant with counters (abi/cover.h) has it in a section that is not loaded.
#ifndef VEER_ABI_GRAPH_H
#define VEER_ABI_GRAPH_H

#include <stdint.h>

#define GRAPH_SECTION "veer_graph"
#define GRAPH_MAGIC 0x3148504152474556u // "VEGRAPH1"

// For each unit a struct cover_sites with this magic, whose `count` is the number of points, and behind it numbers and
// strings as there:
//
//   number of names | names, of functions that are defined or called
//   number of functions, and of each: name | 1 if no other unit sees it | what comes first | number of points | points
//
// Points are numbered through the unit. A point is
//
//   kind | flags | the point whose edge all ways to it come by, plus 1; 0: none | that edge
//   | number of functions whose results are compared | their names | number of edges | edges
//
// and an edge
//
//   its byte among the counters, plus 1; 0: it has none | the way it stands for (struct trace_case: target of a switch;
//   1 or 0: the condition is true or false) | what comes next
//
// What comes next, or first: number of points that are reached without coming by another | these | number of functions
// that are called on the way | their names.
enum graph_kind {
	GRAPH_BRANCH,
	GRAPH_SWITCH,
	GRAPH_CALL, // of something that may be outside: one edge, what is behind the call
	GRAPH_KINDS
};

enum graph_flag {
	GRAPH_LOOP = 1,       // decides whether a loop goes on
	GRAPH_STAYS = 2,      // with GRAPH_LOOP: it does when the condition is true
	GRAPH_NESTED = 4,     // whether control comes here is decided by another one of the function
	GRAPH_INTEGER = 8,    // there is an integer constant in the condition
	GRAPH_CHARACTER = 16, // likewise, of 0 to 127
	GRAPH_POINTER = 32,   // something is read through a pointer
	GRAPH_LOCAL = 64,     // there is a local variable in it
	GRAPH_BODY = 128,     // it is in the body of a loop
	GRAPH_FLAGS = 256
};

// A point's name, the same in every program that has the unit; never 0.
static inline uint64_t graph_name(uint64_t unit, uint32_t point)
{
	uint64_t h = (unit ^ (point + 1) * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
	return h ^ h >> 32 ? h ^ h >> 32 : 1;
}

#endif
