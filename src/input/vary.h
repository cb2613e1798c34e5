// Variations of an input: other values at the same places, by chance.
#ifndef VEER_INPUT_VARY_H
#define VEER_INPUT_VARY_H

#include <stdbool.h>

#include "input/input.h"

// Changes some of what `sym` (sym.h; NULL: arguments and standard input) says is symbolic. The same state of *random
// gives the same variation. False: nothing can be changed.
bool input_vary(struct input *in, const char *sym, uint64_t *random);

#endif
