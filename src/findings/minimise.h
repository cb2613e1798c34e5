// Makes an input smaller, simpler and nearer to another one while something stays true of it.
#ifndef VEER_FINDINGS_MINIMISE_H
#define VEER_FINDINGS_MINIMISE_H

#include <stdbool.h>

#include "input/input.h"

enum minimise_keep {
	MINIMISE_ALL,   // keeps nothing that need not be there
	MINIMISE_STAY,  // only takes back what differs from the seed
	MINIMISE_CELLS, // keeps all cells, if only as zeros: the runs would make them up otherwise
};

// `holds` must be true of *in; it is asked at most `tries` times, and true of *in afterwards. 1: it holds; 0: not;
// -1: it cannot be asked any more, which ends the search. `seed` may be NULL. The program's
// name stays.
void minimise_input(struct input *in, const struct input *seed, enum minimise_keep keep,
                    int (*holds)(void *opaque, const struct input *in), void *opaque, unsigned tries);

#endif
