// Makes an input smaller, simpler and nearer to another one while something stays true of it.
#ifndef VEER_FINDINGS_MINIMISE_H
#define VEER_FINDINGS_MINIMISE_H

#include <stdbool.h>

#include "input/input.h"

// `holds` must be true of *in; it is asked at most `tries` times, and true of *in afterwards. 1: it holds; 0: not;
// -1: it cannot be asked any more, which ends the search. `seed` may be NULL; to `stay` near it, only what differs
// from it is taken back. The program's name stays.
void minimise_input(struct input *in, const struct input *seed, bool stay,
                    int (*holds)(void *opaque, const struct input *in), void *opaque, unsigned tries);

#endif
