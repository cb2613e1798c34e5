// What of a made-up state a finding needs, in words, and which filter that is a case of.
#ifndef VEER_POSSIBLE_PRECONDITION_H
#define VEER_POSSIBLE_PRECONDITION_H

#include "input/input.h"
#include "possible/possible.h"
#include "shape/shape.h"

// What the run that has the finding shows.
struct possible_evidence {
	const char *kind;                  // of the finding
	const struct input *whole, *masks; // its input with all cells; relevant bits in place of their bytes
	bool relevant;                     // the masks are known
	bool subject;                      // what goes wrong is about bytes of the input
	bool unchecked;                    // of which no decision before it tests any
	bool beyond;                       // the run ended with an access outside of a cell
};

// Fills in p->assessed, entered, conditions, relevant and by. *ret_function: what the input enters. -1 with *err
// filled: the program does not have what the input enters.
int possible_assess(struct possible *p, const struct shape_program *shapes, const struct possible_evidence *e,
                    struct shape_ref *ret_function, struct err *err);

#endif
