// The functions of a program as progressive symbolic execution sees them (progressive.h), made of its shapes: which
// there are, in breadth-first order of calls, what each calls, where runs can begin, and the first input of each
// fragment.
#ifndef VEER_EXPLORE_FRAGMENT_PLAN_H
#define VEER_EXPLORE_FRAGMENT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "explore/progressive.h"
#include "input/input.h"
#include "possible/chains.h"
#include "possible/precondition.h"
#include "shape/shape.h"

// What a user chooses.
struct fragment_choice {
	const char *function, *file; // globs of functions that are to be covered (shape_matches); NULL: all
	uint32_t depth, object_max;  // see abi/fragment.h; 0: the defaults
};

struct fragment_plan {
	const struct shape_program *shapes;
	struct fragment_choice choice;
	struct shape_list functions;           // in the order in which they are tried
	struct progressive_function *progress; // as many
	uint32_t *numbers;                     // what these point to
	uint32_t *by_name, *by_symbol;         // numbers of functions, in order of file and name; of file and symbol
	uint32_t n_wanted;
	struct chains *chains; // of calls; NULL: nobody has asked yet
};

// The shapes must outlive the plan.
void fragment_plan_init(struct fragment_plan *p, const struct shape_program *shapes, const struct fragment_choice *c);
void fragment_plan_release(struct fragment_plan *p);

static inline const struct shape_function *fragment_plan_shape(const struct fragment_plan *p, uint32_t function)
{
	return shape_function(p->shapes, p->functions.v[function]);
}

const char *fragment_plan_name(const struct fragment_plan *p, uint32_t function);
const char *fragment_plan_symbol(const struct fragment_plan *p, uint32_t function); // as the linker knows it
const char *fragment_plan_file(const struct fragment_plan *p, uint32_t function);

// For struct fragment_driver_setup, whose `opaque` begins with a struct fragment_plan.
void fragment_plan_first(void *plan, const struct plan_fragment *f, struct input *ret);
uint32_t fragment_plan_function(void *plan, const char *file, const char *name);
int fragment_plan_assess(void *plan, const struct possible_evidence *e, struct possible *p, struct err *err);

#endif
