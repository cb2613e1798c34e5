// The code of a firmware: functions, their control-flow graphs, markers and segments (marking/marking.h), found by
// following the instructions of each function from where it begins.
//
// A segment is contiguous in time: a call ends it, and what follows a call is a marker.
#ifndef VEER_FIRMWARE_PROGRAM_H
#define VEER_FIRMWARE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/image.h"
#include "marking/marking.h"

enum { CODE_NONE = UINT32_MAX };

enum code_end {
	CODE_GOES_ON, // to its edges: a branch, a switch, or the next block
	CODE_CALLS,   // `callee`, and comes back at `after`
	CODE_LEAVES,  // to `callee`, for good: a tail call
	CODE_RETURNS,
	CODE_STOPS, // undefined, or code that could not be followed
};

struct code_block {
	uint32_t address, size;
	uint32_t function;
	uint32_t node; // of the function's graph
	enum code_end end;
	uint32_t callee; // function; CODE_NONE: it is called by a pointer, or not known
	uint32_t after;  // block; CODE_NONE: the call does not return into the function
	bool may_leave;  // besides its edges: a return or a tail call on a condition
	uint64_t shape;  // of its instructions, with registers and numbers, but not what they name
};

struct code_function {
	const char *name;
	uint32_t address, size;
	uint32_t block, n; // its blocks, in the order of the graph's nodes
	uint64_t shape;    // equal for the same instructions, wherever they and what they name lie
	bool taken;        // its address stands in the program
	struct marking_graph graph;
	struct marking marking;
	uint32_t first; // number of its first segment in the program
};

struct program {
	struct image image;
	struct code_function *functions;
	uint32_t n_functions;
	struct code_block *blocks;
	uint32_t n_blocks;
	uint32_t segments;
};

int program_open(struct program *ret, const char *path, struct err *err);
void program_close(struct program *p);

// The function of that name and shape (0: any); CODE_NONE: there is none.
uint32_t program_find(const struct program *p, const char *name, uint64_t shape);
// The block that begins there; CODE_NONE: none does.
uint32_t program_block(const struct program *p, uint32_t address);

// The blocks of a segment, in the order of time. Returns how many; at most as many as the function has.
uint32_t program_segment(const struct program *p, uint32_t function, uint32_t number, uint32_t *blocks);

// Names a segment: FUNCTION/SHAPE:NUMBER, the same in every program that has the function as it is.
void program_name(const struct program *p, uint32_t function, uint32_t number, struct buf *out);
// The segment of that name; false: the program does not have it.
bool program_named(const struct program *p, const char *name, uint32_t *function, uint32_t *number);

#endif
