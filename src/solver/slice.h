// Independence: which conditions share input, directly or over others. Conditions that
// do not can be solved apart.
#ifndef VEER_SOLVER_SLICE_H
#define VEER_SOLVER_SLICE_H

#include "expr/expr.h"

// The conditions of a path, in classes. It grows along the path; all work together is about linear in
// the nodes that the path has, each of which is visited once.
struct slice {
	struct expr_pool *pool;
	uint32_t *parent; // per node, union-find: 0: not met; SLICE_NONE: depends on no input
	uint32_t *seen;   // per node: the last query that met it
	uint32_t n_nodes;
	uint32_t *table_class; // per table: a node of the class of its bytes; as in `parent`
	uint32_t *table_seen;
	uint32_t n_tables;
	uint32_t query;
	struct slice_list {
		uint32_t first, last; // conditions, + 1
	} *lists;                     // per node that is a root
	struct slice_condition {
		uint32_t tag;
		uint32_t node; // where its class is found; SLICE_NONE: in none
		uint32_t next; // in its class, + 1
	} *conditions;
	uint32_t n, max;
	uint32_t *met; // nodes, for slice_clear
	uint32_t n_met, max_met;
	uint32_t *stack;
	uint32_t max_stack;
	uint32_t *found; // positions
	uint32_t max_found;
};

enum { SLICE_NONE = 0xffffffff };

// A list of conditions, reusable.
struct condition_list {
	uint32_t *ids;
	uint32_t n, max;
};
void condition_list_add(struct condition_list *l, uint32_t id);
void condition_list_release(struct condition_list *l);

void slice_init(struct slice *s, struct expr_pool *pool);
void slice_release(struct slice *s);
void slice_clear(struct slice *s); // ready for another path; costs what was added

// Appends a condition. What it shares with others is decided on its simplified form. `tag` is what the caller
// calls it.
void slice_add(struct slice *s, uint32_t condition, uint32_t tag);

// The tags of those of the conditions added so far that share input with the given one, directly or over
// others, in the order in which they were added. The classes stay as they are.
void slice_related(struct slice *s, uint32_t condition, struct condition_list *ret);

// The class of a condition, by its position, and of a variable: the same number if and only if they are
// in the same class. SLICE_NONE: depends on no input, or was not met. Changes with slice_add.
uint32_t slice_class(struct slice *s, uint32_t position);
uint32_t slice_class_of_var(struct slice *s, uint32_t var);

#endif
