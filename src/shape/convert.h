// Two versions of a program side by side: made-up state of one as the other has it. Parameters are paired by name, the
// rest of them in their order; members of structures by name, and where as many of the same types are left over on both
// sides these are taken for renamed. Numbers of another width keep their value; what only one version has is 0 there.
#ifndef VEER_SHAPE_CONVERT_H
#define VEER_SHAPE_CONVERT_H

#include "shape/state.h"

// A function that both versions have.
struct convert {
	const struct shape_program *from, *to;
	struct shape_ref from_function, to_function;
};

// Can runs that enter the function have the same state? Its parameters are as many, each of a type of the same kind.
// *ret_why: why not.
bool convert_fits(const struct convert *c, const char **ret_why);

// A place of the entered function (abi/fragment.h, abi/left.h), as the other version calls it. False: it has none.
bool convert_place(const struct convert *c, const char *place, struct buf *out);

// The global in the other version; SHAPE_NOWHERE: it has none.
struct shape_ref convert_global(const struct convert *c, struct shape_ref global);

// The cells of an input as the other version's, in the same order, so that numbers of cells keep their meaning: what
// has no counterpart stays as it is. `ret`: as many as `parts`.
struct converted {
	struct buf name, data;
};

void convert_cells(const struct convert *c, const struct state_part *parts, uint32_t n, struct converted *ret);

#endif
