// Expressions of the engine: bit vectors of up to 128 bits over input bytes, hash-consed
// in a pool and named by 32-bit ids. Operators and their meaning are the trace's
// (abi/ops.def, abi/eval.h).
//
// Ids grow: the operands of a node are older than it, so a pass over ascending ids
// meets operands first. Id 0 is no expression. Two expressions of a pool are the same
// if and only if their ids are.
#ifndef VEER_EXPR_EXPR_H
#define VEER_EXPR_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/eval.h"
#include "abi/trace.h"

enum { EXPR_WIDTH_MAX = 128, EXPR_MANY = 0xffffffff };

enum expr_flags {
	EXPR_FLOAT = 1,  // floating point is involved: for a solver that knows it
	EXPR_USED = 2,   // another node than a NOT has it as its operand
	EXPR_SHARED = 4, // two nodes or more have
	EXPR_LIBM = 8,   // a function is involved of which only evaluation knows what it gives
};

struct expr_node {
	uint8_t op; // enum trace_op
	uint8_t flags;
	uint16_t width;
	// As in a trace, but for: CONST (expr_value reads it); INPUT (a: source of the pool, b: the byte);
	// LOOKUP (b: table of the pool).
	uint32_t a, b, c;
};

// A byte of input. Variables are numbered from 0.
struct expr_var {
	uint32_t source, offset;
	uint32_t expr; // its INPUT node
};

struct expr_source {
	struct input_type type;
	uint32_t ordinal;
	char *name;  // "" where the kind has none
	char *label; // what people call it
};

// What a LOOKUP reads.
struct expr_table {
	uint8_t *bytes;
	uint32_t *exprs; // per byte, 0: the byte is constant; NULL: all are
	uint32_t size;
	uint32_t simple; // the same with simplified entries, + 1; 0: not yet asked
	uint64_t hash;
};

struct range_cache;

// Read only, for those outside of expr.c.
struct expr_pool {
	struct expr_node *nodes;
	uint32_t *only;   // per node: the only variable it depends on; EXPR_MANY: several, or none
	uint32_t *simple; // per node: what expr_simplify made of it; 0: not yet asked
	uint32_t n, max;  // n counts the unused node 0
	struct expr_var *vars;
	uint32_t n_vars, max_vars;
	struct expr_source *sources;
	uint32_t n_sources, max_sources;
	struct expr_table *tables;
	uint32_t n_tables, max_tables;
	eval_value *wide; // constants of more than 64 bits
	uint32_t n_wide, max_wide;
	uint32_t *groups; // hash-consing: see expr.c
	uint32_t *index;
	uint32_t index_size, n_indexed;
	struct range_cache *ranges; // of expr/range.c
	uint64_t cut;               // nodes that expr_simplify left as they were because it had gone far enough
};

void expr_pool_init(struct expr_pool *p);
void expr_pool_release(struct expr_pool *p);
size_t expr_pool_bytes(const struct expr_pool *p); // memory it uses, about

// The node with that operator, width and operands, as it is: nothing is simplified or folded. Widths
// must fit (asserted). Not for CONST, INPUT and LOOKUP, which have functions of their own.
uint32_t expr_make(struct expr_pool *p, unsigned op, unsigned width, uint32_t a, uint32_t b, uint32_t c);
uint32_t expr_const(struct expr_pool *p, unsigned width, eval_value value); // cuts the value to the width
uint32_t expr_input(struct expr_pool *p, uint32_t source, uint32_t offset);
uint32_t expr_lookup(struct expr_pool *p, unsigned width, uint32_t offset, uint32_t table);

// The source with that type, name and ordinal; made when it is new. The name is copied.
uint32_t expr_source(struct expr_pool *p, struct input_source source);
// The table with that content (copied); `exprs` may be NULL.
uint32_t expr_table(struct expr_pool *p, const uint8_t *bytes, const uint32_t *exprs, uint32_t size);

eval_value expr_value(const struct expr_pool *p, uint32_t constant);
static inline bool expr_is_const(const struct expr_pool *p, uint32_t id)
{
	return p->nodes[id].op == OP_CONST;
}
static inline unsigned expr_width(const struct expr_pool *p, uint32_t id)
{
	return p->nodes[id].width;
}

// Shorthands.
uint32_t expr_not(struct expr_pool *p, uint32_t a); // of any width
uint32_t expr_eq(struct expr_pool *p, uint32_t a, eval_value value);

#endif
