// What a value is a multiple of, as far as its expression tells: for tables, whose entries are then whole.
#ifndef VEER_EXPR_ALIGNMENT_H
#define VEER_EXPR_ALIGNMENT_H

#include <stdint.h>

enum { ALIGNMENT_MOST = 16 };

// An operation of a trace or of a pool, whichever holds it: of a constant of at most 64 bits the lower 32 are `b`.
struct alignment_node {
	unsigned op, width;
	uint32_t a, b;
};
typedef struct alignment_node alignment_look(const void *of, uint32_t id);

// A power of two that it is a multiple of, at most ALIGNMENT_MOST; 1: nothing is known.
unsigned expr_alignment(alignment_look *look, const void *of, uint32_t id);

#endif
