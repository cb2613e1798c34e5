// What became of each function of a program that is covered in fragments: how much of it is covered, by how many
// inputs, and why the rest is not.
#ifndef VEER_SESSION_COVERED_H
#define VEER_SESSION_COVERED_H

#include "explore/fragment_driver.h"
#include "explore/fragment_plan.h"
#include "store/store.h"

struct cover;

// A function, as the store has it.
struct covered_function {
	char *name, *symbol, *file; // symbol: the linker's name, as coverage has it
	char *reason;               // why not all of it is covered; "" when it is
	uint32_t lines, lines_covered, segments, segments_covered;
	uint32_t by[PHASES];   // segments, by the phase that covered them first
	uint32_t out_of_reach; // segments that no state leads to that veer makes up
	uint32_t inputs;       // that covered something new, from fragments of this function
	uint32_t possible;     // findings of level possible in it that no filter suppresses
};

struct covered;

// The plan and the coverage must outlive it.
struct covered *covered_new(const struct fragment_plan *plan, struct cover *cover);
void covered_free(struct covered *c); // may be NULL

// What became of a fragment (fragment_driver_setup.ended).
void covered_add(struct covered *c, const struct plan_fragment *f, const struct fragment_outcome *o);

// For the store, inside a transaction; findings and phases of segments are counted from it.
int covered_store(struct covered *c, struct store *store, struct err *err);

// Calls `each` for each function that the store has, in the order in which they were tried. What does not make sense
// there is left out.
void covered_each(struct store *store, void (*each)(void *opaque, const struct covered_function *f), void *opaque);

// A table for people: the functions that are not wholly covered, or all of them, with the reason.
void covered_print(struct store *store, bool all, struct buf *out);

#endif
