// Variations of an input: other values at the same places, by chance.
#ifndef VEER_INPUT_VARY_H
#define VEER_INPUT_VARY_H

#include <stdbool.h>

#include "input/input.h"

// Whether `sym` (sym.h; NULL: arguments and standard input) says that this part of the input is symbolic.
bool input_can_vary(const struct input *in, size_t part, const char *sym);

// Changes some of what `sym` says is symbolic. The same state of *random gives the same variation. False: nothing can
// be changed.
bool input_vary(struct input *in, const char *sym, uint64_t *random);

#endif
